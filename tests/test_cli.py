"""The command line: exit codes, sentences instead of tracebacks, files that can be made again."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairaudit
from fairaudit.cli import main
from fairaudit.cli.choices import named_file
from fairaudit.cli.terminal import columns, one_line
from fairaudit.settings import AuditSettings, load_frames

ROOT = Path(__file__).resolve().parent.parent
FORM = json.loads((ROOT / "fairaudit" / "data" / "schemas" / "result.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a reference, an equal and a different target, in which commands run."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    base = {"sex": rng.choice(["F", "M"], 120), "pay": rng.normal(20, 3, 120).round(2), "hired": rng.choice(["no", "yes"], 120)}
    reference = pd.DataFrame(base)
    reference.to_csv("reference.csv", index=False)
    reference.iloc[::-1].to_csv("same.csv", index=False)
    reference.assign(pay=reference["pay"] + 9).to_csv("other.csv", index=False)
    reference.assign(pay=reference["pay"] + 9).to_parquet("other.parquet")
    reference.to_excel("reference.xlsx", index=False)
    Path("decimal.csv").write_text(reference.assign(pay=reference["pay"] / 4).to_csv(sep=";", decimal=",", index=False))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(words)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


BASE = ("audit", "--reference", "reference.csv", "--bins", "4", "--resamples", "199")


def command(*words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | more.pop("env", {})
    return subprocess.run([sys.executable, "-m", "fairaudit", *words], env=environment, timeout=120, check=False, **more)


def test_codes_of_a_gate(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, expected in (
        (("--target", "other.csv"), 0),
        (("--target", "other.csv", "--fail-on-disparity"), 1),
        (("--target", "same.csv", "--fail-on-disparity"), 0),
        (("--target", "same.csv", "--attributes", "payy"), 2),
    ):
        assert run(capsys, *BASE, *words)[0] == expected, words


def test_nothing_measurable_has_a_code_of_its_own(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = pd.read_csv("reference.csv").assign(pay=[None] * 120)
    empty.to_csv("empty.csv", index=False)
    code, _, err = run(capsys, *BASE, "--target", "empty.csv", "--attributes", "pay", "--fail-on-disparity")
    assert code == 3
    assert "Nothing could be measured" in err


@pytest.mark.parametrize("day, expected", [("hiring_day1", 0), ("hiring_day2_biased", 1)])
def test_the_hiring_days(day: str, expected: int, sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--reference", str(sample_data / "hiring_reference.csv"), "--target", str(sample_data / f"{day}.csv"))
    assert run(capsys, "audit", *words)[0] == 0
    assert run(capsys, "audit", *words, "--fail-on-disparity", "--quiet")[:2] == (expected, "")


def test_one_table_is_enough_for_the_groups_inside_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("audit", "--reference", "reference.csv", "--contrast", "group_vs_reference_group", "--sensitive", "sex")
    code, out, _ = run(capsys, *words, "--html", "report.html", "--save-settings", "saved.yaml")
    assert code == 0 and ("sex=F" in out or "sex=M" in out)
    assert "no target." in Path("report.html").read_text(encoding="utf-8")
    assert run(capsys, "audit", "--settings", "saved.yaml")[:2] == (0, out)


WRONG: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "no reference": (("audit", "--target", "same.csv"), ("no reference table",)),
    "no target": (("audit", "--reference", "reference.csv"), ("no target table",)),
    "no file": ((*BASE, "--target", "none.csv"), ("none.csv", "no such file")),
    "a folder": ((*BASE, "--target", "."), ("cannot be opened",)),
    "unknown option": ((*BASE, "--target", "same.csv", "--comparision", "ks"), ("--comparision", "Did you mean --comparison")),
    "unknown command": (("adit",), ("adit",)),
    "no command": ((), ("COMMAND",)),
    "unknown comparison": ((*BASE, "--target", "same.csv", "--comparison", "kss"), ("qmad.comparison", "'ks'")),
    "unknown pair": ((*BASE, "--target", "same.csv", "--pair", "ks"), ("qmad.pair", "ks-harmonic")),
    "bins": (("audit", "--reference", "reference.csv", "--target", "same.csv", "--bins", "ten"), ("--bins", "ten")),
    "alpha": ((*BASE, "--target", "same.csv", "--alpha", "nan"), ("qmad", "alpha")),
    "contrast": ((*BASE, "--target", "same.csv", "--contrast", "groups"), ("contrast.kind", "within_group")),
    "sensitive": ((*BASE, "--target", "same.csv", "--contrast", "within_group", "--sensitive", "sx"), ("'sx'", "'sex'")),
    "missing label": ((*BASE, "--target", "same.csv", "--label", "hird"), ("'hird'", "'hired'")),
    "metric": ((*BASE, "--target", "same.csv", "--baselines", "disparate"), ("baselines.metrics[0]", "disparate_impact")),
    "set": ((*BASE, "--target", "same.csv", "--set", "qmad.bin=3"), ("qmad.bin", "qmad.bins")),
    "set without a value": ((*BASE, "--target", "same.csv", "--set", "qmad"), ("--set", "equals sign")),
    "set too deep": ((*BASE, "--target", "same.csv", "--set", "qmad.bins.x=1"), ("--set qmad.bins.x",)),
    "output folder": ((*BASE, "--target", "same.csv", "--json", "no/where.json"), ("no folder",)),
    "two standard inputs": (("audit", "--reference", "-", "--target", "-"), ("standard input",)),
    "two standard outputs": ((*BASE, "--target", "same.csv", "--json", "-", "--html", "-"), ("standard output",)),
    "no settings": (("audit", "--settings", "none.yaml"), ("none.yaml", "cannot be opened")),
    "picture": ((*BASE, "--target", "picture.csv"), ("picture",)),
    "inject nothing": (("inject", "reference.csv", "--out", "x.csv"), ("No bias is named",)),
    "inject unknown": (("inject", "reference.csv", "--injection", "{kind: labels}", "--out", "x.csv"), ("injections[0].kind",)),
    "inject ending": (("inject", "reference.csv", "--preset", "hiring_day2", "--out", "x.doc"), (".parquet",)),
    "inject preset": (("inject", "reference.csv", "--preset", "hirng_day2", "--out", "x.csv"), ("hiring_day2",)),
    "evaluate nothing": (("evaluate", "reference.csv"), ("No bias is named",)),
    "evaluate resume": (
        (
            "evaluate",
            "reference.csv",
            "--resume",
            "reference.csv",
            "--injection",
            "{kind: label, group: {sex: F}, score: pay, threshold: 5}",
        ),
        ("not the JSON",),
    ),
    "reproduce": (("reproduce", "--table", "1"), ("1",)),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_a_sentence_and_code_2(case: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    words, expected = WRONG[case]
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    for part in expected:
        assert part in err, err
    assert len(err.strip().splitlines()) == 1


@examples(max_examples=60)
@given(
    st.lists(
        st.text(min_size=1, max_size=8) | st.sampled_from(["audit", "schema", "--reference", "--set", "-q", "--json"]), max_size=5
    )
)
def test_any_words_end_with_a_code(words: list[str]) -> None:
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3,4\n"))
    try:
        assert main([w for w in words if w not in ("app", "--out")]) in (0, 2, 3)
    finally:
        sys.stdin = stdin


def test_json_is_that_of_python_and_fits_its_form(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *BASE, "--target", "day=other.csv", "--baselines", "--json", "-")
    document = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert code == 0
    jsonschema.validate(document, FORM)
    read = {name: fairaudit.read_table(f"{name}.csv") for name in ("reference", "other")}
    result = fairaudit.audit(read["reference"].data, {"day": read["other"].data}, bins=4, resamples=199)
    expected = json.loads(json.dumps(result.to_dict()))
    for part in ("bins", "attributes", "overall"):
        assert [_unnamed(r) for r in document[part]] == [_unnamed(r) for r in expected[part]]
    assert document["provenance"]["settings"] == expected["provenance"]["settings"]
    assert document["baselines"]


def _unnamed(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the name of the reference, which Python does not know."""
    return {k: v for k, v in record.items() if k != "reference_side"}


def test_saved_settings_give_the_same_json_apart_from_the_date(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choices = ("--target", "a=other.csv", "--target", "b=decimal.csv", "--contrast", "within_group", "--seed", "7", "--baselines")
    Path("deep").mkdir()
    first = (*BASE, *choices, "--json", "one.json", "--save-settings", "deep/settings.yaml")
    assert run(capsys, *first, "--quiet")[0] == 0
    settings = AuditSettings.from_file("deep/settings.yaml")
    assert settings.qmad.bins == 4 and settings.qmad.seed == 7 and settings.schema is not None
    texts = []
    for name in ("two.json", "three.json"):
        assert run(capsys, "audit", "--settings", "deep/settings.yaml", "--json", name)[0] == 0
        texts.append(re.sub(r'"created": "[^"]*"', "", Path(name).read_text()))
    assert texts[0] == texts[1]
    one, two = (json.loads(Path(name).read_text()) for name in ("one.json", "two.json"))
    for part in ("bins", "attributes", "overall", "baselines", "groups", "findings"):
        assert one[part] == two[part]
    assert settings.changed_tables(load_frames(settings, "deep")) == ()


def test_another_table_under_the_same_name_is_pointed_out(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *BASE, "--target", "other.csv", "--save-settings", "s.yaml")[0] == 0
    Path("other.csv").write_text(Path("same.csv").read_text())
    code, _, err = run(capsys, "audit", "--settings", "s.yaml")
    assert code == 0
    assert "other: not the table" in err


def test_options_win_over_the_settings_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.yaml").write_text(
        "version: 1\nqmad: {pair: ad-harmonic, bins: 3, resamples: 0}\ntables: {reference: {name: r, file: reference.csv}}"
    )
    words = ("audit", "--settings", "s.yaml", "--target", "other.csv", "--json", "-")
    plain = json.loads(run(capsys, *words)[1])["provenance"]["settings"]
    assert (plain["comparison"], plain["bins"]) == ("ad", 3)
    plain = json.loads(run(capsys, *words, "--pair", "rom-arithmetic", "--set", "qmad.weights.pay=2.5")[1])["provenance"][
        "settings"
    ]
    assert (plain["comparison"], plain["aggregation"], plain["bins"], plain["weights"]) == ("rom", "arithmetic", 3, {"pay": 2.5})
    plain = json.loads(run(capsys, *words, "--comparison", "ks")[1])["provenance"]["settings"]
    assert (plain["comparison"], plain["aggregation"]) == ("ks", "harmonic")


def test_parquet_excel_decimal_commas_and_standard_input(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    csv = json.loads(run(capsys, *BASE, "--target", "t=other.csv", "--json", "-")[1])["attributes"]
    packed = (
        "audit",
        "--reference",
        "reference=reference.xlsx",
        "--bins",
        "4",
        "--resamples",
        "199",
        "--target",
        "t=other.parquet",
    )
    assert json.loads(run(capsys, *packed, "--json", "-")[1])["attributes"] == csv
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("other.csv").read_bytes())))
    assert json.loads(run(capsys, *BASE, "--target", "t=-", "--json", "-")[1])["attributes"] == csv
    decimal = json.loads(run(capsys, *BASE, "--target", "decimal.csv", "--attributes", "pay", "--json", "-")[1])
    assert decimal["attributes"][0]["mean_target"] == pytest.approx(pd.read_csv("reference.csv")["pay"].mean() / 4)


def test_tables_as_csv(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *BASE, "--target", "other.csv", "--csv", "one.csv", "--baselines", "statistical_parity_difference")
    assert list(pd.read_csv("one.csv")["attribute"])
    run(capsys, *BASE, "--target", "other.csv", "--csv", "all", "--baselines", "statistical_parity_difference")
    assert {p.name for p in Path("all").iterdir()} == {
        f"{n}.csv" for n in ("attributes", "bins", "overall", "findings", "baselines", "groups")
    }


def test_report_from_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = run(capsys, *BASE, "--target", "other.csv", "--html", "r.html", "--auditor", "Ann <b>", "--quiet")
    page = Path("r.html").read_text(encoding="utf-8")
    assert code == 0
    assert "Ann &lt;b&gt;" in page and "Classical metrics" in page


def test_a_proposed_schema_can_be_used(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "schema", "reference.csv", "--out", "schema.yaml")[0] == 0
    proposed = yaml.safe_load(Path("schema.yaml").read_text())
    assert proposed["sensitive_features"] == ["sex"] and proposed["types"]["pay"] == "numeric"
    words = (*BASE, "--target", "other.csv", "--json", "-")
    with_schema = json.loads(run(capsys, *words, "--schema", "schema.yaml")[1])
    assert with_schema["attributes"] == json.loads(run(capsys, *words)[1])["attributes"]
    assert run(capsys, "schema", "reference.csv", "--label", "hired")[1].startswith("#")


def test_planting_a_bias_and_doing_it_again(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bias = "{kind: scale, group: {sex: F}, column: pay, factor: 1.5, strength: 0.5}"
    words = ("inject", "reference.csv", "--injection", bias, "--seed", "3")
    code, out, _ = run(capsys, *words, "--out", "b.csv", "--changed", "c.csv", "--description", "d.json")
    assert code == 0 and "Seed 3" in out
    expected = fairaudit.inject(
        fairaudit.read_table("reference.csv").data,
        [{"kind": "scale", "group": {"sex": "F"}, "column": "pay", "factor": 1.5, "strength": 0.5}],
        seed=3,
    )
    pd.testing.assert_frame_equal(pd.read_csv("b.csv"), expected.table, check_dtype=False)
    assert pd.read_csv("c.csv")["changed"].sum() == expected.changed.sum() > 0
    for ending in ("parquet", "xlsx"):
        assert run(capsys, "inject", "reference.csv", "--replay", "d.json", "--out", f"again.{ending}")[0] == 0
    pd.testing.assert_frame_equal(pd.read_parquet("again.parquet"), pd.read_csv("b.csv"), check_dtype=False)
    assert run(capsys, "inject", "other.csv", "--replay", "d.json", "--out", "x.csv")[0] == 2


def test_an_experiment(sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bias = "{kind: label, group: {sex: F}, score: final_score, threshold: 10}"
    words = ["evaluate", str(sample_data / "course_grades.csv"), "--label", "passed", "--pos-label", "yes", "--sensitive", "sex"]
    words += ["--injection", bias, "--levels", "0", "0.6", "--models", "decision_tree", "--mitigations", "none", "--folds", "3"]
    code, out, _ = run(capsys, *words, "--json", str(tmp_path / "e.json"), "--csv", str(tmp_path / "e.csv"))
    assert code == 0 and "Biased - fair" in out
    saved = json.loads((tmp_path / "e.json").read_text())
    assert len(pd.read_csv(tmp_path / "e.csv")) == len(saved["values"]) > 0
    code, out, _ = run(capsys, *words, "--resume", str(tmp_path / "e.json"), "--json", "-")
    assert json.loads(out)["values"] == saved["values"]


def test_a_table_of_the_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "reproduce", "--table", "5", "--seeds", "1", "--csv", str(tmp_path / "t.csv"))
    assert code == 0
    assert "published cells agree" in out
    assert {"published", "median"} <= set(pd.read_csv(tmp_path / "t.csv"))


def test_help_has_an_example_for_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for name in ("audit", "inject", "evaluate", "reproduce", "app", "schema"):
        assert name in out
        assert f"example:\n  fairaudit {name}" in run(capsys, name, "--help")[1]
    assert run(capsys, "--version")[1].startswith("fairaudit ")


def test_names_of_tables(files: Path) -> None:
    assert named_file("day 1=x.csv") == ("day 1", "x.csv")
    assert named_file("a/b=c.csv") == ("b=c", "a/b=c.csv")
    Path("odd=name.csv").write_text("a\n1\n")
    assert named_file("odd=name.csv") == ("odd=name", "odd=name.csv")
    assert named_file("-") == ("stdin", "-")


def test_two_targets_of_one_name_are_numbered(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d").mkdir()
    Path("d/other.csv").write_text(Path("other.csv").read_text())
    out = run(capsys, *BASE, "--target", "other.csv", "--target", "d/other.csv", "--json", "-")[1]
    assert {r["frame"] for r in json.loads(out)["overall"]} == {"other", "other (2)"}


def test_names_do_not_steer_the_terminal(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "pay\x1b[2J\u202e\x07"
    assert one_line(f"{evil}\nx") == "pay [2J x"
    assert "\x1b" not in columns([evil], [[evil]])
    for name in ("reference", "other"):
        pd.read_csv(f"{name}.csv").rename(columns={"pay": evil}).to_csv(f"{name}.csv", index=False)
    code, out, err = run(capsys, *BASE, "--target", "other.csv")
    assert code == 0
    assert not set(out + err) & {"\x1b", "\u202e", "\x07"}


def test_quiet_on_stderr_where_no_person_watches(files: Path) -> None:
    done = command(*BASE, "--target", "other.csv", "--json", "-", cwd=files, capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.startswith(b"{")


def test_a_terminal_without_the_letters_gets_question_marks(files: Path) -> None:
    done = command(
        *BASE, "--target", "other.csv", cwd=files, capture_output=True, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    )
    assert done.returncode == 0
    assert b"? Disparity" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_full_disk_is_a_sentence(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, *BASE, "--target", "other.csv", "--json", "/dev/full")
    assert code == 2 and "No space left" in err
    with open("/dev/full", "wb") as full:
        done = command(*BASE, "--target", "other.csv", cwd=files, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr


def test_a_closed_pipe_keeps_the_verdict(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = command(*BASE, "--target", "other.csv", "--fail-on-disparity", cwd=files, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_file_is_a_sentence(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.csv").chmod(0)
    code, _, err = run(capsys, *BASE, "--target", "other.csv")
    assert code == 2 and "Permission denied" in err


def test_the_dashboard_opens_from_any_folder(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "fairaudit", "app", "--port", str(port), "--no-browser"]
    log = tmp_path / "log"
    with log.open("wb") as stream:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
                    assert answer.status == 200
                    break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    text = log.read_text()
    assert "127.0.0.1" in text and "0.0.0.0" not in text and "External URL" not in text
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)
