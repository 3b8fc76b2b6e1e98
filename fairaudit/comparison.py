"""Comparison functions FC: two samples of one attribute become one score.

A custom one is a decorated function::

    @COMPARISONS.register(
        name="median_gap", label="Gap of medians", summary="Median of the target minus median of the reference.",
        output="score", scale="unit", signed=True, symmetric=False,
    )
    def median_gap(a, b):
        return np.median(a) - np.median(b)

It receives finite values only, at least ``min_rows`` on each side, and raises NotMeasurableError with the reason where it is not defined.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from fairaudit.binning import Bins
from fairaudit.errors import NotMeasurableError
from fairaudit.kernels import KS_EXACT_ROWS, KS_EXACT_ROWS_SCIPY, functions
from fairaudit.kernels.chunks import bin_chunks
from fairaudit.kernels.functions import Kernel
from fairaudit.kernels.pvalues import AD_CEILING, AD_FLOOR
from fairaudit.registry import FunctionSpec, Registry
from fairaudit.schema import LARGEST

BatchResult = tuple[np.ndarray, list[str]]


@dataclass(frozen=True, kw_only=True)
class ComparisonSpec(FunctionSpec):
    """Facts about a comparison function.

    Attributes
    ----------
    output : {"p_value", "score"}
        p-values: small means more disparity. Scores: far from ``no_difference`` means more disparity.
    scale : {"p_value", "ratio", "share", "unit"}
        What the number means: a probability, a ratio without unit, a share in [0, 1], or the unit of the attribute.
    input_types : frozenset of str
        Types of attributes for which it is valid; see ``fairaudit.schema.COLUMN_TYPES``.
    range : tuple of float
        Smallest and largest possible score.
    no_difference : float
        Score of two identical samples.
    symmetric : bool
        True when exchanging the two samples changes nothing.
    signed : bool
        True when the score has a direction: target minus reference.
    min_rows : int
        Fewest values on each side for which it is defined.
    threshold : float or None
        Score above which the uncalibrated rule raises a flag; None for p-values, which are held against alpha, and
        for the scale ``unit``, where the rule is a tenth of a standard deviation.
    floor, ceiling : float or None
        Limits at which a p-value stops saying how small or large it is.
    batch : Kernel or None
        The same function over all bins, or all resamples, at once. Functions without one are called bin by bin.
    """

    output: Literal["p_value", "score"]
    scale: Literal["p_value", "ratio", "share", "unit"]
    input_types: frozenset[str] = frozenset({"numeric", "binary", "ordinal"})
    range: tuple[float, float] = (-np.inf, np.inf)
    no_difference: float = 0.0
    symmetric: bool = True
    signed: bool = False
    min_rows: int = 1
    threshold: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    batch: Kernel | None = None

    @property
    def is_p_value(self) -> bool:
        """True when the score is a p-value."""
        return self.output == "p_value"


COMPARISONS: Registry[ComparisonSpec] = Registry("comparison function", ComparisonSpec)

CATEGORIES = frozenset({"binary", "ordinal", "nominal"})
NOMINAL_SUBSTITUTE = {"p_value": "chi2", "score": "total_variation"}
"""What compares nominal attributes when the chosen function is not valid for them."""


def compare(spec: ComparisonSpec, a: np.ndarray, b: np.ndarray) -> tuple[float, str]:
    """Score of one bin.

    Parameters
    ----------
    spec : ComparisonSpec
    a, b : ndarray of float
        Finite values of the target and of the reference in the bin.

    Returns
    -------
    score : float
        NaN when it is not defined.
    note : str
        The reason for a NaN, or what to know about the number; often empty.
    """
    if len(a) == 0 or len(b) == 0:
        return float("nan"), "no values on " + (
            "both sides" if len(a) == len(b) else "the target side" if len(a) == 0 else "the reference side"
        )
    if min(len(a), len(b)) < spec.min_rows:
        return float("nan"), f"fewer than {spec.min_rows} values on a side"
    try:
        # scipy warns where a p-value is floored or a variance is 0; the notes below say the same per bin.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", category=UserWarning)
            warnings.simplefilter("ignore", category=RuntimeWarning)
            score = float(spec.function(a, b))
    except NotMeasurableError as error:
        return float("nan"), error.problem
    if np.isnan(score):
        return score, "not defined for these values"
    return score, limit_note(spec, score)


def limit_note(spec: ComparisonSpec, score: float) -> str:
    """Says when a p-value lies at the floor or ceiling of what can be computed."""
    if not spec.is_p_value:
        return ""
    if spec.ceiling is not None and score >= spec.ceiling:
        return f"at the ceiling ({spec.ceiling:g}): no difference, not {spec.ceiling:.0%}"
    if spec.floor is not None and score <= spec.floor:
        return f"at the floor ({spec.floor:g}): the true p-value is smaller"
    return "at the floor: smaller than a computer can represent" if score == 0.0 else ""


def compare_bins(spec: ComparisonSpec, a: Bins, b: Bins) -> BatchResult:
    """Scores and notes of all bins, by the batch form where there is one.

    Parameters
    ----------
    spec : ComparisonSpec
    a, b : Bins
        Target and reference, with the same number of bins.
    """
    return compare_bins_by([spec], a, b)[0]


def compare_bins_by(specs: Sequence[ComparisonSpec], a: Bins, b: Bins) -> list[BatchResult]:
    """Scores and notes of all bins by several functions, which share the sorted and merged values.

    Parameters
    ----------
    specs : sequence of ComparisonSpec
    a, b : Bins
        Target and reference, with the same number of bins.
    """
    kept = np.flatnonzero(np.minimum(a.sizes, b.sizes) > 0)
    found: list[list[tuple[np.ndarray, ...]]] = [[] for _ in specs]
    # Chunk by chunk, so that the merged values are still in the cache for the next function. Divisions by 0 are the undefined
    # cases, which get their reason later.
    with np.errstate(all="ignore"):
        for chunk in bin_chunks(a, b, kept):
            for statistics, spec in zip(found, specs, strict=True):
                if spec.batch is not None:
                    statistics.append(spec.batch.statistics(chunk))
    results = []
    for statistics, spec in zip(found, specs, strict=True):
        if spec.batch is None:
            pairs = [compare(spec, x, y) for x, y in zip(a, b, strict=True)]
            results.append((np.array([score for score, _ in pairs]), [note for _, note in pairs]))
        else:
            joined = tuple(np.concatenate(x) for x in zip(*statistics, strict=True))
            results.append(_batch_scores(spec, spec.batch, a, b, kept, joined))
    return results


def _batch_scores(
    spec: ComparisonSpec, kernel: Kernel, a: Bins, b: Bins, kept: np.ndarray, statistics: tuple[np.ndarray, ...]
) -> BatchResult:
    scores, notes = np.full(len(a), np.nan), [""] * len(a)
    if len(kept):
        with np.errstate(all="ignore"):
            scores[kept], reasons = kernel.scores(statistics, a.sizes[kept].astype(float), b.sizes[kept].astype(float))
        for mask, reason in reasons:
            for i in kept[mask]:
                notes[i] = reason
        for i in kept:
            notes[i] = notes[i] or ("not defined for these values" if np.isnan(scores[i]) else limit_note(spec, scores[i]))
    for i in np.flatnonzero(np.minimum(a.sizes, b.sizes) < max(spec.min_rows, 1)):
        scores[i], notes[i] = compare(spec, a[int(i)], b[int(i)])
    return scores, notes


def normalise(spec: ComparisonSpec, scores: np.ndarray, spread: float) -> np.ndarray:
    """Scores on [0, 1], where 0 means no difference and 1 the largest one (end of QMAD, section 5.1).

    Parameters
    ----------
    spec : ComparisonSpec
    scores : ndarray of float
    spread : float
        Pooled standard deviation of the attribute; used for scores in the attribute's unit.
    """
    scores = np.asarray(scores, dtype=float)
    if spec.scale == "p_value":
        ceiling = 1.0 if spec.ceiling is None else spec.ceiling
        return 1.0 - np.minimum(scores / ceiling, 1.0)
    if spec.scale == "share":
        return scores
    size = np.abs(scores - spec.no_difference)
    if spec.scale == "unit":
        size = size / spread if spread > 0 else np.where(size > 0, np.inf, size)
    finite = np.where(np.isinf(size), 1.0, size)
    return np.where(np.isinf(size), 1.0, finite / (1.0 + finite))


def _one_value(a: np.ndarray, b: np.ndarray) -> bool:
    """True when both samples together hold one distinct value."""
    return bool(a[0] == b[0] and (a == a[0]).all() and (b == b[0]).all())


def _need_two_values(a: np.ndarray, b: np.ndarray) -> None:
    if _one_value(a, b):
        raise NotMeasurableError("one distinct value on both sides")


@COMPARISONS.register(
    name="rom",
    label="Ratio of means",
    summary="How far the ratio of the two means is from 1: 0.10 means that the target's mean is 10 % higher or lower.",
    pitfall="Not defined where the reference mean is 0 or the means differ in sign, and unstable where the reference mean is near 0.",
    reference="QMAD, equation 6",
    formula=r"C_{a,b} = \left|1 - \frac{E[S_{a,G_1,b}]}{E[S_{a,G_2,b}]}\right|",
    output="score",
    scale="ratio",
    range=(0.0, np.inf),
    symmetric=False,
    threshold=0.10,
    batch=functions.RATIO_OF_MEANS,
)
def ratio_of_means(a: np.ndarray, b: np.ndarray) -> float:
    """``|1 - mean(a) / mean(b)|``."""
    mean_a, mean_b = float(np.mean(a)), float(np.mean(b))
    # A mean of rounding residue, or one that makes the ratio overflow, is as undefined as a mean of 0.
    if abs(mean_b) <= max(1e-12 * float(np.abs(b).max(initial=0.0)), 1 / LARGEST):
        raise NotMeasurableError("the reference mean is 0")
    if mean_a * mean_b < 0:
        raise NotMeasurableError("the means differ in sign")
    return abs(1.0 - mean_a / mean_b)


@COMPARISONS.register(
    name="mean_difference",
    label="Difference of means",
    summary="Mean of the target minus mean of the reference, in the unit of the attribute.",
    pitfall="Cannot be aggregated over attributes with different units unless it is normalised.",
    reference="QMAD, equation 4; FairCanary (QDD)",
    formula=r"C_{a,b} = E[S_{a,G_1,b}] - E[S_{a,G_2,b}]",
    output="score",
    scale="unit",
    symmetric=False,
    signed=True,
    batch=functions.MEAN_DIFFERENCE,
)
def mean_difference(a: np.ndarray, b: np.ndarray) -> float:
    """``mean(a) - mean(b)``."""
    return float(np.mean(a) - np.mean(b))


_KS_FACTS = {
    "output": "p_value",
    "scale": "p_value",
    "range": (0.0, 1.0),
    "no_difference": 1.0,
    "formula": r"C_{a,b} = \mathrm{KSTest}(S_{a,G_1,b}, S_{a,G_2,b})",
    "pitfall": "On attributes with few distinct values it is too cautious, and with quantile bins it flags almost everything; the calibrated verdict mends both.",
}


@COMPARISONS.register(
    name="ks",
    label="Kolmogorov–Smirnov test",
    summary="p-value for the largest gap between the two empirical distributions.",
    reference=f"QMAD, equation 9; scipy.stats.ks_2samp, exact up to {KS_EXACT_ROWS:,} values a side, asymptotic above",
    **_KS_FACTS,
    batch=functions.KS,
)
def ks_test(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of the two-sided two-sample Kolmogorov-Smirnov test."""
    return _ks(a, b, KS_EXACT_ROWS)


def _ks(a: np.ndarray, b: np.ndarray, exact_rows: int) -> float:
    exact = max(len(a), len(b)) <= exact_rows
    found = stats.ks_2samp(a, b, method="exact" if exact else "asymp")
    if exact and len(a) == len(b) and found.statistic * len(a) < 1.5:
        # No two samples of one size that differ have a smaller gap. At some sizes scipy's sum is 1 + 2e-16 and given up for the asymptotic value.
        return 1.0
    return float(found.pvalue)


@COMPARISONS.register(
    name="ks_auto",
    label="Kolmogorov–Smirnov test (scipy's choice)",
    summary="The same test with scipy's automatic choice of method: exact up to 10,000 values a side.",
    reference="QMAD, equation 9; scipy.stats.ks_2samp, method 'auto'",
    **_KS_FACTS,
    batch=functions.KS_AUTO,
)
def ks_test_auto(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of the same test, exact for as many values as scipy's ``ks_2samp`` does it."""
    return _ks(a, b, KS_EXACT_ROWS_SCIPY)


@COMPARISONS.register(
    name="ad",
    label="Anderson–Darling test",
    summary="p-value for any difference of the two distributions, with weight on the tails.",
    pitfall="Known only between 0.001 and 0.25, and far too eager on attributes with few distinct values unless it is calibrated.",
    reference="QMAD, equation 12; scipy.stats.anderson_ksamp, variant 'midrank'",
    formula=r"C_{a,b} = \mathrm{ADTest}(S_{a,G_1,b}, S_{a,G_2,b})",
    output="p_value",
    scale="p_value",
    range=(AD_FLOOR, AD_CEILING),
    no_difference=AD_CEILING,
    floor=AD_FLOOR,
    ceiling=AD_CEILING,
    batch=functions.ANDERSON_DARLING,
)
def anderson_darling(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of the two-sample Anderson-Darling test, clipped to [0.001, 0.25] by scipy's table."""
    _need_two_values(a, b)
    if len(a) == 1 and len(b) == 1:
        raise NotMeasurableError("one value on each side")
    return float(stats.anderson_ksamp([a, b], variant="midrank").pvalue)


@COMPARISONS.register(
    name="welch_t",
    label="Welch's t-test",
    summary="p-value for a difference of the two means, without assuming equal variances.",
    pitfall="Sees differences of means only, and outliers can hide them.",
    reference="QMAD, section 7.3; scipy.stats.ttest_ind, equal_var=False",
    formula=r"t = \frac{\bar a - \bar b}{\sqrt{s_a^2 / n_a + s_b^2 / n_b}}",
    output="p_value",
    scale="p_value",
    range=(0.0, 1.0),
    no_difference=1.0,
    min_rows=2,
    batch=functions.WELCH_T,
)
def welch_t_test(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of Welch's t-test; 0 for two different constants."""
    _need_two_values(a, b)
    if (a == a[0]).all() and (b == b[0]).all():
        return 0.0
    return float(stats.ttest_ind(a, b, equal_var=False).pvalue)


@COMPARISONS.register(
    name="mann_whitney",
    label="Mann–Whitney U test",
    summary="p-value for one side having larger values than the other, from ranks only.",
    pitfall="Blind to differences of spread, and not a test of medians unless the shapes agree.",
    reference="QMAD, section 7.3; scipy.stats.mannwhitneyu, two-sided",
    formula=r"U = \sum_{i,j} \left(1[a_i > b_j] + \tfrac12 1[a_i = b_j]\right)",
    output="p_value",
    scale="p_value",
    range=(0.0, 1.0),
    no_difference=1.0,
    batch=functions.MANN_WHITNEY,
)
def mann_whitney(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of the two-sided Mann-Whitney U test."""
    return float(stats.mannwhitneyu(a, b).pvalue)


@COMPARISONS.register(
    name="brunner_munzel",
    label="Brunner–Munzel test",
    summary="p-value for one side having larger values than the other, without assuming equal spread.",
    pitfall="Needs about ten values a side; two samples that do not overlap at all have p = 0.",
    reference="QMAD, section 7.3; scipy.stats.brunnermunzel",
    formula=r"H_0: P(a < b) + \tfrac12 P(a = b) = \tfrac12",
    output="p_value",
    scale="p_value",
    range=(0.0, 1.0),
    no_difference=1.0,
    min_rows=2,
    batch=functions.BRUNNER_MUNZEL,
)
def brunner_munzel(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of the Brunner-Munzel test; 0 for samples that do not overlap, where scipy's variance estimate is 0."""
    _need_two_values(a, b)
    if a.max() < b.min() or b.max() < a.min():
        return 0.0
    return float(stats.brunnermunzel(a, b).pvalue)


def level_counts(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Counts of every distinct value, shape (2, n_levels); row 0 is ``a``."""
    levels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    return np.stack([np.bincount(codes[: len(a)], minlength=len(levels)), np.bincount(codes[len(a) :], minlength=len(levels))])


@COMPARISONS.register(
    name="chi2",
    label="Chi-squared test",
    summary="p-value for a difference in the shares of the categories.",
    pitfall="Approximate when categories have fewer than about five expected members; blind to the order of categories.",
    reference="K. Pearson (1900); scipy.stats.chi2_contingency, correction=False",
    formula=r"\chi^2 = \sum \frac{(O - E)^2}{E}",
    output="p_value",
    scale="p_value",
    input_types=CATEGORIES,
    range=(0.0, 1.0),
    no_difference=1.0,
    batch=functions.CHI_SQUARED,
)
def chi_squared(a: np.ndarray, b: np.ndarray) -> float:
    """p-value of Pearson's chi-squared test of the table of counts, without continuity correction."""
    counts = level_counts(a, b)
    if counts.shape[1] < 2:
        raise NotMeasurableError("one distinct value on both sides")
    return float(stats.chi2_contingency(counts, correction=False).pvalue)


@COMPARISONS.register(
    name="total_variation",
    label="Total variation distance",
    summary="Share of the rows that would have to change category to make the two sides alike.",
    pitfall="Positive by chance alone when categories are many and rows are few.",
    reference="D. A. Levin, Y. Peres, Markov Chains and Mixing Times, section 4.1",
    formula=r"C_{a,b} = \tfrac12 \sum_k |p_k - q_k|",
    output="score",
    scale="share",
    input_types=CATEGORIES,
    range=(0.0, 1.0),
    threshold=0.10,
    batch=functions.TOTAL_VARIATION,
)
def total_variation(a: np.ndarray, b: np.ndarray) -> float:
    """Half the sum of the absolute differences of the shares."""
    counts = level_counts(a, b)
    # Rounding can lift the sum above 1.
    return min(float(0.5 * np.abs(counts[0] / len(a) - counts[1] / len(b)).sum()), 1.0)


@COMPARISONS.register(
    name="wasserstein",
    label="Wasserstein distance",
    summary="How far values must move on average to turn one distribution into the other, in the unit of the attribute.",
    pitfall="Positive by chance alone in small samples, and in the unit of the attribute: normalise it before aggregating over attributes.",
    reference="scipy.stats.wasserstein_distance",
    formula=r"C_{a,b} = \int |F_a(x) - F_b(x)|\,dx",
    output="score",
    scale="unit",
    range=(0.0, np.inf),
    batch=functions.WASSERSTEIN,
)
def wasserstein(a: np.ndarray, b: np.ndarray) -> float:
    """First Wasserstein distance."""
    return float(stats.wasserstein_distance(a, b))
