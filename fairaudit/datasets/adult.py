"""UCI Adult (1994 census, income above 50,000 dollars or not): the shipped copies and the four days of the QMAD paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.datasets.base import Dataset, read_sample
from fairaudit.errors import ReadingError
from fairaudit.injection import inject
from fairaudit.schema import Schema

RAW_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)
ADULT_COLUMNS = tuple(c for c in RAW_COLUMNS if c not in {"relationship", "capital_gain", "capital_loss", "native_country"})
"""Columns of the shipped copies: those of the paper's Table 6, and the occupation."""

LICENCE = "CC BY 4.0"
CITATION = "Becker, B. and Kohavi, R. (1996). Adult [Dataset]. UCI Machine Learning Repository. https://doi.org/10.24432/C5XW20."
SOURCE = "UCI Machine Learning Repository, data set 2, files adult.data and adult.test."

EDUCATION_LEVELS = (
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
)
ATTENDED_COLLEGE = ("Some-college", "Bachelors", "Masters", "Prof-school", "Doctorate")
"""The reading of "attended college" that fits the paper's scores (47.2 % of the training file); associate degrees are not in it."""
MARRIED = ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent")

_TYPES: dict[str, str] = {
    "age": "numeric",
    "workclass": "nominal",
    "fnlwgt": "numeric",
    "education_num": "numeric",
    "race": "nominal",
    "sex": "binary",
    "hours_per_week": "numeric",
    "income": "binary",
}
_ROLES: dict[str, Any] = {
    "label": "income",
    "pos_label": ">50K",
    "sensitive_features": ("sex", "race"),
    "reference_groups": {"sex": "Male", "race": "White"},
}
ADULT_SCHEMA = Schema.from_any(
    {
        **_ROLES,
        "types": {**_TYPES, "education": "ordinal", "marital_status": "nominal", "occupation": "nominal"},
        "levels": {"education": EDUCATION_LEVELS},
    }
)
ADULT_DAYS_SCHEMA = Schema.from_any(
    {
        **_ROLES,
        "prediction": "predicted_income",
        "types": {**_TYPES, "attended_college": "binary", "married": "binary", "predicted_income": "binary"},
    }
)

TRAINING_ROWS, TEST_ROWS = 32_561, 16_281
DAY_ROWS = 20_000
SEED = 3
"""A typical one: over 15 seeds the disparate impact of day 3 has the median 1.52 and lies between 1.33 and 1.59 in nine of ten, since the tree
depends on the 80 % it learns from; this seed gives 1.51, the paper prints 1.45."""

_COLLEGE_BY_SEX: tuple[dict[str, Any], ...] = (
    {"kind": "set_value", "group": {"sex": "Female"}, "column": "attended_college", "value": "no", "strength": 1.0},
    {"kind": "set_value", "group": {"sex": "Male"}, "column": "attended_college", "value": "yes", "strength": 1.0},
)
_MARRIED_BY_SEX: tuple[dict[str, Any], ...] = (
    {"kind": "set_value", "group": {"sex": "Female"}, "column": "married", "value": "yes", "strength": 1.0},
    {"kind": "set_value", "group": {"sex": "Male"}, "column": "married", "value": "no", "strength": 1.0},
)
ADULT_DAY_BIASES: Mapping[str, tuple[dict[str, Any], ...]] = {
    "day2": _COLLEGE_BY_SEX,
    "day3": (*_COLLEGE_BY_SEX, *_MARRIED_BY_SEX),
}
"""The biases of paper section 5.3.2 as descriptions for ``fairaudit.inject``."""


def adult_reference() -> pd.DataFrame:
    """The UCI training file: 32,561 rows, columns ``ADULT_COLUMNS``; unknown values are missing."""
    return read_sample("adult_train.csv")


def adult_test() -> pd.DataFrame:
    """The UCI test file: 16,281 rows, the same columns."""
    return read_sample("adult_test.csv")


def adult_dataset() -> Dataset:
    """The training file as a Dataset."""
    return Dataset(
        name="Adult income (UCI)",
        data=adult_reference(),
        schema=ADULT_SCHEMA,
        source=SOURCE,
        licence=LICENCE,
        citation=CITATION,
        notes="All 32,561 rows in file order; eleven of the fifteen columns; '?' is written as an empty cell.",
    )


def read_adult_raw(path: str | Path) -> pd.DataFrame:
    """A raw UCI file (``adult.data`` or ``adult.test``) in the form in which it ships here.

    Spaces around values and the full stop behind the label of the test file are dropped, ``?`` becomes missing, four columns that neither
    paper uses are left out. All rows stay, in file order.

    Raises
    ------
    ReadingError
        If the file has not the number of rows of one of the two.
    """
    names = list(RAW_COLUMNS)
    table = pd.read_csv(path, header=None, names=names, skipinitialspace=True, na_values="?", keep_default_na=False, comment="|")
    if len(table) not in {TRAINING_ROWS, TEST_ROWS}:
        raise ReadingError(
            f"{path} has {len(table):,} rows; the UCI files have {TRAINING_ROWS:,} and {TEST_ROWS:,}.",
            "Use the files adult.data and adult.test as they are published.",
        )
    table["income"] = table["income"].str.rstrip(".")
    return table[list(ADULT_COLUMNS)]


def as_in_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Adult with the paper's two binary features ``attended_college`` and ``married`` ("no", "yes"), and without the occupation."""
    binary = pd.DataFrame(
        {
            "attended_college": np.where(table["education"].isin(ATTENDED_COLLEGE), "yes", "no"),
            "married": np.where(table["marital_status"].isin(MARRIED), "yes", "no"),
        },
        index=table.index,
    )
    order = [
        "age",
        "workclass",
        "fnlwgt",
        "attended_college",
        "education_num",
        "married",
        "race",
        "sex",
        "hours_per_week",
        "income",
    ]
    return pd.concat([table, binary], axis=1)[order]


def adult_days(seed: int = SEED, *, probability: bool = False) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Reference and four days of paper section 5.3, with the predictions of its decision tree.

    Each day is a draw of 20,000 rows of the training file without replacement. Day 2 records all women as without and all men as with
    college; day 3 also all women as married and all men as unmarried; days 1 and 4 stay as drawn. The tree (depth 10 at most, 50 rows
    in each leaf at least) learns the income from 80 % of the training file, drawn at random, with the eight features that the paper's
    Table 6 lists beside the sampling weight ``fnlwgt``; text is coded by the alphabetical rank of its value, a missing value as -1. It
    predicts the reference and, after the biases were planted, the days.

    Parameters
    ----------
    seed : int
    probability : bool
        Add a column ``predicted_probability``: the share of incomes above 50,000 dollars in the leaf of the tree.

    Returns
    -------
    reference : DataFrame
        All 32,561 rows.
    days : dict of str to DataFrame
        ``day1`` to ``day4``.
    """
    table = as_in_paper(adult_reference())
    split, bias, *draws = np.random.SeedSequence(seed).spawn(6)
    predict = _tree(table, np.random.default_rng(split), probability)
    days = {}
    for number, draw in enumerate(draws, start=1):
        name = f"day{number}"
        rows = np.random.default_rng(draw).choice(len(table), DAY_ROWS, replace=False)
        day = table.iloc[rows].reset_index(drop=True)
        if name in ADULT_DAY_BIASES:
            day = inject(day, ADULT_DAY_BIASES[name], seed=int(bias.generate_state(1)[0])).table
        days[name] = predict(day)
    return predict(table), days


def adult_model(seed: int = SEED) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The decision tree of ``adult_days`` with the same seed: adds the column ``predicted_income`` to a table with the days' columns."""
    split = np.random.SeedSequence(seed).spawn(1)[0]
    model: Callable[[pd.DataFrame], pd.DataFrame] = _tree(
        as_in_paper(adult_reference()), np.random.default_rng(split), probability=False
    )
    return model


def _tree(table: pd.DataFrame, rng: np.random.Generator, probability: bool) -> Any:
    """Train the paper's classifier; the result adds the column ``predicted_income`` (and the probability) to a table."""
    from sklearn.tree import DecisionTreeClassifier

    features = [c for c in table.columns if c not in {"fnlwgt", "income"}]
    values = {c: sorted(table[c].dropna().unique()) for c in features if not pd.api.types.is_numeric_dtype(table[c])}

    def encode(rows: pd.DataFrame) -> np.ndarray:
        columns = [pd.Categorical(rows[c], values[c]).codes if c in values else rows[c].to_numpy() for c in features]
        return np.column_stack(columns).astype(float)

    chosen = rng.choice(len(table), round(0.8 * len(table)), replace=False)
    train = table.iloc[chosen]
    tree = DecisionTreeClassifier(max_depth=10, min_samples_leaf=50, random_state=0).fit(
        encode(train), train["income"].to_numpy(str)
    )

    def predict(rows: pd.DataFrame) -> pd.DataFrame:
        codes = encode(rows)
        predicted = rows.assign(predicted_income=tree.predict(codes))
        if probability:
            predicted["predicted_probability"] = tree.predict_proba(codes)[:, list(tree.classes_).index(">50K")]
        return predicted

    return predict
