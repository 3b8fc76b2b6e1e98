"""Models at hand: they give a table its predictions again after a bias was planted in its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.attributes import column_values
from fairaudit.contrast import outcome_values
from fairaudit.datasets import adult_model, hiring_predict
from fairaudit.errors import NotMeasurableError, SettingsError, unknown_name
from fairaudit.evaluation.encoding import Encoder
from fairaudit.models import DECISION_THRESHOLD, DEMO_MODELS, MODELS, fit_classifier
from fairaudit.schema import CATEGORICAL_TYPES, COMPARED_TYPES, AuditTable

TRAINING_ROWS = 10_000
"""Most rows that a model is trained on; of a larger reference as many are drawn."""
QUICK_CLASSIFIERS = ("random_forest", "decision_tree")
REGRESSORS = ("linear_regression", "decision_tree_regressor")
NEW_COLUMN = "prediction"

Values = Callable[[pd.DataFrame], np.ndarray]


@dataclass(frozen=True, eq=False)
class Predictor:
    """A model that writes the prediction column of a table anew.

    Attributes
    ----------
    name, label : str
        For machines and for people.
    column : str
        What it writes.
    sentence : str
        What the model is, and how well it agrees with what it stands for.
    exact : bool
        Whether it gives the prediction column of the reference back, so that its predictions can stand beside the others'.
    values : callable
        Takes the canonical data of a table and gives one prediction for each row: names of categories, or numbers.
    categories : tuple of str
        Of the column; empty for numbers.
    """

    name: str
    label: str
    column: str
    sentence: str
    exact: bool
    values: Values
    categories: tuple[str, ...] = ()

    def __call__(self, data: pd.DataFrame) -> pd.DataFrame:
        """The data with predictions made from its other columns; the input is not written to."""
        values: Any = self.values(data)
        values = pd.Categorical(values, list(self.categories)) if self.categories else np.asarray(values, dtype=np.float64)
        return data.assign(**{self.column: values})


@dataclass(frozen=True)
class _Demo:
    """A model that belongs to a demo."""

    name: str
    label: str
    sentence: str
    column: str
    needs: tuple[tuple[str, str], ...]
    make: Callable[[AuditTable], Values]
    beside: str = ""
    """Offered only where this one fits too: a tree trained on the reference gives any column back."""


_HIRING = (
    ("experience", "numeric"),
    ("relevant_experience", "numeric"),
    ("job_location", "binary"),
    ("education", "binary"),
    ("engineer_type", "binary"),
)
_ADULT = (
    ("age", "numeric"),
    ("workclass", "nominal"),
    ("attended_college", "binary"),
    ("education_num", "numeric"),
    ("married", "binary"),
    ("race", "nominal"),
    ("sex", "binary"),
    ("hours_per_week", "numeric"),
)


@dataclass(frozen=True, eq=False)
class _SalaryTree:
    """The hiring demo's tree, fitted again at every call because it takes a few hundredths of a second."""

    reference: pd.DataFrame

    def __call__(self, data: pd.DataFrame) -> np.ndarray:
        return hiring_predict(data, "tree", self.reference)


@dataclass(frozen=True, eq=False)
class _Income:
    """The Adult demo's tree."""

    model: Callable[[pd.DataFrame], pd.DataFrame]

    def __call__(self, data: pd.DataFrame) -> np.ndarray:
        return self.model(data)["predicted_income"].to_numpy()


_DEMOS = (
    _Demo(
        "hiring_rule",
        "Salary rule (Equation 13)",
        "Predictions are recomputed by Equation 13 of the QMAD paper, the rule that made this column.",
        "predicted_salary",
        _HIRING,
        lambda reference: hiring_predict,
    ),
    _Demo(
        "hiring_tree",
        "Salary tree",
        "Predictions are recomputed by a regression tree that was trained on the reference (QMAD paper, section 5.2.3).",
        "predicted_salary",
        _HIRING,
        lambda reference: _SalaryTree(reference.data),
        beside="hiring_rule",
    ),
    _Demo(
        "adult_tree",
        "Income tree",
        "Predictions are recomputed by the decision tree that made this column (QMAD paper, section 5.3).",
        "predicted_income",
        _ADULT,
        lambda reference: _Income(adult_model()),
    ),
)


def demo_predictors(reference: AuditTable) -> tuple[Predictor, ...]:
    """The models of the demos that give the prediction column of a reference table back, to the last digits.

    Whether a model fits is found out on the data, so the sample files work like the demos, and other data with the same column names do not.
    """
    found: list[Predictor] = []
    column = reference.schema.prediction
    for known in _DEMOS:
        if column != known.column or any(n not in reference.columns or reference.type_of(n) != t for n, t in known.needs):
            continue
        if known.beside and known.beside not in {p.name for p in found}:
            continue
        categories = _categories(reference, column)
        candidate = Predictor(known.name, known.label, column, known.sentence, True, known.make(reference), categories)
        if _agree(reference.data[column], candidate(reference.data)[column]):
            found.append(candidate)
    return tuple(found)


def _categories(table: AuditTable, column: str) -> tuple[str, ...]:
    return tuple(map(str, table.data[column].cat.categories)) if table.type_of(column) in CATEGORICAL_TYPES else ()


def _agree(known: pd.Series, again: pd.Series) -> bool:
    if isinstance(known.dtype, pd.CategoricalDtype):
        return bool((known.cat.codes.to_numpy() == again.cat.codes.to_numpy()).all())
    return bool(np.allclose(known.to_numpy(), again.to_numpy(), rtol=1e-9, equal_nan=True))


def trainable(reference: AuditTable) -> tuple[str, ...]:
    """Names of the models that ``train_predictor`` can fit to the outcome of a reference table in a few seconds, the best first."""
    outcome = _outcome(reference)
    if outcome is None or not _features(reference):
        return ()
    return REGRESSORS if reference.type_of(outcome) == "numeric" else QUICK_CLASSIFIERS


def _outcome(reference: AuditTable) -> str | None:
    """The column a model can learn: the prediction, without one the label."""
    schema = reference.schema
    for column in (schema.prediction, schema.label):
        if column is None or column not in reference.columns:
            continue
        found = reference.type_of(column)
        if found in ("binary", "numeric") or (found in COMPARED_TYPES and schema.pos_labels):
            return column
    return None


def _features(reference: AuditTable) -> tuple[str, ...]:
    schema = reference.schema
    return tuple(
        c
        for c in reference.columns
        if schema.role_of(c) in ("feature", "sensitive") and reference.type_of(c) in COMPARED_TYPES and c != schema.score
    )


@dataclass(frozen=True, eq=False)
class _Trained:
    """A fitted model behind its encoder."""

    encoder: Encoder
    head: AuditTable
    score: Callable[[np.ndarray], np.ndarray]
    names: tuple[str, str] | None

    def __call__(self, data: pd.DataFrame) -> np.ndarray:
        values = self.score(self.encoder.features(replace(self.head, data=data)))
        if self.names is None:
            return np.asarray(values)
        return np.where(values > DECISION_THRESHOLD, *self.names)


def train_predictor(reference: AuditTable, name: str, seed: int = 0) -> Predictor:
    """Train a model on a reference table, to predict biased tables with.

    It learns the prediction column, as a stand-in for the model that made it; without one it learns the label and writes a new column. Features
    are all columns of a compared type with no other role, and the sensitive attributes.

    Parameters
    ----------
    reference : AuditTable
    name : str
        A classifier of ``MODELS`` for outcomes of categories, ``linear_regression`` or ``decision_tree_regressor`` for numbers.
    seed : int

    Returns
    -------
    Predictor

    Raises
    ------
    NotMeasurableError
        If there is no outcome, no feature, or fewer than 20 rows with an outcome.
    SettingsError
        If the model does not fit the kind of outcome.
    """
    outcome, features = _outcome(reference), _features(reference)
    if outcome is None or not features:
        what = "no prediction or label column" if outcome is None else "no feature"
        raise NotMeasurableError(f"No model can be trained: {reference.name} has {what}.", "Say what the columns are for.")
    numeric = reference.type_of(outcome) == "numeric"
    allowed = REGRESSORS if numeric else MODELS.names()
    if name not in allowed:
        raise unknown_name(f"model for the {'number' if numeric else 'decision'} {outcome!r}", name, allowed)
    y = column_values(reference, outcome) if numeric else outcome_values(reference, outcome)
    rows = np.flatnonzero(np.isfinite(y))
    if len(rows) < 20:
        raise NotMeasurableError(f"Only {len(rows)} rows of {reference.name} have a value of {outcome!r}.", "Use 20 or more.")
    if len(rows) > TRAINING_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, TRAINING_ROWS, replace=False))
    encoder = Encoder.fit(reference, features)
    encoded = encoder.features(reference)
    score: Callable[[np.ndarray], np.ndarray]
    if numeric:
        score, names = DEMO_MODELS[name].function(seed).fit(encoded[rows], y[rows]).predict, None
    else:
        score = fit_classifier(name, encoded[rows], y[rows].astype(int), seed=seed).score
        names = _two_names(reference, outcome, y)
    learned = outcome == reference.schema.prediction
    column = outcome if learned else _free_name(reference.columns)
    values = _Trained(encoder, replace(reference, data=reference.data.iloc[:0]), score, names)
    categories = _categories(reference, outcome)
    spec = (DEMO_MODELS if numeric else MODELS)[name]
    sentence = (
        f"{spec.label}, trained on {len(rows):,} rows of {reference.name} to predict {outcome}, makes the predictions of every table here, before "
        f"and after. {_agreement(score(encoded), y, numeric)}"
    )
    return Predictor(name, f"{spec.label}, trained on the reference", column, sentence, False, values, categories)


def _two_names(reference: AuditTable, outcome: str, y: np.ndarray) -> tuple[str, str]:
    """The most common favourable and the most common other value of the outcome."""
    column = reference.data[outcome].astype(object).to_numpy()
    found = []
    for kind, words in ((1, "favourable"), (0, "unfavourable")):
        values = pd.Series(column[y == kind]).value_counts()
        if values.empty:
            raise SettingsError(f"{outcome!r} has no {words} value in {reference.name}.", "Check the favourable value.")
        found.append(str(values.index[0]))
    return found[0], found[1]


def _free_name(columns: Sequence[str]) -> str:
    name, number = NEW_COLUMN, 2
    while name in columns:
        name, number = f"{NEW_COLUMN} {number}", number + 1
    return name


def _agreement(values: np.ndarray, y: np.ndarray, numeric: bool) -> str:
    """How well the model fits all rows of the reference."""
    known = np.isfinite(y)
    if numeric:
        spread = float(np.var(y[known]))
        if spread == 0:
            return "The outcome is a constant."
        return f"It explains {1 - float(np.mean((values[known] - y[known]) ** 2)) / spread:.0%} of the variance in the reference."
    share = float(np.mean((values[known] > DECISION_THRESHOLD) == (y[known] == 1)))
    return f"It agrees with {share:.0%} of the reference's rows."
