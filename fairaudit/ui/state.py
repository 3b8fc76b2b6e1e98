"""What a visitor's session holds. Every key of the session state that is not a widget of one page is named here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import streamlit as st

from fairaudit.schema import Frames

_LOADED = "fairaudit.loaded"
_GENERATION = "fairaudit.generation"
_CELL = "fairaudit.cell"


@dataclass(frozen=True, eq=False)
class Loaded:
    """The tables of a session and where they came from.

    Attributes
    ----------
    frames : Frames
    origin : str
        In words: the name of a demo, or "your files".
    story : str
        One sentence about what the tables are; empty for uploads.
    reading : tuple of str
        How each file was read, one sentence a file.
    demo : str
        Name of the demo, empty for uploads.
    planted : tuple of str
        Names of the targets in which a bias is known to be planted.
    """

    frames: Frames
    origin: str
    story: str = ""
    reading: tuple[str, ...] = field(default=())
    demo: str = ""
    planted: tuple[str, ...] = ()


def loaded() -> Loaded | None:
    """The tables of this session, None before anything is loaded."""
    return st.session_state.get(_LOADED)


def load(tables: Loaded) -> None:
    """Put tables into the session; what belonged to the former ones is dropped."""
    st.session_state[_LOADED] = tables
    st.session_state.pop(_CELL, None)


def unload() -> None:
    """Drop the tables and all that belongs to them."""
    st.session_state.pop(_LOADED, None)
    st.session_state.pop(_CELL, None)


def replace_frames(frames: Frames, planted: tuple[str, ...] = ()) -> None:
    """The same tables after roles, types or targets were changed; ``planted`` names new targets that hold a planted bias."""
    now = st.session_state[_LOADED]
    st.session_state[_LOADED] = replace(now, frames=frames, planted=(*now.planted, *planted))
    st.session_state.pop(_CELL, None)


def reset() -> None:
    """Forget everything this session loaded or chose."""
    generation = st.session_state.get(_GENERATION, 0) + 1
    st.session_state.clear()
    # Widgets whose key holds this number, such as the file uploader, start empty again.
    st.session_state[_GENERATION] = generation
    st.query_params.clear()


def generation() -> int:
    """Number that changes with every reset."""
    return st.session_state.get(_GENERATION, 0)


def chosen_cell() -> tuple[str, str, str] | None:
    """The cell (frame, group, attribute) whose evidence is shown."""
    chosen = st.session_state.get(_CELL)
    return None if chosen is None else chosen[:3]


def chosen_bin() -> int | None:
    """The bin of the chosen cell whose evidence is shown, None for all bins."""
    chosen = st.session_state.get(_CELL)
    return None if chosen is None else chosen[3]


def choose_cell(frame: str, group: str, attribute: str, number: int | None = None) -> None:
    """Show the evidence behind a cell, or behind one of its bins."""
    st.session_state[_CELL] = (frame, group, attribute, number)


def forget_cell() -> None:
    """Show the evidence of the most conspicuous attribute again."""
    st.session_state.pop(_CELL, None)
