"""Detectability curves: false alarms, common random numbers, workers, cancelling, and agreement with the audit itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.baselines import baselines_of_frames
from fairaudit.detectability import (
    CURVE_COLUMNS,
    DETECTORS,
    DetectabilityResult,
    Entry,
    FunctionDetector,
    Reading,
    deal,
    detectability,
    engine,
    named_detectors,
    plant,
    proposed_detectors,
)
from fairaudit.errors import CancelledError, FairAuditError, NotMeasurableError, SettingsError, UnknownNameError
from fairaudit.injection import as_injections, inject
from fairaudit.qmad import audit_frames
from fairaudit.schema import AuditTable, Frames
from fairaudit.validation import check_frames, check_table

BIAS = {"kind": "set_value", "group": {"sex": "F"}, "column": "degree", "value": "no"}
SCHEMA: dict[str, Any] = {
    "prediction": "hired",
    "pos_label": "yes",
    "sensitive_features": ("sex",),
    "types": {"sex": "binary", "degree": "binary", "pay": "numeric", "hired": "binary"},
}


def people(n: int = 800, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n),
            "degree": rng.choice(["yes", "no"], n, p=[0.4, 0.6]),
            "pay": rng.normal(50, 10, n),
            "hired": rng.choice(["yes", "no"], n, p=[0.3, 0.7]),
        }
    )


@pytest.fixture(scope="module")
def table() -> AuditTable:
    return check_table(people(), SCHEMA)


def share_without_degree(frames: Frames) -> tuple[float, bool | None]:
    """A detector with a known answer: how much rarer the degree is in the target."""
    rates = [float((t.data["degree"] == "yes").mean()) for t in frames.tables]
    gap = rates[0] - rates[1]
    return gap, gap > 0.1


GAP = FunctionDetector(Entry("gap", "Gap of the degree", "more than 10 points"), share_without_degree)


def test_curve_rises_with_the_strength_and_starts_at_the_false_alarms(table: AuditTable) -> None:
    result = detectability(table, BIAS, [GAP, "rom-arithmetic"], repeats=20)
    curves = result.to_frame()
    assert list(curves.columns) == list(CURVE_COLUMNS)
    gap = curves[curves["detector"] == "gap"]
    # Half of the rows are women and 40 % have the degree, so at full strength 20 points of it go; with a planted share of s it is 20 s.
    np.testing.assert_allclose(gap["mean_value"], 0.2 * gap["strength"], atol=0.02)
    assert gap["flag_rate"].iloc[0] <= 0.05
    assert gap["flag_rate"].iloc[-1] == 1
    assert gap["mean_value"].is_monotonic_increasing
    assert (gap["low"] <= gap["flag_rate"]).all()
    assert (gap["flag_rate"] <= gap["high"]).all()
    assert (curves["repeats"] == 20).all()
    rom = curves[curves["detector"] == "rom-arithmetic"]
    assert rom["mean_value"].iloc[-1] == pytest.approx(0.5, abs=0.05)
    first = result.first_reaching(0.8).set_index("detector")
    tried = gap[(gap["strength"] > 0) & (gap["flag_rate"] >= 0.8)]
    assert first.loc["gap", "strength"] == tried["strength"].min()
    assert first.loc["gap", "false_alarm_rate"] == gap["flag_rate"].iloc[0]


def test_rates_and_intervals_by_hand() -> None:
    flags = {0.0: [0, 0, 0, 1], 0.5: [1, 1, 1, 0], 1.0: [1, 1, 1, 1]}
    readings = pd.DataFrame(
        [("d", strength, r, value, flags[strength][r], "") for strength in flags for r, value in enumerate((1, 2, 3, 6))],
        columns=["detector", "strength", "repeat", "value", "flag", "note"],
    ).astype({"flag": "boolean", "value": float})
    readings.loc[11, ["flag", "value", "note"]] = [pd.NA, np.nan, "too few rows"]
    result = DetectabilityResult((Entry("d", "D", "rule"),), (0.0, 0.5, 1.0), 4, 4, readings, {})
    curves = result.to_frame()
    assert curves["flag_rate"].tolist() == [0.25, 0.75, 1.0]
    assert curves["repeats"].tolist() == [4, 4, 3]
    assert curves["not_measurable"].tolist() == [0, 0, 1]
    assert curves["mean_value"].tolist() == [3.0, 3.0, 2.0]
    assert curves["note"].tolist() == ["", "", "too few rows"]
    # Wilson for 3 of 4, z = 1.96: (0.75 + z2 / 8 -+ z sqrt(0.75 * 0.25 / 4 + z2 / 64)) / (1 + z2 / 4).
    assert curves.loc[1, ["low", "high"]].tolist() == pytest.approx([0.3006, 0.9544], abs=1e-4)
    assert result.first_reaching(0.75)["strength"].tolist() == [0.5]
    assert result.first_reaching()["strength"].tolist() == [1.0]
    assert result.first_reaching(0.2)["note"].str.contains("without any bias").all()
    assert result.to_dict()["curves"][2]["not_measurable"] == 1


def test_strengths_share_deal_and_random_numbers(table: AuditTable) -> None:
    few = detectability(table, BIAS, [GAP], strengths=(0, 1), repeats=4, seed=3)
    many = detectability(table, BIAS, [GAP, "ks-harmonic"], strengths=(0, 0.3, 0.7, 1), repeats=6, seed=3)
    own = many.readings[
        (many.readings["detector"] == "gap") & many.readings["strength"].isin([0, 1]) & (many.readings["repeat"] < 4)
    ]
    pd.testing.assert_frame_equal(own.reset_index(drop=True), few.readings)
    values = many.readings[many.readings["detector"] == "gap"].pivot(index="repeat", columns="strength", values="value")
    assert (np.diff(values.to_numpy(), axis=1) > 0).all()
    other = detectability(table, BIAS, [GAP], strengths=(0, 1), repeats=4, seed=4)
    assert not other.readings.equals(few.readings)


def test_same_numbers_for_any_number_of_workers(table: AuditTable) -> None:
    names = ["ks-harmonic", "statistical_parity_difference", "consistency"]
    runs = [detectability(table, BIAS, names, strengths=(0, 1), repeats=3, n_jobs=n) for n in (1, 2)]
    pd.testing.assert_frame_equal(runs[0].readings, runs[1].readings)
    pd.testing.assert_frame_equal(runs[0].to_frame(), runs[1].to_frame())


def test_split_shares_no_row_and_bootstrap_keeps_the_reference(table: AuditTable) -> None:
    reference, target = deal(table, "split", 300, np.random.default_rng(0))
    assert (len(reference), len(target)) == (500, 300)
    together = pd.concat([reference.data, target.data])["pay"].sort_values().to_numpy()
    np.testing.assert_array_equal(together, table.data["pay"].sort_values().to_numpy())
    whole, drawn = deal(table, "bootstrap", 900, np.random.default_rng(0))
    assert whole is table
    assert len(drawn) == 900
    assert set(drawn.data["pay"]) <= set(table.data["pay"])
    result = detectability(table, BIAS, [GAP], strengths=(0, 1), repeats=2, scheme="bootstrap")
    assert result.provenance["target_rows"] == 800


def test_planting_scales_the_stack(table: AuditTable) -> None:
    steps = as_injections([{**BIAS, "strength": 0.5}, {"kind": "shift", "column": "pay", "amount": 5}])
    half = plant(table, steps, 0.5, seed=9)
    pd.testing.assert_frame_equal(half, inject(table, [steps[0].at(0.25), steps[1].at(0.5)], seed=9).table.data)
    pd.testing.assert_frame_equal(plant(table, steps, 0.0, seed=9), table.data)


@pytest.mark.parametrize("contrast", ["frame_vs_reference", "within_group", "group_vs_reference_group"])
def test_named_detectors_say_what_audit_and_baselines_say(table: AuditTable, contrast: str) -> None:
    frames = check_frames(table, inject(table, [BIAS]).table)
    pairs = named_detectors(["rom-arithmetic", "ks-harmonic"], attributes=["degree", "pay"], contrast=contrast)
    for detector in pairs:
        audited = audit_frames(frames, detector.settings).attributes()  # type: ignore[attr-defined]
        (reading,) = detector.measure(frames, 0)
        extreme = audited["score"].max() if detector.entries[0].name == "rom-arithmetic" else audited["score"].min()
        assert reading.value == extreme
        assert reading.flag == bool(audited["paper_flag"].any())
    (metrics,) = named_detectors(["disparate_impact", "statistical_parity_difference"], contrast=contrast)
    settings = metrics.settings  # type: ignore[attr-defined]
    measured = baselines_of_frames(frames, settings).to_frame()
    for entry, reading in zip(metrics.entries, metrics.measure(frames, 0), strict=True):
        own = measured[measured["metric"] == entry.name]
        assert reading.value in own["value"].tolist()
        assert reading.flag == bool((own["verdict"] == "disparity").any())


def test_columns_that_are_looked_at_by_default(table: AuditTable, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    real = engine.named_detectors

    def spy(names: Any, **how: Any) -> Any:
        seen.append(how["attributes"])
        return real(names, **how)

    monkeypatch.setattr(engine, "named_detectors", spy)
    detectability(table, BIAS, ["ks-harmonic"], strengths=(1,), repeats=1)
    detectability(table, {"kind": "random_selection", "group": {"sex": "F"}}, ["ks-harmonic"], strengths=(1,), repeats=1)
    detectability(table, BIAS, ["ks-harmonic"], strengths=(1,), repeats=1, attributes=["pay"])
    assert seen == [("degree",), None, ("pay",)]


def test_predictions_can_follow_the_biased_features(table: AuditTable) -> None:
    def predict(data: pd.DataFrame) -> pd.DataFrame:
        return data.assign(hired=data["degree"].astype(str).astype(data["hired"].dtype))

    kept = detectability(table, BIAS, ["statistical_parity_difference"], strengths=(0, 1), repeats=3).to_frame()
    again = detectability(table, BIAS, ["statistical_parity_difference"], strengths=(0, 1), repeats=3, predict=predict).to_frame()
    assert kept["mean_value"].iloc[0] == kept["mean_value"].iloc[1]
    assert again["mean_value"].iloc[1] < kept["mean_value"].iloc[1] - 0.05


def test_new_categories_and_removed_rows_are_compared(table: AuditTable) -> None:
    new = {"kind": "set_value", "group": {"sex": "F"}, "column": "degree", "value": "unknown", "allow_new": True}
    curves = detectability(table, new, ["ks-harmonic"], strengths=(0, 1), repeats=3).to_frame()
    assert curves["flag_rate"].tolist() == [0, 1]
    fewer = {"kind": "random_selection", "group": {"sex": "F"}}
    curves = detectability(table, fewer, ["rom-arithmetic"], strengths=(0, 1), repeats=3, attributes=["sex"]).to_frame()
    assert curves["mean_value"].iloc[1] > curves["mean_value"].iloc[0] + 0.2


def outcomes() -> AuditTable:
    """A table with a label, a prediction and a score."""
    rng = np.random.default_rng(8)
    data = people(600, 8).assign(score=rng.normal(50, 10, 600).round(1))
    data["paid"] = np.where(data["score"] + rng.normal(0, 8, 600) > 45, "yes", "no")
    roles = {"sensitive_features": ("sex",), "prediction": "hired", "label": "paid", "score": "score", "pos_label": "yes"}
    return check_table(data, roles)


LABELS = {"kind": "label", "strength": 0.6, "group": {"sex": "F"}, "threshold": 45.0}
LOOKS = ("ks-harmonic", "statistical_parity_difference", "consistency", "accuracy", "roc_auc")


def test_detectors_that_look_at_nothing_the_bias_changes_cannot_react() -> None:
    table = outcomes()
    result = detectability(table, LABELS, [*LOOKS, GAP], strengths=(0, 1), repeats=3)
    assert result.cannot_react == {
        "statistical_parity_difference": "hired is kept as it was",
        "consistency": "hired and the features are kept as they were",
    }
    # What is said about a curve holds for its numbers.
    values = result.readings.pivot(index=["detector", "repeat"], columns="strength", values="value")
    still = (values[0] == values[1]).groupby("detector").all()
    assert {name for name in LOOKS if still[name]} == set(result.cannot_react)
    first = result.first_reaching().set_index("detector")
    assert first.loc["statistical_parity_difference", "note"] == "It cannot react: hired is kept as it was."
    assert "cannot" not in first.loc["accuracy", "note"]
    assert result.to_dict()["cannot_react"] == result.cannot_react


@pytest.mark.parametrize(
    ("step", "how", "names"),
    [
        # The bias takes out rows, so everything moves.
        ({"kind": "random_selection", "group": {"sex": "F"}, "strength": 0.5}, {}, set()),
        # The pairs were told to look elsewhere.
        (LABELS, {"attributes": ("degree", "pay")}, {"ks-harmonic", "statistical_parity_difference", "consistency"}),
        # Who is in which group changes with the bias.
        ({"kind": "set_value", "column": "sex", "value": "F", "strength": 0.5}, {"contrast": "group_vs_reference_group"}, set()),
        (
            {"kind": "set_value", "column": "sex", "value": "F", "strength": 0.5},
            {},
            {"statistical_parity_difference", "accuracy", "roc_auc"},
        ),
        # A model carries the bias on.
        (
            BIAS,
            {"predict": lambda d: d.assign(hired=d["degree"].astype(str).astype(d["hired"].dtype))},
            {"roc_auc"},
        ),
        (BIAS, {"predict": lambda d: d}, {"statistical_parity_difference", "accuracy", "roc_auc"}),
    ],
)
def test_what_a_bias_reaches(step: dict[str, Any], how: dict[str, Any], names: set[str]) -> None:
    result = detectability(outcomes(), step, LOOKS, strengths=(0, 1), repeats=2, **how)
    assert set(result.cannot_react) == names
    values = result.readings.pivot(index=["detector", "repeat"], columns="strength", values="value")
    still = (values[0] == values[1]).groupby("detector").all()
    assert names <= set(still[still].index)


def test_metrics_that_move_are_proposed_those_with_a_new_flag_first() -> None:
    columns = ["metric", "group", "value", "verdict"]
    names = [
        "statistical_parity_difference",
        "disparate_impact",
        "equal_opportunity_difference",
        "equalized_odds_difference",
        "accuracy",
        "balanced_accuracy",
        "roc_auc",
        "theil_index",
    ]
    before = pd.DataFrame(
        [(name, "", 0.5, "no_evidence") for name in names] + [("qdd", "", np.nan, "not_measurable")], columns=columns
    )
    pairs = tuple(name for name in DETECTORS if "-" in name)
    assert proposed_detectors(before, before, changed=False) == DETECTORS
    assert proposed_detectors(before, before) == pairs
    labels = before.assign(value=[0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, np.nan])
    assert proposed_detectors(before, labels) == (*pairs, *names[2:6])
    labels.loc[7, "verdict"] = "disparity"
    assert proposed_detectors(before, labels) == (*pairs, *names[2:5], "theil_index")
    labels.loc[2:7, "verdict"] = "disparity"
    assert proposed_detectors(before, labels) == (*pairs, *names[2:8])
    every = labels.assign(value=[0.6] * 8 + [np.nan])
    assert len(proposed_detectors(before, every)) == len(pairs) + 6
    every["verdict"] = "no_evidence"
    assert proposed_detectors(before, every) == (*pairs, *names[:4])


@dataclass(frozen=True)
class Refuses:
    """A detector that cannot say anything."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        return (Entry("refuses", "Refuses", "never"),)

    def measure(self, frames: Frames, seed: int) -> tuple[Reading, ...]:
        raise NotMeasurableError("There is nothing to see.", "Look elsewhere.")


def test_a_detector_that_cannot_say_does_not_count_and_does_not_stop_the_others(table: AuditTable) -> None:
    result = detectability(table, BIAS, [Refuses(), GAP, "average_odds_difference"], strengths=(0, 1), repeats=2)
    curves = result.to_frame().set_index(["detector", "strength"])
    assert curves.loc[("refuses", 0.0), "not_measurable"] == 2
    assert np.isnan(curves.loc[("refuses", 1.0), "flag_rate"])
    assert "nothing to see" in curves.loc[("refuses", 0.0), "note"]
    assert curves.loc[("gap", 1.0), "repeats"] == 2
    # No label column: the metric says so in its note.
    assert curves.loc[("average_odds_difference", 0.0), "repeats"] == 0
    assert "label" in curves.loc[("average_odds_difference", 0.0), "note"]
    assert result.first_reaching().set_index("detector").loc["refuses", "note"] == "Not measurable."


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_and_cancel_keep_finished_repeats(table: AuditTable, n_jobs: int) -> None:
    steps: list[tuple[int, int]] = []
    full = detectability(table, BIAS, [GAP], strengths=(0, 0.5, 1), repeats=4, n_jobs=n_jobs, progress=lambda *d: steps.append(d))
    assert steps[-1] == (12, 12)
    assert steps == sorted(steps)
    assert full.note == ""

    def cancel() -> bool:
        return bool(steps) and steps[-1][0] >= 6

    steps.clear()
    part = detectability(
        table, BIAS, [GAP], strengths=(0, 0.5, 1), repeats=4, n_jobs=n_jobs, progress=lambda *d: steps.append(d), cancel=cancel
    )
    assert part.repeats == 2
    assert part.note == "Stopped after 2 of 4 repeats; the curves rest on those."
    pd.testing.assert_frame_equal(part.readings, full.readings[full.readings["repeat"] < 2])
    with pytest.raises(CancelledError):
        detectability(table, BIAS, [GAP], strengths=(0, 1), repeats=2, n_jobs=n_jobs, cancel=lambda: True)


def test_requests_that_make_no_sense(table: AuditTable) -> None:
    with pytest.raises(UnknownNameError, match="ks-harmonic"):
        detectability(table, BIAS, ["ks-harmonics"])
    with pytest.raises(SettingsError, match="No strength"):
        detectability(table, BIAS, strengths=())
    with pytest.raises(SettingsError, match="between 0 and 1"):
        detectability(table, BIAS, strengths=(2,))
    with pytest.raises(SettingsError, match="repeats"):
        detectability(table, BIAS, repeats=0)
    with pytest.raises(SettingsError, match="cannot be drawn"):
        detectability(table, BIAS, target_rows=800)
    with pytest.raises(SettingsError, match="No detector"):
        detectability(table, BIAS, [])
    with pytest.raises(SettingsError, match="named gap"):
        detectability(table, BIAS, [GAP, GAP])
    with pytest.raises(UnknownNameError, match="split"):
        detectability(table, BIAS, scheme="splits")  # type: ignore[arg-type]
    with pytest.raises(FairAuditError, match="'no'"):
        detectability(table, {**BIAS, "value": "nope"})


def test_frames_of_plain_data_are_checked_first() -> None:
    result = detectability(people(200), BIAS, [GAP], strengths=(1,), repeats=1, schema=SCHEMA)
    assert result.provenance["rows"] == 200
    assert result.to_frame()["flag_rate"].tolist() in ([0.0], [1.0])
