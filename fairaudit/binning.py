"""Cutting a sample into bins of equal count: by row order, or by value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.registry import FunctionSpec, Registry


@dataclass(frozen=True, eq=False)
class Bins:
    """The values of one side of one attribute, bin after bin.

    Attributes
    ----------
    values : ndarray of float, shape (n_valid,)
        Finite values only; those of bin ``i`` are ``values[offsets[i]:offsets[i + 1]]``.
    offsets : ndarray of int, shape (n_bins + 1,)
    """

    values: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> np.ndarray:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    @property
    def sizes(self) -> np.ndarray:
        """Number of values in each bin."""
        return np.diff(self.offsets)

    def means(self) -> np.ndarray:
        """Mean of each bin; NaN for an empty one."""
        return np.array([part.mean() if len(part) else np.nan for part in self])

    def __iter__(self):  # type: ignore[no-untyped-def]
        return (self[i] for i in range(len(self)))


BINNINGS: Registry[FunctionSpec] = Registry("binning", FunctionSpec)


def equal_offsets(n: int, bins: int) -> np.ndarray:
    """Cut points of ``n`` items into ``bins`` parts whose sizes differ by at most one, larger parts first.

    Examples
    --------
    >>> equal_offsets(10, 4).tolist()
    [0, 3, 6, 8, 10]
    """
    size, rest = divmod(n, bins)
    return np.concatenate([[0], np.cumsum(np.full(bins, size) + (np.arange(bins) < rest))])


@BINNINGS.register(
    name="sequential",
    label="Sequential (row order)",
    summary="The first rows form bin 1, the next ones bin 2, and so on; every bin has the same number of rows.",
    pitfall="Means something only if the rows are in the order of time or in no order at all; a sorted table needs a shuffle first.",
    reference="QMAD, section 5.2.1",
)
def sequential(values: np.ndarray, bins: int) -> Bins:
    """Bins by row order.

    The table's rows are cut first and missing values are left out inside each bin, so that a bin holds the same rows for every attribute.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        NaN and infinite values are missing.
    bins : int
        1 or more.
    """
    offsets = equal_offsets(len(values), bins)
    valid = np.isfinite(values)
    if valid.all():
        return Bins(values, offsets)
    kept = np.concatenate([[0], np.cumsum(valid)])
    return Bins(values[valid], kept[offsets])


@BINNINGS.register(
    name="quantile",
    label="Quantile (sorted values)",
    summary="Each side's values are sorted and cut into bins of equal count: the lowest tenth, the next tenth, and so on.",
    pitfall="The uncalibrated tests flag almost everything, because the bins of two samples never have the same limits.",
    reference="FairCanary; QMAD, section 4",
)
def quantile(values: np.ndarray, bins: int) -> Bins:
    """Bins by sorted value; parameters as for ``sequential``."""
    values = np.sort(values[np.isfinite(values)])
    return Bins(values, equal_offsets(len(values), bins))
