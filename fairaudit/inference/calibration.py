"""Verdicts whose error rate is what it says: permutation p-values, corrected for being many."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairaudit.contrast import Pair
from fairaudit.errors import SettingsError, stop_if
from fairaudit.inference.correction import (
    TOLERANCE,
    at_most,
    benjamini_hochberg,
    benjamini_hochberg_factors,
    holm_factor,
    holm_over_pairs,
)
from fairaudit.inference.nulls import STAGES, Null, NullBuilder, PreparedPair, borders, prepare, rank_border, settled
from fairaudit.inference.row_order import row_order_findings
from fairaudit.qmad.api import Cancel, Progress, score_frames
from fairaudit.qmad.effects import effect
from fairaudit.qmad.scoring import flags, overall_flags
from fairaudit.qmad.settings import QmadSettings
from fairaudit.results import AuditResult, now
from fairaudit.schema import Finding, Frames


@dataclass(frozen=True, eq=False)
class PairNull:
    """A pair, the places of its rows in the tables of the result, and its permutations."""

    prepared: PreparedPair
    rows: list[int]
    overall_row: int
    null: Null


def calibrate(
    frames: Frames,
    settings: QmadSettings,
    plain: AuditResult | None = None,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    adaptive: bool = True,
) -> AuditResult:
    """Replace the verdicts of a plain audit by calibrated ones.

    The rows of a pair change sides at random: inside each bin's pool for sequential bins, over the whole pool for quantile bins, which
    are cut again then. p = (1 + number of permutations at least as extreme) / (1 + number of permutations). One permutation moves the rows
    of all attributes, so that their dependence is kept.

    Parameters
    ----------
    frames : Frames
    settings : QmadSettings
        With ``resamples`` of 1 or more: the largest number of permutations. Fewer are drawn where the answer is clear.
    plain : AuditResult, optional
        What ``audit`` gave for the same frames and settings without resamples; computed when it is not given.
    progress : callable, optional
        Called with the number of permutations done and of all that may be needed.
    cancel : callable, optional
        Returns True when the work is to stop; CancelledError is raised then.
    adaptive : bool
        False draws all permutations for every pair.

    Returns
    -------
    AuditResult
        Complete, with ``p_value``, ``p_adjusted``, ``verdict``, ``rule``, the false-alarm rate of the paper's rule for each row, the score at
        which the verdict changes (``critical_score``) and the number of permutations.

    Raises
    ------
    SettingsError
        Without permutations.
    CancelledError
        When ``cancel`` says so.

    References
    ----------
    .. [1] B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39, for p = (1 + b) / (1 + m).
    """
    if settings.resamples < 1:
        raise SettingsError("A calibration needs permutations.", "Set the number of resamples to 999, for example.")
    if plain is None:
        plain = score_frames(frames, settings)
    attributes, overall = plain.attributes(), plain.overall()
    measured = measured_pairs(frames, settings, attributes, overall)
    done, total = 0, len(measured) * settings.resamples
    nulls: list[PairNull] = []
    low, high = _doubtful(settings, measured) if adaptive else (0.0, 1.0)

    check = partial(stop_if, cancel, "calibration")

    def report(n: int) -> None:
        if progress is not None:
            progress(min(done + n, total), total)

    for pair, names, rows, overall_row in measured:
        check()
        prepared = prepare(pair, names, settings)
        over = _overall_positions(plain, names, overall_row)
        null = draw_null(prepared, settings, over, low, high, check, report)
        nulls.append(PairNull(prepared, rows, overall_row, null))
        done += settings.resamples
        report(0)
    _write(attributes, overall, nulls, settings)
    findings = tuple(plain.findings)
    if settings.binning == "sequential" and not settings.shuffle:
        named = attributes["attribute"].unique().tolist()
        for table in frames.tables:
            findings += row_order_findings(table, [c for c in named if c in table.columns and _ordered(table.type_of(c))])
    findings += _resolution(settings, nulls)
    provenance = {**plain.provenance, "settings": settings.to_dict(), "created": now()}
    return AuditResult(plain.bin_scores, attributes, overall, provenance, findings)


def draw_null(
    prepared: PreparedPair,
    settings: QmadSettings,
    over: Sequence[int],
    low: float,
    high: float,
    check: Callable[[], None],
    report: Callable[[int], None],
) -> Null:
    """Few permutations first, more while an answer is open, up to ``settings.resamples``."""
    builder = NullBuilder(prepared, settings, over, check)
    null = None
    for stage in (*(s for s in STAGES if s < settings.resamples), settings.resamples):
        builder.draw(stage, report)
        null = builder.null()
        if settled(null, low, high, settings.correction == "westfall_young_holm"):
            break
    assert null is not None, "there is at least one stage"
    return null


def _ordered(column_type: str) -> bool:
    return column_type in ("numeric", "binary", "ordinal", "nominal")


Measured = tuple[Pair, list[str], list[int], int]


def measured_pairs(frames: Frames, settings: QmadSettings, attributes: pd.DataFrame, overall: pd.DataFrame) -> list[Measured]:
    """Pairs with at least one measured attribute: their attributes, and the places of their rows in the two tables."""
    found = []
    for pair in settings.contrast.pairs(frames):
        here = (attributes["frame"] == pair.frame) & (attributes["group"] == pair.group) & attributes["score"].notna()
        if here.any():
            place = overall.index[(overall["frame"] == pair.frame) & (overall["group"] == pair.group)][0]
            found.append((pair, attributes.loc[here, "attribute"].tolist(), attributes.index[here].tolist(), int(place)))
    return found


def _overall_positions(plain: AuditResult, names: Sequence[str], overall_row: int) -> list[int]:
    if np.isnan(plain.overall_scores["score"].to_numpy(dtype=float)[overall_row]):
        return []
    return [i for i, name in enumerate(names) if name in plain.provenance["aggregated_attributes"]]


def _doubtful(settings: QmadSettings, measured: Sequence[Measured]) -> tuple[float, float]:
    """Between which limits the border of a verdict lies, before the other pairs are known."""
    alpha = settings.alpha
    if settings.correction == "none":
        return alpha, alpha
    if settings.correction == "benjamini_hochberg":
        return alpha / max(sum(len(names) for _, names, _, _ in measured), 1), alpha
    return alpha / max(len(measured), 1), alpha


def _resolution(settings: QmadSettings, nulls: Sequence[PairNull]) -> tuple[Finding, ...]:
    """A finding when no corrected p-value can reach alpha."""
    if settings.correction == "none" or not nulls:
        return ()
    per_attribute = settings.correction == "benjamini_hochberg"
    tests = sum(len(n.rows) for n in nulls) if per_attribute else len(nulls)
    if at_most(tests / (settings.resamples + 1), settings.alpha):
        return ()
    return (
        Finding(
            "too_few_resamples",
            "warning",
            "",
            "",
            f"With {settings.resamples} permutations and {tests} {'tests' if per_attribute else 'pairs'} "
            f"a single difference, however large, cannot be flagged at {settings.alpha:g}.",
            f"Use at least {math.ceil(tests / settings.alpha * (1 - TOLERANCE)) - 1:,} permutations, or compare fewer pairs.",
        ),
    )


def _write(attributes: pd.DataFrame, overall: pd.DataFrame, nulls: Sequence[PairNull], settings: QmadSettings) -> None:
    """Put what the permutations showed into the two tables."""
    for table in (attributes, overall):
        table["n_resamples"] = 0
    with_overall = [n for n in nulls if n.null.overall_ranks is not None]
    raw = [n.null.p_values for n in nulls]
    raw_overall = [n.null.overall_ranks[0] for n in with_overall if n.null.overall_ranks is not None]
    inside = [n.null.corrected() for n in nulls] if settings.correction == "westfall_young_holm" else raw
    adjusted, factors = _adjusted(inside, settings)
    adjusted_overall, factors_overall = _adjusted(raw_overall, settings)
    corrected = settings.correction == "westfall_young_holm"
    for n, p, q, here in zip(nulls, raw, adjusted, factors, strict=True):
        border = borders(n.null, settings.alpha, here, corrected)
        alarms = [
            np.mean(flags(a.spec, settings, n.null.reported[1:, i], effect(v).spread))
            for i, (a, v) in enumerate(zip(n.prepared.attributes, n.prepared.values, strict=True))
        ]
        critical = [
            _as_score(b, a.spec.is_p_value, a.spec.no_difference) for b, a in zip(border, n.prepared.attributes, strict=True)
        ]
        rule = _rule(settings, len(p), len(nulls))
        _fill(attributes, n.rows, settings, n.null.n_permutations, p, q, alarms, critical, rule)
    for n, p, q, here in zip(with_overall, raw_overall, adjusted_overall, factors_overall, strict=True):
        assert n.null.overall_reported is not None and n.null.overall_extreme is not None
        overall_border = rank_border(n.null.overall_extreme[:, 0], settings.alpha / float(here[0]))
        first = effect(n.prepared.values[0]).spread
        alarms = [np.mean(overall_flags(settings, n.null.overall_reported[1:], first))]
        p_value = settings.spec.is_p_value and not settings.normalise
        critical = [_as_score(overall_border, p_value, 0.0 if settings.normalise else settings.spec.no_difference)]
        rule = _rule(settings, 1, len(with_overall))
        _fill(overall, [n.overall_row], settings, n.null.n_permutations, p, q, alarms, critical, rule)


def _adjusted(families: list[np.ndarray], settings: QmadSettings) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Corrected p-values, and by what each p-value is multiplied at the border of its verdict."""
    if settings.correction == "none" or not families:
        return families, [np.ones(len(f)) for f in families]
    if settings.correction == "benjamini_hochberg":
        joined = np.concatenate(families)
        parts = np.cumsum([len(f) for f in families])[:-1]
        factors = benjamini_hochberg_factors(joined, settings.alpha)
        return np.split(benjamini_hochberg(joined), parts), np.split(factors, parts)
    factors_of = [holm_factor(families, i, settings.alpha) for i in range(len(families))]
    return holm_over_pairs(families), [np.full(len(f), factor) for f, factor in zip(families, factors_of, strict=True)]


def _as_score(border: float, p_value: bool, no_difference: float) -> float:
    """The score at the border: p-values below it, or scores further than it from no difference, are flagged."""
    if not np.isfinite(border):
        return float("nan")
    return float(-border if p_value else no_difference + border)


def _rule(settings: QmadSettings, attributes: int, pairs: int) -> str:
    """How a calibrated verdict comes about."""
    rule = f"permutation p ≤ {settings.alpha:g}"
    if settings.correction == "none":
        return f"{rule}, not corrected"
    many = [f"{n} {word}s" for n, word in ((attributes, "attribute"), (pairs, "pair")) if n > 1]
    if not many:
        return rule
    name = "false discovery rate" if settings.correction == "benjamini_hochberg" else "corrected"
    return f"{rule}, {name} over {' and '.join(many)}"


def _fill(
    table: pd.DataFrame,
    rows: list[int],
    settings: QmadSettings,
    permutations: int,
    p: np.ndarray,
    adjusted: np.ndarray,
    alarms: Sequence[float],
    critical: Sequence[float],
    rule: str,
) -> None:
    table.loc[rows, "p_value"] = p
    table.loc[rows, "p_adjusted"] = adjusted
    table.loc[rows, "verdict"] = np.where(at_most(adjusted, settings.alpha), "disparity", "no_evidence")
    table.loc[rows, "false_alarm_rate"] = alarms
    table.loc[rows, "critical_score"] = critical
    table.loc[rows, "n_resamples"] = permutations
    table.loc[rows, "rule"] = rule
