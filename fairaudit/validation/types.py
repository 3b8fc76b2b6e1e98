"""Which type a column has, judged over all of its values in all tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairaudit.validation.plain import Plain, plain_column

ORDINAL_AT_MOST = 10
"""Whole numbers with more distinct values than this are numeric."""
ENOUGH_FOR_ID = 20
"""With fewer rows, distinct values say nothing about identifiers."""
_ID_NAME = re.compile(r"(^|[^a-z])(id|ids|uuid|guid|key|index|rowid|row|nr|no|unnamed: \d+)$", re.IGNORECASE)
_CAMEL_ID = re.compile(r"[a-z](ID|Id)$")


def infer_type(series: pd.Series) -> tuple[str, str]:
    """Type of a column over all of its values, and the reason in words.

    Parameters
    ----------
    series : Series of any dtype
        Its name is a hint: ``customer_id`` is more likely an identifier than ``age``.

    Returns
    -------
    type : str
        One of ``schema.COLUMN_TYPES``.
    reason : str

    Examples
    --------
    >>> infer_type(pd.Series([0, 1, 1, None], name="hired"))
    ('binary', 'two distinct values: 0 and 1')
    >>> infer_type(pd.Series([0.5, 1.25, 7.0], name="dose"))
    ('numeric', 'numbers with 3 distinct values')
    """
    return joint_type([plain_column(series)], str(series.name))


def joint_type(plains: Sequence[Plain], name: str) -> tuple[str, str]:
    """Type of a column that occurs in several tables; their kinds agree, apart from empty ones."""
    full = [p for p in plains if p.kind != "empty"]
    if not full:
        return "numeric", "no values"
    kinds = {p.kind for p in full}
    if kinds == {"date"}:
        return "date", f"dates {full[0].note}".strip()
    if kinds == {"number"}:
        return _number_type(full, name)
    return _text_type(full, name)


def _number_type(plains: list[Plain], name: str) -> tuple[str, str]:
    for plain in plains:
        if reason := _id_reason(plain, name):
            return "identifier", reason
    distinct = plains[0].distinct_numbers
    for plain in plains[1:]:
        distinct = np.union1d(distinct, plain.distinct_numbers)
    if len(distinct) == 2:
        low, high = (f"{v:g}" for v in distinct)
        return "binary", f"two distinct values: {low} and {high}"
    whole = bool(np.all(distinct == np.floor(distinct)))
    if whole and 3 <= len(distinct) <= ORDINAL_AT_MOST:
        return "ordinal", f"whole numbers with {len(distinct)} distinct values"
    count = "one distinct value" if len(distinct) == 1 else f"{len(distinct):,} distinct values"
    stored = f", {plains[0].note}" if plains[0].note else ""
    return "numeric", f"{'whole numbers' if whole else 'numbers'} with {count}{stored}"


def _named_like_id(name: str) -> bool:
    return bool(_ID_NAME.search(name.strip()) or _CAMEL_ID.search(name.strip()))


def _id_reason(plain: Plain, name: str) -> str:
    """Why whole numbers are identifiers; empty if they are not."""
    distinct, n = plain.distinct_numbers, plain.n_valid
    if n < 3 or len(distinct) < 0.95 * n or np.any(distinct != np.floor(distinct)):
        return ""
    if _named_like_id(name):
        return f"the name, and {len(distinct):,} distinct values in {n:,} rows"
    if len(distinct) < n or n < ENOUGH_FOR_ID:
        return ""
    if distinct[-1] - distinct[0] + 1 == n:
        return "consecutive whole numbers, each once"
    assert plain.numbers is not None, "a number column has numbers"
    values = plain.numbers[np.isfinite(plain.numbers)]
    return "whole numbers in rising order, each once" if np.all(np.diff(values) > 0) else ""


def _text_type(plains: list[Plain], name: str) -> tuple[str, str]:
    names: dict[str, None] = {}
    for plain in plains:
        names.update(dict.fromkeys(plain.levels[1]))
    if len(names) == 2:
        return "binary", "two distinct values: " + " and ".join(sorted(n[:40] for n in names))
    if any(p.ordered for p in plains):
        note = next(p.note for p in plains if p.ordered)
        return ("ordinal" if len(names) > 1 else "nominal"), f"{note}, {len(names)} distinct values"
    valid = sum(p.n_valid for p in plains)
    share = max(p.n_distinct / p.n_valid for p in plains if p.n_valid)
    sample = list(names)[:: max(1, len(names) // 2000)]
    length = float(np.mean([len(s) for s in sample]))
    one_word = np.mean([not re.search(r"\s", s) for s in sample]) > 0.95
    shaped = np.mean([bool(re.search(r"\d|@", s)) for s in sample]) > 0.9
    counted = f"{len(names):,} distinct values in {valid:,} rows"
    most = max(p.n_valid for p in plains)
    if share > 0.9 and one_word and ((_named_like_id(name) and most >= 3) or (most >= ENOUGH_FOR_ID and (shaped or most >= 200))):
        return "identifier", f"{counted}, one word each"
    if (share > 0.5 and len(names) > 50) or (length > 50 and (len(names) > ENOUGH_FOR_ID or share > 0.9)):
        return "text", f"{counted}, {length:.0f} characters on average"
    if len(names) == 1:
        return "nominal", "one distinct value"
    return "nominal", f"text with {len(names):,} distinct values"
