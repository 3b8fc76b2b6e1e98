"""Controls made from the registry's facts about an injection: its parameters, and whose rows it concerns."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from fairaudit.contrast import MISSING_GROUP
from fairaudit.injection import InjectionSpec, ParameterSpec
from fairaudit.planting import category_shares, fitting_columns, proposed_threshold
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, category_name
from fairaudit.ui.components import plain

MOST_CATEGORIES = 24
"""More categories than this get no control each."""
_CHOICES = {
    "value": "The column's unit",
    "sd": "Standard deviations",
    "group": "Anyone, at random",
    "high": "High values first",
    "low": "Low values first",
}


def parameter_fields(number: int, spec: InjectionSpec, start: dict[str, Any], table: AuditTable) -> dict[str, Any]:
    """One control for each parameter; what is left empty is left out."""
    found: dict[str, Any] = {}
    for parameter in spec.parameters:
        value = _field(number, parameter, start, found, table)
        if value is not None:
            found[parameter.name] = value
    proposal = proposed_threshold(table, spec.name)
    if proposal is not None and found.get("threshold") == proposal:
        st.caption(f"The threshold {proposal:g} is the median, for want of a real one.")
    return found


def _field(number: int, parameter: ParameterSpec, start: dict[str, Any], found: dict[str, Any], table: AuditTable) -> Any:
    initial = start.get(parameter.name, parameter.default)
    key = f"lab.{number}.{parameter.name}"
    if parameter.type.endswith("column"):
        options = fitting_columns(parameter.type, table)
        return st.selectbox(
            parameter.label,
            options,
            index=options.index(initial) if initial in options else 0 if parameter.required and options else None,
            key=key,
            persist_state="session",
            help=parameter.help,
            placeholder=_from_schema(parameter.name, table),
        )
    if parameter.type == "number":
        return st.number_input(
            parameter.label,
            parameter.low,
            parameter.high,
            None if initial is None else float(initial),
            key=key,
            persist_state="session",
            help=parameter.help,
            placeholder="As the roles say" if initial is None else None,
            format="%g",
        )
    if parameter.type == "boolean":
        return st.toggle(parameter.label, bool(initial), key=key, persist_state="session", help=parameter.help)
    if parameter.type == "choice":
        return st.selectbox(
            parameter.label,
            parameter.choices,
            index=parameter.choices.index(initial),
            format_func=lambda c: _CHOICES.get(c, c),
            key=key,
            persist_state="session",
            help=parameter.help,
        )
    column = found.get("column") if parameter.required else found.get("label", start.get("label", table.schema.label))
    if column is None or column not in table.columns:
        return None
    same = start.get("column", column) == column
    if parameter.type == "distribution":
        return _distribution(f"{key}.{column}", parameter, initial if same else None, column, table)
    return _value(f"{key}.{column}", parameter, initial if same else None, column, table)


def _from_schema(name: str, table: AuditTable) -> str:
    known = getattr(table.schema, name, None)
    return f"{known} (its role)" if known else "None"


def _value(key: str, parameter: ParameterSpec, initial: Any, column: str, table: AuditTable) -> Any:
    """A value of a column: a number, or one of its categories."""
    if table.type_of(column) not in CATEGORICAL_TYPES:
        if not parameter.required:
            return None
        number = (
            initial if isinstance(initial, (int, float)) and not isinstance(initial, bool) else float(table.data[column].median())
        )
        return st.number_input(parameter.label, value=float(number), key=key, persist_state="session", help=parameter.help)
    options = [str(c) for c in table.data[column].cat.categories]
    if not parameter.required:
        wanted = initial if isinstance(initial, (list, tuple)) else [] if initial is None else [initial]
        chosen = st.multiselect(
            parameter.label,
            options,
            default=[n for n in map(category_name, wanted) if n in options],
            key=key,
            persist_state="session",
            help=parameter.help,
            placeholder=_from_schema(parameter.name, table),
        )
        return chosen or None
    name = None if initial is None else category_name(initial)
    return st.selectbox(
        parameter.label,
        options if name is None or name in options else [*options, name],
        index=options.index(name) if name in options else len(options) if name is not None else 0,
        key=key,
        persist_state="session",
        help=f"{parameter.help} Type to enter one that does not occur.",
        accept_new_options=True,
    )


def _distribution(key: str, parameter: ParameterSpec, initial: Any, column: str, table: AuditTable) -> dict[str, float] | None:
    """Shares by category: one slider for two categories, a number each for more, brought to a sum of 1."""
    now = category_shares(table, column)
    wanted = {category_name(c): float(s) for c, s in (initial or {}).items()} or now
    names = list(now)
    if len(names) > MOST_CATEGORIES:
        st.info(
            f"{plain(column)} has {len(names)} categories, more than the {MOST_CATEGORIES} that fit here. Use fairaudit.inject in Python."
        )
        return None
    if len(names) == 2:
        share = st.slider(
            f"Share of {plain(names[0])} (now {now[names[0]]:.1%} over all rows)",
            0.0,
            1.0,
            round(wanted.get(names[0], 0.0), 3),
            0.01,
            key=key,
            persist_state="session",
            help=f"{parameter.help} {plain(names[1])} gets the rest.",
        )
        return {names[0]: share, names[1]: round(1 - share, 6)}
    st.markdown(
        f"{plain(parameter.label)}, in parts of the sum",
        help="The numbers are divided by their sum, so that the shares sum to 1.",
    )
    columns = st.columns(2)
    parts = {}
    for place, name in enumerate(names):
        parts[name] = columns[place % 2].number_input(
            f"{plain(name)} (now {now[name]:.1%})",
            0.0,
            None,
            round(100 * wanted.get(name, 0.0), 1),
            key=f"{key}.{name}",
            persist_state="session",
            format="%g",
        )
    total = sum(parts.values())
    return {name: part / total for name, part in parts.items()} if total else parts


def group_fields(number: int, start: dict[str, Any], table: AuditTable) -> dict[str, Any]:
    """Whose rows: columns, and values or a range for each; no column is everybody."""
    options = fitting_columns("column", table)
    columns = st.multiselect(
        "Whose rows",
        options,
        default=[c for c in start if c in options],
        key=f"lab.{number}.group",
        persist_state="session",
        placeholder="Everybody",
        help="Columns that define the group; several columns make an intersection.",
    )
    group: dict[str, Any] = {}
    for column in columns:
        key = f"lab.{number}.group.{column}"
        if table.type_of(column) == "numeric":
            bounds = _range(key, column, start.get(column), table.data[column])
            if bounds:
                group[column] = bounds
        else:
            group[column] = _values(key, column, start.get(column), table.data[column])
    return group


def _range(key: str, column: str, start: Any, values: pd.Series) -> dict[str, float]:
    known = start if isinstance(start, dict) else {}
    left, right = st.columns(2)
    found = {}
    for place, name, words, most in ((left, "min", "from", values.min()), (right, "max", "to", values.max())):
        bound = place.number_input(
            f"{plain(column)} {words}",
            value=None if known.get(name) is None else float(known[name]),
            key=f"{key}.{name}",
            persist_state="session",
            placeholder=f"{most:g}",
            format="%g",
        )
        if bound is not None:
            found[name] = float(bound)
    return found


def _values(key: str, column: str, start: Any, values: pd.Series) -> Any:
    options = [str(c) for c in values.cat.categories]
    if values.isna().any():
        options.append(MISSING_GROUP)
    wanted = start if isinstance(start, (list, tuple)) else [] if start is None else [start]
    names = [MISSING_GROUP if v is None else category_name(v) for v in wanted]
    chosen = st.multiselect(
        f"{plain(column)} is",
        options,
        default=[n for n in names if n in options],
        key=key,
        persist_state="session",
        placeholder="Choose one or more values",
    )
    plain_values = [None if c == MISSING_GROUP else c for c in chosen]
    return plain_values[0] if len(plain_values) == 1 else plain_values
