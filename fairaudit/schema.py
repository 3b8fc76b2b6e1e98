"""What each column is (type), what it is for (role), and the checked tables that everything else works on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError, column_not_found, unknown_name

ColumnType = Literal["numeric", "binary", "ordinal", "nominal", "identifier", "date", "text"]
COLUMN_TYPES: tuple[str, ...] = get_args(ColumnType)
CATEGORICAL_TYPES = frozenset({"binary", "ordinal", "nominal"})
"""Types whose columns are pandas Categoricals with text categories in an AuditTable."""
COMPARED_TYPES = frozenset({"numeric", "binary", "ordinal", "nominal"})
"""Types that are compared without being asked for; the others are compared only when they are named."""

LARGEST = 1e150
"""Numbers further from 0 count as infinite: their squares, which most comparisons need, are no floating-point numbers any more."""

MissingGroups = Literal["own_group", "leave_out"]


def category_name(value: object) -> str:
    """The text by which a category is known, the same for ``1``, ``1.0`` and ``"1"``.

    Examples
    --------
    >>> category_name(1.0), category_name(True), category_name("F")
    ('1', 'True', 'F')
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _pairs(value: object) -> tuple[tuple[str, Any], ...]:
    """A mapping or an iterable of pairs as a sorted tuple of pairs."""
    items = value.items() if isinstance(value, Mapping) else value
    return tuple(sorted(((str(k), v) for k, v in items), key=lambda pair: pair[0]))  # type: ignore[attr-defined]


def _texts(value: object) -> tuple[str, ...]:
    """One name or several as a tuple of names."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(str(v) for v in value)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Schema:
    """Roles and types of the columns; one object for reference and targets.

    Parameters
    ----------
    label : str, optional
        Column with the true outcome.
    pos_label : scalar or tuple of scalars, optional
        Favourable value(s) of ``label`` and ``prediction``.
    score : str, optional
        Column with a number from which the decision is made (a risk score, a grade, a probability).
    prediction : str, optional
        Column with the model's output: a decision, or a number such as a predicted salary.
    sensitive_features : tuple of str
        Columns that define groups of people.
    reference_groups : mapping of str to scalar
        For a sensitive feature the group that others are compared with.
    types : mapping of str to str
        Types of columns, where they are not to be inferred; see ``COLUMN_TYPES``.
    levels : mapping of str to sequence
        Order of the levels of ordinal columns, lowest first.
    edges : mapping of str to sequence of float
        Inner edges by which a numeric sensitive feature is cut into groups.
    ignored : tuple of str
        Columns that take no part in anything.
    decision_threshold : float, optional
        Values of a numeric ``prediction`` or ``score`` at or above it count as favourable decisions.
    missing_groups : {"own_group", "leave_out"}
        What happens to rows whose sensitive value is missing.
    min_group_size : int
        Smaller groups are listed as not measurable.
    """

    label: str | None = None
    pos_label: Any = None
    score: str | None = None
    prediction: str | None = None
    sensitive_features: tuple[str, ...] = ()
    reference_groups: tuple[tuple[str, Any], ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    levels: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    edges: tuple[tuple[str, tuple[float, ...]], ...] = ()
    ignored: tuple[str, ...] = ()
    decision_threshold: float | None = None
    missing_groups: MissingGroups = "own_group"
    min_group_size: int = 10

    def __post_init__(self) -> None:
        """Bring every field into its hashable form."""
        put = object.__setattr__
        put(self, "sensitive_features", _texts(self.sensitive_features))
        put(self, "ignored", _texts(self.ignored))
        put(self, "reference_groups", _pairs(self.reference_groups))
        put(self, "types", _pairs(self.types))
        put(self, "levels", tuple((c, tuple(v)) for c, v in _pairs(self.levels)))
        put(self, "edges", tuple((c, tuple(float(e) for e in v)) for c, v in _pairs(self.edges)))
        if isinstance(self.pos_label, (list, set, frozenset)):
            put(self, "pos_label", tuple(self.pos_label))
        for column, column_type in self.types:
            if column_type not in COLUMN_TYPES:
                raise unknown_name(f"column type for {column!r}", column_type, COLUMN_TYPES)
        if self.missing_groups not in get_args(MissingGroups):
            raise unknown_name("rule for missing sensitive values", self.missing_groups, get_args(MissingGroups))
        if self.min_group_size < 1:
            raise SettingsError(
                f"The smallest group size must be 1 or more. Got {self.min_group_size}.", "Choose 10, for example."
            )

    @classmethod
    def from_any(cls, schema: Schema | Mapping[str, Any] | None) -> Schema:
        """A Schema from a Schema, a dict with the same keys, or None."""
        if schema is None:
            return cls()
        if isinstance(schema, Schema):
            return schema
        known = [f.name for f in fields(cls)]
        for key in schema:
            if key not in known:
                raise unknown_name("schema entry", key, known)
        return cls(**schema)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON or YAML; ``Schema.from_any`` reads it back."""
        return {
            "label": self.label,
            "pos_label": list(self.pos_label) if isinstance(self.pos_label, tuple) else self.pos_label,
            "score": self.score,
            "prediction": self.prediction,
            "sensitive_features": list(self.sensitive_features),
            "reference_groups": dict(self.reference_groups),
            "types": dict(self.types),
            "levels": {c: list(v) for c, v in self.levels},
            "edges": {c: list(v) for c, v in self.edges},
            "ignored": list(self.ignored),
            "decision_threshold": self.decision_threshold,
            "missing_groups": self.missing_groups,
            "min_group_size": self.min_group_size,
        }

    def with_(self, **changes: Any) -> Schema:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def type_of(self, column: str) -> str | None:
        """Type of a column, None where the schema does not say."""
        return dict(self.types).get(column)

    def reference_group_of(self, feature: str) -> str | None:
        """Name of the reference group of a sensitive feature, None where the schema does not say."""
        value = dict(self.reference_groups).get(feature)
        return None if value is None else category_name(value)

    @property
    def pos_labels(self) -> tuple[str, ...]:
        """Names of the favourable values; empty where the schema does not say."""
        if self.pos_label is None:
            return ()
        values = self.pos_label if isinstance(self.pos_label, tuple) else (self.pos_label,)
        return tuple(category_name(v) for v in values)

    def role_of(self, column: str) -> str:
        """Role of a column: label, prediction, score, sensitive, ignored or feature."""
        for role in ("label", "prediction", "score"):
            if getattr(self, role) == column:
                return role
        if column in self.sensitive_features:
            return "sensitive"
        return "ignored" if column in self.ignored else "feature"

    def named_columns(self) -> Iterable[tuple[str, str]]:
        """Pairs (role in words, column) for every column that has a role of its own."""
        for role in ("label", "prediction", "score"):
            if (column := getattr(self, role)) is not None:
                yield f"{role} column", column
        for column in self.sensitive_features:
            yield "sensitive feature", column


Severity = Literal["error", "warning", "info"]
REPAIR_CODES = frozenset({"sampled", "sample_not_needed", "repaired", "repair_not_done"})
"""Reason codes of findings that say what was done to a table; they stay with it when it is checked again."""


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed in the data.

    Attributes
    ----------
    code : str
        Reason code for machines, such as ``"constant_column"``.
    severity : {"error", "warning", "info"}
        ``error``: the column or table cannot be used; ``warning``: results need care; ``info``: good to know.
    table, column : str
        Where; an empty column means the table as a whole.
    problem, remedy : str
        What was found, and what to do about it.
    """

    code: str
    severity: Severity
    table: str
    column: str
    problem: str
    remedy: str = ""


@dataclass(frozen=True)
class Sample:
    """Which rows of a larger table a table holds.

    Attributes
    ----------
    rows : int
        Number of rows that were drawn.
    of : int
        Number of rows they were drawn from.
    seed : int
        With the two numbers, all that decides which rows they are.

    Examples
    --------
    >>> Sample(5_000, 20_000, 7).words, Sample(5_000, 20_000, 7).not_sampled
    ('a random sample of 5,000 of 20,000 rows (seed 7)', 15000)
    """

    rows: int
    of: int
    seed: int

    @property
    def words(self) -> str:
        """What it is, to be put into a sentence."""
        return f"a random sample of {self.rows:,} of {self.of:,} rows (seed {self.seed})"

    @property
    def not_sampled(self) -> int:
        """Rows that were not drawn."""
        return self.of - self.rows

    def to_dict(self) -> dict[str, int]:
        """Plain values, ready for JSON."""
        return {"rows": self.rows, "of": self.of, "seed": self.seed, "not_sampled": self.not_sampled}


@dataclass(frozen=True, eq=False)
class AuditTable:
    """A checked table. Nothing changes it; every change makes a new one.

    Attributes
    ----------
    name : str
        How the table is called on screens and in results.
    data : DataFrame
        One column per column of the file, in canonical form with a fresh 0..n-1 index: numeric columns float64 (NaN is missing; infinite
        values are kept and left out of every comparison), binary, ordinal and nominal columns Categorical with text categories
        in their order, date columns datetime64, identifiers and free text object.
    schema : Schema
        Complete: every column has a type.
    fingerprint : str
        SHA-256 over content, names and schema; equal fingerprints mean equal results.
    findings : tuple of Finding
        What checking the table alone showed.
    sample : Sample or None
        Where the table holds a random sample of the rows: which; it stays with the table through every change.
    """

    name: str
    data: pd.DataFrame
    schema: Schema
    fingerprint: str
    findings: tuple[Finding, ...] = ()
    sample: Sample | None = None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in the order of the file."""
        return tuple(self.data.columns)

    def type_of(self, column: str) -> str:
        """Type of a column of this table."""
        if column not in self.data.columns:
            raise column_not_found("column", column, self.columns, self.name)
        column_type = self.schema.type_of(column)
        assert column_type is not None, "validation gives every column a type"
        return column_type

    def renamed(self, name: str) -> AuditTable:
        """The same table under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, eq=False)
class Frames:
    """A reference table and target tables whose columns agree in name, type and category order.

    Without a target only groups inside the reference can be compared.

    Attributes
    ----------
    reference : AuditTable
    targets : tuple of AuditTable
        In the order of time; names are unique.
    findings : tuple of Finding
        What comparing the tables showed: new categories, missing columns, types that do not match.
    mismatched : tuple of (str, str)
        Columns that cannot be compared, with the reason.
    """

    reference: AuditTable
    targets: tuple[AuditTable, ...]
    findings: tuple[Finding, ...] = ()
    mismatched: tuple[tuple[str, str], ...] = field(default=())

    @property
    def schema(self) -> Schema:
        """The schema that reference and targets share."""
        return self.reference.schema

    @property
    def fingerprint(self) -> str:
        """Changes when any table, its name or the schema changes."""
        return "|".join(f"{t.name}:{t.fingerprint}" for t in (self.reference, *self.targets))

    def problem_of(self, table: str, column: str) -> str:
        """Why a column cannot be compared in one table; empty when it can."""
        found = (f for f in self.findings if f.code in ("type_mismatch", "missing_column"))
        return next((f.problem for f in found if (f.table, f.column) == (table, column)), "")

    @property
    def tables(self) -> tuple[AuditTable, ...]:
        """Reference first, then the targets."""
        return (self.reference, *self.targets)

    @property
    def samples(self) -> dict[str, Sample]:
        """The tables that hold a sample of their rows, by name."""
        return {t.name: t.sample for t in self.tables if t.sample is not None}
