"""What if: a bias planted in one of the audited tables, with everything a before-and-after comparison needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import FairAuditError, SettingsError, unknown_name
from fairaudit.injection import DEFAULT_SEED, INJECTIONS, Injected, Injection, as_injections, inject
from fairaudit.injection.groups import group_mask
from fairaudit.injection.presets import Preset, presets
from fairaudit.predictors import Predictor, demo_predictors, train_predictor
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Frames, category_name
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
        before = self.before.targets[0].data[self.prediction].iloc[self.injected.kept].astype(object).to_numpy()
        after = self.after.targets[0].data[self.prediction].astype(object).to_numpy()
        return int((~((before == after) | (pd.isna(before) & pd.isna(after)))).sum())

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


def starting_step(table: AuditTable) -> dict[str, Any] | None:
    """A bias to begin with: labels or a category of the disadvantaged group; None where the table has no column for either."""
    schema, group = table.schema, disadvantaged_group(table)
    if schema.label is not None and schema.label in table.columns and (schema.pos_label is not None or schema.decision_threshold):
        return {"kind": "label", "strength": 0.3, "group": group}
    for column in table.columns:
        if schema.role_of(column) == "feature" and table.type_of(column) in CATEGORICAL_TYPES:
            return starting_values("set_value", table, column)
    for column in table.columns:
        if schema.role_of(column) == "feature" and table.type_of(column) == "numeric":
            return {"kind": "shift", "strength": 0.5, "group": group, "column": column, "amount": 1.0, "unit": "sd"}
    return None


def starting_values(kind: str, table: AuditTable, column: str | None = None) -> dict[str, Any]:
    """A new step of a kind: half strength, the disadvantaged group, and the given or first column and values that fit."""
    spec, schema = INJECTIONS[kind], table.schema
    step: dict[str, Any] = {"kind": kind, "strength": 0.5, "group": disadvantaged_group(table)}
    for parameter in spec.parameters:
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


@dataclass(frozen=True)
class VerdictChange:
    """Which flags a planted bias brought and which it took away.

    Attributes
    ----------
    new, lost, kept : tuple of str
        Names with their group, raised after only, before only, and on both.
    silent : tuple of str
        Measured after the bias and without a flag.
    """

    new: tuple[str, ...]
    lost: tuple[str, ...]
    kept: tuple[str, ...]
    silent: tuple[str, ...]


def verdict_changes(
    before: pd.DataFrame, after: pd.DataFrame, key: str, labels: Mapping[str, str] | None = None
) -> VerdictChange:
    """Compare the verdicts of two audits or of two sets of metrics.

    Parameters
    ----------
    before, after : DataFrame
        One row for each group and name, with the columns group, verdict and ``key``.
    key : {"attribute", "metric"}
    labels : mapping, optional
        Names for people.
    """

    def verdicts(rows: pd.DataFrame) -> dict[str, str]:
        found = {}
        for name, group, verdict in rows[[key, "group", "verdict"]].itertuples(index=False, name=None):
            label = (labels or {}).get(str(name), str(name))
            found[f"{label} ({group})" if group else label] = str(verdict)
        return found

    old, new = verdicts(before), verdicts(after)
    was = {name for name, verdict in old.items() if verdict == "disparity"}
    now = {name for name, verdict in new.items() if verdict == "disparity"}
    return VerdictChange(
        tuple(n for n in new if n in now - was),
        tuple(n for n in old if n in was - now),
        tuple(n for n in new if n in now & was),
        tuple(n for n, verdict in new.items() if verdict == "no_evidence"),
    )


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
            values = reference.data[column].to_numpy(dtype=float)
            values = values[np.isfinite(values)]
            return (column, float(np.median(values))) if len(values) else None
    return None


def changed_values(planted: Planted, column: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """A column before and after: numbers, or counts of categories with their names."""
    found = [frames.targets[0].data[column] for frames in (planted.before, planted.after)]
    if not isinstance(found[1].dtype, pd.CategoricalDtype):
        return found[0].to_numpy(dtype=float), found[1].to_numpy(dtype=float), ()
    names = tuple(map(str, found[1].cat.categories))
    counts = [series.value_counts(sort=False).rename(index=str).reindex(names, fill_value=0).to_numpy() for series in found]
    return counts[0], counts[1], names


def describable(planted: Planted, most: int | None = None) -> tuple[str, ...]:
    """Columns whose distributions are worth a look: those that changed, or, where only rows went, the outcomes and sensitive features."""
    types = planted.before.reference.type_of
    changed: Sequence[str] = planted.columns_changed
    if not changed:
        schema = planted.before.schema
        roles = (schema.prediction, schema.score, schema.label, *schema.sensitive_features)
        changed = [c for c in dict.fromkeys(roles) if c is not None and c in planted.before.reference.columns]
        changed = changed or list(planted.before.reference.columns)
    shown = tuple(c for c in changed if types(c) in CATEGORICAL_TYPES | {"numeric"})
    return shown if most is None else shown[:most]
