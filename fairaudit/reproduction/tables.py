"""The tables that are recomputed: what they hold, how many bins are used and why, and their published values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd

from fairaudit.errors import unknown_name

DATA = files("fairaudit") / "data" / "reproduction"
CELL = ["table", "metric", "day", "column"]
"""What names a cell of a table."""

HIRING_BINS, ADULT_BINS = 8, 15
_HIRING_WHY = (
    "The paper prints no number of bins. The noise of a score grows with it, so the scores of the attributes without bias tell it: with 6 to "
    "8 bins 15 of the 16 published ratios of means without a bias lie in the recomputed range, with 5 bins 13, with 12 bins 10."
)
_ADULT_WHY = (
    "The paper prints no number of bins. The noise of a score grows with it, so the scores of the attributes without bias tell it: with 15 "
    "bins all 40 published ratios of means lie in the recomputed range or near it, with 10 bins 16 lie above it, with 20 and more others "
    "fall below it."
)


@dataclass(frozen=True)
class TableSpec:
    """A table of a paper.

    Attributes
    ----------
    name : str
        Its number.
    paper : str
    title : str
        What it holds.
    data : {"hiring", "adult", "both"}
        Data it is made of.
    bins : tuple of (str, int)
        Number of bins by data.
    bins_reason : str
        Why so many.
    compared : str
        Which two sides are compared, and how.
    days : int
    """

    name: str
    paper: str
    title: str
    data: str
    bins: tuple[tuple[str, int], ...]
    bins_reason: str
    compared: str
    days: int


PAPER = "QMAD"
_FRAMES = "Each day against the reference table, bins in row order with equal counts, categories as codes, the paper's uncalibrated rule."
_HIRING = (("hiring", HIRING_BINS),)
_ADULT = (("adult", ADULT_BINS),)

TABLES: dict[str, TableSpec] = {
    spec.name: spec
    for spec in (
        TableSpec("5", PAPER, "Three pairs on the synthetic hiring data", "hiring", _HIRING, _HIRING_WHY, _FRAMES, 3),
        TableSpec("6", PAPER, "Three pairs on Adult income", "adult", _ADULT, _ADULT_WHY, _FRAMES, 4),
        TableSpec(
            "7",
            PAPER,
            "Flags against the planted truth",
            "both",
            (*_HIRING, *_ADULT),
            "As in Tables 5 and 6, from which the flags are taken.",
            "Features only: the predictions follow from them. A flag is p < 0.05; for the ratio of means, for which the paper names no limit, "
            "more than twice the score that the attribute has on any other day without bias.",
            4,
        ),
        TableSpec(
            "8",
            PAPER,
            "Classical metrics beside QMAD on the synthetic hiring data",
            "hiring",
            _HIRING,
            _HIRING_WHY,
            "Reference minus day, reference over day. The paper does not print from which salary a prediction counts as favourable; here it "
            "is the salary that 19 % of the reference reach.",
            3,
        ),
        TableSpec(
            "9",
            PAPER,
            "Classical metrics beside QMAD on Adult income",
            "adult",
            _ADULT,
            _ADULT_WHY,
            "Reference minus day, reference over day, on the predicted income. Consistency as aif360 computes it (5 neighbours, the row among "
            "them), of the recorded income inside each day's table, over the nine features of Table 6 as they are.",
            4,
        ),
        TableSpec(
            "10",
            PAPER,
            "Three other tests on the synthetic hiring data",
            "hiring",
            _HIRING,
            _HIRING_WHY,
            f"{_FRAMES} The aggregate is the harmonic mean over the prediction and all features.",
            3,
        ),
    )
}

ROM, KS, AD = "ROM-Arithmetic", "KSTest-Harmonic", "ADTest-Harmonic"
SPD, DI, EDF = "Statistical Parity Difference", "Disparate Impact", "Empirical Difference Fairness"
CONSISTENCY = "Consistency"
AGGREGATE = "Aggregate Score"
METRIC_LABELS = {
    ROM: "Ratio of means + arithmetic mean",
    KS: "Kolmogorov–Smirnov p + harmonic mean",
    AD: "Anderson–Darling p + harmonic mean",
    "t-test": "t-test p + harmonic mean",
    "Mann-Whitney U": "Mann–Whitney p + harmonic mean",
    "Brunner-Munzel": "Brunner–Munzel p + harmonic mean",
}
"""The paper's names of its pairs and tests, in words; other metrics keep their names."""

P_VALUES = (KS, AD, "t-test", "Mann-Whitney U", "Brunner-Munzel")
"""Metrics whose scores are p-values."""

PLANTED: dict[str, dict[int, tuple[str, ...]]] = {
    "hiring": {2: ("Relevant Exp.", "Job Location", "Education", "Relevant_Exp", "Job_Location")},
    "adult": {2: ("Education",), 3: ("Education", "Marital Status")},
}
"""Features that carry a planted bias, by data and day, under the names of every table."""


def table_spec(name: str) -> TableSpec:
    """A table by its number; UnknownNameError for another name."""
    if str(name) not in TABLES:
        raise unknown_name("table", name, TABLES)
    return TABLES[str(name)]


def rows(frame: pd.DataFrame) -> list[Any]:
    """Rows of a table as named tuples."""
    return list(frame.itertuples())


def planted(table: str, day: int, column: str) -> bool:
    """Whether a feature of a day carries a planted bias."""
    data = TABLES[table].data
    return column in PLANTED.get(data, {}).get(day, ())


def is_feature(column: str) -> bool:
    """Whether a column of a published table is a feature, and not a prediction or an aggregate."""
    return not any(word in column for word in ("Prediction", "Score", "Salary", "Income"))


@cache
def published(table: str) -> pd.DataFrame:
    """Published values of a table: metric, day, column, published.

    Table 7 has no numbers of its own; see ``flags``.
    """
    spec = table_spec(table)
    source = "synthetic" if spec.data == "hiring" else spec.data
    if table in ("5", "6"):
        frame = _of("qmad_tables_5_6.csv", source).rename(columns={"pair": "metric"})
    elif table in ("8", "9"):
        frame = _of("qmad_tables_8_9.csv", source)
        metric = frame["metric"].str.replace("QMAD_", "").str.replace("–", "-")
        qmad = frame["metric"].str.startswith("QMAD")
        frame = frame.assign(metric=metric, column="Prediction").assign(
            column=lambda f: f["column"].mask(qmad, AGGREGATE).mask(f["metric"] == CONSISTENCY, "All rows")
        )
        frame["order"] = frame.groupby("metric", sort=False).ngroup()
        frame = frame.sort_values(["order", "day"], kind="stable")
    elif table == "10":
        frame = _read("qmad_table_10.csv").rename(columns={"comparison": "metric"})
    else:
        return pd.DataFrame(columns=["metric", "day", "column", "published"])
    return frame.rename(columns={"value": "published"})[["metric", "day", "column", "published"]].reset_index(drop=True)


def published_ticks() -> pd.DataFrame:
    """The rows of Table 7: attribute, day, planted, flagged."""
    return _read("qmad_table_7.csv")


def digits(table: str) -> int:
    """Decimal places that the paper prints."""
    return 5 if table == "10" else 4


def _of(name: str, source: str) -> pd.DataFrame:
    frame = _read(name)
    return frame.loc[frame["dataset"] == source]


@cache
def _read(name: str) -> pd.DataFrame:
    with (DATA / name).open("rb") as stream:
        return pd.read_csv(stream)
