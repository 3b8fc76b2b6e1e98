"""The arithmetic of the injections on small arrays, worked by hand or against the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairaudit.errors import SettingsError, UnknownNameError
from fairaudit.injection import (
    SELECTION_KINDS,
    apportion,
    category_moves,
    label_bias_scores,
    label_flips,
    score_scale,
    selection_removal_order,
)
from fairaudit.injection.arrays import nested_rows, weighted_order


def test_label_bias_scores_follow_the_formula() -> None:
    score = np.array([0.0, 4.0, 8.0, np.nan])
    group = np.array([True, False, True, True])
    # scale = (8 - 0) / 2 = 4; the penalty at 0.25 is 1.
    np.testing.assert_array_equal(label_bias_scores(score, group, 0.25, noise=0.0), [-1.0, 4.0, 7.0, np.nan])
    np.testing.assert_array_equal(label_bias_scores(score, group, 0.5, noise=0.0, scale=1.0), [-0.5, 4.0, 7.5, np.nan])
    drawn = np.random.default_rng(8).normal(0.0, 0.2 * 4, 4)
    np.testing.assert_array_equal(label_bias_scores(score, group, 0.25, noise=0.2, seed=8), score - [1, 0, 1, 1] + drawn)


def test_noise_is_shared_by_all_levels_and_absent_at_zero() -> None:
    rng = np.random.default_rng(0)
    score, group = rng.normal(size=50), rng.random(50) < 0.5
    unit = score_scale(score)
    errors = [label_bias_scores(score, group, s, noise=0.3) + s * unit * group - score for s in (0.1, 0.6, 1.0)]
    np.testing.assert_allclose(errors[0], errors[1], atol=1e-12)
    np.testing.assert_allclose(errors[0], errors[2], atol=1e-12)
    np.testing.assert_array_equal(label_bias_scores(score, group, 0.0, noise=0.3), score)


def test_label_flips_take_the_share_of_favourable_group_rows() -> None:
    favourable = np.array([1.0] * 10 + [0.0] * 10 + [np.nan] * 2)
    group = np.array([True] * 8 + [False] * 2 + [True] * 12)
    down, up = label_flips(favourable, group, 0.5)
    assert len(down) == 4
    assert set(down) <= set(range(8))
    assert len(up) == 0
    down, up = label_flips(favourable, group, 0.5, noise=1.0)
    assert down.tolist() == list(range(10))
    assert up.tolist() == list(range(10, 20))
    assert [len(rows) for rows in label_flips(favourable, group, 0.0, noise=1.0)] == [0, 0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda w: sum(w) > 0), st.integers(0, 500))
def test_apportion_is_within_one_of_the_exact_share(weights: list[float], n: int) -> None:
    shares = np.array(weights) / sum(weights)
    counts = apportion(shares, n)
    assert counts.sum() == n
    assert (np.abs(counts - shares * n) < 1 + 1e-6).all()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 100), st.data())
def test_category_moves_are_the_fewest_and_go_straight(codes: list[int], seed: int, data: st.DataObject) -> None:
    start = np.bincount(codes, minlength=4)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(codes)), min_size=3, max_size=3)))
    target = np.diff([0, *cuts, len(codes)])
    items, new_codes = category_moves(np.array(codes), target, np.random.default_rng(seed))
    assert len(items) == np.abs(target - start).sum() / 2
    assert len(set(items.tolist())) == len(items)
    moved = np.array(codes)
    for done, (item, code) in enumerate(zip(items, new_codes, strict=True), start=1):
        assert moved[item] != code
        moved[item] = code
        line = start + (target - start) * done / len(items)
        assert (np.abs(np.bincount(moved, minlength=4) - line) <= 1 + 1e-9).all()
    np.testing.assert_array_equal(np.bincount(moved, minlength=4), target)


def test_weighted_order_draws_in_proportion_to_the_weights() -> None:
    rng = np.random.default_rng(0)
    orders = np.array([weighted_order(np.array([1.0, 2.0, 5.0, 0.0]), rng) for _ in range(4000)])
    first = np.bincount(orders[:, 0], minlength=4)
    assert stats.chisquare(first[:3], 4000 * np.array([1, 2, 5]) / 8).pvalue > 0.001
    assert (orders[:, 3] == 3).all()


def test_nested_rows_grow() -> None:
    rows = np.arange(100, 133)
    drawn = [nested_rows(rows, s, np.random.default_rng(1)) for s in (0, 0.2, 0.5, 1)]
    assert [len(d) for d in drawn] == [0, 7, 17, 33]
    assert all(set(a) <= set(b) for a, b in itertools.pairwise(drawn))


@pytest.mark.parametrize("kind", SELECTION_KINDS)
@given(strengths=st.lists(st.floats(0, 1), min_size=2, max_size=8), seed=st.integers(0, 1000))
def test_selection_never_brings_a_row_back(kind: str, strengths: list[float], seed: int) -> None:
    rng = np.random.default_rng(3)
    group, favourable, score = rng.random(97) < 0.6, rng.random(97) < 0.5, rng.normal(size=97)
    order = selection_removal_order(kind, group, favourable, score, seed)
    assert len(np.unique(order.rows)) == len(order.rows) == order.counts[-1]
    gone = [set(order.removed(s).tolist()) for s in sorted(strengths)]
    assert all(a <= b for a, b in itertools.pairwise(gone))
    for level in range(11):
        assert order.n_removed(level / 10) == order.counts[level]


def test_malicious_selection_takes_both_kinds_in_proportion() -> None:
    group = np.repeat([True, False], [100, 300])
    favourable = np.r_[np.repeat([1.0, 0.0, np.nan], [60, 35, 5]), np.repeat([1.0, 0.0], [280, 20])]
    order = selection_removal_order("malicious_selection", group, favourable)
    # Steps of 10; 60 against 20: int(7.5) + int(2.5) = 9, then 53 against 18: int(7.46) + int(2.53) = 9.
    assert order.counts[:3].tolist() == [0, 9, 18]
    first = order.removed(0.1)
    assert (favourable[first] == group[first]).all()
    assert group[first].sum() == 7
    assert (favourable[order.rows] == group[order.rows]).all()


def test_malicious_selection_stops_when_nobody_is_left() -> None:
    group = np.repeat([True, False], [100, 10])
    order = selection_removal_order("malicious_selection", group, np.repeat([1.0, 0.0, 1.0], [5, 95, 10]))
    assert order.counts.tolist() == [0] + [5] * 10


def test_self_selection_weights_are_those_of_the_paper() -> None:
    # Scores 0 (ten rows) and 2 (ten rows): weights 4.25 and 0.25, so the first of two rows is low with probability 4.25 / 4.5.
    score = np.repeat([0.0, 2.0], 10)
    first = [
        score[selection_removal_order("self_selection", np.ones(20, bool), score=score, seed=s).rows[0]] for s in range(3000)
    ]
    low = np.mean(np.array(first) == 0)
    assert abs(low - 4.25 / 4.5) < 4 * np.sqrt(low * (1 - low) / 1000)


def test_missing_scores_count_as_the_mean() -> None:
    score = np.r_[np.repeat(np.nan, 10), np.repeat([0.0, 1.0], 10)]
    order = selection_removal_order("self_selection", np.ones(30, bool), score=score)
    assert len(order.rows) == 30
    assert len(selection_removal_order("self_selection", np.ones(20, bool), score=np.full(20, np.nan)).rows) == 20


def test_levels_can_be_finer() -> None:
    order = selection_removal_order("random_selection", np.ones(100, bool), levels=4)
    assert order.counts.tolist() == [0, 25, 50, 75, 100]


def test_what_is_needed_is_asked_for() -> None:
    group = np.ones(10, bool)
    with pytest.raises(UnknownNameError, match="random_selection"):
        selection_removal_order("random_selecton", group)
    with pytest.raises(SettingsError, match="score"):
        selection_removal_order("self_selection", group)
    with pytest.raises(SettingsError, match="labels"):
        selection_removal_order("malicious_selection", group)
