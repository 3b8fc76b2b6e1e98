"""What is measured, against aif360 and brute force on real folds, and why something is not defined."""

from __future__ import annotations

import numpy as np
import pytest

from fairaudit import aif360_bridge
from fairaudit.baselines.individual import balanced_conditioned_consistency
from fairaudit.evaluation import TEST_METRICS, biased_version, fair_world, make_folds
from fairaudit.evaluation.metrics import consistencies, decided, measure
from fairaudit.mitigation import MITIGATIONS, Scored
from fairaudit.models import fit_classifier
from fairaudit.validation import check_table
from tests.evaluation.conftest import LABEL_BIAS, World
from tests.evaluation.test_folds_and_data import settings


def values(
    y_true: list[int], y_pred: list[int], unprivileged: list[int], y_score: list[float] | None = None
) -> dict[str, tuple[float, str]]:
    """Every metric of a few rows, with consistency 1 and usage 0."""
    labels, decisions = np.array(y_true, dtype=np.int64), np.array(y_pred, dtype=np.int64)
    score = decisions.astype(float) if y_score is None else np.array(y_score)
    return {m: (v, n) for m, v, n in measure(decided(labels, decisions, score, np.array(unprivileged, dtype=bool), 1.0, 0.0))}


def test_by_hand() -> None:
    #           privileged    unprivileged
    got = values([1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1])
    expected = {
        "accuracy": 6 / 8,
        "balanced_accuracy": 0.5 * (3 / 4 + 3 / 4),
        "roc_auc": 0.75,
        "statistical_parity_difference": 1 / 4 - 3 / 4,
        "equalized_odds_difference": 0.5,
        "average_odds_difference": -0.5,
        "equal_opportunity_difference": -0.5,
        "false_positive_rate_difference": -0.5,
        "false_negative_rate_difference": 0.5,
        "false_positive_rate": 1 / 4,
        "false_negative_rate": 1 / 4,
        "balanced_conditioned_consistency": 1.0,
        # Benefits: six times 1, once 2, once 0; mean 1; mean of b^2 is 10 / 8; (10 / 8 - 1) / 2.
        "generalized_entropy_index": 0.125,
        "sensitive_usage": 0.0,
    }
    assert {m: v for m, (v, _) in got.items()} == pytest.approx(expected)
    assert tuple(expected) == TEST_METRICS.names()
    assert all(note == "" for _, note in got.values())


@pytest.mark.parametrize(
    ("rows", "metric", "reason"),
    [
        (([], [], []), "accuracy", "no row is left in the test set"),
        (([1, 0], [1, 0], [0, 0]), "statistical_parity_difference", "the unprivileged group of the test set has no row"),
        (
            ([1, 1, 0], [1, 0, 0], [1, 0, 0]),
            "equalized_odds_difference",
            "the unprivileged group of the test set has no unfavourable label",
        ),
        (
            ([0, 1, 0], [1, 0, 0], [1, 0, 0]),
            "equal_opportunity_difference",
            "the unprivileged group of the test set has no favourable label",
        ),
        (([1, 1], [1, 0], [1, 0]), "roc_auc", "the test set has no unfavourable label"),
        (([1, 1], [0, 0], [1, 0]), "generalized_entropy_index", "every benefit is 0"),
    ],
)
def test_undefined_has_its_reason(rows: tuple[list[int], list[int], list[int]], metric: str, reason: str) -> None:
    value, note = values(*rows)[metric]
    assert np.isnan(value)
    assert note == reason


def test_a_reason_names_only_the_label_that_the_metric_needs() -> None:
    got = values([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0])
    assert got["equal_opportunity_difference"][1] == "the privileged group of the test set has no favourable label"
    assert got["false_positive_rate_difference"][1] == "the unprivileged group of the test set has no unfavourable label"
    assert got["statistical_parity_difference"][1] == ""


def test_facts_about_the_metrics() -> None:
    for spec in TEST_METRICS:
        assert spec.label and spec.short and spec.summary
        assert spec.ideal is None or spec.range[0] <= spec.ideal <= spec.range[1]
    assert TEST_METRICS["accuracy"].loss(np.array([0.9])) == pytest.approx([0.1])
    assert TEST_METRICS["statistical_parity_difference"].loss(np.array([-0.2])) == pytest.approx([0.2])


def test_consistencies_of_several_decisions_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    features = rng.integers(0, 3, size=(40, 4)).astype(float)
    decisions = [rng.integers(0, 2, 40) for _ in range(3)]
    alone = [balanced_conditioned_consistency(features, d) for d in decisions]
    assert consistencies(features, decisions) == alone
    assert np.isnan(consistencies(features[:5], [d[:5] for d in decisions])).all()


def test_consistency_of_a_large_test_set_is_estimated_from_some_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(600, 3))
    decision = (features[:, 0] + 0.2 * rng.normal(size=600) > 0).astype(np.int64)
    whole = consistencies(features, [decision])[0]
    monkeypatch.setattr("fairaudit.evaluation.metrics.CONSISTENCY_ROWS", 300)
    estimate = consistencies(features, [decision])[0]
    assert estimate != whole
    assert estimate == pytest.approx(whole, abs=0.05)
    notes = {m: n for m, _, n in measure(decided(decision, decision, decision.astype(float), features[:, 1] > 0, estimate, 0.0))}
    assert notes["balanced_conditioned_consistency"] == "estimated from 300 of 600 rows"


def brute_force_consistency(features: np.ndarray, decision: np.ndarray) -> float:
    """Balanced conditioned consistency row by row; ties in distance by row order."""
    scale = np.abs(features).max(axis=0)
    scaled = features / np.where(scale > 0, scale, 1)
    total = 0.0
    for i in range(len(scaled)):
        distance = np.sqrt(((scaled - scaled[i]) ** 2).sum(axis=1))
        distance[i] = np.inf
        nearest = np.argsort(distance, kind="stable")[:5]
        agreement = 1 - abs(decision[i] - decision[nearest].mean())
        total += agreement if agreement >= 0.8 - 1e-9 else 0.0
    return total / len(scaled)


@pytest.mark.parametrize("method", ["none", "roc_spd", "eop"])
def test_real_folds_equal_aif360_and_brute_force(student: World, method: str) -> None:
    chosen = settings(LABEL_BIAS, folds=10, seed=1)
    fair = fair_world(check_table(student.data, student.schema), chosen)
    biased = biased_version(fair, chosen, 0.3)
    for fold in make_folds(fair, chosen)[:3]:
        model = fit_classifier("random_forest", biased.features[fold.train], biased.y_true[fold.train])
        sides = []
        for rows in (fold.validation, fold.test):
            score = model.score(biased.features[rows])
            sides.append(Scored(score, (score > 0.5).astype(np.int64), biased.unprivileged[rows], biased.y_true[rows]))
        scored = sides[1]
        if method != "none":
            scored = MITIGATIONS[method].function(sides[0]).apply(scored, np.random.default_rng(0))
        u = fair.fair.unprivileged[fold.test]
        features = fair.fair.features[fold.test, :-1]
        for version in (fair.fair, biased):
            y_true = version.y_true[fold.test]
            consistency = consistencies(features, [scored.y_pred])[0]
            got = {m: v for m, v, _ in measure(decided(y_true, scored.y_pred, scored.y_score, u, consistency, 0.0))}
            theirs = aif360_bridge.aif360_classes().ClassificationMetric(
                aif360_bridge.dataset(y_true, u),
                aif360_bridge.dataset(scored.y_pred, u, scored.y_score),
                unprivileged_groups=aif360_bridge.UNPRIVILEGED,
                privileged_groups=aif360_bridge.PRIVILEGED,
            )
            tpr, fpr = theirs.true_positive_rate_difference(), theirs.false_positive_rate_difference()
            expected = {
                "accuracy": theirs.accuracy(),
                "balanced_accuracy": 0.5 * (theirs.true_positive_rate() + theirs.true_negative_rate()),
                "statistical_parity_difference": theirs.mean_difference(),
                "equalized_odds_difference": max(abs(tpr), abs(fpr)),
                "average_odds_difference": theirs.average_odds_difference(),
                "equal_opportunity_difference": theirs.equal_opportunity_difference(),
                "false_positive_rate_difference": fpr,
                "false_negative_rate_difference": theirs.false_negative_rate_difference(),
                "generalized_entropy_index": theirs.generalized_entropy_index(),
                "balanced_conditioned_consistency": brute_force_consistency(features, scored.y_pred),
            }
            assert {m: got[m] for m in expected} == pytest.approx(expected, abs=1e-9, nan_ok=True)
