"""Chapters of the method, in the order of an audit: for the Method page and docs/method.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.baselines import BASELINES
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.injection import INJECTIONS
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS
from fairaudit.registry import FunctionSpec


@dataclass(frozen=True)
class Chapter:
    """One kind of functions.

    Attributes
    ----------
    introduction : str
        What they have in common, in Markdown.
    specs : iterable of FunctionSpec
    """

    introduction: str
    specs: Iterable[FunctionSpec]


def chapters() -> dict[str, Chapter]:
    """Chapters by their title."""
    return {
        "Comparison": Chapter(
            "A comparison function takes the values of one attribute in one bin, on the target and on the reference side, and gives one score "
            "$C_{a,b}$. Tests give p-values (small means different), the others give distances (large means different).",
            COMPARISONS,
        ),
        "Aggregation": Chapter(
            "An aggregation function makes one score $M_a$ of the scores of all bins of an attribute, and one score $M$ of the scores of all "
            "attributes. Bins and attributes that are not defined are left out and counted.",
            AGGREGATIONS,
        ),
        "Bins": Chapter(
            "Both sides of an attribute are cut into the same number of bins of equal count; sizes differ by at most one, and no row is lost.",
            BINNINGS,
        ),
        "Classical metrics": Chapter(
            "The target side minus the reference side, ratios target over reference. A verdict needs a value beyond the line *and* an interval that "
            "excludes “no difference”; the lines are conventions.",
            BASELINES,
        ),
        "Planted biases": Chapter(
            "Each injection makes a new table and says exactly which rows and cells it changed. Strength 0 changes nothing; a larger strength changes "
            "the same rows and more.",
            INJECTIONS,
        ),
        "Mitigation": Chapter(
            "Methods that change the training data, the features or the decisions of a model. None of them removes the cause of a difference.",
            MITIGATIONS,
        ),
        "Models": Chapter("The models that are trained on fair and on biased data.", MODELS),
    }
