"""Everything that can be chosen for one QMAD audit, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS, ComparisonSpec
from fairaudit.contrast import Contrast
from fairaudit.errors import SettingsError, unknown_name

MAX_BINS = 1000
STABILITY_RESAMPLES = 200
"""Bootstrap resamples where stability is asked for without a number: a share is known to 3.5 percentage points."""
DETECTABLE_REPEATS = 40
"""Data sets where detectable differences are asked for without a number: a size is known to about a tenth."""
AGGREGATE_SETS = ("all", "features", "prediction")
"""Sets of attributes that can be named instead of listed for the overall score."""
CORRECTIONS = {
    "westfall_young_holm": "Westfall–Young over attributes, Holm over pairs",
    "benjamini_hochberg": "Benjamini–Hochberg over attributes and pairs",
    "none": "no correction",
}
"""How calibrated p-values are corrected for being many."""


@dataclass(frozen=True)
class QmadSettings:
    """Choices for Algorithm 1.

    Parameters
    ----------
    attributes : tuple of str, optional
        Columns to compare; by default every column of a compared type that takes part.
    comparison, aggregation, binning : str
        Registered names.
    bins : int
        Number of bins asked for, 1 or more.
    contrast : Contrast
    aggregate_over : "all", "features", "prediction" or tuple of str, optional
        Attributes whose scores make up the overall score. By default the paper's choice: the prediction for p-values, all for ratios.
    alpha : float
        Level of the test, between 0 and 1.
    threshold : float, optional
        Score above which the uncalibrated rule raises a flag, for comparisons that are no p-values.
    weights : mapping of str to float, optional
        Weights of attributes in the overall score.
    normalise : bool
        Bring attribute scores to [0, 1] before they become the overall score.
    nominal_as_codes : bool
        Compare nominal attributes by their label codes, as the paper does.
    shuffle : bool
        Put the rows of each side in a random (seeded) order before sequential binning.
    resamples : int
        Largest number of permutations for calibrated verdicts; 0 leaves them out.
    stability : int
        Number of bootstrap resamples from which it is told how often each attribute would be flagged again; 0 leaves that out.
    detectable : int
        Number of data sets from which it is told how small a difference would have been found; 0 leaves that out.
    correction : {"westfall_young_holm", "benjamini_hochberg", "none"}
        How calibrated p-values are corrected for the number of attributes and pairs.
    seed : int
    """

    attributes: tuple[str, ...] | None = None
    comparison: str = "ks"
    aggregation: str = "harmonic"
    binning: str = "sequential"
    bins: int = 10
    contrast: Contrast = field(default_factory=Contrast)
    aggregate_over: str | tuple[str, ...] | None = None
    alpha: float = 0.05
    threshold: float | None = None
    weights: tuple[tuple[str, float], ...] = ()
    normalise: bool = False
    nominal_as_codes: bool = False
    shuffle: bool = False
    resamples: int = 999
    stability: int = 0
    detectable: int = 0
    seed: int = 0
    correction: str = "westfall_young_holm"

    def __post_init__(self) -> None:
        """Check every entry and bring it into its hashable form."""
        put = object.__setattr__
        comparison, aggregation = COMPARISONS[self.comparison], AGGREGATIONS[self.aggregation]
        BINNINGS[self.binning]
        put(self, "contrast", Contrast.from_any(self.contrast))
        if self.attributes is not None:
            put(self, "attributes", _names(self.attributes))
            if not self.attributes:
                raise SettingsError("No attribute is chosen.", "Choose at least one column to compare.")
        if self.aggregate_over is not None and self.aggregate_over not in AGGREGATE_SETS:
            put(self, "aggregate_over", _names(self.aggregate_over))
        weights = self.weights.items() if isinstance(self.weights, Mapping) else self.weights or ()
        put(self, "weights", tuple(sorted((str(k), float(v)) for k, v in weights)))
        if not isinstance(self.bins, int) or isinstance(self.bins, bool) or not 1 <= self.bins <= MAX_BINS:
            raise SettingsError(
                f"The number of bins must be a whole number from 1 to {MAX_BINS}. Got {self.bins!r}.", "Choose 10, for example."
            )
        if not 0 < self.alpha < 1:
            raise SettingsError(f"The level alpha must lie between 0 and 1. Got {self.alpha!r}.", "Choose 0.05, for example.")
        if self.threshold is not None and not self.threshold >= 0:
            raise SettingsError(f"The threshold must be 0 or more. Got {self.threshold!r}.", "Choose 0.10, for example.")
        if not isinstance(self.resamples, int) or self.resamples < 0:
            raise SettingsError(
                f"The number of resamples must be a whole number, 0 or more. Got {self.resamples!r}.", "Choose 999, for example."
            )
        for name, least in (("stability", 1), ("detectable", 2)):
            given = getattr(self, name)
            if not isinstance(given, int) or isinstance(given, bool) or (given != 0 and given < least):
                raise SettingsError(
                    f"{name} must be 0 or a whole number from {least} on. Got {given!r}.",
                    f"Choose {STABILITY_RESAMPLES if name == 'stability' else DETECTABLE_REPEATS}, for example, or 0 to leave it out.",
                )
            if given and not self.resamples:
                raise SettingsError(
                    f"{name} needs calibrated verdicts, and the number of permutations (resamples) is 0.",
                    f"Set resamples to 999, for example, or {name} to 0.",
                )
        if self.correction not in CORRECTIONS:
            raise unknown_name("correction", self.correction, CORRECTIONS)
        if aggregation.p_values_only and not comparison.is_p_value:
            raise SettingsError(
                f"{aggregation.label} combines p-values, and {comparison.label} does not give p-values.",
                "Choose a mean, the median, the maximum or the minimum, or compare by a test.",
            )
        if aggregation.p_values_only and self.normalise:
            raise SettingsError(
                f"{aggregation.label} combines p-values, and normalised scores are none.",
                "Switch off the normalisation or choose another aggregation.",
            )
        if comparison.signed and self.aggregation == "harmonic":
            raise SettingsError(
                f"The harmonic mean is not defined for the signed scores of {comparison.label}.",
                "Choose the arithmetic mean or the median.",
            )
        if self.weights and not aggregation.weighted:
            raise SettingsError(
                f"Weights are not defined for the aggregation {aggregation.label}.",
                "Leave out the weights or choose another aggregation.",
            )

    @property
    def spec(self) -> ComparisonSpec:
        """The chosen comparison function."""
        return COMPARISONS[self.comparison]

    def verdicts_only(self) -> QmadSettings:
        """The same without stability and detectable differences."""
        return replace(self, stability=0, detectable=0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        over = self.aggregate_over
        return {
            "attributes": None if self.attributes is None else list(self.attributes),
            "comparison": self.comparison,
            "aggregation": self.aggregation,
            "binning": self.binning,
            "bins": self.bins,
            "contrast": self.contrast.to_dict(),
            "aggregate_over": list(over) if isinstance(over, tuple) else over,
            "alpha": self.alpha,
            "threshold": self.threshold,
            "weights": dict(self.weights),
            "normalise": self.normalise,
            "nominal_as_codes": self.nominal_as_codes,
            "shuffle": self.shuffle,
            "resamples": self.resamples,
            "stability": self.stability,
            "detectable": self.detectable,
            "seed": self.seed,
            "correction": self.correction,
        }


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(str(n) for n in names))
