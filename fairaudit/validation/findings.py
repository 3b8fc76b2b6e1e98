"""What is worth knowing about checked tables before anything is measured: each with what it means and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from fairaudit.schema import CATEGORICAL_TYPES, AuditTable, Finding, category_name
from fairaudit.validation.outcome import selective_labels, turned_score
from fairaudit.validation.plain import Plain

_WHOLE = re.compile(r"-?\d+")
MUCH_MISSING = 0.2
MISSING_SHIFT = 0.05
FEW_ROWS = 30
MANY_CATEGORIES = 50
LARGE_ROWS = 250_000
"""With more rows an audit in the browser is slow and needs hundreds of megabytes; measured in docs/samples.md."""
SAMPLE_ROWS = 100_000
"""Rows of the sample that is proposed for a large table."""
CODE_NUMBERS = frozenset(
    {-1, -2, -7, -8, -9, -97, -98, -99, -998, -999, -9999} | {9, 97, 98, 99, 997, 998, 999, 9998, 9999, 99999, 999999}
)
LEVELS_BESIDE_NEGATIVE = 4
"""With fewer other levels a negative one is no exception: -1, 0 and 1 are an answer each."""
CODE_WORDS = frozenset(
    {
        "unknown",
        "unk",
        "not known",
        "missing",
        "not specified",
        "unspecified",
        "not stated",
        "refused",
        "n.a.",
        "n/a",
        "na",
        "none",
        "null",
    }
    | {"nan", "?", "99", "999", "9999", "-1", "-9", "-99", "-999"}
)
"""Category names (lower case) that often stand for "no answer"."""


def table_findings(table: AuditTable, plains: dict[str, Plain]) -> Iterator[Finding]:
    """Everything that one table shows on its own."""
    n = len(table)
    if n < FEW_ROWS:
        yield Finding(
            "few_rows",
            "warning",
            table.name,
            "",
            f"The table has {n} row{'' if n == 1 else 's'}; hardly any difference can be told from chance.",
            "Use more rows, or read the results as an illustration.",
        )
    if n > LARGE_ROWS and table.sample is None:
        yield Finding(
            "large_table",
            "info",
            table.name,
            "",
            f"The table has {n:,} rows: calibrated verdicts take long in the browser, and much memory.",
            "Wait, work with a seeded sample of the rows, which every result then states, or use the command line.",
        )
    # one column without repetition is enough to know that no row repeats
    unique = any(p.n_distinct == n for p in plains.values())
    repeated = 0 if unique or n < 2 else int(pd.util.hash_pandas_object(table.data, index=False).duplicated().sum())
    if repeated:
        yield Finding(
            "duplicate_rows",
            "info",
            table.name,
            "",
            f"{repeated:,} of {n:,} rows repeat an earlier row in every column.",
            "If the same person must not count twice, remove the repeated rows; p-values assume independent rows.",
        )
    for column in table.columns:
        yield from _column_findings(table, column, plains[column])
    yield from turned_score(table)
    yield from selective_labels(table)


def _column_findings(table: AuditTable, column: str, plain: Plain) -> Iterator[Finding]:
    series, column_type, n = table.data[column], table.type_of(column), len(table)

    def found(code: str, severity: str, problem: str, remedy: str) -> Finding:
        return Finding(code, severity, table.name, column, problem, remedy)  # type: ignore[arg-type]

    missing = int(series.isna().sum())
    if plain.numbers is not None and column_type in CATEGORICAL_TYPES:
        missing -= int(np.isinf(plain.numbers).sum())  # they are no categories, and named as what they are below
    lost = missing - plain.n_missing if column_type == "numeric" else 0
    if missing == n or (column_type == "numeric" and not np.isfinite(series.to_numpy()).any()):
        yield found("no_values", "warning", "The column has no valid values.", "Nothing to do: it is listed as not measurable.")
        return
    if lost > 0:
        yield found(
            "not_a_number",
            "warning",
            f"{lost:,} values are no numbers and count as missing, because the type is numeric.",
            "Choose the type nominal if they are answers.",
        )
    if missing:
        yield found(
            "missing_share",
            "warning" if missing > MUCH_MISSING * n else "info",
            f"{missing:,} of {n:,} values ({missing / n:.1%}) are missing.",
            "They are left out of each comparison and counted; look whether they are missing more often for some people.",
        )
    if column_type == "numeric":
        yield from _number_findings(table, column, series.to_numpy())
    infinite = 0 if plain.numbers is None else int(np.isinf(plain.numbers).sum())
    if infinite and column_type not in ("identifier", "text"):
        yield found(
            "infinite_values",
            "warning",
            f"{infinite:,} values are infinite, or too large to compute with; they are left out of every comparison and counted.",
            "Look for a division by zero where the column was made.",
        )
    if column_type in CATEGORICAL_TYPES:
        yield from _category_findings(table, column, series)
    if column_type in ("identifier", "text"):
        what = "an identifier" if column_type == "identifier" else "free text"
        yield found(
            "identifier" if column_type == "identifier" else "free_text",
            "info",
            f"The column looks like {what}; it is not compared and not offered as a group.",
            "Change its type if it means something.",
        )
    if column_type == "date":
        yield found(
            "date",
            "info",
            f"The column holds dates{f' ({plain.note})' if plain.note else ''}; it is not compared.",
            "Name it as an attribute to compare it.",
        )
    if plain.note == "mixed types":
        yield found(
            "mixed_types",
            "warning",
            "The column holds values of several types; all are read as text.",
            "Bring them into one form in the file.",
        )
    elif plain.note == "numbers stored as text":
        yield found(
            "numbers_as_text",
            "info",
            "The numbers were stored as text and are read as numbers.",
            "Choose the type nominal if they are codes.",
        )
    elif plain.kind == "text" and column_type != "numeric":
        yield from _almost_numbers(table, column, plain)


def _almost_numbers(table: AuditTable, column: str, plain: Plain) -> Iterator[Finding]:
    """Text among numbers turns a numeric column into categories."""
    codes, names = plain.levels
    is_number = pd.to_numeric(pd.Series(names, dtype=object), errors="coerce").notna().to_numpy()
    if not is_number.any() or is_number.all():
        return
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    share = counts[is_number].sum() / counts.sum()
    if share >= 0.5:
        others = ", ".join(repr(names[i]) for i in np.flatnonzero(~is_number)[:5])
        yield Finding(
            "mostly_numbers",
            "warning",
            table.name,
            column,
            f"{share:.1%} of the values are numbers; others are text, such as {others}. The column is read as text.",
            "If the text means 'missing', choose the type numeric: what is no number counts as missing then.",
        )


def _number_findings(table: AuditTable, column: str, values: np.ndarray) -> Iterator[Finding]:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return
    low, high = finite.min(), finite.max()
    if low == high:
        yield _constant(table, column, f"{low:g}")
        return
    for code, n in suspicious_codes(table, column).items():
        yield _code(table, column, code, n)


def suspicious_codes(table: AuditTable, column: str) -> dict[str, int]:
    """Values of a column that may stand for "no answer", and how often they occur."""
    series, column_type = table.data[column], table.type_of(column)
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        counts = np.bincount(codes[codes >= 0], minlength=len(series.cat.categories))
        present = {str(name): int(n) for name, n in zip(series.cat.categories, counts, strict=True) if n}
        if column_type == "ordinal" and all(_WHOLE.fullmatch(c) for c in present):
            levels = np.sort([float(c) for c in present])
            codes_apart = {category_name(v) for v in _apart(levels, ordinal=True)}
            return {c: n for c, n in present.items() if c in codes_apart}
        exempt = ("-1", "99") if column_type in ("binary", "ordinal") else ()
        return {c: n for c, n in present.items() if len(present) > 1 and c.casefold() in CODE_WORDS and c not in exempt}
    if column_type != "numeric":
        return {}
    values = series.to_numpy()
    distinct = pd.unique(values)
    found = _apart(np.sort(distinct[np.isfinite(distinct)]), ordinal=False)
    return {category_name(v): int((values == v).sum()) for v in found}


def _apart(values: np.ndarray, *, ordinal: bool) -> list[float]:
    """Codes among sorted distinct numbers that lie apart from all others, or are the only negative ones."""
    known = CODE_NUMBERS - {9} if ordinal else CODE_NUMBERS  # the ninth of nine grades, with some in between not given
    found: list[float] = []
    below = _leading(values, {c for c in known if c < 0})
    rest = values[below:]
    gap = rest[0] - values[below - 1] if below and len(rest) else 0
    negative = len(rest) >= (LEVELS_BESIDE_NEGATIVE if ordinal else 2) and rest[0] >= 0
    if below and len(rest) > 1 and rest[0] >= 0 and (negative or gap > _far(rest, ordinal)):
        found, values = [float(v) for v in values[:below]], rest
    # 98 and 99 are apart from the others together; 99 may be a value where 999 is a code.
    for above in range(_leading(values[::-1], {c for c in known if c > 0}), 0, -1):
        rest, codes = values[:-above], values[-above:]
        if len(rest) > 1 and codes[0] - rest[-1] > _far(rest, ordinal):
            return [*found, *(float(v) for v in codes)]
    return found


def _leading(values: np.ndarray, codes: set[int]) -> int:
    """How many of the first values are codes."""
    return next((i for i, v in enumerate(values[: len(codes) + 1]) if v not in codes), min(len(values), len(codes) + 1))


def _far(values: np.ndarray, ordinal: bool) -> float:
    """A gap beside sorted numbers that is larger is no accident; a few levels leave wide gaps among themselves."""
    return float(max((1 if ordinal else 0.5) * (values[-1] - values[0]), 1))


def _category_findings(table: AuditTable, column: str, series: pd.Series) -> Iterator[Finding]:
    counts = np.bincount(series.cat.codes[series.cat.codes >= 0], minlength=len(series.cat.categories))
    present = {str(name): int(n) for name, n in zip(series.cat.categories, counts, strict=True) if n}
    if len(present) == 1:
        yield _constant(table, column, next(iter(present)))
        return
    for name, n in suspicious_codes(table, column).items():
        yield _code(table, column, name, n)
    least = table.schema.min_group_size
    tiny = {name: n for name, n in present.items() if n < least}
    if tiny and len(table) >= 5 * least:
        shown = ", ".join(f"{name!r} {n}" for name, n in list(tiny.items())[:5]) + (", …" if len(tiny) > 5 else "")
        yield Finding(
            "tiny_categories",
            "info",
            table.name,
            column,
            f"{len(tiny)} of {len(present)} categories have fewer than {least} rows: {shown}.",
            "As groups they are listed as not measurable; join them with others if that makes sense.",
        )
    if len(present) > MANY_CATEGORIES:
        yield Finding(
            "many_categories",
            "info",
            table.name,
            column,
            f"The column has {len(present):,} categories.",
            "Charts show the largest ones; join rare ones, or choose the type text to leave it out.",
        )


def _constant(table: AuditTable, column: str, value: str) -> Finding:
    return Finding(
        "constant_column",
        "info",
        table.name,
        column,
        f"Every value is {value[:60]!r}.",
        "Nothing to do: a constant can differ between tables, but not within one.",
    )


def _code(table: AuditTable, column: str, value: str, n: int) -> Finding:
    return Finding(
        "suspicious_code",
        "warning",
        table.name,
        column,
        f"The value {value!r} ({n:,} rows) may stand for 'no answer'.",
        "If it does, read it as missing: a remedy at one click on the Data page, or a repair (read_as_missing) of a settings file.",
    )


def frame_findings(reference: AuditTable, targets: Sequence[AuditTable], skip: set[tuple[str, str]]) -> Iterator[Finding]:
    """What changed from the reference to each target: nothing at all, categories and shares of missing values; ``skip`` holds (table, column)."""
    for target in targets:
        if len(target) and target.fingerprint == reference.fingerprint:
            yield Finding(
                "same_rows",
                "warning",
                target.name,
                "",
                f"The table holds the same rows as {reference.name}, so nothing can differ between the two.",
                "Choose the right file if that is not meant. Groups inside each table can be compared as ever.",
            )
            continue
        for column in reference.columns:
            if column not in target.data.columns or (target.name, column) in skip:
                continue
            a, b = reference.data[column], target.data[column]
            before, after = float(a.isna().mean()), float(b.isna().mean())
            if abs(after - before) >= MISSING_SHIFT:
                yield Finding(
                    "missing_share_changed",
                    "warning",
                    target.name,
                    column,
                    f"The share of missing values is {after:.1%}; in {reference.name} it is {before:.1%}.",
                    "Find out why: the comparison sees only the values that are there.",
                )
            if isinstance(a.dtype, pd.CategoricalDtype) and not (a.isna().all() or b.isna().all()):
                yield from _category_changes(reference, target, column)


def _category_changes(reference: AuditTable, target: AuditTable, column: str) -> Iterator[Finding]:
    a, b = (t.data[column].value_counts(sort=False) for t in (reference, target))
    for code, here, there, where in (("new_categories", b, a, reference.name), ("vanished_categories", a, b, target.name)):
        only = [(str(name), int(n)) for name, n in here.items() if n and not there.get(name, 0)]
        if only:
            shown = ", ".join(f"{name[:40]!r} ({n:,} rows)" for name, n in only[:8]) + (
                f", … ({len(only)} in all)" if len(only) > 8 else ""
            )
            other = target.name if code == "new_categories" else reference.name
            yield Finding(
                code,
                "warning",
                target.name,
                column,
                f"Categories of {other} that {where} does not have: {shown}.",
                "They are compared as they are; if it is another spelling, make the names alike in the files.",
            )
