"""Reject option: decide by group where the model is unsure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairaudit.errors import NotMeasurableError
from fairaudit.mitigation.checks import REMEDY, require_labels, validation_labels
from fairaudit.mitigation.registry import MITIGATIONS, RandomSource, Scored


@dataclass(frozen=True)
class RejectOption:
    """Decisions near the threshold go to the unprivileged group's favour and to the privileged group's disfavour.

    Attributes
    ----------
    threshold, margin : float
        Scores within ``margin`` of ``threshold`` are decided by group.
    feasible : bool
        Whether any threshold and margin kept the metric within the bounds on the validation rows.
    fairness, balanced_accuracy : float
        Both on the validation rows.
    """

    threshold: float
    margin: float
    feasible: bool
    fairness: float
    balanced_accuracy: float

    @property
    def note(self) -> str:
        """Says when the bounds could not be kept."""
        if self.feasible:
            return ""
        return f"no threshold and margin keeps the gap within the bounds on the validation fold; the smallest signed gap ({self.fairness:.3f}) was taken"

    def apply(self, scored: Scored, rng: RandomSource) -> Scored:
        """Decide by threshold and margin; nothing is drawn from ``rng``."""
        cut = np.where(scored.unprivileged, self.threshold - self.margin, self.threshold + self.margin)
        return replace(scored, y_pred=(scored.y_score > cut).astype(np.int64))


@dataclass(frozen=True, eq=False)
class _GroupCounts:
    """Favourable decisions among the positives and negatives of a group, for every threshold and margin."""

    true_positives: np.ndarray
    false_positives: np.ndarray
    n_positive: int
    n_negative: int

    @property
    def selection_rate(self) -> np.ndarray:
        return (self.true_positives + self.false_positives) / (self.n_positive + self.n_negative)

    @property
    def true_positive_rate(self) -> np.ndarray:
        return self.true_positives / self.n_positive

    @property
    def false_positive_rate(self) -> np.ndarray:
        return self.false_positives / self.n_negative


def _count_above(y_score: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """How many scores lie above each cut."""
    return len(y_score) - np.searchsorted(np.sort(y_score), cuts, side="right")


def _group_counts(y_true: np.ndarray, y_score: np.ndarray, cuts: np.ndarray) -> _GroupCounts:
    """Counts of one group whose members are selected above ``cuts``."""
    return _GroupCounts(
        _count_above(y_score[y_true], cuts),
        _count_above(y_score[~y_true], cuts),
        int(np.count_nonzero(y_true)),
        int(np.count_nonzero(~y_true)),
    )


def _statistical_parity(u: _GroupCounts, p: _GroupCounts) -> np.ndarray:
    return u.selection_rate - p.selection_rate


def _equal_opportunity(u: _GroupCounts, p: _GroupCounts) -> np.ndarray:
    return u.true_positive_rate - p.true_positive_rate


def _average_odds(u: _GroupCounts, p: _GroupCounts) -> np.ndarray:
    return 0.5 * ((u.false_positive_rate - p.false_positive_rate) + (u.true_positive_rate - p.true_positive_rate))


_AIMS: dict[str, tuple[Callable[[_GroupCounts, _GroupCounts], np.ndarray], tuple[bool, ...]]] = {
    "statistical_parity_difference": (_statistical_parity, ()),
    "equal_opportunity_difference": (_equal_opportunity, (True,)),
    "average_odds_difference": (_average_odds, (True, False)),
}
"""Aim -> (gap as a function of the counts, labels that each group must have)."""


def reject_option_grid(n_thresholds: int = 100, n_margins: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds from 0.01 to 0.99, and for each of them margins from 0 to the nearer end of [0, 1].

    Returns
    -------
    thresholds, margins : ndarray of shape (n_thresholds, n_margins)
        Every candidate of the search, in the order in which aif360 visits them.
    """
    thresholds = np.linspace(0.01, 0.99, n_thresholds)
    widest = np.where(thresholds <= 0.5, thresholds, 1.0 - thresholds)
    margins = np.linspace(0.0, widest, n_margins, axis=1)
    return np.repeat(thresholds[:, None], n_margins, axis=1), margins


def fit_reject_option(
    y_true: np.ndarray,
    y_score: np.ndarray,
    unprivileged: np.ndarray,
    aim: str = "statistical_parity_difference",
    bounds: tuple[float, float] = (-0.05, 0.05),
) -> RejectOption:
    """Threshold and margin with the best balanced accuracy among those that keep the gap between the groups within the bounds.

    The same candidates, order and tie rule as ``aif360.algorithms.postprocessing.RejectOptionClassification``; all candidates are judged
    at once from sorted scores. When no candidate keeps the bounds, the one with the smallest *signed* gap is taken, as aif360 does, and
    ``feasible`` is False.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        0/1 labels of the validation rows.
    y_score : ndarray of shape (n_samples,)
        Estimated probability of the favourable outcome.
    unprivileged : ndarray of bool of shape (n_samples,)
    aim : {"statistical_parity_difference", "equal_opportunity_difference", "average_odds_difference"}
        Gap between the groups, unprivileged minus privileged.
    bounds : (float, float)
        Smallest and largest gap that is accepted.

    Returns
    -------
    RejectOption

    Raises
    ------
    NotMeasurableError
        If the gap or the balanced accuracy is not defined on the validation rows.

    References
    ----------
    .. [1] F. Kamiran, A. Karim, X. Zhang, Decision theory for discrimination-aware classification, ICDM 2012.
    """
    gap, per_group = _AIMS[aim]
    y_true = y_true.astype(bool)
    require_labels(y_true, unprivileged, per_group=per_group)
    if y_true.all() or not y_true.any():
        raise NotMeasurableError("all labels in the validation fold are the same", REMEDY)

    thresholds, margins = (grid.ravel() for grid in reject_option_grid())
    u = _group_counts(y_true[unprivileged], y_score[unprivileged], thresholds - margins)
    p = _group_counts(y_true[~unprivileged], y_score[~unprivileged], thresholds + margins)
    n_positive, n_negative = u.n_positive + p.n_positive, u.n_negative + p.n_negative
    true_positive_rate = (u.true_positives + p.true_positives) / n_positive
    true_negative_rate = (n_negative - u.false_positives - p.false_positives) / n_negative
    balanced_accuracy = 0.5 * (true_positive_rate + true_negative_rate)
    fairness = gap(u, p)

    feasible = (fairness >= bounds[0]) & (fairness <= bounds[1])
    found = bool(feasible.any())
    best = int(np.argmax(np.where(feasible, balanced_accuracy, -np.inf)) if found else np.argmin(fairness))
    return RejectOption(
        float(thresholds[best]), float(margins[best]), found, float(fairness[best]), float(balanced_accuracy[best])
    )


def _reject_option(validation: Scored, aim: str) -> RejectOption:
    return fit_reject_option(validation_labels(validation), validation.y_score, validation.unprivileged, aim)


_ROC_REFERENCE = "Kamiran, Karim, Zhang (2012), doi 10.1109/ICDM.2012.45"
_ROC_FORMULA = r"\hat y = 1 \iff s > \theta - m \text{ (unprivileged)},\quad s > \theta + m \text{ (privileged)}"
_ROC_PITFALL = "Works in one direction only, so it widens the gap when the unprivileged group is ahead, and it trusts the labels of a biased fold."


@MITIGATIONS.register(
    name="roc_spd",
    label="Reject option, statistical parity",
    summary="Decides by group where the model is unsure, until the favourable shares of the groups are within 0.05.",
    pitfall=_ROC_PITFALL,
    reference=_ROC_REFERENCE,
    formula=_ROC_FORMULA,
    stage="post",
    aim="statistical parity difference on the validation rows",
)
def reject_option_spd(validation: Scored) -> RejectOption:
    """Reject option that bounds the statistical parity difference."""
    return _reject_option(validation, "statistical_parity_difference")


@MITIGATIONS.register(
    name="roc_eqop",
    label="Reject option, equal opportunity",
    summary="Decides by group where the model is unsure, until the true positive rates of the groups are within 0.05.",
    pitfall=_ROC_PITFALL,
    reference=_ROC_REFERENCE,
    formula=_ROC_FORMULA,
    stage="post",
    aim="equal opportunity difference on the validation rows",
)
def reject_option_eqop(validation: Scored) -> RejectOption:
    """Reject option that bounds the equal opportunity difference."""
    return _reject_option(validation, "equal_opportunity_difference")


@MITIGATIONS.register(
    name="roc_avod",
    label="Reject option, average odds",
    summary="Decides by group where the model is unsure, until the average odds difference is within 0.05.",
    pitfall=_ROC_PITFALL,
    reference=_ROC_REFERENCE,
    formula=_ROC_FORMULA,
    stage="post",
    aim="average odds difference on the validation rows",
)
def reject_option_avod(validation: Scored) -> RejectOption:
    """Reject option that bounds the average odds difference."""
    return _reject_option(validation, "average_odds_difference")
