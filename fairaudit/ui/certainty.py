"""How firm the verdicts are and how small a difference would have been found: computed beside the page, shown where the verdicts are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from fairaudit.charts import detectable_chart, sides_text
from fairaudit.errors import FairAuditError
from fairaudit.inference import certainty, certainty_seconds
from fairaudit.qmad import QmadSettings
from fairaudit.qmad.settings import DETECTABLE_REPEATS, STABILITY_RESAMPLES
from fairaudit.reporting.words import subject
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.ui import jobs
from fairaudit.ui.calibration import Stage as Calibration
from fairaudit.ui.components import chart_theme, plain, plotly, show_error

JOB = "audit.certainty"
_ASKED = "audit.certainty.asked"
AT_ONCE = 12.0
"""Seconds up to which the work starts by itself. It is beside the page, but it takes a core from others."""

_FEWER_BINS = " One bin, or bins by value, would find smaller differences of this kind, but not what differs in some rows only (Method page: Power)."

Stage = Literal["none", "waiting", "offered", "running", "stopped", "failed", "done"]


@dataclass(frozen=True, eq=False)
class Known:
    """An audit with what is known about its certainty.

    Attributes
    ----------
    result : AuditResult
        As it was given, until the work is done.
    settings : QmadSettings
        Those of ``result``.
    stage : str
        "none" where there is nothing to compute, "waiting" for the calibration, "offered" where a button starts the work, "running", "stopped",
        "failed", "done".
    seconds : float
        How long the work is expected to take.
    key : str
    error : BaseException or None
        What ended the work, where it failed. The verdicts do not need it, so they are shown all the same.
    """

    result: AuditResult
    settings: QmadSettings
    stage: Stage
    seconds: float = 0.0
    key: str = ""
    error: BaseException | None = None


def known(frames: Frames, settings: QmadSettings, result: AuditResult, calibration: Calibration, *, begin: bool) -> Known:
    """The audit with stability and detectable differences where they are ready; never waits.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
        Of the audit; numbers for stability and detectable differences, as a settings file may hold them, take the place of the usual ones.
    result : AuditResult
    calibration : str
        How far the calibration of ``result`` is.
    begin : bool
        Start short work by itself; work that a settings file or the button asks for is started anyway.
    """
    verdicts = settings.verdicts_only()
    if calibration in ("none", "stopped"):
        return Known(result, replace(verdicts, resamples=0), "none")
    if result.attribute_scores["score"].isna().all():
        return Known(result, verdicts, "none")
    asked = bool(settings.stability or settings.detectable)
    wanted = settings if asked else replace(settings, stability=STABILITY_RESAMPLES, detectable=DETECTABLE_REPEATS)
    key = f"{frames.fingerprint} {wanted!r}"
    job = jobs.find(JOB)
    if job is not None and job.key != key:
        jobs.forget(JOB)  # other choices: nobody waits for it any more
        job = None
    running = job is not None and job.running  # asked once: it may end while the page is made
    error = None if job is None or running else job.error
    found = None if running or error is not None else jobs.finished(JOB, key)
    if found is not None:
        return Known(found, wanted, "done", key=key)
    if calibration == "running" or result.attribute_scores["p_adjusted"].isna().all():
        return Known(result, verdicts, "waiting" if calibration == "running" else "none")
    seconds = certainty_seconds(result, wanted)
    if job is not None:
        stage: Stage = "running" if running else "stopped" if error is None else "failed"
        return Known(result, verdicts, stage, seconds, key, error)
    if not (asked or st.session_state.get(_ASKED) == key or (begin and seconds <= AT_ONCE)):
        return Known(result, verdicts, "offered", seconds, key)

    def work(progress: jobs.Progress, cancel: jobs.Cancel) -> AuditResult:
        return certainty(frames, wanted, result, progress=progress, cancel=cancel)

    jobs.start(JOB, key, "How firm the verdicts are", work)
    return Known(result, verdicts, "running", seconds, key)


def status(found: Known) -> None:
    """What is not known yet and why, with a button where one is needed."""
    if found.stage == "running":
        st.caption(
            ":material/hourglass_top: Computing how firm the verdicts are and how small a difference would have been found. “No evidence” alone does "
            "not say that there is none."
        )
    elif found.stage in ("offered", "stopped", "failed"):
        if found.error is not None:
            show_error(_in_words(found.error))
        left, right = st.columns([3, 1], vertical_alignment="center")
        why = {"stopped": "This was stopped", "failed": "This could not be computed"}.get(found.stage, "Not computed yet")
        left.caption(
            f":material/help: How small a difference would have been found, and would these verdicts come again? {why}: without it, “no evidence” does not "
            "say that there is none."
        )
        right.button(
            f"Find out ({_duration(found.seconds)})",
            icon=":material/troubleshoot:",
            key="audit.certainty.start",
            on_click=_ask,
            args=(found.key,),
            help="Resamples the rows, and plants differences of growing size until they are flagged. It runs beside the page and can be stopped.",
        )
    elif found.stage == "none" and not found.settings.resamples:
        st.caption(
            "How small a difference would have been found is known for calibrated verdicts only (More choices: permutations)."
        )


def raise_bug(found: Known) -> None:
    """At the end of a page, when all else is shown: a bug in the work is raised as the bug it is."""
    if found.error is not None and not isinstance(found.error, (FairAuditError, MemoryError)):
        raise found.error


def _in_words(error: BaseException) -> FairAuditError:
    """What ended the work, with what can be done about it."""
    if isinstance(error, FairAuditError):
        return error
    if isinstance(error, MemoryError):
        return FairAuditError(
            "There is not enough memory to find out how firm the verdicts are. The verdicts themselves are not touched by it.",
            "Try again when the machine is less busy, or work with a sample of the rows.",
        )
    return FairAuditError(
        f"Finding out how firm the verdicts are ended in an unexpected error ({type(error).__name__}). The verdicts themselves are not touched by it.",
        "Try again; if it comes back, report it with what the log of the server says.",
    )


def _ask(key: str) -> None:
    jobs.forget(JOB)
    st.session_state[_ASKED] = key


def _duration(seconds: float) -> str:
    """About how long, in words."""
    if seconds < 5:
        return "a few seconds"
    return f"about {5 * round(seconds / 5):.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


def picture(result: AuditResult, settings: QmadSettings) -> None:
    """For the frame whose evidence is shown: the observed differences beside those that would have been found. The numbers are in the tables below."""
    rows = result.attribute_scores
    here = rows[[key == st.session_state.get("evidence.frame") for key in zip(rows["frame"], rows["group"], strict=True)]]
    if here["detectable"].isna().all():
        return
    st.subheader("What would have been found", divider="gray")
    name = subject(str(here["frame"].iloc[0]), str(here["group"].iloc[0]))
    plotly(
        detectable_chart(here, chart_theme(), title=f"{name}: what was seen, and what would have been", sides=sides_text(here)),
        key="certainty.picture",
    )
    unknown = here[here["detectable"].isna() & (here["certainty_note"] != "")]
    for note, part in unknown.groupby("certainty_note", sort=False):
        st.caption(f"{plain(', '.join(part['attribute'].head(6)))}{' …' if len(part) > 6 else ''}: {plain(note)}")
    st.caption(
        "Shifts are upwards; shares change towards the rarer category, of more than two towards the most common one. Each size is known to "
        "about a tenth. The numbers, and how often each verdict would come again, are in the table below."
        + (_FEWER_BINS if settings.bins > 1 and settings.binning == "sequential" else "")
    )
