"""The rows of an audit's three tables: what was measured, or why it was not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairaudit.aggregation import aggregate
from fairaudit.attributes import valid_values
from fairaudit.contrast import Pair
from fairaudit.qmad.scoring import AttributeScore, flagged, normalised_threshold
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import ATTRIBUTE_COLUMNS, BIN_COLUMNS, OVERALL_COLUMNS

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


def _verdict(flag: bool | None) -> str:
    return "not_measurable" if flag is None else "disparity" if flag else "no_evidence"


def bin_rows(pair: Pair, score: AttributeScore) -> list[dict[str, Any]]:
    """One row for each bin of a measured attribute."""
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


def attribute_row(pair: Pair, score: AttributeScore) -> dict[str, Any]:
    """The row of a measured attribute."""
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


def unmeasured_row(pair: Pair, attribute: str, comparison: str, problem: str) -> dict[str, Any]:
    """The row of an attribute that could not be compared, with the reason."""
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


def overall_row(pair: Pair, scored: list[AttributeScore], over: tuple[str, ...], settings: QmadSettings) -> dict[str, Any]:
    """The overall score M: lines 9 to 12 of Algorithm 1."""
    used = [s for s in scored if s.attribute in over]
    score, flag, rule, note = _overall_score(used, settings)
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


def _overall_score(used: list[AttributeScore], settings: QmadSettings) -> tuple[float, bool | None, str, str]:
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


def score_tables(
    bins: list[dict[str, Any]], attributes: list[dict[str, Any]], overall: list[dict[str, Any]]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The tables of bin, attribute and overall scores; without rows they keep their columns and types."""
    return (
        _typed(pd.DataFrame(bins, columns=[*BIN_COLUMNS])),
        _typed(pd.DataFrame(attributes, columns=[*ATTRIBUTE_COLUMNS, *EXTRA_ATTRIBUTE_COLUMNS])),
        _typed(pd.DataFrame(overall, columns=[*OVERALL_COLUMNS, *EXTRA_OVERALL_COLUMNS])),
    )


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
