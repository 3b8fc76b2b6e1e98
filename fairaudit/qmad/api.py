"""Algorithm 1 of QMAD over frames, groups and attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.aggregation import aggregate
from fairaudit.attributes import PairValues, pair_values, valid_values
from fairaudit.contrast import Contrast, Pair
from fairaudit.errors import SettingsError, column_not_found, stop_if
from fairaudit.kernels.functions import KS_EXACT_ROWS, KS_EXACT_ROWS_SCIPY
from fairaudit.qmad.scoring import AttributeScore, comparison_for, cut, flagged, normalised_threshold, score_attribute
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import ATTRIBUTE_COLUMNS, BIN_COLUMNS, OVERALL_COLUMNS, AuditResult, now, versions
from fairaudit.schema import COMPARED_TYPES, AuditTable, Frames, Schema
from fairaudit.validation import check_frames

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]
Table = pd.DataFrame | AuditTable


def audit(
    reference: Table,
    targets: Table | Sequence[Table] | Mapping[str, Table],
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
        One or more target tables, for instance one a day.
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
    bin_rows: list[dict[str, Any]] = []
    attribute_rows: list[dict[str, Any]] = []
    overall_rows: list[dict[str, Any]] = []
    for pair in pairs:
        scored: list[AttributeScore] = []
        for attribute in attributes:
            stop_if(cancel, "audit")
            problem = pair.problem or unusable(frames, pair, attribute)
            if problem:
                attribute_rows.append(
                    _unmeasured_row(pair, attribute, comparison_for(settings, frames.reference.type_of(attribute)).name, problem)
                )
            else:
                score = score_attribute(pair_values(pair, attribute), settings)
                scored.append(score)
                bin_rows += _bin_rows(pair, score)
                attribute_rows.append(_attribute_row(pair, score))
            done += 1
            if progress is not None:
                progress(done, steps)
        overall_rows.append(_overall_row(pair, scored, over, settings))
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
        larger = [max(row["n_target"], row["n_reference"]) for row in bin_rows if not np.isnan(row["score"])]
        exact = sum(n <= KS_EXACT_LIMITS[settings.comparison] for n in larger)
        provenance["ks_p_values"] = f"exact in {exact:,} bins, asymptotic in {len(larger) - exact:,}"
    return AuditResult(
        _typed(pd.DataFrame(bin_rows, columns=[*BIN_COLUMNS])),
        _typed(pd.DataFrame(attribute_rows, columns=[*ATTRIBUTE_COLUMNS, *EXTRA_ATTRIBUTE_COLUMNS])),
        _typed(pd.DataFrame(overall_rows, columns=[*OVERALL_COLUMNS, *EXTRA_OVERALL_COLUMNS])),
        provenance,
        frames.findings,
    )


KS_EXACT_LIMITS = {"ks": KS_EXACT_ROWS, "ks_auto": KS_EXACT_ROWS_SCIPY}
"""Largest number of values on a side for which the p-value of a bin is exact."""
EXTRA_ATTRIBUTE_COLUMNS = (
    "effect_kind",
    "mean_target",
    "mean_reference",
    "n_target",
    "n_reference",
    "missing_target",
    "missing_reference",
    "left_out_target",
    "left_out_reference",
    "bins_used",
    "bins_defined",
    "normalised",
    "rule",
    "target_side",
    "reference_side",
    "paper_rule",
    "false_alarm_rate",
    "critical_score",
    "n_resamples",
    "stability",
    "stability_null",
    "detectable",
    "detectable_unit",
    "certainty_note",
)
EXTRA_OVERALL_COLUMNS = (
    "rule",
    "target_side",
    "reference_side",
    "n_target",
    "n_reference",
    "paper_rule",
    "false_alarm_rate",
    "critical_score",
    "n_resamples",
)
CALIBRATION: dict[str, Any] = {"false_alarm_rate": np.nan, "critical_score": np.nan, "n_resamples": 0}
"""Entries that only a calibration fills."""


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


def _verdict(flag: bool | None) -> str:
    return "not_measurable" if flag is None else "disparity" if flag else "no_evidence"


def _bin_rows(pair: Pair, score: AttributeScore) -> list[dict[str, Any]]:
    sizes = score.target.sizes, score.reference.sizes
    means = score.target.means(), score.reference.means()
    return [
        {
            "frame": pair.frame,
            "group": pair.group,
            "attribute": score.attribute,
            "bin": b + 1,
            "score": score.scores[b],
            "n_target": int(sizes[0][b]),
            "n_reference": int(sizes[1][b]),
            "mean_target": means[0][b],
            "mean_reference": means[1][b],
            "note": score.notes[b],
        }
        for b in range(len(score.scores))
    ]


def _attribute_row(pair: Pair, score: AttributeScore) -> dict[str, Any]:
    return {
        "frame": pair.frame,
        "group": pair.group,
        "attribute": score.attribute,
        "comparison": score.spec.name,
        "score": score.score,
        "paper_flag": score.flag,
        "p_value": np.nan,
        "p_adjusted": np.nan,
        "effect": score.effect.size,
        "direction": score.effect.direction,
        "verdict": _verdict(score.flag),
        "note": score.note,
        "effect_kind": score.effect.kind,
        "mean_target": score.effect.mean_target,
        "mean_reference": score.effect.mean_reference,
        "n_target": len(score.target.values),
        "n_reference": len(score.reference.values),
        "missing_target": score.missing_target,
        "missing_reference": score.missing_reference,
        "left_out_target": pair.n_target - len(score.target.values),
        "left_out_reference": pair.n_reference - len(score.reference.values),
        "bins_used": len(score.scores),
        "bins_defined": int(np.count_nonzero(~np.isnan(score.scores))),
        "normalised": score.normalised,
        "rule": score.rule,
        "target_side": pair.target_side,
        "reference_side": pair.reference_side,
        "paper_rule": score.rule,
        "detectable_unit": "",
        "certainty_note": "",
        **CALIBRATION,
    }


def _unmeasured_row(pair: Pair, attribute: str, comparison: str, problem: str) -> dict[str, Any]:
    return {
        "frame": pair.frame,
        "group": pair.group,
        "attribute": attribute,
        "comparison": comparison,
        "score": np.nan,
        "paper_flag": None,
        "verdict": "not_measurable",
        "direction": "",
        "note": problem,
        "effect_kind": "",
        **_counted(pair, attribute),
        "bins_used": 0,
        "bins_defined": 0,
        "rule": "",
        "target_side": pair.target_side,
        "reference_side": pair.reference_side,
        "paper_rule": "",
        "detectable_unit": "",
        "certainty_note": "",
        **CALIBRATION,
    }


def _counted(pair: Pair, attribute: str) -> dict[str, Any]:
    """Rows with and without a valid value on each side of a pair that was not compared."""
    row: dict[str, Any] = {}
    sides = (
        ("target", pair.target, pair.target_rows, pair.n_target),
        ("reference", pair.reference, pair.reference_rows, pair.n_reference),
    )
    for side, table, rows, n in sides:
        valid = valid_values(table, attribute)
        used = int(np.count_nonzero(valid if rows is None else valid[rows]))
        row |= {f"n_{side}": used, f"left_out_{side}": n - used, f"missing_{side}": 1 - used / n if n else np.nan}
    return row


def _overall_row(pair: Pair, scored: list[AttributeScore], over: tuple[str, ...], settings: QmadSettings) -> dict[str, Any]:
    """The overall score M: lines 9 to 12 of Algorithm 1."""
    used = [s for s in scored if s.attribute in over]
    score, flag, rule, note = overall_score(used, settings)
    missing = [a for a in over if a not in {s.attribute for s in used if not np.isnan(s.score)}]
    if missing and not pair.problem:
        note = " ".join(filter(None, [note, f"Left out because not measurable: {', '.join(missing)}."]))
    return {
        "frame": pair.frame,
        "group": pair.group,
        "score": score,
        "paper_flag": flag,
        "p_value": np.nan,
        "p_adjusted": np.nan,
        "verdict": _verdict(flag),
        "note": pair.problem or note,
        "rule": rule,
        "target_side": pair.target_side,
        "reference_side": pair.reference_side,
        "n_target": pair.n_target,
        "n_reference": pair.n_reference,
        "paper_rule": rule,
        **CALIBRATION,
    }


def overall_score(used: list[AttributeScore], settings: QmadSettings) -> tuple[float, bool | None, str, str]:
    """Score M, the uncalibrated rule on it, the rule in words, and what to know."""
    spec = settings.spec
    if not used:
        return float("nan"), None, "", "No attribute could be measured."
    if spec.scale == "unit" and not settings.normalise and len(used) > 1:
        return (
            float("nan"),
            None,
            "",
            "Scores in the units of different attributes cannot be aggregated: normalise them, or aggregate over one attribute.",
        )
    values = np.array([s.normalised if settings.normalise else s.score for s in used])
    weights = None
    if settings.weights:
        named = dict(settings.weights)
        weights = np.array([named.get(s.attribute, 1.0) for s in used])
    score = aggregate(settings.aggregation, values, weights)
    if settings.normalise:
        threshold = normalised_threshold(settings)
        return score, None if np.isnan(score) else bool(score > threshold), f"normalised score > {threshold:g}", ""
    flag, rule = flagged(spec, settings, score, used[0].effect.spread)
    note = ""
    if spec.is_p_value and score == 0:
        note = "One or more p-values are at the floor 0 and decide the aggregate."
    return score, flag, rule, note


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as float, counts as integers that may be missing, flags as booleans that may be missing."""
    for column in frame.columns:
        if column == "paper_flag":
            frame[column] = frame[column].astype("boolean")
        elif column in (
            "bin",
            "n_target",
            "n_reference",
            "left_out_target",
            "left_out_reference",
            "bins_used",
            "bins_defined",
            "n_resamples",
        ):
            frame[column] = frame[column].astype("Int64" if frame[column].isna().any() else "int64")
        elif column in (
            "score",
            "p_value",
            "p_adjusted",
            "effect",
            "mean_target",
            "mean_reference",
            "missing_target",
            "missing_reference",
            "normalised",
            "false_alarm_rate",
            "critical_score",
            "stability",
            "stability_null",
            "detectable",
        ):
            frame[column] = frame[column].astype(float)
    return frame
