"""What a person sees in a terminal: clean lines, progress, small tables; and files that are written or a sentence."""

from __future__ import annotations

import contextlib
import os
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fairaudit.errors import FairAuditError
from fairaudit.files import not_written, write_whole

STDIO = "-"


def one_line(value: object) -> str:
    """Text without line breaks and control characters: a name in a file must not steer a terminal."""
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in str(value))
    return " ".join(text.split())


def say(text: str = "") -> None:
    """A line for people."""
    print(one_line(text) if "\n" not in text else text)


def warn(text: object) -> None:
    """A line on stderr that is no error."""
    print(f"fairaudit: {one_line(text)}", file=sys.stderr)


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]], most: int = 40) -> str:
    """A table in fixed columns; long cells are shortened."""
    cells = [[_short(one_line(c)) for c in row] for row in (heads, *rows[:most])]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
    if len(rows) > most:
        lines.append(f"… and {len(rows) - most} more rows; write them with --json or --csv.")
    return "\n".join(lines)


def _short(text: str, limit: int = 44) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-(limit // 2 - 1) :]}"


def progress(what: str) -> Callable[[int, int], None] | None:
    """Progress on stderr when a person watches it; None otherwise."""
    if not sys.stderr.isatty():
        return None
    last = -1

    def show(done: int, steps: int) -> None:
        nonlocal last
        percent = 100 * done // max(steps, 1)
        if percent != last:
            last = percent
            end = "\r\x1b[K" if done >= steps else ""
            print(f"\r{what}: {percent} %{end}", end="", file=sys.stderr, flush=True)

    return show


def drop_output() -> None:
    """Nobody reads the standard output any more: the interpreter must not try to write the rest when it ends."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def check_outputs(*paths: str | None, folder_of_tables: str | None = None) -> None:
    """Refuse outputs that cannot work before the work begins."""
    used = [p for p in paths if p]
    if folder_of_tables is not None and not Path(folder_of_tables).is_dir():
        used.append(folder_of_tables)
    if used.count(STDIO) > 1:
        raise FairAuditError("Two outputs are to go to the standard output.", "Give all but one of them a file.")
    for path in used:
        folder = Path(path).parent
        if path != STDIO and not folder.is_dir():
            raise FairAuditError(f"{path!r} cannot be written: there is no folder {str(folder)!r}.", "Make it first.")
        if path != STDIO and Path(path).is_dir():
            raise FairAuditError(f"{path!r} cannot be written: it is a folder.", "Name a file in it.")
        if path != STDIO and not os.access(path if Path(path).exists() else folder, os.W_OK):
            raise FairAuditError(f"{path!r} cannot be written: Permission denied.", "Check the rights, or choose another folder.")


def is_one_table(path: str) -> bool:
    """Whether tables asked for under this name are one CSV file; otherwise the name is a folder for all of them.

    Raises
    ------
    FairAuditError
        If it is a file whose name does not say that it is CSV.
    """
    if path == STDIO or path.lower().endswith(".csv"):
        return True
    if not Path(path).exists() or Path(path).is_dir():
        return False
    if Path(path).is_file():
        raise FairAuditError(
            f"{path!r} is a file, and its name does not end in .csv.",
            "End the name in .csv for one table, or name a folder for all.",
        )
    return True  # a device or a pipe


def make_folder(path: str) -> None:
    """A folder for several tables."""
    try:
        Path(path).mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise not_written(path, error) from None


def write(path: str, content: str | bytes) -> None:
    """Write a file, whole or not at all, or to the standard output for ``-``."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    if path == STDIO:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_whole(path, data)


def read_input(path: str) -> Any:
    """What ``read_table`` takes: the bytes of the standard input for ``-``, else the path."""
    return sys.stdin.buffer.read() if path == STDIO else path
