"""Which rows train, which ones post-processing may look at, and which ones test; the same rows at every level of a bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from fairaudit.evaluation.data import FairWorld
from fairaudit.evaluation.settings import EvaluationSettings


@dataclass(frozen=True, eq=False)
class Fold:
    """Positions of the rows of the fair table; the three sets do not overlap and make up the whole.

    Attributes
    ----------
    number : int
    train, validation, test : ndarray of int
    """

    number: int
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def make_folds(world: FairWorld, settings: EvaluationSettings) -> tuple[Fold, ...]:
    """Cut the rows of the fair table into folds: fold i tests, the next one (after the last, the first) validates, the others train."""
    n = len(world.table)
    random_state = int(np.random.SeedSequence(settings.seed).generate_state(1)[0])
    if settings.stratified:
        cell = 2 * world.fair.unprivileged + world.fair.y_true
        # Cells smaller than the number of folds cannot be in every fold; they are spread as far as they go.
        counts = np.bincount(cell, minlength=4)
        cell = np.where(counts[cell] < settings.folds, 4, cell)
        if (cell == 4).any() and (cell == 4).sum() < settings.folds:
            cell = np.where(cell == 4, int(np.argmax(counts)), cell)
        splitter = StratifiedKFold(settings.folds, shuffle=True, random_state=random_state).split(np.zeros(n), cell)
    else:
        splitter = KFold(settings.folds, shuffle=True, random_state=random_state).split(np.zeros(n))
    parts = [np.sort(test) for _, test in splitter]
    folds = []
    for i, test in enumerate(parts):
        following = (i + 1) % len(parts)
        train = np.sort(np.concatenate([p for j, p in enumerate(parts) if j not in (i, following)]))
        folds.append(Fold(i, train, parts[following], test))
    return tuple(folds)
