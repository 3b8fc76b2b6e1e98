"""What every injection must keep, whatever it does; a new one is tested as soon as it has a request in ``cases``."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairaudit.injection import INJECTIONS, Injected, Injection, inject, replay
from tests.injection.cases import CASES, REQUESTS, case_id, mixed_table

STRENGTHS = (0.0, 0.07, 0.1, 0.35, 0.5, 0.8, 1.0)
every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


def cells_differ(before: pd.DataFrame, after: pd.DataFrame) -> np.ndarray:
    """Cell by cell in plain Python, without the code under test."""
    result = np.zeros(before.shape, dtype=bool)
    for c in range(before.shape[1]):
        for r, (old, new) in enumerate(zip(before.iloc[:, c].tolist(), after.iloc[:, c].tolist(), strict=True)):
            old_missing, new_missing = pd.isna(old), pd.isna(new)
            result[r, c] = old_missing != new_missing if old_missing or new_missing else old != new
    return result


def check_account(original: pd.DataFrame, injected: Injected) -> None:
    """Mask, counts, kept and removed rows say exactly what happened."""
    kept = original.iloc[injected.kept]
    differ = cells_differ(kept, injected.table)
    np.testing.assert_array_equal(injected.changed.to_numpy(), differ.any(axis=1))
    counts = {name: int(n) for name, n in zip(original.columns, differ.sum(axis=0), strict=True) if n}
    assert injected.changed_cells == counts
    assert injected.n_changed_cells == differ.sum()
    assert list(injected.table.index) == list(kept.index) == list(injected.changed.index)
    gone = np.setdiff1d(np.arange(len(original)), injected.kept)
    assert list(injected.removed) == list(original.index[gone])
    assert list(injected.table.columns) == list(original.columns)


def test_every_registered_injection_has_a_request() -> None:
    assert set(REQUESTS) == set(INJECTIONS.names())


@every_case
def test_strength_zero_changes_nothing(case: dict[str, Any]) -> None:
    table = mixed_table()
    injected = inject(table, [{**case, "strength": 0.0}])
    pd.testing.assert_frame_equal(injected.table, table)
    assert not injected.changed.any()
    assert len(injected.removed) == 0
    assert injected.table is not table


@every_case
def test_full_strength_changes_something(case: dict[str, Any]) -> None:
    injected = inject(mixed_table(), [{**case, "strength": 1.0}])
    assert injected.changed.any() or len(injected.removed)


@every_case
@pytest.mark.parametrize("strength", [0.35, 1.0])
def test_account_is_exact(case: dict[str, Any], strength: float) -> None:
    table = mixed_table()
    check_account(table, inject(table, [{**case, "strength": strength}]))


@every_case
def test_input_is_never_written_to(case: dict[str, Any]) -> None:
    table, untouched = mixed_table(), mixed_table()
    injected = inject(table, [{**case, "strength": 1.0}])
    pd.testing.assert_frame_equal(table, untouched)
    for c in range(injected.table.shape[1]):
        injected.table.iloc[:, c] = injected.table.iloc[0, c]
    pd.testing.assert_frame_equal(table, untouched)


@every_case
def test_same_seed_same_result_and_another_seed_another(case: dict[str, Any]) -> None:
    table = mixed_table()
    half = {**case, "strength": 0.5}
    first, second = inject(table, [half], seed=11), inject(table, [half], seed=11)
    pd.testing.assert_frame_equal(first.table, second.table)
    own = inject(table, [{**half, "seed": 11}], seed=99)
    pd.testing.assert_frame_equal(first.table, own.table)
    others = [inject(table, [half], seed=s) for s in (1, 2, 3)]
    # Label bias on a score without noise has no random part.
    if not (case["kind"] == "label" and "score" in case and not case["noise"]):
        assert any(not o.table.equals(first.table) for o in others)


@every_case
def test_larger_strength_touches_a_superset(case: dict[str, Any]) -> None:
    table = mixed_table()
    touched: list[set[int]] = []
    for strength in STRENGTHS:
        injected = inject(table, [{**case, "strength": strength}])
        rows = set(injected.kept[injected.changed.to_numpy()].tolist())
        touched.append(rows | set(np.setdiff1d(np.arange(len(table)), injected.kept).tolist()))
    assert all(smaller <= larger for smaller, larger in itertools.pairwise(touched))


@every_case
def test_only_the_group_is_touched(case: dict[str, Any]) -> None:
    reaches_others = case["kind"] in {"malicious_selection", "uniform_undersampling"} or (
        case["kind"] == "label" and case.get("noise")
    )
    if reaches_others:
        return
    table = mixed_table()
    in_group = np.ones(len(table), dtype=bool)
    for column, wanted in case.get("group", {}).items():
        values = table[column]
        met = (
            values >= wanted["min"] if isinstance(wanted, dict) else values.isin([wanted] if isinstance(wanted, str) else wanted)
        )
        in_group &= met.to_numpy()
    injected = inject(table, [{**case, "strength": 1.0}])
    assert in_group[injected.kept[injected.changed.to_numpy()]].all()
    assert in_group[np.setdiff1d(np.arange(len(table)), injected.kept)].all()


@every_case
def test_description_recreates_the_table_through_json(case: dict[str, Any]) -> None:
    table = mixed_table()
    injected = inject(table, [{**case, "strength": 0.35}, {**case, "strength": 0.2}], seed=5)
    again = replay(mixed_table(), injected.to_json())
    pd.testing.assert_frame_equal(again.table, injected.table)
    assert again.description == injected.description == json.loads(injected.to_json())
    step = Injection.from_dict(case)
    assert Injection.from_dict(json.loads(json.dumps(step.to_dict()))) == step
    assert hash(Injection.from_dict(step.to_dict())) == hash(step)


@every_case
def test_sentences_name_strength_group_and_column(case: dict[str, Any]) -> None:
    sentence = Injection.from_dict({**case, "strength": 0.35}).sentence()
    assert "35 %" in sentence
    assert sentence.endswith(".")
    for column in case.get("group", {}):
        assert column in sentence
    if "column" in case:
        assert case["column"] in sentence
    assert "nothing" in Injection.from_dict({**case, "strength": 0}).sentence()


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(CASES), st.floats(0, 1)), max_size=4), st.integers(0, 2**32))
def test_stacks_keep_an_exact_account(steps: list[tuple[dict[str, Any], float]], seed: int) -> None:
    table = mixed_table()
    stack = [{**case, "strength": strength} for case, strength in steps]
    # A step can make a later one impossible, for instance by removing the last passing woman; such stacks are refused with a sentence.
    selections = sum(case["kind"].endswith(("selection", "undersampling")) for case in stack)
    if selections > 1 or any(case.get("value") == "Z" for case in stack):
        stack = stack[:1]
    if sum(case["kind"] in ("label", "resample_categories", "missing") for case in stack) > 1:
        stack = stack[:1]
    injected = inject(table, stack, seed=seed)
    check_account(table, injected)
    pd.testing.assert_frame_equal(replay(table, injected.to_json()).table, injected.table)
    assert len(injected.steps) == len(injected.summaries()) == len(injected.to_frame()) == len(stack)


def test_specs_are_complete_for_people_and_screens() -> None:
    for spec in INJECTIONS:
        for text in (spec.label, spec.summary, spec.pitfall, spec.reference, spec.strength_help):
            assert text, spec.name
        for parameter in spec.parameters:
            assert parameter.label, (spec.name, parameter.name)
            assert parameter.help.endswith("."), (spec.name, parameter.name)
            assert (parameter.type == "choice") == bool(parameter.choices), (spec.name, parameter.name)
            if parameter.type == "choice":
                assert parameter.default in parameter.choices
