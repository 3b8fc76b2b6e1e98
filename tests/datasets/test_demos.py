"""Course grades, the list of demos, and the command that writes the sample files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairaudit.datasets import GRADES_SCHEMA, Demo, course_grades, course_grades_dataset, demo, demos, hiring_dataset
from fairaudit.datasets.__main__ import main, sample_tables
from fairaudit.errors import UnknownNameError


@pytest.fixture(scope="module")
def grades() -> pd.DataFrame:
    return course_grades()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("feature", ["sex", "first_generation"])
def test_every_group_passes_equally(seed: int, feature: str) -> None:
    table = course_grades(seed)
    rates = (table["passed"] == "yes").groupby(table[feature]).mean()
    assert len(rates) == 2
    assert abs(rates.iloc[0] - rates.iloc[1]) < 0.01


def test_combinations_of_groups_pass_equally_too(grades: pd.DataFrame) -> None:
    rates = (grades["passed"] == "yes").groupby([grades["sex"], grades["first_generation"]]).mean()
    assert np.ptp(rates) < 0.01


def test_score_and_label_agree(grades: pd.DataFrame) -> None:
    assert len(grades) == 2_000
    assert grades["final_score"].between(0, 20).all()
    assert ((grades["final_score"] >= 10) == (grades["passed"] == "yes")).all()
    assert (grades["passed"] == "yes").mean() == 0.8


def test_features_are_informative_and_say_nothing_about_groups(grades: pd.DataFrame) -> None:
    features = [c for c in grades if GRADES_SCHEMA.role_of(c) == "feature"]
    assert len(features) == 10
    numeric = [c for c in features if GRADES_SCHEMA.type_of(c) == "numeric"]
    by_score = grades[numeric].corrwith(grades["final_score"])
    assert (by_score.abs() > 0.3).sum() >= 5
    for group in ("sex", "first_generation"):
        first = grades[group] == grades[group].iloc[0]
        p = [stats.ks_2samp(grades.loc[first, c], grades.loc[~first, c], method="asymp").pvalue for c in numeric]
        assert min(p) * len(p) > 0.05


def test_shipped_files_are_what_the_code_writes(sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["write", str(tmp_path)])
    names = set(sample_tables())
    assert {p.name for p in tmp_path.iterdir()} == names
    printed = capsys.readouterr().out
    for name in names:
        assert name in printed
        assert (tmp_path / name).read_bytes() == (sample_data / name).read_bytes(), name


def test_every_sample_file_is_described(sample_data: Path) -> None:
    text = (sample_data / "SOURCES.md").read_text(encoding="utf-8")
    files = [p.name for p in sample_data.glob("*.csv")]
    assert len(files) == 7
    assert [name for name in files if f"`{name}`" not in text] == []


@pytest.mark.parametrize("found", demos(), ids=lambda d: d.name)
def test_demo_loads_tables_that_fit_together(found: Demo) -> None:
    reference, targets, schema = found.load()
    assert found.title
    assert found.story.endswith(".")
    assert targets
    for table in targets.values():
        assert list(table.columns) == list(reference.columns)
        assert list(table.index) == list(range(len(table)))
    assert {c for _, c in schema.named_columns()} <= set(reference.columns)
    assert set(dict(schema.types)) <= set(reference.columns)
    for feature, group in schema.reference_groups:
        assert group in set(reference[feature])
    assert pickle.loads(pickle.dumps(found)) == found


def test_demo_by_name() -> None:
    assert demo("hiring").title == "Hiring"
    with pytest.raises(UnknownNameError, match="hiring"):
        demo("hirring")


def test_datasets_carry_their_origin() -> None:
    for dataset in (course_grades_dataset(), hiring_dataset()):
        assert dataset.name
        assert dataset.licence == "CC0 1.0"
        assert set(dict(dataset.schema.types)) == set(dataset.data.columns)
