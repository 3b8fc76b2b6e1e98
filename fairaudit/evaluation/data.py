"""The fair table and its biased versions as arrays whose rows and columns are the same at every level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairaudit.errors import NotMeasurableError, SettingsError, column_not_found
from fairaudit.evaluation.encoding import Encoder
from fairaudit.evaluation.settings import EvaluationSettings
from fairaudit.injection import Injection, inject
from fairaudit.injection.context import Context
from fairaudit.injection.groups import as_group, group_mask, group_words
from fairaudit.injection.outcomes import find_outcome
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, category_name

_OUTCOME_PARAMETERS = ("label", "pos_label", "score", "threshold")


@dataclass(frozen=True, eq=False)
class Version:
    """One version of the table. All versions have the same rows in the same order; rows that a bias took out are not ``kept``.

    Attributes
    ----------
    features : ndarray of shape (n_rows, n_features)
        Encoded; the last column is the sensitive attribute, 1 for the unprivileged group.
    codes : ndarray of int, shape (n_rows, n_columns)
        Original columns as category codes, sensitive ones left out.
    y_true : ndarray of int, shape (n_rows,)
        1 for the favourable label. Has no meaning where a row is not kept.
    unprivileged : ndarray of bool, shape (n_rows,)
    kept : ndarray of bool, shape (n_rows,)
    """

    features: np.ndarray
    codes: np.ndarray
    y_true: np.ndarray
    unprivileged: np.ndarray
    kept: np.ndarray


@dataclass(frozen=True, eq=False)
class FairWorld:
    """The table that stands for a fair world, ready for experiments.

    Attributes
    ----------
    table : AuditTable
        Rows with a known label and group.
    fair : Version
    encoder : Encoder
    group : dict
        Who is unprivileged.
    group_words : str
    n_left_out : int
        Rows without a label or a group.
    """

    table: AuditTable
    fair: Version
    encoder: Encoder
    group: dict[str, Any]
    group_words: str
    n_left_out: int

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""
        return (*self.encoder.names, "unprivileged")


def unprivileged_group(
    table: AuditTable, injection: Injection | Mapping[str, Any], group: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Who is unprivileged: as given; else the group of the injection; else everyone outside of the first sensitive feature's reference group.

    Raises
    ------
    SettingsError
        If nothing says who is unprivileged.
    """
    if group:
        return dict(group)
    planted = injection.to_dict() if isinstance(injection, Injection) else injection
    if planted.get("group"):
        return dict(planted["group"])
    schema = table.schema
    if schema.sensitive_features:
        feature = schema.sensitive_features[0]
        if feature not in table.columns:
            raise column_not_found("sensitive feature", feature, table.columns)
        reference = schema.reference_group_of(feature)
        if table.type_of(feature) in CATEGORICAL_TYPES and reference is not None:
            others = [c for c in table.data[feature].cat.categories if category_name(c) != reference]
            if others:
                return {feature: others[0] if len(others) == 1 else others}
    raise SettingsError(
        "Whose disadvantage is planted is not known.",
        "Name the group in the injection, such as {'sex': 'F'}, or a sensitive feature and its reference group in the schema.",
    )


def _outcome(table: AuditTable, injection: Injection) -> np.ndarray:
    """Favourable (1) or not (0) for each row, NaN where unknown, by the label or score that the injection or the schema names."""
    everyone = np.ones(len(table), dtype=bool)
    context = Context(table=table.data, in_group=everyone, strength=0.0, seed=0, schema=table.schema, origin=table.data)
    given = dict(injection.parameters)
    return find_outcome(context, **{name: given.get(name) for name in _OUTCOME_PARAMETERS}).favourable


def _membership(table: AuditTable, group: Mapping[str, Any], *, strict: bool) -> tuple[np.ndarray, np.ndarray]:
    """Who is in the group, and whose group is known."""
    conditions = as_group(group)
    known = np.ones(len(table), dtype=bool)
    for condition in conditions:
        if condition.column in table.columns and None not in condition.values:
            known &= table.data[condition.column].notna().to_numpy()
    return group_mask(table.data, conditions, strict=strict), known


def feature_columns(table: AuditTable, injection: Injection, group: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns a model may learn from: compared types without label, score, prediction, ignored columns and the group's columns."""
    schema = table.schema
    taken = set(group) | _named_outcomes(injection)
    return tuple(
        c
        for c in table.columns
        if c not in taken
        and schema.role_of(c) in ("feature", "sensitive")
        and table.type_of(c) in (CATEGORICAL_TYPES | {"numeric"})
    )


def _named_outcomes(injection: Injection) -> set[str]:
    """Label and score columns that only the injection names: a model that saw them would know the answer."""
    given = dict(injection.parameters)
    return {given[name] for name in ("label", "score") if given.get(name) is not None}


def fair_world(table: AuditTable, settings: EvaluationSettings) -> FairWorld:
    """Encode the fair table.

    Parameters
    ----------
    table : AuditTable
    settings : EvaluationSettings

    Raises
    ------
    SettingsError, NotMeasurableError
        If there are no features, or a group or label is missing altogether.
    """
    injection = Injection.from_dict(settings.injection)
    outcome = _outcome(table, injection)
    unprivileged, known = _membership(table, settings.group, strict=True)
    usable = known & ~np.isnan(outcome)
    if not usable.all():
        table = _rows(table, usable)
        outcome, unprivileged = outcome[usable], unprivileged[usable]
    words = group_words(as_group(settings.group)).removeprefix("the rows where ")
    for name, members in (("unprivileged", unprivileged), ("privileged", ~unprivileged)):
        if members.sum() < settings.folds:
            raise NotMeasurableError(
                f"The {name} group has {int(members.sum())} rows with a label; {settings.folds} folds need at least one each.",
                f"Unprivileged are the rows where {words}. Choose fewer folds or another group.",
            )
    if outcome.min() == outcome.max():
        raise NotMeasurableError(
            "All labels of the fair table are the same, so there is nothing to learn.",
            "Check the label column, the favourable value and the threshold.",
        )
    columns = feature_columns(table, injection, settings.group)
    if not columns:
        raise SettingsError(
            "No column is left for a model to learn from.",
            "Label, score, prediction, ignored and sensitive columns, identifiers, dates and free text are not used. Check roles and types.",
        )
    encoder = Encoder.fit(table, columns)
    kept = np.ones(len(table), dtype=bool)
    fair = _version(table, encoder, outcome, unprivileged, kept)
    return FairWorld(table, fair, encoder, dict(settings.group), words, int((~usable).sum()))


def _rows(table: AuditTable, usable: np.ndarray) -> AuditTable:
    """The table with some rows only."""
    return replace(table, data=table.data[usable].reset_index(drop=True))


def _version(table: AuditTable, encoder: Encoder, outcome: np.ndarray, unprivileged: np.ndarray, kept: np.ndarray) -> Version:
    """Arrays of a table that has every row."""
    features = np.column_stack([encoder.features(table), unprivileged.astype(float)])
    return Version(features, encoder.codes(table), outcome.astype(np.int64), unprivileged, kept)


def biased_version(world: FairWorld, settings: EvaluationSettings, level: float) -> Version:
    """The table as the planted bias leaves it at a level; equal to ``inject`` with that strength and the same seed.

    Level 0 is the fair version itself.
    """
    if level == 0:
        return world.fair
    injection = Injection.from_dict(settings.injection).at(level)
    injected = inject(world.table, injection, seed=settings.seed)
    biased: AuditTable = injected.table
    outcome = _outcome(biased, injection)
    unprivileged, known = _membership(biased, world.group, strict=False)
    labelled = known & ~np.isnan(outcome)
    places = injected.kept[labelled]
    n = len(world.table)
    kept = np.zeros(n, dtype=bool)
    kept[places] = True
    y_true, members = np.zeros(n, dtype=np.int64), world.fair.unprivileged.copy()
    y_true[places], members[places] = outcome[labelled].astype(np.int64), unprivileged[labelled]
    features, codes = world.fair.features, world.fair.codes
    if injected.changed_cells.keys() & {*world.encoder.columns, *world.group}:
        features, codes = features.copy(), codes.copy()
        features[injected.kept] = np.column_stack([world.encoder.features(biased), unprivileged.astype(float)])
        codes[injected.kept] = world.encoder.codes(biased)
    return Version(features, codes, y_true, members, kept)


def level_facts(world: FairWorld, version: Version, level: float) -> dict[str, Any]:
    """What the bias did at a level, for people: rows left, labels turned, and the statistical parity difference of the labels."""
    fair, kept = world.fair, version.kept
    turned = kept & (version.y_true != fair.y_true)
    rates = [
        float(version.y_true[members].mean()) if members.any() else float("nan")
        for members in (kept & version.unprivileged, kept & ~version.unprivileged)
    ]
    return {
        "level": level,
        "rows": int(kept.sum()),
        "rows_removed": int((~kept).sum()),
        "labels_to_unfavourable": int((turned & (fair.y_true == 1)).sum()),
        "labels_to_favourable": int((turned & (fair.y_true == 0)).sum()),
        "base_rate_unprivileged": rates[0],
        "base_rate_privileged": rates[1],
        "label_parity_difference": rates[0] - rates[1],
    }
