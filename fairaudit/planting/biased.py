"""What if: a bias planted in one of the audited tables, with everything a before-and-after comparison needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import FairAuditError, SettingsError, unknown_name
from fairaudit.injection import DEFAULT_SEED, Injected, Injection, as_injections, differing, inject
from fairaudit.injection.groups import group_mask
from fairaudit.predictors import Predictor, demo_predictors, train_predictor
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Frames
from fairaudit.validation import check_frames

BEFORE, AFTER = "before", "after"
GROUP_COLUMNS = ("group", "rows_before", "rows_after", "share_before", "share_after")


@dataclass(frozen=True, eq=False)
class Planted:
    """A table before and after a bias was planted in it, each beside the same reference.

    Attributes
    ----------
    table : str
        Name of the table the bias was planted in.
    injected : Injected
        The biased table without recomputed predictions, and what changed.
    before, after : Frames
        The reference and one target, named ``<table> before`` and ``<table> after``.
    groups : DataFrame
        Sizes of the groups, with the columns ``GROUP_COLUMNS``.
    predictor : str
        Name of the model that made the predictions of all tables here; empty where the column was kept.
    prediction : str
        Column with recomputed predictions; empty where it was kept.
    comparable : bool
        Whether the recomputed predictions can stand beside the original ones of the other tables.
    """

    table: str
    injected: Injected
    before: Frames
    after: Frames
    groups: pd.DataFrame
    predictor: str = ""
    prediction: str = ""
    comparable: bool = False

    @property
    def n_predictions_changed(self) -> int:
        """Rows whose recomputed prediction differs from what the model says before the bias; 0 where nothing was recomputed."""
        if not self.prediction:
            return 0
        before = self.before.targets[0].data[self.prediction].iloc[self.injected.kept]
        return int(differing(before, self.after.targets[0].data[self.prediction]).sum())

    @property
    def data(self) -> pd.DataFrame:
        """The biased table as it can join the audit: with recomputed predictions where they compare with those of the other tables."""
        return self.after.targets[0].data if self.comparable else self.injected.table.data

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """Columns in which something changed, the recomputed prediction included."""
        changed = tuple(self.injected.changed_cells)
        return changed if not self.n_predictions_changed or self.prediction in changed else (*changed, self.prediction)

    @property
    def description(self) -> dict[str, Any]:
        """JSON values from which ``replant`` makes the same tables again, and ``fairaudit.replay`` the same biased table."""
        return {"table": self.table, "predictor": self.predictor, **self.injected.description}

    def to_json(self) -> str:
        """The description as JSON text."""
        return json.dumps(self.description, indent=2, ensure_ascii=False)


def table_named(frames: Frames, name: str) -> AuditTable:
    """The reference or a target by its name."""
    for table in frames.tables:
        if table.name == name:
            return table
    raise unknown_name("table", name, [t.name for t in frames.tables])


def predictor_named(reference: AuditTable, name: str, seed: int = 0) -> Predictor | None:
    """The model of that name for a reference table; None for an empty name."""
    if not name:
        return None
    return next((p for p in demo_predictors(reference) if p.name == name), None) or train_predictor(reference, name, seed)


def unplanted(frames: Frames, table: str, predictor: Predictor | None = None) -> Frames:
    """The reference and one table as it was, under the name ``<table> before``, with the predictions of a model where one is given."""
    original, reference = table_named(frames, table), frames.reference
    schema = frames.schema
    if predictor is not None:
        schema = schema.with_(prediction=predictor.column, types=dict(schema.types) | _new_type(frames, predictor))
        reference, original = (replace(t, data=predictor(t.data)) for t in (reference, original))
    return check_frames(reference, {f"{table} {BEFORE}": original}, schema)


def plant(
    frames: Frames,
    table: str,
    injections: Injection | Mapping[str, Any] | Iterable[Any],
    seed: int = DEFAULT_SEED,
    predictor: Predictor | None = None,
    *,
    before: Frames | None = None,
) -> Planted:
    """Plant a bias in one table of an audit.

    Parameters
    ----------
    frames : Frames
    table : str
        Name of the reference or of a target.
    injections : as in ``fairaudit.inject``
    seed : int
    predictor : Predictor, optional
        Makes the predictions of the reference and of the table before and after, so that they differ by the bias only. Without it the prediction
        column stays as it is.
    before : Frames, optional
        What ``unplanted`` gives for the same arguments, where it is at hand.

    Returns
    -------
    Planted

    Raises
    ------
    FairAuditError
        With the number of the step, for a bias that cannot be planted.
    """
    original = table_named(frames, table)
    steps = as_injections(injections)
    injected = _injected(original, steps, seed)
    before = unplanted(frames, table, predictor) if before is None else before
    biased = injected.table
    if predictor is not None:
        biased = replace(biased, data=predictor(biased.data))
    after = check_frames(before.reference, {f"{table} {AFTER}": biased}, before.schema)
    return Planted(
        table,
        injected,
        before,
        after,
        _group_sizes(original, injected, steps),
        "" if predictor is None else predictor.name,
        "" if predictor is None else predictor.column,
        predictor is not None and predictor.exact,
    )


def _new_type(frames: Frames, predictor: Predictor) -> dict[str, str]:
    """Type of a prediction column that the tables did not have."""
    if predictor.column in frames.reference.columns:
        return {}
    return {predictor.column: "numeric" if not predictor.categories else "nominal" if len(predictor.categories) > 2 else "binary"}


def replant(frames: Frames, description: Mapping[str, Any] | str) -> Planted:
    """The same as ``plant`` from a saved description.

    Raises
    ------
    FairAuditError
        If the description is none, or was made for another table.
    """
    found = read_description(description)
    planted_in = table_named(frames, str(found.get("table") or frames.reference.name))
    if planted_in.fingerprint != found["fingerprint"]:
        raise FairAuditError(
            f"The description was made for another table than {planted_in.name} as it is loaded.",
            "Load the same files with the same roles and types; one changed cell makes it another table.",
        )
    predictor = predictor_named(frames.reference, str(found.get("predictor") or ""))
    return plant(frames, planted_in.name, found["injections"], found["seed"], predictor)


def read_description(description: Mapping[str, Any] | str | bytes) -> dict[str, Any]:
    """A saved description as a dict whose injections are known to be well-formed, or a sentence."""
    if not isinstance(description, Mapping):
        try:
            description = json.loads(description)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"The description is not JSON: {error}.", "Use the file that was saved with the biased table."
            ) from None
    if not isinstance(description, Mapping) or not {"fingerprint", "seed", "injections"} <= description.keys():
        raise SettingsError(
            "The description lacks one of the entries fingerprint, seed and injections.",
            "Use the file that was saved with the biased table.",
        )
    as_injections(description["injections"])
    return dict(description)


def _injected(table: AuditTable, steps: tuple[Injection, ...], seed: int) -> Injected:
    """The biased table; an impossible step is named by its number."""
    try:
        return inject(table, steps, seed)
    except FairAuditError as error:
        if len(steps) < 2 or error.problem.startswith("Step "):
            raise
        for number in range(1, len(steps)):
            try:
                inject(table, steps[:number], seed)
            except FairAuditError as first:
                raise SettingsError(f"Step {number}: {first.problem}", first.remedy) from None
        raise SettingsError(f"Step {len(steps)}: {error.problem}", error.remedy) from None


def _group_sizes(original: AuditTable, injected: Injected, steps: tuple[Injection, ...]) -> pd.DataFrame:
    """Rows before and after: everybody, each value of the sensitive features, and the groups of the steps."""
    before, after = original.data, injected.table.data
    masks: dict[str, tuple[np.ndarray, np.ndarray]] = {"all rows": (np.ones(len(before), bool), np.ones(len(after), bool))}
    for feature in original.schema.sensitive_features:
        if original.type_of(feature) in CATEGORICAL_TYPES:
            for value in after[feature].cat.categories:
                masks[f"{feature}={value}"] = ((before[feature] == value).to_numpy(), (after[feature] == value).to_numpy())
    for step in steps:
        if step.group and not (len(step.group) == 1 and step.group[0].column in original.schema.sensitive_features):
            words = " and ".join(c.words() for c in step.group)
            masks[words] = tuple(group_mask(data, step.group, strict=False) for data in (before, after))  # type: ignore[assignment]
    rows = []
    for name, (old, new) in masks.items():
        if old.any() or new.any():
            rows.append((name, int(old.sum()), int(new.sum()), float(old.mean()), float(new.mean())))
    return pd.DataFrame(rows, columns=[*GROUP_COLUMNS])


def save_as_target(frames: Frames, planted: Planted, name: str) -> Frames:
    """The audit with the biased table as one more target at the end.

    Raises
    ------
    SettingsError
        If the name is empty or taken.
    """
    name = name.strip()
    taken = [t.name for t in frames.tables]
    if not name or name in taken:
        problem = "The new target has no name." if not name else f"There is a table named {name!r} already."
        raise SettingsError(problem, f"Choose another name, such as {free_name(frames, name or planted.table)!r}.")
    table = replace(planted.injected.table, data=planted.data)
    targets = {t.name: t for t in frames.targets} | {name: table}
    return check_frames(frames.reference, targets, frames.schema)


def free_name(frames: Frames, name: str) -> str:
    """The name itself, or with the first number that makes it unique."""
    taken = {t.name for t in frames.tables}
    new, number = name, 2
    while new in taken:
        new, number = f"{name} ({number})", number + 1
    return new
