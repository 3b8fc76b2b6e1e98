"""Cached calls of the Bias lab: keyed by content, private to a session."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from fairaudit.planting import Planted, plant, predictor_named, unplanted
from fairaudit.predictors import Predictor, demo_predictors
from fairaudit.schema import AuditTable, Frames

# Resources instead of data: the values are frozen, and a copy of a large table at every step of a slider would be felt.
_BY_CONTENT: dict[str | type[Any], Any] = {Frames: lambda f: f.fingerprint, AuditTable: lambda t: f"{t.name}:{t.fingerprint}"}


@st.cache_resource(max_entries=4, hash_funcs=_BY_CONTENT, scope="session", show_spinner=False)
def demo_models(reference: AuditTable) -> dict[str, str]:
    """Names and labels of the demo models that fit the reference."""
    return {p.name: p.label for p in demo_predictors(reference)}


@st.cache_resource(max_entries=8, hash_funcs=_BY_CONTENT, scope="session", show_spinner="Getting the model ready …")
def model(reference: AuditTable, name: str) -> Predictor | None:
    """A demo model, or one trained on the reference; None for an empty name."""
    return predictor_named(reference, name)


@st.cache_resource(max_entries=4, hash_funcs=_BY_CONTENT, scope="session", show_spinner=False)
def _before(frames: Frames, table: str, predictor: str) -> Frames:
    return unplanted(frames, table, model(frames.reference, predictor))


@st.cache_resource(max_entries=6, hash_funcs=_BY_CONTENT, scope="session", show_spinner=False)
def planted(frames: Frames, table: str, steps: str, seed: int, predictor: str) -> Planted:
    """A table with planted biases; ``steps`` is JSON text."""
    found = model(frames.reference, predictor)
    return plant(frames, table, json.loads(steps), seed, found, before=_before(frames, table, predictor))
