"""Metrics by hand, verdicts, and the sentences for what cannot be measured."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairaudit.baselines import BASELINES, Measurement, Sampling, Side, judge, measure
from fairaudit.errors import SettingsError, UnknownNameError

# Side a: 4 favourable labels of which 3 selected, 6 unfavourable of which 1 selected. Side b: 5 of which 5, and 5 of which 2.
A = Side.of("a", y_true=[1] * 4 + [0] * 6, y_pred=[1, 1, 1, 0] + [1] + [0] * 5)
B = Side.of("b", y_true=[1] * 5 + [0] * 5, y_pred=[1] * 5 + [1, 1, 0, 0, 0])
BY_HAND = {
    "statistical_parity_difference": Fraction(4, 10) - Fraction(7, 10),
    "disparate_impact": Fraction(4, 7),
    "equal_opportunity_difference": Fraction(3, 4) - 1,
    "false_positive_rate_difference": Fraction(1, 6) - Fraction(2, 5),
    "false_negative_rate_difference": Fraction(1, 4),
    "average_odds_difference": (Fraction(3, 4) - 1 + Fraction(1, 6) - Fraction(2, 5)) / 2,
    "equalized_odds_difference": Fraction(1, 4),
    "accuracy": Fraction(8, 10),
    "accuracy_difference": Fraction(0),
    "balanced_accuracy": (Fraction(3, 4) + Fraction(5, 6)) / 2,
    # Benefits: one 0, eight 1, one 2; mean 1.
    "generalized_entropy_index": Fraction(1, 20) * (-1 + 3),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    assert_allclose(measure(name, A, B).value, float(BY_HAND[name]), atol=1e-12)


def test_differential_fairness_by_hand() -> None:
    smoothed = max(abs(math.log(4.5 / 11) - math.log(7.5 / 11)), abs(math.log(6.5 / 11) - math.log(3.5 / 11)))
    assert_allclose(measure("empirical_difference_fairness", A, B).value, smoothed)
    assert_allclose(measure("theil_index", A, B).value, 2 * math.log(2) / 10)


def test_both_sides_and_direction_are_told() -> None:
    measured = measure("statistical_parity_difference", A, B)
    assert (measured.value_a, measured.value_b, measured.direction) == (0.4, 0.7, "lower")
    odds = measure("equalized_odds_difference", A, B)
    assert (odds.value_a, odds.value_b, odds.direction) == (0.75, 1.0, "lower")
    assert "true positive rate" in odds.note


REASONS = {
    "no positives": ("equal_opportunity_difference", {"y_true": [0, 0], "y_pred": [1, 0]}, "no row with a favourable label"),
    "no negatives": ("false_positive_rate_difference", {"y_true": [1, 1], "y_pred": [1, 0]}, "no row with an unfavourable label"),
    "half of the odds": ("equalized_odds_difference", {"y_true": [0, 0], "y_pred": [1, 0]}, "no row with a favourable label"),
    "no decision": ("statistical_parity_difference", {"y_pred": [np.nan, np.nan]}, "no row with a decision"),
    "one kind of label": ("roc_auc", {"y_true": [1, 1], "y_score": [0.1, 0.2]}, "labels of one kind only"),
    "all wrongly rejected": ("generalized_entropy_index", {"y_true": [1, 1], "y_pred": [0, 0]}, "no one benefits"),
    "too few neighbours": ("consistency", {"y_pred": [1, 0], "features": [[1.0], [2.0]]}, "2 complete rows, and 5 are needed"),
    "no features": ("consistency", {"y_pred": [1] * 9, "features": np.empty((9, 0))}, "no features"),
    "no valid score": ("qdd", {"y_score": [np.nan, np.inf]}, "no valid value"),
    "no score": ("roc_auc", {"y_true": [1, 0], "y_pred": [1, 0]}, "has no y_score"),
}


@pytest.mark.parametrize("case", REASONS)
def test_undefined_has_a_reason(case: str) -> None:
    name, arrays, reason = REASONS[case]
    measured = measure(name, Side.of("the group", **arrays), Side.of("the group", **arrays))
    assert math.isnan(measured.value)
    assert math.isnan(measured.low)
    assert reason in measured.note
    assert "the group" in measured.note
    assert judge(BASELINES[name], measured).verdict == "not_measurable"


def test_nobody_selected_has_rates_but_no_ratio() -> None:
    none = Side.of("women", y_pred=[0, 0, 0])
    ratio = measure("disparate_impact", A, none)
    assert math.isnan(ratio.value)
    assert ratio.note == "No row of women is selected, so a ratio to it is not defined."
    assert (ratio.value_a, ratio.value_b) == (0.4, 0.0)
    assert measure("disparate_impact", none, A).value == 0
    assert measure("statistical_parity_difference", none, A).value == -0.4
    unsmoothed = measure("empirical_difference_fairness", none, A, Sampling(concentration=0))
    assert "No row of women is selected" in unsmoothed.note
    everyone = measure("empirical_difference_fairness", A, Side.of("men", y_pred=[1, 1]), Sampling(concentration=0))
    assert "Every row of men is selected" in everyone.note


@pytest.mark.parametrize(
    ("name", "value", "low", "high", "verdict", "why"),
    [
        ("statistical_parity_difference", -0.2, -0.3, -0.1, "disparity", ""),
        ("statistical_parity_difference", 0.2, 0.05, 0.3, "disparity", ""),
        ("statistical_parity_difference", -0.2, -0.5, 0.1, "no_evidence", "chance alone can do this"),
        (
            "statistical_parity_difference",
            -0.2,
            -0.4,
            0.0,
            "no_evidence",
            "chance alone can do this",
        ),  # 0 itself belongs to the interval
        ("statistical_parity_difference", -0.05, -0.06, -0.04, "no_evidence", "Clear, but small"),
        ("statistical_parity_difference", -0.05, -0.16, 0.04, "no_evidence", ""),
        ("statistical_parity_difference", -0.2, math.nan, math.nan, "no_evidence", "without an interval"),
        ("statistical_parity_difference", -0.02, math.nan, math.nan, "no_evidence", ""),
        ("statistical_parity_difference", math.nan, math.nan, math.nan, "not_measurable", ""),
        ("disparate_impact", 0.7, 0.6, 0.9, "disparity", ""),
        ("disparate_impact", 1.3, 1.1, 1.6, "disparity", ""),
        ("disparate_impact", 0.8, 0.7, 0.9, "no_evidence", "Clear, but small"),  # four fifths are enough
        ("disparate_impact", 1.25, 1.1, 1.4, "no_evidence", "Clear, but small"),
        ("disparate_impact", 0.7, 0.4, 1.0, "no_evidence", "chance alone can do this"),
        ("qdd", 0.001, 0.0005, 0.002, "disparity", ""),
        ("qdd", 10.0, -1.0, 21.0, "no_evidence", "chance alone can do this"),
    ],
)
def test_verdict(name: str, value: float, low: float, high: float, verdict: str, why: str) -> None:
    judgement = judge(BASELINES[name], Measurement(value, low, high))
    assert judgement.verdict == verdict
    assert why in judgement.why and bool(why) == bool(judgement.why)


def test_verdict_with_another_line() -> None:
    spec, measured = BASELINES["disparate_impact"], Measurement(0.85, 0.8, 0.9)
    assert judge(spec, measured).verdict == "no_evidence"
    assert judge(spec, measured, 0.9).verdict == "disparity"
    assert judge(spec, measured, 1 / 0.9).verdict == "disparity"


def test_levels_are_judged_by_their_difference() -> None:
    good = Side.of("good", y_true=[1, 0] * 100, y_pred=[1, 0] * 100)
    poor = Side.of("poor", y_true=[1, 0] * 100, y_pred=[1, 0] * 80 + [0, 1] * 20)
    measured = measure("accuracy", poor, good)
    assert (measured.value, measured.value_b, measured.direction) == (0.8, 1.0, "lower")
    assert_allclose(measured.judged[0], -0.2)
    assert judge(BASELINES["accuracy"], measured).verdict == "disparity"
    assert judge(BASELINES["accuracy"], measure("accuracy", poor, poor)).verdict == "no_evidence"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [s.name for s in BASELINES if s.default and "features" not in s.needs and s.name not in ("roc_auc", "qdd")]
)
def test_equal_sides_raise_few_false_alarms(name: str) -> None:
    rng = np.random.default_rng(3)
    raised = 0
    for _ in range(300):
        sides = []
        for side in "ab":
            y_true = rng.random(200) < 0.5
            sides.append(Side.of(side, y_true=y_true, y_pred=rng.random(200) < np.where(y_true, 0.7, 0.3)))
        raised += judge(BASELINES[name], measure(name, *sides, Sampling(resamples=400))).verdict == "disparity"
    assert raised / 300 < 0.09


def test_settings_out_of_range() -> None:
    for wrong in ({"level": 1.0}, {"resamples": -1}, {"concentration": -0.1}, {"bins": 0}, {"neighbour_rows": 0}):
        with pytest.raises(SettingsError):
            Sampling(**wrong)
    with pytest.raises(SettingsError, match=r"differ in length \(y_true: 2, y_pred: 1\)"):
        Side.of("a", y_true=[1, 0], y_pred=[1])
    with pytest.raises(UnknownNameError, match="Did you mean 'accuracy'"):
        measure("acuracy", A, B)


def test_inputs_stay_as_they_were_and_results_pickle() -> None:
    y_pred = np.array([1, 0, 1], dtype=np.uint8)
    before = y_pred.copy()
    side = Side.of("a", y_pred=y_pred)
    measured = measure("disparate_impact", side, B)
    assert np.array_equal(y_pred, before)
    assert pickle.loads(pickle.dumps(measured)) == measured


def _smooth(n: int, seed: int) -> dict[str, np.ndarray]:
    """Decisions by a smooth rule: the closer the neighbours, the more they agree."""
    features = np.random.default_rng(seed).normal(size=(n, 3))
    return {"y_pred": (features[:, 0] > 0).astype(int), "features": features}


@pytest.mark.parametrize("name", ["balanced_conditioned_consistency", "consistency"])
def test_levels_of_neighbours_are_compared_at_equal_size(name: str) -> None:
    few, many = Side.of("few", **_smooth(400, 1)), Side.of("many", **_smooth(8000, 2))
    how = Sampling(resamples=200)
    for a, b in ((few, many), (many, few)):
        for metric in (name, f"{name}_difference"):
            found = measure(metric, a, b, how)
            assert "Compared by 400 random rows of many" in found.note
            assert found.judged is not None and abs(found.judged[0]) < abs(found.value_a - found.value_b), (
                "more rows are no disparity"
            )
            assert judge(BASELINES[metric], found).verdict == "no_evidence"
    alike = measure(name, few, Side.of("other", **_smooth(400, 3)), how)
    assert "Compared by" not in alike.note


def test_levels_of_neighbours_among_few_rows_have_a_value_and_no_verdict() -> None:
    few, many = Side.of("few", **_smooth(60, 1)), Side.of("many", **_smooth(2000, 2))
    for metric in ("balanced_conditioned_consistency", "balanced_conditioned_consistency_difference"):
        found = measure(metric, few, many)
        assert not np.isnan(found.value)
        assert "few has 60 complete rows; below 300" in found.note
        assert judge(BASELINES[metric], found).verdict == "not_measurable"


def test_labels_that_only_the_selected_have_give_no_error_rates() -> None:
    """Every known row is selected, so true and false positive rate are 1 by construction: equality that is none."""
    selected = np.resize([1, 0], 200)
    labels = np.where(selected == 1, np.resize([1, 1, 1, 0], 200), np.nan)
    side, other = (Side.of(name, y_true=labels, y_pred=selected) for name in ("women", "men"))
    for name in ("equal_opportunity_difference", "equalized_odds_difference", "average_odds_difference", "accuracy"):
        measured = measure(name, side, other)
        assert math.isnan(measured.value) and "known only for rows that were selected" in measured.note
    assert measure("statistical_parity_difference", side, other).value == 0
    labels[1] = 0
    assert measure("equalized_odds_difference", *(Side.of(n, y_true=labels, y_pred=selected) for n in "ab")).value == 0
