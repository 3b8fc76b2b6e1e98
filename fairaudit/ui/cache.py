"""Thin cached wrappers around the package: keyed by content, private to a session where uploads are involved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from fairaudit.baselines import BaselineResult, BaselineSettings, baselines_of_frames
from fairaudit.datasets import demo
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.ui import state
from fairaudit.validation import check_frames

_BY_CONTENT: dict[str | type[Any], Callable[[Any], Any]] = {
    Frames: lambda frames: frames.fingerprint,
    QmadSettings: repr,
    BaselineSettings: repr,
}


@st.cache_data(max_entries=8, show_spinner="Reading the demo data …")
def demo_frames(name: str) -> Frames:
    """A demo, checked; shared by all visitors because it holds no data of anyone."""
    reference, targets, schema = demo(name).load()
    return check_frames(reference, targets, schema)


def load_demo(name: str) -> None:
    """Put a demo into the session."""
    found = demo(name)
    state.load(state.Loaded(demo_frames(name), f"Demo: {found.title}", found.story, demo=name, planted=found.planted))


@st.cache_data(max_entries=30, hash_funcs=_BY_CONTENT, scope="session", show_spinner=False)
def plain_audit(frames: Frames, settings: QmadSettings) -> AuditResult:
    """Scores without calibration."""
    return audit_frames(frames, replace(settings.verdicts_only(), resamples=0))


@st.cache_data(max_entries=20, hash_funcs=_BY_CONTENT, scope="session", show_spinner="Computing the classical metrics …")
def baseline_metrics(frames: Frames, settings: BaselineSettings) -> BaselineResult:
    """Classical metrics with intervals."""
    return baselines_of_frames(frames, settings)
