"""The papers' presets on the demo data give what the shipped biased days give."""

from __future__ import annotations

import pandas as pd
import pytest

from fairaudit.datasets.adult import ADULT_DAYS_SCHEMA, adult_reference, as_in_paper
from fairaudit.datasets.base import read_sample
from fairaudit.datasets.hiring import HIRING_SCHEMA, hiring_predict
from fairaudit.injection import inject
from fairaudit.injection.presets import preset
from fairaudit.qmad import audit


@pytest.fixture(scope="module")
def hiring() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Reference, and the biased day as shipped and as planted in day 1."""
    planted = inject(read_sample("hiring_day1.csv"), preset("hiring_day2").injections).table
    planted = planted.assign(predicted_salary=hiring_predict(planted))
    return read_sample("hiring_reference.csv"), {"shipped": read_sample("hiring_day2_biased.csv"), "planted": planted}


def flags(hiring: tuple[pd.DataFrame, dict[str, pd.DataFrame]], comparison: str, aggregation: str) -> pd.DataFrame:
    reference, targets = hiring
    result = audit(reference, targets, comparison=comparison, aggregation=aggregation, schema=HIRING_SCHEMA, resamples=0)
    return result.attributes().pivot(index="attribute", columns="frame", values="paper_flag")


def test_hiring_day_2_has_the_same_flags_by_ratio_of_means(hiring: tuple[pd.DataFrame, dict[str, pd.DataFrame]]) -> None:
    found = flags(hiring, "rom", "arithmetic")
    assert (found["shipped"] == found["planted"]).all()
    assert found.index[found["planted"]].tolist() == ["education", "job_location"]


@pytest.mark.parametrize("comparison", ["ks", "ad"])
def test_hiring_day_2_has_the_same_strong_flags_by_tests(
    hiring: tuple[pd.DataFrame, dict[str, pd.DataFrame]], comparison: str
) -> None:
    # The third bias is small and the two days are different draws, so its p-values lie on both sides of 0.05.
    found = flags(hiring, comparison, "harmonic").loc[["education", "job_location", "engineer_type", "experience", "gender"]]
    assert found["shipped"].tolist() == found["planted"].tolist() == [True, True, False, False, False]


def test_adult_day_3_has_the_published_ratios() -> None:
    reference = as_in_paper(adult_reference())
    # 20,000 rows without replacement, as the paper draws its days.
    day = reference.sample(20_000, random_state=0).reset_index(drop=True)
    planted = inject(day, preset("adult_day3").injections).table
    schema = ADULT_DAYS_SCHEMA.with_(prediction=None, types={k: v for k, v in ADULT_DAYS_SCHEMA.types if k != "predicted_income"})
    result = audit(
        reference,
        planted,
        attributes=["attended_college", "married"],
        comparison="rom",
        aggregation="arithmetic",
        schema=schema,
        bins=20,
        resamples=0,
    )
    scores = result.attributes().set_index("attribute")["score"]
    assert scores["attended_college"] == pytest.approx(0.42, abs=0.02)
    assert scores["married"] == pytest.approx(0.30, abs=0.02)
