"""Results as JSON, and the same numbers from Python, the command line and the report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

from fairaudit.baselines import BaselineSettings, Sampling, baselines_of_frames
from fairaudit.cli import main
from fairaudit.contrast import Contrast
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.reporting.documents import audit_document, result_form, to_json
from fairaudit.reporting.page import html_report
from fairaudit.reporting.page.parts import Limits
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings, TableSettings, load_frames

ROOT = Path(__file__).resolve().parents[2]


def _grades(folder: Path) -> AuditSettings:
    """An uploaded file with semicolons and decimal commas."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"Größe": rng.normal(170, 9, 300).round(1), "Note": rng.choice(["gut", "mäßig"], 300)})
    for name, shift in (("vorher", 0.0), ("nachher", 4.5)):
        table.assign(Größe=table["Größe"] + shift).to_csv(
            folder / f"{name}.csv", sep=";", decimal=",", index=False, encoding="cp1252"
        )
    return AuditSettings(
        TableSettings("vorher", "vorher.csv"), (TableSettings("nachher", "nachher.csv"),), qmad=QmadSettings(bins=5)
    )


def _sample(reference: str, **targets: str) -> AuditSettings:
    folder = ROOT / "sample_data"
    return AuditSettings(
        TableSettings(reference, str(folder / f"{reference}.csv")),
        tuple(TableSettings(name, str(folder / f"{file}.csv")) for name, file in targets.items()),
    )


def settings_of(case: str, folder: Path) -> AuditSettings:
    """The three audits whose numbers must be the same everywhere."""
    if case == "decimal commas":
        return _grades(folder)
    if case == "hiring, ratio of means":
        settings = _sample("hiring_reference", day1="hiring_day1", day2="hiring_day2_biased")
        return replace(settings, qmad=QmadSettings(comparison="rom", aggregation="arithmetic", resamples=199))
    settings = _sample("adult_train", test="adult_test")
    return replace(settings, qmad=QmadSettings(contrast=Contrast("within_group", ("sex",)), resamples=199))


def numbers(page: str) -> set[str]:
    """All numbers of a report, with all their digits."""
    return set(re.findall(r'<data value="([^"]*)">', page))


def _shown(values: Any) -> set[str]:
    return {repr(v) for v in values if v is not None}


@pytest.mark.parametrize("case", ["hiring, ratio of means", "Adult, within groups", "decimal commas"])
def test_python_command_line_and_report_agree_to_the_last_digit(case: str, tmp_path: Path) -> None:
    settings = settings_of(case, tmp_path)
    frames = load_frames(settings, tmp_path)
    result = audit_frames(frames, settings.qmad)
    (tmp_path / "s.yaml").write_text(settings.to_yaml(), encoding="utf-8")
    assert (
        main(
            [
                "audit",
                "--settings",
                str(tmp_path / "s.yaml"),
                "--json",
                str(tmp_path / "r.json"),
                "--html",
                str(tmp_path / "r.html"),
            ]
        )
        == 0
    )
    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    expected = json.loads(json.dumps(result.to_dict()))
    for part in ("bins", "attributes", "overall"):
        assert document[part] == expected[part]
    ours = html_report(result, frames, settings.with_frames(frames), baselines_of_frames(frames, settings.baseline_settings()))
    charts = (
        {(r["frame"], r["group"], r["attribute"]) for r in document["attributes"]}
        if len(document["attributes"]) <= Limits().charts
        else set()
    )
    assert charts, "every attribute has its chart here"
    for page in (ours, (tmp_path / "r.html").read_text(encoding="utf-8")):
        for key in ("score", "p_value", "p_adjusted", "effect", "mean_target", "mean_reference", "n_target", "n_reference"):
            assert _shown(r[key] for r in document["attributes"]) <= numbers(page), key
        for key in ("score", "n_target", "mean_target", "mean_reference"):
            assert _shown(r[key] for r in document["bins"]) <= numbers(page), key
        assert _shown(r["score"] for r in document["overall"]) <= numbers(page)


@pytest.fixture(scope="module")
def frames() -> Frames:
    return load_frames(_sample("hiring_reference", day2="hiring_day2_biased"))


def test_the_shipped_form_is_the_one_of_the_code() -> None:
    shipped = json.loads((ROOT / "fairaudit" / "data" / "schemas" / "result.schema.json").read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(result_form())), "write it again: python docs/make.py"
    jsonschema.Draft202012Validator.check_schema(shipped)


def test_a_document_fits_its_form_and_holds_no_nan(frames: Frames) -> None:
    settings = AuditSettings(qmad=QmadSettings(resamples=0), baselines=BaselineSettings(sampling=Sampling(resamples=20)))
    result = audit_frames(frames, settings.qmad)
    baselines = baselines_of_frames(frames, settings.baseline_settings())
    document = audit_document(result, settings=settings, frames=frames, baselines=baselines)
    text = to_json(document)
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name)) == document
    jsonschema.validate(document, result_form())
    assert any(r["p_value"] is None for r in document["attributes"])
    assert AuditSettings.from_dict(document["provenance"]["audit_settings"]) == settings


def test_infinite_values_keep_their_meaning(frames: Frames) -> None:
    result = audit_frames(frames, QmadSettings(resamples=0))
    odd = result.attributes()
    odd.loc[0, "score"], odd.loc[1, "score"] = np.inf, -np.inf
    document = audit_document(replace(result, attribute_scores=odd))
    assert [r["score"] for r in document["attributes"][:2]] == ["Infinity", "-Infinity"]
    jsonschema.validate(json.loads(to_json(document)), result_form())


def test_a_wrong_document_is_noticed(frames: Frames) -> None:
    document = audit_document(audit_frames(frames, QmadSettings(resamples=0)))
    document["attributes"][0]["verdict"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, result_form())


def test_findings_of_all_tables_are_in_the_document(frames: Frames) -> None:
    codes = [f["code"] for f in audit_document(audit_frames(frames, QmadSettings(resamples=0)), frames=frames)["findings"]]
    assert codes.count("duplicate_rows") == 2
