"""One declaration per function; select boxes, help texts, reports, documentation and property tests read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fairaudit.errors import unknown_name


@dataclass(frozen=True, kw_only=True)
class FunctionSpec:
    """Facts about a registered function.

    Attributes
    ----------
    name : str
        Name for machines: settings files, scripts, the command line.
    label : str
        Name for people.
    summary : str
        What the function answers, in one sentence.
    pitfall : str
        When not to trust it, in one sentence; empty if nothing special is known.
    reference : str
        Where the definition comes from.
    formula : str
        The definition in LaTeX without delimiters; empty where words are clearer.
    experimental : bool
        True for a method of ours that has no publication behind it.
    function : callable
        The function itself.
    """

    name: str
    label: str
    summary: str
    function: Callable[..., Any]
    pitfall: str = ""
    reference: str = ""
    formula: str = ""
    experimental: bool = False


SpecT = TypeVar("SpecT", bound=FunctionSpec)
F = TypeVar("F", bound=Callable[..., Any])


class Registry(Generic[SpecT]):
    """Ordered collection of specs of one kind.

    Parameters
    ----------
    kind : str
        What is registered, in the words of a user; used in messages.
    spec_type : type
        The FunctionSpec subclass that ``register`` builds.
    """

    def __init__(self, kind: str, spec_type: type[SpecT]) -> None:
        self.kind = kind
        self._spec_type = spec_type
        self._specs: dict[str, SpecT] = {}

    def register(self, *, name: str, **facts: Any) -> Callable[[F], F]:
        """Decorator that registers a function under ``name``; a second use of a name is an error."""
        if name in self._specs:
            raise ValueError(f"A {self.kind} named {name!r} is registered already; choose another name.")

        def decorate(function: F) -> F:
            self._specs[name] = self._spec_type(name=name, function=function, **facts)
            return function

        return decorate

    def unregister(self, name: str) -> None:
        """Remove a function, for instance a custom one that a notebook wants to redefine."""
        self._specs.pop(self[name].name)

    def __getitem__(self, name: str) -> SpecT:
        try:
            return self._specs[name]
        except KeyError:
            raise unknown_name(self.kind, name, self._specs) from None

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def __iter__(self) -> Iterator[SpecT]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)

    def names(self) -> tuple[str, ...]:
        """Registered names, in order of registration."""
        return tuple(self._specs)
