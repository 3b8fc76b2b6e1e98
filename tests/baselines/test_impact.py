"""Impact ratios by category and intersection."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairaudit.baselines import above_median, count_table, impact_ratios, wilson
from fairaudit.errors import SettingsError

SEX = np.repeat(["f", "m"], [60, 40])
RACE = np.tile(["x", "x", "y", "z"], 25)
SELECTED = np.r_[np.arange(60) % 3 == 0, np.arange(40) % 2 == 0]


def test_by_hand() -> None:
    frame = impact_ratios(count_table((SEX, RACE), y_pred=SELECTED), ("sex", "race")).to_frame()
    assert frame["partition"].unique().tolist() == ["sex", "race", "sex & race"]
    sex = frame[frame["partition"] == "sex"].set_index("category")
    assert sex.loc["f", ["n", "n_selected"]].tolist() == [60, 20]
    assert_allclose(sex["rate"], [20 / 60, 0.5])
    assert_allclose(sex["impact_ratio"], [2 / 3, 1.0])
    assert sex["below_four_fifths"].tolist() == [True, False]
    assert "best-off" in sex.loc["m", "note"]
    assert_allclose(sex.loc["f", ["low", "high"]].astype(float), wilson(20, 60))
    assert sex.loc["f", "ratio_low"] < 2 / 3 < sex.loc["f", "ratio_high"]
    both = frame[frame["partition"] == "sex & race"].set_index("category")
    assert set(both.index) == {f"{s} & {r}" for s in "fm" for r in "xyz"}
    cell = (SEX == "f") & (RACE == "y")
    assert both.loc["f & y", "n"] == cell.sum()
    assert_allclose(both.loc["f & y", "rate"], SELECTED[cell].mean())
    assert_allclose(both["impact_ratio"], both["rate"] / both["rate"].max())
    for part in ("sex", "race", "sex & race"):
        assert frame.loc[frame["partition"] == part, "n"].sum() == 100


def test_small_categories_have_a_rate_and_no_ratio() -> None:
    groups = np.repeat(["big", "other", "tiny"], [60, 39, 1])
    selected = np.r_[np.arange(99) % 2 == 0, True]
    frame = impact_ratios(count_table(groups, y_pred=selected), ("group",), min_share=0.02).to_frame().set_index("category")
    assert frame.loc["tiny", "rate"] == 1
    assert np.isnan(frame.loc["tiny", "impact_ratio"])
    assert "Fewer than 2%" in frame.loc["tiny", "note"]
    assert frame["impact_ratio"].max() == 1
    assert impact_ratios(count_table(groups, y_pred=selected), ("group",)).to_frame()["impact_ratio"].tolist()[2] == 1


def test_rows_of_unknown_category_are_counted_and_no_yardstick() -> None:
    """Local Law 144 wants the number of people whose category is not known, and no ratio of them."""
    groups = np.repeat(["f", "m", "(missing)"], [60, 40, 10])
    selected = np.r_[SELECTED, np.ones(10)]
    frame = impact_ratios(count_table((groups, np.r_[RACE, RACE[:10]]), y_pred=selected), ("sex", "race")).to_frame()
    sex = frame[frame["partition"] == "sex"].set_index("category")
    assert sex.loc["(missing)", ["n", "n_selected"]].tolist() == [10, 10]
    assert np.isnan(sex.loc["(missing)", "impact_ratio"]) and "not known" in sex.loc["(missing)", "note"]
    assert_allclose(sex.loc[["f", "m"], "impact_ratio"], [2 / 3, 1.0])
    both = frame[frame["partition"] == "sex & race"]
    assert both[both["category"].str.contains("missing")]["impact_ratio"].isna().all()
    assert both["impact_ratio"].max() == 1


def test_nobody_selected_and_no_decision() -> None:
    frame = impact_ratios(count_table(["a", "b", "c"], y_pred=[0, 0, np.nan]), ("g",)).to_frame()
    assert frame["impact_ratio"].isna().all()
    assert "Nobody is selected" in frame.loc[0, "note"]
    assert frame.loc[2, "note"] == "No row has a decision."
    assert not frame["below_four_fifths"].any()


def test_scoring_rate_counts_scores_above_the_median() -> None:
    scores = np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    assert above_median(scores).tolist() == [0, 0, 1, 1, 2]
    frame = impact_ratios(count_table(["a", "b", "a", "b", "b"], y_pred=above_median(scores)), ("g",)).to_frame()
    assert frame["rate"].tolist() == [0.5, 0.5]
    assert above_median(np.array([np.nan])).tolist() == [2]


def test_names_must_match() -> None:
    with pytest.raises(SettingsError, match="1 attributes, but 2 names"):
        impact_ratios(count_table(["a"], y_pred=[1]), ("x", "y"))
