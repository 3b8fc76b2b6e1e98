"""Distributions of an attribute on two sides, before and after any metric."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import streamlit as st

from fairaudit.attributes import PairValues, pair_values
from fairaudit.charts import category_chart, ecdf_chart, histogram_chart
from fairaudit.contrast import Contrast
from fairaudit.schema import COMPARED_TYPES, Frames
from fairaudit.ui.components import chart_theme, plain, plotly


class Sides(TypedDict):
    """Names of the two sides."""

    target: str
    reference: str


def show(frames: Frames) -> None:
    """One attribute of one target beside the reference."""
    columns = [c for c in frames.reference.columns if frames.reference.type_of(c) in COMPARED_TYPES]
    if not frames.targets:
        st.caption("They are shown beside those of a target table, and there is none.")
        return
    pairs = {p.frame: p for p in Contrast().pairs(frames)}
    if not columns:
        st.caption("No column can be compared.")
        return
    left, right = st.columns(2)
    attribute = left.selectbox("Attribute", columns, key="distribution.attribute", persist_state="session")
    frame = right.selectbox("Target", list(pairs), key="distribution.frame", persist_state="session")
    if problem := frames.problem_of(frame, attribute):
        st.caption(plain(problem))
        return
    values = pair_values(pairs[frame], attribute)
    sides: Sides = {"target": frame, "reference": frames.reference.name}
    if values.levels:
        categories(values, values.target, values.reference, sides)
        return
    with left:
        histogram(attribute, values.target, values.reference, sides)
    with right:
        plotly(ecdf_chart(values.target, values.reference, chart_theme(), attribute=attribute, **sides), key="distribution.ecdf")


def histogram(attribute: str, target: np.ndarray, reference: np.ndarray, sides: Sides, where: str = "") -> None:
    """Histograms over shared edges."""
    plotly(
        histogram_chart(
            target, reference, chart_theme(), attribute=attribute, title=_title("Histogram", attribute, where), **sides
        ),
        key="distribution.histogram",
    )


def categories(values: PairValues, target: np.ndarray, reference: np.ndarray, sides: Sides, where: str = "") -> None:
    """Shares of categories."""
    counts = [np.bincount(side[np.isfinite(side)].astype(int), minlength=len(values.levels)) for side in (target, reference)]
    plotly(
        category_chart(
            values.levels,
            counts[0].tolist(),
            counts[1].tolist(),
            chart_theme(),
            attribute=values.attribute,
            ordered=values.type == "ordinal",
            title=_title("Categories", values.attribute, where),
            **sides,
        ),
        key="distribution.categories",
    )


def _title(what: str, attribute: str, where: str) -> str:
    return f"{what} of {attribute}" + (f", {where}" if where else "")
