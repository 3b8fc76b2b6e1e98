"""Counts of one bin under many labellings: the pooled order is sorted once, and only the labels move."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fairaudit.kernels.chunks import Moments, gap_weights, placements


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
    untied : bool
        True when no level ever holds more than one value.
    """

    def __init__(
        self,
        values: np.ndarray,
        up_to_a: np.ndarray,
        up_to_both: np.ndarray | None = None,
        up_to_b: np.ndarray | None = None,
        untied: bool = False,
    ) -> None:
        self._values, self._up_to_a = values, up_to_a
        self._both, self._b, self._untied = up_to_both, up_to_b, untied
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
    def gaps(self) -> np.ndarray:
        return np.diff(self._values, append=self._values[-1])[:, None]

    @property
    def n_levels(self) -> np.ndarray:
        if self._both is not None:
            return np.full(len(self.n_a), len(self._values))
        return self.total if self._untied else np.count_nonzero(self.at, axis=0)

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

    def weighted_gaps(self) -> np.ndarray:
        gap = _doubled(self.difference()).astype(float)
        gap *= gap
        if self._both is not None:
            return np.asarray(gap_weights(_at_level(self._both), _doubled(self._both), self._both[-1]) @ gap)
        both = self._up_to_a + self.up_to_b
        double, total = _doubled(both), int(both[-1, 0])
        if self._untied and (both[-1] == total).all():
            # Twice the middle is odd where a value is, even where none is: one table has the weights of both.
            known = np.arange(2 * total + 1)
            weights = gap_weights(known % 2, known, total).take(double)
        else:
            weights = gap_weights(_at_level(both), double, self.total)
        return np.einsum("lr,lr->r", weights, gap)

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
            found.append((self._cleared(mean + centre), np.maximum(q - n * mean * mean, 0.0) / (n - 1)))
        return found[0][0], found[1][0], found[0][1], found[1][1]

    def _cleared(self, mean: np.ndarray) -> np.ndarray:
        """Means that are 0 but for rounding, as 0: their sign would be chance."""
        return np.where(np.abs(mean) <= 1e-14 * np.abs(self._values).max(), 0.0, mean)

    def largest_b(self) -> np.ndarray:
        # Of both sides: it only says how large rounding errors of a mean may be.
        return np.full(len(self.n_a), np.abs(self._values).max())

    def each(self, per_bin: np.ndarray) -> np.ndarray:
        return per_bin

    def sum(self, per_level: np.ndarray) -> np.ndarray:
        return per_level.sum(axis=0)

    def dot(self, weights: np.ndarray, per_level: np.ndarray) -> np.ndarray:
        return np.einsum("lr,lr->r", weights, per_level)

    def u(self) -> np.ndarray:
        if self._both is None:
            return np.einsum("lr,lr->r", self.a.astype(float), self.below_b)
        # Sum of the pooled ranks, by parts: differences of the ranks times the counts up to each level.
        ranks = _middle(self._both)
        steps = np.diff(ranks, append=0.0)
        return -(steps @ self._up_to_a.astype(float)) - self.n_a**2 / 2

    def ties(self) -> np.ndarray:
        at = np.asarray(self.at, dtype=float)
        return self.sum(at * (at * at - 1))

    def placements(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self._both is None:
            return placements(self)
        # With a = count at a level, A and M = counts below it plus half of those at it, of the target and of both sides, the sums of
        # squares are sum a (M - A)^2 and sum (t - a) A^2. As a A = (c^2 - c'^2) / 2 and a A^2 = (c^3 - c'^3) / 3 - a^3 / 12 for the counts
        # c and c' up to this level and the one before, both come from sums of c and c^2 with fixed weights.
        at, middle = self.at[:, 0].astype(float), _middle(self._both)
        counts = self._up_to_a.astype(float)
        steps = -np.diff(np.stack([middle, middle**2]), append=0.0)
        u_and_half, a_middle_squared = steps @ counts
        counts *= counts
        weights = np.stack([steps[0] / 2, (at + np.append(at[1:], 0.0)) / 2])
        a_a_middle, t_a_squared = weights @ counts
        if len(at) == at.sum():
            a_cubed = t_a_at = self.n_a
        else:
            a = self.a.astype(float)
            t_a_at = at @ (a * a)
            a_cubed = (a * a * a).sum(axis=0)
        a_a_squared = self.n_a**3 / 3 - a_cubed / 12
        u = u_and_half - self.n_a**2 / 2
        squares_a = a_middle_squared - 2 * a_a_middle + a_a_squared
        squares_b = t_a_squared - t_a_at / 4 - a_a_squared
        other = self.n_a * self.n_b - u
        return u, (squares_a - u**2 / self.n_a) / (self.n_a - 1), (squares_b - other**2 / self.n_b) / (self.n_b - 1)

    def largest(self, per_level: np.ndarray) -> np.ndarray:
        return np.maximum(per_level.max(axis=0), -per_level.min(axis=0))


class UnsortedChunk(ResampleChunk):
    """One bin under many permutations, for functions that need moments only: no order, no cumulative counts.

    Parameters
    ----------
    values : ndarray of float, shape (n_values,)
    a : ndarray of int, shape (n_values, n_resamples)
        1 where a value belongs to the target, otherwise 0.
    levels : int
        Number of distinct values.
    """

    def __init__(self, values: np.ndarray, a: np.ndarray, levels: int) -> None:
        self._values, self._n_levels = values, levels
        self._centre = float(values.mean())
        x = values - self._centre
        powers = np.stack([np.ones(len(x)), x, x * x, values == values.max()])
        self._sums_a = powers @ a.astype(float)
        self._sums_b = powers.sum(axis=1)[:, None] - self._sums_a
        self.n_a, self.n_b = np.rint(self._sums_a[0]), np.rint(self._sums_b[0])

    @property
    def n_levels(self) -> np.ndarray:
        return np.full(len(self.n_a), self._n_levels)

    @property
    def constant(self) -> np.ndarray:
        if self._n_levels > 2:
            return np.zeros(len(self.n_a), dtype=bool)
        # With two values each side holds none or nothing but the larger one.
        sides = [(np.rint(s[3]), n) for s, n in ((self._sums_a, self.n_a), (self._sums_b, self.n_b))]
        return np.asarray(np.logical_and(*((high == 0) | (high == n) for high, n in sides)))

    def moments(self) -> Moments:
        found = []
        for n, (_, first, second, _) in ((self.n_a, self._sums_a), (self.n_b, self._sums_b)):
            mean = first / n
            found.append((self._cleared(mean + self._centre), np.maximum(second - n * mean * mean, 0.0) / (n - 1)))
        return found[0][0], found[1][0], found[0][1], found[1][1]


def _at_level(up_to: np.ndarray) -> np.ndarray:
    counts = up_to.copy()
    counts[1:] -= up_to[:-1]
    return counts


def _doubled(up_to: np.ndarray) -> np.ndarray:
    """Sum of each row and the one before it, 0 before the first: twice their mean, in whole numbers."""
    double = np.empty_like(up_to)
    double[0] = up_to[0]
    np.add(up_to[1:], up_to[:-1], out=double[1:])
    return double


def _middle(up_to: np.ndarray) -> np.ndarray:
    """Mean of each row and the one before it, 0 before the first."""
    # A cast of its own: numpy casts in small pieces when it has to do it on the way.
    middle = _doubled(up_to).astype(float)
    middle *= 0.5
    return middle
