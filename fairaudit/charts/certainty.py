"""What an audit would have seen, beside what it saw."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.layout import finish, label_margin
from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import certainty_lines, missing, number, plain, short, size_text, wrapped
from fairaudit.charts.theme import Theme, faded
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

MARKERS = {"disparity": "triangle-up", "no_evidence": "circle"}
ROW, GAP = 26, 74
"""Pixels of a row, and between the two panels."""
PANELS = {"sd": ("Shift, in standard deviations", 1.0), "share": ("Change of a share, in percentage points", 100.0)}
"""Axis and factor of each unit."""


def detectable_chart(rows: pd.DataFrame, theme: Theme, *, title: str, sides: str = "") -> go.Figure:
    """Size of the observed difference of each attribute, on a bar up to the size that would have been found.

    Parameters
    ----------
    rows : DataFrame
        Attributes of one frame and group, as ``AuditResult.attributes()`` gives them, with ``detectable`` known for at least one.
    theme : Theme
    title : str
    sides : str
        Both sides and their sizes.

    Returns
    -------
    Figure
        A panel for shifts, in standard deviations, and one for shares, in percentage points. Nominal attributes have no observed size.
    """
    records = [r for r in rows_of(rows) if r["verdict"] != "not_measurable"]
    groups = {unit: [r for r in records if _unit(r) == unit] for unit in PANELS}
    groups = {unit: found for unit, found in groups.items() if found}
    height = sum(ROW * len(found) for found in groups.values()) + GAP * (len(groups) - 1)
    figure, top = go.Figure(), 1.0
    for i, (unit, found) in enumerate(groups.items()):
        bottom = max(0.0, top - ROW * len(found) / height)
        _panel(figure, found, unit, theme, "" if i == 0 else "2", (bottom, top))
        top = bottom - GAP / height
    known = sum(not missing(r["detectable"]) for r in records)
    subtitle = (
        f"{sides}\nBar: what may be missed. From its end on a difference would have been found with 80 % power."
        f"\nKnown for {known} of {len(records)} measured attributes."
    )
    return finish(
        figure,
        theme,
        title=title,
        subtitle=subtitle,
        plot_height=height,
        left=label_margin([str(r["attribute"]) for r in records], 28, 26),
        right=70,
        legend=True,
    ).update_layout(barmode="overlay")


def _unit(record: dict[str, Any]) -> str:
    """Unit of an attribute; where nothing could be planted, that of its effect."""
    if record["detectable_unit"] in PANELS:
        return str(record["detectable_unit"])
    return "sd" if record.get("effect_kind") == "d" else "share"


def observed(record: dict[str, Any]) -> float:
    """Size of the observed difference, in the unit of the attribute; NaN for nominal ones."""
    kind = record.get("effect_kind")
    if kind == "d":
        return math.nan if missing(record["effect"]) else abs(float(record["effect"]))
    if kind == "h" and not missing(record["mean_target"]):
        return abs(float(record["mean_target"]) - float(record["mean_reference"]))
    return math.nan


def _panel(
    figure: go.Figure, records: list[dict[str, Any]], unit: str, theme: Theme, axis: str, domain: tuple[float, float]
) -> None:
    heading, factor = PANELS[unit]
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    sizes = [math.nan if missing(r["detectable"]) else factor * float(r["detectable"]) for r in records]
    seen = [factor * observed(r) for r in records]
    largest = max([v for v in (*sizes, *seen) if not math.isnan(v)], default=1.0) or 1.0
    hover = [_hover(r, seen[i] / factor) for i, r in enumerate(records)]
    figure.add_trace(
        go.Bar(
            orientation="h",
            x=sizes,
            y=list(range(len(records))),
            width=0.62,
            marker={
                "color": faded(theme.reference, 0.22),
                "line": {"width": 1, "color": theme.reference},
                "pattern": {"shape": "/", "fgcolor": theme.reference, "size": 6, "solidity": 0.12, "fillmode": "overlay"},
            },
            text=["" if math.isnan(s) else f"{s:.2g}" for s in sizes],
            textposition="outside",
            textfont={"color": theme.text, "size": 11},
            cliponaxis=False,
            name="may be missed",
            showlegend=not axis,
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
            **place,
        )
    )
    for i in [i for i, s in enumerate(sizes) if math.isnan(s)]:
        figure.add_annotation(
            text="not known",
            x=1,
            y=i,
            xref=f"x{axis} domain",
            yref=f"y{axis}",
            xanchor="left",
            xshift=2,
            showarrow=False,
            font={"size": 11, "color": theme.muted},
            hovertext=hover[i],
        )
    for verdict, symbol in MARKERS.items():
        here = [i for i, r in enumerate(records) if r["verdict"] == verdict and not math.isnan(seen[i])]
        # An entry of the legend for each verdict that occurs anywhere, drawn once.
        first = bool(here) and verdict not in {t.legendgroup for t in figure.data}
        if here:
            colour = theme.target if verdict == "disparity" else theme.text
            figure.add_trace(
                go.Scatter(
                    x=[seen[i] for i in here],
                    y=here,
                    mode="markers",
                    marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 1.5, "color": theme.page}},
                    name="observed: " + {"disparity": "disparity", "no_evidence": "no evidence"}[verdict],
                    legendgroup=verdict,
                    showlegend=first,
                    hovertext=[hover[i] for i in here],
                    hovertemplate="%{hovertext}<extra></extra>",
                    cliponaxis=False,
                    **place,
                )
            )
    figure.update_layout(
        {
            f"xaxis{axis}": {
                "title": {"text": heading, "standoff": 6},
                "range": [0, largest * 1.02],
                "anchor": f"y{axis}",
                "rangemode": "tozero",
            },
            f"yaxis{axis}": {
                "domain": list(domain),
                "anchor": f"x{axis}",
                "tickmode": "array",
                "tickvals": list(range(len(records))),
                "ticktext": [short(r["attribute"], 28) for r in records],
                "range": [len(records) - 0.4, -0.6],
                "showgrid": False,
                "ticklabelstandoff": 6,
            },
        }
    )


def _hover(record: dict[str, Any], seen: float) -> str:
    verdict = str(record["verdict"])
    lines = [f"<b>{wrapped(record['attribute'])}</b>", f"<b>{VERDICT_SYMBOLS[verdict]} {VERDICT_LABELS[verdict]}</b>"]
    if not math.isnan(seen):
        lines.append(f"Observed: {plain(size_text(seen, _unit(record)))}")
    if not missing(record.get("p_adjusted")):
        lines.append(f"Corrected p: {number(record['p_adjusted'], 3)}")
    return "<br>".join(lines + certainty_lines(record))
