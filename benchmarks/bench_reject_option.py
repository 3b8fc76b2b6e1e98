"""Reject option and whole units of the fair-versus-biased experiment: our array form beside aif360, in one run, with equal results.

``python -m benchmarks.bench_reject_option [--data student-por.csv] [--units 4]``; without a file it looks for Student Performance in the folder
FAIRAUDIT_TEST_DATA, and else takes the synthetic course grades.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.timing import short, table
from fairaudit import aif360_bridge
from fairaudit.datasets import Dataset, course_grades_dataset, load_student
from fairaudit.evaluation import biased_version, checked_settings, fair_world, make_folds, run_unit
from fairaudit.evaluation.settings import EvaluationSettings
from fairaudit.evaluation.units import Unit
from fairaudit.mitigation import MITIGATIONS, Scored
from fairaudit.validation import check_table

METHODS = ("roc_spd", "roc_eqop", "roc_avod")
GROUP = {"sex": "M"}


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of a call, and what it returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def fits(n: int) -> list[list[str]]:
    """Each reject option fitted once on ``n`` random rows with both, as rows of a table."""
    rng = np.random.default_rng(0)
    unprivileged = rng.random(n) < 0.4
    y_true = (rng.random(n) < np.where(unprivileged, 0.5, 0.8)).astype(np.int64)
    y_score = np.clip(0.3 * y_true - 0.2 * unprivileged + rng.normal(0.45, 0.2, n), 0, 1)
    rows = Scored(y_score, (y_score > 0.5).astype(np.int64), unprivileged, y_true)
    found = []
    for method in METHODS:
        ours, rule = seconds(lambda m=method: MITIGATIONS[m].function(rows))
        theirs, reference = seconds(lambda m=method: aif360_bridge.METHODS[m](rows))
        assert (rule.threshold, rule.margin) == (reference.fitted.classification_threshold, reference.fitted.ROC_margin)
        found.append([f"{method}, fit", f"{n:,} rows", short(theirs), short(ours), f"{theirs / ours:,.0f}×"])
    return found


def fitted_for_each_test_set(rows: Scored, method: str) -> Any:
    """aif360's reject option as the published pipeline calls it: fitted anew for the fair and for the biased test set."""
    aif360_bridge.reject_option(rows, method)
    return aif360_bridge.reject_option(rows, method)


PUBLISHED = {method: partial(fitted_for_each_test_set, method=method) for method in METHODS}


def units(dataset: Dataset, n_units: int) -> list[list[str]]:
    """Whole units (nine methods, random forest, label bias, both test sets) in turns, as rows of a table."""
    checked = check_table(dataset.data, dataset.schema)
    bias = {"kind": "label", "group": GROUP, "noise": 0.1}

    def settings(engine: str) -> EvaluationSettings:
        return checked_settings(bias, (0, 0.3, 0.6), "random_forest", MITIGATIONS.names(), 10, 0, False, "all", engine, GROUP)

    chosen = settings("numpy")
    world = fair_world(checked, chosen)
    folds = make_folds(world, chosen)
    ways = {"ours": ("numpy", {}), "once": ("aif360", {}), "published": ("aif360", PUBLISHED)}
    taken: dict[str, list[float]] = {way: [] for way in ways}
    deterministic = {m.name for m in MITIGATIONS if not m.randomised}
    for i in range(n_units):
        level = chosen.levels[1 + i % 2]
        unit = Unit(i, level, "random_forest", MITIGATIONS.names())
        version = biased_version(world, chosen, level)
        rows = {}
        for way, (engine, methods) in ways.items():
            with patch.dict(aif360_bridge.METHODS, methods):
                took, rows[way] = seconds(
                    lambda e=engine, v=version, u=unit, f=folds[i]: run_unit(world.fair, v, f, u, settings(e))  # type: ignore[misc]
                )
            taken[way].append(took)
        for a, b in zip(rows["ours"], rows["once"], strict=True):
            assert a[0] not in deterministic or a[3] == b[3] or (np.isnan(a[3]) and np.isnan(b[3])), (a, b)
    ours = float(np.median(taken["ours"]))
    what = {"once": "reject option fitted once", "published": "fitted for each test set, as the published code does"}
    return [
        [
            f"a unit of nine methods, {words}",
            f"{dataset.name}, {len(checked):,} rows",
            short(theirs),
            short(ours),
            f"{theirs / ours:.1f}×",
        ]
        for words, theirs in ((what[way], float(np.median(taken[way]))) for way in what)
    ]


def student(data: Path | None) -> Dataset:
    """Student Performance where it is, else the synthetic course grades."""
    folder = os.environ.get("FAIRAUDIT_TEST_DATA")
    found = data or (Path(folder) if folder else None)
    return course_grades_dataset() if found is None else load_student(found)


def run(quick: bool, data: Path | None = None, n_units: int = 6) -> str:
    """Measure and describe."""
    aif360_bridge.aif360_classes()
    rows = [row for n in ((65,) if quick else (65, 1000)) for row in fits(n)]
    rows += units(student(data), 1 if quick else n_units)
    return f"""## Fair against biased: reject option and whole units

Thresholds, margins and all values of the methods without random draws are the same with both. A unit is one model on one fold at one level with every
method, scored on both test sets; {1 if quick else n_units} units in turns, medians. What is left of ours is almost all the training of its four forests by scikit-learn, which both have.

{table(["what", "size", "through aif360", "ours", "faster"], rows)}
"""


def main() -> None:
    """Print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="student-por.csv, or a folder with it")
    parser.add_argument("--units", type=int, default=6, help="number of whole units to run with both engines")
    chosen = parser.parse_args()
    print(run(False, chosen.data, chosen.units))


if __name__ == "__main__":
    main()
