"""aif360 itself, imported on use and kept quiet: the reference that our array forms are held equal to.

aif360 takes seconds to import, writes notices through the root logger, installs a handler there, and draws from numpy's global random
state. Everything here leaves the logger, the random state and the console as they were. aif360's metric classes keep every data set they
saw alive for the life of the process, so a server should not use this module in a loop; ``fairaudit.mitigation`` has no such leak.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.mitigation.checks import validation_labels
from fairaudit.mitigation.registry import RandomSource, Scored, Training

PRIVILEGED, UNPRIVILEGED = [{"group": 0}], [{"group": 1}]
_REJECT_OPTION_METRICS = {
    "roc_spd": "Statistical parity difference",
    "roc_eqop": "Equal opportunity difference",
    "roc_avod": "Average odds difference",
}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Run without warnings and log records, and without leaving a handler on the root logger."""
    handlers, disabled = logging.root.handlers[:], logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        logging.root.handlers[:] = handlers


@contextlib.contextmanager
def _global_random_state_kept() -> Iterator[None]:
    """Put numpy's global random state back afterwards."""
    state = np.random.get_state()  # noqa: NPY002 - aif360 draws from it
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


@functools.cache
def aif360_classes() -> SimpleNamespace:
    """The aif360 classes in use, imported at the first call."""
    with _quiet():
        from aif360.algorithms.postprocessing import (
            CalibratedEqOddsPostprocessing,
            EqOddsPostprocessing,
            RejectOptionClassification,
        )
        from aif360.algorithms.preprocessing.reweighing import Reweighing
        from aif360.datasets import BinaryLabelDataset
        from aif360.metrics import BinaryLabelDatasetMetric, ClassificationMetric
    return SimpleNamespace(
        BinaryLabelDataset=BinaryLabelDataset,
        BinaryLabelDatasetMetric=BinaryLabelDatasetMetric,
        ClassificationMetric=ClassificationMetric,
        Reweighing=Reweighing,
        EqOddsPostprocessing=EqOddsPostprocessing,
        CalibratedEqOddsPostprocessing=CalibratedEqOddsPostprocessing,
        RejectOptionClassification=RejectOptionClassification,
    )


def dataset(labels: np.ndarray, unprivileged: np.ndarray, y_score: np.ndarray | None = None) -> Any:
    """An aif360 BinaryLabelDataset with the group (1 = unprivileged) as its only feature.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        0/1, true labels or decisions.
    unprivileged : ndarray of bool of shape (n_samples,)
    y_score : ndarray of shape (n_samples,), optional
    """
    frame = pd.DataFrame({"group": unprivileged.astype(float), "label": labels.astype(float)})
    result = aif360_classes().BinaryLabelDataset(df=frame, label_names=["label"], protected_attribute_names=["group"])
    if y_score is not None:
        result.scores = np.asarray(y_score, dtype=float).reshape(-1, 1)
    return result


@dataclass(frozen=True, eq=False)
class Aif360Rule:
    """A post-processing object of aif360 that was fitted on validation rows.

    Attributes
    ----------
    fitted : object
        The aif360 object, with its parameters.
    changes_score : bool
        Whether the method gives new scores as well as new decisions.
    note : str
    """

    fitted: Any
    changes_score: bool = False
    note: str = ""

    def apply(self, scored: Scored, rng: RandomSource) -> Scored:
        """Decide anew, with a seed drawn from ``rng``."""
        return self.apply_seeded(scored, int(rng.random(1)[0] * 2**32))

    def apply_seeded(self, scored: Scored, seed: int) -> Scored:
        """Decide anew, with a given seed for aif360's random draws."""
        if len(scored.y_score) == 0:
            return scored
        with _quiet(), _global_random_state_kept():
            np.random.seed(seed)  # noqa: NPY002
            result = self.fitted.predict(dataset(scored.y_pred, scored.unprivileged, scored.y_score))
        y_score = result.scores.ravel() if self.changes_score else scored.y_score
        return replace(scored, y_pred=result.labels.ravel().astype(np.int64), y_score=y_score)


def _fit(make: Callable[[], Any], validation: Scored) -> Any:
    """Fit a post-processing object on validation rows."""
    with _quiet():
        y_true = validation_labels(validation)
        return make().fit(
            dataset(y_true, validation.unprivileged), dataset(validation.y_pred, validation.unprivileged, validation.y_score)
        )


def reweighing(training: Training) -> Training:
    """Training rows with the weights of ``aif360.algorithms.preprocessing.Reweighing``."""
    with _quiet():
        method = aif360_classes().Reweighing(UNPRIVILEGED, PRIVILEGED)
        weights = method.fit_transform(dataset(training.y_true, training.unprivileged)).instance_weights
    return replace(training, sample_weight=weights)


def equalized_odds(validation: Scored) -> Aif360Rule:
    """``EqOddsPostprocessing``."""
    return Aif360Rule(_fit(lambda: aif360_classes().EqOddsPostprocessing(UNPRIVILEGED, PRIVILEGED), validation))


def calibrated_equalized_odds(validation: Scored) -> Aif360Rule:
    """``CalibratedEqOddsPostprocessing`` with the weighted cost."""
    make = functools.partial(aif360_classes().CalibratedEqOddsPostprocessing, UNPRIVILEGED, PRIVILEGED, "weighted")
    return Aif360Rule(_fit(make, validation), changes_score=True)


def reject_option(validation: Scored, method: str) -> Aif360Rule:
    """``RejectOptionClassification`` with the paper's settings.

    Parameters
    ----------
    validation : Scored
    method : {"roc_spd", "roc_eqop", "roc_avod"}
    """
    make = functools.partial(
        aif360_classes().RejectOptionClassification,
        UNPRIVILEGED,
        PRIVILEGED,
        metric_name=_REJECT_OPTION_METRICS[method],
    )
    return Aif360Rule(_fit(make, validation))


METHODS: dict[str, Callable[..., Any]] = {
    "reweighing": reweighing,
    "eop": equalized_odds,
    "ceo": calibrated_equalized_odds,
    **{name: functools.partial(reject_option, method=name) for name in _REJECT_OPTION_METRICS},
}
"""The methods that aif360 implements, with the same form as the functions in ``MITIGATIONS``."""
