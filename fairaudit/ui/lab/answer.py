"""What the planted bias does: in words, in the verdicts before and after, in the distributions."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from fairaudit.baselines import BASELINES, RULE
from fairaudit.charts import before_after_distributions, difference_heatmap, metric_matrix, sides_text, verdict_heatmap
from fairaudit.errors import FairAuditError
from fairaudit.planting import Planted, VerdictChange, changed_values, describable, verdict_changes
from fairaudit.schema import Frames
from fairaudit.ui.cache import baseline_metrics, plain_audit
from fairaudit.ui.components import chart_theme, plain, plotly, show_error
from fairaudit.ui.lab import cache
from fairaudit.ui.lab.measures import Measures
from fairaudit.ui.lab.stack import Stack
from fairaudit.ui.lab.where import Where

SHOWN = 4
_LABELS = {spec.name: spec.label for spec in BASELINES}


def _planted(frames: Frames, place: Where, stack: Stack) -> Planted:
    name = "" if place.predictor is None else place.predictor.name
    steps = json.dumps(stack.steps, sort_keys=True)
    try:
        return cache.planted(frames, place.table.name, steps, place.seed, name)
    except FairAuditError as error:
        st.markdown("#### This bias cannot be planted")
        show_error(error)
        st.stop()


def _own(rows: pd.DataFrame, planted: Planted) -> pd.DataFrame:
    """Rows about the biased table; groups inside the reference are the same before and after."""
    return rows[rows["frame"] != planted.before.reference.name]


def answer(frames: Frames, place: Where, stack: Stack, how: Measures) -> Planted:
    """What changed and who noticed; first in words, then as verdicts before and after."""
    st.markdown("#### What it does")
    said = st.container()
    planted = _planted(frames, place, stack)
    for where, step in zip(stack.places, planted.injected.steps, strict=True):
        where.markdown(f":gray[{plain(step.summary())}]")
    with said:
        st.markdown(_what_changed(planted))
    before = _own(plain_audit(planted.before, how.pair).attributes(), planted)
    after = _own(plain_audit(planted.after, how.pair).attributes(), planted)
    with said:
        st.markdown(_noticed(how.pair.spec.label, verdict_changes(before, after, "attribute"), "attributes"))
        classical = st.empty()
    plotly(
        verdict_heatmap(
            pd.concat([before, after]),
            how.pair.spec,
            chart_theme(),
            alpha=how.pair.alpha,
            threshold=how.pair.threshold,
            title="Verdicts before and after",
            clickable=False,
        ),
        key="lab.verdicts",
    )
    st.caption(
        "Verdicts by the paper's uncalibrated rule, as quick as a slider. The curve below shows how often that rule cries wolf."
    )
    metrics = _metrics(planted, how)
    classical.markdown(_noticed("classical metrics", verdict_changes(*metrics, "metric", _LABELS), "metrics"))
    return planted


def _metrics(planted: Planted, how: Measures) -> tuple[pd.DataFrame, pd.DataFrame]:
    frames = (planted.before, planted.after)
    first, second = (_own(baseline_metrics(f, how.metrics).to_frame(), planted) for f in frames)
    return first, second


def _what_changed(planted: Planted) -> str:
    injected = planted.injected
    rows, changed, removed = len(injected.kept), int(injected.changed.sum()), len(injected.removed)
    cells = injected.n_changed_cells
    parts = [f"**{changed:,} of {rows:,} rows changed** ({cells:,} cell{'' if cells == 1 else 's'})"]
    if removed:
        parts.append(f"**{removed:,} rows taken out**")
    if planted.prediction:
        parts.append(f"{planted.n_predictions_changed:,} predictions differ")
    return f":material/edit: In {plain(planted.table)}: {', '.join(parts)}."


def _noticed(who: str, change: VerdictChange, what: str) -> str:
    """Which flags came and went, as one line."""
    measured = len(change.new) + len(change.kept) + len(change.silent)
    icon = (
        ":orange-background[:material/change_history:]" if change.new else ":green-background[:material/radio_button_unchecked:]"
    )
    if not measured:
        return f":gray-background[:material/remove:] **{plain(who)}**: not measurable with the columns at hand."
    new = f"flags **{_listed(change.new)}**" if change.new else "raises no new flag"
    text = f"{icon} **{plain(who[0].upper() + who[1:])}** {new}"
    text += f", of {measured} {what}." if what == "attributes" else f" ({measured} can be measured)."
    if change.kept:
        text += f" Flagged already before: {_listed(change.kept)}."
    if change.lost:
        text += f" No longer flagged: {_listed(change.lost)}."
    return text


def _listed(names: tuple[str, ...], most: int = 4) -> str:
    return ", ".join(map(plain, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def evidence(planted: Planted, how: Measures) -> None:
    """The pictures and tables behind the answer."""
    st.subheader("Before and after", divider="gray")
    view = st.segmented_control(
        "View",
        ("Distributions", "Change of the scores", "Classical metrics", "Rows and groups"),
        default="Distributions",
        required=True,
        key="lab.view",
        persist_state="session",
        label_visibility="collapsed",
    )
    if view == "Distributions":
        _distributions(planted)
    elif view == "Change of the scores":
        _difference(planted, how)
    elif view == "Classical metrics":
        _classical(planted, how)
    else:
        _counts(planted)


def _distributions(planted: Planted) -> None:
    offered = describable(planted)
    if not offered:
        st.caption("No column can be drawn.")
        return
    every = [c for c in planted.before.reference.columns if c not in offered]
    shown = st.multiselect(
        "Attributes",
        [*offered, *every],
        default=offered[:SHOWN],
        key=f"lab.shown.{planted.table}.{'|'.join(offered)}",
        persist_state="session",
        help="First the ones that changed.",
    )
    columns = st.columns(2)
    for place, column in enumerate(shown):
        before, after = changed_values(planted, column)
        ordered = planted.before.reference.type_of(column) == "ordinal"
        with columns[place % 2]:
            plotly(
                before_after_distributions(before, after, chart_theme(), attribute=column, ordered=ordered),
                key=f"lab.distribution.{place}",
            )


def _difference(planted: Planted, how: Measures) -> None:
    rows = (plain_audit(f, how.pair).attributes() for f in (planted.before, planted.after))
    before, after = (_own(r, planted).assign(frame=planted.table) for r in rows)
    plotly(
        difference_heatmap(
            before, after, how.pair.spec, chart_theme(), alpha=how.pair.alpha, threshold=how.pair.threshold, clickable=False
        ),
        key="lab.difference",
    )


def _classical(planted: Planted, how: Measures) -> None:
    rows = pd.concat(_metrics(planted, how), ignore_index=True)
    measurable = set(rows.loc[rows["verdict"] != "not_measurable", "metric"])
    shown = rows[rows["metric"].isin(measurable)]
    if len(shown):
        plotly(
            metric_matrix(
                shown,
                chart_theme(),
                labels=_LABELS,
                sides=sides_text(shown),
                title="Classical metrics before and after",
                clickable=False,
            ),
            key="lab.metrics.matrix",
        )
    silent = rows[~rows["metric"].isin(measurable)].drop_duplicates("metric")
    if len(silent):
        with st.expander(f"{len(silent)} not measurable"):
            for name, note in zip(silent["metric"], silent["note"], strict=True):
                st.markdown(f"- **{_LABELS[str(name)]}**: {plain(note)}")
    st.caption(f"{how.threshold_words} {RULE}".strip())


def _counts(planted: Planted) -> None:
    injected = planted.injected
    percent = st.column_config.NumberColumn(format="percent")
    left, right = st.columns([3, 2])
    with left:
        st.markdown("**Groups**")
        st.dataframe(
            planted.groups, hide_index=True, column_config={"share_before": percent, "share_after": percent}, key="lab.groups"
        )
    with right:
        st.markdown("**Changed cells**")
        if injected.changed_cells:
            cells = pd.DataFrame({"column": list(injected.changed_cells), "cells": list(injected.changed_cells.values())})
            st.dataframe(cells, hide_index=True, key="lab.cells")
        else:
            st.caption("No cell changed.")
    st.markdown("**Steps**")
    st.dataframe(injected.to_frame(), hide_index=True, key="lab.steps")
