"""The baselines page: the numbers of the package, hits and misses against the truth, groups."""

import numpy as np
import pytest

import fairaudit
from fairaudit.datasets import demo
from fairaudit.ui import report
from tests.pages.conftest import check, figures, texts


def open_baselines(demo_app, name="hiring"):
    return demo_app("baselines", name)


def test_without_data_one_button_fills_the_page(app):
    app.switch_page("pages/baselines.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)


def test_the_table_holds_the_numbers_of_the_package(demo_app):
    app = open_baselines(demo_app, "adult_days")
    reference, days, schema = demo("adult_days").load()
    expected = fairaudit.baselines(reference, days, schema=schema).to_frame()
    shown = app.dataframe[-1].value
    np.testing.assert_array_equal(shown["value"], expected["value"])
    np.testing.assert_array_equal(shown["low"], expected["low"])


def test_the_planted_bias_is_a_row_of_the_matrix(demo_app):
    app = open_baselines(demo_app)
    matrix = str(figures(app)[0])
    assert "planted" in matrix and "false alarm" in matrix
    assert "On frames without a planted bias" in texts(app)


def test_the_threshold_of_a_numeric_prediction_is_shown_with_what_it_selects(demo_app):
    app = open_baselines(demo_app)
    threshold = next(n for n in app.number_input if "counts as favourable" in n.label)
    median = demo("hiring").load()[0]["predicted_salary"].median()
    assert threshold.value == median
    assert "Selects 5,317 of 10,000" in texts(app).replace("\\", "")
    threshold.set_value(1e9).run()
    check(app)
    assert "Selects 0 of 10,000" in texts(app).replace("\\", "")


@pytest.mark.parametrize("contrast", ["group_vs_reference_group", "within_group"])
def test_groups_of_people(demo_app, contrast):
    app = open_baselines(demo_app, "adult_days")
    app.selectbox(key="contrast").set_value(contrast).run()
    check(app)
    assert "sex=Female" in set(app.dataframe[-1].value["group"])


def test_who_is_compared_is_one_choice_of_both_pages_and_of_the_report(demo_app, monkeypatch):
    saved = []
    monkeypatch.setattr(report, "html_report", lambda result, frames, settings, *rest: saved.append(settings) or "<p>report</p>")
    app = demo_app("audit", "adult_days")
    app.select_slider(key="resamples").set_value(0).run()
    app.switch_page("pages/baselines.py").run()
    app.selectbox(key="contrast").set_value("within_group").run()
    check(app)
    app.switch_page("pages/report.py").run()
    check(app)
    assert saved[-1].qmad.contrast.kind == saved[-1].baselines.contrast.kind == "within_group"
    assert saved[-1].qmad.resamples == 0, "the other choices of the Audit page stay"


def test_impact_ratios_are_of_the_features_that_are_chosen(demo_app):
    app = open_baselines(demo_app, "adult_days")
    app.selectbox(key="contrast").set_value("group_vs_reference_group").run()

    def partitions():
        (ratios,) = [d.value for d in app.dataframe if "impact_ratio" in d.value.columns]
        return list(dict.fromkeys(ratios["partition"]))

    assert partitions()[:2] == ["sex", "race"]
    app.multiselect(key="contrast.features").set_value(["sex"]).run()
    check(app)
    assert partitions() == ["sex"]


def test_impact_ratios_name_the_form(demo_app):
    app = open_baselines(demo_app)
    assert "not legal advice" in texts(app)
    assert any("impact_ratio" in frame.value.columns for frame in app.dataframe)
