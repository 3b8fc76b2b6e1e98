"""Count tables: by hand, against row loops, and fast."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairaudit.baselines import count_table, outcome_codes, outcome_counts
from fairaudit.errors import SettingsError, UnknownNameError


def test_by_hand() -> None:
    table = count_table(["m", "m", "f", "f", None], y_true=[1, 0, 1, np.nan, 1], y_pred=[1, 1, 0, 1, 1])
    assert table.names == (("f", "m"),)
    assert table["f"].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert table["m"].tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert table.sizes.tolist() == [2, 2]


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 1), st.integers(0, 2), st.integers(0, 2)), max_size=40))
def test_equals_a_loop_over_rows(rows: list[tuple[int, int, int, int]]) -> None:
    first, second, label, decision = (
        (np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)) if rows else [np.empty(0, int)] * 4
    )
    table = count_table((first, second), label.astype(np.uint8), decision.astype(np.uint8), names=[("a", "b", "c"), ("x", "y")])
    expected = np.zeros((3, 2, 3, 3), dtype=int)
    for g, h, i, j in rows:
        if g >= 0 and h >= 0:
            expected[g, h, i, j] += 1
    assert np.array_equal(table.counts, expected)
    assert np.array_equal(table.marginal(0).counts, expected.sum(axis=1))
    assert np.array_equal(table.flat()["b & y"], expected[1, 1])
    assert np.array_equal(table["b", "y"], expected[1, 1])


def test_outcomes_of_every_kind() -> None:
    for values in (
        [True, False],
        np.array([1.0, 0.0]),
        pd.Series([1, 0], dtype="Int64"),
        pd.array([True, False], dtype="boolean"),
    ):
        assert outcome_codes(values).tolist() == [1, 0]
    assert outcome_codes(pd.array([True, None], dtype="boolean")).tolist() == [1, 2]
    assert outcome_codes([]).tolist() == []


@pytest.mark.parametrize("values", [[0, 2], [0.5], ["yes", "no"], [np.inf], np.array([3], dtype=np.uint8)])
def test_other_outcomes_are_refused(values: object) -> None:
    with pytest.raises(SettingsError, match="must hold 1 for favourable"):
        outcome_codes(values)


def test_unknown_group_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'women'"):
        count_table(["women", "men"], y_pred=[1, 0])["woman"]


def test_categories_keep_their_order_and_empty_ones() -> None:
    groups = pd.Categorical(["x", "z"], categories=["z", "y", "x"])
    assert count_table(groups, y_pred=[1, 0]).sizes.tolist() == [1, 0, 1]


def test_of_no_rows() -> None:
    assert outcome_counts().sum() == 0
    assert outcome_counts(y_pred=[]).tolist() == [[0, 0, 0]] * 3


def test_a_million_rows_by_two_attributes() -> None:
    rng = np.random.default_rng(0)
    n = 1_000_000
    sex, race = rng.integers(0, 2, n).astype(np.int8), rng.integers(0, 5, n).astype(np.int8)
    label, decision = rng.integers(0, 2, n).astype(np.uint8), rng.random(n) < 0.3
    table = count_table((sex, race), label, decision, names=[("f", "m"), tuple("abcde")])
    assert table.counts.sum() == n
