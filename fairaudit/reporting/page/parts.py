"""Small pieces of HTML. Everything that comes from files passes through ``esc`` or ``name``; numbers keep all digits in ``<data>``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from fairaudit.charts.text import clean, cut, missing, number
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

NAME_LENGTH, NOTE_LENGTH = 90, 400


@dataclass(frozen=True)
class Limits:
    """How much is shown; the rest is in the JSON and CSV files, and the report says so.

    Attributes
    ----------
    rows : int
        Rows of a table.
    cells : int
        Cells of a heatmap.
    charts, bins : int
        Charts of bins, and bins over all of them.
    text : int
        Characters of the settings.
    """

    rows: int = 1200
    cells: int = 4000
    charts: int = 24
    bins: int = 3000
    text: int = 200_000

    def scaled(self, factor: float) -> Limits:
        """Smaller limits."""
        return Limits(*(max(1, int(getattr(self, f) * factor)) for f in self.__dataclass_fields__))


def esc(value: object) -> str:
    """Text that HTML shows character by character, on one line."""
    return escape(clean(value) if str(value).strip() else "", quote=True)


def name(value: object, limit: int = NAME_LENGTH) -> str:
    """A name of a file, column or group: shortened in its middle, escaped, kept apart from the writing direction around it."""
    text = cut(value, limit)
    full = clean(value)
    title = f' title="{escape(full[:1000], quote=True)}"' if text != full else ""
    # Places where a long name may break: after separators, and inside of long runs.
    pieces = re.findall(r"[^_\W]{1,14}[_\W]?|[_\W]", text)
    return f"<bdi{title}>{'<wbr>'.join(escape(piece, quote=True) for piece in pieces)}</bdi>"


def note(value: object) -> str:
    """A longer text from the program or from files."""
    if missing(value) or not str(value):
        return ""
    text = escape(cut(value, NOTE_LENGTH), quote=True)
    return f'<span class="long">{text}</span>' if len(text) > 60 else text


class Footnotes:
    """Notes of a table, each said once under it."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, value: object) -> str:
        """The number of a note; empty where there is none."""
        text = note(value)
        return f"<sup>{self._numbers.setdefault(text, len(self._numbers) + 1)}</sup>" if text else ""

    def html(self) -> str:
        """All notes in the order of their numbers."""
        items = "".join(f"<li>{text}</li>\n" for text in self._numbers)
        return f'<ol class="notes">{items}</ol>\n' if items else ""


def num(value: Any, shown: str | None = None) -> str:
    """A number as it is read, with all its digits for programs."""
    if missing(value):
        return '<span class="none" title="not defined">–</span>'
    plain = value.item() if hasattr(value, "item") else value
    text = (f"{plain:,}" if isinstance(plain, int) else number(plain)) if shown is None else shown
    return f'<data value="{escape(repr(plain), quote=True)}">{escape(text).replace("-", "−")}</data>'


def share(value: Any) -> str:
    """A share as percent, with all its digits for programs."""
    return num(value) if missing(value) else num(value, f"{100 * value:.1f} %")


def verdict(value: str) -> str:
    """Verdict with its symbol."""
    return f'<span class="verdict {escape(value)}"><span aria-hidden="true">{VERDICT_SYMBOLS[value]}</span> {VERDICT_LABELS[value]}</span>'


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    right: Iterable[int] = (),
    classes: str = "",
    row_classes: Sequence[str] = (),
) -> str:
    """A table of cells that are HTML already; ``right`` are the columns of numbers."""
    aligned = set(right)
    head = "".join(f'<th scope="col"{_right(i in aligned)}>{h}</th>' for i, h in enumerate(heads))
    body = "".join(
        f"<tr{_class(row_classes[r] if row_classes else '')}>"
        + "".join(f"<td{_right(i in aligned)}>{cell}</td>" for i, cell in enumerate(row))
        + "</tr>\n"
        for r, row in enumerate(rows)
    )
    title = f"<caption>{caption}</caption>" if caption else ""
    return f'<div class="scroll"><table{_class(classes)}>{title}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'


def section(identity: str, title: str, content: str, *, lead: str = "") -> str:
    """A chapter; an empty one is left out."""
    if not content:
        return ""
    opening = f'<p class="lead">{lead}</p>' if lead else ""
    return f'<section id="{identity}"><h2>{title}</h2>{opening}\n{content}</section>\n'


def left_out(shown: int, total: int, what: str) -> str:
    """A sentence when not everything is shown."""
    if shown >= total:
        return ""
    return f'<p class="small">Shown: {shown:,} of {total:,} {what}. All of them are in the JSON and CSV files of the audit.</p>'


def listing(items: Iterable[str]) -> str:
    """A list of HTML items; empty for none."""
    inner = "".join(f"<li>{item}</li>\n" for item in items)
    return f"<ul>{inner}</ul>\n" if inner else ""


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values side by side."""
    return '<dl class="facts">' + "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in pairs if v) + "</dl>\n"


def _right(yes: bool) -> str:
    return ' class="n"' if yes else ""


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""
