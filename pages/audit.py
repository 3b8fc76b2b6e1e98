"""Which attributes differ, on which frame, between whom, by how much and in which direction."""

from fairaudit.ui import certainty, evidence, state
from fairaudit.ui.audit_view import answer, attribute_table
from fairaudit.ui.cache import calibrated_audits
from fairaudit.ui.choices import audit_choices
from fairaudit.ui.components import friendly_errors, need_tables, page_head

page_head("Audit", "Which attributes differ between the two sides, in which bins, by how much and in which direction?")
frames = need_tables().frames
with friendly_errors():
    settings = audit_choices(frames)
    state.remember_audit(settings)
    (result,), pending = calibrated_audits("audit.calibration", frames, [settings.verdicts_only()])
    known = certainty.known(frames, settings, result, pending, begin=True)
    result = known.result
    answer(result, settings, pending)
    certainty.status(known)
    evidence.show(frames, result, settings)
    certainty.picture(result)
    attribute_table(result)
    certainty.raise_bug(known)
