"""What a verdict leaves open: would it come again, and how small a difference would have been seen?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairaudit.inference.calibration import calibrate
from fairaudit.inference.chance import stability_by_chance
from fairaudit.inference.detectable import POWER, detectable
from fairaudit.inference.stability import stability
from fairaudit.qmad.api import Cancel, Progress
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames

STEPS = 100
"""Steps in which progress is told."""
PERMUTATION_SECONDS, STABILITY_SECONDS, DETECTABLE_SECONDS = 5e-9, 1.3e-8, 1.6e-7
"""Per valid value and permutation, resample, data set: measured with ten bins on one core of a small server, rounded up."""
ONE_BY_ONE = 30.0
"""How much longer a function without a batch form takes."""


def certainty(
    frames: Frames,
    settings: QmadSettings,
    result: AuditResult,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Add to a calibrated audit what the settings ask for: stability, detectable differences, both or nothing.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
        ``stability`` and ``detectable`` say how much is drawn; 0 leaves a part out.
    result : AuditResult
        Calibrated, for the same frames and settings.
    progress, cancel : callable, optional
        As for ``calibrate``; progress counts to 100.

    Returns
    -------
    AuditResult
        With ``stability`` and ``stability_null``, its value by chance alone; with ``detectable`` and ``detectable_unit``; and with
        ``certainty_note``: why one of them is not known.

    Notes
    -----
    Both rest on ``critical_score``, the border of the verdict. Few permutations may settle a verdict that is far from its border and still
    not know where that is, so the rest of them is drawn first where any are left; p-values become finer by it.
    """
    if not (settings.stability or settings.detectable):
        return result
    parts = _costs(result, settings)
    total, done = sum(parts.values()), 0.0

    def told(part: str) -> Progress | None:
        """Progress of one part, as part of the whole."""
        before, own = done, parts[part]
        if progress is None:
            return None
        return lambda n, of: progress(min(int(STEPS * (before + own * n / max(of, 1)) / total), STEPS), STEPS)

    if not complete(result, settings):
        result = calibrate(frames, settings, progress=told("permutations"), cancel=cancel, adaptive=False)
    done += parts["permutations"]
    if settings.stability:
        result = stability(frames, settings, result, resamples=settings.stability, progress=told("stability"), cancel=cancel)
        done += parts["stability"]
        result = stability_by_chance(frames, settings, result, progress=told("chance"), cancel=cancel)
        done += parts["chance"]
    if settings.detectable:
        result = detectable(frames, settings, result, repeats=settings.detectable, progress=told("detectable"), cancel=cancel)
    attributes = result.attributes()
    attributes["certainty_note"] = [_note(row, settings) for _, row in attributes.iterrows()]
    provenance = {**result.provenance, "settings": settings.to_dict()}
    return AuditResult(result.bin_scores, attributes, result.overall_scores, provenance, result.findings)


def complete(result: AuditResult, settings: QmadSettings) -> bool:
    """Whether every measured attribute was permuted as often as the settings allow."""
    rows = result.attribute_scores
    return bool((rows["n_resamples"] >= settings.resamples)[rows["score"].notna()].all())


def certainty_seconds(result: AuditResult, settings: QmadSettings) -> float:
    """About how long ``certainty`` takes for an audit on an ordinary machine, in seconds."""
    return sum(_costs(result, settings).values())


def _costs(result: AuditResult, settings: QmadSettings) -> dict[str, float]:
    """Seconds of each part of the work."""
    rows = result.attribute_scores
    values = float((rows["n_target"] + rows["n_reference"])[rows["score"].notna()].sum())
    values *= ONE_BY_ONE if settings.spec.batch is None else 1.0
    return {
        "permutations": 0.0 if complete(result, settings) else values * settings.resamples * PERMUTATION_SECONDS,
        "stability": values * settings.stability * STABILITY_SECONDS,
        "chance": values * settings.stability * STABILITY_SECONDS,
        "detectable": values * settings.detectable * DETECTABLE_SECONDS,
    }


def _note(row: pd.Series, settings: QmadSettings) -> str:
    """Why stability or the detectable difference of an attribute is not known; empty where they are, and where nothing was measured."""
    if np.isnan(row["score"]):
        return ""
    if np.isnan(row["critical_score"]):
        return f"No score could be flagged with {int(row['n_resamples']):,} permutations."
    if settings.detectable and np.isnan(row["detectable"]):
        if not row["detectable_unit"]:
            return "All values are equal, so no difference can be planted."
        return f"No difference that was planted, however large, is flagged with {POWER:.0%} power."
    return ""
