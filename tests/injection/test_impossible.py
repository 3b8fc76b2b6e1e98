"""Requests that cannot be met are sentences that name the problem and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.errors import ColumnNotFoundError, FairAuditError, SettingsError, UnknownNameError
from fairaudit.injection import Injection, inject, replay
from tests.injection.cases import mixed_table

F = {"sex": "F"}
REFUSED: list[tuple[dict[str, Any], type[FairAuditError], str]] = [
    ({"kind": "scael", "column": "income"}, UnknownNameError, "Did you mean 'scale'"),
    ({"strength": 0.5}, SettingsError, "names no kind"),
    ({"kind": "scale"}, SettingsError, "needs the parameter 'column'"),
    ({"kind": "scale", "column": "income", "faktor": 2}, UnknownNameError, "Did you mean 'factor'"),
    ({"kind": "scale", "column": "incme"}, ColumnNotFoundError, "Did you mean 'income'"),
    ({"kind": "scale", "column": "sex"}, SettingsError, "holds no numbers"),
    ({"kind": "scale", "column": "city"}, SettingsError, "holds no numbers"),
    ({"kind": "shift", "column": "member"}, SettingsError, "holds no numbers"),
    ({"kind": "noise", "column": "income", "amount": -1}, SettingsError, "at least 0"),
    ({"kind": "scale", "column": "income", "factor": float("nan")}, SettingsError, "finite"),
    ({"kind": "scale", "column": "income", "factor": "much"}, SettingsError, "must be a number"),
    ({"kind": "shift", "column": "income", "unit": "sigma"}, UnknownNameError, "Choices: value, sd"),
    ({"kind": "scale", "column": "income", "strength": 1.2}, SettingsError, "between 0 and 1"),
    ({"kind": "scale", "column": "income", "strength": -0.1}, SettingsError, "between 0 and 1"),
    ({"kind": "scale", "column": "income", "strength": float("nan")}, SettingsError, "finite"),
    ({"kind": "scale", "column": "income", "strength": "half"}, SettingsError, "must be a number"),
    ({"kind": "scale", "column": "income", "strength": None}, SettingsError, "must be a number"),
    ({"kind": "scale", "column": "income", "seed": -1}, SettingsError, "whole number"),
    ({"kind": "scale", "column": "income", "seed": "x"}, SettingsError, "whole number"),
    ({"kind": "scale", "column": "income", "seed": float("inf")}, SettingsError, "whole number"),
    ({"kind": "set_value", "column": "city", "value": "a"}, UnknownNameError, "allow_new"),
    ({"kind": "set_value", "column": "age", "value": "old"}, SettingsError, "holds numbers"),
    ({"kind": "set_value", "column": "age", "value": float("inf")}, SettingsError, "finite"),
    ({"kind": "set_value", "column": "city", "value": ["A", "B"]}, SettingsError, "One value"),
    ({"kind": "set_value", "column": "city"}, SettingsError, "needs the parameter 'value'"),
    ({"kind": "set_value", "column": "city", "value": "A", "allow_new": "yes"}, SettingsError, "true or false"),
    ({"kind": "resample_categories", "column": "city", "distribution": {"A": 0.5}}, SettingsError, "sum to 0.5, not to 1"),
    ({"kind": "resample_categories", "column": "city", "distribution": {"A": 1.5, "B": -0.5}}, SettingsError, "between 0 and 1"),
    ({"kind": "resample_categories", "column": "city", "distribution": {"A": 0.5, "D": 0.5}}, UnknownNameError, "named 'D'"),
    ({"kind": "resample_categories", "column": "city", "distribution": "A"}, SettingsError, "must map categories"),
    ({"kind": "resample_categories", "column": "city", "distribution": {}}, SettingsError, "must map categories"),
    ({"kind": "random_selection", "group": {"sex": "W"}}, UnknownNameError, "Choices"),
    ({"kind": "random_selection", "group": {"gender": "F"}}, ColumnNotFoundError, "group column 'gender'"),
    ({"kind": "random_selection", "group": {"sex": None}}, SettingsError, "no missing values"),
    ({"kind": "random_selection", "group": {"sex": []}}, SettingsError, "no value"),
    ({"kind": "random_selection", "group": {"age": {"min": 200}}}, FairAuditError, "No row belongs"),
    ({"kind": "random_selection", "group": {"age": {"min": 60, "max": 30}}}, SettingsError, "Swap"),
    ({"kind": "random_selection", "group": {"age": {"above": 60}}}, SettingsError, "min"),
    ({"kind": "random_selection", "group": {"age": {"min": "x"}}}, SettingsError, "must be a number"),
    ({"kind": "random_selection", "group": {"sex": {"min": 3}}}, SettingsError, "no numbers"),
    ({"kind": "random_selection", "group": "F"}, SettingsError, "mapping"),
    ({"kind": "random_selection", "group": {"age": {"min": 69}, "sex": "X"}}, FairAuditError, "."),
    ({"kind": "malicious_selection", "label": "passed", "pos_label": "yes"}, SettingsError, "needs a group"),
    ({"kind": "malicious_selection", "group": F}, SettingsError, "No label and no score"),
    ({"kind": "malicious_selection", "group": F, "label": "passed"}, SettingsError, "favourable is not known"),
    ({"kind": "malicious_selection", "group": F, "label": "passed", "pos_label": "yess"}, UnknownNameError, "'yes'"),
    ({"kind": "malicious_selection", "group": {"age": {"min": 0}}, "label": "member"}, SettingsError, "no other group"),
    ({"kind": "self_selection", "group": F, "score": "city"}, SettingsError, "holds no numbers"),
    ({"kind": "label", "group": F}, SettingsError, "needs a score or a label"),
    ({"kind": "label", "group": F, "score": "city"}, SettingsError, "holds no numbers"),
    ({"kind": "label", "group": F, "score": "grade", "label": "passed", "pos_label": "yes"}, SettingsError, "threshold"),
    ({"kind": "label", "group": F, "label": "passed", "pos_label": "yes", "noise": 1.5}, SettingsError, "at most 1"),
    (
        {"kind": "label", "group": {"sex": "F", "passed": "no"}, "label": "passed", "pos_label": "yes"},
        SettingsError,
        "could turn",
    ),
    ({"kind": "label", "group": F, "label": "passed", "pos_label": ["yes", "no"]}, SettingsError, "no unfavourable"),
    ({"kind": "missing", "column": "city", "depends_on": "high"}, SettingsError, "holds no numbers"),
    ({"kind": "missing", "column": "city", "depends_on": "rank"}, UnknownNameError, "group, high, low"),
]


@pytest.mark.parametrize(("request_", "error", "words"), REFUSED, ids=[f"{r.get('kind')}-{w}" for r, _, w in REFUSED])
def test_refused_with_a_sentence(request_: dict[str, Any], error: type[FairAuditError], words: str) -> None:
    with pytest.raises(error) as caught:
        inject(mixed_table(), [request_])
    assert words in str(caught.value)
    assert caught.value.problem.endswith(".")
    assert caught.value.remedy.endswith(".")


def test_an_impossible_request_is_refused_at_strength_zero_too() -> None:
    with pytest.raises(SettingsError):
        inject(mixed_table(), [{"kind": "scale", "column": "sex", "strength": 0}])


def test_small_groups_cannot_lose_a_tenth() -> None:
    table = pd.DataFrame({"g": ["a"] * 9 + ["b"] * 30})
    with pytest.raises(SettingsError, match="9 rows"):
        inject(table, [{"kind": "random_selection", "group": {"g": "a"}}])
    assert len(inject(table.iloc[[0, *range(39)]], [{"kind": "random_selection", "group": {"g": "a"}}]).table) == 30


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(FairAuditError, match="every row"):
        inject(pd.DataFrame({"g": range(20)}), [{"kind": "random_selection"}])
    with pytest.raises(FairAuditError, match="No row"):
        inject(pd.DataFrame({"g": [1.0]}).iloc[:0], [{"kind": "scale", "column": "g"}])


def test_a_column_without_values_cannot_lose_more() -> None:
    with pytest.raises(SettingsError, match="missing in the group already"):
        inject(pd.DataFrame({"x": [np.nan, np.nan]}), [{"kind": "missing", "column": "x"}])


def test_ambiguous_columns_are_refused() -> None:
    table = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(FairAuditError, match="more than once"):
        inject(table, [{"kind": "scale", "column": "x"}])


@pytest.mark.parametrize("seed", [-1, 0.5, True])
def test_bad_seed(seed: Any) -> None:
    with pytest.raises(SettingsError, match="whole number"):
        inject(mixed_table(), [], seed=seed)


def test_a_description_belongs_to_its_table() -> None:
    table = mixed_table()
    saved = inject(table, [{"kind": "scale", "column": "income"}]).to_json()
    other = table.copy()
    other.iloc[0, 1] += 1
    with pytest.raises(FairAuditError, match="another table"):
        replay(other, saved)
    with pytest.raises(SettingsError, match="not JSON"):
        replay(table, "{")
    with pytest.raises(SettingsError, match="lacks"):
        replay(table, "{}")
    with pytest.raises(SettingsError, match="mapping"):
        Injection.from_dict("scale")  # type: ignore[arg-type]


def test_no_step_and_twice_the_same_step_are_fine() -> None:
    table = mixed_table()
    nothing = inject(table, [])
    pd.testing.assert_frame_equal(nothing.table, table)
    assert nothing.n_changed_cells == 0
    step = {"kind": "scale", "column": "age", "factor": 2, "group": F}
    twice = inject(table, [step, step])
    women = (table["sex"] == "F").to_numpy()
    np.testing.assert_array_equal(twice.table["age"][women], 4 * table["age"][women])
    single = inject(table, step)
    np.testing.assert_array_equal(single.table["age"][women], 2 * table["age"][women])
