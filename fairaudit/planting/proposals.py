"""What a screen can offer for a table: presets that fit, first steps, columns, a decision threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import FairAuditError
from fairaudit.injection import INJECTIONS, inject
from fairaudit.injection.presets import Preset, presets
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Frames, category_name


def fitting_presets(table: AuditTable) -> tuple[Preset, ...]:
    """Presets whose columns and group values the table has."""
    return tuple(p for p in presets().values() if not p.missing_columns(table.columns) and _groups_occur(p, table))


def _groups_occur(preset: Preset, table: AuditTable) -> bool:
    for step in preset.injections:
        for condition in step.group:
            column = table.data[condition.column]
            names = set(map(str, column.cat.categories)) if isinstance(column.dtype, pd.CategoricalDtype) else set()
            if not {category_name(v) for v in condition.values} <= names:
                return False
    return True


def disadvantaged_group(table: AuditTable) -> dict[str, str]:
    """The largest group outside of the reference group of the first sensitive feature; empty where no feature has groups."""
    for feature in table.schema.sensitive_features:
        if table.type_of(feature) not in CATEGORICAL_TYPES:
            continue
        sizes = table.data[feature].value_counts(sort=False)
        reference = table.schema.reference_group_of(feature)
        others = sizes[[c for c in sizes.index if str(c) != reference]]
        others = others[others > 0]
        if reference is None and len(others) > 1:
            others = others.drop(others.idxmax())
        if len(others):
            return {feature: str(others.idxmax())}
    return {}


def proposed_threshold(table: AuditTable, kind: str = "label") -> float | None:
    """The median of the number that decides a bias in the outcomes; None where nothing is decided by a number without a threshold.

    Label bias goes by the score where there is one, the other kinds by the label.
    """
    schema = table.schema
    if schema.decision_threshold is not None:
        return None
    by = (schema.score, schema.label) if kind == "label" else (schema.label, schema.score)
    column = next((c for c in by if c is not None), None)
    if column is None or column not in table.columns or table.type_of(column) != "numeric":
        return None
    if column == schema.label and schema.pos_labels:
        return None
    return _median(table, column)


def _median(table: AuditTable, column: str) -> float | None:
    values = table.data[column].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    return float(np.median(values)) if len(values) else None


def starting_step(table: AuditTable) -> dict[str, Any] | None:
    """A bias to begin with, which changes something: in labels or in a column of the disadvantaged group; None where no column has any."""
    return next((step for step in _first_steps(table) if _changes_something(table, step)), None)


def _first_steps(table: AuditTable) -> Iterator[dict[str, Any]]:
    schema, group = table.schema, disadvantaged_group(table)
    if schema.label is not None and schema.label in table.columns:
        step = {"kind": "label", "strength": 0.3, "group": group}
        threshold = proposed_threshold(table)
        yield step if threshold is None else step | {"threshold": threshold}
    for column in table.columns:
        if schema.role_of(column) == "feature" and table.type_of(column) in CATEGORICAL_TYPES:
            yield starting_values("set_value", table, column)
    for column in table.columns:
        if schema.role_of(column) == "feature" and table.type_of(column) == "numeric":
            yield {"kind": "shift", "strength": 0.5, "group": group, "column": column, "amount": 1.0, "unit": "sd"}


def _changes_something(table: AuditTable, step: dict[str, Any]) -> bool:
    """Whether a proposal can be planted and is seen: a label may have one value only, a column may be empty."""
    try:
        return inject(table, step).n_changed_cells > 0
    except FairAuditError:
        return False


def starting_values(kind: str, table: AuditTable, column: str | None = None) -> dict[str, Any]:
    """A new step of a kind: half strength, the disadvantaged group, and the given or first column and values that fit."""
    spec, schema = INJECTIONS[kind], table.schema
    step: dict[str, Any] = {"kind": kind, "strength": 0.5, "group": disadvantaged_group(table)}
    for parameter in spec.parameters:
        if parameter.name == "threshold" and (threshold := proposed_threshold(table, kind)) is not None:
            step["threshold"] = threshold
        if not parameter.required:
            continue
        if parameter.type.endswith("column"):
            fitting = fitting_columns(parameter.type, table)
            if fitting:
                outcomes = (schema.label, schema.prediction, schema.score)
                features = [c for c in fitting if c not in outcomes and c not in schema.sensitive_features]
                step[parameter.name] = column if column in fitting else (features or fitting)[0]
        elif "column" in step and table.type_of(step["column"]) in CATEGORICAL_TYPES:
            shares = category_shares(table, step["column"])
            if parameter.type == "value":
                step["value"] = max(shares, key=lambda name: shares[name], default="")
            elif parameter.type == "distribution":
                step["distribution"] = {name: 1 / len(shares) for name in shares}
        elif "column" in step and parameter.type == "value":
            step["value"] = float(np.nanmedian(table.data[step["column"]].to_numpy(dtype=float)))
    return step


def fitting_columns(kind: str, table: AuditTable) -> list[str]:
    """Columns that a parameter of the type ``column``, ``numeric_column`` or ``categorical_column`` can name."""
    types = {
        "column": CATEGORICAL_TYPES | {"numeric"},
        "numeric_column": {"numeric"},
        "categorical_column": CATEGORICAL_TYPES,
    }[kind]
    return [c for c in table.columns if table.type_of(c) in types]


def category_shares(table: AuditTable, column: str) -> dict[str, float]:
    """Share of each category among the present values, in the order of the categories."""
    counts = table.data[column].value_counts(sort=False)
    total = int(counts.sum())
    return {str(name): (int(n) / total if total else 0.0) for name, n in counts.items()}


def undecided_outcome(frames: Frames) -> tuple[str, float] | None:
    """The numeric outcome whose rates need a decision threshold that nobody has given, and the reference's median as a proposal.

    None where decisions are at hand.
    """
    schema, reference = frames.schema, frames.reference
    if schema.decision_threshold is not None:
        return None
    for column in (schema.prediction, schema.label, schema.score):
        if column is not None and column in reference.columns:
            if reference.type_of(column) != "numeric":
                return None
            median = _median(reference, column)
            return None if median is None else (column, median)
    return None
