"""The frozen, serialisable description of one injection, and the sentence that says what it does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairaudit.errors import SettingsError, unknown_name
from fairaudit.injection.groups import Group, as_group, group_words, plain
from fairaudit.injection.spec import INJECTIONS, InjectionSpec, ParameterSpec
from fairaudit.schema import category_name

COMMON_ENTRIES = ("kind", "strength", "group", "seed")


def number(value: Any, what: str) -> float:
    """A finite number, or a sentence."""
    if isinstance(value, (str, bool)) or value is None:
        raise SettingsError(f"The {what} must be a number. Got {value!r}.", "Give a number.")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise SettingsError(f"The {what} must be a number. Got {value!r}.", "Give a number.") from None
    if not math.isfinite(result):
        raise SettingsError(f"The {what} must be finite. Got {result}.", "Give a finite number.")
    return result


def check_strength(value: Any) -> float:
    """A strength, or a sentence."""
    result = number(value, "strength")
    if not 0 <= result <= 1:
        raise SettingsError(f"The strength must be between 0 and 1. Got {result:g}.", "0 changes nothing, 1 is the full bias.")
    return result


def check_seed(value: Any) -> int:
    """A seed, or a sentence."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
        raise SettingsError(f"The seed must be a whole number of 0 or more. Got {value!r}.", "Choose 4224, for example.")
    return int(value)


def _distribution(value: Any, what: str) -> tuple[tuple[str, float], ...]:
    """Shares by name of category that sum to 1, or a sentence."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, tuple) and all(isinstance(p, tuple) and len(p) == 2 for p in value):
        pairs = list(value)
    else:
        pairs = []
    if not pairs:
        raise SettingsError(f"The {what} must map categories to shares. Got {value!r}.", 'For example {"A": 0.85, "B": 0.15}.')
    shares = [(category_name(category), number(share, f"share of {category!r}")) for category, share in pairs]
    for category, share in shares:
        if not 0 <= share <= 1:
            raise SettingsError(
                f"The share of {category!r} must be between 0 and 1. Got {share:g}.", "Give shares that sum to 1."
            )
    total = math.fsum(share for _, share in shares)
    if abs(total - 1) > 1e-6:
        raise SettingsError(f"The shares of the {what} sum to {total:g}, not to 1.", "Change them so that they sum to 1.")
    return tuple(shares)


def _check_parameter(spec: ParameterSpec, value: Any, kind: str) -> Any:
    """One parameter in its hashable form, or a sentence."""
    what = f"parameter {spec.name!r} of the injection {kind!r}"
    if value is None:
        if spec.required:
            raise SettingsError(f"The injection {kind!r} needs the parameter {spec.name!r}.", spec.help)
        return None
    if spec.type == "number":
        result = number(value, what)
        low = -math.inf if spec.low is None else spec.low
        high = math.inf if spec.high is None else spec.high
        if not low <= result <= high:
            allowed = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
            raise SettingsError(f"The {what} must be {allowed}. Got {result:g}.", spec.help)
        return result
    if spec.type == "boolean":
        if not isinstance(value, bool):
            raise SettingsError(f"The {what} must be true or false. Got {value!r}.", spec.help)
        return value
    if spec.type == "choice":
        if value not in spec.choices:
            raise unknown_name(f"choice for the {what}", value, spec.choices)
        return str(value)
    if spec.type == "distribution":
        return _distribution(value, what)
    if spec.type == "value":
        return tuple(plain(v) for v in value) if isinstance(value, (list, tuple)) else plain(value)
    return str(value)


@dataclass(frozen=True)
class Injection:
    """One planted bias: what, how strongly, whose rows, with which parameters and seed.

    Parameters
    ----------
    kind : str
        Name in ``INJECTIONS``.
    strength : float in [0, 1]
        0 changes nothing; what 1 means is said by the kind's ``strength_help``.
    group : mapping, optional
        Column to value, list of values, or ``{"min": …, "max": …}``; several columns form an intersection. Empty is everybody.
    seed : int, optional
        Own seed of this step; None takes it from ``inject``.
    parameters : mapping
        Parameters of the kind; left-out ones take their defaults.

    Raises
    ------
    UnknownNameError, SettingsError
        For an unknown kind or parameter, or a value outside of what is allowed.

    Examples
    --------
    >>> step = Injection.from_dict({"kind": "set_value", "group": {"gender": "WOMAN"}, "column": "education", "value": "GRAD"})
    >>> step.sentence()
    "Sets education to 'GRAD' in 100 % of the rows where gender is WOMAN."
    >>> Injection.from_dict(step.to_dict()) == step
    True
    """

    kind: str
    strength: float = 1.0
    group: Group = ()
    seed: int | None = None
    parameters: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Bring every field into its checked, hashable form."""
        put = object.__setattr__
        spec = INJECTIONS[self.kind]
        put(self, "strength", check_strength(self.strength))
        put(self, "group", as_group(self.group))
        if self.seed is not None:
            put(self, "seed", check_seed(self.seed))
        given = dict(self.parameters)
        known = [p.name for p in spec.parameters]
        for name in given:
            if name not in known:
                raise unknown_name(f"parameter of the injection {self.kind!r}", name, [*COMMON_ENTRIES, *known])
        if spec.needs_group and not self.group:
            raise SettingsError(
                f"The injection {self.kind!r} needs a group.", 'Name whose rows it concerns, such as {"sex": "F"}.'
            )
        put(
            self,
            "parameters",
            tuple((p.name, _check_parameter(p, given.get(p.name, p.default), self.kind)) for p in spec.parameters),
        )

    @classmethod
    def from_dict(cls, description: Injection | Mapping[str, Any]) -> Injection:
        """From the flat form ``{"kind": …, "strength": …, "group": …, "seed": …, parameter: value}``."""
        if isinstance(description, Injection):
            return description
        if not isinstance(description, Mapping):
            raise SettingsError(
                f"An injection must be a mapping. Got {description!r}.", 'For example {"kind": "label", "strength": 0.5}.'
            )
        if "kind" not in description:
            raise SettingsError("An injection names no kind.", f"Choices: {', '.join(INJECTIONS.names())}.")
        own = {key: value for key, value in description.items() if key not in COMMON_ENTRIES}
        strength = description.get("strength", 1.0)
        return cls(
            str(description["kind"]), strength, description.get("group") or (), description.get("seed"), tuple(own.items())
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON; ``from_dict`` reads it back."""
        result: dict[str, Any] = {
            "kind": self.kind,
            "strength": self.strength,
            "group": {c.column: c.to_plain() for c in self.group},
        }
        if self.seed is not None:
            result["seed"] = self.seed
        for name, value in self.parameters:
            if value is None:
                continue
            parameter = self.spec.parameter(name)
            assert parameter is not None, "parameters were checked against the spec"
            if parameter.type == "distribution":
                value = dict(value)
            result[name] = list(value) if isinstance(value, tuple) else value
        return result

    @property
    def spec(self) -> InjectionSpec:
        """The registered facts about the kind."""
        return INJECTIONS[self.kind]

    def get(self, name: str) -> Any:
        """Value of a parameter."""
        return dict(self.parameters)[name]

    def at(self, strength: float) -> Injection:
        """The same injection at another strength."""
        return replace(self, strength=strength)

    def sentence(self) -> str:
        """What the injection does, in plain words."""
        if self.strength == 0:
            return f"{self.spec.label} at strength 0: changes nothing."
        return self.spec.sentence(self, group_words(self.group))
