"""Groups of people side by side: rates with intervals, and impact ratios."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.baselines import error_bars
from fairaudit.charts.layout import finish, grid_domains, label_margin, panel_title
from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import count, cut, missing, number, percent, plain, wrapped
from fairaudit.charts.theme import Theme, faded

FOUR_FIFTHS = 0.8


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
    columns = 2 if len(metrics) in (2, 4) else min(3, max(len(metrics), 1))
    domains, height = grid_domains(len(metrics), columns, max(80, 30 * len(groups)), 72, 0.08)
    names = [f"{cut(g, 22)} (n = {count(sizes[g])})" for g in groups]
    figure = go.Figure()
    for i, metric in enumerate(metrics):
        axis = "" if i == 0 else str(i + 1)
        part = rows[rows["metric"].astype(str) == metric]
        records = rows_of(part)
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
                    error_x=error_bars(values, here, float, colour, -math.inf, math.inf, False),
                    xaxis=f"x{axis}",
                    yaxis=f"y{axis}",
                    name="Reference group" if is_reference else "Group",
                    legendgroup=str(is_reference),
                    showlegend=i == 0,
                    hovertext=[_rate_hover(r, (labels or {}).get(metric, metric)) for r in here],
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
            for r in undefined:
                figure.add_annotation(
                    x=0.01,
                    y=groups.index(str(r["group"])),
                    xref=f"x{axis}",
                    yref=f"y{axis}",
                    xanchor="left",
                    text="– not measurable",
                    hovertext=_rate_hover(r, (labels or {}).get(metric, metric)),
                    showarrow=False,
                    bgcolor=theme.page,
                    font={"size": 11, "color": theme.muted},
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
        panel_title(figure, theme, (labels or {}).get(metric, metric), axis=i + 1)
    return finish(
        figure,
        theme,
        title=title,
        subtitle=subtitle
        or (f"Reference group: {cut(reference_group, 40)}. Bars: intervals." if reference_group else "Bars: intervals."),
        plot_height=height,
        left=label_margin(names, 40, 24),
        top=46,
        bottom=36,
        legend=reference_group is not None,
    )


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
    records = rows_of(rows)
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
                "pattern": {
                    "shape": ["/" if o else "" for o in outside],
                    "size": 7,
                    "solidity": 0.2,
                    "fgcolor": theme.page,
                    "fillmode": "overlay",
                },
                "line": {"width": 0},
            },
            error_x=error_bars(values, records, float, theme.text, -math.inf, math.inf, False),
            hovertext=[_rate_hover(r, "Impact ratio") for r in records],
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
            name="impact ratio",
        )
    )
    ends = [max([v for v in (value, r["high"]) if not missing(v)], default=0.0) for value, r in zip(values, records, strict=True)]
    top = max([*ends, 1 / line]) * 1.14
    figure.add_trace(
        go.Scatter(
            x=[0.0 if math.isnan(v) else top for v in values],
            y=y,
            mode="text",
            text=[
                "– not measurable" if math.isnan(v) else f"{'▲ ' if o else ''}{v:.2f}"
                for v, o in zip(values, outside, strict=True)
            ],
            textposition=["middle right" if math.isnan(v) else "middle left" for v in values],
            textfont={"size": 12, "color": theme.text},
            hoverinfo="skip",
            showlegend=False,
            name="value",
        )
    )
    for at, label, dash in ((line, f"{line:g}", "dash"), (1.0, "1 = equal", "solid"), (1 / line, f"{1 / line:g}", "dash")):
        figure.add_shape(
            type="line", x0=at, x1=at, yref="paper", y0=0, y1=1, line={"color": theme.accent, "width": 1.3, "dash": dash}
        )
        figure.add_annotation(
            x=at, yref="paper", y=1, yanchor="bottom", text=label, showarrow=False, font={"size": 11, "color": theme.accent}
        )
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
        subtitle=f"Reference group: {cut(reference_group, 40)}\n▲ and hatched: outside {line:g} to {1 / line:g} (four-fifths rule, a convention)",
        plot_height=max(90, 38 * len(y)),
        left=label_margin(names, 44, 24),
        top=20,
    )
