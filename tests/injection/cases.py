"""One table with every kind of column, and requests of every kind that it can meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

WOMEN = {"sex": "F"}
INTERSECTION = {"sex": ["F", "X"], "age": {"min": 30}}


def mixed_table(n: int = 405, seed: int = 7) -> pd.DataFrame:
    """Text, categories, whole and broken numbers, truth values, missing values; index labels that repeat."""
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 20, n)
    table = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M", "X"], n, p=[0.45, 0.45, 0.1]),
            "age": rng.integers(18, 70, n),
            "city": pd.Categorical(rng.choice(["A", "B", "C"], n, p=[0.6, 0.3, 0.1]), categories=["A", "B", "C"]),
            "income": rng.normal(50, 10, n).round(2),
            "children": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "member": rng.random(n) < 0.5,
            "grade": score,
            "passed": np.where(score >= 10, "yes", "no"),
        }
    )
    table.loc[rng.random(n) < 0.1, "income"] = np.nan
    table.loc[rng.random(n) < 0.1, "children"] = pd.NA
    table.loc[rng.random(n) < 0.1, "city"] = None
    table.loc[3, "income"] = np.inf
    table.index = pd.Index(rng.integers(0, n // 2, n), name="row")
    return table


LABEL = {"label": "passed", "pos_label": "yes"}
SCORE = {"score": "grade", "threshold": 10}

REQUESTS: dict[str, list[dict[str, Any]]] = {
    "label": [
        {"group": WOMEN, **SCORE, "noise": 0.1},
        {"group": WOMEN, **SCORE, **LABEL, "noise": 0.0},
        {"group": INTERSECTION, **LABEL},
        {"group": WOMEN, **LABEL, "noise": 0.2},
        {"group": WOMEN, "score": "income", "threshold": 50, "noise": 0.3, "scale": 5.0},
    ],
    "random_selection": [{"group": WOMEN}, {}],
    "self_selection": [{"group": WOMEN, "score": "grade"}, {"group": INTERSECTION, **LABEL}, {"group": WOMEN, "score": "income"}],
    "malicious_selection": [{"group": WOMEN, **SCORE}, {"group": INTERSECTION, **LABEL}],
    "uniform_undersampling": [{"group": WOMEN}, {}],
    "set_value": [
        {"group": WOMEN, "column": "city", "value": "A"},
        {"group": {}, "column": "age", "value": 40},
        {"group": WOMEN, "column": "children", "value": 2.5},
        {"group": WOMEN, "column": "member", "value": True},
        {"group": WOMEN, "column": "city", "value": "Z", "allow_new": True},
    ],
    "resample_categories": [
        {"group": WOMEN, "column": "city", "distribution": {"A": 0.1, "B": 0.2, "C": 0.7}},
        {"group": INTERSECTION, "column": "passed", "distribution": {"yes": 1.0}},
        {"group": WOMEN, "column": "children", "distribution": {0: 0.5, 3: 0.5}},
    ],
    "scale": [{"group": WOMEN, "column": "income", "factor": 1.3}, {"group": {"sex": "M"}, "column": "children", "factor": 2}],
    "shift": [
        {"group": WOMEN, "column": "age", "amount": 5},
        {"group": WOMEN, "column": "income", "amount": -0.5, "unit": "sd"},
    ],
    "noise": [{"group": WOMEN, "column": "income", "amount": 1.0, "unit": "sd"}, {"column": "children", "amount": 2.0}],
    "missing": [
        {"group": WOMEN, "column": "city"},
        {"group": WOMEN, "column": "income", "depends_on": "high"},
        {"group": INTERSECTION, "column": "age", "depends_on": "low"},
        {"column": "member"},
    ],
}
CASES = [{"kind": kind, **request} for kind, requests in REQUESTS.items() for request in requests]


def case_id(case: dict[str, Any]) -> str:
    """A readable test name."""
    rest = [f"{k}={v}" for k, v in case.items() if k not in ("kind", "group")]
    return "-".join([case["kind"], *rest]).replace(" ", "")
