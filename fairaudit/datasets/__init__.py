"""Demo data, seeded generators, and loaders for published data sets.

``python -m fairaudit.datasets write sample_data`` makes the generated sample files again.
"""

from fairaudit.datasets.adult import (
    ADULT_DAY_BIASES,
    ADULT_DAYS_SCHEMA,
    ADULT_SCHEMA,
    adult_dataset,
    adult_days,
    adult_model,
    adult_reference,
    adult_test,
)
from fairaudit.datasets.base import Dataset, sample_folder
from fairaudit.datasets.demos import Demo, demo, demos
from fairaudit.datasets.education import load_oulad, load_student, load_student_balanced
from fairaudit.datasets.grades import GRADES_SCHEMA, course_grades, course_grades_dataset
from fairaudit.datasets.hiring import (
    HIRING_DAY2,
    HIRING_SCHEMA,
    hiring_dataset,
    hiring_days,
    hiring_predict,
    hiring_reference,
)

__all__ = [
    "ADULT_DAYS_SCHEMA",
    "ADULT_DAY_BIASES",
    "ADULT_SCHEMA",
    "GRADES_SCHEMA",
    "HIRING_DAY2",
    "HIRING_SCHEMA",
    "Dataset",
    "Demo",
    "adult_dataset",
    "adult_days",
    "adult_model",
    "adult_reference",
    "adult_test",
    "course_grades",
    "course_grades_dataset",
    "demo",
    "demos",
    "hiring_dataset",
    "hiring_days",
    "hiring_predict",
    "hiring_reference",
    "load_oulad",
    "load_student",
    "load_student_balanced",
    "sample_folder",
]
