"""Mitigation methods that act on the training data or on a model's output.

Everything here is a pure function on arrays: labels and decisions are 0/1, 1 being the favourable outcome, and ``unprivileged`` is a boolean
mask of the group the planted bias works against. The methods equal aif360's; golden tests hold them together
(``fairaudit.aif360_bridge`` runs aif360 itself).
"""

from __future__ import annotations

from fairaudit.mitigation.before_training import labels_to_swap, massage, ranking_scores, reweighing_weights
from fairaudit.mitigation.equalized_odds import (
    CalibratedEqualizedOdds,
    EqualizedOdds,
    fit_calibrated_equalized_odds,
    fit_equalized_odds,
)
from fairaudit.mitigation.registry import MITIGATIONS, MitigationSpec, PostRule, Scored, Training
from fairaudit.mitigation.reject_option import RejectOption, fit_reject_option

__all__ = [
    "MITIGATIONS",
    "CalibratedEqualizedOdds",
    "EqualizedOdds",
    "MitigationSpec",
    "PostRule",
    "RejectOption",
    "Scored",
    "Training",
    "fit_calibrated_equalized_odds",
    "fit_equalized_odds",
    "fit_reject_option",
    "labels_to_swap",
    "massage",
    "ranking_scores",
    "reweighing_weights",
]
