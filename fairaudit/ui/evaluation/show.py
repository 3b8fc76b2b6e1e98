"""What an experiment found: the sentences first, then one section at a time, then the downloads."""

from __future__ import annotations

import json

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairaudit.charts import fair_vs_biased_scatter, impact_curves, level_curves, method_heatmap, method_levels
from fairaudit.evaluation import RULE, TEST_METRICS, EvaluationResult
from fairaudit.injection import INJECTIONS
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS
from fairaudit.ui.components import chart_theme, download_table, plain, plotly
from fairaudit.ui.evaluation.runs import results

METRICS = (
    "accuracy",
    "statistical_parity_difference",
    "equalized_odds_difference",
    "balanced_accuracy",
    "balanced_conditioned_consistency",
    "generalized_entropy_index",
)
"""Shown first."""
IMPACT = (
    "accuracy",
    "balanced_accuracy",
    "statistical_parity_difference",
    "false_negative_rate_difference",
    "false_positive_rate_difference",
    "balanced_conditioned_consistency",
    "generalized_entropy_index",
    "sensitive_usage",
)
"""Metrics of the paper's Figures 7 to 11."""
FOUR = ("accuracy", "statistical_parity_difference", "equalized_odds_difference", "generalized_entropy_index")
"""Metrics of the paper's Figures 12 to 14."""
_SECTIONS = {
    "scatter": "Fair against biased",
    "levels": "Over the level",
    "impact": "Impact on models",
    "methods": "Methods",
    "summary": "Summary",
    "table": "Table",
}
LABELS = {spec.name: spec.label for spec in (*TEST_METRICS, *MITIGATIONS, *MODELS)}
_IDEALS = {spec.name: spec.ideal for spec in TEST_METRICS}


def show(result: EvaluationResult) -> None:
    """Everything below the start button."""
    st.subheader("What it means", divider="gray")
    _sentences(result)
    _levels(result)
    present = list(dict.fromkeys(result.values["model"]))
    section = st.segmented_control(
        "Section",
        list(_SECTIONS),
        default="scatter",
        required=True,
        format_func=_SECTIONS.__getitem__,
        key="evaluation_section",
        bind="query-params",
        label_visibility="collapsed",
    )
    model = present[0]
    if len(present) > 1 and section not in ("impact", "table"):
        model = st.segmented_control(
            "Model",
            present,
            default=present[0],
            required=True,
            format_func=lambda n: MODELS[n].label,
            key=f"evaluation.model.{'.'.join(present)}",
            label_visibility="collapsed",
        )
    if section == "table":
        _table(result)
    else:
        draw = {"scatter": _scatter, "levels": _curves, "impact": _impact, "methods": _methods, "summary": _summary}[section]
        figure = draw(result, model)
        if figure is not None:
            plotly(figure, key=f"evaluation.figure.{section}.{model}")
            _figure_download(figure, section)
    _downloads(result)


def bias_words(result: EvaluationResult) -> str:
    """Name of the planted bias, with what sets it apart from others of its kind."""
    words = INJECTIONS[result.settings.injection["kind"]].label
    if result.settings.train_on == "privileged":
        words += ", trained on the privileged group"
    return words


def _sentences(result: EvaluationResult) -> None:
    found = list(result.interpretation())
    most = 2 if result.complete else 3
    for sentence in found[:most]:
        st.markdown(f":material/lightbulb: {plain(sentence)}")
    if len(found) > most:
        with st.expander(f"{len(found) - most} more", icon=":material/expand_more:"):
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in found[most:]))


def _levels(result: EvaluationResult) -> None:
    """What the bias did to the table."""
    p = result.provenance
    sample = result.sample
    drawn = "" if sample is None else f" They are part of a sample of {sample.rows:,} of {sample.of:,} rows."
    left_out = f" {p['rows_left_out']:,} rows without a label or a group were left out." if p["rows_left_out"] else ""
    with st.expander(f"What the bias did to the {p['rows']:,} rows", icon=":material/edit_note:"):
        st.caption(plain(f"Unprivileged: {p['unprivileged']}. {bias_words(result)}.{drawn}{left_out}"))
        if result.repairs:
            st.caption(plain(f"Done to the table before: {' '.join(result.repairs)}"))
        st.dataframe(
            result.levels,
            hide_index=True,
            column_config={
                "level": st.column_config.NumberColumn("level", format="%.2g"),
                "rows": "rows left",
                "rows_removed": "rows taken out",
                "labels_to_unfavourable": "labels turned unfavourable",
                "labels_to_favourable": "labels turned favourable",
                "base_rate_unprivileged": st.column_config.NumberColumn("favourable, unprivileged", format="percent"),
                "base_rate_privileged": st.column_config.NumberColumn("favourable, privileged", format="percent"),
                "label_parity_difference": st.column_config.NumberColumn("parity difference of labels", format="%.3f"),
            },
        )


def _measured(frame: pd.DataFrame, column: str = "mean") -> list[str]:
    """Metrics that have a value anywhere, in the register's order."""
    there = set(frame.loc[frame[column].notna(), "metric"])
    return [name for name in TEST_METRICS.names() if name in there]


def _pick(frame: pd.DataFrame, name: str, default: tuple[str, ...], column: str = "mean") -> list[str]:
    """Metrics to draw."""
    offered = _measured(frame, column)
    chosen = st.multiselect(
        "Metrics",
        offered,
        default=[m for m in default if m in offered],
        format_func=lambda n: TEST_METRICS[n].label,
        key=f"evaluation.metrics.{name}.{len(offered)}",
        persist_state="session",
        label_visibility="collapsed",
        placeholder="Choose metrics",
        wrap=True,
    )
    if not chosen:
        st.info(
            "Choose one or more metrics." if offered else "No metric could be measured. The table says why.",
            icon=":material/info:",
        )
    return chosen


def _ordered(frame: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Rows of these metrics, in their order."""
    place = {name: i for i, name in enumerate(metrics)}
    kept = frame[frame["metric"].isin(metrics)]
    return kept.sort_values("metric", key=lambda m: m.map(place), kind="stable")


def _scatter(result: EvaluationResult, model: str) -> go.Figure | None:
    pairs = result.fair_against_biased()
    pairs = pairs[pairs["model"] == model]
    chosen = _pick(pairs, "scatter", METRICS, "fair")
    if not chosen:
        return None
    return fair_vs_biased_scatter(_ordered(pairs, chosen), chart_theme(), labels=LABELS)


def _curves(result: EvaluationResult, model: str) -> go.Figure | None:
    summary = result.summary()
    summary = summary[summary["model"] == model]
    offered = _measured(summary)
    if not offered:
        st.info("No metric could be measured. The table says why.", icon=":material/info:")
        return None
    metric = st.selectbox(
        "Metric",
        offered,
        format_func=lambda n: TEST_METRICS[n].label,
        key="evaluation.metric",
        persist_state="session",
        label_visibility="collapsed",
    )
    spec = TEST_METRICS[metric]
    st.caption(plain(f"{spec.summary} {spec.pitfall}"))
    return level_curves(summary[summary["metric"] == metric], chart_theme(), metric=spec.label, labels=LABELS, ideal=spec.ideal)


def _impact(result: EvaluationResult, model: str) -> go.Figure | None:
    del model  # all of them in one figure
    summary = result.summary()
    nothing = summary[(summary["mitigation"] == "none") & (summary["test_set"] == "fair")]
    if nothing.empty:
        st.info("Run it with “No mitigation” among the methods to see what the bias does to models.", icon=":material/info:")
        return None
    chosen = _pick(nothing, "impact", IMPACT)
    if not chosen:
        return None
    return impact_curves(
        _ordered(nothing, chosen),
        chart_theme(),
        labels=LABELS,
        ideals=_IDEALS,
        title=f"{bias_words(result)}: what it does to models without mitigation",
    )


def _methods(result: EvaluationResult, model: str) -> go.Figure | None:
    summary = result.summary()
    left, right = st.columns([2, 3], vertical_alignment="center")
    test_set = left.segmented_control(
        "Test set",
        ("fair", "biased"),
        default="fair",
        required=True,
        format_func={"fair": "Fair test set", "biased": "Biased test set"}.__getitem__,
        key="evaluation.test_set",
        persist_state="session",
        label_visibility="collapsed",
    )
    own = summary[(summary["model"] == model)]
    # The fair baseline is the same on both test sets: level 0 is the fair table.
    shown = own[own["test_set"] == test_set]
    with right:
        chosen = _pick(shown, "methods", FOUR)
    if not chosen:
        return None
    return method_levels(
        _ordered(shown, chosen),
        chart_theme(),
        labels=LABELS,
        title=f"{bias_words(result)}: every method against the fair baseline",
        subtitle=f"{MODELS[model].label}, {test_set} test set. Dotted: fair baseline, no mitigation at level 0. Bars: one standard deviation over folds.",
    )


def _summary(result: EvaluationResult, model: str) -> go.Figure | None:
    """Methods x biases that were run on this table in this session."""
    columns = []
    for found in results(result.provenance["fingerprint"]):
        rated = found.method_summary()
        columns.append(rated[rated["model"] == model].assign(column=_column(found)))
    ratings = pd.concat(columns, ignore_index=True)
    if ratings.empty:
        st.info("Run it with “No mitigation” and at least one method, at a level between 0 and 0.8.", icon=":material/info:")
        return None
    if ratings["column"].nunique() == 1:
        st.caption("One column a bias: run other biases on the same table, and they are put beside this one.")
    ratings = ratings.drop_duplicates(["mitigation", "column"], keep="last")
    with st.expander("How the symbols follow from the numbers", icon=":material/rule:"):
        st.markdown(plain(RULE))
    return method_heatmap(ratings, chart_theme(), labels=LABELS, rule="The numbers behind a symbol are on hover.")


def _column(result: EvaluationResult) -> str:
    """Name of a result among those of the same table."""
    s = result.settings
    parts = [bias_words(result), f"{s.folds} folds", f"seed {s.seed}"]
    if s.injection.get("noise"):
        parts.insert(1, f"noise {s.injection['noise']:g}")
    if s.stratified:
        parts.append("stratified")
    if not result.complete:
        parts.append("partial")
    return ", ".join(parts)


def _table(result: EvaluationResult) -> None:
    summary = result.summary()
    notes = result.values.loc[result.values["note"] != ""]
    keys = ["level", "model", "mitigation", "test_set", "metric"]
    why = notes.drop_duplicates(keys)[[*keys, "note"]]
    named = summary.merge(why, how="left", on=keys).assign(note=lambda f: f["note"].fillna(""))
    for column in ("model", "mitigation", "metric"):
        named[column] = named[column].map(LABELS)
    st.dataframe(
        named,
        hide_index=True,
        column_config={
            "level": st.column_config.NumberColumn("level", format="%.2g"),
            "mitigation": "method",
            "test_set": "test set",
            "mean": st.column_config.NumberColumn("mean", format="%.4f"),
            "std": st.column_config.NumberColumn("std", format="%.4f", help="Standard deviation over folds"),
            "n_ok": "folds with a value",
            "n_folds": "folds run",
            "note": st.column_config.TextColumn("note", width="large"),
        },
    )
    download_table(summary, "fair_vs_biased_summary.csv", "Download means and deviations as CSV")


def _figure_download(figure: go.Figure, section: str) -> None:
    page = chart_theme().page
    st.download_button(
        "This figure as HTML",
        lambda: go.Figure(figure).update_layout(paper_bgcolor=page).to_html(include_plotlyjs=True).encode(),
        f"fair_vs_biased_{section}.html",
        "text/html",
        key=f"evaluation.html.{section}",
        icon=":material/download:",
        on_click="ignore",
        help="One file that needs no network.",
    )


def _downloads(result: EvaluationResult) -> None:
    st.subheader("Take it away", divider="gray")
    with st.container(horizontal=True):
        download_table(result.to_frame(), "fair_vs_biased.csv", "Every fold as tidy CSV")
        st.download_button(
            "Result as JSON",
            lambda: _json(result),
            "fair_vs_biased.json",
            "application/json",
            key="evaluation.json",
            icon=":material/download:",
            on_click="ignore",
        )
    st.caption(
        "The JSON holds settings, versions and every value; a shell goes on from it with `fairaudit evaluate … --resume fair_vs_biased.json`."
    )


def _json(result: EvaluationResult) -> bytes:
    from fairaudit.reporting.documents import finite

    return (json.dumps(finite(result.to_dict()), ensure_ascii=False, allow_nan=False) + "\n").encode()
