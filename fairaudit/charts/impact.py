"""Impact of a planted bias on models, and of mitigation methods on that impact, all against the fair baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairaudit.charts.layout import BAR_GAP, deviation_band, finish, grid_domains, panel_title
from fairaudit.charts.text import column_label, number, short, wrapped
from fairaudit.charts.theme import SYMBOLS, Theme, colour_scale

SPREAD = 0.36
"""Half of the room that the levels of a method take on the axis of methods."""
_HOVER = (
    "<b>%{customdata[0]}</b>, level %{customdata[1]:.2g}<br>%{customdata[2]} ± %{customdata[3]}<br>"
    "%{customdata[4]} folds worked<extra></extra>"
)


def impact_curves(
    summary: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    ideals: dict[str, float | None] | None = None,
    title: str = "What the bias does to models without mitigation",
    subtitle: str = "",
) -> go.Figure:
    """Metrics over the level of bias, one panel a metric, one line a model; the value at level 0 goes on as a dotted line.

    Parameters
    ----------
    summary : DataFrame
        Columns metric, model, level, mean, std, n_ok, n_folds of one mitigation method and one test set.
    theme : Theme
    labels : dict of str to str, optional
        Names of metrics and models for people.
    ideals : dict of str to float, optional
        Best value of each metric; where it lies in view it is drawn.
    title, subtitle : str
    """
    labels, ideals = labels or {}, ideals or {}
    metrics = list(dict.fromkeys(summary["metric"].astype(str)))
    models = list(dict.fromkeys(summary["model"].astype(str)))
    columns = min(3, max(1, len(metrics)))
    domains, height = grid_domains(len(metrics), columns, 170, 92, 0.08)
    figure = go.Figure()
    for i, metric in enumerate(metrics):
        axis = "" if i == 0 else str(i + 1)
        place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
        ideal = ideals.get(metric)
        for j, model in enumerate(models):
            part = summary[(summary["metric"].astype(str) == metric) & (summary["model"].astype(str) == model)]
            _line(figure, part.sort_values("level"), theme, labels.get(model, model), j, place, first=i == 0)
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[i][0],
                    "anchor": f"y{axis}",
                    "nticks": 6,
                    "showgrid": False,
                    "ticks": "outside",
                    "title": {"text": "Level of bias", "standoff": 4} if i >= len(metrics) - columns else None,
                },
                f"yaxis{axis}": {"domain": domains[i][1], "anchor": f"x{axis}", "nticks": 5},
            }
        )
        best = "" if ideal is None else f"best: {ideal:g}"
        panel_title(figure, theme, labels.get(metric, metric), axis=i + 1, under=best)
    text = (
        subtitle
        or "Fair test set. Bands: one standard deviation over folds. Dotted: fair baseline, the model trained on the fair table."
    )
    return finish(figure, theme, title=title, subtitle=text, plot_height=height, left=56, top=64, bottom=52, legend=True)


def _line(
    figure: go.Figure, part: pd.DataFrame, theme: Theme, name: str, place_of_model: int, place: dict[str, str], *, first: bool
) -> None:
    colour = theme.series[place_of_model % len(theme.series)]
    deviation_band(figure, part, colour, 0.13, place)
    baseline = part.loc[part["level"] == 0, "mean"].dropna()
    if len(baseline):
        ends = [float(part["level"].min()), float(part["level"].max())]
        figure.add_trace(
            go.Scatter(
                x=ends,
                y=[float(baseline.iloc[0])] * 2,
                mode="lines",
                line={"color": colour, "width": 1.3, "dash": "dot"},
                hoverinfo="skip",
                showlegend=False,
                name="fair baseline",
                **place,
            )
        )
    failed = (part["n_ok"] < part["n_folds"]).to_numpy()
    symbol = SYMBOLS[place_of_model % len(SYMBOLS)]
    figure.add_trace(
        go.Scatter(
            x=part["level"],
            y=part["mean"],
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={
                "symbol": ["x" if f else symbol for f in failed],
                "size": 7,
                "color": colour,
                "line": {"width": 1, "color": theme.page},
            },
            name=short(name, 26),
            legendgroup=name,
            showlegend=first,
            customdata=_custom(part, name),
            hovertemplate=_HOVER,
            **place,
        )
    )


def method_levels(
    summary: pd.DataFrame,
    theme: Theme,
    *,
    labels: dict[str, str] | None = None,
    baseline: str = "none",
    title: str = "Every method against the fair baseline",
    subtitle: str = "",
) -> go.Figure:
    """Metrics of every method at every level with standard deviations, one panel a metric, one group of marks a method.

    The dotted line is the fair baseline: the model without mitigation at level 0. A mark whose method failed on some folds is a cross; a value
    far outside of the others is drawn as a triangle at the edge of its panel.

    Parameters
    ----------
    summary : DataFrame
        Columns metric, mitigation, level, mean, std, n_ok, n_folds of one model and one test set.
    theme : Theme
    labels : dict of str to str, optional
        Names of metrics and methods for people.
    baseline : str
        Method whose mean at level 0 is the fair baseline.
    title, subtitle : str
    """
    labels = labels or {}
    metrics = list(dict.fromkeys(summary["metric"].astype(str)))
    methods = list(dict.fromkeys(summary["mitigation"].astype(str)))
    levels = sorted(summary["level"].unique())
    step = 2 * SPREAD / max(1, len(levels) - 1)
    offsets = {level: (k * step - SPREAD if len(levels) > 1 else 0.0) for k, level in enumerate(levels)}
    domains, height = grid_domains(len(metrics), 1, 150, 44)
    figure = go.Figure()
    clipped = False
    for i, metric in enumerate(metrics):
        axis = "" if i == 0 else str(i + 1)
        part = summary[summary["metric"].astype(str) == metric]
        low, high = _view(part)
        beyond = ((part["mean"] > high) | (part["mean"] < low)).to_numpy()
        clipped |= bool(beyond.any())
        mean = part["mean"].clip(low, high)
        failed = (part["n_ok"] < part["n_folds"]).to_numpy()
        edge = np.where((part["mean"] > high).to_numpy(), "triangle-up", "triangle-down")
        figure.add_trace(
            go.Scatter(
                x=[methods.index(str(m)) + offsets[v] for m, v in zip(part["mitigation"], part["level"], strict=True)],
                y=mean,
                error_y={
                    "type": "data",
                    "array": part["std"].where(~beyond).fillna(0.0),
                    "color": theme.muted,
                    "thickness": 1,
                    "width": 2,
                },
                mode="markers",
                marker={
                    "symbol": [e if b else "x" if f else "circle" for e, b, f in zip(edge, beyond, failed, strict=True)],
                    "size": 8,
                    "color": part["level"],
                    "coloraxis": "coloraxis",
                    "line": {"width": 0.8, "color": theme.text},
                },
                customdata=_custom(part, None, labels),
                hovertemplate=_HOVER,
                xaxis=f"x{axis}",
                yaxis=f"y{axis}",
                name=metric,
                showlegend=False,
            )
        )
        fair = part.loc[(part["mitigation"].astype(str) == baseline) & (part["level"] == 0), "mean"].dropna()
        if len(fair):
            figure.add_shape(
                type="line",
                xref=f"x{axis} domain",
                yref=f"y{axis}",
                x0=0,
                x1=1,
                y0=float(fair.iloc[0]),
                y1=float(fair.iloc[0]),
                line={"color": theme.accent, "width": 1.4, "dash": "dot"},
                layer="below",
            )
        figure.update_layout(
            {
                f"xaxis{axis}": {
                    "domain": domains[i][0],
                    "anchor": f"y{axis}",
                    "range": [-0.6, len(methods) - 0.4],
                    "tickmode": "array",
                    "tickvals": list(range(len(methods))),
                    "ticktext": [column_label(labels.get(m, m), 15, 3) for m in methods],
                    "showticklabels": i == len(metrics) - 1,
                    "tickangle": 0,
                    "showgrid": False,
                },
                f"yaxis{axis}": {"domain": domains[i][1], "anchor": f"x{axis}", "nticks": 5},
            }
        )
        figure.add_annotation(
            text=f"<b>{wrapped(labels.get(metric, metric), 60, 1)}</b>",
            x=0,
            y=1,
            xref=f"x{axis} domain",
            yref=f"y{axis} domain",
            xanchor="left",
            yanchor="bottom",
            yshift=4,
            showarrow=False,
            font={"size": 12, "color": theme.text},
        )
    figure.update_layout(
        coloraxis={
            "colorscale": colour_scale(theme.score_scale),
            "cmin": 0,
            "cmax": float(max(levels, default=0.0)) or 1.0,
            "colorbar": {
                "title": {"text": "Level of<br>bias" + BAR_GAP, "side": "top", "font": {"size": 11, "color": theme.muted}},
                "thickness": 12,
                "lenmode": "pixels",
                "len": 150,
                "y": 1,
                "yanchor": "top",
                "outlinewidth": 0,
                "tickfont": {"size": 11, "color": theme.text},
                "nticks": 5,
                "x": 1.01,
            },
        }
    )
    text = subtitle or "Fair test set. Dotted: fair baseline. Bars: one standard deviation over folds."
    notes = []
    if (summary["n_ok"] < summary["n_folds"]).any():
        notes.append("×: some folds failed, how many worked is on hover.")
    if clipped:
        notes.append("Triangles: far outside, the value is on hover.")
    text = "\n".join((text, " ".join(notes)))
    return finish(figure, theme, title=title, subtitle=text, plot_height=height, left=56, right=86, top=30, bottom=70)


def _view(part: pd.DataFrame) -> tuple[float, float]:
    """Range in which values are drawn; wider than all of them unless a few lie far outside."""
    values = part["mean"].dropna().to_numpy(dtype=float)
    if not len(values):
        return 0.0, 1.0
    quarter, three = np.quantile(values, [0.25, 0.75])
    reach = 6 * max(float(three - quarter), 0.05)
    return float(quarter) - reach, float(three) + reach


def _custom(part: pd.DataFrame, name: str | None, labels: dict[str, str] | None = None) -> list[list[object]]:
    """What a hover box shows of each row."""
    names = [name] * len(part) if name is not None else [(labels or {}).get(str(m), str(m)) for m in part["mitigation"]]
    columns = (names, part["level"], part["mean"], part["std"], part["n_ok"], part["n_folds"])
    return [
        [wrapped(who), level, number(mean, 3), number(std, 3), f"{int(ok)} of {int(n)}"]
        for who, level, mean, std, ok, n in zip(*columns, strict=True)
    ]
