"""From checked tables to the arrays that metrics need: decisions, labels, scores and encoded features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.attributes import column_values
from fairaudit.baselines.counts import outcome_codes
from fairaudit.baselines.features import Encoding, Features, TableFeatures
from fairaudit.baselines.spec import Side
from fairaudit.contrast import Rows, outcome_values
from fairaudit.schema import CATEGORICAL_TYPES, COMPARED_TYPES, AuditTable, Frames

LABEL_IS_ASSESSED = (
    "There is no prediction: the label itself is assessed. Metrics that compare decisions with labels need a prediction column."
)


@dataclass(frozen=True, eq=False)
class TableArrays:
    """The arrays of a whole table; ``side`` takes some of its rows.

    Attributes
    ----------
    whole : Side
        All rows.
    outcome : str
        Name of the column whose favourable values are counted; empty without one.
    decision_threshold : float or None
        Values of ``outcome`` at or above it are favourable; None where the column holds decisions.
    note : str
        What a reader should know about the outcome.
    """

    whole: Side
    outcome: str
    decision_threshold: float | None
    note: str

    def side(self, name: str, rows: Rows) -> Side:
        """Some of the rows under a name of their own."""

        def taken(values: np.ndarray | None) -> np.ndarray | None:
            return values if values is None or rows is None else values[rows]

        def chosen(features: Features | None) -> Features | None:
            return features.of_rows(rows) if isinstance(features, TableFeatures) else features

        whole = self.whole
        return Side(
            name,
            whole.n if rows is None else len(rows),
            taken(whole.y_true),
            taken(whole.y_pred),
            taken(whole.y_score),
            chosen(whole.features),
            chosen(whole.features_without_sensitive),
            whole.absent,
        )


def table_arrays(frames: Frames, table: AuditTable, threshold: float | None, encoding: Encoding | None) -> TableArrays:
    """Outcomes, labels, scores and features of a table.

    The outcome is the prediction; without one the score, if a threshold makes it a decision; without that the label.

    Parameters
    ----------
    frames : Frames
        Says which columns all tables share.
    table : AuditTable
    threshold : float, optional
        Decision threshold for numeric outcomes; by default that of the schema.
    encoding : {"one_hot", "codes"}, optional
        How categories become numbers for consistency; None leaves features out.
    """
    schema, absent = table.schema, {}
    threshold = schema.decision_threshold if threshold is None else threshold
    unusable = dict(frames.mismatched)
    outcome, label, numeric, from_label = _outcomes(frames, table, threshold)

    y_pred = y_score = y_true = None
    used_threshold, notes = None, []
    if outcome is None:
        lost = next((unusable[c] for c in (schema.prediction, schema.score, schema.label) if c in unusable), "")
        absent["y_pred"] = absent["y_score"] = f"There is no prediction, score or label column. {lost}".strip()
    else:
        y_pred, used_threshold = _decisions(table, outcome, threshold)
        if y_pred is None:
            absent["y_pred"] = (
                f"{outcome} is a number: choose a decision threshold, the value from which an outcome counts as favourable."
            )
        if numeric is None:
            absent["y_score"] = f"{outcome} is a decision, not a number: the metric needs a numeric prediction or a score column."
        else:
            y_score = column_values(table, numeric)
    if from_label:
        absent["y_true"] = LABEL_IS_ASSESSED
        notes.append(LABEL_IS_ASSESSED)
    elif label is None:
        absent["y_true"] = f"There is no label column. {unusable.get(str(schema.label), '')}".strip()
    else:
        y_true, _ = _decisions(table, label, threshold)
        if y_true is None:
            absent["y_true"] = f"The label {label} is a number: choose a decision threshold, from which it counts as favourable."
    features = without_sensitive = None
    if encoding is not None:
        columns = feature_columns(frames)
        features = TableFeatures(table, columns, encoding)
        without_sensitive = TableFeatures(table, tuple(c for c in columns if c not in schema.sensitive_features), encoding)
    whole = Side.of(
        table.name,
        y_true=y_true,
        y_pred=y_pred,
        y_score=y_score,
        features=features,
        features_without_sensitive=without_sensitive,
        absent=absent,
    )
    return TableArrays(whole, outcome or "", used_threshold, " ".join(notes))


def _outcomes(frames: Frames, table: AuditTable, threshold: float | None) -> tuple[str | None, str | None, str | None, bool]:
    """Columns of the outcome, of the label and of the number behind the outcome, None where there is none; whether the label is assessed."""
    schema, unusable = table.schema, dict(frames.mismatched)

    def usable(column: str | None) -> str | None:
        ok = column is not None and column in table.columns and column not in unusable and table.type_of(column) in COMPARED_TYPES
        return column if ok else None

    prediction, score, label = usable(schema.prediction), usable(schema.score), usable(schema.label)
    numeric_score = score if score is not None and table.type_of(score) == "numeric" else None
    outcome = prediction
    if outcome is None and score is not None and (threshold is not None or score != numeric_score or label is None):
        outcome = score
    from_label = outcome is None and label is not None
    outcome = label if from_label else outcome
    numeric = outcome if outcome is not None and table.type_of(outcome) == "numeric" else numeric_score
    return outcome, label, numeric, from_label


def columns_read(frames: Frames, needs: tuple[str, ...], threshold: float | None = None) -> tuple[str, ...]:
    """Columns of the outcomes and features that a metric with these needs looks at.

    Parameters
    ----------
    frames : Frames
    needs : tuple of str
        As in ``BaselineSpec.needs``.
    threshold : float, optional
        Decision threshold for numeric outcomes; by default that of the schema.

    Returns
    -------
    tuple of str
    """
    threshold = frames.schema.decision_threshold if threshold is None else threshold
    outcome, label, numeric, _ = _outcomes(frames, frames.reference, threshold)
    by_need = {"y_pred": outcome, "y_true": label, "y_score": numeric}
    found = [by_need[need] for need in needs if need in by_need]
    features = feature_columns(frames) if "features" in needs else ()
    return tuple(dict.fromkeys(c for c in (*found, *features) if c is not None))


def _decisions(table: AuditTable, column: str, threshold: float | None) -> tuple[np.ndarray | None, float | None]:
    """A column as outcome codes, and the threshold that was used; None where a number has no threshold."""
    if table.type_of(column) in CATEGORICAL_TYPES:
        return outcome_codes(outcome_values(table, column), column), None
    if threshold is None:
        return None, None
    values = column_values(table, column)
    return outcome_codes(np.where(np.isnan(values), np.nan, values >= threshold), column), threshold


def feature_columns(frames: Frames) -> tuple[str, ...]:
    """Columns by which rows are called similar: no outcomes, identifiers, dates or free text, and present in every table.

    A numeric column without a single valid value in some table is left out too: it would leave no complete row.
    """
    unusable = dict(frames.mismatched)
    found = []
    for column in frames.reference.columns:
        if frames.schema.role_of(column) not in ("feature", "sensitive") or column in unusable:
            continue
        if frames.reference.type_of(column) not in COMPARED_TYPES or any(column not in t.columns for t in frames.tables):
            continue
        if frames.reference.type_of(column) == "numeric" and any(np.isnan(column_values(t, column)).all() for t in frames.tables):
            continue
        found.append(column)
    return tuple(found)
