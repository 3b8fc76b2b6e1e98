"""Every aggregation function against a calculation by hand or by scipy."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from fairaudit.aggregation import AGGREGATIONS, aggregate, aggregate_rows
from fairaudit.errors import SettingsError

JUDGES = {
    "arithmetic": lambda p: sum(p) / len(p),
    "harmonic": lambda p: stats.hmean(p),
    "median": lambda p: sorted(p)[len(p) // 2] if len(p) % 2 else sum(sorted(p)[len(p) // 2 - 1 : len(p) // 2 + 1]) / 2,
    "max": max,
    "min": min,
    "fisher": lambda p: stats.combine_pvalues(p, "fisher").pvalue,
    "stouffer": lambda p: stats.combine_pvalues(p, "stouffer").pvalue,
    "cauchy": lambda p: stats.cauchy.sf(np.mean(np.tan((0.5 - np.asarray(p)) * np.pi))),
}

p_values = st.lists(st.floats(1e-6, 0.999), min_size=1, max_size=20)


def test_every_registered_function_has_a_judge():
    assert set(JUDGES) == set(AGGREGATIONS.names())


@pytest.mark.parametrize("name", JUDGES)
@given(values=p_values)
def test_equals_its_definition(name, values):
    assert aggregate(name, np.array(values)) == pytest.approx(JUDGES[name](values), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", JUDGES)
@given(values=p_values)
def test_facts(name, values):
    values = np.array(values)
    result = aggregate(name, values)
    assert aggregate(name, values[::-1]) == pytest.approx(result, rel=1e-9)
    assert aggregate(name, np.append(values, np.nan)) == result
    if AGGREGATIONS[name].weighted:
        assert aggregate(name, values, np.ones(len(values))) == pytest.approx(result, rel=1e-9)
        assert aggregate(name, np.append(values, 0.5), np.append(np.ones(len(values)), 0.0)) == pytest.approx(result, rel=1e-9)
    if name not in ("fisher", "stouffer"):
        assert values.min() - 1e-9 <= result <= values.max() + 1e-9
    smaller = aggregate(name, values * 0.9)
    assert smaller <= result + 1e-12


@pytest.mark.parametrize("name", JUDGES)
def test_nothing_defined_is_nan(name):
    assert np.isnan(aggregate(name, np.array([np.nan, np.nan])))
    assert np.isnan(aggregate(name, np.array([])))


def test_weighted_by_hand():
    values, weights = np.array([0.1, 0.2, 0.6]), np.array([1.0, 2.0, 1.0])
    assert aggregate("arithmetic", values, weights) == pytest.approx(1.1 / 4)
    assert aggregate("harmonic", values, weights) == pytest.approx(4 / (1 / 0.1 + 2 / 0.2 + 1 / 0.6))
    assert aggregate("median", values, weights) == pytest.approx(0.2)
    assert aggregate("median", values, np.array([1.0, 0.0, 1.0])) == pytest.approx(0.35)
    assert aggregate("stouffer", values, weights) == pytest.approx(
        stats.combine_pvalues(values, "stouffer", weights=weights).pvalue
    )


@given(values=p_values, weights=st.lists(st.floats(0.1, 10), min_size=20, max_size=20))
def test_a_constant_is_its_own_mean_under_any_weights(values, weights):
    assume(values)
    constant = np.full(len(values), values[0])
    for name in ("arithmetic", "harmonic", "median", "cauchy"):
        assert aggregate(name, constant, np.array(weights[: len(values)])) == pytest.approx(values[0], rel=1e-9)


def test_a_p_value_of_zero_decides_and_is_not_lost():
    values = np.array([0.0, 0.9])
    assert aggregate("harmonic", values) == 0.0
    assert aggregate("fisher", values) == 0.0
    assert aggregate("cauchy", values) == 0.0
    assert aggregate("stouffer", values) == 0.0
    assert np.isnan(aggregate("stouffer", np.array([0.0, 1.0])))


def test_tiny_p_values_keep_their_digits():
    values = np.array([1e-200, 0.5])
    assert aggregate("cauchy", values) == pytest.approx(2e-200, rel=1e-6)
    assert aggregate("harmonic", values) == pytest.approx(2e-200, rel=1e-6)


@pytest.mark.parametrize("name", [s.name for s in AGGREGATIONS if not s.weighted])
def test_weights_where_there_are_none(name):
    with pytest.raises(SettingsError, match="Weights are not defined"):
        aggregate(name, np.array([0.1, 0.2]), np.ones(2))


@pytest.mark.parametrize("weights", [[-1.0, 2.0], [0.0, 0.0], [np.nan, 1.0]])
def test_bad_weights_are_a_sentence(weights):
    with pytest.raises(SettingsError, match="Weights must be 0 or more"):
        aggregate("arithmetic", np.array([0.1, 0.2]), np.array(weights))


def test_harmonic_mean_of_negative_scores_is_a_sentence():
    with pytest.raises(SettingsError, match="not defined for negative"):
        aggregate("harmonic", np.array([-0.1, 0.2]))


def test_facts_are_complete():
    for spec in AGGREGATIONS:
        assert spec.label and spec.summary.endswith(".") and spec.pitfall.endswith(".") and spec.reference and spec.formula


@pytest.mark.parametrize("name", AGGREGATIONS.names())
@pytest.mark.parametrize("weighted", [False, True])
def test_row_form_equals_the_scalar_form(name, weighted):
    if weighted and not AGGREGATIONS[name].weighted:
        pytest.skip("has no weights")
    rng = np.random.default_rng(3)
    values = rng.random((200, 7)) ** 4
    values[rng.random(values.shape) < 0.15] = np.nan
    values[:4, 1] = 0.0
    values[4] = np.nan
    values[5] = [0.3, *[np.nan] * 6]
    values[6, 0], values[6, 1:] = 1.0, 0.4
    weights = np.array([1.0, 2.0, 0.5, 3.0, 0.0, 1.0, 1.0]) if weighted else None
    expected = [aggregate(name, row, weights) if np.isfinite(row).any() else np.nan for row in values]
    np.testing.assert_allclose(aggregate_rows(name, values, weights), expected, rtol=1e-12, atol=1e-300)


def test_row_form_of_a_custom_function():
    @AGGREGATIONS.register(name="spread_test", label="Spread", summary="Largest minus smallest.", weighted=False)
    def spread(values):
        return values.max() - values.min()

    try:
        np.testing.assert_allclose(aggregate_rows("spread_test", np.array([[1.0, 4.0], [2.0, np.nan]])), [3.0, 0.0])
    finally:
        AGGREGATIONS.unregister("spread_test")
