"""How often calibrated verdicts find a difference that is there: comparisons and aggregations beside ways to cut bins."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.text import wrapped
from fairaudit.charts.theme import Theme
from fairaudit.comparison import COMPARISONS

WORLDS = {"everywhere": "In all rows", "stretch": "In a stretch"}
AGGREGATION_WORDS = {"arithmetic": "mean", "fisher": "Fisher"}
CUTS = {"sequential": "by row order", "quantile": "by value"}


def power_chart(table: pd.DataFrame, theme: Theme, *, title: str = "How often a difference is found") -> go.Figure:
    """A row for each comparison and aggregation, a column for each number of bins, a block for each way to cut and kind of difference.

    Parameters
    ----------
    table : DataFrame
        As ``fairaudit.inference.power_of_verdicts`` gives it; shares are averaged over the kinds of attributes.
    theme : Theme
    title : str

    Returns
    -------
    Figure
    """
    keys = ["world", "comparison", "aggregation", "binning", "bins"]
    means: dict[tuple[str, str, str, str, int], float] = table.groupby(keys, sort=False)["found"].mean().to_dict()  # type: ignore[assignment]
    pairs = list(dict.fromkeys(key[1:3] for key in means))
    cuts = list(dict.fromkeys(key[3:] for key in means))
    columns = [(world, *cut) for world in WORLDS for cut in sorted(cuts, key=lambda cut: list(CUTS).index(cut[0]))]
    cells = []
    for row, (comparison, aggregation) in enumerate(pairs):
        for column, (world, binning, bins) in enumerate(columns):
            # Over one bin every aggregation is the same, so it was measured with one of them only.
            one = next(a for c, a in pairs if c == comparison) if bins == 1 else aggregation
            found = means[world, comparison, one, binning, bins]
            hover = (
                f"<b>{wrapped(COMPARISONS[comparison].label)}</b><br>{AGGREGATIONS[aggregation].label}<br>"
                f"{bins} bin{'' if bins == 1 else f's {CUTS[binning]}'}, {WORLDS[world][0].lower()}{WORLDS[world][1:]}<br>Found in {found:.0%} of data sets"
            )
            number = f"{100 * found:.0f}"
            cells.append(Cell(row, column, found, number, number, hover, (comparison, aggregation, binning, bins)))
    grid = Grid(
        [_name(*pair) for pair in pairs],
        [str(bins) for *_, bins in columns],
        cells,
        theme.less_scale,
        0.0,
        1.0,
        text_columns=len(columns),
        blocks=[(f"{WORLDS[world]}, {CUTS[binning]}", str(bins)) for world, binning, bins in columns],
        text_size=11,
    )
    subtitle = (
        "Per cent of data sets in which the calibrated verdict finds it.\nColumns: number of bins, cut by row order or by value."
    )
    return draw_grid(grid, theme, title=title, subtitle=subtitle, clickable=False)


def _name(comparison: str, aggregation: str) -> str:
    """Both functions in few letters."""
    return f"{COMPARISONS[comparison].label.removesuffix(' test').removesuffix(' distance')}, {AGGREGATION_WORDS.get(aggregation, aggregation)}"
