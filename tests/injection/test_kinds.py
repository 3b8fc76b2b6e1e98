"""What each kind of injection does, on tables whose answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.injection import Injection, inject
from fairaudit.injection.presets import preset, presets
from fairaudit.schema import Schema

WOMEN = {"gender": "WOMAN"}


@pytest.fixture
def hiring() -> pd.DataFrame:
    """100 men and 100 women; 70 of each in Springfield, 20 of each POST-GRAD."""
    half = pd.DataFrame(
        {
            "education": np.repeat(["POST-GRAD", "GRAD"], [20, 80]),
            "job_location": np.tile(np.repeat(["Springfield", "Centerville"], [7, 3]), 10),
            "relevant_experience": np.arange(100) / 10,
        }
    )
    return pd.concat([half.assign(gender="MAN"), half.assign(gender="WOMAN")], ignore_index=True)


def test_set_value(hiring: pd.DataFrame) -> None:
    step = {"kind": "set_value", "group": WOMEN, "column": "education", "value": "GRAD"}
    injected = inject(hiring, [step])
    assert injected.changed_cells == {"education": 20}
    assert (injected.table["education"][100:] == "GRAD").all()
    half = inject(hiring, [{**step, "strength": 0.5}])
    assert 0 < half.changed.sum() < 20


def test_resample_moves_the_fewest_rows_and_interpolates(hiring: pd.DataFrame) -> None:
    step = {
        "kind": "resample_categories",
        "group": WOMEN,
        "column": "job_location",
        "distribution": {"Springfield": 0.85, "Centerville": 0.15},
    }
    for strength, springfield in ((1.0, 85), (0.4, 76), (0.0, 70)):
        injected = inject(hiring, [{**step, "strength": strength}])
        women = injected.table["job_location"][100:]
        assert (women == "Springfield").sum() == springfield
        assert injected.n_changed_cells == springfield - 70
    already = inject(hiring, [{**step, "distribution": {"Springfield": 0.7, "Centerville": 0.3}}])
    assert not already.changed.any()


def test_scale_shift_and_noise(hiring: pd.DataFrame) -> None:
    column = hiring["relevant_experience"]
    scaled = inject(hiring, [{"kind": "scale", "group": WOMEN, "column": "relevant_experience", "factor": 1.3, "strength": 0.5}])
    # 50 women are picked; the one with 0 years may be among them and then keeps her 0.
    assert scaled.changed.sum() in (49, 50)
    np.testing.assert_array_equal(scaled.table["relevant_experience"][scaled.changed], 1.3 * column[scaled.changed])
    shifted = inject(hiring, [{"kind": "shift", "column": "relevant_experience", "amount": 2, "unit": "sd"}])
    np.testing.assert_allclose(shifted.table["relevant_experience"] - column, 2 * column.std())
    noisy = inject(hiring, [{"kind": "noise", "column": "relevant_experience", "amount": 3}])
    assert abs((noisy.table["relevant_experience"] - column).std() - 3) < 4 * 3 / np.sqrt(400)


def test_missing_not_at_random(hiring: pd.DataFrame) -> None:
    base: dict[str, Any] = {"kind": "missing", "group": WOMEN, "column": "relevant_experience", "strength": 0.5}
    left = {
        rule: np.mean(
            [inject(hiring, [{**base, "depends_on": rule}], seed=s).table["relevant_experience"][100:].mean() for s in range(20)]
        )
        for rule in ("group", "high", "low")
    }
    assert left["high"] < left["group"] - 1
    assert left["low"] > left["group"] + 1
    injected = inject(hiring, [{**base, "depends_on": "high"}])
    assert injected.table["relevant_experience"][100:].isna().sum() == 50
    assert injected.table["relevant_experience"][:100].notna().all()


def test_groups_are_intersections_ranges_and_missing_values() -> None:
    table = pd.DataFrame({"sex": ["F", "F", "M", None], "race": [1, 2, 1, 1], "age": [30, 40, 50, 60], "x": 1.0})
    step: dict[str, Any] = {"kind": "shift", "column": "x", "amount": 1}
    for group, rows in (
        ({"sex": "F"}, [0, 1]),
        ({"sex": "F", "race": 1}, [0]),
        ({"race": ["1", 2.0], "sex": ["F", "M"]}, [0, 1, 2]),
        ({"age": {"min": 40}}, [1, 2, 3]),
        ({"age": {"min": 40, "max": 50}, "sex": "M"}, [2]),
        ({"sex": None}, [3]),
        ({"sex": ["F", None]}, [0, 1, 3]),
    ):
        injected = inject(table, [{**step, "group": group}])
        assert np.flatnonzero(injected.changed).tolist() == rows, group
    assert Injection.from_dict({**step, "group": {"sex": ["F", None], "age": {"max": 50}}}).sentence() == (
        "Adds 1 to x in 100 % of the rows where sex is F or missing and age is at most 50."
    )


def test_column_types_survive() -> None:
    table = pd.DataFrame(
        {
            "whole": [1, 2, 3, 4],
            "nullable": pd.array([1, 2, None, 4], dtype="Int64"),
            "truth": [True, False, True, False],
            "ordered": pd.Categorical(["lo", "hi", "lo", "hi"], categories=["lo", "hi"], ordered=True),
        }
    )
    shifted = inject(table, [{"kind": "shift", "column": c, "amount": 5} for c in ("whole", "nullable")]).table
    assert shifted["whole"].tolist() == [6, 7, 8, 9]
    assert shifted.dtypes[["whole", "nullable"]].equals(table.dtypes[["whole", "nullable"]])
    assert inject(table, [{"kind": "scale", "column": "whole", "factor": 1.5}]).table["whole"].tolist() == [1.5, 3.0, 4.5, 6.0]
    set_ = inject(
        table,
        [{"kind": "set_value", "column": "ordered", "value": "hi"}, {"kind": "set_value", "column": "truth", "value": "True"}],
    )
    assert set_.table["ordered"].dtype == table["ordered"].dtype
    assert set_.table["truth"].dtype == bool
    assert set_.table["truth"].all()
    assert inject(table, [{"kind": "missing", "column": "truth"}]).table["truth"].isna().all()


def test_label_column_follows_the_score() -> None:
    grade = np.arange(20)
    table = pd.DataFrame({"sex": ["F", "M"] * 10, "grade": grade, "result": np.where(grade >= 10, "pass", "fail")})
    step: dict[str, Any] = {"kind": "label", "strength": 0.5, "group": {"sex": "F"}, "score": "grade", "threshold": 10}
    schema = Schema(label="result", pos_label="pass")
    injected = inject(table, [step], schema=schema)
    # Half of half the range is 4.75: women at 10, 12 and 14 fall below 10.
    assert injected.table["grade"][10] == 5.25
    np.testing.assert_array_equal(injected.table["result"] == "pass", injected.table["grade"] >= 10)
    assert injected.changed_cells == {"grade": 10, "result": 3}
    assert "turned unfavourable: 3; turned favourable: 0" in injected.summaries()[0]
    assert inject(table, [step]).changed_cells == {"grade": 10}
    from_schema = inject(
        table,
        [{"kind": "label", "strength": 0.5, "group": {"sex": "F"}}],
        schema=schema.with_(score="grade", decision_threshold=10),
    )
    pd.testing.assert_frame_equal(from_schema.table, injected.table)
    assert "Lowers grade" in from_schema.summaries()[0]


def test_labels_that_disagree_with_the_threshold_stay() -> None:
    table = pd.DataFrame({"g": ["a"] * 4, "score": [1.0, 4.0, 6.0, 9.0], "hired": [1, 0, 0, 1]})
    step = {"kind": "label", "strength": 0.5, "score": "score", "threshold": 5, "label": "hired", "scale": 4.0}
    injected = inject(table, [step])
    # Row 2 (score 6 -> 4) crosses but was not hired anyway; row 0 was hired below the threshold and keeps it.
    assert injected.table["hired"].tolist() == [1, 0, 0, 1]
    assert injected.changed_cells == {"score": 4}
    note = injected.steps[0].note
    assert "Scores that fell below 5: 1; that rose to it: 0." in note
    assert "Labels turned unfavourable: 0; turned favourable: 0." in note
    assert "2 labels disagreed" in note


def test_the_account_counts_the_labels_that_changed_not_the_scores_that_crossed() -> None:
    rng = np.random.default_rng(3)
    score = rng.normal(50, 10, 400)
    label = np.where(score + rng.normal(0, 8, 400) >= 50, "yes", "no")
    table = pd.DataFrame({"sex": ["F", "M"] * 200, "score": score, "hired": label})
    step = {"kind": "label", "strength": 0.3, "group": {"sex": "F"}, "score": "score", "threshold": 50.0, "noise": 0.1}
    injected = inject(table, step, schema=Schema(label="hired", pos_label="yes"))
    after = injected.table
    fell, rose = ((score >= 50) & (after["score"] < 50)).sum(), ((score < 50) & (after["score"] >= 50)).sum()
    down, up = ((label == "yes") & (after["hired"] == "no")).sum(), ((label == "no") & (after["hired"] == "yes")).sum()
    assert 0 < down < fell
    assert 0 < up < rose
    assert injected.changed_cells["hired"] == down + up
    assert f"Scores that fell below 50: {fell}; that rose to it: {rose}." in injected.summaries()[0]
    assert f"Labels turned unfavourable: {down}; turned favourable: {up}." in injected.summaries()[0]
    by_score = inject(table.drop(columns="hired"), step)
    assert f"Outcomes turned unfavourable: {fell}; turned favourable: {rose}." in by_score.summaries()[0]


def test_several_favourable_and_unfavourable_values() -> None:
    table = pd.DataFrame({"g": ["a"] * 8, "result": ["Pass"] * 3 + ["Distinction"] + ["Fail"] * 3 + ["Withdrawn"]})
    step = {"kind": "label", "label": "result", "pos_label": ["Pass", "Distinction"]}
    assert inject(table, [step]).table["result"].tolist() == ["Fail"] * 7 + ["Withdrawn"]
    both = inject(table, [{**step, "strength": 1e-9, "noise": 1.0}]).table["result"].tolist()
    assert both == ["Fail"] * 4 + ["Pass"] * 4


def test_numeric_label_of_the_schema_is_a_score_where_a_threshold_is_known() -> None:
    table = pd.DataFrame({"sex": ["F", "M"] * 20, "G3": np.arange(40) % 20})
    schema = Schema(label="G3", decision_threshold=10)
    step = {"kind": "malicious_selection", "group": {"sex": "F"}, "strength": 0.5}
    explicit = inject(table, [{**step, "score": "G3", "threshold": 10}])
    pd.testing.assert_frame_equal(inject(table, [step], schema=schema).table, explicit.table)
    bias = {"kind": "label", "group": {"sex": "F"}, "strength": 0.5, "noise": 0.1}
    pd.testing.assert_frame_equal(inject(table, [bias], schema=schema).table, inject(table, [{**bias, "score": "G3"}]).table)


def test_self_selection_without_a_score_uses_the_label() -> None:
    table = pd.DataFrame({"sex": ["F"] * 200, "hired": [True, False] * 100})
    injected = inject(table, [{"kind": "self_selection", "group": {"sex": "F"}, "label": "hired", "strength": 0.3}])
    assert injected.table["hired"].mean() > 0.55
    assert "stands in" in injected.steps[0].note


def test_steps_see_what_the_ones_before_them_left(hiring: pd.DataFrame) -> None:
    first = {"kind": "set_value", "group": WOMEN, "column": "education", "value": "GRAD"}
    then = {"kind": "random_selection", "group": {"education": "GRAD"}, "strength": 1.0}
    assert len(inject(hiring, [first, then]).table) == 20
    assert len(inject(hiring, [then, first]).table) == 40


def test_presets_name_columns_that_exist(hiring: pd.DataFrame) -> None:
    assert list(presets()) == ["hiring_day2", "adult_day2", "adult_day3", "student_label"]
    day2 = preset("hiring_day2")
    assert day2.missing_columns(hiring.columns) == ()
    assert preset("student_label").missing_columns(hiring.columns) == ("sex", "G3")
    women = inject(hiring, day2.injections).table[100:]
    assert (women["education"] == "GRAD").all()
    assert (women["job_location"] == "Springfield").sum() == 85
    assert (women["relevant_experience"] > hiring["relevant_experience"][100:]).sum() in (49, 50)
    adult = pd.DataFrame(
        {"sex": ["Female", "Male"] * 2, "attended_college": ["yes", "no", "no", "yes"], "married": ["no", "no", "yes", "yes"]}
    )
    assert inject(adult, preset("adult_day2").injections).table["attended_college"].tolist() == ["no", "yes"] * 2
    assert inject(adult, preset("adult_day3").injections).table["married"].tolist() == ["yes", "no"] * 2
    for entry in presets().values():
        assert all(step.sentence() for step in entry.injections)
