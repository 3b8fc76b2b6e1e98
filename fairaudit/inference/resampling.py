"""Scores C[a,b] and M[a] of one attribute under many divisions of the rows between the two sides."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairaudit.aggregation import aggregate_rows
from fairaudit.binning import BINNINGS, Bins
from fairaudit.comparison import ComparisonSpec, compare_bins
from fairaudit.inference.pools import RowPool
from fairaudit.kernels import Kernel, ResampleChunk, UnsortedChunk

BLOCK_CELLS = 1 << 20
"""Rows times resamples that are worked on at a time: few enough for the cache, enough to hide the cost of a call."""

Check = Callable[[], None]


@dataclass(frozen=True, eq=False)
class SortedPool:
    """The order of the valid values of a pool; the values stay where they are, because every copy of them counts with a million rows.

    Attributes
    ----------
    order : ndarray of int
        Positions of the valid values in the pool, the smallest value first.
    last : ndarray of int or None
        Place in ``order`` of the last one of each distinct value; None when no value occurs twice.
    """

    order: np.ndarray
    last: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray) -> SortedPool:
        """Sort a pool once; resamples only move the labels."""
        kind = np.int32 if len(values) < 2**31 else np.int64
        valid = np.flatnonzero(np.isfinite(values)).astype(kind)
        order = valid[np.argsort(values[valid], kind="stable")]
        ordered = values[order]
        new = ordered[1:] != ordered[:-1]
        return cls(order, None if new.all() else np.append(np.flatnonzero(new), len(ordered) - 1).astype(kind))

    @property
    def untied(self) -> bool:
        """True when no value occurs twice."""
        return self.last is None

    @property
    def n_levels(self) -> int:
        """Number of distinct values."""
        return len(self.order if self.last is None else self.last)

    @property
    def ends(self) -> np.ndarray:
        """Number of values at or below each level, shape (n_levels,)."""
        return np.arange(1, len(self.order) + 1) if self.last is None else self.last.astype(np.int64) + 1

    def levels(self, values: np.ndarray, window: slice = slice(None)) -> np.ndarray:
        """Distinct values of the pool in ascending order, or a part of them."""
        return values[self.order[window] if self.last is None else self.order[self.last[window]]]

    def up_to(self, weights: np.ndarray) -> np.ndarray:
        """Sum of the weights of the values at or below each level, shape (n_levels, n_resamples)."""
        # take walks along whole rows, several times as fast as an index does.
        summed = cumulated(weights.take(self.order, axis=0))
        return summed if self.last is None else summed.take(self.last, axis=0)


@dataclass(frozen=True, eq=False)
class _Side:
    """Number of a side's values at or below each level of a pool; the other side's are told from what both have together, part by part.

    Attributes
    ----------
    up_to : ndarray of int, shape (n_levels, n_resamples)
        Of this side, or of the other one where ``both`` is given.
    both : ndarray of int, shape (n_levels,), optional
    """

    up_to: np.ndarray
    both: np.ndarray | None = None

    def part(self, window: slice) -> np.ndarray:
        """Counts at some levels."""
        counts = self.up_to[window]
        return counts if self.both is None else self.both[window].astype(counts.dtype)[:, None] - counts

    @property
    def size(self) -> np.ndarray:
        """Number of values in each resample."""
        return np.asarray(self.part(slice(-1, None))[0])

    def fewest(self, level: int) -> int:
        """Smallest count at a level over the resamples; the same or larger at the next level."""
        return int(self.up_to[level].min() if self.both is None else self.both[level] - self.up_to[level].max())

    def most(self, level: int) -> int:
        """Largest count at a level over the resamples."""
        return int(self.up_to[level].max() if self.both is None else self.both[level] - self.up_to[level].min())


@dataclass(frozen=True, eq=False)
class AttributePool:
    """One attribute of a pair, ready to be scored under any division of the rows.

    Attributes
    ----------
    spec : ComparisonSpec
    aggregation, binning : str
    bins : int
        Number of bins of each side.
    values : ndarray of float
        In the order of the row pool; NaN where missing.
    rows : RowPool
    sorted : tuple of SortedPool
        One per pool.
    """

    spec: ComparisonSpec
    aggregation: str
    binning: str
    bins: int
    values: np.ndarray
    rows: RowPool
    sorted: tuple[SortedPool, ...]

    @classmethod
    def of(
        cls,
        spec: ComparisonSpec,
        aggregation: str,
        binning: str,
        bins: int,
        target: np.ndarray,
        reference: np.ndarray,
        rows: RowPool,
    ) -> AttributePool:
        """Put the values of both sides together."""
        values = np.concatenate([target, reference])[rows.rows]
        pools = tuple(SortedPool.of(values[part]) for part in rows.slices())
        return cls(spec, aggregation, binning, bins, values, rows, pools)

    @property
    def complete(self) -> bool:
        """True when no value is missing, so that the sizes of the bins never change."""
        return all(len(s.order) == part.stop - part.start for s, part in zip(self.sorted, self.rows.slices(), strict=True))

    def attribute_scores(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> np.ndarray:
        """Scores M[a] that resamples are compared by, shape (n_resamples,); NaN where no bin is defined. See ``both_scores``."""
        return self.both_scores(a, b, check)[0]

    def both_scores(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> tuple[np.ndarray, np.ndarray]:
        """Scores M[a] that resamples are compared by, and as an audit would report them, which differ where bins are beyond a floor or ceiling.

        Parameters
        ----------
        a : ndarray of int, shape (n_rows, n_resamples)
            How often each row belongs to the target.
        b : ndarray of int, shape (n_rows, n_resamples), optional
            The same for the reference; by default every row belongs to exactly one side.
        check : callable
            Called now and then; raises CancelledError when the work is to stop.
        """
        compared, reported = self.bin_scores(a, b, check)
        scores = aggregate_rows(self.aggregation, compared.T)
        return scores, scores if reported is compared else aggregate_rows(self.aggregation, reported.T)

    def bin_scores(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> tuple[np.ndarray, np.ndarray]:
        """Scores C[a,b] that resamples are compared by, and as an audit would report them, each of shape (n_bins, n_resamples)."""
        kernel = self.spec.batch
        if kernel is None or self.binning not in ("sequential", "quantile"):
            scores = self._one_by_one(a, b, check)
            return scores, scores
        chunks = self._sequential_chunks if self.binning == "sequential" else self._quantile_chunks
        found: list[np.ndarray] | None = None
        sizes = np.zeros((2, self.bins, a.shape[1]))
        with np.errstate(all="ignore"):
            for i, columns, chunk in chunks(a, b):
                check()
                if chunk is None:
                    continue
                sizes[:, i, columns] = chunk.n_a, chunk.n_b
                statistics = kernel.statistics(chunk)
                if found is None:
                    found = [np.zeros(sizes.shape[1:]) for _ in statistics]
                for store, statistic in zip(found, statistics, strict=True):
                    store[i, columns] = statistic
            if found is None:
                scores = np.full(sizes.shape[1:], np.nan)
                return scores, scores
            return self._scores(kernel, tuple(found), sizes[0], sizes[1])

    def _scores(
        self, kernel: Kernel, statistics: tuple[np.ndarray, ...], n_a: np.ndarray, n_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        enough = np.minimum(n_a, n_b) >= max(self.spec.min_rows, 1)

        def reported() -> np.ndarray:
            scores = np.full(n_a.shape, np.nan)
            scores[enough] = kernel.scores(tuple(s[enough] for s in statistics), n_a[enough], n_b[enough])[0]
            return scores

        if kernel.resample_scores is None:
            scores = reported()
            return scores, scores
        compared = kernel.resample_scores(statistics, n_a, n_b, self.complete)
        compared[~enough] = np.nan
        return compared, compared if self.spec.floor is None and self.spec.ceiling is None else reported()

    def _sequential_chunks(self, a: np.ndarray, b: np.ndarray | None) -> Iterator[tuple[int, slice, ResampleChunk | None]]:
        moments = b is None and self.spec.batch is not None and self.spec.batch.moments_only
        for i, (pool, part) in enumerate(zip(self.sorted, self.rows.slices(), strict=True)):
            if not len(pool.order):
                yield i, slice(0, a.shape[1]), None
                continue
            values = self.values[part]
            if moments:
                valid = slice(None) if len(pool.order) == len(values) else np.isfinite(values)
                for columns in blocks(a.shape[1], len(pool.order)):
                    yield i, columns, UnsortedChunk(values[valid], a[part, columns][valid], pool.n_levels)
                continue
            levels, ends = pool.levels(values), pool.ends
            for columns in blocks(a.shape[1], len(pool.order)):
                up_to_a = pool.up_to(a[part, columns])
                if b is None:
                    yield i, columns, ResampleChunk(levels, up_to_a, up_to_both=ends)
                else:
                    yield i, columns, ResampleChunk(levels, up_to_a, up_to_b=pool.up_to(b[part, columns]))

    def _quantile_chunks(self, a: np.ndarray, b: np.ndarray | None) -> Iterator[tuple[int, slice, ResampleChunk | None]]:
        """Each side's sorted values are cut in equal counts: bin i holds the counts between its two limits, whichever levels they are at."""
        (pool,) = self.sorted
        if not len(pool.order):
            return
        for columns in blocks(a.shape[1], len(pool.order) // 4):
            up_to_a = pool.up_to(a[:, columns])
            sides = [_Side(up_to_a), _Side(up_to_a, pool.ends) if b is None else _Side(pool.up_to(b[:, columns]))]
            limits = [_offsets(s.size, self.bins) for s in sides]
            for i in range(self.bins):
                window = _levels_of_bin(sides, [k[i] for k in limits], [k[i + 1] for k in limits])
                counts = [_inside(s.part(window), k[i], k[i + 1]) for s, k in zip(sides, limits, strict=True)]
                levels = pool.levels(self.values, window)
                yield i, columns, ResampleChunk(levels, counts[0], up_to_b=counts[1], untied=b is None and pool.untied)

    def _one_by_one(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> np.ndarray:
        """For functions without a batch form: every resample by itself."""
        scores = np.full((self.bins, a.shape[1]), np.nan)
        for r in range(a.shape[1]):
            check()
            sides = [self._side(a[:, r]), self._side(1 - a[:, r] if b is None else b[:, r])]
            scores[:, r] = compare_bins(self.spec, *sides)[0]
        return scores

    def _side(self, times: np.ndarray) -> Bins:
        """Bins of the rows drawn ``times`` times."""
        valid = np.isfinite(self.values)
        times = np.where(valid, times, 0)
        if self.binning == "sequential":
            sizes = [int(times[part].sum()) for part in self.rows.slices()]
            return Bins(np.repeat(self.values, times), np.concatenate([[0], np.cumsum(sizes)]))
        found: Bins = BINNINGS[self.binning].function(np.repeat(self.values, times), self.bins)
        return found


def blocks(resamples: int, rows: int) -> Iterator[slice]:
    """Resamples in blocks of about ``BLOCK_CELLS`` cells."""
    size = min(max(BLOCK_CELLS // max(rows, 1), 16), resamples)
    return (slice(i, min(i + size, resamples)) for i in range(0, resamples, size))


def cumulated(x: np.ndarray) -> np.ndarray:
    """Cumulative sums along the rows, shape as ``x``.

    Rows are added in two levels, so that each step works on many cells; numpy's cumsum goes cell by cell and takes ten times as long.
    Bytes are taken for marks, 0 or 1: sums of up to 255 of them are bytes too.
    """
    n = len(x)
    marks = x.dtype == np.uint8
    group = max(min(int(np.sqrt(n)), 255), 1) if marks else max(int(np.sqrt(n)), 1)
    whole = n // group * group
    total = x.copy() if marks else x.astype(np.int32)
    parts = total[:whole].reshape(-1, group, x.shape[1])
    for j in range(1, group):
        parts[:, j] += parts[:, j - 1]
    if marks:
        total = total.astype(np.int32)
        parts = total[:whole].reshape(-1, group, x.shape[1])
    for k in range(1, len(parts)):
        parts[k] += parts[k - 1, -1]
    for i in range(max(whole, 1), n):
        total[i] += total[i - 1]
    return total


def _inside(up_to: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Counts between two limits, which are one for all resamples where no value is missing."""
    if (low == low[0]).all() and (high == high[0]).all():
        low, high = low[0], high[0]
    found: np.ndarray = np.clip(up_to, low, high)
    found -= low
    return found


def _levels_of_bin(sides: Sequence[_Side], low: Sequence[np.ndarray], high: Sequence[np.ndarray]) -> slice:
    """Levels that hold a value of a bin on any side in any of the resamples, and the one that ends it."""
    levels = range(len(sides[0].up_to))
    first = min(bisect_right(levels, k.min(), key=s.most) for s, k in zip(sides, low, strict=True))
    last = max(bisect_left(levels, k.max(), key=s.fewest) for s, k in zip(sides, high, strict=True))
    return slice(first, min(last + 1, len(levels)))


def _offsets(n: np.ndarray, bins: int) -> np.ndarray:
    """``equal_offsets`` for many sizes at once, shape (bins + 1, n_resamples)."""
    i = np.arange(bins + 1, dtype=n.dtype)[:, None]
    return i * (n // bins) + np.minimum(i, n % bins)
