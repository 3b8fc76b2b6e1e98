"""Bootstrap stability, detectable differences and the order of rows: do they say what they claim?"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairaudit.aggregation import aggregate
from fairaudit.binning import BINNINGS
from fairaudit.comparison import compare_bins
from fairaudit.errors import CancelledError, SettingsError
from fairaudit.inference import calibrate, detectable, row_order, row_order_findings, stability
from fairaudit.inference.detectable import Trial, _planter, _smallest
from fairaudit.inference.nulls import prepare
from fairaudit.qmad import QmadSettings
from fairaudit.schema import Frames
from fairaudit.validation import check_frames

SETTINGS = QmadSettings(resamples=199, bins=2, comparison="mann_whitney", attributes=("height", "member", "region"))


def table(seed: int, n: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "height": rng.normal(shift, 1, n),
            "member": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
            "region": rng.choice(list("abcd"), n),
            "visits": rng.poisson(1.5, n),
        }
    )


def data(shift: float) -> Frames:
    return check_frames(table(1, 200), {"d": table(2, 400, shift)}, {"types": {"visits": "numeric"}})


def test_large_differences_are_stable() -> None:
    found = stability(data(1.0), SETTINGS, resamples=60).attributes().set_index("attribute")["stability"]
    assert found["height"] == 1.0
    assert found["member"] < 0.9


def test_stability_grows_with_the_difference() -> None:
    shares = [stability(data(shift), SETTINGS, resamples=100).attributes()["stability"].iloc[0] for shift in (0.0, 0.25, 0.6)]
    assert shares[0] < shares[1] < shares[2]


def test_stability_keeps_the_rest_of_the_result() -> None:
    frames = data(0.3)
    result = calibrate(frames, SETTINGS)
    found = stability(frames, SETTINGS, result, resamples=20)
    pd.testing.assert_frame_equal(found.attributes().drop(columns="stability"), result.attributes().drop(columns="stability"))
    assert result.attributes()["stability"].isna().all()
    again = stability(frames, SETTINGS, result, resamples=20).attributes()["stability"]
    pd.testing.assert_series_equal(found.attributes()["stability"], again)


def test_detectable_shift_is_near_the_theory() -> None:
    """One bin, Mann-Whitney, normal data: the shift with power 0.8 is (z_alpha + z_beta) sqrt(pi/3) sqrt(1/n + 1/m)."""
    settings = QmadSettings(resamples=999, bins=1, comparison="mann_whitney", attributes=("height",))
    row = detectable(data(0.0), settings, repeats=100).attributes().iloc[0]
    theory = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) * np.sqrt(np.pi / 3) * np.sqrt(1 / 400 + 1 / 200)
    assert row["detectable_unit"] == "sd"
    assert row["detectable"] == pytest.approx(theory, rel=0.2)


def test_detectable_share_is_near_the_theory() -> None:
    settings = QmadSettings(resamples=999, bins=1, comparison="mann_whitney", attributes=("member",))
    row = detectable(data(0.0), settings, repeats=100).attributes().iloc[0]
    theory = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) * np.sqrt(0.2 * 0.8) * np.sqrt(1 / 400 + 1 / 200)
    assert row["detectable_unit"] == "share"
    assert row["detectable"] == pytest.approx(theory, rel=0.3)


def test_detectable_of_every_type() -> None:
    settings = QmadSettings(resamples=199, bins=2, comparison="ks")
    found = detectable(data(0.0), settings, repeats=20).attributes().set_index("attribute")
    assert found["detectable_unit"].to_dict() == {"height": "sd", "member": "share", "region": "share", "visits": "sd"}
    assert found["detectable"].between(0.02, 0.8).all()


def test_more_rows_find_smaller_differences() -> None:
    settings = QmadSettings(resamples=199, bins=2, comparison="ks", attributes=("height",))
    few = check_frames(table(1, 60), {"d": table(2, 60)})
    many = check_frames(table(1, 600), {"d": table(2, 600)})
    sizes = [detectable(f, settings, repeats=20).attributes()["detectable"].iloc[0] for f in (few, many)]
    assert sizes[1] < 0.6 * sizes[0]


def test_what_cannot_be_found_is_undefined() -> None:
    settings = QmadSettings(resamples=18, bins=1, comparison="mann_whitney", attributes=("height",))
    row = detectable(data(0.0), settings, repeats=5).attributes().iloc[0]
    assert np.isnan(row["critical_score"]) and np.isnan(row["detectable"]) and row["detectable_unit"] == ""


def test_planted_differences_have_the_size_they_say() -> None:
    rng = np.random.default_rng(0)
    for values, kind in (
        (rng.normal(3, 2, 20_000), "numeric"),
        (rng.poisson(1.5, 20_000).astype(float), "numeric"),
        ((rng.random(20_000) < 0.2).astype(float), "binary"),
        ((rng.random(20_000) < 0.8).astype(float), "binary"),
    ):
        planter = _planter(values, kind)
        assert planter is not None
        changed = rng.random(len(values)) < planter.share(0.1)
        moved = np.where(changed, planter.planted(values, 0.1, rng), values)
        unit = values.std() if planter.unit == "sd" else 1.0
        assert abs(moved.mean() - values.mean()) / unit == pytest.approx(0.1, rel=0.15)
    assert _planter(np.ones(5), "numeric") is None


@pytest.mark.parametrize("binning", ["sequential", "quantile"])
def test_planted_data_sets_are_scored_like_any_other(binning: str) -> None:
    """Planting in all data sets together gives the scores of planting in each by itself; missing values stay missing."""
    rng = np.random.default_rng(3)
    frames = [pd.DataFrame({"x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))}) for n in (150, 300)]
    checked = check_frames(frames[0], {"d": frames[1]})
    settings = QmadSettings(bins=3, comparison="mann_whitney", binning=binning)
    (pair,) = settings.contrast.pairs(checked)
    prepared = prepare(pair, ["x"], settings)
    pool = prepared.attributes[0]
    sides = prepared.rows.permutations(np.random.SeedSequence(1), 0, 6)
    planter = _planter(pool.values[np.isfinite(pool.values)], "numeric")
    assert planter is not None
    alone = []
    for side in sides.T:
        planted = pool.values + 0.3 * planter.shift
        cut = BINNINGS[binning].function
        bins = cut(planted[side == 1], 3), cut(pool.values[side == 0], 3)
        alone.append(aggregate("harmonic", compare_bins(pool.spec, *bins)[0]))
    ranked = np.sort(alone)
    for place in range(1, 6):
        critical = float(ranked[place - 1 : place + 1].mean())
        trial = Trial(pool, sides, planter, critical, np.random.SeedSequence(0), lambda: None)
        assert trial.flagged(0.3) == place


@pytest.mark.parametrize("border", [0.0005, 0.07, 0.5, 3.9])
def test_search_finds_the_border(border: float) -> None:
    assert _smallest(lambda size: size >= border, 0.2, 4.0) == pytest.approx(border, rel=0.04)


def test_search_knows_when_there_is_none() -> None:
    assert _smallest(lambda size: False, 0.2, 4.0) == np.inf


@pytest.mark.parametrize("function", [stability, detectable])
def test_progress_cancel_and_settings(function) -> None:  # type: ignore[no-untyped-def]
    frames = data(0.2)
    seen: list[tuple[int, int]] = []
    size = {"resamples": 20} if function is stability else {"repeats": 3}
    function(frames, SETTINGS, progress=lambda done, total: seen.append((done, total)), **size)
    assert seen[-1][0] == seen[-1][1]
    with pytest.raises(CancelledError):
        function(frames, SETTINGS, cancel=lambda: True, **size)
    with pytest.raises(SettingsError):
        function(frames, QmadSettings(resamples=0), **size)
    with pytest.raises(SettingsError):
        function(frames, SETTINGS, **dict.fromkeys(size, 0))


def test_row_order_finds_trends_and_runs() -> None:
    rng = np.random.default_rng(5)
    n = 2000
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "trend": rng.normal(size=n) + np.linspace(0, 1, n),
            "wave": rng.normal(size=n) + 2 * np.sin(np.arange(n) / 10),
            "blocks": np.repeat(list("abcde"), n // 5),
            "letters": rng.choice(list("abcde"), n),
            "flag": rng.choice(["n", "y"], n),
        }
    )
    checked = check_frames(frame, {"d": frame}).reference
    found = row_order(checked).set_index("attribute")
    assert found["informative"].to_dict() == {
        "noise": False, "trend": True, "wave": True, "blocks": True, "letters": False, "flag": False,
    }  # fmt: skip
    assert found.loc["trend", "trend"] == pytest.approx(stats.spearmanr(frame["trend"], np.arange(n)).statistic)
    assert found.loc["blocks", "serial"] > 0.99
    (finding,) = row_order_findings(checked)
    assert "trend, wave, blocks" in finding.problem and "shuffle" in finding.remedy


def test_row_order_of_noise_says_nothing() -> None:
    alarms = 0
    for seed in range(60):
        checked = check_frames(table(seed, 500), {"d": table(seed + 1000, 20)}).reference
        found = row_order(checked)
        alarms += bool(found["informative"].any())
        assert found[["trend_p", "serial_p"]].stack().dropna().between(0, 1).all()
    assert alarms <= 3


def test_row_order_p_values_are_uniform() -> None:
    rng = np.random.default_rng(9)
    p = []
    for _ in range(150):
        frame = pd.DataFrame({"x": rng.normal(size=80), "k": rng.choice(list("abc"), 80)})
        found = row_order(check_frames(frame, {"d": frame}).reference).set_index("attribute")
        p.append([found.loc["x", "trend_p"], found.loc["x", "serial_p"], found.loc["k", "serial_p"]])
    for column in np.array(p, dtype=float).T:
        assert stats.kstest(column, "uniform").pvalue > 0.001
