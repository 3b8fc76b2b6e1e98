"""Every result states how many rows it used and how many it left out, on each side, and the two make up the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.contrast import CONTRAST_KINDS


def table(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n).astype(object),
            "pay": rng.normal(10, 1, n),
            "town": rng.choice(["a", "b", "c"], n).astype(object),
            "grade": rng.integers(1, 5, n).astype(float),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "hired": rng.choice(["yes", "no"], n).astype(object),
            "prediction": rng.choice(["yes", "no"], n).astype(object),
        }
    )
    for column in frame.columns:
        frame[column] = frame[column].mask(rng.random(n) < 0.15)
    frame.loc[: n // 20, "pay"] = np.inf
    return frame


REFERENCE, TARGET = table(400, 0), table(300, 1)
SCHEMA = {
    "sensitive_features": ("sex",),
    "label": "hired",
    "prediction": "prediction",
    "pos_label": "yes",
    "min_group_size": 1,
}


@pytest.mark.parametrize("contrast", CONTRAST_KINDS)
@pytest.mark.parametrize("missing", ["own_group", "leave_out"])
def test_used_and_left_out_rows_of_an_attribute_are_all_rows_of_the_side(contrast: str, missing: str) -> None:
    target = TARGET.assign(gone=np.nan)
    result = fairaudit.audit(
        REFERENCE.assign(gone=1.5),
        {"day": target.drop(columns="town")},
        contrast=contrast,
        schema=SCHEMA | {"missing_groups": missing},
        attributes=["pay", "town", "grade", "since", "prediction", "gone"],
        comparison="ks",
        bins=3,
        resamples=0,
    )
    rows, overall = result.attributes(), result.overall()
    sizes = overall.set_index(["frame", "group"])[["n_target", "n_reference"]]
    for row in rows.itertuples():
        all_rows = sizes.loc[(row.frame, row.group)]
        assert row.n_target + row.left_out_target == all_rows["n_target"], row
        assert row.n_reference + row.left_out_reference == all_rows["n_reference"], row
        assert row.missing_target == pytest.approx(row.left_out_target / all_rows["n_target"]), row
    bins = result.bins().groupby(["frame", "group", "attribute"])[["n_target", "n_reference"]].sum()
    measured = rows[rows["bins_used"] > 0].set_index(["frame", "group", "attribute"])
    pd.testing.assert_frame_equal(bins, measured.loc[bins.index, ["n_target", "n_reference"]], check_dtype=False)
    without = result.provenance["rows_without_group"]
    if contrast == "frame_vs_reference":
        assert without == {}
        assert sizes.iloc[0].tolist() == [300, 400]
        gone = rows.set_index("attribute").loc["town"]
        assert (gone["n_target"], gone["left_out_target"], gone["verdict"]) == (0, 300, "not_measurable")
    elif contrast == "within_group":
        expected = int(TARGET["sex"].isna().sum()) if missing == "leave_out" else 0
        assert without["sex"]["day"] == expected
        assert sizes["n_target"].sum() + expected == 300
        assert sizes["n_reference"].sum() + without["sex"]["reference"] == 400
    else:
        day = overall[overall["frame"] == "day"]
        assert day["n_target"].sum() + day["n_reference"].iloc[0] + without["sex"]["day"] == 300


@pytest.mark.parametrize("contrast", CONTRAST_KINDS)
def test_used_and_left_out_rows_of_a_metric_are_all_rows_of_the_side(contrast: str) -> None:
    result = fairaudit.baselines(
        REFERENCE, {"day": TARGET}, metrics=fairaudit.BASELINES.names(), contrast=contrast, schema=SCHEMA, resamples=20
    )
    rows = result.to_frame()
    assert (rows["used_a"] + rows["left_out_a"] == rows["n_a"]).all()
    assert (rows["used_b"] + rows["left_out_b"] == rows["n_b"]).all()
    assert (rows.loc[rows["value"].notna(), ["used_a", "used_b"]] > 0).all(axis=None)
    if contrast == "frame_vs_reference":
        by = rows.set_index("metric")
        decided, labelled = TARGET["prediction"].notna(), TARGET["hired"].notna()
        assert by.loc["statistical_parity_difference", "used_a"] == decided.sum()
        assert by.loc["accuracy", "used_a"] == (decided & labelled).sum()
        complete = decided & np.isfinite(TARGET["pay"])
        assert by.loc["consistency", "used_a"] == complete.sum()
        assert by.loc["qdd", "used_a"] == 0 and by.loc["qdd", "verdict"] == "not_measurable"


@pytest.mark.parametrize("resamples", [0, 99])
def test_one_bad_day_does_not_take_the_other_days_down(resamples: int) -> None:
    dates = TARGET.assign(pay=pd.Timestamp("2020-01-01"))
    days = {"good": TARGET, "dates": dates, "without": TARGET.drop(columns="pay")}
    rows = (
        fairaudit.audit(REFERENCE, days, schema=SCHEMA, bins=3, resamples=resamples)
        .attributes()
        .set_index(["frame", "attribute"])
    )
    alone = fairaudit.audit(REFERENCE, {"good": TARGET}, schema=SCHEMA, bins=3, resamples=resamples).attributes()
    assert rows.loc[("good", "pay"), "score"] == alone.set_index("attribute").loc["pay", "score"]
    assert "dates in dates" in rows.loc[("dates", "pay"), "note"]
    assert "not a column of without" in rows.loc[("without", "pay"), "note"]
    assert (rows.xs("pay", level="attribute")["verdict"] == "not_measurable").tolist() == [False, True, True]
