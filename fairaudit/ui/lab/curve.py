"""The detectability curve: how often each detector raises its flag, by the strength of the planted bias."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairaudit.baselines import BASELINES
from fairaudit.charts import detectability_chart
from fairaudit.detectability import DetectabilityResult, detectability, proposed_detectors
from fairaudit.planting import Planted
from fairaudit.qmad import PAIRS
from fairaudit.ui import jobs, state
from fairaudit.ui.components import chart_theme, download_table, plain, plotly
from fairaudit.ui.lab.answer import metrics_before_after
from fairaudit.ui.lab.measures import Measures
from fairaudit.ui.lab.stack import Stack
from fairaudit.ui.lab.where import Where

NAME = "lab.curve"
_CHOSEN, _PROPOSED = "lab.detectors", "fairaudit.lab.detectors"
RESAMPLES = 199
"""For the calibrated curves: enough for a verdict at the usual levels."""
_SCHEMES = {"split": "Two halves without a common row", "bootstrap": "Table against draws from it (the paper)"}


def _label(name: str) -> str:
    return BASELINES[name].label if name in BASELINES else PAIRS[name].label


def curve(place: Where, stack: Stack, how: Measures, planted: Planted) -> None:
    """Controls, progress, and the curves of the last run."""
    st.subheader("From which strength on is it seen?", divider="gray", anchor="curve")
    st.markdown(
        f"The rows of {plain(place.table.name)} are dealt at random to a reference and a target, the bias is planted in the target, and every detector "
        "says whether it sees something; again and again, at every strength. At strength 0 each flag is a false alarm."
    )
    arguments = _choices(place, how, planted)
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


def _propose(planted: Planted, how: Measures) -> None:
    """Put the detectors that suit the bias into the control, as long as nobody has chosen others."""
    changed = bool(planted.columns_changed) or len(planted.injected.removed) > 0
    proposal = list(proposed_detectors(*metrics_before_after(planted, how), changed))
    shown = st.session_state.get(_CHOSEN)
    if shown is None or list(shown) == st.session_state.get(_PROPOSED):
        st.session_state[_CHOSEN] = proposal
    st.session_state[_PROPOSED] = proposal


def _choices(place: Where, how: Measures, planted: Planted) -> dict[str, Any]:
    """Arguments of ``detectability`` besides the table and the bias."""
    _propose(planted, how)
    with st.expander("Detectors, repeats and rows", icon=":material/tune:"):
        left, right = st.columns([2, 1])
        with left:
            names = st.multiselect(
                "Detectors",
                list(dict.fromkeys((*PAIRS, *BASELINES.names()))),
                format_func=_label,
                key=_CHOSEN,
                persist_state="session",
                help="Pairs compare with the bins, contrast and level chosen above. Proposed are metrics that the bias moves, as long as you choose no others.",
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
    st.markdown(_sentence(first, result.cannot_react))
    plotly(
        detectability_chart(
            curves,
            chart_theme(),
            alpha=how.pair.alpha,
            repeats=result.repeats,
            cannot_react=result.cannot_react,
        ),
        key="lab.curves",
    )
    reached = first["strength"].map(lambda s: "never" if np.isnan(s) else f"{s:g}")
    reached = reached.mask(first["detector"].isin(result.cannot_react), "cannot react")
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


LOUD = 0.2
"""Detectors that raise their flag this often without any bias are not trusted to see one."""


def _sentence(first: pd.DataFrame, cannot_react: Mapping[str, str]) -> str:
    """Who sees it first, who never does, who cannot, who cries wolf."""
    able = first[~first["detector"].isin(cannot_react)]
    loud = able["false_alarm_rate"].fillna(0) >= LOUD
    reached = able[~loud].dropna(subset=["strength"]).sort_values("strength", kind="stable")
    at = np.inf if reached.empty else reached["strength"].iloc[0]
    if reached.empty:
        parts = ["**No detector reaches 80 %** at any strength tried" + (" without false alarms." if loud.any() else ".")]
    else:
        names = _names(reached.loc[reached["strength"] == at, "label"])
        parts = [f"Seen first, from **strength {at:g}** on, by **{names}**."]
    # Reaching it sooner only because the flag is up anyway is no better sight, but the reader sees the curve and wonders.
    sooner = loud & (able["strength"] <= at)
    for row in able[sooner].itertuples():
        parts.append(f"{plain(row.label)} reaches it at {row.strength:g}, but flags {row.false_alarm_rate:.0%} without the bias.")
    never = able[able["strength"].isna() & (able["note"] != "Not measurable.")]
    if len(never) and not reached.empty:
        parts.append(f"Never reach{'es' if len(never) == 1 else ''} 80 %: {_names(never['label'])}.")
    if len(others := able[loud & ~sooner]):
        alarms = ", ".join(f"{plain(r.label)} ({r.false_alarm_rate:.0%})" for r in others.itertuples())
        parts.append(f"Cries wolf without any bias: {alarms}.")
    unmoved = first[first["detector"].isin(cannot_react) & (first["note"] != "Not measurable.")]
    for reason, rows in unmoved.groupby(unmoved["detector"].map(cannot_react), sort=False):
        parts.append(f"Cannot react, because {plain(str(reason))}: {_names(rows['label'])}.")
    return " ".join(parts)


def _names(labels: pd.Series) -> str:
    return ", ".join(map(plain, labels))
