"""The papers' biases, ready to plant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fairaudit.errors import unknown_name
from fairaudit.injection.api import as_injections
from fairaudit.injection.description import Injection


@dataclass(frozen=True)
class Preset:
    """A stack of injections with the data set that it is made for.

    Attributes
    ----------
    name, label, summary : str
    dataset : str
        Data whose columns it names: ``hiring``, ``adult_days`` (Adult with the paper's two binary features) or ``student``.
    injections : tuple of Injection
    reference : str
    """

    name: str
    label: str
    summary: str
    dataset: str
    injections: tuple[Injection, ...]
    reference: str

    def missing_columns(self, columns: object) -> tuple[str, ...]:
        """Columns that the preset names and a table lacks; empty where it can be planted."""
        present = set(columns)  # type: ignore[call-overload]
        needed: dict[str, None] = {}
        for step in self.injections:
            needed |= dict.fromkeys(c.column for c in step.group)
            for parameter in step.spec.parameters:
                value = step.get(parameter.name)
                if parameter.type.endswith("column") and value is not None:
                    needed[value] = None
        return tuple(name for name in needed if name not in present)


def presets() -> Mapping[str, Preset]:
    """All presets by name: ``hiring_day2``, ``adult_day2``, ``adult_day3``, ``student_label``."""
    # The data sets plant these biases themselves when they are imported, so this import has to wait.
    from fairaudit.datasets.adult import ADULT_DAY_BIASES
    from fairaudit.datasets.hiring import HIRING_DAY2

    student = {"kind": "label", "strength": 0.5, "group": {"sex": "M"}, "score": "G3", "threshold": 10, "noise": 0.1}
    found = (
        Preset(
            "hiring_day2",
            "Hiring, day 2",
            "Women: every education is GRAD, the location moves from 70:30 to 85:15, half of them get 30 % more relevant experience.",
            "hiring",
            as_injections(HIRING_DAY2),
            "QMAD, sections 5.2.1 and 5.2.2",
        ),
        Preset(
            "adult_day2",
            "Adult, day 2",
            "No woman attended college, every man did.",
            "adult_days",
            as_injections(ADULT_DAY_BIASES["day2"]),
            "QMAD, section 5.3.2",
        ),
        Preset(
            "adult_day3",
            "Adult, day 3",
            "As day 2; besides, every woman is married and no man is.",
            "adult_days",
            as_injections(ADULT_DAY_BIASES["day3"]),
            "QMAD, section 5.3.2",
        ),
        Preset(
            "student_label",
            "Students, label bias",
            "The final grade of the boys is lowered by half of half its range, with noise; passing takes 10 points.",
            "student",
            as_injections(student),
            "No evaluation without fair representation, sections 3.2.1 and 5",
        ),
    )
    return {preset.name: preset for preset in found}


def preset(name: str) -> Preset:
    """A preset; UnknownNameError with the nearest match for another name."""
    known = presets()
    if name not in known:
        raise unknown_name("preset", name, known)
    return known[name]
