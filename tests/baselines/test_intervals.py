"""Intervals: published values, agreement of closed forms with the bootstrap, coverage, and the corners."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from fairaudit.baselines import BASELINES, Sampling, Side, measure, outcome_counts, wilson
from fairaudit.baselines.intervals import (
    combine,
    combine_ratio,
    mean_interval,
    multinomial_draws,
    of_magnitude,
    percentile_interval,
)

COUNT_METRICS = [s.name for s in BASELINES if set(s.needs) <= {"y_true", "y_pred"}]


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 17), (1, 1), (0, 1), (250, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_equals_scipy(k: int, n: int, level: float) -> None:
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert_allclose(wilson(k, n, level), (expected.low, expected.high), atol=1e-12)


def test_wilson_of_nothing() -> None:
    assert np.isnan(wilson(0, 0)).all()


def test_difference_of_proportions_as_published() -> None:
    """Newcombe (1998), table II, method 10: 56/70 - 48/80 and the corner 10/10 - 0/10."""
    for (k1, n1), (k2, n2), expected in [((56, 70), (48, 80), (0.0524, 0.3339)), ((10, 10), (0, 10), (0.6075, 1.0))]:
        intervals = [tuple(map(float, wilson(k, n))) for k, n in ((k1, n1), (k2, n2))]
        assert_allclose(combine([1, -1], [k1 / n1, k2 / n2], intervals), expected, atol=5e-5)


def test_ratio_follows_from_its_quadratic() -> None:
    """Each limit r solves (a - r b)^2 = (distance of a's limit)^2 + r^2 (distance of b's limit)^2."""
    a, (la, ua), b, (lb, ub) = 0.3, (0.2, 0.42), 0.5, (0.38, 0.61)
    low, high = combine_ratio(a, (la, ua), b, (lb, ub))
    assert low < a / b < high
    assert_allclose((a - low * b) ** 2, (a - la) ** 2 + low**2 * (ub - b) ** 2)
    assert_allclose((a - high * b) ** 2, (ua - a) ** 2 + high**2 * (b - lb) ** 2)
    assert combine_ratio(0.0, (0.0, 0.3), 0.5, (0.3, 0.7))[0] == 0
    assert combine_ratio(0.3, (0.1, 0.5), 0.1, (0.0, 0.3))[1] == math.inf
    # A limit of twice the estimate makes the quadratic linear; the neighbours on both sides lead to the same value.
    limits = [combine_ratio(0.3, (0.2, 0.4), 0.1, (0.02, ub))[0] for ub in (0.2 - 1e-9, 0.2, 0.2 + 1e-9)]
    assert_allclose(limits, limits[1], rtol=1e-5)


def test_magnitude() -> None:
    assert of_magnitude((-0.3, -0.1)) == (0.1, 0.3)
    assert of_magnitude((-0.4, 0.1)) == (0.0, 0.4)


def test_draws_keep_the_number_of_rows_and_the_mean() -> None:
    counts = outcome_counts([1, 1, 0, 0, np.nan], [1, 0, 0, 1, 1]) * 20
    draws = multinomial_draws(counts, 4000, np.random.default_rng(1))
    assert draws.shape == (4000, 3, 3)
    assert (draws.sum(axis=(1, 2)) == 100).all()
    assert (draws[:, counts == 0] == 0).all()
    assert_allclose(draws.mean(axis=0), counts, atol=0.3)


def test_percentiles_leave_out_undefined_draws() -> None:
    assert percentile_interval(np.r_[np.arange(101.0), np.nan], 0.9) == ((5.0, 95.0), 1 - 101 / 102)
    interval, left_out = percentile_interval(np.full(3, np.nan))
    assert np.isnan(interval).all()
    assert left_out == 1


def test_bootstrap_of_a_mean_equals_resampled_rows() -> None:
    values = np.random.default_rng(0).choice([0.4, 0.8, 1.0], 200)
    rows = np.random.default_rng(1).choice(values, (4000, 200)).mean(axis=1)
    assert_allclose(mean_interval(values, 0.95, 4000, np.random.default_rng(2)), np.quantile(rows, [0.025, 0.975]), atol=0.005)
    assert_allclose(mean_interval(np.ones(20), 0.95, 100, np.random.default_rng(0)), wilson(20, 20))


@pytest.mark.parametrize("metric", COUNT_METRICS)
def test_bootstrap_of_counts_equals_the_bootstrap_of_rows(metric: str, make_side: Callable[..., Side]) -> None:
    a, b = make_side(0, 600, 0.1), make_side(1, 500)
    measured = measure(metric, a, b)
    rng = np.random.default_rng(7)
    values = []
    for _ in range(600):
        rows = [rng.integers(0, side.n, side.n) for side in (a, b)]
        drawn = [Side.of(s.name, y_true=s.y_true[r], y_pred=s.y_pred[r]) for s, r in zip((a, b), rows, strict=True)]
        values.append(measure(metric, *drawn, Sampling(resamples=0)).value)
    low, high = np.quantile(values, [0.025, 0.975])
    width = high - low
    # Magnitudes have wider intervals on purpose: the level is shared by two gaps.
    slack = 0.35 if metric == "equalized_odds_difference" else 0.15
    assert abs(measured.low - low) < slack * width
    assert abs(measured.high - high) < slack * width


@pytest.mark.parametrize("metric", [m for m in COUNT_METRICS if not m.startswith(("generalized", "theil"))])
def test_closed_forms_agree_with_the_bootstrap(metric: str, make_side: Callable[..., Side]) -> None:
    a, b = make_side(0, 2000, 0.1), make_side(1, 1500)
    drawn, closed = measure(metric, a, b), measure(metric, a, b, Sampling(resamples=0))
    width = closed.high - closed.low
    assert abs(drawn.low - closed.low) < 0.12 * width
    assert abs(drawn.high - closed.high) < 0.12 * width


ZERO_RATES = {
    "nobody of a": ([0, 1, 0, 1] * 5, [0, 0, 0, 0] * 5),
    "everybody of a": ([0, 1, 0, 1] * 5, [1, 1, 1, 1] * 5),
    "all of a right": ([0, 1, 0, 1] * 5, [0, 1, 0, 1] * 5),
    "a single row": ([1], [1]),
}


@pytest.mark.parametrize("metric", COUNT_METRICS)
@pytest.mark.parametrize("case", ZERO_RATES)
def test_certain_rates_do_not_claim_certainty(metric: str, case: str, make_side: Callable[..., Side]) -> None:
    y_true, y_pred = ZERO_RATES[case]
    a, b = Side.of("a", y_true=y_true, y_pred=y_pred), make_side(1, 60)
    for first, second in ((a, b), (b, a)):
        measured = measure(metric, first, second)
        if math.isnan(measured.value):
            assert measured.note
        elif not math.isnan(measured.low):
            assert measured.low <= measured.value + 1e-12 <= measured.high + 2e-12
            assert measured.high - measured.low > 0.01
        else:
            pytest.fail(f"no interval: {measured}")


def test_seed_decides_and_other_metrics_do_not(make_side: Callable[..., Side]) -> None:
    name = "average_odds_difference"
    once = measure(name, make_side(0), make_side(1))
    a, b = make_side(0), make_side(1)
    measure("accuracy", a, b)
    assert measure(name, a, b) == once
    assert measure(name, a, b, Sampling(seed=1)) != once
    assert abs(measure(name, a, b, Sampling(seed=1)).low - once.low) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("resamples", [0, 1000])
@pytest.mark.parametrize(
    "metric", ["statistical_parity_difference", "disparate_impact", "equalized_odds_difference", "empirical_difference_fairness"]
)
def test_intervals_of_equal_sides_contain_no_difference(metric: str, resamples: int) -> None:
    rng = np.random.default_rng(11)
    missed, repeats = 0, 400
    for _ in range(repeats):
        sides = []
        for name, n in (("a", 150), ("b", 250)):
            y_true = rng.random(n) < 0.5
            sides.append(Side.of(name, y_true=y_true, y_pred=rng.random(n) < np.where(y_true, 0.6, 0.2)))
        measured = measure(metric, *sides, Sampling(resamples=resamples))
        none = BASELINES[metric].no_difference
        missed += not measured.low <= none <= measured.high
    # 5 % are expected; 0.08 is three standard errors more.
    assert missed / repeats < 0.085


@pytest.mark.slow
def test_auc_interval_covers() -> None:
    from fairaudit.baselines.continuous import roc_auc_interval

    rng = np.random.default_rng(5)
    truth = stats.norm.cdf(1 / math.sqrt(2))
    missed = 0
    for _ in range(400):
        y_true = np.r_[np.ones(60), np.zeros(90)]
        _, (low, high) = roc_auc_interval(y_true, rng.normal(size=150) + y_true)
        missed += not low <= truth <= high
    assert missed / 400 < 0.09
