"""Aggregation functions FA: the scores of all bins of an attribute, or of all attributes, become one score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from fairaudit.errors import SettingsError
from fairaudit.registry import FunctionSpec, Registry


@dataclass(frozen=True, kw_only=True)
class AggregationSpec(FunctionSpec):
    """Facts about an aggregation function.

    Attributes
    ----------
    p_values_only : bool
        True when it is defined for p-values and for nothing else.
    weighted : bool
        True when weights are defined for it.
    rows : callable or None
        The same over the rows of a matrix: values and weights of shape (n, k) in, where undefined values have weight 0; shape (n,) out.
        Functions without one are called row by row.
    """

    p_values_only: bool = False
    weighted: bool = True
    rows: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None


AGGREGATIONS: Registry[AggregationSpec] = Registry("aggregation function", AggregationSpec)


def aggregate(name: str, values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Combine the defined ones among some scores.

    Parameters
    ----------
    name : str
        A registered aggregation function.
    values : ndarray of float, shape (n,)
        NaN entries are left out.
    weights : ndarray of float, shape (n,), optional
        Non-negative, at least one positive among the defined values.

    Returns
    -------
    float
        NaN when no value is defined.

    Raises
    ------
    SettingsError
        If weights are given to a function that has none, or are negative or all zero.

    Examples
    --------
    >>> aggregate("harmonic", np.array([0.5, 0.25, np.nan]))
    0.3333333333333333
    """
    spec = AGGREGATIONS[name]
    values = np.asarray(values, dtype=float)
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    if weights is None:
        return float(spec.function(values[defined]))
    if not spec.weighted:
        raise SettingsError(
            f"Weights are not defined for the aggregation {spec.label}.", "Leave out the weights or choose another aggregation."
        )
    weights = np.asarray(weights, dtype=float)
    if (weights < 0).any() or not np.isfinite(weights).all() or not (weights[defined] > 0).any():
        raise SettingsError("Weights must be 0 or more, and at least one must be above 0.", "Check the weights.")
    return float(spec.function(values[defined], weights[defined]))


def aggregate_rows(name: str, values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Combine the defined ones among the scores of every row; ``aggregate`` for many rows at once.

    Parameters
    ----------
    name : str
        A registered aggregation function.
    values : ndarray of float, shape (n, k)
        NaN entries are left out.
    weights : ndarray of float, shape (k,), optional
        As for ``aggregate``.

    Returns
    -------
    ndarray of float, shape (n,)
        NaN for rows without a defined value, and for rows whose defined values all have weight 0.

    Examples
    --------
    >>> aggregate_rows("harmonic", np.array([[0.5, 0.25, np.nan], [0.5, 0.0, 0.1]]))
    array([0.33333333, 0.        ])
    """
    spec = AGGREGATIONS[name]
    values = np.asarray(values, dtype=float)
    defined = ~np.isnan(values)
    by_row = np.broadcast_to(np.ones(values.shape[1]) if weights is None else np.asarray(weights, dtype=float), values.shape)
    result = np.full(len(values), np.nan)
    used = (defined & (by_row > 0)).any(axis=1)
    if not used.any():
        return result
    # The row form of the weighted median would be no shorter than the loop.
    if spec.rows is None or (weights is not None and name == "median"):
        result[used] = [aggregate(name, row, weights) for row in values[used]]
    else:
        by_row = np.where(defined, by_row, 0.0)[used]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            result[used] = spec.rows(np.where(by_row > 0, values[used], 0.5), by_row)
    return result


def _arithmetic_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return (weights * values).sum(axis=1) / weights.sum(axis=1)


def _harmonic_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    _not_negative(values)
    return weights.sum(axis=1) / (weights / values).sum(axis=1)


def _median_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.nanmedian(np.where(weights > 0, values, np.nan), axis=1))


def _max_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.where(weights > 0, values, -np.inf).max(axis=1)


def _min_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.where(weights > 0, values, np.inf).min(axis=1)


def _fisher_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    statistic = -2.0 * np.where(weights > 0, np.log(values), 0.0).sum(axis=1)
    return np.asarray(special.chdtrc(2 * np.count_nonzero(weights, axis=1), statistic))


def _stouffer_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    z = np.where(weights > 0, weights * -special.ndtri(values), 0.0)
    return np.asarray(special.ndtr(-z.sum(axis=1) / np.sqrt((weights**2).sum(axis=1))))


def _cauchy_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    scores = np.where(values < 0.25, 1.0 / np.tan(values * np.pi), np.tan((0.5 - values) * np.pi))
    statistic = np.where(weights > 0, weights * scores, 0.0).sum(axis=1) / weights.sum(axis=1)
    combined = np.where(statistic > 1.0, np.arctan(1.0 / statistic) / np.pi, 0.5 - np.arctan(statistic) / np.pi)
    return np.where(((values == 0) & (weights > 0)).any(axis=1), 0.0, combined)


def _not_negative(values: np.ndarray) -> None:
    if (values < 0).any():
        raise SettingsError("The harmonic mean is not defined for negative scores.", "Use the arithmetic mean or the median.")


def _ones(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    return np.ones(len(values)) if weights is None else weights


@AGGREGATIONS.register(
    name="arithmetic",
    label="Arithmetic mean",
    summary="The average of the scores.",
    pitfall="An average of p-values is not a p-value.",
    reference="QMAD, equations 7 and 8",
    formula=r"M_a = \frac{1}{B} \sum_{b=1}^{B} C_{a,b}",
    rows=_arithmetic_rows,
)
def arithmetic(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Arithmetic mean, optionally weighted."""
    return float(np.mean(values) if weights is None else np.average(values, weights=weights))


@AGGREGATIONS.register(
    name="harmonic",
    label="Harmonic mean",
    summary="The harmonic mean of p-values: small as soon as some of them are small.",
    pitfall="Slightly liberal for independent p-values, and a single p-value of 0 makes the result 0.",
    reference="QMAD, equations 10 and 11; D. J. Wilson, PNAS 116 (2019) 1195",
    formula=r"M_a = \frac{B}{\sum_{b=1}^{B} 1 / C_{a,b}}",
    rows=_harmonic_rows,
)
def harmonic(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Harmonic mean of non-negative values, optionally weighted; 0 when a value with positive weight is 0."""
    weights = _ones(values, weights)
    _not_negative(values)
    if ((values == 0) & (weights > 0)).any():
        return 0.0
    used = weights > 0
    return float(weights[used].sum() / (weights[used] / values[used]).sum())


@AGGREGATIONS.register(
    name="median",
    label="Median",
    summary="The middle one of the scores; a few extreme bins do not move it.",
    pitfall="Hides a difference that shows in fewer than half of the bins.",
    reference="QMAD, section 5.1 (customised aggregation)",
    formula=r"M_a = \operatorname{median}_b C_{a,b}",
    rows=_median_rows,
)
def median(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Median; with weights the value at which half of the weight is reached (mean of both neighbours at exactly half)."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    cumulative = np.cumsum(weights[order]) / weights[order].sum()
    low = int(np.searchsorted(cumulative, 0.5 - 1e-12))
    high = min(int(np.searchsorted(cumulative, 0.5 + 1e-12)), len(order) - 1)
    return float((values[order[low]] + values[order[high]]) / 2)


@AGGREGATIONS.register(
    name="max",
    label="Maximum",
    summary="The largest score: for distances the worst bin, for p-values the least conspicuous one.",
    pitfall="Grows with the number of bins; for p-values it asks that every bin differs.",
    reference="QMAD, section 5.1 (customised aggregation)",
    formula=r"M_a = \max_b C_{a,b}",
    weighted=False,
    rows=_max_rows,
)
def maximum(values: np.ndarray) -> float:
    """Largest value."""
    return float(np.max(values))


@AGGREGATIONS.register(
    name="min",
    label="Minimum",
    summary="The smallest score: for p-values the most conspicuous bin, for distances the calmest one.",
    pitfall="The smallest of many p-values is small by chance; read it only with the calibrated verdict.",
    reference="QMAD, section 5.1 (customised aggregation)",
    formula=r"M_a = \min_b C_{a,b}",
    weighted=False,
    rows=_min_rows,
)
def minimum(values: np.ndarray) -> float:
    """Smallest value."""
    return float(np.min(values))


@AGGREGATIONS.register(
    name="fisher",
    label="Fisher's method",
    summary="Adds up the logarithms of independent p-values; strong when several bins differ a little.",
    pitfall="A single extremely small p-value dominates, and the bins must be independent.",
    reference="R. A. Fisher (1932); scipy.stats.combine_pvalues",
    formula=r"M_a = P\left(\chi^2_{2B} \ge -2 \sum_b \ln C_{a,b}\right)",
    p_values_only=True,
    weighted=False,
    rows=_fisher_rows,
)
def fisher(values: np.ndarray) -> float:
    """Fisher's combined p-value."""
    with np.errstate(divide="ignore"):
        statistic = -2.0 * np.log(values).sum()
    return float(special.chdtrc(2 * len(values), statistic))


@AGGREGATIONS.register(
    name="stouffer",
    label="Stouffer's method",
    summary="Averages p-values on the scale of the normal distribution; takes weights.",
    pitfall="Bins that agree too well (p near 1) cancel bins that differ.",
    reference="S. A. Stouffer et al. (1949); scipy.stats.combine_pvalues",
    formula=r"M_a = 1 - \Phi\left(\frac{\sum_b w_b \Phi^{-1}(1 - C_{a,b})}{\sqrt{\sum_b w_b^2}}\right)",
    p_values_only=True,
    rows=_stouffer_rows,
)
def stouffer(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Stouffer's combined p-value, optionally weighted; NaN when bins of p = 0 and of p = 1 meet."""
    weights = _ones(values, weights)
    used = weights > 0
    z = -special.ndtri(values[used])
    if np.isposinf(z).any() and np.isneginf(z).any():
        return float("nan")
    return float(special.ndtr(-(weights[used] * z).sum() / np.sqrt((weights[used] ** 2).sum())))


@AGGREGATIONS.register(
    name="cauchy",
    label="Cauchy combination",
    summary="Averages p-values on the scale of the Cauchy distribution; valid for dependent p-values when they are small.",
    pitfall="A p-value of exactly 1 pulls the result to 1.",
    reference="Y. Liu, J. Xie, JASA 115 (2020) 393",
    formula=r"M_a = \tfrac12 - \tfrac1\pi \arctan\left(\sum_b w_b \tan\left((\tfrac12 - C_{a,b})\pi\right)\right)",
    p_values_only=True,
    rows=_cauchy_rows,
)
def cauchy(values: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Cauchy combination of p-values, optionally weighted."""
    weights = _ones(values, weights)
    used = weights > 0
    values, weights = values[used], weights[used]
    if (values == 0).any():
        return 0.0
    # tan loses all digits next to its pole; there tan((1/2 - p) pi) = 1 / tan(p pi) is exact.
    with np.errstate(divide="ignore"):
        scores = np.where(values < 0.25, 1.0 / np.tan(values * np.pi), np.tan((0.5 - values) * np.pi))
    statistic = (weights * scores).sum() / weights.sum()
    # The same for the way back: arctan(1 / t) keeps the digits of a small p.
    return float(np.arctan(1.0 / statistic) / np.pi if statistic > 1.0 else 0.5 - np.arctan(statistic) / np.pi)
