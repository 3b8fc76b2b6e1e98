"""Consistency and balanced conditioned consistency against a brute-force loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairaudit.baselines import Sampling, Side, balanced_conditioned_consistency, consistency, measure
from fairaudit.baselines.individual import conditioned, consistency_scores


def by_hand(features: np.ndarray, outcome: np.ndarray, *, leave_self_out: bool) -> np.ndarray:
    """Consistency score of each row by a loop; features without tied distances."""
    scores = []
    for i in range(len(outcome)):
        distance = np.sqrt(((features - features[i]) ** 2).sum(axis=1))
        if leave_self_out:
            distance[i] = math.inf
        scores.append(1 - abs(outcome[i] - outcome[np.argsort(distance)[:5]].mean()))
    return np.array(scores)


@pytest.mark.parametrize("seed", range(4))
def test_equals_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, outcome = rng.normal(size=(80, 3)) * [1, 10, 0.1], rng.integers(0, 2, 80)
    assert_allclose(consistency(features, outcome), by_hand(features, outcome, leave_self_out=False).mean(), atol=1e-12)
    scores = by_hand(features / np.abs(features).max(axis=0), outcome, leave_self_out=True)
    expected = np.where(np.round(scores, 6) >= 0.8, scores, 0).mean()
    assert_allclose(balanced_conditioned_consistency(features, outcome), expected, atol=1e-12)


def test_four_fifths_of_the_neighbours_are_enough() -> None:
    # 1 - |1 - 4/5| is below 0.8 in floating point.
    score = 1 - abs(1 - np.mean([1, 1, 1, 1, 0]))
    assert conditioned(np.array([score, score - 0.2])).tolist() == [score, 0.0]


def test_copies_of_a_row_do_not_make_it_its_own_neighbour() -> None:
    features, outcome = np.zeros((12, 2)), np.arange(12) % 2
    found = consistency_scores(features, outcome, leave_self_out=True, algorithm="brute")
    # Of the 12 equal rows 5 others are neighbours, whichever; a row that counted itself would agree with one more.
    assert len(found) == 12
    assert set(np.round(found, 6)) <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    rng = np.random.default_rng(0)
    features = rng.integers(0, 2, (200, 2)).astype(float)
    outcome = np.zeros(200)
    outcome[17] = 1
    assert consistency_scores(features, outcome, leave_self_out=True, algorithm="brute")[17] == 0


def test_clusters_by_hand() -> None:
    features = np.r_[np.arange(6) * 0.01, 100 + np.arange(6) * 0.01][:, None]
    outcome = np.r_[np.ones(6), np.zeros(6)]
    assert consistency(features, outcome) == 1
    assert balanced_conditioned_consistency(features, outcome) == 1
    outcome[0] = 0
    assert balanced_conditioned_consistency(features, outcome) == pytest.approx((0 + 5 * 0.8 + 6) / 12)


def test_a_feature_of_zeros_does_no_harm() -> None:
    features = np.c_[np.arange(20.0), np.zeros(20)]
    outcome = np.arange(20) >= 10
    assert balanced_conditioned_consistency(features, outcome) == balanced_conditioned_consistency(features[:, :1], outcome)


def test_scored_rows_keep_their_scores() -> None:
    rng = np.random.default_rng(1)
    features, outcome = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    rows = np.array([3, 50, 99])
    for options in ({"leave_self_out": True}, {}):
        whole = consistency_scores(features, outcome, **options)
        assert_allclose(consistency_scores(features, outcome, rows=rows, **options), whole[rows])


def test_large_sides_are_sampled_and_say_so() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(3000, 2))
    outcome = features[:, 0] + rng.normal(0, 0.5, 3000) > 0
    side = Side.of("day 1", y_pred=outcome, features=features)
    exact = measure("consistency", side, side, Sampling(neighbour_rows=None))
    sampled = measure("consistency", side, side, Sampling(neighbour_rows=500))
    assert exact.value == pytest.approx(consistency(features, outcome))
    assert exact.note == ""
    assert "estimated from 500 of 3000 rows" in sampled.note
    assert sampled.low < exact.value < sampled.high
    assert abs(sampled.value - exact.value) < 0.05


def test_very_large_sides_look_for_neighbours_among_a_part() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(4000, 2))
    side = Side.of("day 1", y_pred=features[:, 0] > 0, features=features)
    sampled = measure("consistency", side, side, Sampling(neighbour_rows=20))
    assert "estimated from 20 of 4000 rows, each against a random 2000 of them" in sampled.note
    assert 0.8 < sampled.value <= 1


def test_incomplete_rows_are_left_out_and_counted() -> None:
    rng = np.random.default_rng(3)
    features, outcome = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    gaps = np.r_[features, [[np.nan, 1.0], [np.inf, 1.0]]]
    side = Side.of("day 1", y_pred=np.r_[outcome, 1, 1], features=gaps)
    measured = measure("consistency", side, side)
    assert measured.value == pytest.approx(consistency(features, outcome))
    assert "2 rows of day 1 with a missing value are left out" in measured.note


def test_the_sensitive_attribute_is_left_out_of_the_conditioned_form() -> None:
    rng = np.random.default_rng(4)
    features, outcome = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    side = Side.of("a", y_pred=outcome, features=features, features_without_sensitive=features[:, :2])
    assert measure("consistency", side, side).value == pytest.approx(consistency(features, outcome))
    expected = balanced_conditioned_consistency(features[:, :2], outcome)
    assert measure("balanced_conditioned_consistency", side, side).value == pytest.approx(expected)
