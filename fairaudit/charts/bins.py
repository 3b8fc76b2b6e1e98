"""The evidence of an audit: scores, means and sizes per bin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.layout import finish
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.strength import Strength
from fairaudit.charts.text import count, cut, missing, number, plain, wrapped
from fairaudit.charts.theme import Theme, faded
from fairaudit.comparison import COMPARISONS, ComparisonSpec

DRAWN_TOP = 16.0
"""-log10 p at which the per-bin chart ends; smaller p-values are drawn there as arrows."""


def bin_heatmap(
    bins: pd.DataFrame,
    spec: ComparisonSpec,
    theme: Theme,
    *,
    comparisons: dict[str, str] | None = None,
    alpha: float = 0.05,
    threshold: float | None = None,
    sides: str = "",
    title: str = "",
    selected: tuple[str, int] | None = None,
    clickable: bool = True,
) -> go.Figure:
    """Score C[a,b] of every attribute in every bin of one frame and group.

    Parameters
    ----------
    bins : DataFrame
        Rows of ``AuditResult.bins()`` of one frame and group.
    spec : ComparisonSpec
        The chosen comparison.
    theme : Theme
    comparisons : dict of str to str, optional
        Comparison that was used for an attribute, where it is another one (``attributes()["comparison"]``).
    alpha, threshold : float
    sides : str
        Both sides and their sizes, from ``sides_text``.
    title : str, optional
    selected : tuple, optional
        Attribute and bin of the cell with a frame around it.
    clickable : bool
        Lay invisible markers over the cells that report clicks, with customdata (attribute, bin).
    """
    scale = Strength.of(spec, alpha, threshold)
    rows = list(dict.fromkeys(bins["attribute"].astype(str)))
    numbers = sorted({int(b) for b in bins["bin"]})
    largest = _largest(bins) if scale.kind == "unit" else {}
    cells, chosen = [], None
    for record in rows_of(bins):
        key = (str(record["attribute"]), int(record["bin"]))
        own = Strength.of(COMPARISONS[(comparisons or {}).get(key[0], spec.name)], alpha, threshold)
        used = own if own.is_p_value == scale.is_p_value else scale
        row, column = rows.index(key[0]), numbers.index(key[1])
        if selected is not None and key == tuple(selected):
            chosen = (row, column)
        score = record["score"]
        strength = math.nan if missing(score) else float(used.values(np.array([score]))[0])
        if used.kind == "unit" and not math.isnan(strength):
            strength = strength / largest[key[0]] if largest.get(key[0]) else 0.0
        flag = used.kind != "unit" and used.flagged(score)
        symbol = "–" if missing(score) else "▲" if flag else "○"
        short = plain(used.short(score))
        text = symbol if missing(score) else f"▲<br>{short}" if flag else short
        cells.append(Cell(row, column, strength, text, symbol, _bin_hover(record, used), key))
    unit = scale.kind == "unit"
    grid = Grid(
        rows,
        [str(n) for n in numbers],
        cells,
        scale.colours(theme),
        0.0 if unit else scale.low,
        1.0 if unit else scale.high,
        "Share of the<br>row's largest" if unit else scale.title,
        ([0.0, 0.5, 1.0], ["0", "0.5", "1"]) if unit else scale.ticks(),
        text_columns=10,
        text_size=10 if len(numbers) > 5 else 11,
        selected=chosen,
        column_title="Bin",
    )
    if not title:
        first = bins.iloc[0] if len(bins) else {"frame": "", "group": ""}
        title = f"Score of every bin: {cut(column_name(first['frame'], first['group']), 44)}"
    marks = "" if unit else f"▲ beyond the line ({scale.line_text()}) · "
    return draw_grid(grid, theme, title=title, subtitle=f"{sides}\n{spec.label}. {marks}– not defined", clickable=clickable)


def _largest(bins: pd.DataFrame) -> dict[str, float]:
    return {str(name): float(rows["score"].abs().max()) for name, rows in bins.groupby("attribute", sort=False)}


def _bin_hover(record: dict[str, Any], scale: Strength) -> str:
    lines = [f"<b>{wrapped(record['attribute'])}</b>, bin {int(record['bin'])}", f"Score: {scale.long(record['score'])}"]
    if not missing(record["mean_target"]):
        lines.append(f"Means: target {number(record['mean_target'])}, reference {number(record['mean_reference'])}")
    lines.append(f"Values: target {count(record['n_target'])}, reference {count(record['n_reference'])}")
    if record.get("note"):
        lines.append(f"<i>{wrapped(record['note'])}</i>")
    return "<br>".join(lines)


def bin_chart(
    bins: pd.DataFrame,
    spec: ComparisonSpec,
    theme: Theme,
    *,
    alpha: float = 0.05,
    threshold: float | None = None,
    aggregate: float | None = None,
    aggregation: str = "",
    target: str = "Target",
    reference: str = "Reference",
    mean_label: str = "Mean",
    title: str = "",
) -> go.Figure:
    """Scores, means and sizes of one attribute, bin by bin.

    Parameters
    ----------
    bins : DataFrame
        Rows of ``AuditResult.bins()`` of one frame, group and attribute.
    spec : ComparisonSpec
        The comparison that was used for this attribute.
    theme : Theme
    alpha, threshold : float
        For scores in the unit of the attribute a line is drawn only when ``threshold`` is given, in that unit.
    aggregate : float, optional
        M[a], drawn as a thin line.
    aggregation : str
        Name of the aggregation for people.
    target, reference : str
        Names of the sides.
    mean_label : str
        What the means are: "Mean salary", "Share of POST-GRAD".
    title : str, optional
    """
    scale = Strength.of(spec, alpha, threshold)
    bins = bins.sort_values("bin")
    x = bins["bin"].astype(int).to_numpy()
    with_means = bool(bins["mean_target"].notna().any() or bins["mean_reference"].notna().any())
    heights = [210, 150, 74] if with_means else [230, 74]
    gap = 34
    total = sum(heights) + gap * (len(heights) - 1)
    domains, top = [], total
    for h in heights:
        domains.append([(top - h) / total, top / total])
        top -= h + gap
    figure = go.Figure()
    _sides_panels(figure, bins, x, theme, target, reference, mean_label, with_means)
    _scores_panel(figure, bins, x, scale, theme, aggregate, aggregation, show_line=scale.kind != "unit" or threshold is not None)
    last = len(heights)
    for i, domain in enumerate(domains, start=1):
        name = "" if i == 1 else str(i)
        step = max(1, math.ceil(len(x) / 20))
        figure.update_layout(
            {
                f"xaxis{name}": {
                    "anchor": f"y{name}",
                    "domain": [0, 1],
                    "range": [0.4, len(x) + 0.6],
                    "tickmode": "array",
                    "tickvals": x[::step].tolist(),
                    "showticklabels": i == last,
                    "showgrid": False,
                    "title": {"text": "Bin", "standoff": 4} if i == last else None,
                    "ticks": "",
                },
                f"yaxis{name}": {"domain": domain, "anchor": f"x{name}", "nticks": 6 if i == 1 else 4 if i < last else 3},
            }
        )
    score_title = "p-value, drawn as −log₁₀ p" if scale.is_p_value else plain(spec.label)
    figure.update_layout(yaxis={"title": score_title, "rangemode": "tozero"})
    if with_means:
        figure.update_layout(yaxis2={"title": wrapped(mean_label, 22, 2)}, yaxis3={"title": "Values", "rangemode": "tozero"})
    else:
        figure.update_layout(yaxis2={"title": "Values", "rangemode": "tozero"})
    if not title:
        title = f"{cut(bins['attribute'].iloc[0], 40)}, bin by bin" if len(bins) else "Bin by bin"
    n_target, n_reference = bins["n_target"].sum(), bins["n_reference"].sum()
    subtitle = (
        f"{cut(target, 36)} ({count(n_target)} values) against {cut(reference, 36)} ({count(n_reference)} values)\n{spec.label}."
    )
    if not with_means:
        subtitle += " Categories without an order have no means."
    finish(figure, theme, title=title, subtitle=subtitle, plot_height=total, left=82, right=116, legend=True, bottom=52)
    figure.update_layout(barmode="group", bargap=0.35)
    return figure


def _scores_panel(
    figure: go.Figure,
    bins: pd.DataFrame,
    x: np.ndarray,
    scale: Strength,
    theme: Theme,
    aggregate: float | None,
    aggregation: str,
    show_line: bool,
) -> None:
    scores = bins["score"].to_numpy(dtype=float)
    heights = np.minimum(scale.values(scores), DRAWN_TOP) if scale.is_p_value else scores
    defined = np.isfinite(heights)
    hover = [_bin_hover(record, scale) for record in rows_of(bins)]
    flags = np.array([show_line and scale.flagged(s) for s in scores], dtype=bool)
    beyond = scale.is_p_value & (scale.values(scores) > DRAWN_TOP) if scale.is_p_value else np.zeros(len(scores), dtype=bool)
    limits = ["floor" if b else scale.limit(s) for s, b in zip(scores, beyond, strict=True)]
    colours = scale.colours(theme)
    flagged_colour, quiet = colours[3] if theme.name == "light" else colours[4], theme.muted
    figure.add_trace(
        go.Bar(
            x=x[defined],
            y=heights[defined],
            width=0.06 if scale.is_p_value else 0.6,
            marker={"color": [flagged_colour if f else faded(quiet, 0.55) for f in flags[defined]], "line": {"width": 0}},
            hovertext=[h for h, d in zip(hover, defined, strict=True) if d],
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
            name="score",
        )
    )
    if scale.is_p_value:
        names = {
            "": "p in this bin",
            "floor": "at the floor: the true p is smaller",
            "ceiling": "at the ceiling: no difference",
        }
        symbols = {"": "circle", "floor": "triangle-up", "ceiling": "triangle-down-open"}
        for limit in ("", "floor", "ceiling"):
            here = defined & np.array([entry == limit for entry in limits], dtype=bool)
            if here.any():
                figure.add_trace(
                    go.Scatter(
                        x=x[here],
                        y=heights[here],
                        mode="markers",
                        marker={
                            "symbol": symbols[limit],
                            "size": 11,
                            "color": [flagged_colour if f else quiet for f in flags[here]],
                            "line": {"width": 1.5, "color": theme.page if limit != "ceiling" else quiet},
                        },
                        hovertext=[h for h, d in zip(hover, here, strict=True) if d],
                        hovertemplate="%{hovertext}<extra></extra>",
                        showlegend=bool(limit),
                        name=names[limit],
                    )
                )
    if (~defined).any():
        figure.add_trace(
            go.Scatter(
                x=x[~defined],
                y=[0] * int((~defined).sum()),
                mode="markers",
                marker={"symbol": "x-thin", "size": 9, "line": {"width": 2, "color": theme.muted}},
                hovertext=[h for h, d in zip(hover, defined, strict=True) if not d],
                hovertemplate="%{hovertext}<extra></extra>",
                name="not defined",
                showlegend=True,
                cliponaxis=False,
            )
        )
    marks = []
    if show_line:
        marks.append((scale.line_at(), scale.line_text(), "dash", theme.accent))
    if aggregate is not None and not missing(aggregate):
        place = min(float(scale.values(np.array([aggregate]))[0]), DRAWN_TOP) if scale.is_p_value else aggregate
        marks.append((place, f"{aggregation or 'M[a]'} {scale.short(aggregate)}", "dot", theme.text))
    top = max([*heights[defined], *(m[0] for m in marks), 1e-12])
    bottom = min([*heights[defined], 0.0])
    _lines(figure, theme, marks, (top - bottom) * 1.12 or 1.0)
    figure.update_layout(yaxis={"range": [bottom * 1.12, top * 1.12]})


def _lines(figure: go.Figure, theme: Theme, marks: list[tuple[float, str, str, str]], span: float) -> None:
    """Horizontal lines with a label at the right; labels keep 15 pixels apart."""
    shifts = [0.0] * len(marks)
    if len(marks) == 2 and abs(marks[0][0] - marks[1][0]) / span * 210 < 15:
        upper = 0 if marks[0][0] >= marks[1][0] else 1
        shifts[upper], shifts[1 - upper] = 8, -8
    for (place, label, dash, colour), shift in zip(marks, shifts, strict=True):
        figure.add_shape(
            type="line",
            xref="x domain",
            x0=0,
            x1=1,
            yref="y",
            y0=place,
            y1=place,
            line={"dash": dash, "width": 1.5, "color": colour},
        )
        figure.add_annotation(
            text=wrapped(label, 14, 2),
            xref="x domain",
            x=1,
            xanchor="left",
            xshift=6,
            yref="y",
            y=place,
            yshift=shift,
            showarrow=False,
            font={"size": 11, "color": colour},
            align="left",
        )


def _sides_panels(
    figure: go.Figure,
    bins: pd.DataFrame,
    x: np.ndarray,
    theme: Theme,
    target: str,
    reference: str,
    mean_label: str,
    with_means: bool,
) -> None:
    sides = (
        ("target", target, theme.target, "circle", "solid", ""),
        ("reference", reference, theme.reference, "diamond-open", "dash", "/"),
    )
    for key, name, colour, symbol, dash, pattern in sides:
        shown = f"{plain(cut(name, 30))}"
        if with_means:
            figure.add_trace(
                go.Scatter(
                    x=x,
                    y=bins[f"mean_{key}"],
                    mode="lines+markers",
                    line={"color": colour, "width": 2, "dash": dash},
                    marker={"symbol": symbol, "size": 8, "color": colour, "line": {"width": 1.5, "color": colour}},
                    xaxis="x2",
                    yaxis="y2",
                    name=shown,
                    legendgroup=key,
                    customdata=[[wrapped(mean_label)]] * len(x),
                    hovertemplate=f"<b>{shown}</b>, bin %{{x}}<br>%{{customdata[0]}}: %{{y:,.4~g}}<extra></extra>",
                )
            )
        axis = "3" if with_means else "2"
        figure.add_trace(
            go.Bar(
                x=x,
                y=bins[f"n_{key}"],
                marker={
                    "color": faded(colour, 0.75),
                    "line": {"width": 0},
                    "pattern": {"shape": pattern, "size": 5, "solidity": 0.25, "fgcolor": theme.page, "fillmode": "overlay"},
                },
                xaxis=f"x{axis}",
                yaxis=f"y{axis}",
                name=shown,
                legendgroup=key,
                showlegend=not with_means,
                offsetgroup=key,
                hovertemplate=f"<b>{shown}</b>, bin %{{x}}<br>%{{y:,}} values<extra></extra>",
            )
        )
