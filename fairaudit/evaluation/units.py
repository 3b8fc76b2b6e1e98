"""One unit of an experiment: one model on one fold at one level, with every mitigation method, scored on the fair and the biased test set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

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
class _Split:
    """The rows of one unit.

    Attributes
    ----------
    fair, biased : Version
    train, validation : ndarray of int
        Rows that the bias left in the table.
    test : ndarray of int
        All rows of the test fold.
    """

    fair: Version
    biased: Version
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False)
class _Decided:
    """A model's or a method's decisions: on the test rows with their fair and their biased features, and on the validation rows."""

    fair: Scored
    biased: Scored
    validation: Scored
    usage: float
    note: str


def training_rows(biased: Version, fold: Fold, settings: EvaluationSettings) -> np.ndarray:
    """Training rows of a fold that the bias left in the table."""
    rows = fold.train[biased.kept[fold.train]]
    return rows[~biased.unprivileged[rows]] if settings.train_on == "privileged" else rows


def _implementation(method: MitigationSpec, settings: EvaluationSettings) -> Callable[..., Any]:
    """Our array form of a method, or aif360's own where there is one and it was asked for."""
    if settings.engine == "aif360":
        from fairaudit import aif360_bridge

        return aif360_bridge.METHODS.get(method.name, method.function)
    return method.function


def _train(split: _Split, unit: Unit, method: MitigationSpec, settings: EvaluationSettings) -> _Decided:
    """Train a model on biased rows after a pre-processing method, and let it decide."""
    biased, rows = split.biased, split.train
    if len(rows) == 0:
        raise NotMeasurableError("no row is left to train on")
    sensitive = biased.features.shape[1] - 1
    training = Training(biased.features[rows], biased.codes[rows], biased.y_true[rows], biased.unprivileged[rows], sensitive)
    training = _implementation(method, settings)(training)
    if training.sample_weight is not None and not takes_weights(unit.model):
        raise NotMeasurableError("this version of scikit-learn cannot train the model with row weights")
    seed = int(unit_seed(settings.seed, unit.level, unit.fold, unit.model, method.name).generate_state(1)[0])
    model = fit_classifier(unit.model, training.features, training.y_true, training.sample_weight, seed)
    column = training.sensitive_column
    fair, decided_on, validation = _score(model, split, sees_group=column is not None)
    note = "; ".join(n for n in (training.note, model.note) if n)
    return _Decided(fair, decided_on, validation, 0.0 if column is None else model.usage(column), note)


def _score(model: FittedModel, split: _Split, *, sees_group: bool) -> tuple[Scored, Scored, Scored]:
    """Scores of the fair and the biased test rows and of the validation rows, in one call because a call is what costs."""
    places = [(split.fair, split.test), (split.biased, split.validation)]
    if split.biased.features is not split.fair.features:
        places.append((split.biased, split.test))
    features = np.vstack([version.features[rows] for version, rows in places])
    scores = model.score(features if sees_group else features[:, :-1])
    parts = np.split(scores, np.cumsum([len(rows) for _, rows in places])[:-1])
    scored = [
        Scored(score, (score > DECISION_THRESHOLD).astype(np.int64), version.unprivileged[rows])
        for score, (version, rows) in zip(parts, places, strict=True)
    ]
    return (
        scored[0],
        scored[-1] if len(scored) == 3 else scored[0],
        replace(scored[1], y_true=split.biased.y_true[split.validation]),
    )


def _post_process(before: _Decided, unit: Unit, method: MitigationSpec, settings: EvaluationSettings) -> _Decided:
    """Decide anew. The decision about a person does not depend on who else is in the biased test set."""
    if settings.engine == "aif360":
        # aif360 ends in an error of its solver, or in a rule made of NaN, where labels are missing; the array form says what is missing.
        method.function(before.validation)
    rule = _implementation(method, settings)(before.validation)
    seed = unit_seed(settings.seed, unit.level, unit.fold, unit.model, method.name, "decide")
    fair = rule.apply(before.fair, np.random.default_rng(seed))
    biased = fair if before.biased is before.fair else rule.apply(before.biased, np.random.default_rng(seed))
    return replace(before, fair=fair, biased=biased, note="; ".join(n for n in (before.note, rule.note) if n))


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
    validation = fold.validation[biased.kept[fold.validation]]
    split = _Split(fair, biased, training_rows(biased, fold, settings), validation, fold.test)
    trained: dict[str, _Decided] = {}
    outcomes: dict[str, _Decided] = {}
    failures: dict[str, str] = {}
    for name in unit.mitigations:
        method = MITIGATIONS[name]
        before = "none" if method.stage == "post" else name
        try:
            if before not in trained:
                trained[before] = _train(split, unit, MITIGATIONS[before], settings)
            outcomes[name] = trained[name] if before == name else _post_process(trained[before], unit, method, settings)
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
    outcomes: dict[str, _Decided], fair: Version, biased: Version, fold: Fold, test_set: str
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
