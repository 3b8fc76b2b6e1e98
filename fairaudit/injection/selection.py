"""Selection bias: whose rows are missing from the table, level by level, so that no row ever comes back."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairaudit.errors import SettingsError
from fairaudit.injection.arrays import FAIR_EVALUATION, selection_removal_order
from fairaudit.injection.columns import percent
from fairaudit.injection.context import Context
from fairaudit.injection.outcomes import LABEL, POS_LABEL, SCORE, THRESHOLD, find_outcome, numbers
from fairaudit.injection.spec import INJECTIONS, Change

LEVELS = 10
LEVEL_HELP = (
    "Share of the group's size that is taken out, in ten equal steps; strengths in between take out a part of the next step."
)


def _check_size(context: Context, **parameters: Any) -> None:
    """Refuse groups that are too small for a step of one row."""
    del parameters
    size = int(context.in_group.sum())
    if size < LEVELS:
        raise SettingsError(
            f"The group has {size} row{'' if size == 1 else 's'}; a tenth of it is less than one row.",
            "Choose a group of 10 rows or more.",
        )


def _removed(kind: str, context: Context, favourable: np.ndarray | None = None, score: np.ndarray | None = None) -> Change:
    order = selection_removal_order(kind, context.in_group, favourable, score, context.seed, LEVELS)
    return Change(removed=np.sort(order.removed(context.strength)))


@INJECTIONS.register(
    name="random_selection",
    label="Random selection",
    family="selection",
    summary="Takes out rows of a group at random: the group is harder to reach, but who is reached is representative.",
    pitfall="Distributions within the groups stay as they were; metrics that compare rates can hardly see it.",
    reference=FAIR_EVALUATION.format("3.2.2"),
    strength_help=LEVEL_HELP,
    parameters=(),
    sentence=lambda i, who: f"Takes out {percent(i.strength)} of {who}, at random.",
    check=_check_size,
)
def random_selection(context: Context) -> Change:
    """Take out group rows, each as likely."""
    return _removed("random_selection", context)


def _selection_score(context: Context, label: Any, pos_label: Any, score: Any, threshold: Any) -> tuple[np.ndarray, str]:
    """Score of each row; the favourable outcome counts as 1, the other as 0, where there is no score."""
    name = context.schema.score if score is None else score
    if name is not None:
        return numbers(context, name, "score column"), ""
    outcome = find_outcome(context, label=label, pos_label=pos_label, score=None, threshold=threshold)
    if outcome.from_score:
        return numbers(context, outcome.column, "score column"), ""
    return outcome.favourable, f"No score is named; the label {outcome.column!r} stands in as 0 or 1."


def _check_self(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any) -> None:
    _check_size(context)
    values, _ = _selection_score(context, label, pos_label, score, threshold)
    if not np.isfinite(values[context.in_group]).any():
        raise SettingsError("No row of the group has a score.", "Choose another score column or group.")


def _resolve_self(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any) -> dict[str, Any]:
    del pos_label, threshold
    return {"score": score or context.schema.score or label or context.schema.label}


@INJECTIONS.register(
    name="self_selection",
    label="Self-selection",
    family="selection",
    summary="Takes out rows of a group, low scores more often: those who doubt their chances do not apply.",
    pitfall="The group that is left looks better than it is, so rates overstate how well it fares.",
    reference=FAIR_EVALUATION.format("3.2.2"),
    formula=r"P(i) \propto (\max_{\text{left}} S - S_i)^2 + 0.25",
    strength_help=LEVEL_HELP,
    parameters=(SCORE, LABEL, POS_LABEL, THRESHOLD),
    sentence=lambda i, who: (
        f"Takes out {percent(i.strength)} of {who}, low values of {i.get('score') or 'the score'} more often."
    ),
    check=_check_self,
    resolve=_resolve_self,
)
def self_selection(context: Context, *, label: Any, pos_label: Any, score: Any, threshold: Any) -> Change:
    """Take out group rows, low scores more often."""
    values, note = _selection_score(context, label, pos_label, score, threshold)
    change = _removed("self_selection", context, score=values)
    return Change(removed=change.removed, note=note)


def _check_malicious(context: Context, **parameters: Any) -> None:
    _check_size(context)
    favourable = find_outcome(context, **parameters).favourable
    if context.in_group.all():
        raise SettingsError("Every row belongs to the group, so there is no other group to favour.", "Choose a part of the rows.")
    if not (context.in_group & (favourable == 1)).any() and not (~context.in_group & (favourable == 0)).any():
        raise SettingsError(
            "Neither a favourable row of the group nor an unfavourable row of the others exists.", "Check the favourable value."
        )


@INJECTIONS.register(
    name="malicious_selection",
    label="Malicious selection",
    family="selection",
    summary="Takes out the group's favourable rows and the others' unfavourable ones, so that the group looks worse.",
    pitfall="Labels stay true; only who is in the table is biased.",
    reference=FAIR_EVALUATION.format("3.2.2"),
    strength_help=LEVEL_HELP,
    parameters=(LABEL, POS_LABEL, SCORE, THRESHOLD),
    sentence=lambda i, who: (
        f"Takes out favourable rows among {who} and unfavourable rows of everybody else, {percent(i.strength)} of the group's size in all."
    ),
    check=_check_malicious,
    needs_group=True,
)
def malicious_selection(context: Context, **parameters: Any) -> Change:
    """Take out favourable group rows and unfavourable rows of the others."""
    return _removed("malicious_selection", context, favourable=find_outcome(context, **parameters).favourable)


@INJECTIONS.register(
    name="uniform_undersampling",
    label="Uniform undersampling",
    family="selection",
    summary="Takes out rows of everybody at random, as many as the other selections do: the control for the loss of data alone.",
    pitfall="The group only sets how many rows go; without a group it is a share of all rows.",
    reference=FAIR_EVALUATION.format("6.2"),
    strength_help=LEVEL_HELP,
    parameters=(),
    sentence=lambda i, who: f"Takes out rows of the whole table at random, as many as {percent(i.strength)} of {who}.",
    check=_check_size,
)
def uniform_undersampling(context: Context) -> Change:
    """Take out rows of the whole table, each as likely."""
    return _removed("uniform_undersampling", context)
