"""Scores under new divisions of the rows equal the scores of tables with those divisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairaudit.aggregation import aggregate
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS, ComparisonSpec, compare_bins
from fairaudit.inference import pools, resampling
from fairaudit.inference.pools import RowPool, pair_seed, row_pool
from fairaudit.inference.resampling import AttributePool, cumulated
from fairaudit.kernels import pvalues

BATCHED = [spec for spec in COMPARISONS if spec.batch is not None]
SEED = np.random.SeedSequence(5)


def column(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    if kind == "normal":
        return rng.normal(0, 1, n)
    if kind == "zeros":
        return np.round(np.clip(rng.normal(0.6, 1, n), 0, None), 1)
    if kind == "binary":
        return (rng.random(n) < 0.2).astype(float)
    return rng.integers(1, 9, n).astype(float)


def expected(pool: AttributePool, target: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Scores of one division, by cutting both sides into bins anew."""
    cut = BINNINGS[pool.binning].function
    return compare_bins(pool.spec, cut(target, pool.bins), cut(reference, pool.bins))[0]


def side(pool: AttributePool, rows: RowPool, times: np.ndarray) -> np.ndarray:
    """Values of one side of a division in the order of bins; every bin gets all its rows, missing ones too."""
    return np.repeat(pool.values, times)


def assert_scores(spec: ComparisonSpec, found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("spec", BATCHED, ids=lambda s: s.name)
@pytest.mark.parametrize("binning", ["sequential", "quantile"])
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "zeros", "binary", "integers"]),
    sizes=st.tuples(st.integers(1, 44), st.integers(1, 44)),
    bins=st.integers(1, 6),
)
@settings(max_examples=25)
def test_permutations(spec: ComparisonSpec, binning: str, seed: int, kind: str, sizes: tuple[int, int], bins: int) -> None:
    rng = np.random.default_rng(seed)
    bins = min(bins, *sizes)
    target, reference = (column(rng, kind, n) for n in sizes)
    rows = row_pool(*sizes, bins if binning == "sequential" else 1)
    pool = AttributePool.of(spec, "arithmetic", binning, bins, target, reference, rows)
    sides = np.column_stack([rows.observed, rows.permutations(SEED, 0, 5)])
    found = pool.bin_scores(sides, None, lambda: None)[1]
    assert_scores(spec, found[:, 0], expected(pool, target, reference))
    for r in range(1, 6):
        moved = side(pool, rows, sides[:, r]), side(pool, rows, 1 - sides[:, r])
        assert_scores(spec, found[:, r], expected(pool, *moved))


@pytest.mark.parametrize("spec", [s for s in BATCHED if not s.name.startswith("ks")], ids=lambda s: s.name)
@pytest.mark.parametrize("binning", ["sequential", "quantile"])
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["normal", "zeros", "binary"]), bins=st.integers(1, 5))
@settings(max_examples=20)
def test_missing_values_move_with_their_rows(spec: ComparisonSpec, binning: str, seed: int, kind: str, bins: int) -> None:
    rng = np.random.default_rng(seed)
    target, reference = column(rng, kind, 50), column(rng, kind, 35)
    target[rng.random(50) < 0.3] = np.nan
    reference[:3] = np.nan
    rows = row_pool(50, 35, bins if binning == "sequential" else 1)
    pool = AttributePool.of(spec, "arithmetic", binning, bins, target, reference, rows)
    sides = rows.permutations(SEED, 0, 4)
    found = pool.bin_scores(sides, None, lambda: None)[1]
    for r in range(4):
        assert_scores(spec, found[:, r], expected(pool, *(side(pool, rows, s) for s in (sides[:, r], 1 - sides[:, r]))))


@pytest.mark.parametrize("spec", [s for s in BATCHED if not s.name.startswith("ks")], ids=lambda s: s.name)
@pytest.mark.parametrize("binning", ["sequential", "quantile"])
@pytest.mark.parametrize("kind", ["normal", "zeros", "binary"])
def test_bootstrap_draws_rows_several_times(spec: ComparisonSpec, binning: str, kind: str) -> None:
    rng = np.random.default_rng(3)
    target, reference = column(rng, kind, 90), column(rng, kind, 70)
    reference[5] = np.nan
    rows = row_pool(90, 70, 4 if binning == "sequential" else 1)
    pool = AttributePool.of(spec, "arithmetic", binning, 4, target, reference, rows)
    a, b = rows.bootstrap(SEED, 0, 6)
    assert (a.sum(axis=0) == 90).all() and (b.sum(axis=0) == 70).all()
    assert (a[rows.rows >= 90] == 0).all() and (b[rows.rows < 90] == 0).all()
    found = pool.bin_scores(a, b, lambda: None)[1]
    for r in range(6):
        assert_scores(spec, found[:, r], expected(pool, side(pool, rows, a[:, r]), side(pool, rows, b[:, r])))


@pytest.mark.parametrize("binning", ["sequential", "quantile"])
def test_ks_of_changing_sizes_is_the_smooth_form(binning: str) -> None:
    rng = np.random.default_rng(4)
    target, reference = rng.normal(size=200), rng.normal(size=100)
    target[::7] = np.nan
    rows = row_pool(200, 100, 2 if binning == "sequential" else 1)
    pool = AttributePool.of(COMPARISONS["ks"], "harmonic", binning, 2, target, reference, rows)
    sides = rows.permutations(SEED, 0, 3)
    found = pool.bin_scores(sides, None, lambda: None)[1]
    for r in range(3):
        bins = [BINNINGS[binning].function(side(pool, rows, s), 2) for s in (sides[:, r], 1 - sides[:, r])]
        for i in range(2):
            a, b = bins[0][i], bins[1][i]
            distance = stats.ks_2samp(a, b).statistic
            assert found[i, r] == pytest.approx(pvalues.ks_smooth(distance, len(a), len(b)), rel=1e-9)


def test_attribute_scores_are_aggregated_bins() -> None:
    rng = np.random.default_rng(6)
    rows = row_pool(80, 60, 4)
    pool = AttributePool.of(COMPARISONS["ad"], "harmonic", "sequential", 4, rng.normal(size=80), rng.normal(size=60), rows)
    sides = rows.permutations(SEED, 0, 7)
    scores = pool.bin_scores(sides, None, lambda: None)
    found = pool.both_scores(sides, None, lambda: None)
    for bins, aggregated in zip(scores, found, strict=True):
        np.testing.assert_allclose(aggregated, [aggregate("harmonic", s) for s in bins.T])
    np.testing.assert_array_equal(pool.attribute_scores(sides, None, lambda: None), found[0])


def test_anderson_darling_is_compared_beyond_the_ends_of_its_table() -> None:
    """The larger the gap the smaller the value, where an audit reports the floor or the ceiling; inside the table both are the same."""
    rng = np.random.default_rng(3)
    rows = row_pool(400, 300, 1)
    pool = AttributePool.of(COMPARISONS["ad"], "harmonic", "quantile", 3, rng.normal(size=400), rng.normal(size=300), rows)
    compared, reported = pool.bin_scores(rows.permutations(SEED, 0, 60), None, lambda: None)
    floor, ceiling = reported <= 0.001, reported >= 0.25
    assert floor.any() and (compared[floor] < 0.00102).all() and len(np.unique(compared[floor])) == floor.sum()
    assert (compared[ceiling] > 0.24).all()
    np.testing.assert_array_equal(compared[~floor & ~ceiling], reported[~floor & ~ceiling])
    order = np.argsort(compared, axis=None)
    assert (np.diff(reported.ravel()[order]) >= 0).all()


@pytest.mark.parametrize("binning", ["sequential", "quantile"])
@pytest.mark.parametrize("name", ["ks", "ad", "welch_t", "brunner_munzel", "wasserstein"])
def test_numbers_do_not_depend_on_blocks(binning: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    rows = row_pool(300, 200, 3 if binning == "sequential" else 1)
    pool = AttributePool.of(COMPARISONS[name], "harmonic", binning, 3, rng.normal(size=300), rng.normal(size=200), rows)
    sides = rows.permutations(SEED, 0, 150)
    whole = pool.bin_scores(sides, None, lambda: None)[0]
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 3000)
    np.testing.assert_allclose(pool.bin_scores(sides, None, lambda: None)[0], whole, rtol=1e-11)


def test_permutations_do_not_depend_on_how_they_are_asked_for() -> None:
    rows = row_pool(30, 20, 3)
    whole = rows.permutations(SEED, 0, 200)
    parts = [rows.permutations(SEED, i, j) for i, j in ((0, 10), (10, 64), (64, 65), (65, 200))]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    drawn = rows.bootstrap(SEED, 0, 100)[0]
    np.testing.assert_array_equal(
        np.concatenate([rows.bootstrap(SEED, 0, 37)[0], rows.bootstrap(SEED, 37, 100)[0]], axis=1), drawn
    )


def test_every_pool_keeps_its_number_of_target_rows() -> None:
    rows = row_pool(31, 17, 4)
    sides = rows.permutations(SEED, 0, 100)
    for part, size in zip(rows.slices(), rows.target_sizes, strict=True):
        assert (sides[part].sum(axis=0) == size).all()
    assert rows.observed.sum() == 31


def test_all_divisions_are_equally_likely() -> None:
    sides = row_pool(2, 3, 1).permutations(SEED, 0, 20_000)
    codes = (sides * (2 ** np.arange(5))[:, None]).sum(axis=0)
    counts = np.unique(codes, return_counts=True)[1]
    assert len(counts) == 10
    assert stats.chisquare(counts).pvalue > 0.001


def test_equal_random_keys_leave_no_row_out() -> None:
    class Stuck:
        """Draws equal keys, as a long run will one day."""

        def integers(self, low: int, high: int, shape: tuple[int, int], dtype: type) -> np.ndarray:
            return np.full(shape, 7, dtype=dtype)

        def permutation(self, n: int) -> np.ndarray:
            return np.arange(n)[::-1]

    chosen = pools._divide(Stuck(), 6, 2)  # type: ignore[arg-type]
    assert (chosen.sum(axis=1) == 2).all()
    assert (chosen[:, 4:] == 1).all()


def test_pairs_have_streams_of_their_own() -> None:
    rows = row_pool(30, 20, 1)
    first, second = (rows.permutations(pair_seed(0, frame, "", 0), 0, 5) for frame in ("day 1", "day 2"))
    assert (first != second).any()
    np.testing.assert_array_equal(first, rows.permutations(pair_seed(0, "day 1", "", 0), 0, 5))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 50, 1001])
def test_cumulated_is_cumsum(n: int) -> None:
    x = np.random.default_rng(n).integers(0, 3, (n, 5)).astype(np.uint8)
    np.testing.assert_array_equal(cumulated(x), np.cumsum(x, axis=0, dtype=int))


@pytest.mark.parametrize("size", [0, 3, 7, 50])
def test_divisions_do_not_depend_on_how_many_keys_are_held(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pools._divide(np.random.default_rng(4), 50, size)
    monkeypatch.setattr(pools, "KEYS", 151)
    np.testing.assert_array_equal(pools._divide(np.random.default_rng(4), 50, size), whole)
