"""Two sides of several kinds, and aif360 as the reference."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fairaudit.baselines import Side


def random_side(seed: int, n: int = 400, tilt: float = 0.0, name: str = "side") -> Side:
    """Labels, decisions, scores and features that hang together."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 2, n)])
    y_true = (rng.random(n) < 0.55 - tilt).astype(int)
    y_score = np.round(np.clip(0.3 * y_true + 0.2 * features[:, 1] + rng.normal(0, 0.3, n) - tilt, -1, 2), 2)
    return Side.of(name, y_true=y_true, y_pred=(y_score >= 0.4), y_score=y_score, features=features)


@pytest.fixture
def make_side():
    return random_side


@pytest.fixture(scope="session")
def aif360() -> SimpleNamespace:
    """aif360's classes and functions; the notices of its import and the root handler they install are taken back."""
    handlers, disabled = logging.root.handlers[:], logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        from aif360.datasets import BinaryLabelDataset
        from aif360.metrics import BinaryLabelDatasetMetric, ClassificationMetric
    finally:
        logging.disable(disabled)
        logging.root.handlers[:] = handlers

    def metrics(a: Side, b: Side) -> tuple[object, object]:
        """aif360's metric on decisions, and on labels with decisions; side a is the unprivileged group."""
        n = a.n + b.n
        frame = pd.DataFrame({"group": np.r_[np.zeros(a.n), np.ones(b.n)]})
        frame["y"] = np.r_[a.y_true, b.y_true].astype(float) if a.y_true is not None else np.zeros(n)
        frame["x"] = np.arange(n, dtype=float)
        facts = {"label_names": ["y"], "protected_attribute_names": ["group"], "favorable_label": 1.0, "unfavorable_label": 0.0}
        truth = BinaryLabelDataset(df=frame, **facts)
        decided = truth.copy()
        decided.labels = np.r_[a.y_pred, b.y_pred].astype(float)[:, None]
        groups = {"unprivileged_groups": [{"group": 0.0}], "privileged_groups": [{"group": 1.0}]}
        return BinaryLabelDatasetMetric(decided, **groups), ClassificationMetric(truth, decided, **groups)

    def consistency(features: np.ndarray, outcome: np.ndarray) -> float:
        frame = pd.DataFrame(np.asarray(features, dtype=float), columns=[f"x{i}" for i in range(np.shape(features)[1])])
        frame["y"] = np.asarray(outcome, dtype=float)
        data = BinaryLabelDataset(
            df=frame, label_names=["y"], protected_attribute_names=["x0"], favorable_label=1.0, unfavorable_label=0.0
        )
        return float(np.squeeze(BinaryLabelDatasetMetric(data).consistency()))

    return SimpleNamespace(metrics=metrics, consistency=consistency)
