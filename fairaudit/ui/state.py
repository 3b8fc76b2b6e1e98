"""What a visitor's session holds. Every key of the session state that is not a widget of one page is named here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import streamlit as st

from fairaudit.baselines import BaselineSettings
from fairaudit.contrast import Contrast, default_contrast
from fairaudit.errors import FairAuditError
from fairaudit.qmad import QmadSettings
from fairaudit.reading import ReadOptions
from fairaudit.schema import Frames, Schema
from fairaudit.settings import AuditSettings
from fairaudit.validation import Remedy, with_schema
from fairaudit.validation.repairs import Repaired, Told

if TYPE_CHECKING:
    from fairaudit.evaluation import EvaluationResult
    from fairaudit.reporting.page import LabSection

_LOADED = "fairaudit.loaded"
_GENERATION = "fairaudit.generation"
_CELL = "fairaudit.cell"
_AUDIT = "fairaudit.settings.audit"
_BASELINES = "fairaudit.settings.baselines"
_OPENED = "fairaudit.settings.opened"
_LAB = "fairaudit.report.lab"
_EVALUATION = "fairaudit.report.evaluation"
_REFUSED = "fairaudit.remedy.refused"
_FORMER_CONTRAST = "fairaudit.contrast.former"
CONTRAST = "contrast"
"""Key of the control for who is compared; the tables have a say in it."""


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
    files : tuple of (str, str)
        Name of the file of each table that came from one.
    options : ReadOptions
        How the files were read.
    original : Frames or None
        The tables before the first remedy.
    remedied : tuple of Told
        What remedies did.
    remedies : tuple of Remedy
        Those of them that changed the tables, in order; a settings file keeps them.
    original_schema : Schema or None
        What ``original`` is checked with when remedies of an opened settings file are undone; None: it is complete.
    """

    frames: Frames
    origin: str
    story: str = ""
    reading: tuple[str, ...] = field(default=())
    demo: str = ""
    planted: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)
    original: Frames | None = None
    remedied: tuple[Told, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    original_schema: Schema | None = None


def loaded() -> Loaded | None:
    """The tables of this session, None before anything is loaded."""
    return st.session_state.get(_LOADED)


def load(tables: Loaded) -> None:
    """Put tables into the session; what belonged to the former ones is dropped."""
    st.session_state[_LOADED] = tables
    for key in (_CELL, _LAB):
        st.session_state.pop(key, None)
    _fit_contrast(tables.frames)


def _fit_contrast(frames: Frames) -> None:
    """Without a target compare groups, and what was compared before once there is one again."""
    if not frames.targets and _FORMER_CONTRAST not in st.session_state:
        st.session_state[_FORMER_CONTRAST] = st.session_state.get(CONTRAST, Contrast().kind)
        st.session_state[CONTRAST] = default_contrast(frames).kind
    elif frames.targets and _FORMER_CONTRAST in st.session_state:
        st.session_state[CONTRAST] = st.session_state.pop(_FORMER_CONTRAST)
    else:
        return
    if CONTRAST in st.query_params:
        del st.query_params[CONTRAST]  # the address would have the last word
    st.session_state.pop(_AUDIT, None)


def unload() -> None:
    """Drop the tables and all that belongs to them."""
    for key in (_LOADED, _CELL, _LAB):
        st.session_state.pop(key, None)


def replace_frames(frames: Frames, planted: tuple[str, ...] = ()) -> None:
    """The same tables after roles, types or targets were changed; ``planted`` names new targets that hold a planted bias."""
    now = st.session_state[_LOADED]
    st.session_state[_LOADED] = replace(now, frames=frames, planted=(*now.planted, *planted))
    st.session_state.pop(_CELL, None)
    _fit_contrast(frames)


def repaired(tables: Loaded, found: Repaired, remedies: tuple[Remedy, ...], schema: Schema | None) -> Loaded:
    """Tables after the repairs of a settings file, which can be undone like those of this session."""
    if not remedies:
        return replace(tables, frames=found.frames, original=None, remedied=(), remedies=(), original_schema=None)
    return replace(
        tables, frames=found.frames, original=found.before, remedied=found.told, remedies=remedies, original_schema=schema
    )


def note_remedy(said: str) -> None:
    """Remember what a remedy did."""
    now = st.session_state[_LOADED]
    st.session_state[_LOADED] = replace(now, original=now.original or now.frames, remedied=(*now.remedied, Told(said)))


def remedy_frames(frames: Frames, said: str, remedy: Remedy) -> None:
    """The same tables after a remedy, which can be undone."""
    note_remedy(said)
    now = st.session_state[_LOADED]
    st.session_state[_LOADED] = replace(now, remedies=(*now.remedies, remedy))
    replace_frames(frames)


def undo_remedies() -> None:
    """The tables as they were before the first remedy.

    Raises
    ------
    FairAuditError
        If the schema of the opened settings file fits the tables only after its repairs.
    """
    now: Loaded = st.session_state[_LOADED]
    frames = now.original or now.frames
    if now.original_schema is not None:
        frames = with_schema(frames, now.original_schema)
    st.session_state[_LOADED] = replace(now, frames=frames, original=None, remedied=(), remedies=(), original_schema=None)
    st.session_state["shuffle"] = False
    st.session_state.pop(_CELL, None)


def refuse_remedy(error: FairAuditError) -> None:
    """Keep the reason why a remedy could not be applied until the page shows it."""
    st.session_state[_REFUSED] = error


def refused_remedy() -> FairAuditError | None:
    """The reason why the last remedy could not be applied; it is shown once."""
    return st.session_state.pop(_REFUSED, None)


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


def remember_audit(settings: QmadSettings) -> None:
    """Keep the choices of the Audit page, for the report."""
    st.session_state[_AUDIT] = settings


def remember_baselines(frames: Frames, settings: BaselineSettings) -> None:
    """Keep the choices of the Baselines page, for the report; who is compared is one choice of both pages."""
    st.session_state[_BASELINES] = settings
    remember_audit(replace(audit_settings(frames), contrast=settings.contrast))


def audit_settings(frames: Frames) -> QmadSettings:
    """The choices of the Audit page, or those of an opened settings file, or the default ones for these tables."""
    opened = opened_settings()
    default = QmadSettings(contrast=default_contrast(frames)) if opened is None else opened.qmad
    return st.session_state.get(_AUDIT) or default


def baseline_settings() -> BaselineSettings | None:
    """The choices of the Baselines page, or those of an opened settings file; None for the default ones."""
    opened = opened_settings()
    return st.session_state.get(_BASELINES) or (opened.baselines if opened is not None else None)


def remember_lab(section: LabSection) -> None:
    """Keep what the bias lab shows, for the report."""
    st.session_state[_LAB] = section


def lab_section() -> LabSection | None:
    """What the bias lab showed last."""
    return st.session_state.get(_LAB)


def remember_evaluation(result: EvaluationResult) -> None:
    """Keep the experiment of the page Fair vs biased, for the report."""
    st.session_state[_EVALUATION] = result


def evaluation_result() -> EvaluationResult | None:
    """The experiment that was shown last."""
    return st.session_state.get(_EVALUATION)


def open_settings(settings: AuditSettings) -> None:
    """Start from a settings file: what the pages chose before no longer counts."""
    st.session_state[_OPENED] = settings
    for key in (_AUDIT, _BASELINES, _FORMER_CONTRAST):
        st.session_state.pop(key, None)


def opened_settings() -> AuditSettings | None:
    """The settings file this session started from."""
    return st.session_state.get(_OPENED)
