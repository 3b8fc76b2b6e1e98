"""How small a difference would the audit have found?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairaudit.aggregation import aggregate
from fairaudit.binning import BINNINGS
from fairaudit.comparison import compare_bins
from fairaudit.errors import CancelledError, SettingsError
from fairaudit.inference.calibration import measured_pairs
from fairaudit.inference.nulls import SHIFT, prepare
from fairaudit.inference.pools import pair_seed
from fairaudit.inference.resampling import AttributePool
from fairaudit.inference.stability import beyond, with_critical_scores
from fairaudit.qmad.api import Cancel, Progress
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames

TIED = 0.01
"""Share of one value from which on an attribute is not shifted as a whole, which would break its ties and be seen at once."""
LARGEST_SHIFT = 8.0
"""In standard deviations; what is not found at that size is not found by a shift."""
PRECISION = 1.03
"""Ratio of the limits at which the search for a size stops."""


def detectable(
    frames: Frames,
    settings: QmadSettings,
    result: AuditResult | None = None,
    *,
    power: float = 0.8,
    repeats: int = 40,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Fill in the columns ``detectable`` and ``detectable_unit``: the smallest difference that would be flagged with a given power.

    In data without a difference, made by permutation, a difference of growing size is planted in the target until the attribute is flagged;
    the size that suffices in the share ``power`` of the repeats is the answer.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
    result : AuditResult, optional
        As for ``stability``.
    power : float
        Between 0 and 1.
    repeats : int
        Number of permutations, 2 or more.
    progress, cancel : callable, optional
        As for ``calibrate``; progress counts attributes.

    Returns
    -------
    AuditResult
        ``detectable`` is in standard deviations (unit ``"sd"``) for numeric and ordinal attributes and in shares, 0.01 being one percentage
        point, for binary and nominal ones (``"share"``). NaN where nothing is measured or no difference of this kind would be found.

    Notes
    -----
    Numbers move as a whole. Where one value makes up more than 1 % of the rows, a growing share of target rows takes a value from the upper
    half of the pool instead, which keeps the ties; the unit is the shift of the mean all the same. Binary attributes move towards
    their rarer category, nominal ones towards the most common one.
    """
    if not 0 < power < 1:
        raise SettingsError(f"The power must lie between 0 and 1. Got {power}.", "Choose 0.8, for example.")
    if repeats < 2:
        raise SettingsError(f"The number of repeats must be 2 or more. Got {repeats}.", "Choose 40, for example.")
    result = with_critical_scores(frames, settings, result, cancel)
    attributes = result.attributes()
    pairs = measured_pairs(frames, settings, attributes, result.overall_scores)
    done, total = 0, sum(len(names) for _, names, _, _ in pairs)

    def check() -> None:
        if cancel is not None and cancel():
            raise CancelledError("The simulation was cancelled.", "Start it again when you are ready.")

    for pair, names, rows, _ in pairs:
        prepared = prepare(pair, names, settings)
        seed = pair_seed(settings.seed, pair.frame, pair.group, SHIFT)
        sides = prepared.rows.permutations(seed, 0, repeats)
        for pool, values, row in zip(prepared.attributes, prepared.values, rows, strict=True):
            critical = float(attributes.loc[row, "critical_score"])  # type: ignore[arg-type]
            planter = _planter(pool.values[np.isfinite(pool.values)], values.type)
            if np.isfinite(critical) and planter is not None:
                rng = np.random.default_rng(seed)
                attributes.loc[row, "detectable"] = _size(pool, sides, planter, critical, power, rng, check)
                attributes.loc[row, "detectable_unit"] = planter.unit
            done += 1
            if progress is not None:
                progress(done, total)
    return AuditResult(result.bin_scores, attributes, result.overall_scores, result.provenance, result.findings)


@dataclass(frozen=True)
class Planter:
    """A way to plant a difference of a given size.

    Attributes
    ----------
    unit : {"sd", "share"}
    largest : float
        Largest size that can be planted.
    shift : float
        Added to every value, per unit of size; 0 where values are replaced.
    instead : ndarray of float
        Values that replace others; one of them is drawn for each row.
    """

    unit: str
    largest: float
    shift: float
    instead: np.ndarray

    def plant(self, values: np.ndarray, size: float, uniform: np.ndarray, replacement: np.ndarray) -> np.ndarray:
        """Values with the difference; the same random numbers at a larger size change the same rows and more."""
        if self.shift:
            return values + size * self.shift
        return np.where((uniform < size / self.largest) & np.isfinite(values), replacement, values)


def _planter(valid: np.ndarray, column_type: str) -> Planter | None:
    """The kind of difference that suits an attribute; None for constants."""
    levels, counts = np.unique(valid, return_counts=True)
    if len(levels) < 2:
        return None
    shares = counts / len(valid)
    if column_type in ("binary", "nominal", "identifier", "text"):
        place = int(shares.argmin() if column_type == "binary" else shares.argmax())
        return Planter("share", float(1 - shares[place]), 0.0, levels[[place]])
    spread = float(valid.std(ddof=1))
    if shares.max() <= TIED:
        return Planter("sd", LARGEST_SHIFT, spread, valid)
    upper = np.sort(valid)[len(valid) // 2 :]
    return Planter("sd", float((upper.mean() - valid.mean()) / spread), 0.0, upper)


def _size(
    pool: AttributePool,
    sides: np.ndarray,
    planter: Planter,
    critical: float,
    power: float,
    rng: np.random.Generator,
    check: Callable[[], None],
) -> float:
    """The size that is enough in the share ``power`` of the permutations."""
    sizes: list[float] = []
    guess = min(0.2, planter.largest / 2)
    for side in sides.T:
        uniform, replacement = rng.random(len(side)), rng.choice(planter.instead, len(side))

        def flagged(size: float, here: np.ndarray = side, u: np.ndarray = uniform, r: np.ndarray = replacement) -> bool:
            check()
            planted = planter.plant(pool.values, size, u, r)
            score = np.array([_score(pool, np.where(here == 1, planted, pool.values), here)])
            return bool(beyond(score, critical, pool.spec.is_p_value, pool.spec.no_difference)[0])

        sizes.append(_smallest(flagged, guess, planter.largest))
        known = [s for s in sizes if np.isfinite(s)]
        guess = float(np.median(known)) if known else guess
    found = float(np.quantile(sizes, power, method="higher"))
    return found if np.isfinite(found) else float("nan")


def _score(pool: AttributePool, values: np.ndarray, side: np.ndarray) -> float:
    """M[a] of one division of the rows."""
    cut = BINNINGS[pool.binning].function
    scores = compare_bins(pool.spec, cut(values[side == 1], pool.bins), cut(values[side == 0], pool.bins))[0]
    return aggregate(pool.aggregation, scores)


def _smallest(flagged: Callable[[float], bool], guess: float, largest: float) -> float:
    """Smallest flagged size by bisection on its logarithm; infinite when not even the largest is flagged."""
    low = high = max(guess, largest * 1e-4)
    if flagged(high):
        while flagged(low := low / 1.5):
            high = low
            if low < largest * 1e-4:
                return low
    else:
        while not flagged(high := min(high * 1.5, largest)):
            if high >= largest:
                return float("inf")
            low = high
    while high / low > PRECISION:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if flagged(middle) else (middle, high)
    return high
