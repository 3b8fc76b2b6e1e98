"""The Report page: what goes in, a preview, and the files to take away."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fairaudit.baselines import BaselineResult, BaselineSettings
from fairaudit.evaluation import EvaluationResult
from fairaudit.qmad import QmadSettings
from fairaudit.reporting import safe_csv
from fairaudit.reporting.documents import audit_document, to_json
from fairaudit.reporting.page import LabSection, html_report
from fairaudit.reporting.words import groups_compared, not_in_settings, subject
from fairaudit.results import AuditResult
from fairaudit.settings import AuditSettings, Comment, ReportOptions
from fairaudit.ui import state
from fairaudit.ui.cache import baseline_metrics
from fairaudit.ui.components import plain

GENERAL = "The audit as a whole"


def report_settings(
    tables: state.Loaded, qmad: QmadSettings, baselines: BaselineSettings | None, options: ReportOptions
) -> AuditSettings:
    """Everything that was chosen in this session."""
    reading = {name: tables.options for name, _ in tables.files}
    settings = AuditSettings(repairs=tables.remedies, qmad=qmad, baselines=baselines, report=options)
    return settings.with_frames(tables.frames, dict(tables.files), reading)


def options_form(result: AuditResult) -> tuple[ReportOptions, bool]:
    """Name, purpose and comments of the auditor, and whether the classical metrics are part of the report."""
    left, right = st.columns(2)
    auditor = left.text_input("Auditor", key="report.auditor", persist_state="session")
    purpose = right.text_input("Purpose", key="report.purpose", persist_state="session")
    rows = result.attribute_scores
    found = rows[rows["verdict"] == "disparity"]
    about = {GENERAL: ("", "", "")}
    for frame, group, attribute in zip(found["frame"], found["group"], found["attribute"], strict=True):
        about[f"{attribute} · {subject(str(frame), str(group))}"] = (str(frame), str(group), str(attribute))
    with st.expander("Comments", icon=":material/comment:"):
        chosen = st.selectbox("About", list(about), key="report.about")
        st.text_area("Comment", key=f"report.comment.{chosen}", persist_state="session")
    comments = []
    for name, (frame, group, attribute) in about.items():
        if text := str(st.session_state.get(f"report.comment.{name}", "")).strip():
            comments.append(Comment(text, frame, group, attribute))
    metrics = st.toggle("With the classical metrics and impact ratios", value=True, key="report.metrics", persist_state="session")
    return ReportOptions(auditor.strip(), purpose.strip(), tuple(comments)), metrics


def extras() -> tuple[LabSection | None, EvaluationResult | None]:
    """What the pages under "What if" showed last, as far as it is wanted in the report."""
    lab, evaluation = state.lab_section(), state.evaluation_result()
    left, right = st.columns(2)
    if lab is not None and not left.toggle("With the bias lab", value=True, key="report.lab", persist_state="session"):
        lab = None
    if evaluation is not None and not right.toggle(
        "With the experiment on fair and biased test sets", value=True, key="report.evaluation", persist_state="session"
    ):
        evaluation = None
    return lab, evaluation


def downloads(
    tables: state.Loaded,
    result: AuditResult,
    settings: AuditSettings,
    metrics: BaselineResult | None,
    lab: LabSection | None,
    evaluation: EvaluationResult | None,
) -> str:
    """Buttons for every form of the report; returns the HTML."""
    html = html_report(result, tables.frames, settings, metrics, lab, evaluation)
    document = to_json(
        audit_document(
            result,
            settings=settings,
            frames=tables.frames,
            baselines=metrics,
            injected=None if lab is None else lab.injected,
            detectability=None if lab is None else lab.detectability,
            evaluation=evaluation,
        )
    )
    files: tuple[tuple[str, str | bytes, str, str], ...] = (
        ("Report (HTML)", html, "audit_report.html", "text/html"),
        ("Results (JSON)", document, "audit.json", "application/json"),
        ("Attributes (CSV)", safe_csv(result.attributes()), "audit_attributes.csv", "text/csv"),
        ("Bins (CSV)", safe_csv(result.bins()), "audit_bins.csv", "text/csv"),
        ("Settings (YAML)", settings.to_yaml(), "audit_settings.yaml", "application/yaml"),
    )
    for column, (label, data, name, mime) in zip(st.columns(len(files)), files, strict=True):
        column.download_button(
            label,
            data,
            name,
            mime,
            icon=":material/download:",
            on_click="ignore",
            type="primary" if name.endswith("html") else "secondary",
            width="stretch",
        )
    again = "audit and of the classical metrics" if metrics is not None else "audit"
    st.caption(
        f"The report is one file of {len(html.encode()) / 1e6:.1f} MB that opens offline, asks nothing from anywhere and prints well. The settings hold no data; "
        f"with them the numbers of the {again} can be had again on the start page, from Python, or by "
        f"`fairaudit audit --settings audit_settings.yaml`. {not_in_settings(lab is not None, evaluation is not None)}".rstrip()
    )
    return html


def wait() -> None:
    """In place of the files while the verdicts are provisional: nobody should take those away."""
    st.info(
        "The report and its files come when the verdicts are calibrated; the choices can be made already.",
        icon=":material/hourglass_top:",
    )


def metrics_for(tables: state.Loaded, qmad: QmadSettings) -> tuple[BaselineSettings, BaselineResult]:
    """The classical metrics on the contrast of the audit."""
    chosen = state.baseline_settings()
    settings = BaselineSettings(contrast=qmad.contrast) if chosen is None else replace(chosen, contrast=qmad.contrast)
    return settings, baseline_metrics(tables.frames, settings)


def preview(html: str) -> None:
    """The report as its reader will see it."""
    st.subheader("Preview", divider="gray")
    st.iframe(html, height=900)


def what_is_in(tables: state.Loaded, qmad: QmadSettings) -> None:
    """Which audit the report is about."""
    names = ", ".join(t.name for t in tables.frames.targets)
    reference = plain(tables.frames.reference.name)
    joined = "and" if qmad.contrast.kind == "group_vs_reference_group" else "against"
    groups = groups_compared(qmad.contrast, tables.frames.schema)
    st.markdown(
        (f"Audit of **{plain(names)}** {joined} **{reference}**" if names else f"Audit of **{reference}**")
        + ", as chosen on the Audit page: "
        f"{f'{plain(groups)}; ' if groups else ''}{plain(qmad.spec.label)}, {qmad.bins} bins."
    )
