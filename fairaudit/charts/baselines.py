"""The classical metrics: values with intervals, metrics x frames, rates of groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.layout import finish, grid_domains, label_margin, panel_title
from fairaudit.charts.sides import column_name
from fairaudit.charts.text import count, cut, missing, number, percent, plain, short, wrapped
from fairaudit.charts.theme import Theme, faded
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

MARKERS = {"disparity": "triangle-up", "no_evidence": "circle-open", "not_measurable": "x-thin"}
FOUR_FIFTHS = 0.8


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
    records = rows.to_dict("records")
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
            type="rect", x0=place(band[0]), x1=place(band[1]), yref="paper", y0=0, y1=1, fillcolor=theme.band, line_width=0, layer="below"
        )
        for edge in band:
            figure.add_shape(
                type="line", x0=place(edge), x1=place(edge), yref="paper", y0=0, y1=1, line={"color": theme.accent, "width": 1.2, "dash": "dash"}
            )
    if no_difference is not None:
        at = place(no_difference)
        figure.add_shape(type="line", x0=at, x1=at, yref="paper", y0=0, y1=1, line={"color": theme.muted, "width": 1.2})
        figure.add_annotation(
            x=at, yref="paper", y=1, yanchor="bottom", text="no difference", showarrow=False, font={"size": 11, "color": theme.muted}
        )
    for verdict, symbol in MARKERS.items():
        here = [i for i, r in enumerate(records) if str(r["verdict"]) == verdict]
        if not here:
            continue
        undefined = verdict == "not_measurable"
        colour = theme.target if verdict == "disparity" else theme.muted if undefined else theme.text
        values = [at_end(records[i]["value"], place, low, high, ratio) for i in here]
        if undefined:
            values = [v if not math.isnan(v) else low - pad * 0.4 for v in values]
        figure.add_trace(
            go.Scatter(
                x=values,
                y=y[here],
                mode="markers+text" if undefined else "markers",
                text=["not measurable" if missing(records[i]["value"]) else "" for i in here] if undefined else None,
                textposition="middle right",
                textfont={"color": theme.muted, "size": 11},
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
                error_x=_errors(values, [records[i] for i in here], place, colour, low - pad, high + pad, ratio),
                name=f"{VERDICT_SYMBOLS[verdict]} {VERDICT_LABELS[verdict]}",
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
    parts = [sides, direction, f"Shaded: {band_label}" if band_label else ""]
    return finish(
        figure,
        theme,
        title=metric,
        subtitle=". ".join(p.rstrip(".") for p in parts if p),
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


def _errors(values: list[float], records: list[dict[str, Any]], place: Any, colour: str, low: float, high: float, ratio: bool) -> dict[str, Any]:
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
        Columns frame, group, metric, value, verdict, and where known low, high, note.
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
    for record in rows.to_dict("records"):
        group = "" if missing(record["group"]) else str(record["group"])
        place = (str(record["frame"]), group)
        verdict, metric = str(record["verdict"]), str(record["metric"])
        symbol = VERDICT_SYMBOLS[verdict]
        value = record["value"]
        text = symbol if missing(value) else f"{symbol} {number(value, 3)}"
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
        (theme.p_scale[0], theme.p_scale[1], theme.p_scale[2]) if theme.name == "light" else (theme.p_scale[0], theme.p_scale[1], theme.p_scale[2]),
        0.0,
        1.0,
        row_limit=34,
        bold_rows=frozenset({0}) if offset else frozenset(),
    )
    legend = " · ".join(f"{VERDICT_SYMBOLS[v]} {VERDICT_LABELS[v].lower()}" for v in VERDICT_SYMBOLS)
    if offset:
        legend += f". ✓ hit ({tallies['hit']}) · ✗ miss ({tallies['miss']}) · ! false alarm ({tallies['false alarm']})"
    return draw_grid(grid, theme, title=title, subtitle=f"{sides + '. ' if sides else ''}{legend}", clickable=clickable)


def group_rates_chart(
    rows: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    reference_group: str | None = None,
    title: str = "Rates of each group",
    subtitle: str = "",
) -> go.Figure:
    """Every metric of every group with its interval, one panel a metric.

    Parameters
    ----------
    rows : DataFrame
        Columns group, metric, value, low, high, n; groups keep their order.
    theme : Theme
    labels : dict of str to str, optional
        Names of metrics for people.
    reference_group : str, optional
        Drawn as a diamond, with a line through its value.
    title, subtitle : str
    """
    groups = list(dict.fromkeys(rows["group"].astype(str)))
    metrics = list(dict.fromkeys(rows["metric"].astype(str)))
    sizes = {str(g): part["n"].max() for g, part in rows.groupby("group", sort=False)}
    columns = min(3, max(len(metrics), 1))
    domains, height = grid_domains(len(metrics), columns, max(80, 30 * len(groups)), 62, 0.045)
    names = [f"{cut(g, 22)} (n = {count(sizes[g])})" for g in groups]
    figure = go.Figure()
    for i, metric in enumerate(metrics):
        axis = "" if i == 0 else str(i + 1)
        part = rows[rows["metric"].astype(str) == metric]
        records = part.to_dict("records")
        for is_reference in (False, True):
            here = [r for r in records if (str(r["group"]) == reference_group) == is_reference]
            if not here:
                continue
            values = [math.nan if missing(r["value"]) else float(r["value"]) for r in here]
            colour = theme.reference if is_reference else theme.target
            undefined = [r for r in here if missing(r["value"])]
            figure.add_trace(
                go.Scatter(
                    x=values,
                    y=[groups.index(str(r["group"])) for r in here],
                    mode="markers",
                    marker={"symbol": "diamond" if is_reference else "circle", "size": 10, "color": colour},
                    error_x=_errors(values, here, float, colour, -math.inf, math.inf, False),
                    xaxis=f"x{axis}",
                    yaxis=f"y{axis}",
                    name="Reference group" if is_reference else "Group",
                    legendgroup=str(is_reference),
                    showlegend=i == 0,
                    hovertext=[_rate_hover(r, (labels or {}).get(metric, metric)) for r in here],
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
            if undefined:
                figure.add_trace(
                    go.Scatter(
                        x=[0.02] * len(undefined),
                        y=[groups.index(str(r["group"])) for r in undefined],
                        mode="text",
                        text=["– not measurable"] * len(undefined),
                        textposition="middle right",
                        textfont={"size": 11, "color": theme.muted},
                        xaxis=f"x{axis}",
                        yaxis=f"y{axis}",
                        showlegend=False,
                        hovertext=[_rate_hover(r, (labels or {}).get(metric, metric)) for r in undefined],
                        hovertemplate="%{hovertext}<extra></extra>",
                        name="not measurable",
                    )
                )
            if is_reference and not math.isnan(values[0]):
                figure.add_shape(
                    type="line",
                    xref=f"x{axis}",
                    yref=f"y{axis} domain",
                    x0=values[0],
                    x1=values[0],
                    y0=0,
                    y1=1,
                    line={"color": theme.reference, "width": 1, "dash": "dot"},
                    layer="below",
                )
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[i][0],
                    "anchor": f"y{axis}",
                    "range": [-0.02, 1.02],
                    "tickmode": "array",
                    "tickvals": [0, 0.5, 1],
                    "tickformat": ".0%",
                },
                f"yaxis{axis}": {
                    "domain": domains[i][1],
                    "anchor": f"x{axis}",
                    "tickmode": "array",
                    "tickvals": list(range(len(groups))),
                    "ticktext": [plain(n) for n in names],
                    "showticklabels": i % columns == 0,
                    "range": [len(groups) - 0.5, -0.5],
                    "ticklabelstandoff": 6,
                },
            }
        )
        panel_title(figure, theme, f"<b>{column_text((labels or {}).get(metric, metric), 24)}</b>", axis=i + 1)
    return finish(
        figure,
        theme,
        title=title,
        subtitle=subtitle or (f"Reference group: {cut(reference_group, 40)}. Bars: intervals." if reference_group else "Bars: intervals."),
        plot_height=height,
        left=label_margin(names, 40, 24),
        top=26,
        bottom=36,
        legend=reference_group is not None,
    )


def column_text(value: object, limit: int) -> str:
    """A panel heading on one line."""
    return short(value, limit)


def _rate_hover(record: dict[str, Any], metric: str) -> str:
    lines = [f"<b>{wrapped(record['group'])}</b> (n = {count(record['n'])})", f"{wrapped(metric)}: {number(record['value'])}"]
    if not missing(record["value"]):
        lines[1] += f" ({percent(record['value'])})"
    if not missing(record["low"]):
        lines.append(f"Interval: {percent(record['low'])} to {percent(record['high'])}")
    if record.get("note"):
        lines.append(f"<i>{wrapped(record['note'])}</i>")
    return "<br>".join(lines)


def impact_ratio_chart(
    rows: pd.DataFrame,
    theme: Theme,
    *,
    reference_group: str,
    line: float = FOUR_FIFTHS,
    title: str = "Selection rate of each group over that of the reference group",
) -> go.Figure:
    """Impact ratios with the four-fifths line.

    Parameters
    ----------
    rows : DataFrame
        Columns group, value, low, high, n.
    theme : Theme
    reference_group : str
    line : float
        Below it, or above its inverse, a bar is hatched and marked.
    title : str
    """
    records = rows.to_dict("records")
    names = [f"{cut(r['group'], 24)} (n = {count(r['n'])})" for r in records]
    values = [math.nan if missing(r["value"]) else float(r["value"]) for r in records]
    outside = [not math.isnan(v) and not line <= v <= 1 / line for v in values]
    y = list(range(len(records)))
    figure = go.Figure(
        go.Bar(
            orientation="h",
            x=values,
            y=y,
            width=0.56,
            marker={
                "color": [faded(theme.target if o else theme.reference, 0.85) for o in outside],
                "pattern": {"shape": ["/" if o else "" for o in outside], "size": 7, "solidity": 0.25, "fgcolor": theme.page},
                "line": {"width": 0},
            },
            error_x=_errors(values, records, float, theme.text, -math.inf, math.inf, False),
            hovertext=[_rate_hover(r, "Impact ratio") for r in records],
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
            name="impact ratio",
        )
    )
    ends = [max([v for v in (value, r["high"]) if not missing(v)], default=0.0) for value, r in zip(values, records, strict=True)]
    top = max([*ends, 1 / line]) * 1.16
    figure.add_trace(
        go.Scatter(
            x=[e + top * 0.012 for e in ends],
            y=y,
            mode="text",
            text=["– not measurable" if math.isnan(v) else f"{'▲ ' if o else ''}{v:.2f}" for v, o in zip(values, outside, strict=True)],
            textposition="middle right",
            textfont={"size": 12, "color": theme.text},
            hoverinfo="skip",
            showlegend=False,
            name="value",
        )
    )
    for at, label, dash in ((line, f"{line:g}", "dash"), (1.0, "1 = equal", "solid"), (1 / line, f"{1 / line:g}", "dash")):
        figure.add_shape(type="line", x0=at, x1=at, yref="paper", y0=0, y1=1, line={"color": theme.accent, "width": 1.3, "dash": dash})
        figure.add_annotation(x=at, yref="paper", y=1, yanchor="bottom", text=label, showarrow=False, font={"size": 11, "color": theme.accent})
    figure.update_xaxes(title="Impact ratio", range=[0, top], nticks=8)
    figure.update_yaxes(
        tickmode="array",
        tickvals=y,
        ticktext=[plain(n) for n in names],
        range=[len(y) - 0.4, -0.6],
        showgrid=False,
        ticklabelstandoff=6,
    )
    return finish(
        figure,
        theme,
        title=title,
        subtitle=f"Reference group: {cut(reference_group, 40)}. ▲ and hatched: outside {line:g} to {1 / line:g} (four-fifths rule, a convention).",
        plot_height=max(90, 38 * len(y)),
        left=label_margin(names, 44, 24),
        top=20,
    )
