"""Traces, texts and customdata of the figures."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from fairaudit import charts
from fairaudit.charts.distributions import ecdf_points, histogram_edges
from fairaudit.comparison import COMPARISONS
from fairaudit.qmad import audit
from tests.charts import gallery

THEME = charts.LIGHT
KS, ROM = COMPARISONS["ks"], COMPARISONS["rom"]


def trace(figure: go.Figure, name: str) -> Any:
    """The one trace with a name."""
    found = [t for t in figure.data if t.name == name]
    assert len(found) == 1, [t.name for t in figure.data]
    return found[0]


def texts(figure: go.Figure) -> list[str]:
    """Every text of the cells."""
    return [text for t in figure.data if t.name == "text" for text in t.text]


@pytest.fixture(scope="module", params=["light", "dark"])
def everything(request: pytest.FixtureRequest) -> dict[str, go.Figure]:
    return gallery.figures(charts.THEMES[request.param])


def test_every_figure_is_valid_transparent_and_named(everything: dict[str, go.Figure]) -> None:
    for name, figure in everything.items():
        assert json.loads(figure.to_json())["data"], name
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)", name
        assert figure.layout.title.text.startswith("<b>"), name
        assert figure.layout.height > 0, name


def test_no_name_is_read_as_markup(everything: dict[str, go.Figure]) -> None:
    for name, figure in everything.items():
        for found in strings(figure.to_plotly_json()):
            if "customdata" in found[0] and "clicks" in found[0]:
                continue  # raw names that are reported, never shown
            for bad in ("<b>bold", "<a ", '<b>"bold', "<b>Prof", "<other>", "$a$", "$x$", "$\\frac"):
                assert bad not in found[1], (name, found)


def strings(value: Any, path: str = "") -> list[tuple[str, str]]:
    """All strings of a figure with where they are; customdata of the click layer is marked."""
    if isinstance(value, str):
        return [(path, value)]
    if isinstance(value, dict):
        here = path + (".clicks" if value.get("name") == "clicks" else "")
        return [s for key, v in value.items() for s in strings(v, f"{here}.{key}")]
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype.kind in "OU"):
        return [s for v in value for s in strings(v, path)]
    return []


def test_hover_templates_hold_no_names(everything: dict[str, go.Figure]) -> None:
    for figure in everything.values():
        for t in figure.data:
            if isinstance(t, go.Heatmap) or t.hoverinfo == "skip":
                assert t.hoverinfo == "skip"
            else:
                assert t.hovertemplate.endswith("<extra></extra>")


class TestVerdictHeatmap:
    def test_clicks_report_raw_names(self) -> None:
        table = gallery.attributes("ks", ("sex = F", "sex = M"))
        clicks = trace(charts.verdict_heatmap(table, KS, THEME), "clicks")
        expected = [list(map(str, row)) for row in table[["frame", "group", "attribute"]].to_numpy()]
        assert [list(row) for row in clicks.customdata] == expected
        assert clicks.marker.opacity == 0
        assert clicks.marker.symbol == "square"
        assert list(clicks.x[:2]) == [0, 0]
        assert clicks.selected.marker.opacity == clicks.unselected.marker.opacity == 0

    def test_without_clicks(self) -> None:
        figure = charts.verdict_heatmap(gallery.attributes("ks"), KS, THEME, clickable=False)
        assert "clicks" not in [t.name for t in figure.data]

    def test_every_cell_has_the_symbol_of_its_verdict(self) -> None:
        table = gallery.attributes("rom")
        shown = texts(charts.verdict_heatmap(table, ROM, THEME))
        symbols = pd.Series([text[0] for text in shown]).value_counts().to_dict()
        counts = table["verdict"].value_counts()
        assert symbols == {"▲": counts["disparity"], "○": counts["no_evidence"], "–": counts["not_measurable"]}

    def test_colour_is_minus_log10_p_up_to_the_top(self) -> None:
        table = gallery.attributes("ks")
        cells = trace(charts.verdict_heatmap(table, KS, THEME), "cells")
        wide = table.pivot(index="attribute", columns="frame", values="score").loc[list(gallery.ATTRIBUTES), list(gallery.FRAMES)]
        expected = np.minimum(-np.log10(np.maximum(wide.to_numpy(), 1e-300)), 6)
        np.testing.assert_allclose(cells.z, expected)
        assert (cells.zmin, cells.zmax) == (0, 6)
        assert "log" in cells.colorbar.title.text

    def test_cells_that_cannot_be_measured_are_hatched_and_uncoloured(self) -> None:
        table = gallery.attributes("ks")
        figure = charts.verdict_heatmap(table, KS, THEME)
        hatched = trace(figure, "not measurable")
        assert len(hatched.y) == (table["verdict"] == "not_measurable").sum() == np.isnan(trace(figure, "cells").z).sum()
        assert hatched.marker.pattern.shape == "/"

    def test_p_values_and_scores_never_share_a_scale(self) -> None:
        bars = {}
        for kind, spec in (("ks", KS), ("rom", ROM)):
            figure = charts.verdict_heatmap(gallery.attributes(kind), spec, THEME)
            cells = trace(figure, "cells")
            assert cells.coloraxis is None
            assert figure.layout.coloraxis.colorscale is None
            bars[kind] = (cells.colorscale[-1], cells.colorbar.title.text, cells.zmax)
        assert all(a != b for a, b in zip(bars["ks"], bars["rom"], strict=True))

    def test_floor_and_ceiling(self) -> None:
        shown = texts(charts.verdict_heatmap(gallery.attributes("ad"), COMPARISONS["ad"], THEME))
        assert "▲ ≤0.001" in shown
        assert "○ ≥0.25" in shown

    def test_names_of_both_sides_and_sizes(self) -> None:
        title = charts.verdict_heatmap(gallery.attributes("ks"), KS, THEME).layout.title.text
        assert "day 2 (biased) (n = 20,000)" in title
        assert "hiring_reference (n = 10,000)" in title

    def test_frames_keep_their_order_and_are_not_read_as_dates(self) -> None:
        axis = charts.verdict_heatmap(gallery.attributes("ks"), KS, THEME).layout.xaxis
        assert [t.replace("<br>", " ") for t in axis.ticktext] == list(gallery.FRAMES)
        assert list(axis.tickvals) == [0, 1, 2, 3]

    def test_groups_name_their_columns(self) -> None:
        few = charts.verdict_heatmap(gallery.attributes("ks", ("F", "M"), gallery.FRAMES[:2]), KS, THEME)
        assert few.layout.xaxis.ticktext[0].replace("<br>", " ") == "day 1 · F"
        many = charts.verdict_heatmap(gallery.attributes("ks", ("F", "M")), KS, THEME)
        assert list(many.layout.xaxis.ticktext) == ["F", "M"] * 4
        assert [a.text.replace("<br>", "").replace(" ", "") for a in many.layout.annotations] == [
            f"<b>{f}</b>".replace(" ", "") for f in gallery.FRAMES
        ]

    def test_selected_cell_has_a_frame(self) -> None:
        figure = charts.verdict_heatmap(gallery.attributes("ks"), KS, THEME, selected=("day 2 (biased)", "", "education"))
        (shape,) = figure.layout.shapes
        assert (shape.x0, shape.x1, shape.y0, shape.y1) == (0.5, 1.5, 3.5, 4.5)

    def test_many_columns_keep_a_symbol(self) -> None:
        frames = tuple(f"f{i}" for i in range(30))
        shown = texts(charts.verdict_heatmap(gallery.attributes("ks", frames=frames), KS, THEME))
        assert set(shown) == {"▲", "○", "–"}

    def test_adjusted_p_values_have_their_own_scale(self) -> None:
        cells = trace(charts.verdict_heatmap(gallery.attributes("rom"), ROM, THEME, show="p_adjusted", resamples=999), "cells")
        assert cells.zmax == pytest.approx(3)
        assert cells.colorbar.ticktext[-1] == "≤ 0.001"

    def test_hover_tells_rule_size_and_reason(self) -> None:
        hover = trace(charts.verdict_heatmap(gallery.attributes("rom"), ROM, THEME), "clicks").hovertext
        assert "Paper's rule (score &gt; 0.1): flag" in hover[len(gallery.ATTRIBUTES)]
        assert "Values: target 20,000, reference 10,000" in hover[0]
        assert "one distinct value on both sides" in hover[10]

    @pytest.mark.parametrize("comparison", [spec.name for spec in COMPARISONS])
    def test_real_results_of_every_comparison(self, comparison: str) -> None:
        rng = np.random.default_rng(0)
        tables = [
            pd.DataFrame({"x": rng.normal(s, 1, 120), "b": rng.integers(0, 2, 120), "c": rng.choice(list("uvw"), 120), "k": 1.0})
            for s in (0, 0, 1)
        ]
        result = audit(
            tables[0], {"a": tables[1], "b": tables[2]}, comparison=comparison, aggregation="arithmetic", bins=4, resamples=0
        )
        spec = COMPARISONS[comparison]
        figure = charts.verdict_heatmap(result.attributes(), spec, THEME)
        assert len(trace(figure, "clicks").x) == len(result.attributes())
        part = result.bins().query("frame == 'b'")
        used = dict(zip(result.attributes()["attribute"], result.attributes()["comparison"], strict=True))
        assert len(trace(charts.bin_heatmap(part, spec, THEME, comparisons=used), "clicks").x) == len(part)
        for name in part["attribute"].unique():
            assert charts.bin_chart(part[part["attribute"] == name], COMPARISONS[used[name]], THEME).data


class TestBins:
    def test_heatmap_clicks_and_symbols(self) -> None:
        table = gallery.bins("ks")
        figure = charts.bin_heatmap(table, KS, THEME)
        assert [tuple(row) for row in trace(figure, "clicks").customdata] == list(
            zip(table["attribute"], table["bin"], strict=True)
        )
        shown = texts(figure)
        assert sum(text.startswith("▲") for text in shown) == (table["score"] < 0.05).sum()
        assert sum(text == "–" for text in shown) == table["score"].isna().sum()

    def test_units_are_compared_within_a_row_only(self) -> None:
        table = gallery.bins("rom").assign(score=lambda d: d["score"] * np.where(d["attribute"] == "age", 1e6, 1.0))
        cells = trace(charts.bin_heatmap(table, COMPARISONS["wasserstein"], THEME), "cells")
        assert np.nanmax(cells.z) == 1
        np.testing.assert_allclose(np.nanmax(cells.z[:10], axis=1), 1)
        assert "row" in cells.colorbar.title.text

    def test_chart_marks_floor_undefined_alpha_and_aggregate(self) -> None:
        one = gallery.bins("ks").query("attribute == 'education'")
        figure = charts.bin_chart(one, KS, THEME, aggregate=3e-9, aggregation="harmonic mean", target="day 2", reference="ref")
        floor = trace(figure, "at the floor: the true p is smaller")
        assert 4 in list(floor.x)
        assert set(floor.y) == {16.0}
        assert list(trace(figure, "not defined").x) == [1, 2]
        assert [a.text for a in figure.layout.annotations] == ["α = 0.05", "harmonic mean<br>3e-9"]
        assert figure.layout.shapes[0].y0 == pytest.approx(-np.log10(0.05))
        assert "day 2 (20,040 values) against ref (10,000 values)" in figure.layout.title.text

    def test_chart_of_a_test_with_a_ceiling(self) -> None:
        one = gallery.bins("ad").query("attribute == 'age'").assign(score=[0.25] * 4 + [0.001] + [0.1] * 5)
        figure = charts.bin_chart(one, COMPARISONS["ad"], THEME)
        assert list(trace(figure, "at the ceiling: no difference").x) == [1, 2, 3, 4]
        assert list(trace(figure, "at the floor: the true p is smaller").x) == [5]

    def test_chart_without_means_has_two_panels(self) -> None:
        one = gallery.bins("chi2").query("attribute == 'gender'").assign(mean_target=np.nan, mean_reference=np.nan)
        figure = charts.bin_chart(one, COMPARISONS["chi2"], THEME)
        assert "yaxis3" not in figure.layout
        assert "no means" in figure.layout.title.text

    def test_unit_scores_have_a_line_only_when_it_is_given(self) -> None:
        one = gallery.bins("rom").query("attribute == 'age'")
        assert not charts.bin_chart(one, COMPARISONS["wasserstein"], THEME).layout.shapes
        assert len(charts.bin_chart(one, COMPARISONS["wasserstein"], THEME, threshold=0.05).layout.shapes) == 1

    def test_chart_of_bins_that_are_all_undefined(self) -> None:
        one = gallery.bins("ks").query("attribute == 'notes: constant'")
        assert len(trace(charts.bin_chart(one, KS, THEME), "not defined").x) == 10


class TestDistributions:
    def test_ecdf_is_exact_for_few_values(self) -> None:
        x, heights = ecdf_points(np.array([3.0, 1.0, 1.0, 2.0]))
        assert (x.tolist(), heights.tolist()) == ([1, 2, 3], [0.5, 0.75, 1])

    @pytest.mark.parametrize("shape", ["normal", "lognormal", "cauchy"])
    def test_thinned_ecdf_is_close_everywhere(self, shape: str) -> None:
        values = np.sort(getattr(np.random.default_rng(0), f"standard_{shape}" if shape != "lognormal" else shape)(size=200_000))
        x, heights = ecdf_points(values)
        assert len(x) <= 1000
        drawn = heights[np.clip(np.searchsorted(x, values, side="right") - 1, 0, None)]
        true = np.arange(1, len(values) + 1) / len(values)
        assert np.abs(drawn - true).max() < 1 / 590
        assert (x[0], x[-1], heights[-1]) == (values[0], values[-1], 1.0)

    def test_ecdf_names_sides_counts_missing_and_marks_the_gap(self) -> None:
        a, b = np.array([1.0, 2.0, np.nan, np.inf]), np.array([2.0, 3.0, 4.0])
        figure = charts.ecdf_chart(a, b, THEME, attribute="x", target="T", reference="R")
        assert "T (n = 2) against R (n = 3)" in figure.layout.title.text
        assert "missing or infinite: 2 and 0" in figure.layout.title.text
        gap = trace(figure, "largest gap")
        assert (gap.x[0], gap.y[0] - gap.y[1]) == (2.0, pytest.approx(2 / 3))
        assert trace(figure, "T").line.dash != trace(figure, "R").line.dash

    def test_equal_sides_have_no_gap(self) -> None:
        figure = charts.ecdf_chart(np.arange(5.0), np.arange(5.0), THEME, attribute="x")
        assert not figure.layout.annotations

    @pytest.mark.parametrize("chart", [charts.ecdf_chart, charts.histogram_chart])
    def test_a_side_without_values_is_said(self, chart: Any) -> None:
        figure = chart(np.array([np.nan]), np.arange(5.0), THEME, attribute="x", target="T", reference="R")
        assert "No valid values: T" in figure.layout.title.text
        assert chart(np.array([]), np.array([]), THEME, attribute="x").layout.title.text

    def test_histogram_shares_and_shared_edges(self) -> None:
        figure = charts.histogram_chart(
            np.array([1.0, 1.0, 2.0, 5.0]), np.array([1.0, 2.0]), THEME, attribute="x", target="T", reference="R"
        )
        np.testing.assert_allclose(trace(figure, "T").y, [0.5, 0.25, 0, 0, 0.25])
        np.testing.assert_allclose(trace(figure, "R").y[::2], [0.5, 0.5, 0, 0, 0])

    def test_edges(self) -> None:
        assert len(histogram_edges((np.full(3, 7.0), np.full(2, 7.0)))) == 2
        assert histogram_edges((np.zeros(3), np.zeros(2))).tolist() == [-0.5, 0.5]
        ages = np.arange(18, 80).repeat(50).astype(float)
        edges = histogram_edges((ages, ages[:900]))
        assert set(np.diff(edges)) == {np.diff(edges)[0]} and np.diff(edges)[0] % 1 == 0, "as many ages in every bar"
        assert edges[0] == 17.5 and edges[-1] >= 79.5 and 12 <= len(edges) - 1 <= 40
        many = histogram_edges((np.random.default_rng(0).normal(size=10**5), np.zeros(10)))
        assert 12 <= len(many) - 1 <= 40

    def test_categories_show_shares_and_differences(self) -> None:
        figure = charts.category_chart(["a", "b"], [1, 3], [6, 4], THEME, attribute="x", target="T", reference="R")
        np.testing.assert_allclose(sorted(trace(figure, "T").x), [0.25, 0.75])
        assert list(figure.layout.yaxis.ticktext) == ["b", "a"]
        assert list(trace(figure, "points").text) == ["+35.0", "−35.0"]
        assert trace(figure, "T").marker.symbol != trace(figure, "R").marker.symbol
        ordered = charts.category_chart(["a", "b"], [1, 3], [6, 4], THEME, attribute="x", ordered=True)
        assert list(ordered.layout.yaxis.ticktext) == ["a", "b"]

    def test_rare_levels_are_drawn_together_without_losing_rows(self) -> None:
        figure = charts.category_chart(
            [f"c{i}" for i in range(43)], list(range(43)), [1] * 43, THEME, attribute="x", target="T", reference="R"
        )
        assert len(trace(figure, "T").x) == 20
        assert figure.layout.yaxis.ticktext[-1] == "24 other levels together"
        assert sum(trace(figure, "T").x) == pytest.approx(1)

    def test_an_empty_side_has_no_shares(self) -> None:
        figure = charts.category_chart(["a"], [0], [5], THEME, attribute="x", target="T", reference="R")
        assert np.isnan(trace(figure, "T").x[0])
        assert list(trace(figure, "points").text) == ["–"]


class TestBaselines:
    def test_interval_chart(self) -> None:
        rows = gallery.baseline_rows().query("metric == 'equal_opportunity_difference'")
        figure = charts.interval_chart(rows, THEME, metric="EqOp", band=(-0.1, 0.1), sides="T against R")
        assert [a.text for a in figure.layout.annotations] == ["no difference", "– not measurable", "– not measurable"]
        assert "no positive labels" in figure.layout.annotations[1].hovertext
        disparity = trace(figure, "Disparity")
        assert list(disparity.y) == [1]
        np.testing.assert_allclose(disparity.error_x.array, [0.05])
        np.testing.assert_allclose(disparity.error_x.arrayminus, [0.04])
        assert disparity.marker.symbol != trace(figure, "No evidence of disparity").marker.symbol

    def test_ratios_are_drawn_on_a_logarithmic_axis(self) -> None:
        rows = (
            gallery.baseline_rows()
            .query("metric == 'disparate_impact'")
            .assign(value=[0.5, 2.0, 0.0, np.inf], low=np.nan, high=np.nan)
        )
        figure = charts.interval_chart(rows, THEME, metric="DI", no_difference=1.0, band=(0.8, 1.25), ratio=True)
        points = {y: x for t in figure.data for x, y in zip(t.x, t.y, strict=True)}
        assert (points[0], points[1]) == (-1, 1)
        low, high = figure.layout.xaxis.range
        assert low <= points[2] < 0 < points[3] <= high

    def test_matrix_reads_hits_misses_and_false_alarms(self) -> None:
        rows = pd.DataFrame(
            [
                ("d1", "", "m", 0.2, "disparity"),
                ("d2", "", "m", 0.2, "disparity"),
                ("d3", "", "m", 0.0, "no_evidence"),
                ("d4", "", "m", np.nan, "not_measurable"),
            ],
            columns=["frame", "group", "metric", "value", "verdict"],
        )
        figure = charts.metric_matrix(rows, THEME, truth={("d1", ""): True, ("d3", ""): True})
        assert sorted(texts(figure)) == sorted(
            ["● planted", "none", "● planted", "none", "▲ 0.200 ✓", "▲ 0.200 !", "○ 0.000 ✗", "–"]
        )
        assert "hit (1) · ✗ miss (1) · ! false alarm (1)" in figure.layout.title.text
        assert figure.layout.yaxis.ticktext[0] == "<b>Planted bias (truth)</b>"
        assert not trace(figure, "cells").showscale

    def test_group_rates(self) -> None:
        figure = charts.group_rates_chart(gallery.group_rates(), THEME, reference_group="Male · White")
        assert "Female · White (n = 8,642)" in figure.layout.yaxis.ticktext
        assert sum(a.text == "– not measurable" for a in figure.layout.annotations) == 2
        assert {t.marker.symbol for t in figure.data} == {"circle", "diamond"}

    def test_impact_ratio(self) -> None:
        figure = charts.impact_ratio_chart(gallery.impact_ratios(), THEME, reference_group="Male · White")
        assert list(trace(figure, "value").text) == ["▲ 0.36", "▲ 0.72", "1.00", "0.91", "▲ 1.31", "– not measurable"]
        assert list(trace(figure, "impact ratio").marker.pattern.shape) == ["/", "/", "", "", "/", ""]
        assert [s.x0 for s in figure.layout.shapes] == [0.8, 1.0, 1.25]


class TestLab:
    def test_before_and_after_of_numbers_and_categories(self) -> None:
        numbers = charts.before_after_distributions(np.arange(50), np.arange(40), THEME, attribute="x")
        assert "After (n = 40) against Before (n = 50)" in numbers.layout.title.text
        words = charts.before_after_distributions(
            np.array(["a", "b", None], dtype=object), np.array(["a", "a"], dtype=object), THEME, attribute="x"
        )
        np.testing.assert_allclose(trace(words, "After").x, [1, 0])
        np.testing.assert_allclose(trace(words, "Before").x, [0.5, 0.5])

    def test_difference_shows_changed_verdicts(self) -> None:
        after = gallery.attributes("rom")
        before = after.assign(score=after["score"].where(after["attribute"] != "education", 0.02))
        before["verdict"] = before["verdict"].where(before["attribute"] != "education", "no_evidence")
        figure = charts.difference_heatmap(before, after, ROM, THEME)
        assert any(text.startswith("○→▲ +0.") for text in texts(figure))
        cells = trace(figure, "cells")
        assert cells.zmin == -cells.zmax
        unchanged = charts.difference_heatmap(after, after, ROM, THEME)
        assert np.nanmax(np.abs(trace(unchanged, "cells").z)) == 0

    def test_detectability_says_where_80_percent_is_reached(self) -> None:
        rates = pd.DataFrame(
            {"detector": ["a"] * 3 + ["b"] * 3, "strength": [0, 0.5, 1] * 2, "flag_rate": [0.05, 0.8, 1, 0.1, 0.2, 0.3]}
        )
        rates["low"], rates["high"] = rates["flag_rate"] - 0.1, rates["flag_rate"] + 0.1
        figure = charts.detectability_chart(rates, THEME, repeats=20)
        names = [t.name for t in figure.data if t.showlegend]
        assert names == ["a: 80 % from 0.5 · 5 % at 0", "b: never 80 % · 10 % at 0"]
        assert sorted(s.y0 for s in figure.layout.shapes) == [0.05, 0.8]

    def test_many_detectors_have_a_panel_each(self) -> None:
        figure = charts.detectability_chart(gallery.detector_rates(7), THEME)
        assert figure.layout.xaxis7.domain is not None
        assert not figure.layout.showlegend
        assert sum("80 %" in a.text for a in figure.layout.annotations) == 8


class TestEvaluation:
    def test_scatter_has_a_diagonal_and_equal_axes(self) -> None:
        figure = charts.fair_vs_biased_scatter(gallery.scatter_summary(), THEME)
        assert figure.layout.xaxis.range == figure.layout.yaxis.range
        diagonal = next(t for t in figure.data if t.name == "diagonal")
        assert list(diagonal.x) == list(diagonal.y)

    def test_failed_folds_are_marked(self) -> None:
        figure = charts.level_curves(gallery.evaluation_summary(), THEME, metric="SPD", labels=gallery.METHODS)
        marked = [t for t in figure.data if t.marker.symbol and "x" in t.marker.symbol]
        assert len(marked) == 2
        assert "7 of 10" in [row[2] for row in marked[0].customdata]
        assert "folds failed" in figure.layout.title.text
        assert "failed" not in charts.level_curves(gallery.evaluation_summary(1), THEME, metric="SPD").layout.title.text

    def test_methods_have_symbols_colours_and_numbers_on_hover(self) -> None:
        rows = pd.DataFrame(gallery.RATINGS, columns=["rating", "symbol", "meaning"])
        rows = rows.assign(
            mitigation=list("abcdef"), column="x", share_better=0.6, share_worse=0.2, excess=0.034, gain_accuracy=-0.01, note=""
        )
        figure = charts.method_heatmap(rows, THEME)
        assert sorted(texts(figure)) == sorted(rows["symbol"])
        assert trace(figure, "cells").z[:5, 0].tolist() == [-2, -1, 0, 1, 2]
        assert len(trace(figure, "not measurable").y) == 1
        assert "Cells: 60 % better, 20 % worse" in trace(figure, "clicks").hovertext[0]
        assert "Gain in accuracy: -0.01" in trace(figure, "clicks").hovertext[0]


class TestReproduction:
    def test_published_marks(self) -> None:
        rows = gallery.published(False)
        figure = charts.published_vs_recomputed(rows, THEME, value_label="ROM", title="T")
        names = {"inside": "inside", "near": "near", "outside": "outside", "cannot": "not comparable"}
        sizes = {state: len(trace(figure, f"published, {name}").x) for state, name in names.items()}
        assert sizes == rows["status"].value_counts().to_dict()
        agreeing, known = sizes["inside"] + sizes["near"], len(rows) - sizes["cannot"]
        assert f"{agreeing} of {known} comparable cells agree" in figure.layout.title.text
        bars = trace(figure, "recomputed, 5–95 %")
        np.testing.assert_allclose(np.asarray(bars.base, dtype=float), rows["low"])
        assert [a.text for a in figure.layout.annotations] == ["<b>Day 1</b>", "<b>Day 2</b>", "<b>Day 3</b>"]

    def test_p_values_of_0_are_drawn_at_the_edge(self) -> None:
        rows = gallery.published(True)
        figure = charts.published_vs_recomputed(rows, THEME, value_label="p", title="T", log=True)
        symbols = [s for t in figure.data if t.name.startswith("published") for s in t.marker.symbol]
        assert symbols.count("triangle-left") == 1
