"""Samples: seeded, stated wherever a result goes, the same rows by every way in."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairaudit
from fairaudit.cli import main
from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.evaluation import EvaluationResult
from fairaudit.reporting.documents import audit_document, result_form
from fairaudit.reporting.page import html_report
from fairaudit.reporting.page.extras import evaluation_section
from fairaudit.reporting.page.parts import Limits
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings, load_frames
from fairaudit.validation import check_frames, findings, with_schema
from fairaudit.validation.remedies import Remedy, all_findings, apply_remedy, proposed_remedies
from fairaudit.validation.repairs import apply_remedies
from fairaudit.validation.sampling import sample_positions

WORDS = "a random sample of 40 of 120 rows (seed 3)"


def table(n: int = 120, shift: float = 0.0) -> pd.DataFrame:
    """Rows in rising order of pay, so that their order can be seen."""
    rng = np.random.default_rng(n)
    return pd.DataFrame(
        {
            "pay": np.arange(n) + 0.5 + shift,
            "sex": rng.choice(["F", "M"], n),
            "hired": rng.choice(["no", "yes"], n).astype(object),
        }
    )


@pytest.fixture
def frames() -> Frames:
    return check_frames(table(), {"day": table(80, 5), "small": table(30)})


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 2**40))
def test_positions_are_distinct_rising_and_repeatable(rows: int, more: int, seed: int) -> None:
    positions = sample_positions(rows, rows + more, seed)
    assert len(positions) == rows and positions[0] >= 0 and positions[-1] < rows + more
    assert (np.diff(positions) > 0).all()
    np.testing.assert_array_equal(positions, sample_positions(rows, rows + more, seed))


def test_every_row_has_the_same_chance() -> None:
    """400 samples of a quarter: each row is expected in 100, with a standard deviation below 9."""
    counts = np.bincount(np.concatenate([sample_positions(25, 100, seed) for seed in range(400)]), minlength=100)
    assert counts.sum() == 10_000 and abs(counts - 100).max() < 45


def test_samples_are_stated_and_keep_the_order(frames: Frames) -> None:
    sampled = fairaudit.sample_rows(frames, 40, seed=3)
    assert [len(t) for t in sampled.tables] == [40, 40, 30]
    assert {n: s.to_dict() for n, s in sampled.samples.items()} == {
        "reference": {"rows": 40, "of": 120, "seed": 3, "not_sampled": 80},
        "day": {"rows": 40, "of": 80, "seed": 3, "not_sampled": 40},
    }
    np.testing.assert_array_equal(sampled.reference.data["pay"], sample_positions(40, 120, 3) + 0.5)
    assert {(f.table, f.code) for f in all_findings(sampled) if f.code == "sampled"} == {
        ("reference", "sampled"),
        ("day", "sampled"),
    }
    result = fairaudit.audit(sampled.reference, list(sampled.targets), resamples=0, bins=3)
    assert result.provenance["samples"]["day"]["of"] == 80 and "small" not in result.provenance["samples"]
    rows = result.attributes()
    assert (rows["n_reference"] + rows["left_out_reference"] + sampled.samples["reference"].not_sampled == 120).all()
    metrics = fairaudit.baselines(sampled.reference, list(sampled.targets), resamples=0)
    assert metrics.provenance["samples"] == result.provenance["samples"]


def test_each_table_by_its_own_size(frames: Frames) -> None:
    sampled = fairaudit.sample_rows(frames, {"reference": 50, "day": 20}, seed=1)
    assert [len(t) for t in sampled.tables] == [50, 20, 30]
    with pytest.raises(FairAuditError, match="no table named 'dya'"):
        fairaudit.sample_rows(frames, {"dya": 20})


def test_one_table_and_types_over_all_of_its_rows() -> None:
    values = ["1"] * 999 + ["once"]
    sampled = fairaudit.sample_rows(pd.DataFrame({"x": values, "y": range(1000)}), 10, seed=0)
    assert sampled.type_of("x") == "binary" and sampled.sample is not None
    assert fairaudit.sample_rows(sampled, 10) is sampled
    whole = fairaudit.sample_rows(pd.DataFrame({"x": [1.5, 2.5]}), 10)
    assert len(whole) == 2 and whole.sample is None


@pytest.mark.parametrize("rows, seed", [(0, 0), (-1, 0), (1.5, 0), (True, 0), (5, -1), ("5", 0)])
def test_impossible_samples_are_refused(rows: object, seed: int) -> None:
    with pytest.raises(SettingsError, match="of a sample must be a whole number"):
        fairaudit.sample_rows(table(), rows, seed)  # type: ignore[call-overload]


def test_a_sample_of_a_sample_is_refused(frames: Frames) -> None:
    sampled = fairaudit.sample_rows(frames, 40)
    with pytest.raises(SettingsError, match="already"):
        fairaudit.sample_rows(sampled, 20)
    with pytest.raises(SettingsError, match="already"):
        apply_remedy(fairaudit.sample_rows(frames.reference, 40), Remedy("sample", rows=20))


def test_tables_that_are_not_larger_stay_whole(frames: Frames) -> None:
    after, told = apply_remedies(frames, [Remedy("sample", rows=500)])
    assert after.fingerprint == frames.fingerprint and all_findings(after) == all_findings(frames)
    assert [(t.sentence, t.done) for t in told] == [
        ("reference keeps its 120 rows; day keeps its 80 rows; small keeps its 30 rows.", True)
    ]
    assert fairaudit.sample_rows(frames, 500).fingerprint == frames.fingerprint


def test_a_sample_of_all_tables_leaves_those_with_a_size_of_their_own(frames: Frames) -> None:
    """Also where that size left the table whole, and in whatever steps it is done, as the page does it."""
    asked = [Remedy("sample", "day", rows=100), Remedy("sample", rows=40, seed=3)]
    after, told = apply_remedies(frames, asked)
    assert [len(t) for t in after.tables] == [40, 80, 30] and all(t.done for t in told)
    assert told[1].sentence == f"reference is {WORDS}; day keeps its 80 rows; small keeps its 30 rows. The rows keep their order."
    steps = frames
    for remedy in asked:
        steps = with_schema(apply_remedy(steps, remedy)[0], steps.schema)
    assert steps.fingerprint == after.fingerprint == fairaudit.sample_rows(frames, {"reference": 40, "day": 100}, 3).fingerprint
    (only,) = [f for f in after.targets[0].findings if f.code == "sample_not_needed"]
    assert only.severity == "info" and only.problem == "The table kept its 80 rows: a sample of 100 was asked for."
    again, told = apply_remedies(after, [Remedy("sample", "day", rows=100), Remedy("sample", "day", rows=50)])
    assert [len(t) for t in again.tables] == [40, 50, 30] and all(t.done for t in told), "its own name may ask again"


def test_the_command_line_keeps_small_tables_whole_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("ref.csv", index=False)
    table(80, 5).to_csv("day.csv", index=False)
    words = ["audit", "--reference", "ref.csv", "--target", "day.csv", "--bins", "3", "--resamples", "0", "--json", "a.json"]
    assert main([*words, "--sample", "500"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "ref keeps its 120 rows; day keeps its 80 rows." in out
    document = json.loads(Path("a.json").read_text())
    assert "samples" not in document["provenance"] or not document["provenance"]["samples"]
    assert not {"repair_not_done", "sampled"} & {f["code"] for f in document["findings"]}
    assert main([*words, "--sample", "40", "--sample", "day=500", "--save-settings", "s.yaml"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "ref is a random sample of 40 of 120 rows (seed 0); day keeps its 80 rows." in out
    assert set(json.loads(Path("a.json").read_text())["provenance"]["samples"]) == {"ref"}
    settings = AuditSettings.from_file("s.yaml")
    assert settings.changed_tables(load_frames(settings, ".")) == ()


def test_it_stays_a_sample_whatever_is_done_to_it(frames: Frames) -> None:
    sampled = fairaudit.sample_rows(frames, 40, seed=3)
    after, _ = apply_remedies(sampled, [Remedy("ignore", column="hired"), Remedy("read_as_missing", column="sex", values=("F",))])
    assert after.samples == sampled.samples
    planted = fairaudit.inject(sampled.targets[0], {"kind": "scale", "column": "pay", "factor": 2.0, "group": {"sex": "F"}})
    assert planted.table.sample == sampled.targets[0].sample


def test_large_tables_are_pointed_out_with_a_sample_as_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "LARGE_ROWS", 100)
    checked = check_frames(table(), {"day": table(80)})
    assert [(f.table, r.action) for f, r in proposed_remedies(checked) if r.action == "sample"] == [("reference", "sample")]
    sampled = fairaudit.sample_rows(checked, 100)
    assert len(sampled.reference) == 100 and not [r for _, r in proposed_remedies(sampled) if r.action == "sample"]


def test_report_and_json_state_it(frames: Frames) -> None:
    sampled = fairaudit.sample_rows(frames, 40, seed=3)
    settings = AuditSettings(repairs=(Remedy("sample", rows=40, seed=3),)).with_frames(sampled)
    result = fairaudit.audit(sampled.reference, list(sampled.targets), resamples=0, bins=3)
    document = audit_document(result, settings=settings, frames=sampled)
    jsonschema.validate(document, result_form())
    assert document["provenance"]["samples"]["reference"] == {"rows": 40, "of": 120, "seed": 3, "not_sampled": 80}
    assert document["provenance"]["audit_settings"]["repairs"] == [{"action": "sample", "rows": 40, "seed": 3}]
    assert any(WORDS in f["problem"] for f in document["findings"])
    page = html_report(result, sampled, settings, None)
    assert WORDS in page and "Not sampled" in page and "action: sample" in page
    whole = html_report(fairaudit.audit(frames.reference, list(frames.targets), resamples=0), frames, AuditSettings(), None)
    assert "Not sampled" not in whole


def test_the_same_rows_in_python_on_the_command_line_and_from_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("ref.csv", index=False)
    table(80, 5).to_csv("day.csv", index=False)
    words = ["audit", "--reference", "ref.csv", "--target", "day.csv", "--bins", "3", "--resamples", "19", "--seed", "3"]
    assert main([*words, "--sample", "40", "--save-settings", "s.yaml", "--json", "a.json"]) == 0
    assert f"ref is {WORDS}" in capsys.readouterr().out
    read = {name: fairaudit.read_table(f"{name}.csv", name=name) for name in ("ref", "day")}
    ours = fairaudit.sample_rows(check_frames(read["ref"], {"day": read["day"]}), 40, seed=3)
    document = json.loads(Path("a.json").read_text())
    assert document["provenance"]["fingerprints"] == {t.name: t.fingerprint for t in ours.tables}
    settings = AuditSettings.from_file("s.yaml")
    loaded = load_frames(settings, ".")
    assert loaded.fingerprint == ours.fingerprint and settings.changed_tables(loaded) == () and loaded.samples == ours.samples
    assert main(["audit", "--settings", "s.yaml", "--json", "b.json"]) == 0
    again = json.loads(Path("b.json").read_text())
    assert [again[k] for k in ("attributes", "bins", "findings")] == [document[k] for k in ("attributes", "bins", "findings")]
    # a size for one table, and one for the others
    assert main([*words, "--sample", "50", "--sample", "day=20", "--json", "c.json", "--quiet"]) == 0
    rows = {n: s["rows"] for n, s in json.loads(Path("c.json").read_text())["provenance"]["samples"].items()}
    assert rows == {"ref": 50, "day": 20}


@pytest.mark.parametrize(
    "text, words", [("x", "takes a number"), ("0", "takes a number"), ("dya=5", "'dya'"), ("day=", "takes a number")]
)
def test_wrong_samples_on_the_command_line(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("ref.csv", index=False)
    table(80).to_csv("day.csv", index=False)
    assert main(["audit", "--reference", "ref.csv", "--target", "day.csv", "--sample", text]) == 2
    err = capsys.readouterr().err
    assert words in err and len(err.strip().splitlines()) == 1


def test_an_experiment_on_a_sample_says_so(tmp_path: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bias = "{kind: label, group: {sex: F}, score: final_score, threshold: 10}"
    words = ["evaluate", str(sample_data / "course_grades.csv"), "--label", "passed", "--pos-label", "yes", "--sensitive", "sex"]
    words += ["--injection", bias, "--levels", "0", "--models", "decision_tree", "--mitigations", "none", "--folds", "3"]
    assert main([*words, "--sample", "600", "--json", str(tmp_path / "e.json")]) == 0
    assert "a random sample of 600 of 2,000 rows (seed 0)" in capsys.readouterr().out
    provenance = json.loads((tmp_path / "e.json").read_text())["provenance"]
    assert provenance["sample"] == {"rows": 600, "of": 2000, "seed": 0, "not_sampled": 1400} and provenance["rows"] <= 600


def test_an_experiment_on_a_repaired_table_says_so(tmp_path: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = pd.read_csv(sample_data / "course_grades.csv")
    pd.concat([grades, grades.head(7)]).to_csv(tmp_path / "grades.csv", index=False)
    (tmp_path / "s.yaml").write_text(
        "version: 2\nrepairs: [{action: drop_repeated_rows}, {action: ignore, column: sight}, {action: sample, rows: 600}]\n"
    )
    bias = "{kind: label, group: {sex: F}, score: final_score, threshold: 10}"
    words = ["evaluate", str(tmp_path / "grades.csv"), "--label", "passed", "--pos-label", "yes", "--sensitive", "sex"]
    words += ["--injection", bias, "--levels", "0", "--models", "decision_tree", "--mitigations", "none", "--folds", "3"]
    assert main([*words, "--settings", str(tmp_path / "s.yaml"), "--json", str(tmp_path / "e.json"), "--quiet"]) == 0
    result = EvaluationResult.from_dict(json.loads((tmp_path / "e.json").read_text()))
    removed, refused = result.provenance["repairs"]
    assert removed["code"] == "repaired" and " repeated rows of grades were removed; " in removed["problem"]
    assert refused["code"] == "repair_not_done" and refused["column"] == "sight"
    assert result.repairs == (removed["problem"], f"sight: {refused['problem']}")
    page = evaluation_section(result, Limits())
    assert "Done to the table before the experiment:" in page and "repeated rows of grades were removed" in page
    assert page.index("The table of the experiment is a random sample of 600") < page.index("Done to the table")
    plain = EvaluationResult(result.values, result.levels, result.settings, 1, 1, {})
    assert plain.repairs == () and "Done to the table" not in evaluation_section(plain, Limits())
