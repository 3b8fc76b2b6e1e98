"""Who is compared with whom: one object that QMAD and the classical metrics share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError, UnknownNameError, column_not_found, unknown_name
from fairaudit.schema import AuditTable, Frames, Schema, category_name

ContrastKind = Literal["frame_vs_reference", "group_vs_reference_group", "within_group"]
CONTRAST_KINDS: tuple[str, ...] = get_args(ContrastKind)
CONTRAST_LABELS = {
    "frame_vs_reference": "Each target table against the reference table",
    "group_vs_reference_group": "Each group against the reference group, inside each table",
    "within_group": "The same group, target table against reference table",
}
ReferenceRule = Literal["largest", "best_off"]

SELECTIVE_ROWS = 20
"""Rejected rows from which on the lack of their labels is a pattern, not bad luck."""
MISSING_GROUP = "(missing)"
"""Name of the group of rows whose sensitive value is missing."""

Rows = np.ndarray | None
"""Positions of rows in a table; None means all of them."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sets of rows that are compared.

    Attributes
    ----------
    frame : str
        Name of the table the pair belongs to.
    group : str
        Name of the group, such as ``"sex=F"``; empty where whole tables are compared.
    target, reference : AuditTable
        Tables of the two sides; the same table when groups inside a table are compared.
    target_rows, reference_rows : ndarray of int or None
        Positions of the rows of each side, in table order; None means all rows.
    target_side, reference_side : str
        How charts name the two sides.
    problem : str
        Why the pair cannot be measured; empty when it can.
    """

    frame: str
    group: str
    target: AuditTable
    reference: AuditTable
    target_rows: Rows
    reference_rows: Rows
    target_side: str
    reference_side: str
    problem: str = ""

    @property
    def n_target(self) -> int:
        """Number of rows of the target side."""
        return len(self.target) if self.target_rows is None else len(self.target_rows)

    @property
    def n_reference(self) -> int:
        """Number of rows of the reference side."""
        return len(self.reference) if self.reference_rows is None else len(self.reference_rows)


@dataclass(frozen=True)
class Contrast:
    """Who is compared with whom.

    Parameters
    ----------
    kind : {"frame_vs_reference", "group_vs_reference_group", "within_group"}
        See ``CONTRAST_LABELS``. The first is the one of the QMAD paper.
    features : tuple of str, optional
        Sensitive features that define the groups; by default those of the schema.
    intersections : bool
        With several features: groups are the combinations of their values instead of each feature by itself.
    reference_rule : {"largest", "best_off"}
        How the reference group is found where the schema names none: the group with the most rows of the reference table, or
        the one with the highest share of favourable outcomes there (mean, where the outcome is a number).
    """

    kind: ContrastKind = "frame_vs_reference"
    features: tuple[str, ...] | None = None
    intersections: bool = False
    reference_rule: ReferenceRule = "largest"

    def __post_init__(self) -> None:
        """Check the names."""
        if self.kind not in CONTRAST_KINDS:
            raise unknown_name("contrast", self.kind, CONTRAST_KINDS)
        if self.reference_rule not in get_args(ReferenceRule):
            raise unknown_name("rule for the reference group", self.reference_rule, get_args(ReferenceRule))
        if isinstance(self.features, str):
            object.__setattr__(self, "features", (self.features,))
        elif self.features is not None:
            object.__setattr__(self, "features", tuple(self.features))

    @classmethod
    def from_any(cls, contrast: Contrast | str | Mapping[str, Any]) -> Contrast:
        """A Contrast from itself, from the name of its kind, or from a dict as ``to_dict`` gives it."""
        if isinstance(contrast, Mapping):
            return cls(**contrast)
        return contrast if isinstance(contrast, Contrast) else cls(kind=contrast)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON; ``Contrast(**...)`` reads it back."""
        return {
            "kind": self.kind,
            "features": None if self.features is None else list(self.features),
            "intersections": self.intersections,
            "reference_rule": self.reference_rule,
        }

    def feature_sets(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        """The sets of features whose values define groups, each set one partition of the rows."""
        features = schema.sensitive_features if self.features is None else self.features
        if not features:
            raise SettingsError(
                "Groups can be compared only when a sensitive attribute is chosen.",
                "Choose one or more columns that define groups of people (sensitive_features in the schema).",
            )
        return (features,) if self.intersections else tuple((f,) for f in features)

    def pairs(self, frames: Frames) -> tuple[Pair, ...]:
        """Every pair of sides that this contrast compares.

        Parameters
        ----------
        frames : Frames

        Returns
        -------
        tuple of Pair
            In the order of the frames. Groups that are too small are part of it, with ``problem`` set.

        Raises
        ------
        SettingsError
            If tables are to be compared and there is no target, or if groups are asked for and no sensitive feature is known, or a feature
            has fewer than two groups.
        """
        if self.kind != "group_vs_reference_group" and not frames.targets:
            raise SettingsError(
                f"There is no target table to compare with {frames.reference.name}.",
                "Add a target table, or compare groups inside each table (the contrast group_vs_reference_group).",
            )
        if self.kind == "frame_vs_reference":
            return tuple(Pair(t.name, "", t, frames.reference, None, None, t.name, frames.reference.name) for t in frames.targets)
        pairs: list[Pair] = []
        for features in self.feature_sets(frames.schema):
            edges = group_edges(frames, features)
            groups = {t.name: group_codes(t, features, edges) for t in frames.tables}
            if self.kind == "within_group":
                pairs += self._within_group(frames, features, groups)
            else:
                pairs += self._against_reference_group(frames, features, groups)
        order = {t.name: i for i, t in enumerate(frames.tables)}
        return tuple(sorted(pairs, key=lambda p: order[p.frame]))

    def rows_without_group(self, frames: Frames) -> dict[str, dict[str, int]]:
        """Rows of each table that belong to no group because a sensitive value is missing, by the features that define the groups.

        Empty when whole tables are compared. Together with the sizes of the groups they make up all rows of a table.
        """
        if self.kind == "frame_vs_reference":
            return {}
        found = {}
        for features in self.feature_sets(frames.schema):
            edges = group_edges(frames, features)
            counts = {t.name: int((group_codes(t, features, edges)[0] < 0).sum()) for t in frames.tables}
            found[" & ".join(features)] = counts
        return found

    def reference_group(
        self, table: AuditTable, features: tuple[str, ...], codes: np.ndarray, names: tuple[str, ...]
    ) -> tuple[str, str]:
        """Name of the reference group and the sentence that says how it was found."""
        chosen = [table.schema.reference_group_of(f) for f in features]
        if all(c is not None for c in chosen):
            name = group_name(features, [str(c) for c in chosen])
            if name not in names:
                raise UnknownNameError(
                    f"The reference group {name!r} does not occur in {table.name}.", f"Groups: {', '.join(names)}."
                )
            return name, "chosen"
        sizes = np.bincount(codes[codes >= 0], minlength=len(names))
        if self.reference_rule == "largest":
            return names[int(sizes.argmax())], "the largest group"
        outcome = favourable_outcome(table)
        if outcome is None:
            raise SettingsError(
                "The best-off group can only be found when there is a prediction, score or label.",
                "Choose the outcome column, or use the largest group as reference.",
            )
        rates = np.full(len(names), np.nan)
        for g in range(len(names)):
            values = outcome[codes == g]
            values = values[np.isfinite(values)]
            if len(values) >= table.schema.min_group_size:
                rates[g] = values.mean()
        if np.isnan(rates).all():
            raise SettingsError("No group is large enough to be the best-off group.", "Lower the smallest group size.")
        return names[int(np.nanargmax(rates))], "the group with the highest rate of favourable outcomes"

    def _against_reference_group(
        self, frames: Frames, features: tuple[str, ...], groups: dict[str, tuple[np.ndarray, tuple[str, ...]]]
    ) -> list[Pair]:
        reference_name, _ = self.reference_group(frames.reference, features, *groups[frames.reference.name])
        minimum = frames.schema.min_group_size
        pairs = []
        for table in frames.tables:
            codes, names = groups[table.name]
            rows = {name: np.flatnonzero(codes == g) for g, name in enumerate(names)}
            base = rows.get(reference_name, np.empty(0, dtype=np.intp))
            for name in names:
                if name == reference_name:
                    continue
                problem = _size_problem(name, len(rows[name]), table.name, minimum) or _size_problem(
                    reference_name, len(base), table.name, minimum
                )
                sides = f"{table.name}: {name}", f"{table.name}: {reference_name}"
                pairs.append(Pair(table.name, name, table, table, rows[name], base, *sides, problem))
        return pairs

    def _within_group(
        self, frames: Frames, features: tuple[str, ...], groups: dict[str, tuple[np.ndarray, tuple[str, ...]]]
    ) -> list[Pair]:
        minimum = frames.schema.min_group_size
        reference = frames.reference
        base_codes, base_names = groups[reference.name]
        pairs = []
        for table in frames.targets:
            codes, names = groups[table.name]
            for name in dict.fromkeys((*base_names, *names)):
                rows = np.flatnonzero(codes == names.index(name)) if name in names else np.empty(0, dtype=np.intp)
                base = np.flatnonzero(base_codes == base_names.index(name)) if name in base_names else np.empty(0, dtype=np.intp)
                problem = _size_problem(name, len(rows), table.name, minimum) or _size_problem(
                    name, len(base), reference.name, minimum
                )
                sides = f"{table.name}: {name}", f"{reference.name}: {name}"
                pairs.append(Pair(table.name, name, table, reference, rows, base, *sides, problem))
        return pairs


def default_contrast(frames: Frames) -> Contrast:
    """Target tables against the reference, or groups inside the reference where it is the only table."""
    return Contrast() if frames.targets else Contrast("group_vs_reference_group")


def _size_problem(group: str, n: int, table: str, minimum: int) -> str:
    """Reason why a group of ``n`` rows cannot be measured, or an empty text."""
    if n >= minimum:
        return ""
    rows = "no rows" if n == 0 else "1 row" if n == 1 else f"{n} rows"
    return f"{group} has {rows} in {table}, fewer than the {minimum} that are needed."


def group_name(features: tuple[str, ...], values: list[str]) -> str:
    """Name of a group, such as ``"sex=F"`` or ``"sex=F & race=Black"``."""
    return " & ".join(f"{f}={v}" for f, v in zip(features, values, strict=True))


def group_edges(frames: Frames, features: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """Inner edges of the numeric ones among ``features``: those of the schema, otherwise the reference table's quartiles."""
    given = dict(frames.schema.edges)
    edges: dict[str, tuple[float, ...]] = {}
    for feature in features:
        if feature not in frames.reference.columns:
            raise column_not_found("sensitive feature", feature, frames.reference.columns, frames.reference.name)
        if frames.reference.type_of(feature) == "numeric":
            values = frames.reference.data[feature].to_numpy()
            values = values[np.isfinite(values)]
            quartiles = np.quantile(values, [0.25, 0.5, 0.75]) if len(values) else ()
            # People read and edit them, so they have no more digits than are shown.
            edges[feature] = given.get(feature, tuple(sorted({float(f"{q:.6g}") for q in quartiles})))
    return edges


def group_codes(
    table: AuditTable, features: tuple[str, ...], edges: dict[str, tuple[float, ...]] | None = None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Group of every row.

    Parameters
    ----------
    table : AuditTable
    features : tuple of str
        One feature, or several whose combinations are the groups.
    edges : dict of str to tuple of float, optional
        Inner edges of numeric features; a value equal to an edge belongs to the upper group.

    Returns
    -------
    codes : ndarray of int, shape (n_rows,)
        Position in ``names``, -1 for rows that are left out.
    names : tuple of str
        Names of the groups that occur, in the order of their values.

    Raises
    ------
    SettingsError
        If there are fewer than two groups.
    """
    parts: list[tuple[np.ndarray, list[str]]] = [_feature_codes(table, f, (edges or {}).get(f, ())) for f in features]
    codes = np.zeros(len(table), dtype=np.int64)
    left_out = np.zeros(len(table), dtype=bool)
    for part, values in parts:
        left_out |= part < 0
        codes = codes * len(values) + part
    codes[left_out] = -1
    present, compact = np.unique(codes[~left_out], return_inverse=True)
    names = []
    for code in present:
        labels = []
        for _, values in reversed(parts):
            code, index = divmod(int(code), len(values))
            labels.append(values[index])
        names.append(group_name(features, labels[::-1]))
    codes[~left_out] = compact
    if len(names) < 2:
        found = f"There is only {names[0]!r}" if names else "There is none"
        raise SettingsError(
            f"At least two groups are needed to compare groups by {' and '.join(features)}. {found} in {table.name}.",
            "Choose another sensitive attribute, or check that its values were read as intended.",
        )
    return codes, tuple(names)


def _feature_codes(table: AuditTable, feature: str, edges: tuple[float, ...]) -> tuple[np.ndarray, list[str]]:
    """Codes and value names of one sensitive feature; -1 where the value is missing and left out."""
    column_type = table.type_of(feature)
    column = table.data[feature]
    if column_type == "numeric":
        values = column.to_numpy()
        codes = np.searchsorted(np.asarray(edges, dtype=float), values, side="right").astype(np.int64)
        codes[~np.isfinite(values)] = -1
        names = _interval_names(edges)
    elif isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        names = [str(c) for c in column.cat.categories]
    else:
        raise SettingsError(
            f"The column {feature!r} of {table.name} is of type {column_type} and cannot define groups.",
            "Choose a column with a limited number of values, or change its type to nominal.",
        )
    if (codes < 0).any() and table.schema.missing_groups == "own_group":
        codes = np.where(codes < 0, len(names), codes)
        names = [*names, MISSING_GROUP]
    return codes, names


def _interval_names(edges: tuple[float, ...]) -> list[str]:
    """Names such as ``"below 30"``, ``"30 to below 50"``, ``"50 and above"``."""
    if not edges:
        return ["all values"]
    texts = [category_name(e) for e in edges]
    middle = [f"{low} to below {high}" for low, high in pairwise(texts)]
    return [f"below {texts[0]}", *middle, f"{texts[-1]} and above"]


def favourable_outcome(table: AuditTable) -> np.ndarray | None:
    """The outcome per row: 1/0 for favourable or not, or the number itself; None without an outcome column.

    The prediction is taken first, then the score, then the label. Missing outcomes are NaN.
    """
    for column in (table.schema.prediction, table.schema.score, table.schema.label):
        if column is not None and column in table.columns:
            return outcome_values(table, column)
    return None


def outcome_values(table: AuditTable, column: str) -> np.ndarray:
    """A column as 1 for favourable values and 0 for others, or as numbers when it is numeric; NaN where missing."""
    series = table.data[column]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        names = [str(c) for c in series.cat.categories]
        favourable = [n in table.schema.pos_labels for n in names]
        if not any(favourable):
            # Without a stated favourable value the last category counts: "1" after "0", "True" after "False", "Yes" after "No".
            favourable = [i == len(names) - 1 for i in range(len(names))]
        lookup = np.array([*map(float, favourable), np.nan])
        return lookup[codes]
    values = series.to_numpy(dtype=float, na_value=np.nan)
    values = np.where(np.isfinite(values), values, np.nan)
    if table.schema.decision_threshold is None:
        return values
    return np.where(np.isnan(values), np.nan, (values >= table.schema.decision_threshold).astype(float))
