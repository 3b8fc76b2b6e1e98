"""Whose rows: a group is a combination of column values and number ranges, checked and named in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import FairAuditError, SettingsError, column_not_found, unknown_name
from fairaudit.schema import category_name

Plain = str | int | float | bool | None


def plain(value: Any) -> Plain:
    """A scalar as a JSON value; a missing value becomes None."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)) or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def is_number_column(column: pd.Series) -> bool:
    """Whether arithmetic with the column makes sense: a number, not a truth value and not a category."""
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)


def as_float(column: pd.Series) -> np.ndarray:
    """Values of a number column as float64, NaN where missing."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


@dataclass(frozen=True)
class Condition:
    """One column of a group: any of some values, or a closed range of numbers.

    Attributes
    ----------
    column : str
    values : tuple
        Values of the column; None stands for a missing value. Empty for a range.
    low, high : float, optional
        Closed range; None is open.
    """

    column: str
    values: tuple[Plain, ...] = ()
    low: float | None = None
    high: float | None = None

    @classmethod
    def from_any(cls, column: str, wanted: Any) -> Condition:
        """From one value, a list of values, or a dict with "min" and/or "max"."""
        if isinstance(wanted, Mapping):
            if not wanted or set(wanted) - {"min", "max"}:
                raise SettingsError(
                    f"The range for the group column {column!r} has the entries {', '.join(map(repr, wanted)) or 'none'}.",
                    'Give "min", "max" or both, for example {"age": {"min": 40}}.',
                )
            bounds: list[float | None] = []
            for key in ("min", "max"):
                bound = wanted.get(key)
                if bound is not None and (isinstance(bound, (str, bool)) or not math.isfinite(bound)):
                    raise SettingsError(
                        f"The {key} of the group column {column!r} must be a number. Got {bound!r}.", "Give a number."
                    )
                bounds.append(None if bound is None else float(bound))
            low, high = bounds
            if low is not None and high is not None and low > high:
                raise SettingsError(f"The range for the group column {column!r} runs from {low:g} to {high:g}.", "Swap the two.")
            return cls(column, (), low, high)
        if isinstance(wanted, (list, tuple, set, frozenset, np.ndarray, pd.Index)):
            values = tuple(plain(v) for v in (sorted(wanted, key=str) if isinstance(wanted, (set, frozenset)) else wanted))
            if not values:
                raise SettingsError(f"The group names no value of the column {column!r}.", "Name at least one value.")
            return cls(column, values)
        return cls(column, (plain(wanted),))

    @property
    def is_range(self) -> bool:
        """Whether the condition is a range of numbers."""
        return not self.values

    def to_plain(self) -> Any:
        """The form that ``from_any`` reads, ready for JSON."""
        if self.is_range:
            return {key: bound for key, bound in (("min", self.low), ("max", self.high)) if bound is not None}
        return self.values[0] if len(self.values) == 1 else list(self.values)

    def words(self) -> str:
        """The condition in words."""
        if self.is_range:
            if self.low is not None and self.high is not None:
                return f"{self.column} is between {self.low:g} and {self.high:g}"
            return (
                f"{self.column} is at least {self.low:g}" if self.low is not None else f"{self.column} is at most {self.high:g}"
            )
        names = ["missing" if v is None else category_name(v) for v in self.values]
        return f"{self.column} is {' or '.join(names)}"

    def mask(self, table: pd.DataFrame, *, strict: bool) -> np.ndarray:
        """Rows that meet the condition; ``strict`` refuses values that do not occur."""
        if self.column not in table.columns:
            raise column_not_found("group column", self.column, table.columns)
        column = table[self.column]
        if self.is_range:
            if not is_number_column(column):
                raise SettingsError(
                    f"The group column {self.column!r} holds no numbers, so a range of it is not defined.",
                    "Name its values instead.",
                )
            numbers = as_float(column)
            low = -np.inf if self.low is None else self.low
            high = np.inf if self.high is None else self.high
            return (numbers >= low) & (numbers <= high)
        result = np.zeros(len(table), dtype=bool)
        codes, names = value_codes(column)
        for value in self.values:
            if value is None:
                found = column.isna().to_numpy()
            else:
                name = category_name(value)
                found = codes == names.index(name) if name in names else np.zeros(len(table), dtype=bool)
            if strict and not found.any():
                if value is None:
                    raise SettingsError(f"The group column {self.column!r} has no missing values.", "Choose values that occur.")
                raise unknown_name(f"value of the group column {self.column!r}", category_name(value), _shown(names))
            result |= found
        return result


def value_codes(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Code of each row into the names of the column's values (-1 is missing), and the names."""
    codes, values = pd.factorize(column, sort=False)
    names: dict[str, int] = {}
    # Values such as 1 and "1" of a mixed column share a name, so codes are mapped once more.
    remap = np.array([names.setdefault(category_name(v), len(names)) for v in values] + [-1], dtype=np.intp)
    return remap[codes], list(names)


def _shown(names: list[str], limit: int = 30) -> list[str]:
    """The first names, so that a message stays readable."""
    return names if len(names) <= limit else [*names[:limit], f"… {len(names) - limit} more"]


Group = tuple[Condition, ...]


def as_group(group: Any) -> Group:
    """A group from a dict of column to value, values or range; None or {} is everybody."""
    if not group:
        return ()
    if isinstance(group, tuple) and all(isinstance(c, Condition) for c in group):
        return group
    if not isinstance(group, Mapping):
        raise SettingsError(f"A group must be a mapping of column to value. Got {group!r}.", 'For example {"sex": "F"}.')
    return tuple(Condition.from_any(str(column), wanted) for column, wanted in group.items())


def group_words(group: Group) -> str:
    """The group in words, for use after "the rows"."""
    return "all rows" if not group else "the rows where " + " and ".join(c.words() for c in group)


def group_mask(table: pd.DataFrame, group: Group, *, strict: bool = True) -> np.ndarray:
    """Rows of the group.

    Parameters
    ----------
    table : DataFrame
    group : tuple of Condition
    strict : bool
        Whether unknown values and empty groups are errors.

    Returns
    -------
    ndarray of bool, shape (n_rows,)

    Raises
    ------
    ColumnNotFoundError, UnknownNameError, SettingsError
        For an unknown column, an unknown value, or a group without rows.
    """
    result = np.ones(len(table), dtype=bool)
    for condition in group:
        result &= condition.mask(table, strict=strict)
    if strict and not result.any():
        raise FairAuditError(
            f"No row belongs to the group: {group_words(group)}.", "Choose a group that occurs in the table, or widen the ranges."
        )
    return result
