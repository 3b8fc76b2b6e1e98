"""The detectability curve: how often each detector raises its flag, by the strength of the planted bias."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairaudit.baselines import BASELINES
from fairaudit.charts import detectability_chart
from fairaudit.detectability import DETECTORS, DetectabilityResult, detectability
from fairaudit.qmad import PAIRS
from fairaudit.ui import jobs, state
from fairaudit.ui.components import chart_theme, download_table, plain, plotly
from fairaudit.ui.lab.measures import Measures
from fairaudit.ui.lab.stack import Stack
from fairaudit.ui.lab.where import Where

NAME = "lab.curve"
RESAMPLES = 199
"""For the calibrated curves: enough for a verdict at the usual levels."""
_SCHEMES = {"split": "Two halves without a common row", "bootstrap": "Table against draws from it (the paper)"}


def _label(name: str) -> str:
    return BASELINES[name].label if name in BASELINES else PAIRS[name].label


def curve(place: Where, stack: Stack, how: Measures) -> None:
    """Controls, progress, and the curves of the last run."""
    st.subheader("From which strength on is it seen?", divider="gray", anchor="curve")
    st.markdown(
        f"The rows of {plain(place.table.name)} are dealt at random to a reference and a target, the bias is planted in the target, and every detector "
        "says whether it sees something; again and again, at every strength. At strength 0 each flag is a false alarm."
    )
    arguments = _choices(place, how)
    key = _key(place, stack, arguments)
    left, right = st.columns([1, 3], vertical_alignment="center")
    job = jobs.find(NAME)
    running = job is not None and job.running
    total = len(arguments["strengths"]) * arguments["repeats"]
    if left.button(
        "Measure detectability", key="lab.run", type="primary", icon=":material/show_chart:", disabled=running, width="stretch"
    ):
        steps, table = list(stack.steps), place.table
        if job is not None:
            jobs.forget(NAME)
        jobs.start(
            NAME,
            key,
            f"Detectability in {plain(table.name)}",
            lambda progress, cancel: detectability(table, steps, progress=progress, cancel=cancel, **arguments),
        )
        st.rerun()
    with right:
        if running:
            jobs.progress_line(NAME, "plantings", "Finished repeats are kept and shown.")
        else:
            st.caption(f"{len(arguments['strengths'])} strengths × {arguments['repeats']} repeats = {total:,} plantings.")
    if job is None or job.running:
        return
    jobs.raise_error(job)
    section = state.lab_section()
    if job.key == key and section is not None:
        state.remember_lab(replace(section, detectability=job.result))
    if job.key != key:
        st.warning("These curves belong to other choices than the ones above. Measure again to bring them up to date.")
    if job.result is None:
        st.info(
            "The run was cancelled before its first repeat was finished, so there is nothing to show.", icon=":material/info:"
        )
    else:
        _show(job.result, how)


def _choices(place: Where, how: Measures) -> dict[str, Any]:
    """Arguments of ``detectability`` besides the table and the bias."""
    with st.expander("Detectors, repeats and rows", icon=":material/tune:"):
        left, right = st.columns([2, 1])
        with left:
            names = st.multiselect(
                "Detectors",
                list(dict.fromkeys((*PAIRS, *BASELINES.names()))),
                default=list(DETECTORS),
                format_func=_label,
                key="lab.detectors",
                persist_state="session",
                help="Pairs compare with the bins, contrast and level chosen above.",
                wrap=True,
            )
            attributes = st.multiselect(
                "Attributes that the pairs look at",
                [c for c in place.table.columns if c not in place.table.schema.ignored],
                key="lab.curve.attributes",
                persist_state="session",
                placeholder="Those that the bias changes (all, where it only takes out rows)",
            )
        with right:
            repeats = st.number_input("Repeats", 2, 1000, 20, key="lab_repeats", bind="query-params")
            levels = st.select_slider("Strengths", (3, 5, 11, 21), 11, key="lab_levels", bind="query-params", help="From 0 to 1.")
            scheme = st.selectbox(
                "How rows are dealt", list(_SCHEMES), format_func=_SCHEMES.__getitem__, key="lab_scheme", bind="query-params"
            )
    if how.threshold_words:
        st.caption(how.threshold_words)
    calibrated = st.toggle(
        "Calibrated verdicts too",
        key="lab_calibrated",
        bind="query-params",
        help=f"Each pair gets a second curve, with up to {RESAMPLES} permutations at every planting: two to three times the time.",
    )
    strengths = tuple(round(float(s), 6) for s in np.linspace(0, 1, levels))
    return {
        "detectors": tuple(names),
        "strengths": strengths,
        "repeats": int(repeats),
        "seed": place.seed,
        "attributes": tuple(attributes) or None,
        "contrast": how.pair.contrast,
        "bins": how.pair.bins,
        "binning": how.pair.binning,
        "alpha": how.pair.alpha,
        "threshold": how.threshold,
        "resamples": RESAMPLES if calibrated else 0,
        "scheme": scheme,
        "predict": place.predictor,
    }


def _key(place: Where, stack: Stack, arguments: dict[str, Any]) -> str:
    """Changes with everything the curves depend on."""
    predictor = "" if place.predictor is None else place.predictor.name
    parts = (place.table.fingerprint, json.dumps(stack.steps, sort_keys=True), predictor, repr(arguments | {"predict": None}))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _show(result: DetectabilityResult, how: Measures) -> None:
    """Partial or whole curves, and the two numbers that matter beside each rule."""
    if result.note:
        st.warning(f"Partial result. {plain(result.note)}", icon=":material/hourglass_bottom:")
    curves = result.to_frame()
    first = result.first_reaching().merge(pd.DataFrame([(e.name, e.rule) for e in result.entries], columns=["detector", "rule"]))
    st.markdown(_sentence(first))
    plotly(
        detectability_chart(
            curves,
            chart_theme(),
            alpha=how.pair.alpha,
            repeats=result.repeats,
        ),
        key="lab.curves",
    )
    reached = first["strength"].map(lambda s: "never" if np.isnan(s) else f"{s:g}")
    shown = first.assign(strength=reached)[["label", "strength", "false_alarm_rate", "rule", "note"]]
    st.dataframe(
        shown,
        hide_index=True,
        key="lab.first_reaching",
        column_config={
            "label": "Detector",
            "strength": "First strength reaching 80 %",
            "false_alarm_rate": st.column_config.NumberColumn("False-alarm rate at strength 0", format="percent"),
            "rule": "Rule",
            "note": "Note",
        },
    )
    silent = curves[curves["repeats"] == 0].drop_duplicates("detector")
    for label, note in zip(silent["label"], silent["note"], strict=True):
        st.caption(f"{plain(label)}: not measurable. {plain(note)}")
    download_table(curves, "detectability.csv", "Download the curves as CSV")


def _sentence(first: pd.DataFrame) -> str:
    """Who sees it first, who never does, who cries wolf."""
    trusted = first[first["false_alarm_rate"].fillna(0) < 0.2]
    reached = trusted.dropna(subset=["strength"]).sort_values("strength", kind="stable")
    if reached.empty:
        text = "**No detector reaches 80 %** at any strength tried."
    else:
        earliest = reached[reached["strength"] == reached["strength"].iloc[0]]
        names = ", ".join(plain(n) for n in earliest["label"])
        text = f"Seen first, from **strength {reached['strength'].iloc[0]:g}** on, by **{names}**."
    never = first[first["strength"].isna() & (first["note"] != "Not measurable.")]
    if len(never) and not reached.empty:
        text += f" Never in 80 % of the repeats: {', '.join(plain(n) for n in never['label'])}."
    loud = first[first["false_alarm_rate"] >= 0.2]
    if len(loud):
        alarms = ", ".join(f"{plain(r.label)} ({r.false_alarm_rate:.0%})" for r in loud.itertuples())
        text += f" Cries wolf without any bias: {alarms}."
    return text
