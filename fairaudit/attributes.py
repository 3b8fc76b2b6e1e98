"""An attribute as numbers: the same coding for both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairaudit.contrast import Pair, Rows
from fairaudit.schema import LARGEST, AuditTable


@dataclass(frozen=True, eq=False)
class PairValues:
    """One attribute on both sides of a pair.

    Attributes
    ----------
    attribute, type : str
        Name and type of the column.
    target, reference : ndarray of float
        Values in table order; NaN where missing or infinite.
    levels : tuple of str
        Names of the codes 0, 1, ... of a coded attribute; empty for numbers.
    """

    attribute: str
    type: str
    target: np.ndarray
    reference: np.ndarray
    levels: tuple[str, ...] = ()


def numeric_levels(categories: pd.Index) -> np.ndarray | None:
    """The categories as numbers, None when one of them is not a number to compute with."""
    try:
        numbers = np.array([float(c) for c in categories])
    except ValueError:
        return None
    return numbers if np.all(np.abs(numbers) <= LARGEST) else None


def column_values(table: AuditTable, column: str) -> np.ndarray:
    """A column as floats: numbers as they are, dates in days, categories as codes; NaN where missing or infinite.

    Binary attributes are 0/1 (1 for the second category; of a label or prediction that is the favourable one), ordinal ones the numbers they are made of or else 0, 1, 2 ... in their
    order, nominal ones label codes in alphabetical order.

    Parameters
    ----------
    table : AuditTable
    column : str
        A column that is numeric, binary, ordinal, nominal or a date.
    """
    series = table.data[column]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        lookup = np.arange(len(series.cat.categories), dtype=float)
        if table.type_of(column) == "ordinal" and (numbers := numeric_levels(series.cat.categories)) is not None:
            lookup = numbers
        return np.append(lookup, np.nan)[codes]
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        days = series.to_numpy(dtype="datetime64[us]").astype(np.int64) / 86_400e6
        return np.where(series.isna().to_numpy(), np.nan, days)
    values = series.to_numpy(dtype=float)
    return values if np.isfinite(values).all() else np.where(np.isfinite(values), values, np.nan)


def valid_values(table: AuditTable, column: str) -> np.ndarray:
    """True where a column has a value that takes part in comparisons; nowhere, if the table lacks the column."""
    if column not in table.columns:
        return np.zeros(len(table), dtype=bool)
    series = table.data[column]
    return np.isfinite(series.to_numpy()) if series.dtype == np.float64 else series.notna().to_numpy()


def _taken(values: np.ndarray, rows: Rows) -> np.ndarray:
    return values if rows is None else values[rows]


def pair_values(pair: Pair, column: str) -> PairValues:
    """An attribute on both sides of a pair, in one coding."""
    column_type = pair.reference.type_of(column)
    ref, tgt = pair.reference.data[column], pair.target.data[column]
    if column_type in ("identifier", "text"):
        # Compared only when asked for by name: as categories, coded over both sides together.
        both = pd.concat([tgt, ref], ignore_index=True)
        codes, names = pd.factorize(both, sort=True)
        values = np.where(codes < 0, np.nan, codes.astype(float))
        target, reference = values[: len(tgt)], values[len(tgt) :]
        levels = tuple(map(str, names))
    else:
        target, reference = column_values(pair.target, column), column_values(pair.reference, column)
        levels = tuple(map(str, ref.cat.categories)) if isinstance(ref.dtype, pd.CategoricalDtype) else ()
        if column_type == "ordinal" and levels and numeric_levels(ref.cat.categories) is not None:
            levels = ()
    return PairValues(column, column_type, _taken(target, pair.target_rows), _taken(reference, pair.reference_rows), levels)
