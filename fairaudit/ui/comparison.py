"""The Baselines page: QMAD pairs and classical metrics side by side, groups with their rates, impact ratios."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from fairaudit.baselines import BASELINES, RULE, BaselineResult, BaselineSettings, BaselineSpec, impact_ratio_table
from fairaudit.charts import group_rates_chart, impact_ratio_chart, interval_chart, metric_matrix, sides_text
from fairaudit.contrast import Contrast
from fairaudit.errors import FairAuditError
from fairaudit.qmad import PAIRS, QmadSettings
from fairaudit.reporting.matrix import MatrixWords, MeasureMatrix, matrix_words, measure_matrix, planted_truth
from fairaudit.reporting.words import subject
from fairaudit.results import VERDICT_LABELS
from fairaudit.schema import Frames
from fairaudit.ui import calibration, state
from fairaudit.ui.choices import contrast_choice
from fairaudit.ui.components import chart_theme, download_table, plain, plotly, show_error

_CALIBRATION = "baselines.calibration"
_RATE_LABELS = {
    "selection_rate": "Selection rate",
    "base_rate": "Base rate (labels)",
    "tpr": "True positive rate",
    "fpr": "False positive rate",
    "fnr": "False negative rate",
    "precision": "Precision",
    "accuracy": "Accuracy",
}


def choices(frames: Frames) -> tuple[BaselineSettings, tuple[str, ...]]:
    """Contrast, decision threshold, metrics and pairs."""
    first, second, third = st.columns([1.1, 1.1, 1])
    with first:
        contrast = contrast_choice(frames)
    with second:
        threshold = _threshold(frames)
    with third:
        pairs = st.multiselect(
            "QMAD pairs",
            list(PAIRS),
            default=["rom-arithmetic", "ks-harmonic", "ad-harmonic"],
            format_func=lambda n: PAIRS[n].label,
            key="baselines.pairs",
            persist_state="session",
        )
        names = [s.name for s in BASELINES]
        metrics = st.multiselect(
            "Metrics",
            names,
            format_func=lambda n: BASELINES[n].label,
            key="baselines.metrics",
            persist_state="session",
            placeholder="The usual ones that this data allows",
        )
    return BaselineSettings(metrics=tuple(metrics) or None, contrast=contrast, threshold=threshold), tuple(pairs)


def _threshold(frames: Frames) -> float | None:
    """The decision threshold of a numeric outcome: proposed, shown with how many it selects, changeable."""
    table, schema = frames.reference, frames.schema
    column = next((c for c in (schema.prediction, schema.score) if c is not None and c in table.columns), None)
    if column is None or table.type_of(column) != "numeric":
        st.caption(
            "Decision or score? "
            + (
                "The outcome is a decision already."
                if column
                else "No prediction or score column is chosen; metrics of decisions use the label."
            )
        )
        return None
    values = table.data[column].to_numpy()
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    default = schema.decision_threshold if schema.decision_threshold is not None else float(np.median(values))
    threshold = st.number_input(
        f"{plain(column)} counts as favourable from",
        value=default,
        key=f"baselines.threshold.{table.fingerprint[:12]}",
        persist_state="session",
        help="Metrics of decisions need a threshold. Proposed: that of the Data page, else the median of the reference.",
    )
    selected = int((values >= threshold).sum())
    st.caption(f"Selects {selected:,} of {len(values):,} rows of {plain(table.name)} ({selected / len(values):.1%}).")
    return float(threshold)


def side_by_side(
    frames: Frames, result: BaselineResult, pairs: tuple[str, ...], contrast: Contrast
) -> tuple[MeasureMatrix, calibration.Stage]:
    """QMAD by the chosen pairs beside the metrics, and how far the calibration of the pairs is."""
    known = any(c is not None and c in frames.reference.columns for c in (frames.schema.prediction, frames.schema.score))
    wanted = [
        QmadSettings(
            comparison=PAIRS[name].comparison,
            aggregation=PAIRS[name].aggregation,
            contrast=contrast,
            aggregate_over=PAIRS[name].aggregate_over if known else None,
            resamples=499,
        )
        for name in pairs
    ]
    audits, stage = calibration.calibrated_audits(_CALIBRATION, frames, wanted)
    return measure_matrix(dict(zip(pairs, audits, strict=True)), result), stage


def answer(frames: Frames, result: BaselineResult, pairs: tuple[str, ...], contrast: Contrast, planted: tuple[str, ...]) -> None:
    """Which measures see something where: a sentence, the matrix, and one measure in detail."""
    matrix, stage = side_by_side(frames, result, pairs, contrast)
    truth = planted_truth(matrix, planted) if planted and contrast.kind == "frame_vs_reference" else None
    st.markdown(_sentence(matrix_words(matrix, truth), provisional=stage == "running"))
    calibration.status(_CALIBRATION, stage)
    shown, silent, metrics = matrix.measurable(), matrix.silent(), result.to_frame()
    if len(shown):
        picked = plotly(
            metric_matrix(shown, chart_theme(), labels=matrix.labels, truth=truth, sides=sides_text(metrics)),
            key="metrics",
            clickable=True,
        )
        if picked is not None and str(picked[2]) in BASELINES:
            st.session_state["baselines.metric"] = str(picked[2])
    if len(silent):
        with st.expander(f"Not measurable here: {', '.join(matrix.labels[str(m)] for m in silent['metric'])}"):
            for name, note in zip(silent["metric"], silent["note"], strict=True):
                st.markdown(f"- **{matrix.labels[str(name)]}**: {plain(note)}")
    st.caption(f"Verdict of a metric: {RULE} A line is a convention, not a truth.")
    _one_metric(metrics, [s.name for s in BASELINES if s.name in set(shown["metric"])])


def _sentence(words: MatrixWords, provisional: bool) -> str:
    """What the matrix says, in one or two sentences; grey and with a word of warning while verdicts of QMAD are still to be calibrated."""
    box = ":gray-background[:material/hourglass_top: So far:]" if provisional else ""
    if words.verdict == "not_measurable":
        return ":gray-background[:material/remove:] Nothing can be measured with the columns at hand; the reasons are below."
    if words.verdict == "no_evidence":
        return f"{box or ':green-background[:material/radio_button_unchecked:]'} None of {words.measures} measures indicates a disparity."
    parts = [f"**{plain(subject(f, g))}**: {n} of {words.measures} measures" for f, g, n in words.flags]
    text = f"{box or ':orange-background[:material/change_history:]'} Disparity indicated in " + "; ".join(parts[:6])
    text += f" and {len(parts) - 6} more." if len(parts) > 6 else "."
    if words.false_alarms is not None:
        text += f" On frames without a planted bias there {'is 1 flag' if words.false_alarms == 1 else f'are {words.false_alarms} flags'}."
    return text


def _one_metric(metrics: pd.DataFrame, names: list[str]) -> None:
    """One classical metric: interval per frame and group, how to read it, when not to trust it."""
    if not names:
        return
    st.subheader("One metric", divider="gray")
    if st.session_state.get("baselines.metric") not in names:
        st.session_state["baselines.metric"] = names[0]
    name = st.selectbox(
        "Metric", names, format_func=lambda n: BASELINES[n].label, key="baselines.metric", persist_state="session"
    )
    spec = BASELINES[name]
    rows = metrics[metrics["metric"] == name]
    st.markdown(f"{plain(spec.summary)} {plain(spec.direction)}")
    if spec.pitfall:
        st.caption(f":material/warning: {plain(spec.pitfall)}")
    band, label = _band(spec)
    plotly(
        interval_chart(
            rows,
            chart_theme(),
            metric=spec.label,
            no_difference=spec.no_difference,
            band=band,
            band_label=label,
            direction=spec.direction,
            sides=sides_text(rows),
            ratio=spec.kind == "ratio",
        ),
        key="metric.one",
    )


def _band(spec: BaselineSpec) -> tuple[tuple[float, float] | None, str]:
    if spec.kind == "level" or not np.isfinite(spec.threshold):
        return None, ""
    if spec.kind == "ratio":
        return (spec.threshold, 1 / spec.threshold), spec.threshold_source
    low = -spec.threshold if spec.signed else 0.0
    return (low, spec.threshold), spec.threshold_source


def groups(frames: Frames, result: BaselineResult, settings: BaselineSettings) -> None:
    """Rates of every group with intervals, and impact ratios."""
    st.subheader("Groups", divider="gray")
    rates = result.rates()
    names = [t.name for t in frames.tables]
    shown = st.segmented_control(
        "Table",
        names,
        default=names[0],
        required=True,
        key="baselines.table",
        persist_state="session",
        label_visibility="collapsed",
    )
    part = rates[(rates["frame"] == shown) & rates["value"].notna()]
    if part.empty:
        reasons = result.groups()["note"]
        st.info(plain(next((n for n in reasons if n), "Rates need decisions or labels.")), icon=":material/info:")
        return
    plotly(
        group_rates_chart(
            part,
            chart_theme(),
            labels=_RATE_LABELS,
            title=f"Rates of each group in {shown}",
            subtitle="95 % intervals; groups below the smallest size are not shown.",
        ),
        key="groups",
    )
    table = next(t for t in frames.tables if t.name == shown)
    if frames.schema.sensitive_features:
        _impact(frames, table.name, settings)


def _impact(frames: Frames, name: str, settings: BaselineSettings) -> None:
    """Impact ratios in the form that New York City's Local Law 144 audits publish."""
    table = next(t for t in frames.tables if t.name == name)
    st.markdown("#### Impact ratios")
    st.caption(
        "Selection rate of each category over that of the most selected category, in the form of New York City's Local Law 144 bias audits. "
        "Categories of less than 2 % of the rows, and rows whose category is not known, have no ratio and are no yardstick. A form, not legal advice."
    )
    try:
        ratios = impact_ratio_table(frames, table, settings.contrast.features, settings.threshold).to_frame()
    except FairAuditError as error:
        show_error(error)
        return
    partitions = list(dict.fromkeys(ratios["partition"]))
    chosen = (
        st.segmented_control(
            "By",
            partitions,
            default=partitions[0],
            required=True,
            key="impact.partition",
            persist_state="session",
            label_visibility="collapsed",
        )
        if len(partitions) > 1
        else partitions[0]
    )
    if chosen not in partitions:
        chosen = partitions[0]
    part = ratios[ratios["partition"] == chosen]
    bars = part.rename(columns={"category": "group"})[["group", "impact_ratio", "ratio_low", "ratio_high", "n"]].set_axis(
        ["group", "value", "low", "high", "n"], axis=1
    )
    best = str(part.loc[part["impact_ratio"].idxmax(), "category"]) if part["impact_ratio"].notna().any() else ""
    plotly(impact_ratio_chart(bars, chart_theme(), reference_group=best), key="impact")
    st.dataframe(ratios, hide_index=True)
    download_table(ratios, f"impact_ratios_{name}.csv")


def tables(result: BaselineResult) -> None:
    """The tidy table and its download."""
    st.subheader("Table", divider="gray")
    frame = result.to_frame()
    st.dataframe(frame.assign(verdict=frame["verdict"].map(VERDICT_LABELS)), hide_index=True)
    download_table(frame, "baselines.csv")


def planted() -> tuple[str, ...]:
    """Targets of the session that are known to hold a planted bias."""
    loaded = state.loaded()
    return () if loaded is None else loaded.planted
