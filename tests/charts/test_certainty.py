"""The pictures of what would have been found, and of false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairaudit import charts
from fairaudit.charts.certainty import observed
from fairaudit.charts.text import certainty_lines, wrapped
from fairaudit.comparison import COMPARISONS
from fairaudit.inference import false_alarms
from tests.charts import gallery

ONE = gallery.certain(gallery.attributes("ks").query("frame == @gallery.FRAMES[1]")).reset_index(drop=True)


def traces(figure, name):
    return [t for t in figure.data if t.name == name]


@pytest.mark.parametrize("theme", charts.THEMES.values(), ids=charts.THEMES)
def test_bars_are_the_detectable_sizes_in_their_unit(theme) -> None:
    figure = charts.detectable_chart(ONE, theme, title="t")
    shifts, shares = traces(figure, "may be missed")
    measured = ONE[ONE["verdict"] != "not_measurable"]
    np.testing.assert_array_equal(shifts.x, measured.query("detectable_unit == 'sd'")["detectable"])
    np.testing.assert_allclose(shares.x, 100 * measured.query("detectable_unit == 'share'")["detectable"])
    assert "standard deviations" in figure.layout.xaxis.title.text
    assert "percentage points" in figure.layout.xaxis2.title.text


def test_observed_differences_have_the_symbol_of_their_verdict() -> None:
    figure = charts.detectable_chart(ONE, charts.LIGHT, title="t")
    for verdict, name, symbol in (("disparity", "disparity", "triangle-up"), ("no_evidence", "no evidence", "circle")):
        marks = traces(figure, f"observed: {name}")
        seen = [r for r in ONE.to_dict("records") if r["verdict"] == verdict and not math.isnan(observed(r))]
        assert sum(len(m.x) for m in marks) == len(seen)
        assert {m.marker.symbol for m in marks} == {symbol}
        assert sum(m.showlegend for m in marks) == 1


def test_observed_size_is_in_the_unit_of_the_attribute() -> None:
    row = {"effect_kind": "d", "effect": -0.2, "mean_target": 0.3, "mean_reference": 0.35}
    assert observed(row) == 0.2
    assert observed({**row, "effect_kind": "h"}) == pytest.approx(0.05)
    assert math.isnan(observed({**row, "effect_kind": "V"}))


def test_the_papers_rule_is_named_by_its_own_words_after_a_calibration() -> None:
    table = gallery.attributes("ks").assign(rule="permutation p at most 0.05", paper_rule="p below 0.05")
    hovers = traces(charts.verdict_heatmap(table, COMPARISONS["ks"], charts.LIGHT), "clicks")[0].hovertext
    assert any("Paper's rule (p below 0.05): flag" in h for h in hovers)
    assert not any("permutation p at most" in h for h in hovers)


def test_what_is_not_known_is_said_and_explained_on_hover() -> None:
    figure = charts.detectable_chart(ONE, charts.LIGHT, title="t")
    (said,) = [a for a in figure.layout.annotations if a.text == "not known"]
    assert "however large" in said.hovertext.replace("<br>", " ")
    assert "Known for 10 of 11" in figure.layout.title.text


def test_the_heatmap_says_it_on_hover() -> None:
    figure = charts.verdict_heatmap(gallery.certain(gallery.attributes("ks")), COMPARISONS["ks"], charts.LIGHT)
    hovers = dict(
        zip([tuple(c) for c in traces(figure, "clicks")[0].customdata], traces(figure, "clicks")[0].hovertext, strict=True)
    )
    hover = hovers[gallery.FRAMES[1], "", "education"]
    assert "Flagged again in 97 % of resamples (by chance alone: " in hover
    assert "Would have found: " in hover and "percentage points (80 % power)" in hover
    plain = charts.verdict_heatmap(gallery.attributes("ks"), COMPARISONS["ks"], charts.LIGHT)
    assert not any("Flagged again" in h for h in traces(plain, "clicks")[0].hovertext)


def test_both_charts_say_it_in_the_same_lines() -> None:
    rows = gallery.certain(gallery.attributes("ks"))
    heat = traces(charts.verdict_heatmap(rows, COMPARISONS["ks"], charts.LIGHT), "clicks")[0]
    here = rows[(rows["frame"] == gallery.FRAMES[1]) & (rows["verdict"] != "not_measurable")]
    figure = charts.detectable_chart(here, charts.LIGHT, title="A", sides="")
    hovers = [h for t in traces(figure, "may be missed") for h in t.hovertext]
    for record in here.to_dict("records"):
        lines = certainty_lines(record)
        place = [tuple(c) for c in heat.customdata].index((record["frame"], "", record["attribute"]))
        assert "<br>".join(lines) in heat.hovertext[place]
        name = f"<b>{wrapped(record['attribute'])}</b>"
        (hover,) = [h for h in hovers if h.startswith(name)]
        assert hover.endswith("<br>".join(lines))
        assert len(lines) == (record["stability"] == record["stability"]) + (record["detectable"] == record["detectable"]) + (
            record["certainty_note"] != ""
        )


@pytest.mark.parametrize("theme", charts.THEMES.values(), ids=charts.THEMES)
def test_every_measured_rate_is_a_marker(theme) -> None:
    table = false_alarms()
    figure = charts.false_alarm_chart(table, theme)
    for rule, name in (("paper", "The paper's rule"), ("calibrated", "Calibrated verdict")):
        drawn = [x for t in traces(figure, name) for x in t.x]
        assert sorted(drawn) == sorted(table[rule])
    assert len({t.marker.symbol for t in figure.data if t.mode == "markers"}) == 2, "never colour alone"
    assert [s.x0 for s in figure.layout.shapes] == [0.05, 0.05]
    assert "<b>5 %</b>" in figure.layout.xaxis.ticktext


def test_a_table_of_one_binning_has_one_panel() -> None:
    figure = charts.false_alarm_chart(false_alarms().query("binning == 'quantile'"), charts.LIGHT)
    assert len(traces(figure, "Calibrated verdict")) == 1
