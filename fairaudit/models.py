"""The models of the two papers: classifiers of the fair-versus-biased experiment, and the QMAD paper's regressors and tree."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import has_fit_parameter

from fairaudit.registry import FunctionSpec, Registry

_EVALUATION = "Legast, Calders, Fouss (2025), section 5.1"
_QMAD = "QMAD paper, section 5"
DECISION_THRESHOLD = 0.5
"""A score above this is a favourable decision; scikit-learn's own rule for two classes."""


@dataclass(frozen=True, kw_only=True)
class ModelSpec(FunctionSpec):
    """Facts about a model; ``function(seed)`` makes a new, unfitted scikit-learn estimator.

    Attributes
    ----------
    task : {"classification", "regression"}
    settings : str
        What differs from scikit-learn's defaults, in words.
    """

    task: str = "classification"
    settings: str = ""


MODELS: Registry[ModelSpec] = Registry("model", ModelSpec)
"""Classifiers that the fair-versus-biased experiment can train."""

DEMO_MODELS: Registry[ModelSpec] = Registry("demo model", ModelSpec)
"""Models of the QMAD paper's two experiments (hiring, Adult income)."""


@MODELS.register(
    name="random_forest",
    label="Random forest",
    summary="100 shallow trees that vote; the most accurate and stable of the three.",
    pitfall="With fewer than about 20 training rows no tree can split, and everyone gets the same score.",
    reference=_EVALUATION,
    settings="depth at most 6, at least 10 rows to split and 10 rows in a leaf",
)
def random_forest(seed: int) -> RandomForestClassifier:
    """Random forest of the fair-evaluation paper."""
    return RandomForestClassifier(max_depth=6, min_samples_split=10, min_samples_leaf=10, random_state=seed, n_jobs=1)


@MODELS.register(
    name="decision_tree",
    label="Decision tree",
    summary="One tree of at most six questions; can be read from top to bottom.",
    pitfall="Unstable: a few other rows in training can give another tree, so look at the spread over folds.",
    reference=_EVALUATION,
    settings="depth at most 6",
)
def decision_tree(seed: int) -> DecisionTreeClassifier:
    """Decision tree of the fair-evaluation paper."""
    return DecisionTreeClassifier(max_depth=6, random_state=seed)


@MODELS.register(
    name="mlp",
    label="Neural network (MLP)",
    summary="A multi-layer perceptron with one hidden layer of 100 units, on standardised features.",
    pitfall="Slow, and with few rows it learns them by heart; its scores are then close to 0 or 1.",
    reference=_EVALUATION,
    settings="at most 1,500 iterations; features standardised on the training rows",
)
def mlp(seed: int) -> Pipeline:
    """Multi-layer perceptron of the fair-evaluation paper, behind a standardising step."""
    return Pipeline([("scale", StandardScaler()), ("model", MLPClassifier(max_iter=1500, random_state=seed))])


@DEMO_MODELS.register(
    name="adult_tree",
    label="Decision tree (Adult income)",
    summary="The classifier of the QMAD paper's Adult experiment.",
    reference=_QMAD,
    settings="depth at most 10, at least 50 rows in a leaf",
)
def adult_tree(seed: int) -> DecisionTreeClassifier:
    """Decision tree of the QMAD paper's Adult experiment."""
    return DecisionTreeClassifier(max_depth=10, min_samples_leaf=50, random_state=seed)


@DEMO_MODELS.register(
    name="linear_regression",
    label="Linear regression",
    summary="Predicts a salary as a weighted sum of the features.",
    reference=_QMAD,
    task="regression",
)
def linear_regression(seed: int) -> LinearRegression:
    """Linear regression of the QMAD paper's hiring experiment; it draws no random numbers, so ``seed`` has no effect."""
    return LinearRegression()


@DEMO_MODELS.register(
    name="decision_tree_regressor",
    label="Regression tree",
    summary="Predicts a salary by a tree of questions.",
    reference=_QMAD,
    task="regression",
)
def decision_tree_regressor(seed: int) -> DecisionTreeRegressor:
    """Regression tree of the QMAD paper's hiring experiment."""
    return DecisionTreeRegressor(random_state=seed)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A trained classifier and what was noticed while training it.

    Attributes
    ----------
    estimator : estimator or None
        None when the training rows carried one label only; then the score is a constant.
    constant : float
        Score of everyone when ``estimator`` is None.
    note : str
        Empty, or what the reader has to know.
    """

    estimator: Any
    constant: float
    note: str = ""

    def score(self, features: np.ndarray) -> np.ndarray:
        """Probability of the favourable outcome, shape (n_samples,)."""
        if self.estimator is None or len(features) == 0:
            return np.full(len(features), self.constant)
        return np.asarray(self.estimator.predict_proba(features))[:, 1]

    def usage(self, column: int) -> float:
        """Share of trees with at least one split on a column; NaN for a model that has no trees."""
        if self.estimator is None:
            return 0.0
        trees = getattr(self.estimator, "estimators_", [self.estimator])
        if not all(hasattr(tree, "tree_") for tree in trees):
            return float("nan")
        return float(np.mean([np.any(tree.tree_.feature == column) for tree in trees]))


def takes_weights(name: str) -> bool:
    """Whether the model of this name can be trained with row weights (MLP: from scikit-learn 1.7 on)."""
    estimator = MODELS[name].function(0)
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return bool(has_fit_parameter(last, "sample_weight"))


def fit_classifier(
    name: str, features: np.ndarray, y_true: np.ndarray, sample_weight: np.ndarray | None = None, seed: int = 0
) -> FittedModel:
    """Train a registered classifier on 0/1 labels.

    Parameters
    ----------
    name : str
        A name in ``MODELS``.
    features : ndarray of shape (n_samples, n_features)
        Numbers without missing values.
    y_true : ndarray of shape (n_samples,)
        1 for the favourable outcome, 0 otherwise. One label only gives a constant model with a note.
    sample_weight : ndarray of shape (n_samples,), optional
        See ``takes_weights``.
    seed : int

    Returns
    -------
    FittedModel

    Examples
    --------
    >>> import numpy as np
    >>> model = fit_classifier("decision_tree", np.array([[0.0], [1.0]]), np.array([0, 1]))
    >>> model.score(np.array([[1.0]])).tolist(), model.usage(0)
    ([1.0], 1.0)
    """
    spec = MODELS[name]
    if len(y_true) and y_true.min() == y_true.max():
        return FittedModel(None, float(y_true[0]), "all training rows carry the same label, so the model is constant")
    estimator = spec.function(seed)
    weights: dict[str, np.ndarray] = {}
    if sample_weight is not None:
        key = f"{estimator.steps[-1][0]}__sample_weight" if isinstance(estimator, Pipeline) else "sample_weight"
        weights[key] = sample_weight
    if not isinstance(estimator, Pipeline):
        return FittedModel(estimator.fit(features, y_true, **weights), float("nan"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(features, y_true, **weights)
    last = estimator.steps[-1][1]
    stopped = last.n_iter_ >= last.max_iter
    return FittedModel(estimator, float("nan"), "training stopped before it converged" if stopped else "")
