"""Take the evidence away: a report, the numbers, and settings that give them again."""

import streamlit as st

from fairaudit.ui import certainty, report, state
from fairaudit.ui.cache import calibrated_audits
from fairaudit.ui.components import CALIBRATING, friendly_errors, need_tables, page_head

page_head("Report", "What do others need to read, check and repeat this audit?")
tables = need_tables()
with friendly_errors():
    qmad = state.audit_settings()
    report.what_is_in(tables, qmad)
    (result,), pending = calibrated_audits("audit.calibration", tables.frames, [qmad.verdicts_only()])
    if pending:
        st.caption(CALIBRATING)
    known = certainty.known(tables.frames, qmad, result, pending, begin=False)
    certainty.status(known)
    result, qmad = known.result, known.settings
    options, with_metrics = report.options_form(result)
    baselines, metrics = report.metrics_for(tables, qmad) if with_metrics else (None, None)
    settings = report.report_settings(tables, qmad, baselines, options)
    lab, evaluation = report.extras()
    report.preview(report.downloads(tables, result, settings, metrics, lab, evaluation))
    certainty.raise_bug(known)
