"""The stack of biases: add, duplicate, remove, reorder, and one card of controls for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairaudit.injection import INJECTIONS
from fairaudit.planting import fitting_presets, starting_step, starting_values
from fairaudit.schema import AuditTable
from fairaudit.ui.components import plain
from fairaudit.ui.lab.fields import group_fields, parameter_fields

_STACK, _NUMBER, _COLUMNS = "fairaudit.lab.stack", "fairaudit.lab.number", "fairaudit.lab.columns"
_FAMILIES = {"feature": "Feature", "label": "Label", "selection": "Selection"}


@dataclass(frozen=True, eq=False)
class Stack:
    """The biases as the controls say now.

    Attributes
    ----------
    steps : list of dict
        Descriptions for ``fairaudit.inject``.
    places : list of DeltaGenerator
        Where each card says what its bias did.
    """

    steps: list[dict[str, Any]]
    places: list[DeltaGenerator]


def _entries() -> list[dict[str, Any]]:
    return st.session_state.setdefault(_STACK, [])


def _new(step: dict[str, Any], fresh: bool) -> dict[str, Any]:
    number = st.session_state.get(_NUMBER, 0) + 1
    st.session_state[_NUMBER] = number
    # ``start`` is what the controls begin with and never changes; ``now`` is what they say.
    return {"id": number, "start": step, "now": step, "fresh": fresh}


def replace_stack(steps: list[dict[str, Any]]) -> None:
    """Put other biases into the place of all."""
    st.session_state[_STACK] = [_new(step, fresh=False) for step in steps]


def add(step: dict[str, Any]) -> None:
    """Put a bias at the end."""
    st.session_state[_STACK] = [*_entries(), _new(step, fresh=True)]


def _remove(number: int) -> None:
    st.session_state[_STACK] = [e for e in _entries() if e["id"] != number]


def _duplicate(number: int) -> None:
    entries = []
    for entry in _entries():
        entries.append(entry)
        if entry["id"] == number:
            entries.append(_new(entry["now"], fresh=False))
    st.session_state[_STACK] = entries


def _move(number: int, by: int) -> None:
    entries = list(_entries())
    at = next(i for i, e in enumerate(entries) if e["id"] == number)
    to = at + by
    if 0 <= to < len(entries):
        entries[at], entries[to] = entries[to], entries[at]
    st.session_state[_STACK] = entries


def editor(table: AuditTable) -> Stack:
    """All controls of the stack."""
    if st.session_state.get(_COLUMNS, table.columns) != table.columns:
        st.session_state[_STACK] = []  # other data: the biases name columns that are not there
    st.session_state[_COLUMNS] = table.columns
    st.markdown("#### Planted bias")
    entries = _entries()
    steps, places = [], []
    for position, entry in enumerate(entries):
        with st.container(border=True, key=f"lab-step-{position + 1}"):
            step, place = _card(entry, position, len(entries), table)
        steps.append(step)
        places.append(place)
    st.session_state[_STACK] = [e | {"now": s} for e, s in zip(entries, steps, strict=True)]
    _adding(table, bool(entries))
    return Stack(steps, places)


def _adding(table: AuditTable, more: bool) -> None:
    kind = st.selectbox(
        "Another bias on top" if more else "Choose a bias",
        INJECTIONS.names(),
        format_func=lambda n: f"{_FAMILIES[INJECTIONS[n].family]}: {INJECTIONS[n].label}",
        index=INJECTIONS.names().index("set_value"),
        key="lab.kind",
        persist_state="session",
    )
    st.caption(plain(INJECTIONS[kind].summary))
    with st.container(horizontal=True):
        st.button("Add this bias", key="lab.add", icon=":material/add:", on_click=lambda: add(starting_values(kind, table)))
        for preset in fitting_presets(table):
            st.button(
                f"Preset: {preset.label}",
                key=f"lab.preset.{preset.name}",
                icon=":material/science:",
                help=f"{preset.summary} {preset.reference}. Takes the place of the biases above.",
                on_click=replace_stack,
                args=([i.to_dict() for i in preset.injections],),
            )
        if more:
            st.button("Remove all", key="lab.clear", icon=":material/delete_sweep:", on_click=replace_stack, args=([],))


def _card(entry: dict[str, Any], position: int, count: int, table: AuditTable) -> tuple[dict[str, Any], DeltaGenerator]:
    """One bias: its name, what can be done with it, what it did, how strong it is, and the rest of its description."""
    number, start = entry["id"], entry["start"]
    spec = INJECTIONS[start["kind"]]
    with st.container(horizontal=True, vertical_alignment="center", gap=None):
        st.markdown(f"**{position + 1}. {plain(spec.label)}**", width="stretch")
        for name, icon, words, action, args, off in (
            ("up", "arrow_upward", "Move up: biases are planted in this order", _move, (number, -1), position == 0),
            ("down", "arrow_downward", "Move down: biases are planted in this order", _move, (number, 1), position == count - 1),
            ("copy", "content_copy", "Duplicate", _duplicate, (number,), False),
            ("remove", "delete", "Remove", _remove, (number,), False),
        ):
            st.button(
                f":material/{icon}:", key=f"lab.{number}.{name}", help=words, type="tertiary", disabled=off, on_click=action, args=args
            )  # fmt: skip
    place = st.empty()
    strength = st.slider(
        "Strength",
        0.0,
        1.0,
        float(start.get("strength", 1.0)),
        0.05,
        key=f"lab.{number}.strength",
        persist_state="session",
        help=spec.strength_help,
    )
    step: dict[str, Any] = {"kind": spec.name, "strength": strength}
    with st.expander("What and whose rows", expanded=entry["fresh"]):
        step |= parameter_fields(number, spec, start, table)
        step["group"] = group_fields(number, start.get("group") or {}, table)
        if spec.pitfall:
            st.caption(f":material/warning: {plain(spec.pitfall)}")
    if "seed" in start:
        step["seed"] = start["seed"]
    return step, place


def first_step(table: AuditTable) -> None:
    """Nothing is planted yet: one button that plants something, and stop."""
    presets = fitting_presets(table)
    with st.container(border=True):
        st.markdown("**Nothing is planted yet.**")
        st.markdown(
            "Plant a known bias, move its strength, and see at once which attributes and which metrics react. Then measure from which strength on each "
            "metric would have caught it."
        )
        if presets:
            preset = presets[0]
            st.caption(f"{plain(preset.label)}: {plain(preset.summary)} ({plain(preset.reference)})")
            steps = [i.to_dict() for i in preset.injections]
            st.button(
                f"Plant the bias of {preset.label}",
                type="primary",
                key="lab.first",
                icon=":material/play_arrow:",
                on_click=replace_stack,
                args=(steps,),
            )
        elif (step := starting_step(table)) is not None:
            st.button(
                f"Plant an example: {INJECTIONS[step['kind']].label.lower()}",
                type="primary",
                key="lab.first",
                icon=":material/play_arrow:",
                on_click=add,
                args=(step,),
            )
    st.stop()
