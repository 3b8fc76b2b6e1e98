"""Repairs in settings files: the same tables again, whatever order things were done in; what cannot be done is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from fairaudit.cli import main
from fairaudit.errors import FairAuditError
from fairaudit.schema import REPAIR_CODES, Frames
from fairaudit.settings import AuditSettings, load_frames
from fairaudit.validation import check_frames, with_schema
from fairaudit.validation.remedies import Remedy, all_findings, apply_remedy, proposed_remedies
from fairaudit.validation.repairs import apply_remedies, check_and_repair


def table(seed: int, n: int = 90) -> pd.DataFrame:
    """A table with something for every kind of repair."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, 999, rng.integers(20, 60, n)),
            "income": np.where(rng.random(n) < 0.2, "unknown", rng.integers(1, 9, n).astype(str)).astype(object),
            "town": rng.choice(["Ulm", "Hof", "refused"], n).astype(object),
            "site": "A",
            "hired": rng.choice(["no", "yes"], n).astype(object),
        }
    )
    return frame.iloc[[*range(n), *range(8)]].reset_index(drop=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, seed in (("before", 1), ("after", 2)):
        table(seed).to_csv(f"{name}.csv", index=False)
    return tmp_path


FILES = {"before": "before.csv", "after": "after.csv"}


def loaded() -> Frames:
    """The two files as a session has them after upload."""
    import fairaudit

    read = {name: fairaudit.read_table(file, name=name) for name, file in FILES.items()}
    return check_frames(read["before"], {"after": read["after"]})


def saved(frames: Frames, remedies: list[Remedy]) -> AuditSettings:
    """Settings as the Report page writes them, through a file."""
    return AuditSettings.from_file(AuditSettings(repairs=tuple(remedies)).with_frames(frames, FILES).to_yaml().encode())


ALL = [
    Remedy("read_as_missing", column="age", values=("999",)),
    Remedy("read_as_missing", column="income", values=("unknown",)),
    Remedy("read_as_missing", column="town", values=("refused",)),
    Remedy("read_as_numbers", column="income"),
    Remedy("ignore", column="site"),
    Remedy("drop_repeated_rows", "before"),
    Remedy("drop_repeated_rows", "after"),
    Remedy("sample", rows=60, seed=5),
]


@examples(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(ALL), st.integers(0, len(ALL)))
def test_any_order_of_repairs_gives_the_same_tables_again(folder: Path, order: list[Remedy], n: int) -> None:
    frames, done = apply_remedies(loaded(), order[:n])
    settings = saved(frames, order[:n])
    again = load_frames(settings, folder)
    assert settings.changed_tables(again) == () and again.fingerprint == frames.fingerprint
    assert len(done) == n and settings.repairs == tuple(order[:n])
    told = [[f for f in all_findings(t) if f.code in REPAIR_CODES] for t in (frames, again)]
    assert told[0] == told[1] and bool(told[0]) == any(r.action != "ignore" for r in order[:n])


def test_proposed_repairs_and_edits_in_between(folder: Path) -> None:
    frames, done = loaded(), []
    for _ in range(20):
        proposed = [r for _, r in proposed_remedies(frames)]
        if not proposed:
            break
        frames, _ = apply_remedy(frames, proposed[0])
        done.append(proposed[0])
        # types that fit only once the codes are gone, and roles
        frames = with_schema(frames, frames.schema.with_(sensitive_features=("town",), reference_groups={"town": "Hof"}))
    frames = with_schema(frames, frames.schema.with_(types={**dict(frames.schema.types), "age": "ordinal", "income": "numeric"}))
    assert {r.action for r in done} >= {"read_as_missing", "ignore", "drop_repeated_rows"}
    assert all(r.values for r in done if r.action == "read_as_missing"), "what was found is written down, not found again"
    settings = saved(frames, done)
    assert settings.changed_tables(load_frames(settings, folder)) == ()


def test_a_binary_column_that_has_three_values_before_its_repair(folder: Path) -> None:
    frames, _ = apply_remedy(loaded(), Remedy("read_as_missing", column="town", values=("refused",)))
    frames = with_schema(
        frames, frames.schema.with_(types={**dict(frames.schema.types), "town": "binary"}, levels={"town": ["Ulm", "Hof"]})
    )
    settings = saved(frames, [Remedy("read_as_missing", column="town", values=("refused",))])
    again = load_frames(settings, folder)
    assert again.reference.type_of("town") == "binary" and settings.changed_tables(again) == ()


def test_without_repairs_the_same_file_warns(folder: Path) -> None:
    frames, _ = apply_remedy(loaded(), ALL[0])
    settings = saved(frames, [])
    assert set(settings.changed_tables(load_frames(settings, folder))) == {"before", "after"}


def test_the_command_line_replays_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames, _ = apply_remedies(loaded(), ALL)
    Path("s.yaml").write_text(saved(frames, ALL).to_yaml(), encoding="utf-8")
    assert (
        main(["audit", "--settings", "s.yaml", "--set", "qmad.resamples=0", "--json", "r.json", "--save-settings", "t.yaml"]) == 0
    )
    out, err = capsys.readouterr()
    assert err == "" and "'999' is read as missing" in out and "repeated rows of before were removed" in out
    document = json.loads(Path("r.json").read_text())
    assert document["provenance"]["fingerprints"] == {t.name: t.fingerprint for t in frames.tables}
    assert {"repaired", "sampled"} <= {f["code"] for f in document["findings"]}
    assert AuditSettings.from_file("t.yaml").repairs == tuple(ALL)


def test_files_of_version_1_are_read_as_before(folder: Path) -> None:
    old = b"version: 1\ntables:\n  reference: {name: before, file: before.csv}\n  targets: [{name: after, file: after.csv}]\n"
    settings = AuditSettings.from_file(old)
    assert settings.repairs == () and settings.to_dict()["version"] == 2
    assert load_frames(settings, folder).fingerprint == loaded().fingerprint


def test_codes_may_be_written_as_numbers() -> None:
    settings = AuditSettings.from_file(b"version: 2\nrepairs: [{action: read_as_missing, column: age, values: [999, '-9', 1.0]}]")
    assert settings.repairs == (Remedy("read_as_missing", column="age", values=("999", "-9", "1")),)


def test_what_cannot_be_done_is_told_and_the_rest_is_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [
        Remedy("ignore", column="sight"),
        Remedy("drop_repeated_rows", "night"),
        Remedy("read_as_missing", column="age", values=("77",)),
    ]
    found = check_and_repair(table(1), {"after": table(2)}, None, [*wrong, ALL[0]])
    assert [t.done for t in found.told] == [False, False, False, True]
    assert [t.sentence.startswith("Not done: ") for t in found.told] == [True, True, True, False]
    told = [f for f in all_findings(found.frames) if f.code == "repair_not_done"]
    assert len(told) == 3 and {f.severity for f in told} == {"warning"} and {f.table for f in told} == {"reference"}
    assert found.frames.reference.data["age"].isna().any()
    Path("s.yaml").write_text(saved(loaded(), wrong).to_yaml(), encoding="utf-8")
    assert main(["audit", "--settings", "s.yaml", "--set", "qmad.resamples=0", "--quiet"]) == 0
    err = capsys.readouterr().err
    assert err.count("Not done") == 3 and "'site'" in err, "the nearest names are in the message"


def test_a_schema_without_types_is_judged_before_rows_go() -> None:
    values = pd.DataFrame({"x": ["1"] * 199 + ["2"], "y": np.arange(200.0)})
    found = check_and_repair(values, {"t": values}, {"ignored": ["y"]}, [Remedy("sample", rows=20)])
    assert found.frames.reference.type_of("x") == "binary" and found.frames.schema.ignored == ("y",)


def test_a_schema_that_does_not_fit_afterwards_is_an_error() -> None:
    with pytest.raises(FairAuditError, match="refused"):
        check_and_repair(table(1), table(2), {"sensitive_features": ["town"], "reference_groups": {"town": "refused"}}, [ALL[2]])


def test_planting_says_that_repairs_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bias = "{kind: scale, group: {hired: 'yes'}, column: age, factor: 2}"
    Path("s.yaml").write_text("version: 2\nrepairs: [{action: ignore, column: site}]\n")
    assert main(["inject", "before.csv", "--settings", "s.yaml", "--injection", bias, "--out", "x.csv"]) == 0
    assert "repairs of the settings are not applied" in capsys.readouterr().err
