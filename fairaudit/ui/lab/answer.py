"""What the planted bias does: in words, in the verdicts before and after, in the distributions."""

from __future__ import annotations

import json

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairaudit.baselines import BASELINES, RULE
from fairaudit.charts import (
    before_after_distributions,
    category_chart,
    difference_heatmap,
    metric_matrix,
    sides_text,
    verdict_heatmap,
)
from fairaudit.errors import FairAuditError
from fairaudit.planting import Planted, VerdictChange, changed_values, describable, verdict_changes
from fairaudit.reporting.page import LabSection
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.ui import state
from fairaudit.ui.cache import baseline_metrics, plain_audit
from fairaudit.ui.calibration import CALIBRATING, calibrated_audits
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
    (old, new), rule = _audits(planted, how)
    state.remember_lab(LabSection(planted.injected, old, new))
    before, after = (_own(result.attributes(), planted) for result in (old, new))
    with said:
        st.markdown(_noticed(how.pair.spec.label, verdict_changes(before, after, "attribute"), "attributes"))
        classical = st.empty()
    plotly(
        verdict_heatmap(
            _side_by_side(before, after),
            how.pair.spec,
            chart_theme(),
            alpha=how.pair.alpha,
            threshold=how.pair.threshold,
            title="Verdicts before and after",
            clickable=False,
        ),
        key="lab.verdicts",
    )
    st.caption(f"{rule} Next: [from which strength on is it seen, and how often is it a false alarm?](#curve)")
    metrics = metrics_before_after(planted, how)
    classical.markdown(_noticed("classical metrics", verdict_changes(*metrics, "metric", _LABELS), "metrics"))
    return planted


def _audits(planted: Planted, how: Measures) -> tuple[tuple[AuditResult, AuditResult], str]:
    """Before and after by the same rule, and the rule in words: calibrated once both are, the paper's until then."""
    before, first = calibrated_audits("lab.before", planted.before, [how.pair])
    after, second = calibrated_audits("lab.after", planted.after, [how.pair])
    both = before[0], after[0]
    if "running" in (first, second):
        return (plain_audit(planted.before, how.pair), plain_audit(planted.after, how.pair)), CALIBRATING
    if all(result.attribute_scores["p_adjusted"].notna().any() for result in both):
        return both, "Verdicts are calibrated by permutation and corrected for the number of attributes; numbers are the scores."
    return (
        (plain_audit(planted.before, how.pair), plain_audit(planted.after, how.pair)),
        "Verdicts by the paper's uncalibrated rule.",
    )


def metrics_before_after(planted: Planted, how: Measures) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Values and verdicts of the classical metrics on the biased table, without and with the bias."""
    frames = (planted.before, planted.after)
    first, second = (_own(baseline_metrics(f, how.metrics).to_frame(), planted) for f in frames)
    return first, second


def _side_by_side(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Both tables in one, their columns called before and after."""
    parts = []
    for name, rows in (("before", before), ("after", after)):
        sides = rows["group"].map(lambda g, name=name: f"{name}, {g}" if g else name)
        parts.append(rows.assign(frame=name, target_side=sides))
    return pd.concat(parts, ignore_index=True)


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
    measured = len({*change.new, *change.kept, *change.silent, *change.unmoved})
    icon = (
        ":orange-background[:material/change_history:]" if change.new else ":green-background[:material/radio_button_unchecked:]"
    )
    if not measured:
        return f":gray-background[:material/remove:] **{plain(who)}**: not measurable with the columns at hand."
    if what == "attributes":
        new = (
            f"newly flags {len(change.new)} of {measured} attributes: **{_listed(change.new)}**."
            if change.new
            else "raises no new flag."
        )
    else:
        new = f"newly flag a disparity: **{_listed(change.new)}**" if change.new else "raise no new flag"
        new += (
            f" ({len(change.new)} of the {measured} that can be measured)." if change.new else f" ({measured} can be measured)."
        )
    text = f"{icon} **{plain(who[0].upper() + who[1:])}** {new}"
    if change.kept:
        text += f" Flagged already before: {_listed(change.kept)}."
    if change.lost:
        text += f" No longer flagged: {_listed(change.lost)}."
    if change.unmoved:
        text += (
            f" Another verdict although the score is the same, by the correction over all attributes: {_listed(change.unmoved)}."
        )
    return text


def _listed(names: tuple[str, ...], most: int = 4) -> str:
    return ", ".join(map(plain, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def evidence(planted: Planted, how: Measures) -> None:
    """The pictures and tables behind the answer."""
    st.subheader("Before and after", divider="gray")
    view = st.segmented_control(
        "View",
        ("Distributions", "Scores", "Metrics", "Rows"),
        default="Distributions",
        required=True,
        key="lab.view",
        persist_state="session",
        label_visibility="collapsed",
    )
    if view == "Distributions":
        _distributions(planted)
    elif view == "Scores":
        _difference(planted, how)
    elif view == "Metrics":
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
    for place, column in enumerate(shown):
        plotly(_distribution(planted, column), key=f"lab.distribution.{place}")


def _distribution(planted: Planted, column: str) -> go.Figure:
    before, after, names = changed_values(planted, column)
    if not names:
        return before_after_distributions(before, after, chart_theme(), attribute=column)
    return category_chart(
        names,
        after.tolist(),
        before.tolist(),
        chart_theme(),
        attribute=column,
        target="After",
        reference="Before",
        ordered=planted.before.reference.type_of(column) == "ordinal",
        title=f"{column} before and after",
    )


def _difference(planted: Planted, how: Measures) -> None:
    results, _ = _audits(planted, how)
    before, after = (_own(r.attributes(), planted).assign(frame=planted.table) for r in results)
    plotly(
        difference_heatmap(
            before, after, how.pair.spec, chart_theme(), alpha=how.pair.alpha, threshold=how.pair.threshold, clickable=False
        ),
        key="lab.difference",
    )


def _classical(planted: Planted, how: Measures) -> None:
    rows = _side_by_side(*metrics_before_after(planted, how))
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
    st.dataframe(
        planted.groups,
        hide_index=True,
        key="lab.groups",
        column_config={
            "group": "Group",
            "rows_before": st.column_config.NumberColumn("Rows before", format="localized"),
            "rows_after": st.column_config.NumberColumn("Rows after", format="localized"),
            "share_before": st.column_config.NumberColumn("Share before", format="percent"),
            "share_after": st.column_config.NumberColumn("Share after", format="percent"),
        },
    )
    changed = dict(planted.injected.changed_cells)
    if planted.prediction and planted.prediction not in changed:
        changed[f"{planted.prediction} (recomputed)"] = planted.n_predictions_changed
    cells = pd.DataFrame({"Column": list(changed), "Changed cells": list(changed.values())})
    if len(cells):
        st.dataframe(cells, hide_index=True, key="lab.cells")
    else:
        st.caption("No cell changed.")
