"""``inject``: planted biases applied in order, with an exact account of what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.injection.context import Context
from fairaudit.injection.description import Injection, check_seed
from fairaudit.injection.groups import as_float, group_mask, is_number_column
from fairaudit.injection.spec import Change
from fairaudit.injection.tables import content_fingerprint, rebuilt
from fairaudit.results import notebook_html
from fairaudit.schema import AuditTable, Schema

DEFAULT_SEED = 4224


@dataclass(frozen=True)
class StepResult:
    """What one step did.

    Attributes
    ----------
    injection : Injection
    group_size : int
        Rows of the group when the step ran.
    rows_changed, cells_changed, rows_removed : int
        Against the table as the step found it.
    note : str
        A remark, such as where a threshold came from; often empty.
    """

    injection: Injection
    group_size: int
    rows_changed: int
    cells_changed: int
    rows_removed: int
    note: str = ""

    def summary(self) -> str:
        """What the step does and what it changed, in plain words."""
        counts = [
            f"{count:,} {word}{'' if count == 1 else 's'} {verb}"
            for count, word, verb in (
                (self.rows_changed, "row", "changed"),
                (self.cells_changed, "cell", "changed"),
                (self.rows_removed, "row", "taken out"),
            )
            if count
        ]
        effect = ", ".join(counts) if counts else "nothing changed"
        text = f"{self.injection.sentence()} Group of {self.group_size:,}: {effect}."
        return f"{text} {self.note}".rstrip()


@dataclass(frozen=True, eq=False)
class Injected:
    """A table with planted biases, and what they changed.

    Attributes
    ----------
    table : DataFrame or AuditTable
        Same type as what came in.
    changed : Series of bool
        Over the rows of ``table``: exactly those that differ from the same row of the original.
    removed : Index
        Index labels of the original's rows that were taken out.
    kept : ndarray of int
        Position in the original of each row of ``table``.
    changed_cells : dict of str to int
        Number of changed cells of each column that changed.
    steps : tuple of StepResult
        In the order in which they were applied.
    description : dict
        JSON values that recreate the table bit by bit, see ``replay``.
    """

    table: Any
    changed: pd.Series
    removed: pd.Index
    kept: np.ndarray
    changed_cells: dict[str, int]
    steps: tuple[StepResult, ...]
    description: dict[str, Any] = field(repr=False)

    @property
    def n_changed_cells(self) -> int:
        """Number of changed cells over all columns."""
        return sum(self.changed_cells.values())

    def summaries(self) -> tuple[str, ...]:
        """One sentence or two for each step."""
        return tuple(step.summary() for step in self.steps)

    def to_frame(self) -> pd.DataFrame:
        """One row for each step: step, kind, strength, group_size, rows_changed, cells_changed, rows_removed, summary."""
        columns = ["step", "kind", "strength", "group_size", "rows_changed", "cells_changed", "rows_removed", "summary"]
        rows = [
            (
                n,
                s.injection.kind,
                s.injection.strength,
                s.group_size,
                s.rows_changed,
                s.cells_changed,
                s.rows_removed,
                s.summary(),
            )
            for n, s in enumerate(self.steps, start=1)
        ]
        return pd.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        """Show the steps in a notebook."""
        return notebook_html(self.to_frame())

    def to_dict(self) -> dict[str, Any]:
        """Counts, summaries and the description, ready for JSON."""
        return {
            "rows": len(self.kept),
            "rows_changed": int(self.changed.sum()),
            "rows_removed": len(self.removed),
            "cells_changed": dict(self.changed_cells),
            "steps": list(self.summaries()),
            "description": self.description,
        }

    def to_json(self) -> str:
        """The description as JSON text; ``replay`` reads it."""
        return json.dumps(self.description, indent=2, ensure_ascii=False)


def differing(before: pd.Series, after: pd.Series) -> np.ndarray:
    """Rows in which two columns of the same length differ; two missing values are equal.

    Parameters
    ----------
    before, after : Series
        Compared by position.

    Returns
    -------
    ndarray of bool
    """
    if before is after:
        return np.zeros(len(before), dtype=bool)
    missing_before, missing_after = before.isna().to_numpy(), after.isna().to_numpy()
    result = missing_before != missing_after
    present = np.flatnonzero(~missing_before & ~missing_after)
    old, new = before.iloc[present], after.iloc[present]
    if is_number_column(before) and is_number_column(after):
        result[present] = as_float(old) != as_float(new)
    elif isinstance(before.dtype, pd.CategoricalDtype) and isinstance(after.dtype, pd.CategoricalDtype):
        # Codes into the categories of ``before`` avoid a text comparison of every row.
        recoded = new.cat.set_categories(old.cat.categories)
        result[present] = old.cat.codes.to_numpy() != recoded.cat.codes.to_numpy()
    else:
        result[present] = old.to_numpy(dtype=object) != new.to_numpy(dtype=object)
    return result


def step_seed(injection: Injection, seed: int, position: int) -> int | np.random.SeedSequence:
    """Seed of a step: its own, or the common one for the first step and children of it for the others.

    The first step uses the common seed itself, so that one injection with seed 4224 draws what ``default_rng(4224)`` draws.
    """
    if injection.seed is not None:
        return injection.seed
    return seed if position == 0 else np.random.SeedSequence(seed, spawn_key=(position,))


def as_injections(injections: Injection | Mapping[str, Any] | Iterable[Any]) -> tuple[Injection, ...]:
    """One injection or several, as dicts or descriptions, in order."""
    several: Iterable[Any] = [injections] if isinstance(injections, (Injection, Mapping)) else injections
    return tuple(Injection.from_dict(i) for i in several)


@dataclass(frozen=True, eq=False)
class Applied:
    """What ``apply_step`` gives back.

    Attributes
    ----------
    table : DataFrame
        The very same object where nothing was done.
    kept : ndarray of int
        Positions of the rows that are left.
    change : Change
    group_size : int
    injection : Injection
        With the parameters that came from the schema filled in.
    """

    table: pd.DataFrame
    kept: np.ndarray
    change: Change
    group_size: int
    injection: Injection


def apply_step(
    table: pd.DataFrame,
    injection: Injection,
    seed: int | np.random.SeedSequence,
    schema: Schema,
    *,
    origin: pd.DataFrame | None = None,
    strict: bool = True,
) -> Applied:
    """Apply one injection to a frame; the frame itself is not written to.

    Parameters
    ----------
    table : DataFrame
    injection : Injection
    seed : int or SeedSequence
    schema : Schema
    origin : DataFrame, optional
        Where values are known from besides ``table``, when earlier steps may have removed the last row of one.
    strict : bool
        Whether requests that cannot be met are errors. Resampled tables may lack a rare value by chance; there it changes nothing.

    Returns
    -------
    Applied
    """
    in_group = group_mask(table, injection.group, strict=strict)
    context = Context(table, in_group, injection.strength, seed, schema, table if origin is None else origin)
    parameters = dict(injection.parameters)
    spec = injection.spec
    if strict and spec.check is not None:
        spec.check(context, **parameters)
    if spec.resolve is not None:
        filled = parameters | spec.resolve(context, **parameters)
        injection = replace(injection, parameters=tuple(filled.items()))
    group_size = int(in_group.sum())
    kept = np.arange(len(table))
    if injection.strength == 0 or group_size == 0:
        return Applied(table, kept, Change(), group_size, injection)
    change: Change = spec.function(context, **parameters)
    result = table
    if change.columns:
        result = table.copy(deep=False)
        for name, column in change.columns.items():
            result[name] = column
    if len(change.removed):
        kept = np.delete(kept, change.removed)
        result = result.iloc[kept]
    return Applied(result, kept, change, group_size, injection)


def inject(
    table: pd.DataFrame | AuditTable,
    injections: Injection | Mapping[str, Any] | Iterable[Any],
    seed: int = DEFAULT_SEED,
    schema: Schema | Mapping[str, Any] | None = None,
) -> Injected:
    """Plant known biases in a table.

    Parameters
    ----------
    table : DataFrame or AuditTable
        Not changed.
    injections : list of dict or of Injection
        Applied in order, each to what the one before it left: ``{"kind": …, "strength": …, "group": …, parameter: value}``. The kinds and
        their parameters are in ``INJECTIONS``.
    seed : int
        Same table, injections and seed give the same result.
    schema : Schema or dict, optional
        Names the label, the favourable outcome and the score where the injections do not; an AuditTable brings its own.

    Returns
    -------
    Injected

    Raises
    ------
    FairAuditError
        For a request that cannot be met: an unknown column, value or parameter, a group without rows, a text column scaled, …

    Examples
    --------
    >>> table = pd.DataFrame({"gender": ["WOMAN", "MAN", "WOMAN"], "education": ["POST-GRAD", "POST-GRAD", "GRAD"]})
    >>> step = {"kind": "set_value", "group": {"gender": "WOMAN"}, "column": "education", "value": "GRAD"}
    >>> injected = inject(table, [step])
    >>> injected.table["education"].tolist(), injected.changed.tolist()
    (['GRAD', 'POST-GRAD', 'GRAD'], [True, False, False])
    """
    steps = as_injections(injections)
    seed = check_seed(seed)
    original = table.data if isinstance(table, AuditTable) else table
    if not original.columns.is_unique:
        twice = original.columns[original.columns.duplicated()][0]
        raise FairAuditError(
            f"The column name {str(twice)!r} occurs more than once.", "Rename the columns so that each name is unique."
        )
    roles = table.schema if isinstance(table, AuditTable) and schema is None else Schema.from_any(schema)
    current, kept = original, np.arange(len(original))
    results = []
    touched: set[str] = set()
    for position, injection in enumerate(steps):
        applied = apply_step(current, injection, step_seed(injection, seed, position), roles, origin=original)
        change = applied.change
        cells = [differing(current[name], column) for name, column in change.columns.items()]
        results.append(
            StepResult(
                applied.injection,
                applied.group_size,
                rows_changed=int(np.any(cells, axis=0).sum()) if cells else 0,
                cells_changed=sum(int(c.sum()) for c in cells),
                rows_removed=len(current) - len(applied.kept),
                note=change.note,
            )
        )
        current, kept = applied.table, kept[applied.kept]
        if len(original) and not len(kept):
            raise FairAuditError(
                f"Step {position + 1} takes out every row that is left: {injection.sentence()}",
                "Lower its strength or choose a group.",
            )
        touched |= change.columns.keys()
    changed = np.zeros(len(kept), dtype=bool)
    changed_cells: dict[str, int] = {}
    for name in (name for name in original.columns if name in touched):
        cells_of = differing(original[name].iloc[kept], current[name])
        if cells_of.any():
            changed_cells[str(name)] = int(cells_of.sum())
            changed |= cells_of
    result: Any = (
        rebuilt(table, current) if isinstance(table, AuditTable) else (current.copy() if current is original else current)
    )
    index = result.data.index if isinstance(result, AuditTable) else result.index
    description = {
        "fingerprint": table.fingerprint if isinstance(table, AuditTable) else content_fingerprint(original),
        "seed": seed,
        "schema": None if roles == Schema() else roles.to_dict(),
        "injections": [step.to_dict() for step in steps],
    }
    removed = original.index.delete(kept)
    return Injected(
        result, pd.Series(changed, index=index, name="changed"), removed, kept, changed_cells, tuple(results), description
    )


def replay(table: pd.DataFrame | AuditTable, description: Mapping[str, Any] | str) -> Injected:
    """Recreate a biased table from its description.

    Parameters
    ----------
    table : DataFrame or AuditTable
        The table that the description was made for.
    description : dict or str
        ``Injected.description`` or its JSON text.

    Returns
    -------
    Injected

    Raises
    ------
    FairAuditError
        If the text is not a description, or the table is another one.
    """
    if isinstance(description, str):
        try:
            description = json.loads(description)
        except json.JSONDecodeError as error:
            raise SettingsError(f"The description is not JSON: {error}.", "Use the file that was saved with the table.") from None
    if not isinstance(description, Mapping) or not {"fingerprint", "seed", "injections"} <= description.keys():
        raise SettingsError(
            "The description lacks one of the entries fingerprint, seed and injections.",
            "Use the file that was saved with the table.",
        )
    found = table.fingerprint if isinstance(table, AuditTable) else content_fingerprint(table)
    if found != description["fingerprint"]:
        raise FairAuditError(
            f"The description was made for another table (fingerprint {description['fingerprint'][:12]}…, this one has {found[:12]}…).",
            "Load the table that the bias was planted in; one changed cell makes it another table.",
        )
    return inject(table, description["injections"], description["seed"], description.get("schema"))
