"""Train on biased data, evaluate on the fair and on the biased test set, with and without mitigation."""

from fairaudit.evaluation.api import estimate_seconds, evaluate
from fairaudit.evaluation.data import FairWorld, Version, biased_version, fair_world
from fairaudit.evaluation.folds import Fold, make_folds
from fairaudit.evaluation.metrics import TEST_METRICS, TestMetricSpec
from fairaudit.evaluation.reading import RATINGS, RULE, rate_methods
from fairaudit.evaluation.result import EvaluationResult
from fairaudit.evaluation.settings import DEFAULT_LEVELS, EvaluationSettings, checked_settings
from fairaudit.evaluation.units import TEST_SETS, Unit, run_unit

__all__ = [
    "DEFAULT_LEVELS",
    "RATINGS",
    "RULE",
    "TEST_METRICS",
    "TEST_SETS",
    "EvaluationResult",
    "EvaluationSettings",
    "FairWorld",
    "Fold",
    "TestMetricSpec",
    "Unit",
    "Version",
    "biased_version",
    "checked_settings",
    "estimate_seconds",
    "evaluate",
    "fair_world",
    "make_folds",
    "rate_methods",
    "run_unit",
]
