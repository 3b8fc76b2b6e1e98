"""Planted biases: features, labels and selection, each with a strength, a group and a seed.

Importing the package fills ``INJECTIONS``; ``inject`` applies one or several to a table.
"""

from fairaudit.injection.api import (
    DEFAULT_SEED,
    Injected,
    StepResult,
    apply_step,
    as_injections,
    differing,
    inject,
    replay,
    step_seed,
)
from fairaudit.injection.description import Injection
from fairaudit.injection.features import apportion, category_moves
from fairaudit.injection.spec import INJECTIONS, Change, InjectionSpec, ParameterSpec

__all__ = [
    "DEFAULT_SEED",
    "INJECTIONS",
    "Change",
    "Injected",
    "Injection",
    "InjectionSpec",
    "ParameterSpec",
    "StepResult",
    "apply_step",
    "apportion",
    "as_injections",
    "category_moves",
    "differing",
    "inject",
    "replay",
    "step_seed",
]
