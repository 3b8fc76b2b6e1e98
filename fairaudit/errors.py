"""Errors that a person can act on: each names the problem and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable


class FairAuditError(ValueError):
    """Something the user can mend.

    Parameters
    ----------
    problem : str
        One sentence that says what is wrong.
    remedy : str, optional
        One sentence that says what to do about it.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".strip()


class ReadingError(FairAuditError):
    """A file cannot be read as a table."""


class ValidationError(FairAuditError):
    """One or more problems of an upload; all of them are reported together.

    Attributes
    ----------
    problems : tuple of FairAuditError
        Every problem that was found, in the order of the columns.
    """

    def __init__(self, problems: Iterable[FairAuditError]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        more = len(self.problems) - 1
        problem = first.problem
        if more:
            problem += f" There {'is' if more == 1 else 'are'} {more} more problem{'' if more == 1 else 's'}: "
            problem += " ".join(p.problem for p in self.problems[1:])
        remedies = dict.fromkeys(p.remedy for p in self.problems if p.remedy)
        super().__init__(problem, " ".join(remedies))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)


class ColumnNotFoundError(FairAuditError):
    """A column that was asked for is not in the data."""


class UnknownNameError(FairAuditError):
    """A name (of a function, group or value) that does not exist."""


class SettingsError(FairAuditError):
    """A setting outside of what is allowed, or settings that contradict each other."""


class NotMeasurableError(FairAuditError):
    """Nothing of what was asked for can be measured on this data."""


class CancelledError(FairAuditError):
    """The user cancelled a long computation."""


def stop_if(cancel: Callable[[], bool] | None, what: str) -> None:
    """Raise CancelledError when ``cancel`` says that the work, such as "audit", is to stop."""
    if cancel is not None and cancel():
        raise CancelledError(f"The {what} was cancelled.", "Start it again when you are ready.")


def nearest(name: object, choices: Iterable[object]) -> str | None:
    """The choice that is spelt most like ``name``, or None."""
    found = difflib.get_close_matches(str(name), [str(c) for c in choices], n=1, cutoff=0.6)
    return found[0] if found else None


def unknown_name(kind: str, name: object, choices: Iterable[object]) -> UnknownNameError:
    """Error for a name that is not among ``choices``, with the nearest match."""
    known = [str(c) for c in choices]
    guess = nearest(name, known)
    hint = f"Did you mean {guess!r}? " if guess else ""
    return UnknownNameError(f"There is no {kind} named {str(name)!r}.", f"{hint}Choices: {', '.join(known)}.")


def column_not_found(role: str, name: object, columns: Iterable[object], table: str = "the data") -> ColumnNotFoundError:
    """Error for a column that is not in ``table``, with the nearest match."""
    known = [str(c) for c in columns]
    guess = nearest(name, known)
    hint = f"Did you mean {guess!r}? " if guess else ""
    shown = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
    return ColumnNotFoundError(f"The {role} {str(name)!r} is not a column of {table}.", f"{hint}Columns: {shown}.")
