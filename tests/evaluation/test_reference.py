"""Against runs of the paper authors' published code on Student Performance (other random seeds); see the head of the golden file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fairaudit.evaluation import evaluate
from fairaudit.mitigation import MITIGATIONS
from tests.evaluation.conftest import World

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "evaluation_student.csv"
BIASES: dict[str, dict[str, Any]] = {
    "label": {"kind": "label", "group": {"sex": "M"}, "noise": 0.1},
    "malicious": {"kind": "malicious_selection", "group": {"sex": "M"}},
}
TOLERANCE = {
    "accuracy": 0.03,
    "statistical_parity_difference": 0.03,
    "generalized_entropy_index": 0.03,
    "balanced_conditioned_consistency": 0.05,
    "equalized_odds_difference": 0.08,
}
METHODS = tuple(m for m in MITIGATIONS.names() if m != "massaging")


def differences(student: World, bias: str, levels: tuple[float, ...], seeds: tuple[int, ...], methods: tuple[str, ...]) -> pd.DataFrame:
    """Mean absolute difference over levels for each method (rows) and metric (columns), on both test sets; ours is the mean over seeds."""
    ours = pd.concat(
        evaluate(student.data, student.schema, BIASES[bias], levels=levels, mitigations=methods, seed=seed).summary() for seed in seeds
    )
    cell = ["mitigation", "level", "test_set", "metric"]
    ours = ours.groupby(cell, as_index=False)["mean"].mean()
    theirs = pd.read_csv(GOLDEN, comment="#")
    both = ours.merge(theirs[theirs["bias"] == bias], on=cell, suffixes=("_ours", "_theirs"))
    assert len(both) == len(levels) * len(methods) * 2 * len(TOLERANCE)
    both["difference"] = (both["mean_ours"] - both["mean_theirs"]).abs()
    return both.pivot_table(index=["mitigation", "test_set"], columns="metric", values="difference")


PLACEHOLDER = None
