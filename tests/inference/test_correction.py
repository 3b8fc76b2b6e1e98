"""Corrections against hand calculations, scipy and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairaudit.inference.correction import (
    TAIL,
    Tail,
    at_most,
    benjamini_hochberg,
    extremeness,
    holm_factor,
    holm_over_pairs,
    rank_p_values,
    westfall_young,
)


def holm(p: list[float]) -> np.ndarray:
    """Holm's method, straight from its definition."""
    order = np.argsort(p)
    running, result = 0.0, np.empty(len(p))
    for rank, i in enumerate(order):
        running = max(running, (len(p) - rank) * p[i])
        result[i] = min(running, 1.0)
    return result


@given(st.lists(st.floats(0.0001, 1.0), min_size=1, max_size=8))
def test_holm_with_one_hypothesis_a_family(p: list[float]) -> None:
    found = np.concatenate(holm_over_pairs([np.array([x]) for x in p]))
    np.testing.assert_allclose(found, holm(p), rtol=1e-12)


def test_a_family_with_open_hypotheses_keeps_its_weight() -> None:
    first, second = holm_over_pairs([np.array([0.001, 0.8]), np.array([0.03])])
    # The first family is not settled, so its hypothesis of 0.8 still counts against the second family.
    np.testing.assert_allclose(first, [0.002, 0.8])
    np.testing.assert_allclose(second, [0.06])
    settled = holm_over_pairs([np.array([0.001, 0.002]), np.array([0.03])])[1]
    np.testing.assert_allclose(settled, [0.03])


def test_families_without_a_hypothesis_weigh_nothing() -> None:
    found = holm_over_pairs([np.array([0.02]), np.empty(0)])
    assert found[0].tolist() == [0.02]
    assert len(found[1]) == 0


@given(st.lists(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=4), min_size=1, max_size=5))
def test_factor_is_what_the_border_is_multiplied_by(families: list[list[float]]) -> None:
    alpha = 0.05
    arrays = [np.array(f) for f in families]
    for i in range(len(arrays)):
        border = alpha / holm_factor(arrays, i, alpha)
        for p, flagged in ((border * 0.999, True), (border, True), (border * 1.001, False)):
            changed = [*arrays[:i], np.array([p]), *arrays[i + 1 :]]
            assert at_most(holm_over_pairs(changed)[i][0], alpha) == flagged


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    np.testing.assert_allclose(benjamini_hochberg(np.array(p)), stats.false_discovery_control(p), rtol=1e-12)


@pytest.mark.parametrize(("alpha", "tests"), [(0.05, 1), (0.05, 3), (0.05, 7), (0.01, 6), (0.1, 3), (0.001, 13)])
def test_a_fraction_that_equals_the_limit_counts(alpha: float, tests: int) -> None:
    """Fractions compare with alpha divided by the number of tests as whole numbers do."""
    for n in (20, 100, 200, 300, 780, 1000, 13000):
        i = np.arange(1, n + 1)
        wanted = i * tests * 1000 <= round(alpha * 1000) * n
        np.testing.assert_array_equal(at_most(i / n, alpha / tests), wanted)
        np.testing.assert_array_equal(at_most(tests * (i / n), alpha), wanted)


def test_ranks_count_ties_as_extreme() -> None:
    extreme = np.array([[2.0], [1.0], [2.0], [3.0], [-np.inf]])
    assert rank_p_values(extreme, p_value=False)[:, 0].tolist() == [0.6, 0.8, 0.6, 0.2, 1.0]


def test_ranks_see_through_rounding() -> None:
    scores = np.array([0.1 + 0.2, 0.3, 0.3, 0.5])
    assert rank_p_values(extremeness(scores, p_value=True)[:, None], p_value=True)[0, 0] == 0.75


def test_tiny_p_values_are_not_ties() -> None:
    scores = np.array([1e-30, 2e-30, 1e-15, 0.5])
    assert rank_p_values(extremeness(scores, p_value=True)[:, None], p_value=True)[0, 0] == 0.25


def test_undefined_scores_are_least_extreme() -> None:
    assert extremeness(np.array([np.nan, -0.5, 0.2]), p_value=False).tolist() == [-np.inf, 0.5, 0.2]
    assert extremeness(np.array([np.nan, 0.0, 1.0]), p_value=True).tolist() == [-np.inf, 0.0, -1.0]


def test_westfall_young_by_hand() -> None:
    # Ranks of two attributes in four rows; the smallest per row: 0.25, 0.5, 0.25, 0.75.
    ranks = np.array([[0.25, 0.5], [0.5, 1.0], [1.0, 0.25], [0.75, 0.75]])
    assert westfall_young(ranks).tolist() == [0.5, 0.75]


def test_westfall_young_of_equal_attributes_corrects_nothing() -> None:
    rng = np.random.default_rng(0)
    one = rank_p_values(rng.normal(size=(1000, 1)), p_value=False)
    np.testing.assert_allclose(westfall_young(np.repeat(one, 5, axis=1)), one[0, 0])


@pytest.mark.parametrize("k", [2, 10])
def test_westfall_young_of_independent_attributes_is_sidaks(k: int) -> None:
    rng = np.random.default_rng(k)
    extreme = rng.normal(size=(20_000, k))
    extreme[0] = 2.5
    ranks = rank_p_values(extreme, p_value=False)
    np.testing.assert_allclose(westfall_young(ranks), 1 - (1 - ranks[0]) ** k, atol=0.01)


@pytest.mark.parametrize("p_value", [True, False])
def test_tail_keeps_the_order_and_knows_more_than_ranks(p_value: bool) -> None:
    rng = np.random.default_rng(1)
    extreme = -rng.random((1000, 1)) if p_value else np.abs(rng.normal(size=(1000, 1)))
    ranks = rank_p_values(extreme, p_value)
    tail = Tail.of(extreme[:, 0], ranks[:, 0], p_value)
    p = tail.p_values(extreme[:, 0], ranks[:, 0])
    order = np.argsort(-extreme[:, 0])
    assert (np.diff(p[order]) >= 0).all()
    truth = -extreme[:, 0] if p_value else 2 * stats.norm.sf(extreme[:, 0])
    far = truth < 0.05
    np.testing.assert_allclose(np.log(p[far]), np.log(truth[far]), atol=1.0)
    np.testing.assert_array_equal(p[ranks[:, 0] > TAIL], ranks[ranks[:, 0] > TAIL, 0])
    inside = 0.01
    assert tail.p_values(np.array([tail.border(inside)]), np.array([0.0]))[0] == pytest.approx(inside)


def test_tail_with_ties_stays_finite() -> None:
    extreme = np.concatenate([np.full(80, 2.0), np.full(15, 2.0001), [9.0, 30.0, 1e6], np.linspace(0, 1, 902)])
    ranks = rank_p_values(extreme[:, None], p_value=False)[:, 0]
    tail = Tail.of(extreme, ranks, p_value=False)
    p = tail.p_values(extreme, ranks)
    assert (p > 0).all()
    assert np.isfinite(tail.border(float(p.min())))
    assert (np.diff(p[np.argsort(-extreme, kind="stable")]) >= 0).all()


def test_tail_of_one_value_leaves_the_ranks() -> None:
    extreme = np.array([2.0] * 60 + [1.0] * 940)
    ranks = rank_p_values(extreme[:, None], p_value=False)[:, 0]
    np.testing.assert_array_equal(Tail.of(extreme, ranks, p_value=False).p_values(extreme, ranks), ranks)


def test_correction_over_more_attributes_than_there_are_ranks_below_alpha() -> None:
    rng = np.random.default_rng(2)
    extreme = np.abs(rng.normal(size=(1000, 80)))
    extreme[0, 3] = 9.0
    ranks = rank_p_values(extreme, p_value=False)
    assert westfall_young(ranks)[3] > 0.05
    comparable = np.stack([Tail.of(e, r, False).p_values(e, r) for e, r in zip(extreme.T, ranks.T, strict=True)], axis=1)
    assert westfall_young(comparable)[3] == pytest.approx(0.001)
    np.testing.assert_allclose(westfall_young(comparable)[4], 1 - (1 - ranks[0, 4]) ** 80, atol=0.05)


@pytest.mark.parametrize("shift", [0.0, 3.0, 50.0])
def test_noise_beside_a_difference_is_flagged_at_the_level(shift: float) -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        extreme = np.abs(rng.normal(size=(200, 6)))
        extreme[0, 0] += shift
        ranks = rank_p_values(extreme, p_value=False)
        comparable = np.stack([Tail.of(e, r, False).p_values(e, r) for e, r in zip(extreme.T, ranks.T, strict=True)], axis=1)
        hits += westfall_young(comparable)[1:].min() <= 0.05
    assert stats.binomtest(int(hits), 400, 0.05, alternative="greater").pvalue > 0.001
