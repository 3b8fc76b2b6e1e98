"""The frame around every figure: title, subtitle, margins, fonts, grid, legend."""

from __future__ import annotations

import textwrap

import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.text import clean, column_label, plain, width_of
from fairaudit.charts.theme import Theme, faded

CHARACTER = 7.2
"""Pixels of a character of the 12-pixel font, for a wide font."""
LINE = 17
TITLE_WIDTH, SUBTITLE_WIDTH = 72, 98
LEGEND = 21
BAR_GAP = '<br><span style="font-size:5px"> </span>'
"""Keeps the title of a colour bar away from its first label."""
LEGEND_WIDTH = 660
"""Pixels of a row of the legend on the narrowest screen."""


def header_lines(text: str, width: int) -> list[str]:
    """Escaped lines of a title or subtitle: at most two for each paragraph."""
    paragraphs = [clean(part) for part in text.split("\n") if part.strip()]
    return [plain(line) for part in paragraphs for line in textwrap.wrap(part, width, max_lines=2, placeholder=" …")]


def legend_rows(figure: go.Figure) -> int:
    """Rows that the legend needs at 700 pixels."""
    rows, used = 1, 0.0
    for trace in figure.data:
        if trace.showlegend is False or not trace.name:
            continue
        needed = 50 + 6.6 * width_of(trace.name)
        rows, used = (rows, used + needed) if used + needed <= LEGEND_WIDTH else (rows + 1, needed)
    return rows


def finish(
    figure: go.Figure,
    theme: Theme,
    *,
    title: str,
    subtitle: str = "",
    plot_height: int,
    left: int = 64,
    right: int = 28,
    top: int = 8,
    bottom: int = 52,
    legend: bool = False,
    stacked: bool = False,
) -> go.Figure:
    """Give a figure its title, margins and style.

    Parameters
    ----------
    figure : Figure
    theme : Theme
    title, subtitle : str
        Plain text; it is escaped here. A line break starts a new line.
    plot_height : int
        Pixels of the plotting area.
    left, right, bottom : int
        Margins in pixels.
    top : int
        Pixels between header and plotting area, for labels above it.
    legend : bool
        Show a legend under the header.
    stacked : bool
        One legend entry a line.
    """
    heading, under = header_lines(title, TITLE_WIDTH), header_lines(subtitle, SUBTITLE_WIDTH)
    header = 18 + 22 * len(heading) + LINE * len(under) + 8
    entries = sum(bool(t.name) and t.showlegend is not False for t in figure.data)
    legend_height = 14 + LEGEND * (entries if stacked else legend_rows(figure)) if legend else 0
    above = header + legend_height + top
    height = above + plot_height + bottom
    text = "<br>".join(f"<b>{line}</b>" for line in heading)
    if under:
        text += "<br>" + "<br>".join(f'<span style="font-size:12px;color:{theme.muted}">{line}</span>' for line in under)
    figure.update_layout(
        template=go.layout.Template(),
        title={
            "text": text,
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1 - 20 / height,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 12},
            "font": {"size": 15, "color": theme.text, "weight": 400},
        },
        font={"family": theme.font, "size": 12, "color": theme.text},
        height=height,
        margin={"l": left, "r": right, "t": above, "b": bottom, "autoexpand": False},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=list(theme.series),
        hoverlabel={
            "align": "left",
            "bgcolor": theme.page,
            "bordercolor": theme.axis,
            "font": {"family": theme.font, "size": 12, "color": theme.text},
            "namelength": -1,
        },
        hovermode="closest",
        dragmode=False,
        separators=".,",
        showlegend=legend,
        legend={
            # A vertical legend in the container pushes the title of the y axis into the plot.
            "orientation": "h",
            "entrywidthmode": "fraction" if stacked else "pixels",
            "entrywidth": 0.9 if stacked else 0,
            "x": 0.012,
            "xref": "container",
            "xanchor": "left",
            "y": 1 - header / height,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": 12, "color": theme.text},
            "bgcolor": "rgba(0,0,0,0)",
            "itemsizing": "constant",
            "itemwidth": 36,
            "tracegroupgap": 0,
        },
    )
    figure.update_annotations(font_family=theme.font)
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.axis,
        "tickcolor": theme.axis,
        "zeroline": False,
        "title_font": {"size": 12, "color": theme.muted},
        "tickfont": {"size": 12, "color": theme.text},
        "fixedrange": True,
    }
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure


def deviation_band(figure: go.Figure, part: pd.DataFrame, colour: str, opacity: float, place: dict[str, str]) -> None:
    """One standard deviation around the means of a line over ``level``; nothing where no level has both."""
    banded = part.dropna(subset=["mean", "std"])
    if not len(banded):
        return
    upper, lower = banded["mean"] + banded["std"], banded["mean"] - banded["std"]
    figure.add_trace(
        go.Scatter(
            x=[*banded["level"], *banded["level"][::-1]],
            y=[*upper, *lower[::-1]],
            fill="toself",
            fillcolor=faded(colour, opacity),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            name="standard deviation",
            **place,
        )
    )


def label_margin(labels: list[str], limit: int, extra: int = 20) -> int:
    """Left margin that holds the longest of some labels, which are cut at ``limit`` characters."""
    longest = max((min(width_of(clean(label)), limit) for label in labels), default=0)
    return int(longest * CHARACTER) + extra


def panel_title(figure: go.Figure, theme: Theme, name: object, *, axis: int, under: str = "") -> None:
    """A heading of at most two lines over one panel; ``axis`` is the panel's number, ``under`` a line below it."""
    reference = "" if axis == 1 else str(axis)
    figure.add_annotation(
        text=f"<b>{column_label(name, 22, 2)}</b>" + (f"<br>{plain(under)}" if under else ""),
        x=0,
        y=1,
        xref=f"x{reference} domain",
        yref=f"y{reference} domain",
        xanchor="left",
        yanchor="bottom",
        yshift=4,
        showarrow=False,
        font={"size": 12, "color": theme.text},
        align="left",
    )


def grid_domains(
    panels: int, columns: int, row_height: int, gap: int, across: float = 0.05
) -> tuple[list[tuple[list[float], list[float]]], int]:
    """Domains of panels laid out in rows, first row on top, and the height that they need.

    Returns
    -------
    list of (x domain, y domain), int
    """
    rows = -(-panels // columns)
    height = rows * row_height + (rows - 1) * gap
    width = (1 - across * (columns - 1)) / columns
    domains = []
    for i in range(panels):
        row, column = divmod(i, columns)
        top = 1 - row * (row_height + gap) / height
        start = column * (width + across)
        domains.append(([start, min(1.0, start + width)], [max(0.0, top - row_height / height), top]))
    return domains, height
