"""Verdicts calibrated beside the page, and what a page says until they are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from fairaudit.inference import calibrate
from fairaudit.qmad import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.ui import jobs
from fairaudit.ui.cache import plain_audit

Stage = Literal["none", "running", "stopped", "done"]

AUDIT = "audit.calibration"
"""Name of the calibration of the audit, which several pages show."""

CALIBRATING = ":material/hourglass_top: Calibrating: until it is done, verdicts of QMAD follow the paper's uncalibrated rule."
_STOPPED = (
    ":material/front_hand: The calibration was stopped: verdicts of QMAD follow the paper's rule, and how often that rule raises an alarm by "
    "chance alone is not known here."
)


def calibrated_audits(name: str, frames: Frames, wanted: Sequence[QmadSettings]) -> tuple[list[AuditResult], Stage]:
    """Audits with calibrated verdicts where they are ready, plain ones until then; never waits.

    Parameters
    ----------
    name : str
        What asks: each page has one calibration at a time.
    frames : Frames
    wanted : sequence of QmadSettings
        Those with ``resamples`` of 0 stay plain.

    Returns
    -------
    audits : list of AuditResult
    stage : str
        "none" where no verdict is to be calibrated, "running", "stopped" when the visitor ended it, "done".
    """
    plain = [plain_audit(frames, settings) for settings in wanted]
    if all(settings.resamples == 0 for settings in wanted):
        return plain, "none"
    key = f"{frames.fingerprint} {[repr(settings) for settings in wanted]}"

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> list[AuditResult]:
        done = []
        for i, (settings, result) in enumerate(zip(wanted, plain, strict=True)):
            if settings.resamples:
                result = calibrate(
                    frames,
                    settings,
                    result,
                    progress=lambda n, total, i=i: progress(i * total + n, total * len(wanted)),  # type: ignore[misc]
                    cancel=cancel,
                )
            done.append(result)
        return done

    found, pending = jobs.result(name, key, "Calibrating the verdicts", work)
    if found is None:
        return plain, "running" if pending else "stopped"
    return found, "done"


def status(name: str, stage: Stage) -> None:
    """Whether verdicts are still provisional, with a way to go on where the calibration was stopped.

    Parameters
    ----------
    name : str
        As for ``calibrated_audits``.
    stage : str
        What it returned.
    """
    if stage == "running":
        st.caption(CALIBRATING)
    elif stage == "stopped":
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.caption(_STOPPED)
        right.button("Calibrate", icon=":material/tune:", key=f"{name}.again", on_click=jobs.forget, args=(name,))
