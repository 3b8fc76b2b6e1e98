"""Group x label x decision count tables: everything the rate metrics need, in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError, unknown_name

MISSING = 2
"""Code of a missing label or decision; 0 is unfavourable, 1 favourable."""


def outcome_codes(values: Any, name: str = "y_pred") -> np.ndarray:
    """Favourable or not, as small codes.

    Parameters
    ----------
    values : array-like of shape (n,)
        Booleans, 0 and 1, or numbers with NaN where missing; codes that this function made pass unchanged.
    name : str
        How a message calls the values.

    Returns
    -------
    ndarray of uint8, shape (n,)
        0, 1, or ``MISSING``.

    Raises
    ------
    SettingsError
        If there is any other value.

    Examples
    --------
    >>> outcome_codes([1.0, 0.0, float("nan")]).tolist()
    [1, 0, 2]
    """
    if isinstance(values, np.ndarray) and values.dtype == np.uint8:
        if values.size and values.max() > MISSING:
            raise _not_binary(name, values)
        return values
    array = pd.Series(values).array
    if array.dtype == bool:
        return np.asarray(array).astype(np.uint8)
    try:
        numbers = array.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        raise _not_binary(name, np.asarray(array, dtype=object)) from None
    missing = np.isnan(numbers)
    codes = np.where(missing, MISSING, numbers == 1).astype(np.uint8)
    if not np.array_equal(codes[~missing], numbers[~missing]):
        raise _not_binary(name, numbers)
    return codes


def _not_binary(name: str, values: np.ndarray) -> SettingsError:
    """Error for outcomes that are not 0, 1 or missing."""
    shown = ", ".join(str(v) for v in pd.unique(values)[:5])
    return SettingsError(
        f"{name} must hold 1 for favourable and 0 for unfavourable outcomes, NaN where missing. Got {shown}.",
        "Choose the favourable value, or a decision threshold for a score.",
    )


@dataclass(frozen=True, eq=False)
class CountTable:
    """Number of rows by group, label and decision.

    Attributes
    ----------
    names : tuple of tuple of str
        Names of the groups, one tuple for each attribute.
    counts : ndarray of int, shape (*number of groups of each attribute, 3, 3)
        Last two axes: label, then decision, each 0 (unfavourable), 1 (favourable), 2 (missing).
    """

    names: tuple[tuple[str, ...], ...]
    counts: np.ndarray

    def __getitem__(self, group: str | tuple[str, ...]) -> np.ndarray:
        """The 3 x 3 table of one group."""
        key = (group,) if isinstance(group, str) else tuple(group)
        index = []
        for name, known in zip(key, self.names, strict=True):
            if name not in known:
                raise unknown_name("group", name, known)
            index.append(known.index(name))
        return self.counts[tuple(index)]

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each group."""
        return self.counts.sum(axis=(-1, -2))

    def marginal(self, attribute: int) -> CountTable:
        """The table of one attribute by itself."""
        others = tuple(i for i in range(len(self.names)) if i != attribute)
        return CountTable((self.names[attribute],), self.counts.sum(axis=others))

    def flat(self) -> CountTable:
        """Every combination of the attributes as a group of its own, named ``"F & Black"``."""
        names = [""]
        for part in self.names:
            names = [f"{head} & {tail}" if head else tail for head in names for tail in part]
        return CountTable((tuple(names),), self.counts.reshape(-1, 3, 3))


def count_table(
    groups: Any,
    y_true: Any = None,
    y_pred: Any = None,
    *,
    names: Sequence[Sequence[str]] | None = None,
) -> CountTable:
    """Count rows by group, label and decision.

    Parameters
    ----------
    groups : array-like of shape (n,), or tuple of them
        Group of every row, for one attribute or several. With ``names`` these are integer codes, negative for rows that are
        left out; otherwise any values, missing ones left out.
    y_true, y_pred : array-like of shape (n,), optional
        Labels and decisions; see ``outcome_codes``. What is not given counts as missing.
    names : sequence of sequence of str, optional
        Group names for each attribute, in the order of the codes.

    Returns
    -------
    CountTable

    Examples
    --------
    >>> table = count_table(["m", "m", "f", "f"], y_true=[1, 0, 1, 1], y_pred=[1, 1, 0, 1])
    >>> table["f"].tolist()
    [[0, 0, 0], [1, 1, 0], [0, 0, 0]]
    """
    parts = groups if isinstance(groups, tuple) else (groups,)
    if names is None:
        coded = [_factorize(part) for part in parts]
    else:
        coded = [(np.asarray(part), tuple(n)) for part, n in zip(parts, names, strict=True)]
    n_rows = len(coded[0][0])
    cell = np.zeros(n_rows, dtype=np.intp)
    left_out = np.zeros(n_rows, dtype=bool)
    for codes, part_names in coded:
        if codes.size and codes.min() < 0:
            left_out |= codes < 0
        cell *= len(part_names)
        cell += codes
    for outcome, name in ((y_true, "y_true"), (y_pred, "y_pred")):
        cell *= 3
        cell += MISSING if outcome is None else outcome_codes(outcome, name)
    if left_out.any():
        cell = cell[~left_out]
    shape = tuple(len(part_names) for _, part_names in coded)
    counts = np.bincount(cell, minlength=9 * int(np.prod(shape)))
    return CountTable(tuple(part_names for _, part_names in coded), counts.reshape(*shape, 3, 3))


def _factorize(values: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes and names of the groups that occur, sorted; -1 where missing."""
    series = pd.Series(values)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy(), tuple(str(c) for c in series.cat.categories)
    codes, found = pd.factorize(series, sort=True)
    return codes, tuple(str(v) for v in found)


def outcome_counts(y_true: Any = None, y_pred: Any = None) -> np.ndarray:
    """The 3 x 3 table of label x decision of one set of rows; see ``count_table``.

    Examples
    --------
    >>> outcome_counts(y_true=[1, 0, 1], y_pred=[1, 1, 1]).tolist()
    [[0, 1, 0], [0, 2, 0], [0, 0, 0]]
    """
    given = next(v for v in (y_true, y_pred, ()) if v is not None)
    codes = np.zeros(len(given), dtype=np.int8)
    return count_table(codes, y_true, y_pred, names=[("all",)]).counts[0]
