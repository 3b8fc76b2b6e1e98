"""Every metric against aif360, fairlearn and scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sk

from fairaudit.baselines import (
    Sampling,
    Side,
    balanced_conditioned_consistency,
    consistency,
    count_table,
    empirical_difference_fairness,
    generalized_entropy_index,
    measure,
    rate,
    theil_index,
)

CLOSED = Sampling(resamples=0, neighbour_rows=None)
ON_DECISIONS = {
    "statistical_parity_difference": lambda m: m.statistical_parity_difference(),
    "disparate_impact": lambda m: m.disparate_impact(),
    "empirical_difference_fairness": lambda m: m.smoothed_empirical_differential_fairness(),
}
ODDS_GAPS = ("equal_opportunity_difference", "false_positive_rate_difference")
WITH_LABELS = {
    "equal_opportunity_difference": lambda m: m.equal_opportunity_difference(),
    "average_odds_difference": lambda m: m.average_odds_difference(),
    "equalized_odds_difference": lambda m: m.equalized_odds_difference(),
    "false_positive_rate_difference": lambda m: m.false_positive_rate_difference(),
    "false_negative_rate_difference": lambda m: m.false_negative_rate_difference(),
    "accuracy": lambda m: m.accuracy(privileged=False),
    "accuracy_difference": lambda m: m.accuracy(privileged=False) - m.accuracy(privileged=True),
}


def assert_equals_aif360(a: Side, b: Side, aif360: SimpleNamespace) -> None:
    """Equal to 1e-9 where aif360 gives a number; NaN with a reason where it gives NaN, infinity or fails."""
    decided, classified = aif360.metrics(a, b)
    with np.errstate(all="ignore"):
        expected = {name: reference(decided) for name, reference in ON_DECISIONS.items()}
        expected |= {name: reference(classified) for name, reference in WITH_LABELS.items()}
    for name, reference in expected.items():
        ours = measure(name, a, b, CLOSED)
        if name == "equalized_odds_difference" and any(math.isnan(expected[part]) for part in ODDS_GAPS):
            # aif360 takes Python's max of a number and NaN, which depends on their order; half of the metric is unknown here.
            reference = math.nan
        if math.isfinite(reference):
            assert_allclose(ours.value, reference, rtol=0, atol=1e-9, err_msg=name)
        else:
            assert math.isnan(ours.value), name
            assert ours.note, name
    both = count_table(np.r_[np.zeros(a.n, int), np.zeros(b.n, int)], np.r_[a.y_true, b.y_true], np.r_[a.y_pred, b.y_pred])
    with np.errstate(all="ignore"):
        assert_allclose(generalized_entropy_index(both["0"]), classified.generalized_entropy_index(), rtol=0, atol=1e-9)
        assert_allclose(theil_index(both["0"]), classified.theil_index(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_random_sides(seed: int, make_side: Callable[..., Side], aif360: SimpleNamespace) -> None:
    assert_equals_aif360(make_side(seed, 60 + 40 * seed), make_side(seed + 50, 150, 0.15), aif360)


CORNERS = {
    "group of size 1": ([1], [0], [1, 0, 1, 0], [1, 0, 1, 1]),
    "group of size 1, selected": ([0], [1], [1, 0, 1, 0], [1, 0, 1, 1]),
    "no positives in a": ([0, 0, 0], [1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]),
    "no positives in b": ([1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]),
    "no negatives in a": ([1, 1, 1], [1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]),
    "nobody selected": ([1, 0, 1], [0, 0, 0], [1, 0], [0, 0]),
    "everybody selected": ([1, 0, 1], [1, 1, 1], [1, 0], [1, 1]),
    "nobody of b selected": ([1, 0, 1], [1, 0, 0], [1, 0], [0, 0]),
    "all of a right": ([1, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 1]),
}


@pytest.mark.parametrize("case", CORNERS)
def test_corners(case: str, aif360: SimpleNamespace) -> None:
    true_a, pred_a, true_b, pred_b = CORNERS[case]
    a, b = Side.of("a", y_true=true_a, y_pred=pred_a), Side.of("b", y_true=true_b, y_pred=pred_b)
    assert_equals_aif360(a, b, aif360)


def student(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "student-por.csv", sep=";")


def test_student(real_data: Path, aif360: SimpleNamespace) -> None:
    table = student(real_data)
    passed, guessed, boys = table["G3"] >= 10, table["G2"] >= 10, (table["sex"] == "M").to_numpy()
    a, b = (Side.of(n, y_true=passed[rows], y_pred=guessed[rows]) for n, rows in (("boys", boys), ("girls", ~boys)))
    assert_equals_aif360(a, b, aif360)
    labels = [Side.of("side", y_pred=passed[rows]) for rows in (boys, ~boys)]
    assert_allclose(measure("statistical_parity_difference", *labels).value, -0.05742, atol=5e-6)
    features = pd.get_dummies(table.drop(columns="G3")).to_numpy(dtype=float)
    assert_allclose(consistency(features, passed.to_numpy()), aif360.consistency(features, passed), rtol=0, atol=1e-9)


def test_student_balanced_conditioned_consistency_as_published(real_data: Path) -> None:
    table = student(real_data)
    features = pd.get_dummies(table.drop(columns=["G3", "sex"])).to_numpy(dtype=float)
    assert_allclose(balanced_conditioned_consistency(features, (table["G3"] >= 10).to_numpy()), 0.721, atol=5e-4)


def test_adult(sample_data: Path, aif360: SimpleNamespace) -> None:
    file = sample_data / "adult_train.csv"
    if not file.exists():
        pytest.skip("sample_data/adult_train.csv is not there")
    table = pd.read_csv(file)
    rich, guessed = table["income"].str.contains(">50K"), table["education_num"] >= 13
    women = (table["sex"] == "Female").to_numpy()
    a, b = (Side.of(n, y_true=rich[rows], y_pred=guessed[rows]) for n, rows in (("women", women), ("men", ~women)))
    assert_equals_aif360(a, b, aif360)
    part = table.iloc[:4000]
    features = pd.get_dummies(part.drop(columns="income")).to_numpy(dtype=float)
    decisions = guessed.iloc[:4000].to_numpy()
    assert_allclose(consistency(features, decisions), aif360.consistency(features, decisions), rtol=0, atol=1e-9)


def test_hiring(sample_data: Path, aif360: SimpleNamespace) -> None:
    """Salaries have no label; who is above the median stands for the decision, and for the label the same with a year more of experience."""
    day, reference = (pd.read_csv(sample_data / f"hiring_{n}.csv") for n in ("day2_biased", "reference"))
    line = reference["predicted_salary"].median()
    frames = (day, reference)
    a, b = (Side.of("side", y_true=f["predicted_salary"] + 5100 >= line, y_pred=f["predicted_salary"] >= line) for f in frames)
    assert_equals_aif360(a, b, aif360)
    groups = [day.loc[day["gender"] == sex, "predicted_salary"] for sex in ("WOMAN", "MAN")]
    assert_equals_aif360(*(Side.of("group", y_true=g + 5100 >= line, y_pred=g >= line) for g in groups), aif360)
    features = pd.get_dummies(day.drop(columns="predicted_salary").iloc[:3000]).to_numpy(dtype=float)
    decisions = (day["predicted_salary"].iloc[:3000] >= line).to_numpy()
    assert_allclose(consistency(features, decisions), aif360.consistency(features, decisions), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_consistency_with_many_ties(seed: int, aif360: SimpleNamespace) -> None:
    rng = np.random.default_rng(seed)
    features, outcome = rng.integers(0, 3, (300, 4)).astype(float), rng.integers(0, 2, 300)
    assert_allclose(consistency(features, outcome), aif360.consistency(features, outcome), rtol=0, atol=1e-9)


def test_consistency_with_too_few_rows_is_nan_where_aif360_fails(aif360: SimpleNamespace) -> None:
    features, outcome = np.ones((3, 2)), np.array([0, 1, 1])
    with pytest.raises(ValueError, match="n_neighbors"):
        aif360.consistency(features, outcome)
    assert math.isnan(consistency(features, outcome))


@pytest.mark.parametrize("concentration", [0.0, 0.5, 1.0, 3.0])
def test_smoothing_of_the_differential_fairness(
    concentration: float, make_side: Callable[..., Side], aif360: SimpleNamespace
) -> None:
    a, b = make_side(1), make_side(2, tilt=0.2)
    expected = aif360.metrics(a, b)[0].smoothed_empirical_differential_fairness(concentration)
    assert_allclose(empirical_difference_fairness(a.counts, b.counts, concentration), expected, rtol=0, atol=1e-9)
    assert_allclose(
        measure("empirical_difference_fairness", a, b, Sampling(concentration=concentration)).value, expected, atol=1e-9
    )


def test_unsmoothed_differential_fairness_is_the_log_of_disparate_impact() -> None:
    a, b = Side.of("a", y_pred=[1] * 13 + [0] * 87), Side.of("b", y_pred=[1] * 19 + [0] * 81)
    ratio = measure("disparate_impact", a, b).value
    edf = measure("empirical_difference_fairness", a, b, Sampling(concentration=0)).value
    assert_allclose(edf, abs(math.log(ratio)), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_fairlearn(seed: int, make_side: Callable[..., Side]) -> None:
    import fairlearn.metrics as fl

    a, b = make_side(seed, 300, 0.2), make_side(seed + 10, 200)
    y_true, y_pred = np.r_[a.y_true, b.y_true], np.r_[a.y_pred, b.y_pred]
    groups = np.r_[["a"] * a.n, ["b"] * b.n]
    rates = {
        "selection_rate": fl.selection_rate,
        "true_positive_rate": fl.true_positive_rate,
        "false_positive_rate": fl.false_positive_rate,
        "false_negative_rate": fl.false_negative_rate,
        "true_negative_rate": fl.true_negative_rate,
        "accuracy": sk.accuracy_score,
        "precision": sk.precision_score,
    }
    theirs = fl.MetricFrame(metrics=rates, y_true=y_true, y_pred=y_pred, sensitive_features=groups).by_group
    table = count_table(groups, y_true, y_pred)
    for group in ("a", "b"):
        for name in rates:
            assert_allclose(rate(table[group], name), theirs.loc[group, name], rtol=0, atol=1e-12)
    assert_allclose(
        measure("equalized_odds_difference", a, b).value,
        fl.equalized_odds_difference(y_true, y_pred, sensitive_features=groups),
        atol=1e-12,
    )
    spread = fl.demographic_parity_difference(y_true, y_pred, sensitive_features=groups)
    assert_allclose(abs(measure("statistical_parity_difference", a, b).value), spread, atol=1e-12)
    ratio = measure("disparate_impact", a, b).value
    assert_allclose(min(ratio, 1 / ratio), fl.demographic_parity_ratio(y_true, y_pred, sensitive_features=groups), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn(seed: int, make_side: Callable[..., Side]) -> None:
    a, b = make_side(seed), make_side(seed + 10)
    assert_allclose(measure("roc_auc", a, b).value, sk.roc_auc_score(a.y_true, a.y_score), atol=1e-12)
    assert_allclose(measure("balanced_accuracy", a, b).value, sk.balanced_accuracy_score(a.y_true, a.y_pred), atol=1e-12)
    assert_allclose(
        measure("roc_auc_difference", a, b).value,
        sk.roc_auc_score(a.y_true, a.y_score) - sk.roc_auc_score(b.y_true, b.y_score),
        atol=1e-12,
    )
