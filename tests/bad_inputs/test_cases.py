"""Every kind of trouble by Python and by the command line: the same answer, in words, with the documented exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import fairaudit
from fairaudit.cli import main
from fairaudit.errors import FairAuditError
from fairaudit.results import AuditResult
from tests.bad_inputs.cases import CASES, Case


def ask_python(case: Case) -> tuple[AuditResult | None, str]:
    """The result, or None, and everything that was said."""
    try:
        reference = fairaudit.read_table(case.reference, name="reference", options=case.reading)
        target = fairaudit.read_table(case.target, name="target", options=case.reading)
        frames = fairaudit.check_frames(reference, {"target": target}, case.choices.get("schema"))
        choices = {k: v for k, v in case.choices.items() if k != "schema"}
        result = fairaudit.audit(frames.reference, list(frames.targets), **{"bins": 4, "resamples": 199, **choices})
    except FairAuditError as error:
        assert error.problem and error.remedy
        return None, str(error)
    said = [t.decision.sentence for t in (reference, target)]
    said += [f"{f.problem} {f.remedy}" for t in frames.tables for f in t.findings] + [f.problem for f in frames.findings]
    rows = result.attributes()
    said += [*rows["note"], *rows["group"], *rows["attribute"], *result.overall()["note"]]
    return result, "\n".join(said)


def check_verdicts(rows: pd.DataFrame, case: Case) -> None:
    """Verdicts as expected, and never a number where there is no value."""
    for attribute, expected in case.verdicts.items():
        mine = rows[rows["attribute"] == attribute]
        if expected == "absent":
            assert mine.empty, attribute
        elif expected == "measured":
            assert len(mine) and mine["score"].notna().all(), (attribute, mine["note"].tolist())
        else:
            assert set(mine["verdict"]) == {expected}, (attribute, mine[["verdict", "note"]].to_dict("list"))
    lost = rows[rows["verdict"] == "not_measurable"]
    assert lost["score"].isna().all() and (lost["note"] != "").all()


@pytest.mark.parametrize("name", CASES)
def test_python(name: str) -> None:
    case = CASES[name]
    result, said = ask_python(case)
    assert (result is None) == (case.code == 2), said
    for words in case.says:
        assert words in said, said
    if result is not None:
        rows = result.attributes()
        check_verdicts(rows, case)
        assert (set(rows["verdict"]) == {"not_measurable"}) == (case.code == 3)


@pytest.mark.parametrize("name", CASES)
def test_command_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("reference.csv").write_bytes(case.reference)
    Path("target.csv").write_bytes(case.target)
    words = ["audit", "--reference", "reference.csv", "--target", "target.csv", "--resamples", "199", "--json", "out.json"]
    words += [] if "--bins" in case.options else ["--bins", "4"]
    code = main([*words, *case.options])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert code == case.code, err
    said = out + err
    if code == 2:
        assert len(err.strip().splitlines()) == 1 and out == "" and not Path("out.json").exists()
    else:
        document = json.loads(Path("out.json").read_text("utf-8"))
        rows = pd.DataFrame(document["attributes"])
        check_verdicts(rows, case)
        said += "\n".join([*rows["note"], *rows["group"], *(f["problem"] for f in document["findings"])])
    for words_ in case.says:
        assert words_ in said, said
