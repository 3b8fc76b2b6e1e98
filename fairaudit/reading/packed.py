"""Parquet and Excel files -> a DataFrame."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fairaudit.errors import ReadingError, nearest

UNPACKED_AT_MOST = 30
"""A packed file that grows by more than this factor beyond the size limit is refused (a "zip bomb")."""
BROKEN_EXCEL = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    SyntaxError,  # what the XML parser raises is one
    EOFError,
    OSError,
    NotImplementedError,  # a compression method that Python does not know
    RuntimeError,  # a password
)
"""What the readers of ZIP, XML and workbooks raise on a damaged file."""


def read_parquet(content: bytes, max_bytes: int | None) -> pd.DataFrame:
    """All columns; indexes that pandas stored are left out; nested values become text."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        _refuse_bomb(size, max_bytes)
        table = file.read()
        table = table.select([i for i, name in enumerate(table.column_names) if not re.fullmatch(r"__index_level_\d+__", name)])
        return table.to_pandas(ignore_metadata=True)
    except (pa.ArrowException, OSError, OverflowError) as error:
        detail = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise ReadingError(
            f"The Parquet file cannot be read: {detail}.", "It may be cut off: copy or download it again, or save it as CSV."
        ) from None


def read_excel(
    content: bytes, sheet: str | int | None, header: bool, max_bytes: int | None
) -> tuple[list[str], list[list[Any]], str, tuple[str, ...]]:
    """Names, columns of cell values, the sheet that was read, and all sheets. Formulas are not computed: their stored results are read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_bomb(sum(entry.file_size for entry in archive.infolist()), max_bytes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions of the workbook, none of which is read
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            sheets = {s.title: s for s in book.worksheets}
            rows: list[tuple[Any, ...]] = []
            chosen = _chosen(sheet, list(sheets))
            for title in [chosen] if chosen is not None else sheets:
                rows = [row for row in sheets[title].iter_rows(values_only=True) if any(_filled(v) for v in row)]
                chosen = title
                if rows:
                    break
            book.close()
    except ReadingError:
        raise
    except BROKEN_EXCEL as error:
        detail = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise ReadingError(
            f"The Excel file cannot be read: {detail}.", "It may be cut off or damaged: save it again as .xlsx, or as CSV."
        ) from None
    if not rows or chosen is None:
        raise ReadingError(
            "The Excel file has no sheet with content." if sheet is None else f"The sheet {chosen!r} is empty.",
            f"Choose another sheet or file. Sheets: {', '.join(sheets) or 'none'}.",
        )
    width = max(max((i + 1 for i, v in enumerate(row) if _filled(v)), default=0) for row in rows)
    padded = [(*row, *[None] * width)[:width] for row in rows]
    names = ["" if v is None else str(v) for v in padded[0]] if header else [f"column_{i + 1}" for i in range(width)]
    body = padded[1:] if header else padded
    if not body:
        raise ReadingError(
            f"The sheet {chosen!r} has a row of names but no rows of data.", "Choose a sheet with rows below the names."
        )
    return names, [list(column) for column in zip(*body, strict=True)], chosen, tuple(sheets)


def _filled(value: Any) -> bool:
    return value is not None and value != ""


def _chosen(sheet: str | int | None, titles: list[str]) -> str | None:
    """The title of the sheet that was asked for."""
    if sheet is None:
        return None
    if isinstance(sheet, int) and 0 <= sheet < len(titles):
        return titles[sheet]
    if str(sheet) in titles:
        return str(sheet)
    guess = nearest(sheet, titles)
    raise ReadingError(
        f"The Excel file has no sheet {sheet!r}.", f"{f'Did you mean {guess!r}? ' if guess else ''}Sheets: {', '.join(titles)}."
    )


def _refuse_bomb(size: int, max_bytes: int | None) -> None:
    """A small file can hold an endless table."""
    if max_bytes is not None and size > UNPACKED_AT_MOST * max_bytes:
        raise ReadingError(
            f"The file unpacks to {size / 1e6:,.0f} MB, more than {UNPACKED_AT_MOST} times the limit of {max_bytes / 1e6:,.0f} MB.",
            "Draw a sample of its rows, or audit it from the command line.",
        )
