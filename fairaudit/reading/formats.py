"""What kind of file is it, in which encoding, and what separates its values."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

import charset_normalizer

from fairaudit.errors import ReadingError

SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG", "a picture (PNG)", ""),
    (b"\xff\xd8\xff", "a picture (JPEG)", ""),
    (b"GIF8", "a picture (GIF)", ""),
    (b"BM", "a picture (BMP)", ""),
    (b"II*\x00", "a picture (TIFF)", ""),
    (b"MM\x00*", "a picture (TIFF)", ""),
    (b"RIFF", "a picture, sound or film", ""),
    (b"%PDF", "a PDF document", ""),
    (b"\x1f\x8b", "a compressed file (gzip)", "Unpack it first and choose the file inside."),
    (b"BZh", "a compressed file (bzip2)", "Unpack it first and choose the file inside."),
    (b"\xfd7zXZ", "a compressed file (xz)", "Unpack it first and choose the file inside."),
    (b"\x28\xb5\x2f\xfd", "a compressed file (zstd)", "Unpack it first and choose the file inside."),
    (b"7z\xbc\xaf", "a compressed file (7z)", "Unpack it first and choose the file inside."),
    (b"\xd0\xcf\x11\xe0", "an old or an encrypted Office file", "Save the sheet as .xlsx without a password, or as CSV."),
    (b"\x80\x04\x95", "a Python pickle, which could run code", "Save the table as CSV or Parquet."),
    (b"SQLite format 3", "a database (SQLite)", "Export the table as CSV or Parquet."),
    (b"\x7fELF", "a program", ""),
)
CANDIDATES = (",", ";", "\t", "|")
NO_DELIMITER = "\x1f"
"""Stands for "one column": the ASCII unit separator, which does not occur in text that people write."""
_OTHER_SCRIPTS = re.compile("cyrillic|greek|arabic|hebrew|thai|hiragana|katakana|hangul|cjk", re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CONTROLS = dict.fromkeys([*range(9), 11, *range(14, 32), 127])


def file_format(content: bytes) -> str:
    """``"CSV"``, ``"Parquet"`` or ``"Excel"``; anything else is refused by name."""
    if not content.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise ReadingError("The file is empty.", "Choose a file with a row of names and at least one row of data.")
    if content[:4] == b"PAR1":
        return "Parquet"
    if content[:4] == b"PK\x03\x04":
        if b"xl/" in content:
            return "Excel"
        raise ReadingError("The file is a ZIP archive, not a table.", "Unpack it first and choose the file inside.")
    for signature, what, remedy in SIGNATURES:
        # "BM" alone is also how a text can begin; a picture has zero bytes in its head
        if content.startswith(signature) and (len(signature) > 2 or signature == b"\x1f\x8b" or b"\x00" in content[:32]):
            raise ReadingError(f"The file is {what}, not a table.", remedy or "Choose a CSV, Parquet or Excel (.xlsx) file.")
    if re.match(rb"(\xef\xbb\xbf)?\s*<(!doctype html|html|\?xml)\b", content[:200], re.IGNORECASE):
        raise ReadingError(
            "The file is a web page or an XML document, not a table.",
            "Perhaps a sign-in page or a message was saved instead of the data: download the file again.",
        )
    return "CSV"


def decode(content: bytes, encoding: str | None) -> tuple[str, str, str]:
    """Text, encoding and the reason for it."""
    if encoding is not None:
        try:
            text, why = content.decode(encoding), "chosen"
        except UnicodeError as error:
            raise ReadingError(
                f"The file is not written in the encoding {encoding!r}: {error.reason if isinstance(error, UnicodeDecodeError) else error}.",
                "Leave the encoding open, or choose another one (utf-8, utf-16, cp1252).",
            ) from None
        text = text.removeprefix("\ufeff")
    else:
        text, encoding, why = _decode_by_content(content)
    sample = text[:200_000]
    if "\0" in text or len(sample) - len(sample.translate(_CONTROLS)) > 0.01 * len(sample):
        raise ReadingError(
            "The file holds characters that no text has, so it is no CSV file or its encoding was not recognised.",
            "Choose a CSV, Parquet or Excel (.xlsx) file, or name the encoding.",
        )
    return text, encoding, why


def _decode_by_content(content: bytes) -> tuple[str, str, str]:
    """Byte order mark first, then UTF-8, then the likeliest of the older encodings."""
    for mark, codec in (
        (b"\xff\xfe\x00\x00", "utf-32"),
        (b"\x00\x00\xfe\xff", "utf-32"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if content.startswith(mark):
            return _strict(content, codec), codec, "byte order mark"
    if content.startswith(b"\xef\xbb\xbf"):
        return _strict(content, "utf-8-sig"), "utf-8-sig", "byte order mark"
    if (zeros := content.count(b"\0")) > 0:
        odd = content[1::2].count(b"\0")
        if max(odd, zeros - odd) >= 0.9 * zeros:
            codec = "utf-16-le" if odd > zeros - odd else "utf-16-be"
            return _strict(content, codec), codec, "every second byte is zero"
    try:
        return content.decode("utf-8"), "utf-8", "valid UTF-8"
    except UnicodeDecodeError as error:
        whole = content[: error.start]
        if error.start >= len(content) - 3 and error.reason == "unexpected end of data" and not whole.isascii():
            raise _cut_off("in the middle of a character") from None
    return _decode_legacy(content)


def _decode_legacy(content: bytes) -> tuple[str, str, str]:
    """One of the encodings from before Unicode: Western European unless another script is plain to see."""
    first = re.search(rb"[\x80-\xff]", content)
    start = max(0, (first.start() if first else 0) - 2_000)
    sample = content[start : start + 60_000]
    best = charset_normalizer.from_bytes(sample).best()
    foreign = best is not None and any(_OTHER_SCRIPTS.search(a) for a in best.alphabets)
    if best is not None and foreign and len(re.findall(rb"[\x80-\xff]", sample)) >= 24:
        try:
            return content.decode(best.encoding), best.encoding, "guessed from the letters that occur"
        except UnicodeDecodeError:
            pass  # the sample fitted, the whole does not: fall through to an encoding that can read every byte
    try:
        return content.decode("cp1252"), "cp1252", "not UTF-8; read as Western European"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1", "not UTF-8; read as Western European"


def _strict(content: bytes, codec: str) -> str:
    """Decode, or say where the file stops making sense."""
    try:
        return content.decode(codec)
    except UnicodeDecodeError as error:
        if error.start >= len(content) - 4:
            raise _cut_off("in the middle of a character") from None
        raise ReadingError(
            f"The file starts like {codec} but byte {error.start:,} does not belong to it.",
            "Save the file again as UTF-8, or name the encoding.",
        ) from None


def _cut_off(where: str) -> ReadingError:
    return ReadingError(f"The file ends {where}, so it seems to be cut off.", "Copy or download the file again.")


def records(text: str, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Non-empty records of a CSV text: number of the line where it starts, offset where it ends, values.

    Raises
    ------
    ReadingError
        When a quoted value is never closed.
    """
    offset = 0

    def lines() -> Iterator[str]:
        nonlocal offset
        for match in _LINE.finditer(text):  # lazy: a StringIO would copy the whole text first
            offset = match.end()
            yield match.group()

    reader = csv.reader(lines(), delimiter=delimiter, strict=False)
    start = 1
    # csv.field_size_limit is global to the process: a longer value is refused instead of changing it for others
    while True:
        before = offset
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ReadingError(
                f"Line {start:,} cannot be read: {error}.",
                "Look for a quote that is never closed, or a value with too many characters.",
            ) from None
        if values:
            if offset == len(text) and _open_quote(text[before:], delimiter):
                raise ReadingError(
                    f"A quoted value that starts on line {start:,} is never closed, so the file seems to be cut off.",
                    "Copy or download the file again, or close the quote.",
                )
            yield start, offset, values
        start = reader.line_num + 1


def _open_quote(record: str, delimiter: str) -> bool:
    """Whether the record ends inside a quoted value."""
    try:
        list(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def sniff_delimiter(text: str) -> tuple[str, str]:
    """The delimiter by which the first records have as many values as the header, and why."""
    best, best_score, title = NO_DELIMITER, (0.0, 0), ""
    for delimiter in CANDIDATES:
        widths = _widths(text[:200_000], delimiter)
        if not widths:
            continue
        header, body = widths[0], widths[1:]
        if header > 1:
            # rows may end with a delimiter that the header does not have
            fits = sum(w == header or w == header + 1 for w in body) / len(body) if body else 1.0
            if (score := (round(fits, 2), header)) > best_score and fits > 0:
                best, best_score = delimiter, score
        elif body:
            usual, count = Counter(body).most_common(1)[0]
            if usual > (2 if delimiter == "," else 1) and count > 0.5 * len(body):
                title = delimiter
    if best == NO_DELIMITER and title:
        raise ReadingError(
            "The first line has one value and the lines below have more, so it does not hold the names of the columns.",
            "Delete the lines above the row of names.",
        )
    if best == NO_DELIMITER:
        return best, "the first line has one value"
    return best, f"{best_score[1]} values in the first line, as many in {best_score[0]:.0%} of the next lines"


def _widths(sample: str, delimiter: str) -> list[int]:
    """Number of values in each of the first records of a sample."""
    widths: list[int] = []
    try:
        for _, end, values in records(sample, delimiter):
            if end == len(sample) and widths and len(sample) >= 200_000:
                break  # the last record of a sample may be half a record
            widths.append(len(values))
            if len(widths) >= 300:
                break
    except ReadingError:
        pass  # only the beginning is looked at; the whole file is judged when it is parsed
    return widths
