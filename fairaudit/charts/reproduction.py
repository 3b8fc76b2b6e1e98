"""Published values beside recomputed ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.layout import finish, label_margin
from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import missing, number, short, wrapped
from fairaudit.charts.theme import Theme, faded

MARKS = {
    "inside": ("circle", "published, inside"),
    "near": ("diamond", "published, near"),
    "outside": ("x", "published, outside"),
    "cannot": ("circle-open", "published, not comparable"),
}
"""Marker and name of each status."""


def published_vs_recomputed(
    rows: pd.DataFrame,
    theme: Theme,
    *,
    value_label: str,
    title: str,
    subtitle: str = "",
    log: bool = False,
    names: tuple[str, str] = ("recomputed, 5–95 %", "recomputed, median"),
) -> go.Figure:
    """Published value as a marker over the range of recomputed ones, cell by cell.

    Parameters
    ----------
    rows : DataFrame
        Columns cell (name of a table cell), published, median, low, high (5 and 95 % of the recomputed values), status, note. Status
        is "inside" or "near" the range, "outside" of it, or "cannot" be compared. Rows keep their order; a column ``section`` starts a new heading wherever it changes.
    theme : Theme
    value_label : str
        What the numbers are.
    title, subtitle : str
    log : bool
        Logarithmic axis, for p-values; what is 0 is drawn at the left edge.
    names : tuple of str
        What the bar and its tick are, where they are not quantiles over seeds.
    """
    records = rows_of(rows)
    positions, headings, place = [], [], 0.0
    previous: Any = None
    for record in records:
        section = record.get("section", "")
        if section != previous and section:
            headings.append((place, str(section)))
            place += 0.9
        previous = section
        positions.append(place)
        place += 1.0
    values = np.array([[_number(r[c]) for c in ("published", "median", "low", "high")] for r in records], dtype=float).reshape(
        -1, 4
    )
    usable = values[np.isfinite(values) & ((values > 0) | (not log))]
    low, high = (float(usable.min()), float(usable.max())) if len(usable) else (0.001 if log else 0.0, 1.0)
    scaled, left_end, right_end = _scaled(values, low, high, log)
    hover = [_hover(r, value_label) for r in records]
    width = np.maximum(scaled[:, 3] - scaled[:, 2], (right_end - left_end) * 0.004)
    figure = go.Figure()
    figure.add_trace(
        go.Bar(
            orientation="h",
            base=scaled[:, 2],
            x=width,
            y=positions,
            width=0.46,
            marker={"color": faded(theme.reference, 0.4), "line": {"width": 0}},
            name=names[0],
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=scaled[:, 1],
            y=positions,
            mode="markers",
            marker={"symbol": "line-ns", "size": 15, "line": {"width": 2.5, "color": theme.reference}},
            name=names[1],
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    states = [str(r["status"]) for r in records]
    for state, (symbol, name) in MARKS.items():
        colour = {"outside": theme.target, "cannot": theme.muted}.get(state, theme.text)
        here = [i for i, s in enumerate(states) if s == state]
        if here:
            figure.add_trace(
                go.Scatter(
                    x=scaled[here, 0],
                    y=[positions[i] for i in here],
                    mode="markers",
                    marker={
                        "symbol": ["triangle-left" if log and values[i, 0] <= 0 else symbol for i in here],
                        "size": 9,
                        "color": colour,
                        "line": {"width": 1.5, "color": theme.page if symbol != "circle-open" else colour},
                    },
                    name=name,
                    hovertext=[hover[i] for i in here],
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
    for at, heading in headings:
        figure.add_annotation(
            text=f"<b>{short(heading, 60)}</b>",
            xref="paper",
            x=0,
            xanchor="left",
            y=at,
            yanchor="middle",
            showarrow=False,
            font={"size": 12, "color": theme.text},
        )
    cells = [str(r["cell"]) for r in records]
    pad = (right_end - left_end) * 0.03
    ticks = {}
    if log:
        exponents = range(math.ceil(left_end), math.floor(right_end) + 1, max(1, round((right_end - left_end) / 8)))
        ticks = {"tickmode": "array", "tickvals": list(exponents), "ticktext": [f"{10.0**e:g}" for e in exponents]}
    figure.update_xaxes(title=plain_label(value_label), range=[left_end - pad, right_end + pad], **ticks)
    figure.update_yaxes(
        tickmode="array",
        tickvals=positions,
        ticktext=[short(n, 34) for n in cells],
        range=[place - 0.4, -0.6],
        showgrid=False,
        ticklabelstandoff=6,
    )
    agreeing = sum(s in ("inside", "near") for s in states)
    known = sum(s != "cannot" for s in states)
    counted = f"{agreeing} of {known} comparable cells agree."
    return finish(
        figure,
        theme,
        title=title,
        subtitle=f"{subtitle}\n{counted}",
        plot_height=max(120, int(24 * place)),
        left=label_margin(cells, 34, 26),
        legend=True,
    ).update_layout(barmode="overlay")


def plain_label(text: str) -> str:
    """An axis title."""
    return wrapped(text, 70, 1)


def _number(value: Any) -> float:
    return math.nan if missing(value) else float(value)


def _scaled(values: np.ndarray, low: float, high: float, log: bool) -> tuple[np.ndarray, float, float]:
    if not log:
        low = min(low, 0.0)
        return values, low, high if high > low else low + 1.0
    ends = math.log10(low), math.log10(high)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.log10(values)
    scaled = np.where(np.isneginf(scaled), ends[0], scaled)
    return scaled, ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1


def _hover(record: dict[str, Any], label: str) -> str:
    lines = [f"<b>{wrapped(record['cell'])}</b>", wrapped(label), f"Published: {number(record['published'])}"]
    lines.append(f"Recomputed: {number(record['median'])} ({number(record['low'])} to {number(record['high'])})")
    if not missing(record["published"]) and not missing(record["median"]):
        lines.append(f"Difference: {number(record['median'] - record['published'], 3)}")
    if record.get("note"):
        lines.append(f"<i>{wrapped(record['note'])}</i>")
    return "<br>".join(lines)
