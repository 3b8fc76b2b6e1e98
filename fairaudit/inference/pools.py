"""Rows of both sides of a pair, put together so that they can change sides."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairaudit.binning import equal_offsets

STREAM = 64
"""Resamples that share a random stream. Fixed, so that the numbers do not depend on how the work is divided."""
KEYS = 1 << 22
"""Random keys that are held at a time; they come from the stream one after the other, however many at a time."""


@dataclass(frozen=True, eq=False)
class RowPool:
    """The rows of a pair, in the pools inside which they may change sides.

    Attributes
    ----------
    rows : ndarray of int, shape (n_target + n_reference,)
        Target rows are 0 ... n_target - 1, reference rows follow; pool after pool, and in each pool the target's first.
    offsets : ndarray of int, shape (n_pools + 1,)
        Limits of the pools in ``rows``.
    target_sizes : ndarray of int, shape (n_pools,)
        Number of target rows in each pool.
    n_target : int
    """

    rows: np.ndarray
    offsets: np.ndarray
    target_sizes: np.ndarray
    n_target: int

    def __len__(self) -> int:
        return len(self.target_sizes)

    def slices(self) -> Iterator[slice]:
        """Limits of each pool."""
        return (slice(int(i), int(j)) for i, j in zip(self.offsets[:-1], self.offsets[1:], strict=True))

    @property
    def observed(self) -> np.ndarray:
        """1 for target rows, 0 for reference rows, in the order of ``rows``."""
        return (self.rows < self.n_target).astype(np.uint8)

    def permutations(self, seed: np.random.SeedSequence, start: int, stop: int) -> np.ndarray:
        """Sides of the rows in the resamples ``start`` ... ``stop - 1``, shape (n_rows, stop - start); 1 means target.

        Every pool keeps its number of target rows, and all divisions of its rows are equally likely.
        """
        sides = np.empty((len(self.rows), stop - start), dtype=np.uint8)
        for stream, here, there in _streams(start, stop):
            rng = _generator(seed, stream)
            for part, size in zip(self.slices(), self.target_sizes, strict=True):
                sides[part, there] = _divide(rng, part.stop - part.start, int(size))[here].T
        return sides

    def bootstrap(self, seed: np.random.SeedSequence, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """How often each row is drawn in the resamples, as a target row and as a reference row; each of shape (n_rows, stop - start).

        Each side of each pool is drawn with replacement from its own rows.
        """
        counts = np.zeros((2, len(self.rows), stop - start), dtype=np.int32)
        for stream, here, there in _streams(start, stop):
            rng = _generator(seed, stream)
            for part, size in zip(self.slices(), self.target_sizes, strict=True):
                middle = part.start + int(size)
                for side, (low, high) in enumerate(((part.start, middle), (middle, part.stop))):
                    counts[side, low:high, there] = _draw(rng, high - low)[here].T
        return counts[0], counts[1]


def row_pool(n_target: int, n_reference: int, pools: int) -> RowPool:
    """Rows in as many pools of consecutive rows as there are sequential bins, or in one.

    Parameters
    ----------
    n_target, n_reference : int
    pools : int
    """
    target, reference = equal_offsets(n_target, pools), equal_offsets(n_reference, pools) + n_target
    rows = np.concatenate([np.r_[target[i] : target[i + 1], reference[i] : reference[i + 1]] for i in range(pools)])
    sizes = np.diff(target) + np.diff(reference)
    return RowPool(rows, np.concatenate([[0], np.cumsum(sizes)]), np.diff(target), n_target)


def pair_seed(seed: int, frame: str, group: str, purpose: int) -> np.random.SeedSequence:
    """Seed of one pair, which does not depend on what other pairs are looked at."""
    return np.random.SeedSequence([seed, zlib.crc32(f"{frame}\0{group}".encode()), purpose])


def _streams(start: int, stop: int) -> Iterator[tuple[int, slice, slice]]:
    """Number of each stream, its resamples that are wanted, and their place among those asked for."""
    for stream in range(start // STREAM, -(-stop // STREAM)):
        first, last = max(start, stream * STREAM), min(stop, (stream + 1) * STREAM)
        yield stream, slice(first - stream * STREAM, last - stream * STREAM), slice(first - start, last - start)


def _generator(seed: np.random.SeedSequence, stream: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, stream)))


def _divide(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Random subsets of ``size`` out of ``n``, shape (STREAM, n): the rows with the smallest of n random keys."""
    chosen = np.empty((STREAM, n), dtype=np.uint8)
    step = max(KEYS // max(n, 1), 1)
    for start in range(0, STREAM, step):
        part = chosen[start : start + step]
        keys = rng.integers(0, 2**32, part.shape, dtype=np.uint32)
        part[:] = keys < np.partition(keys, size, axis=1)[:, size, None] if 0 < size < n else size > 0
    # Equal keys at the limit leave too few; the order of the rows must not decide which of them is taken.
    for row in np.flatnonzero(chosen.sum(axis=1, dtype=np.int64) != size):
        chosen[row] = 0
        chosen[row, rng.permutation(n)[:size]] = 1
    return chosen


def _draw(rng: np.random.Generator, n: int) -> np.ndarray:
    """Counts of ``n`` draws with replacement out of ``n`` rows, shape (STREAM, n)."""
    if n == 0:
        return np.zeros((STREAM, 0), dtype=np.int32)
    drawn = rng.integers(0, n, (STREAM, n)) + np.arange(STREAM)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=STREAM * n).reshape(STREAM, n)
