"""Named pairs of comparison and aggregation functions, and which one suits a task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from fairaudit.contrast import outcome_values
from fairaudit.errors import unknown_name
from fairaudit.schema import AuditTable


@dataclass(frozen=True)
class NamedPair:
    """A comparison and an aggregation function that belong together.

    Attributes
    ----------
    name, label, short : str
        For machines, for people, and for people with little room.
    comparison, aggregation : str
        Registered names.
    aggregate_over : str or None
        Attributes of the overall score; None for the default of the comparison.
    summary : str
        What the pair is good for.
    reference : str
    """

    name: str
    label: str
    short: str
    comparison: str
    aggregation: str
    aggregate_over: str | None
    summary: str
    reference: str


PAIRS = {
    pair.name: pair
    for pair in (
        NamedPair(
            "rom-arithmetic",
            "Ratio of means + arithmetic mean",
            "ROM–arithmetic",
            "rom",
            "arithmetic",
            None,
            "Says by what share the means differ; fast, on one scale for all attributes.",
            "QMAD, section 5.1.1",
        ),
        NamedPair(
            "ks-harmonic",
            "Kolmogorov–Smirnov + harmonic mean",
            "KS–harmonic",
            "ks",
            "harmonic",
            None,
            "Sees any difference between the distributions, without assuming their shape.",
            "QMAD, section 5.1.2",
        ),
        NamedPair(
            "ad-harmonic",
            "Anderson–Darling + harmonic mean",
            "AD–harmonic",
            "ad",
            "harmonic",
            None,
            "Like Kolmogorov–Smirnov, with more weight on the tails.",
            "QMAD, section 5.1.3",
        ),
        NamedPair(
            "qdd",
            "Quantile demographic disparity (QDD)",
            "QDD",
            "mean_difference",
            "arithmetic",
            "prediction",
            "The difference of the mean prediction, bin by bin: the special case of QMAD known from FairCanary.",
            "QMAD, equations 4 and 5; FairCanary",
        ),
    )
}


def named_pair(name: str) -> NamedPair:
    """A named pair; UnknownNameError with the nearest match for another name."""
    if name not in PAIRS:
        raise unknown_name("pair", name, PAIRS)
    return PAIRS[name]


@dataclass(frozen=True)
class Recommendation:
    """The pair that the QMAD paper recommends for a task.

    Attributes
    ----------
    pair : str
        Name of the pair.
    task : str
        What the outcome column looks like.
    reason : str
        The reason, and where it comes from.
    """

    pair: str
    task: str
    reason: str


BALANCED_SHARE = 0.35
"""A binary outcome counts as balanced when the rarer value has at least this share. Ours; the paper names no number."""


def recommend_pair(reference: AuditTable) -> Recommendation:
    """The pair of Table 11 of the paper for the outcome of the reference table.

    The table speaks of balanced and imbalanced binary classification and of regression with a normal outcome. For other outcomes we take
    Kolmogorov-Smirnov, because it assumes no shape.
    """
    schema = reference.schema
    column = next((c for c in (schema.prediction, schema.score, schema.label) if c is not None and c in reference.columns), None)
    if column is None:
        return Recommendation(
            "ks-harmonic",
            "no outcome column",
            "Without an outcome the attributes themselves are compared; Kolmogorov–Smirnov assumes nothing about their shape.",
        )
    kind = reference.type_of(column)
    if kind == "binary":
        rate = float(np.nanmean(outcome_values(reference, column)))
        if min(rate, 1 - rate) >= BALANCED_SHARE:
            return Recommendation(
                "rom-arithmetic",
                f"binary outcome, balanced ({rate:.0%} favourable)",
                "The standard pair for stable class shares (QMAD, Table 11).",
            )
        return Recommendation(
            "ks-harmonic",
            f"binary outcome, imbalanced ({rate:.0%} favourable)",
            "It detects subtle shifts in imbalanced classes (QMAD, Table 11).",
        )
    if kind == "numeric":
        values = reference.data[column].to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        if len(values) > 2 and values.min() < values.max() and values.mean() > 0 and abs(stats.skew(values)) < 1:
            return Recommendation(
                "rom-arithmetic",
                "numeric outcome, roughly symmetric",
                "Fast and easy to interpret for regression with a normal outcome (QMAD, Table 11).",
            )
        return Recommendation(
            "ks-harmonic",
            "numeric outcome, skewed or not positive",
            "A ratio of means is unstable here; Kolmogorov–Smirnov assumes no shape (the paper's table has no row for this case).",
        )
    return Recommendation(
        "ks-harmonic",
        f"{kind} outcome",
        "Tests that are valid for categories are used for it; Kolmogorov–Smirnov for the other attributes.",
    )
