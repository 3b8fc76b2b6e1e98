"""Calibration with 999 permutations beside one plain audit of our own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.bench_qmad import column
from benchmarks.timing import in_turns, short, table
from fairaudit.inference import calibrate
from fairaudit.qmad import QmadSettings
from fairaudit.qmad.api import score_frames
from fairaudit.schema import Frames
from fairaudit.validation import check_frames

TARGET, REFERENCE, ATTRIBUTES, PERMUTATIONS = 20_000, 10_000, 10, 999
PAIRS = (
    ("ks", "harmonic", "sequential"),
    ("ad", "harmonic", "sequential"),
    ("welch_t", "harmonic", "sequential"),
    ("mann_whitney", "harmonic", "sequential"),
    ("brunner_munzel", "harmonic", "sequential"),
    ("rom", "arithmetic", "sequential"),
    ("wasserstein", "arithmetic", "sequential"),
    ("ks", "harmonic", "quantile"),
    ("ad", "harmonic", "quantile"),
)


def frames() -> Frames:
    """Ten attributes of five kinds."""
    rng = np.random.default_rng(1)
    sides = [
        pd.DataFrame({f"x{k}": column(rng, k, n, shift if k == 0 else 0.0) for k in range(ATTRIBUTES)})
        for n, shift in ((REFERENCE, 0.0), (TARGET, 0.05))
    ]
    return check_frames(sides[0], {"target": sides[1]})


def run(quick: bool) -> str:
    """Measure and describe."""
    data, rows = frames(), []
    for comparison, aggregation, binning in PAIRS[: 2 if quick else None]:
        settings = QmadSettings(comparison=comparison, aggregation=aggregation, binning=binning, resamples=PERMUTATIONS)
        plain = score_frames(data, settings)
        one = in_turns({"plain": lambda s=settings: score_frames(data, s)}, 9)["plain"]  # type: ignore[misc]
        many = in_turns({"all": lambda s=settings, p=plain: calibrate(data, s, p, adaptive=False)}, 3)["all"]  # type: ignore[misc]
        rows.append([f"{comparison} + {aggregation}", binning, short(one), short(many), f"{many / one:.0f}"])
    return f"""## Calibration: {PERMUTATIONS} permutations, {ATTRIBUTES} attributes, {TARGET:,} / {REFERENCE:,} rows, 10 bins

All {PERMUTATIONS} permutations for every attribute; by default fewer are drawn where the answer is clear.

{table(["pair", "bins", "plain audit", "calibration", "plain audits"], rows)}
"""
