"""The answer of an audit: sentences, then the frames x attributes heatmap, then the table."""

from __future__ import annotations

import streamlit as st

from fairaudit.charts import verdict_heatmap
from fairaudit.qmad import QmadSettings
from fairaudit.reporting.words import summary
from fairaudit.results import VERDICT_LABELS, AuditResult
from fairaudit.ui import state
from fairaudit.ui.components import chart_theme, download_table, plain, plotly

_BOXES = {
    "disparity": ("orange", ":material/change_history:"),
    "no_evidence": ("green", ":material/radio_button_unchecked:"),
    "not_measurable": ("gray", ":material/remove:"),
}


def answer(result: AuditResult, settings: QmadSettings) -> None:
    """What was found, first in words and then as a picture whose cells can be clicked."""
    sentences = summary(result)
    most = 6
    for sentence in sentences[:most]:
        colour, icon = _BOXES[sentence.verdict]
        st.markdown(f":{colour}-background[{icon} **{plain(sentence.subject)}**] {plain(sentence.text)}")
    if len(sentences) > most:
        with st.expander(f"{len(sentences) - most} more"):
            for sentence in sentences[most:]:
                st.markdown(f"**{plain(sentence.subject)}** {plain(sentence.text)}")
    figure = verdict_heatmap(
        result.attribute_scores,
        settings.spec,
        chart_theme(),
        alpha=settings.alpha,
        threshold=settings.threshold,
        selected=_selected(result),
    )
    picked = plotly(figure, key="verdicts", clickable=True)
    if picked is not None:
        frame, group, attribute = (str(part) for part in picked)
        if (frame, group, attribute) != state.chosen_cell():
            state.choose_cell(frame, group, attribute)
            st.rerun()
    st.caption(_rule(result, settings))


def _selected(result: AuditResult) -> tuple[str, str, str] | None:
    cell = state.chosen_cell()
    known = set(result.attribute_scores[["frame", "group", "attribute"]].itertuples(index=False, name=None))
    return cell if cell in known else None


def _rule(result: AuditResult, settings: QmadSettings) -> str:
    """How the verdicts came about, in one line."""
    rules = [r for r in result.attribute_scores["rule"].unique() if r]
    sides = "Target minus reference: a direction such as “higher” speaks of the target."
    return f"Verdict by the paper's uncalibrated rule: {plain(' or '.join(rules))}. {sides} Click a cell for the evidence."


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
        column_config={
            "score": st.column_config.NumberColumn(format="%.4g"),
            "effect": st.column_config.NumberColumn(
                format="%+.3f", help="Standardised: d (numbers), h (shares) or Cramér's V (categories)"
            ),
            "p_value": st.column_config.NumberColumn(format="%.3g"),
            "p_adjusted": st.column_config.NumberColumn(format="%.3g"),
            "mean_target": st.column_config.NumberColumn(format="%.5g"),
            "mean_reference": st.column_config.NumberColumn(format="%.5g"),
            "missing_target": st.column_config.NumberColumn(format="percent"),
            "missing_reference": st.column_config.NumberColumn(format="percent"),
        },
    )
    download_table(frame, f"audit_{which.lower()}.csv")
