"""The hiring data: distributions of Table 4, Equation 13, and the scores that the injected biases must give, by numpy and scipy alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairaudit.datasets import hiring_days, hiring_predict, hiring_reference
from fairaudit.errors import UnknownNameError

BINS = 10
ONES = {"job_location": "Springfield", "education": "POST-GRAD", "engineer_type": "Software", "gender": "WOMAN"}
FILES = {"day1": "hiring_day1.csv", "day2": "hiring_day2_biased.csv", "day3": "hiring_day3.csv"}


def coded(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{c: (table[c] == one).astype(float) for c, one in ONES.items()})


def bins(table: pd.DataFrame, column: str) -> list[np.ndarray]:
    return np.array_split(table[column].to_numpy(float), BINS)


@pytest.fixture(scope="module")
def shipped(sample_data: Path) -> dict[str, pd.DataFrame]:
    names = {"reference": "hiring_reference.csv", **FILES}
    return {day: pd.read_csv(sample_data / name) for day, name in names.items()}


def rom(shipped: dict[str, pd.DataFrame], day: str) -> dict[str, float]:
    target, reference = coded(shipped[day]), coded(shipped["reference"])
    return {
        c: float(np.mean([abs(1 - a.mean() / b.mean()) for a, b in zip(bins(target, c), bins(reference, c), strict=True)]))
        for c in target
    }


def ks(shipped: dict[str, pd.DataFrame], day: str) -> dict[str, float]:
    target, reference = coded(shipped[day]), coded(shipped["reference"])
    scores = {}
    for c in target:
        p = [stats.ks_2samp(a, b, method="asymp").pvalue for a, b in zip(bins(target, c), bins(reference, c), strict=True)]
        scores[c] = float(len(p) / np.sum(1 / np.maximum(p, 1e-300)))
    return scores


def test_shipped_files_are_what_the_generator_gives(shipped: dict[str, pd.DataFrame]) -> None:
    reference = hiring_reference()
    pd.testing.assert_frame_equal(shipped["reference"], reference, check_exact=True)
    for day, table in hiring_days(reference).items():
        pd.testing.assert_frame_equal(shipped[day], table, check_exact=True)


def test_sizes_and_distributions(shipped: dict[str, pd.DataFrame]) -> None:
    assert len(shipped["reference"]) == 10_000
    assert all(len(shipped[day]) == 20_000 for day in FILES)
    reference = coded(shipped["reference"])
    for column, share in {"job_location": 0.7, "education": 0.2, "engineer_type": 0.85, "gender": 0.5}.items():
        assert reference[column].mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 10_000))
    assert (reference["experience"] == 0).mean() == pytest.approx(0.28, abs=0.04)
    assert reference["experience"].between(0, 40).all()
    assert (reference["relevant_experience"] <= reference["experience"]).all()


def test_days_are_rows_of_the_reference(shipped: dict[str, pd.DataFrame]) -> None:
    known = set(shipped["reference"].itertuples(index=False, name=None))
    for day in ("day1", "day3"):
        assert set(shipped[day].itertuples(index=False, name=None)) <= known


def test_salary_is_equation_13(shipped: dict[str, pd.DataFrame]) -> None:
    for table in shipped.values():
        t = coded(table)
        salary = 50_000 + 20_000 * t["job_location"] + 20_000 * t["education"] + 5_000 * t["relevant_experience"]
        salary += 100 * t["experience"] + 10_000 * t["engineer_type"]
        np.testing.assert_allclose(table["predicted_salary"], salary, rtol=0, atol=1e-6)


def test_planted_biases_of_day_2(shipped: dict[str, pd.DataFrame]) -> None:
    women = shipped["day2"][shipped["day2"]["gender"] == "WOMAN"]
    men = shipped["day2"][shipped["day2"]["gender"] == "MAN"]
    assert (women["education"] == "GRAD").all()
    assert (women["job_location"] == "Springfield").mean() == pytest.approx(0.85, abs=1 / len(women))
    assert (women["relevant_experience"] > women["experience"]).any()
    known = set(shipped["reference"].itertuples(index=False, name=None))
    assert set(men.itertuples(index=False, name=None)) <= known


def test_ratio_of_means_finds_the_biases_and_nothing_else(shipped: dict[str, pd.DataFrame]) -> None:
    day2 = rom(shipped, "day2")
    assert day2["education"] == pytest.approx(0.50, abs=0.05)
    assert day2["job_location"] == pytest.approx(0.107, abs=0.02)
    assert day2["relevant_experience"] == pytest.approx(0.078, abs=0.025)
    for day in ("day1", "day3"):
        assert max(rom(shipped, day).values()) < 0.10


def test_ks_harmonic_finds_the_biases_and_nothing_else(shipped: dict[str, pd.DataFrame]) -> None:
    day2 = ks(shipped, "day2")
    assert day2["education"] < 0.05
    assert day2["job_location"] < 0.05
    assert min(day2[c] for c in ("engineer_type", "gender", "experience")) > 0.05
    for day in ("day1", "day3"):
        assert min(ks(shipped, day).values()) >= 0.01


@pytest.mark.slow
def test_unbiased_shipped_days_are_typical_of_chance(shipped: dict[str, pd.DataFrame]) -> None:
    draws = []
    for seed in range(100, 130):
        reference = hiring_reference(seed)
        tables = {"reference": reference, **hiring_days(reference, seed)}
        draws += [max(rom(tables, day).values()) for day in ("day1", "day3")]
    low, high = np.quantile(draws, [0.1, 0.9])
    for day in ("day1", "day3"):
        assert low < max(rom(shipped, day).values()) < high


def test_seed_decides_everything() -> None:
    pd.testing.assert_frame_equal(hiring_reference(5), hiring_reference(5))
    assert not hiring_reference(5).equals(hiring_reference(6))
    again = hiring_days(hiring_reference(5), 5)
    for day, table in hiring_days(hiring_reference(5), 5).items():
        pd.testing.assert_frame_equal(table, again[day])


def test_tree_learns_the_salary_from_the_reference(shipped: dict[str, pd.DataFrame]) -> None:
    reference = shipped["reference"]
    on_reference = hiring_predict(reference, "tree", reference)
    np.testing.assert_allclose(on_reference, reference["predicted_salary"], rtol=1e-9)
    unseen = hiring_reference(99)
    error = np.abs(hiring_predict(unseen, "tree", reference) - unseen["predicted_salary"])
    assert 0 < error.mean() < 2_000
    with pytest.raises(UnknownNameError, match="tree"):
        hiring_predict(reference, "forest")  # type: ignore[arg-type]
