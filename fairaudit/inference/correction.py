"""From many resamples of many attributes to p-values that may be read together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-9
"""Relative difference below which two scores count as equal: sums in another order differ in the last digits."""


TAIL = 0.1
"""Share of the rows that make up the tail of a column."""


def at_most(p: np.ndarray | float, limit: np.ndarray | float) -> np.ndarray:
    """Whether p-values are at most a limit: the rule of every calibrated verdict.

    Permutation p-values are fractions; one that equals the limit, such as 10 of 200 at 5 %, counts as at most it whatever its last digit says.
    """
    return np.asarray(p <= limit * (1 + TOLERANCE))


def extremeness(scores: np.ndarray, p_value: bool, no_difference: float = 0.0) -> np.ndarray:
    """Scores turned so that larger means more disparity; undefined ones are the least extreme.

    Parameters
    ----------
    scores : ndarray of float
    p_value : bool
    no_difference : float
        Score of two identical samples, for scores that are no p-values.
    """
    turned = -scores if p_value else np.abs(scores - no_difference)
    return np.where(np.isnan(turned), -np.inf, turned)


def tolerances(extreme: np.ndarray, p_value: bool) -> np.ndarray:
    """How much less extreme a resample may be and still count as equally extreme."""
    finite = np.where(np.isfinite(extreme), extreme, 0.0)
    tolerance = TOLERANCE * np.abs(finite)
    # A score of 0 has no relative neighbourhood; a p-value of 0 is exactly 0.
    return tolerance if p_value else tolerance + 1e-12 * np.abs(finite).max(axis=0, initial=0.0)


def rank_p_values(extreme: np.ndarray, p_value: bool) -> np.ndarray:
    """For every entry of a column the share of entries that are at least as extreme.

    Parameters
    ----------
    extreme : ndarray of float, shape (n, k)
        Row 0 holds what was observed, the others the permutations.
    p_value : bool

    Returns
    -------
    ndarray of float, shape (n, k)
        In [1/n, 1]; row 0 is (1 + number as extreme) / (1 + number of permutations).
    """
    limits = extreme - tolerances(extreme, p_value)
    result = np.empty(extreme.shape)
    for i in range(extreme.shape[1]):
        ordered = np.sort(extreme[:, i])
        result[:, i] = len(extreme) - np.searchsorted(ordered, limits[:, i], side="left")
    return result / len(extreme)


@dataclass(frozen=True)
class Tail:
    """Continuation of a column's ranks into its tail, where single ranks are too coarse to compare columns.

    The rank p-value of an entry is known to 1 / n only, and each column has one entry of rank 1: among k columns the smallest rank would be
    1 / n by chance in k of n rows. In the outermost tenth the p-value is therefore taken from an exponential curve through the column.
    It is made from all rows alike, the observed one included, so that permutation tests on it stay exact.

    Attributes
    ----------
    start : float
        Where the tail begins, on the stretched scale.
    half : float
        On the stretched scale the distance that halves the p-value; 0 where the tail is a single value and ranks must do.
    p_value : bool
        Whether the scores are p-values, which are stretched by the logarithm; other scores by the square.
    """

    start: float
    half: float
    p_value: bool

    @classmethod
    def of(cls, extreme: np.ndarray, ranks: np.ndarray, p_value: bool) -> Tail:
        """Fit the tail of a column."""
        outer = stretched(extreme[ranks <= TAIL], p_value)
        if len(outer) < 3:
            return cls(np.inf, 0.0, p_value)
        start = float(outer.min())
        # The mean is the exponential curve's own estimate; a median of 0 among ties would make every larger score impossible.
        return cls(start, float(np.mean(outer - start) * np.log(2)), p_value)

    def p_values(self, extreme: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Rank p-values in the body, values of the curve in the tail."""
        if self.half == 0:
            return ranks
        beyond = stretched(extreme, self.p_value) - self.start
        return np.where(ranks <= TAIL, TAIL * 2.0 ** (-np.maximum(beyond, 0.0) / self.half), ranks)

    def border(self, p: float) -> float:
        """How extreme a score with the p-value ``p`` in the tail is."""
        place = self.start + self.half * np.log2(TAIL / max(p, np.finfo(float).tiny))
        return float(-np.exp(-place) if self.p_value else np.sqrt(place))


def stretched(extreme: np.ndarray, p_value: bool) -> np.ndarray:
    """Scores on a scale on which tails of chance are about exponential."""
    if p_value:
        return -np.log(np.maximum(-extreme, 1e-300))
    return np.square(extreme)


def westfall_young(p_values: np.ndarray) -> np.ndarray:
    """Single-step minimum-p correction over the columns, in every row of which the attributes were permuted together.

    Parameters
    ----------
    p_values : ndarray of float, shape (n, k)
        Of every row within its column; row 0 is what was observed.

    Returns
    -------
    ndarray of float, shape (k,)
        Share of rows whose smallest p-value is at most the observed one of the column.

    References
    ----------
    .. [1] P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing (1993), section 2.3.
    """
    smallest = np.sort(p_values.min(axis=1))
    return np.searchsorted(smallest, p_values[0] * (1 + 1e-7), side="right") / len(p_values)


def holm_over_pairs(families: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Correct p-values that are corrected inside each family for the number of families.

    The closed-testing form of Holm's method: an intersection of hypotheses from m families is rejected when m times its smallest p-value
    is at most alpha. A family counts as settled, and stops weighing on the others, only when its largest p-value is small. With one
    hypothesis a family this is Holm's method.

    Parameters
    ----------
    families : sequence of ndarray of float
        Each of any length, empty where nothing was measured.

    Returns
    -------
    list of ndarray of float
        In [0, 1], never below what went in.

    References
    ----------
    .. [1] S. Holm, Scand. J. Stat. 6 (1979) 65-70; R. Marcus, E. Peritz, K. R. Gabriel, Biometrika 63 (1976) 655-660.

    Examples
    --------
    >>> [p.tolist() for p in holm_over_pairs([np.array([0.01]), np.array([0.04]), np.array([0.03])])]
    [[0.03], [0.06], [0.06]]
    """
    largest = [float(np.max(f)) if len(f) else None for f in families]
    corrected = []
    for i, family in enumerate(families):
        others = sorted((q for j, q in enumerate(largest) if j != i and q is not None), reverse=True)
        result = np.array(family, dtype=float)
        for m, q in enumerate(others, start=2):
            result = np.maximum(result, m * np.minimum(family, q))
        corrected.append(np.minimum(result, 1.0))
    return corrected


def holm_factor(families: Sequence[np.ndarray], index: int, alpha: float) -> float:
    """By what ``holm_over_pairs`` multiplies a p-value of a family that is at the border of being rejected."""
    others = sorted((float(np.max(f)) for j, f in enumerate(families) if j != index and len(f)), reverse=True)
    return float(max((m for m, q in enumerate(others, start=2) if not at_most(m * q, alpha)), default=1))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """p-values adjusted for the false discovery rate.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57 (1995) 289-300.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    n = len(p)
    order = np.argsort(p)[::-1]
    scaled = np.minimum.accumulate(p[order] * n / np.arange(n, 0, -1))
    result = np.empty(n)
    result[order] = np.minimum(scaled, 1.0)
    return result


def benjamini_hochberg_factors(p: np.ndarray, alpha: float) -> np.ndarray:
    """By what ``benjamini_hochberg`` multiplies each p-value at the border of its own rejection, the others as they are.

    A p-value is rejected when it is at most k alpha / n, for a k such that k - 1 of the others are so as well; the largest such k counts.

    Examples
    --------
    >>> benjamini_hochberg_factors(np.array([0.001, 0.5]), 0.05).tolist()
    [2.0, 1.0]
    """
    n = len(p)
    k = np.arange(1, n + 1)
    within = at_most(p[:, None], alpha * k / n)
    others = within.sum(axis=0) - within
    return n / np.where(others >= k - 1, k, 1).max(axis=1)
