"""Counts along the pooled order of two samples, from which every rank and ECDF comparison is read.

Two forms with one interface. ``BinChunk``: several bins, one labelling; arrays have shape (n_levels,) and reduce to (n_bins,).
``ResampleChunk``: one bin, many labellings; arrays have shape (n_levels, n_resamples) and reduce to (n_resamples,).
A level is a distinct value in a bin.
"""

from __future__ import annotations

from functools import cached_property
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
    def middle(self) -> np.ndarray:
        """Values of both sides below each level, plus half of those at it."""

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

    def middle_difference(self) -> np.ndarray:
        """The same with values at the level counted half."""

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
        """Values, cumulative counts of both sides, starts and sizes of the bins, counted in levels."""
        merged = [_merge(x, y) for x, y in zip(self._a, self._b, strict=True)]
        sizes = np.array([len(m[0]) for m in merged])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        if len(merged) == 1:
            values, up_to_a, up_to_b = merged[0]
        else:
            values, up_to_a, up_to_b = (np.concatenate(x) for x in zip(*merged, strict=True))
        return values, up_to_a, up_to_b, starts, sizes

    def _at_level(self, up_to: np.ndarray) -> np.ndarray:
        counts = np.diff(up_to, prepend=0.0)
        starts = self._levels[3]
        counts[starts] = up_to[starts]
        return counts

    @cached_property
    def a(self) -> np.ndarray:
        return self._at_level(self._levels[1])

    @cached_property
    def b(self) -> np.ndarray:
        return self._at_level(self._levels[2])

    @cached_property
    def below_a(self) -> np.ndarray:
        return self._levels[1] - self.a / 2

    @cached_property
    def below_b(self) -> np.ndarray:
        return self._levels[2] - self.b / 2

    @cached_property
    def at(self) -> np.ndarray:
        return self.a + self.b

    @property
    def middle(self) -> np.ndarray:
        return self.below_a + self.below_b

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
        return self._levels[1] * self.each(self.n_b) - self._levels[2] * self.each(self.n_a)

    def difference(self) -> np.ndarray:
        return self._difference

    def middle_difference(self) -> np.ndarray:
        before = np.concatenate([[0.0], self._difference[:-1]])
        before[self._levels[3]] = 0.0
        return (self._difference + before) / 2

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
        return np.repeat(per_bin, self._levels[4])

    def sum(self, per_level: np.ndarray) -> np.ndarray:
        return np.add.reduceat(per_level, self._levels[3])

    def dot(self, weights: np.ndarray, per_level: np.ndarray) -> np.ndarray:
        return self.sum(weights * per_level)

    def u(self) -> np.ndarray:
        return self.sum(self.a * self.below_b)

    def largest(self, per_level: np.ndarray) -> np.ndarray:
        return np.maximum.reduceat(np.abs(per_level), self._levels[3])


def _levels_of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values in ascending order, and how many values lie at or below each."""
    x = np.sort(x)
    last = np.flatnonzero(x[1:] != x[:-1])
    last = np.append(last, len(x) - 1)
    return (x if len(last) == len(x) else x[last]), last + 1.0


def _merge(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct values of both sides together, and how many values of each side lie at or below each of them."""
    x_levels, x_counts = _levels_of(x)
    y_levels, y_counts = _levels_of(y)
    both = np.concatenate([x_levels, y_levels])
    # A stable sort of two sorted runs is a merge.
    order = np.argsort(both, kind="stable")
    both = both[order]
    from_x = np.cumsum(order < len(x_levels))
    last = np.append(np.flatnonzero(both[1:] != both[:-1]), len(both) - 1)
    if len(last) < len(both):
        both, from_x = both[last], from_x[last]
    from_y = last + 1 - from_x
    return both, np.append(0.0, x_counts)[from_x], np.append(0.0, y_counts)[from_y]


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


class ResampleChunk:
    """One bin under many labellings of its rows.

    Parameters
    ----------
    values : ndarray of float, shape (n_levels,)
        Levels in ascending order; a level may be empty in some resamples.
    up_to_a : ndarray of int, shape (n_levels, n_resamples)
        Number of target values up to and including each level.
    up_to_both : ndarray of int, shape (n_levels,), optional
        The same for both sides together, where the pool does not change.
    up_to_b : ndarray of int, shape (n_levels, n_resamples), optional
        The same for the reference, where the pool changes between resamples.
    """

    def __init__(
        self, values: np.ndarray, up_to_a: np.ndarray, up_to_both: np.ndarray | None = None, up_to_b: np.ndarray | None = None
    ) -> None:
        self._values, self._up_to_a = values, up_to_a
        self._both, self._b = up_to_both, up_to_b
        self.n_a = up_to_a[-1].astype(float)
        self.n_b = (up_to_both[-1] - self.n_a) if up_to_both is not None else up_to_b[-1].astype(float)  # type: ignore[index]

    @property
    def total(self) -> np.ndarray:
        return self.n_a + self.n_b if self._both is None else self._both[-1:].astype(float)

    @cached_property
    def up_to_b(self) -> np.ndarray:
        """Number of reference values up to and including each level."""
        if self._b is not None:
            return self._b
        return self._both[:, None] - self._up_to_a  # type: ignore[index]

    @cached_property
    def a(self) -> np.ndarray:
        return _at_level(self._up_to_a)

    @cached_property
    def b(self) -> np.ndarray:
        if self._both is not None:
            return _at_level(self._both)[:, None] - self.a
        return _at_level(self.up_to_b)

    @cached_property
    def below_a(self) -> np.ndarray:
        return _middle(self._up_to_a)

    @cached_property
    def below_b(self) -> np.ndarray:
        if self._both is not None:
            return _middle(self._both)[:, None] - self.below_a
        return _middle(self.up_to_b)

    @property
    def at(self) -> np.ndarray:
        return self.a + self.b if self._both is None else _at_level(self._both)[:, None]

    @property
    def middle(self) -> np.ndarray:
        return self.below_a + self.below_b if self._both is None else _middle(self._both)[:, None]

    @property
    def gaps(self) -> np.ndarray:
        return np.diff(self._values, append=self._values[-1])[:, None]

    @property
    def n_levels(self) -> np.ndarray:
        if self._both is not None:
            return np.full(len(self.n_a), len(self._values))
        return np.count_nonzero(self.at, axis=0)

    @property
    def constant(self) -> np.ndarray:
        if len(self._values) > 2 and self._both is not None:
            # More than two levels, none of them empty, cannot be two constants.
            return np.zeros(len(self.n_a), dtype=bool)
        return (np.count_nonzero(self.a, axis=0) == 1) & (np.count_nonzero(self.b, axis=0) == 1)

    def difference(self) -> np.ndarray:
        n_a, n_b = int(self.n_a[0]), int(self.n_b[0])
        if not ((self.n_a == n_a).all() and (self.n_b == n_b).all()):
            return self._up_to_a * self.n_b - self.up_to_b * self.n_a
        # Fixed sizes: the narrowest integers that hold twice the largest product.
        kind = np.int32 if (n_a + n_b) * max(n_a, n_b, 1) < 2**30 else np.int64
        if self._both is None:
            scaled = np.multiply(self._up_to_a, kind(n_b), dtype=kind)
            scaled -= np.multiply(self.up_to_b, kind(n_a), dtype=kind)
            return scaled
        # n_b a - n_a (both - a) with one multiplication.
        scaled = np.multiply(self._up_to_a, kind(n_a + n_b), dtype=kind)
        scaled -= (n_a * self._both.astype(kind))[:, None]
        return scaled

    def middle_difference(self) -> np.ndarray:
        return _middle(self.difference())

    def moments(self) -> Moments:
        # Sums by parts: differences of the centred values times the counts up to each level.
        centre = float(self._values.mean())
        x = self._values - centre
        powers = np.diff(np.stack([x, x * x]), append=0.0)
        first, second = -(powers @ self._up_to_a.astype(float))
        if self._both is not None:
            both = -(powers @ self._both)
            other = both[0] - first, both[1] - second
        else:
            other = tuple(-(powers @ self.up_to_b.astype(float)))
        found = []
        for n, s, q in ((self.n_a, first, second), (self.n_b, *other)):
            mean = s / n
            found.append((mean + centre, np.maximum(q - n * mean * mean, 0.0) / (n - 1)))
        return found[0][0], found[1][0], found[0][1], found[1][1]

    def largest_b(self) -> np.ndarray:
        # Of both sides: it only says how large rounding errors of a mean may be.
        return np.full(len(self.n_a), np.abs(self._values).max())

    def each(self, per_bin: np.ndarray) -> np.ndarray:
        return per_bin

    def sum(self, per_level: np.ndarray) -> np.ndarray:
        return per_level.sum(axis=0)

    def dot(self, weights: np.ndarray, per_level: np.ndarray) -> np.ndarray:
        if weights.shape[1] == 1:
            return np.asarray(weights[:, 0] @ per_level)
        return np.einsum("lr,lr->r", weights, per_level)

    def u(self) -> np.ndarray:
        if self._both is None:
            return np.einsum("lr,lr->r", self.a.astype(float), self.below_b)
        # Sum of the pooled ranks, by parts: differences of the ranks times the counts up to each level.
        ranks = self.middle[:, 0]
        steps = np.diff(ranks, append=0.0)
        return -(steps @ self._up_to_a.astype(float)) - self.n_a**2 / 2

    def largest(self, per_level: np.ndarray) -> np.ndarray:
        return np.maximum(per_level.max(axis=0), -per_level.min(axis=0))


def _at_level(up_to: np.ndarray) -> np.ndarray:
    counts = up_to.copy()
    counts[1:] -= up_to[:-1]
    return counts


def _middle(up_to: np.ndarray) -> np.ndarray:
    """Mean of each row and the one before it, 0 before the first."""
    double = up_to.copy()
    double[1:] += up_to[:-1]
    # A cast of its own: numpy casts in small pieces when it has to do it on the way.
    middle = double.astype(float)
    middle *= 0.5
    return middle
