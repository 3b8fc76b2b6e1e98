"""How firm verdicts are and what would have been found: computed beside the page, the same numbers as everywhere, stopped by other choices."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import fairaudit
from fairaudit.cli import main
from fairaudit.datasets import demo
from fairaudit.errors import FairAuditError
from fairaudit.inference import false_alarms, power_of_verdicts
from fairaudit.qmad import QmadSettings
from fairaudit.reporting.validity import power_sentence
from fairaudit.settings import AuditSettings
from fairaudit.ui import certainty
from tests.pages.conftest import check, figures, texts, wait_while
from tests.pages.test_calibration import wait_for_verdicts
from tests.pages.test_parity import same

SMALL = {"bins": 4, "resamples": 99, "attributes": ["education", "gender", "predicted_salary"]}


@pytest.fixture
def by_itself(monkeypatch):
    """As visitors have it: work of seconds starts by itself."""
    monkeypatch.setattr(certainty, "AT_ONCE", 12.0)


def words(app) -> str:
    return texts(app).replace("\\", "")


def wait_for_certainty(app, seconds=120):
    """Run the page until the work beside it is done."""
    return wait_while(wait_for_verdicts(app), "Computing how firm", seconds)


def small_audit(app, bins=SMALL["bins"]):
    """Choices that take a second. The harness gives all tests one session, which remembers results: tests that wait for work use bins of their own."""
    app.slider(key="bins").set_value(bins)
    app.select_slider(key="resamples").set_value(SMALL["resamples"])
    app.multiselect(key="attributes").set_value(SMALL["attributes"]).run()
    check(app)
    return app


def picture(app):
    """The chart of detectable differences, if it is there."""
    return [f for f in figures(app) if "what would have been" in f["layout"]["title"]["text"]]


def test_it_comes_by_itself_and_is_what_python_and_the_shell_give(demo_app, by_itself, tmp_path):
    app = wait_for_certainty(small_audit(demo_app()))
    reference, days, schema = demo("hiring").load()
    expected = fairaudit.audit(reference, days, schema=schema, **SMALL, stability=200, detectable=40)
    same(app.dataframe[0].value, expected.attributes())
    assert expected.attributes()["detectable"].notna().all()

    app.switch_page("pages/report.py").run()
    check(app)
    settings = next(b for b in app.get("download_button") if b.proto.label.startswith("Settings"))
    assert settings is not None
    saved = tmp_path / "settings.yaml"
    frames = fairaudit.check_frames(reference, days, schema)
    chosen = QmadSettings(**{**SMALL, "attributes": tuple(SMALL["attributes"])}, stability=200, detectable=40)
    saved.write_text(AuditSettings(qmad=chosen).with_frames(frames).to_yaml(), encoding="utf-8")
    out = tmp_path / "out.json"
    for name, table in {"reference": reference, **days}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    targets = [word for name in days for word in ("--target", f"{name}={tmp_path / f'{name}.csv'}")]
    assert (
        main(
            [
                "audit",
                "--settings",
                str(saved),
                "--reference",
                str(tmp_path / "reference.csv"),
                *targets,
                "--json",
                str(out),
                "--quiet",
            ]
        )
        == 0
    )
    rows = json.loads(out.read_text(encoding="utf-8"))["attributes"]
    for column in ("stability", "stability_null", "detectable", "detectable_unit", "certainty_note", "critical_score"):
        assert [r[column] for r in rows] == expected.attributes()[column].tolist(), column


def test_no_evidence_says_how_small_a_difference_would_have_been_found(demo_app, by_itself):
    app = demo_app()
    assert not picture(app)
    wait_for_certainty(small_audit(app, bins=7))
    said = words(app)
    assert "no evidence of disparity in any attribute. A shift of 0." in said
    assert "percentage points would have been found in each of them (80 % power); smaller ones may be missed." in said
    assert "flagged again in 100 % of resamples (by chance alone: " in said
    (chart,) = picture(app)
    assert {t["name"] for t in chart["data"]} == {"may be missed", "observed: disparity", "observed: no evidence"}
    hover = next(t for t in figures(app)[0]["data"] if t["name"] == "clicks")["hovertext"]
    assert all("Would have found: " in h for h in hover)


def test_other_choices_stop_it_and_former_ones_have_it(demo_app, by_itself):
    app = wait_for_certainty(small_audit(demo_app(), bins=8))
    first = app.dataframe[0].value["detectable"].tolist()
    app.slider(key="bins").set_value(3).run()
    check(app)
    assert app.dataframe[0].value["detectable"].isna().all(), "another audit's numbers"
    wait_for_certainty(app)
    assert app.dataframe[0].value["detectable"].tolist() != first
    app.slider(key="bins").set_value(8).run()
    check(app)
    assert app.dataframe[0].value["detectable"].tolist() == first


def test_long_work_waits_for_a_button_that_says_how_long(demo_app):
    app = wait_for_verdicts(small_audit(demo_app(), bins=5))
    assert "Not computed yet" in words(app), words(app)
    button = app.button(key="audit.certainty.start")
    assert button.label == "Find out (a few seconds)"
    assert app.dataframe[0].value["stability"].isna().all()
    button.click().run()
    check(app)
    wait_for_certainty(app)
    assert app.dataframe[0].value["stability"].notna().all()


def test_work_that_was_stopped_says_so_and_can_be_started_again(demo_app, monkeypatch):
    app = wait_for_verdicts(small_audit(demo_app(), bins=6))
    work = certainty.certainty

    def stopped(*arguments, **options):
        return work(*arguments, **{**options, "cancel": lambda: True})

    monkeypatch.setattr(certainty, "certainty", stopped)
    app.button(key="audit.certainty.start").click().run()
    wait_for_certainty(app)
    assert "This was stopped" in words(app)
    monkeypatch.setattr(certainty, "certainty", work)
    app.button(key="audit.certainty.start").click().run()
    wait_for_certainty(app)
    assert app.dataframe[0].value["detectable"].notna().all()


@pytest.mark.parametrize(
    "error, bins, sentence",
    [
        (MemoryError(), 9, "There is not enough memory to find out how firm the verdicts are."),
        (FairAuditError("The rows ran away.", "Call them back."), 11, "The rows ran away."),
    ],
)
def test_verdicts_stay_when_the_work_fails_and_it_can_be_tried_again(demo_app, monkeypatch, error, bins, sentence):
    work = certainty.certainty

    def fails(*arguments, **options):
        raise error

    monkeypatch.setattr(certainty, "certainty", fails)
    app = wait_for_verdicts(small_audit(demo_app(), bins=bins))
    app.button(key="audit.certainty.start").click().run()
    wait_for_certainty(app)
    for page in ("audit", "report", "audit"):
        app.switch_page(f"pages/{page}.py").run()
        check(app)
        assert sentence in words(app) and "This could not be computed" in words(app), page
        if page == "report":
            assert app.get("iframe") and any(b.proto.label.startswith("Settings") for b in app.get("download_button"))
        else:
            assert app.dataframe[0].value["score"].notna().all() and figures(app)
    monkeypatch.setattr(certainty, "certainty", work)
    app.button(key="audit.certainty.start").click().run()
    wait_for_certainty(app)
    assert app.dataframe[0].value["detectable"].notna().all() and sentence not in words(app)


def test_a_bug_in_the_work_stays_one_below_the_verdicts(demo_app, monkeypatch):
    def fails(*arguments, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(certainty, "certainty", fails)
    app = wait_for_verdicts(small_audit(demo_app(), bins=13))
    app.button(key="audit.certainty.start").click().run()
    deadline = time.monotonic() + 60
    while not app.exception:
        assert time.monotonic() < deadline
        time.sleep(0.2)
        app.run()
    (shown,) = app.exception
    assert "recorded in the logs" in shown.message
    assert "ended in an unexpected error (ZeroDivisionError)" in words(app)
    assert app.dataframe[0].value["score"].notna().all() and app.button(key="audit.certainty.start")


def test_without_permutations_it_says_why_nothing_is_known(demo_app):
    app = demo_app()
    app.select_slider(key="resamples").set_value(0).run()
    check(app)
    assert "known for calibrated verdicts only" in words(app)


def test_a_settings_file_decides_how_much_is_drawn(app):
    reference, days, schema = demo("hiring").load()
    frames = fairaudit.check_frames(reference, days, schema)
    chosen = {**SMALL, "attributes": tuple(SMALL["attributes"]), "stability": 30}
    saved = AuditSettings(qmad=QmadSettings(**chosen)).with_frames(frames)
    app.file_uploader(key="settings.file.0").upload("saved.yaml", saved.to_yaml().encode())
    app.run()
    app.switch_page("pages/audit.py").run()
    wait_for_certainty(app)
    shown = app.dataframe[0].value
    assert shown["detectable"].isna().all()
    np.testing.assert_allclose(shown["stability"] * 30, (shown["stability"] * 30).round(), atol=1e-9)
    expected = fairaudit.audit(reference, days, schema=schema, **chosen)
    same(shown, expected.attributes())


def test_the_report_holds_it_when_it_was_computed(demo_app, by_itself):
    app = wait_for_certainty(small_audit(demo_app()))
    app.switch_page("pages/report.py").run()
    check(app)
    html = next(e for e in app.get("iframe")).proto.srcdoc
    assert "Would have found" in html and "Flagged again / by chance alone" in html
    assert "stability: 200" in html and "detectable: 40" in html


def test_method_page_shows_whether_verdicts_keep_their_promise(app):
    app.switch_page("pages/method.py").run()
    app.segmented_control(key="chapter").set_value("False alarms").run()
    check(app)
    table = false_alarms()
    said = words(app)
    assert f"flags {table['calibrated'].mean():.1%} on average" in said
    assert f"{table['paper'].max():.0%}" in said
    (figure,) = figures(app)
    markers = [t for t in figure["data"] if t["name"] in ("The paper's rule", "Calibrated verdict")]
    assert sum(len(t["hovertext"]) for t in markers) == 2 * len(table)
    shown = app.dataframe[0].value
    assert shown["Calibrated verdict"].tolist() == table["calibrated"].tolist()
    app.segmented_control(key="chapter").set_value("Power").run()
    check(app)
    assert power_sentence(power_of_verdicts()) in words(app)
    assert len(figures(app)) == 1 and app.dataframe[0].value["Found, in a stretch"].between(0, 1).all()
    app.segmented_control(key="chapter").set_value("Bins").run()
    check(app)
    assert not figures(app)
