"""How often verdicts are wrong where nothing differs: the paper's rule beside the calibrated verdict."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from fairaudit.binning import BINNINGS
from fairaudit.charts.layout import finish, label_margin, panel_title
from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import percent, plain, short, wrapped
from fairaudit.charts.theme import Theme, faded
from fairaudit.comparison import COMPARISONS

RULES = {"paper": ("The paper's rule", "diamond", -0.17), "calibrated": ("Calibrated verdict", "circle", 0.17)}
"""Name, marker and place in the row of each rule."""
LEVEL = 0.05
ROW = 34


def false_alarm_chart(table: pd.DataFrame, theme: Theme, *, title: str = "How often a verdict is a false alarm") -> go.Figure:
    """A marker for each kind of attribute, a row for each comparison, a panel for each binning.

    Parameters
    ----------
    table : DataFrame
        As ``fairaudit.inference.false_alarms`` gives it.
    theme : Theme
    title : str

    Returns
    -------
    Figure
    """
    records = rows_of(table)
    comparisons = list(dict.fromkeys(str(r["comparison"]) for r in records))
    binnings = list(dict.fromkeys(str(r["binning"]) for r in records))
    figure = go.Figure()
    gap = 0.05
    width = (1 - gap * (len(binnings) - 1)) / max(len(binnings), 1)
    for i, binning in enumerate(binnings):
        axis = "" if i == 0 else str(i + 1)
        here = [r for r in records if r["binning"] == binning]
        for rule in RULES:
            _add_rule(figure, here, comparisons, rule, theme, axis, legend=i == 0)
        start = i * (width + gap)
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": [start, start + width],
                    "range": [-0.02, 1.02],
                    "tickmode": "array",
                    "tickvals": [0, LEVEL, 0.25, 0.5, 0.75, 1],
                    "ticktext": ["", "<b>5 %</b>", "25 %", "50 %", "75 %", "100 %"],
                    "title": {"text": "Share flagged", "standoff": 6},
                    "anchor": f"y{axis}",
                },
                f"yaxis{axis}": {
                    "tickmode": "array",
                    "tickvals": list(range(len(comparisons))),
                    "ticktext": [short(COMPARISONS[c].label, 26) for c in comparisons] if i == 0 else [""] * len(comparisons),
                    "range": [len(comparisons) - 0.4, -0.6],
                    "showgrid": False,
                    "ticklabelstandoff": 6,
                    "anchor": f"x{axis}",
                },
            }
        )
        figure.add_shape(
            type="line",
            x0=LEVEL,
            x1=LEVEL,
            xref=f"x{axis}",
            y0=0,
            y1=1,
            yref=f"y{axis} domain",
            line={"color": theme.accent, "width": 2, "dash": "dash"},
            layer="below",
        )
        panel_title(figure, theme, f"{binning.capitalize()} bins", axis=i + 1)
    return finish(
        figure,
        theme,
        title=title,
        subtitle="Data sets without any difference. A marker for each kind of attribute, a bar over their range.\nDashed: 5 %, what a verdict promises.",
        plot_height=ROW * len(comparisons),
        left=label_margin([COMPARISONS[c].label for c in comparisons], 26, 26),
        top=30,
        legend=True,
    )


def _add_rule(
    figure: go.Figure, records: list[dict[str, Any]], comparisons: list[str], rule: str, theme: Theme, axis: str, *, legend: bool
) -> None:
    """Markers of one rule in one panel, and a bar from the lowest to the highest of each row."""
    name, symbol, shift = RULES[rule]
    colour = theme.target if rule == "paper" else theme.reference
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
    ends: list[Any] = []
    at: list[Any] = []
    for row, comparison in enumerate(comparisons):
        rates = [float(r[rule]) for r in records if r["comparison"] == comparison]
        if rates:
            ends += [min(rates), max(rates), None]
            at += [row + shift, row + shift, None]
    figure.add_trace(
        go.Scatter(
            x=ends,
            y=at,
            mode="lines",
            line={"color": faded(colour, 0.45), "width": 5},
            hoverinfo="skip",
            showlegend=False,
            name=f"{name}: range",
            **place,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[float(r[rule]) for r in records],
            y=[comparisons.index(str(r["comparison"])) + shift for r in records],
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1, "color": theme.page}},
            name=name,
            legendgroup=rule,
            showlegend=legend,
            hovertext=[_hover(r) for r in records],
            hovertemplate="%{hovertext}<extra></extra>",
            cliponaxis=False,
            **place,
        )
    )


def _hover(record: dict[str, Any]) -> str:
    label = COMPARISONS[str(record["comparison"])].label
    return "<br>".join(
        [
            f"<b>{wrapped(label)} + {plain(record['aggregation'])} mean</b>"
            if record["aggregation"] in ("harmonic", "arithmetic")
            else f"<b>{wrapped(label)} + {plain(record['aggregation'])}</b>",
            f"{plain(BINNINGS[str(record['binning'])].label)}, attribute: {plain(record['attribute'])}",
            f"The paper's rule flags {percent(record['paper'])}",
            f"The calibrated verdict flags {percent(record['calibrated'])}",
        ]
    )
