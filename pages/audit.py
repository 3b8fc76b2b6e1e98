"""Which attributes differ, on which frame, between whom, by how much and in which direction."""

from fairaudit.ui import calibration, certainty, evidence, state
from fairaudit.ui.audit_view import answer, attribute_table
from fairaudit.ui.choices import audit_choices
from fairaudit.ui.components import friendly_errors, need_tables, page_head

page_head("Audit", "Which attributes differ between the two sides, in which bins, by how much and in which direction?")
frames = need_tables().frames
with friendly_errors():
    settings = audit_choices(frames)
    state.remember_audit(settings)
    (result,), stage = calibration.calibrated_audits(calibration.AUDIT, frames, [settings.verdicts_only()])
    known = certainty.known(frames, settings, result, stage, begin=True)
    result = known.result
    answer(result, settings, stage)
    certainty.status(known)
    evidence.show(frames, result, settings)
    certainty.picture(result, settings)
    attribute_table(result)
    certainty.raise_bug(known)
