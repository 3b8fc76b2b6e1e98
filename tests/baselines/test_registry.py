"""Properties that every registered metric has, whatever it measures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairaudit.baselines import BASELINES, BaselineSpec, Sampling, Side, judge, measure

SPECS = list(BASELINES)
FAST = Sampling(resamples=200)
FIXED_NAMES = [
    "statistical_parity_difference",
    "disparate_impact",
    "empirical_difference_fairness",
    "consistency",
    "qdd",
    "equal_opportunity_difference",
    "average_odds_difference",
    "equalized_odds_difference",
    "accuracy",
    "balanced_accuracy",
    "roc_auc",
    "balanced_conditioned_consistency",
    "generalized_entropy_index",
]
every_metric = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)


def taken(side: Side, rows: np.ndarray, name: str | None = None) -> Side:
    def of(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[rows]

    return Side.of(
        name or side.name,
        y_true=of(side.y_true),
        y_pred=of(side.y_pred),
        y_score=of(side.y_score),
        features=None if side.features is None else side.features.take(rows),
    )


def test_names_that_others_rely_on() -> None:
    assert [spec.name for spec in SPECS if spec.default] == FIXED_NAMES


@every_metric
def test_facts_for_people(spec: BaselineSpec) -> None:
    for text in (spec.label, spec.summary, spec.pitfall, spec.reference, spec.formula, spec.direction, spec.threshold_source):
        assert text.strip()
    assert spec.summary.endswith(".")
    assert spec.pitfall.endswith(".")
    assert spec.needs
    assert spec.function.__doc__
    assert (spec.no_difference is None) == (spec.kind == "level")
    assert not (spec.signed and spec.symmetric)
    if spec.kind == "level":
        assert f"{spec.name}_difference" in BASELINES
        assert spec.best is not None


@every_metric
@pytest.mark.parametrize("seed", range(3))
def test_identical_sides_show_no_difference(spec: BaselineSpec, seed: int, make_side: Callable[..., Side]) -> None:
    a, b = make_side(seed, name="a"), make_side(seed, name="b")
    measured = measure(spec.name, a, b, FAST)
    if spec.kind == "level":
        assert measured.judged is not None
        assert measured.judged[0] == 0
    else:
        assert_allclose(measured.value, spec.no_difference, atol=1e-12)
        assert measured.low <= spec.no_difference <= measured.high
        assert measured.direction == "equal"
    assert judge(spec, measured).verdict == "no_evidence"


@every_metric
@pytest.mark.parametrize("seed", range(4))
def test_values_and_intervals_stay_in_range(spec: BaselineSpec, seed: int, make_side: Callable[..., Side]) -> None:
    measured = measure(spec.name, make_side(seed, 30 * (seed + 1), 0.3), make_side(seed + 9, 80), FAST)
    low, high = spec.range
    assert low <= measured.value <= high
    assert low - 1e-12 <= measured.low <= measured.high <= high + 1e-12


@every_metric
def test_swapping_the_sides(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    a, b = make_side(3, 150, 0.2), make_side(4, 200)
    there, back = measure(spec.name, a, b, FAST), measure(spec.name, b, a, FAST)
    if spec.signed:
        assert_allclose(back.value, -there.value, atol=1e-12)
    elif spec.symmetric:
        assert_allclose(back.value, there.value, atol=1e-12)
    elif spec.kind == "ratio":
        assert_allclose(back.value, 1 / there.value)
    else:
        assert spec.kind == "level"
    if not math.isnan(there.value_a):
        assert (back.value_a, back.value_b) == (there.value_b, there.value_a)
        assert {there.direction, back.direction} == {"lower", "higher"}


@every_metric
def test_row_order_and_names_change_nothing(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    a, b = make_side(5, 150, 0.2), make_side(6, 150)
    shuffled = taken(a, np.random.default_rng(0).permutation(a.n), "another name")
    once, again = measure(spec.name, a, b, FAST), measure(spec.name, shuffled, b, FAST)
    numbers = [(m.value, m.low, m.high, m.value_a, m.value_b) for m in (once, again)]
    assert_allclose(*numbers, atol=1e-12)


@every_metric
def test_the_same_twice(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    assert measure(spec.name, make_side(1), make_side(2)) == measure(spec.name, make_side(1), make_side(2))


@every_metric
def test_what_is_missing_is_a_reason(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    whole = make_side(1)
    for need in spec.needs:
        without = Side.of("the side", **{k: getattr(whole, k) for k in ("y_true", "y_pred", "y_score", "features") if k != need})
        for a, b in ((without, whole), (whole, without)):
            measured = measure(spec.name, a, b)
            if spec.kind == "level" and a is whole:
                assert "Not compared: the side has no" in measured.note
            else:
                assert math.isnan(measured.value)
                assert f"the side has no {need}" in measured.note
            assert judge(spec, measured).verdict == "not_measurable"


@every_metric
def test_no_rows_is_a_reason(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    whole = make_side(1)
    empty = taken(whole, np.empty(0, dtype=int), "nobody")
    measured = measure(spec.name, empty, whole)
    assert math.isnan(measured.value)
    assert "nobody" in measured.note
    assert judge(spec, measured).verdict == "not_measurable"


@every_metric
def test_one_row_gives_a_number_or_a_reason(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    whole = make_side(1)
    measured = measure(spec.name, taken(whole, np.array([0]), "one"), whole)
    assert math.isfinite(measured.value) or "one" in measured.note
    # Whatever the value: a single row is never evidence of a level difference of the whole.
    if math.isfinite(measured.value) and not math.isnan(measured.low):
        assert measured.high > measured.low


@every_metric
def test_missing_outcomes_are_left_out(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    a, b = make_side(7, 200, 0.1), make_side(8, 200)
    gaps = Side.of(
        a.name,
        y_true=np.r_[a.y_true, np.full(40, np.nan)],
        y_pred=np.r_[a.y_pred, np.full(40, np.nan)],
        y_score=np.r_[a.y_score, np.full(40, np.nan)],
        features=np.r_[a.features.values, np.full((40, 3), np.nan)],
    )
    assert_allclose(measure(spec.name, gaps, b, FAST).value, measure(spec.name, a, b, FAST).value, atol=1e-12)


@every_metric
def test_formula_and_measurement_agree(spec: BaselineSpec, make_side: Callable[..., Side]) -> None:
    a, b = make_side(1, 150, 0.1), make_side(2, 150)
    expected = {
        "counts": lambda: spec.function(a.counts, b.counts),
        "level of counts": lambda: spec.function(a.counts),
        "sides": lambda: spec.function(a, b),
        "neighbours": lambda: spec.function(a.features.values, a.y_pred),
        "scores": lambda: spec.function(a.y_score, b.y_score),
        "labelled scores": lambda: spec.function(a.y_true, a.y_score),
    }
    if spec.name.removesuffix("_difference") in BASELINES and spec.name.endswith("_difference"):
        form = "sides"
    elif "features" in spec.needs:
        form = "neighbours"
    elif spec.needs == ("y_score",):
        form = "scores"
    elif "y_score" in spec.needs:
        form = "labelled scores"
    else:
        form = "level of counts" if spec.kind == "level" else "counts"
    assert_allclose(float(expected[form]()), measure(spec.name, a, b, FAST).value, atol=1e-12)


def test_a_metric_that_registers_is_checked_by_its_facts() -> None:
    spec = BASELINES["disparate_impact"]
    assert replace(spec, symmetric=True).symmetric
    assert BASELINES["disparate_impact"] is spec
