"""Colours: order, contrast, and difference without colour vision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fairaudit.charts.theme import THEMES, Theme, colour_at, colour_scale, contrast, faded, ink_on

themes = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


@themes
@pytest.mark.parametrize("scale", ["p_scale", "score_scale", "less_scale"])
def test_scales_move_away_from_the_page_step_by_step(theme: Theme, scale: str) -> None:
    steps = [contrast(colour, theme.page) for colour in getattr(theme, scale)]
    assert steps == sorted(steps)
    assert steps[0] < 1.3
    assert steps[-1] > 8


@themes
def test_text_in_every_cell_can_be_read(theme: Theme) -> None:
    for scale in (theme.p_scale, theme.score_scale, theme.less_scale):
        for share in np.linspace(0, 1, 41):
            colour = colour_at(scale, float(share))
            assert contrast(ink_on(colour, theme), colour) >= 4.2


@themes
def test_words_and_sides_stand_out_from_the_page(theme: Theme) -> None:
    for colour in (theme.text, theme.muted):
        assert contrast(colour, theme.page) >= 4.5
    for colour in (theme.target, theme.reference, theme.accent):
        assert contrast(colour, theme.page) >= 3


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
DEFICIENCIES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colour: str, matrix: list[list[float]]) -> np.ndarray:
    """CIELAB of a colour seen with a deficiency."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(matrix) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@themes
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_two_sides_differ_for_every_kind_of_colour_vision(theme: Theme, deficiency: str) -> None:
    matrix = DEFICIENCIES[deficiency]
    assert np.linalg.norm(lab(theme.target, matrix) - lab(theme.reference, matrix)) > 20
    for scale in (theme.p_scale, theme.score_scale):
        steps = [lab(colour, matrix)[0] for colour in scale]
        differences = np.diff(steps)
        assert (differences < 0).all() or (differences > 0).all()


def test_colours_between_stops() -> None:
    scale = ("#000000", "#FF0000", "#FFFFFF")
    assert colour_at(scale, -1) == "#000000"
    assert colour_at(scale, 0.25) == "#800000"
    assert colour_at(scale, 2) == "#FFFFFF"
    assert colour_scale(scale) == [(0.0, "#000000"), (0.5, "#FF0000"), (1.0, "#FFFFFF")]
    assert faded("#FF0080", 0.5) == "rgba(255,0,128,0.5)"
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@themes
def test_p_values_and_scores_share_no_strong_colour(theme: Theme) -> None:
    normal = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for a, b in itertools.product(theme.p_scale[2:], theme.score_scale[2:]):
        assert np.linalg.norm(lab(a, normal) - lab(b, normal)) > 15
