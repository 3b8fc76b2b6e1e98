"""Generated tables and files of every shape: an answer or a sentence, never anything else, and no number where there is no value."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fairaudit
from fairaudit.contrast import CONTRAST_KINDS
from fairaudit.errors import FairAuditError
from fairaudit.validation import check_frames

NAMES = (
    "age",
    "sex",
    "gender ",
    " sex",
    "score",
    "prediction",
    "label",
    "hired",
    "id",
    "",
    "a",
    "A",
    "a b",
    "x" * 300,
    "<script>alert(1)</script>",
    "<b>bold</b>",
    "=1+1",
    "@cmd",
    "+x",
    "-x",
    "🙂 ünï",
    "{x}%s$y$",
    "a\nb",
    "a,b;c",
    '"quoted"',
    "\u202eright to left",
    "group",
    "frame",
    "attribute",
    "value",
)
WORDS = (
    "yes",
    "no",
    "F",
    "M",
    "NA",
    "None",
    "null",
    "unknown",
    "",
    "  ",
    "=1+1",
    "<i>x</i>",
    "🙂",
    "99",
    "1",
    "1.0",
    "é",
    "inf",
    "nan",
)


def _numbers(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = rng.integers(0, 9)
    if kind == 0:
        return rng.normal(0, 10.0 ** rng.integers(-300, 300), n)
    if kind == 1:
        return np.full(n, rng.choice([0.0, 1.0, -3.5, 1e308, 5e-324]))
    if kind == 2:
        return np.where(rng.random(n) < 0.9, 0.0, rng.exponential(1, n))
    if kind == 3:
        return rng.choice([1e308, -1e308, 0.0, 1.0], n)
    if kind == 4:
        return rng.choice([0, 1], n).astype(float)
    if kind == 5:
        return np.arange(n, dtype=float)
    if kind == 6:
        return np.where(rng.random(n) < 0.3, rng.choice([np.inf, -np.inf], n), rng.normal(0, 1, n))
    if kind == 7:
        return rng.integers(0, 5, n).astype(float)
    return rng.normal(1e15, 1, n)


def _column(rng: np.random.Generator, n: int) -> Any:
    """One column of any dtype, with any pattern of missing values."""
    kind = rng.integers(0, 18)
    missing = rng.random(n) < rng.choice([0.0, 0.0, 0.05, 0.5, 0.95, 1.0])
    numbers = _numbers(rng, n)
    words = rng.choice(rng.choice(WORDS, rng.integers(1, 6)), n)
    if kind <= 3:
        return np.where(missing, np.nan, numbers)
    if kind <= 7:
        return pd.Series(np.where(missing, None, words), dtype=object)
    if kind == 8:
        return pd.Series(np.where(missing, None, words), dtype="category")
    if kind == 9:
        return pd.array([None if m else bool(v) for m, v in zip(missing, rng.integers(0, 2, n), strict=True)], dtype="boolean")
    if kind == 10:
        return pd.array([None if m else int(v) for m, v in zip(missing, rng.integers(-3, 4, n), strict=True)], dtype="Int64")
    if kind == 11:
        return pd.to_datetime(pd.Series(rng.integers(0, 10**9, n)), unit="s").where(~pd.Series(missing))
    if kind == 12:
        return [None if m else decimal.Decimal(int(v)) / 7 for m, v in zip(missing, rng.integers(-99, 99, n), strict=True)]
    if kind == 13:
        return pd.cut(pd.Series(rng.normal(0, 1, n)), [-1, 0, 1])
    if kind == 14:
        return [None if m else f"{v}-{rng.integers(0, 10**9)}" for m, v in zip(missing, words, strict=True)]
    if kind == 15:
        mixed = [1, "a", 2.5, None, True, datetime.date(2020, 1, 1), (1, 2), b"x", 10**30]
        return pd.Series([mixed[i] for i in rng.integers(0, len(mixed), n)], dtype=object)
    if kind == 16:
        return pd.Series(np.where(missing, None, words), dtype="string[pyarrow]")
    return pd.Series(rng.integers(0, 2**62, n))


def table_pair(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A reference and a target that mostly have the same columns."""
    rng = np.random.default_rng(seed)
    names = [str(n) for n in rng.choice(NAMES, rng.integers(1, 6))]
    state = int(rng.integers(0, 2**31))
    sizes = [int(rng.choice([1, 2, 3, 9, 10, 11, 40, 120])) for _ in range(2)]
    tables = []
    for side, n in enumerate(sizes):
        # columns of the two sides are of one kind, until the generator is told to differ
        own = np.random.default_rng(state + (side if rng.random() < 0.2 else 0))
        columns = [pd.Series(_column(own, n)) for _ in names]
        frame = pd.concat(columns, axis=1)
        frame.columns = names
        tables.append(frame)
    if rng.random() < 0.2 and len(names) > 1:
        tables[1] = tables[1].iloc[:, rng.permutation(len(names))[: rng.integers(1, len(names) + 1)]]
    return tables[0], tables[1]


def schema_of(rng: np.random.Generator, frame: pd.DataFrame) -> dict[str, Any] | None:
    """Roles at random, or none at all."""
    if rng.random() < 0.4:
        return None
    names = [" ".join(c.split()) for c in frame.columns]
    schema: dict[str, Any] = {"sensitive_features": [str(rng.choice(names))], "min_group_size": int(rng.choice([1, 10]))}
    for role in ("label", "prediction", "score"):
        if rng.random() < 0.5:
            schema[role] = str(rng.choice(names))
    if rng.random() < 0.3:
        schema["decision_threshold"] = float(rng.choice([0.0, 0.5, 1e308]))
    if rng.random() < 0.3:
        schema["missing_groups"] = "leave_out"
    return schema


def assert_no_number_without_values(result: fairaudit.AuditResult) -> None:
    """An attribute with no valid value on a side is not measurable; a verdict always has a number behind it."""
    rows = result.attributes()
    for row in rows.itertuples():
        if row.n_target == 0 or row.n_reference == 0:
            assert np.isnan(row.score) and row.verdict == "not_measurable" and row.note
            assert np.isnan(row.p_value) and np.isnan(row.p_adjusted)
        if row.verdict == "not_measurable":
            assert row.note, row
        elif np.isnan(row.score):
            # two identical constants differ in nothing, though no test has a p-value for them
            assert "dentical" in row.note and row.verdict == "no_evidence" and not row.paper_flag
        else:
            assert np.isfinite(row.score), row
    bins = result.bins()
    empty = (bins["n_target"] == 0) | (bins["n_reference"] == 0)
    assert bins.loc[empty, "score"].isna().all()
    assert (bins.loc[bins["score"].isna(), "note"] != "").all()
    overall = result.overall()
    assert (overall.loc[overall["verdict"] == "not_measurable", "note"] != "").all()


def check_seed(seed: int) -> int:
    """All contrasts and a few functions over one generated pair of tables; the number of results."""
    reference, target = table_pair(seed)
    rng = np.random.default_rng([seed, 1])
    schema = schema_of(rng, reference)
    before = reference.copy(deep=True)
    try:
        frames = check_frames(reference, target, schema)
    except FairAuditError as error:
        assert error.problem and error.remedy
        return 0
    results = 0
    for contrast in CONTRAST_KINDS:
        settings_ = {
            "comparison": str(rng.choice(fairaudit.COMPARISONS.names())),
            "aggregation": str(rng.choice(fairaudit.AGGREGATIONS.names())),
            "binning": str(rng.choice(fairaudit.BINNINGS.names())),
            "bins": int(rng.choice([1, 2, 5, 500])),
            "resamples": int(rng.choice([0, 19])),
            "shuffle": bool(rng.random() < 0.2),
        }
        try:
            result = fairaudit.audit(frames.reference, list(frames.targets), contrast=contrast, **settings_)
            assert_no_number_without_values(result)
            results += 1
        except FairAuditError as error:
            assert error.problem and error.remedy, (contrast, settings_)
        try:
            found = fairaudit.baselines(
                frames.reference, list(frames.targets), metrics=fairaudit.BASELINES.names(), contrast=contrast, resamples=20
            ).to_frame()
            lost = found[found["verdict"] == "not_measurable"]
            assert (lost["note"] != "").all()
            assert found.loc[found["verdict"] != "not_measurable", "value"].notna().all()
            results += 1
        except FairAuditError as error:
            assert error.problem and error.remedy, contrast
    pd.testing.assert_frame_equal(reference, before)
    return results


@given(st.integers(0, 2**31))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_tables_are_audited_or_refused_with_a_sentence(seed: int) -> None:
    check_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_tables_are_audited_or_refused_with_a_sentence(block: int) -> None:
    assert sum(check_seed(seed) for seed in range(block * 200, (block + 1) * 200)) > 100


CELLS = (
    b"1",
    b"1,5",
    b"1.5",
    b"-3",
    b"yes",
    b"",
    b" ",
    b"NA",
    b'"',
    b'""',
    b'"a;b"',
    b'"a\nb"',
    b"\xe9",
    "\u00fc".encode(),
    b"=1+1",
    b"\0",
    b"1e400",
)
MARKS = (b",", b";", b"\t", b"|", b" ", b":", b"^")
ENDS = (b"\n", b"\r\n", b"\r", b"\n\n")
STARTS = (
    b"",
    b"",
    b"",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"sep=;\n",
    b"PAR1",
    b"PK\x03\x04",
    b"\x89PNG\r\n\x1a\n",
    b"\n\n",
    b"\0",
)
CODECS = ("utf-8", "utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp437", "shift_jis")


def csv_bytes(rng: np.random.Generator) -> bytes:
    """A file that is almost, or not at all, a CSV."""
    mark, end = MARKS[rng.integers(len(MARKS))], ENDS[rng.integers(len(ENDS))]
    width, height = int(rng.integers(1, 6)), int(rng.integers(0, 12))
    cells = CELLS[:8] if rng.random() < 0.6 else CELLS
    rows = [[cells[i] for i in rng.integers(0, len(cells), width)] for _ in range(height)]
    if rng.random() < 0.7:
        rows.insert(0, [name.encode("utf-8", "replace") for name in rng.choice(NAMES, width)])
    if rng.random() < 0.2 and rows:
        rows[int(rng.integers(len(rows)))].append(b"more")
    content = end.join(mark.join(row) for row in rows) + (end if rng.random() < 0.7 else b"")
    if rng.random() < 0.3:
        content = content.decode("utf-8", "replace").encode(CODECS[rng.integers(len(CODECS))], "replace")
    content = (STARTS[rng.integers(len(STARTS))] if rng.random() < 0.5 else b"") + content
    damage = rng.random()
    if damage < 0.15:
        content = content[: rng.integers(0, len(content) + 1)]
    elif damage < 0.3 and content:
        changed = bytearray(content)
        for place in rng.integers(0, len(content), 3):
            changed[place] = rng.integers(0, 256)
        content = bytes(changed)
    return content


def check_file(seed: int) -> bool:
    """A generated file is read, checked and audited against itself, or refused with a sentence; whether it was read."""
    content = csv_bytes(np.random.default_rng([seed, 2]))
    try:
        table = fairaudit.read_table(content, name="file", max_bytes=1_000_000)
    except FairAuditError as error:
        assert error.problem and error.remedy, content
        return False
    assert table.data.shape == (table.decision.rows, table.decision.columns), content
    assert table.decision.rows > 0 and table.data.columns.is_unique and all(table.data.columns), content
    try:
        result = fairaudit.audit(table, table, bins=2, resamples=0)
    except FairAuditError as error:
        assert error.problem and error.remedy, content
    else:
        assert_no_number_without_values(result)
        assert not (result.attributes()["verdict"] == "disparity").any(), content
    return True


def test_any_file_is_read_or_refused_with_a_sentence() -> None:
    read = [check_file(seed) for seed in range(300)]
    assert 0 < sum(read) < len(read)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_thousands_of_files_are_read_or_refused_with_a_sentence(block: int) -> None:
    read = [check_file(seed) for seed in range(1000 + 600 * block, 1000 + 600 * (block + 1))]
    assert 0 < sum(read) < len(read)
