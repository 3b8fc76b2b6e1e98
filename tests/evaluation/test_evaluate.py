"""The experiment as a whole: what comes out, that it can be stopped, continued and spread over workers."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.errors import FairAuditError, NotMeasurableError, SettingsError, UnknownNameError
from fairaudit.evaluation import TEST_METRICS, EvaluationResult, estimate_seconds, evaluate
from fairaudit.mitigation import MITIGATIONS
from tests.evaluation.conftest import LABEL_BIAS, World

METHODS = MITIGATIONS.names()
QUICK: dict[str, Any] = {"mitigations": ("none", "eop", "roc_spd"), "folds": 3}


def same(a: EvaluationResult, b: EvaluationResult) -> None:
    """Equal to the last digit, notes included."""
    pd.testing.assert_frame_equal(a.to_frame(), b.to_frame(), check_exact=True)
    pd.testing.assert_frame_equal(a.levels, b.levels, check_exact=True)


def test_result_is_tidy(result: EvaluationResult) -> None:
    frame = result.to_frame()
    assert list(frame.columns) == ["level", "fold", "model", "mitigation", "test_set", "metric", "value", "note"]
    assert len(frame) == 2 * 4 * len(METHODS) * 2 * len(TEST_METRICS)
    assert not frame.duplicated(["level", "fold", "model", "mitigation", "test_set", "metric"]).any()
    assert tuple(frame["mitigation"].unique()) == METHODS
    assert tuple(frame["metric"].unique()) == TEST_METRICS.names()
    assert result.complete
    assert (result.units_done, result.units_total) == (8, 8)
    assert (frame.loc[frame["value"].isna(), "note"] != "").all()
    for spec in TEST_METRICS:
        values = frame.loc[frame["metric"] == spec.name, "value"].dropna()
        assert values.between(*spec.range).all(), spec.name


def test_level_0_is_the_fair_table(result: EvaluationResult) -> None:
    frame = result.to_frame()
    fair, biased = (frame[(frame["level"] == 0) & (frame["test_set"] == s)].reset_index(drop=True) for s in ("fair", "biased"))
    pd.testing.assert_frame_equal(fair.drop(columns="test_set"), biased.drop(columns="test_set"))


def test_label_bias_in_the_test_set_distorts_only_what_looks_at_labels(result: EvaluationResult) -> None:
    table = result.fair_against_biased()
    biased = table[table["level"] == 0.4]
    for spec in TEST_METRICS:
        gaps = biased.loc[biased["metric"] == spec.name, "difference"].abs()
        if spec.uses_labels:
            assert gaps.max() > 0.01, spec.name
        else:
            assert gaps.max() == 0, spec.name


def test_label_bias_hurts_the_unmitigated_model_and_a_biased_test_set_hides_it(result: EvaluationResult) -> None:
    mean = result.summary().set_index(["level", "mitigation", "test_set", "metric"])["mean"]
    assert mean[0.4, "none", "fair", "accuracy"] < mean[0, "none", "fair", "accuracy"] - 0.05
    assert mean[0.4, "none", "biased", "accuracy"] > mean[0.4, "none", "fair", "accuracy"] + 0.05
    assert mean[0.4, "none", "fair", "statistical_parity_difference"] < -0.2


def test_summary_is_mean_and_spread_over_folds(result: EvaluationResult) -> None:
    summary, frame = result.summary(), result.to_frame()
    assert list(summary.columns) == ["level", "model", "mitigation", "test_set", "metric", "mean", "std", "n_ok", "n_folds"]
    cell = summary.iloc[57]
    values = frame[
        (frame["level"] == cell["level"])
        & (frame["mitigation"] == cell["mitigation"])
        & (frame["test_set"] == cell["test_set"])
        & (frame["metric"] == cell["metric"])
    ]["value"]
    assert (len(values), cell["n_folds"], cell["n_ok"]) == (4, 4, values.notna().sum())
    assert cell["mean"] == pytest.approx(values.mean())
    assert cell["std"] == pytest.approx(np.std(values, ddof=1))


def test_unawareness_never_uses_the_attribute(result: EvaluationResult) -> None:
    frame = result.to_frame()
    usage = frame[frame["metric"] == "sensitive_usage"]
    assert (usage.loc[usage["mitigation"] == "ftu", "value"] == 0).all()
    assert usage.loc[(usage["mitigation"] == "none") & (usage["level"] == 0.4), "value"].max() == 1


def test_post_processing_keeps_the_scores_of_the_model(result: EvaluationResult) -> None:
    frame = result.to_frame()
    auc = frame[frame["metric"] == "roc_auc"].pivot(index=["level", "fold", "test_set"], columns="mitigation", values="value")
    for method in ("roc_spd", "roc_eqop", "roc_avod"):
        there = auc[method].notna()
        assert there.any()
        np.testing.assert_array_equal(auc.loc[there, method], auc.loc[there, "none"])


def test_seed_decides(world: World) -> None:
    a, b, c = (world.run(seed=s, **QUICK) for s in (1, 1, 2))
    same(a, b)
    assert not a.to_frame()["value"].equals(c.to_frame()["value"])


def test_a_smaller_grid_gives_the_same_numbers(world: World) -> None:
    wide = world.run(levels=(0, 0.2, 0.4), models=("random_forest", "decision_tree"), **QUICK).to_frame()
    narrow = world.run(levels=0.4, models="decision_tree", mitigations=("eop",), folds=3).to_frame()
    part = wide[(wide["level"] == 0.4) & (wide["model"] == "decision_tree") & (wide["mitigation"] == "eop")]
    pd.testing.assert_frame_equal(part.reset_index(drop=True), narrow, check_exact=True)


def test_two_processes_give_the_same_numbers(world: World) -> None:
    same(world.run(**QUICK), world.run(n_jobs=2, **QUICK))


def test_a_dask_cluster_gives_the_same_numbers(world: World, dask_cluster: Any) -> None:
    same(world.run(**QUICK), world.run(scheduler=dask_cluster.scheduler_address, **QUICK))
    assert dask_cluster.scheduler.transition_counter > 0


def test_no_scheduler_at_the_address_is_a_sentence(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairaudit.evaluation.scheduling.CONNECT_SECONDS", 1)
    with pytest.raises(SettingsError, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        world.run(scheduler="tcp://127.0.0.1:9", **QUICK)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cancel_leaves_a_usable_partial_result_that_can_be_continued(world: World, n_jobs: int) -> None:
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        seen.append((done, total))

    partial = world.run(n_jobs=n_jobs, progress=progress, cancel=lambda: len(seen) > 2, **QUICK)
    assert seen == [(0, 6), (1, 6), (2, 6)]
    assert not partial.complete
    assert (partial.units_done, partial.units_total) == (2, 6)
    assert len(partial.summary()) > 0
    assert "stopped before its end" in partial.interpretation()[0]
    saved = EvaluationResult.from_dict(json.loads(json.dumps(partial.to_dict())))

    seen.clear()
    whole = world.run(progress=progress, resume=saved, **QUICK)
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert whole.complete
    same(whole, world.run(**QUICK))


def test_cancel_before_the_start_computes_nothing(world: World) -> None:
    result = world.run(cancel=lambda: True, **QUICK)
    assert (result.units_done, len(result.to_frame())) == (0, 0)
    assert result.summary().empty
    assert result.method_summary().empty


def test_a_finished_run_can_be_extended(world: World) -> None:
    small = world.run(levels=(0,), mitigations=("none",), folds=3)
    same(world.run(resume=small, **QUICK), world.run(**QUICK))


@pytest.mark.parametrize("change", [{"seed": 9}, {"folds": 5}, {"stratified": True}, {"train_on": "privileged"}])
def test_another_experiment_cannot_be_continued(world: World, change: dict[str, Any]) -> None:
    small = world.run(levels=(0,), mitigations=("none",), folds=3)
    with pytest.raises(SettingsError, match=f"cannot be continued.*{next(iter(change))}"):
        world.run(**{"resume": small, **QUICK, **change})


def test_another_table_cannot_be_continued(world: World) -> None:
    small = world.run(levels=(0,), mitigations=("none",), folds=3)
    other = World(world.data.iloc[1:], world.schema)
    with pytest.raises(SettingsError, match="differ from when it was started: table"):
        other.run(resume=small, **QUICK)


def test_result_survives_pickling_and_json(result: EvaluationResult) -> None:
    same(result, pickle.loads(pickle.dumps(result)))
    same(result, EvaluationResult.from_dict(json.loads(json.dumps(result.to_dict()))))
    with pytest.raises(SettingsError, match="lacks the entry values"):
        EvaluationResult.from_dict({k: v for k, v in result.to_dict().items() if k != "values"})


def test_both_engines_say_what_a_validation_fold_lacks(world: World) -> None:
    choices: dict[str, Any] = {"levels": 1.0, "folds": 6, "mitigations": ("eop",)}
    ours, theirs = world.run(**choices).to_frame(), world.run(engine="aif360", **choices).to_frame()
    failed = ours["note"].str.contains("has no favourable label in the validation fold")
    assert failed.any() and not failed.all()
    pd.testing.assert_frame_equal(ours[failed], theirs[failed])


def test_both_engines_agree(world: World) -> None:
    choices = {"mitigations": ("none", "reweighing", "massaging", "ceo"), "folds": 3}
    ours, theirs = world.run(**choices).to_frame(), world.run(engine="aif360", **choices).to_frame()
    exact = ours["mitigation"] != "ceo"
    pd.testing.assert_frame_equal(ours[exact], theirs[exact])
    # Whose score is withheld is drawn differently, the share is the same.
    assert theirs.loc[~exact, "value"].notna().any()


def test_failed_methods_say_why(world: World) -> None:
    frame = world.run(levels=1.0, folds=6).to_frame()
    eop = frame[(frame["mitigation"] == "eop") & (frame["metric"] == "accuracy")]
    failed = eop[eop["value"].isna()]
    assert len(failed)
    assert set(failed["note"]) == {"the unprivileged group has no favourable label in the validation fold"}
    whole = world.run(levels=1.0, folds=6)
    failures = whole.failures().set_index("mitigation")
    assert failures.loc["eop", "n_failed"] == len(failed) / 2
    assert any("“equalized odds” gave no result on" in s for s in whole.interpretation())


@pytest.mark.parametrize("kind", ["random_selection", "self_selection", "malicious_selection", "uniform_undersampling"])
def test_selection_biases(world: World, kind: str) -> None:
    result = world.run({"kind": kind, "group": {"sex": "M"}}, levels=(0, 0.5, 1), folds=None, mitigations=("none", "reweighing"))
    assert result.settings.folds == 5
    assert result.levels["rows"].is_monotonic_decreasing
    assert result.levels["labels_to_unfavourable"].sum() == 0
    removed = result.levels["rows_removed"].tolist()
    step = (world.data["sex"] == "M").sum() // 10
    if kind != "malicious_selection":  # which runs out of privileged rows with an unfavourable label
        assert removed == [0, 5 * step, 10 * step]
    last = result.to_frame().query("level == 1 and test_set == 'biased' and metric == 'statistical_parity_difference'")
    gone = last[last["value"].isna()]
    assert set(gone["note"]) <= {"the unprivileged group of the test set has no row"}
    assert len(gone) or kind not in ("random_selection", "self_selection")
    fair = result.to_frame().query("level == 1 and test_set == 'fair' and metric == 'statistical_parity_difference'")
    assert fair["value"].notna().all()


def test_leaving_the_unprivileged_group_out_of_training(world: World) -> None:
    bias = {"kind": "malicious_selection", "group": {"sex": "M"}}
    frame = world.run(bias, train_on="privileged", levels=(0, 0.9), mitigations="none").to_frame()
    assert (frame.loc[frame["metric"] == "sensitive_usage", "value"] == 0).all()
    rows = frame[(frame["test_set"] == "fair") & (frame["metric"] == "statistical_parity_difference")]
    assert rows["value"].notna().all()


def test_a_bias_in_the_features(world: World) -> None:
    bias = {"kind": "scale", "group": {"sex": "M"}, "column": "quiz_average", "factor": 0.2}
    table = world.run(bias, levels=(0, 1), mitigations="none").fair_against_biased()
    assert (table.loc[table["level"] == 0, "difference"] == 0).all()
    moved = table[(table["level"] == 1) & (table["metric"] == "accuracy")]
    assert moved["difference"].abs().max() > 0


def test_label_without_a_score_turns_by_flips(world: World) -> None:
    plain = World(world.data.drop(columns="final_score"), world.schema.with_(score=None, decision_threshold=None, types=()))
    result = plain.run({"kind": "label", "group": {"sex": "M"}}, mitigations="none", levels=(0, 0.5))
    turned = result.levels.set_index("level")["labels_to_unfavourable"]
    men_passing = ((world.data["sex"] == "M") & (world.data["passed"] == "yes")).sum()
    assert turned[0.5] == pytest.approx(men_passing / 2, abs=1)


@pytest.mark.parametrize("model", ["random_forest", "mlp"])
def test_every_model_runs(world: World, model: str) -> None:
    frame = world.run(models=model, mitigations=("none", "reweighing"), folds=3, levels=0.4).to_frame()
    accuracy = frame[(frame["metric"] == "accuracy") & (frame["test_set"] == "biased")]
    assert accuracy["value"].min() > 0.6
    usage = frame[frame["metric"] == "sensitive_usage"]
    if model == "mlp":
        assert usage["value"].isna().all()
        assert all("not made of trees" in note for note in usage["note"])
    else:
        assert usage["value"].between(0, 1).all()


def test_estimate_of_the_time(world: World) -> None:
    seconds = estimate_seconds(world.data, world.schema, LABEL_BIAS, levels=(0, 0.4), models="decision_tree", folds=4)
    assert 0.01 < seconds < 60


def test_provenance_says_what_was_done(result: EvaluationResult) -> None:
    assert result.provenance["unprivileged"] == "sex is M"
    assert result.provenance["features"][-1] == "unprivileged"
    assert not {"final_score", "passed"} & set(result.provenance["features"])
    assert result.settings.to_dict()["injection"]["noise"] == 0.1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"levels": ()}, "No level is given"),
        ({"levels": (0, 1.5)}, "number from 0 to 1. Got 1.5"),
        ({"folds": 2}, "number of folds must be a whole number of 3 or more. Got 2"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"models": ()}, "No model is chosen"),
        ({"n_jobs": 0}, "number of processes must be 1 or more"),
        ({"injection": None}, "No bias is named"),
    ],
)
def test_bad_settings_are_sentences(world: World, changes: dict[str, Any], problem: str) -> None:
    choices: dict[str, Any] = {"injection": LABEL_BIAS, "levels": 0, "mitigations": "none", "models": "decision_tree", "folds": 3}
    with pytest.raises(SettingsError, match=problem):
        evaluate(world.data, world.schema, **{**choices, **changes})


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"models": "random_forrest"}, "Did you mean 'random_forest'"),
        ({"mitigations": "reweighting"}, "Did you mean 'reweighing'"),
        ({"engine": "r"}, "no engine named"),
        ({"train_on": "men"}, "no choice of training rows named"),
        ({"injection": {"kind": "labels"}}, "Did you mean 'label'"),
        ({"injection": {"kind": "label", "group": {"sex": "X"}}}, "no value of the group column 'sex' named 'X'"),
    ],
)
def test_unknown_names_are_sentences(world: World, changes: dict[str, Any], problem: str) -> None:
    choices: dict[str, Any] = {"injection": LABEL_BIAS, "levels": 0, "mitigations": "none", "models": "decision_tree", "folds": 3}
    with pytest.raises(UnknownNameError, match=problem):
        evaluate(world.data, world.schema, **{**choices, **changes})


def test_tables_without_an_answer_are_sentences(world: World) -> None:
    men = World(world.data[world.data["sex"] == "M"], world.schema)
    with pytest.raises(FairAuditError):
        men.run()
    few = World(pd.concat([world.data[world.data["sex"] == "F"], world.data[world.data["sex"] == "M"].head(2)]), world.schema)
    with pytest.raises(NotMeasurableError, match="The unprivileged group has 2 rows"):
        few.run()
    passing = World(world.data[world.data["passed"] == "yes"], world.schema)
    with pytest.raises(NotMeasurableError, match="All labels of the fair table are the same"):
        passing.run()
