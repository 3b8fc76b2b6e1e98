"""What can be chosen when a file is read, and what was decided."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from fairaudit.errors import SettingsError, unknown_name
from fairaudit.schema import Finding

DEFAULT_MISSING_MARKERS: tuple[str, ...] = (
    "",
    "NA",
    "N/A",
    "n/a",
    "na",
    "<NA>",
    "#N/A",
    "NaN",
    "nan",
    "-nan",
    "NULL",
    "Null",
    "null",
    "None",
    "none",
    "?",
    ".",
    "-",
)
"""Cells that are read as missing unless the options say otherwise; the empty cell is always missing.

Words such as "unknown" are answers of people and stay as they are; checking the table points them out.
"""

READING_CODES = frozenset(
    {
        "renamed_columns",
        "dropped_columns",
        "missing_markers",
        "stripped_values",
        "header_is_data",
        "encoding_guessed",
        "mixed_decimal_marks",
        "ambiguous_numbers",
        "index_left_out",
        "nested_values",
        "other_sheets",
    }
)
"""Reason codes of the findings of reading; they stay with a table when it is checked again."""

DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}
MARK_NAMES = {
    ".": "a point",
    ",": "a comma",
    " ": "a space",
    "\u00a0": "a no-break space",
    "\u202f": "a narrow no-break space",
    "'": "an apostrophe",
}


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None means: decide from the content, and say what was decided.

    Parameters
    ----------
    delimiter : str, optional
        One character between the values of a CSV file.
    encoding : str, optional
        Name of the character encoding, such as ``"utf-8"`` or ``"cp1252"``.
    decimal : {".", ","}, optional
        Decimal mark.
    thousands : str, optional
        One character between groups of three digits.
    header : bool, optional
        Whether the first row holds the names of the columns. None: it does.
    missing_markers : tuple of str, optional
        Cells that mean "missing". None: ``DEFAULT_MISSING_MARKERS`` for files, nothing for a DataFrame.
    keep_markers_as_text : bool or tuple of str
        True, or the columns, where the markers are real answers; empty cells stay missing.
    sheet : str or int, optional
        Name or position (from 0) of the sheet of an Excel file. None: the first one with content.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    missing_markers: tuple[str, ...] | None = None
    keep_markers_as_text: bool | tuple[str, ...] = False
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot work, before any file is touched."""
        put = object.__setattr__
        if self.missing_markers is not None:
            put(self, "missing_markers", tuple(str(m).strip() for m in self.missing_markers))
        if isinstance(self.keep_markers_as_text, str):
            put(self, "keep_markers_as_text", (self.keep_markers_as_text,))
        elif not isinstance(self.keep_markers_as_text, bool):
            put(self, "keep_markers_as_text", tuple(str(c) for c in self.keep_markers_as_text))
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n\0' or not self.delimiter.isascii()
        ):
            raise SettingsError(
                f"The delimiter must be one ASCII character other than a quote or a line break. Got {self.delimiter!r}.",
                "Choose , or ; or | or a tab.",
            )
        if self.decimal not in (None, ".", ","):
            raise SettingsError(f"The decimal mark must be . or ,. Got {self.decimal!r}.", "Choose one of the two.")
        if self.thousands is not None and self.thousands not in MARK_NAMES:
            raise SettingsError(
                f"The thousands mark {self.thousands!r} is not known.", "Choose . or , or ' or a space, or leave it open."
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise SettingsError(
                f"The decimal mark and the thousands mark are both {self.decimal!r}.", "Choose two different marks."
            )
        if self.encoding is not None:
            try:
                known = codecs.lookup(self.encoding)._is_text_encoding
            except (LookupError, ValueError):
                known = False
            if not known:
                raise unknown_name("encoding", self.encoding, ("utf-8", "utf-16", "cp1252", "latin-1"))

    @classmethod
    def from_any(cls, options: ReadOptions | Mapping[str, Any] | None) -> ReadOptions:
        """ReadOptions from ReadOptions, a dict with the same keys, or None."""
        if options is None:
            return cls()
        if isinstance(options, ReadOptions):
            return options
        known = [f.name for f in fields(cls)]
        for key in options:
            if key not in known:
                raise unknown_name("reading option", key, known)
        return cls(**options)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only; ``from_any`` reads it back."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    def markers_for(self, column: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Markers read as missing in a column, and markers kept as text there."""
        markers = DEFAULT_MISSING_MARKERS if self.missing_markers is None else tuple(dict.fromkeys(("", *self.missing_markers)))
        keep = self.keep_markers_as_text
        if keep is True or (keep is not False and column in keep):
            return ("",), tuple(m for m in markers if m)
        return markers, ()


@dataclass(frozen=True)
class ReadDecision:
    """What was decided about a file, and what was changed on the way; shown above the preview.

    Attributes
    ----------
    format : str
        ``"CSV"``, ``"Parquet"``, ``"Excel"`` or ``"DataFrame"``.
    rows, columns : int
    delimiter, encoding, decimal, thousands : str or None
        None where the format has no such thing, or nothing in the file asked for it.
    header : bool
        Whether the first row was read as names.
    sheet : str or None
        The sheet that was read; ``sheets`` are all of them.
    missing_markers : tuple of (column, ((marker, count), ...))
        Cells that were read as missing, empty ones included.
    kept_markers : tuple of (column, ((marker, count), ...))
        Cells that look like a marker and were kept as text because the options say so.
    renamed : tuple of (name in the file, name here)
    dropped : tuple of str
        Columns without name and content, such as the one after a trailing delimiter.
    stripped : tuple of (column, count)
        Text cells that lost spaces at their ends.
    reasons : tuple of (what, why)
    """

    format: str
    rows: int
    columns: int
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    missing_markers: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    kept_markers: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    stripped: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        plain = asdict(self)
        plain["missing_markers"] = {c: dict(m) for c, m in self.missing_markers}
        plain["kept_markers"] = {c: dict(m) for c, m in self.kept_markers}
        plain["renamed"] = [list(pair) for pair in self.renamed]
        plain["stripped"] = dict(self.stripped)
        plain["reasons"] = dict(self.reasons)
        plain["sheets"], plain["dropped"] = list(self.sheets), list(self.dropped)
        return plain

    @property
    def sentence(self) -> str:
        """The decision in one sentence."""
        parts = [f"{_counted(self.rows, 'row')} and {_counted(self.columns, 'column')}"]
        if self.delimiter is not None:
            parts.append(f"values separated by {DELIMITER_NAMES.get(self.delimiter, repr(self.delimiter))}")
        elif self.format == "CSV":
            parts.append("one column, so no delimiter")
        if self.encoding is not None:
            parts.append(f"encoding {self.encoding}")
        if self.decimal is not None:
            parts.append(f"decimal mark {MARK_NAMES[self.decimal]}")
        if self.thousands is not None:
            parts.append(f"thousands mark {MARK_NAMES[self.thousands]}")
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet!r}")
        missing = sum(n for _, found in self.missing_markers for _, n in found)
        if missing:
            parts.append(f"{_counted(missing, 'cell')} read as missing")
        if self.renamed:
            parts.append(f"{_counted(len(self.renamed), 'column')} renamed")
        return f"Read as {self.format}: {', '.join(parts)}."


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table as it was read, before it is checked.

    Attributes
    ----------
    data : DataFrame
    decision : ReadDecision
    findings : tuple of Finding
    name : str
    """

    data: pd.DataFrame
    decision: ReadDecision
    findings: tuple[Finding, ...] = ()
    name: str = ""


def _counted(n: int, noun: str) -> str:
    """Number and noun: '1 row', '2,000 rows'."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
