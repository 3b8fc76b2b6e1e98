"""How the table is measured before and after: the pair and contrast of the audit, and the classical metrics."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from fairaudit.baselines import BASELINES, BaselineSettings, Sampling
from fairaudit.planting import undecided_outcome
from fairaudit.qmad import QmadSettings
from fairaudit.schema import Frames
from fairaudit.ui.choices import audit_choices
from fairaudit.ui.components import plain

SLOW = "balanced_conditioned_consistency"
"""Not among the metrics at first: its neighbours take longer than all the rest."""
LIVE = Sampling(resamples=200, neighbour_rows=200)
"""Fewer resamples and neighbours than on the Baselines page, so that a slider answers at once."""


@dataclass(frozen=True)
class Measures:
    """What looks at the table.

    Attributes
    ----------
    pair : QmadSettings
    metrics : BaselineSettings
    threshold : float or None
        From which a numeric outcome is favourable.
    threshold_words : str
        Where the threshold comes from; empty where none is needed.
    """

    pair: QmadSettings
    metrics: BaselineSettings
    threshold: float | None
    threshold_words: str


def measures(frames: Frames) -> Measures:
    """The choices of the Audit page, and the classical metrics."""
    with st.expander("How it is measured", icon=":material/straighten:"):
        pair = audit_choices(frames).verdicts_only()
        st.divider()
        left, right = st.columns([2, 1])
        names = [s.name for s in BASELINES if s.default]
        metrics = left.multiselect(
            "Classical metrics",
            BASELINES.names(),
            default=[n for n in names if n != SLOW],
            format_func=lambda n: BASELINES[n].label,
            key="lab.metrics",
            persist_state="session",
            wrap=True,
            help=f"Intervals from {LIVE.resamples} resamples, neighbours of {LIVE.neighbour_rows} rows: quick rather than final. The Baselines page "
            "takes more.",
        )
        threshold, words = None, ""
        proposal = undecided_outcome(frames)
        if proposal is not None:
            column, median = proposal
            threshold = float(
                right.number_input(
                    "Decision threshold",
                    value=median,
                    key=f"lab.threshold.{column}.{median}",
                    persist_state="session",
                    help=f"{column} is a number. Rates such as the selection rate need a line above which it is favourable.",
                )
            )
            source = "the median of the reference, for want of a real one" if threshold == median else "as chosen"
            words = f"Rates count {plain(column)} of {threshold:,.6g} or more as favourable ({source})."
            right.caption(words)
    chosen = BaselineSettings(metrics=tuple(metrics) or tuple(names), contrast=pair.contrast, threshold=threshold, sampling=LIVE)
    return Measures(pair, chosen, threshold, words)
