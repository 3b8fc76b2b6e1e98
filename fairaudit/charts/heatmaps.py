"""The answer of an audit: frames x attributes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.cells import Cell, Grid, draw_grid
from fairaudit.charts.sides import column_name, rows_of, sides_text
from fairaudit.charts.strength import Strength
from fairaudit.charts.text import certainty_lines, count, missing, number, p_text, plain, signed, wrapped
from fairaudit.charts.theme import Theme
from fairaudit.comparison import COMPARISONS, ComparisonSpec
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS

Shown = Literal["score", "p_value", "p_adjusted"]
SHOWN_LABELS = {"score": "score", "p_value": "permutation p-value", "p_adjusted": "corrected permutation p-value"}


def verdict_heatmap(
    attributes: pd.DataFrame,
    spec: ComparisonSpec,
    theme: Theme,
    *,
    alpha: float = 0.05,
    threshold: float | None = None,
    show: Shown = "score",
    resamples: int | None = None,
    title: str = "Which attributes differ, and where",
    selected: tuple[str, str, str] | None = None,
    clickable: bool = True,
    provisional: bool = False,
) -> go.Figure:
    """Verdict of every attribute on every frame and group.

    Parameters
    ----------
    attributes : DataFrame
        As ``AuditResult.attributes()`` gives it; rows and columns keep its order.
    spec : ComparisonSpec
        The chosen comparison; nominal attributes may have been compared by another of the same kind.
    theme : Theme
    alpha : float
    threshold : float, optional
        Line of scores that are no p-values; by default that of the comparison.
    show : {"score", "p_value", "p_adjusted"}
        What colour and number show. The symbol is always the verdict.
    resamples : int, optional
        Number of permutations, for marking the smallest possible permutation p-value.
    title : str
    selected : tuple of str, optional
        Frame, group and attribute of the cell with a frame around it.
    clickable : bool
        Lay invisible markers over the cells that report clicks, with customdata (frame, group, attribute).
    provisional : bool
        The verdicts are those of the paper's rule until calibrated ones are there: each has a question mark.

    Returns
    -------
    Figure
    """
    symbols = {v: s if v == "not_measurable" or not provisional else f"{s}?" for v, s in VERDICT_SYMBOLS.items()}
    scale = _scale(spec, alpha, threshold, show, resamples)
    columns = list(dict.fromkeys(zip(attributes["frame"].astype(str), attributes["group"].fillna("").astype(str), strict=True)))
    rows = list(dict.fromkeys(attributes["attribute"].astype(str)))
    cells, chosen = [], None
    for record in rows_of(attributes):
        group = "" if missing(record["group"]) else str(record["group"])
        key = (str(record["frame"]), group, str(record["attribute"]))
        row, column = rows.index(key[2]), columns.index(key[:2])
        if selected is not None and key == tuple(selected):
            chosen = (row, column)
        used = scale_for(record, scale, alpha, threshold, show)
        value, strength = record[show], _strength(record, used, show)
        verdict = str(record["verdict"])
        symbol = symbols[verdict]
        if verdict == "not_measurable":
            strength = math.nan
        elif math.isnan(strength):
            strength = 0.0  # identical constants have no score but a verdict
        text = symbol if verdict == "not_measurable" or missing(value) else f"{symbol} {plain(used.short(value))}"
        cells.append(Cell(row, column, strength, text, symbol, _hover(record, used, show, symbol), key))
    grid = Grid(
        rows,
        [column_name(*c) for c in columns],
        cells,
        scale.colours(theme),
        scale.low,
        scale.high,
        scale.title,
        scale.ticks(),
        selected=chosen,
        blocks=columns,
    )
    legend = " · ".join(f"{symbols[v]} {VERDICT_LABELS[v].lower()}" for v in symbols)
    shown = SHOWN_LABELS[show] + (f" ({spec.label})" if show == "score" else "")
    subtitle = f"{sides_text(attributes)}\n{legend}\nColour and number: {shown}"
    return draw_grid(grid, theme, title=title, subtitle=subtitle, clickable=clickable)


def _scale(spec: ComparisonSpec, alpha: float, threshold: float | None, show: Shown, resamples: int | None) -> Strength:
    if show == "score":
        return Strength.of(spec, alpha, threshold)
    return Strength.p_values(alpha, 1 / (resamples + 1) if resamples else None)


def scale_for(record: dict[str, Any], scale: Strength, alpha: float, threshold: float | None, show: Shown) -> Strength:
    """Scale of one attribute: that of the chosen comparison, with the limits of the function that was used."""
    if show != "score" or record["comparison"] not in COMPARISONS:
        return scale
    own = Strength.of(COMPARISONS[record["comparison"]], alpha, threshold)
    return dataclasses.replace(own, title=scale.title) if own.is_p_value == scale.is_p_value else scale


def _strength(record: dict[str, Any], scale: Strength, show: Shown) -> float:
    """Place on the colour scale; scores in the unit of an attribute by their normalised form, which has none."""
    if show == "score" and scale.kind == "unit":
        return float(record.get("normalised", math.nan))
    return math.nan if missing(record[show]) else float(scale.values(np.array([record[show]]))[0])


def _hover(record: dict[str, Any], scale: Strength, show: Shown, symbol: str) -> str:
    lines = [f"<b>{wrapped(record['attribute'])}</b>", wrapped(column_name(record["frame"], record["group"]))]
    lines.append(f"<b>{symbol} {VERDICT_LABELS[str(record['verdict'])]}</b>")
    if not missing(record["score"]):
        name = record["comparison"]
        label, own = (COMPARISONS[name].label, Strength.of(COMPARISONS[name])) if name in COMPARISONS else ("Score", scale)
        lines.append(f"{plain(label)}: {own.long(record['score'])}")
    rule = record.get("paper_rule") or record.get("rule", "")
    if not missing(record["paper_flag"]):
        lines.append(f"Paper's rule{f' ({plain(rule)})' if rule else ''}: {'flag' if record['paper_flag'] else 'no flag'}")
    if not missing(record["p_value"]):
        corrected = "" if missing(record["p_adjusted"]) else f", corrected {plain(p_text(record['p_adjusted']))}"
        lines.append(f"Permutation p: {plain(p_text(record['p_value']))}{corrected}")
    lines += certainty_lines(record)
    if record.get("direction"):
        kind = record.get("effect_kind", "")
        size = "" if missing(record["effect"]) else f" (effect {plain(kind)} = {signed(record['effect'])})"
        lines.append(f"Target is {wrapped(record['direction'], 50, 2)}{size}")
    if not missing(record.get("mean_target")):
        lines.append(f"Means: target {number(record['mean_target'])}, reference {number(record['mean_reference'])}")
    if not missing(record.get("n_target")):
        lines.append(f"Values: target {count(record['n_target'])}, reference {count(record['n_reference'])}")
    if record.get("note"):
        lines.append(f"<i>{wrapped(record['note'], 60)}</i>")
    return "<br>".join(lines)
