"""Calibrated verdicts: exact p-values, corrections, contrasts, and what the result says about itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairaudit.aggregation import aggregate
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS, compare_bins
from fairaudit.errors import CancelledError, SettingsError, UnknownNameError
from fairaudit.inference import calibrate, calibration, resampling
from fairaudit.inference.correction import Tail, holm_over_pairs, rank_p_values, westfall_young
from fairaudit.inference.nulls import PERMUTATION
from fairaudit.inference.pools import pair_seed, row_pool
from fairaudit.qmad import QmadSettings, audit, audit_frames
from fairaudit.reporting.words import summary
from fairaudit.schema import Frames, Schema
from fairaudit.validation import check_frames


def table(seed: int, n: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": rng.normal(shift, 1, n),
            "spend": np.round(np.clip(rng.normal(0.6, 1, n), 0, None), 2),
            "member": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
            "age": rng.integers(17, 91, n),
            "region": rng.choice(list("abcd"), n),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def frames(shift: float = 0.0, n: int = 200, schema: dict[str, Any] | None = None) -> Frames:
    return check_frames(table(1, n // 2), {"day 1": table(2, n), "day 2": table(3, n, shift)}, schema)


@pytest.fixture
def slow_copy() -> Iterator[str]:
    """The Brunner-Munzel test without its batch form."""
    facts = {k: v for k, v in vars(COMPARISONS["brunner_munzel"]).items() if k not in ("name", "function", "batch")}
    COMPARISONS.register(name="slow_copy", **facts)(COMPARISONS["brunner_munzel"].function)
    yield "slow_copy"
    COMPARISONS.unregister("slow_copy")


@pytest.mark.parametrize("binning", ["sequential", "quantile"])
def test_p_values_by_hand(binning: str) -> None:
    """Permute, cut, compare, aggregate, count, correct: each step from the plain functions."""
    data = frames(0.5, n=120)
    settings = QmadSettings(
        comparison="mann_whitney",
        aggregation="harmonic",
        binning=binning,
        bins=3,
        resamples=99,
        attributes=("height", "age"),
        seed=4,
    )
    result = calibrate(data, settings).attributes()
    cut = BINNINGS[binning].function
    ranks, comparable = [], []
    for frame in ("day 1", "day 2"):
        columns = []
        for attribute in settings.attributes or ():
            target = next(t for t in data.targets if t.name == frame).data[attribute].to_numpy()
            reference = data.reference.data[attribute].to_numpy()
            rows = row_pool(len(target), len(reference), 3 if binning == "sequential" else 1)
            pooled = np.concatenate([target, reference])[rows.rows]
            sides = rows.permutations(pair_seed(4, frame, "", PERMUTATION), 0, 99)

            def score(a: np.ndarray, b: np.ndarray) -> float:
                return aggregate("harmonic", compare_bins(COMPARISONS["mann_whitney"], cut(a, 3), cut(b, 3))[0])

            moved = [score(pooled[s == 1], pooled[s == 0]) for s in sides.T]
            columns.append([-score(target, reference), *(-m for m in moved)])
        extreme = np.array(columns).T
        ranks.append(rank_p_values(extreme, p_value=True))
        pairs = list(zip(extreme.T, ranks[-1].T, strict=True))
        comparable.append(np.stack([Tail.of(e, r, True).p_values(e, r) for e, r in pairs], axis=1))
    np.testing.assert_allclose(result["p_value"], np.concatenate([r[0] for r in ranks]))
    adjusted = holm_over_pairs([np.maximum(westfall_young(c), r[0]) for c, r in zip(comparable, ranks, strict=True)])
    np.testing.assert_allclose(result["p_adjusted"], np.concatenate(adjusted))


def test_function_without_batch_form_gives_the_same(slow_copy: str) -> None:
    data = frames(0.3, n=60)
    settings = QmadSettings(comparison="brunner_munzel", bins=2, resamples=19, attributes=("height", "member"))
    fast = calibrate(data, settings).attributes()
    slow = calibrate(data, replace(settings, comparison=slow_copy)).attributes()
    np.testing.assert_array_equal(fast["p_value"], slow["p_value"])
    np.testing.assert_array_equal(fast["p_adjusted"], slow["p_adjusted"])


@pytest.mark.parametrize("binning", ["sequential", "quantile"])
@pytest.mark.parametrize(
    ("comparison", "aggregation"), [("ks", "harmonic"), ("rom", "arithmetic"), ("mean_difference", "median")]
)
def test_a_planted_difference_is_found_and_others_are_not(comparison: str, aggregation: str, binning: str) -> None:
    data = check_frames(
        table(11, 400).assign(height=lambda t: t["height"] + 5), {"d": table(12, 800).assign(height=lambda t: t["height"] + 5.8)}
    )
    result = calibrate(data, QmadSettings(comparison=comparison, aggregation=aggregation, binning=binning, bins=5, resamples=199))
    found = result.attributes().set_index("attribute")
    assert found.loc["height", "verdict"] == "disparity"
    assert found.loc["height", "p_value"] == pytest.approx(1 / 200)
    assert (found.drop(index="height")["verdict"] == "no_evidence").all()


def test_signed_scores_count_in_both_directions() -> None:
    for shift in (-0.8, 0.8):
        data = check_frames(table(1, 200), {"d": table(2, 400, shift)})
        settings = QmadSettings(
            comparison="mean_difference", aggregation="arithmetic", bins=4, resamples=199, attributes=("height",)
        )
        row = calibrate(data, settings).attributes().iloc[0]
        assert np.sign(row["score"]) == np.sign(shift)
        assert row["p_value"] == pytest.approx(1 / 200)
        assert 0 < row["critical_score"] < abs(row["score"])


def test_verdict_is_the_corrected_p_value() -> None:
    result = calibrate(frames(0.4), QmadSettings(resamples=199, bins=5))
    for found in (result.attributes(), result.overall()):
        measured = found[found["p_adjusted"].notna()]
        assert ((measured["p_adjusted"] <= 0.05) == (measured["verdict"] == "disparity")).all()
        assert (measured["p_adjusted"] >= measured["p_value"]).all()
        assert measured["false_alarm_rate"].between(0, 1).all()
        assert measured["rule"].str.startswith("permutation p ≤ 0.05").all()
        assert (measured["paper_rule"] == "p < 0.05").all()


def test_critical_score_is_the_border_of_the_verdict() -> None:
    result = calibrate(frames(0.35), QmadSettings(resamples=399, bins=4, comparison="mann_whitney")).attributes()
    known = result[result["critical_score"].notna()]
    assert len(known) > 0
    assert ((known["score"] < known["critical_score"]) == (known["verdict"] == "disparity")).all()


def test_no_resamples_leave_the_papers_rule() -> None:
    result = audit(table(1, 100), {"d": table(2, 200)}, resamples=0)
    found = result.attributes()
    assert found["p_value"].isna().all() and found["p_adjusted"].isna().all()
    assert (found["n_resamples"] == 0).all()
    assert ((found["verdict"] == "disparity") == found["paper_flag"]).all()
    assert (found["rule"] == found["paper_rule"]).all()


def test_audit_calibrates_and_keeps_the_plain_numbers() -> None:
    data = frames(0.3)
    settings = QmadSettings(resamples=99, bins=4)
    whole, plain = audit_frames(data, settings), audit_frames(data, replace(settings, resamples=0))
    pd.testing.assert_frame_equal(whole.bins(), plain.bins())
    kept = ["frame", "group", "attribute", "comparison", "score", "paper_flag", "effect", "direction", "note"]
    pd.testing.assert_frame_equal(whole.attributes()[kept], plain.attributes()[kept])
    assert list(whole.attributes().columns) == list(plain.attributes().columns)
    assert whole.provenance["settings"]["resamples"] == 99
    given = calibrate(data, settings, plain)
    pd.testing.assert_frame_equal(given.attributes(), whole.attributes())
    pd.testing.assert_frame_equal(given.overall(), whole.overall())
    assert plain.attributes()["p_value"].isna().all(), "the plain result stays as it is"


def test_seed_decides() -> None:
    data = frames()
    first = calibrate(data, QmadSettings(resamples=99, bins=4, seed=1)).attributes()
    pd.testing.assert_frame_equal(first, calibrate(data, QmadSettings(resamples=99, bins=4, seed=1)).attributes())
    assert (first["p_value"] != calibrate(data, QmadSettings(resamples=99, bins=4, seed=2)).attributes()["p_value"]).any()


def test_p_values_of_a_frame_do_not_depend_on_the_others() -> None:
    settings = QmadSettings(resamples=99, bins=4)
    data = frames(0.2)
    both = calibrate(data, settings).attributes()
    alone = calibrate(Frames(data.reference, data.targets[1:]), settings).attributes()
    np.testing.assert_array_equal(both.loc[both["frame"] == "day 2", "p_value"], alone["p_value"])


def test_verdicts_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    data = frames(0.3)
    settings = QmadSettings(resamples=199, bins=4, comparison="ad")
    whole = calibrate(data, settings).attributes()
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 2000)
    monkeypatch.setattr("fairaudit.inference.nulls.LABEL_BYTES", 5000)
    pd.testing.assert_frame_equal(calibrate(data, settings).attributes(), whole)


@pytest.mark.parametrize("contrast", ["group_vs_reference_group", "within_group"])
def test_groups(contrast: str) -> None:
    def moved(seed: int, shift: float) -> pd.DataFrame:
        found = table(seed, 400)
        found.loc[found["sex"] == "f", "height"] += shift
        return found

    data = check_frames(moved(1, 0), {"d": moved(2, 1.0)}, {"sensitive_features": ("sex",), "reference_groups": {"sex": "m"}})
    result = calibrate(data, QmadSettings(contrast=contrast, bins=4, resamples=199)).attributes()  # type: ignore[arg-type]
    flagged = result[result["verdict"] == "disparity"]
    assert flagged["attribute"].tolist() == ["height"]
    assert flagged["frame"].tolist() == ["d"] and flagged["group"].tolist() == ["sex=f"]


def test_not_measurable_stays() -> None:
    reference = table(1, 100).assign(empty=np.nan, constant=1.0, other=2.0)
    target = table(2, 200).assign(empty=np.nan, constant=1.0, other=3.0)
    schema = Schema(types={"empty": "numeric", "constant": "numeric", "other": "numeric"})  # type: ignore[arg-type]
    result = calibrate(check_frames(reference, {"d": target}, schema), QmadSettings(comparison="ad", resamples=99, bins=4))
    found = result.attributes().set_index("attribute")
    assert found.loc["empty", "verdict"] == "not_measurable"
    assert np.isnan(found.loc["empty", "p_value"])
    assert found.loc["constant", "verdict"] == "no_evidence"
    assert np.isnan(found.loc["constant", "p_value"]) and "Identical" in found.loc["constant", "note"]
    assert found.loc["other", "p_value"] == pytest.approx(0.01)


def test_groups_that_are_too_small_stay_not_measurable() -> None:
    reference, target = table(1, 100), table(2, 200)
    target.loc[:3, "sex"] = "x"
    schema = {"sensitive_features": ("sex",), "reference_groups": {"sex": "m"}}
    result = calibrate(
        check_frames(reference, {"d": target}, schema), QmadSettings(contrast="within_group", resamples=19, bins=2)
    )  # type: ignore[arg-type]
    small = result.attributes().query("group == 'sex=x'")
    assert (small["verdict"] == "not_measurable").all() and (small["n_resamples"] == 0).all()


def test_early_stop_only_where_the_answer_is_clear() -> None:
    data = check_frames(table(1, 200), {"same": table(2, 400), "moved": table(3, 400, 0.6)})
    result = calibrate(data, QmadSettings(resamples=999, bins=4, attributes=("height",))).attributes().set_index("frame")
    assert result.loc["moved", "n_resamples"] == 999
    assert result.loc["same", "n_resamples"] < 999
    assert result.loc["same", "p_value"] > 0.05


def test_many_attributes_do_not_stop_too_early() -> None:
    """With 60 attributes one of 100 ranks is the smallest somewhere in almost every row: 99 permutations cannot flag anything."""
    rng = np.random.default_rng(0)
    reference = pd.DataFrame(rng.normal(size=(150, 60))).rename(columns=str)
    target = pd.DataFrame(rng.normal(size=(300, 60))).rename(columns=str)
    target["7"] += 0.7
    result = calibrate(check_frames(reference, {"d": target}), QmadSettings(resamples=999, bins=2, comparison="mann_whitney"))
    found = result.attributes().set_index("attribute")
    assert found.loc["7", "verdict"] == "disparity"


def test_too_few_permutations_are_a_finding() -> None:
    targets = {f"day {i}": table(i, 60, 3.0) for i in range(2, 6)}
    data = check_frames(table(1, 60), targets)
    few = calibrate(data, QmadSettings(resamples=78, bins=2, attributes=("height",)))
    finding = next(f for f in few.findings if f.code == "too_few_resamples")
    assert "at least 79 permutations" in finding.remedy
    assert (few.attributes()["verdict"] == "no_evidence").all()
    (sentence,) = summary(few)
    assert sentence.verdict == "not_measurable" and "no verdict is possible" in sentence.text and "at least 79" in sentence.text
    enough = calibrate(data, QmadSettings(resamples=79, bins=2, attributes=("height",)))
    assert not [f for f in enough.findings if f.code == "too_few_resamples"]
    assert (enough.attributes()["verdict"] == "disparity").all()


@pytest.mark.parametrize("correction", ["benjamini_hochberg", "none"])
def test_other_corrections(correction: str) -> None:
    data = frames(0.4)
    plain = calibrate(data, QmadSettings(resamples=499, bins=4)).attributes()
    found = calibrate(data, QmadSettings(resamples=499, bins=4, correction=correction)).attributes()
    same = plain["n_resamples"].to_numpy() == found["n_resamples"].to_numpy()
    np.testing.assert_array_equal(found["p_value"][same], plain["p_value"][same])
    if correction == "none":
        assert (found["p_adjusted"] == found["p_value"]).all()
    known = found[found["critical_score"].notna() & (found["comparison"] == "ks")]
    assert len(known) > 0
    # KS p-values are compared in a smooth form, so that a score next to the border may lie on its other side.
    assert ((known["score"] < known["critical_score"]) == (known["verdict"] == "disparity")).mean() > 0.8


def test_unknown_correction() -> None:
    with pytest.raises(UnknownNameError, match="bonferoni"):
        QmadSettings(correction="bonferoni")


def test_overall_score_of_normalised_attributes() -> None:
    data = check_frames(table(1, 200), {"d": table(2, 400, 1.0)})
    settings = QmadSettings(
        comparison="wasserstein",
        aggregation="arithmetic",
        bins=4,
        resamples=199,
        normalise=True,
        attributes=("height", "age", "spend"),
    )
    row = calibrate(data, settings).overall().iloc[0]
    assert row["p_value"] == pytest.approx(1 / 200) and row["verdict"] == "disparity"
    with_weights = calibrate(data, replace(settings, weights={"height": 0.0})).overall().iloc[0]  # type: ignore[arg-type]
    assert with_weights["verdict"] == "no_evidence"


def test_overall_score_that_is_undefined_has_no_p_value() -> None:
    data = check_frames(table(1, 100), {"d": table(2, 200)})
    settings = QmadSettings(comparison="wasserstein", aggregation="arithmetic", resamples=19, bins=2, aggregate_over="all")
    row = calibrate(data, settings).overall().iloc[0]
    assert np.isnan(row["p_value"]) and row["verdict"] == "not_measurable"


def test_progress_and_cancel() -> None:
    seen: list[tuple[int, int]] = []
    data = frames(0.3)
    calibrate(data, QmadSettings(resamples=299, bins=4), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (598, 598)
    assert [d for d, _ in seen] == sorted(d for d, _ in seen)
    calls = iter(range(10_000))
    with pytest.raises(CancelledError):
        calibrate(data, QmadSettings(resamples=299, bins=4), cancel=lambda: next(calls) > 40)
    assert next(calls) < 60


def test_informative_row_order_is_a_finding() -> None:
    reference, target = table(1, 200), table(2, 400).sort_values("height")
    data = check_frames(reference, {"d": target})
    codes = [f.code for f in calibrate(data, QmadSettings(resamples=19, bins=2)).findings]
    assert "informative_row_order" in codes
    for other in ({"shuffle": True}, {"binning": "quantile"}):
        codes = [f.code for f in calibrate(data, QmadSettings(resamples=19, bins=2, **other)).findings]  # type: ignore[arg-type]
        assert "informative_row_order" not in codes


def test_shuffled_rows_are_calibrated_like_the_plain_audit() -> None:
    data = check_frames(table(1, 200), {"d": table(2, 400, 0.4).sort_values("age")})
    settings = QmadSettings(resamples=199, bins=4, shuffle=True, comparison="mann_whitney")
    result = calibrate(data, settings).attributes().set_index("attribute")
    known = result[result["critical_score"].notna()]
    assert ((known["score"] < known["critical_score"]) == (known["verdict"] == "disparity")).all()
    assert result.loc["age", "verdict"] == "no_evidence"


def test_missing_values_are_permuted_with_their_rows() -> None:
    reference, target = table(1, 300), table(2, 600)
    target.loc[target["height"] > 0.5, "spend"] = np.nan
    result = calibrate(check_frames(reference, {"d": target}), QmadSettings(resamples=99, bins=3)).attributes()
    assert (result.loc[result["attribute"] == "spend", "p_value"] > 0.01).all()


def test_harmonic_mean_of_signed_scores_is_refused_before_anything_runs() -> None:
    with pytest.raises(SettingsError):
        QmadSettings(comparison="mean_difference", aggregation="harmonic")


def test_stages_are_within_the_limit() -> None:
    assert tuple(sorted(calibration.STAGES)) == calibration.STAGES
    result = calibrate(frames(0.2), QmadSettings(resamples=150, bins=3, comparison="ad", binning="quantile")).attributes()
    assert set(result["n_resamples"]) <= {99, 150}


def test_result_says_which_ks_p_values_are_exact() -> None:
    data = check_frames(table(1, 900), {"d": table(2, 2400)})
    settings = QmadSettings(resamples=0, bins=2, attributes=("height",))
    assert audit_frames(data, settings).provenance["ks_p_values"] == "exact in 0 bins, asymptotic in 2"
    assert (
        audit_frames(data, replace(settings, comparison="ks_auto")).provenance["ks_p_values"]
        == "exact in 2 bins, asymptotic in 0"
    )
    assert "ks_p_values" not in audit_frames(data, replace(settings, comparison="ad")).provenance
