"""Which column plays which role: proposals from names and content, always shown and always editable."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fairaudit.reading import ReadTable, read_table
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Schema
from fairaudit.validation.outcome import favourable
from fairaudit.validation.plain import Plain, plain_column
from fairaudit.validation.types import joint_type
from fairaudit.validation.words import (
    AGE_STEMS,
    AGE_WORDS,
    CATEGORICAL_LABELS,
    LOOK_ALIKES,
    ROLE_WORDS,
    SENSITIVE_STEMS,
    SENSITIVE_WORDS,
    name_words,
)

GROUPS_AT_MOST = 20


def propose_schema(data: pd.DataFrame | ReadTable | AuditTable, schema: Schema | Mapping[str, Any] | None = None) -> Schema:
    """Fill in what the schema leaves open: roles by names and content, types by content.

    Parameters
    ----------
    data : DataFrame, ReadTable or AuditTable
    schema : Schema or dict, optional
        What is given here stays. Ignored columns get no role.

    Returns
    -------
    Schema
        With a type for every column.

    Examples
    --------
    >>> table = pd.DataFrame({"sex": ["F", "M", "M"], "hired": ["no", "yes", "no"], "predicted_hired": ["no", "no", "yes"]})
    >>> found = propose_schema(table)
    >>> found.label, found.prediction, found.sensitive_features, found.pos_label
    ('hired', 'predicted_hired', ('sex',), 'yes')
    """
    if isinstance(data, AuditTable):
        given = Schema.from_any(schema)
        known = {**dict(data.schema.types), **dict(given.types)}
        schema, data = given.with_(types=tuple(known.items())), data.data
    frame = (data if isinstance(data, ReadTable) else read_table(data)).data
    plains = {str(c): [plain_column(frame[c])] for c in frame.columns}
    return complete(Schema.from_any(schema), plains, roles=True)


def complete(schema: Schema, plains: Mapping[str, Sequence[Plain]], *, roles: bool) -> Schema:
    """A schema with a type for every column, a favourable outcome where it is clear, and roles if they are asked for."""
    types = dict(schema.types)
    for column, found in plains.items():
        if column not in types:
            types[column] = "ordinal" if column in dict(schema.levels) else joint_type(found, column)[0]
    schema = schema.with_(types=types)
    if roles:
        schema = _with_roles(schema, plains)
    if schema.pos_label is None:
        schema = schema.with_(pos_label=favourable(schema, plains))
    return schema


def _with_roles(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> Schema:
    """Proposals for the roles that are open."""
    types = dict(schema.types)
    taken = {c for _, c in schema.named_columns()} | set(schema.ignored)
    usable = [c for c in plains if types[c] in CATEGORICAL_TYPES | {"numeric"} and any(p.kind != "empty" for p in plains[c])]
    changes: dict[str, Any] = {}
    for role in ("score", "prediction", "label"):
        if getattr(schema, role) is not None:
            continue
        free = [c for c in usable if c not in taken]
        found = next((c for word in ROLE_WORDS[role] for c in free if _plays(role, word, name_words(c), types[c])), None)
        if found is not None:
            changes[role] = found
            taken.add(found)
    if not schema.sensitive_features:
        changes["sensitive_features"] = tuple(c for c in plains if c not in taken and _is_sensitive(c, types[c], plains[c]))
    return schema.with_(**changes)


def _plays(role: str, word: str, name: str, column_type: str) -> bool:
    """Whether a name proposes a role by one of its words."""
    ends = name == word or name.startswith(f"{word} ") or name.endswith(f" {word}")
    if role == "score":
        return ends and column_type in ("numeric", "ordinal")
    if role == "prediction":
        return ends
    if word in CATEGORICAL_LABELS and column_type == "numeric":
        return False
    return name == word or (word in ("label", "y true") and name.endswith((" label", " true")))


def _is_sensitive(column: str, column_type: str, plains: Sequence[Plain]) -> bool:
    """Whether a column is named like a sensitive feature and holds a few groups."""
    groups = {n for p in plains for n in p.levels[1]} if column_type in CATEGORICAL_TYPES else set()
    if not 2 <= len(groups) <= GROUPS_AT_MOST:
        return False
    name = name_words(column)
    words = name.split()
    known = [w for w in SENSITIVE_WORDS if w in words or (" " in w and re.search(rf"\b{w}\b", name))]
    stems = [s for s in SENSITIVE_STEMS if any(w.startswith(s) for w in words)]
    if not known and not stems:
        # a name that is spelt wrongly must still be noticed
        return any(_misspelt(w) for w in words)
    of_age = set(known) <= AGE_WORDS and set(stems) <= AGE_STEMS
    return not of_age or column_type == "binary" or not all(re.fullmatch(r"-?\d+(\.\d+)?", g) for g in groups)


def _misspelt(word: str) -> bool:
    """Whether a word is a sensitive word with one spelling mistake.

    Short words are too alike, and few people mistake the first letter: "lender" is no "gender", and "region" lacks two letters of "religion".
    """
    if len(word) < 5 or word in LOOK_ALIKES:
        return False
    alike = [s for s in SENSITIVE_WORDS if len(s) > 5 and s[0] == word[0] and abs(len(s) - len(word)) <= 1]
    return bool(difflib.get_close_matches(word, alike, n=1, cutoff=0.83))


def open_roles(schema: Schema) -> tuple[str, ...]:
    """What a checked table has no column for, and what that costs; one sentence or two for each role.

    Examples
    --------
    >>> open_roles(Schema(prediction="hired", label="good", sensitive_features=("sex",), types={"hired": "binary"}))
    ()
    >>> print(open_roles(Schema(prediction="hired", label="good", types={"hired": "binary"}))[0])
    No sensitive attribute: groups of people cannot be compared. Give that role to the columns that define groups.
    """
    found = []
    outcome = schema.prediction or schema.score
    if outcome is None and schema.label is None:
        found.append(
            "No prediction, score or label: without a decision the classical metrics cannot be computed. Give a role to the columns with "
            "the decision and the true outcome."
        )
    elif outcome is None:
        found.append(
            f"No prediction: {schema.label!r} itself is assessed, and metrics that compare decisions with labels, such as equal opportunity, "
            "cannot be computed. Give that role to the column with the decision, if there is one."
        )
    else:
        if schema.type_of(outcome) == "numeric" and schema.decision_threshold is None:
            found.append(
                f"No decision: {outcome!r} is a number, and metrics of selection rates need a decision. Choose the threshold from which it "
                "is favourable."
            )
        if schema.label is None:
            found.append(
                "No label: metrics that compare decisions with the true outcome, such as equal opportunity, cannot be computed. Give that "
                "role to the column with the true outcome, if there is one."
            )
    if not schema.sensitive_features:
        found.append(
            "No sensitive attribute: groups of people cannot be compared. Give that role to the columns that define groups."
        )
    return tuple(found)
