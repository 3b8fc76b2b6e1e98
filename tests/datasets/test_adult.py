"""UCI Adult: the shipped copies and the paper's four days."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairaudit.datasets import ADULT_DAYS_SCHEMA, adult_days, adult_reference, adult_test
from fairaudit.datasets.adult import RAW_COLUMNS, read_adult_raw
from fairaudit.errors import ReadingError

BINS = 20
Days = tuple[pd.DataFrame, dict[str, pd.DataFrame]]


@pytest.fixture(scope="module")
def built() -> Days:
    return adult_days()


def rate(table: pd.DataFrame, column: str, value: str = "yes") -> float:
    return float((table[column] == value).mean())


def rom(reference: pd.DataFrame, day: pd.DataFrame, column: str) -> float:
    a, b = (np.array_split((t[column] == "yes").to_numpy(float), BINS) for t in (day, reference))
    return float(np.mean([abs(1 - x.mean() / y.mean()) for x, y in zip(a, b, strict=True)]))


def test_copies_hold_all_rows() -> None:
    train, test = adult_reference(), adult_test()
    assert (len(train), len(test)) == (32_561, 16_281)
    assert list(train.columns) == list(test.columns)
    # Facts of the documentation that comes with the raw files: unknown values, share of the favourable label over both files.
    assert train["workclass"].isna().sum() == 1_836
    assert set(train["income"]) == set(test["income"]) == {"<=50K", ">50K"}
    assert rate(pd.concat([train, test]), "income", ">50K") == pytest.approx(0.2393, abs=5e-5)
    assert not train.isin(["?"]).any(axis=None)
    text = train.select_dtypes("str")
    assert all((text[c].dropna() == text[c].dropna().str.strip()).all() for c in text)


def test_raw_file_is_cleaned_and_counted(tmp_path: Path) -> None:
    row = "25, Private, 226802, 11th, 7, Never-married, ?, Own-child, Black, Male, 0, 0, 40, United-States, <=50K."
    assert len(row.split(",")) == len(RAW_COLUMNS)
    whole, cut = tmp_path / "adult.test", tmp_path / "cut.test"
    whole.write_text("|1x3 Cross validator\n" + f"{row}\n" * 16_281 + "\n")
    table = read_adult_raw(whole)
    assert table.iloc[0]["income"] == "<=50K"
    assert table["workclass"].eq("Private").all()
    assert table["occupation"].isna().all()
    cut.write_text(f"{row}\n" * 10)
    with pytest.raises(ReadingError, match="10 rows"):
        read_adult_raw(cut)


def test_shares_behind_the_papers_codes(built: Days) -> None:
    reference, _ = built
    assert rate(reference, "attended_college") == pytest.approx(0.472, abs=5e-4)
    assert rate(reference, "married") == pytest.approx(0.473, abs=5e-4)
    assert rate(reference, "predicted_income", ">50K") == pytest.approx(0.19, abs=0.02)


def test_days_are_as_in_the_paper(built: Days) -> None:
    reference, days = built
    assert list(days) == ["day1", "day2", "day3", "day4"]
    for day in days.values():
        assert len(day) == 20_000
        assert list(day.columns) == list(reference.columns)
    for name in ("day2", "day3"):
        women = days[name]["sex"] == "Female"
        assert (days[name]["attended_college"] == np.where(women, "no", "yes")).all()
    women = days["day3"]["sex"] == "Female"
    assert (days["day3"]["married"] == np.where(women, "yes", "no")).all()
    for name in ("day1", "day4"):
        assert rom(reference, days[name], "attended_college") < 0.06
        assert rom(reference, days[name], "married") < 0.06
    assert rom(reference, days["day2"], "attended_college") == pytest.approx(0.42, abs=0.02)
    assert rom(reference, days["day2"], "married") < 0.06
    assert rom(reference, days["day3"], "attended_college") == pytest.approx(0.42, abs=0.02)
    assert rom(reference, days["day3"], "married") == pytest.approx(0.30, abs=0.02)


def test_selection_rates_move_as_in_table_9(built: Days) -> None:
    """Orientation of the paper: reference minus target, reference over target."""
    reference, days = built
    base = rate(reference, "predicted_income", ">50K")
    spd = {name: base - rate(day, "predicted_income", ">50K") for name, day in days.items()}
    ratio = {name: base / rate(day, "predicted_income", ">50K") for name, day in days.items()}
    assert spd["day3"] == pytest.approx(0.06, abs=0.02)
    assert ratio["day3"] == pytest.approx(1.45, abs=0.15)
    for name in ("day1", "day2", "day4"):
        assert spd[name] == pytest.approx(0, abs=0.01)
        assert ratio[name] == pytest.approx(1, abs=0.05)


def test_tree_is_the_papers(built: Days) -> None:
    """It learns the income: better than always saying no, from columns that the reference has too."""
    reference, _ = built
    accuracy = float((reference["predicted_income"] == reference["income"]).mean())
    assert 0.80 < accuracy < 0.87
    assert ADULT_DAYS_SCHEMA.prediction == "predicted_income"


def test_seed_decides_everything(built: Days) -> None:
    _, again = adult_days()
    for name, day in built[1].items():
        pd.testing.assert_frame_equal(day, again[name])
    assert not adult_days(seed=8)[1]["day1"].equals(again["day1"])
