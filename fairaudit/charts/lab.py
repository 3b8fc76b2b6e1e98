"""The bias lab: before and after an injection, and from which strength on it is seen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.distributions import category_chart, histogram_chart
from fairaudit.charts.heatmaps import scale_for
from fairaudit.charts.layout import finish, grid_domains, panel_title
from fairaudit.charts.sides import column_name, rows_of, sides_text
from fairaudit.charts.strength import Strength
from fairaudit.charts.text import cut, missing, percent, plain, short, wrapped
from fairaudit.charts.theme import DASHES, SYMBOLS, Theme, faded
from fairaudit.comparison import ComparisonSpec
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

TOGETHER = 4
"""Most detectors that share one panel; more get a panel each."""
CAUGHT = 0.8


def before_after_distributions(
    before: np.ndarray, after: np.ndarray, theme: Theme, *, attribute: str, ordered: bool = False
) -> go.Figure:
    """One attribute before and after the injections.

    Parameters
    ----------
    before, after : ndarray
        Numbers, or anything else for categories; the two may differ in length when rows were removed.
    theme : Theme
    attribute : str
    ordered : bool
        Keep categories in sorted order instead of by frequency.
    """
    title = f"{cut(attribute, 44)} before and after"
    names = {"attribute": attribute, "target": "After", "reference": "Before", "title": title}
    before, after = np.asarray(before), np.asarray(after)
    if before.dtype.kind in "iuf" and after.dtype.kind in "iuf":
        return histogram_chart(after.astype(float), before.astype(float), theme, edges=None, **names)
    counts = [Counter(str(v) for v in side.tolist() if not missing(v)) for side in (after, before)]
    levels = sorted(set(counts[0]) | set(counts[1]))
    return category_chart(levels, [counts[0][v] for v in levels], [counts[1][v] for v in levels], theme, ordered=ordered, **names)


def difference_heatmap(
    before: pd.DataFrame,
    after: pd.DataFrame,
    spec: ComparisonSpec,
    theme: Theme,
    *,
    alpha: float = 0.05,
    threshold: float | None = None,
    title: str = "What the injections changed in the audit",
    clickable: bool = True,
) -> go.Figure:
    """Change of the strength of every cell between two audits, with the verdicts before and after.

    Parameters
    ----------
    before, after : DataFrame
        As ``AuditResult.attributes()`` gives them.
    spec : ComparisonSpec
    theme : Theme
    alpha, threshold : float
    title : str
    clickable : bool
        Report clicks, with customdata (frame, group, attribute).
    """
    scale = Strength.of(spec, alpha, threshold)
    keys = ["frame", "group", "attribute"]
    both = after.merge(before, on=keys, how="left", suffixes=("", "_before"), validate="one_to_one")
    columns = list(dict.fromkeys(zip(both["frame"].astype(str), both["group"].fillna("").astype(str), strict=True)))
    rows = list(dict.fromkeys(both["attribute"].astype(str)))
    cells = []
    for record in rows_of(both):
        key = (str(record["frame"]), "" if missing(record["group"]) else str(record["group"]), str(record["attribute"]))
        used = scale_for(record, scale, alpha, threshold, "score")
        scores = np.array([record["score_before"], record["score"]], dtype=float)
        strengths = np.minimum(used.values(scores), scale.high)
        if used.kind == "unit":
            strengths = np.array([record.get("normalised_before", math.nan), record.get("normalised", math.nan)], dtype=float)
        change = float(strengths[1] - strengths[0])
        was = "not_measurable" if missing(record["verdict_before"]) else str(record["verdict_before"])
        now = str(record["verdict"])
        symbol = VERDICT_SYMBOLS[now] if was == now else f"{VERDICT_SYMBOLS[was]}→{VERDICT_SYMBOLS[now]}"
        moved = "" if math.isnan(change) else "=" if abs(change) < 0.005 else f"{change:+.2f}".replace("-", "−")
        hover = [
            f"<b>{wrapped(key[2])}</b>",
            wrapped(column_name(*key[:2])),
            f"Before: {VERDICT_SYMBOLS[was]} {VERDICT_LABELS[was]}, {used.long(scores[0])}",
            f"After: {VERDICT_SYMBOLS[now]} {VERDICT_LABELS[now]}, {used.long(scores[1])}",
        ]
        cells.append(Cell(*_at(rows, columns, key), change, f"{symbol} {moved}".strip(), symbol, "<br>".join(hover), key))
    top = scale.high
    middle = scale.colours(theme)[0]
    colours = (*theme.less_scale[:0:-1], middle, *scale.colours(theme)[1:])
    grid = Grid(
        rows,
        [column_name(*c) for c in columns],
        cells,
        colours,
        -top,
        top,
        "Change of<br>−log₁₀ p" if scale.is_p_value else "Change of<br>the score",
        ([-top, 0.0, top], [f"≤ −{top:g}", "0", f"≥ {top:g}"]),
    )
    subtitle = f"{sides_text(after)}\nVerdict, and how much the score moved: + means more disparity than before, = no change"
    return draw_grid(grid, theme, title=title, subtitle=subtitle, clickable=clickable)


def _at(rows: list[str], columns: list[tuple[str, str]], key: tuple[str, str, str]) -> tuple[int, int]:
    return rows.index(key[2]), columns.index(key[:2])


def detectability_chart(
    rates: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    alpha: float = 0.05,
    repeats: int | None = None,
    cannot_react: Collection[str] = (),
    title: str = "From which strength on each detector raises a flag",
    subtitle: str = "",
) -> go.Figure:
    """Share of repeats with a flag against the strength of the planted bias.

    Parameters
    ----------
    rates : DataFrame
        Columns detector, strength, flag_rate, low, high, and where known label, as ``DetectabilityResult.to_frame()`` gives them.
        The rate at strength 0 is the false-alarm rate.
    theme : Theme
    labels : dict of str to str, optional
        Names of detectors for people; by default the column ``label``.
    alpha : float
        Nominal false-alarm rate.
    repeats : int, optional
        Repeats behind each point.
    cannot_react : collection of str
        Detectors that look at nothing the bias changes.
    title, subtitle : str
    """
    detectors = list(dict.fromkeys(rates["detector"].astype(str)))
    if labels is None:
        labels = dict(zip(rates["detector"].astype(str), rates["label"].astype(str), strict=True)) if "label" in rates else {}
    together = len(detectors) <= TOGETHER
    columns = 1 if together else 3
    domains, height = grid_domains(1 if together else len(detectors), columns, 320 if together else 150, 92, 0.06)
    figure = go.Figure()
    for panel in range(1 if together else len(detectors)):
        axis = "" if panel == 0 else str(panel + 1)
        for other, detector in enumerate(detectors):
            own = together or other == panel
            part = rates[rates["detector"].astype(str) == detector].sort_values("strength")
            _curve(figure, part, theme, labels.get(detector, detector), other, axis, own, together)
        _reference_lines(figure, theme, axis, alpha, panel == 0, together)
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[panel][0],
                    "anchor": f"y{axis}",
                    "range": [-0.02, 1.02],
                    "tickmode": "array",
                    "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1] if together else [0, 0.5, 1],
                    "showgrid": False,
                    "title": "Strength of the planted bias"
                    if together
                    else {"text": "strength", "standoff": 2}
                    if panel >= len(detectors) - columns
                    else None,
                    "ticks": "outside",
                },
                f"yaxis{axis}": {
                    "domain": domains[panel][1],
                    "anchor": f"x{axis}",
                    "range": [-0.03, 1.05],
                    "tickmode": "array",
                    "tickvals": [0, 0.25, 0.5, 0.75, 1] if together else [0, 0.5, 1],
                    "tickformat": ".0%",
                    "showticklabels": panel % columns == 0,
                    "title": "Repeats with a flag" if panel % columns == 0 else None,
                },
            }
        )
        if not together:
            part = rates[rates["detector"].astype(str) == detectors[panel]].sort_values("strength")
            under = summary_of(part, detectors[panel] in cannot_react)
            panel_title(figure, theme, labels.get(detectors[panel], detectors[panel]), axis=panel + 1, under=under)
    text = subtitle or "Bands: intervals of the rate. At strength 0 every flag is a false alarm."
    if repeats:
        text += f" Each point: {repeats} repeats."
    return finish(
        figure,
        theme,
        title=title,
        subtitle=text,
        plot_height=height,
        left=70,
        right=28,
        top=8 if together else 58,
        bottom=54,
        legend=together,
        stacked=True,
    )


def summary_of(part: pd.DataFrame, cannot_react: bool = False) -> str:
    """Where a detector first reaches 80 %, or that it cannot, and its rate at strength 0, escaped."""
    rate = part["flag_rate"].to_numpy(dtype=float)
    strength = part["strength"].to_numpy(dtype=float)
    reached = np.flatnonzero((rate >= CAUGHT) & (strength > 0))
    caught = f"80 % from {strength[reached[0]]:g}" if len(reached) else "never 80 %"
    if cannot_react:
        caught = "cannot react"
    zero = rate[strength == 0]
    return caught + (f" · {percent(zero[0], 0)} at 0" if len(zero) and not np.isnan(zero[0]) else "")


def _curve(
    figure: go.Figure, part: pd.DataFrame, theme: Theme, name: str, index: int, axis: str, own: bool, together: bool
) -> None:
    x, rate = part["strength"].to_numpy(dtype=float), part["flag_rate"].to_numpy(dtype=float)
    colour = theme.series[index % len(theme.series)] if together else theme.target
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    if not own:
        figure.add_trace(
            go.Scatter(
                x=x,
                y=rate,
                mode="lines",
                line={"color": theme.axis, "width": 1},
                opacity=0.55,
                hoverinfo="skip",
                showlegend=False,
                name="others",
                **place,
            )
        )
        return
    banded = part.dropna(subset=["low", "high"])
    if len(banded):
        figure.add_trace(
            go.Scatter(
                x=[*banded["strength"], *banded["strength"][::-1]],
                y=[*banded["high"], *banded["low"][::-1]],
                fill="toself",
                fillcolor=faded(colour, 0.13),
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
                name="interval",
                **place,
            )
        )
    figure.add_trace(
        go.Scatter(
            x=x,
            y=rate,
            mode="lines+markers",
            line={"color": colour, "width": 2.2, "dash": DASHES[index % len(DASHES)] if together else "solid"},
            marker={"symbol": SYMBOLS[index % len(SYMBOLS)] if together else "circle", "size": 7, "color": colour},
            name=f"{short(name, 34)}: {plain(summary_of(part))}",
            showlegend=together,
            customdata=[
                [wrapped(name), percent(low), percent(high)] for low, high in zip(part["low"], part["high"], strict=True)
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>strength %{x:.2f}: flag in %{y:.1%}<br>interval %{customdata[1]} to %{customdata[2]}<extra></extra>",
            **place,
        )
    )


def _reference_lines(figure: go.Figure, theme: Theme, axis: str, alpha: float, labelled: bool, together: bool) -> None:
    for y, dash, text in ((CAUGHT, "dash", "80 %"), (alpha, "dot", f"α = {alpha:g}")):
        figure.add_shape(
            type="line",
            xref=f"x{axis} domain",
            yref=f"y{axis}",
            x0=0,
            x1=1,
            y0=y,
            y1=y,
            line={"color": theme.accent, "width": 1.2, "dash": dash},
            layer="below",
        )
        if labelled or together:
            figure.add_annotation(
                text=text,
                xref=f"x{axis} domain",
                yref=f"y{axis}",
                x=1 if y == alpha else 0,
                y=y,
                xanchor="right" if y == alpha else "left",
                yanchor="bottom",
                showarrow=False,
                font={"size": 11, "color": theme.accent},
            )
