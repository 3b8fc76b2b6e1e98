"""Counts along the pooled order of two samples, from which every rank and ECDF comparison is read.

Two forms with one interface. ``BinChunk``: several bins, one labelling; arrays have shape (n_levels,) and reduce to (n_bins,).
``ResampleChunk`` in ``resamples``: one bin, many labellings; arrays have shape (n_levels, n_resamples) and reduce to (n_resamples,).
A level is a distinct value in a bin.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from fairaudit.binning import Bins

CHUNK_VALUES = 1 << 16
"""Bins are taken together until they hold about this many values: enough to hide the cost of a call, few enough for the cache."""

Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Chunk(Protocol):
    """What the comparison functions ask of a chunk."""

    n_a: np.ndarray
    n_b: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Number of values of both sides together; one number where all resamples share it."""

    @property
    def a(self) -> np.ndarray:
        """Number of target values at each level."""

    @property
    def b(self) -> np.ndarray:
        """Number of reference values at each level."""

    @property
    def below_a(self) -> np.ndarray:
        """Target values below each level, plus half of those at it."""

    @property
    def below_b(self) -> np.ndarray:
        """Reference values below each level, plus half of those at it."""

    @property
    def at(self) -> np.ndarray:
        """Number of values of both sides at each level."""

    @property
    def gaps(self) -> np.ndarray:
        """Distance from each level to the next one of its bin; 0 for the last."""

    @property
    def n_levels(self) -> np.ndarray:
        """Number of distinct values of both sides together."""

    @property
    def constant(self) -> np.ndarray:
        """True where each side holds one distinct value."""

    def difference(self) -> np.ndarray:
        """n_b * (target values up to each level) - n_a * (reference values up to it): the gap of the ECDFs times n_a * n_b."""

    def weighted_gaps(self) -> np.ndarray:
        """Sum over the levels of (difference with values at the level counted half)^2 * at / (middle * (total - middle) - total * at / 4).

        ``middle`` is the number of values of both sides below a level, plus half of those at it.
        """

    def moments(self) -> Moments:
        """Means and variances (divisor n - 1): of the target, of the reference."""

    def largest_b(self) -> np.ndarray:
        """Largest absolute reference value."""

    def each(self, per_bin: np.ndarray) -> np.ndarray:
        """A number per bin, repeated for its levels."""

    def sum(self, per_level: np.ndarray) -> np.ndarray:
        """Sum over the levels of each bin."""

    def dot(self, weights: np.ndarray, per_level: np.ndarray) -> np.ndarray:
        """Weighted sum over the levels of each bin."""

    def u(self) -> np.ndarray:
        """Mann-Whitney's U: pairs in which the target value is the larger one, ties counted half."""

    def ties(self) -> np.ndarray:
        """Sum over the levels of at^3 - at."""

    def placements(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """U, and the variances (divisor n - 1) of the numbers of values of the other side below each value, ties counted half."""

    def largest(self, per_level: np.ndarray) -> np.ndarray:
        """Largest absolute value over the levels of each bin."""


class BinChunk:
    """Several bins of two samples, none of them empty on a side.

    Parameters
    ----------
    a, b : list of ndarray of float
        Finite values of each bin, target and reference; every array has at least one value.
    """

    def __init__(self, a: list[np.ndarray], b: list[np.ndarray]) -> None:
        self._a, self._b = a, b
        self.n_a = np.array([len(x) for x in a], dtype=float)
        self.n_b = np.array([len(x) for x in b], dtype=float)

    @property
    def total(self) -> np.ndarray:
        return self.n_a + self.n_b

    @cached_property
    def _levels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Values, cumulative counts of the target and of both sides, starts and sizes of the bins, counted in levels."""
        merged = [_merge(x, y) for x, y in zip(self._a, self._b, strict=True)]
        sizes = np.array([len(m[0]) for m in merged])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        if len(merged) == 1:
            values, up_to_a, up_to_both = merged[0]
        else:
            values, up_to_a, up_to_both = (np.concatenate(x) for x in zip(*merged, strict=True))
        return values, up_to_a, up_to_both, starts, sizes

    def _before(self, up_to: np.ndarray) -> np.ndarray:
        """The entry before each level, 0 before the first of a bin."""
        before = np.empty_like(up_to)
        before[1:] = up_to[:-1]
        before[self._levels[3]] = 0.0
        return before

    @cached_property
    def a(self) -> np.ndarray:
        return self._levels[1] - self._before(self._levels[1])

    @property
    def b(self) -> np.ndarray:
        return self.at - self.a

    @cached_property
    def at(self) -> np.ndarray:
        return self._levels[2] - self._before(self._levels[2])

    @cached_property
    def below_a(self) -> np.ndarray:
        return self._levels[1] - self.a / 2

    @cached_property
    def middle(self) -> np.ndarray:
        return self._levels[2] - self.at / 2

    @property
    def below_b(self) -> np.ndarray:
        return self.middle - self.below_a

    @property
    def gaps(self) -> np.ndarray:
        values, _, _, starts, sizes = self._levels
        gaps = np.diff(values, append=values[-1])
        gaps[starts + sizes - 1] = 0.0
        return gaps

    @property
    def n_levels(self) -> np.ndarray:
        if "_levels" in self.__dict__:
            return self._levels[4]
        # One pass instead of a sort is enough to tell one distinct value from several, which is all that is asked without levels.
        low, high = self._extremes
        return np.where(np.minimum(low[0], low[1]) == np.maximum(high[0], high[1]), 1, 2)

    @cached_property
    def _extremes(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value of each side and bin, each of shape (2, n_bins)."""
        sides = (self._a, self._b)
        return np.array([[x.min() for x in s] for s in sides]), np.array([[x.max() for x in s] for s in sides])

    @property
    def constant(self) -> np.ndarray:
        low, high = self._extremes
        return (low == high).all(axis=0)

    @cached_property
    def _difference(self) -> np.ndarray:
        difference = self._levels[1] * self.each(self.total)
        difference -= self._levels[2] * self.each(self.n_a)
        return difference

    def difference(self) -> np.ndarray:
        return self._difference

    def weighted_gaps(self) -> np.ndarray:
        gap = self._before(self._difference)
        gap += self._difference
        gap *= gap
        if self._untied:
            # The weights depend on the size of the bin alone, which the other large bins share.
            return np.array([gap @ _untied_weights(len(gap))])
        gap *= gap_weights(self.at, 2 * self.middle, self.each(self.total))
        return self.sum(gap)

    def moments(self) -> Moments:
        means, variances = [], []
        for side in (self._a, self._b):
            mean = np.array([x.mean() for x in side])
            squares = np.array([np.square(x - m).sum() for x, m in zip(side, mean, strict=True)])
            means.append(mean)
            variances.append(squares / np.array([len(x) - 1.0 for x in side]))
        return means[0], means[1], variances[0], variances[1]

    def largest_b(self) -> np.ndarray:
        low, high = self._extremes
        return np.maximum(-low[1], high[1])

    def each(self, per_bin: np.ndarray) -> np.ndarray:
        return per_bin if len(self._a) == 1 else np.repeat(per_bin, self._levels[4])

    def sum(self, per_level: np.ndarray) -> np.ndarray:
        return np.add.reduceat(per_level, self._levels[3])

    def dot(self, weights: np.ndarray, per_level: np.ndarray) -> np.ndarray:
        return self.sum(weights * per_level)

    @property
    def _untied(self) -> bool:
        """True for one bin, which is a large one, in which no value occurs twice."""
        return len(self._a) == 1 and len(self._levels[0]) == self.total[0]

    def u(self) -> np.ndarray:
        if self._untied:
            # The sum of the target's ranks, by parts.
            up_to_a = self._levels[1]
            return (len(up_to_a) + 1) * self.n_a - up_to_a.sum() - self.n_a * (self.n_a + 1) / 2
        return self.sum(self.a * self.below_b)

    def ties(self) -> np.ndarray:
        if self._untied:
            return np.zeros(1)
        return self.sum(self.at * (self.at * self.at - 1))

    def placements(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return placements(self)

    def largest(self, per_level: np.ndarray) -> np.ndarray:
        return np.maximum.reduceat(np.abs(per_level), self._levels[3])


def _last_of_equals(ordered: np.ndarray) -> np.ndarray | None:
    """Positions of the last one among equal values; None when no two are equal."""
    new = ordered[1:] != ordered[:-1]
    return None if new.all() else np.append(np.flatnonzero(new), len(ordered) - 1)


def _merge(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct values of both sides together; how many target values, and values of both sides, lie at or below each of them."""
    x, y = np.sort(x), np.sort(y)
    last_x, last_y = _last_of_equals(x), _last_of_equals(y)
    # Each side's distinct values first: the merge of columns with few of them costs nothing then.
    both = np.concatenate([x if last_x is None else x[last_x], y if last_y is None else y[last_y]])
    n_x = len(x) if last_x is None else len(last_x)
    # A stable sort of two sorted runs is a merge.
    order = np.argsort(both, kind="stable")
    both = both[order]
    # Whole numbers are summed three times as fast as floats.
    from_x = np.cumsum(order < n_x, dtype=np.int32).astype(float)
    from_both = np.arange(1.0, len(both) + 1)
    if (last := _last_of_equals(both)) is not None:
        both, from_x, from_both = both[last], from_x[last], last + 1.0
    if last_x is None and last_y is None:
        return both, from_x, from_both
    # From numbers of distinct values to numbers of values.
    counts_x = np.arange(n_x + 1.0) if last_x is None else np.append(0.0, last_x + 1.0)
    counts_y = np.arange(len(y) + 1.0) if last_y is None else np.append(0.0, last_y + 1.0)
    up_to_x = counts_x[from_x.astype(np.intp)]
    return both, up_to_x, up_to_x + counts_y[(from_both - from_x).astype(np.intp)]


def bin_chunks(a: Bins, b: Bins, kept: np.ndarray) -> list[BinChunk]:
    """The bins ``kept`` (positions) in chunks of about ``CHUNK_VALUES`` values."""
    chunks: list[BinChunk] = []
    sizes = a.sizes + b.sizes
    part: list[int] = []
    total = 0
    for i in kept:
        if part and total + sizes[i] > CHUNK_VALUES:
            chunks.append(BinChunk([a[j] for j in part], [b[j] for j in part]))
            part, total = [], 0
        part.append(int(i))
        total += sizes[i]
    if part:
        chunks.append(BinChunk([a[j] for j in part], [b[j] for j in part]))
    return chunks


def gap_weights(at: np.ndarray, double_middle: np.ndarray, total: np.ndarray | float) -> np.ndarray:
    """Weights of squared gaps that were counted twice as large: 1 / 4 of those in ``Chunk.weighted_gaps``.

    Doubled middles and gaps are whole numbers. A level that holds everything, or nothing of this resample, adds nothing.
    """
    weight = 2.0 * total - double_middle
    weight *= double_middle
    weight -= at * total
    if (empty := weight <= 0).any():
        weight[empty] = np.inf
    np.divide(at, weight, out=weight)
    return weight


@lru_cache(maxsize=4)
def _untied_weights(n: int) -> np.ndarray:
    """``gap_weights`` of n different values."""
    return gap_weights(np.ones(n), np.arange(1.0, 2 * n, 2), float(n))


def placements(chunk: Chunk) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From the deviations themselves."""
    u = chunk.u()
    placed_a = chunk.below_b - chunk.each(u / chunk.n_a)
    placed_b = chunk.below_a - chunk.each((chunk.n_a * chunk.n_b - u) / chunk.n_b)
    placed_a *= placed_a
    placed_b *= placed_b
    var_a = chunk.dot(placed_a, chunk.a.astype(float)) / (chunk.n_a - 1)
    var_b = chunk.dot(placed_b, chunk.b.astype(float)) / (chunk.n_b - 1)
    return u, var_a, var_b
