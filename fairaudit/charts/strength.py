"""How a score becomes a colour and a word: p-values as -log10 p, scores on their own scale. The strong end always means more disparity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fairaudit.charts.text import missing, number, p_short, p_text, percent
from fairaudit.charts.theme import Theme
from fairaudit.comparison import ComparisonSpec

P_TOP = 6.0
"""-log10 p at which the colour is strongest when the comparison has no floor of its own."""
UNIT_LINE = 0.1


@dataclass(frozen=True)
class Strength:
    """Scale of the scores of one comparison.

    Attributes
    ----------
    kind : {"p_value", "ratio", "share", "unit"}
        As in ``ComparisonSpec.scale``.
    line : float
        alpha for p-values, else the threshold.
    no_difference : float
    floor, ceiling : float or None
        Limits at which a p-value stops saying how small or large it is.
    title : str
        Heading of the colour bar, escaped.
    """

    kind: str
    line: float
    no_difference: float = 0.0
    floor: float | None = None
    ceiling: float | None = None
    title: str = ""

    @classmethod
    def of(cls, spec: ComparisonSpec, alpha: float = 0.05, threshold: float | None = None) -> Strength:
        """Scale of a registered comparison."""
        if spec.is_p_value:
            return cls.p_values(alpha, spec.floor, spec.ceiling)
        line = threshold if threshold is not None else UNIT_LINE if spec.threshold is None else spec.threshold
        titles = {"ratio": "Score<br>(ratio)", "share": "Score<br>(share)", "unit": "Score<br>(relative)"}
        return cls(spec.scale, line, spec.no_difference, title=titles[spec.scale])

    @classmethod
    def p_values(cls, alpha: float = 0.05, floor: float | None = None, ceiling: float | None = None) -> Strength:
        """Scale of p-values."""
        return cls("p_value", alpha, 1.0, floor, ceiling, "p-value<br>(as −log₁₀ p)")

    @property
    def is_p_value(self) -> bool:
        """True for p-values."""
        return self.kind == "p_value"

    @property
    def low(self) -> float:
        """Strength of the weakest colour."""
        return -math.log10(self.ceiling) if self.is_p_value and self.ceiling is not None else 0.0

    @property
    def high(self) -> float:
        """Strength of the strongest colour; what lies above has the same colour, and its number says so."""
        if self.is_p_value:
            return P_TOP if self.floor is None else max(-math.log10(self.floor), 2.0)
        return min(max(5 * self.line, 0.05), 1.0) if self.kind in ("share", "unit") else max(5 * self.line, 0.05)

    def values(self, scores: np.ndarray) -> np.ndarray:
        """Strength of scores: 0 or near 0 means no disparity; NaN stays NaN."""
        scores = np.asarray(scores, dtype=float)
        if self.is_p_value:
            return -np.log10(np.clip(scores, 1e-308, 1.0))
        return np.abs(scores - self.no_difference)

    def flagged(self, score: float) -> bool:
        """Whether a score lies beyond the line."""
        if missing(score):
            return False
        return score < self.line if self.is_p_value else abs(score - self.no_difference) > self.line

    def limit(self, score: float) -> str:
        """``"floor"``, ``"ceiling"`` or an empty string."""
        if missing(score) or not self.is_p_value:
            return ""
        if score <= (0.0 if self.floor is None else self.floor * (1 + 1e-9)):
            return "floor"
        return "ceiling" if self.ceiling is not None and score >= self.ceiling * (1 - 1e-9) else ""

    def short(self, score: float) -> str:
        """A score for a cell; ≤ and ≥ mark a p-value at its floor or ceiling."""
        if missing(score):
            return "–"
        if self.is_p_value:
            mark = {"floor": "≤", "ceiling": "≥", "": ""}[self.limit(score)] if score > 0 else ""
            return mark + (f"{score:g}" if mark else p_short(score))
        if math.isinf(score):
            return "∞"
        if self.kind == "unit":
            return number(score, 3).replace("-", "−")
        return "<0.01" if 0 < abs(score) < 0.005 else f"{score:.2f}" if abs(score) < 100 else f"{score:.1e}"

    def long(self, score: float) -> str:
        """A score for a hover box."""
        if missing(score):
            return "not defined"
        if self.is_p_value:
            end = {"floor": " (at the floor: the true p is smaller)", "ceiling": " (at the ceiling: no difference)", "": ""}
            return f"p = {p_text(score)}{end[self.limit(score)]}".replace("= <", "<").replace("<", "&lt;")
        shown = number(score)
        return f"{shown} ({percent(score)})" if self.kind in ("ratio", "share") and math.isfinite(score) else shown

    def line_text(self) -> str:
        """The rule in words."""
        return f"α = {self.line:g}" if self.is_p_value else f"threshold {self.line:g}"

    def line_at(self) -> float:
        """Strength at the line."""
        return -math.log10(self.line) if self.is_p_value else self.line

    def ticks(self) -> tuple[list[float], list[str]]:
        """Places and labels of the colour bar."""
        if self.is_p_value:
            marks = [1.0, 0.01, 1e-3, 1e-4, 1e-6]
            names = ["1", "0.01", "0.001", "1e-4", "≤ 1e-6"]
            if self.floor is not None:
                marks, names = [1.0, 0.01, self.floor], ["1", "0.01", f"≤ {self.floor:g}"]
                if self.ceiling is not None:
                    marks[0], names[0] = self.ceiling, f"≥ {self.ceiling:g}"
            found = [(-math.log10(m), n) for m, n in zip(marks, names, strict=True)]
            found = [(v, n) for v, n in found if v <= self.high + 1e-9 and abs(v - self.line_at()) > 0.06 * self.high]
            found.append((self.line_at(), f"<b>α = {self.line:g}</b>"))
        else:
            top = self.high
            found = [(0.0, "0"), (self.line, f"<b>{self.line:g} line</b>"), (top / 2, f"{top / 2:g}"), (top, f"≥ {top:g}")]
        found.sort()
        return [v for v, _ in found], [n for _, n in found]

    def colours(self, theme: Theme) -> tuple[str, ...]:
        """Colours from weak to strong; p-values and scores never share them."""
        return theme.p_scale if self.is_p_value else theme.score_scale
