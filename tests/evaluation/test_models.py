"""The registered models: their settings, and what they do with awkward training rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from fairaudit.errors import UnknownNameError
from fairaudit.models import DEMO_MODELS, MODELS, fit_classifier, mlp, takes_weights


def rows(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Three features of which the first decides."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3))
    return features, (features[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.int64)


def test_the_papers_settings() -> None:
    assert MODELS.names() == ("random_forest", "decision_tree", "mlp")
    forest, tree, network = (MODELS[n].function(7) for n in MODELS.names())
    assert (forest.n_estimators, forest.max_depth, forest.min_samples_split, forest.min_samples_leaf) == (100, 6, 10, 10)
    assert (tree.max_depth, tree.min_samples_leaf) == (6, 1)
    assert isinstance(network, Pipeline)
    assert (network["model"].max_iter, network["model"].hidden_layer_sizes) == (1500, (100,))
    adult = DEMO_MODELS["adult_tree"].function(7)
    assert (adult.max_depth, adult.min_samples_leaf) == (10, 50)
    assert {s.name for s in DEMO_MODELS if s.task == "regression"} == {"linear_regression", "decision_tree_regressor"}
    assert all(s.label and s.summary and s.reference for s in (*MODELS, *DEMO_MODELS))


@pytest.mark.parametrize("name", MODELS.names())
def test_learns_and_repeats(name: str) -> None:
    features, y_true = rows()
    a, b = (fit_classifier(name, features, y_true, seed=3).score(features) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    assert a.min() >= 0 and a.max() <= 1
    assert ((a > 0.5) == y_true).mean() > 0.85
    other = fit_classifier(name, features, y_true, seed=4).score(features)
    assert name == "decision_tree" or not np.array_equal(a, other)


@pytest.mark.parametrize("name", MODELS.names())
def test_weights_count(name: str) -> None:
    if not takes_weights(name):
        pytest.skip("this version of scikit-learn takes no weights for this model")
    features, y_true = rows()
    heavy = np.where(y_true == 1, 5.0, 0.2)
    plain, weighted = (fit_classifier(name, features, y_true, w, seed=3).score(rows(1)[0]) for w in (None, heavy))
    assert weighted.mean() > plain.mean()


@pytest.mark.parametrize("name", MODELS.names())
@pytest.mark.parametrize("label", [0, 1])
def test_one_label_gives_a_constant_with_a_note(name: str, label: int) -> None:
    features, _ = rows()
    model = fit_classifier(name, features, np.full(len(features), label), seed=0)
    assert set(model.score(features)) == {float(label)}
    assert "same label" in model.note
    assert model.usage(0) == 0


@pytest.mark.parametrize("name", MODELS.names())
def test_no_rows_to_score(name: str) -> None:
    features, y_true = rows()
    assert fit_classifier(name, features, y_true).score(features[:0]).shape == (0,)


def test_usage_counts_trees_that_split_on_a_column() -> None:
    features, y_true = rows()
    features = np.column_stack([features, np.zeros(len(features))])
    forest, tree, network = (fit_classifier(n, features, y_true) for n in MODELS.names())
    assert forest.usage(3) == tree.usage(3) == 0
    assert tree.usage(0) == 1
    by_hand = [0 in set(t.tree_.feature[t.tree_.feature >= 0]) for t in forest.estimator.estimators_]
    assert forest.usage(0) == np.mean(by_hand) > 0.3
    assert np.isnan(network.usage(0))


def test_training_that_does_not_converge_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    features, y_true = rows()
    assert fit_classifier("mlp", features, y_true).note == ""
    impatient = dataclasses.replace(MODELS["mlp"], function=lambda seed: mlp(seed).set_params(model__max_iter=2))
    monkeypatch.setitem(MODELS._specs, "mlp", impatient)
    assert fit_classifier("mlp", features, y_true).note == "training stopped before it converged"


def test_unknown_model() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'decision_tree'"):
        fit_classifier("decision_trees", *rows())
