"""Which table stands for the fair world: the demo, the loaded reference, or a published data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from fairaudit.datasets import Dataset, course_grades_dataset, load_oulad, load_student, load_student_balanced
from fairaudit.datasets.download import data_folder
from fairaudit.errors import FairAuditError
from fairaudit.schema import AuditTable
from fairaudit.ui import state
from fairaudit.ui.components import plain
from fairaudit.validation import check_table

GRADES, LOADED = "grades", "loaded"
_TABLES = "fairaudit.evaluation.tables"
_DATASETS = "fairaudit.evaluation.datasets"
_SOURCES = "fairaudit.evaluation.sources"


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


def _own_outcome(loaded: state.Loaded) -> bool:
    """Whether a visitor's own table says what a model is to learn: then nobody wants to see the demo first."""
    schema = loaded.frames.schema
    return not loaded.demo and any(c is not None for c in (schema.label, schema.score, schema.prediction))


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
        index=list(labels).index(LOADED) if loaded is not None and _own_outcome(loaded) else 0,
        format_func=labels.__getitem__,
        key="evaluation.data",
        persist_state="session",
        help="The labels of this table are taken as true. The bias is planted in copies of it. Load a table of your own on the Data page.",
    )
    if name == LOADED and loaded is not None:
        reference = loaded.frames.reference
        drawn = "" if reference.sample is None else f", {reference.sample.words}"
        right.caption(
            f"{len(reference):,} rows{drawn}. Whether these labels are fair is for you to judge: all that is said here takes them as true."
        )
        return reference
    if name == GRADES:
        table, note = _grades()
    else:
        table, note = published_table(name)
    right.caption(plain(f"{len(table):,} rows. {note}"))
    return table


def published_table(name: str) -> tuple[AuditTable, str]:
    """A data set of the paper and a note on its copy; the page stops and asks where the file is not there."""
    held = st.session_state.setdefault(_TABLES, {})
    if name not in held:
        dataset = need_dataset(name)
        held[name] = check_table(dataset.data, dataset.schema, name=dataset.name), dataset.notes
    found: tuple[AuditTable, str] = held[name]
    return found


def dataset_at_hand(name: str) -> Dataset | None:
    """A data set of the paper from the file that this session named, or from the usual folder; None where there is none."""
    spec = PUBLISHED[name]
    held = st.session_state.setdefault(_DATASETS, {})
    if name not in held:
        source = st.session_state.get(_SOURCES, {}).get(spec.file)
        try:
            held[name] = spec.load(source)
        except FairAuditError:
            return None
    found: Dataset = held[name]
    return found


def need_dataset(name: str) -> Dataset:
    """A data set of the paper; where it is not at hand the page shows the ways to it and stops until one of them leads there."""
    dataset = dataset_at_hand(name) or offer_dataset(name)
    if dataset is None:
        st.stop()
    return dataset


def offer_dataset(name: str) -> Dataset | None:
    """Three ways to a data set that is not at hand; None until one of them leads to it."""
    spec = PUBLISHED[name]
    found = _ask_for(spec)
    if found is None:
        return None
    dataset, source = found
    st.session_state.setdefault(_SOURCES, {})[spec.file] = source
    st.session_state.setdefault(_DATASETS, {})[name] = dataset
    return dataset


def _ask_for(spec: Published) -> tuple[Dataset, bytes | str | None] | None:
    """The data set, and where it came from."""
    with st.container(border=True):
        st.markdown(
            f"**{plain(spec.file)} does not ship with fairaudit, and no usable copy of it is in {plain(data_folder())}.**"
        )
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
        content = uploaded.getvalue()
        return spec.load(content), content
    if place:
        return spec.load(place), place
    if wanted:
        with st.spinner("Downloading …"):
            return spec.load(download=True), None
    return None
