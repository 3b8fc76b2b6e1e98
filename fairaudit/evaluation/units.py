"""One unit of an experiment: one model on one fold at one level, with every mitigation method, scored on the fair and the biased test set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.errors import NotMeasurableError
from fairaudit.evaluation.data import Version
from fairaudit.evaluation.folds import Fold
from fairaudit.evaluation.metrics import TEST_METRICS, consistencies, decided, measure
from fairaudit.evaluation.settings import EvaluationSettings, unit_seed
from fairaudit.mitigation import MITIGATIONS, MitigationSpec, Scored, Training
from fairaudit.models import DECISION_THRESHOLD, FittedModel, fit_classifier, takes_weights

Row = tuple[str, str, str, float, str]
"""mitigation, test_set, metric, value, note"""
TEST_SETS = ("fair", "biased")


@dataclass(frozen=True, order=True)
class Unit:
    """What is computed in one go; units share nothing and may run anywhere in any order.

    Attributes
    ----------
    fold : int
    level : float
    model : str
    mitigations : tuple of str
    """

    fold: int
    level: float
    model: str
    mitigations: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Trained:
    """A fitted model with the training rows it saw."""

    model: FittedModel
    training: Training
    note: str

    def scored(self, features: np.ndarray, unprivileged: np.ndarray, y_true: np.ndarray | None = None) -> Scored:
        """Score rows given with all features."""
        seen = features[:, :-1] if self.training.sensitive_column is None else features
        y_score = self.model.score(seen)
        return Scored(y_score, (y_score > DECISION_THRESHOLD).astype(np.int64), unprivileged, y_true)

    @property
    def usage(self) -> float:
        """Share of trees that use the sensitive attribute; 0 when the model never saw it."""
        column = self.training.sensitive_column
        return 0.0 if column is None else self.model.usage(column)


def training_rows(biased: Version, fold: Fold, settings: EvaluationSettings) -> np.ndarray:
    """Training rows of a fold that the bias left in the table."""
    rows = fold.train[biased.kept[fold.train]]
    return rows[~biased.unprivileged[rows]] if settings.train_on == "privileged" else rows


def _train(biased: Version, rows: np.ndarray, unit: Unit, method: MitigationSpec, settings: EvaluationSettings) -> _Trained:
    """Train a model on biased rows after a pre-processing method."""
    if len(rows) == 0:
        raise NotMeasurableError("no row is left to train on")
    sensitive = biased.features.shape[1] - 1
    training = Training(biased.features[rows], biased.codes[rows], biased.y_true[rows], biased.unprivileged[rows], sensitive)
    if method.stage == "pre":
        training = _implementation(method, settings)(training)
    if training.sample_weight is not None and not takes_weights(unit.model):
        raise NotMeasurableError("this version of scikit-learn cannot train the model with row weights")
    seed = unit_seed(settings.seed, unit.level, unit.fold, unit.model, "none" if method.stage == "post" else method.name)
    model = fit_classifier(unit.model, training.features, training.y_true, training.sample_weight, int(seed.generate_state(1)[0]))
    return _Trained(model, training, "; ".join(n for n in (training.note, model.note) if n))


def _implementation(method: MitigationSpec, settings: EvaluationSettings):  # type: ignore[no-untyped-def]
    """Our array form of a method, or aif360's own where there is one and it was asked for."""
    if settings.engine == "aif360":
        from fairaudit import aif360_bridge

        return aif360_bridge.METHODS.get(method.name, method.function)
    return method.function


@dataclass(frozen=True, eq=False)
class _Outcome:
    """Decisions of one method on the test rows of a fold, for the fair and the biased version of their features."""

    fair: Scored
    biased: Scored
    usage: float
    note: str


def _decide(
    trained: _Trained, fair: Version, biased: Version, unit: Unit, fold: Fold, name: str, settings: EvaluationSettings
) -> _Outcome:
    """Decide about the test rows. The decision about a person does not depend on who else is in the biased test set."""
    method = MITIGATIONS[name]
    versions = (fair,) if biased.features is fair.features else (fair, biased)
    scored = [trained.scored(v.features[fold.test], v.unprivileged[fold.test]) for v in versions]
    note = trained.note
    if method.stage == "post":
        rows = fold.validation[biased.kept[fold.validation]]
        validation = trained.scored(biased.features[rows], biased.unprivileged[rows], biased.y_true[rows])
        rule = _implementation(method, settings)(validation)
        seed = unit_seed(settings.seed, unit.level, unit.fold, unit.model, name, "decide")
        scored = [rule.apply(s, np.random.default_rng(seed)) for s in scored]
        note = "; ".join(n for n in (note, rule.note) if n)
    return _Outcome(scored[0], scored[-1], trained.usage, note)


def run_unit(fair: Version, biased: Version, fold: Fold, unit: Unit, settings: EvaluationSettings) -> list[Row]:
    """Train, mitigate and measure.

    Parameters
    ----------
    fair, biased : Version
        The table without bias, and as the bias leaves it at ``unit.level``.
    fold : Fold
    unit : Unit
    settings : EvaluationSettings

    Returns
    -------
    list of Row
        Every method x test set x metric; methods that fail have NaN and the reason.
    """
    rows = training_rows(biased, fold, settings)
    trained: dict[str, _Trained] = {}
    outcomes: dict[str, _Outcome] = {}
    failures: dict[str, str] = {}
    for name in unit.mitigations:
        method = MITIGATIONS[name]
        variant = name if method.stage == "pre" else "none"
        try:
            if variant not in trained:
                trained[variant] = _train(biased, rows, unit, MITIGATIONS[variant], settings)
            outcomes[name] = _decide(trained[variant], fair, biased, unit, fold, name, settings)
        except NotMeasurableError as error:
            failures[name] = error.problem
    measured = {test_set: _measure(outcomes, fair, biased, fold, test_set) for test_set in TEST_SETS}
    result: list[Row] = []
    for name in unit.mitigations:
        for test_set in TEST_SETS:
            if name in failures:
                result += [(name, test_set, spec.name, float("nan"), failures[name]) for spec in TEST_METRICS]
            else:
                result += [(name, test_set, *entry) for entry in measured[test_set][name]]
    return result


def _measure(
    outcomes: dict[str, _Outcome], fair: Version, biased: Version, fold: Fold, test_set: str
) -> dict[str, list[tuple[str, float, str]]]:
    """Every metric of every method on one version of the test rows."""
    if not outcomes:
        return {}
    version = fair if test_set == "fair" else biased
    present = version.kept[fold.test]
    test = fold.test[present]
    scored = {name: o.fair if test_set == "fair" else o.biased for name, o in outcomes.items()}
    decisions = {name: s.y_pred[present] for name, s in scored.items()}
    consistency = consistencies(version.features[test, :-1], list(decisions.values()))
    result = {}
    for bcc, (name, outcome) in zip(consistency, outcomes.items(), strict=True):
        d = decided(
            version.y_true[test], decisions[name], scored[name].y_score[present], version.unprivileged[test], bcc, outcome.usage
        )
        result[name] = [(metric, value, "; ".join(n for n in (note, outcome.note) if n)) for metric, value, note in measure(d)]
    return result
