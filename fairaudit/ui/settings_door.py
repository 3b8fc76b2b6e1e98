"""The third door of the start page: a settings file of a former audit."""

from __future__ import annotations

import streamlit as st

from fairaudit.datasets import demos
from fairaudit.errors import FairAuditError
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings
from fairaudit.ui import choices, state
from fairaudit.ui.cache import demo_frames, load_demo
from fairaudit.ui.components import plain, show_error
from fairaudit.validation.repairs import Repaired, check_and_repair


def show() -> None:
    """Upload control, and what the opened file asks for."""
    file = st.file_uploader(
        "Settings file", ("yaml", "yml", "json"), key=f"settings.file.{state.generation()}", label_visibility="collapsed"
    )
    if file is not None and st.session_state.get("settings.opened") != file.file_id:
        try:
            settings = AuditSettings.from_file(file.getvalue())
        except FairAuditError as error:
            show_error(error)
            return
        st.session_state["settings.opened"] = file.file_id
        take(settings)
        st.rerun()
    opened = state.opened_settings()
    if opened is not None:
        _what_next(opened)


def take(settings: AuditSettings) -> None:
    """Put the choices of a settings file into force, and its tables too when they are those of a demo."""
    state.open_settings(settings)
    choices.put_into_controls(settings.qmad)
    name = matching_demo(settings)
    if name is not None:
        load_demo(name)
    tables = state.loaded()
    if tables is not None and settings.schema is not None and (name is not None or _same_columns(settings, tables)):
        found = _repaired(tables.original or tables.frames, settings)
        state.load(state.repaired(tables, found, settings.repairs, settings.schema))


def _same_columns(settings: AuditSettings, tables: state.Loaded) -> bool:
    assert settings.schema is not None
    return {c for c, _ in settings.schema.types} == set(tables.frames.reference.columns)


def _repaired(frames: Frames, settings: AuditSettings) -> Repaired:
    """Loaded tables as the settings want them."""
    return check_and_repair(frames.reference, {t.name: t for t in frames.targets}, settings.schema, settings.repairs)


def matching_demo(settings: AuditSettings) -> str | None:
    """Name of the demo whose tables the settings were saved with."""
    if settings.reference is None or settings.schema is None:
        return None
    for found in demos():
        frames = demo_frames(found.name)
        if [t.name for t in frames.tables] != [settings.reference.name, *(t.name for t in settings.targets)]:
            continue
        if {c for c, _ in settings.schema.types} != set(frames.reference.columns):
            continue
        if _repaired(frames, settings).frames.reference.fingerprint == settings.reference.fingerprint:
            return found.name
    return None


def _what_next(opened: AuditSettings) -> None:
    """Which tables are still needed."""
    tables = state.loaded()
    if tables is None:
        names = [t.file or t.name for t in (opened.reference, *opened.targets) if t is not None]
        st.markdown(f"Its choices are in force. Now upload {plain(', '.join(names)) if names else 'the tables'}.")
        st.page_link("pages/data.py", label="Upload the tables", icon=":material/upload_file:")
        return
    changed = opened.changed_tables(tables.frames)
    if changed:
        st.warning(
            f"{plain(', '.join(changed))}: not the table that the settings were saved with, or read in another way.",
            icon=":material/warning:",
        )
    st.markdown("Its choices are in force.")
    st.page_link("pages/audit.py", label="Go to the audit", icon=":material/grid_on:")
