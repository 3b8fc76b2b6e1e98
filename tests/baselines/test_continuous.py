"""Quantile demographic disparity and the area under the ROC curve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from fairaudit.baselines import Sampling, Side, measure, qdd, quantile_disparity, roc_auc
from fairaudit.baselines.continuous import mean_difference_half_width, roc_auc_interval

numbers = st.floats(-1e6, 1e6)


def test_by_hand() -> None:
    result = quantile_disparity(np.array([5.0, 1, 3, 2, 4, np.nan]), np.array([1.0, 2, 3, 4, np.inf]), bins=2)
    # a: 1 2 3 | 4 5, b: 1 2 | 3 4
    assert result.scores.tolist() == [0.5, 1.0]
    assert result.value == 0.75
    assert result.to_frame()["n_a"].tolist() == [3, 2]
    assert result.to_frame()["mean_b"].tolist() == [1.5, 3.5]


def test_bins_possible_and_asked_for() -> None:
    result = quantile_disparity(np.array([1.0, 2.0]), np.arange(50.0), bins=10)
    assert (len(result.scores), result.bins_asked) == (2, 10)
    sides = Side.of("a", y_score=[1.0, 2.0]), Side.of("b", y_score=np.arange(50.0))
    assert "10 bins were asked for, 2 are possible" in measure("qdd", *sides).note


@given(st.lists(numbers, min_size=1, max_size=60), numbers, st.integers(1, 12))
def test_a_shift_is_found_in_every_bin(values: list[float], shift: float, bins: int) -> None:
    b = np.array(values)
    result = quantile_disparity(b + shift, b, bins)
    assert_allclose(result.scores, shift, atol=1e-6)
    assert_allclose(result.value, shift, atol=1e-6)


@given(st.lists(numbers, min_size=1, max_size=40), st.lists(numbers, min_size=1, max_size=40), st.integers(1, 8))
def test_sides_swap_with_the_sign_and_order_is_free(a: list[float], b: list[float], bins: int) -> None:
    there = qdd(np.array(a), np.array(b), bins)
    assert_allclose(qdd(np.array(b), np.array(a), bins), -there, atol=1e-6)
    assert_allclose(qdd(np.array(a[::-1]), np.array(b), bins), there, atol=1e-6)


def test_equal_bins_average_to_the_difference_of_means_and_welch_gives_its_interval() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 2, 200), rng.normal(0, 1, 100)
    measured = measure("qdd", Side.of("a", y_score=a), Side.of("b", y_score=b), Sampling(level=0.9))
    assert_allclose(measured.value, a.mean() - b.mean())
    expected = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9)
    assert_allclose((measured.low, measured.high), (expected.low, expected.high))


def test_constant_and_single_values() -> None:
    constant = Side.of("a", y_score=np.full(20, 3.0))
    measured = measure("qdd", constant, Side.of("b", y_score=np.full(20, 2.0)))
    assert (measured.value, measured.low, measured.high) == (1.0, 1.0, 1.0)
    single = measure("qdd", Side.of("a", y_score=[5.0]), constant)
    assert single.value == 2
    assert np.isnan(single.low)
    assert "no interval" in single.note


def test_auc_corners() -> None:
    assert roc_auc([1, 1, 0, np.nan], np.array([0.9, 0.8, 0.1, 0.0])) == 1
    assert roc_auc([1, 0, 1], np.array([0.5, 0.5, np.nan])) == 0.5
    assert np.isnan(roc_auc([1, 1], np.array([0.1, 0.2])))
    area, (low, high) = roc_auc_interval([1] * 10 + [0] * 20, np.r_[np.ones(10), np.zeros(20)])
    assert (area, high) == (1, 1)
    assert low == pytest.approx(stats.binomtest(10, 10).proportion_ci(method="wilson").low)


def test_auc_interval_equals_delong_by_loops() -> None:
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 2, 80)
    score = np.round(rng.normal(size=80) + y_true, 1)
    positive, negative = score[y_true == 1], score[y_true == 0]
    kernel = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    variance = kernel.mean(axis=1).var(ddof=1) / len(positive) + kernel.mean(axis=0).var(ddof=1) / len(negative)
    area, (low, high) = roc_auc_interval(y_true, score)
    assert_allclose(area, kernel.mean())
    assert_allclose([high - area, area - low], 1.959963985 * np.sqrt(variance))


def test_the_interval_of_a_difference_of_means_is_welchs_and_scales_with_the_values() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, 30), rng.normal(1, 4, 12)
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    width = mean_difference_half_width(a, b)
    assert width == pytest.approx((interval.high - interval.low) / 2, rel=1e-12)
    for scale in (1e-140, 1e140):
        assert mean_difference_half_width(a * scale, b * scale) == pytest.approx(width * scale, rel=1e-12)
