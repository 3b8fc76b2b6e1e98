"""Pieces that several pages share: page heads, errors, empty states, tables, downloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from fairaudit.charts import DARK, LIGHT, Theme
from fairaudit.errors import FairAuditError, ValidationError
from fairaudit.reporting import safe_csv
from fairaudit.schema import Finding, Frames
from fairaudit.ui import state


def inside_frame() -> None:
    """Make sure that a page runs inside the frame of ``app.py``.

    A folder named ``pages`` makes a fresh server run the page of its very first request by itself, until ``st.navigation`` was called once.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def page_head(title: str, answers: str) -> None:
    """Title of a page and the question it answers."""
    inside_frame()
    st.title(title)
    st.markdown(f":gray[{answers}]")


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Show our own errors as problem and remedy and stop the page; anything else is a bug and stays one."""
    try:
        yield
    except FairAuditError as error:
        show_error(error)
        st.stop()


def show_error(error: FairAuditError) -> None:
    """One box for every problem, with its remedy."""
    problems = error.problems if isinstance(error, ValidationError) else (error,)
    for problem in problems:
        st.error(plain(problem.problem), icon=":material/error:")
        if problem.remedy:
            st.info(plain(problem.remedy), icon=":material/lightbulb:")


_MARKDOWN = str.maketrans({c: "\\" + c for c in "\\`*_{}[]()<>#+-.!|~$:"})


def plain(text: object) -> str:
    """Text from a file or a person, safe to put into Markdown: shown as it is, never interpreted."""
    return str(text).translate(_MARKDOWN).replace("\n", " ")


def empty_state(what: str, *, demo: Callable[[], None] | None = None, label: str = "Try it with the hiring demo") -> None:
    """Say what a page needs and offer one button that fills it; then stop."""
    with st.container(border=True):
        st.markdown(f"**{what}**")
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            if demo is not None and st.button(label, type="primary", icon=":material/play_arrow:"):
                demo()
                st.rerun()
            st.page_link("pages/data.py", label="Upload your own tables", icon=":material/upload_file:")
    st.stop()


def need_tables() -> state.Loaded:
    """The loaded tables, or the empty state."""
    from fairaudit.ui.cache import load_demo

    tables = state.loaded()
    if tables is None:
        empty_state("No tables are loaded yet.", demo=lambda: load_demo("hiring"))
    assert tables is not None
    sample_note(tables.frames)
    return tables


def sample_note(frames: Frames) -> None:
    """Say on a page that what it shows rests on samples, where it does."""
    if frames.samples:
        parts = [f"{plain(name)} is {sample.words}" for name, sample in frames.samples.items()]
        shown = "; ".join(parts[:4]) + (f"; and {len(parts) - 4} more" if len(parts) > 4 else "")
        st.warning(f"All that is shown rests on a sample: {shown}.", icon=":material/filter_alt:")


def chart_theme() -> Theme:
    """The colours of charts, light or dark as the visitor sees the page."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def plotly(figure: go.Figure, key: str, *, clickable: bool = False) -> list[object] | None:
    """Show a figure; for a clickable one the customdata of the cell that was clicked."""
    config = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoom2d", "pan2d", "autoScale2d"]}
    if not clickable:
        st.plotly_chart(figure, theme=None, key=key, config=config)
        return None
    event = st.plotly_chart(figure, theme=None, key=key, config=config, on_select="rerun", selection_mode="points")
    points = event["selection"]["points"]
    return list(points[0]["customdata"]) if points and points[0].get("customdata") else None


def findings_table(findings: tuple[Finding, ...]) -> None:
    """Findings, the severe ones first."""
    order = {"error": 0, "warning": 1, "info": 2}
    rows = sorted(findings, key=lambda f: order[f.severity])
    frame = pd.DataFrame(
        {
            "": [{"error": "✖ cannot be used", "warning": "▲ needs care", "info": "i good to know"}[f.severity] for f in rows],
            "table": [f.table for f in rows],
            "column": [f.column for f in rows],
            "what was found": [f.problem for f in rows],
            "what to do": [f.remedy for f in rows],
        }
    )
    st.dataframe(frame, hide_index=True, column_config={"what was found": st.column_config.TextColumn(width="large")})


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A table as CSV in which no cell is run as a formula by a spreadsheet."""
    return safe_csv(frame)


def download_table(frame: pd.DataFrame, file_name: str, label: str = "Download as CSV") -> None:
    """Button that saves a table."""
    st.download_button(
        label, csv_bytes(frame), file_name, "text/csv", icon=":material/download:", on_click="ignore", key=f"download.{file_name}"
    )
