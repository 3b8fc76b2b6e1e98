"""Rates and group metrics as functions of label x decision counts.

Every function takes arrays of counts whose last two axes are label and decision (see ``counts``), works over all leading axes at
once, and gives NaN where a denominator is 0. Side ``a`` is the monitored one (target table, or the group), side ``b`` the one it
is compared with (reference table, or the reference group). Differences are a minus b, ratios a over b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.errors import SettingsError


@dataclass(frozen=True)
class Rate:
    """A proportion of the rows.

    Attributes
    ----------
    label : str
        Name for people.
    cells, of_cells : tuple of (int, int)
        (label, decision) cells that are counted, and those that they are a share of.
    needs : tuple of str
        What has to be known of each row.
    empty : str
        Why the rate does not exist when there is no row to take a share of.
    """

    label: str
    cells: tuple[tuple[int, int], ...]
    of_cells: tuple[tuple[int, int], ...]
    needs: tuple[str, ...]
    empty: str


_BOTH = ("y_true", "y_pred")
_NO_POSITIVE = "no row with a favourable label and a decision"
_NO_NEGATIVE = "no row with an unfavourable label and a decision"

RATES: dict[str, Rate] = {
    "selection_rate": Rate(
        "Selection rate",
        ((0, 1), (1, 1), (2, 1)),
        tuple((label, decision) for label in range(3) for decision in range(2)),
        ("y_pred",),
        "no row with a decision",
    ),
    "base_rate": Rate(
        "Base rate",
        ((1, 0), (1, 1), (1, 2)),
        tuple((label, decision) for label in range(2) for decision in range(3)),
        ("y_true",),
        "no row with a label",
    ),
    "true_positive_rate": Rate("True positive rate", ((1, 1),), ((1, 0), (1, 1)), _BOTH, _NO_POSITIVE),
    "false_positive_rate": Rate("False positive rate", ((0, 1),), ((0, 0), (0, 1)), _BOTH, _NO_NEGATIVE),
    "false_negative_rate": Rate("False negative rate", ((1, 0),), ((1, 0), (1, 1)), _BOTH, _NO_POSITIVE),
    "true_negative_rate": Rate("True negative rate", ((0, 0),), ((0, 0), (0, 1)), _BOTH, _NO_NEGATIVE),
    "precision": Rate("Precision", ((1, 1),), ((0, 1), (1, 1)), _BOTH, "no row with a label was selected"),
    "accuracy": Rate(
        "Accuracy", ((0, 0), (1, 1)), ((0, 0), (0, 1), (1, 0), (1, 1)), _BOTH, "no row with both a label and a decision"
    ),
}


def rate_counts(counts: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of a rate of ``RATES``."""
    rate = RATES[name]
    hits = sum(counts[..., i, j] for i, j in rate.cells)
    total = sum(counts[..., i, j] for i, j in rate.of_cells)
    return np.asarray(hits), np.asarray(total)


def rate(counts: np.ndarray, name: str) -> np.ndarray:
    """A rate of ``RATES``; NaN where there is no row to take a share of."""
    hits, total = rate_counts(counts, name)
    return divide(hits, total)


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Quotient, NaN where the denominator is 0 or less."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.divide(numerator, denominator, out=np.full(shape, np.nan), where=np.asarray(denominator) > 0)


def selection_rate(counts: np.ndarray) -> np.ndarray:
    """Share of favourable decisions, P(y_pred = 1), in [0, 1]."""
    return rate(counts, "selection_rate")


def base_rate(counts: np.ndarray) -> np.ndarray:
    """Share of favourable labels, P(y_true = 1), in [0, 1]."""
    return rate(counts, "base_rate")


def true_positive_rate(counts: np.ndarray) -> np.ndarray:
    """Share of favourable decisions among favourable labels, in [0, 1]."""
    return rate(counts, "true_positive_rate")


def false_positive_rate(counts: np.ndarray) -> np.ndarray:
    """Share of favourable decisions among unfavourable labels, in [0, 1]."""
    return rate(counts, "false_positive_rate")


def false_negative_rate(counts: np.ndarray) -> np.ndarray:
    """Share of unfavourable decisions among favourable labels, in [0, 1]."""
    return rate(counts, "false_negative_rate")


def accuracy(counts: np.ndarray) -> np.ndarray:
    """Share of decisions that equal the label, in [0, 1]."""
    return rate(counts, "accuracy")


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """Mean of true positive and true negative rate, in [0, 1]; 0.5 is a guess."""
    return (rate(counts, "true_positive_rate") + rate(counts, "true_negative_rate")) / 2


def statistical_parity_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Selection rate of a minus that of b, in [-1, 1]; 0 means equal, negative that a is selected less often.

    Examples
    --------
    >>> from fairaudit.baselines import count_table
    >>> table = count_table(["m", "m", "f", "f"], y_pred=[1, 1, 0, 1])
    >>> float(statistical_parity_difference(table["f"], table["m"]))
    -0.5
    """
    return selection_rate(a) - selection_rate(b)


def disparate_impact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Selection rate of a over that of b, 0 or more; 1 means equal. NaN where nobody of b is selected."""
    return divide(selection_rate(a), selection_rate(b))


def log_ratios(a: np.ndarray, b: np.ndarray, concentration: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Log ratio (a over b) of the smoothed selection rates, and of the smoothed rejection rates.

    With ``concentration`` c the smoothed rate is (selected + c / 2) / (rows + c); NaN where it is 0 or 1, or where a side has no decision.
    """
    if concentration < 0:
        raise SettingsError(
            f"The concentration must be 0 or more. Got {concentration}.", "Choose 1 (smoothed) or 0 (as counted)."
        )
    logs = []
    for counts in (a, b):
        hits, total = rate_counts(counts, "selection_rate")
        share = divide(np.where(total > 0, hits + concentration / 2, np.nan), total + concentration)
        inner = (share > 0) & (share < 1)
        share = np.where(inner, share, np.nan)
        logs.append((np.log(share), np.log1p(-share)))
    return logs[0][0] - logs[1][0], logs[0][1] - logs[1][1]


def empirical_difference_fairness(a: np.ndarray, b: np.ndarray, concentration: float = 1.0) -> np.ndarray:
    r"""Smoothed empirical differential fairness of two sides, 0 or more; 0 means equal selection rates.

    The larger of the absolute log ratios of selection rates and of rejection rates. ``concentration=0`` gives the unsmoothed
    form, which is \|ln DI\| while selected people are the rarer outcome; the QMAD paper prints that.

    References
    ----------
    .. [1] Foulds, Islam, Keya, Pan (2020). An intersectional definition of fairness. ICDE.
    """
    selected, rejected = log_ratios(a, b, concentration)
    return np.maximum(np.abs(selected), np.abs(rejected))


def equal_opportunity_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """True positive rate of a minus that of b, in [-1, 1]; 0 means equal."""
    return true_positive_rate(a) - true_positive_rate(b)


def false_positive_rate_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """False positive rate of a minus that of b, in [-1, 1]; 0 means equal."""
    return false_positive_rate(a) - false_positive_rate(b)


def false_negative_rate_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """False negative rate of a minus that of b, in [-1, 1]; 0 means equal."""
    return false_negative_rate(a) - false_negative_rate(b)


def average_odds_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Mean of the gaps (a minus b) in true and in false positive rate, in [-1, 1]; 0 means equal, or gaps that cancel."""
    return (equal_opportunity_difference(a, b) + false_positive_rate_difference(a, b)) / 2


def equalized_odds_difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Larger of the absolute gaps in true and in false positive rate, in [0, 1]; 0 means equal."""
    return np.maximum(np.abs(equal_opportunity_difference(a, b)), np.abs(false_positive_rate_difference(a, b)))


def generalized_entropy_index(counts: np.ndarray, alpha: float = 2.0) -> np.ndarray:
    """Inequality of the benefits b = decision - label + 1 over the rows, 0 or more; 0 means that all get the same benefit.

    Parameters
    ----------
    counts : ndarray of int, shape (..., 3, 3)
    alpha : float
        2 is half the squared coefficient of variation, 1 the Theil index. 0 is not defined as soon as one benefit is 0.

    Returns
    -------
    ndarray of float
        NaN where there is no row with label and decision, or all benefits are 0.

    References
    ----------
    .. [1] Speicher et al. (2018). A unified approach to quantifying algorithmic unfairness. KDD.
    """
    if alpha < 0:
        raise SettingsError(f"The alpha of the generalized entropy index must be 0 or more. Got {alpha}.", "Choose 2 or 1.")
    lost, kept, won = counts[..., 1, 0], counts[..., 0, 0] + counts[..., 1, 1], counts[..., 0, 1]
    total = lost + kept + won
    mean = divide(kept + 2 * won, total)
    mean = np.where(mean > 0, mean, np.nan)
    index = np.zeros(np.shape(mean))
    for benefit, rows in ((0.0, lost), (1.0, kept), (2.0, won)):
        index = index + divide(rows, total) * np.where(np.asarray(rows) > 0, _entropy_term(benefit / mean, alpha), 0.0)
    return np.where(np.isnan(mean), np.nan, index)


def _entropy_term(x: np.ndarray, alpha: float) -> np.ndarray:
    """Contribution of one row whose benefit is ``x`` times the mean."""
    if alpha not in (0, 1):
        return (x**alpha - 1) / (alpha * (alpha - 1))
    positive = np.where(x > 0, x, np.nan)
    if alpha == 1:
        return np.where(x > 0, x * np.log(positive), np.where(np.isnan(x), np.nan, 0.0))
    return -np.log(positive)
