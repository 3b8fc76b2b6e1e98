"""An audit from Python, in five minutes: ``python docs/example.py [FOLDER]`` writes a report, its JSON and its settings there.

Every step can be copied into a notebook; results show as tables there.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import fairaudit
from fairaudit.baselines import baselines_of_frames
from fairaudit.qmad import audit_frames
from fairaudit.reporting.documents import audit_document, to_json
from fairaudit.reporting.page import html_report
from fairaudit.settings import AuditSettings, load_frames

SAMPLES = Path(__file__).resolve().parent.parent / "sample_data"


def quick() -> None:
    """One call: two days against a reference table."""
    days = {"day 1": "hiring_day1", "day 2": "hiring_day2_biased"}
    tables = {name: fairaudit.read_table(SAMPLES / f"{file}.csv").data for name, file in days.items()}
    reference = fairaudit.read_table(SAMPLES / "hiring_reference.csv").data
    result = fairaudit.audit(reference, tables, comparison="ks", aggregation="harmonic", bins=10, seed=0)
    found = result.attributes().query("verdict == 'disparity'")
    print(found[["frame", "attribute", "score", "p_adjusted", "direction"]].to_string(index=False))


def planted() -> None:
    """What would a bias look like? Plant it, and audit again."""
    reference = fairaudit.read_table(SAMPLES / "hiring_reference.csv").data
    bias = {"kind": "set_value", "group": {"gender": "WOMAN"}, "column": "education", "value": "GRAD", "strength": 0.5}
    injected = fairaudit.inject(reference, [bias], seed=4224)
    print(injected.summaries()[0])
    after = fairaudit.audit(reference, {"planted": injected.table}, resamples=199)
    print(after.attributes().query("verdict == 'disparity'")["attribute"].tolist())


def repeatable(folder: Path) -> None:
    """The same from a settings file: the dashboard and the command line read it too, and give the same numbers."""
    settings = AuditSettings.from_dict(
        {
            "version": 1,
            "tables": {
                "reference": {"name": "reference", "file": "hiring_reference.csv"},
                "targets": [{"name": "day 2", "file": "hiring_day2_biased.csv"}],
            },
            "contrast": {"kind": "within_group", "features": ["gender"]},
            "qmad": {"pair": "rom-arithmetic", "bins": 10, "resamples": 199},
            "report": {"auditor": "Ann Example", "purpose": "A first look"},
        }
    )
    frames = load_frames(settings, SAMPLES)
    result = audit_frames(frames, settings.qmad)
    metrics = baselines_of_frames(frames, settings.baseline_settings())
    saved = settings.with_frames(frames)
    (folder / "report.html").write_text(html_report(result, frames, saved, metrics), encoding="utf-8")
    (folder / "result.json").write_text(to_json(audit_document(result, settings=saved, frames=frames)), encoding="utf-8")
    (folder / "settings.yaml").write_text(settings.to_yaml(), encoding="utf-8")
    print(f"Written to {folder}: report.html, result.json, settings.yaml")


def main(folder: str | None = None) -> None:
    """Run all of it."""
    quick()
    planted()
    target = Path(folder or tempfile.mkdtemp(prefix="fairaudit-"))
    target.mkdir(exist_ok=True)
    repeatable(target)


if __name__ == "__main__":
    main(*sys.argv[1:2])
