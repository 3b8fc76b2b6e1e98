"""Bins of equal count: no value is lost, and sizes differ by at most one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairaudit.binning import BINNINGS, equal_offsets, quantile, sequential


@given(n=st.integers(0, 500), bins=st.integers(1, 60))
def test_remainders_are_spread_as_numpy_does(n, bins):
    expected = [len(part) for part in np.array_split(np.arange(n), bins)]
    assert np.diff(equal_offsets(n, bins)).tolist() == expected


@given(
    values=st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")) | st.just(float("inf")), max_size=80), bins=st.integers(1, 12)
)
def test_no_valid_value_is_lost(values, bins):
    values = np.array(values, dtype=float)
    valid = np.sort(values[np.isfinite(values)])
    for spec in BINNINGS:
        cut = spec.function(values, bins)
        assert len(cut) == bins
        np.testing.assert_array_equal(np.sort(cut.values), valid)
        assert cut.sizes.sum() == len(valid)


def test_sequential_bins_are_stretches_of_rows_with_missing_values_left_out():
    cut = sequential(np.array([5.0, np.nan, 3.0, 4.0, np.inf, 1.0]), 3)
    assert [part.tolist() for part in cut] == [[5.0], [3.0, 4.0], [1.0]]
    np.testing.assert_array_equal(cut.means(), [5.0, 3.5, 1.0])


def test_quantile_bins_are_stretches_of_the_sorted_values():
    cut = quantile(np.array([5.0, 1.0, np.nan, 4.0, 2.0, 3.0]), 2)
    assert [part.tolist() for part in cut] == [[1.0, 2.0, 3.0], [4.0, 5.0]]


def test_an_empty_bin_has_no_mean_and_an_index_beyond_the_end_is_an_error():
    cut = sequential(np.array([np.nan, 1.0]), 2)
    assert np.isnan(cut.means()[0])
    with pytest.raises(IndexError):
        cut[2]
