"""The classical metrics: values with intervals, metrics x frames, rates of groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.layout import finish, label_margin
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.text import missing, number, plain, short, wrapped
from fairaudit.charts.theme import Theme
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

MARKERS = {"disparity": "triangle-up", "no_evidence": "circle-open", "not_measurable": "x-thin"}


def interval_chart(
    rows: pd.DataFrame,
    theme: Theme,
    *,
    metric: str,
    no_difference: float | None = 0.0,
    band: tuple[float, float] | None = None,
    band_label: str = "",
    direction: str = "",
    sides: str = "",
    ratio: bool = False,
) -> go.Figure:
    """One metric per frame and group, with its interval.

    Parameters
    ----------
    rows : DataFrame
        Columns frame, group, value, low, high, verdict, note of one metric.
    theme : Theme
    metric : str
        Its label.
    no_difference : float or None
        Where the line is drawn.
    band : tuple of float, optional
        Values that count as no disparity.
    band_label : str
        What the band is, with its source.
    direction : str
        How to read the sign, in a sentence.
    sides : str
        Both sides and their sizes.
    ratio : bool
        Draw on a logarithmic axis, so that 0.5 and 2 are equally far from 1.
    """
    names = [column_name(f, g) for f, g in zip(rows["frame"], rows["group"], strict=True)]
    records = rows_of(rows)
    place = _log if ratio else float
    figure = go.Figure()
    y = np.arange(len(names))
    finite = [
        place(v)
        for r in records
        for v in (r["value"], r["low"], r["high"])
        if not missing(v) and math.isfinite(v) and (v > 0 or not ratio)
    ]
    marks = [place(v) for v in (band or ())] + ([place(no_difference)] if no_difference is not None else [])
    low, high = min([*finite, *marks], default=0.0), max([*finite, *marks], default=1.0)
    pad = (high - low) * 0.06 or 0.1
    if band:
        figure.add_shape(
            type="rect",
            x0=place(band[0]),
            x1=place(band[1]),
            yref="paper",
            y0=0,
            y1=1,
            fillcolor=theme.band,
            line_width=0,
            layer="below",
        )
        for edge in band:
            figure.add_shape(
                type="line",
                x0=place(edge),
                x1=place(edge),
                yref="paper",
                y0=0,
                y1=1,
                line={"color": theme.accent, "width": 1.2, "dash": "dash"},
            )
    if no_difference is not None:
        at = place(no_difference)
        figure.add_shape(type="line", x0=at, x1=at, yref="paper", y0=0, y1=1, line={"color": theme.muted, "width": 1.2})
        figure.add_annotation(
            x=at,
            yref="paper",
            y=1,
            yanchor="bottom",
            text="no difference",
            showarrow=False,
            font={"size": 11, "color": theme.muted},
        )
    for verdict, symbol in MARKERS.items():
        here = [i for i, r in enumerate(records) if str(r["verdict"]) == verdict]
        for i in [i for i in here if missing(records[i]["value"])]:
            figure.add_annotation(
                x=0,
                xref="paper",
                xanchor="left",
                xshift=6,
                y=i,
                text="– not measurable",
                hovertext=_hover(names[i], metric, records[i]),
                showarrow=False,
                bgcolor=theme.page,
                font={"size": 11, "color": theme.muted},
            )
        here = [i for i in here if not missing(records[i]["value"])]
        if not here:
            continue
        colour = {"disparity": theme.target, "no_evidence": theme.text}.get(verdict, theme.muted)
        values = [at_end(records[i]["value"], place, low, high, ratio) for i in here]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=y[here],
                mode="markers",
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
                error_x=error_bars(values, [records[i] for i in here], place, colour, low - pad, high + pad, ratio),
                name=VERDICT_LABELS[verdict],
                hovertext=[_hover(names[i], metric, records[i]) for i in here],
                hovertemplate="%{hovertext}<extra></extra>",
                cliponaxis=False,
            )
        )
    ticks = _log_ticks(low - pad, high + pad) if ratio else {}
    figure.update_xaxes(title=wrapped(metric, 60, 1), range=[low - pad, high + pad], **ticks)
    figure.update_yaxes(
        tickmode="array",
        tickvals=y.tolist(),
        ticktext=[short(n, 28) for n in names],
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        ticklabelstandoff=6,
    )
    reading = [direction.rstrip("."), f"Shaded: {band_label}" if band_label else ""]
    return finish(
        figure,
        theme,
        title=metric,
        subtitle=f"{sides}\n{'. '.join(p for p in reading if p)}",
        plot_height=max(110, 38 * len(names)),
        left=label_margin(names, 28, 26),
        top=20,
        legend=True,
    )


def _log(value: Any) -> float:
    return math.log2(value) if value > 0 else math.nan


def at_end(value: Any, place: Any, low: float, high: float, ratio: bool) -> float:
    """Place of a value; infinite ratios are drawn at the edge."""
    if missing(value):
        return math.nan
    if math.isinf(value):
        return high if value > 0 else low
    return low if ratio and value <= 0 else place(value)


def error_bars(
    values: list[float], records: list[dict[str, Any]], place: Any, colour: str, low: float, high: float, ratio: bool
) -> dict[str, Any]:
    plus, minus = [], []
    for value, record in zip(values, records, strict=True):
        if missing(record["low"]) or missing(record["high"]) or math.isnan(value):
            plus.append(0.0)
            minus.append(0.0)
            continue
        plus.append(max(0.0, at_end(record["high"], place, low, high, ratio) - value))
        minus.append(max(0.0, value - at_end(record["low"], place, low, high, ratio)))
    return {"type": "data", "array": plus, "arrayminus": minus, "symmetric": False, "color": colour, "thickness": 1.8, "width": 5}


def _log_ticks(low: float, high: float) -> dict[str, Any]:
    values = [v for v in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1, 1.25, 2, 5, 10, 20, 50, 100) if low <= math.log2(v) <= high]
    if high - low > 5:
        values = [v for v in values if v not in (0.8, 1.25)]
    return {"tickmode": "array", "tickvals": [math.log2(v) for v in values], "ticktext": [f"{v:g}" for v in values]}


def _hover(name: str, metric: str, record: dict[str, Any]) -> str:
    verdict = str(record["verdict"])
    lines = [f"<b>{wrapped(metric)}</b>", wrapped(name), f"<b>{VERDICT_SYMBOLS[verdict]} {VERDICT_LABELS[verdict]}</b>"]
    lines.append(f"Value: {number(record['value'])}")
    if not missing(record.get("low")):
        lines.append(f"Interval: {number(record['low'])} to {number(record['high'])}")
    if record.get("note"):
        lines.append(f"<i>{wrapped(record['note'])}</i>")
    return "<br>".join(lines)


def metric_matrix(
    rows: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    truth: dict[tuple[str, str], bool] | None = None,
    sides: str = "",
    title: str = "What each metric says",
    clickable: bool = True,
) -> go.Figure:
    """Verdict of every metric on every frame and group.

    The metrics have scales of their own, so the colour says the verdict only, and the number stands in the cell.

    Parameters
    ----------
    rows : DataFrame
        Columns frame, group, metric, value, verdict, and where known low, high, note, and shown: the text of a cell instead of the value.
    theme : Theme
    labels : dict of str to str, optional
        Names of metrics for people.
    truth : dict of (frame, group) to bool, optional
        Where a bias was planted: a first row, and hit, miss or false alarm in every cell.
    sides, title : str
    clickable : bool
        Report clicks, with customdata (frame, group, metric).
    """
    columns = list(dict.fromkeys(zip(rows["frame"].astype(str), rows["group"].fillna("").astype(str), strict=True)))
    metrics = list(dict.fromkeys(rows["metric"].astype(str)))
    labels = labels or {}
    offset = 0 if truth is None else 1
    cells = []
    for column, key in enumerate(columns if truth is not None else []):
        planted = bool(truth and truth.get(key, False))
        text = "● planted" if planted else "none"
        cells.append(
            Cell(0, column, 0.75 if planted else 0.0, text, "●" if planted else "·", f"<b>Truth</b><br>{text}", (*key, "truth"))
        )
    tallies = {"hit": 0, "miss": 0, "false alarm": 0}
    for record in rows_of(rows):
        group = "" if missing(record["group"]) else str(record["group"])
        place = (str(record["frame"]), group)
        verdict, metric = str(record["verdict"]), str(record["metric"])
        symbol = VERDICT_SYMBOLS[verdict]
        value = record["value"]
        shown = record.get("shown")
        text = symbol if missing(value) else f"{symbol} {_cell_number(float(value)) if missing(shown) else plain(str(shown))}"
        hover = _hover(column_name(*place), labels.get(metric, metric), record)
        if truth is not None and verdict != "not_measurable":
            planted, found = bool(truth.get(place, False)), verdict == "disparity"
            said = "hit" if planted and found else "miss" if planted else "false alarm" if found else ""
            if said:
                tallies[said] += 1
                text += {"hit": " ✓", "miss": " ✗", "false alarm": " !"}[said]
                hover += f"<br><b>{said.capitalize()}</b>"
        strength = math.nan if verdict == "not_measurable" else 0.75 if verdict == "disparity" else 0.0
        cells.append(Cell(metrics.index(metric) + offset, columns.index(place), strength, text, symbol, hover, (*place, metric)))
    names = [labels.get(m, m) for m in metrics]
    grid = Grid(
        ["Planted bias (truth)", *names] if offset else names,
        [column_name(*c) for c in columns],
        cells,
        theme.p_scale[:3],
        0.0,
        1.0,
        row_limit=34,
        bold_rows=frozenset({0}) if offset else frozenset(),
    )
    legend = " · ".join(f"{VERDICT_SYMBOLS[v]} {VERDICT_LABELS[v].lower()}" for v in VERDICT_SYMBOLS)
    if offset:
        legend += f"\n✓ hit ({tallies['hit']}) · ✗ miss ({tallies['miss']}) · ! false alarm ({tallies['false alarm']})"
    return draw_grid(grid, theme, title=title, subtitle=f"{sides}\n{legend}", clickable=clickable)


def _cell_number(value: float) -> str:
    """Three decimals, none for large numbers, with a true minus sign."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    # z: what rounds to zero has no sign.
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:z.3f}").replace("-", "−")
