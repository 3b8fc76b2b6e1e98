"""Intervals for rates and for what is made of rates.

The level is 95 % unless another is asked for. A proportion by itself gets Wilson's interval. A difference, ratio or index gets the
percentile interval of multinomial draws from the count table; where a rate is 0 or 1 those draws do not vary and would claim
certainty, so the closed forms that combine Wilson's limits take their place.

References
----------
.. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
.. [2] Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in Medicine 17.
.. [3] Zou, G. Y., Donner, A. (2008). Construction of confidence limits about effect measures: a general approach. Statistics in
   Medicine 27 (differences and sums); Donner, A., Zou, G. Y. (2012), Statistical Methods in Medical Research 21 (ratios).
.. [4] Efron, B., Tibshirani, R. J. (1993). An Introduction to the Bootstrap, chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

LEVEL = 0.95
RESAMPLES = 2000

Interval = tuple[float, float]
NO_INTERVAL: Interval = (math.nan, math.nan)


def wilson(successes: Any, trials: Any, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval of a proportion.

    Parameters
    ----------
    successes, trials : array-like
        Same shape; successes need not be whole numbers.
    level : float in (0, 1)

    Returns
    -------
    low, high : ndarray
        NaN where there are no trials.

    Examples
    --------
    >>> low, high = wilson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.2775)
    """
    k, n = np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        p = k / n
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = np.sqrt(z2 * (p * (1 - p) + z2 / (4 * n)) / n) / (1 + z2 / n)
        # Rounding must not move a limit off 0 or 1, nor beyond the estimate.
        low = np.where(p == 0, 0.0, np.maximum(middle - half, 0.0))
        high = np.where(p == 1, 1.0, np.minimum(middle + half, 1.0))
    undefined = ~(n > 0)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def combine(coefficients: Sequence[float], estimates: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Interval of a weighted sum of independent estimates from their own intervals [3]_.

    Examples
    --------
    >>> low, high = combine([1, -1], [0.0, 0.5], [(0.0, 0.2), (0.3, 0.7)])
    >>> round(low, 4), round(high, 4)
    (-0.7, -0.2172)
    """
    total = below = above = 0.0
    for c, value, (low, high) in zip(coefficients, estimates, intervals, strict=True):
        down, up = (value - low, high - value) if c > 0 else (high - value, value - low)
        total += c * value
        below += (c * down) ** 2
        above += (c * up) ** 2
    return total - math.sqrt(below), total + math.sqrt(above)


def combine_ratio(a: float, interval_a: Interval, b: float, interval_b: Interval) -> Interval:
    """Interval of the ratio a / b of two independent positive estimates from their own intervals [3]_.

    The upper limit is infinite where the interval of ``b`` reaches 0.
    """
    (la, ua), (lb, ub) = interval_a, interval_b
    product = a * b
    low_part, high_part = la * ub * (2 * a - la) * (2 * b - ub), ua * lb * (2 * a - ua) * (2 * b - lb)
    low_base, high_base = ub * (2 * b - ub), lb * (2 * b - lb)
    low_root = math.sqrt(max(product**2 - low_part, 0.0))
    high_root = math.sqrt(max(product**2 - high_part, 0.0))
    # With 2 b - ub = 0 the quadratic becomes linear; its root is the limit of the general form.
    low = (product - low_root) / low_base if low_base != 0 else la * (2 * a - la) / (2 * product) if product else 0.0
    high = (product + high_root) / high_base if high_base > 0 else math.inf
    return max(low, 0.0), high


def of_magnitude(interval: Interval) -> Interval:
    """Interval of |x| from the interval of x.

    Examples
    --------
    >>> of_magnitude((-0.3, -0.1)), of_magnitude((-0.1, 0.3))
    ((0.1, 0.3), (0.0, 0.3))
    """
    low, high = interval
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return nearest, max(abs(low), abs(high))


def multinomial_draws(counts: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Count tables of ``resamples`` bootstrap samples of the rows behind ``counts``.

    Drawing rows with replacement and counting them is the same as drawing the counts; only the latter does not depend on the
    number of rows.

    Parameters
    ----------
    counts : ndarray of int, shape (3, 3)
    resamples : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (resamples, 3, 3)
    """
    n = int(counts.sum())
    return rng.multinomial(n, counts.ravel() / n, size=resamples).reshape(resamples, *counts.shape)


def percentile_interval(draws: np.ndarray, level: float = LEVEL) -> tuple[Interval, float]:
    """Percentile interval and the share of draws that were not defined and had to be left out."""
    defined = draws[~np.isnan(draws)]
    left_out = 1 - len(defined) / len(draws)
    if not len(defined):
        return NO_INTERVAL, left_out
    # No interpolation: a ratio may be infinite in some draws.
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return (float(low), float(high)), left_out


def mean_interval(values: np.ndarray, level: float, resamples: int, rng: np.random.Generator) -> Interval:
    """Row bootstrap of the mean of values in [0, 1] of which few are distinct.

    Where all values are equal, or no resamples are asked for, Wilson's interval takes its place: no variable in [0, 1] varies
    more than a 0/1 variable of the same mean.
    """
    found, sizes = np.unique(values, return_counts=True)
    if len(found) == 1 or not resamples:
        low, high = wilson(float(values.sum()), len(values), level)
        return float(low), float(high)
    draws = rng.multinomial(len(values), sizes / len(values), size=resamples) @ found / len(values)
    return percentile_interval(draws, level)[0]
