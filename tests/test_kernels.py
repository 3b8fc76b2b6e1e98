"""The batch form of every comparison function gives the numbers and the reasons of the function itself."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairaudit.binning import Bins
from fairaudit.comparison import COMPARISONS, ComparisonSpec, compare, compare_bins, compare_bins_by
from fairaudit.kernels import pvalues

BATCHED = [spec for spec in COMPARISONS if spec.batch is not None]
KINDS = ("normal", "zeros", "binary", "integers", "constant", "far", "mixed", "tiny_numbers", "huge_numbers")


def values(rng: np.random.Generator, kind: str, n: int, shift: float) -> np.ndarray:
    """A sample with the ties that ``kind`` brings."""
    if kind == "normal":
        return rng.normal(shift, 1, n)
    if kind == "zeros":
        return np.round(np.clip(rng.normal(0.6 + shift, 1, n), 0, None), 2)
    if kind == "binary":
        return (rng.random(n) < min(0.2 + abs(shift) / 5, 1)).astype(float)
    if kind == "integers":
        return rng.integers(17, 91, n).astype(float)
    if kind == "constant":
        return np.full(n, 3.1)
    if kind == "far":
        return rng.integers(0, 3, n) + 100.0 * shift
    if kind == "mixed":
        return rng.integers(-2, 3, n).astype(float)
    return rng.normal(shift, 1, n) * (1e-9 if kind == "tiny_numbers" else 1e12)


def bins(rng: np.random.Generator, kinds: list[str], sizes: list[int], shift: float) -> Bins:
    """Bins of given kinds and sizes."""
    parts = [values(rng, kind, n, shift) for kind, n in zip(kinds, sizes, strict=True)]
    return Bins(np.concatenate(parts) if parts else np.empty(0), np.concatenate([[0], np.cumsum(sizes)]).astype(int))


def assert_same(spec: ComparisonSpec, a: Bins, b: Bins) -> None:
    """Scores to 1e-10 and notes word by word."""
    scores, notes = compare_bins(spec, a, b)
    expected = [compare(spec, x, y) for x, y in zip(a, b, strict=True)]
    scale = max(float(np.abs(np.concatenate([a.values, b.values, [1.0]])).max()), 1.0) if spec.scale == "unit" else 1.0
    np.testing.assert_allclose(scores, [s for s, _ in expected], rtol=1e-10, atol=1e-10 * scale)
    assert notes == [n for _, n in expected]


@pytest.mark.parametrize("spec", BATCHED, ids=lambda s: s.name)
@given(
    seed=st.integers(0, 2**32 - 1),
    cells=st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=6),
    shift=st.sampled_from([0.0, 0.0, 0.3, 2.0]),
)
@settings(max_examples=60)
def test_batch_form_equals_the_function(spec: ComparisonSpec, seed: int, cells: list[tuple[str, int, int]], shift: float) -> None:
    rng = np.random.default_rng(seed)
    a = bins(rng, [c[0] for c in cells], [c[1] for c in cells], shift)
    b = bins(rng, [c[0] for c in cells], [c[2] for c in cells], 0.0)
    assert_same(spec, a, b)


@pytest.mark.parametrize("size", [5, 7, 30])
@pytest.mark.parametrize("name", ["ks", "ks_auto"])
def test_the_smallest_gap_of_equal_sizes_has_probability_one(name: str, size: int) -> None:
    """Scipy's sum is 1 + 2e-16 at these sizes, which it does not take for a probability."""
    one, two = np.zeros(size), np.zeros(size)
    one[:2], two[:3] = 1, 1
    offsets = np.array([0, size])
    assert_same(COMPARISONS[name], Bins(one, offsets), Bins(two, offsets))
    assert compare(COMPARISONS[name], one, two) == (1.0, "")


@pytest.mark.parametrize("spec", BATCHED, ids=lambda s: s.name)
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.8])
def test_batch_form_equals_the_function_on_large_unequal_bins(spec: ComparisonSpec, shift: float) -> None:
    rng = np.random.default_rng(7)
    kinds = ["normal", "zeros", "binary", "integers", "mixed", "normal", "zeros"]
    a = bins(rng, kinds, [2000, 999, 1500, 1000, 70, 1, 1300], shift)
    b = bins(rng, kinds, [1000, 1000, 1501, 500, 3000, 400, 2], 0.0)
    if spec.name == "ks_auto":
        a, b = (Bins(x.values[: x.offsets[2]], x.offsets[:3]) for x in (a, b))
    assert_same(spec, a, b)


def test_functions_share_one_pass() -> None:
    rng = np.random.default_rng(1)
    a, b = bins(rng, ["normal"] * 4, [30, 40, 1, 2], 0.2), bins(rng, ["normal"] * 4, [20, 10, 5, 1], 0.0)
    together = compare_bins_by(BATCHED, a, b)
    for spec, (scores, notes) in zip(BATCHED, together, strict=True):
        alone = compare_bins(spec, a, b)
        np.testing.assert_array_equal(scores, alone[0])
        assert notes == alone[1]


def test_inputs_stay_as_they_are() -> None:
    rng = np.random.default_rng(2)
    a, b = bins(rng, ["normal"], [50], 0.0), bins(rng, ["normal"], [50], 0.0)
    before = a.values.copy(), b.values.copy()
    for spec in BATCHED:
        compare_bins(spec, a, b)
    np.testing.assert_array_equal(a.values, before[0])
    np.testing.assert_array_equal(b.values, before[1])


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 5), (8, 8), (80, 40), (79, 38), (1000, 500), (997, 400)])
def test_exact_ks_is_scipys(m: int, n: int) -> None:
    rng = np.random.default_rng(m * n)
    gaps, expected = [], []
    for shift in (0, 0.1, 0.5, 3):
        a, b = rng.normal(shift, 1, m), rng.normal(0, 1, n)
        found = stats.ks_2samp(a, b, method="exact")
        gaps.append(round(found.statistic * m * n))
        expected.append(found.pvalue)
    np.testing.assert_allclose(pvalues.ks_exact(m, n, np.array(gaps)), expected, rtol=1e-10)


@pytest.mark.parametrize(("m", "n"), [(37, 41), (480, 600), (600, 599), (1000, 500)])
def test_an_exact_p_value_does_not_depend_on_what_was_asked_before_or_along_with_it(m: int, n: int) -> None:
    gaps = gcd(m, n) * np.unique(np.random.default_rng(m).integers(1, m * n // gcd(m, n) // 8, 30))
    pvalues.forget_exact_ks()
    together = pvalues.ks_exact(m, n, gaps)
    alone = []
    for gap in gaps:
        pvalues.forget_exact_ks()
        alone.append(pvalues.ks_exact(m, n, np.array([gap]))[0])
    pvalues.forget_exact_ks()
    pvalues.ks_exact(m, n, gaps[::3])
    late = pvalues.ks_exact(m, n, gaps)
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(late, alone)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.sampled_from(BATCHED))
def test_scores_do_not_depend_on_how_the_values_lie_in_memory(seed: int, kind: str, spec: ComparisonSpec) -> None:
    rng = np.random.default_rng(seed)
    a, b = (bins(rng, [kind] * 3, [30, 41, 50], shift) for shift in (0.4, 0.0))
    expected = compare_bins(spec, a, b)
    for moved in (strided, of_a_column):
        scores, notes = compare_bins(spec, moved(a), moved(b))
        np.testing.assert_array_equal(scores, expected[0])
        assert notes == expected[1]


def strided(found: Bins) -> Bins:
    """The same values, each among others."""
    return replace(found, values=np.repeat(found.values, 3)[::3])


def of_a_column(found: Bins) -> Bins:
    """The same values as a column of a table that is kept row by row."""
    return replace(found, values=np.stack([found.values] * 4, axis=1)[:, 2])


def test_smirnovs_sum_keeps_small_p_values() -> None:
    distance = np.array([0.03, 0.05, 0.1, 0.2, 0.49])
    n_a, n_b = np.full(5, 20_000.0), np.full(5, 10_000.0)
    expected = stats.kstwo.sf(distance, np.rint(n_a * n_b / (n_a + n_b)))
    np.testing.assert_allclose(pvalues.ks_asymptotic(distance, n_a, n_b), expected, rtol=1e-9)


@pytest.mark.parametrize("size", [10, 40, 333, 5000])
def test_smooth_ks_is_near_the_asymptotic_one(size: int) -> None:
    distance = np.linspace(0.5, 2.0, 20) / np.sqrt(size)
    n = np.full(20, 2.0 * size)
    np.testing.assert_allclose(
        pvalues.ks_smooth(distance, n, n), stats.kstwo.sf(distance, size), rtol=0.06, atol=0.0155 if size < 40 else 0
    )


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 7), (5, 3), (8, 8), (8, 60)])
def test_exact_mann_whitney_is_scipys(m: int, n: int) -> None:
    rng = np.random.default_rng(m + 100 * n)
    for shift in (0.0, 0.5, 4.0):
        a, b = rng.normal(shift, 1, m), rng.normal(0, 1, n)
        found = stats.mannwhitneyu(a, b, method="exact")
        mine = pvalues.mann_whitney(np.array([found.statistic]), np.zeros(1), np.array([float(m)]), np.array([float(n)]))
        np.testing.assert_allclose(mine, found.pvalue, rtol=1e-10)
