"""Tables as CSV that is safe to open in a spreadsheet."""

from __future__ import annotations

import pandas as pd

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> object:
    """Text that a spreadsheet would run as a formula, with an apostrophe in front; everything else as it is.

    Examples
    --------
    >>> safe_cell("=HYPERLINK(1)"), safe_cell("day 1"), safe_cell(-1.5)
    ("'=HYPERLINK(1)", 'day 1', -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def safe_csv(frame: pd.DataFrame) -> bytes:
    """A table as UTF-8 CSV (with BOM, so that spreadsheets read the letters right) in which no cell is run as a formula.

    Numbers keep all digits; undefined ones are empty cells.
    """
    safe = frame.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column].dtype):
            safe[column] = safe[column].map(safe_cell, na_action="ignore")
    safe.columns = [safe_cell(str(c)) for c in safe.columns]
    return safe.to_csv(index=False).encode("utf-8-sig")
