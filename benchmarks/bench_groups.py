"""Group metrics beside fairlearn and aif360, consistency beside aif360, with equal results."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate, true_positive_rate

from benchmarks.timing import in_turns, short, table
from fairaudit.aif360_bridge import aif360_classes, dataset
from fairaudit.baselines import rates
from fairaudit.baselines.counts import count_table
from fairaudit.baselines.individual import consistency

NAMES = ("selection_rate", "true_positive_rate", "false_positive_rate")


def run(quick: bool) -> str:
    """Measure and describe."""
    n = 100_000 if quick else 1_000_000
    rng = np.random.default_rng(2)
    sex, region = rng.integers(0, 2, n), rng.integers(0, 5, n)
    y_true = (rng.random(n) < 0.3 + 0.1 * sex).astype(np.int64)
    y_pred = np.where(rng.random(n) < 0.2, 1 - y_true, y_true)
    functions = {
        "selection_rate": selection_rate,
        "true_positive_rate": true_positive_rate,
        "false_positive_rate": false_positive_rate,
    }

    def ours() -> np.ndarray:
        names = (("0", "1"), tuple("01234"))
        counts = count_table((sex, region), y_true, y_pred, names=names).counts
        return np.stack([rates.rate(counts, name) for name in NAMES], axis=-1)

    def fairlearns() -> np.ndarray:
        frame = MetricFrame(
            metrics=functions, y_true=y_true, y_pred=y_pred, sensitive_features=pd.DataFrame({"s": sex, "r": region})
        )
        return np.asarray(frame.by_group.to_numpy(dtype=float).reshape(2, 5, 3))

    np.testing.assert_allclose(ours(), fairlearns(), rtol=1e-12)
    t = in_turns({"ours": ours, "fairlearn": fairlearns}, 3)
    rows = [
        [
            "rates of 2 × 5 groups",
            f"{n:,}",
            "fairlearn",
            short(t["fairlearn"]),
            short(t["ours"]),
            f"{t['fairlearn'] / t['ours']:.0f}×",
        ]
    ]

    classes = aif360_classes()
    # It says through the root logger what else could be installed.
    logging.disable(logging.WARNING)
    from aif360.sklearn.metrics import consistency_score

    logging.disable(logging.NOTSET)

    def ours_differences() -> list[float]:
        counts = count_table(sex, y_true, y_pred, names=(("0", "1"),)).counts
        return [
            float(f(counts[0], counts[1]))
            for f in (rates.statistical_parity_difference, rates.equal_opportunity_difference, rates.average_odds_difference)
        ]

    def aif360s() -> list[float]:
        truth, decided = dataset(y_true, sex == 0), dataset(y_pred, sex == 0)
        attribute = truth.protected_attribute_names[0]
        groups = [{attribute: 0.0}], [{attribute: 1.0}]
        metric = classes.ClassificationMetric(truth, decided, *groups)
        return [metric.statistical_parity_difference(), metric.equal_opportunity_difference(), metric.average_odds_difference()]

    signs = np.array(aif360s()) / np.array(ours_differences())
    assert np.allclose(np.abs(signs), 1), signs
    t = in_turns({"ours": ours_differences, "aif360": aif360s}, 3)
    rows.append(
        [
            "three differences of 2 groups",
            f"{n:,}",
            "aif360",
            short(t["aif360"]),
            short(t["ours"]),
            f"{t['aif360'] / t['ours']:.0f}×",
        ]
    )

    for size in (1000,) if quick else (1000, 10_000):
        features = rng.normal(size=(size, 8))
        outcome = (features[:, 0] + rng.normal(size=size) > 0).astype(float)

        def ours_consistency(x: np.ndarray = features, y: np.ndarray = outcome) -> float:
            return consistency(x, y)

        def aif360_consistency(x: np.ndarray = features, y: np.ndarray = outcome) -> float:
            return float(consistency_score(x, y))

        assert abs(ours_consistency() - aif360_consistency()) < 1e-12
        t = in_turns({"ours": ours_consistency, "aif360": aif360_consistency}, 3)
        rows.append(
            [
                "consistency, 5 neighbours, 8 features",
                f"{size:,}",
                "aif360",
                short(t["aif360"]),
                short(t["ours"]),
                f"{t['aif360'] / t['ours']:.1f}×",
            ]
        )
    return f"""## Group metrics and consistency

Equal results are checked before the times are taken.

{table(["what", "rows", "peer", "peer's time", "ours", "faster"], rows)}
"""
