"""Numbers that arithmetic cannot hold: left out and named, or "not measurable"; never infinity as a result."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.comparison import COMPARISONS, normalise
from fairaudit.validation import check_table
from fairaudit.validation.canonical import sort_levels


def rows(reference: dict, target: dict, **choices: object) -> pd.DataFrame:
    result = fairaudit.audit(pd.DataFrame(reference), pd.DataFrame(target), bins=2, resamples=0, **choices)
    return result.attributes().set_index("attribute")


@pytest.mark.parametrize("huge", [np.inf, -np.inf, 1e308, -1e200])
def test_values_whose_squares_are_no_numbers_are_left_out_and_named(huge: float) -> None:
    values = [*np.linspace(1, 2, 39), huge]
    table = check_table(pd.DataFrame({"x": values}))
    found = next(f for f in table.findings if f.code == "infinite_values")
    assert "1 values" in found.problem and "too large" in found.problem
    row = rows({"x": values}, {"x": values}, comparison="welch_t").loc["x"]
    assert (row["n_target"], row["n_reference"]) == (39, 39)
    assert np.isfinite([row["score"], row["effect"], row["mean_target"]]).all()


def test_infinite_values_of_an_ordinal_attribute_are_counted_as_infinite_not_as_missing() -> None:
    table = check_table(pd.DataFrame({"level": [1.0, 2.0, 3.0, np.inf] * 20}))
    assert table.type_of("level") == "ordinal"
    codes = {f.code: f.problem for f in table.findings}
    assert codes["infinite_values"].startswith("20 values")
    assert "missing_share" not in codes


def test_a_column_of_infinite_values_has_no_valid_values() -> None:
    table = check_table(pd.DataFrame({"x": [np.inf, -np.inf] * 20, "y": np.arange(40) / 7}))
    assert "no_values" in {f.code for f in table.findings if f.column == "x"}
    found = rows({"x": [np.inf] * 40, "y": np.arange(40) / 7}, {"x": [np.inf] * 40, "y": np.arange(40) / 7})
    assert found.loc["x", "verdict"] == "not_measurable" and np.isnan(found.loc["x", "score"])
    assert found.loc["y", "verdict"] == "no_evidence"


@pytest.mark.parametrize("mean", [0.0, 5e-324, -1e-200])
def test_a_ratio_over_almost_nothing_is_not_defined_rather_than_infinite(mean: float) -> None:
    row = rows(
        {"x": [mean] * 40}, {"x": np.linspace(1, 2, 40)}, comparison="rom", aggregation="max", schema={"types": {"x": "numeric"}}
    )
    assert row.loc["x", "verdict"] == "not_measurable" and np.isnan(row.loc["x", "score"])
    assert "reference mean is 0" in row.loc["x", "note"] or "differ in sign" in row.loc["x", "note"]


def test_an_infinite_size_is_normalised_to_one_without_a_warning() -> None:
    spec = COMPARISONS["mean_difference"]
    np.testing.assert_array_equal(normalise(spec, np.array([0.0, 3.0]), 0.0), [0.0, 1.0])


def test_levels_named_nan_sort_the_same_in_every_process() -> None:
    names = {"nan", "10", "9", "1", "-2"}
    expected = sorted(names)
    assert sort_levels(names) == expected
    program = f"from fairaudit.validation.canonical import sort_levels; print(sort_levels({names!r}))"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == str(expected)


def test_ordered_levels_that_look_like_infinity_are_positions_not_numbers() -> None:
    levels = ["0", "1", "inf"]
    frame = pd.DataFrame({"x": pd.Categorical(levels * 20, categories=levels, ordered=True)})
    row = fairaudit.audit(frame, frame.iloc[::-1], bins=1, resamples=0).attributes().iloc[0]
    assert row["n_target"] == row["n_reference"] == 60
    assert row["mean_target"] == pytest.approx(1.0)


def test_a_p_value_that_underflows_in_one_bin_does_not_decide_unseen() -> None:
    same = np.linspace(0, 1, 4000)
    reference, target = np.concatenate([same, same]), np.concatenate([same, same + 5])
    for aggregation in ("harmonic", "min", "fisher"):
        row = rows({"x": reference}, {"x": target}, comparison="ks", aggregation=aggregation).loc["x"]
        assert row["verdict"] == "disparity"
        assert "floor" in row["note"], (aggregation, row["note"])
    assert (
        "floor"
        in fairaudit.audit(pd.DataFrame({"x": reference}), pd.DataFrame({"x": target}), bins=2, resamples=0).overall()["note"][0]
    )
