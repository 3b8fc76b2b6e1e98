"""Does the data have what the schema says: every contradiction, each with its remedy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fairaudit.errors import FairAuditError, SettingsError, column_not_found, unknown_name
from fairaudit.schema import CATEGORICAL_TYPES, Schema, category_name
from fairaudit.validation.canonical import joint_levels
from fairaudit.validation.plain import KIND_WORDS, Plain


def schema_problems(
    schema: Schema,
    plains: Mapping[str, Sequence[Plain]],
    table: str,
    others: Collection[str] = (),
) -> list[FairAuditError]:
    """Everything in a schema that the data does not have."""
    problems: list[FairAuditError] = []
    for role, column in schema.named_columns():
        if column not in plains:
            problems.append(column_not_found(role, column, plains, table))
    types = dict(schema.types)
    for what, mapping in (
        ("type", schema.types),
        ("order of levels", schema.levels),
        ("cut points", schema.edges),
        ("reference group", schema.reference_groups),
    ):
        for column, _ in mapping:
            if column not in plains and column not in others:
                problems.append(column_not_found(f"column of a {what}", column, plains, table))
    for column, found in plains.items():
        problems += _type_problems(column, types[column], found)
    for column, values in schema.levels:
        if column in plains:
            known = [category_name(v) for v in values]
            for name in sorted({n for p in plains[column] for n in p.levels[1]} - set(known))[:5]:
                problems.append(unknown_name(f"level of {column!r} in the order that was given", name, known))
    for column, _ in schema.edges:
        if column in plains and types[column] != "numeric":
            problems.append(
                SettingsError(
                    f"Cut points are given for {column!r}, which is {types[column]}.",
                    "Choose the type numeric, or leave the cut points out.",
                )
            )
    for column, value in schema.reference_groups:
        if column in plains and types[column] in CATEGORICAL_TYPES:
            groups = joint_levels(plains[column], dict(schema.levels).get(column, ()))
            if category_name(value) not in groups:
                problems.append(unknown_name(f"group of {column!r}", category_name(value), groups))
    problems += _outcome_problems(schema, plains)
    return problems


def _type_problems(column: str, column_type: str, plains: Sequence[Plain]) -> list[FairAuditError]:
    """A type that no value of the column has."""
    for plain in plains:
        if plain.kind == "empty":
            continue
        if column_type == "numeric":
            fits = plain.holds_numbers
        elif column_type == "date":
            fits = plain.kind == "date" or bool(plain.as_dates().notna().any())
        else:
            fits = True
        if not fits:
            return [
                SettingsError(
                    f"The type of {column!r} is {column_type}, but it holds {KIND_WORDS[plain.kind]}.", "Choose another type."
                )
            ]
    return []


def _outcome_problems(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> list[FairAuditError]:
    """A favourable outcome that occurs in neither label nor prediction, or favourable values that leave no other one."""
    columns = [c for c in (schema.label, schema.prediction) if c in plains and schema.type_of(str(c)) in CATEGORICAL_TYPES]
    if not columns or not schema.pos_labels:
        return []
    known = joint_levels([p for c in columns for p in plains[str(c)]])
    unknown = [v for v in schema.pos_labels if v not in known]
    problems: list[FairAuditError] = [unknown_name(f"outcome of {' or '.join(map(repr, columns))}", v, known) for v in unknown]
    nothing_left = all_favourable(schema.pos_labels, {str(c): joint_levels(plains[str(c)]) for c in columns})
    return [*problems, nothing_left] if nothing_left is not None else problems


def all_favourable(favourable: Collection[str], values: Mapping[str, Collection[str]]) -> FairAuditError | None:
    """The problem of an outcome all of whose values are favourable: everybody gets it, so nothing can differ. None where there is none.

    Parameters
    ----------
    favourable : collection of str
    values : mapping of str to collection of str
        Values of each outcome column. Columns with a value in common are one outcome: a model may well give one of its values only.

    Examples
    --------
    >>> print(all_favourable(["yes", "no"], {"hired": ["no", "yes"]}))
    Every value of 'hired' is chosen as favourable ('no', 'yes'), so no difference could be seen. Leave at least one value out.
    >>> all_favourable(["yes"], {"hired": ["no", "yes"]})
    """
    outcomes: list[tuple[list[str], set[str]]] = []
    for column, names in values.items():
        alike = next((o for o in outcomes if o[1] & set(names)), None)
        if alike is None:
            outcomes.append(([column], set(names)))
        else:
            alike[0].append(column)
            alike[1].update(names)
    for columns, names in outcomes:
        # A column with one value is one for which there is nothing to choose; it is found as constant.
        if len(names) > 1 and names <= set(favourable):
            shown = ", ".join(repr(n[:40]) for n in sorted(names)[:5]) + (", …" if len(names) > 5 else "")
            return SettingsError(
                f"Every value of {' and '.join(map(repr, columns))} is chosen as favourable ({shown}), so no difference could be seen.",
                "Leave at least one value out.",
            )
    return None
