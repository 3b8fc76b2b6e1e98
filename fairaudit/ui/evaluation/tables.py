"""Which table stands for the fair world: the demo, the loaded reference, or a published data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fairaudit.datasets import Dataset, course_grades_dataset, load_oulad, load_student, load_student_balanced
from fairaudit.errors import FairAuditError
from fairaudit.schema import AuditTable
from fairaudit.ui import state
from fairaudit.ui.components import plain
from fairaudit.validation import check_table

GRADES, LOADED = "grades", "loaded"
_TABLES = "fairaudit.evaluation.tables"


@dataclass(frozen=True)
class Published:
    """A data set of the paper that does not ship here.

    Attributes
    ----------
    label : str
    load : callable
        ``load(source, download=False)`` gives a Dataset.
    file : str
        The file it is made of.
    """

    label: str
    load: Callable[..., Dataset]
    file: str


def _oulad(module: Any) -> Callable[..., Dataset]:
    return lambda source=None, *, download=False: load_oulad(module, source, download=download)


PUBLISHED = {
    "student": Published("Student Performance (649 pupils)", load_student, "student-por.csv"),
    "student_balanced": Published("Student Performance, balanced (532 pupils)", load_student_balanced, "student-por.csv"),
    "oulad_stem": Published("OULAD, STEM module (7,040 students)", _oulad("FFF"), "studentInfo.csv"),
    "oulad_social": Published("OULAD, social science module (7,632 students)", _oulad("BBB"), "studentInfo.csv"),
}


@st.cache_data(show_spinner=False, max_entries=1)
def _grades() -> tuple[AuditTable, str]:
    """The demo; shared by all visitors because it holds no data of anyone."""
    dataset = course_grades_dataset()
    return check_table(dataset.data, dataset.schema, name=dataset.name), dataset.notes


def choose_table() -> AuditTable:
    """The table whose labels are taken as true."""
    loaded = state.loaded()
    labels = {GRADES: "Demo: course grades (synthetic)"}
    if loaded is not None:
        labels[LOADED] = f"Your reference table: {loaded.frames.reference.name}"
    labels |= {name: f"{spec.label} …" for name, spec in PUBLISHED.items()}
    left, right = st.columns([2, 3], vertical_alignment="center")
    name = left.selectbox(
        "Data that stand for a fair world",
        list(labels),
        format_func=labels.__getitem__,
        key="evaluation.data",
        persist_state="session",
        help="The labels of this table are taken as true. The bias is planted in copies of it. Load a table of your own on the Data page.",
    )
    if name == LOADED and loaded is not None:
        reference = loaded.frames.reference
        right.caption(
            f"{len(reference):,} rows. Whether these labels are fair is for you to judge: all that is said here takes them as true."
        )
        return reference
    if name == GRADES:
        table, note = _grades()
    else:
        table, note = published_table(name)
    right.caption(plain(f"{len(table):,} rows. {note}"))
    return table


def published_table(name: str) -> tuple[AuditTable, str]:
    """A data set of the paper and a note on its copy; asks for the file where it is not there, and stops the page until it is."""
    held = st.session_state.setdefault(_TABLES, {})
    if name not in held:
        try:
            dataset = PUBLISHED[name].load()
        except FairAuditError as missing:
            dataset = _ask_for(PUBLISHED[name], missing)
        held[name] = check_table(dataset.data, dataset.schema, name=dataset.name), dataset.notes
    found: tuple[AuditTable, str] = held[name]
    return found


def find_dataset(name: str) -> Dataset | None:
    """A data set of the paper where its file is in the usual place, None where it is not."""
    try:
        return PUBLISHED[name].load()
    except FairAuditError:
        return None


def _ask_for(spec: Published, missing: FairAuditError) -> Dataset:
    """Three ways to a file that is not there; the page stops until one of them leads to it."""
    with st.container(border=True):
        st.markdown(f"**{plain(missing.problem)}**")
        first, second, third = st.columns(3, gap="medium")
        uploaded = first.file_uploader(
            f"Upload {spec.file}", ["csv", "gz"], key=f"evaluation.file.{spec.file}.{state.generation()}"
        )
        place = second.text_input(
            "Or name the file, or its folder, on the computer that runs fairaudit",
            key=f"evaluation.place.{spec.file}",
            persist_state="session",
            placeholder=f"/path/to/{spec.file}",
        )
        third.markdown("Or fetch it from the UCI repository. Nothing is fetched unless you press this.")
        wanted = third.button("Download from UCI", key=f"evaluation.download.{spec.file}", icon=":material/cloud_download:")
    if uploaded is not None:
        return spec.load(uploaded.getvalue())
    if place:
        return spec.load(place)
    if wanted:
        with st.spinner("Downloading …"):
            return spec.load(download=True)
    st.stop()
