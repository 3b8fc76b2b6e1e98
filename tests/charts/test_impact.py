"""Impact on models, and methods against the fair baseline."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from fairaudit.charts import DARK, LIGHT, impact_curves, method_levels

METRICS = ("accuracy", "generalized_entropy_index")


def summary(**changes: object) -> pd.DataFrame:
    """Two metrics, two models, two methods, three levels."""
    rows = [
        {
            "metric": metric,
            "model": model,
            "mitigation": method,
            "level": level,
            "mean": 0.9 - level / 2,
            "std": 0.02,
            "n_ok": 5,
            "n_folds": 5,
        }
        for metric in METRICS
        for model in ("random_forest", "mlp")
        for method in ("none", "eop")
        for level in (0.0, 0.3, 0.6)
    ]
    return pd.DataFrame(rows).assign(**changes)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_impact_has_a_panel_a_metric_a_line_a_model_and_the_baseline(theme) -> None:
    rows = summary()
    figure = impact_curves(rows[rows["mitigation"] == "none"], theme, labels={"mlp": "<b>MLP</b>"}, ideals={"accuracy": 1.0})
    lines = [t for t in figure.data if t.mode == "lines+markers"]
    assert len(lines) == 4
    assert [t.name for t in lines if t.showlegend] == ["random_forest", "&lt;b&gt;MLP&lt;/b&gt;"]
    assert list(lines[0].y) == pytest.approx([0.9, 0.75, 0.6])
    dotted = [t for t in figure.data if t.name == "fair baseline"]
    assert len(dotted) == 4
    assert set(dotted[0].y) == {0.9}
    assert lines[0].marker.symbol[0] != lines[1].marker.symbol[0]
    assert "best: 1" in json.dumps(figure.to_plotly_json()["layout"], default=str)


def test_methods_show_levels_side_by_side_spread_baseline_and_failed_folds() -> None:
    rows = summary()
    rows = rows[rows["model"] == "random_forest"].copy()
    rows.loc[(rows["mitigation"] == "eop") & (rows["level"] == 0.6), "n_ok"] = 2
    figure = method_levels(rows, LIGHT, labels={"eop": "Equalized odds", "none": "No mitigation"})
    first = figure.data[0]
    assert list(first.x) == pytest.approx([-0.36, 0.0, 0.36, 0.64, 1.0, 1.36])
    assert list(first.error_y.array) == [0.02] * 6
    assert list(first.marker.symbol) == ["circle"] * 5 + ["x"]
    assert first.customdata[5][4] == "2 of 5"
    assert [s.y0 for s in figure.layout.shapes] == [0.9, 0.9]
    assert list(figure.layout.xaxis2.ticktext) == ["No mitigation", "Equalized odds"]
    assert "some folds failed" in figure.layout.title.text


def test_a_value_far_outside_is_drawn_at_the_edge_and_told_on_hover() -> None:
    rows = summary()
    rows = rows[(rows["model"] == "random_forest")].copy()
    far = (rows["metric"] == "generalized_entropy_index") & (rows["mitigation"] == "eop") & (rows["level"] == 0.6)
    rows.loc[far, "mean"] = 250.0
    figure = method_levels(rows, LIGHT)
    second = figure.data[1]
    assert second.marker.symbol[5] == "triangle-up"
    assert second.y[5] < 5
    assert second.customdata[5][2] == "250"
    assert "far outside" in figure.layout.title.text
    assert "far outside" not in method_levels(summary()[lambda f: f["model"] == "mlp"], LIGHT).layout.title.text


def test_nothing_measured_still_draws() -> None:
    rows = summary(mean=float("nan"), std=float("nan"), n_ok=0)
    assert impact_curves(rows[rows["mitigation"] == "none"], LIGHT).layout.height > 0
    assert method_levels(rows[rows["model"] == "mlp"], LIGHT).layout.height > 0
