"""Calibrated verdicts arrive beside the page: plain scores at once, verdicts when they are ready."""

import threading
from dataclasses import replace

import pytest
import streamlit as st

import fairaudit
from fairaudit.datasets import demo
from fairaudit.errors import stop_if
from fairaudit.ui import calibration, report
from tests.pages.conftest import check, figures, texts, wait_while

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


@pytest.fixture
def own_results():
    """No results of other tests, and none for them: the harness gives every dashboard the same session."""
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def held(own_results, monkeypatch):
    """A calibration that goes on until it is cancelled or this event is set."""
    go_on, calibrate = threading.Event(), calibration.calibrate

    def slow(*arguments, cancel, **options):
        while not go_on.wait(0.02):
            stop_if(cancel, "calibration")
        return calibrate(*arguments, cancel=cancel, **options)

    monkeypatch.setattr(calibration, "calibrate", slow)
    yield go_on
    go_on.set()


def answers(app):
    """The boxes with what was found."""
    return [m.value for m in app.markdown if "-background[" in m.value]


def test_a_provisional_verdict_does_not_look_like_one_and_cannot_be_taken_away(demo_app, held):
    app = demo_app()
    app.select_slider(key="resamples").set_value(99)
    app.slider(key="bins").set_value(3).run()
    check(app)
    assert answers(app) and all(text.startswith(":gray-background[:material/hourglass_top:") for text in answers(app))
    assert "▲?" in str(figures(app)[0]) and "▲ " not in str(figures(app)[0])
    app.switch_page("pages/report.py").run()
    check(app)
    assert "come when the verdicts are calibrated" in texts(app)
    assert not app.get("download_button") and not app.get("iframe")

    held.set()
    wait_for_verdicts(app)
    assert app.get("download_button") and app.get("iframe")
    app.switch_page("pages/audit.py").run()
    check(app)
    assert any(text.startswith(":orange-background[") for text in answers(app))
    assert "▲?" not in str(figures(app)[0])


def test_a_stopped_calibration_leaves_the_papers_rule_says_so_everywhere_and_can_be_taken_up_again(demo_app, held, monkeypatch):
    saved = []
    monkeypatch.setattr(report, "html_report", lambda result, frames, settings, *rest: saved.append(settings) or "<p>report</p>")
    app = demo_app()
    app.select_slider(key="resamples").set_value(99)
    app.slider(key="bins").set_value(4).run()
    app.button(key=f"cancel.{calibration.AUDIT}").click().run()
    wait_for_verdicts(app)
    assert "The calibration was stopped" in texts(app)
    assert "Verdict by the paper's uncalibrated rule" in texts(app).replace("\\", "")
    app.switch_page("pages/report.py").run()
    check(app)
    assert saved[-1].qmad.resamples == 0, "the files say how their verdicts came about"
    held.set()
    app.button(key=f"{calibration.AUDIT}.again").click().run()
    wait_for_verdicts(app)
    assert saved[-1].qmad.resamples == 99
    assert "The calibration was stopped" not in texts(app)


def test_evidence_follows_the_calibrated_verdicts_until_a_frame_is_chosen_by_hand(demo_app, own_results, monkeypatch):
    def reversed_days(frames, settings, result, **options):
        """Verdicts as if the calibration had cleared day 2 and found day 3."""
        attributes = result.attributes()
        attributes["p_adjusted"] = attributes["p_value"] = 1.0
        attributes["verdict"] = ["disparity" if f == "day3" else "no_evidence" for f in attributes["frame"]]
        return replace(result, attribute_scores=attributes)

    monkeypatch.setattr(calibration, "calibrate", reversed_days)
    app = demo_app()
    app.slider(key="bins").set_value(5).run()
    wait_for_verdicts(app)
    assert app.selectbox(key="evidence.frame").value == ("day3", "")
    app.selectbox(key="evidence.frame").set_value(("day1", "")).run()
    check(app)
    app.slider(key="bins").set_value(6).run()
    wait_for_verdicts(app)
    assert app.selectbox(key="evidence.frame").value == ("day1", "")
