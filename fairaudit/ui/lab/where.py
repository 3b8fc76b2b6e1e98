"""Where the bias is planted, and where the predictions come from afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from fairaudit.injection import DEFAULT_SEED
from fairaudit.models import DEMO_MODELS, MODELS
from fairaudit.planting import table_named
from fairaudit.predictors import Predictor, trainable
from fairaudit.schema import AuditTable, Frames
from fairaudit.ui.components import plain
from fairaudit.ui.lab import cache

KEEP = ""


@dataclass(frozen=True, eq=False)
class Where:
    """Choices at the top of the page.

    Attributes
    ----------
    table : AuditTable
        In which the bias is planted.
    predictor : Predictor or None
        What predicts anew; None keeps the prediction column.
    seed : int
    """

    table: AuditTable
    predictor: Predictor | None
    seed: int


def where(frames: Frames) -> Where:
    """Table, source of the predictions, seed."""
    first, second, third = st.columns([2, 2, 1])
    names = [t.name for t in frames.targets] + [frames.reference.name]
    name = first.selectbox(
        "Plant the bias in",
        names,
        format_func=lambda n: f"{n} (reference)" if n == frames.reference.name else n,
        key="lab.table",
        persist_state="session",
        help="A copy is biased; the loaded table stays as it is. It is compared with the reference.",
    )
    table = table_named(frames, name)
    demos = cache.demo_models(frames.reference)
    trained = trainable(frames.reference)
    outcome = frames.schema.prediction
    kept = outcome is not None and outcome in frames.reference.columns
    labels = {KEEP: "Stay as they are" if kept else "There are none"} | {n: f"Recompute: {label}" for n, label in demos.items()}
    labels |= {n: f"Train: {(DEMO_MODELS if n in DEMO_MODELS else MODELS)[n].label}" for n in trained}
    options = [*demos, KEEP, *trained]
    chosen = second.selectbox(
        "Predictions after planting",
        options,
        format_func=labels.__getitem__,
        key=f"lab.predictor.{'.'.join(options)}",
        persist_state="session",
        help="A bias in the inputs reaches the output only through a model. Without one, the prediction column stays as it was.",
    )
    seed = third.number_input(
        "Seed", 0, 2**31 - 1, DEFAULT_SEED, key="lab_seed", bind="query-params", help="Same seed, same rows."
    )
    predictor = cache.model(frames.reference, chosen)
    if predictor is not None:
        st.caption(plain(predictor.sentence))
    elif kept:
        st.caption(f"{plain(outcome)} is kept as it was recorded: a bias in the inputs does not reach it.")
    return Where(table, predictor, int(seed))
