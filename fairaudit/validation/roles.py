"""Which column plays which role: proposals from names and content, always shown and always editable."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fairaudit.reading import ReadTable, read_table
from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Schema
from fairaudit.validation.plain import Plain, plain_column
from fairaudit.validation.types import joint_type

ROLE_WORDS: dict[str, tuple[str, ...]] = {
    "prediction": (
        "prediction",
        "predictions",
        "predicted",
        "pred",
        "y pred",
        "y hat",
        "yhat",
        "forecast",
        "model output",
        "decision",
    ),
    "score": ("score", "y score", "probability", "proba", "prob", "risk score", "decile score"),
    "label": (
        "label",
        "target",
        "y true",
        "ground truth",
        "actual",
        "outcome",
        "y",
        "class",
        "income",
        "hired",
        "approved",
        "admitted",
        "passed",
        "default",
        "two year recid",
        "credit risk",
    ),
}
"""Names (lower case, words separated by spaces) that propose a role; earlier ones win.

A prediction or score may carry its word at either end of the name (``predicted_salary``, ``salary_pred``); a label must be named exactly
so, or end in ``true`` or ``label``.
"""
CATEGORICAL_LABELS = frozenset(ROLE_WORDS["label"][5:])
"""Label names that also occur as ordinary features; they are proposed only where the column holds categories."""
SENSITIVE_WORDS: tuple[str, ...] = (
    "sex",
    "gender",
    "race",
    "ethnicity",
    "ethnic",
    "religion",
    "disability",
    "disabled",
    "marital",
    "nationality",
    "citizenship",
    "sexual orientation",
    "pregnant",
    "pregnancy",
    "caste",
    "age",
)
"""Words that propose a sensitive feature where the column holds a few groups.

Age is proposed only when it comes in groups already: cut points of a continuous age are for the auditor to choose.
"""
POSITIVE_WORDS: tuple[str, ...] = (
    "1",
    "yes",
    "y",
    "true",
    "t",
    "positive",
    "pos",
    ">50k",
    "hired",
    "hire",
    "pass",
    "passed",
    "good",
    "approved",
    "approve",
    "accepted",
    "accept",
    "admitted",
    "admit",
    "granted",
    "favourable",
    "favorable",
    "high",
    "success",
    "+",
)
"""Values that are proposed as the favourable outcome of a column with two values; otherwise the second one is."""
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
        schema = schema.with_(pos_label=_favourable(schema, plains))
    return schema


def _words(name: str) -> str:
    """A column name as lower-case words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[^a-z0-9]+", " ", spaced.lower()).strip()


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
        found = next((c for word in ROLE_WORDS[role] for c in free if _plays(role, word, _words(c), types[c])), None)
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
    name = _words(column)
    words = name.split()
    for word in SENSITIVE_WORDS:
        if word in words or (" " in word and word in name):
            return word != "age" or column_type == "binary" or not all(re.fullmatch(r"-?\d+(\.\d+)?", g) for g in groups)
    # a name that is spelt wrongly must still be noticed; short words are too alike
    return any(
        len(w) >= 5 and difflib.get_close_matches(w, [s for s in SENSITIVE_WORDS if len(s) >= 5], n=1, cutoff=0.85) for w in words
    )


def _favourable(schema: Schema, plains: Mapping[str, Sequence[Plain]]) -> str | None:
    """The favourable one of two outcomes, None where there are more or fewer."""
    types = dict(schema.types)
    column = next((c for c in (schema.label, schema.prediction) if c is not None and types.get(c) in CATEGORICAL_TYPES), None)
    if column is None or column not in plains:
        return None
    names = sort_levels({n for p in plains[column] for n in p.levels[1]})
    if len(names) != 2:
        return None
    if dict(schema.levels).get(column):
        return names[1]
    good = [n for n in names if n.strip().rstrip(".").casefold() in POSITIVE_WORDS]
    return good[0] if len(good) == 1 else names[1]


def sort_levels(names: set[str] | Sequence[str]) -> list[str]:
    """By number if all are numbers, else by alphabet."""
    try:
        numbers = {n: float(n) for n in names}
    except ValueError:
        return sorted(names)
    # "nan" is a word that Python takes for a number, and one without an order.
    return sorted(names) if any(math.isnan(v) for v in numbers.values()) else sorted(names, key=lambda n: (numbers[n], n))
