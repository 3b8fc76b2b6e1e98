"""What the validation fold must hold so that a post-processing method can be fitted."""

from __future__ import annotations

import numpy as np

from fairaudit.errors import NotMeasurableError
from fairaudit.mitigation.registry import Scored

REMEDY = "Use fewer folds, a lower level or more rows, so that each group has both labels in the validation fold."
_GROUPS = ("privileged", "unprivileged")


def validation_labels(validation: Scored) -> np.ndarray:
    """True labels of the validation rows as booleans."""
    if validation.y_true is None:
        raise ValueError("Post-processing is fitted on validation rows with true labels.")
    return validation.y_true.astype(bool)


def require_labels(y_true: np.ndarray, unprivileged: np.ndarray, *, per_group: tuple[bool, ...]) -> None:
    """Raise if a group has no row, or lacks a label of ``per_group`` (True: favourable, False: unfavourable)."""
    for name, members in zip(_GROUPS, (~unprivileged, unprivileged), strict=True):
        if not members.any():
            raise NotMeasurableError(f"the {name} group has no row in the validation fold", REMEDY)
        for label in per_group:
            if not np.any(y_true[members] == label):
                kind = "favourable" if label else "unfavourable"
                raise NotMeasurableError(f"the {name} group has no {kind} label in the validation fold", REMEDY)
