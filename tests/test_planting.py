"""A bias planted in one table of an audit: before and after beside the same reference, saved, and made again."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from fairaudit.datasets import demo, hiring_reference
from fairaudit.errors import FairAuditError, SettingsError, UnknownNameError
from fairaudit.injection import INJECTIONS, replay
from fairaudit.planting import (
    changed_values,
    describable,
    disadvantaged_group,
    fitting_presets,
    free_name,
    plant,
    predictor_named,
    proposed_threshold,
    read_description,
    replant,
    save_as_target,
    starting_step,
    starting_values,
    undecided_outcome,
    unplanted,
    verdict_changes,
)
from fairaudit.predictors import demo_predictors, train_predictor, trainable
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.validation import check_frames

WOMEN = {"gender": "WOMAN"}
GRAD = {"kind": "set_value", "strength": 1.0, "group": WOMEN, "column": "education", "value": "GRAD"}
FEWER = {"kind": "random_selection", "strength": 0.5, "group": WOMEN}


@pytest.fixture(scope="module")
def hiring():
    return check_frames(*demo("hiring").load())


@pytest.fixture(scope="module")
def students():
    return check_frames(*demo("students").load())


@pytest.fixture(scope="module")
def small():
    table = pd.DataFrame({"sex": list("FFFFFFFFFFFFMMMMMMMMMMMM"), "pay": np.arange(24.0), "hired": ["yes", "no"] * 12})
    return check_frames(table, {"later": table}, {"label": "hired", "pos_label": "yes", "sensitive_features": ("sex",)})


def test_before_is_the_loaded_table_and_after_holds_the_bias(hiring):
    planted = plant(hiring, "day1", [GRAD])
    day1 = hiring.targets[0]
    pd.testing.assert_frame_equal(planted.before.targets[0].data, day1.data)
    women = (day1.data["gender"] == "WOMAN").to_numpy()
    after = planted.after.targets[0].data["education"]
    assert set(after[women]) == {"GRAD"}
    assert (after[~women] == day1.data["education"][~women]).all()
    assert planted.columns_changed == ("education",)
    assert [t.name for t in (planted.before.targets[0], planted.after.targets[0])] == ["day1 before", "day1 after"]


def test_group_sizes_count_rows_before_and_after(hiring):
    planted = plant(hiring, "day1", [FEWER])
    sizes = planted.groups.set_index("group")
    women = int((hiring.targets[0].data["gender"] == "WOMAN").sum())
    removed = len(planted.injected.removed)
    # A tenth of the group a level, rounded down.
    assert removed == 5 * (women // 10)
    assert sizes.loc["gender=WOMAN", ["rows_before", "rows_after"]].tolist() == [women, women - removed]
    assert sizes.loc["all rows", "rows_after"] == 20_000 - removed
    assert describable(planted) == ("predicted_salary", "gender")


def test_the_reference_can_be_biased_too(hiring):
    planted = plant(hiring, "reference", [GRAD])
    scores = audit_frames(planted.before, QmadSettings(resamples=0)).attributes()
    assert (scores["verdict"] == "no_evidence").all()
    after = audit_frames(planted.after, QmadSettings(resamples=0)).attributes().set_index("attribute")
    assert after.loc["education", "verdict"] == "disparity"


def test_the_wrong_step_is_named_by_its_number(hiring):
    with pytest.raises(FairAuditError) as caught:
        plant(hiring, "day1", [FEWER, GRAD | {"value": "PHD"}])
    assert caught.value.problem.startswith("Step 2: ")
    assert "GRAD" in caught.value.remedy
    with pytest.raises(FairAuditError) as caught:
        plant(hiring, "day1", [GRAD | {"column": "schooling"}, GRAD])
    assert caught.value.problem.startswith("Step 1: ")
    with pytest.raises(UnknownNameError, match="day9"):
        plant(hiring, "day9", [GRAD])


def test_without_a_model_the_predictions_stay(hiring):
    planted = plant(hiring, "day1", [GRAD])
    assert planted.prediction == ""
    assert planted.n_predictions_changed == 0
    kept = planted.after.targets[0].data["predicted_salary"]
    np.testing.assert_array_equal(kept, hiring.targets[0].data["predicted_salary"])


@pytest.mark.parametrize("name", ["hiring", "adult_days"])
def test_the_models_of_the_demos_give_every_unbiased_prediction_back(name):
    frames = check_frames(*demo(name).load())
    found = demo_predictors(frames.reference)
    assert found
    for predictor in found:
        assert predictor.exact
        for table in frames.tables:
            again = predictor(table.data)[predictor.column]
            if predictor.name == "hiring_tree" and table.name == "day2":
                continue  # a tree meets values there that it was not trained on
            if predictor.categories:
                assert (again.astype(str) == table.data[predictor.column].astype(str)).all()
            else:
                np.testing.assert_allclose(again, table.data[predictor.column], rtol=1e-9)


def test_other_data_with_the_same_column_names_get_no_demo_model():
    reference, days, schema = demo("hiring").load()
    reference = reference.assign(predicted_salary=reference["predicted_salary"] + 1)
    assert demo_predictors(check_frames(reference, days, schema).reference) == ()


def test_equation_13_carries_the_bias_to_the_salary(hiring):
    planted = plant(hiring, "day1", [GRAD], predictor=predictor_named(hiring.reference, "hiring_rule"))
    before, after, names = changed_values(planted, "predicted_salary")
    assert names == ()
    day1 = hiring.targets[0].data
    lost = (day1["gender"] == "WOMAN") & (day1["education"] == "POST-GRAD")
    np.testing.assert_allclose(before - after, np.where(lost, 20_000.0, 0.0))
    assert planted.n_predictions_changed == int(lost.sum())
    assert planted.columns_changed == ("education", "predicted_salary")


def test_a_trained_model_predicts_all_three_tables(students):
    assert trainable(students.reference) == ("random_forest", "decision_tree")
    predictor = train_predictor(students.reference, "decision_tree")
    assert predictor.column == "prediction"
    assert not predictor.exact
    step = {"kind": "shift", "strength": 1.0, "group": {"sex": "F"}, "column": "previous_grade", "amount": -8.0}
    planted = plant(students, "cohort 2024", [step], predictor=predictor)
    for table in (planted.before.reference, planted.before.targets[0], planted.after.targets[0]):
        assert table.schema.prediction == "prediction"
        assert table.type_of("prediction") == "binary"
    before, after, names = changed_values(planted, "prediction")
    assert names == ("no", "yes")
    assert after[1] < before[1]
    # What is saved stands beside the other tables, which have no such column.
    saved = save_as_target(students, planted, "biased")
    assert "prediction" not in saved.targets[-1].columns
    agreement = float((planted.before.reference.data["prediction"] == students.reference.data["passed"]).mean())
    assert f"agrees with {agreement:.0%} of the reference's rows" in predictor.sentence


def test_a_number_is_predicted_by_a_regressor(hiring):
    assert trainable(hiring.reference) == ("linear_regression", "decision_tree_regressor")
    predictor = train_predictor(hiring.reference, "linear_regression")
    np.testing.assert_allclose(
        predictor(hiring.reference.data)["predicted_salary"], hiring.reference.data["predicted_salary"], atol=1e-4
    )
    with pytest.raises(UnknownNameError, match="model for the number"):
        train_predictor(hiring.reference, "random_forest")


def test_training_is_seeded_and_needs_an_outcome(students, small):
    first, second = (train_predictor(students.reference, "random_forest", seed=3) for _ in range(2))
    data = students.targets[0].data
    assert (first(data)["prediction"] == second(data)["prediction"]).all()
    bare = check_frames(
        small.reference.data[["sex", "pay"]], {"later": small.reference.data[["sex", "pay"]]}, {"sensitive_features": "sex"}
    )
    assert trainable(bare.reference) == ()
    with pytest.raises(FairAuditError, match="no prediction or label"):
        train_predictor(bare.reference, "random_forest")


def test_a_description_makes_the_same_tables_again(hiring):
    planted = plant(hiring, "day1", [GRAD, FEWER], 7, predictor_named(hiring.reference, "hiring_rule"))
    again = replant(hiring, json.loads(planted.to_json()))
    assert again.after.fingerprint == planted.after.fingerprint
    pd.testing.assert_frame_equal(again.data, planted.data)
    pd.testing.assert_frame_equal(replay(hiring.targets[0], planted.to_json()).table.data, planted.injected.table.data)


def test_a_description_of_another_table_is_refused(hiring):
    description = plant(hiring, "day1", [GRAD]).description
    with pytest.raises(FairAuditError, match="another table"):
        replant(hiring, description | {"table": "day3"})


@pytest.mark.parametrize("text", [b"\xff\xfe", "not json", "[]", '{"seed": 1}'])
def test_what_is_no_description_is_a_sentence(text):
    with pytest.raises(SettingsError) as caught:
        read_description(text)
    assert caught.value.remedy


def test_the_biased_table_joins_the_audit_under_a_name_of_its_own(hiring):
    planted = plant(hiring, "day1", [GRAD], predictor=predictor_named(hiring.reference, "hiring_rule"))
    saved = save_as_target(hiring, planted, " day1 biased ")
    assert [t.name for t in saved.targets] == ["day1", "day2", "day3", "day1 biased"]
    pd.testing.assert_frame_equal(saved.targets[-1].data, planted.after.targets[0].data)
    assert free_name(saved, "day1 biased") == "day1 biased (2)"
    for name in ("day1", "reference", "  "):
        with pytest.raises(SettingsError) as caught:
            save_as_target(hiring, planted, name)
        assert "(2)" in caught.value.remedy


def test_a_new_category_turns_a_binary_column_nominal_on_both_sides(hiring):
    planted = plant(hiring, "day1", [GRAD | {"value": "NONE", "allow_new": True}])
    assert planted.after.reference.type_of("education") == "nominal"
    _, after, names = changed_values(planted, "education")
    assert after[names.index("NONE")] > 0
    scores = audit_frames(planted.after, QmadSettings(resamples=0)).attributes().set_index("attribute")
    assert scores.loc["education", "verdict"] == "disparity"


def test_presets_are_shown_where_they_fit():
    for name, expected in {"hiring": ["hiring_day2"], "adult_days": ["adult_day2", "adult_day3"], "students": []}.items():
        frames = check_frames(*demo(name).load())
        assert [p.name for p in fitting_presets(frames.targets[0])] == expected
    other = hiring_reference().assign(gender="X")
    other.loc[::2, "gender"] = "Y"
    assert fitting_presets(check_frames(other, {"day": other}).reference) == ()


@pytest.mark.parametrize("name", ["hiring", "adult", "adult_days", "students"])
def test_every_kind_starts_with_something_that_can_be_planted(name):
    frames = check_frames(*demo(name).load())
    table = frames.targets[0]
    assert starting_step(table) is not None
    has_outcome = frames.schema.label is not None
    for kind in INJECTIONS.names():
        if not has_outcome and kind in ("label", "self_selection", "malicious_selection"):
            continue
        assert plant(frames, table.name, [starting_values(kind, table)]).injected.steps


OUTCOMES = pd.DataFrame({"sex": ["F", "M"] * 50, "score": np.arange(100) / 4 + 0.1, "yes": ["no"] * 40 + ["yes"] * 60})


@pytest.mark.parametrize(
    ("roles", "threshold"),
    [
        ({"label": "yes", "pos_label": "yes", "score": "score"}, 12.475),
        ({"label": "yes", "pos_label": "yes", "score": "score", "decision_threshold": 10.0}, None),
        ({"label": "yes", "pos_label": "yes"}, None),
        ({"label": "score"}, 12.475),
        ({"label": "score", "decision_threshold": 0.0}, None),
    ],
)
def test_an_outcome_by_a_number_starts_with_a_threshold(roles, threshold):
    columns = ["sex", *{roles["label"], roles.get("score", roles["label"])}]
    frames = check_frames(OUTCOMES[columns], {"day": OUTCOMES[columns]}, {**roles, "sensitive_features": ("sex",)})
    table = frames.targets[0]
    assert proposed_threshold(table) == threshold
    for step in (starting_step(table), starting_values("label", table)):
        assert step["kind"] == "label"
        assert step.get("threshold") == threshold
        if roles.get("decision_threshold") != 0:
            assert plant(frames, "day", step).injected.steps[0].rows_changed
    # The selections go by the label where there is one.
    by_label = None if roles["label"] == "yes" else threshold
    assert starting_values("malicious_selection", table).get("threshold") == by_label


def test_the_first_step_changes_something_or_is_another():
    never = OUTCOMES.assign(yes=["no"] * 100, colour=["red", "red", "blue", "blue"] * 25)
    roles = {"label": "yes", "pos_label": "yes", "sensitive_features": ("sex",)}
    frames = check_frames(never.assign(yes=["yes", "no"] * 50), {"day": never}, roles)
    step = starting_step(frames.targets[0])
    assert step is not None
    assert step["kind"] == "set_value"
    assert plant(frames, "day", step).injected.n_changed_cells


def test_the_disadvantaged_group_is_the_largest_outside_of_the_reference_group(students, small):
    assert disadvantaged_group(students.reference) == {"sex": "M"}
    assert disadvantaged_group(small.reference) == {"sex": "M"}
    assert disadvantaged_group(small.reference.renamed("x")) == disadvantaged_group(small.reference)


def test_a_numeric_outcome_asks_for_a_threshold(hiring, students, small):
    assert undecided_outcome(hiring) == ("predicted_salary", float(hiring.reference.data["predicted_salary"].median()))
    assert undecided_outcome(students) is None
    assert undecided_outcome(small) is None


def test_flags_that_came_and_went():
    before = pd.DataFrame(
        {"group": "", "attribute": list("abcde"), "verdict": ["disparity", "disparity", *["no_evidence"] * 3], "score": 0.5}
    )
    after = before.assign(
        verdict=["disparity", "no_evidence", "disparity", "not_measurable", "disparity"], score=[0.5, 0.6, 0.1, np.nan, 0.5]
    )
    change = verdict_changes(before, after, "attribute", {"c": "C"})
    assert (change.new, change.lost, change.kept, change.silent) == (("C",), ("b",), ("a",), ("b",))
    assert change.unmoved == ("e",)
    grouped = verdict_changes(before.assign(group="sex=F"), after.assign(group="sex=F"), "attribute")
    assert grouped.new == ("c (sex=F)",)


def test_before_can_be_given(hiring):
    before = unplanted(hiring, "day1")
    assert plant(hiring, "day1", [GRAD], before=before).after.fingerprint == plant(hiring, "day1", [GRAD]).after.fingerprint


def test_the_input_is_not_changed_and_the_result_pickles(small):
    kept = small.targets[0].data.copy()
    planted = plant(small, "later", [{"kind": "label", "strength": 1.0, "group": {"sex": "F"}}])
    pd.testing.assert_frame_equal(small.targets[0].data, kept)
    assert pickle.loads(pickle.dumps(planted)).after.fingerprint == planted.after.fingerprint
    assert (planted.after.targets[0].data["hired"][:12] == "no").all()
