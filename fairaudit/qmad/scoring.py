"""Algorithm 1 of QMAD for one attribute of one pair of sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from fairaudit.aggregation import aggregate
from fairaudit.attributes import PairValues
from fairaudit.binning import BINNINGS, Bins
from fairaudit.comparison import COMPARISONS, NOMINAL_SUBSTITUTE, ComparisonSpec, compare_bins, normalise
from fairaudit.qmad.effects import Effect, effect
from fairaudit.qmad.settings import QmadSettings

STANDARD_DEVIATIONS = 0.1
"""Uncalibrated rule for scores in the attribute's unit: a flag above this many pooled standard deviations. Ours; the papers have none."""


@dataclass(frozen=True, eq=False)
class AttributeScore:
    """Scores of one attribute of one pair.

    Attributes
    ----------
    attribute : str
    spec : ComparisonSpec
        The function that was used; for nominal attributes it may differ from the chosen one.
    target, reference : Bins
    scores : ndarray of float, shape (n_bins,)
        C[a,b]; NaN where not defined.
    notes : list of str
        Reason or remark per bin.
    score : float
        M[a]; NaN when no bin is defined.
    normalised : float
        M[a] on [0, 1].
    effect : Effect
    missing_target, missing_reference : float
        Share of missing or infinite values.
    flag : bool or None
        The uncalibrated rule; None when there is no score.
    rule : str
        The rule in words.
    note : str
    """

    attribute: str
    spec: ComparisonSpec
    target: Bins
    reference: Bins
    scores: np.ndarray
    notes: list[str]
    score: float
    normalised: float
    effect: Effect
    missing_target: float
    missing_reference: float
    flag: bool | None
    rule: str
    note: str


def comparison_for(settings: QmadSettings, column_type: str) -> ComparisonSpec:
    """The comparison that is valid for a type of attribute: the chosen one, or its substitute for nominal attributes."""
    spec = settings.spec
    if column_type in ("nominal", "identifier", "text"):
        valid_as_codes = settings.nominal_as_codes and column_type == "nominal"
        return spec if "nominal" in spec.input_types or valid_as_codes else COMPARISONS[NOMINAL_SUBSTITUTE[spec.output]]
    return spec


def shuffled(values: PairValues, settings: QmadSettings) -> PairValues:
    """The same rows in a seeded random order; every attribute of a pair gets the same order."""
    if not settings.shuffle:
        return values
    orders = [
        np.random.default_rng([settings.seed, side]).permutation(len(v))
        for side, v in enumerate((values.target, values.reference))
    ]
    return PairValues(values.attribute, values.type, values.target[orders[0]], values.reference[orders[1]], values.levels)


def possible_bins(settings: QmadSettings, values: PairValues) -> int:
    """The number of bins asked for, or fewer when a side has fewer rows (sequential) or values (quantile) than that."""
    if settings.binning == "quantile":
        available = min(int(np.isfinite(values.target).sum()), int(np.isfinite(values.reference).sum()))
    else:
        available = min(len(values.target), len(values.reference))
    return max(1, min(settings.bins, available))


def cut(values: PairValues, settings: QmadSettings) -> tuple[Bins, Bins]:
    """Both sides of an attribute in bins."""
    values = shuffled(values, settings)
    bins = possible_bins(settings, values)
    binning = BINNINGS[settings.binning].function
    return binning(values.target, bins), binning(values.reference, bins)


def threshold_of(spec: ComparisonSpec, settings: QmadSettings) -> float:
    """Score above which the uncalibrated rule raises a flag, for comparisons that are no p-values."""
    if settings.threshold is not None:
        return settings.threshold
    return STANDARD_DEVIATIONS if spec.threshold is None else spec.threshold


def flagged(spec: ComparisonSpec, settings: QmadSettings, score: float, spread: float) -> tuple[bool | None, str]:
    """The uncalibrated rule, and how it reads."""
    if spec.is_p_value:
        rule = f"p < {settings.alpha:g}"
    elif spec.scale == "unit":
        rule = f"more than {threshold_of(spec, settings):g} standard deviations"
    else:
        rule = f"score > {threshold_of(spec, settings):g}"
    return None if np.isnan(score) else bool(flags(spec, settings, np.array([score]), spread)[0]), rule


def flags(spec: ComparisonSpec, settings: QmadSettings, scores: np.ndarray, spread: float) -> np.ndarray:
    """The uncalibrated rule for many scores; False where there is no score."""
    if spec.is_p_value:
        return np.asarray(scores < settings.alpha)
    size = np.abs(scores - spec.no_difference)
    if spec.scale == "unit":
        return np.asarray(size > threshold_of(spec, settings) * spread) if spread > 0 else np.asarray(size > 0)
    return np.asarray(size > threshold_of(spec, settings))


def normalised_threshold(settings: QmadSettings) -> float:
    """Normalised overall score above which the uncalibrated rule raises a flag."""
    if settings.spec.is_p_value:
        return 1 - settings.alpha
    return settings.threshold if settings.threshold is not None else 0.1


def overall_flags(settings: QmadSettings, scores: np.ndarray, spread: float) -> np.ndarray:
    """The uncalibrated rule for many overall scores."""
    if settings.normalise:
        return np.asarray(scores > normalised_threshold(settings))
    return flags(settings.spec, settings, scores, spread)


def score_attribute(values: PairValues, settings: QmadSettings) -> AttributeScore:
    """Cut, compare, aggregate: lines 3 to 8 of Algorithm 1."""
    spec = comparison_for(settings, values.type)
    target, reference = cut(values, settings)
    found = effect(values)
    if values.type not in spec.input_types and spec is settings.spec and not settings.nominal_as_codes:
        scores = np.full(len(target), np.nan)
        notes = [f"{spec.label} compares categories, and {values.attribute} is {values.type}"] * len(target)
    else:
        scores, notes = compare_bins(spec, target, reference)
    score = aggregate(settings.aggregation, scores)
    flag, rule = flagged(spec, settings, score, found.spread)
    missing = [
        float(1 - len(b.values) / len(v)) if len(v) else float("nan")
        for b, v in ((target, values.target), (reference, values.reference))
    ]
    identical = found.note.startswith("identical")
    if np.isnan(score) and identical:
        flag = False
    return AttributeScore(
        values.attribute,
        spec,
        target,
        reference,
        scores,
        notes,
        score,
        float(normalise(spec, np.array([score]), found.spread)[0]),
        found,
        missing[0],
        missing[1],
        flag,
        rule,
        _note(values, settings, spec, target, reference, scores, notes, found, missing),
    )


def _note(
    values: PairValues,
    settings: QmadSettings,
    spec: ComparisonSpec,
    target: Bins,
    reference: Bins,
    scores: np.ndarray,
    notes: list[str],
    found: Effect,
    missing: list[float],
) -> str:
    """What to know about an attribute's score, in sentences."""
    if not (np.isfinite(values.target).any() and np.isfinite(values.reference).any()):
        where = (
            "target" if np.isfinite(values.reference).any() else "reference" if np.isfinite(values.target).any() else "both sides"
        )
        return f"No valid values in the {where}." if where != "both sides" else "No valid values on either side."
    parts = [found.note[0].upper() + found.note[1:] + "."] if found.note else []
    undefined = np.flatnonzero(np.isnan(scores))
    if len(undefined) == len(scores):
        parts += [f"Not defined in any bin: {notes[undefined[0]]}."]
    elif len(undefined):
        first = ", ".join(str(i + 1) for i in undefined[:5]) + (" …" if len(undefined) > 5 else "")
        parts.append(f"Not defined in {len(undefined)} of {len(scores)} bins (bin {first}: {notes[undefined[0]]}); left out.")
    if len(target) < settings.bins:
        parts.append(f"{settings.bins} bins were asked for, {len(target)} are possible.")
    if settings.binning == "quantile":
        constant = sum(len(part) > 1 and part[0] == part[-1] for part in target)
        if constant > 1:
            parts.append(f"{constant} of {len(target)} bins of the target hold one single value.")
    if spec.is_p_value:
        if zeros := int((scores == 0).sum()):
            parts.append(f"p is at the floor 0 in {zeros} of {len(scores)} bins and decides the aggregate.")
        elif spec.floor is not None and (floored := int((scores <= spec.floor).sum())):
            parts.append(f"p is at the floor {spec.floor:g} in {floored} of {len(scores)} bins.")
        if spec.ceiling is not None and (capped := int((scores >= spec.ceiling).sum())):
            parts.append(f"p is at the ceiling {spec.ceiling:g} in {capped} of {len(scores)} bins.")
    if spec is not settings.spec:
        parts.append(f"Nominal: compared by {spec.label}.")
    if spec.name == "rom" and (unstable := _unstable_bins(reference)):
        parts.append(f"Unstable: the reference mean is within two standard errors of 0 in {unstable} of {len(scores)} bins.")
    if (gap := missing_gap(values)) is not None:
        parts.append(
            f"The share of missing values differs: {missing[0]:.1%} of the target, {missing[1]:.1%} of the reference (p = {gap:.2g})."
        )
    return " ".join(parts)


def _unstable_bins(reference: Bins) -> int:
    """Number of bins whose reference mean cannot be told from 0."""
    unstable = 0
    for part in reference:
        if len(part) > 1 and (spread := part.std(ddof=1)) > 0:
            unstable += bool(abs(part.mean()) < 2 * spread / np.sqrt(len(part)))
    return unstable


def missing_gap(values: PairValues) -> float | None:
    """p-value of a z-test for different shares of missing values; None when it is above 0.01 or the shares differ by less than a point."""
    n = np.array([len(values.target), len(values.reference)])
    m = np.array([np.count_nonzero(~np.isfinite(v)) for v in (values.target, values.reference)])
    if (n == 0).any() or m.sum() == 0:
        return None
    shares, pooled = m / n, m.sum() / n.sum()
    if abs(shares[0] - shares[1]) < 0.01:
        return None
    z = abs(shares[0] - shares[1]) / np.sqrt(pooled * (1 - pooled) * (1 / n).sum())
    p = float(2 * ndtr(-z))
    return p if p < 0.01 else None
