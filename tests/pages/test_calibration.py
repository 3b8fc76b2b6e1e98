"""Calibrated verdicts arrive beside the page: plain scores at once, verdicts when they are ready."""

import fairaudit
from fairaudit.datasets import demo
from tests.pages.conftest import check, texts, wait_while

REFERENCE, DAYS, SCHEMA = demo("hiring").load()


def wait_for_verdicts(app, seconds=120):
    """Run the page until the calibration is done."""
    return wait_while(app, "Calibrating", seconds)


def test_verdicts_are_those_of_the_package(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(199).run()
    check(app)
    plain = app.dataframe[0].value
    assert plain["score"].notna().all()
    wait_for_verdicts(app)
    shown = app.dataframe[0].value
    expected = fairaudit.audit(REFERENCE, DAYS, schema=SCHEMA, resamples=199).attributes()
    assert shown["p_adjusted"].tolist() == expected["p_adjusted"].tolist()
    assert shown["score"].tolist() == expected["score"].tolist()
    words = texts(app).replace("\\", "")
    assert "permutation p ≤ 0.05, corrected" in words
    assert "without any difference it would raise an alarm" in words


def test_without_permutations_the_papers_rule_decides_and_says_so(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(0).run()
    check(app)
    assert "Verdict by the paper's uncalibrated rule" in texts(app).replace("\\", "")
    assert "Calibrating" not in texts(app)


def test_going_back_to_former_choices_needs_no_second_calibration(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(99).run()
    wait_for_verdicts(app)
    app.selectbox(key="pair").set_value("rom-arithmetic").run()
    wait_for_verdicts(app)
    app.selectbox(key="pair").set_value("ks-harmonic").run()
    check(app)
    assert "Calibrating" not in texts(app)


def test_anderson_darling_by_value_has_verdicts_and_says_what_they_rest_on(demo_app):
    """With quantile bins nearly every p-value is at the floor of scipy's table; the verdicts come from beyond it."""
    app = demo_app()
    app.select_slider(key="resamples").set_value(199).run()
    app.selectbox(key="pair").set_value("ad-harmonic").run()
    app.segmented_control(key="binning").set_value("quantile").run()
    wait_for_verdicts(app)
    found = app.dataframe[0].value.set_index(["frame", "attribute"])
    experience = found.loc[("day2", "relevant_experience")]
    assert experience["score"] < 0.0012 and experience["paper_flag"]
    assert found.loc["day2", "verdict"].value_counts()["Disparity"] >= 3
    assert (found.loc[["day1", "day3"], "verdict"] != "Disparity").all()
    assert "Resamples are compared by p-values that go on beyond 0.001 and 0.25" in texts(app).replace("\\", "")
