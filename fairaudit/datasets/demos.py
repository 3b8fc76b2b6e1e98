"""The demos of the start page: one button loads a reference, targets and what the columns mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from fairaudit.datasets.adult import ADULT_DAYS_SCHEMA, ADULT_SCHEMA, adult_days, adult_reference, adult_test
from fairaudit.datasets.grades import GRADES_SCHEMA, course_grades
from fairaudit.datasets.hiring import HIRING_SCHEMA, hiring_days, hiring_reference
from fairaudit.errors import unknown_name
from fairaudit.schema import Schema

DemoTables = tuple[pd.DataFrame, dict[str, pd.DataFrame], Schema]
"""Reference, targets by name in the order of time, and the meaning of the columns."""


@dataclass(frozen=True)
class Demo:
    """Data that one button loads.

    Attributes
    ----------
    name : str
        Name for machines.
    title : str
        Name for people.
    story : str
        What is to be seen, in one sentence.
    load : callable
        Gives the reference, the targets by name and the schema.
    planted : tuple of str
        Names of the targets in which a bias was planted; the others come from the same source as the reference.
    """

    name: str
    title: str
    story: str
    load: Callable[[], DemoTables]
    planted: tuple[str, ...] = ()


def _hiring() -> DemoTables:
    reference = hiring_reference()
    return reference, hiring_days(reference), HIRING_SCHEMA


def _adult() -> DemoTables:
    return adult_reference(), {"test": adult_test()}, ADULT_SCHEMA


def _adult_days() -> DemoTables:
    reference, days = adult_days()
    return reference, days, ADULT_DAYS_SCHEMA


def _students() -> DemoTables:
    table = course_grades()
    first = table["cohort"] == table["cohort"].min()
    # The cohort is the table here, so as a column it would say nothing but that.
    table = table.drop(columns="cohort")
    types = {column: column_type for column, column_type in GRADES_SCHEMA.types if column != "cohort"}
    schema = Schema.from_any({**GRADES_SCHEMA.to_dict(), "types": types, "ignored": ()})
    return table[first].reset_index(drop=True), {"cohort 2024": table[~first].reset_index(drop=True)}, schema


_DEMOS = (
    Demo(
        name="hiring",
        title="Hiring",
        story="Three days of synthetic job applicants: on day 2 women's education, location and experience were recorded differently.",
        load=_hiring,
        planted=("day2",),
    ),
    Demo(
        name="adult",
        title="Adult income, training and test file",
        story="Real census data from 1994: the published training and test files are a random split, so they should differ by chance only.",
        load=_adult,
    ),
    Demo(
        name="adult_days",
        title="Adult income, four days",
        story="Real census data with a trained model: education is biased by sex on day 2, education and marriage on day 3.",
        load=_adult_days,
        planted=("day2", "day3"),
    ),
    Demo(
        name="students",
        title="Course grades",
        story="Two synthetic cohorts of a course where grades do not depend on who the students are: a place to plant a bias of your own.",
        load=_students,
    ),
)


def demos() -> tuple[Demo, ...]:
    """All demos, in the order in which the start page shows them.

    Examples
    --------
    >>> [d.name for d in demos()]
    ['hiring', 'adult', 'adult_days', 'students']
    """
    return _DEMOS


def demo(name: str) -> Demo:
    """One demo by its name."""
    for found in _DEMOS:
        if found.name == name:
            return found
    raise unknown_name("demo", name, [d.name for d in _DEMOS])
