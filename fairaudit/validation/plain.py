"""Columns of any dtype -> one of five plain kinds, so that every dtype works like its plain form."""

from __future__ import annotations

import datetime
import numbers
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fairaudit.reading.numbers import EXACT, plain_numbers, to_arrow
from fairaudit.schema import LARGEST, category_name

TOO_LONG = "whole numbers with more digits than a measurement has"
Kind = Literal["number", "text", "bool", "date", "empty"]
KIND_WORDS = {"number": "numbers", "text": "text", "bool": "true/false values", "date": "dates", "empty": "no values"}
DATE_FORMATS = (
    "ISO8601",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%d %b %Y",
    "%d %B %Y",
)
"""Forms in which dates are recognised in text; all cells must have the same one. Month first is tried before day first."""
_LOOKS_LIKE_DATE = re.compile(r"\d{1,4}[-/. ](\d{1,2}|[A-Za-z]{3,9})[-/. ]\d{2,4}([T ].*)?")


@dataclass(frozen=True, eq=False)
class Plain:
    """A column in plain form.

    Attributes
    ----------
    kind : {"number", "text", "bool", "date", "empty"}
    source : Series
        The column as it came.
    numbers : ndarray of float64, for numbers
        Infinite where a number is larger than ``LARGEST``.
    dates : Series of datetime64, for dates
    codes, names : ndarray of int, list of str
        For text and truth values: position in ``names``, -1 where missing.
    ordered : bool
        Whether ``names`` are in an order that the data gave (ordered categories, intervals).
    texts : Series of str, for numbers that were stored as text
    note : str
        How the plain form was reached, when it is not obvious.
    """

    kind: Kind
    source: pd.Series
    numbers: np.ndarray | None = None
    dates: pd.Series | None = None
    codes: np.ndarray | None = None
    names: list[str] = field(default_factory=list)
    ordered: bool = False
    texts: pd.Series | None = None
    note: str = ""

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def n_missing(self) -> int:
        """Number of missing cells."""
        if self.numbers is not None:
            return int(np.isnan(self.numbers).sum())
        if self.dates is not None:
            return int(self.dates.isna().sum())
        return len(self) if self.codes is None else int((self.codes < 0).sum())

    @property
    def n_valid(self) -> int:
        """Number of cells with a value."""
        return len(self) - self.n_missing

    @cached_property
    def distinct_numbers(self) -> np.ndarray:
        """Sorted distinct finite numbers."""
        assert self.numbers is not None, "only numbers have them"
        found = pd.unique(self.numbers)
        return np.sort(found[np.isfinite(found)])

    @cached_property
    def n_distinct(self) -> int:
        """Number of distinct values; infinite ones do not count."""
        if self.numbers is not None:
            return len(self.distinct_numbers)
        if self.dates is not None:
            return int(self.dates.nunique())
        return len(self.names)

    @cached_property
    def levels(self) -> tuple[np.ndarray, list[str]]:
        """Codes and texts of the values, whatever the kind; -1 where missing or infinite."""
        if self.codes is not None:
            return self.codes, self.names
        if self.numbers is not None:
            values = np.where(np.isfinite(self.numbers), self.numbers, np.nan)
            codes, found = pd.factorize(values)
            return _merged(codes, [category_name(v) for v in found])
        if self.dates is not None:
            codes, stamps = pd.factorize(self.dates)
            midnight = all(s == s.normalize() for s in stamps)
            return _merged(codes, [str(s.date()) if midnight else str(s) for s in stamps])
        return np.full(len(self), -1), []

    def as_numbers(self) -> np.ndarray:
        """Numbers, NaN where a value is none."""
        if self.numbers is not None:
            return self.numbers
        codes, names = self.levels
        if self.kind == "bool":
            values = np.array([float(n == "True") for n in names])
        else:
            values = within_limits(
                pd.to_numeric(pd.Series(names, dtype=object), errors="coerce").to_numpy(float, na_value=np.nan)
            )
        return np.append(values, np.nan)[codes]

    @property
    def holds_numbers(self) -> bool:
        """Whether at least one value is a number, or can be read as one."""
        return self.kind in ("number", "bool") or not np.isnan(self.as_numbers()).all()

    def as_dates(self) -> pd.Series:
        """Dates, NaT where a value is none."""
        if self.dates is not None:
            return self.dates
        codes, names = self.levels
        if self.kind == "number" or not names:
            return pd.Series(np.full(len(self), np.datetime64("NaT", "us")))
        _, form = text_dates(names)
        parsed = pd.to_datetime(pd.Series(names), format=form or "ISO8601", errors="coerce", utc=True).dt.tz_localize(None)
        return pd.Series(np.append(parsed.to_numpy(), np.datetime64("NaT"))[codes])

    def as_text(self) -> pd.Series:
        """Texts as objects, None where missing; integers of any size keep all digits."""
        if pd.api.types.is_integer_dtype(self.source.dtype):
            texts = pa.array(self.source, from_pandas=True).cast(pa.string())
            return pd.Series(texts.to_numpy(zero_copy_only=False), dtype="object")
        if self.texts is not None:
            return self.texts.astype(object).where(self.texts.notna(), None)
        codes, names = self.levels
        return pd.Series(np.array([*names, None], dtype=object)[codes], dtype="object")


def _merged(codes: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Codes over distinct names; values that are called the same (1, 1.0 and "1") are one."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) == len(names):
        return codes, names
    position = {n: i for i, n in enumerate(distinct)}
    return np.append([position[n] for n in names], -1)[codes], distinct


def plain_column(series: pd.Series) -> Plain:
    """The plain form of a column of any dtype."""
    series = series.reset_index(drop=True)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(series)
    if isinstance(dtype, pd.IntervalDtype):
        return _categories(series.astype(pd.CategoricalDtype(sorted(series.dropna().unique()), ordered=True)))
    if pd.api.types.is_bool_dtype(dtype):
        return _truth(series)
    if pd.api.types.is_complex_dtype(dtype):
        return _texts(series, series.map(str, na_action="ignore"))
    if pd.api.types.is_numeric_dtype(dtype):
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        if pd.api.types.is_integer_dtype(dtype) and _loses_digits(values, series):
            codes, found = pd.factorize(series)
            return Plain("text", series, codes=codes, names=[str(v) for v in found], note=TOO_LONG)
        return _numbers(series, values)
    if pd.api.types.is_timedelta64_dtype(dtype):
        return _numbers(series, series.dt.total_seconds().to_numpy(dtype=np.float64), "seconds")
    if isinstance(dtype, pd.PeriodDtype):
        return _dates(series, series.dt.to_timestamp())
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _dates(series, series)
    if isinstance(dtype, pd.StringDtype):
        return _texts(series, series)
    if isinstance(dtype, pd.ArrowDtype):
        return _arrow(series)
    return _objects(series)


def _loses_digits(values: np.ndarray, cells: pd.Series) -> bool:
    """Whether different cells become the same number, because they have more digits than a float64 keeps."""
    finite = values[np.isfinite(values)]
    return len(finite) > 0 and np.abs(finite).max() >= EXACT and len(pd.unique(finite)) < cells.nunique()


def within_limits(values: np.ndarray) -> np.ndarray:
    """The same numbers, those too large to compute with as infinite ones."""
    with np.errstate(invalid="ignore"):
        large = np.abs(values) > LARGEST
    return np.where(large, np.copysign(np.inf, values), values) if large.any() else values


def _numbers(series: pd.Series, values: np.ndarray, note: str = "", texts: pd.Series | None = None) -> Plain:
    if np.isnan(values).all():
        return Plain("empty", series)
    return Plain("number", series, numbers=within_limits(values), note=note, texts=texts)


def _dates(series: pd.Series, dates: pd.Series, note: str = "") -> Plain:
    if dates.isna().all():
        return Plain("empty", series)
    zone = getattr(dates.dtype, "tz", None)
    if zone is not None:
        dates, note = dates.dt.tz_convert("UTC").dt.tz_localize(None), "in universal time (UTC)"
    return Plain("date", series, dates=pd.Series(dates.to_numpy()), note=note)


def _truth(series: pd.Series) -> Plain:
    values = series.astype("boolean")
    if values.isna().all():
        return Plain("empty", series)
    codes = values.astype("Int8").to_numpy(dtype=np.int64, na_value=-1)
    present = [i for i in (0, 1) if (codes == i).any()]
    return Plain("bool", series, codes=codes - present[0] * (codes >= 0), names=[str(bool(i)) for i in present])


def _arrow(series: pd.Series) -> Plain:
    """Arrow columns that are neither numbers nor truth values nor times with a pandas twin."""
    kind = series.dtype.pyarrow_dtype  # type: ignore[union-attr]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(series, series.astype("str"))
    if pa.types.is_dictionary(kind):
        return plain_column(series.astype(object))
    if pa.types.is_temporal(kind) and not pa.types.is_time(kind) and not pa.types.is_duration(kind):
        return _dates(series, pd.Series(pd.to_datetime(series.astype(object)).to_numpy()))
    return _objects(series.astype(object))


def _categories(series: pd.Series) -> Plain:
    """Categories that are numbers or dates are numbers or dates, unless they come with an order."""
    codes = series.cat.codes.to_numpy().astype(np.int64)
    categories = series.cat.categories
    present = np.unique(codes[codes >= 0])
    if not len(present):
        return Plain("empty", series)
    values = pd.Series(categories[present])
    position = np.full(len(categories) + 1, -1)
    position[present] = np.arange(len(present))
    codes = position[codes]
    intervals = isinstance(categories.dtype, pd.IntervalDtype)
    if series.cat.ordered or intervals:
        codes, names = _merged(codes, [category_name(v) for v in values])
        return Plain(
            "text", series, codes=codes, names=names, ordered=True, note="intervals" if intervals else "ordered categories"
        )
    inner = plain_column(values)
    if inner.numbers is not None:
        return Plain("number", series, numbers=np.append(inner.numbers, np.nan)[codes])
    if inner.dates is not None:
        return Plain("date", series, dates=pd.Series(np.append(inner.dates.to_numpy(), np.datetime64("NaT"))[codes]))
    if inner.codes is None:
        return Plain("empty", series)
    return Plain(inner.kind, series, codes=np.append(inner.codes, -1)[codes], names=inner.names, note=inner.note)


def _objects(series: pd.Series) -> Plain:
    """Python values: what they all have in common decides."""
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "empty":
        return Plain("empty", series)
    if kind == "string":
        return _texts(series, series.astype("str"))
    if kind == "boolean":
        return _truth(series)
    missing = series.isna().to_numpy()
    valid = series[~missing]
    if all(isinstance(v, (numbers.Real, np.number)) or kind == "decimal" for v in valid) and not any(
        isinstance(v, (bool, np.bool_)) for v in valid
    ):
        values = np.full(len(series), np.nan)
        values[~missing] = [float(v) for v in valid]
        return _numbers(series, values)
    if all(isinstance(v, (datetime.date, np.datetime64)) for v in valid):
        stamps = pd.to_datetime(valid, utc=True, errors="coerce").dt.tz_localize(None)
        return _dates(series, stamps.reindex(series.index))
    if (
        all(isinstance(v, (pd.Period, pd.Interval, pd.Timedelta, datetime.timedelta)) for v in valid)
        and valid.map(type).nunique() == 1
    ):
        inferred = pd.Series(list(series)).infer_objects()
        rebuilt = pd.Series(pd.array(list(series))) if inferred.dtype == object else inferred
        if rebuilt.dtype != object:
            return plain_column(rebuilt)
    return _texts(series, series.map(category_name, na_action="ignore").astype("str"), mixed=True)


def _texts(series: pd.Series, texts: pd.Series, mixed: bool = False) -> Plain:
    """Text whose cells are all numbers or all dates is numbers or dates; blank cells are missing."""
    arrow = to_arrow(texts)
    blank = pc.equal(pc.utf8_length(arrow), 0)
    if pc.any(blank).as_py():
        arrow = pc.if_else(blank, pa.scalar(None, arrow.type), arrow)
    if arrow.null_count == len(arrow):
        return Plain("empty", series)
    found = plain_numbers(arrow)
    cells = pd.Series(arrow.to_pandas(), dtype="str")
    too_long = False
    if found is not None:
        values = found.to_numpy().astype(np.float64)
        too_long = _loses_digits(values, cells)
        if not too_long:
            return _numbers(series, values, "numbers stored as text", cells)
    codes, names = pd.factorize(cells)
    labels = list(names)
    dates, form = text_dates(labels)
    if dates is not None:
        return Plain(
            "date",
            series,
            dates=pd.Series(np.append(dates.to_numpy(), np.datetime64("NaT"))[codes]),
            note=f"read from text in the form {'year-month-day' if form == 'ISO8601' else form}",
        )
    return Plain("text", series, codes=codes, names=labels, note="mixed types" if mixed else TOO_LONG if too_long else "")


def text_dates(names: list[str]) -> tuple[pd.Series | None, str]:
    """Dates and their form if every text is a date in one and the same form."""
    if not names or not all(_LOOKS_LIKE_DATE.fullmatch(n) for n in names[:50]):
        return None, ""
    texts = pd.Series(names)
    for form in DATE_FORMATS:
        parsed = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
        if parsed.notna().all():
            return parsed.dt.tz_localize(None), form
    return None, ""
