"""One function for every source of a table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa

from fairaudit.errors import ReadingError
from fairaudit.reading.decisions import ReadDecision, ReadOptions, ReadTable
from fairaudit.reading.delimited import read_delimited
from fairaudit.reading.formats import file_format
from fairaudit.reading.memory import give_back
from fairaudit.reading.numbers import TextColumn, decide_decimal, is_number, text_column, to_arrow
from fairaudit.reading.packed import read_excel, read_parquet
from fairaudit.schema import Finding, Severity

_LARGE = 2**24
"""Bytes of a file from which on it is worth the time to return what parsing needed to the system."""
Source = bytes | bytearray | memoryview | str | os.PathLike[str] | pd.DataFrame | BinaryIO


def read_table(
    source: Source,
    *,
    name: str = "",
    options: ReadOptions | None = None,
    max_bytes: int | None = None,
) -> ReadTable:
    r"""Read a table and say how it was read.

    Parameters
    ----------
    source : bytes, path, open binary file or DataFrame
        CSV, Parquet or Excel (.xlsx); the format follows from the content, not from the file's name.
    name : str
        What to call the table in messages; the name of the file if empty.
    options : ReadOptions or dict, optional
        What is not to be decided from the content.
    max_bytes : int, optional
        A larger file is refused before it is parsed. None: no limit.

    Returns
    -------
    ReadTable
        The data with clean, unique names, the decisions, and findings for the user.

    Raises
    ------
    ReadingError
        When the file is no table, is cut off or too large; the message names the line where there is one.

    Examples
    --------
    >>> table = read_table(b"name;grade\nAnn;1,5\nBob;2,0\n")
    >>> table.data["grade"].tolist()
    [1.5, 2.0]
    >>> print(table.decision.sentence)
    Read as CSV: 2 rows and 2 columns, values separated by semicolon, encoding utf-8, decimal mark a comma.
    """
    options = ReadOptions.from_any(options)
    if isinstance(source, pd.DataFrame):
        return _Builder(name or "table", options).frame(source)
    content, file_name = _content(source, max_bytes)
    builder = _Builder(name or file_name or "table", options)
    kind, large = file_format(content), len(content) > _LARGE
    if kind == "Parquet":
        table = builder.parquet(content, max_bytes)
    else:
        table = builder.excel(content, max_bytes) if kind == "Excel" else builder.csv(content)
    if large:
        del content
        give_back()
    return table


def _content(source: Any, max_bytes: int | None) -> tuple[bytes, str]:
    """Bytes and file name of a source; never more bytes than the limit are taken into memory."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        _refuse_large(len(source), max_bytes)
        return bytes(source), ""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            _refuse_large(path.stat().st_size, max_bytes)
            return path.read_bytes(), path.name
        except (OSError, ValueError) as error:
            if isinstance(error, ReadingError):
                raise
            reason = (
                "there is no such file"
                if isinstance(error, FileNotFoundError)
                else getattr(error, "strerror", None) or str(error)
            )
            raise ReadingError(
                f"{str(path)!r} cannot be opened: {reason}.", "Check the path and the rights to read the file."
            ) from None
    if hasattr(source, "read"):
        content = source.read() if max_bytes is None else source.read(max_bytes + 1)
        if isinstance(content, str):
            raise ReadingError("The file was opened as text.", 'Open it with mode "rb".')
        _refuse_large(len(content), max_bytes)
        return bytes(content), os.path.basename(str(getattr(source, "name", "")))
    raise ReadingError(
        f"A table cannot be read from {type(source).__name__}.", "Give bytes, a path, an open binary file or a DataFrame."
    )


def _refuse_large(size: int, max_bytes: int | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise ReadingError(
            f"The file is larger than the limit of {max_bytes / 1e6:,.1f} MB.",
            "Save it as Parquet, draw a sample of its rows, or audit it from the command line, which has no limit.",
        )


class _Builder:
    """Collects decisions and findings while a table is put together."""

    def __init__(self, name: str, options: ReadOptions) -> None:
        self.name, self.options = name, options
        self.findings: list[Finding] = []
        self.decided: dict[str, Any] = {}
        self.reasons: list[tuple[str, str]] = []

    def csv(self, content: bytes) -> ReadTable:
        """Delimited text."""
        raw = read_delimited(content, self.options)
        self.decided.update(delimiter=raw.delimiter, encoding=raw.encoding, header=self.options.header is not False)
        self.reasons += raw.reasons
        if dict(raw.reasons)["encoding"].startswith(("guessed", "not UTF-8")):
            self._find(
                "encoding_guessed",
                "info",
                "",
                f"The file is not UTF-8; it was read as {raw.encoding}.",
                "Look at names with accents in the preview, and name the encoding if they look wrong.",
            )
        self._look_at_header(raw.names)
        names, kept = self._names(raw.names, lambda i: not any(pa.compute.unique(raw.columns[i]).to_pylist()))
        texts = {names[i]: self._text(names[i], raw.columns[i]) for i in kept}
        self._numbers(list(texts.values()), raw.delimiter)
        return self._table("CSV", [c.to_series() for c in texts.values()])

    def excel(self, content: bytes, max_bytes: int | None) -> ReadTable:
        """One sheet of a workbook."""
        header = self.options.header is not False
        raw_names, cells, sheet, sheets = read_excel(content, self.options.sheet, header, max_bytes)
        self.decided.update(sheet=sheet, sheets=sheets, header=header)
        self.reasons.append(("sheet", "chosen" if self.options.sheet is not None else "the first with content"))
        if len(sheets) > 1:
            others = ", ".join(s for s in sheets if s != sheet)
            self._find(
                "other_sheets",
                "info",
                "",
                f"The sheet {sheet!r} was read. There are others: {others}.",
                "Choose another sheet if needed.",
            )
        self._look_at_header(raw_names)
        names, kept = self._names(raw_names, lambda i: all(v is None or v == "" for v in cells[i]))
        return self._table("Excel", self._objects({names[i]: cells[i] for i in kept}))

    def parquet(self, content: bytes, max_bytes: int | None) -> ReadTable:
        """Columns keep their types; text may still hold markers."""
        frame = read_parquet(content, max_bytes)
        if not len(frame) or not len(frame.columns):
            raise ReadingError("The Parquet file has no rows of data.", "Choose a file with at least one row and one column.")
        return self._frame("Parquet", frame)

    def frame(self, frame: pd.DataFrame) -> ReadTable:
        """A DataFrame of the caller's; its values stay as they are unless markers are named."""
        if not len(frame) or not len(frame.columns):
            raise ReadingError("The table has no rows of data.", "Give a table with at least one row and one column.")
        index = frame.index
        if not isinstance(index, pd.RangeIndex) and any(n is not None for n in index.names):
            self._find(
                "index_left_out",
                "info",
                "",
                f"The index ({', '.join(str(n) for n in index.names)}) is no column and takes no part.",
                "Call reset_index() first if it should.",
            )
        return self._frame("DataFrame", frame)

    def _frame(self, kind: str, frame: pd.DataFrame) -> ReadTable:
        """Names and text cells of a table that has types already."""
        raw = [" / ".join(str(p) for p in c) if isinstance(c, tuple) else str(c) for c in frame.columns]
        names, kept = self._names(raw, lambda i: bool(frame.iloc[:, i].isna().all()))
        columns: list[pd.Series] = []
        for i in kept:
            series = frame.iloc[:, i].reset_index(drop=True).rename(names[i])
            if kind == "Parquet" and _is_nested(series):
                series = series.map(str, na_action=None)
                self._find(
                    "nested_values",
                    "warning",
                    names[i],
                    "The cells hold lists or records; they are kept as text.",
                    "Leave the column out.",
                )
            elif (kind == "Parquet" or self.options.missing_markers is not None) and _is_text(series):
                column = self._text(names[i], to_arrow(series.astype("str")))
                changed = column.missing or column.stripped
                series = pd.Series(column.texts.to_pandas(), name=names[i], dtype="str") if changed else series
                self._note(column)
            columns.append(series)
        return self._table(kind, columns)

    def _objects(self, cells: dict[str, list[Any]]) -> list[pd.Series]:
        """Columns of Python values; those that are all text go the way of CSV cells."""
        finished: dict[str, pd.Series] = {}
        texts: list[TextColumn] = []
        for name, values in cells.items():
            column = self._text(name, to_arrow([v if isinstance(v, str) else None for v in values]))
            column.missing = tuple(p for p in column.missing if p[0] or sum(v == "" for v in values))
            cleaned = column.texts.to_pylist()
            merged = [t if isinstance(v, str) else v for v, t in zip(values, cleaned, strict=True)]
            if any(v is not None and not isinstance(v, str) for v in merged):
                if any(isinstance(v, str) for v in merged):
                    finished[name] = pd.Series(merged, name=name, dtype=object)
                else:
                    finished[name] = pd.Series(merged, name=name, dtype=object).infer_objects()
                self._note(column)
            else:
                texts.append(column)
        self._numbers(texts, None)
        finished.update({c.name: c.to_series() for c in texts})
        return [finished[name] for name in cells]

    def _text(self, name: str, texts: pa.ChunkedArray) -> TextColumn:
        return text_column(name, texts, *self.options.markers_for(name))

    def _numbers(self, columns: list[TextColumn], delimiter: str | None) -> None:
        """Decimal mark of the file, and what else was noticed in the columns of text."""
        decimal, thousands, why, other, unsure = decide_decimal(columns, delimiter, self.options.decimal, self.options.thousands)
        self.decided.update(decimal=decimal, thousands=thousands)
        self.reasons.append(("decimal", why))
        for column in other:
            self._find(
                "mixed_decimal_marks",
                "warning",
                column,
                f"The numbers are written with another decimal mark than the rest of the file ({decimal!r}).",
                "Compare the column with its source, and choose the decimal mark by hand if it was read wrongly.",
            )
        for column in unsure:
            self._find(
                "ambiguous_numbers",
                "warning",
                column,
                "The mark in numbers such as 1,234 or 1.234 could be a decimal mark or a thousands mark.",
                "Compare the preview with the source, and choose both marks by hand if it was read wrongly.",
            )
        for text in columns:
            self._note(text)

    def _note(self, column: TextColumn) -> None:
        """Record what happened to the cells of a column."""
        missing = tuple(p for p in column.missing if p[1])
        if missing:
            self.decided.setdefault("missing_markers", []).append((column.name, missing))
        if named := [(m, n) for m, n in missing if m]:
            shown = ", ".join(f"{m!r} {n:,}" for m, n in named)
            self._find(
                "missing_markers",
                "info",
                column.name,
                f"These cells were read as missing: {shown}.",
                "If they are real answers, keep the markers of this column as text.",
            )
        if column.kept:
            self.decided.setdefault("kept_markers", []).append((column.name, column.kept))
        if column.stripped:
            self.decided.setdefault("stripped", []).append((column.name, column.stripped))
            if column.numbers is None:
                self._find(
                    "stripped_values",
                    "info",
                    column.name,
                    f"Spaces at the ends of {column.stripped:,} cells were removed.",
                    "Nothing to do: cells that differ only in such spaces would otherwise be two groups.",
                )

    def _look_at_header(self, names: list[str]) -> None:
        """Names that are numbers are a sign that the file has no row of names."""
        if self.options.header is None and any(is_number(n) for n in names):
            self._find(
                "header_is_data",
                "warning",
                "",
                "The first row was read as names, but it holds numbers.",
                "If the file has no row of names, say so in the reading options (header = no).",
            )

    def _names(self, raw: Iterable[str], empty: Any) -> tuple[list[str], list[int]]:
        """Clean, unique names, and which columns stay; a nameless column without content goes."""
        names: list[str] = []
        kept: list[int] = []
        renamed: list[tuple[str, str]] = []
        dropped: list[str] = []
        raw = list(raw)
        given = {" ".join(n.replace("\ufeff", "").split()) for n in raw}
        for i, old in enumerate(raw):
            clean = " ".join(old.replace("\ufeff", "").split())
            if not clean and empty(i) and len(raw) > 1:
                dropped.append(f"column {i + 1}")
                names.append("")
                continue
            base = clean or f"column_{i + 1}"
            new, number = base, 2
            while new in names or (new != clean and new in given):
                new, number = f"{base} ({number})", number + 1
            if new != old:
                renamed.append((old, new))
            names.append(new)
            kept.append(i)
        if renamed:
            shown = ", ".join(f"{old!r} → {new!r}" for old, new in renamed[:10]) + (", …" if len(renamed) > 10 else "")
            self._find(
                "renamed_columns",
                "warning",
                "",
                f"Columns were renamed: {shown}.",
                "Give every column a name of its own, without spaces at its ends.",
            )
        if dropped:
            self._find(
                "dropped_columns",
                "info",
                "",
                f"Columns without name and content were left out: {', '.join(dropped)}.",
                "Nothing to do: a delimiter at the end of each line makes such a column.",
            )
        if not kept:
            raise ReadingError("The file has no column with a name or content.", "Choose a file with a row of names.")
        self.decided.update(renamed=tuple(renamed), dropped=tuple(dropped))
        return names, kept

    def _find(self, code: str, severity: Severity, column: str, problem: str, remedy: str) -> None:
        self.findings.append(Finding(code, severity, self.name, column, problem, remedy))

    def _table(self, kind: str, columns: list[pd.Series]) -> ReadTable:
        data = pd.concat(columns, axis=1)
        for key in ("missing_markers", "kept_markers", "stripped"):
            if key in self.decided:
                self.decided[key] = tuple(self.decided[key])
        rows, width = data.shape
        decision = ReadDecision(format=kind, rows=rows, columns=width, reasons=tuple(self.reasons), **self.decided)
        return ReadTable(data, decision, tuple(self.findings), self.name)


def _is_text(series: pd.Series) -> bool:
    """Whether a column holds text and nothing else."""
    if isinstance(series.dtype, pd.StringDtype):
        return True
    if isinstance(series.dtype, pd.ArrowDtype):
        return pa.types.is_string(series.dtype.pyarrow_dtype) or pa.types.is_large_string(series.dtype.pyarrow_dtype)
    return series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) == "string"


def _is_nested(series: pd.Series) -> bool:
    """Whether cells are lists, arrays or dicts."""
    if series.dtype != object:
        return False
    first = next((v for v in series if v is not None), None)
    return hasattr(first, "__len__") and not isinstance(first, (str, bytes))
