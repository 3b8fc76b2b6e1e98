"""Columns of text -> numbers, whatever the decimal mark; markers -> missing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

THOUSANDS = (".", ",", " ", "\u00a0", "\u202f", "'")
EXACT = 2**53
"""Integers beyond it are not all representable as float64."""


@dataclass(frozen=True)
class NumberForm:
    """A decimal mark and the marks between groups of digits."""

    decimal: str
    thousands: str | None = None

    @property
    def pattern(self) -> str:
        """Regular expression of a number in this form."""
        point = "\\" + self.decimal
        whole = r"\d+" if self.thousands is None else rf"\d{{1,3}}(?:{_escaped(self.thousands)}\d{{3}})+|\d+"
        return rf"^[+-]?(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?$"


def _escaped(mark: str) -> str:
    """A mark as a literal in RE2."""
    return "\\" + mark if mark in ".,'" else mark


@dataclass
class TextColumn:
    """One column of text on its way to its final form."""

    name: str
    texts: pa.ChunkedArray
    """Markers are null."""
    missing: tuple[tuple[str, int], ...] = ()
    kept: tuple[tuple[str, int], ...] = ()
    stripped: int = 0
    numbers: pa.ChunkedArray | None = None
    form: NumberForm | None = None

    def to_series(self) -> pd.Series:
        """Integers where all are, floats, or text."""
        if self.numbers is None:
            return pd.Series(self.texts.to_pandas(), name=self.name, dtype="str")
        values = self.numbers
        if pa.types.is_integer(values.type) and values.null_count:
            if _largest(values) >= EXACT:
                return pd.Series(values.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get), name=self.name)
            values = values.cast(pa.float64())
        return pd.Series(values.to_pandas(), name=self.name)


def _largest(values: pa.ChunkedArray) -> float:
    """Largest absolute value."""
    low, high = pc.min_max(values).values()
    return 0.0 if high.as_py() is None else max(abs(low.as_py()), abs(high.as_py()))


def text_column(name: str, texts: pa.ChunkedArray, markers: tuple[str, ...], kept: tuple[str, ...]) -> TextColumn:
    """Markers become missing, spaces at the ends of cells go, numbers with a decimal point are recognised."""
    texts, missing = _without_markers(texts, markers)
    column = TextColumn(name, texts, missing, numbers=plain_numbers(texts))
    if column.numbers is None and pc.any(pc.match_substring_regex(pc.unique(texts), r"^[\s\pZ]|[\s\pZ]$")).as_py():
        trimmed = pc.utf8_trim_whitespace(texts)
        column.stripped = pc.sum(pc.not_equal(trimmed, texts)).as_py() or 0
        column.texts, more = _without_markers(trimmed, markers)
        column.missing = _added(missing, more)
        column.numbers = plain_numbers(column.texts)
    if kept:
        column.kept = _counts(column.texts, kept)
    if column.numbers is not None:
        column.form = NumberForm(".")
    return column


def _added(a: tuple[tuple[str, int], ...], b: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """Counts of both."""
    total = dict(a)
    for marker, n in b:
        total[marker] = total.get(marker, 0) + n
    return tuple(total.items())


def _counts(texts: pa.ChunkedArray, markers: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """How often each marker occurs."""
    found = texts.filter(pc.is_in(texts, value_set=pa.array(markers, texts.type)))
    if not len(found):
        return ()
    return tuple((v["values"], v["counts"]) for v in pc.value_counts(found).to_pylist())


def _without_markers(texts: pa.ChunkedArray, markers: tuple[str, ...]) -> tuple[pa.ChunkedArray, tuple[tuple[str, int], ...]]:
    """Markers as null, and how often each one was there."""
    counts = _counts(texts, markers)
    if not counts:
        return texts, ()
    mask = pc.is_in(texts, value_set=pa.array([m for m, _ in counts], texts.type))
    return pc.if_else(mask, pa.scalar(None, texts.type), texts), counts


def plain_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Numbers with a decimal point, or None where a cell is none; codes with leading zeros stay text."""
    if texts.null_count == len(texts):
        return None

    floats = _cast_all(texts, pa.float64())
    if floats is None or pc.any(pc.is_nan(floats)).as_py() or _leading_zeros(texts):
        return None
    if not pc.all(pc.equal(floats, pc.floor(floats))).as_py():
        return floats
    integers = _cast_all(texts, pa.int64())
    if integers is None and _largest(floats) >= EXACT and not pc.any(pc.match_substring_regex(texts, r"[^\d+-]")).as_py():
        return None  # digits alone, and more of them than any number type holds: a code
    return floats if integers is None else integers


def _cast_all(texts: pa.ChunkedArray, to: pa.DataType) -> pa.ChunkedArray | None:
    """Numbers, or None where a cell is none."""
    try:
        # a cast that fails is twenty times slower than one that works, so a few cells are tried first
        pc.cast(texts[:200], to)
        return pc.cast(texts, to)
    except pa.ArrowInvalid:
        return None


def is_number(text: str) -> bool:
    """Whether one cell is a finite number, with a decimal point or comma."""
    try:
        return math.isfinite(float(text.strip().replace(",", ".")))
    except ValueError:
        return False


def _leading_zeros(texts: pa.ChunkedArray) -> bool:
    """Whether a cell is a code such as 007, which would lose its zeros as a number."""
    suspects = texts.filter(pc.starts_with(texts, "0"))
    return bool(pc.any(pc.match_substring_regex(suspects, r"^0\d")).as_py())


def forms_of(column: TextColumn) -> list[NumberForm]:
    """Every form other than the plain one in which all cells of a text column are numbers."""
    texts = column.texts.drop_null()
    if not len(texts):
        return []
    found = []
    for decimal in (",", "."):
        for thousands in (None, *(t for t in THOUSANDS if t != decimal)):
            form = NumberForm(decimal, thousands)
            if _all_match(texts[:100], form.pattern) and _all_match(texts, form.pattern) and not _leading_zeros(texts):
                found.append(form)
                break
    return found


def _all_match(texts: pa.ChunkedArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def parse(column: TextColumn, form: NumberForm) -> None:
    """Read a text column in a form that all its cells have."""
    texts = column.texts
    if form.thousands is not None:
        texts = pc.replace_substring(texts, form.thousands, "")
    if form.decimal != ".":
        texts = pc.replace_substring(texts, form.decimal, ".")
    numbers = plain_numbers(texts)
    if numbers is not None:
        column.numbers, column.form = numbers, form


def decide_decimal(
    columns: list[TextColumn], delimiter: str | None, decimal: str | None, thousands: str | None
) -> tuple[str | None, str | None, str, tuple[str, ...], tuple[str, ...]]:
    """Decide on one decimal mark for the file and parse the columns that need another form than the plain one.

    Returns
    -------
    decimal, thousands, reason, columns in the other form, columns that could be read both ways
    """
    candidates = {c.name: forms_of(c) for c in columns if c.numbers is None}
    candidates = {name: forms for name, forms in candidates.items() if forms}
    only = {forms[0].decimal for forms in candidates.values() if len(forms) == 1}
    with_point = [c for c in columns if c.numbers is not None and pa.types.is_floating(c.numbers.type)]
    if decimal is not None:
        why = "chosen"
    elif "," in only:
        decimal, why = ",", "numbers such as 1,5 occur"
    elif any(_has_point(c) for c in with_point) or "." in only:
        decimal, why = ".", "numbers such as 1.5 occur"
    elif candidates:
        decimal = "." if delimiter == "," else ","
        why = "values such as 1,234 could be read both ways; the delimiter decided"
    else:
        return None, None, "no number with a decimal mark occurs", (), ()
    seen, other, unsure = thousands, [], []
    for column in columns:
        forms = candidates.get(column.name, [])
        if not forms:
            continue
        fitting = next((f for f in forms if f.decimal == decimal), forms[0])
        if fitting.decimal != decimal:
            other.append(column.name)
        elif len(forms) == 2:
            unsure.append(column.name)
        if fitting.decimal == decimal and fitting.thousands is not None:
            seen = seen or fitting.thousands
        parse(column, fitting)
    if decimal == ",":
        for column in with_point:
            grouped = NumberForm(",", ".")
            if not _has_point(column):
                continue
            if not _all_match(column.texts.drop_null(), grouped.pattern):
                other.append(column.name)
            elif seen == ".":
                parse(column, grouped)
            else:
                unsure.append(column.name)
    return decimal, seen, why, tuple(other), tuple(unsure)


def _has_point(column: TextColumn) -> bool:
    """Whether a decimal point is written in a cell of a numeric column."""
    return bool(pc.any(pc.match_substring(column.texts, ".")).as_py())


def to_arrow(values: list[str | None] | np.ndarray | pd.Series) -> pa.ChunkedArray:
    """Texts as one Arrow column; None and NaN are null."""
    array = pa.array(values, pa.large_string(), from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
