"""Do two columns belong together: by name, and by the kind of their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairaudit.errors import ColumnNotFoundError, nearest
from fairaudit.schema import CATEGORICAL_TYPES
from fairaudit.validation.plain import KIND_WORDS, Plain

CODES_AT_MOST = 50
"""Numbers with at most so many distinct values may be the codes of categories."""


def near_column(column: str, choices: Sequence[str]) -> str | None:
    """The choice whose name is most alike; capitals, spaces and underscores do not count."""
    simple = {re.sub(r"[\W_]+", "", c.casefold()): c for c in choices}
    found = nearest(re.sub(r"[\W_]+", "", column.casefold()), simple)
    return None if found is None else simple[found]


def missing_column(
    role: str, column: str, reference: str, target: str, guess: str | None, columns: Sequence[str]
) -> ColumnNotFoundError:
    """Error for a column of the reference that a target lacks."""
    shown = ", ".join(columns[:30]) + (", …" if len(columns) > 30 else "")
    hint = f"Did you mean {guess!r}? Rename it in one of the two files" if guess else "Add it"
    return ColumnNotFoundError(
        f"The {role} {column!r} of {reference} is not a column of {target}{f', which has {guess!r}' if guess else ''}.",
        f"{hint}, or put {column!r} among the ignored columns. Columns: {shown}.",
    )


def comparable(lead: Plain, other: Plain, given: str | None) -> tuple[str, str] | None:
    """None if two columns can be compared, else what each of them holds."""
    if "empty" in (lead.kind, other.kind) or lead.kind == other.kind or given in CATEGORICAL_TYPES | {"identifier", "text"}:
        return None
    texts = {"text", "bool"}
    if {lead.kind, other.kind} <= texts:
        return None
    if given == "numeric" and {lead.kind, other.kind} <= texts | {"number"} and lead.holds_numbers and other.holds_numbers:
        return None  # the user knows better: what is no number counts as missing, and a finding says so
    if {lead.kind, other.kind} == {"text", "number"}:
        text, number = (lead, other) if lead.kind == "text" else (other, lead)
        # categories such as 1, 2, unknown are numbers only by chance in a table without the unknown
        if (
            number.n_distinct <= CODES_AT_MOST
            and text.n_distinct <= CODES_AT_MOST
            and set(number.levels[1]) & set(text.levels[1])
        ):
            return None
    return _words(lead), _words(other)


def _words(plain: Plain) -> str:
    example = next(iter(plain.names), "")
    return KIND_WORDS[plain.kind] + (f" such as {example[:30]!r}" if example else "")
