"""Remedies: new frames, a sentence, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.schema import Frames
from fairaudit.validation import check_frames
from fairaudit.validation.remedies import Remedy, all_findings, apply_remedy, proposed_remedies

RNG = np.random.default_rng(3)


def table(n: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": np.where(np.arange(n) % 6 == 0, 999.0, RNG.uniform(20, 60, n)),
            "income": np.where(np.arange(n) % 5 == 0, "unknown", np.round(RNG.uniform(1, 9, n), 2).astype(str)).astype(object),
            "town": np.where(np.arange(n) % 5 == 0, "refused", np.where(np.arange(n) % 2 == 0, "Ulm", "Hof")).astype(object),
            "site": "A",
            "key": [f"c{i:05d}" for i in range(n)],
            "hired": np.where(RNG.random(n) < 0.5, "yes", "no").astype(object),
        }
    )


@pytest.fixture
def frames() -> Frames:
    return check_frames(
        table(), {"day": table()}, {"label": "hired", "sensitive_features": ["town"], "reference_groups": {"town": "refused"}}
    )


def codes(frames: Frames, column: str) -> set[str]:
    return {f.code for f in all_findings(frames) if f.column == column}


def test_every_remedy_is_proposed_once_and_makes_its_finding_go_away(frames: Frames) -> None:
    proposed = proposed_remedies(frames)
    remedies = [r for _, r in proposed]
    assert len(set(remedies)) == len(remedies)
    assert {(r.action, r.column) for r in remedies} >= {
        ("ignore", "site"),
        ("ignore", "key"),
        ("read_as_missing", "age"),
        ("read_as_numbers", "income"),
        ("read_as_missing", "town"),
    }
    fingerprint = frames.fingerprint
    for finding, remedy in proposed:
        after, said = apply_remedy(frames, remedy)
        assert remedy.column in said and said.endswith(".")
        assert remedy.column in remedy.label
        assert frames.fingerprint == fingerprint != after.fingerprint
        if remedy.action.startswith("read_as"):
            assert finding.code not in codes(after, remedy.column)
        assert remedy not in [r for _, r in proposed_remedies(after)]


def test_an_ignored_column_is_not_compared(frames: Frames) -> None:
    after, _ = apply_remedy(frames, Remedy("ignore", column="town"))
    assert after.schema.sensitive_features == () and after.schema.reference_groups == ()
    result = fairaudit.audit(after.reference, list(after.targets), resamples=0)
    assert "town" not in set(result.attributes()["attribute"])


def test_codes_become_missing_in_all_tables_and_are_counted(frames: Frames) -> None:
    after, said = apply_remedy(frames, Remedy("read_as_missing", column="age"))
    assert said == "In age, '999' is read as missing (reference: 10, day: 10)."
    for before, now in zip(frames.tables, after.tables, strict=True):
        values = before.data["age"]
        np.testing.assert_array_equal(now.data["age"], values.mask(values == 999))
        pd.testing.assert_frame_equal(now.data.drop(columns="age"), before.data.drop(columns="age"))
    row = fairaudit.audit(after.reference, list(after.targets), resamples=0).attributes().set_index("attribute").loc["age"]
    assert (row["n_target"], row["left_out_target"]) == (50, 10)


def test_numbers_come_back_when_the_word_among_them_counts_as_missing(frames: Frames) -> None:
    assert frames.reference.type_of("income") != "numeric"
    after, said = apply_remedy(frames, Remedy("read_as_numbers", column="income"))
    assert after.reference.type_of("income") == "numeric"
    assert after.reference.data["income"].notna().sum() == 48
    assert "(reference: 12, day: 12)" in said


def test_codes_among_categories_that_are_numbers_otherwise() -> None:
    values = [*np.round(np.linspace(1, 9, 11), 1), "unknown"] * 6
    frames = check_frames(pd.DataFrame({"x": values}), pd.DataFrame({"x": values}))
    assert frames.reference.type_of("x") == "nominal"
    after, _ = apply_remedy(frames, Remedy("read_as_missing", column="x"))
    assert after.reference.type_of("x") == "numeric"
    assert after.reference.data["x"].notna().sum() == 66


def test_codes_among_levels_are_read_as_missing() -> None:
    same = pd.DataFrame({"children": [*([0, 1, 2, 3] * 10), 98, 99, 99], "y": np.arange(43) * 1.5})
    frames = check_frames(same, same.iloc[::-1])
    ((_, remedy),) = [p for p in proposed_remedies(frames) if p[1].action == "read_as_missing"]
    assert remedy == Remedy("read_as_missing", column="children", values=("98", "99"))
    after, said = apply_remedy(frames, remedy)
    assert said == "In children, '98', '99' is read as missing (reference: 3, target: 3)."
    assert after.reference.type_of("children") == "ordinal"
    assert list(after.reference.data["children"].cat.categories) == ["0", "1", "2", "3"]


def test_a_reference_group_that_is_read_as_missing_is_no_reference_group_any_more(frames: Frames) -> None:
    after, _ = apply_remedy(frames, Remedy("read_as_missing", column="town"))
    assert after.schema.reference_groups == ()
    assert list(after.reference.data["town"].cat.categories) == ["Hof", "Ulm"]


def test_repeated_rows_are_removed_from_one_table() -> None:
    same = pd.DataFrame({"x": [1.5, 2.5, 1.5, 1.5, np.nan, np.nan], "y": list("aabaaa")})
    frames = check_frames(same, {"day": same})
    (_, remedy), *_ = [p for p in proposed_remedies(frames) if p[1] == Remedy("drop_repeated_rows", "day")]
    after, said = apply_remedy(frames, remedy)
    assert said == "2 repeated rows of day were removed; 4 are left."
    assert (len(after.reference), len(after.targets[0])) == (6, 4)


@pytest.mark.parametrize(
    ("remedy", "words"),
    [
        (Remedy("ignore", column="hired"), "is the label"),
        (Remedy("read_as_missing", column="hired"), "has no value"),
        (Remedy("drop_repeated_rows", table="day"), "no repeated rows"),
        (Remedy("drop_repeated_rows", table="night"), "no table named 'night'"),
        (Remedy("ignore", column="agee"), "not a column"),
        (Remedy("read_as_missing", column="age", values=("77",)), "No cell of age"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(frames: Frames, remedy: Remedy, words: str) -> None:
    with pytest.raises(FairAuditError, match=words):
        apply_remedy(frames, remedy)


def test_a_favourable_outcome_is_not_read_as_missing() -> None:
    same = pd.DataFrame({"hired": ["none", "unknown", "yes"] * 20, "x": np.arange(60) / 7})
    frames = check_frames(same, same, {"label": "hired", "pos_label": "unknown"})
    with pytest.raises(SettingsError, match="favourable outcome"):
        apply_remedy(frames, Remedy("read_as_missing", column="hired"))
