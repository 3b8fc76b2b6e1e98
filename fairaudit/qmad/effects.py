"""Direction and size of a difference, next to its score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.attributes import PairValues


@dataclass(frozen=True)
class Effect:
    """Size and direction of the difference of one attribute, target against reference.

    Attributes
    ----------
    mean_target, mean_reference : float
        Means; the share of the second category for binary attributes; NaN for nominal ones.
    spread : float
        Pooled standard deviation.
    size : float
        Standardised effect; NaN when it is not defined.
    kind : str
        ``"d"``: difference of means in pooled standard deviations (Cohen); ``"h"``: difference of arcsine-transformed shares (Cohen);
        ``"V"``: Cramér's V in [0, 1], without sign.
    direction : str
        In words: ``"higher"``, ``"lower"``, ``"more POST-GRAD"``, ``"more Private, fewer State-gov"`` or ``"equal"``.
    note : str
        What makes the comparison special: identical constants, different constants.
    """

    mean_target: float
    mean_reference: float
    spread: float
    size: float
    kind: str
    direction: str
    note: str = ""


NO_EFFECT = Effect(np.nan, np.nan, np.nan, np.nan, "", "")


def effect(values: PairValues) -> Effect:
    """Effect of one attribute over all rows, without bins."""
    target, reference = values.target[~np.isnan(values.target)], values.reference[~np.isnan(values.reference)]
    if not len(target) or not len(reference):
        return NO_EFFECT
    if values.type in ("nominal", "identifier", "text"):
        return _nominal(target, reference, values.levels)
    mean_t, mean_r = float(target.mean()), float(reference.mean())
    ddof = len(target) + len(reference) - 2
    squares = ((target - mean_t) ** 2).sum() + ((reference - mean_r) ** 2).sum()
    spread = float(np.sqrt(squares / ddof)) if ddof > 0 else float("nan")
    constant = target.min() == target.max() and reference.min() == reference.max()
    note = ""
    if constant:
        note = (
            "identical: one value on both sides"
            if target[0] == reference[0]
            else "a different constant on each side: a maximal difference"
        )
    if values.type == "binary":
        size = float(2 * np.arcsin(np.sqrt(mean_t)) - 2 * np.arcsin(np.sqrt(mean_r)))
        what = values.levels[-1] if values.levels else "1"
        direction = "equal" if mean_t == mean_r else f"more {what}" if mean_t > mean_r else f"fewer {what}"
        return Effect(mean_t, mean_r, spread, size, "h", direction, note)
    size = (mean_t - mean_r) / spread if spread > 0 else 0.0 if mean_t == mean_r else float("nan")
    direction = "equal" if mean_t == mean_r else "higher" if mean_t > mean_r else "lower"
    return Effect(mean_t, mean_r, spread, float(size), "d", direction, note)


def _nominal(target: np.ndarray, reference: np.ndarray, levels: tuple[str, ...]) -> Effect:
    counts = np.stack([np.bincount(s.astype(np.intp), minlength=len(levels)) for s in (target, reference)]).astype(float)
    counts = counts[:, counts.sum(axis=0) > 0]
    names = [n for i, n in enumerate(levels) if i in set(np.unique(np.concatenate([target, reference])).astype(int))]
    if counts.shape[1] == 1:
        return Effect(np.nan, np.nan, np.nan, 0.0, "V", "equal", "identical: one value on both sides")
    n = counts.sum()
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / n
    size = float(np.sqrt(((counts - expected) ** 2 / expected).sum() / n))
    change = counts[0] / counts[0].sum() - counts[1] / counts[1].sum()
    if np.abs(change).max() == 0:
        return Effect(np.nan, np.nan, np.nan, size, "V", "equal")
    note = (
        "a different constant on each side: a maximal difference"
        if (counts.min(axis=0) == 0).all() and counts.shape[1] == 2
        else ""
    )
    return Effect(
        np.nan, np.nan, np.nan, size, "V", f"more {names[int(change.argmax())]}, fewer {names[int(change.argmin())]}", note
    )
