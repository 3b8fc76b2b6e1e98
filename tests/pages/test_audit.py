"""The audit page: same numbers as the package, the answer first, controls that do what they say."""

import numpy as np
import pytest

import fairaudit
from fairaudit.datasets import demo
from tests.pages.conftest import check, figures, texts

REFERENCE, DAYS, SCHEMA = demo("hiring").load()


def test_without_data_one_button_fills_the_page(app):
    app.switch_page("pages/audit.py").run()
    check(app)
    assert "No tables are loaded yet" in texts(app)
    next(b for b in app.button if "hiring" in b.label).click().run()
    check(app)
    assert "education" in texts(app)


def test_the_answer_comes_before_the_pictures(demo_app):
    app = demo_app()
    words = texts(app)
    assert "day2" in words and "education \\(fewer POST\\-GRAD\\)" in words
    assert "no evidence of disparity" in words


@pytest.mark.parametrize(
    ("pair", "comparison", "aggregation"), [("rom-arithmetic", "rom", "arithmetic"), ("ad-harmonic", "ad", "harmonic")]
)
def test_the_table_holds_the_numbers_of_the_package(demo_app, pair, comparison, aggregation):
    app = demo_app()
    app.selectbox(key="pair").set_value(pair).run()
    app.slider(key="bins").set_value(7).run()
    check(app)
    shown = app.dataframe[0].value
    expected = fairaudit.audit(
        REFERENCE, DAYS, comparison=comparison, aggregation=aggregation, bins=7, schema=SCHEMA, resamples=0
    ).attributes()
    np.testing.assert_array_equal(shown["score"], expected["score"])
    assert shown["attribute"].tolist() == expected["attribute"].tolist()


def test_groups_inside_each_table_can_be_compared(demo_app):
    app = demo_app()
    app.selectbox(key="contrast").set_value("group_vs_reference_group").run()
    check(app)
    shown = app.dataframe[0].value
    assert set(shown["group"]) == {"gender=WOMAN"}
    assert set(shown["frame"]) == {"reference", "day1", "day2", "day3"}
    app.selectbox(key="contrast").set_value("within_group").run()
    check(app)
    assert set(app.dataframe[0].value["group"]) == {"gender=WOMAN", "gender=MAN"}


def test_a_contrast_without_groups_is_a_sentence(demo_app):
    app = demo_app()
    app.selectbox(key="contrast").set_value("within_group").run()
    app.multiselect(key="contrast.features").set_value([]).run()
    check(app)
    assert "Groups can be compared only when a sensitive attribute is chosen" in app.error[0].value.replace("\\", "")
    assert app.info


def test_p_values_and_ratios_never_share_a_colour_scale(demo_app):
    app = demo_app()
    p_bar = figures(app)[0]
    app.selectbox(key="pair").set_value("rom-arithmetic").run()
    check(app)
    ratio_bar = figures(app)[0]
    titles = [str(f["data"]).count("log₁₀") + str(f["layout"]).count("log₁₀") for f in (p_bar, ratio_bar)]
    assert titles[0] > 0
    assert titles[1] == 0


def test_choices_survive_a_change_of_page(demo_app):
    app = demo_app()
    app.selectbox(key="pair").set_value("rom-arithmetic").run()
    app.slider(key="bins").set_value(6).run()
    app.multiselect(key="attributes").set_value(["education", "gender"]).run()
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/audit.py").run()
    check(app)
    assert app.selectbox(key="pair").value == "rom-arithmetic"
    assert app.slider(key="bins").value == 6
    assert app.multiselect(key="attributes").value == ["education", "gender"]
    assert set(app.dataframe[0].value["attribute"]) == {"education", "gender"}


def test_every_comparison_and_aggregation_can_be_chosen(demo_app):
    app = demo_app()
    app.selectbox(key="pair").set_value("custom").run()
    check(app)
    for comparison in fairaudit.COMPARISONS.names():
        app.selectbox(key="comparison").set_value(comparison).run()
        check(app)
        assert not app.error, app.error[0].value
