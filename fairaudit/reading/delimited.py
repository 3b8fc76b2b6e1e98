"""CSV text -> columns of text, fast for whole files, with the line number when a row does not fit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
import pyarrow.csv

from fairaudit.errors import ReadingError
from fairaudit.reading.decisions import ReadOptions
from fairaudit.reading.formats import NO_DELIMITER, decode, records, sniff_delimiter

LARGEST_BLOCK = 2**31 - 1
LAST_ROW = "\x1e"
"""The ASCII record separator, which does not occur in text that people write."""


@dataclass(frozen=True)
class Delimited:
    """The content of a CSV file before its columns are interpreted."""

    names: list[str]
    columns: list[pa.ChunkedArray]
    delimiter: str | None
    encoding: str
    reasons: tuple[tuple[str, str], ...]


def read_delimited(content: bytes, options: ReadOptions) -> Delimited:
    """Decode, find the delimiter, split."""
    text, encoding, why_encoding = decode(content, options.encoding)
    delimiter, why, skipped = options.delimiter, "chosen", 0
    # a first line "sep=;" is how spreadsheets are told the delimiter; it is not data
    if told := re.match(r'"?sep=(.)"?[ \t]*(?:\r\n|\r|\n)', text, re.IGNORECASE):
        skipped = told.end()
        if delimiter is None and told.group(1) != '"' and told.group(1).isascii():
            delimiter, why = told.group(1), "the first line says so"
    body = text[skipped:]
    if delimiter is None:
        delimiter, why = sniff_delimiter(body)
    first = next(records(body, delimiter), None)
    if first is None:
        raise ReadingError("The file is empty.", "Choose a file with a row of names and at least one row of data.")
    _, end, names = first
    if options.header is False:
        names, end = [f"column_{i + 1}" for i in range(len(names))], 0
    rest = body[end:]
    if not rest.strip():
        raise ReadingError(
            f"The file has a row of names ({', '.join(names[:5])}{', …' if len(names) > 5 else ''}) but no rows of data.",
            "Choose a file with at least one row below the names.",
        )
    columns = _split(rest, delimiter, len(names), body)
    if len(columns) == len(names) + 1 and _all_empty(columns[-1]):
        names = [*names, ""]
    elif len(columns) != len(names):
        raise _misfit(body, delimiter, len(names))
    shown = None if delimiter == NO_DELIMITER else delimiter
    return Delimited(names, columns, shown, encoding, (("encoding", why_encoding), ("delimiter", why)))


def _all_empty(column: pa.ChunkedArray) -> bool:
    return not any(pa.compute.unique(column).to_pylist())


def _split(rest: str, delimiter: str, width: int, body: str) -> list[pa.ChunkedArray]:
    """Columns of text of everything below the names."""
    if delimiter == NO_DELIMITER and delimiter in rest:
        raise ReadingError("The file holds characters that no text has.", "Name the delimiter and the encoding.")
    first = next(islice(records(body, delimiter), int(len(rest) < len(body)), None), (0, 0, []))[2]
    if len(first) not in (width, width + 1):
        raise _misfit(body, delimiter, width)
    # The parser leaves out, without a word, whatever follows a quote that is never closed: a last row of our own must come out again.
    end = "" if rest.endswith(("\n", "\r")) else "\n"
    data = f"{rest}{end}{delimiter.join([LAST_ROW] * len(first))}\n".encode("utf-8", "surrogatepass")
    for block in (min(max(1 << 20, len(data) // 16), 1 << 26), min(len(data) + 1, LARGEST_BLOCK)):
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True, block_size=block),
                parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values='"' in rest),
                convert_options=pyarrow.csv.ConvertOptions(
                    strings_can_be_null=False,
                    null_values=[],
                    check_utf8=True,
                    column_types={f"f{i}": pa.string() for i in range(len(first))},
                ),
            )
            break
        except pa.ArrowInvalid as error:
            # a value with line breaks may be longer than a block: the second, larger block decides
            if "straddling" in str(error) or "out of sync" in str(error):
                continue
            raise _misfit(body, delimiter, width, str(error)) from None
    else:
        raise _misfit(body, delimiter, width)
    if table.column(0)[-1].as_py() != LAST_ROW:
        raise _misfit(body, delimiter, width)
    return [column[:-1] for column in table.columns]


def _misfit(body: str, delimiter: str, width: int, detail: str = "") -> ReadingError:
    """The first row that has another number of values than the header, by line number."""
    trailing: int | None = None
    bad: tuple[int, int, int] | None = None
    for line, end, values in records(body, delimiter):
        if len(values) == width + 1 and not values[-1]:
            trailing = trailing or line
        elif len(values) != width:
            bad = (line, len(values), end)
            break
    if bad is None and trailing is not None:
        return ReadingError(
            f"Line {trailing:,} ends with a delimiter, which other lines do not.", "Remove it, or let every line end with one."
        )
    if bad is None:
        return ReadingError(
            f"The rows do not fit the names of the columns: {detail or 'their number of values differs'}.",
            "Let every row have as many values as the first one, or name the delimiter.",
        )
    line, got, end = bad
    values_text = f"{got} value{'' if got == 1 else 's'}"
    if got < width and end == len(body):
        return ReadingError(
            f"The last row (line {line:,}) has {values_text} where the names have {width}, so the file seems to be cut off.",
            "Copy or download the file again, or delete the last row.",
        )
    return ReadingError(
        f"Line {line:,} has {values_text} where the names have {width}.",
        "Mend that line (a value that contains the delimiter needs quotes around it), or choose another delimiter.",
    )
