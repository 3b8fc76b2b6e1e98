"""Columns of any type, read and rewritten without touching the original."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.injection.context import Context
from fairaudit.injection.groups import as_float, is_number_column, value_codes
from fairaudit.schema import category_name


def percent(share: float) -> str:
    """A share in words.

    Examples
    --------
    >>> percent(1.0), percent(0.125)
    ('100 %', '12.5 %')
    """
    return f"{100 * share:.4g} %"


def quoted(value: Any) -> str:
    """A value in words: text in quotes, numbers bare."""
    return repr(category_name(value)) if isinstance(value, str) else category_name(value)


def number_column(context: Context, column: str, verb: str) -> pd.Series:
    """A column that arithmetic is defined for, or a sentence."""
    found = context.column(column)
    if not is_number_column(found):
        raise SettingsError(
            f"The column {column!r} holds no numbers (its type is {found.dtype}), so it cannot be {verb}.",
            "Choose a numeric column, or set a value or move categories instead.",
        )
    return found


def with_numbers(column: pd.Series, rows: np.ndarray, numbers: np.ndarray) -> pd.Series:
    """A copy of a number column with ``numbers`` at ``rows``; whole-number columns stay so where every new value is whole."""
    dtype = column.dtype
    if pd.api.types.is_integer_dtype(dtype):
        limits = np.iinfo(getattr(dtype, "numpy_dtype", dtype))
        whole = np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()
        if whole and (numbers >= limits.min).all() and (numbers <= limits.max).all():
            values = column.array.copy()
            values[rows] = numbers.astype(np.int64)
            return pd.Series(values, index=column.index, name=column.name)
    floats = as_float(column).copy()
    floats[rows] = numbers
    return pd.Series(floats, index=column.index, name=column.name)


def with_value(column: pd.Series, rows: np.ndarray, value: Any) -> pd.Series:
    """A copy of any column with one value at ``rows``, in the column's own spelling of that value."""
    if is_number_column(column):
        return with_numbers(column, rows, np.full(len(rows), float(value)))
    if isinstance(column.dtype, pd.CategoricalDtype):
        by_name = {category_name(c): c for c in column.cat.categories}
        known = by_name.get(category_name(value), value)
        if known not in column.cat.categories:
            column = column.cat.add_categories([known])
    else:
        codes, values = pd.factorize(column)
        del codes
        known = {category_name(v): v for v in values}.get(category_name(value), value)
    result = column.copy()
    if pd.api.types.is_bool_dtype(result.dtype) and not isinstance(known, (bool, np.bool_)):
        result = result.astype(object)
    result.iloc[rows] = known
    return result


def category_names(context: Context, column: str) -> list[str]:
    """Names of the values that a column can take: its categories, or what occurs now or occurred before the first step."""
    found = context.column(column)
    if isinstance(found.dtype, pd.CategoricalDtype):
        return [category_name(c) for c in found.cat.categories]
    names = value_codes(found)[1]
    if column in context.origin.columns and context.origin[column] is not found:
        names = list(dict.fromkeys([*value_codes(context.origin[column])[1], *names]))
    return names
