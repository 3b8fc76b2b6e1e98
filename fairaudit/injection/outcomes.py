"""Which rows have the favourable outcome: from a label column, or from a score and a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairaudit.errors import SettingsError, unknown_name
from fairaudit.injection.context import Context
from fairaudit.injection.groups import as_float, is_number_column, value_codes
from fairaudit.injection.spec import ParameterSpec
from fairaudit.schema import category_name

LABEL = ParameterSpec(
    name="label", label="Label column", type="column", help="Column with the outcome; the schema's label where none is named."
)
POS_LABEL = ParameterSpec(
    name="pos_label",
    label="Favourable value",
    type="value",
    help="Favourable value (or list of values) of the label; the schema's where none is named.",
)
SCORE = ParameterSpec(
    name="score",
    label="Score column",
    type="numeric_column",
    help="Number from which the outcome is decided, such as a grade; the schema's score where none is named.",
)
THRESHOLD = ParameterSpec(
    name="threshold",
    label="Threshold",
    type="number",
    help="Scores at or above it are favourable; the schema's decision threshold where none is named.",
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The favourable rows and where they come from.

    Attributes
    ----------
    favourable : ndarray of float, shape (n_rows,)
        1 favourable, 0 not, NaN unknown.
    column : str
    from_score : bool
        Whether the outcome is "at or above the threshold".
    """

    favourable: np.ndarray
    column: str
    from_score: bool


def numbers(context: Context, column: str, role: str) -> np.ndarray:
    """A number column as floats, or a sentence."""
    found = context.column(column, role)
    if not is_number_column(found):
        raise SettingsError(
            f"The {role} {column!r} holds no numbers (its type is {found.dtype}).",
            "Choose a numeric column, or leave the score out and name the label column.",
        )
    return as_float(found)


def at_or_above(score: np.ndarray, threshold: float) -> np.ndarray:
    """1 at or above the threshold, 0 below, NaN where the score is missing."""
    return np.where(np.isnan(score), np.nan, (score >= threshold).astype(float))


def score_outcome(context: Context, column: str, threshold: float) -> Outcome:
    """The outcome "score at or above the threshold"."""
    return Outcome(at_or_above(numbers(context, column, "score column"), threshold), column, True)


def label_outcome(context: Context, column: str, pos_label: Any) -> Outcome:
    """The outcome of a label column; 1 and True are favourable where nobody says otherwise."""
    codes, names = value_codes(context.column(column, "label column"))
    if pos_label is not None:
        wanted = [category_name(v) for v in (pos_label if isinstance(pos_label, tuple) else (pos_label,))]
    else:
        wanted = list(context.schema.pos_labels)
    if not wanted:
        if not set(names) <= {"0", "1"} and not set(names) <= {"False", "True"}:
            shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
            raise SettingsError(
                f"Which value of the label column {column!r} is favourable is not known.",
                f"Name it as pos_label, or give a threshold if the column is a score. Values: {shown}.",
            )
        wanted = ["1", "True"]
    elif not any(name in names for name in wanted):
        raise unknown_name(f"favourable value of the label column {column!r}", wanted[0], names[:30])
    positive = np.array([name in wanted for name in names] + [False])
    return Outcome(np.where(codes < 0, np.nan, positive[codes].astype(float)), column, False)


def find_outcome(context: Context, *, label: str | None, pos_label: Any, score: str | None, threshold: float | None) -> Outcome:
    """The outcome that a description or the schema names.

    In this order: the label that the description names; its score and threshold; the schema's label; the schema's score. A numeric label
    without a favourable value but with a threshold is a score.

    Raises
    ------
    SettingsError
        If neither a label nor a score with a threshold is known.
    """
    schema = context.schema
    if threshold is None:
        threshold = schema.decision_threshold
    if label is None and score is not None and threshold is not None:
        return score_outcome(context, score, threshold)
    column = label if label is not None else schema.label
    if column is not None:
        named = pos_label is not None or (schema.pos_labels and column == schema.label)
        if not named and threshold is not None and is_number_column(context.column(column, "label column")):
            return score_outcome(context, column, threshold)
        return label_outcome(context, column, pos_label)
    score = score if score is not None else schema.score
    if score is None:
        raise SettingsError(
            "No label and no score are named, so nobody's outcome is known.", "Name the label column, or a score."
        )
    if threshold is None:
        raise SettingsError(f"From which {score!r} on an outcome is favourable is not known.", "Give a threshold.")
    return score_outcome(context, score, threshold)
