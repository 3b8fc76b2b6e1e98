"""What can be done about a finding at once: each remedy makes new frames and says what it did.

A remedy says all that it does, so a list of them is a recipe: kept in a settings file, it makes the same tables of the same files again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError, column_not_found, unknown_name
from fairaudit.schema import AuditTable, Finding, Frames, Schema, category_name
from fairaudit.validation.findings import LARGE_ROWS, SAMPLE_ROWS, suspicious_codes
from fairaudit.validation.sampling import drawn, has_own_size, kept_whole
from fairaudit.validation.tables import with_schema
from fairaudit.validation.types import infer_type

__all__ = [
    "ACTIONS",
    "LARGE_ROWS",
    "SAMPLE_ROWS",
    "Remedy",
    "all_findings",
    "apply_remedy",
    "proposed_remedies",
]

Action = Literal["sample", "ignore", "read_as_missing", "read_as_numbers", "drop_repeated_rows"]
ACTIONS: tuple[str, ...] = get_args(Action)
_ACTIONS: dict[str, Action] = {
    "large_table": "sample",
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
Checked = TypeVar("Checked", AuditTable, Frames)


@dataclass(frozen=True)
class Remedy:
    """Something that is done to checked tables, in full: the same remedy on the same tables makes the same tables.

    Attributes
    ----------
    action : {"sample", "ignore", "read_as_missing", "read_as_numbers", "drop_repeated_rows"}
    table, column : str
        Where; no table means all of them, no column the table as a whole.
    values : tuple of str
        Values that are read as missing; none means those that may stand for "no answer".
    rows, seed : int
        Size of a sample, and the seed that it is drawn with. Tables that are not larger stay whole; a sample without a table leaves out those
        that had one by their name before.

    Examples
    --------
    >>> Remedy.from_dict({"action": "read_as_missing", "column": "age", "values": [999.0]})
    Remedy(action='read_as_missing', table='', column='age', values=('999',), rows=0, seed=0)
    >>> Remedy("sample", rows=20_000, seed=7).to_dict()
    {'action': 'sample', 'rows': 20000, 'seed': 7}
    """

    action: Action
    table: str = ""
    column: str = ""
    values: tuple[str, ...] = ()
    rows: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no table can have done to it."""
        if self.action not in ACTIONS:
            raise unknown_name("repair", self.action, ACTIONS)
        object.__setattr__(self, "values", tuple(dict.fromkeys(category_name(v) for v in self.values)))
        if self.action in ("ignore", "read_as_missing", "read_as_numbers") and not self.column:
            raise SettingsError(f"The repair {self.action} names no column.", "Name the column that it is about.")
        if self.action == "sample":
            for name, least in (("rows", 1), ("seed", 0)):
                value = getattr(self, name)
                if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                    raise SettingsError(
                        f"The {name} of a sample must be a whole number, {least} or more. Got {value!r}.",
                        f"Choose {SAMPLE_ROWS if name == 'rows' else 0}, for example.",
                    )
                object.__setattr__(self, name, int(value))

    @property
    def label(self) -> str:
        """What it does, in a few words."""
        if self.action == "sample":
            return f"Work with a sample of {self.rows:,} rows" + (f" of {self.table}" if self.table else "")
        if self.action == "ignore":
            return f"Ignore {self.column}"
        if self.action == "read_as_missing":
            return f"Read the codes of {self.column} as missing"
        if self.action == "read_as_numbers":
            return f"Read {self.column} as numbers"
        return f"Remove the repeated rows of {self.table or 'every table'}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as far as they say something; ``from_dict`` reads them back."""
        sample = self.action == "sample"
        said = {"action": self.action, "table": self.table, "column": self.column, "values": list(self.values)}
        return {k: v for k, v in said.items() if v} | ({"rows": self.rows, "seed": self.seed} if sample else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Remedy:
        """A remedy from plain values."""
        known = [f.name for f in fields(cls)]
        for key in values:
            if key not in known:
                raise unknown_name("entry of a repair", key, known)
        if "action" not in values:
            raise SettingsError("A repair names no action.", f"Choices: {', '.join(ACTIONS)}.")
        return cls(**{**values, "values": tuple(values.get("values", ()))})


def all_findings(frames: Frames) -> tuple[Finding, ...]:
    """What checking each table and comparing them showed."""
    return tuple(f for t in frames.tables for f in t.findings) + frames.findings


def proposed_remedies(frames: Frames) -> tuple[tuple[Finding, Remedy], ...]:
    """Remedies of the findings of columns that are not ignored, each once, together with the first finding that calls for it."""
    found: dict[Remedy, Finding] = {}
    for finding in all_findings(frames):
        action = _ACTIONS.get(finding.code)
        if action == "sample":
            found.setdefault(Remedy(action, rows=SAMPLE_ROWS), finding)
        elif action is not None and finding.column not in frames.schema.ignored:
            # Columns are alike in all tables, so what is done to a column is done everywhere.
            table = finding.table if action == "drop_repeated_rows" else ""
            codes = _codes(frames.tables, finding.column) if action == "read_as_missing" else ()
            found.setdefault(Remedy(action, table, finding.column, codes), finding)
    return tuple((finding, remedy) for remedy, finding in found.items())


def apply_remedy(checked: Checked, remedy: Remedy) -> tuple[Checked, str]:
    """New tables in which a remedy was applied, and one sentence that says what was done.

    Parameters
    ----------
    checked : Frames or AuditTable
        Stays as it is.
    remedy : Remedy

    Raises
    ------
    FairAuditError
        If the remedy would take away the outcome, its table or column does not exist, or there is nothing to do.

    Examples
    --------
    >>> from fairaudit import check_frames
    >>> same = pd.DataFrame({"age": [31.5, 42.0, 999.0, 28.5], "site": ["A"] * 4})
    >>> frames = check_frames(same, same)
    >>> after, said = apply_remedy(frames, Remedy("ignore", column="site"))
    >>> after.schema.ignored, said
    (('site',), 'site takes no part any more.')
    >>> apply_remedy(frames, Remedy("read_as_missing", column="age"))[1]
    "In age, '999' is read as missing (reference: 1, target: 1)."
    >>> apply_remedy(frames, Remedy("sample", rows=2, seed=1))[1]
    'reference is a random sample of 2 of 4 rows (seed 1); target is a random sample of 2 of 4 rows (seed 1). The rows keep their order.'
    """
    tables = tables_of(checked)
    if remedy.table and remedy.table not in {t.name for t in tables}:
        raise unknown_name("table", remedy.table, [t.name for t in tables])
    if remedy.column and not any(remedy.column in t.columns for t in tables):
        raise column_not_found("column", remedy.column, tables[0].columns, tables[0].name)
    schema = checked.schema
    if remedy.action == "ignore":
        return with_schema(checked, _without(schema, remedy.column)), f"{remedy.column} takes no part any more."
    if remedy.action == "read_as_missing":
        return _codes_as_missing(checked, remedy)
    if remedy.action == "read_as_numbers":
        return _as_numbers(checked, remedy.column)
    chosen = [t for t in tables if remedy.table in ("", t.name)]
    if remedy.action == "sample":
        return _sampled(checked, chosen, remedy)
    return _without_repeated_rows(checked, chosen)


def tables_of(checked: AuditTable | Frames) -> tuple[AuditTable, ...]:
    """One table, or the reference and the targets."""
    return checked.tables if isinstance(checked, Frames) else (checked,)


def with_tables(checked: Checked, changed: Mapping[str, AuditTable]) -> Checked:
    """The same with some tables replaced, without checking anything."""
    if isinstance(checked, Frames):
        reference, *targets = (changed.get(t.name, t) for t in checked.tables)
        return replace(checked, reference=reference, targets=tuple(targets))  # type: ignore[call-arg]
    return changed.get(checked.name, checked)


def _rebuilt(checked: Checked, changed: Mapping[str, AuditTable], schema: Schema) -> Checked:
    """The same with some tables replaced, checked again."""
    return with_schema(with_tables(checked, changed), schema)


def _noted(table: AuditTable, data: pd.DataFrame, column: str, said: str) -> AuditTable:
    """A table with other data and a finding that says why."""
    finding = Finding("repaired", "info", table.name, column, said, "Nothing to do: it was asked for.")
    return replace(table, data=data, findings=(finding, *table.findings))


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


def _as_numbers(checked: Checked, column: str) -> tuple[Checked, str]:
    """A column with the type numeric; what is no number is missing, and stays known to be."""
    after = with_schema(checked, checked.schema.with_(types={**dict(checked.schema.types), column: "numeric"}))
    lost = {
        t.name: int(now.data[column].isna().sum() - t.data[column].isna().sum())
        for t, now in zip(tables_of(checked), tables_of(after), strict=True)
        if column in t.columns
    }
    said = "The column is read as numbers; {:,} cells that are none count as missing."
    changed = {t.name: _noted(t, t.data, column, said.format(lost[t.name])) for t in tables_of(after) if lost.get(t.name)}
    counts = ", ".join(f"{name}: {n:,}" for name, n in lost.items())
    return with_tables(after, changed), f"{column} is read as numbers; cells that are none count as missing ({counts})."


def _sampled(checked: Checked, chosen: Sequence[AuditTable], remedy: Remedy) -> tuple[Checked, str]:
    """Samples of the tables that are larger than asked for; the others stay whole."""
    # One table may have a size of its own already; a sample of all tables is for the others.
    free = [t for t in chosen if t.sample is None and (remedy.table or not has_own_size(t))]
    to_draw = free or [t for t in chosen if t.sample is not None]
    changed = {t.name: drawn(t, remedy.rows, remedy.seed) for t in to_draw if len(t) > remedy.rows}
    whole = [t for t in chosen if t.name not in changed and (t.sample is None or not free)]
    said = [f"{t.name} is {t.sample.words}" for t in changed.values() if t.sample is not None]
    said += [f"{t.name} keeps its {len(t):,} rows" for t in whole]
    if changed:
        return _rebuilt(checked, changed, checked.schema), f"{'; '.join(said)}. The rows keep their order."
    sized = {t.name: kept_whole(t, remedy.rows) for t in whole if remedy.table and t.sample is None}
    return with_tables(checked, sized), f"{'; '.join(said)}."


def _without_repeated_rows(checked: Checked, chosen: Sequence[AuditTable]) -> tuple[Checked, str]:
    """The first of equal rows stays."""
    changed, said = {}, []
    for table in chosen:
        repeated = pd.util.hash_pandas_object(table.data, index=False).duplicated().to_numpy()
        if not repeated.any():
            continue
        kept = table.data[~repeated].reset_index(drop=True)
        said.append(f"{int(repeated.sum()):,} repeated rows of {table.name} were removed; {len(kept):,} are left.")
        changed[table.name] = _noted(table, kept, "", said[-1])
    if not changed:
        raise SettingsError(f"{' and '.join(t.name for t in chosen)} has no repeated rows.", "Nothing needs to be done.")
    return _rebuilt(checked, changed, checked.schema), " ".join(said)


def _codes(tables: Sequence[AuditTable], column: str) -> tuple[str, ...]:
    """The codes that any table shows in a column."""
    return tuple(dict.fromkeys(c for t in tables if column in t.columns for c in suspicious_codes(t, column)))


def _codes_as_missing(checked: Checked, remedy: Remedy) -> tuple[Checked, str]:
    """The codes that one table shows are missing in every table."""
    column, schema = remedy.column, checked.schema
    tables = [t for t in tables_of(checked) if column in t.columns]
    codes = remedy.values or _codes(tables, column)
    if not codes:
        raise SettingsError(f"{column!r} has no value that may stand for 'no answer'.", "Nothing needs to be done.")
    if column in (schema.label, schema.prediction) and set(codes) & set(schema.pos_labels):
        raise SettingsError(
            f"One of {', '.join(map(repr, codes))} is the favourable outcome.", "Choose another favourable outcome first."
        )
    named = ", ".join(map(repr, codes))
    changed, counts = {}, []
    for table in tables:
        gone = _holds(table.data[column], codes)
        if gone.any():
            series = table.data[column].mask(gone)
            if isinstance(series.dtype, pd.CategoricalDtype):
                series = series.cat.remove_categories([c for c in codes if c in series.cat.categories])
            n = int(gone.sum())
            counts.append(f"{table.name}: {n:,}")
            said = f"{named} is read as missing ({n:,} cells)."
            changed[table.name] = _noted(table, table.data.assign(**{column: series}), column, said)
    if not changed:
        raise SettingsError(f"No cell of {column} holds {named}.", "Nothing needs to be done.")
    after = [changed.get(t.name, t).data[column] for t in tables]
    inferred = infer_type(pd.concat(after, ignore_index=True).astype(object).rename(column))[0]
    types = dict(schema.types)
    if types[column] in ("nominal", "text") and inferred in ("numeric", "ordinal"):
        types[column] = inferred  # it was no number only because of the code
    schema = schema.with_(
        types=types,
        reference_groups=tuple(p for p in schema.reference_groups if not (p[0] == column and category_name(p[1]) in codes)),
    )
    return _rebuilt(checked, changed, schema), f"In {column}, {named} is read as missing ({', '.join(counts)})."


def _holds(series: pd.Series, codes: Sequence[str]) -> pd.Series:
    """Cells that hold one of the codes, whatever the type of the column."""
    if series.dtype == np.float64:
        numbers = pd.to_numeric(pd.Series(codes, dtype=object), errors="coerce").dropna()
        return series.isin(numbers.astype(float))
    if isinstance(series.dtype, pd.CategoricalDtype) or series.dtype == object:
        return series.isin(codes)
    return series.astype(str).isin(codes)
