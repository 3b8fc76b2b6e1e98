"""Against runs of the paper authors' published code on Student Performance; see the head of the golden file.

Their code draws the noise of label bias, and the rows that a selection takes out, from one fixed seed at every level. One draw moves a group's labels
by more than the tolerances, so the experiments below are run on exactly those labels and rows; folds, models and random decisions have seeds of their own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairaudit.evaluation import (
    EvaluationSettings,
    FairWorld,
    Unit,
    Version,
    checked_settings,
    fair_world,
    make_folds,
    run_unit,
)
from fairaudit.evaluation.data import level_facts
from fairaudit.evaluation.result import tidy
from fairaudit.evaluation.scheduling import run_tasks
from fairaudit.mitigation import MITIGATIONS
from fairaudit.validation import check_table
from tests.evaluation.conftest import World

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "evaluation_student.csv"
GROUP, PASS, NOISE, THEIR_SEED = {"sex": "M"}, 10, 0.1, 4224
BIASES = {
    "label": ({"kind": "label", "group": GROUP, "noise": NOISE}, 10),
    "malicious": ({"kind": "malicious_selection", "group": GROUP}, 5),
}
TOLERANCE = {
    "accuracy": 0.03,
    "statistical_parity_difference": 0.03,
    "generalized_entropy_index": 0.03,
    "balanced_conditioned_consistency": 0.05,
    "equalized_odds_difference": 0.08,
}
METHODS = tuple(m for m in MITIGATIONS.names() if m != "massaging")
LEVELS = tuple(k / 10 for k in range(10))
CELL = ["mitigation", "level", "test_set", "metric"]


def their_labels(fair: Version, score: np.ndarray, level: float) -> Version:
    """Label bias, equation 1 of the paper, with the noise of their seed."""
    if level == 0:
        return fair
    half = np.ptp(score) / 2
    noise = np.random.default_rng(THEIR_SEED).normal(0, NOISE * half, len(score))
    return replace(fair, y_true=(score - level * half * fair.unprivileged + noise >= PASS).astype(np.int64))


def their_rows(fair: Version, level: float) -> Version:
    """Malicious selection: a tenth of the two groups at every step, divided by their sizes; the generator starts anew for every group and step."""
    taken = (fair.unprivileged & (fair.y_true == 1), ~fair.unprivileged & (fair.y_true == 0))
    kept = np.ones(len(fair.y_true), dtype=bool)
    step = int(0.1 * sum(np.count_nonzero(t) for t in taken))
    for _ in range(round(10 * level)):
        left = [np.flatnonzero(t & kept) for t in taken]
        share = len(left[1]) / (len(left[0]) + len(left[1]))
        for rows, part in zip(left, (1 - share, share), strict=True):
            kept[np.random.default_rng(THEIR_SEED).choice(rows, int(part * step), replace=False, shuffle=False)] = False
    return replace(fair, kept=kept)


def biased_versions(
    student: World, bias: str, levels: tuple[float, ...], methods: tuple[str, ...], seed: int
) -> tuple[EvaluationSettings, FairWorld, dict[float, Version]]:
    """The table of each level."""
    injection, folds = BIASES[bias]
    settings = checked_settings(injection, levels, "random_forest", methods, folds, seed, False, "all", "numpy", GROUP)
    world = fair_world(check_table(student.data, student.schema), settings)
    score = student.data["G3"].to_numpy(dtype=float)
    versions = {x: their_labels(world.fair, score, x) if bias == "label" else their_rows(world.fair, x) for x in levels}
    return settings, world, versions


def experiment(student: World, bias: str, levels: tuple[float, ...], methods: tuple[str, ...], seed: int) -> pd.DataFrame:
    """Values of every fold."""
    settings, world, versions = biased_versions(student, bias, levels, methods, seed)
    units = [(Unit(f.number, x, "random_forest", methods), f) for x in levels for f in make_folds(world, settings)]
    tasks = [(run_unit, (world.fair, versions[u.level], f, u, settings)) for u, f in units]
    found = [(units[i][0], rows) for i, rows in run_tasks(tasks, n_jobs=2)]
    return tidy([(u.level, u.fold, u.model, *row) for u, rows in found for row in rows])


def as_the_authors_count(frame: pd.DataFrame) -> pd.Series:
    """Means over folds, the equalized odds difference as in their code: the larger of those of its two sides that are defined."""
    sides = frame[frame["metric"].isin(["false_positive_rate_difference", "false_negative_rate_difference"])]
    keys = ["mitigation", "level", "fold", "test_set"]
    larger = sides.assign(value=sides["value"].abs()).groupby(keys, as_index=False)["value"].max()
    others = frame[frame["metric"] != "equalized_odds_difference"]
    return pd.concat([others, larger.assign(metric="equalized_odds_difference")]).groupby(CELL)["value"].mean()


def distance(ours: pd.Series, theirs: pd.Series) -> pd.DataFrame:
    """Mean absolute difference over levels and both test sets: methods x metrics."""
    both = pd.concat([ours.rename("ours"), theirs.rename("theirs")], axis=1, join="inner")
    assert len(both) == len(theirs)
    return (both["ours"] - both["theirs"]).abs().groupby(["mitigation", "metric"]).mean().unstack("metric")[[*TOLERANCE]]


def published(bias: str, levels: tuple[float, ...], methods: tuple[str, ...]) -> pd.Series:
    """Their means over folds."""
    table = pd.read_csv(GOLDEN, comment="#")
    part = table[(table["bias"] == bias) & table["level"].isin(levels) & table["mitigation"].isin(methods)]
    return part.set_index(CELL)["mean"]


def beyond(found: pd.DataFrame, allowed: pd.DataFrame | pd.Series) -> dict[tuple[str, str], float]:
    """Differences that are larger than allowed."""
    return {cell: round(value, 4) for cell, value in found[found > allowed].stack().dropna().items()}


def own_spread(runs: list[pd.Series]) -> pd.DataFrame:
    """How far one of our own runs is from the mean of the others, at most: methods x metrics."""
    table = pd.concat(runs, axis=1, keys=range(len(runs)))
    each = [distance(table[i], table.drop(columns=i).mean(axis=1)) for i in table.columns]
    return pd.concat(each).groupby(level=0).max()


def test_labels_and_rows_are_theirs(student: World) -> None:
    """Facts of their biased tables that were worked out apart from this code."""
    levels = (0.1, 0.5, 0.9)
    facts = {}
    for bias in BIASES:
        _, world, versions = biased_versions(student, bias, levels, METHODS, 0)
        facts[bias] = pd.DataFrame([level_facts(world, versions[x], x) for x in levels])
    assert facts["label"]["labels_to_unfavourable"].tolist() == [102, 211, 247]
    assert facts["label"]["labels_to_favourable"].tolist() == [4, 2, 2]
    assert facts["label"]["label_parity_difference"].round(4).tolist() == [-0.2220, -0.6393, -0.7746]
    assert facts["malicious"]["rows"].tolist() == [624, 524, 424]
    assert facts["malicious"]["label_parity_difference"].round(3).tolist() == [-0.083, -0.230, -0.579]


@pytest.mark.parametrize(("bias", "levels"), [("label", (0.2, 0.5)), ("malicious", (0.0, 0.4))])
def test_a_small_grid_is_near_the_authors_runs(student: World, bias: str, levels: tuple[float, ...]) -> None:
    methods = ("none", "reweighing", "ftu", "ceo")
    values = experiment(student, bias, levels, methods, seed=1)
    # One seed and two levels on our side, so a little more room.
    assert beyond(distance(as_the_authors_count(values), published(bias, levels, methods)), 1.5 * pd.Series(TOLERANCE)) == {}


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("bias", BIASES)
def test_the_whole_grid_is_near_the_authors_runs(student: World, bias: str) -> None:
    runs = [as_the_authors_count(experiment(student, bias, LEVELS, METHODS, seed)) for seed in (1, 2, 3)]
    found, spread = distance(sum(runs) / len(runs), published(bias, LEVELS, METHODS)), own_spread(runs)
    print(found.round(3).to_string(), spread.round(3).to_string(), sep="\n")
    strict = pd.DataFrame(TOLERANCE, index=found.index)
    assert len(beyond(found, strict)) <= 2
    # The golden values are a single run: where our own runs are further from each other than the tolerance, theirs may be as well. Most of all where the
    # linear programme of equalized odds rejects everyone, which moves the mean accuracy of five folds by 0.15: the same few validation rows decide at
    # every level, in 11 to 19 of 50 folds in eight of our runs, and in about 21 in theirs.
    assert beyond(found, strict.where(strict > spread, spread)) == {}
