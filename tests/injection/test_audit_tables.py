"""Injections into checked tables: same type out, own fingerprint, categories kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.injection import inject, replay
from fairaudit.schema import AuditTable, Schema
from fairaudit.validation import check_frames, check_table
from tests.injection.cases import CASES, case_id, mixed_table

SCHEMA: dict[str, Any] = {
    "label": "passed",
    "pos_label": "yes",
    "sensitive_features": ("sex",),
    "types": {"children": "numeric", "grade": "numeric", "age": "numeric"},
}


@pytest.fixture(scope="module")
def table() -> AuditTable:
    return check_table(mixed_table().reset_index(drop=True), SCHEMA, name="day 1")


# A truth value is a binary column here, whose category is named by text.
@pytest.mark.parametrize("case", [c for c in CASES if c.get("column") != "member"], ids=case_id)
def test_checked_tables_stay_checked(table: AuditTable, case: dict[str, Any]) -> None:
    before = table.data.copy(deep=True)
    injected = inject(table, [{**case, "strength": 1.0}])
    result = injected.table
    assert isinstance(result, AuditTable)
    assert result.name == "day 1"
    assert result.fingerprint != table.fingerprint
    assert list(result.data.index) == list(range(len(result)))
    assert (injected.changed.to_numpy() | (len(injected.removed) > 0)).any()
    pd.testing.assert_frame_equal(table.data, before)
    again = replay(table, injected.to_json())
    assert again.table.fingerprint == result.fingerprint
    pd.testing.assert_frame_equal(again.table.data, result.data)
    check_frames(table, result)
    for name in table.columns:
        if isinstance(table.data[name].dtype, pd.CategoricalDtype):
            assert list(result.data[name].cat.categories)[: len(table.data[name].cat.categories)] == list(
                table.data[name].cat.categories
            )


def test_nothing_planted_keeps_the_table(table: AuditTable) -> None:
    assert inject(table, []).table is table
    assert inject(table, [{"kind": "scale", "column": "income", "strength": 0}]).table is table


def test_emptied_categories_and_outcomes_are_kept(table: AuditTable) -> None:
    step = {"kind": "label", "label": "passed", "group": {}}
    result = inject(table, [step]).table
    assert (result.data["passed"] == "no").all()
    assert list(result.data["passed"].cat.categories) == ["no", "yes"]
    assert result.schema == table.schema


def test_a_third_category_makes_a_binary_column_nominal(table: AuditTable) -> None:
    step = {"kind": "set_value", "group": {"sex": "F"}, "column": "passed", "value": "unknown", "allow_new": True}
    result = inject(table, [step]).table
    assert table.type_of("passed") == "binary"
    assert result.type_of("passed") == "nominal"


def test_truth_values_are_known_by_their_names(table: AuditTable) -> None:
    result = inject(table, [{"kind": "set_value", "column": "member", "value": True}]).table
    assert (result.data["member"] == "True").all()


def test_findings_are_those_of_the_new_table(table: AuditTable) -> None:
    constant = inject(table, [{"kind": "set_value", "column": "city", "value": "A"}]).table
    codes = {(f.code, f.column) for f in constant.findings}
    assert codes != {(f.code, f.column) for f in table.findings}
    assert any(column == "city" for _, column in codes)


def test_the_schema_of_the_table_is_used_unless_another_is_given(table: AuditTable) -> None:
    step = {"kind": "malicious_selection", "group": {"sex": "F"}, "strength": 0.5}
    own = inject(table, [step])
    named = inject(table.data, [{**step, "label": "passed", "pos_label": "yes"}])
    np.testing.assert_array_equal(own.kept, named.kept)
    other = inject(table, [step], schema=Schema(label="passed", pos_label="no"))
    assert not np.array_equal(other.kept, own.kept)
