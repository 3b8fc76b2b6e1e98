"""From formula to measurement: values, intervals and reasons for the families of metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fairaudit.baselines.continuous import mean_difference_half_width, quantile_disparity, roc_auc_interval
from fairaudit.baselines.counts import MISSING
from fairaudit.baselines.features import Features
from fairaudit.baselines.individual import N_NEIGHBORS, conditioned, consistency_scores, scaled
from fairaudit.baselines.intervals import (
    NO_INTERVAL,
    Interval,
    combine,
    combine_ratio,
    mean_interval,
    of_magnitude,
    percentile_interval,
    wilson,
)
from fairaudit.baselines.rates import RATES, divide, generalized_entropy_index, log_ratios, rate, rate_counts
from fairaudit.baselines.spec import POOL, Direction, Level, Measurement, Sampling, Side, direction_of

Estimate = Callable[[Side, Side, Sampling], Measurement]
LevelOf = Callable[..., Level]
"""Of a side and a sampling; those that are made of neighbours take the largest number of rows among which they are looked for (``pool``)."""
LEAST_COMPARED = 300
"""Rows of a side from which on levels that are made of neighbours are compared. Measured on sides without a difference: balanced conditioned consistency
was called a disparity in 47 % of cases with 60 rows against 5,780, in 27 % with 150, in 3 % with 300 and never with 500."""
Weights = tuple[tuple[float, str], ...]
"""Weighted rates that add up to a number of one side."""


def _needed(weights: Weights) -> tuple[str, ...]:
    """What the rates need, each once."""
    return tuple(dict.fromkeys(need for _, name in weights for need in RATES[name].needs))


def _empty(side: Side, weights: Weights) -> str:
    """Why a weighted sum of rates does not exist on a side; empty when it does."""
    for _, name in weights:
        if rate_counts(side.counts, name)[1] == 0:
            return f"{side.name} has {RATES[name].empty}, so the {RATES[name].label.lower()} is not defined."
    return ""


def _weighted(counts: np.ndarray, weights: Weights) -> np.ndarray:
    """Weighted sum of rates."""
    return np.asarray(sum(w * rate(counts, name) for w, name in weights))


def _certain(side: Side, weights: Weights) -> bool:
    """Whether a rate of the side is 0 or 1, so that resampling its rows would show no variation."""
    return any(hits in (0, total) for hits, total in (rate_counts(side.counts, name) for _, name in weights))


def _wilson_of(side: Side, name: str, how: Sampling) -> Interval:
    """Wilson's interval of one rate of a side."""
    low, high = wilson(*rate_counts(side.counts, name), how.level)
    return float(low), float(high)


def _closed(side: Side, weights: Weights, how: Sampling) -> Interval:
    """Interval of a weighted sum of rates from Wilson's limits."""
    values = [float(rate(side.counts, name)) for _, name in weights]
    return combine([w for w, _ in weights], values, [_wilson_of(side, name, how) for _, name in weights])


def _from_draws(draws: np.ndarray, how: Sampling) -> tuple[Interval, str]:
    """Percentile interval, and a note on resamples without a value."""
    interval, left_out = percentile_interval(draws, how.level)
    note = f"{left_out:.1%} of the resamples had no value and are left out of the interval." if left_out > 0.001 else ""
    return interval, note


def rate_level(weights: Weights) -> LevelOf:
    """A level that is a weighted sum of rates."""

    def level(side: Side, how: Sampling) -> Level:
        if reason := side.lacks(_needed(weights)) or _empty(side, weights):
            return Level(math.nan, note=reason)
        value = float(_weighted(side.counts, weights))
        if _certain(side, weights) or not how.resamples:
            return Level(value, _closed(side, weights, how))
        return Level(value, *_from_draws(_weighted(how.draws(side, 0), weights), how))

    return level


def difference_of_rates(weights: Weights) -> Estimate:
    """Difference of a weighted sum of rates."""

    def estimate(a: Side, b: Side, how: Sampling) -> Measurement:
        for side in (a, b):
            if reason := side.lacks(_needed(weights)):
                return Measurement.undefined(reason)
        value_a, value_b = float(_weighted(a.counts, weights)), float(_weighted(b.counts, weights))
        if reason := " ".join(filter(None, (_empty(a, weights), _empty(b, weights)))):
            return Measurement.undefined(reason, value_a, value_b)
        interval, note = _difference_interval(a, b, weights, how)
        return Measurement.between(value_a - value_b, interval, value_a, value_b, note)

    return estimate


def _difference_interval(a: Side, b: Side, weights: Weights, how: Sampling) -> tuple[Interval, str]:
    """Bootstrap interval of a difference, or the closed form where a rate is 0 or 1."""
    if _certain(a, weights) or _certain(b, weights) or not how.resamples:
        values = [float(_weighted(side.counts, weights)) for side in (a, b)]
        return combine([1, -1], values, [_closed(side, weights, how) for side in (a, b)]), ""
    return _from_draws(_weighted(how.draws(a, 0), weights) - _weighted(how.draws(b, 1), weights), how)


_SELECTION: Weights = ((1.0, "selection_rate"),)


def ratio_of_selection(a: Side, b: Side, how: Sampling) -> Measurement:
    """Disparate impact with its interval."""
    for side in (a, b):
        if reason := side.lacks(("y_pred",)) or _empty(side, _SELECTION):
            return Measurement.undefined(reason)
    rate_a, rate_b = float(rate(a.counts, "selection_rate")), float(rate(b.counts, "selection_rate"))
    if rate_b == 0:
        return Measurement.undefined(f"No row of {b.name} is selected, so a ratio to it is not defined.", rate_a, rate_b)
    if _certain(a, _SELECTION) or _certain(b, _SELECTION) or not how.resamples:
        interval = combine_ratio(rate_a, _wilson_of(a, "selection_rate", how), rate_b, _wilson_of(b, "selection_rate", how))
        note = ""
    else:
        drawn_a, drawn_b = rate(how.draws(a, 0), "selection_rate"), rate(how.draws(b, 1), "selection_rate")
        # A draw in which nobody of b is selected is an infinite ratio, not a missing one: leaving it out would shorten the interval.
        ratios = np.where((drawn_b == 0) & (drawn_a > 0), np.inf, divide(drawn_a, drawn_b))
        interval, note = _from_draws(ratios, how)
    return Measurement.between(rate_a / rate_b, interval, rate_a, rate_b, note)


def log_ratio_of_selection(a: Side, b: Side, how: Sampling) -> Measurement:
    """Empirical differential fairness with its interval, that of the signed log ratios folded to magnitudes."""
    for side in (a, b):
        if reason := side.lacks(("y_pred",)) or _empty(side, _SELECTION):
            return Measurement.undefined(reason)
    rate_a, rate_b = float(rate(a.counts, "selection_rate")), float(rate(b.counts, "selection_rate"))
    ratios = [float(r) for r in log_ratios(a.counts, b.counts, how.concentration)]
    if math.isnan(ratios[0]):
        side, share = (a, rate_a) if rate_a in (0, 1) else (b, rate_b)
        who = "No" if share == 0 else "Every"
        return Measurement.undefined(
            f"{who} row of {side.name} is selected, so its log ratio is infinite without smoothing.", rate_a, rate_b
        )
    value = max(abs(r) for r in ratios)
    if _certain(a, _SELECTION) or _certain(b, _SELECTION) or not how.resamples:
        parts = [of_magnitude(_closed_log_ratio(a, b, rejected, how)) for rejected in (False, True)]
        note = ""
    else:
        drawn = log_ratios(how.draws(a, 0), how.draws(b, 1), how.concentration)
        found = [_from_draws(d, how) for d in drawn]
        parts, note = [of_magnitude(interval) for interval, _ in found], found[0][1]
    return Measurement.between(value, _largest(parts), rate_a, rate_b, note)


def _closed_log_ratio(a: Side, b: Side, rejected: bool, how: Sampling) -> Interval:
    """Interval of the log ratio of smoothed rates from Wilson's limits of both sides."""
    logs: list[float] = []
    intervals: list[Interval] = []
    for side in (a, b):
        hits, total = (float(x) for x in rate_counts(side.counts, "selection_rate"))
        limits = [
            (share * total + how.concentration / 2) / (total + how.concentration)
            for share in (hits / total, *_wilson_of(side, "selection_rate", how))
        ]
        if rejected:
            limits = [1 - limits[0], 1 - limits[2], 1 - limits[1]]
        value, low, high = (math.log(x) if x > 0 else -math.inf for x in limits)
        logs.append(value)
        intervals.append((low, high))
    return combine([1, -1], logs, intervals)


def _largest(intervals: list[Interval]) -> Interval:
    """Interval of the largest of several magnitudes."""
    return max(low for low, _ in intervals), max(high for _, high in intervals)


def largest_odds_gap(a: Side, b: Side, how: Sampling) -> Measurement:
    """Equalized odds difference with its interval.

    Two gaps are looked at, so each has an interval of half the error (Bonferroni); a percentile interval of the magnitude
    itself would never reach 0.
    """
    rates = ("true_positive_rate", "false_positive_rate")
    gaps = {name: difference_of_rates(((1.0, name),))(a, b, replace(how, level=(1 + how.level) / 2)) for name in rates}
    if reason := " ".join(dict.fromkeys(gap.note for gap in gaps.values() if math.isnan(gap.value))):
        return Measurement.undefined(reason)
    name = max(gaps, key=lambda key: abs(gaps[key].value))
    gap = gaps[name]
    interval = _largest([of_magnitude((g.low, g.high)) for g in gaps.values()])
    note = f"The larger gap is that of the {RATES[name].label.lower()}."
    return Measurement.between(abs(gap.value), interval, gap.value_a, gap.value_b, " ".join(filter(None, (note, gap.note))))


def at_equal_size(level: LevelOf, levels: tuple[Level, Level], a: Side, b: Side, how: Sampling) -> tuple[Level, Level, str]:
    """Levels of both sides as they can be compared, and what was done to make them so.

    Neighbours are closer among more rows, which alone raises a level that is made of neighbours. The larger side is then represented by as
    many random rows as the smaller one has.
    """
    sizes = [x.n for x in levels]
    least, most = min(sizes), max(sizes)
    if not least or least == most:
        return *levels, ""
    side = (a, b)[sizes.index(most)]
    smaller = level(side, how, pool=least)
    note = f"Compared by {least} random rows of {side.name}, as many as the other side has: more rows alone raise the value."
    return (smaller, levels[1], note) if side is a else (levels[0], smaller, note)


def of_level(level: LevelOf) -> Estimate:
    """Level of side a, judged by its difference to that of side b."""
    difference = difference_of_levels(level)

    def estimate(a: Side, b: Side, how: Sampling) -> Measurement:
        own, other = level(a, how), difference(a, b, how)
        if math.isnan(own.value):
            return Measurement.undefined(own.note, value_b=other.value_b)
        measured = Measurement.between(own.value, own.interval, own.value, other.value_b, own.note)
        if math.isnan(other.value):
            measured = measured.with_note(f"Not compared: {other.note}")
        elif other.judged is not None:
            measured = measured.with_note(other.note)
        return replace(measured, judged=other.judged or (other.value, other.low, other.high))

    return estimate


def difference_of_levels(level: LevelOf) -> Estimate:
    """Level of side a minus that of side b, its interval combined from both; judged at equal size where the size matters."""

    def estimate(a: Side, b: Side, how: Sampling) -> Measurement:
        levels = level(a, how), level(b, how)
        values = [x.value for x in levels]
        notes = " ".join(dict.fromkeys(x.note for x in levels if x.note))
        if any(math.isnan(v) for v in values):
            return Measurement.undefined(" ".join(dict.fromkeys(x.note for x in levels if math.isnan(x.value))), *values)
        interval = combine([1, -1], values, [x.interval for x in levels])
        measured = Measurement.between(values[0] - values[1], interval, values[0], values[1], notes)
        if few := [f"{side.name} has {x.n}" for side, x in zip((a, b), levels, strict=True) if 0 < x.n < LEAST_COMPARED]:
            few_rows = f"{' and '.join(few)} complete rows; below {LEAST_COMPARED} such a level moves by more than its line by chance alone."
            return replace(measured.with_note(f"Not compared: {few_rows}"), judged=(math.nan,) * 3)
        one, other, note = at_equal_size(level, levels, a, b, how)
        if not note:
            return measured
        fair = combine([1, -1], [one.value, other.value], [one.interval, other.interval])
        return replace(measured.with_note(note), judged=(one.value - other.value, *fair))

    return estimate


def entropy_level(alpha: float) -> LevelOf:
    """Generalized entropy index of a side."""
    weights: Weights = ((1.0, "accuracy"),)

    def level(side: Side, how: Sampling) -> Level:
        if reason := side.lacks(("y_true", "y_pred")) or _empty(side, weights):
            return Level(math.nan, note=reason)
        value = float(generalized_entropy_index(side.counts, alpha))
        if math.isnan(value):
            return Level(
                value, note=f"Every row of {side.name} is wrongly rejected, so no one benefits and shares are not defined."
            )
        if value == 0:
            # All rows get the same benefit, so resampling shows no variation. At most, the share of other rows that Wilson's limit
            # allows for gets nothing at all.
            n = rate_counts(side.counts, "accuracy")[1]
            others = 1 - float(wilson(n, n, how.level)[0])
            high = -math.log1p(-others) if alpha == 1 else ((1 - others) ** (1 - alpha) - 1) / (alpha * (alpha - 1))
            return Level(value, (0.0, high))
        if not how.resamples:
            return Level(value, NO_INTERVAL, "An interval needs resamples.")
        return Level(value, *_from_draws(generalized_entropy_index(how.draws(side, 0), alpha), how))

    return level


def auc_level(side: Side, how: Sampling) -> Level:
    """Area under the ROC curve of a side."""
    if reason := side.lacks(("y_true", "y_score")):
        return Level(math.nan, note=reason)
    assert side.y_true is not None and side.y_score is not None
    value, interval = roc_auc_interval(side.y_true, side.y_score, how.level)
    if math.isnan(value):
        return Level(value, note=f"{side.name} has scored labels of one kind only, so a ranking cannot be judged.")
    return Level(value, interval)


def consistency_level(side: Side, how: Sampling, pool: int | None = None) -> Level:
    """Consistency of a side."""
    return _neighbour_level(side, how, "consistency", side.features, pool, leave_self_out=False)


def conditioned_level(side: Side, how: Sampling, pool: int | None = None) -> Level:
    """Balanced conditioned consistency of a side."""
    features = side.features if side.features_without_sensitive is None else side.features_without_sensitive
    return _neighbour_level(side, how, "balanced conditioned consistency", features, pool, leave_self_out=True)


def _neighbour_level(
    side: Side, how: Sampling, name: str, features: Features | None, pool: int | None, *, leave_self_out: bool
) -> Level:
    """Mean of scores that compare each row with its neighbours on the same side, or among ``pool`` random rows of it."""
    key = (name, how, pool)
    if key in side.memo:
        return side.memo[key]
    if reason := side.lacks(("y_pred", "features")):
        return Level(math.nan, note=reason)
    assert features is not None and side.y_pred is not None
    used = np.flatnonzero(features.complete() & (side.y_pred != MISSING))
    n, left_out = len(used), side.n - len(used)
    notes = [f"{left_out} rows of {side.name} with a missing value are left out of {name}."] if left_out else []
    least = N_NEIGHBORS + leave_self_out
    width = features.take(used[:1]).shape[1]
    if n < least or not width:
        why = f"{n} complete rows, and {least} are needed" if width else "no features"
        return Level(math.nan, note=" ".join([f"{side.name} has {why} to find {N_NEIGHBORS} neighbours.", *notes]))
    rng, rows, among = how.rng(2), None, "all of them"
    most = min(n if how.neighbour_rows is None else POOL * how.neighbour_rows, n if pool is None else pool)
    if n > most:
        used = np.sort(rng.choice(used, most, replace=False))
        among = f"a random {most} of them"
    if how.neighbour_rows is not None and len(used) > how.neighbour_rows:
        rows = np.sort(rng.choice(len(used), how.neighbour_rows, replace=False))
        notes.append(f"The {name} of {side.name} is estimated from {how.neighbour_rows} of {n} rows, each against {among}.")
    values, outcome = features.take(used), side.y_pred[used]
    if leave_self_out:
        scores = consistency_scores(scaled(values), outcome, rows=rows, leave_self_out=True, algorithm="brute")
        scores = conditioned(scores)
    else:
        scores = consistency_scores(values, outcome, rows=rows)
    interval = mean_interval(scores, how.level, how.resamples, how.rng(3))
    side.memo[key] = Level(float(scores.mean()), interval, " ".join(notes), len(used))
    return side.memo[key]


def quantile_difference(a: Side, b: Side, how: Sampling) -> Measurement:
    """Quantile demographic disparity with the interval of the mean difference, to which equal bins average."""
    for side in (a, b):
        if reason := side.lacks(("y_score",)):
            return Measurement.undefined(reason)
    assert a.y_score is not None and b.y_score is not None
    result = quantile_disparity(a.y_score, b.y_score, how.bins)
    if math.isnan(result.value):
        empty = " and ".join(s.name for s, scores in ((a, a.y_score), (b, b.y_score)) if not np.isfinite(scores).any())
        return Measurement.undefined(f"{empty} has no valid value.")
    valid_a, valid_b = (scores[np.isfinite(scores)] for scores in (a.y_score, b.y_score))
    mean_a, mean_b = float(result.means_a.mean()), float(result.means_b.mean())
    half = mean_difference_half_width(valid_a, valid_b, how.level)
    notes = []
    if len(result.scores) < result.bins_asked:
        notes.append(f"{result.bins_asked} bins were asked for, {len(result.scores)} are possible.")
    if math.isnan(half):
        notes.append("A side has a single value, so there is no interval.")
    direction: Direction = direction_of(result.value, 0.0)
    return Measurement(result.value, result.value - half, result.value + half, mean_a, mean_b, direction, " ".join(notes))
