"""A small fair world that every test of the experiment can afford."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest

from fairaudit.datasets import course_grades_dataset, load_student
from fairaudit.evaluation import EvaluationResult, evaluate
from fairaudit.schema import Schema

LABEL_BIAS = {"kind": "label", "group": {"sex": "M"}, "noise": 0.1}


@dataclass(frozen=True, eq=False)
class World:
    """A table with its schema."""

    data: pd.DataFrame
    schema: Schema

    def run(self, injection: dict[str, Any] | None = None, **changes: Any) -> EvaluationResult:
        """A quick experiment."""
        choices: dict[str, Any] = {"levels": (0, 0.4), "models": "decision_tree", "folds": 4, "seed": 3}
        return evaluate(self.data, self.schema, injection or LABEL_BIAS, **{**choices, **changes})


@pytest.fixture(scope="session")
def world() -> World:
    """320 of the synthetic students."""
    dataset = course_grades_dataset()
    return World(dataset.data.iloc[::6].head(320).reset_index(drop=True), dataset.schema)


@pytest.fixture(scope="session")
def student(real_data) -> World:  # type: ignore[no-untyped-def]
    """Student Performance."""
    dataset = load_student(real_data)
    return World(dataset.data, dataset.schema)


@pytest.fixture(scope="session")
def result(world: World) -> EvaluationResult:
    """All methods, label bias."""
    return world.run()
