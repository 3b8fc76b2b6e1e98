"""Estimate, start, progress, cancel, continue; results are kept by table and bias for the life of the session."""

from __future__ import annotations

import streamlit as st

from fairaudit.evaluation import EvaluationResult, estimate_seconds, evaluate
from fairaudit.ui import jobs
from fairaudit.ui.components import plain
from fairaudit.ui.evaluation.choices import Experiment, units_key

NAME = "evaluation"
_ESTIMATE = "evaluation.estimate"
_RESULTS = "fairaudit.evaluation.results"
MOST_RESULTS = 16


def results(fingerprint: str) -> list[EvaluationResult]:
    """Results of this session on a table, the newest last."""
    held = st.session_state.setdefault(_RESULTS, {})
    return [r for r in held.values() if r.provenance["fingerprint"] == fingerprint]


def _collect() -> None:
    """Take what a finished or cancelled job has left."""
    job = jobs.find(NAME)
    if job is None or job.running or job.result is None or not job.result.units_done:
        return
    found: EvaluationResult = job.result
    held = st.session_state.setdefault(_RESULTS, {})
    key = units_key(found.provenance["fingerprint"], found.settings)
    if held.get(key) is not found:
        held.pop(key, None)
        held[key] = found
        while len(held) > MOST_RESULTS:
            held.pop(next(iter(held)))


def run(experiment: Experiment) -> EvaluationResult | None:
    """The row with the start button; returns the result that fits the choices best, None where there is none for this table."""
    _collect()
    held: EvaluationResult | None = st.session_state.setdefault(_RESULTS, {}).get(experiment.units)
    same = held is not None and held.settings == experiment.settings
    job = jobs.find(NAME)
    running = job is not None and job.running
    left, right = st.columns([1, 3], vertical_alignment="center")
    label = "Run the experiment"
    if held is not None and same and not held.complete:
        label = "Continue"
    pressed = left.button(
        label,
        key="evaluation.run",
        type="primary",
        icon=":material/play_arrow:",
        disabled=running or (same and held is not None and held.complete),
        width="stretch",
    )
    if pressed:
        _start(experiment, held)
        st.rerun()
    with right:
        if running:
            jobs.progress_line(NAME, "units", "Finished units are kept and shown.")
        elif same and held is not None and held.complete:
            st.caption(
                f":material/check: Computed in {_duration(held.provenance['seconds'])}. The same choices give the same numbers."
            )
        else:
            _estimate(experiment, held)
    if job is not None and not running:
        if job.key == experiment.key:
            jobs.raise_error(job)
        if job.key == experiment.key and held is None:
            st.info(
                "The run was stopped before its first unit was finished, so there is nothing to show.", icon=":material/info:"
            )
    return _fitting(experiment, held, same)


def _start(experiment: Experiment, held: EvaluationResult | None) -> None:
    """Begin, or go on from what is finished."""
    if jobs.find(NAME) is not None:
        jobs.forget(NAME)
    jobs.forget(_ESTIMATE)
    jobs.start(
        NAME,
        experiment.key,
        "Fair vs biased",
        lambda progress, cancel: evaluate(
            experiment.table,
            n_jobs=experiment.n_jobs,
            scheduler=experiment.scheduler,
            progress=progress,
            cancel=cancel,
            resume=held,
            **experiment.arguments,
        ),
    )


def _fitting(experiment: Experiment, held: EvaluationResult | None, same: bool) -> EvaluationResult | None:
    """What is shown below, with a warning where it does not belong to the choices above."""
    others = results(experiment.table.fingerprint)
    shown = held if held is not None else others[-1] if others else None
    if shown is None:
        return None
    if held is None:
        st.warning("Below are results of other choices. Run the experiment to see those of the choices above.")
    elif not same:
        st.warning(
            "Below are other levels, models or methods than chosen above. Run it to bring them up to date: finished units are used again."
        )
    elif not shown.complete:
        st.warning(
            f"Partial result: {shown.units_done:,} of {shown.units_total:,} units are finished. Continue to compute the others.",
            icon=":material/hourglass_bottom:",
        )
    return shown


def _estimate(experiment: Experiment, held: EvaluationResult | None) -> None:
    """How long it will take, from one timed unit, measured beside the page."""
    s = experiment.settings
    grid = (
        f"{len(s.levels)} levels × {s.folds} folds × {len(s.models)} models = {len(s.levels) * s.folds * len(s.models):,} units"
    )
    key = f"{experiment.key} {experiment.n_jobs} {experiment.scheduler}"
    seconds, pending = jobs.result(
        _ESTIMATE,
        key,
        "Estimating the time",
        lambda progress, cancel: estimate_seconds(
            experiment.table, n_jobs=experiment.n_jobs, scheduler=experiment.scheduler, **experiment.arguments
        ),
    )
    if seconds is None:
        st.caption(f"{grid}. " + ("Estimating the time …" if pending else "No estimate of the time."))
        return
    text = f"{grid}, about {_duration(seconds)} in all."
    if held is not None:
        text += " Units that are finished are not computed again."
    st.caption(plain(text))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
