"""What each column is and what it is for: shown, proposed, editable."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from fairaudit.contrast import group_edges
from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.schema import CATEGORICAL_TYPES, COLUMN_TYPES, AuditTable, Frames, Schema
from fairaudit.ui import state
from fairaudit.ui.components import plain, show_error
from fairaudit.validation import with_schema
from fairaudit.validation.remedies import Remedy, apply_remedy
from fairaudit.validation.roles import open_roles
from fairaudit.validation.schema_check import all_favourable

ROLES = ("feature", "sensitive", "prediction", "score", "label", "ignored")
_ROLE_HELP = (
    "**sensitive**: defines groups of people · **prediction**: the model's decision or number · **score**: a number from which the decision is "
    "made · **label**: the true outcome · **feature**: everything else · **ignored**: takes no part"
)


def column_overview(frames: Frames) -> pd.DataFrame:
    """One row per column of the reference: type, role, missing share, distinct values, examples."""
    table, schema = frames.reference, frames.schema
    rows = []
    for column in table.columns:
        values = table.data[column]
        present = values.dropna()
        rows.append(
            {
                "column": column,
                "type": table.type_of(column),
                "role": schema.role_of(column),
                "missing": float(values.isna().mean()) if len(values) else 0.0,
                "distinct": int(present.nunique()),
                "examples": _examples(present),
            }
        )
    return pd.DataFrame(rows)


def _examples(values: pd.Series) -> str:
    if isinstance(values.dtype, pd.CategoricalDtype):
        counts = values.value_counts()
        shown = [str(v) for v in counts[counts > 0].index[:4]]
        return ", ".join(shown) + (" …" if (counts > 0).sum() > 4 else "")
    return ", ".join(f"{v:g}" if isinstance(v, float) else str(v)[:30] for v in values.iloc[:4])


def open_roles_note(frames: Frames) -> None:
    """Which roles no column has, and what that costs."""
    if missing := open_roles(frames.schema):
        st.info("**Roles below are open**\n" + "".join(f"\n- {plain(sentence)}" for sentence in missing), icon=":material/help:")


def editor(frames: Frames) -> None:
    """Table of columns with editable types and roles, and the values that need a choice of their own."""
    overview = column_overview(frames)
    st.caption(_ROLE_HELP)
    edited = st.data_editor(
        overview,
        hide_index=True,
        disabled=("column", "missing", "distinct", "examples"),
        column_config={
            "type": st.column_config.SelectboxColumn("type", options=COLUMN_TYPES, required=True),
            "role": st.column_config.SelectboxColumn("role", options=ROLES, required=True),
            "missing": st.column_config.ProgressColumn("missing", format="percent", min_value=0.0, max_value=1.0),
            "examples": st.column_config.TextColumn("examples", width="large"),
        },
        key=f"roles.{frames.reference.fingerprint[:12]}",
    )
    try:
        wanted = _edited_schema(frames.schema, overview, edited)
        if (wanted.label, wanted.prediction) != (frames.schema.label, frames.schema.prediction):
            wanted = _favourable_still_there(frames, wanted)
        else:
            wanted = _outcome_choices(frames, wanted)
        wanted = _group_choices(frames, wanted)
        if wanted != frames.schema:
            frames, repairs = _read_as_numbers(frames, wanted)
            frames = with_schema(frames, wanted)
            for said, repair in repairs:
                state.remedy_frames(frames, said, repair)
            state.replace_frames(frames)
            st.rerun()
    except FairAuditError as error:
        show_error(error)


def _read_as_numbers(frames: Frames, wanted: Schema) -> tuple[Frames, list[tuple[str, Remedy]]]:
    """Columns that are made numeric and lose values by it: a repair, because the order of such an edit and of other repairs matters."""
    repairs = []
    for column, now in wanted.types:
        if now != "numeric" or frames.schema.type_of(column) == "numeric":
            continue
        remedy = Remedy("read_as_numbers", column=column)
        after, said = apply_remedy(frames, remedy)
        pairs = zip(frames.tables, after.tables, strict=True)
        if any(t.data[column].nunique(dropna=False) != a.data[column].nunique(dropna=False) for t, a in pairs):
            frames = after
            repairs.append((said, remedy))
    return frames, repairs


def _edited_schema(schema: Schema, before: pd.DataFrame, after: pd.DataFrame) -> Schema:
    """The schema with the edits of the table."""
    types = dict(schema.types) | dict(zip(after["column"], after["type"], strict=True))
    changed = after["role"] != before["role"]
    if not changed.any():
        return schema.with_(types=types)
    roles = dict(zip(after["column"], after["role"], strict=True))
    single = {}
    for role in ("label", "prediction", "score"):
        named = [c for c, r in roles.items() if r == role]
        # The newest choice wins: giving a role to another column takes it from the former one.
        newest = [c for c in named if c != getattr(schema, role)]
        if len(newest) > 1:
            raise SettingsError(
                f"Only one column can be the {role}. Chosen: {', '.join(named)}.", "Give the others another role."
            )
        single[role] = newest[0] if newest else named[0] if named else None
    return schema.with_(
        types=types,
        sensitive_features=tuple(c for c, r in roles.items() if r == "sensitive"),
        ignored=tuple(c for c, r in roles.items() if r == "ignored"),
        **single,
    )


def _favourable_still_there(frames: Frames, schema: Schema) -> Schema:
    """After a change of label or prediction: the favourable values that these hold; none, to be proposed anew, if one of them holds none."""
    table = frames.reference
    outcomes = [table.data[c] for c in (schema.label, schema.prediction) if c is not None and c in table.columns]
    values = [{str(v) for v in o.cat.categories} for o in outcomes if isinstance(o.dtype, pd.CategoricalDtype)]
    kept = tuple(p for p in schema.pos_labels if any(p in v for v in values))
    if not all(v & set(kept) for v in values):
        kept = ()
    return schema.with_(pos_label=kept if len(kept) > 1 else kept[0] if kept else None)


def _outcome_choices(frames: Frames, schema: Schema) -> Schema:
    """Favourable values of a categorical outcome, the threshold of a numeric one."""
    table = frames.reference
    outcomes = [c for c in (schema.prediction, schema.score, schema.label) if c is not None and c in table.columns]
    columns = st.columns(3)
    categories = list(
        dict.fromkeys(str(v) for c in outcomes if table.type_of(c) in CATEGORICAL_TYPES for v in table.data[c].cat.categories)
    )
    if categories:
        chosen = columns[0].multiselect(
            "Favourable outcome",
            categories,
            default=[c for c in schema.pos_labels if c in categories],
            key=f"favourable.{table.fingerprint[:12]}",
            help="The value, or values, that people want to get.",
        )
        now = tuple(c for c in schema.pos_labels if c in categories)
        refused = _refused_outcome(frames, outcomes, chosen, now)
        if refused is not None:
            with columns[0]:
                show_error(refused)
        elif tuple(chosen) != now:
            schema = schema.with_(pos_label=tuple(chosen) if len(chosen) > 1 else chosen[0])
    numeric = [c for c in outcomes if table.type_of(c) == "numeric"]
    if numeric:
        column = numeric[0]
        used = columns[1].toggle(
            f"Turn {plain(column)} into decisions",
            value=schema.decision_threshold is not None,
            key=f"decide.{table.fingerprint[:12]}",
            help="Metrics of selection rates need a decision: values at or above the threshold count as favourable.",
        )
        if used:
            values = table.data[column].dropna()
            default = schema.decision_threshold if schema.decision_threshold is not None else float(values.median())
            threshold = columns[1].number_input("Threshold", value=float(default), key=f"threshold.{table.fingerprint[:12]}")
            selected = int((values >= threshold).sum())
            columns[1].caption(
                f"{selected:,} of {len(values):,} rows of {plain(table.name)} are selected ({selected / max(len(values), 1):.1%})."
            )
            schema = schema.with_(decision_threshold=float(threshold))
        else:
            schema = schema.with_(decision_threshold=None)
    return schema


def _refused_outcome(frames: Frames, outcomes: list[str], chosen: list[str], now: tuple[str, ...]) -> FairAuditError | None:
    """Why favourable values cannot be taken; those of before count until then."""
    still = f"Until then {' and '.join(map(repr, now))} counts."
    if not chosen and now:
        return SettingsError("No value is chosen as favourable.", f"Choose the value that people want to get. {still}")
    table = frames.reference
    values = {c: [str(v) for v in table.data[c].cat.categories] for c in outcomes if table.type_of(c) in CATEGORICAL_TYPES}
    refused = all_favourable(chosen, values)
    return SettingsError(refused.problem, f"{refused.remedy} {still}" if now else refused.remedy) if refused is not None else None


def _group_choices(frames: Frames, schema: Schema) -> Schema:
    """Reference group of each sensitive attribute, and the edges by which a numeric one is cut."""
    table = frames.reference
    features = [f for f in schema.sensitive_features if f in table.columns]
    if not features:
        return schema
    references, edges = dict(schema.reference_groups), dict(schema.edges)
    for column, feature in zip(st.columns(max(3, len(features))), features, strict=False):
        with column:
            if table.type_of(feature) == "numeric":
                edges[feature] = _edges(table, frames, feature)
            elif table.type_of(feature) in ("binary", "nominal", "ordinal"):
                names = [str(c) for c in table.data[feature].cat.categories]
                now = schema.reference_group_of(feature)
                chosen = st.selectbox(
                    f"Reference group of {plain(feature)}",
                    ["", *names],
                    index=names.index(now) + 1 if now in names else 0,
                    format_func=lambda n: n or "the largest, or as chosen on the page",
                    key=f"reference.{feature}.{table.fingerprint[:12]}",
                )
                if chosen:
                    references[feature] = chosen
                else:
                    references.pop(feature, None)
    return schema.with_(reference_groups=references, edges=edges)


def _edges(table: AuditTable, frames: Frames, feature: str) -> tuple[float, ...]:
    """Editable inner edges of a numeric sensitive attribute."""
    now = group_edges(frames, (feature,))[feature]
    text = st.text_input(
        f"Edges of the groups of {plain(feature)}",
        value=", ".join(f"{e:g}" for e in now),
        key=f"edges.{feature}.{table.fingerprint[:12]}",
        help="Numbers separated by commas; a value equal to an edge belongs to the upper group.",
    )
    try:
        wanted = tuple(sorted({float(part) for part in text.split(",") if part.strip()}))
    except ValueError:
        raise SettingsError(
            f"The edges of {feature} must be numbers separated by commas. Got {text!r}.", "Write them like 30, 45, 60."
        ) from None
    return now if tuple(float(f"{e:g}") for e in now) == wanted else wanted
