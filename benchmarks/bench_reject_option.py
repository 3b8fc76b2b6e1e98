"""Reject option and whole units of the fair-versus-biased experiment: our array form beside aif360, in one run, with equal results.

Run with ``python benchmarks/bench_reject_option.py [--data student-por.csv] [--units 2]``; without a file the synthetic course grades are used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairaudit import aif360_bridge
from fairaudit.datasets import course_grades_dataset, load_student
from fairaudit.evaluation import biased_version, checked_settings, fair_world, make_folds, run_unit
from fairaudit.evaluation.settings import EvaluationSettings
from fairaudit.evaluation.units import Unit
from fairaudit.mitigation import MITIGATIONS, Scored
from fairaudit.validation import check_table

METHODS = ("roc_spd", "roc_eqop", "roc_avod")
WANTED_RATIO = 15


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Wall time of a call, and what it returned."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def compare_fits(n: int) -> None:
    """Fit each reject option once on ``n`` random rows with both."""
    rng = np.random.default_rng(0)
    unprivileged = rng.random(n) < 0.4
    y_true = (rng.random(n) < np.where(unprivileged, 0.5, 0.8)).astype(np.int64)
    y_score = np.clip(0.3 * y_true - 0.2 * unprivileged + rng.normal(0.45, 0.2, n), 0, 1)
    rows = Scored(y_score, (y_score > 0.5).astype(np.int64), unprivileged, y_true)
    for method in METHODS:
        ours, rule = seconds(lambda m=method: MITIGATIONS[m].function(rows))
        theirs, reference = seconds(lambda m=method: aif360_bridge.METHODS[m](rows))
        same = (rule.threshold, rule.margin) == (reference.fitted.classification_threshold, reference.fitted.ROC_margin)
        print(
            f"{method:9} {n:6} rows   aif360 {theirs:7.2f} s   ours {1000 * ours:7.2f} ms   ratio {theirs / ours:7.0f}   same: {same}"
        )


def compare_units(data: Path | None, n_units: int) -> None:
    """Run whole units (nine methods, random forest, label bias) with both engines."""
    dataset = course_grades_dataset() if data is None else load_student(data)
    table = check_table(dataset.data, dataset.schema)
    group = {"sex": "M"}
    bias = {"kind": "label", "group": group, "noise": 0.1}

    def settings(engine: str) -> EvaluationSettings:
        return checked_settings(bias, (0, 0.3, 0.6), "random_forest", MITIGATIONS.names(), 10, 0, False, "all", engine, group)

    chosen = settings("numpy")
    world = fair_world(table, chosen)
    folds = make_folds(world, chosen)
    total = {"numpy": 0.0, "aif360": 0.0}
    deterministic = {m.name for m in MITIGATIONS if not m.randomised}
    for i in range(n_units):
        level = chosen.levels[1 + i % 2]
        unit = Unit(i, level, "random_forest", MITIGATIONS.names())
        version = biased_version(world, chosen, level)
        rows = {}
        for engine in total:
            took, rows[engine] = seconds(
                lambda e=engine, v=version, u=unit, f=folds[i]: run_unit(world.fair, v, f, u, settings(e))
            )
            total[engine] += took
        differing = sum(
            not (a[3] == b[3] or (np.isnan(a[3]) and np.isnan(b[3])))
            for a, b in zip(rows["numpy"], rows["aif360"], strict=True)
            if a[0] in deterministic
        )
        print(f"unit {i + 1}: level {level:g}, fold {i}: values of the methods without random draws that differ: {differing}")
    ratio = total["aif360"] / total["numpy"]
    print(
        f"{dataset.name}, {n_units} units of nine methods: through aif360 {total['aif360'] / n_units:.2f} s, ours {total['numpy'] / n_units:.2f} s a "
        f"unit, ratio {ratio:.1f} (wanted: {WANTED_RATIO} or more)"
    )


def main() -> None:
    """Both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="student-por.csv, or a folder with it")
    parser.add_argument("--units", type=int, default=2, help="number of whole units to run with both engines")
    parser.add_argument("--rows", type=int, nargs="*", default=[65, 1000], help="sizes for single fits")
    chosen = parser.parse_args()
    aif360_bridge.aif360_classes()
    for n in chosen.rows:
        compare_fits(n)
    compare_units(chosen.data, chosen.units)


if __name__ == "__main__":
    main()
