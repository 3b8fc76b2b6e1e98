"""Both sides of one attribute, before any metric."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairaudit.charts.layout import finish, label_margin
from fairaudit.charts.sides import pair_text
from fairaudit.charts.text import count, cut, number, short, wrapped
from fairaudit.charts.theme import Theme, faded

STEPS = 1000
"""Largest number of steps of a drawn ECDF."""
LEVELS = 20
"""Categories that are drawn one by one; the rest is drawn together."""


def ecdf_points(values: np.ndarray, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray]:
    """Places and heights of the steps of an empirical distribution, thinned to ``steps`` steps.

    Thinning keeps every height within 1/600 and every gap below 1/390 of the range: less than a pixel or two.

    Parameters
    ----------
    values : ndarray of float
        Finite values.
    steps : int

    Examples
    --------
    >>> x, f = ecdf_points(np.array([1.0, 1.0, 3.0, 2.0]))
    >>> x.tolist(), f.tolist()
    ([1.0, 2.0, 3.0], [0.5, 0.75, 1.0])
    """
    x, counts = np.unique(values, return_counts=True)
    heights = np.cumsum(counts) / len(values)
    if len(x) <= steps:
        return x, heights
    by_height = np.searchsorted(heights, np.linspace(0, 1, int(0.6 * steps)))
    by_place = np.searchsorted(x, np.linspace(x[0], x[-1], int(0.39 * steps)))
    kept = np.unique(np.concatenate([[0], by_height, by_place, [len(x) - 1]]).clip(0, len(x) - 1))
    return x[kept], heights[kept]


def ecdf_chart(
    target_values: np.ndarray,
    reference_values: np.ndarray,
    theme: Theme,
    *,
    attribute: str,
    target: str = "Target",
    reference: str = "Reference",
    bin_note: str = "",
    gap: bool = True,
) -> go.Figure:
    """Empirical distributions of both sides.

    Parameters
    ----------
    target_values, reference_values : ndarray of float
        Values of one attribute; what is not finite is left out and counted.
    theme : Theme
    attribute, target, reference : str
        Names.
    bin_note : str
        Which bin this is, if it is one.
    gap : bool
        Mark the place where the two curves are furthest apart.
    """
    sides = _finite(target_values, reference_values)
    figure = go.Figure()
    low, high = _range(sides)
    pad = (high - low) * 0.03 or 0.5
    for values, name, colour, dash in (
        (sides[0], target, theme.target, "solid"),
        (sides[1], reference, theme.reference, "dash"),
    ):
        if not len(values):
            continue
        x, heights = ecdf_points(values)
        x, heights = np.concatenate([[low - pad], x, [high + pad]]), np.concatenate([[0.0], heights, [1.0]])
        figure.add_trace(
            go.Scatter(
                x=x,
                y=heights,
                mode="lines",
                line={"color": colour, "width": 2.2, "dash": dash, "shape": "hv"},
                name=short(name, 34),
                customdata=[[short(name, 60)]] * len(x),
                hovertemplate="<b>%{customdata[0]}</b><br>%{y:.1%} of the values are at most %{x:,.4~g}<extra></extra>",
            )
        )
    if gap and all(map(len, sides)):
        _mark_gap(figure, sides, theme)
    figure.update_xaxes(
        title=wrapped(attribute, 60, 1), range=[low - pad, high + pad], type="linear", showgrid=False, ticks="outside"
    )
    figure.update_yaxes(
        title="Share at or below", range=[-0.02, 1.03], tickmode="array", tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%"
    )
    return finish(
        figure,
        theme,
        title=f"Distribution of {cut(attribute, 44)}" + (f", {cut(bin_note, 24)}" if bin_note else ""),
        subtitle=_subtitle(target, target_values, reference, reference_values),
        plot_height=280,
        legend=True,
    )


def _mark_gap(figure: go.Figure, sides: tuple[np.ndarray, np.ndarray], theme: Theme) -> None:
    """A bar between the curves where they are furthest apart; nothing when they are the same."""
    a, b = (np.sort(s) for s in sides)
    places = np.unique(np.concatenate([a, b]))
    f, g = np.searchsorted(a, places, side="right") / len(a), np.searchsorted(b, places, side="right") / len(b)
    at = int(np.abs(f - g).argmax())
    size = abs(f[at] - g[at])
    if size == 0:
        return
    right = places[at] < (places[0] + places[-1]) / 2
    figure.add_trace(
        go.Scatter(
            x=[places[at]] * 2,
            y=[f[at], g[at]],
            mode="lines+markers",
            line={"color": theme.text, "width": 1.5},
            marker={"symbol": "line-ew", "size": 9, "line": {"width": 1.5, "color": theme.text}},
            hovertemplate=f"Largest gap: {100 * size:.1f} percentage points at {number(places[at])}<extra></extra>",
            showlegend=False,
            name="largest gap",
        )
    )
    figure.add_annotation(
        x=places[at],
        y=(f[at] + g[at]) / 2,
        text=f"largest gap {100 * size:.1f} points",
        showarrow=False,
        xanchor="left" if right else "right",
        xshift=9 if right else -9,
        font={"size": 11, "color": theme.text},
        bgcolor=faded(theme.page, 0.8),
    )


def histogram_edges(sides: tuple[np.ndarray, np.ndarray], most: int = 40) -> np.ndarray:
    """Edges that both sides share: one bar a value for few integers, else 12 to ``most`` equal bars, of integers with as many values each."""
    both = np.concatenate(sides)
    low, high = float(both.min()), float(both.max())
    if low == high:
        half = 0.5 if low == 0 else abs(low) * 0.05
        return np.array([low - half, high + half])
    whole = bool((both == np.round(both)).all())
    if whole and high - low < most:
        return np.arange(low, high + 2) - 0.5
    bars = int(np.clip(math.ceil(2 * min(len(s) for s in sides if len(s)) ** (1 / 3)), 12, most))
    if whole:
        # Bars over three values here and two there would show peaks that are not in the data.
        width = math.ceil((high - low + 1) / bars)
        return low - 0.5 + width * np.arange(math.ceil((high - low + 1) / width) + 1)
    return np.linspace(low, high, bars + 1)


def histogram_chart(
    target_values: np.ndarray,
    reference_values: np.ndarray,
    theme: Theme,
    *,
    attribute: str,
    target: str = "Target",
    reference: str = "Reference",
    edges: np.ndarray | None = None,
    title: str = "",
) -> go.Figure:
    """Histograms of both sides over the same edges, as shares of each side.

    Parameters
    ----------
    target_values, reference_values : ndarray of float
    theme : Theme
    attribute, target, reference : str
    edges : ndarray of float, optional
        By default chosen from both sides together.
    title : str, optional
    """
    sides = _finite(target_values, reference_values)
    figure = go.Figure()
    if len(sides[0]) or len(sides[1]):
        edges = histogram_edges(sides) if edges is None else edges
        centres, widths = (edges[:-1] + edges[1:]) / 2, np.diff(edges)
        shares = [np.histogram(s, edges)[0] / len(s) if len(s) else np.zeros(len(centres)) for s in sides]
        ranges = [f"{number(a)} to {number(b)}" for a, b in itertools.pairwise(edges.tolist())]
        figure.add_trace(
            go.Bar(
                x=centres,
                y=shares[0],
                width=widths * 0.96,
                marker={"color": faded(theme.target, 0.55), "line": {"width": 0}},
                name=short(target, 34),
                customdata=[[short(target, 60), r] for r in ranges],
                hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}: %{y:.1%}<extra></extra>",
            )
        )
        figure.add_trace(
            go.Scatter(
                x=np.repeat(edges, 2)[1:-1],
                y=np.repeat(shares[1], 2),
                mode="lines",
                line={"color": theme.reference, "width": 2.2},
                name=short(reference, 34),
                customdata=[[short(reference, 60), r] for r in ranges for _ in range(2)],
                hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}: %{y:.1%}<extra></extra>",
            )
        )
    figure.update_xaxes(title=wrapped(attribute, 60, 1), type="linear", showgrid=False, ticks="outside")
    figure.update_yaxes(title="Share of each side", tickformat=".0%", rangemode="tozero", nticks=6)
    finish(
        figure,
        theme,
        title=title or f"Histogram of {cut(attribute, 44)}",
        subtitle=_subtitle(target, target_values, reference, reference_values),
        plot_height=260,
        legend=True,
    )
    return figure.update_layout(bargap=0, barmode="overlay")


def category_chart(
    levels: Sequence[str],
    target_counts: Sequence[int],
    reference_counts: Sequence[int],
    theme: Theme,
    *,
    attribute: str,
    target: str = "Target",
    reference: str = "Reference",
    ordered: bool = False,
    title: str = "",
) -> go.Figure:
    """Shares of the categories on both sides, and their difference in points.

    Parameters
    ----------
    levels : sequence of str
    target_counts, reference_counts : sequence of int
        One count a level.
    theme : Theme
    attribute, target, reference : str
    ordered : bool
        Keep the order of the levels; otherwise the most frequent come first.
    title : str, optional
    """
    counts = np.array([target_counts, reference_counts], dtype=float)
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    order, names, shares, counts = _levels(list(levels), shares, counts, ordered)
    figure = go.Figure()
    y = np.arange(len(order))
    both = np.nan_to_num(shares)
    for i in y:
        figure.add_trace(
            go.Scatter(
                x=shares[:, i],
                y=[i, i],
                mode="lines",
                line={"color": theme.axis, "width": 3},
                hoverinfo="skip",
                showlegend=False,
                name="difference",
            )
        )
    for side, name, colour, symbol in ((0, target, theme.target, "circle"), (1, reference, theme.reference, "diamond-open")):
        figure.add_trace(
            go.Scatter(
                x=shares[side],
                y=y,
                mode="markers",
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2.2 if side else 0, "color": colour}},
                name=short(name, 34),
                customdata=[[short(name, 60), wrapped(level), count(n)] for level, n in zip(names, counts[side], strict=True)],
                hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{x:.1%} (%{customdata[2]} rows)<extra></extra>",
            )
        )
    top = max(float(both.max(initial=0.0)), 0.01)
    differences = (shares[0] - shares[1]) * 100
    figure.add_trace(
        go.Scatter(
            x=[1.0] * len(y),
            y=y,
            xaxis="x2",
            mode="text",
            text=["–" if np.isnan(d) else "±0.0" if abs(d) < 0.05 else f"{d:+.1f}".replace("-", "−") for d in differences],
            textposition="middle left",
            textfont={"size": 12, "color": theme.text},
            hoverinfo="skip",
            showlegend=False,
            name="points",
        )
    )
    figure.update_layout(
        xaxis={
            "domain": [0, 0.86],
            "range": [-0.02 * top, top * 1.08],
            "tickformat": ".0%",
            "nticks": 7,
            "title": "Share of each side",
        },
        xaxis2={"domain": [0.87, 1], "range": [0, 1], "visible": False, "anchor": "y"},
        yaxis={
            "tickmode": "array",
            "tickvals": y.tolist(),
            "ticktext": [short(n, 26) for n in names],
            "range": [len(y) - 0.5, -0.6],
            "showgrid": False,
            "ticklabelstandoff": 6,
        },
    )
    figure.add_annotation(
        text="difference",
        xref="paper",
        x=1,
        xanchor="right",
        yref="paper",
        y=1,
        yanchor="bottom",
        showarrow=False,
        font={"size": 11, "color": theme.muted},
    )
    n = [int(t) for t in totals[:, 0]]
    return finish(
        figure,
        theme,
        title=title or f"Categories of {cut(attribute, 44)}",
        subtitle=pair_text(target, n[0], reference, n[1])
        + f"\nDifference in percentage points, {cut(target, 30)} minus {cut(reference, 30)}",
        plot_height=max(90, 30 * len(y)),
        left=label_margin(names, 26, 28),
        right=24,
        top=20,
        legend=True,
    )


def _levels(
    names: list[str], shares: np.ndarray, counts: np.ndarray, ordered: bool
) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Levels in the order of drawing, with the rare ones together when there are many."""
    frequent = np.argsort(-np.nan_to_num(shares).sum(axis=0), kind="stable")
    order = np.arange(len(names)) if ordered else frequent
    if len(names) <= LEVELS:
        return order, [names[i] for i in order], shares[:, order], counts[:, order]
    kept = set(frequent[: LEVELS - 1].tolist())
    first = np.array([i for i in order if i in kept])
    rest = np.array([i for i in order if i not in kept])
    return (
        np.arange(LEVELS),
        [*(names[i] for i in first), f"{len(rest)} other levels together"],
        np.column_stack([shares[:, first], shares[:, rest].sum(axis=1)]),
        np.column_stack([counts[:, first], counts[:, rest].sum(axis=1)]),
    )


def _finite(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a[np.isfinite(a)], b[np.isfinite(b)]


def _range(sides: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    both = np.concatenate(sides)
    return (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)


def _subtitle(target: str, target_values: np.ndarray, reference: str, reference_values: np.ndarray) -> str:
    sides = _finite(target_values, reference_values)
    out = [len(v) - len(s) for v, s in zip((target_values, reference_values), sides, strict=True)]
    text = pair_text(target, len(sides[0]), reference, len(sides[1]))
    if any(out):
        text += f"\nLeft out as missing or infinite: {count(out[0])} and {count(out[1])}"
    empty = [name for name, side in zip((target, reference), sides, strict=True) if not len(side)]
    return text + (f"\nNo valid values: {', '.join(cut(e, 30) for e in empty)}" if empty else "")
