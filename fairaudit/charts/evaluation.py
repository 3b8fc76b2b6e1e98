"""Fair against biased evaluation: scatter, curves over the level, methods x biases."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.layout import BAR_GAP, deviation_band, finish, grid_domains, panel_title
from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import missing, number, percent, plain, short, signed, wrapped
from fairaudit.charts.theme import SYMBOLS, Theme, colour_scale

RANKS = {"close_to_fair": -2.0, "better": -1.0, "mixed": 0.0, "not_better": 1.0, "harmful": 2.0, "not_measurable": math.nan}
"""Colour of a rating: from helpful to harmful."""


def fair_vs_biased_scatter(
    summary: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    title: str = "What the biased test set says, and what is true",
    subtitle: str = "",
) -> go.Figure:
    """Value on the fair against value on the biased test set, one panel a metric.

    Parameters
    ----------
    summary : DataFrame
        Columns metric, mitigation, level, fair, biased of one model, as ``EvaluationResult.fair_against_biased()`` gives them.
    theme : Theme
    labels : dict of str to str, optional
        Names of metrics and methods for people.
    title, subtitle : str
    """
    labels = labels or {}
    metrics = list(dict.fromkeys(summary["metric"].astype(str)))
    methods = list(dict.fromkeys(summary["mitigation"].astype(str)))
    columns = min(3, max(1, len(metrics)))
    domains, height = grid_domains(len(metrics), columns, 210, 98, 0.075)
    figure = go.Figure()
    levels = summary["level"].to_numpy(dtype=float)
    for i, metric in enumerate(metrics):
        axis = "" if i == 0 else str(i + 1)
        part = summary[summary["metric"].astype(str) == metric]
        both = part[["fair", "biased"]].to_numpy(dtype=float)
        both = both[np.isfinite(both)]
        low, high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)
        pad = (high - low) * 0.08 or 0.05
        ends = [low - pad, high + pad]
        figure.add_trace(
            go.Scatter(
                x=ends,
                y=ends,
                mode="lines",
                line={"color": theme.muted, "width": 1.2, "dash": "dash"},
                hoverinfo="skip",
                showlegend=False,
                xaxis=f"x{axis}",
                yaxis=f"y{axis}",
                name="diagonal",
            )
        )
        for j, method in enumerate(methods):
            rows = part[part["mitigation"].astype(str) == method]
            figure.add_trace(
                go.Scatter(
                    x=rows["fair"],
                    y=rows["biased"],
                    mode="markers",
                    marker={
                        "symbol": SYMBOLS[j % len(SYMBOLS)],
                        "size": 9,
                        "color": rows["level"],
                        "coloraxis": "coloraxis",
                        "line": {"width": 0.8, "color": theme.text},
                    },
                    xaxis=f"x{axis}",
                    yaxis=f"y{axis}",
                    name=short(labels.get(method, method), 24),
                    legendgroup=method,
                    showlegend=i == 0 and len(methods) > 1,
                    customdata=[[wrapped(labels.get(method, method)), level] for level in rows["level"]],
                    hovertemplate="<b>%{customdata[0]}</b>, level %{customdata[1]:.2g}<br>fair %{x:.3f}, biased %{y:.3f}<extra></extra>",
                )
            )
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[i][0],
                    "anchor": f"y{axis}",
                    "range": ends,
                    "nticks": 4,
                    "title": {"text": "fair test set", "standoff": 4},
                },
                f"yaxis{axis}": {
                    "domain": domains[i][1],
                    "anchor": f"x{axis}",
                    "range": ends,
                    "nticks": 4,
                    "title": {"text": "biased test set", "standoff": 4} if i % columns == 0 else None,
                },
            }
        )
        panel_title(figure, theme, labels.get(metric, metric), axis=i + 1)
    figure.update_layout(
        coloraxis={
            "colorscale": colour_scale(theme.score_scale),
            "cmin": 0,
            "cmax": float(np.nanmax(levels, initial=0.0)) or 1.0,
            "colorbar": {
                "title": {"text": "Level of<br>bias" + BAR_GAP, "side": "top", "font": {"size": 11, "color": theme.muted}},
                "thickness": 12,
                "lenmode": "pixels",
                "len": 190,
                "y": 1,
                "yanchor": "top",
                "outlinewidth": 0,
                "tickfont": {"size": 11, "color": theme.text},
                "nticks": 5,
                "x": 1.01,
            },
        }
    )
    return finish(
        figure,
        theme,
        title=title,
        subtitle=subtitle or "On the dashed line both test sets agree. Colour: level of the planted bias.",
        plot_height=height,
        left=66,
        right=86,
        top=46,
        bottom=50,
        legend=len(methods) > 1,
    )


def level_curves(
    summary: pd.DataFrame,
    theme: Theme,
    *,
    metric: str,
    labels: dict[str, str] | None = None,
    baseline: str | None = "none",
    ideal: float | None = None,
    title: str = "",
    subtitle: str = "",
) -> go.Figure:
    """One metric over the level of bias on the fair and on the biased test set, one panel a method.

    Parameters
    ----------
    summary : DataFrame
        Columns mitigation, test_set ("fair" or "biased"), level, mean, std, n_ok, n_folds of one metric and model, as ``EvaluationResult.summary()`` gives them.
    theme : Theme
    metric : str
        Its label.
    labels : dict of str to str, optional
        Names of methods for people.
    baseline : str or None
        Method whose fair curve is repeated in every panel as a thin line.
    ideal : float, optional
        Value without disparity, drawn as a line.
    title, subtitle : str
    """
    labels = labels or {}
    methods = list(dict.fromkeys(summary["mitigation"].astype(str)))
    columns = min(3, max(1, len(methods)))
    domains, height = grid_domains(len(methods), columns, 300 if len(methods) == 1 else 160, 76, 0.04)
    figure = go.Figure()
    ends = np.concatenate([(summary["mean"] + s * summary["std"].fillna(0)).to_numpy(dtype=float) for s in (-1, 1)])
    ends = ends[np.isfinite(ends)]
    low, high = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 1.0)
    if ideal is not None:
        low, high = min(low, ideal), max(high, ideal)
    pad = (high - low) * 0.06 or 0.05
    shown: set[str] = set()
    base = summary[(summary["mitigation"].astype(str) == baseline) & (summary["test_set"] == "fair")].sort_values("level")
    for i, method in enumerate(methods):
        axis = "" if i == 0 else str(i + 1)
        place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
        if ideal is not None:
            figure.add_shape(
                type="line",
                xref=f"x{axis} domain",
                yref=f"y{axis}",
                x0=0,
                x1=1,
                y0=ideal,
                y1=ideal,
                line={"color": theme.accent, "width": 1.2, "dash": "dot"},
                layer="below",
            )
        if len(base) and method != baseline:
            name = f"{short(labels.get(str(baseline), str(baseline)), 20)}, fair test set"
            figure.add_trace(
                go.Scatter(
                    x=base["level"],
                    y=base["mean"],
                    mode="lines",
                    line={"color": theme.muted, "width": 1.2},
                    hoverinfo="skip",
                    name=name,
                    legendgroup="baseline",
                    showlegend="baseline" not in shown,
                    **place,
                )
            )
            shown.add("baseline")
        for test_set, colour, dash, symbol in (
            ("fair", theme.reference, "solid", "circle"),
            ("biased", theme.target, "dash", "diamond"),
        ):
            part = summary[(summary["mitigation"].astype(str) == method) & (summary["test_set"] == test_set)].sort_values("level")
            _level_curve(figure, part, theme, test_set, colour, dash, symbol, labels.get(method, method), place, shown)
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[i][0],
                    "anchor": f"y{axis}",
                    "nticks": 6,
                    "showgrid": False,
                    "ticks": "outside",
                    "title": {"text": "Level of bias", "standoff": 4} if i >= len(methods) - columns else None,
                },
                f"yaxis{axis}": {
                    "domain": domains[i][1],
                    "anchor": f"x{axis}",
                    "range": [low - pad, high + pad],
                    "nticks": 5,
                    "showticklabels": i % columns == 0,
                    "title": wrapped(metric, 22, 2) if i % columns == 0 else None,
                },
            }
        )
        panel_title(figure, theme, labels.get(method, method), axis=i + 1)
    text = subtitle or "Bands: one standard deviation over folds."
    if (summary["n_ok"] < summary["n_folds"]).any():
        text += " ×: some folds failed, how many worked is on hover."
    return finish(
        figure,
        theme,
        title=title or f"{metric} over the level of bias",
        subtitle=text,
        plot_height=height,
        left=76,
        top=46,
        bottom=52,
        legend=True,
    )


def _level_curve(
    figure: go.Figure,
    part: pd.DataFrame,
    theme: Theme,
    test_set: str,
    colour: str,
    dash: str,
    symbol: str,
    method: str,
    place: dict[str, str],
    shown: set[str],
) -> None:
    if not len(part):
        return
    deviation_band(figure, part, colour, 0.14, place)
    failed = (part["n_ok"] < part["n_folds"]).to_numpy()
    figure.add_trace(
        go.Scatter(
            x=part["level"],
            y=part["mean"],
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dash},
            marker={
                "symbol": ["x" if f else symbol for f in failed],
                "size": [9 if f else 6 for f in failed],
                "color": colour,
                "line": {"width": 1, "color": theme.page},
            },
            name=f"{test_set} test set",
            legendgroup=test_set,
            showlegend=test_set not in shown,
            customdata=[
                [wrapped(method), number(sd, 3), f"{int(ok)} of {int(n)}"]
                for sd, ok, n in zip(part["std"], part["n_ok"], part["n_folds"], strict=True)
            ],
            hovertemplate=f"<b>%{{customdata[0]}}</b>, {test_set} test set<br>level %{{x:.2g}}: %{{y:.3f}} ± %{{customdata[1]}}<br>%{{customdata[2]}} folds worked<extra></extra>",
            **place,
        )
    )
    shown.add(test_set)


def method_heatmap(
    ratings: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    rule: str = "",
    title: str = "Which method helps against which bias",
) -> go.Figure:
    """Methods x biases with symbols; the numbers are on hover.

    Parameters
    ----------
    ratings : DataFrame
        Columns mitigation, column (the bias or data set), rating, symbol, meaning, as ``rate_methods`` gives them, and where known
        share_better, share_worse, excess, note and the gains per metric (``gain_...``).
    theme : Theme
    labels : dict of str to str, optional
        Names of methods, columns and metrics for people.
    rule : str
        How ratings follow from numbers.
    title : str
    """
    labels = labels or {}
    methods = list(dict.fromkeys(ratings["mitigation"].astype(str)))
    columns = list(dict.fromkeys(ratings["column"].astype(str)))
    gains = [c for c in ratings.columns if str(c).startswith("gain_")]
    cells = []
    for record in rows_of(ratings):
        method, column, symbol = str(record["mitigation"]), str(record["column"]), plain(record["symbol"])
        hover = [
            f"<b>{wrapped(labels.get(method, method))}</b>, {wrapped(labels.get(column, column))}",
            f"<b>{symbol}</b> {wrapped(record['meaning'])}",
        ]
        if not missing(record.get("share_better")):
            hover.append(f"Cells: {percent(record['share_better'], 0)} better, {percent(record['share_worse'], 0)} worse")
        if not missing(record.get("excess")):
            hover.append(f"Loss above the fair baseline: {signed(record['excess'])}")
        for name in gains:
            metric = str(name).removeprefix("gain_")
            hover.append(f"Gain in {wrapped(labels.get(metric, metric))}: {signed(record[name])}")
        if record.get("note"):
            hover.append(f"<i>{wrapped(record['note'])}</i>")
        place = methods.index(method), columns.index(column)
        cells.append(Cell(*place, RANKS[str(record["rating"])], symbol, symbol, "<br>".join(hover), (method, column)))
    grid = Grid(
        [labels.get(m, m) for m in methods],
        [labels.get(c, c) for c in columns],
        cells,
        (*theme.less_scale[4:0:-1], theme.less_scale[0], *theme.p_scale[1:5]),
        -2.6,
        2.6,
        row_limit=30,
        text_columns=24,
        text_size=15,
    )
    known = ratings.drop_duplicates("rating").sort_values("rating", key=lambda r: r.map(RANKS).fillna(9))
    entries = [f"{symbol} {meaning}" for symbol, meaning in zip(known["symbol"], known["meaning"], strict=True)]
    legend = "\n".join(" · ".join(entries[i : i + 2]) for i in range(0, len(entries), 2))
    return draw_grid(grid, theme, title=title, subtitle=f"{legend}\n{rule}")
