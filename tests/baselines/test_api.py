"""From tables to tidy results: contrasts, outcomes of every kind, groups, reasons, provenance."""

from __future__ import annotations

import gc
import json
import logging
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fairaudit.baselines import (
    ALL_ROWS,
    BASELINES,
    EXTRA_METRIC_COLUMNS,
    METRIC_COLUMNS,
    baselines,
    consistency,
    impact_ratio_table,
    wilson,
)
from fairaudit.contrast import Contrast
from fairaudit.errors import CancelledError, SettingsError, UnknownNameError
from fairaudit.validation import check_frames

SCHEMA = {"label": "hired", "prediction": "advised", "score": "points", "pos_label": "yes", "sensitive_features": ("sex",)}


def applicants(seed: int, n: int = 400, tilt: float = 0.0) -> pd.DataFrame:
    """Applicants; ``tilt`` lowers the points of women."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["F", "M"], n)
    skill = rng.normal(50, 10, n).round(1)
    points = (skill + rng.normal(0, 5, n) - tilt * (sex == "F")).round(1)
    return pd.DataFrame(
        {
            "sex": sex,
            "origin": rng.choice(["north", "south", "west"], n),
            "skill": skill,
            "city": rng.choice(["A", "B", "C"], n),
            "points": points,
            "advised": np.where(points > 52, "yes", "no"),
            "hired": np.where(skill + rng.normal(0, 4, n) > 52, "yes", "no"),
        }
    )


REFERENCE, DAY1, DAY2 = applicants(0, 600), applicants(1), applicants(2, tilt=12)
DAYS = {"day1": DAY1, "day2": DAY2}
FAST = {"resamples": 200}


def one(frame: pd.DataFrame, metric: str, table: str = "day2", group: str = "") -> pd.Series:
    return frame.set_index(["frame", "group", "metric"]).loc[(table, group, metric)]


def test_frames_against_the_reference() -> None:
    result = baselines(REFERENCE, DAYS, schema=SCHEMA, **FAST)
    frame = result.to_frame()
    assert tuple(frame.columns) == METRIC_COLUMNS + EXTRA_METRIC_COLUMNS
    assert frame["metric"].tolist() == [s.name for s in BASELINES if s.default] * 2
    row = one(frame, "statistical_parity_difference")
    rates = [(d["advised"] == "yes").mean() for d in (DAY2, REFERENCE)]
    assert_allclose([row["value"], row["value_a"], row["value_b"]], [rates[0] - rates[1], *rates])
    assert (row["n_a"], row["n_b"], row["direction"]) == (400, 600, "lower")
    assert (row["selected_a"], row["selected_b"]) == tuple((d["advised"] == "yes").sum() for d in (DAY2, REFERENCE))
    assert row["outcome"] == "advised"
    assert np.isnan(row["decision_threshold"])
    assert row["verdict"] == "disparity"
    assert one(frame, "statistical_parity_difference", "day1")["verdict"] == "no_evidence"
    assert frame["verdict"].isin(["disparity", "no_evidence"]).all()
    auc = one(frame, "roc_auc")
    assert_allclose(auc["difference"], auc["value"] - auc["value_b"])


def test_group_against_reference_group() -> None:
    schema = SCHEMA | {"reference_groups": {"sex": "M"}}
    result = baselines(REFERENCE, DAYS, ["disparate_impact", "equal_opportunity_difference"], "group_vs_reference_group", schema)
    frame = result.to_frame()
    assert frame["frame"].unique().tolist()[1:] == ["day1", "day2"]
    assert frame["group"].unique().tolist() == ["sex=F"]
    share = (DAY2["advised"] == "yes").groupby(DAY2["sex"]).mean()
    row = one(frame, "disparate_impact", group="sex=F")
    assert_allclose(row["value"], share["F"] / share["M"])
    assert row["verdict"] == "disparity"
    assert (row["target_side"], row["reference_side"]) == ("day2: sex=F", "day2: sex=M")
    qualified = DAY2[DAY2["hired"] == "yes"]
    tpr = (qualified["advised"] == "yes").groupby(qualified["sex"]).mean()
    assert_allclose(one(frame, "equal_opportunity_difference", group="sex=F")["value"], tpr["F"] - tpr["M"])


def test_the_same_group_over_time() -> None:
    frame = baselines(REFERENCE, DAYS, "statistical_parity_difference", "within_group", SCHEMA).to_frame()
    women = [(d.loc[d["sex"] == "F", "advised"] == "yes").mean() for d in (DAY2, REFERENCE)]
    assert_allclose(one(frame, "statistical_parity_difference", group="sex=F")["value"], women[0] - women[1])
    assert one(frame, "statistical_parity_difference", group="sex=F")["verdict"] == "disparity"
    assert one(frame, "statistical_parity_difference", group="sex=M")["verdict"] == "no_evidence"


def test_intersections_equal_a_joined_column() -> None:
    contrast = Contrast("group_vs_reference_group", ("sex", "origin"), intersections=True)
    both = baselines(REFERENCE, DAY2, ["disparate_impact"], contrast, SCHEMA, **FAST).to_frame()
    joined = [d.assign(who=d["sex"] + "/" + d["origin"]) for d in (REFERENCE, DAY2)]
    single = baselines(
        *joined, ["disparate_impact"], "group_vs_reference_group", SCHEMA | {"sensitive_features": ("who",)}, **FAST
    )
    assert len(both) == 10
    assert_allclose(both["value"], single.to_frame()["value"])
    assert_allclose(both["low"], single.to_frame()["low"])


def test_numeric_prediction_needs_a_threshold_for_rates() -> None:
    schema = {"prediction": "points", "sensitive_features": ("sex",)}
    columns = ["sex", "skill", "points"]
    without = baselines(REFERENCE[columns], DAY2[columns], schema=schema).to_frame()
    row = without.set_index("metric").loc["disparate_impact"]
    assert row["verdict"] == "not_measurable"
    assert "choose a decision threshold" in row["note"]
    assert pd.isna(row["selected_a"])
    assert without.set_index("metric").loc["qdd", "verdict"] == "disparity"
    result = baselines(REFERENCE[columns], DAY2[columns], schema=schema, threshold=52)
    row = result.to_frame().set_index("metric").loc["disparate_impact"]
    assert (row["decision_threshold"], row["selected_a"]) == (52, (DAY2["points"] >= 52).sum())
    assert_allclose(row["value"], (DAY2["points"] >= 52).mean() / (REFERENCE["points"] >= 52).mean())
    bins = result.bins()
    assert len(bins) == 10
    assert_allclose(bins["score"].mean(), result.to_frame().set_index("metric").loc["qdd", "value"])
    by_schema = baselines(REFERENCE[columns], DAY2[columns], schema=schema | {"decision_threshold": 52}).to_frame()
    assert_allclose(by_schema["value"], result.to_frame()["value"])


def test_without_a_prediction_the_label_is_assessed() -> None:
    schema = {"label": "hired", "pos_label": "yes", "sensitive_features": ("sex",)}
    frame = (
        baselines(REFERENCE.drop(columns="advised"), DAY1.drop(columns="advised"), schema=schema).to_frame().set_index("metric")
    )
    expected = (DAY1["hired"] == "yes").mean() - (REFERENCE["hired"] == "yes").mean()
    assert_allclose(frame.loc["statistical_parity_difference", "value"], expected)
    assert "the label itself is assessed" in frame.loc["statistical_parity_difference", "note"]
    for name in ("accuracy", "equal_opportunity_difference", "roc_auc"):
        assert frame.loc[name, "verdict"] == "not_measurable"
        assert "need a prediction column" in frame.loc[name, "note"]


def test_a_score_with_a_threshold_is_a_decision() -> None:
    schema = {"score": "points", "label": "hired", "pos_label": "yes", "sensitive_features": ("sex",)}
    tables = [d.drop(columns="advised") for d in (REFERENCE, DAY2)]
    frame = baselines(*tables, ["disparate_impact", "accuracy"], schema=schema, threshold=60).to_frame().set_index("metric")
    assert_allclose(frame.loc["disparate_impact", "value_a"], (DAY2["points"] >= 60).mean())
    assert_allclose(frame.loc["accuracy", "value"], ((DAY2["points"] >= 60) == (DAY2["hired"] == "yes")).mean())
    label = baselines(*tables, ["disparate_impact"], schema=schema).to_frame()
    assert label.loc[0, "outcome"] == "hired"


def test_without_any_outcome_everything_has_a_reason() -> None:
    tables = [d[["sex", "skill", "city"]] for d in (REFERENCE, DAY1)]
    frame = baselines(*tables, schema={"sensitive_features": ("sex",)}).to_frame()
    assert (frame["verdict"] == "not_measurable").all()
    assert frame["value"].isna().all()
    assert frame["note"].str.contains("There is no").all()


def test_groups() -> None:
    small = DAY1.copy()
    small.loc[small.index[:5], "sex"] = "X"
    result = baselines(
        REFERENCE, {"day1": small}, "disparate_impact", "group_vs_reference_group", SCHEMA | {"reference_groups": {"sex": "M"}}
    )
    groups = result.groups().set_index(["frame", "group"])
    women = small[small["sex"] == "F"]
    row = groups.loc[("day1", "sex=F")]
    selected = int((women["advised"] == "yes").sum())
    assert row["n"] == len(women)
    assert_allclose(row["selection_rate"], selected / len(women))
    assert_allclose((row["selection_rate_low"], row["selection_rate_high"]), wilson(selected, len(women)))
    assert_allclose(row["base_rate"], (women["hired"] == "yes").mean())
    assert_allclose(row["accuracy"], (women["hired"] == women["advised"]).mean())
    assert_allclose(row["tpr"], (women.loc[women["hired"] == "yes", "advised"] == "yes").mean())
    assert_allclose(row["fpr"], (women.loc[women["hired"] == "no", "advised"] == "yes").mean())
    tiny = groups.loc[("day1", "sex=X")]
    assert tiny["n"] == 5
    assert np.isnan(tiny["selection_rate"])
    assert "fewer than the 10 rows" in tiny["note"]
    assert groups.loc[("day1", ALL_ROWS), "n"] == len(small)
    assert groups.xs("day1").drop(ALL_ROWS)["n"].sum() == len(small)
    unmeasured = one(result.to_frame(), "disparate_impact", "day1", "sex=X")
    assert unmeasured["verdict"] == "not_measurable"
    assert unmeasured["n_a"] == 5
    assert "fewer than the 10" in unmeasured["note"]


def test_rates_are_the_groups_in_long_form() -> None:
    result = baselines(REFERENCE, DAYS, "disparate_impact", schema=SCHEMA)
    groups, rates = result.groups(), result.rates()
    assert len(rates) == 7 * len(groups)
    wide = rates.pivot(index=["frame", "group"], columns="metric", values="low")
    wide = wide.loc[list(groups[["frame", "group"]].itertuples(index=False, name=None))]
    assert_allclose(wide["tpr"], groups["tpr_low"])
    assert rates["group"].drop_duplicates().tolist() == groups["group"].drop_duplicates().tolist()


def test_a_group_without_positives_is_listed_with_the_reason() -> None:
    day = DAY1.copy()
    day.loc[day["sex"] == "F", "hired"] = "no"
    result = baselines(REFERENCE, {"day": day}, ["equal_opportunity_difference"], "within_group", SCHEMA)
    row = one(result.to_frame(), "equal_opportunity_difference", "day", "sex=F")
    assert row["verdict"] == "not_measurable"
    assert "no row with a favourable label" in row["note"]
    group = result.groups().set_index(["frame", "group"]).loc[("day", "sex=F")]
    assert np.isnan(group["tpr"])
    assert "True positive rate: no row with a favourable label" in group["note"]
    assert group["fpr"] >= 0


def test_missing_values_are_left_out() -> None:
    day = DAY1.copy()
    day.loc[::4, "advised"] = None
    day.loc[::5, "sex"] = None
    frame = baselines(REFERENCE, {"day": day}, ["statistical_parity_difference"], schema=SCHEMA).to_frame()
    kept = day["advised"].dropna()
    assert_allclose(frame.loc[0, "value_a"], (kept == "yes").mean())
    groups = baselines(REFERENCE, {"day": day}, ["statistical_parity_difference"], schema=SCHEMA).groups()
    parts = groups[(groups["frame"] == "day") & (groups["group"] != ALL_ROWS)]
    assert parts["n"].sum() == len(day)
    assert "sex=(missing)" in set(parts["group"])


def test_consistency_sees_one_hot_features_as_aif360s_data_sets_do() -> None:
    frame = baselines(REFERENCE, DAY1, ["consistency"], schema=SCHEMA, neighbour_rows=None).to_frame()
    features = pd.get_dummies(DAY1[["sex", "origin", "skill", "city"]])
    columns = ["sex_F", "sex_M", "origin_north", "origin_south", "origin_west", "skill", "city_A", "city_B", "city_C"]
    expected = consistency(features[columns].to_numpy(dtype=float), (DAY1["advised"] == "yes").to_numpy())
    assert_allclose(frame.loc[0, "value"], expected, atol=1e-12)
    codes = baselines(REFERENCE, DAY1, ["consistency"], schema=SCHEMA, neighbour_rows=None, encoding="codes").to_frame()
    labels = DAY1[["sex", "origin", "skill", "city"]].apply(lambda c: c if c.name == "skill" else c.astype("category").cat.codes)
    assert_allclose(
        codes.loc[0, "value"], consistency(labels.to_numpy(dtype=float), (DAY1["advised"] == "yes").to_numpy()), atol=1e-12
    )


def test_row_order_and_metric_choice_change_no_number() -> None:
    names = ["statistical_parity_difference", "average_odds_difference", "roc_auc", "qdd", "disparate_impact"]
    whole = baselines(REFERENCE, DAY2, schema=SCHEMA).to_frame().set_index("metric").loc[names]
    shuffled = DAY2.sample(frac=1, random_state=0)
    part = baselines(REFERENCE, shuffled, names, schema=SCHEMA).to_frame().set_index("metric")
    numbers = ["value", "low", "high", "value_a", "value_b"]
    assert_allclose(part[numbers], whole[numbers])


def test_other_lines() -> None:
    row = baselines(REFERENCE, DAY2, "disparate_impact", schema=SCHEMA, thresholds={"disparate_impact": 0.01}).to_frame().iloc[0]
    assert (row["threshold"], row["verdict"]) == (0.01, "no_evidence")
    with pytest.raises(SettingsError, match="line of disparate_impact"):
        baselines(REFERENCE, DAY2, schema=SCHEMA, thresholds={"disparate_impact": 0})


def test_wrong_names() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'disparate_impact'"):
        baselines(REFERENCE, DAY1, ["disparate_impct"], schema=SCHEMA)
    with pytest.raises(UnknownNameError, match="contrast"):
        baselines(REFERENCE, DAY1, contrast="groups", schema=SCHEMA)
    with pytest.raises(UnknownNameError, match="encoding"):
        baselines(REFERENCE, DAY1, encoding="dummy", schema=SCHEMA)  # type: ignore[arg-type]


def test_progress_and_cancel() -> None:
    seen: list[tuple[int, int]] = []
    baselines(REFERENCE, DAYS, ["qdd", "accuracy"], schema=SCHEMA, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(CancelledError):
        baselines(REFERENCE, DAYS, schema=SCHEMA, cancel=lambda: True)


def test_results_copy_pickle_and_become_json() -> None:
    result = baselines(REFERENCE, DAYS, schema=SCHEMA, **FAST)
    changed = result.to_frame()
    changed.loc[0, "value"] = 99
    assert result.to_frame().loc[0, "value"] != 99
    again = pickle.loads(pickle.dumps(result))
    pd.testing.assert_frame_equal(again.to_frame(), result.to_frame())
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(plain["baselines"]) == len(result.to_frame())
    assert plain["provenance"]["settings"]["seed"] == 0
    assert plain["provenance"]["outcome"]["day1"] == {"column": "advised", "decision_threshold": None}
    repeated = baselines(REFERENCE, DAYS, schema=SCHEMA, **FAST)
    pd.testing.assert_frame_equal(repeated.to_frame(), result.to_frame())
    assert "<img" not in baselines(REFERENCE, {"<img src=x>": DAY1}, "qdd", schema=SCHEMA)._repr_html_()


def test_a_ratio_without_an_upper_limit_says_so() -> None:
    reference = REFERENCE.copy()
    reference["advised"] = np.where(np.arange(len(reference)) == 0, "yes", "no")
    result = baselines(reference, DAY1, "disparate_impact", schema=SCHEMA)
    row = result.to_frame().iloc[0]
    assert row["low"] > 1
    assert np.isnan(row["high"])
    assert row["note"] == "The interval has no upper limit."
    assert row["verdict"] == "disparity"
    json.dumps(result.to_dict(), allow_nan=False)


def test_inputs_stay_as_they_were() -> None:
    reference, day = REFERENCE.copy(), DAY1.copy()
    baselines(reference, day, schema=SCHEMA, **FAST)
    pd.testing.assert_frame_equal(reference, REFERENCE)
    pd.testing.assert_frame_equal(day, DAY1)


def test_impact_ratio_table() -> None:
    frames = check_frames(REFERENCE, DAYS, SCHEMA | {"sensitive_features": ("sex", "origin")})
    table = impact_ratio_table(frames, frames.targets[1]).to_frame()
    assert table["partition"].unique().tolist() == ["sex", "origin", "sex & origin"]
    share = (DAY2["advised"] == "yes").groupby(DAY2["sex"]).mean()
    row = table.set_index("category").loc["F"]
    assert_allclose([row["rate"], row["impact_ratio"]], [share["F"], share["F"] / share["M"]])
    assert row["below_four_fifths"]
    no_outcome = check_frames(REFERENCE[["sex", "skill"]], DAY1[["sex", "skill"]], {"sensitive_features": ("sex",)})
    with pytest.raises(SettingsError, match="There is no prediction"):
        impact_ratio_table(no_outcome, no_outcome.reference)


def test_a_handful_of_rows_is_no_yardstick_for_impact_ratios() -> None:
    data = pd.DataFrame({"sex": ["f"] * 400 + ["m"] * 500 + ["x"] * 10, "advised": ["yes", "no"] * 450 + ["yes"] * 10})
    frames = check_frames(data, data, {"sensitive_features": ("sex",), "prediction": "advised", "pos_label": "yes"})
    ratios = impact_ratio_table(frames, frames.reference).to_frame().set_index("category")
    assert ratios.loc["f", "impact_ratio"] == 1 and not ratios["below_four_fifths"].any()
    assert np.isnan(ratios.loc["x", "impact_ratio"]) and "Fewer than 2%" in ratios.loc["x", "note"]
    everyone = impact_ratio_table(frames, frames.reference, min_share=0.0).to_frame().set_index("category")
    assert everyone.loc["f", "impact_ratio"] == 0.5


def test_repeated_calls_keep_nothing_alive() -> None:
    kept = []
    for _ in range(5):
        frames = check_frames(REFERENCE, DAYS, SCHEMA)
        result = baselines(frames.reference, list(frames.targets), **FAST)
        kept += [weakref.ref(frames.targets[0]), weakref.ref(result)]
        del frames, result
    gc.collect()
    assert not [ref for ref in kept if ref() is not None]


def test_importing_and_using_it_loads_no_aif360_and_leaves_the_root_logger_alone() -> None:
    code = (
        "import sys, logging; from fairaudit.baselines import Side, measure;"
        "assert 'sklearn' not in sys.modules, 'sklearn';"
        "measure('accuracy', Side.of('a', y_true=[1, 0], y_pred=[1, 1]), Side.of('b', y_true=[1, 0], y_pred=[1, 0]));"
        "assert 'aif360' not in sys.modules; assert not logging.getLogger().handlers"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not [h for h in logging.getLogger().handlers if "aif360" in repr(h)]


def test_group_rates_of_labels_that_only_the_selected_have() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["F", "M"], 400), "decision": rng.choice(["advance", "reject"], 400)})
    frame["hired"] = np.where(frame["decision"] == "reject", None, rng.choice(["yes", "no"], 400))
    schema = {"label": "hired", "prediction": "decision", "pos_label": ("yes", "advance"), "sensitive_features": ("sex",)}
    groups = baselines(frame, {}, schema=schema, contrast="group_vs_reference_group").groups().set_index("group")
    assert groups[["tpr", "fpr", "fnr", "accuracy"]].isna().all(axis=None)
    assert groups["note"].str.contains("known only for rows that were selected").all()
    women = frame[(frame["sex"] == "F") & (frame["decision"] == "advance")]
    assert groups.loc["sex=F", "precision"] == (women["hired"] == "yes").mean()
    assert groups.loc["sex=F", "selection_rate"] == (frame.loc[frame["sex"] == "F", "decision"] == "advance").mean()
