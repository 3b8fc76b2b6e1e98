"""What is measured on a test set, from the pure functions of ``fairaudit.baselines``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairaudit.baselines import rates
from fairaudit.baselines.continuous import roc_auc
from fairaudit.baselines.counts import count_table
from fairaudit.baselines.individual import N_NEIGHBORS, conditioned, consistency_scores, scaled
from fairaudit.registry import FunctionSpec, Registry

CONSISTENCY_ROWS = 5_000
"""On a larger test set, balanced conditioned consistency is the mean over this many evenly spread rows; their neighbours are among all."""
_TWO_SIDES = "unprivileged minus privileged"


@dataclass(frozen=True, eq=False)
class Decided:
    """One method's decisions on a test set, counted.

    Attributes
    ----------
    y_true : ndarray of shape (n_samples,)
    y_score : ndarray of shape (n_samples,)
    both, unprivileged, privileged : ndarray of int, shape (3, 3)
        Count tables, label x decision; see ``fairaudit.baselines.counts``.
    consistency : float
        Balanced conditioned consistency of the decisions.
    usage : float
        Share of the model's trees that split on the sensitive attribute.
    """

    y_true: np.ndarray
    y_score: np.ndarray
    both: np.ndarray
    unprivileged: np.ndarray
    privileged: np.ndarray
    consistency: float
    usage: float


@dataclass(frozen=True, kw_only=True)
class TestMetricSpec(FunctionSpec):
    """Facts about a quantity measured on a test set.

    Attributes
    ----------
    short : str
        Label for a crowded axis.
    ideal : float or None
        Best value; None where no value is better than another.
    range : (float, float)
    uses_labels : bool
        Whether the true labels enter, so that label bias in the test set distorts it.
    needs : tuple of int
        Labels (1 favourable, 0 unfavourable) without which it is not defined; each group must have them when groups are compared.
    """

    __test__ = False  # pytest would take the name for a test class

    short: str
    ideal: float | None
    range: tuple[float, float]
    uses_labels: bool = True
    needs: tuple[int, ...] = ()

    def loss(self, value: np.ndarray) -> np.ndarray:
        """Distance from the best value, 0 or more; NaN where no value is best."""
        return np.abs(np.asarray(value, dtype=float) - (np.nan if self.ideal is None else self.ideal))


TEST_METRICS: Registry[TestMetricSpec] = Registry("test metric", TestMetricSpec)
"""Everything that is measured for every model and method, in the order of the results."""


@TEST_METRICS.register(
    name="accuracy",
    label="Accuracy",
    short="Accuracy",
    summary="Share of decisions that equal the label.",
    pitfall="On a biased test set it rewards repeating the bias.",
    ideal=1.0,
    range=(0.0, 1.0),
)
def _accuracy(d: Decided) -> float:
    return float(rates.accuracy(d.both))


@TEST_METRICS.register(
    name="balanced_accuracy",
    label="Balanced accuracy",
    short="Bal. accuracy",
    summary="Mean of true positive and true negative rate; 0.5 is a guess.",
    ideal=1.0,
    range=(0.0, 1.0),
    needs=(1, 0),
)
def _balanced_accuracy(d: Decided) -> float:
    return float(rates.balanced_accuracy(d.both))


@TEST_METRICS.register(
    name="roc_auc",
    label="Area under the ROC curve",
    short="ROC AUC",
    summary="How often someone with a favourable label scores above someone without; 0.5 is a guess.",
    pitfall="Looks at scores: methods that change decisions only have the value of the model behind them.",
    ideal=1.0,
    range=(0.0, 1.0),
    needs=(1, 0),
)
def _roc_auc(d: Decided) -> float:
    return roc_auc(d.y_true, d.y_score)


@TEST_METRICS.register(
    name="statistical_parity_difference",
    label="Statistical parity difference",
    short="SPD",
    summary=f"Difference of the shares of favourable decisions, {_TWO_SIDES}.",
    pitfall="Label bias in the test set cannot distort it, selection bias can.",
    ideal=0.0,
    range=(-1.0, 1.0),
    uses_labels=False,
)
def _statistical_parity(d: Decided) -> float:
    return float(rates.statistical_parity_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="equalized_odds_difference",
    label="Equalized odds difference",
    short="EqOd",
    summary="Larger of the absolute differences in true and in false positive rate between the groups.",
    pitfall="A group with few unfavourable labels makes it jump.",
    ideal=0.0,
    range=(0.0, 1.0),
    needs=(1, 0),
)
def _equalized_odds(d: Decided) -> float:
    return float(rates.equalized_odds_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="average_odds_difference",
    label="Average odds difference",
    short="AvOd",
    summary=f"Mean of the differences in true and in false positive rate, {_TWO_SIDES}.",
    pitfall="Gaps of opposite sign cancel.",
    ideal=0.0,
    range=(-1.0, 1.0),
    needs=(1, 0),
)
def _average_odds(d: Decided) -> float:
    return float(rates.average_odds_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="equal_opportunity_difference",
    label="Equal opportunity difference",
    short="EqOp",
    summary=f"Difference of the true positive rates, {_TWO_SIDES}.",
    ideal=0.0,
    range=(-1.0, 1.0),
    needs=(1,),
)
def _equal_opportunity(d: Decided) -> float:
    return float(rates.equal_opportunity_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="false_positive_rate_difference",
    label="False positive rate difference",
    short="FPR diff.",
    summary=f"Difference of the false positive rates, {_TWO_SIDES}.",
    ideal=0.0,
    range=(-1.0, 1.0),
    needs=(0,),
)
def _false_positive_difference(d: Decided) -> float:
    return float(rates.false_positive_rate_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="false_negative_rate_difference",
    label="False negative rate difference",
    short="FNR diff.",
    summary=f"Difference of the false negative rates, {_TWO_SIDES}.",
    ideal=0.0,
    range=(-1.0, 1.0),
    needs=(1,),
)
def _false_negative_difference(d: Decided) -> float:
    return float(rates.false_negative_rate_difference(d.unprivileged, d.privileged))


@TEST_METRICS.register(
    name="false_positive_rate",
    label="False positive rate",
    short="FPR",
    summary="Share of favourable decisions among unfavourable labels.",
    ideal=0.0,
    range=(0.0, 1.0),
    needs=(0,),
)
def _false_positive_rate(d: Decided) -> float:
    return float(rates.false_positive_rate(d.both))


@TEST_METRICS.register(
    name="false_negative_rate",
    label="False negative rate",
    short="FNR",
    summary="Share of unfavourable decisions among favourable labels.",
    ideal=0.0,
    range=(0.0, 1.0),
    needs=(1,),
)
def _false_negative_rate(d: Decided) -> float:
    return float(rates.false_negative_rate(d.both))


@TEST_METRICS.register(
    name="balanced_conditioned_consistency",
    label="Balanced conditioned consistency",
    short="BCC",
    summary="Agreement of each decision with those on the 5 most similar rows, counted where it is at least 0.8.",
    pitfall="Deciding the same for everyone gives 1.",
    ideal=1.0,
    range=(0.0, 1.0),
    uses_labels=False,
)
def _consistency(d: Decided) -> float:
    return d.consistency


@TEST_METRICS.register(
    name="generalized_entropy_index",
    label="Generalized entropy index",
    short="GEI",
    summary="Inequality of the benefits 1 + decision - label between people; 0 means that all get the same.",
    pitfall="Very large when almost everyone gets less than the label says.",
    ideal=0.0,
    range=(0.0, np.inf),
)
def _entropy(d: Decided) -> float:
    return float(rates.generalized_entropy_index(d.both))


@TEST_METRICS.register(
    name="sensitive_usage",
    label="Use of the sensitive attribute",
    short="Sens. usage",
    summary="Share of the model's trees with at least one split on the sensitive attribute; a property of the model, not of the test set.",
    pitfall="0 does not mean that the groups are treated alike: other columns may stand in.",
    ideal=None,
    range=(0.0, 1.0),
    uses_labels=False,
)
def _usage(d: Decided) -> float:
    return d.usage


def consistencies(features: np.ndarray, decisions: Sequence[np.ndarray]) -> list[float]:
    """Balanced conditioned consistency of several decisions about the same rows; neighbours are looked up once.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Without the sensitive attribute.
    decisions : sequence of ndarray of shape (n_samples,)
    """
    if len(features) < N_NEIGHBORS + 1:
        return [float("nan")] * len(decisions)
    n = len(features)
    rows = None if n <= CONSISTENCY_ROWS else np.linspace(0, n - 1, CONSISTENCY_ROWS).astype(np.intp)
    scores = consistency_scores(scaled(features), np.column_stack(decisions), rows=rows, leave_self_out=True, algorithm="brute")
    # Each method's scores in one piece: the last digit of a mean must not depend on which other methods are there.
    return [float(np.ascontiguousarray(column).mean()) for column in conditioned(scores).T]


def decided(
    y_true: np.ndarray, y_pred: np.ndarray, y_score: np.ndarray, unprivileged: np.ndarray, consistency: float, usage: float
) -> Decided:
    """Count the decisions of one method on a test set."""
    counts = count_table(unprivileged.astype(np.int64), y_true, y_pred, names=[("privileged", "unprivileged")])
    privileged, members = counts["privileged"], counts["unprivileged"]
    return Decided(y_true, y_score, privileged + members, members, privileged, consistency, usage)


def measure(d: Decided) -> list[tuple[str, float, str]]:
    """Every metric of a test set.

    Returns
    -------
    list of (metric, value, note)
        The value is NaN where the metric is not defined, and the note says why.
    """
    result = []
    for spec in TEST_METRICS:
        function: Callable[[Decided], Any] = spec.function
        value = float(function(d))
        note = "" if np.isfinite(value) else _why_undefined(spec, d)
        n = int(d.both.sum())
        if spec.name == "balanced_conditioned_consistency" and n > CONSISTENCY_ROWS:
            note = f"estimated from {CONSISTENCY_ROWS:,} of {n:,} rows"
        result.append((spec.name, value, note))
    return result


def _why_undefined(spec: TestMetricSpec, d: Decided) -> str:
    """The reason why a metric has no value."""
    if spec.name == "sensitive_usage":
        return "the model is not made of trees"
    n = int(d.both.sum())
    if n == 0:
        return "no row is left in the test set"
    if spec.name == "balanced_conditioned_consistency":
        return f"the test set has {n} rows, too few for {N_NEIGHBORS} neighbours"
    if spec.name == "generalized_entropy_index":
        return "every benefit is 0"
    sides = {"the test set": d.both}
    if spec.name.endswith("_difference"):
        sides = {"the unprivileged group of the test set": d.unprivileged, "the privileged group of the test set": d.privileged}
    kinds = {1: "favourable", 0: "unfavourable"}
    reasons = []
    for name, counts in sides.items():
        if counts.sum() == 0:
            reasons.append(f"{name} has no row")
        else:
            reasons += [f"{name} has no {kinds[label]} label" for label in spec.needs if counts[label].sum() == 0]
    return "; ".join(reasons)
