"""Algorithm 1 of QMAD over frames, groups and attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.attributes import PairValues, pair_values
from fairaudit.contrast import Contrast, Pair
from fairaudit.errors import SettingsError, column_not_found, stop_if
from fairaudit.kernels.functions import KS_EXACT_ROWS, KS_EXACT_ROWS_SCIPY
from fairaudit.qmad.rows import attribute_row, bin_rows, overall_row, score_tables, unmeasured_row
from fairaudit.qmad.scoring import AttributeScore, comparison_for, cut, score_attribute
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult, now, versions
from fairaudit.schema import COMPARED_TYPES, AuditTable, Frames, Schema
from fairaudit.validation import check_frames

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]
Table = pd.DataFrame | AuditTable


def audit(
    reference: Table,
    targets: Table | Sequence[Table] | Mapping[str, Table] = (),
    attributes: Sequence[str] | None = None,
    comparison: str = "ks",
    aggregation: str = "harmonic",
    bins: int = 10,
    binning: str = "sequential",
    contrast: Contrast | str = "frame_vs_reference",
    aggregate_over: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    resamples: int = 999,
    seed: int = 0,
    schema: Schema | Mapping[str, Any] | None = None,
    *,
    threshold: float | None = None,
    weights: Mapping[str, float] | None = None,
    normalise: bool = False,
    nominal_as_codes: bool = False,
    shuffle: bool = False,
    correction: str = "westfall_young_holm",
    stability: int = 0,
    detectable: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> AuditResult:
    """Compare target tables with a reference table, attribute by attribute and bin by bin.

    Parameters
    ----------
    reference : DataFrame or AuditTable
    targets : DataFrame, AuditTable, sequence of them, or mapping of name to table
        Target tables, for instance one a day. None are needed to compare groups inside the reference.
    attributes : sequence of str, optional
        Columns to compare; by default every column of a compared type.
    comparison, aggregation, binning : str
        Registered names; see ``fairaudit.COMPARISONS``, ``fairaudit.AGGREGATIONS``, ``fairaudit.BINNINGS``.
    bins : int
        Number of bins.
    contrast : str or Contrast
        Who is compared with whom.
    aggregate_over : {"all", "features", "prediction"} or sequence of str, optional
        Attributes of the overall score; by default the paper's choice.
    alpha : float
        Level of the verdicts.
    resamples : int
        Largest number of permutations for calibrated verdicts; 0 leaves them out.
    seed : int
        Seed of every random step.
    schema : Schema or dict, optional
        Roles and types of the columns; inferred where it does not say.
    threshold : float, optional
        Score above which the uncalibrated rule raises a flag, for comparisons that are no p-values.
    weights : mapping of str to float, optional
        Weights of attributes in the overall score; attributes that are not named weigh 1.
    normalise : bool
        Bring attribute scores to [0, 1] before they become the overall score.
    nominal_as_codes : bool
        Compare nominal attributes by their label codes, as the paper does.
    shuffle : bool
        Put the rows of each side in a seeded random order before sequential binning.
    correction : {"westfall_young_holm", "benjamini_hochberg", "none"}
        How calibrated p-values are corrected for the number of attributes and pairs.
    stability : int
        Number of bootstrap resamples for the column ``stability``: how often each attribute would be flagged again, and ``stability_null``, how
        often by chance alone; 200 is a good number. 0 leaves them out.
    detectable : int
        Number of data sets without a difference for the columns ``detectable`` and ``detectable_unit``: how small a difference would have been
        found with 80 % power; 40 is a good number. 0 leaves it out.
    progress : callable, optional
        Called with the number of finished steps and of all steps; each part of the work counts its own steps.
    cancel : callable, optional
        Returns True when the audit is to stop; CancelledError is raised then.

    Returns
    -------
    AuditResult

    Raises
    ------
    FairAuditError
        With the problem and the remedy, when a table, column or setting cannot be used.

    References
    ----------
    .. [1] Quantile Multi-Attribute Disparity (QMAD), Algorithm 1.
    """
    settings = QmadSettings(
        attributes=None if attributes is None else tuple([attributes] if isinstance(attributes, str) else attributes),
        comparison=comparison,
        aggregation=aggregation,
        binning=binning,
        bins=bins,
        contrast=Contrast.from_any(contrast),
        aggregate_over=aggregate_over if aggregate_over is None or isinstance(aggregate_over, str) else tuple(aggregate_over),
        alpha=alpha,
        threshold=threshold,
        weights=tuple((weights or {}).items()),
        normalise=normalise,
        nominal_as_codes=nominal_as_codes,
        shuffle=shuffle,
        resamples=resamples,
        seed=seed,
        correction=correction,
        stability=stability,
        detectable=detectable,
    )
    return audit_frames(check_frames(reference, targets, schema), settings, progress=progress, cancel=cancel)


def audit_frames(
    frames: Frames, settings: QmadSettings, *, progress: Progress | None = None, cancel: Cancel | None = None
) -> AuditResult:
    """The same as ``audit`` for checked tables and settings."""
    if settings.resamples == 0:
        return score_frames(frames, settings, progress=progress, cancel=cancel)
    # The calibration rests on the scores of this module.
    from fairaudit.inference import calibrate, certainty

    plain = score_frames(frames, settings, cancel=cancel)
    adaptive = not (settings.stability or settings.detectable)
    result = calibrate(frames, settings, plain, progress=progress, cancel=cancel, adaptive=adaptive)
    return certainty(frames, settings, result, progress=progress, cancel=cancel)


def score_frames(
    frames: Frames, settings: QmadSettings, *, progress: Progress | None = None, cancel: Cancel | None = None
) -> AuditResult:
    """Scores and the paper's rule, without calibration; parameters as for ``audit_frames``."""
    attributes = compared_attributes(frames, settings)
    over = aggregated_attributes(frames, settings, attributes)
    pairs = settings.contrast.pairs(frames)
    steps, done = len(pairs) * len(attributes), 0
    in_bins: list[dict[str, Any]] = []
    in_attributes: list[dict[str, Any]] = []
    in_overall: list[dict[str, Any]] = []
    for pair in pairs:
        scored: list[AttributeScore] = []
        for attribute in attributes:
            stop_if(cancel, "audit")
            problem = pair.problem or unusable(frames, pair, attribute)
            if problem:
                in_attributes.append(
                    unmeasured_row(pair, attribute, comparison_for(settings, frames.reference.type_of(attribute)).name, problem)
                )
            else:
                score = score_attribute(pair_values(pair, attribute), settings)
                scored.append(score)
                in_bins += bin_rows(pair, score)
                in_attributes.append(attribute_row(pair, score))
            done += 1
            if progress is not None:
                progress(done, steps)
        in_overall.append(overall_row(pair, scored, over, settings))
    provenance = {
        "settings": settings.to_dict(),
        "schema": frames.schema.to_dict(),
        "fingerprints": {t.name: t.fingerprint for t in frames.tables},
        "rows": {t.name: len(t) for t in frames.tables},
        "samples": {name: sample.to_dict() for name, sample in frames.samples.items()},
        "rows_without_group": settings.contrast.rows_without_group(frames),
        "reference": frames.reference.name,
        "aggregated_attributes": list(over),
        "versions": versions(),
        "created": now(),
    }
    if settings.comparison in KS_EXACT_LIMITS:
        larger = [max(row["n_target"], row["n_reference"]) for row in in_bins if not np.isnan(row["score"])]
        exact = sum(n <= KS_EXACT_LIMITS[settings.comparison] for n in larger)
        provenance["ks_p_values"] = f"exact in {exact:,} bins, asymptotic in {len(larger) - exact:,}"
    return AuditResult(*score_tables(in_bins, in_attributes, in_overall), provenance, frames.findings)


KS_EXACT_LIMITS = {"ks": KS_EXACT_ROWS, "ks_auto": KS_EXACT_ROWS_SCIPY}
"""Largest number of values on a side for which the p-value of a bin is exact."""


def compared_attributes(frames: Frames, settings: QmadSettings) -> tuple[str, ...]:
    """Columns that are compared: those asked for, or every column of a compared type, outcomes first."""
    columns = frames.reference.columns
    schema = frames.schema
    if settings.attributes is not None:
        for attribute in settings.attributes:
            if attribute not in columns:
                raise column_not_found("attribute", attribute, columns, frames.reference.name)
        return settings.attributes
    outcomes = [c for c in (schema.prediction, schema.score, schema.label) if c is not None and c in columns]
    groups = (
        set()
        if settings.contrast.kind == "frame_vs_reference"
        else {f for fs in settings.contrast.feature_sets(schema) for f in fs}
    )
    features = [
        c
        for c in columns
        if c not in outcomes and c not in schema.ignored and c not in groups and frames.reference.type_of(c) in COMPARED_TYPES
    ]
    found = (*outcomes, *features)
    if not found:
        raise SettingsError(
            "No column can be compared: all are identifiers, dates, free text or left out.",
            "Choose the attributes by name, or change their types.",
        )
    return found


def aggregated_attributes(frames: Frames, settings: QmadSettings, attributes: tuple[str, ...]) -> tuple[str, ...]:
    """Attributes whose scores make up the overall score."""
    over, schema = settings.aggregate_over, frames.schema
    prediction = tuple(c for c in (schema.prediction, schema.score) if c in attributes)[:1]
    if over is None:
        whole = settings.spec.scale in ("ratio", "share") or settings.normalise
        return attributes if whole or not prediction else prediction
    if over == "all":
        return attributes
    if over == "prediction":
        if not prediction:
            raise SettingsError(
                "The overall score cannot be made of the prediction: no prediction or score column is among the attributes.",
                "Choose the prediction column, or aggregate over all attributes.",
            )
        return prediction
    if over == "features":
        outcomes = {schema.prediction, schema.score, schema.label}
        features = tuple(a for a in attributes if a not in outcomes)
        if not features:
            raise SettingsError("No feature is among the attributes.", "Choose features, or aggregate over all attributes.")
        return features
    assert isinstance(over, tuple)
    for name in over:
        if name not in attributes:
            raise column_not_found("attribute of the overall score", name, attributes, "the compared attributes")
    return over


def unusable(frames: Frames, pair: Pair, attribute: str) -> str:
    """Why an attribute of a pair cannot be compared; empty when it can."""
    for table in (pair.target, pair.reference):
        if reason := frames.problem_of(table.name, attribute):
            return reason
        if attribute not in table.columns:
            return f"{table.name} has no column {attribute!r}."
    return ""


def cell_bins(
    frames: Frames, settings: QmadSettings, frame: str, group: str, attribute: str, number: int | None = None
) -> tuple[PairValues, np.ndarray, np.ndarray]:
    """The values behind one row of ``attributes()``, or behind one of its bins, for charts.

    Parameters
    ----------
    frames, settings
        As for ``audit_frames``.
    frame, group, attribute : str
        As in the row.
    number : int, optional
        Bin, from 1; all values when it is left out.

    Returns
    -------
    values : PairValues
        The attribute on both sides, with the names of its levels.
    target, reference : ndarray of float
        Valid values of both sides.
    """
    for pair in settings.contrast.pairs(frames):
        if pair.frame == frame and pair.group == group and not (pair.problem or unusable(frames, pair, attribute)):
            values = pair_values(pair, attribute)
            target, reference = cut(values, settings)
            if number is None:
                return values, target.values, reference.values
            return values, target[number - 1], reference[number - 1]
    raise SettingsError(f"There is nothing to show for {attribute!r} of {frame!r}.", "Choose a cell that was measured.")
