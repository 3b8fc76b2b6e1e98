"""How small a difference would the audit have found?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fairaudit.errors import SettingsError, stop_if
from fairaudit.inference.calibration import measured_pairs
from fairaudit.inference.nulls import SHIFT, prepare
from fairaudit.inference.pools import RowPool, pair_seed
from fairaudit.inference.resampling import AttributePool, Check, SortedPool
from fairaudit.inference.stability import beyond, with_critical_scores
from fairaudit.qmad.api import Cancel, Progress
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames

TIED = 0.01
"""Share of one value from which on an attribute is not shifted as a whole, which would break its ties and be seen at once."""
LARGEST_SHIFT = 8.0
"""In standard deviations; what is not found at that size is not found by a shift."""
POWER = 0.8
"""How surely a difference must be found to count as one that would have been found."""
PRECISION = 1.03
"""Ratio of the limits at which the search for a size stops."""


def detectable(
    frames: Frames,
    settings: QmadSettings,
    result: AuditResult | None = None,
    *,
    power: float = POWER,
    repeats: int = 40,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Fill in the columns ``detectable`` and ``detectable_unit``: the smallest difference that would be flagged with a given power.

    In data sets without a difference, made by permutation, a difference of growing size is planted in the target until the attribute is
    flagged in the share ``power`` of them.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
    result : AuditResult, optional
        As for ``stability``.
    power : float
        Between 0 and 1.
    repeats : int
        Number of data sets, 2 or more; the size found is known to about a tenth with 40.
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
    check = partial(stop_if, cancel, "simulation")
    for pair, names, rows, _ in pairs:
        prepared = prepare(pair, names, settings)
        seed = pair_seed(settings.seed, pair.frame, pair.group, SHIFT)
        sides = prepared.rows.permutations(seed, 0, repeats)
        for pool, values, row in zip(prepared.attributes, prepared.values, rows, strict=True):
            critical = float(attributes.loc[row, "critical_score"])  # type: ignore[arg-type]
            planter = _planter(pool.values[np.isfinite(pool.values)], values.type)
            if np.isfinite(critical) and planter is not None:
                trial = Trial(pool, sides, planter, critical, seed, check)
                wanted = int(np.ceil(power * repeats))
                guess = planter.guess(pair.n_target, pair.n_reference)
                attributes.loc[row, "detectable"] = _size(trial, wanted, guess, planter.largest)
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

    def planted(self, values: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
        """What the rows that are changed hold instead of ``values``; missing values stay missing."""
        if self.shift:
            return values + size * self.shift
        return np.where(np.isfinite(values), rng.choice(self.instead, len(values)), np.nan)

    def share(self, size: float) -> float:
        """Share of the target rows that are changed."""
        return 1.0 if self.shift else size / self.largest

    def guess(self, n_target: int, n_reference: int) -> float:
        """Where the search begins: about five standard errors of a difference of means."""
        spread = np.sqrt(self.largest * (1 - self.largest)) if self.unit == "share" else 1.0
        return float(min(5 * spread * np.sqrt(1 / n_target + 1 / n_reference), self.largest / 2))


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


class Trial:
    """One attribute in many data sets without a difference, into which differences are planted.

    The pool holds every row twice, as it is and changed, and a planted target is made of either. So the pool is sorted once a size, or once
    where the changed values do not depend on it, and all data sets are scored together, by the same kernels as the permutations
    from which the critical score comes.

    Parameters
    ----------
    pool : AttributePool
    sides : ndarray of uint8, shape (n_rows, n_repeats)
        1 for target rows.
    planter : Planter
    critical : float
        Scores beyond it are flagged.
    seed : SeedSequence
    check : callable
        Raises CancelledError when the work is to stop.
    """

    def __init__(
        self,
        pool: AttributePool,
        sides: np.ndarray,
        planter: Planter,
        critical: float,
        seed: np.random.SeedSequence,
        check: Check,
    ) -> None:
        self._pool, self._sides, self._planter, self._critical, self._check = pool, sides, planter, critical, check
        rng = np.random.default_rng(seed)
        # The same random numbers at a larger size change the same rows and more.
        self._uniform = None if planter.shift else rng.random(sides.shape, dtype=np.float32)
        self._rng = rng
        self._doubled = None if planter.shift else self._double(planter.planted(pool.values, 0.0, rng))

    def flagged(self, size: float) -> int:
        """In how many of the data sets a difference of this size is flagged."""
        self._check()
        pool, sides = self._pool, self._sides
        doubled = self._doubled
        if doubled is None:
            doubled = self._double(self._planter.planted(pool.values, size, self._rng))
        changed = sides if self._uniform is None else sides * (self._uniform < self._planter.share(size))
        target = self._interleaved(sides - changed, changed)
        reference = self._interleaved(1 - sides, np.zeros_like(sides))
        scores = doubled.attribute_scores(target, reference, self._check)
        return int(np.count_nonzero(beyond(scores, self._critical, pool.spec.is_p_value, pool.spec.no_difference)))

    def _double(self, changed: np.ndarray) -> AttributePool:
        """The pool with every row twice: in each of its parts the rows as they are, then the changed ones."""
        pool, rows = self._pool, self._pool.rows
        values = self._interleaved(pool.values, changed)
        doubled = RowPool(np.arange(len(values)), 2 * rows.offsets, rows.target_sizes, len(values))
        ordered = tuple(SortedPool.of(values[part]) for part in doubled.slices())
        return AttributePool(pool.spec, pool.aggregation, pool.binning, pool.bins, values, doubled, ordered)

    def _interleaved(self, plain: np.ndarray, changed: np.ndarray) -> np.ndarray:
        """Entries of the rows as they are and changed, part after part."""
        parts = [side[part] for part in self._pool.rows.slices() for side in (plain, changed)]
        return np.concatenate(parts)


def _size(trial: Trial, wanted: int, guess: float, largest: float) -> float:
    """Smallest size that is flagged in as many data sets as wanted; NaN when not even the largest is."""
    found = _smallest(lambda size: trial.flagged(size) >= wanted, guess, largest)
    return found if np.isfinite(found) else float("nan")


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
