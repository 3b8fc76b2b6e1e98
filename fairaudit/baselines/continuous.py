"""Metrics of a number: predicted salary, risk score, probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fairaudit.baselines.counts import outcome_codes
from fairaudit.baselines.intervals import LEVEL, NO_INTERVAL, Interval, wilson
from fairaudit.binning import quantile

QDD_BINS = 10


@dataclass(frozen=True, eq=False)
class QuantileDisparity:
    """Quantile demographic disparity, bin by bin.

    Attributes
    ----------
    value : float
        Mean over the bins (Equation 5 of the QMAD paper); NaN where a side has no value.
    scores : ndarray of float, shape (n_bins,)
        Mean of a minus mean of b in each bin (Equation 4).
    means_a, means_b : ndarray of float, shape (n_bins,)
    sizes_a, sizes_b : ndarray of int, shape (n_bins,)
    bins_asked : int
        May be more than the values allow; ``len(scores)`` is what was possible.
    """

    value: float
    scores: np.ndarray
    means_a: np.ndarray
    means_b: np.ndarray
    sizes_a: np.ndarray
    sizes_b: np.ndarray
    bins_asked: int

    def to_frame(self) -> pd.DataFrame:
        """One row a bin, lowest values first."""
        return pd.DataFrame(
            {
                "bin": np.arange(1, len(self.scores) + 1),
                "score": self.scores,
                "mean_a": self.means_a,
                "mean_b": self.means_b,
                "n_a": self.sizes_a,
                "n_b": self.sizes_b,
            }
        )


def quantile_disparity(a: np.ndarray, b: np.ndarray, bins: int = QDD_BINS) -> QuantileDisparity:
    """Quantile demographic disparity per bin and overall, a minus b.

    Each side's values are sorted and cut into bins of equal count: the lowest tenth of a is compared with the lowest tenth of b.
    Missing and infinite values are left out.

    References
    ----------
    .. [1] Ghosh, Shanbhag, Wilson (2022). FairCanary: rapid continuous explainable fairness. AIES.
    .. [2] QMAD, Equations 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> quantile_disparity(np.array([1.0, 2.0, 3.0, 10.0]), np.array([1.0, 2.0, 3.0, 4.0]), bins=2).scores.tolist()
    [0.0, 3.0]
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    possible = min(bins, int(np.isfinite(a).sum()), int(np.isfinite(b).sum()))
    if possible < 1:
        none, empty = np.empty(0), np.empty(0, dtype=np.intp)
        return QuantileDisparity(math.nan, none, none, none, empty, empty, bins)
    bins_a, bins_b = quantile(a, possible), quantile(b, possible)
    means_a, means_b = bins_a.means(), bins_b.means()
    scores = means_a - means_b
    return QuantileDisparity(float(scores.mean()), scores, means_a, means_b, bins_a.sizes, bins_b.sizes, bins)


def qdd(a: np.ndarray, b: np.ndarray, bins: int = QDD_BINS) -> float:
    """Overall quantile demographic disparity, a minus b, in the unit of the values; 0 means equal. See ``quantile_disparity``."""
    return quantile_disparity(a, b, bins).value


def mean_difference_half_width(a: np.ndarray, b: np.ndarray, level: float = LEVEL) -> float:
    """Half the width of Welch's interval of a difference of means; NaN where a side has fewer than two values."""
    if min(len(a), len(b)) < 2:
        return math.nan
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    if va + vb == 0:
        return 0.0
    share = va / (va + vb)  # Welch's degrees of freedom by shares, because squares of large variances overflow
    freedom = 1 / (share**2 / (len(a) - 1) + (1 - share) ** 2 / (len(b) - 1))
    return float(stdtrit(freedom, (1 + level) / 2) * math.sqrt(va + vb))


def roc_auc(y_true: Any, y_score: np.ndarray) -> float:
    """Area under the ROC curve, in [0, 1]: how often a favourable row scores above an unfavourable one; 0.5 is a guess.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        See ``outcome_codes``; rows with a missing label or score are left out.
    y_score : ndarray of float, shape (n,)

    Returns
    -------
    float
        NaN where there is only one kind of label.

    Examples
    --------
    >>> import numpy as np
    >>> roc_auc([0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    return roc_auc_interval(y_true, y_score)[0]


def roc_auc_interval(y_true: Any, y_score: np.ndarray, level: float = LEVEL) -> tuple[float, Interval]:
    """Area under the ROC curve and its interval.

    The interval is DeLong's; where the area is 0 or 1, Wilson's with the size of the smaller class.

    References
    ----------
    .. [1] DeLong, DeLong, Clarke-Pearson (1988). Biometrics 44.
    """
    codes, scores = outcome_codes(y_true, "y_true"), np.asarray(y_score, dtype=float)
    valid = np.isfinite(scores)
    positive, negative = np.sort(scores[valid & (codes == 1)]), np.sort(scores[valid & (codes == 0)])
    if not len(positive) or not len(negative):
        return math.nan, NO_INTERVAL
    above = _share_below(positive, negative)
    below = _share_below(negative, positive)
    area = float(above.mean())
    smaller = min(len(positive), len(negative))
    if area in (0.0, 1.0) or smaller < 2:
        low, high = wilson(area * smaller, smaller, level)
        return area, (float(low), float(high))
    error = math.sqrt(above.var(ddof=1) / len(positive) + below.var(ddof=1) / len(negative))
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return area, (max(area - half, 0.0), min(area + half, 1.0))


def _share_below(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """For each value the share of ``others`` (sorted) below it, equal ones counting half."""
    return (np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")) / (2 * len(others))
