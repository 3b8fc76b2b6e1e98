"""How often resampling alone flags an attribute that does not differ: what stability must be compared with."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from fairaudit.errors import stop_if
from fairaudit.inference.calibration import measured_pairs
from fairaudit.inference.nulls import PreparedPair, prepare
from fairaudit.inference.pools import pair_seed
from fairaudit.inference.resampling import AttributePool, SortedPool
from fairaudit.inference.stability import count_flagged
from fairaudit.qmad.api import Cancel, Progress
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames

CHANCE = 3
"""Purpose of these random numbers, next to those of permutations, bootstrap and planted differences; the data sets have the next ones."""
DATA_SETS = 4
"""Data sets without a difference that are resampled."""


def stability_by_chance(
    frames: Frames,
    settings: QmadSettings,
    result: AuditResult,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Fill in the column ``stability_null``: what ``stability`` is where there is no difference.

    A bootstrap resample holds the chance of the data and its own, so that it is flagged more often than the data themselves: a few per cent of
    the time for numbers in many bins, more than half of the time for categories with many small levels. The rows of each pair
    change sides at random, and the data sets without a difference that come of it are resampled as for ``stability``.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
        With ``stability`` of 1 or more.
    result : AuditResult
        With critical scores.
    progress, cancel : callable, optional
        As for ``calibrate``.

    Returns
    -------
    AuditResult
        ``stability_null`` in [0, 1], the mean over data sets; NaN where ``stability`` is.
    """
    attributes = result.attributes()
    pairs = measured_pairs(frames, settings, attributes, result.overall_scores)
    each = -(-settings.stability // DATA_SETS)
    done, total = 0, len(pairs) * DATA_SETS
    check = partial(stop_if, cancel, "bootstrap")
    for pair, names, rows, _ in pairs:
        prepared = prepare(pair, names, settings)
        critical = attributes.loc[rows, "critical_score"].to_numpy(dtype=float)
        seed = pair_seed(settings.seed, pair.frame, pair.group, CHANCE)
        flagged = np.zeros(len(names))
        for number, side in enumerate(prepared.rows.permutations(seed, 0, DATA_SETS).T):
            mixed = _mixed(prepared, side)
            own = pair_seed(settings.seed, pair.frame, pair.group, CHANCE + 1 + number)
            flagged += count_flagged(mixed, critical, own, each, check)
            done += 1
            if progress is not None:
                progress(done, total)
        attributes.loc[rows, "stability_null"] = np.where(np.isnan(critical), np.nan, flagged / (DATA_SETS * each))
    return AuditResult(result.bin_scores, attributes, result.overall_scores, result.provenance, result.findings)


def _mixed(prepared: PreparedPair, side: np.ndarray) -> PreparedPair:
    """The pair after its rows changed sides: in each part those of the new target first, as bootstrap expects them."""
    parts = [part.start + np.argsort(1 - side[part], kind="stable") for part in prepared.rows.slices()]
    order = np.concatenate(parts)
    return replace(prepared, attributes=tuple(_reordered(pool, order) for pool in prepared.attributes))


def _reordered(pool: AttributePool, order: np.ndarray) -> AttributePool:
    values = pool.values[order]
    return replace(pool, values=values, sorted=tuple(SortedPool.of(values[part]) for part in pool.rows.slices()))
