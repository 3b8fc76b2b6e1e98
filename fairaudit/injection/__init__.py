"""Planted biases: features, labels and selection, each with a strength, a group and a seed.

Importing the package fills ``INJECTIONS``; ``inject`` applies one or several to a table.
"""

# Importing these registers the injections, in the order in which screens list them.
from fairaudit.injection import labels, selection, features  # noqa: F401  # isort: skip
from fairaudit.injection.api import (
    DEFAULT_SEED,
    Applied,
    Injected,
    StepResult,
    apply_step,
    as_injections,
    differing,
    inject,
    replay,
    step_seed,
)
from fairaudit.injection.arrays import (
    SELECTION_KINDS,
    RemovalOrder,
    apportion,
    category_moves,
    label_bias_scores,
    label_flips,
    score_scale,
    selection_removal_order,
)
from fairaudit.injection.description import Injection
from fairaudit.injection.spec import INJECTIONS, Change, InjectionSpec, ParameterSpec

__all__ = [
    "DEFAULT_SEED",
    "INJECTIONS",
    "SELECTION_KINDS",
    "Applied",
    "Change",
    "Injected",
    "Injection",
    "InjectionSpec",
    "ParameterSpec",
    "RemovalOrder",
    "StepResult",
    "apply_step",
    "apportion",
    "as_injections",
    "category_moves",
    "differing",
    "inject",
    "label_bias_scores",
    "label_flips",
    "replay",
    "score_scale",
    "selection_removal_order",
    "step_seed",
]
