"""Course grades of a fair world: our own synthetic students, whose scores do not depend on who they are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairaudit.datasets.base import Dataset
from fairaudit.schema import Schema

ROWS = 2_000
SEED = 0
PASS_MARK = 10.0
PASS_SHARE = 0.8
# Of 20 neighbours in the ranking of scores 3 of 10 have parents who did not study, the same among women and men.
_BLOCK = (("F", "no"),) * 7 + (("M", "no"),) * 7 + (("F", "yes"),) * 3 + (("M", "yes"),) * 3

GRADES_SCHEMA = Schema.from_any(
    {
        "label": "passed",
        "pos_label": "yes",
        "score": "final_score",
        "decision_threshold": PASS_MARK,
        "sensitive_features": ("sex", "first_generation"),
        "reference_groups": {"sex": "F", "first_generation": "no"},
        "types": {
            "cohort": "ordinal",
            "sex": "binary",
            "first_generation": "binary",
            "previous_grade": "numeric",
            "attendance": "numeric",
            "study_hours": "numeric",
            "assignments": "numeric",
            "quiz_average": "numeric",
            "forum_posts": "numeric",
            "tutoring": "binary",
            "job_hours": "numeric",
            "commute_minutes": "numeric",
            "part_time": "binary",
            "final_score": "numeric",
            "passed": "binary",
        },
        "ignored": ("cohort",),
    }
)


def course_grades(seed: int = SEED) -> pd.DataFrame:
    """2,000 students of two cohorts with ten features, a final score from 0 to 20 and whether they passed (10 or more).

    The course is graded on a curve: exactly 80 % pass. Sex and ``first_generation`` (parents who did not study) are dealt out along the
    ranking of the scores, the same number in each stretch of 20 students. So each group, and each combination, has the same pass
    rate: the statistical parity difference of the labels is 0. The features follow from ability and effort alone. Cohorts are
    a random split, so that comparing them shows what chance does.

    Examples
    --------
    >>> table = course_grades(seed=1)
    >>> [round(float((rows["passed"] == "yes").mean()), 2) for _, rows in table.groupby("sex")]
    [0.8, 0.8]
    """
    rng = np.random.default_rng(seed)
    ability, effort = rng.normal(size=(2, ROWS))
    part_time = rng.random(ROWS) < 0.2
    job_hours = np.clip(rng.normal(6, 5, ROWS) + 8 * part_time, 0, 30).round()
    hours = np.clip(9 + 3 * effort - 0.12 * job_hours + rng.normal(0, 1.5, ROWS), 0, 30).round(1)
    attendance = np.clip(82 + 9 * effort - 0.4 * job_hours + rng.normal(0, 6, ROWS), 10, 100).round()
    previous = np.clip(12 + 2.4 * ability + rng.normal(0, 1.2, ROWS), 0, 20).round(1)
    assignments = np.clip(7 + 1.1 * effort + 0.6 * ability + rng.normal(0, 1.1, ROWS), 0, 10).round()
    quiz = np.clip(60 + 9 * ability + 5 * effort + rng.normal(0, 7, ROWS), 0, 100).round()
    forum = rng.poisson(np.exp(1.2 + 0.35 * effort))
    tutoring = rng.random(ROWS) < 1 / (1 + np.exp(1.4 + 0.7 * ability))
    commute = np.clip(rng.gamma(3, 10, ROWS), 2, 120).round()
    raw = 2.1 * ability + 1.7 * effort + 0.5 * tutoring - 0.03 * job_hours + rng.normal(0, 1.1, ROWS)

    order = np.argsort(raw)
    failing = round(ROWS * (1 - PASS_SHARE))
    curve = PASS_MARK - (raw[order[failing - 1]] + raw[order[failing]]) / 2
    # Rounded down, so that the shown score and the pass mark agree.
    score = np.clip(np.floor((raw + curve) * 10) / 10, 0, 20)
    groups = np.concatenate([rng.permutation(np.array(_BLOCK)) for _ in range(ROWS // len(_BLOCK))])
    sex, first_generation = np.empty((2, ROWS), dtype=object)
    sex[order], first_generation[order] = groups[:, 0], groups[:, 1]

    return pd.DataFrame(
        {
            "cohort": np.repeat([2023, 2024], ROWS // 2),
            "sex": sex,
            "first_generation": first_generation,
            "previous_grade": previous,
            "attendance": attendance.astype(int),
            "study_hours": hours,
            "assignments": assignments.astype(int),
            "quiz_average": quiz.astype(int),
            "forum_posts": forum,
            "tutoring": np.where(tutoring, "yes", "no"),
            "job_hours": job_hours.astype(int),
            "commute_minutes": commute.astype(int),
            "part_time": np.where(part_time, "yes", "no"),
            "final_score": score,
            "passed": np.where(score >= PASS_MARK, "yes", "no"),
        }
    )


def course_grades_dataset(seed: int = SEED) -> Dataset:
    """The course grades as a Dataset."""
    return Dataset(
        name="Course grades (synthetic)",
        data=course_grades(seed),
        schema=GRADES_SCHEMA,
        source="Made by fairaudit.",
        licence="CC0 1.0",
        citation="fairaudit, sample_data/course_grades.csv.",
        notes="Synthetic: no row is a person. Equal pass rates in all groups by construction.",
    )
