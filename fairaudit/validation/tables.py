"""check_table, check_frames and with_schema: the entrance that every table takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import pandas as pd

from fairaudit.errors import FairAuditError, SettingsError, ValidationError
from fairaudit.reading import READING_CODES, ReadTable, read_table
from fairaudit.schema import CATEGORICAL_TYPES, REPAIR_CODES, AuditTable, Finding, Frames, Sample, Schema
from fairaudit.validation.canonical import canonical, fingerprint, joint_levels
from fairaudit.validation.findings import frame_findings, table_findings
from fairaudit.validation.matching import comparable, missing_column, near_column
from fairaudit.validation.outcome import guessed, still_guessed
from fairaudit.validation.plain import Plain, plain_column
from fairaudit.validation.roles import complete
from fairaudit.validation.schema_check import schema_problems
from fairaudit.validation.types import joint_type

Table = pd.DataFrame | ReadTable | AuditTable
Targets = Table | Sequence[Table] | Mapping[str, Table]


@dataclass(frozen=True, eq=False)
class _Raw:
    """A table on its way: plain columns, and what is known of it from before."""

    name: str
    plains: dict[str, Plain]
    findings: tuple[Finding, ...]
    sample: Sample | None = None


def _raw(table: Table, name: str) -> _Raw:
    if isinstance(table, AuditTable):
        frame, kept = table.data, tuple(f for f in table.findings if f.code in READING_CODES | REPAIR_CODES)
    else:
        read = table if isinstance(table, ReadTable) else read_table(_frame(table, name), name=name)
        frame, kept = read.data, read.findings
    sample = table.sample if isinstance(table, AuditTable) else None
    return _Raw(name, {c: plain_column(frame[c]) for c in frame.columns}, tuple(replace(f, table=name) for f in kept), sample)


def _frame(table: object, name: str) -> pd.DataFrame:
    if isinstance(table, pd.Series):
        return table.to_frame()
    if not isinstance(table, pd.DataFrame):
        raise SettingsError(f"{name} is a {type(table).__name__}, not a table.", "Give a DataFrame, or what read_table returns.")
    return table


def check_table(data: Table, schema: Schema | Mapping[str, Any] | None = None, *, name: str = "table") -> AuditTable:
    """One table in canonical form.

    Parameters
    ----------
    data : DataFrame, ReadTable or AuditTable
    schema : Schema or dict, optional
        None: types and roles are proposed (an AuditTable keeps its own). Otherwise the roles are as given, and types that are
        not given are inferred.
    name : str
        How the table is called in results and messages.

    Returns
    -------
    AuditTable

    Raises
    ------
    ValidationError
        With every problem of the table, not only the first.

    Examples
    --------
    >>> table = check_table(pd.DataFrame({"sex": ["F", "M", "F"], "pay": [10, 20, 10.5]}))
    >>> table.type_of("sex"), table.type_of("pay"), table.schema.sensitive_features
    ('binary', 'numeric', ('sex',))
    """
    raw = _raw(data, name)
    if schema is None and isinstance(data, AuditTable):
        schema = data.schema
    plains = {c: [p] for c, p in raw.plains.items()}
    start = Schema.from_any(schema)
    full = complete(start, plains, roles=schema is None)
    problems = schema_problems(full, plains, name)
    if problems:
        raise ValidationError(problems)
    full, changed = _promoted(full, plains)
    levels = _levels(full, plains)
    table = _audit_table(raw, full, levels, list(raw.plains))
    changed += guessed(full, plains, start, name)
    return replace(table, findings=(*table.findings, *(replace(f, table=name) for f in changed)))


def check_frames(
    reference: Table,
    targets: Targets = (),
    schema: Schema | Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Frames:
    """A reference and its targets with the same columns, types and categories.

    Parameters
    ----------
    reference : DataFrame, ReadTable or AuditTable
    targets : one such table, a list of them, or a dict of name to table
        Columns are matched by name; another order and more columns than the reference has are fine. None at all: only groups inside the
        reference can be compared.
    schema : Schema or dict, optional
        None: types and roles are proposed from all tables together (an AuditTable as reference keeps its own).
    names : sequence of str, optional
        Names of the targets. None: those of a dict or of the tables, else target 1, target 2, …

    Returns
    -------
    Frames
        ``mismatched`` names columns that cannot be compared; everything else can.

    Raises
    ------
    ValidationError
        With every problem: a column with a role is missing or of another kind in a target, a value of the schema does not occur.

    Examples
    --------
    >>> before, after = pd.DataFrame({"sex": list("FMFM")}), pd.DataFrame({"sex": list("FXMM")})
    >>> frames = check_frames(before, {"day 1": after})
    >>> list(frames.reference.data["sex"].cat.categories)
    ['F', 'M', 'X']
    """
    sources, reference_name = _named_targets(targets, names, reference)
    proposed = schema is None and not isinstance(reference, AuditTable)
    if schema is None and isinstance(reference, AuditTable):
        schema = reference.schema
    base = _raw(reference, reference_name)
    raws = [_raw(table, name) for name, table in sources]
    start = Schema.from_any(schema)
    if strangers := [raw for raw in raws if not set(raw.plains) & set(base.plains)]:
        raise ValidationError([_nothing_in_common(base, raw) for raw in strangers])
    match = _Match(base, raws, start)
    full = complete(start, match.joint, roles=proposed)
    problems: list[FairAuditError] = list(match.role_problems(full, proposed))
    if proposed:
        full = complete(_without_roles(full, {c for _, c in match.reasons}), match.joint, roles=False)
    problems += schema_problems(full, match.joint, reference_name, {c for raw in raws for c in raw.plains})
    if problems:
        raise ValidationError(problems)
    full, changed = _promoted(full, match.joint)
    levels = _levels(full, match.joint)
    checked = _audit_table(base, full, levels, list(base.plains))
    tables = tuple(match.target(raw, full, levels) for raw in raws)
    findings = [
        *match.findings,
        *(replace(f, table=reference_name) for f in changed),
        *guessed(full, match.joint, start, reference_name),
        *frame_findings(checked, tables, set(match.reasons)),
    ]
    mismatched: dict[str, list[str]] = {}
    for (_, column), reason in match.reasons.items():
        mismatched.setdefault(column, []).append(reason)
    return Frames(checked, tables, tuple(findings), tuple((c, "; ".join(r)) for c, r in mismatched.items()))


@overload
def with_schema(checked: AuditTable, schema: Schema | Mapping[str, Any]) -> AuditTable: ...
@overload
def with_schema(checked: Frames, schema: Schema | Mapping[str, Any]) -> Frames: ...
def with_schema(checked: AuditTable | Frames, schema: Schema | Mapping[str, Any]) -> AuditTable | Frames:
    """The same table or frames under another schema, for instance after an edit of types or roles.

    Nothing is lost on the way between numeric, binary, ordinal, nominal and identifier as long as the categories are numbers;
    text becomes missing when its type is set to numeric, which a finding says.
    """
    after: AuditTable | Frames
    if isinstance(checked, Frames):
        after = check_frames(checked.reference, {t.name: t for t in checked.targets}, schema)
    else:
        after = check_table(checked, schema, name=checked.name)
    return replace(
        after, findings=(*after.findings, *still_guessed(checked.findings, checked.schema, after.schema, after.findings))
    )


def _named_targets(targets: Targets, names: Sequence[str] | None, reference: Table) -> tuple[list[tuple[str, Table]], str]:
    """Targets with unique names, and the name of the reference."""
    if isinstance(targets, Mapping):
        pairs: list[tuple[str, Table]] = [(str(k), v) for k, v in targets.items()]
    else:
        tables = [targets] if isinstance(targets, (pd.DataFrame, pd.Series, ReadTable, AuditTable)) else list(targets)
        own = [getattr(t, "name", "") if isinstance(t, (ReadTable, AuditTable)) else "" for t in tables]
        single = "target" if len(tables) == 1 else ""
        pairs = [
            (n if n not in ("", "table") else single or f"target {i + 1}", t)
            for i, (n, t) in enumerate(zip(own, tables, strict=True))
        ]
    if names is not None:
        if len(names) != len(pairs):
            raise SettingsError(f"There are {len(names)} names for {len(pairs)} target tables.", "Give one name for each target.")
        pairs = [(str(n), t) for n, (_, t) in zip(names, pairs, strict=True)]
    own_name = reference.name if isinstance(reference, (ReadTable, AuditTable)) else ""
    reference_name = own_name if own_name not in ("", "table") else "reference"
    used: set[str] = {reference_name}
    unique: list[tuple[str, Table]] = []
    for name, table in pairs:
        new, number = name, 2
        while new in used:
            new, number = f"{name} ({number})", number + 1
        used.add(new)
        unique.append((new, table))
    return unique, reference_name


def _nothing_in_common(base: _Raw, raw: _Raw) -> SettingsError:
    mine, theirs = (", ".join(list(r.plains)[:8]) + (", …" if len(r.plains) > 8 else "") for r in (base, raw))
    return SettingsError(
        f"{raw.name} and {base.name} have no column in common.",
        f"Choose the right file, or look whether its delimiter and its names were read rightly. Columns of {base.name}: {mine}. "
        f"Columns of {raw.name}: {theirs}.",
    )


class _Match:
    """Columns of the targets against those of the reference."""

    def __init__(self, base: _Raw, raws: Sequence[_Raw], schema: Schema) -> None:
        self.base, self.raws = base, raws
        self.reasons: dict[tuple[str, str], str] = {}
        self.near: dict[tuple[str, str], str | None] = {}
        self.findings: list[Finding] = []
        self.joint: dict[str, list[Plain]] = {}
        ignored = set(schema.ignored)
        for raw in raws:
            extra = [c for c in raw.plains if c not in base.plains]
            for column in base.plains:
                if column not in raw.plains and column not in ignored:
                    self._missing(raw, column, extra)
            left = [c for c in extra if c not in ignored]
            if left:
                shown = ", ".join(repr(c) for c in left[:10]) + (", …" if len(left) > 10 else "")
                self.findings.append(
                    Finding(
                        "extra_columns",
                        "info",
                        raw.name,
                        "",
                        f"Columns that {base.name} does not have are left out: {shown}.",
                        "Nothing to do, or add them to the reference.",
                    )
                )
        for column, plain in base.plains.items():
            others = [(raw, raw.plains[column]) for raw in raws if column in raw.plains]
            self.joint[column] = self._joined(column, plain, others, schema)

    def _missing(self, raw: _Raw, column: str, extra: list[str]) -> None:
        guess = near_column(column, extra)
        self.near[raw.name, column] = guess
        self.reasons[raw.name, column] = f"not a column of {raw.name}"
        problem = missing_column("column", column, self.base.name, raw.name, guess, list(raw.plains))
        self.findings.append(Finding("missing_column", "error", raw.name, column, problem.problem, problem.remedy))

    def _joined(self, column: str, plain: Plain, others: list[tuple[_Raw, Plain]], schema: Schema) -> list[Plain]:
        """Plain columns of the tables that hold the same kind of values as the reference."""
        given = schema.type_of(column)
        lead = plain if plain.kind != "empty" else next((p for _, p in others if p.kind != "empty"), plain)
        joined = [plain]
        for raw, other in others:
            if reason := comparable(lead, other, given):
                said = f"{reason[0]} in {self.base.name}, {reason[1]} in {raw.name}"
                self.reasons[raw.name, column] = said
                self.findings.append(
                    Finding(
                        "type_mismatch",
                        "error",
                        raw.name,
                        column,
                        f"The column holds {said}, so it cannot be compared.",
                        "Bring both files into the same form, or choose the type nominal to compare the values as text.",
                    )
                )
            else:
                joined.append(other)
        return joined

    def role_problems(self, schema: Schema, proposed: bool) -> list[FairAuditError]:
        """Columns with a role that a target lacks or holds in another kind; a proposed role only if a near match shows a typing error."""
        problems: list[FairAuditError] = []
        for role, column in schema.named_columns():
            if column not in self.base.plains:
                continue
            for raw in self.raws:
                reason = self.reasons.get((raw.name, column))
                if reason is None:
                    continue
                if column not in raw.plains:
                    guess = self.near[raw.name, column]
                    if guess is not None or not proposed:
                        problems.append(missing_column(role, column, self.base.name, raw.name, guess, list(raw.plains)))
                elif not proposed:
                    problems.append(
                        SettingsError(
                            f"The {role} {column!r} holds {reason}.",
                            "Bring both files into the same form, or choose another column for this role.",
                        )
                    )
        return problems

    def target(self, raw: _Raw, schema: Schema, levels: Mapping[str, Sequence[str]]) -> AuditTable:
        """The target in canonical form; a column of another kind keeps its own type."""
        columns = [c for c in self.base.plains if c in raw.plains]
        own = {c: [raw.plains[c]] for c in columns if (raw.name, c) in self.reasons}
        if own:
            types = {**dict(schema.types), **{c: joint_type(p, c)[0] for c, p in own.items()}}
            schema = schema.with_(types=types)
            levels = {**levels, **{c: joint_levels(p) for c, p in own.items()}}
        return _audit_table(raw, schema, levels, columns)


def _without_roles(schema: Schema, columns: set[str]) -> Schema:
    """A schema in which some columns are plain features."""
    roles = {r: None for r in ("label", "prediction", "score") if getattr(schema, r) in columns}
    sensitive = tuple(c for c in schema.sensitive_features if c not in columns)
    if roles:
        roles["pos_label"] = None  # it may be the outcome of a column that has no role any more
    return schema.with_(sensitive_features=sensitive, **roles)


def _promoted(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> tuple[Schema, list[Finding]]:
    """Binary columns that have more than two values once all tables are seen get the type that fits."""
    types, findings = dict(schema.types), []
    for column, found in plains.items():
        names = {n for p in found for n in p.levels[1]} if types[column] == "binary" else set()
        if len(names) > 2:
            new = joint_type(found, column)[0]
            types[column] = new if new != "binary" else "nominal"
            problem = f"The column has {len(names)} distinct values, so its type is {types[column]}, not binary."
            findings.append(Finding("type_changed", "warning", "", column, problem, "Look for a value that should be missing."))
    return schema.with_(types=types), findings


def _levels(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> dict[str, list[str]]:
    """Categories of every categorical column; of a binary outcome the favourable one is the last, whose share is spoken of."""
    given = dict(schema.levels)
    levels = {c: joint_levels(p, given.get(c, ())) for c, p in plains.items() if schema.type_of(c) in CATEGORICAL_TYPES}
    for column in (schema.label, schema.prediction):
        if column in levels and schema.type_of(column) == "binary" and column not in given:
            levels[column].sort(key=lambda name: name in schema.pos_labels)
    return levels


def _audit_table(raw: _Raw, schema: Schema, levels: Mapping[str, Sequence[str]], columns: Sequence[str]) -> AuditTable:
    """Canonical columns, fingerprint and findings of one table."""
    types = {c: schema.type_of(c) or "" for c in columns}
    data = pd.DataFrame({c: canonical(raw.plains[c], types[c], levels.get(c, ())) for c in columns}, copy=False)
    data.columns = pd.Index(columns, dtype=object)
    table = AuditTable(raw.name, data, schema, fingerprint(data, schema), sample=raw.sample)
    return replace(table, findings=(*raw.findings, *table_findings(table, raw.plains)))
