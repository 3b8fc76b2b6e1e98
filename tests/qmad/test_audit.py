"""Algorithm 1 end to end: against a plain loop over scipy, and on the demo data."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairaudit
from fairaudit.datasets import adult_reference, adult_test, demo
from fairaudit.errors import CancelledError, FairAuditError, SettingsError, UnknownNameError
from fairaudit.kernels.pvalues import forget_exact_ks
from fairaudit.results import ATTRIBUTE_COLUMNS, BIN_COLUMNS, OVERALL_COLUMNS

REFERENCE, DAYS, SCHEMA = demo("hiring").load()


def codes(reference: pd.Series, target: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as they are, two categories as 0/1 in alphabetical order: the coding of the paper."""
    if pd.api.types.is_numeric_dtype(reference):
        return reference.to_numpy(float), target.to_numpy(float)
    levels = sorted(set(reference.dropna()))
    return tuple(s.map(levels.index, na_action="ignore").to_numpy(float) for s in (reference, target))


def by_hand(reference, target, bins, score, combine):
    """M[a] by an explicit loop over sequential bins."""
    parts = zip(np.array_split(target, bins), np.array_split(reference, bins), strict=True)
    return combine([score(a[~np.isnan(a)], b[~np.isnan(b)]) for a, b in parts])


@pytest.fixture(scope="module")
def rom():
    return fairaudit.audit(REFERENCE, DAYS, comparison="rom", aggregation="arithmetic", schema=SCHEMA, resamples=0)


def scores(result, frame):
    rows = result.attributes()
    return rows[rows["frame"] == frame].set_index("attribute")["score"]


def test_hiring_ratio_of_means_shows_the_three_planted_biases(rom):
    day2 = scores(rom, "day2")
    assert day2["education"] == pytest.approx(0.50, abs=0.05)
    assert day2["job_location"] == pytest.approx(0.107, abs=0.02)
    assert day2["relevant_experience"] == pytest.approx(0.078, abs=0.025)
    for day in ("day1", "day3"):
        assert (scores(rom, day) < 0.10).all()


def test_hiring_tests_flag_education_and_location_on_day_2_only():
    rows = fairaudit.audit(REFERENCE, DAYS, schema=SCHEMA, resamples=0).attributes()
    flagged = rows[rows["paper_flag"]]
    assert set(flagged["frame"]) == {"day2"}
    assert {"education", "job_location"} <= set(flagged["attribute"])
    assert not (rows[rows["frame"] != "day2"]["score"] < 0.01).any()


@pytest.mark.parametrize(
    ("comparison", "aggregation", "score", "combine"),
    [
        ("rom", "arithmetic", lambda a, b: abs(1 - a.mean() / b.mean()), np.mean),
        ("ks", "harmonic", lambda a, b: stats.ks_2samp(a, b, method="asymp").pvalue, stats.hmean),
        ("mann_whitney", "median", lambda a, b: stats.mannwhitneyu(a, b).pvalue, np.median),
    ],
)
def test_adult_reference_against_test_file_equals_scipy_by_hand(comparison, aggregation, score, combine):
    reference, target = adult_reference(), adult_test()
    result = fairaudit.audit(reference, {"test": target}, comparison=comparison, aggregation=aggregation, bins=10, resamples=0)
    rows = result.attributes().set_index("attribute")
    for column in ("age", "sex", "hours_per_week", "income"):
        ref, tgt = codes(reference[column], target[column])
        assert rows.loc[column, "score"] == pytest.approx(by_hand(ref, tgt, 10, score, combine), abs=1e-10), column
        assert rows.loc[column, "n_target"] == len(target)


def test_nominal_attributes_are_compared_as_categories_or_as_label_codes_on_request():
    reference, target = adult_reference(), adult_test()
    column = next(
        c for c in reference.columns if reference[c].nunique() in range(3, 12) and not pd.api.types.is_numeric_dtype(reference[c])
    )
    valid = fairaudit.audit(reference, target, attributes=[column], resamples=0).attributes().iloc[0]
    assert valid["comparison"] == "chi2"
    assert "Nominal" in valid["note"]
    table = [
        [(side == level).sum() for level in sorted(reference[column].dropna().unique())]
        for side in (target[column][:1629], reference[column][:3257])
    ]
    first_bin = fairaudit.audit(reference, target, attributes=[column], resamples=0).bins().iloc[0]
    assert first_bin["score"] == pytest.approx(
        stats.chi2_contingency(np.array(table)[:, np.sum(table, axis=0) > 0], correction=False).pvalue
    )
    coded = fairaudit.audit(reference, target, attributes=[column], nominal_as_codes=True, resamples=0).attributes().iloc[0]
    assert coded["comparison"] == "ks"


def test_tables_have_the_promised_columns_and_sizes(rom):
    bins, attributes, overall = rom.bins(), rom.attributes(), rom.overall()
    assert tuple(bins.columns[: len(BIN_COLUMNS)]) == BIN_COLUMNS
    assert tuple(attributes.columns[: len(ATTRIBUTE_COLUMNS)]) == ATTRIBUTE_COLUMNS
    assert tuple(overall.columns[: len(OVERALL_COLUMNS)]) == OVERALL_COLUMNS
    assert len(attributes) == 3 * 7
    assert len(bins) == 3 * 7 * 10
    assert (bins.groupby(["frame", "attribute"])["n_target"].sum() == 20_000).all()
    assert (bins.groupby(["frame", "attribute"])["n_reference"].sum() == 10_000).all()
    assert rom.to_frame().equals(attributes)


def test_results_cannot_be_changed_through_their_tables(rom):
    mine = rom.attributes()
    mine["score"] = 0.0
    assert (rom.attributes()["score"] > 0).all()


def test_direction_and_size_stand_beside_every_score(rom):
    day2 = rom.attributes().query("frame == 'day2'").set_index("attribute")
    assert day2.loc["education", "direction"] == "fewer POST-GRAD"
    assert day2.loc["job_location", "direction"] == "more Springfield"
    assert day2.loc["relevant_experience", "direction"] == "higher"
    shares = [(t["education"] == "POST-GRAD").mean() for t in (DAYS["day2"], REFERENCE)]
    assert day2.loc["education", "effect"] == pytest.approx(2 * np.arcsin(np.sqrt(shares[0])) - 2 * np.arcsin(np.sqrt(shares[1])))
    a, b = DAYS["day2"]["relevant_experience"], REFERENCE["relevant_experience"]
    pooled = np.sqrt(((len(a) - 1) * a.var() + (len(b) - 1) * b.var()) / (len(a) + len(b) - 2))
    assert day2.loc["relevant_experience", "effect"] == pytest.approx((a.mean() - b.mean()) / pooled)


def test_overall_score_follows_the_paper_by_default():
    ratio = fairaudit.audit(REFERENCE, DAYS["day2"], comparison="rom", aggregation="arithmetic", schema=SCHEMA, resamples=0)
    assert ratio.overall()["score"][0] == pytest.approx(ratio.attributes()["score"].mean())
    tested = fairaudit.audit(REFERENCE, DAYS["day2"], schema=SCHEMA, resamples=0)
    prediction = tested.attributes().set_index("attribute").loc["predicted_salary", "score"]
    assert tested.overall()["score"][0] == prediction
    chosen = fairaudit.audit(REFERENCE, DAYS["day2"], schema=SCHEMA, resamples=0, aggregate_over=["education", "gender"])
    by_name = chosen.attributes().set_index("attribute")["score"]
    assert chosen.overall()["score"][0] == pytest.approx(stats.hmean([by_name["education"], by_name["gender"]]))
    weighted = fairaudit.audit(
        REFERENCE, DAYS["day2"], schema=SCHEMA, resamples=0, comparison="rom", aggregation="arithmetic", weights={"education": 3}
    )
    rows = weighted.attributes().set_index("attribute")["score"]
    weights = pd.Series(1.0, rows.index)
    weights["education"] = 3
    assert weighted.overall()["score"][0] == pytest.approx(np.average(rows, weights=weights))


def test_scores_in_different_units_are_not_aggregated_unless_normalised():
    raw = fairaudit.audit(
        REFERENCE,
        DAYS["day2"],
        schema=SCHEMA,
        resamples=0,
        comparison="wasserstein",
        aggregation="arithmetic",
        aggregate_over="all",
    )
    assert np.isnan(raw.overall()["score"][0])
    assert "units" in raw.overall()["note"][0]
    unit = fairaudit.audit(
        REFERENCE,
        DAYS["day2"],
        schema=SCHEMA,
        resamples=0,
        comparison="wasserstein",
        aggregation="arithmetic",
        aggregate_over="all",
        normalise=True,
    )
    assert 0 <= unit.overall()["score"][0] <= 1


def test_missing_and_infinite_values_are_left_out_counted_and_named():
    rng = np.random.default_rng(1)
    reference = pd.DataFrame({"x": rng.normal(10, 1, 500), "y": rng.normal(10, 1, 500)})
    target = pd.DataFrame({"x": rng.normal(10, 1, 800), "y": rng.normal(10, 1, 800)})
    target.loc[:399, "x"] = np.nan
    target.loc[400, "x"] = np.inf
    row = fairaudit.audit(reference, target, resamples=0).attributes().set_index("attribute")
    assert row.loc["x", "n_target"] == 399
    assert row.loc["x", "missing_target"] == pytest.approx(401 / 800)
    assert "share of missing values differs" in row.loc["x", "note"]
    assert row.loc["y", "n_target"] == 800
    assert "no values on the target side" in row.loc["x", "note"]


def test_undefined_is_not_zero_and_one_bad_column_does_not_take_the_others_down():
    reference = pd.DataFrame({"empty": [np.nan] * 60, "zero": [0.0] * 60, "fine": np.arange(60.0) + 0.5})
    target = pd.DataFrame({"empty": [1.5, 2.5] * 30, "zero": np.linspace(0, 1, 60), "fine": np.arange(60.0) + 100.5})
    types = {"empty": "numeric", "zero": "numeric"}
    rows = fairaudit.audit(
        reference, target, comparison="rom", aggregation="arithmetic", bins=3, resamples=0, schema={"types": types}
    ).attributes()
    rows = rows.set_index("attribute")
    assert np.isnan(rows.loc["empty", "score"])
    assert rows.loc["empty", "verdict"] == "not_measurable"
    assert "No valid values in the reference" in rows.loc["empty", "note"]
    assert rows.loc["zero", "verdict"] == "not_measurable"
    assert "reference mean is 0" in rows.loc["zero", "note"]
    assert rows.loc["fine", "verdict"] == "disparity"


def test_constants():
    same = pd.DataFrame({"c": ["x"] * 40, "d": [3.0] * 40})
    other = pd.DataFrame({"c": ["y"] * 40, "d": [4.0] * 40})
    for comparison in ("ks", "ad", "welch_t", "mann_whitney", "brunner_munzel"):
        equal = fairaudit.audit(same, same.copy(), comparison=comparison, bins=2, resamples=0).attributes()
        assert (equal["verdict"] == "no_evidence").all(), comparison
        assert equal["note"].str.contains("dentical").all()
        different = fairaudit.audit(same, other, comparison=comparison, bins=2, resamples=0).attributes()
        assert (different["verdict"] == "disparity").all(), comparison
        assert different["note"].str.contains("maximal difference").all()


def test_more_bins_than_rows_says_how_many_are_possible():
    small = pd.DataFrame({"x": [1.5, 2.5, 3.0, 4.2, 5.1]})
    row = fairaudit.audit(small, small + 1, bins=20, resamples=0).attributes().iloc[0]
    assert row["bins_used"] == 5
    assert "20 bins were asked for, 5 are possible" in row["note"]


def test_quantile_bins_of_a_column_of_zeros_say_so():
    values = pd.DataFrame({"x": [0.0] * 90 + [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]})
    row = fairaudit.audit(values, values.copy(), binning="quantile", bins=5, resamples=0).attributes().iloc[0]
    assert "4 of 5 bins of the target hold one single value" in row["note"]


def test_a_shuffle_is_seeded_and_takes_the_meaning_from_the_row_order():
    rng = np.random.default_rng(5)
    sorted_table = pd.DataFrame({"x": np.sort(rng.normal(10, 2, 1000))})
    other = pd.DataFrame({"x": rng.normal(10, 2, 1000)})
    plain = fairaudit.audit(sorted_table, other, bins=10, resamples=0).attributes()["score"][0]
    mixed = [
        fairaudit.audit(sorted_table, other, bins=10, resamples=0, shuffle=True, seed=s).attributes()["score"][0]
        for s in (1, 1, 2)
    ]
    assert plain < 1e-6 < mixed[0]
    assert mixed[0] == mixed[1] != mixed[2]


def test_progress_and_cancel():
    seen = []
    fairaudit.audit(REFERENCE, DAYS["day1"], schema=SCHEMA, resamples=0, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7, 7)
    with pytest.raises(CancelledError, match="cancelled"):
        fairaudit.audit(REFERENCE, DAYS["day1"], schema=SCHEMA, resamples=0, cancel=lambda: True)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"bins": 0}, "number of bins must be a whole number"),
        ({"alpha": 1.5}, "alpha must lie between 0 and 1"),
        ({"comparison": "kolmogorov"}, "no comparison function named 'kolmogorov'"),
        ({"aggregation": "harmnic"}, "Did you mean 'harmonic'"),
        ({"binning": "equal"}, "no binning named"),
        ({"contrast": "frames"}, "no contrast named"),
        ({"attributes": ["eduction"]}, "Did you mean 'education'"),
        ({"comparison": "rom", "aggregation": "fisher"}, "combines p-values"),
        ({"comparison": "mean_difference"}, "harmonic mean is not defined for the signed"),
        ({"aggregation": "max", "weights": {"education": 2}}, "Weights are not defined"),
        ({"aggregate_over": ["salary"]}, "is not a column of the compared attributes"),
        ({"threshold": -1}, "threshold must be 0 or more"),
    ],
)
def test_impossible_choices_are_sentences(choice, message):
    with pytest.raises(FairAuditError, match=message) as caught:
        fairaudit.audit(REFERENCE, DAYS["day1"], schema=SCHEMA, **choice)
    assert isinstance(caught.value, (SettingsError, UnknownNameError)) or caught.value.remedy


def test_custom_comparison_functions_take_part():
    @fairaudit.COMPARISONS.register(
        name="median_ratio", label="Ratio of medians", summary="Far from 1.", output="score", scale="ratio", threshold=0.05
    )
    def median_ratio(a, b):
        return abs(1 - np.median(a) / np.median(b))

    try:
        rows = fairaudit.audit(
            REFERENCE,
            DAYS["day2"],
            attributes=["relevant_experience"],
            comparison="median_ratio",
            aggregation="arithmetic",
            schema=SCHEMA,
            resamples=0,
        ).attributes()
        expected = by_hand(
            REFERENCE["relevant_experience"].to_numpy(), DAYS["day2"]["relevant_experience"].to_numpy(), 10, median_ratio, np.mean
        )
        assert rows["score"][0] == pytest.approx(expected)
    finally:
        fairaudit.COMPARISONS.unregister("median_ratio")


def test_audits_before_it_do_not_move_the_last_digit_of_an_audit():
    rng = np.random.default_rng(12)
    reference, target = (pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 5, n)}) for n in (6000, 4800))
    forget_exact_ks()
    fresh = fairaudit.audit(reference, target, resamples=0)
    forget_exact_ks()
    for seed in range(3):
        fairaudit.audit(reference, target, resamples=0, shuffle=True, seed=seed)
    later = fairaudit.audit(reference, target, resamples=0)
    pd.testing.assert_frame_equal(fresh.bins(), later.bins(), check_exact=True)
    pd.testing.assert_frame_equal(fresh.attributes(), later.attributes(), check_exact=True)


def test_the_same_settings_give_the_same_numbers(rom):
    again = fairaudit.audit(REFERENCE, DAYS, comparison="rom", aggregation="arithmetic", schema=SCHEMA, resamples=0)
    pd.testing.assert_frame_equal(rom.bins(), again.bins())
    mine, other = rom.provenance | {"created": ""}, again.provenance | {"created": ""}
    assert mine == other
