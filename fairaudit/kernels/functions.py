"""Batch forms of the comparison functions: a statistic read off a chunk, and scores of all bins from the statistics.

They give the numbers and the reasons of the functions in ``fairaudit.comparison``, which stay the definition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

import numpy as np
from scipy import special

from fairaudit.kernels import pvalues
from fairaudit.kernels.chunks import Chunk
from fairaudit.schema import LARGEST

Statistics = tuple[np.ndarray, ...]
Reasons = list[tuple[np.ndarray, str]]
Scored = tuple[np.ndarray, Reasons]

KS_EXACT_ROWS = 1000
"""Largest number of rows on a side for which the exact Kolmogorov-Smirnov p-value is taken."""
KS_EXACT_ROWS_SCIPY = 10_000
ONE_VALUE = "one distinct value on both sides"


@dataclass(frozen=True)
class Kernel:
    """A comparison function over many bins or many resamples.

    Attributes
    ----------
    statistics : callable
        Chunk -> arrays with one entry per bin or resample.
    scores : callable
        (statistics, n_a, n_b) -> scores and (mask, reason) pairs for those that are NaN.
    resample_scores : callable, optional
        (statistics, n_a, n_b, fixed sizes) -> scores for comparing resamples, where ``scores`` would be too slow or cannot tell them apart; those may
        differ a little, or lie beyond the floor and ceiling of what the function reports.
    moments_only : bool
        True when no order of the values is needed.
    """

    statistics: Callable[[Chunk], Statistics]
    scores: Callable[[Statistics, np.ndarray, np.ndarray], Scored]
    resample_scores: Callable[[Statistics, np.ndarray, np.ndarray, bool], np.ndarray] | None = None
    moments_only: bool = False


def _ks_statistics(chunk: Chunk) -> Statistics:
    return (chunk.largest(chunk.difference()).astype(float),)


def _ks_scores(exact_rows: int) -> Callable[[Statistics, np.ndarray, np.ndarray], Scored]:
    def scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
        (gap,) = statistics
        p = np.empty(gap.shape)
        exact = np.maximum(n_a, n_b) <= exact_rows
        if not exact.all():
            p[~exact] = pvalues.ks_asymptotic(gap[~exact] / (n_a * n_b)[~exact], n_a[~exact], n_b[~exact])
        for m, n in {*zip(n_a[exact].astype(int).tolist(), n_b[exact].astype(int).tolist(), strict=True)}:
            here = exact & (n_a == m) & (n_b == n)
            p[here] = pvalues.ks_exact(m, n, gap[here])
        return p, []

    return scores


def _ks_resample_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray, fixed: bool) -> np.ndarray:
    """p-values of shape (n_bins, n_resamples); which formula is used depends on the sizes alone, never on what was drawn."""
    (gap,) = statistics
    p = pvalues.ks_smooth(gap / (n_a * n_b), n_a, n_b)
    if not fixed:
        return p
    for i in range(len(gap)):
        m, n = int(n_a[i, 0]), int(n_b[i, 0])
        if 0 < max(m, n) <= KS_EXACT_ROWS and min(m, n) > 0 and m * n // gcd(m, n) <= pvalues.KS_LATTICE:
            p[i] = pvalues.ks_exact(m, n, gap[i])
    return p


def _ad_statistics(chunk: Chunk) -> Statistics:
    total = chunk.total
    a2 = chunk.weighted_gaps() * (1 / chunk.n_a + 1 / chunk.n_b) / total * (total - 1) / total
    return a2, chunk.n_levels


def _ad_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    a2, levels = statistics
    p = pvalues.anderson_darling(a2, n_a, n_b)
    single, pair = levels < 2, (n_a == 1) & (n_b == 1)
    p[single | pair] = np.nan
    return p, [(pair, "one value on each side"), (single, ONE_VALUE)]


def _ad_resample_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray, fixed: bool) -> np.ndarray:
    """p-values without the ends of scipy's table: with quantile bins nearly all of them are beyond its floor, where they could not be compared."""
    del fixed
    a2, levels = statistics
    p = pvalues.anderson_darling_unclipped(a2, n_a, n_b)
    p[(levels < 2) | ((n_a == 1) & (n_b == 1))] = np.nan
    return p


def _welch_statistics(chunk: Chunk) -> Statistics:
    return *chunk.moments(), chunk.constant, chunk.n_levels


def _welch_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    mean_a, mean_b, var_a, var_b, constant, levels = statistics
    part_a, part_b = var_a / n_a, var_b / n_b
    t = (mean_a - mean_b) / np.sqrt(part_a + part_b)
    freedom = (part_a + part_b) ** 2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
    p = 2 * special.stdtr(freedom, -np.abs(t))
    p = np.where(constant, 0.0, p)
    single = levels < 2
    return np.where(single, np.nan, p), [(single, ONE_VALUE)]


def _rom_statistics(chunk: Chunk) -> Statistics:
    mean_a, mean_b, _, _ = chunk.moments()
    return mean_a, mean_b, chunk.largest_b()


def _rom_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    mean_a, mean_b, largest = statistics
    zero = np.abs(mean_b) <= np.maximum(1e-12 * largest, 1 / LARGEST)
    signs = mean_a * mean_b < 0
    score = np.where(zero | signs, np.nan, np.abs(1.0 - mean_a / mean_b))
    return score, [(signs, "the means differ in sign"), (zero, "the reference mean is 0")]


def _mean_statistics(chunk: Chunk) -> Statistics:
    return chunk.moments()[:2]


def _mean_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    return statistics[0] - statistics[1], []


def _mann_whitney_statistics(chunk: Chunk) -> Statistics:
    return chunk.u(), chunk.ties() + np.zeros(len(chunk.n_a))


def _mann_whitney_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    return pvalues.mann_whitney(statistics[0], statistics[1], n_a, n_b), []


def _brunner_munzel_statistics(chunk: Chunk) -> Statistics:
    """U and the variances of the placements of both sides."""
    return *chunk.placements(), chunk.n_levels


def _brunner_munzel_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    u, var_a, var_b, levels = statistics
    product = n_a * n_b
    rank_a, rank_b = u / n_a + (n_a + 1) / 2, (product - u) / n_b + (n_b + 1) / 2
    part_a, part_b = n_a * var_a, n_b * var_b
    w = product * (rank_b - rank_a) / ((n_a + n_b) * np.sqrt(part_a + part_b))
    freedom = (part_a + part_b) ** 2 / (part_a**2 / (n_a - 1) + part_b**2 / (n_b - 1))
    p = np.minimum(2 * special.stdtr(freedom, -np.abs(w)), 1.0)
    p = np.where((u == 0) | (u == product), 0.0, p)
    single = levels < 2
    return np.where(single, np.nan, p), [(single, ONE_VALUE)]


def _chi2_statistics(chunk: Chunk) -> Statistics:
    at = np.asarray(chunk.at, dtype=float)
    total = chunk.total
    off = chunk.a * chunk.each(total) - chunk.each(chunk.n_a) * at
    squares = np.divide(off * off, at, out=np.zeros(np.shape(off)), where=at > 0)
    return chunk.sum(squares) / (chunk.n_a * chunk.n_b), chunk.n_levels


def _chi2_scores(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    chi2, levels = statistics
    single = levels < 2
    return np.where(single, np.nan, special.chdtrc(np.maximum(levels - 1, 1), chi2)), [(single, ONE_VALUE)]


def _total_variation_statistics(chunk: Chunk) -> Statistics:
    distance = 0.5 * chunk.sum(np.abs(chunk.a / chunk.each(chunk.n_a) - chunk.b / chunk.each(chunk.n_b)))
    return (np.minimum(distance, 1.0),)


def _wasserstein_statistics(chunk: Chunk) -> Statistics:
    return (chunk.sum(np.abs(chunk.difference()) * chunk.gaps) / (chunk.n_a * chunk.n_b),)


def _as_it_is(statistics: Statistics, n_a: np.ndarray, n_b: np.ndarray) -> Scored:
    return statistics[0], []


KS = Kernel(_ks_statistics, _ks_scores(KS_EXACT_ROWS), _ks_resample_scores)
KS_AUTO = Kernel(_ks_statistics, _ks_scores(KS_EXACT_ROWS_SCIPY), _ks_resample_scores)
ANDERSON_DARLING = Kernel(_ad_statistics, _ad_scores, _ad_resample_scores)
WELCH_T = Kernel(_welch_statistics, _welch_scores, moments_only=True)
RATIO_OF_MEANS = Kernel(_rom_statistics, _rom_scores, moments_only=True)
MEAN_DIFFERENCE = Kernel(_mean_statistics, _mean_scores, moments_only=True)
MANN_WHITNEY = Kernel(_mann_whitney_statistics, _mann_whitney_scores)
BRUNNER_MUNZEL = Kernel(_brunner_munzel_statistics, _brunner_munzel_scores)
CHI_SQUARED = Kernel(_chi2_statistics, _chi2_scores)
TOTAL_VARIATION = Kernel(_total_variation_statistics, _as_it_is)
WASSERSTEIN = Kernel(_wasserstein_statistics, _as_it_is)
