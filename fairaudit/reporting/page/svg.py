"""Pictures as SVG without scripts; colours are variables of the page, so that they follow light, dark and print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from fairaudit.charts.text import missing, number

WIDTH = 680
LEFT, RIGHT = 64, 104


def _f(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text(x: float, y: float, words: str, classes: str = "", anchor: str = "start") -> str:
    """Words at a place; ``words`` is plain text."""
    return f'<text x="{_f(x)}" y="{_f(y)}" class="{classes}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, classes: str) -> str:
    """A straight line."""
    return f'<line x1="{_f(x1)}" y1="{_f(y1)}" x2="{_f(x2)}" y2="{_f(y2)}" class="{classes}"/>'


def frame(width: float, height: float, inner: str, label: str) -> str:
    """A picture with a text for those who do not see it."""
    return (
        f'<svg viewBox="0 0 {_f(width)} {_f(height)}" width="{_f(width)}" height="{_f(height)}" role="img" '
        f'aria-label="{escape(label, quote=True)}">{inner}</svg>\n'
    )


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Round numbers between two limits.

    Examples
    --------
    >>> ticks(0, 1)
    [0.0, 0.5, 1.0]
    """
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    raw = span / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(m * size for m in (1, 2, 5, 10) if m * size >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    found = []
    while first * step <= high + span * 1e-9:
        found.append(round(first * step, 12))
        first += 1
    return found


class Axis:
    """A linear scale from values to pixels."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        if not high > low:
            pad = abs(low) * 0.1 or 1.0
            low, high = low - pad, high + pad
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        place = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + place * (self.end - self.start)


def bin_chart(
    strengths: Sequence[float],
    labels: Sequence[str],
    limit: float | None,
    limit_label: str,
    means: tuple[Sequence[float], Sequence[float]] | None,
    *,
    score_title: str,
    mean_title: str,
    names: tuple[str, str],
    label: str,
) -> str:
    """Score of each bin with the line it is held against, and under it the means of both sides.

    Parameters
    ----------
    strengths : sequence of float
        Height of each bar: 0 is no difference; NaN is not defined.
    labels : sequence of str
        The scores as words, one a bin.
    limit : float or None
        Place of the line; None where there is none.
    limit_label, score_title, mean_title, label : str
    means : pair of sequences of float, optional
        Means of target and reference.
    names : pair of str
        Names of the two sides.
    """
    n = len(strengths)
    finite = [s for s in strengths if math.isfinite(s)]
    high = max([1e-9 if limit is None else limit * 1.15, *finite])
    upper, gap = 130, 34
    y = Axis(0.0, high, 18 + upper, 18)
    slot = (WIDTH - LEFT - RIGHT) / max(n, 1)
    parts = [text(0, 11, score_title, "axis-title")]
    for tick in ticks(0.0, high):
        parts += [line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "grid"), text(LEFT - 6, y(tick) + 4, number(tick), "tick", "end")]
    width = max(slot * 0.7, 0.6)
    for i, (value, shown) in enumerate(zip(strengths, labels, strict=True)):
        middle = LEFT + slot * (i + 0.5)
        tip = f"<title>Bin {i + 1}: {escape(shown)}</title>"
        if not math.isfinite(value):
            parts.append(f'<text x="{_f(middle)}" y="{_f(y(0) - 4)}" class="tick" text-anchor="middle">–{tip}</text>')
            continue
        kind = "bar flag" if limit is not None and value > limit else "bar"
        parts.append(
            f'<rect x="{_f(middle - width / 2)}" y="{_f(y(value))}" width="{_f(width)}" '
            f'height="{_f(max(y(0) - y(value), 0.8))}" class="{kind}">{tip}</rect>'
        )
    if limit is not None:
        parts.append(line(LEFT, y(limit), WIDTH - RIGHT, y(limit), "limit"))
        parts.append(text(WIDTH - RIGHT + 6, y(limit) + 4, limit_label, "limit-text"))
    parts.append(line(LEFT, y(0), WIDTH - RIGHT, y(0), "axis"))
    bottom = 18 + upper
    if means is not None:
        values = [m for side in means for m in side if not missing(m) and math.isfinite(m)]
        start = bottom + gap
        if values:
            lower = Axis(min(values), max(values), start + 80, start)
            parts.append(text(0, start - 9, mean_title, "axis-title"))
            parts += _key(start - 9, names)
            for tick in ticks(lower.low, lower.high, 3):
                parts += [
                    line(LEFT, lower(tick), WIDTH - RIGHT, lower(tick), "grid"),
                    text(LEFT - 6, lower(tick) + 4, number(tick), "tick", "end"),
                ]
            for side, kind in zip(means, ("target", "reference"), strict=True):
                points = [(LEFT + slot * (i + 0.5), lower(m)) for i, m in enumerate(side) if not missing(m) and math.isfinite(m)]
                parts += _path(points, kind, markers=n <= 60)
            bottom = start + 88
    every = max(1, math.ceil(n / 20))
    parts += [
        text(LEFT + slot * (i + 0.5), bottom + 14, str(i + 1), "tick", "middle") for i in range(n) if i % every == 0 or i == n - 1
    ]
    parts.append(text(LEFT, bottom + 30, "Bin", "axis-title"))
    return frame(WIDTH, bottom + 36, "".join(parts), label)


def _key(y: float, names: tuple[str, str]) -> list[str]:
    x, parts = 260.0, []
    for words, kind in zip(names, ("target", "reference"), strict=True):
        parts += [line(x, y - 4, x + 22, y - 4, f"series {kind}"), _marker(x + 11, y - 4, kind), text(x + 28, y, words, "tick")]
        x += 210
    return parts


def _marker(x: float, y: float, kind: str) -> str:
    if kind == "target":
        return f'<circle cx="{_f(x)}" cy="{_f(y)}" r="3" class="mark target"/>'
    return f'<path d="M{_f(x)} {_f(y - 4)}l4 4l-4 4l-4-4z" class="mark reference"/>'


def _path(points: Sequence[tuple[float, float]], kind: str, *, markers: bool) -> list[str]:
    if not points:
        return []
    way = " ".join(f"{_f(x)},{_f(y)}" for x, y in points)
    parts = [f'<polyline points="{way}" class="series {kind}"/>']
    return parts + [_marker(x, y, kind) for x, y in points] if markers else parts


def interval(
    value: Any,
    low: Any,
    high: Any,
    limits: tuple[float, float],
    *,
    zero: float | None,
    band: tuple[float, float] | None,
    ratio: bool,
) -> str:
    """A value with its interval on a small axis; the band is what counts as no disparity."""
    if missing(value) or not math.isfinite(value):
        return ""

    def place(v: float) -> float:
        return math.log(max(v, 1e-9)) if ratio else v

    width, height = 170, 18
    axis = Axis(place(limits[0]), place(limits[1]), 4, width - 4)
    parts = []
    if band is not None:
        a, b = axis(place(band[0])), axis(place(band[1]))
        parts.append(f'<rect x="{_f(a)}" y="2" width="{_f(max(b - a, 1))}" height="14" class="band"/>')
    if zero is not None:
        parts.append(line(axis(place(zero)), 1, axis(place(zero)), 17, "axis"))
    if not missing(low) and not missing(high):
        parts.append(line(axis(place(low)), 9, axis(place(high)), 9, "whisker"))
    parts.append(f'<circle cx="{_f(axis(place(value)))}" cy="9" r="3.5" class="mark target"/>')
    words = number(value) if missing(low) or missing(high) else f"{number(value)}, interval {number(low)} to {number(high)}"
    return frame(width, height, "".join(parts), words)


def level_chart(levels: Sequence[float], fair: Sequence[float], biased: Sequence[float], title: str) -> str:
    """A metric on the fair (solid) and on the biased (dashed) test set over the strength of the bias."""
    width, height = 330, 190
    values = [v for v in (*fair, *biased) if math.isfinite(v)]
    parts = [text(0, 13, title, "panel-title")]
    if values and levels:
        low, high = min(values), max(values)
        pad = (high - low) * 0.08 or 0.05
        y, x = Axis(low - pad, high + pad, 150, 26), Axis(min(levels), max(levels), 54, width - 10)
        for tick in ticks(y.low, y.high, 3):
            parts += [line(54, y(tick), width - 10, y(tick), "grid"), text(48, y(tick) + 4, number(tick, 3), "tick", "end")]
        for tick in ticks(x.low, x.high, 5):
            parts.append(text(x(tick), 166, number(tick, 2), "tick", "middle"))
        for side, kind in ((fair, "reference"), (biased, "target")):
            parts += _path([(x(a), y(b)) for a, b in zip(levels, side, strict=True) if math.isfinite(b)], kind, markers=True)
        parts.append(text(54, 184, "Strength of the bias", "axis-title"))
    return frame(width, height, "".join(parts), title)
