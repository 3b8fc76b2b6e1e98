"""The sidebar: what is loaded, and a way to forget it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from fairaudit.schema import AuditTable
from fairaudit.ui import jobs, state
from fairaudit.ui.components import plain

ICON = str(Path(__file__).parents[1] / "data" / "icon.svg")
"""A file of our own: a named icon would be fetched from another host."""


@contextmanager
def work_in_progress() -> Iterator[None]:
    """Room in the sidebar for the jobs of this session: running ones at once, because nothing can be drawn after ``st.stop()``.

    The page runs again when work has ended that it still shows as running: nobody else would tell it.
    """
    room = st.sidebar.container()
    with room:
        shown = jobs.watch()
    try:
        yield
    finally:
        if not shown:
            with room:
                jobs.watch()
    if jobs.take_ends():
        st.rerun()


def _rows(table: AuditTable) -> str:
    """How many rows a table has, and of how many they are a sample."""
    sample = table.sample
    if sample is None:
        return f"{len(table):,} rows"
    drawn = f"sample of {sample.rows:,} of {sample.of:,} rows (seed {sample.seed})"
    return drawn if len(table) == sample.rows else f"{len(table):,} rows of a {drawn}"


def sidebar() -> None:
    """What is loaded in this session, on every page."""
    with st.sidebar:
        tables = state.loaded()
        if tables is None:
            st.caption("No tables are loaded. They stay in this session: nothing is stored, nothing leaves this computer.")
            return
        frames = tables.frames
        st.markdown(f"**{plain(tables.origin)}**")
        lines = [f"{plain(frames.reference.name)} · {_rows(frames.reference)} · reference"]
        lines += [f"{plain(t.name)} · {_rows(t)}" for t in frames.targets]
        shown = lines[:8] + ([f"… and {len(lines) - 8} more"] if len(lines) > 8 else [])
        st.caption("  \n".join(shown))
        st.caption(f"{len(frames.reference.columns)} columns")
        if st.button(
            "Forget everything",
            icon=":material/delete:",
            help="Remove the tables, results and choices of this session.",
            key="reset",
        ):
            jobs.forget_all()
            state.reset()
            st.rerun()
