"""Who is compared with whom: groups, intersections, reference groups, small and missing ones."""

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.contrast import MISSING_GROUP, Contrast, default_contrast, group_codes
from fairaudit.errors import FairAuditError, SettingsError, UnknownNameError
from fairaudit.validation import check_frames


def table(n=240, seed=0, **columns):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": np.where(rng.random(n) < 0.4, "F", "M"),
            "origin": rng.choice(["A", "B", "C"], n, p=[0.5, 0.3, 0.2]),
            "age": rng.normal(40, 10, n),
            "prediction": np.where(rng.random(n) < 0.5, "yes", "no"),
        }
        | columns
    )


def frames(schema=None, **kwargs):
    return check_frames(
        table(seed=1, **kwargs),
        {"day 1": table(seed=2, **kwargs), "day 2": table(seed=3, **kwargs)},
        schema or {"sensitive_features": ["sex"], "prediction": "prediction"},
    )


def test_frames_against_the_reference_use_all_rows():
    pairs = Contrast().pairs(frames())
    assert [(p.frame, p.group, p.n_target, p.n_reference) for p in pairs] == [("day 1", "", 240, 240), ("day 2", "", 240, 240)]
    assert pairs[0].target_rows is None


def test_groups_inside_each_table_include_the_reference_table():
    checked = frames()
    pairs = Contrast("group_vs_reference_group").pairs(checked)
    assert [(p.frame, p.group) for p in pairs] == [(t, "sex=F") for t in ("reference", "day 1", "day 2")]
    for pair in pairs:
        sexes = pair.target.data["sex"].astype(str)
        assert set(sexes.iloc[pair.target_rows]) == {"F"}
        assert set(sexes.iloc[pair.reference_rows]) == {"M"}
        assert pair.n_target + pair.n_reference == 240
        assert pair.reference_side == f"{pair.frame}: sex=M"


def test_the_same_group_over_time():
    pairs = Contrast("within_group").pairs(frames())
    assert [(p.frame, p.group) for p in pairs] == [(d, f"sex={s}") for d in ("day 1", "day 2") for s in "FM"]
    assert all(p.reference.name == "reference" and p.target.name == p.frame for p in pairs)


def test_one_table_is_enough_for_the_groups_inside_it_only():
    schema = {"sensitive_features": ["sex"], "prediction": "prediction"}
    checked = check_frames(table(), schema=schema)
    assert (
        default_contrast(checked).kind == "group_vs_reference_group" and default_contrast(frames()).kind == "frame_vs_reference"
    )
    assert [(p.frame, p.group) for p in default_contrast(checked).pairs(checked)] == [("reference", "sex=F")]
    for kind in ("frame_vs_reference", "within_group"):
        with pytest.raises(SettingsError, match="There is no target table to compare with reference") as caught:
            Contrast(kind).pairs(checked)
        assert "Add a target table" in caught.value.remedy
    result = fairaudit.audit(table(), contrast="group_vs_reference_group", schema=schema, resamples=99)
    alone = result.attributes()
    with_target = fairaudit.audit(table(), table(seed=5), contrast="group_vs_reference_group", schema=schema, resamples=99)
    both = with_target.attributes()
    assert alone["score"].tolist() == both.loc[both["frame"] == "reference", "score"].tolist()
    metrics = fairaudit.baselines(table(), contrast="group_vs_reference_group", schema=schema).to_frame()
    assert set(metrics["frame"]) == {"reference"} and metrics["value"].notna().any()


def test_a_chosen_reference_group_wins_over_the_rule():
    schema = {"sensitive_features": ["sex"], "reference_groups": {"sex": "F"}, "prediction": "prediction"}
    assert {p.group for p in Contrast("group_vs_reference_group").pairs(frames(schema))} == {"sex=M"}
    with pytest.raises(FairAuditError):
        frames({"sensitive_features": ["sex"], "reference_groups": {"sex": "X"}})


def test_the_best_off_group_has_the_highest_favourable_rate():
    rng = np.random.default_rng(0)
    origin = np.repeat(["A", "B", "C"], [150, 60, 30])
    favourable = rng.random(240) < np.select([origin == "A", origin == "B"], [0.2, 0.9], 0.5)
    columns = {"origin": origin, "prediction": np.where(favourable, "yes", "no")}
    checked = frames({"sensitive_features": ["origin"], "prediction": "prediction", "pos_label": "yes"}, **columns)
    largest = Contrast("group_vs_reference_group").pairs(checked)
    best = Contrast("group_vs_reference_group", reference_rule="best_off").pairs(checked)
    assert {p.group for p in largest} == {"origin=B", "origin=C"}
    assert {p.group for p in best} == {"origin=A", "origin=C"}


def test_two_features_or_their_join_give_identical_results():
    schema = {"sensitive_features": ["sex", "origin"], "prediction": "prediction"}
    first, second = table(seed=1), table(seed=2)
    both = Contrast("within_group", features=("sex", "origin"), intersections=True)
    crossed = fairaudit.audit(first, second, attributes=["age"], contrast=both, schema=schema, resamples=0).attributes()
    joined = [t.assign(joint=t["sex"] + "/" + t["origin"]) for t in (first, second)]
    single = fairaudit.audit(
        *joined, attributes=["age"], contrast="within_group", schema={"sensitive_features": ["joint"]}, resamples=0
    ).attributes()
    assert crossed["group"].iloc[0] == "sex=F & origin=A"
    np.testing.assert_array_equal(crossed["score"], single["score"])
    np.testing.assert_array_equal(crossed["n_target"], single["n_target"])


def test_several_features_without_intersections_are_looked_at_one_by_one():
    schema = {"sensitive_features": ["sex", "origin"]}
    groups = {p.group for p in Contrast("within_group").pairs(frames(schema))}
    assert groups == {"sex=F", "sex=M", "origin=A", "origin=B", "origin=C"}


def test_missing_sensitive_values_are_their_own_group_or_left_out_and_totals_agree():
    sex = np.where(np.arange(240) % 8 == 0, None, table(seed=1)["sex"])
    for rule, total in (("own_group", 240), ("leave_out", 210)):
        checked = frames({"sensitive_features": ["sex"], "missing_groups": rule}, sex=sex)
        pairs = Contrast("within_group").pairs(checked)
        first = [p for p in pairs if p.frame == "day 1"]
        assert sum(p.n_target for p in first) == total
        assert any(MISSING_GROUP in p.group for p in first) == (rule == "own_group")


def test_small_groups_are_listed_with_their_size_not_measured():
    sex = np.array(["F", *["M"] * 239])
    schema = {"sensitive_features": ["sex"], "min_group_size": 5}
    result = fairaudit.audit(table(sex=sex), {"day": table(seed=4, sex=sex)}, contrast="within_group", schema=schema, resamples=0)
    women = result.attributes().query("group == 'sex=F'")
    assert (women["verdict"] == "not_measurable").all()
    assert women["note"].str.contains("has 1 row in day, fewer than the 5").all()
    assert women["score"].isna().all()
    assert (result.attributes().query("group == 'sex=M'")["verdict"] != "not_measurable").all()


def test_one_group_only_is_a_sentence_before_anything_runs():
    with pytest.raises(SettingsError, match="At least two groups are needed"):
        Contrast("within_group").pairs(frames({"sensitive_features": ["sex"]}, sex=np.array(["F"] * 240)))


def test_a_continuous_attribute_is_cut_at_stated_edges():
    schema = {"sensitive_features": ["age"], "edges": {"age": [30, 50]}, "types": {"age": "numeric"}}
    checked = frames(schema, age=np.tile([29.9, 30.0, 49.5, 50.0], 60))
    codes, names = group_codes(checked.reference, ("age",), {"age": (30.0, 50.0)})
    assert names == ("age=below 30", "age=30 to below 50", "age=50 and above")
    assert codes[:4].tolist() == [0, 1, 1, 2]
    assert {p.group for p in Contrast("within_group").pairs(checked)} == set(names)


def test_quartiles_of_the_reference_are_the_default_edges():
    groups = {p.group for p in Contrast("within_group", features="age").pairs(frames())}
    assert len(groups) == 4


@pytest.mark.parametrize("features", [("gender",), ("note",)])
def test_columns_that_cannot_define_groups(features):
    note = np.array([f"free text number {i} with many words in it" for i in range(240)])
    with pytest.raises(FairAuditError) as caught:
        Contrast("within_group", features=features).pairs(frames(note=note))
    assert caught.value.remedy


def test_unknown_names():
    with pytest.raises(UnknownNameError):
        Contrast("frame")
    with pytest.raises(UnknownNameError):
        Contrast(reference_rule="biggest")
    with pytest.raises(SettingsError, match="sensitive attribute is chosen"):
        Contrast("within_group", features=()).pairs(frames())


def test_dicts_recreate_a_contrast():
    contrast = Contrast("within_group", features=("sex",), intersections=True, reference_rule="best_off")
    assert Contrast.from_any(contrast.to_dict()) == contrast
