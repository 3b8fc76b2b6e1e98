"""Equalized odds and calibrated equalized odds: turn decisions, or withhold scores, of a random share of a group."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog

from fairaudit.errors import NotMeasurableError
from fairaudit.mitigation.checks import REMEDY, require_labels, validation_labels
from fairaudit.mitigation.registry import MITIGATIONS, RandomSource, Scored
from fairaudit.models import DECISION_THRESHOLD


@dataclass(frozen=True)
class EqualizedOdds:
    """Shares of decisions that are kept or turned, per group.

    Attributes
    ----------
    keep_privileged, keep_unprivileged : float
        Share of the model's favourable decisions that stay favourable.
    turn_privileged, turn_unprivileged : float
        Share of the model's unfavourable decisions that become favourable.
    """

    keep_privileged: float
    turn_privileged: float
    keep_unprivileged: float
    turn_unprivileged: float

    @property
    def note(self) -> str:
        """Says when everyone gets the same decision."""
        shares = np.array([self.keep_privileged, self.turn_privileged, self.keep_unprivileged, self.turn_unprivileged])
        if np.all(shares < 1e-9):
            return "the linear programme chose to decide unfavourably for everyone"
        if np.all(shares > 1 - 1e-9):
            return "the linear programme chose to decide favourably for everyone"
        return ""

    def apply(self, scored: Scored, rng: RandomSource) -> Scored:
        """Turn a randomly drawn share of each group's decisions; exactly that share, rounded down."""
        y_pred = scored.y_pred.copy()
        for members, keep, turn in (
            (~scored.unprivileged, self.keep_privileged, self.turn_privileged),
            (scored.unprivileged, self.keep_unprivileged, self.turn_unprivileged),
        ):
            favourable = np.flatnonzero(members & (scored.y_pred == 1))
            unfavourable = np.flatnonzero(members & (scored.y_pred == 0))
            rng.shuffle(favourable)
            rng.shuffle(unfavourable)
            y_pred[unfavourable[: int(len(unfavourable) * turn)]] = 1
            y_pred[favourable[: int(len(favourable) * (1 - keep))]] = 0
        return replace(scored, y_pred=y_pred)


def fit_equalized_odds(y_true: np.ndarray, y_pred: np.ndarray, unprivileged: np.ndarray) -> EqualizedOdds:
    """Shares of decisions to turn so that both groups have the same true and false positive rate at the smallest expected error.

    The same linear programme as ``aif360.algorithms.postprocessing.EqOddsPostprocessing``, which works on decisions, not on scores.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        0/1 labels and decisions of the validation rows.
    unprivileged : ndarray of bool of shape (n_samples,)

    Returns
    -------
    EqualizedOdds

    Raises
    ------
    NotMeasurableError
        If a group lacks a favourable or an unfavourable label, or the programme has no solution.

    References
    ----------
    .. [1] M. Hardt, E. Price, N. Srebro, Equality of opportunity in supervised learning, NeurIPS 2016.
    """
    y_true, y_pred = y_true.astype(bool), y_pred.astype(bool)
    require_labels(y_true, unprivileged, per_group=(True, False))
    cost: list[float] = []
    equal: list[list[float]] = [[], []]
    for members, sign in ((~unprivileged, 1.0), (unprivileged, -1.0)):
        t, d = y_true[members], y_pred[members]
        n_positive, n_negative = np.count_nonzero(t), np.count_nonzero(~t)
        true_positives, false_positives = np.count_nonzero(t & d), np.count_nonzero(~t & d)
        false_negatives, true_negatives = n_positive - true_positives, n_negative - false_positives
        cost += [
            false_positives / n_negative - true_positives / n_positive,
            true_negatives / n_negative - false_negatives / n_positive,
        ]
        # The same rates written as shares of the group over the base rate: aif360's arithmetic to the last bit, so that rounding down a
        # number of people cannot come out one lower.
        n, base_rate = len(t), n_positive / len(t)
        equal[0] += [sign * (true_positives / n / base_rate), sign * (false_negatives / n / base_rate)]
        equal[1] += [sign * (false_positives / n / (1 - base_rate)), sign * (true_negatives / n / (1 - base_rate))]
    at_most_1_at_least_0 = np.kron(np.eye(4), [[1.0], [-1.0]])
    solution = linprog(cost, A_ub=at_most_1_at_least_0, b_ub=[1.0, 0.0] * 4, A_eq=equal, b_eq=[0.0, 0.0])
    if solution.x is None:
        raise NotMeasurableError(f"the linear programme of equalized odds has no solution: {solution.message}", REMEDY)
    return EqualizedOdds(*(float(share) for share in solution.x))


@MITIGATIONS.register(
    name="eop",
    label="Equalized odds",
    summary="Turns a random share of each group's decisions so that both groups get the same error rates on the validation rows.",
    pitfall="At high bias levels it often decides the same for everyone; it fails when a group lacks one label in the validation fold.",
    reference="Hardt, Price, Srebro (2016)",
    formula=r"\min E[\ell(\tilde y, y)] \ \text{s.t.}\ TPR_u = TPR_p,\ FPR_u = FPR_p",
    stage="post",
    aim="equalized odds on the validation rows",
    randomised=True,
)
def equalized_odds(validation: Scored) -> EqualizedOdds:
    """Fit on the decisions of the validation rows; see ``fit_equalized_odds``."""
    return fit_equalized_odds(validation_labels(validation), validation.y_pred, validation.unprivileged)


@dataclass(frozen=True)
class CalibratedEqualizedOdds:
    """Shares of people whose score is replaced by the base rate of their group.

    Attributes
    ----------
    mix_privileged, mix_unprivileged : float
        At most one of them is above 0. A share above 1 means everyone.
    base_rate_privileged, base_rate_unprivileged : float
        Share of favourable labels among the validation rows.
    note : str
    """

    mix_privileged: float
    mix_unprivileged: float
    base_rate_privileged: float
    base_rate_unprivileged: float
    note: str = ""

    def apply(self, scored: Scored, rng: RandomSource) -> Scored:
        """Replace the scores of a random share of each group, and decide at 0.5 (0.5 itself is favourable)."""
        y_score = scored.y_score.copy()
        # Unprivileged first: the order of the draws is aif360's.
        for members, share, base_rate in (
            (scored.unprivileged, self.mix_unprivileged, self.base_rate_unprivileged),
            (~scored.unprivileged, self.mix_privileged, self.base_rate_privileged),
        ):
            rows = np.flatnonzero(members)
            y_score[rows[rng.random(len(rows)) <= share]] = base_rate
        return replace(scored, y_score=y_score, y_pred=(y_score >= DECISION_THRESHOLD).astype(np.int64))


def _weighted_cost(y_true: np.ndarray, y_score: np.ndarray, base_rate: float) -> float:
    """Mean of the generalised false positive and false negative rate, each weighted with the share of rows it is about."""
    false_positive_rate = y_score[~y_true].sum() / np.count_nonzero(~y_true)
    false_negative_rate = (1.0 - y_score[y_true]).sum() / np.count_nonzero(y_true)
    return float(0.5 * false_positive_rate * (1.0 - base_rate) + 0.5 * false_negative_rate * base_rate)


def fit_calibrated_equalized_odds(y_true: np.ndarray, y_score: np.ndarray, unprivileged: np.ndarray) -> CalibratedEqualizedOdds:
    """Share of the cheaper group that loses its score so that the weighted error costs of the groups become equal.

    The same rule as ``aif360.algorithms.postprocessing.CalibratedEqOddsPostprocessing`` with ``cost_constraint="weighted"``.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        0/1 labels of the validation rows.
    y_score : ndarray of shape (n_samples,)
        Estimated probability of the favourable outcome.
    unprivileged : ndarray of bool of shape (n_samples,)

    Returns
    -------
    CalibratedEqualizedOdds
        When a group has one label only, its cost is not defined; then, as in aif360, nobody's score is replaced, and ``note`` says so.

    Raises
    ------
    NotMeasurableError
        If a group has no row.

    References
    ----------
    .. [1] G. Pleiss, M. Raghavan, F. Wu, J. Kleinberg, K. Weinberger, On fairness and calibration, NeurIPS 2017.
    """
    y_true = y_true.astype(bool)
    require_labels(y_true, unprivileged, per_group=())
    base_rates = [float(np.mean(y_true[members])) for members in (~unprivileged, unprivileged)]
    try:
        require_labels(y_true, unprivileged, per_group=(True, False))
    except NotMeasurableError as error:
        return CalibratedEqualizedOdds(0.0, 0.0, base_rates[0], base_rates[1], f"{error.problem}, so no score is replaced")
    groups = [(y_true[m], y_score[m]) for m in (~unprivileged, unprivileged)]
    cost = [_weighted_cost(t, s, b) for (t, s), b in zip(groups, base_rates, strict=True)]
    trivial = [_weighted_cost(t, np.full(len(t), b), b) for (t, _), b in zip(groups, base_rates, strict=True)]
    dearer, cheaper = (1, 0) if cost[1] > cost[0] else (0, 1)
    share = [0.0, 0.0]
    room = trivial[cheaper] - cost[cheaper]
    note = ""
    if room != 0:
        share[cheaper] = (cost[dearer] - cost[cheaper]) / room
    elif cost[dearer] > cost[cheaper]:
        share[cheaper] = 1.0
    if share[cheaper] < 0:
        note = "the group with the lower cost is predicted worse than by its base rate alone, so no score is replaced"
    return CalibratedEqualizedOdds(share[0], share[1], base_rates[0], base_rates[1], note)


@MITIGATIONS.register(
    name="ceo",
    label="Calibrated equalized odds",
    summary="Replaces the scores of a random share of the better-predicted group by the group's base rate, so that error costs become equal.",
    pitfall="Takes information away from people at random; often makes things worse under selection bias.",
    reference="Pleiss et al. (2017)",
    formula=r"c(g) = \tfrac{1}{2} FPR_g (1 - \mu_g) + \tfrac{1}{2} FNR_g\, \mu_g",
    stage="post",
    aim="equal weighted error cost on the validation rows",
    randomised=True,
)
def calibrated_equalized_odds(validation: Scored) -> CalibratedEqualizedOdds:
    """Fit on the scores of the validation rows; see ``fit_calibrated_equalized_odds``."""
    return fit_calibrated_equalized_odds(validation_labels(validation), validation.y_score, validation.unprivileged)
