"""Label bias: a penalty on the score from which the label is made, or, without a score, labels that turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.injection.arrays import FAIR_EVALUATION, label_bias_scores, label_flips
from fairaudit.injection.columns import percent, with_numbers, with_value
from fairaudit.injection.context import Context
from fairaudit.injection.description import Injection
from fairaudit.injection.groups import is_number_column, value_codes
from fairaudit.injection.outcomes import LABEL, POS_LABEL, SCORE, THRESHOLD, Outcome, at_or_above, label_outcome, numbers
from fairaudit.injection.spec import INJECTIONS, Change, ParameterSpec


def _columns(
    context: Context, label: str | None, pos_label: Any, score: str | None, threshold: float | None
) -> tuple[Any, Any, Any]:
    """Names of score and label column and the threshold; a column that is both counts as the score only."""
    schema = context.schema
    threshold = schema.decision_threshold if threshold is None else threshold
    score = schema.score if score is None else score
    label = schema.label if label is None else label
    if score is None and label is not None and threshold is not None and pos_label is None and not schema.pos_labels:
        score = label if is_number_column(context.column(label, "label column")) else None
    return score, (None if label == score else label), threshold


def _most_common(column: pd.Series, outcome: Outcome, favourable: bool) -> str:
    """Name of the most common value of one kind."""
    codes, names = value_codes(column)
    there = codes[outcome.favourable == float(favourable)]
    if not len(there):
        kind = "favourable" if favourable else "unfavourable"
        raise SettingsError(f"The label column {outcome.column!r} has no {kind} value to turn to.", "Check the favourable value.")
    return names[np.bincount(there).argmax()]


def _turned(column: pd.Series, outcome: Outcome, down: np.ndarray, up: np.ndarray) -> pd.Series:
    """A label column with some rows turned unfavourable and others favourable."""
    result = column
    if len(down):
        result = with_value(result, down, _most_common(column, outcome, favourable=False))
    if len(up):
        result = with_value(result, up, _most_common(column, outcome, favourable=True))
    return result


def _check_label(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any, noise: float, scale: Any) -> None:
    del scale
    score, label, threshold = _columns(context, label, pos_label, score, threshold)
    if score is not None:
        if not np.isfinite(numbers(context, score, "score column")).any():
            raise SettingsError(f"The score column {score!r} holds no number.", "Choose another score column.")
        if label is not None:
            label_outcome(context, label, pos_label)
            if threshold is None:
                raise SettingsError(
                    f"From which {score!r} on the label {label!r} is favourable is not known.", "Give a threshold."
                )
        return
    if label is None:
        raise SettingsError(
            "Label bias needs a score or a label.", "Name the score column with a threshold, or the label column."
        )
    outcome = label_outcome(context, label, pos_label)
    if not (context.in_group & (outcome.favourable == 1)).any():
        raise SettingsError(
            "No row of the group has a favourable label that could turn.", "Check the group and the favourable value."
        )
    if not (outcome.favourable == 0).any():
        raise SettingsError(f"The label column {label!r} has no unfavourable value to turn to.", "Check the favourable value.")
    if noise > 1:
        raise SettingsError(
            f"Without a score the noise is a share of the labels and at most 1. Got {noise:g}.", "Choose 0.1, say."
        )


def _resolve(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any, **others: Any) -> dict[str, Any]:
    """The columns that the schema names."""
    del others
    score, label, threshold = _columns(context, label, pos_label, score, threshold)
    return {"score": score, "label": label, "threshold": threshold}


def _sentence(injection: Injection, who: str) -> str:
    noise = injection.get("noise")
    if injection.get("score") is None:
        errors = f"; besides, {percent(noise)} of all labels turn at random" if noise else ""
        label = injection.get("label") or "the label"
        return f"Turns {percent(injection.strength)} of the favourable values of {label} unfavourable in {who}{errors}."
    errors = f", with normal noise of {percent(noise)} of that unit on every row" if noise else ""
    cut = injection.get("threshold")
    outcome = "" if cut is None else f"; favourable is a score of {cut:g} or more"
    return f"Lowers {injection.get('score')} by {percent(injection.strength)} of half its range in {who}{errors}{outcome}."


@INJECTIONS.register(
    name="label",
    label="Label bias",
    family="label",
    summary="Penalises the outcomes of a group: its score is lowered and the label follows; without a score, favourable labels turn.",
    pitfall="With noise, every row's score moves at any strength above 0, in both groups; strength 0 carries no noise.",
    reference=FAIR_EVALUATION.format("3.2.1"),
    formula=r"S_b = S - \beta_l A \cdot \text{scale} + N,\quad N \sim \mathcal{N}(0, \beta_n \cdot \text{scale})",
    strength_help="With a score: the penalty in units of the scale. Without: share of the group's favourable labels that turn.",
    parameters=(
        SCORE,
        THRESHOLD,
        LABEL,
        POS_LABEL,
        ParameterSpec(
            name="noise",
            label="Noise",
            type="number",
            default=0.0,
            low=0.0,
            help="With a score: spread of the noise in units of the scale (the paper: 0.1 or 0.2). Without: share of all labels that turn.",
        ),
        ParameterSpec(
            name="scale",
            label="Scale",
            type="number",
            low=0.0,
            help="Unit of the penalty; half of the score's range where none is given.",
        ),
    ),
    sentence=_sentence,
    check=_check_label,
    resolve=_resolve,
)
def label(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any, noise: float, scale: Any) -> Change:
    """Lower the group's score and turn the labels that cross the threshold, or turn a share of its favourable labels."""
    score, label, threshold = _columns(context, label, pos_label, score, threshold)
    if score is None:
        outcome = label_outcome(context, label, pos_label)
        down, up = label_flips(outcome.favourable, context.in_group, context.strength, noise, context.seed)
        return Change({label: _turned(context.column(label), outcome, down, up)}, note=_flip_note(down, up))
    before = numbers(context, score, "score column")
    after = label_bias_scores(before, context.in_group, context.strength, noise, scale, context.seed)
    moved = np.flatnonzero(np.isfinite(after) & (after != before))
    columns = {score: with_numbers(context.column(score), moved, after[moved])}
    if threshold is None:
        return Change(columns)
    old, new = at_or_above(before, threshold), at_or_above(after, threshold)
    down, up = np.flatnonzero((old == 1) & (new == 0)), np.flatnonzero((old == 0) & (new == 1))
    if label is None:
        return Change(columns, note=_flip_note(down, up))
    outcome = label_outcome(context, label, pos_label)
    note = f"Scores that fell below {threshold:g}: {len(down):,}; that rose to it: {len(up):,}."
    # A label that disagreed with the threshold may be on the other side already; it does not turn and must not be counted.
    down, up = down[outcome.favourable[down] == 1], up[outcome.favourable[up] == 0]
    note += f" {_flip_note(down, up, 'Labels')}"
    known = ~np.isnan(old) & ~np.isnan(outcome.favourable)
    if odd := int((old[known] != outcome.favourable[known]).sum()):
        note += f" {odd:,} labels disagreed with the threshold before; only labels whose score crosses it turn."
    columns[label] = _turned(context.column(label), outcome, down, up)
    return Change(columns, note=note)


def _flip_note(down: np.ndarray, up: np.ndarray, what: str = "Outcomes") -> str:
    return f"{what} turned unfavourable: {len(down):,}; turned favourable: {len(up):,}."
