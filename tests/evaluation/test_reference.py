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
WIDER = {
    ("eop", "accuracy"): 0.12,
    ("eop", "statistical_parity_difference"): 0.06,
    ("eop", "generalized_entropy_index"): 0.6,
    ("reweighing", "statistical_parity_difference"): 0.05,
    ("roc_spd", "statistical_parity_difference"): 0.05,
    ("roc_eqop", "statistical_parity_difference"): 0.05,
    ("roc_avod", "statistical_parity_difference"): 0.05,
}
"""Where the reference, a single run, is too noisy for ``TOLERANCE``: two of our own runs with other seeds differ there as much, because the same few
validation rows decide at every level, and equalized odds flips between a useful rule and rejecting everyone."""
METHODS = tuple(m for m in MITIGATIONS.names() if m != "massaging")
N_JOBS = 2
CELL = ["mitigation", "level", "test_set", "metric"]


def as_the_authors_count(frame: pd.DataFrame) -> pd.DataFrame:
    """Means over folds, the equalized odds difference as in their code: the larger of those of its two sides that are defined."""
    sides = frame[frame["metric"].isin(["false_positive_rate_difference", "false_negative_rate_difference"])]
    keys = ["mitigation", "level", "fold", "test_set"]
    larger = sides.assign(value=sides["value"].abs()).groupby(keys, as_index=False)["value"].max()
    others = frame[frame["metric"] != "equalized_odds_difference"]
    return pd.concat([others, larger.assign(metric="equalized_odds_difference")]).groupby(CELL, as_index=False)["value"].mean()


def differences(
    student: World, bias: str, levels: tuple[float, ...], seeds: tuple[int, ...], methods: tuple[str, ...]
) -> pd.DataFrame:
    """Mean absolute difference over levels for each method and test set (rows) and metric (columns); ours is the mean over seeds."""
    runs = [
        evaluate(student.data, student.schema, BIASES[bias], levels, mitigations=methods, seed=s, n_jobs=N_JOBS).to_frame()
        for s in seeds
    ]
    ours = pd.concat(as_the_authors_count(run) for run in runs).groupby(CELL, as_index=False)["value"].mean()
    theirs = pd.read_csv(GOLDEN, comment="#")
    both = ours.merge(theirs[theirs["bias"] == bias], on=CELL)
    assert len(both) == len(levels) * len(methods) * 2 * len(TOLERANCE)
    both["difference"] = (both["value"] - both["mean"]).abs()
    return both.pivot_table(index=["mitigation", "test_set"], columns="metric", values="difference")


def beyond(found: pd.DataFrame, factor: float = 1.0) -> dict[tuple[str, str, str], float]:
    """Differences that are larger than allowed."""
    return {
        (method, test_set, metric): round(value, 4)
        for (method, test_set), row in found.iterrows()
        for metric, value in row.items()
        if value > factor * WIDER.get((method, metric), TOLERANCE[metric])
    }


@pytest.mark.parametrize(("bias", "levels"), [("label", (0.2, 0.5)), ("malicious", (0.0, 0.4))])
def test_a_small_grid_is_near_the_authors_runs(student: World, bias: str, levels: tuple[float, ...]) -> None:
    found = differences(student, bias, levels, seeds=(1,), methods=("none", "reweighing", "ftu", "ceo"))
    # One seed and two levels on our side, so a little more room.
    assert beyond(found, factor=1.5) == {}


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("bias", BIASES)
def test_the_whole_grid_is_near_the_authors_runs(student: World, bias: str) -> None:
    found = differences(student, bias, tuple(k / 10 for k in range(10)), seeds=(1, 2, 3), methods=METHODS)
    print(found.round(3).to_string())
    assert beyond(found) == {}
    strict = {cell for cell, value in found.stack().items() if value <= TOLERANCE[cell[2]]}
    assert len(strict) >= 0.85 * found.size
