"""What an injection is made of, as data: screens build their controls from it, the method page its text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from fairaudit.registry import FunctionSpec, Registry

if TYPE_CHECKING:
    from fairaudit.injection.description import Injection

ParameterType = Literal["column", "numeric_column", "categorical_column", "value", "number", "boolean", "choice", "distribution"]
Family = Literal["feature", "label", "selection"]


@dataclass(frozen=True, kw_only=True)
class ParameterSpec:
    """One parameter of an injection.

    Attributes
    ----------
    name, label, help : str
        Name for machines, name for people, and one sentence of help.
    type : str
        ``column``, ``numeric_column``, ``categorical_column``: name of a column; ``value``: a value of the column named by the
        parameter ``column``; ``number``; ``boolean``; ``choice``: one of ``choices``; ``distribution``: mapping of category to share.
    default : object
        Value where none is given; None means "taken from the schema or not used" unless ``required``.
    low, high : float, optional
        Closed range of a number.
    choices : tuple of str
    required : bool
    """

    name: str
    label: str
    type: ParameterType
    help: str
    default: Any = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True)
class Change:
    """What one injection does to a table: new columns, or rows to take out, and a remark for the summary.

    Attributes
    ----------
    columns : dict of column name to Series
        Replacements, as long as the table.
    removed : ndarray of int
        Positions of the rows to take out.
    note : str
    """

    columns: dict[str, pd.Series] = field(default_factory=dict)
    removed: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class InjectionSpec(FunctionSpec):
    """A registered injection.

    The function is called as ``function(context, **parameters)`` with a ``fairaudit.injection.context.Context`` and returns a ``Change``.

    Attributes
    ----------
    family : {"feature", "label", "selection"}
        What is biased.
    parameters : tuple of ParameterSpec
        Besides strength, group and seed, which every injection has.
    strength_help : str
        What the strength means for this injection.
    sentence : callable
        ``sentence(injection, who)`` says in plain words what the injection does; ``who`` names the group.
    check : callable, optional
        ``check(context, **parameters)`` raises FairAuditError where the request cannot be met on a table.
    resolve : callable, optional
        ``resolve(context, **parameters)`` gives the parameters that come from the schema, so that the sentence can name them.
    needs_group : bool
        Whether the injection has no meaning without a group.
    """

    family: Family
    parameters: tuple[ParameterSpec, ...]
    strength_help: str
    sentence: Callable[[Injection, str], str]
    check: Callable[..., None] | None = None
    resolve: Callable[..., dict[str, Any]] | None = None
    needs_group: bool = False

    def parameter(self, name: str) -> ParameterSpec | None:
        """The parameter of that name, None where the injection has none."""
        return next((p for p in self.parameters if p.name == name), None)


INJECTIONS: Registry[InjectionSpec] = Registry("injection", InjectionSpec)
"""All injections; ``INJECTIONS["label"].parameters`` describes what a screen must ask for."""
