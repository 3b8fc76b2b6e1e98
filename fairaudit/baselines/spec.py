"""What a baseline is: facts for people and machines, the two sides it compares, and what comes out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fairaudit.baselines.counts import MISSING, outcome_codes, outcome_counts
from fairaudit.baselines.features import ArrayFeatures, Features, TableFeatures
from fairaudit.baselines.intervals import LEVEL, NO_INTERVAL, RESAMPLES, Interval, multinomial_draws
from fairaudit.contrast import SELECTIVE_ROWS
from fairaudit.errors import SettingsError
from fairaudit.registry import FunctionSpec, Registry

POOL = 100
"""Neighbours are looked for among at most this many times the rows that are scored."""

Kind = Literal["difference", "ratio", "level"]

NEEDS = {
    "y_true": "a label",
    "y_pred": "a decision",
    "y_score": "a numeric prediction or score",
    "features": "features",
}


@dataclass(frozen=True, eq=False)
class Side:
    """The rows of one side of a comparison. Make it with ``Side.of``.

    Attributes
    ----------
    name : str
        How sentences call the side.
    n : int
        Number of rows.
    y_true, y_pred : ndarray of uint8 or None, shape (n,)
        See ``outcome_codes``.
    y_score : ndarray of float or None, shape (n,)
    features : Features or None
        For consistency; a row with a missing or infinite value is left out there.
    features_without_sensitive : Features or None
        For balanced conditioned consistency; ``features`` where it is None.
    absent : dict of str to str
        For what is None, a sentence that says why and what to do.
    """

    name: str
    n: int
    y_true: np.ndarray | None = None
    y_pred: np.ndarray | None = None
    y_score: np.ndarray | None = None
    features: Features | None = None
    features_without_sensitive: Features | None = None
    absent: dict[str, str] = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Costly results that several metrics share; no part of the value."""

    @classmethod
    def of(
        cls,
        name: str,
        *,
        y_true: Any = None,
        y_pred: Any = None,
        y_score: Any = None,
        features: Any = None,
        features_without_sensitive: Any = None,
        absent: dict[str, str] | None = None,
    ) -> Side:
        """A side from array-likes of equal length; features are an array of shape (n, n_features) or ``Features``.

        Raises
        ------
        SettingsError
            If lengths differ, or labels or decisions are not 0, 1 or missing.
        """
        given = {
            "y_true": y_true,
            "y_pred": y_pred,
            "y_score": y_score,
            "features": features,
            "features_without_sensitive": features_without_sensitive,
        }
        lengths = {key: len(value) for key, value in given.items() if value is not None}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{key}: {size}" for key, size in lengths.items())
            raise SettingsError(f"The arrays of {name} differ in length ({shown}).", "Give one value for every row.")

        def wrapped(value: Any) -> Features | None:
            if value is None or isinstance(value, ArrayFeatures | TableFeatures):
                return value
            return ArrayFeatures(np.asarray(value, dtype=float))

        return cls(
            name,
            next(iter(lengths.values()), 0),
            None if y_true is None else outcome_codes(y_true, "y_true"),
            None if y_pred is None else outcome_codes(y_pred, "y_pred"),
            None if y_score is None else np.asarray(y_score, dtype=float),
            wrapped(features),
            wrapped(features_without_sensitive),
            absent or {},
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """Label x decision counts, shape (3, 3)."""
        if self.y_true is None and self.y_pred is None:
            return np.zeros((MISSING + 1, MISSING + 1), dtype=np.intp)
        return outcome_counts(self.y_true, self.y_pred)

    def lacks(self, needs: tuple[str, ...]) -> str:
        """Why a metric with these needs cannot be computed here; empty when it can."""
        for need in needs:
            if getattr(self, need) is None:
                return self.absent.get(need, f"{self.name} has no {need}: the metric needs {NEEDS[need]}.")
        return self.labelled_by_selection if "y_true" in needs and "y_pred" in needs else ""

    @property
    def labelled_by_selection(self) -> str:
        """Why there are no error rates where every row that was not selected lacks its label; empty otherwise.

        All known rows are selected then, and equal in it by construction.
        """
        rejected, selected = self.counts[:, 0], self.counts[:, 1]
        if rejected[:2].any() or rejected[2] < SELECTIVE_ROWS or not selected[:2].any():
            return ""
        return (
            f"Labels of {self.name} are known only for rows that were selected. Whether the others were rejected rightly cannot be told, "
            "so error rates are not measurable."
        )

    def used(self, needs: tuple[str, ...], *, sensitive: bool = True) -> int:
        """Number of rows that have everything a metric with these needs looks at; ``sensitive``: sensitive features are among them."""
        if self.lacks(needs):
            return 0
        key = ("used", needs, sensitive)
        if key not in self.memo:
            valid = np.ones(self.n, dtype=bool)
            for need in needs:
                values = getattr(self, need)
                if need == "features":
                    own = None if sensitive else self.features_without_sensitive
                    valid &= (values if own is None else own).complete()
                else:
                    valid &= np.isfinite(values) if need == "y_score" else values != MISSING
            self.memo[key] = int(valid.sum())
        return int(self.memo[key])


@dataclass(frozen=True)
class Sampling:
    """How intervals and costly metrics are computed.

    Attributes
    ----------
    level : float
        Of the intervals.
    resamples : int
        Bootstrap repeats; 0 for closed forms only.
    seed : int
    neighbour_rows : int or None
        For neighbour-based metrics, the largest number of rows of a side that are scored, each against all rows of the side, or
        against ``POOL`` times as many random ones where there are more; None scores all against all.
    concentration : float
        Smoothing of the empirical differential fairness.
    bins : int
        Of the quantile demographic disparity.
    """

    level: float = LEVEL
    resamples: int = RESAMPLES
    seed: int = 0
    neighbour_rows: int | None = 1000
    concentration: float = 1.0
    bins: int = 10

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not 0 < self.level < 1:
            raise SettingsError(
                f"The level of an interval must lie between 0 and 1. Got {self.level}.", "Choose 0.95, for example."
            )
        if self.resamples < 0:
            raise SettingsError(f"The number of resamples must be 0 or more. Got {self.resamples}.", "Choose 2000, for example.")
        if self.concentration < 0:
            raise SettingsError(f"The concentration must be 0 or more. Got {self.concentration}.", "Choose 1 or 0.")
        if self.bins < 1:
            raise SettingsError(f"The number of bins must be 1 or more. Got {self.bins}.", "Choose 10, for example.")
        if self.neighbour_rows is not None and self.neighbour_rows < 1:
            raise SettingsError(
                f"The number of rows scored by their neighbours must be 1 or more. Got {self.neighbour_rows}.",
                "Choose 1000, or None.",
            )

    def rng(self, stream: int) -> np.random.Generator:
        """Random numbers of their own for each purpose, the same whatever else is computed."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(stream,)))

    def draws(self, side: Side, stream: int) -> np.ndarray:
        """Bootstrap count tables of a side, shape (resamples, 3, 3); side a uses stream 0, side b stream 1."""
        key = ("draws", self.seed, self.resamples, stream)
        if key not in side.memo:
            side.memo[key] = multinomial_draws(side.counts, self.resamples, self.rng(stream))
        return side.memo[key]


Direction = Literal["lower", "higher", "equal", ""]


@dataclass(frozen=True)
class Measurement:
    """One metric on two sides.

    Attributes
    ----------
    value, low, high : float
        The metric and its interval; NaN where not defined, with the reason in ``note``. A level is that of side a.
    value_a, value_b : float
        What is compared: a rate, mean or level of each side; NaN where the metric is not made of one number a side.
    direction : {"lower", "higher", "equal", ""}
        Side a relative to side b.
    note : str
        Reason why the value does not exist, or what a reader should know about it.
    judged : tuple of float
        Value and interval that the verdict is based on: of the difference between the sides for a level, else those above.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    value_a: float = math.nan
    value_b: float = math.nan
    direction: Direction = ""
    note: str = ""
    judged: tuple[float, float, float] | None = None

    @classmethod
    def undefined(cls, reason: str, value_a: float = math.nan, value_b: float = math.nan) -> Measurement:
        """No value, with the reason."""
        return cls(math.nan, value_a=value_a, value_b=value_b, note=reason)

    @classmethod
    def between(cls, value: float, interval: Interval, value_a: float, value_b: float, note: str = "") -> Measurement:
        """A value made of one number a side; says the direction."""
        return cls(value, *interval, value_a, value_b, direction_of(value_a, value_b), note)

    def with_note(self, note: str) -> Measurement:
        """The same with one more sentence."""
        return replace(self, note=" ".join(filter(None, (self.note, note))))


def direction_of(a: float, b: float) -> Direction:
    """Side a relative to side b; empty where a side has no value."""
    if math.isnan(a) or math.isnan(b):
        return ""
    return "equal" if a == b else "lower" if a < b else "higher"


@dataclass(frozen=True)
class Level:
    """A number that one side has by itself.

    Attributes
    ----------
    value : float
    interval : tuple of float
    note : str
    n : int
        Rows among which neighbours were looked for; 0 for a level that does not depend on their number.
    """

    value: float
    interval: Interval = NO_INTERVAL
    note: str = ""
    n: int = 0


@dataclass(frozen=True, kw_only=True)
class BaselineSpec(FunctionSpec):
    """Facts about a classical metric.

    Attributes
    ----------
    estimate : callable
        ``(a: Side, b: Side, how: Sampling) -> Measurement``; ``function`` is the plain formula.
    kind : {"difference", "ratio", "level"}
        Side a minus b, a over b, or a level of side a; the verdict on a level is that on its difference between the sides.
    needs : tuple of str
        Which of ``NEEDS`` both sides must have.
    range : tuple of float
    no_difference : float or None
        Value when both sides are alike; None for a level.
    best : float or None
        Best value of a level.
    signed : bool
        True when swapping the sides changes the sign.
    symmetric : bool
        True when swapping the sides changes nothing.
    direction : str
        How to read the sign, in a sentence.
    threshold : float
        Line from which a difference counts as a disparity, on the metric's own scale: the absolute difference, or the ratio (its
        inverse is the other line). For a level it is the line of the difference.
    threshold_source : str
        Where the line comes from.
    default : bool
        Whether it is computed when no metrics are named.
    """

    estimate: Callable[[Side, Side, Sampling], Measurement]
    kind: Kind
    needs: tuple[str, ...]
    range: tuple[float, float]
    no_difference: float | None
    best: float | None = None
    signed: bool = False
    symmetric: bool = False
    direction: str
    threshold: float
    threshold_source: str
    default: bool = True


BASELINES: Registry[BaselineSpec] = Registry("baseline metric", BaselineSpec)
