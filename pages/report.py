"""Take the evidence away: a report, the numbers, and settings that give them again."""

from fairaudit.ui import calibration, certainty, report, state
from fairaudit.ui.components import friendly_errors, need_tables, page_head

page_head("Report", "What do others need to read, check and repeat this audit?")
tables = need_tables()
with friendly_errors():
    qmad = state.audit_settings(tables.frames)
    report.what_is_in(tables, qmad)
    (result,), stage = calibration.calibrated_audits(calibration.AUDIT, tables.frames, [qmad.verdicts_only()])
    calibration.status(calibration.AUDIT, stage)
    known = certainty.known(tables.frames, qmad, result, stage, begin=False)
    certainty.status(known)
    result, qmad = known.result, known.settings
    options, with_metrics = report.options_form(result)
    baselines, metrics = report.metrics_for(tables, qmad) if with_metrics else (None, None)
    settings = report.report_settings(tables, qmad, baselines, options)
    lab, evaluation = report.extras()
    if stage == "running":
        report.wait()
    else:
        report.preview(report.downloads(tables, result, settings, metrics, lab, evaluation))
    certainty.raise_bug(known)
