"""Names and numbers as they are written in figures. Plotly reads tags, entities, `$...$` and `%{...}` in any text."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

ELLIPSIS = "…"
TINY = 1e-300
"""Below this a p-value is written as "< 1e-300"."""


def clean(value: object) -> str:
    """One line of visible characters: no line breaks, control characters or changes of writing direction."""
    kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in str(value))
    kept = "".join(c for c in kept if not ("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"))
    return " ".join(kept.split()) or "(no name)"


def plain(value: object) -> str:
    """Text that plotly shows character by character.

    Examples
    --------
    >>> plain('<a href="x">Pay & $bonus$</a> %{x}')
    '&lt;a href="x"&gt;Pay &amp; &#36;bonus&#36;&lt;/a&gt; &#37;{x}'
    """
    text = str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("$", "&#36;").replace("%{", "&#37;{")


def width_of(text: str) -> int:
    """Width in units of a Latin character."""
    wide = sum(unicodedata.east_asian_width(c) in ("W", "F") for c in text)
    return len(text) - sum(bool(unicodedata.combining(c)) for c in text) + wide


def cut(value: object, limit: int) -> str:
    """A name shortened in its middle, not escaped: names that belong together often differ at the end.

    Examples
    --------
    >>> cut("household income before tax", 16)
    'househol…ore tax'
    """
    text = clean(value)
    if width_of(text) <= limit:
        return text
    head, tail = text[: (limit + 1) // 2], text[len(text) - (limit - 1) // 2 :]
    while width_of(head) + width_of(tail) + 1 > limit and (head or tail):
        if width_of(head) >= width_of(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
    return head.rstrip() + ELLIPSIS + tail.lstrip()


def short(value: object, limit: int = 28) -> str:
    """A name shortened and escaped."""
    return plain(cut(value, limit))


def wrapped(value: object, width: int = 60, lines: int = 6) -> str:
    """Escaped text over several lines for hover boxes and titles; what does not fit ends in an ellipsis."""
    text = clean(value)
    parts = textwrap.wrap(text, width, break_long_words=True, max_lines=lines, placeholder=f" {ELLIPSIS}")
    return "<br>".join(plain(part) for part in parts)


def column_label(value: object, width: int, lines: int = 3) -> str:
    """A column heading of at most ``lines`` lines of ``width`` characters, escaped."""
    text = clean(value)
    parts = textwrap.wrap(text, max(width, 3), break_long_words=True)
    if len(parts) > lines:
        parts = textwrap.wrap(cut(text, max(width, 3) * lines - 2), max(width, 3), break_long_words=True)[:lines]
    return "<br>".join(plain(part) for part in parts)


def missing(value: Any) -> bool:
    """True for None, NaN and NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True


def p_text(p: float) -> str:
    """A p-value with three significant digits.

    Examples
    --------
    >>> p_text(0.031249), p_text(4.2e-12), p_text(0.0)
    ('0.0312', '4.2e-12', '< 1e-300')
    """
    if missing(p):
        return "not defined"
    return f"< {TINY:g}" if p < TINY else f"{p:.3g}"


def p_short(p: float) -> str:
    """A p-value for a cell: three decimals, or a power of ten."""
    if missing(p):
        return "–"
    if p < TINY:
        return "≈0"
    if p >= 0.9995:
        return "1"
    return f"{p:.3f}" if p >= 0.00095 else f"{p:.0e}".replace("e-0", "e-")


def number(value: float, digits: int = 4) -> str:
    """A number with some significant digits and thousands separators.

    Examples
    --------
    >>> number(1234567.891), number(0.000123456), number(-0.5), number(float("nan"))
    ('1,234,568', '0.0001235', '-0.5', 'not defined')
    """
    if missing(value):
        return "not defined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= 10 ** (digits - 1) and size < 1e12:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign."""
    return number(value, digits) if missing(value) or value <= 0 else "+" + number(value, digits)


def percent(share: float, digits: int = 1) -> str:
    """A share as percent."""
    return "not defined" if missing(share) else f"{share * 100:.{digits}f} %"


def size_text(size: Any, unit: object) -> str:
    """The size of a difference in its unit, with two digits; empty where it is not known.

    Examples
    --------
    >>> size_text(0.1234, "sd"), size_text(0.0312, "share"), size_text(float("nan"), "")
    ('0.12 standard deviations', '3.1 percentage points', '')
    """
    if missing(size):
        return ""
    return f"{100 * size:.2g} percentage points" if unit == "share" else f"{size:.2g} standard deviations"


def flagged_again(share: Any, by_chance: Any = None) -> str:
    """In how many resamples an attribute is flagged, and in how many without any difference; empty where it is not known.

    Examples
    --------
    >>> flagged_again(0.97, 0.04), flagged_again(1.0), flagged_again(None)
    ('97 % of resamples (by chance alone: 4 %)', '100 % of resamples', '')
    """
    if missing(share):
        return ""
    chance = "" if missing(by_chance) else f" (by chance alone: {percent(by_chance, 0)})"
    return f"{percent(share, 0)} of resamples{chance}"


def certainty_lines(record: Mapping[str, Any]) -> list[str]:
    """Lines of a hover box: how firm the verdict is, what would have been seen, and why that is not known."""
    lines = []
    if again := flagged_again(record.get("stability"), record.get("stability_null")):
        lines.append(f"Flagged again in {plain(again)}")
    if size := size_text(record.get("detectable"), record.get("detectable_unit")):
        lines.append(f"Would have found: {plain(size)} (80 % power)")
    if record.get("certainty_note"):
        lines.append(f"<i>{wrapped(record['certainty_note'], 60)}</i>")
    return lines


def count(n: Any) -> str:
    """A number of rows."""
    return "unknown" if missing(n) else f"{int(n):,}"


def listed(items: Sequence[str], most: int = 4) -> str:
    """Items in one line; from the fifth on only their number."""
    shown = ", ".join(items[:most])
    return shown + (f" and {len(items) - most} more" if len(items) > most else "")
