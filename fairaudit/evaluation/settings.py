"""Everything that can be chosen for one fair-versus-biased experiment, checked once."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from fairaudit.errors import SettingsError, unknown_name
from fairaudit.injection import Injection
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS

TrainOn = Literal["all", "privileged"]
Engine = Literal["numpy", "aif360"]
DEFAULT_LEVELS = tuple(round(0.1 * k, 1) for k in range(10))
LABEL_FOLDS, SELECTION_FOLDS = 10, 5
LEVEL_PRECISION = 1_000_000
"""Levels that agree to this many parts of 1 are the same level."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Choices of an experiment.

    Attributes
    ----------
    injection : dict
        The planted bias as a plain description; its strength is set by the levels.
    levels : tuple of float
        Strengths from 0 to 1. Level 0 is the fair table; it gives the fair baseline.
    models, mitigations : tuple of str
        Registered names.
    folds : int
        3 or more: one to test on, the next one for post-processing, the others to train on.
    seed : int
    stratified : bool
        Whether every fold has the same share of each group and label of the fair table.
    train_on : {"all", "privileged"}
        ``privileged`` leaves the unprivileged group out of training (not out of validation and test).
    engine : {"numpy", "aif360"}
        Whose implementation of the mitigation methods runs; the results agree.
    group : dict
        Who is unprivileged: column to value, values or range.
    """

    injection: dict[str, Any]
    levels: tuple[float, ...]
    models: tuple[str, ...]
    mitigations: tuple[str, ...]
    folds: int
    seed: int
    stratified: bool
    train_on: TrainOn
    engine: Engine
    group: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        return {
            "injection": dict(self.injection),
            "levels": list(self.levels),
            "models": list(self.models),
            "mitigations": list(self.mitigations),
            "folds": self.folds,
            "seed": self.seed,
            "stratified": self.stratified,
            "train_on": self.train_on,
            "engine": self.engine,
            "group": dict(self.group),
        }

    def same_units(self, other: EvaluationSettings) -> tuple[str, ...]:
        """Names of settings that differ and make finished units of the other experiment unusable; levels, models and methods may differ."""
        own, others = self.to_dict(), other.to_dict()
        return tuple(key for key in own if key not in ("levels", "models", "mitigations") and own[key] != others[key])


def checked_settings(
    injection: Injection | Mapping[str, Any],
    levels: Iterable[float],
    models: str | Iterable[str],
    mitigations: str | Iterable[str],
    folds: int | None,
    seed: int,
    stratified: bool,
    train_on: str,
    engine: str,
    group: Mapping[str, Any],
) -> EvaluationSettings:
    """Settings from what a caller gave, or the sentence that says what is wrong with them.

    Raises
    ------
    SettingsError, UnknownNameError
    """
    if train_on not in get_args(TrainOn):
        raise unknown_name("choice of training rows", train_on, get_args(TrainOn))
    if engine not in get_args(Engine):
        raise unknown_name("engine", engine, get_args(Engine))
    if isinstance(seed, bool) or int(seed) != seed or seed < 0:
        raise SettingsError(f"The seed must be a whole number of 0 or more. Got {seed!r}.", "Choose 0, for example.")
    planted = Injection.from_dict(injection)
    # Whatever strength was given, the levels decide.
    description = planted.at(1.0).to_dict()
    description.pop("strength")
    if folds is None:
        folds = SELECTION_FOLDS if planted.spec.family == "selection" else LABEL_FOLDS
    if isinstance(folds, bool) or int(folds) != folds or folds < 3:
        raise SettingsError(
            f"The number of folds must be a whole number of 3 or more. Got {folds!r}.",
            "One fold is for the test and one for post-processing, so at least one more is needed for training; 10 is usual.",
        )
    return EvaluationSettings(
        injection=description,
        levels=_levels(levels),
        models=_names(models, MODELS.names(), "model"),
        mitigations=_names(mitigations, MITIGATIONS.names(), "mitigation method"),
        folds=int(folds),
        seed=int(seed),
        stratified=bool(stratified),
        train_on=train_on,  # type: ignore[arg-type]
        engine=engine,  # type: ignore[arg-type]
        group=dict(group),
    )


def _levels(levels: Iterable[float]) -> tuple[float, ...]:
    """Distinct levels in ascending order."""
    values = [levels] if isinstance(levels, (int, float)) else list(levels)
    if not values:
        raise SettingsError("No level is given.", "Give one or more strengths between 0 and 1, such as 0, 0.3 and 0.6.")
    for value in values:
        if isinstance(value, (str, bool)) or not math.isfinite(value) or not 0 <= value <= 1:
            raise SettingsError(f"A level must be a number from 0 to 1. Got {value!r}.", "Choose 0, 0.3 and 0.6, for example.")
    return tuple(sorted({round(float(v) * LEVEL_PRECISION) / LEVEL_PRECISION for v in values}))


def _names(given: str | Iterable[str], known: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """Registered names in the order of the register."""
    wanted = {given} if isinstance(given, str) else set(given)
    for name in wanted:
        if name not in known:
            raise unknown_name(kind, name, known)
    if not wanted:
        raise SettingsError(f"No {kind} is chosen.", f"Choose one or more of {', '.join(known)}.")
    return tuple(name for name in known if name in wanted)


def unit_seed(seed: int, level: float, fold: int, *names: str) -> np.random.SeedSequence:
    """Seed of one random step, from what the step is and not from when it runs.

    The same unit draws the same numbers in any order, in any process, and in any larger or smaller grid.

    Examples
    --------
    >>> a, b = unit_seed(0, 0.3, 2, "random_forest", "none"), unit_seed(0, 0.3, 2, "random_forest", "eop")
    >>> bool(a.generate_state(1)[0] == b.generate_state(1)[0])
    False
    """
    key = (round(level * LEVEL_PRECISION), fold, *(zlib.crc32(name.encode()) for name in names))
    return np.random.SeedSequence(seed, spawn_key=key)
