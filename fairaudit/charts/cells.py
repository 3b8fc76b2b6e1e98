"""A grid of coloured cells with a symbol or text in each, and invisible markers on top that report clicks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fairaudit.charts.layout import BAR_GAP, CHARACTER, finish, label_margin
from fairaudit.charts.text import clean, column_label, short, width_of
from fairaudit.charts.theme import Theme, colour_at, colour_scale, ink_on

CELL_LAYER = "cells"
ROTATED = 32
"""Degrees by which column headings lean when there are many columns."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    row, column : int
    strength : float
        Place on the colour scale; NaN for a cell that cannot be measured.
    text : str
        Symbol and short number, escaped.
    symbol : str
        What is left of the text when there are many columns.
    hover : str
        Content of the hover box, escaped, with ``<br>``.
    key : tuple
        Raw names that a click reports.
    """

    row: int
    column: int
    strength: float
    text: str
    symbol: str
    hover: str
    key: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Grid:
    """Cells, names of rows and columns, and the colour scale.

    Attributes
    ----------
    rows, columns : list of str
        Raw names, first row on top.
    cells : list of Cell
        Combinations that are absent stay blank.
    colours : tuple of str
    low, high : float
        Strengths of the first and the last colour.
    bar_title : str
        Heading of the colour bar, escaped; empty for no colour bar.
    ticks : tuple of list
        Places and labels of the colour bar.
    text_columns : int
        Largest number of columns with numbers in the cells; with more, only symbols are shown.
    selected : tuple of int or None
        Row and column of the cell with a frame around it.
    row_limit : int
        Characters of row names that are shown.
    bold_rows : frozenset of int
        Rows whose names are bold.
    column_title : str
        Heading over the names of columns.
    blocks : list of (str, str) or None
        Frame and group of every column: with many columns the groups stand on top and the frames below the cells.
    text_size : int
        Of the numbers in the cells.
    """

    rows: list[str]
    columns: list[str]
    cells: list[Cell]
    colours: tuple[str, ...]
    low: float
    high: float
    bar_title: str = ""
    ticks: tuple[list[float], list[str]] = ([], [])
    text_columns: int = 8
    selected: tuple[int, int] | None = None
    row_limit: int = 28
    bold_rows: frozenset[int] = field(default=frozenset())
    column_title: str = ""
    blocks: list[tuple[str, str]] | None = None
    text_size: int = 12


def row_height(rows: int) -> int:
    """Pixels of a row: comfortable for few rows, denser for many."""
    return 34 if rows <= 16 else 28 if rows <= 40 else 22


def plot_width_share(columns: int, bar: bool) -> float:
    """Share of the width that the cells take: a lonely column should not become a banner."""
    return min(1.0, 0.14 + (0.16 if bar else 0.24) * columns)


def draw_grid(grid: Grid, theme: Theme, *, title: str, subtitle: str, clickable: bool = True) -> go.Figure:
    """The grid as a figure.

    Traces: ``cells`` (colours), ``not measurable`` (hatched), the texts, and last ``clicks``, whose markers carry the keys
    as customdata.
    """
    n_rows, n_columns = len(grid.rows), len(grid.columns)
    height, share = row_height(n_rows), plot_width_share(n_columns, bool(grid.bar_title))
    figure = go.Figure()
    measured = [c for c in grid.cells if not np.isnan(c.strength)]
    unmeasured = [c for c in grid.cells if np.isnan(c.strength)]
    z = np.full((n_rows, n_columns), np.nan)
    for cell in measured:
        z[cell.row, cell.column] = min(max(cell.strength, grid.low), grid.high)
    figure.add_trace(
        go.Heatmap(
            z=z,
            x=list(range(n_columns)),
            y=list(range(n_rows)),
            zmin=grid.low,
            zmax=grid.high,
            colorscale=colour_scale(grid.colours),
            xgap=2,
            ygap=2,
            hoverinfo="skip",
            hoverongaps=False,
            showscale=bool(grid.bar_title),
            colorbar=_colour_bar(grid, theme, share, n_rows * height) if grid.bar_title else None,
            name=CELL_LAYER,
        )
    )
    if unmeasured:
        figure.add_trace(_hatched(unmeasured, theme))
    _add_texts(figure, grid, measured, unmeasured, theme)
    if clickable:
        figure.add_trace(_clicks(grid, height))
    many = n_columns > 7
    two_tiers = many and grid.blocks is not None and len({f for f, _ in grid.blocks}) < n_columns
    tops = [group for _, group in grid.blocks] if two_tiers and grid.blocks else grid.columns
    longest = max((width_of(clean(c)) for c in tops), default=1)
    step = max(1, -(-n_columns // 32))
    if not many:
        per_column = int(440 * share / max(n_columns, 1) / CHARACTER)
        headings = [column_label(c, per_column) for c in grid.columns]
        above, angle = 16 * max((h.count("<br>") + 1 for h in headings), default=1) + 8, 0
    elif longest <= 3:
        headings, above, angle = [short(c) for c in tops], 24, 0
    else:
        angle = -ROTATED if n_columns <= 14 else -90
        limit = 24 if n_columns <= 14 else 20
        headings = [short(c, limit) for c in tops]
        above = int(min(longest, limit) * 6.6 * np.sin(np.radians(-angle))) + 22
    names = [short(r, grid.row_limit) for r in grid.rows]
    names = [f"<b>{name}</b>" if i in grid.bold_rows else name for i, name in enumerate(names)]
    if grid.column_title:
        above += 18
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(0, n_columns, step)),
        ticktext=headings[::step],
        tickangle=angle,
        range=[-0.5, n_columns - 0.5],
        domain=[0, share],
        side="top",
        showgrid=False,
        ticks="",
        title={"text": grid.column_title, "standoff": 4} if grid.column_title else None,
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(n_rows)),
        ticktext=names,
        range=[n_rows - 0.5, -0.5],
        showgrid=False,
        ticks="",
        ticklabelstandoff=6,
    )
    finish(
        figure,
        theme,
        title=title,
        subtitle=subtitle,
        plot_height=n_rows * height,
        left=label_margin(grid.rows, grid.row_limit, 26),
        right=104 if grid.bar_title and share > 0.8 else 28,
        top=above,
        bottom=(48 if two_tiers else 16) + max(0, 150 - n_rows * height if grid.bar_title else 0),
    )
    if two_tiers and grid.blocks:
        _name_blocks(figure, grid.blocks, theme)
    figure.update_layout(hoverdistance=-1, barmode="overlay", bargap=0)
    if grid.selected is not None:
        row, column = grid.selected
        figure.add_shape(
            type="rect",
            x0=column - 0.5,
            x1=column + 0.5,
            y0=row - 0.5,
            y1=row + 0.5,
            line={"color": theme.accent, "width": 3},
            layer="above",
        )
    return figure


def _colour_bar(grid: Grid, theme: Theme, share: float, height: int) -> dict[str, Any]:
    values, labels = grid.ticks
    return {
        "title": {
            "text": grid.bar_title + BAR_GAP,
            "side": "top",
            "font": {"size": 11, "color": theme.muted},
        },
        "tickmode": "array",
        "tickvals": values,
        "ticktext": labels,
        "tickfont": {"size": 11, "color": theme.text},
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.axis,
        "outlinewidth": 0,
        "thickness": 12,
        "lenmode": "pixels",
        "len": min(280, max(height, 150)),
        "y": 1,
        "yanchor": "top",
        "x": share + 0.015,
        "xanchor": "left",
        "xpad": 4,
        "ypad": 0,
    }


def _name_blocks(figure: go.Figure, blocks: list[tuple[str, str]], theme: Theme) -> None:
    """Frames under their columns, with a line between one frame and the next."""
    names = [frame for frame, _ in blocks]
    starts = [i for i in range(len(names)) if i == 0 or names[i] != names[i - 1]]
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        figure.add_annotation(
            text=f"<b>{column_label(names[start], max(4, int((end - start) * 4.4)), 2)}</b>",
            x=(start + end - 1) / 2,
            y=0,
            yref="paper",
            yanchor="top",
            yshift=-6,
            showarrow=False,
            font={"size": 12, "color": theme.text},
        )
        if start:
            figure.add_shape(
                type="line",
                x0=start - 0.5,
                x1=start - 0.5,
                yref="paper",
                y0=-0.02,
                y1=1,
                line={"color": theme.muted, "width": 1.5},
            )


def _hatched(cells: list[Cell], theme: Theme) -> go.Bar:
    """Grey hatched rectangles: heatmaps know no patterns."""
    return go.Bar(
        orientation="h",
        base=[c.column - 0.485 for c in cells],
        x=[0.97] * len(cells),
        y=[c.row for c in cells],
        width=0.94,
        marker={
            "color": theme.unmeasured,
            "pattern": {"shape": "/", "fgcolor": theme.axis, "size": 7, "solidity": 0.12, "fillmode": "overlay"},
            "line": {"width": 0},
        },
        unselected={"marker": {"opacity": 1}},
        hoverinfo="skip",
        showlegend=False,
        name="not measurable",
    )


def _add_texts(figure: go.Figure, grid: Grid, measured: list[Cell], unmeasured: list[Cell], theme: Theme) -> None:
    """Texts of the cells, one trace a colour: a selection fades every colour but one of its own."""
    full = len(grid.columns) <= grid.text_columns
    size = grid.text_size if full else 13 if len(grid.columns) <= 24 else 9
    span = (grid.high - grid.low) or 1.0
    groups: dict[str, list[Cell]] = {}
    for cell in measured:
        groups.setdefault(ink_on(colour_at(grid.colours, (cell.strength - grid.low) / span), theme), []).append(cell)
    if unmeasured:
        groups.setdefault(theme.muted, []).extend(unmeasured)
    for ink, cells in groups.items():
        figure.add_trace(
            go.Scatter(
                x=[c.column for c in cells],
                y=[c.row for c in cells],
                mode="text",
                text=[c.text if full else c.symbol for c in cells],
                textposition="middle center",
                textfont={"color": ink, "size": size},
                selected={"textfont": {"color": ink}},
                unselected={"textfont": {"color": ink}},
                hoverinfo="skip",
                showlegend=False,
                name="text",
            )
        )


def _clicks(grid: Grid, height: int) -> go.Scatter:
    """Markers that cannot be seen but answer hovering and clicks; the nearest one is that of the cell under the pointer."""
    return go.Scatter(
        x=[c.column for c in grid.cells],
        y=[c.row for c in grid.cells],
        mode="markers",
        marker={"symbol": "square", "size": height - 2, "opacity": 0, "color": "rgba(0,0,0,0)"},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=[list(c.key) for c in grid.cells],
        hovertext=[c.hover for c in grid.cells],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
        name="clicks",
    )
