"""Mitigation methods by hand, by brute force, and against aif360."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairaudit import aif360_bridge
from fairaudit.errors import NotMeasurableError
from fairaudit.mitigation import (
    MITIGATIONS,
    Scored,
    Training,
    fit_calibrated_equalized_odds,
    fit_equalized_odds,
    fit_reject_option,
    labels_to_swap,
    massage,
    ranking_scores,
    reweighing_weights,
)
from fairaudit.mitigation.reject_option import reject_option_grid

AIMS = {
    "roc_spd": "statistical_parity_difference",
    "roc_eqop": "equal_opportunity_difference",
    "roc_avod": "average_odds_difference",
}


def scored(seed: int, n: int = 80, gap: float = 0.4, digits: int | None = None) -> Scored:
    """Random validation rows; the unprivileged group has fewer favourable labels and lower scores."""
    rng = np.random.default_rng(seed)
    unprivileged = rng.random(n) < 0.4
    y_true = (rng.random(n) < np.where(unprivileged, 0.8 - gap, 0.8)).astype(np.int64)
    y_score = np.clip(0.3 * y_true - gap * unprivileged + rng.normal(0.45, 0.2, n), 0, 1)
    if digits is not None:
        y_score = np.round(y_score, digits)
    return Scored(y_score, (y_score > 0.5).astype(np.int64), unprivileged, y_true)


def training(seed: int, n: int = 120) -> Training:
    """Random training rows with three categorical columns."""
    rng = np.random.default_rng(seed)
    unprivileged = rng.random(n) < 0.4
    codes = rng.integers(0, 4, size=(n, 3))
    y_true = (rng.random(n) < np.where(unprivileged, 0.3, 0.5) + 0.1 * codes[:, 0]).astype(np.int64)
    features = np.column_stack([codes.astype(float), unprivileged.astype(float)])
    return Training(features, codes, y_true, unprivileged, 3)


def legacy(seed: int) -> np.random.RandomState:
    """The generator behind numpy's global state, which aif360 draws from."""
    return np.random.RandomState(seed)


def test_names_and_stages() -> None:
    stages = {spec.name: spec.stage for spec in MITIGATIONS}
    assert list(stages) == ["none", "reweighing", "massaging", "ftu", "eop", "ceo", "roc_spd", "roc_eqop", "roc_avod"]
    assert [n for n, s in stages.items() if s == "pre"] == ["reweighing", "massaging", "ftu"]
    assert [n for n, s in stages.items() if s == "post"] == ["eop", "ceo", "roc_spd", "roc_eqop", "roc_avod"]
    assert all(spec.label and spec.summary and spec.reference and spec.aim for spec in MITIGATIONS)


# Before training


def test_reweighing_by_hand() -> None:
    y_true = np.array([1, 1, 1, 0, 1, 0, 0, 0])
    unprivileged = np.array([False] * 4 + [True] * 4)
    # Both groups are half of the rows and half of the labels are 1: every cell should hold 2 rows; it holds 3, 1, 1 and 3.
    expected = [2 / 3] * 3 + [2.0, 2.0] + [2 / 3] * 3
    np.testing.assert_allclose(reweighing_weights(y_true, unprivileged), expected)


@given(st.integers(0, 10_000))
def test_reweighted_labels_are_independent_of_the_group(seed: int) -> None:
    rows = training(seed)
    weights = reweighing_weights(rows.y_true, rows.unprivileged)
    assert weights.sum() == pytest.approx(len(weights))
    rates = [np.average(rows.y_true[m], weights=weights[m]) for m in (rows.unprivileged, ~rows.unprivileged)]
    assert rates[0] == pytest.approx(rates[1])
    assert rates[0] == pytest.approx(rows.y_true.mean())


@pytest.mark.parametrize("seed", range(5))
def test_reweighing_equals_aif360(seed: int) -> None:
    rows = training(seed)
    ours = MITIGATIONS["reweighing"].function(rows).sample_weight
    np.testing.assert_allclose(ours, aif360_bridge.reweighing(rows).sample_weight, rtol=1e-12)


def test_reweighing_with_one_group_changes_nothing() -> None:
    assert reweighing_weights(np.array([1, 0, 1]), np.zeros(3, dtype=bool)).tolist() == [1.0, 1.0, 1.0]


def test_massaging_by_hand() -> None:
    # Privileged 4 of 5 favourable, unprivileged 1 of 5: disc 0.6, M = ceil(0.6 * 5 * 5 / 10) = ceil(1.5) = 2.
    y_true = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 0])
    unprivileged = np.array([False] * 5 + [True] * 5)
    ranking = np.array([0.9, 0.6, 0.8, 0.7, 0.1, 0.9, 0.2, 0.5, 0.4, 0.1])
    assert labels_to_swap(y_true, unprivileged) == 2
    assert massage(y_true, unprivileged, ranking).tolist() == [1, 0, 1, 0, 0, 1, 0, 1, 1, 0]


@given(st.integers(0, 10_000), st.booleans())
def test_massaging_levels_the_groups_and_never_works_backwards(seed: int, swapped: bool) -> None:
    rows = training(seed)
    unprivileged = ~rows.unprivileged if swapped else rows.unprivileged
    before = rows.y_true[~unprivileged].mean() - rows.y_true[unprivileged].mean()
    after = massage(rows.y_true, unprivileged, ranking_scores(rows.codes, rows.y_true))
    if before <= 0:
        np.testing.assert_array_equal(after, rows.y_true)
        return
    m = labels_to_swap(rows.y_true, unprivileged)
    assert (after != rows.y_true).sum() == 2 * m
    assert after.sum() == rows.y_true.sum()
    assert set(np.flatnonzero(after > rows.y_true)) <= set(np.flatnonzero(unprivileged))
    gap = after[~unprivileged].mean() - after[unprivileged].mean()
    assert -1 / unprivileged.sum() - 1 / (~unprivileged).sum() <= gap <= 1e-12


def test_massaging_with_negative_discrimination_says_that_nothing_was_done() -> None:
    rows = training(3)
    ahead = Training(rows.features, rows.codes, rows.unprivileged.astype(np.int64), rows.unprivileged, 3)
    result = MITIGATIONS["massaging"].function(ahead)
    np.testing.assert_array_equal(result.y_true, ahead.y_true)
    assert "no label is swapped" in result.note


def test_number_of_swaps_is_exact() -> None:
    # 5 of 7 against 3 of 7: (2 / 7) * 7 * 7 / 14 is 1; in floating point it comes out a little above, and the ceiling would be 2.
    y_true = np.array([1] * 5 + [0] * 2 + [1] * 3 + [0] * 4)
    assert labels_to_swap(y_true, np.arange(14) >= 7) == 1


def test_unawareness_takes_the_sensitive_column_out() -> None:
    rows = training(1)
    result = MITIGATIONS["ftu"].function(rows)
    np.testing.assert_array_equal(result.features, rows.features[:, :3])
    assert result.sensitive_column is None


# Reject option


def brute_force(v: Scored, aim: str, bounds: tuple[float, float] = (-0.05, 0.05)) -> tuple[float, float, bool]:
    """Threshold, margin and feasibility by deciding for every candidate and looking at the decisions."""
    assert v.y_true is not None
    u, y = v.unprivileged, v.y_true.astype(bool)
    best: tuple[float, float, bool] | None = None
    best_balanced, lowest, fallback = -np.inf, np.inf, (np.nan, np.nan, False)
    for threshold in np.linspace(0.01, 0.99, 100):
        for margin in np.linspace(0.0, threshold if threshold <= 0.5 else 1.0 - threshold, 50):
            d = v.y_score > threshold
            unsure = (v.y_score <= threshold + margin) & (v.y_score > threshold - margin)
            d = np.where(unsure, u, d)
            rate = {
                "statistical_parity_difference": lambda m, d=d: d[m].sum() / m.sum(),
                "equal_opportunity_difference": lambda m, d=d: d[m & y].sum() / (m & y).sum(),
                "average_odds_difference": lambda m, d=d: d[m & ~y].sum() / (m & ~y).sum(),
            }
            gap = rate[aim](u) - rate[aim](~u)
            if aim == "average_odds_difference":
                gap = 0.5 * (gap + (rate["equal_opportunity_difference"](u) - rate["equal_opportunity_difference"](~u)))
            balanced = 0.5 * (d[y].sum() / y.sum() + (~d[~y]).sum() / (~y).sum())
            if bounds[0] <= gap <= bounds[1] and balanced > best_balanced:
                best, best_balanced = (threshold, margin, True), balanced
            if gap < lowest:
                fallback, lowest = (threshold, margin, False), gap
    return best or fallback


@pytest.mark.parametrize("aim", AIMS.values())
@pytest.mark.parametrize(("seed", "digits"), [(0, None), (1, 2), (2, 1)])
def test_reject_option_equals_brute_force(aim: str, seed: int, digits: int | None) -> None:
    v = scored(seed, n=50, digits=digits)
    assert v.y_true is not None
    ours = fit_reject_option(v.y_true, v.y_score, v.unprivileged, aim)
    assert (ours.threshold, ours.margin, ours.feasible) == brute_force(v, aim)


def test_reject_option_without_a_feasible_candidate_takes_the_smallest_signed_gap() -> None:
    v = scored(0, n=50)
    assert v.y_true is not None
    # Everybody unprivileged scores 0.999, everybody else 0: from any threshold on the gap is 1.
    score = np.where(v.unprivileged, 0.999, 0.0)
    ours = fit_reject_option(v.y_true, score, v.unprivileged)
    assert not ours.feasible
    assert ours.fairness == 1.0
    assert "smallest signed gap (1.000)" in ours.note
    rows = Scored(score, (score > 0.5).astype(np.int64), v.unprivileged, v.y_true)
    assert (ours.threshold, ours.margin, False) == brute_force(rows, "statistical_parity_difference")
    theirs = aif360_bridge.reject_option(rows, "roc_spd").fitted
    assert (ours.threshold, ours.margin) == (theirs.classification_threshold, theirs.ROC_margin)


def assert_equals_aif360(v: Scored, method: str) -> None:
    """The same threshold, margin and decisions as aif360."""
    ours, theirs = MITIGATIONS[method].function(v), aif360_bridge.METHODS[method](v)
    assert ours.threshold == theirs.fitted.classification_threshold
    assert ours.margin == theirs.fitted.ROC_margin
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(ours.apply(v, rng).y_pred, theirs.apply(v, rng).y_pred)


@pytest.mark.parametrize("method", AIMS)
def test_reject_option_equals_aif360(method: str) -> None:
    assert_equals_aif360(scored(5, digits=2), method)


@pytest.mark.slow
@pytest.mark.parametrize("method", AIMS)
@pytest.mark.parametrize("seed", range(6))
def test_reject_option_equals_aif360_on_more_data(method: str, seed: int) -> None:
    assert_equals_aif360(scored(seed, n=60 + 37 * seed, gap=0.15 * seed, digits=[None, 3, 1][seed % 3]), method)


def test_reject_option_grid_is_aif360s() -> None:
    thresholds, margins = reject_option_grid()
    assert thresholds.shape == margins.shape == (100, 50)
    for row, threshold in enumerate(np.linspace(0.01, 0.99, 100)):
        widest = threshold if threshold <= 0.5 else 1.0 - threshold
        np.testing.assert_array_equal(margins[row], np.linspace(0.0, widest, 50))
        assert (thresholds[row] == threshold).all()


# Equalized odds


@pytest.mark.parametrize("seed", range(12))
def test_equalized_odds_equals_aif360(seed: int) -> None:
    v = scored(seed, n=60 + seed)
    ours, theirs = MITIGATIONS["eop"].function(v), aif360_bridge.equalized_odds(v)
    shares = [ours.keep_privileged, ours.turn_privileged, ours.keep_unprivileged, ours.turn_unprivileged]
    np.testing.assert_array_equal(shares, theirs.fitted.model_params.x)
    np.testing.assert_array_equal(ours.apply(v, legacy(seed)).y_pred, theirs.apply_seeded(v, seed).y_pred)


def test_equalized_odds_equalises_expected_rates() -> None:
    v = scored(3, n=400)
    assert v.y_true is not None
    rule = fit_equalized_odds(v.y_true, v.y_pred, v.unprivileged)
    chance = np.where(
        v.unprivileged,
        np.where(v.y_pred == 1, rule.keep_unprivileged, rule.turn_unprivileged),
        np.where(v.y_pred == 1, rule.keep_privileged, rule.turn_privileged),
    )
    for label in (0, 1):
        rows = v.y_true == label
        assert chance[rows & v.unprivileged].mean() == pytest.approx(chance[rows & ~v.unprivileged].mean(), abs=1e-9)


def test_equalized_odds_says_when_everybody_gets_the_same_decision() -> None:
    y_true = np.array([1, 0, 1, 0, 1, 0, 0, 0])
    unprivileged = np.array([False] * 4 + [True] * 4)
    # Decisions that have nothing to do with the labels of the privileged group, and mostly unfavourable labels elsewhere.
    y_pred = np.array([1, 1, 0, 0, 1, 0, 0, 0])
    rule = fit_equalized_odds(y_true, y_pred, unprivileged)
    decided = rule.apply(Scored(y_pred * 0.9, y_pred, unprivileged), np.random.default_rng(0)).y_pred
    assert ("everyone" in rule.note) == (len(set(decided.tolist())) == 1)


# Calibrated equalized odds


@pytest.mark.parametrize("seed", range(12))
def test_calibrated_equalized_odds_equals_aif360(seed: int) -> None:
    v = scored(seed, n=60 + seed, gap=0.05 * (seed % 8))
    ours, theirs = MITIGATIONS["ceo"].function(v), aif360_bridge.calibrated_equalized_odds(v)
    np.testing.assert_allclose(ours.mix_privileged, theirs.fitted.priv_mix_rate, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.mix_unprivileged, theirs.fitted.unpriv_mix_rate, rtol=1e-9, atol=1e-12)
    a, b = ours.apply(v, legacy(seed)), theirs.apply_seeded(v, seed)
    np.testing.assert_array_equal(a.y_pred, b.y_pred)
    np.testing.assert_allclose(a.y_score, b.y_score, rtol=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_calibrated_equalized_odds_with_one_label_in_a_group_leaves_everyone_alone_as_aif360_does(label: int) -> None:
    v = scored(0)
    assert v.y_true is not None
    y_true = np.where(v.unprivileged, label, v.y_true)
    rows = Scored(v.y_score, v.y_pred, v.unprivileged, y_true)
    ours, theirs = MITIGATIONS["ceo"].function(rows), aif360_bridge.calibrated_equalized_odds(rows)
    assert "no score is replaced" in ours.note
    np.testing.assert_array_equal(ours.apply(rows, legacy(0)).y_score, rows.y_score)
    np.testing.assert_array_equal(theirs.apply_seeded(rows, 0).y_score, rows.y_score)


def test_calibrated_equalized_odds_by_hand() -> None:
    # Privileged: labels 1, 0 with scores 0.9, 0.1: cost 0.5 * 0.1 * 0.5 + 0.5 * 0.1 * 0.5 = 0.05; by the base rate 0.5: 0.25.
    # Unprivileged: labels 1, 0 with scores 0.7, 0.3: cost 0.15. Share (0.15 - 0.05) / (0.25 - 0.05) = 0.5 of the privileged.
    rule = fit_calibrated_equalized_odds(
        np.array([1, 0, 1, 0]), np.array([0.9, 0.1, 0.7, 0.3]), np.array([False, False, True, True])
    )
    assert rule.mix_privileged == pytest.approx(0.5)
    assert rule.mix_unprivileged == 0.0


# Failures


@pytest.mark.parametrize(
    ("group", "label", "failing"),
    [
        ("unprivileged", 1, {"eop", "roc_eqop", "roc_avod"}),
        ("unprivileged", 0, {"eop", "roc_avod"}),
        ("privileged", 1, {"eop", "roc_eqop", "roc_avod"}),
        ("privileged", 0, {"eop", "roc_avod"}),
    ],
)
def test_methods_fail_exactly_when_a_group_lacks_the_label_they_need(group: str, label: int, failing: set[str]) -> None:
    v = scored(0)
    assert v.y_true is not None
    members = v.unprivileged if group == "unprivileged" else ~v.unprivileged
    rows = Scored(v.y_score, v.y_pred, v.unprivileged, np.where(members, 1 - label, v.y_true))
    kind = "favourable" if label else "unfavourable"
    for spec in MITIGATIONS:
        if spec.stage != "post":
            continue
        if spec.name in failing:
            with pytest.raises(NotMeasurableError, match=f"the {group} group has no {kind} label in the validation fold"):
                spec.function(rows)
        else:
            assert spec.function(rows).apply(rows, np.random.default_rng(0)).y_pred.shape == rows.y_pred.shape


@pytest.mark.parametrize("method", ["eop", "ceo", "roc_spd", "roc_eqop", "roc_avod"])
def test_methods_need_both_groups(method: str) -> None:
    v = scored(0)
    rows = Scored(v.y_score, v.y_pred, np.ones(len(v.y_pred), dtype=bool), v.y_true)
    with pytest.raises(NotMeasurableError, match="the privileged group has no row"):
        MITIGATIONS[method].function(rows)


def test_reject_option_needs_both_labels() -> None:
    v = scored(0)
    with pytest.raises(NotMeasurableError, match="all labels in the validation fold are the same"):
        fit_reject_option(np.ones(len(v.y_pred)), v.y_score, v.unprivileged)


@pytest.mark.parametrize("spec", [s for s in MITIGATIONS if s.stage == "post"], ids=lambda s: s.name)
def test_rules_keep_their_input_and_follow_the_seed(spec) -> None:  # type: ignore[no-untyped-def]
    v = scored(7)
    before = v.y_pred.copy(), v.y_score.copy()
    rule = spec.function(v)
    a, b = (rule.apply(v, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(a.y_pred, b.y_pred)
    np.testing.assert_array_equal(v.y_pred, before[0])
    np.testing.assert_array_equal(v.y_score, before[1])
    assert set(np.unique(a.y_pred)) <= {0, 1}


# The bridge


def test_bridge_leaves_logger_and_random_state_alone() -> None:
    handlers, level = logging.root.handlers[:], logging.root.manager.disable
    state = np.random.get_state()  # noqa: NPY002 - the state that must not move
    v = scored(1)
    aif360_bridge.equalized_odds(v).apply(v, np.random.default_rng(0))
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(state, after, strict=True))
    assert logging.root.handlers == handlers
    assert logging.root.manager.disable == level


def test_bridge_prints_nothing_and_installs_no_handler() -> None:
    code = "import logging; from fairaudit import aif360_bridge as b; b.aif360_classes(); assert not logging.root.handlers"
    root = Path(__file__).resolve().parents[1]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_methods_do_not_import_aif360() -> None:
    code = "import sys; import fairaudit.mitigation, fairaudit.evaluation; assert 'aif360' not in sys.modules"
    root = Path(__file__).resolve().parents[1]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
