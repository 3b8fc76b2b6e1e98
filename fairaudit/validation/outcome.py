"""The favourable outcome: which value it probably is, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from fairaudit.contrast import SELECTIVE_ROWS, outcome_values
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Finding, Schema
from fairaudit.validation.canonical import joint_levels, sort_levels
from fairaudit.validation.plain import Plain
from fairaudit.validation.words import (
    NEGATIONS,
    NEGATIVE_WORDS,
    POSITIVE_WORDS,
    UNFAVOURABLE_NAMES,
    YES_WORDS,
    fold,
    name_words,
)

LOW_AUC = 0.4
"""A score below it against the label is probably the wrong way round; chance is 0.5."""
SELECTIVE_SHARE = 0.01
"""Share of rejected rows that may have a label where labels are said to come by selection."""
CERTAIN_BY = 3.0
"""Standard errors by which the area must lie below 0.5, so that a few rows of bad luck are no finding."""
GUESSED = "favourable_guessed"


def outcome_columns(schema: Schema, plains: Iterable[str]) -> list[str]:
    """Label and prediction, as far as they hold categories."""
    known = set(plains)
    return [c for c in (schema.label, schema.prediction) if c in known and schema.type_of(str(c)) in CATEGORICAL_TYPES]


def favourable(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> str | tuple[str, ...] | None:
    """The favourable one of two outcomes, None where there are more or fewer.

    Where label and prediction have no value in common (good and bad, approved and rejected), each has a favourable value of its own.
    """
    columns = outcome_columns(schema, plains)
    names = {c: _names(schema, c, plains[c]) for c in columns}
    if len(columns) == 2 and not set(names[columns[0]]) & set(names[columns[1]]):
        chosen = [_chosen(schema, c, names[c])[0] for c in columns if len(names[c]) == 2]
        return tuple(chosen) if len(chosen) == 2 else chosen[0] if chosen else None
    if not columns or len(names[columns[0]]) != 2:
        return None
    return _chosen(schema, columns[0], names[columns[0]])[0]


def guessed(schema: Schema, plains: Mapping[str, Sequence[Plain]], given: Schema, table: str) -> list[Finding]:
    """What is to be checked about the favourable outcome, because the data and not a person chose it."""
    if given.pos_label is not None:
        return []
    found, seen = [], set[str]()
    for column in outcome_columns(schema, plains):
        names = _names(schema, column, plains[column])
        if seen & set(names):
            continue  # the same values have the same meaning
        seen |= set(names)
        if len(names) > 2 and not set(schema.pos_labels) & set(names):
            # outcome_values counts the last category then
            last = joint_levels(plains[column], dict(schema.levels).get(column, ()))[-1]
            problem = f"{column!r} has {len(names)} values and none is named as favourable: the last one, {last[:60]!r}, counts."
        elif len(names) == 2:
            value, why = _chosen(schema, column, names)
            problem = f"{why}: {value[:60]!r} was taken." if why else ""
        else:
            problem = ""
        if problem:
            remedy = "Check it, and choose the favourable outcome (pos_label) if it is another one: every rate depends on it."
            found.append(Finding(GUESSED, "warning", table, column, problem, remedy))
    return found


def still_guessed(before: Iterable[Finding], old: Schema, new: Schema, after: Sequence[Finding]) -> list[Finding]:
    """Guesses of an earlier check that nobody has decided since: a schema that was filled in names the guess as if it had been given."""
    same = (old.label, old.prediction, old.pos_label) == (new.label, new.prediction, new.pos_label)
    if not same or any(f.code == GUESSED for f in after):
        return []
    return [f for f in before if f.code == GUESSED]


def _names(schema: Schema, column: str, plains: Sequence[Plain]) -> list[str]:
    names = {n for p in plains for n in p.levels[1]}
    given = [n for n in joint_levels(plains, dict(schema.levels).get(column, ())) if n in names]
    return given if dict(schema.levels).get(column) else sort_levels(names)


def _chosen(schema: Schema, column: str, names: Sequence[str]) -> tuple[str, str]:
    """The favourable one of two values, and why it is only a guess; no reason where the words tell."""
    if dict(schema.levels).get(column):
        return names[1], ""
    folded = {n: fold(n).rstrip(".").strip() for n in names}
    good = [n for n in names if folded[n] in POSITIVE_WORDS]
    bad = [n for n in names if folded[n] in NEGATIVE_WORDS or _denied(folded[n])]
    value = good[0] if len(good) == 1 else next(n for n in names if n != bad[0]) if len(bad) == 1 else names[1]
    if len(good) != 1 and len(bad) != 1:
        return value, f"Which value of {column!r} is favourable could not be told from the words"
    if folded[value] in YES_WORDS and UNFAVOURABLE_NAMES & set(name_words(column).split()):
        return value, f"{column!r} sounds like something that people do not want"
    return value, ""


def _denied(name: str) -> bool:
    """Whether a value denies something, as "not hired" does."""
    first, _, rest = name.partition(" ")
    return bool(rest) and first in NEGATIONS


def turned_score(table: AuditTable) -> Iterator[Finding]:
    """A score that is low where the label is favourable: one of the two is probably the wrong way round."""
    schema = table.schema
    label = schema.label
    score = schema.score
    if score is None and schema.prediction is not None and schema.type_of(schema.prediction) == "numeric":
        score = schema.prediction
    if label is None or score is None or label not in table.columns or score not in table.columns:
        return
    if table.type_of(label) not in CATEGORICAL_TYPES or table.type_of(score) not in ("numeric", "ordinal"):
        return
    outcome, values = outcome_values(table, label), _ranked(table.data[score])
    known = np.isfinite(outcome) & np.isfinite(values)
    positive = outcome[known] == 1
    n1 = int(positive.sum())
    n0 = len(positive) - n1
    if not n1 or not n0:
        return
    area = (stats.rankdata(values[known])[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)
    error = np.sqrt((n1 + n0 + 1) / (12 * n1 * n0))
    if area < LOW_AUC and 0.5 - area > CERTAIN_BY * error:
        shown = " or ".join(repr(v[:40]) for v in schema.pos_labels) or "the last value"
        yield Finding(
            "score_turned",
            "warning",
            table.name,
            score,
            f"The score is low where {label!r} is favourable ({shown}): its ROC AUC is {area:.2f}, and chance is 0.5.",
            "The favourable outcome or the score is probably the wrong way round: choose the other value, or turn the score round in the "
            "file if it is high for a high risk, because high scores count as favourable.",
        )


def selective_labels(table: AuditTable) -> Iterator[Finding]:
    """A label that is known only for those whom the prediction selects, as repayment is for those who got a loan."""
    schema = table.schema
    label, prediction = schema.label, schema.prediction
    if label is None or prediction is None or label not in table.columns or prediction not in table.columns:
        return
    if table.type_of(prediction) not in CATEGORICAL_TYPES:
        return
    decided, known = outcome_values(table, prediction), table.data[label].notna().to_numpy()
    rejected, selected = known[decided == 0], known[decided == 1]
    if len(rejected) < SELECTIVE_ROWS or not len(selected) or rejected.mean() > SELECTIVE_SHARE or selected.mean() < 0.5:
        return
    yield Finding(
        "selective_labels",
        "warning",
        table.name,
        label,
        f"The label is known for {selected.mean():.0%} of the rows that {prediction!r} selects and for {rejected.mean():.0%} of the others.",
        "Whether somebody was rejected rightly cannot be told from such labels: read selection rates, not error rates (equal opportunity, "
        "equalized odds, accuracy), and do not train on the label as if it were everybody's.",
    )


def _ranked(series: pd.Series) -> np.ndarray:
    """Numbers in the order of a score; NaN where missing."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        return np.append(np.arange(len(series.cat.categories), dtype=float), np.nan)[series.cat.codes.to_numpy()]
    return series.to_numpy()
