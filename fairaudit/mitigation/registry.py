"""What a mitigation method takes and gives, and the register of them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fairaudit.registry import FunctionSpec, Registry

Stage = Literal["none", "pre", "post"]
LEGAST = "Legast, Calders, Fouss (2025), section 5.3"


class RandomSource(Protocol):
    """What the randomised rules need of a generator; ``numpy.random.Generator`` has it."""

    def shuffle(self, x: np.ndarray) -> None:
        """Put the entries of ``x`` in random order, in place."""

    def random(self, size: int) -> np.ndarray:
        """Draw from the uniform distribution on [0, 1)."""


@dataclass(frozen=True, eq=False)
class Training:
    """Training rows, before or after a pre-processing method.

    Attributes
    ----------
    features : ndarray of shape (n_samples, n_features)
        Encoded features; the sensitive attribute is one 0/1 column among them unless it was taken out.
    codes : ndarray of shape (n_samples, n_columns), int
        The original columns, sensitive one left out, as category codes; what massaging ranks people by.
    y_true : ndarray of shape (n_samples,)
    unprivileged : ndarray of bool of shape (n_samples,)
    sensitive_column : int or None
        Position of the sensitive attribute among the features; None when it is not among them.
    sample_weight : ndarray of shape (n_samples,) or None
    note : str
    """

    features: np.ndarray
    codes: np.ndarray
    y_true: np.ndarray
    unprivileged: np.ndarray
    sensitive_column: int | None
    sample_weight: np.ndarray | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows with a model's output.

    Attributes
    ----------
    y_score : ndarray of shape (n_samples,)
        Estimated probability of the favourable outcome.
    y_pred : ndarray of shape (n_samples,)
        Decision of the model, 0/1.
    unprivileged : ndarray of bool of shape (n_samples,)
    y_true : ndarray of shape (n_samples,) or None
        Known for validation rows only; no rule sees the labels of the rows it decides on.
    """

    y_score: np.ndarray
    y_pred: np.ndarray
    unprivileged: np.ndarray
    y_true: np.ndarray | None = None


class PostRule(Protocol):
    """A fitted post-processing rule."""

    @property
    def note(self) -> str:
        """Empty, or what a reader of the result has to know."""

    def apply(self, scored: Scored, rng: RandomSource) -> Scored:
        """The same rows with new decisions (and new scores, where the method changes them)."""


@dataclass(frozen=True, kw_only=True)
class MitigationSpec(FunctionSpec):
    """Facts about a mitigation method.

    ``function`` is ``Training -> Training`` for methods before training and ``Scored -> PostRule`` for methods after it. Where the
    method cannot work on the rows it gets, it raises ``NotMeasurableError`` with the reason.

    Attributes
    ----------
    stage : {"none", "pre", "post"}
        Acts on nothing, on the training data, or on the output of a trained model.
    aim : str
        What is brought towards zero, in words.
    randomised : bool
        Whether decisions depend on random draws.
    """

    stage: Stage
    aim: str
    randomised: bool = False


MITIGATIONS: Registry[MitigationSpec] = Registry("mitigation method", MitigationSpec)
