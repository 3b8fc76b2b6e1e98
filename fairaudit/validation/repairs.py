"""Several remedies in their order: the repairs that a settings file keeps, done again on the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairaudit.errors import FairAuditError
from fairaudit.schema import AuditTable, Finding, Frames, Schema
from fairaudit.validation.remedies import Checked, Remedy, apply_remedy, tables_of, with_tables
from fairaudit.validation.tables import check_frames, check_table, with_schema


@dataclass(frozen=True)
class Told:
    """What a remedy did, or why it was not done.

    Attributes
    ----------
    sentence : str
    done : bool
    """

    sentence: str
    done: bool = True


def apply_remedies(checked: Checked, remedies: Iterable[Remedy]) -> tuple[Checked, tuple[Told, ...]]:
    """Tables in which remedies were applied in their order, and what is to be told of each.

    A remedy that cannot be applied here, for instance because its column does not exist, is left out; its sentence and a finding
    (``repair_not_done``) of the first table say so.
    """
    told: list[Told] = []
    for remedy in remedies:
        try:
            checked, sentence = apply_remedy(checked, remedy)
            told.append(Told(sentence))
        except FairAuditError as error:
            sentence = f"Not done: {remedy.label[0].lower()}{remedy.label[1:]}. {error}"
            first: AuditTable = tables_of(checked)[0]
            finding = Finding(
                "repair_not_done", "warning", first.name, remedy.column, sentence, "Look whether it is the right table."
            )
            checked = with_tables(checked, {first.name: replace(first, findings=(finding, *first.findings))})
            told.append(Told(sentence, done=False))
    return checked, tuple(told)


@dataclass(frozen=True, eq=False)
class Repaired:
    """Tables after the repairs of a settings file, and how they came about.

    Attributes
    ----------
    frames : Frames
    before : Frames
        The same tables without repairs; types and roles as proposed from the data where there are repairs.
    told : tuple of Told
        What each repair did.
    """

    frames: Frames
    before: Frames
    told: tuple[Told, ...] = ()


def check_and_repair(
    reference: Any, targets: Any, schema: Schema | Mapping[str, Any] | None = None, remedies: Sequence[Remedy] = ()
) -> Repaired:
    """Check tables, apply remedies in their order, and give the result the schema.

    The schema is the one after all remedies, so it need not fit the tables before them; types that it does not name are inferred before
    any row or value is taken out.

    Parameters
    ----------
    reference, targets, schema
        As for ``check_frames``.
    remedies : sequence of Remedy

    Raises
    ------
    FairAuditError
        As ``check_frames`` does.
    """
    return Repaired(*_repaired(lambda s: check_frames(reference, targets, s), schema, remedies))


def repaired_table(
    data: Any, schema: Schema | Mapping[str, Any] | None, remedies: Sequence[Remedy], *, name: str
) -> tuple[AuditTable, tuple[Told, ...]]:
    """One table, checked and repaired as by ``check_and_repair``, and what each repair did."""
    table, _, told = _repaired(lambda s: check_table(data, s, name=name), schema, remedies)
    return table, told


def _repaired(
    check: Callable[[Schema | Mapping[str, Any] | None], Checked],
    schema: Schema | Mapping[str, Any] | None,
    remedies: Sequence[Remedy],
) -> tuple[Checked, Checked, tuple[Told, ...]]:
    """Tables after the repairs and before them, and what each repair did."""
    if not remedies:
        checked = check(schema)
        return checked, checked, ()
    # Before their repairs tables are checked with nothing of a schema that fits them only afterwards.
    before = check(None if schema is None else Schema())
    after, told = apply_remedies(before, remedies)
    return _finished(after, schema), before, told


def _finished(checked: Checked, schema: Schema | Mapping[str, Any] | None) -> Checked:
    """Repaired tables under the schema that was given; without one they keep what was proposed."""
    if schema is None:
        return checked
    full = Schema.from_any(schema)
    inferred = {c: t for c, t in checked.schema.types if c not in dict(full.levels)}
    return with_schema(checked, full.with_(types={**inferred, **dict(full.types)}))
