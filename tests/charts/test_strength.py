"""How scores become colours and words."""

from __future__ import annotations

import numpy as np
import pytest

from fairaudit.charts.strength import Strength
from fairaudit.comparison import COMPARISONS


def test_p_values_become_minus_log10() -> None:
    scale = Strength.of(COMPARISONS["ks"])
    np.testing.assert_allclose(scale.values(np.array([1, 0.1, 1e-6])), [0, 1, 6])
    assert np.isnan(scale.values(np.array([np.nan]))[0])
    assert np.isfinite(scale.values(np.array([0.0]))[0])
    assert (scale.low, scale.high) == (0.0, 6.0)


def test_floor_and_ceiling_are_marked() -> None:
    scale = Strength.of(COMPARISONS["ad"])
    assert [scale.limit(p) for p in (0.001, 0.0011, 0.2499, 0.25)] == ["floor", "", "", "ceiling"]
    assert [scale.short(p) for p in (0.001, 0.1, 0.25)] == ["≤0.001", "0.100", "≥0.25"]
    assert "true p is smaller" in scale.long(0.001)
    assert "no difference" in scale.long(0.25)
    assert (scale.low, scale.high) == pytest.approx((-np.log10(0.25), 3))
    assert [name for _, name in zip(*scale.ticks(), strict=True)] == ["≥ 0.25", "<b>α = 0.05</b>", "0.01", "≤ 0.001"]


def test_an_underflowed_p_value_is_at_its_floor() -> None:
    scale = Strength.of(COMPARISONS["ks"])
    assert scale.limit(0.0) == "floor"
    assert scale.short(0.0) == "≈0"
    assert scale.long(0.0).startswith("p &lt; 1e-300")
    assert scale.limit(1e-200) == ""


def test_scores_are_distances_from_no_difference() -> None:
    rom = Strength.of(COMPARISONS["rom"])
    assert rom.long(0.504) == "0.504 (50.4 %)"
    assert (rom.line, rom.high) == (0.1, 0.5)
    assert Strength.of(COMPARISONS["rom"], threshold=0.2).line == 0.2
    signed = Strength.of(COMPARISONS["mean_difference"])
    np.testing.assert_array_equal(signed.values(np.array([-3.0, 3.0])), [3.0, 3.0])
    assert signed.short(-3.0) == "−3"
    assert rom.short(0.001) == "<0.01"
    assert rom.short(np.inf) == "∞"
    assert rom.short(np.nan) == "–"


@pytest.mark.parametrize("name", [spec.name for spec in COMPARISONS])
def test_every_comparison_has_a_scale_with_its_line_on_it(name: str) -> None:
    scale = Strength.of(COMPARISONS[name])
    assert scale.low < scale.line_at() < scale.high
    places, labels = scale.ticks()
    assert places == sorted(places)
    assert len(set(places)) == len(places) == len(labels)
    assert any(f"{scale.line:g}" in label for label in labels)
    assert all(scale.low - 1e-9 <= p <= scale.high + 1e-9 for p in places)


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.2])
def test_labels_of_the_colour_bar_keep_apart(alpha: float) -> None:
    for floor in (None, 0.001):
        scale = Strength.p_values(alpha, floor)
        assert np.diff(scale.ticks()[0]).min() > 0.05 * scale.high


def test_flags() -> None:
    assert Strength.of(COMPARISONS["ks"]).flagged(0.049)
    assert not Strength.of(COMPARISONS["ks"]).flagged(0.05)
    assert Strength.of(COMPARISONS["rom"]).flagged(0.11)
    assert not Strength.of(COMPARISONS["rom"]).flagged(float("nan"))
