"""The answer of an audit: sentences, then the frames x attributes heatmap, then the table."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import streamlit as st

from fairaudit.charts import verdict_heatmap
from fairaudit.qmad import QmadSettings
from fairaudit.reporting.words import subject, summary, verdict_rules
from fairaudit.results import VERDICT_LABELS, AuditResult
from fairaudit.ui import calibration, state
from fairaudit.ui.components import chart_theme, download_table, plain, plotly

_BOXES = {
    "disparity": ("orange", ":material/change_history:"),
    "no_evidence": ("green", ":material/radio_button_unchecked:"),
    "not_measurable": ("gray", ":material/remove:"),
}

_PROVISIONAL = ("gray", ":material/hourglass_top:")

_CAUTIONS = ("too_few_resamples", "informative_row_order")
"""Findings that bear on the verdicts themselves; the others are on the Data page."""


def answer(result: AuditResult, settings: QmadSettings, stage: calibration.Stage) -> None:
    """What was found, first in words and then as a picture whose cells can be clicked.

    Parameters
    ----------
    result : AuditResult
    settings : QmadSettings
    stage : str
        Of the calibration. While it runs, what the paper's rule says must not look like a verdict.
    """
    calibration.status(calibration.AUDIT, stage)
    provisional = stage == "running"
    sentences = summary(result)
    most = 6
    for sentence in sentences[:most]:
        colour, icon = _PROVISIONAL if provisional else _BOXES[sentence.verdict]
        st.markdown(f":{colour}-background[{icon} **{plain(sentence.subject)}**] {plain(sentence.text)}")
    if len(sentences) > most:
        with st.expander(f"{len(sentences) - most} more"):
            for sentence in sentences[most:]:
                st.markdown(f"**{plain(sentence.subject)}** {plain(sentence.text)}")
    show: Literal["score", "p_adjusted"] = "score"
    if _calibrated(result):
        show = st.segmented_control(
            "Colour and number",
            ("score", "p_adjusted"),
            default="score",
            required=True,
            format_func={"score": "Score", "p_adjusted": "Calibrated p"}.__getitem__,
            key="audit.show",
            persist_state="session",
            label_visibility="collapsed",
        )
    figure = verdict_heatmap(
        result.attribute_scores,
        settings.spec,
        chart_theme(),
        alpha=settings.alpha,
        threshold=settings.threshold,
        show=show,
        resamples=settings.resamples or None,
        selected=_selected(result),
        provisional=provisional,
    )
    picked = plotly(figure, key="verdicts", clickable=True)
    if picked is not None:
        frame, group, attribute = (str(part) for part in picked)
        if (frame, group, attribute) != state.chosen_cell():
            state.choose_cell(frame, group, attribute)
            st.rerun()
    st.caption(_rule(result, settings))
    _cautions(result)


def _cautions(result: AuditResult) -> None:
    """What limits the verdicts, each kind once."""
    for code in _CAUTIONS:
        found = [f for f in result.findings if f.code == code]
        if found:
            more = f" The same holds for {len(found) - 1} more." if len(found) > 1 else ""
            st.warning(f"{plain(found[0].problem)}{more} {plain(found[0].remedy)}", icon=":material/warning:")


def _selected(result: AuditResult) -> tuple[str, str, str] | None:
    cell = state.chosen_cell()
    known = set(result.attribute_scores[["frame", "group", "attribute"]].itertuples(index=False, name=None))
    return cell if cell in known else None


def _calibrated(result: AuditResult) -> bool:
    return bool(result.attribute_scores["p_adjusted"].notna().any())


def _rule(result: AuditResult, settings: QmadSettings) -> str:
    """How the verdicts came about, and where the paper's rule says something else."""
    rows = result.attribute_scores
    rules = plain(" or ".join(verdict_rules(result)))
    end = " “Higher” or “more” speaks of the target. Click a cell for the evidence."
    if not _calibrated(result):
        return f"Verdict by the paper's uncalibrated rule: {rules}." + end
    measured = rows[rows["p_adjusted"].notna()]
    differs = measured[measured["paper_flag"].astype("boolean") != (measured["verdict"] == "disparity")]
    alarms = measured["false_alarm_rate"]
    low, high = f"{alarms.min():.0%}", f"{alarms.max():.0%}"
    text = f"Verdict: {rules}. The paper's rule ({plain(' or '.join(r for r in rows['paper_rule'].unique() if r))}) "
    if len(differs):
        cells = [f"{r.attribute} on {subject(str(r.frame), str(r.group))}" for r in differs.head(4).itertuples()]
        text += f"decides otherwise in {len(differs)} of {len(measured)} cells ({plain(', '.join(cells))}{' …' if len(differs) > 4 else ''}); "
    else:
        text += "agrees in every cell; "
    return (
        text
        + f"without any difference it would raise an alarm in {low if low == high else f'{low} to {high}'} of cases here."
        + end
    )


_FIRST = ["frame", "group", "attribute", "verdict"]
_CERTAINTY = ["stability", "stability_null", "detectable", "detectable_unit", "certainty_note"]


def _order(shown: pd.DataFrame) -> list[str]:
    """Columns as they are shown: what is known about a verdict right behind it, and behind everything else where nothing is."""
    columns = list(shown.columns)
    if "stability" not in columns or shown[["stability", "detectable"]].isna().all(axis=None):
        return columns
    notes = [c for c in _CERTAINTY if c != "certainty_note" or (shown[c] != "").any()]
    return [*_FIRST, *notes, *(c for c in columns if c not in (*_FIRST, *notes))]


def attribute_table(result: AuditResult) -> None:
    """The tidy tables behind the pictures, and their downloads."""
    st.subheader("Tables", divider="gray")
    which = st.segmented_control(
        "Table",
        ("Attributes", "Overall", "Bins"),
        default="Attributes",
        required=True,
        key="audit.table",
        persist_state="session",
        label_visibility="collapsed",
    )
    frame = {"Attributes": result.attributes, "Overall": result.overall, "Bins": result.bins}[which]()
    shown = frame.copy()
    if "verdict" in shown:
        shown["verdict"] = shown["verdict"].map(VERDICT_LABELS)
    st.dataframe(
        shown,
        hide_index=True,
        column_order=_order(shown),
        column_config={
            "score": st.column_config.NumberColumn(format="%.4g"),
            "effect": st.column_config.NumberColumn(
                format="%+.3f", help="Standardised: d (numbers), h (shares) or Cramér's V (categories)"
            ),
            "p_value": st.column_config.NumberColumn(format="%.3g"),
            "p_adjusted": st.column_config.NumberColumn(format="%.3g"),
            "mean_target": st.column_config.NumberColumn(format="%.5g"),
            "mean_reference": st.column_config.NumberColumn(format="%.5g"),
            "stability": st.column_config.NumberColumn(
                "flagged again",
                format="percent",
                help="stability: share of bootstrap resamples in which the attribute is flagged.",
            ),
            "stability_null": st.column_config.NumberColumn(
                "by chance alone",
                format="percent",
                help="stability_null: the same share in data without a difference; resampling adds chance of its own.",
            ),
            "detectable": st.column_config.NumberColumn(
                "would have found",
                format="%.3g",
                help="detectable: the smallest difference that would be flagged with 80 % power, in standard deviations (sd) or as a share "
                "(0.01 is one percentage point).",
            ),
            "detectable_unit": st.column_config.TextColumn("unit"),
            "missing_target": st.column_config.NumberColumn(format="percent"),
            "missing_reference": st.column_config.NumberColumn(format="percent"),
        },
    )
    for features, counts in result.provenance["rows_without_group"].items():
        if left := ", ".join(f"{plain(name)}: {n:,}" for name, n in counts.items() if n):
            st.caption(f"Rows in no group because {plain(features)} is missing ({left}) are left out on both sides.")
    download_table(frame, f"audit_{which.lower()}.csv")
