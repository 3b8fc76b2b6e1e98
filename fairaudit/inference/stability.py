"""How often would an attribute be flagged again, had other rows of the same kind been collected?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from fairaudit.errors import SettingsError, stop_if
from fairaudit.inference.calibration import calibrate, measured_pairs
from fairaudit.inference.correction import TOLERANCE
from fairaudit.inference.nulls import BOOTSTRAP, PreparedPair, prepare
from fairaudit.inference.pools import STREAM, pair_seed
from fairaudit.inference.resampling import Check
from fairaudit.qmad.api import Cancel, Progress
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames


def stability(
    frames: Frames,
    settings: QmadSettings,
    result: AuditResult | None = None,
    *,
    resamples: int = 200,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Fill in the column ``stability``: the share of bootstrap resamples in which each attribute is flagged.

    The rows of each side are drawn with replacement: inside each bin for sequential bins, over the whole side for quantile bins, which are
    cut again then. A resample counts as flagged when its score is beyond ``critical_score``, the border of the calibrated verdict.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
    result : AuditResult, optional
        A calibrated result for the same frames and settings; computed when it is not given or does not know all critical scores.
    resamples : int
        Number of bootstrap resamples, 1 or more.
    progress, cancel : callable, optional
        As for ``calibrate``.

    Returns
    -------
    AuditResult
        ``result`` with ``stability`` in [0, 1]; NaN where nothing is measured or no score could be flagged.

    Notes
    -----
    A bootstrap sample carries the chance of the data once more, so attributes without any difference are flagged more often than at alpha:
    a verdict near the border shows as a middling share. The critical score itself is taken as known.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap (1993).
    """
    if resamples < 1:
        raise SettingsError(f"The number of resamples must be 1 or more. Got {resamples}.", "Choose 200, for example.")
    result = with_critical_scores(frames, settings, result, cancel)
    attributes = result.attributes()
    pairs = measured_pairs(frames, settings, attributes, result.overall_scores)
    done, total = 0, len(pairs) * resamples
    check = partial(stop_if, cancel, "bootstrap")

    def report(n: int) -> None:
        if progress is not None:
            progress(done + n, total)

    for pair, names, rows, _ in pairs:
        prepared = prepare(pair, names, settings)
        critical = attributes.loc[rows, "critical_score"].to_numpy(dtype=float)
        seed = pair_seed(settings.seed, pair.frame, pair.group, BOOTSTRAP)
        flagged = count_flagged(prepared, critical, seed, resamples, check, report)
        done += resamples
        attributes.loc[rows, "stability"] = np.where(np.isnan(critical), np.nan, flagged / resamples)
    return AuditResult(result.bin_scores, attributes, result.overall_scores, result.provenance, result.findings)


def count_flagged(
    prepared: PreparedPair,
    critical: np.ndarray,
    seed: np.random.SeedSequence,
    resamples: int,
    check: Check,
    report: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """In how many bootstrap resamples each attribute is beyond its critical score, shape (n_attributes,); ``report`` hears how many are done."""
    flagged = np.zeros(len(critical))
    for start in range(0, resamples, STREAM):
        stop = min(start + STREAM, resamples)
        scores = prepared.scores(*prepared.rows.bootstrap(seed, start, stop), check)
        for i, spec in enumerate(prepared.specs()):
            flagged[i] += np.count_nonzero(beyond(scores[:, i], critical[i], spec.is_p_value, spec.no_difference))
        report(stop)
    return flagged


def with_critical_scores(
    frames: Frames, settings: QmadSettings, result: AuditResult | None, cancel: Cancel | None
) -> AuditResult:
    """A calibrated result in which the border of every verdict is known, as far as the number of permutations allows."""
    if settings.resamples == 0:
        raise SettingsError(
            "Without permutations there is no border of a verdict.", "Set the number of resamples to 999, for example."
        )
    if result is not None:
        found = result.attribute_scores
        open_rows = found["p_value"].isna() & found["score"].notna()
        if not (
            open_rows | (found["critical_score"].isna() & (found["n_resamples"] < settings.resamples) & found["score"].notna())
        ).any():
            return result
    return calibrate(frames, settings, adaptive=False, cancel=cancel)


def beyond(scores: np.ndarray, critical: float, p_value: bool, no_difference: float) -> np.ndarray:
    """Whether scores are more extreme than the critical one; False for undefined ones, and for those that differ from it in the last digits only."""
    if p_value:
        return np.asarray(scores < critical * (1 - TOLERANCE))
    return np.asarray(np.abs(scores - no_difference) > abs(critical - no_difference) * (1 + TOLERANCE))
