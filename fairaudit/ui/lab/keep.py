"""Keep the biased table: as a target of the audit, as a file, as a description that makes it again."""

from __future__ import annotations

import streamlit as st

from fairaudit.errors import FairAuditError
from fairaudit.planting import Planted, free_name, read_description, save_as_target
from fairaudit.schema import Frames
from fairaudit.ui import state
from fairaudit.ui.components import csv_bytes, plain, show_error
from fairaudit.ui.lab.stack import replace_stack

_SAVED = "fairaudit.lab.saved"


def keep(frames: Frames, planted: Planted) -> None:
    """Save as target, downloads, and opening of a saved description."""
    st.subheader("Keep it", divider="gray")
    left, right = st.columns(2, gap="medium")
    with left:
        _save(frames, planted)
    with right:
        _downloads(planted)


def _save(frames: Frames, planted: Planted) -> None:
    proposal = free_name(frames, f"{planted.table} biased")
    name = st.text_input("Name of the new target", proposal, key=f"lab.save.name.{proposal}", max_chars=80)
    if planted.prediction and not planted.comparable:
        st.caption(
            "The predictions of the model trained here are left out of the saved table: beside the original ones of the other tables they would show "
            "the difference of two models."
        )
    if st.button("Save as target", key="lab.save", type="primary", icon=":material/add_chart:"):
        state.replace_frames(save_as_target(frames, planted, name), planted=(name.strip(),))
        st.session_state[_SAVED] = name.strip()
        st.rerun()
    saved = st.session_state.get(_SAVED)
    if saved in {t.name for t in frames.targets}:
        st.success(f"{plain(saved)} is a target of the audit now.", icon=":material/check_circle:")
        st.page_link("pages/audit.py", label="See it on the Audit page", icon=":material/grid_on:")


def _downloads(planted: Planted) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Biased table as CSV",
            lambda: csv_bytes(planted.data),
            f"{planted.table}_biased.csv",
            "text/csv",
            key="lab.csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "Description as JSON",
            planted.to_json(),
            f"{planted.table}_bias.json",
            "application/json",
            key="lab.json",
            icon=":material/download:",
            on_click="ignore",
        )
    st.caption(
        "The description holds the biases, the seed and the fingerprint of the table, and makes the biased table again bit by bit: open it here, or in "
        "Python with `fairaudit.planting.replant(frames, text)`."
    )
    opener("lab.open")


def opener(key: str) -> None:
    """Open a saved description: its biases take the place of the stack."""
    file = st.file_uploader("Open a description", "json", key=f"{key}.{state.generation()}", label_visibility="collapsed")
    opened = st.session_state.get("fairaudit.lab.opened")
    if file is None or file.file_id == opened:
        return
    try:
        found = read_description(file.getvalue())
    except FairAuditError as error:
        show_error(error)
        return
    st.session_state["fairaudit.lab.opened"] = file.file_id
    replace_stack(list(found["injections"]))
    st.rerun()
