"""Colours, fonts and symbols of the charts, for light and dark screens."""

from __future__ import annotations

from dataclasses import dataclass

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", "Liberation Sans", sans-serif'


@dataclass(frozen=True)
class Theme:
    """How figures look on one kind of screen.

    Attributes
    ----------
    name : str
    page : str
        Colour of the page behind the figures, which have no background of their own.
    text, muted, grid, axis : str
        Colours of words, of less important words, of grid lines and of axis lines.
    target, reference : str
        Colours of the two sides of a comparison; charts tell the sides apart by symbol or line style as well.
    accent : str
        Lines that a reader must not miss: alpha, thresholds, the chosen cell.
    unmeasured : str
        Cells and marks of what cannot be measured.
    band : str
        Range that counts as no disparity.
    p_scale, score_scale : tuple of str
        From no disparity to much disparity; p-values and scores have different hues, so that they cannot be mixed up.
    less_scale : tuple of str
        From no change to a large decrease of disparity.
    series : tuple of str
        Colours of series without an order (Okabe-Ito).
    dark_ink, light_ink : str
        Text on light and on dark cells.
    font : str
    """

    name: str
    page: str
    text: str
    muted: str
    grid: str
    axis: str
    target: str
    reference: str
    accent: str
    unmeasured: str
    band: str
    p_scale: tuple[str, ...]
    score_scale: tuple[str, ...]
    less_scale: tuple[str, ...]
    series: tuple[str, ...]
    dark_ink: str = "#070D10"
    light_ink: str = "#FFFFFF"
    font: str = FONT


LIGHT = Theme(
    name="light",
    page="#FFFFFF",
    text="#17252A",
    muted="#56666D",
    grid="#E6ECEE",
    axis="#B4C1C6",
    target="#D55E00",
    reference="#0072B2",
    accent="#0B6E76",
    unmeasured="#E3E8EA",
    band="#EEF4F2",
    p_scale=("#FBF6EE", "#FCE3BC", "#F7B267", "#E2703A", "#B13A2B", "#6E1423"),
    score_scale=("#F3F5FB", "#D5DDF3", "#A3B4E6", "#6F84D0", "#4653A8", "#271F6B"),
    less_scale=("#F3F8F7", "#CBE8E2", "#8CCBC0", "#469E95", "#1B726D", "#05464A"),
    series=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#B07C00", "#5B6770"),
)
DARK = Theme(
    name="dark",
    page="#10181C",
    text="#E8EFF1",
    muted="#A3B2B8",
    grid="#233037",
    axis="#4A5B64",
    target="#F0A03C",
    reference="#62B8F0",
    accent="#4FC3C7",
    unmeasured="#2B363C",
    band="#17262A",
    p_scale=("#1E262A", "#4A2A22", "#8C3F22", "#CF6A2C", "#F4A650", "#FFE3A6"),
    score_scale=("#1D2530", "#2B3663", "#465499", "#6D80CE", "#A3B6F2", "#E1E9FF"),
    less_scale=("#1C2829", "#1B4644", "#1F6E69", "#3A9D94", "#78CCC0", "#D0F5EC"),
    series=("#56B4E9", "#E69F00", "#2FBF94", "#E3A3C7", "#F07F3C", "#7FA8FF", "#A9B4BA"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "hexagon", "pentagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def colour_scale(colours: tuple[str, ...]) -> list[tuple[float, str]]:
    """The form that plotly wants: evenly spaced stops on [0, 1]."""
    return [(i / (len(colours) - 1), colour) for i, colour in enumerate(colours)]


def colour_at(colours: tuple[str, ...], share: float) -> str:
    """Colour at a place of a scale; 0 is its first colour, 1 its last.

    Examples
    --------
    >>> colour_at(("#000000", "#FFFFFF"), 0.5)
    '#808080'
    """
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    left = min(int(place), len(colours) - 2)
    a, b = _rgb(colours[left]), _rgb(colours[left + 1])
    return "#" + "".join(f"{round(x + (y - x) * (place - left)):02X}" for x, y in zip(a, b, strict=True))


def faded(colour: str, opacity: float) -> str:
    """The colour as ``rgba(...)``."""
    r, g, b = _rgb(colour)
    return f"rgba({r},{g},{b},{opacity:g})"


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(colour: str, theme: Theme) -> str:
    """Text colour that is easier to read on ``colour``."""
    return max((theme.dark_ink, theme.light_ink), key=lambda ink: contrast(ink, colour))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    parts = [c / 255 for c in _rgb(colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
