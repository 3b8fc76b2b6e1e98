"""Numbers that were worked out independently of this code: label and malicious selection bias on the Student data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairaudit.injection import inject
from fairaudit.injection.presets import preset


@pytest.fixture(scope="module")
def student(real_data: Path) -> pd.DataFrame:
    return pd.read_csv(real_data / "student-por.csv", sep=";")


def parity(table: pd.DataFrame) -> float:
    """Pass rate of the boys minus that of the girls."""
    passed, boys = table["G3"] >= 10, table["sex"] == "M"
    return float(passed[boys].mean() - passed[~boys].mean())


@pytest.mark.parametrize(
    ("strength", "spd", "down", "up"), [(0.1, -0.2220, 102, 4), (0.5, -0.6393, 211, 2), (0.9, -0.7746, 247, 2)]
)
def test_label_bias(student: pd.DataFrame, strength: float, spd: float, down: int, up: int) -> None:
    step = {"kind": "label", "strength": strength, "group": {"sex": "M"}, "score": "G3", "threshold": 10, "noise": 0.1}
    table = inject(student, [step], seed=4224).table
    before, after = student["G3"] >= 10, table["G3"] >= 10
    assert round(parity(table), 4) == spd
    assert int((before & ~after).sum()) == down
    assert int((~before & after).sum()) == up


def test_noise_lowers_the_base_rate_of_the_others_too(student: pd.DataFrame) -> None:
    step = {"kind": "label", "strength": 0.1, "group": {"sex": "M"}, "score": "G3", "threshold": 10, "noise": 0.1}
    girls = student["sex"] == "F"
    assert round((student["G3"][girls] >= 10).mean(), 3) == 0.869
    assert round((inject(student, [step], seed=4224).table["G3"][girls] >= 10).mean(), 3) == 0.786


def test_student_preset_is_the_middle_anchor(student: pd.DataFrame) -> None:
    assert round(parity(inject(student, preset("student_label").injections).table), 4) == -0.6393


@pytest.mark.parametrize(("strength", "rows", "spd"), [(0.1, 624, -0.083), (0.5, 524, -0.230), (0.9, 424, -0.579)])
@pytest.mark.parametrize("seed", [0, 4224])
def test_malicious_selection(student: pd.DataFrame, strength: float, rows: int, spd: float, seed: int) -> None:
    # Both numbers follow from the counts alone, so every seed gives them.
    step = {"kind": "malicious_selection", "strength": strength, "group": {"sex": "M"}, "score": "G3", "threshold": 10}
    table = inject(student, [step], seed=seed).table
    assert len(table) == rows
    assert round(parity(table), 3) == spd


@pytest.mark.parametrize("kind", ["random_selection", "self_selection", "uniform_undersampling"])
def test_steps_are_fixed_from_the_start(student: pd.DataFrame, kind: str) -> None:
    # 266 boys: 26 rows a level, so 6 boys are left at strength 1.
    step = {"kind": kind, "group": {"sex": "M"}} | ({"score": "G3"} if kind == "self_selection" else {})
    left = [len(inject(student, [{**step, "strength": level / 10}]).table) for level in range(11)]
    assert left == [649 - 26 * level for level in range(11)]


def test_self_selection_takes_low_scores_first(student: pd.DataFrame) -> None:
    step = {"kind": "self_selection", "strength": 0.3, "group": {"sex": "M"}, "score": "G3"}
    boys = student[student["sex"] == "M"]
    gone = [
        boys["G3"].sum() - t["G3"][t["sex"] == "M"].sum()
        for s in range(20)
        if (t := inject(student, [step], seed=s).table) is not None
    ]
    assert np.mean(gone) / 78 < boys["G3"].mean() - 1
