"""What can be done about a finding at once: each remedy makes new frames and says what it did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.schema import AuditTable, Finding, Frames, Schema
from fairaudit.validation.findings import suspicious_codes
from fairaudit.validation.tables import check_frames, with_schema
from fairaudit.validation.types import infer_type

Action = Literal["ignore", "read_as_missing", "read_as_numbers", "drop_repeated_rows"]
_ACTIONS: dict[str, Action] = {
    "constant_column": "ignore",
    "no_values": "ignore",
    "identifier": "ignore",
    "free_text": "ignore",
    "missing_column": "ignore",
    "type_mismatch": "ignore",
    "suspicious_code": "read_as_missing",
    "mostly_numbers": "read_as_numbers",
    "duplicate_rows": "drop_repeated_rows",
}
"""Reason codes of findings that have a remedy."""


@dataclass(frozen=True)
class Remedy:
    """Something that can be done about a finding.

    Attributes
    ----------
    action : {"ignore", "read_as_missing", "read_as_numbers", "drop_repeated_rows"}
    table, column : str
        Where; no table means all of them, no column the table as a whole.
    """

    action: Action
    table: str = ""
    column: str = ""

    @property
    def label(self) -> str:
        """What it does, in a few words."""
        if self.action == "ignore":
            return f"Ignore {self.column}"
        if self.action == "read_as_missing":
            return f"Read the codes of {self.column} as missing"
        if self.action == "read_as_numbers":
            return f"Read {self.column} as numbers"
        return f"Remove the repeated rows of {self.table}"


def all_findings(frames: Frames) -> tuple[Finding, ...]:
    """What checking each table and comparing them showed."""
    return tuple(f for t in frames.tables for f in t.findings) + frames.findings


def proposed_remedies(frames: Frames) -> tuple[tuple[Finding, Remedy], ...]:
    """Remedies of the findings of columns that are not ignored, each once, together with the first finding that calls for it."""
    found: dict[Remedy, Finding] = {}
    for finding in all_findings(frames):
        action = _ACTIONS.get(finding.code)
        if action is not None and finding.column not in frames.schema.ignored:
            # Columns are alike in all tables, so what is done to a column is done everywhere.
            table = finding.table if action == "drop_repeated_rows" else ""
            found.setdefault(Remedy(action, table, finding.column), finding)
    return tuple((finding, remedy) for remedy, finding in found.items())


def apply_remedy(frames: Frames, remedy: Remedy) -> tuple[Frames, str]:
    """New frames in which a remedy was applied, and one sentence that says what was done.

    Parameters
    ----------
    frames : Frames
        Stays as it is.
    remedy : Remedy

    Raises
    ------
    SettingsError
        If the remedy would take away the outcome, or there is nothing to do.

    Examples
    --------
    >>> same = pd.DataFrame({"age": [31.5, 42.0, 999.0, 28.5], "site": ["A"] * 4})
    >>> frames = check_frames(same, same)
    >>> after, said = apply_remedy(frames, Remedy("ignore", column="site"))
    >>> after.schema.ignored, said
    (('site',), 'site takes no part any more.')
    >>> apply_remedy(frames, Remedy("read_as_missing", column="age"))[1]
    "In age, '999' is read as missing (reference: 1, target: 1)."
    """
    if remedy.action == "ignore":
        return with_schema(frames, _without(frames.schema, remedy.column)), f"{remedy.column} takes no part any more."
    if remedy.action == "read_as_missing":
        return _codes_as_missing(frames, remedy.column)
    if remedy.action == "read_as_numbers":
        after = with_schema(frames, frames.schema.with_(types={**dict(frames.schema.types), remedy.column: "numeric"}))
        left = ", ".join(
            f"{t.name}: {int(after_t.data[remedy.column].isna().sum() - t.data[remedy.column].isna().sum()):,}"
            for t, after_t in zip(frames.tables, after.tables, strict=True)
            if remedy.column in t.columns
        )
        return after, f"{remedy.column} is read as numbers; cells that are none count as missing ({left})."
    table = next((t for t in frames.tables if t.name == remedy.table), None)
    repeated = None if table is None else pd.util.hash_pandas_object(table.data, index=False).duplicated()
    if table is None or repeated is None or not repeated.any():
        raise SettingsError(f"{remedy.table or 'The table'} has no repeated rows.", "Nothing needs to be done.")
    kept = replace(table, data=table.data[~repeated.to_numpy()].reset_index(drop=True))
    said = f"{int(repeated.sum()):,} repeated rows of {table.name} were removed; {len(kept):,} are left."
    return _rebuilt(frames, {table.name: kept}, frames.schema), said


def _without(schema: Schema, column: str) -> Schema:
    """A schema in which a column has no role but to be ignored."""
    roles = {role: None for role in ("label", "prediction", "score") if getattr(schema, role) == column}
    if roles:
        raise SettingsError(
            f"{column!r} is the {' and the '.join(roles)}, so it is not ignored.", "Give the role to another column first."
        )
    return schema.with_(
        ignored=tuple(dict.fromkeys((*schema.ignored, column))),
        sensitive_features=tuple(c for c in schema.sensitive_features if c != column),
        reference_groups=tuple(p for p in schema.reference_groups if p[0] != column),
        levels=tuple(p for p in schema.levels if p[0] != column),
        edges=tuple(p for p in schema.edges if p[0] != column),
    )


def _codes_as_missing(frames: Frames, column: str) -> tuple[Frames, str]:
    """The codes that one table shows are missing in every table."""
    tables = [t for t in frames.tables if column in t.columns]
    codes = list(dict.fromkeys(c for t in tables for c in suspicious_codes(t, column)))
    if not codes:
        raise SettingsError(f"{column!r} has no value that may stand for 'no answer'.", "Nothing needs to be done.")
    schema = frames.schema
    if column in (schema.label, schema.prediction) and set(codes) & set(schema.pos_labels):
        raise SettingsError(
            f"One of {', '.join(map(repr, codes))} is the favourable outcome.", "Choose another favourable outcome first."
        )
    changed, counts = {}, []
    for table in tables:
        series = table.data[column]
        if isinstance(series.dtype, pd.CategoricalDtype):
            gone = series.isin(codes)
            series = series.mask(gone).cat.remove_categories([c for c in codes if c in series.cat.categories])
        else:
            gone = series.isin([float(c) for c in codes]) if table.type_of(column) == "numeric" else series.isin(codes)
            series = series.mask(gone)
        if gone.any():
            changed[table.name] = replace(table, data=table.data.assign(**{column: series}))
            counts.append(f"{table.name}: {int(gone.sum()):,}")
    after = {t.name: changed.get(t.name, t).data[column] for t in tables}
    inferred = infer_type(pd.concat(after.values(), ignore_index=True).astype(object).rename(column))[0]
    types = dict(schema.types)
    if types[column] in ("nominal", "text") and inferred in ("numeric", "ordinal"):
        types[column] = inferred  # it was no number only because of the code
    schema = schema.with_(
        types=types,
        reference_groups=tuple(p for p in schema.reference_groups if not (p[0] == column and str(p[1]) in codes)),
    )
    said = f"In {column}, {', '.join(map(repr, codes))} is read as missing ({', '.join(counts)})."
    return _rebuilt(frames, changed, schema), said


def _rebuilt(frames: Frames, changed: dict[str, AuditTable], schema: Schema) -> Frames:
    """Frames in which some tables are replaced, checked again."""
    reference, *targets = (changed.get(t.name, t) for t in frames.tables)
    return check_frames(reference, {t.name: t for t in targets}, schema)
