"""When a published value agrees with the recomputed ones, and why it may not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from fairaudit.reproduction.tables import (
    AD,
    CONSISTENCY,
    DI,
    EDF,
    P_VALUES,
    PLANTED,
    ROM,
    SPD,
    TABLES,
    digits,
    is_feature,
    planted,
    published,
)

LOW, HIGH = 0.05, 0.95
"""Quantiles of the recomputed range."""
TOLERANCE = {("9", SPD): 0.02, ("9", DI): 0.15, ("9", EDF): 0.1, ("9", CONSISTENCY): 0.03, ("8", CONSISTENCY): 0.03}
"""Distance to the median at which a classical metric still agrees: it depends on a tree or on features that the paper does not print."""
PLANTED_TOLERANCE = 0.05
"""The same for the ratio of means of a planted feature."""
RULE = (
    "Inside: the published value lies in the recomputed 5–95 % range (give or take its rounding). Near: it lies beyond the range by no more "
    "than half the range's width, or its distance to the median is at most 0.05 (ratio of means of a planted feature), 0.03 (consistency) or, "
    "in Table 9, 0.02 (statistical parity difference), 0.15 (disparate impact), 0.1 (empirical difference fairness). Both count as agreement. "
    "Cannot: a known reason makes agreement impossible; such cells count neither way."
)
STATUSES = ("inside", "near", "outside", "cannot")


def tolerance(table: str, metric: str, day: int, column: str) -> float:
    """Distance of published value and median that still counts as near; 0 where only the range counts."""
    if metric == ROM and planted(table, day, column):
        return PLANTED_TOLERANCE
    return TOLERANCE.get((table, metric), 0.0)


def status(table: str, metric: str, day: int, column: str, value: float, low: float, median: float, high: float) -> str:
    """One of ``STATUSES`` for a cell.

    Examples
    --------
    >>> status("5", "ROM-Arithmetic", 1, "Education", 0.03, 0.02, 0.05, 0.08)
    'inside'
    """
    if np.isnan([value, low, high]).any():
        return "cannot"
    rounding = 0.5 * 10.0 ** -digits(table)
    if low - rounding <= value <= high + rounding:
        return "inside"
    if any(r.impossible and r.fits(table, metric, day, column) for r in REASONS):
        return "cannot"
    beyond = max(low - value, value - high)
    near = beyond <= (high - low) / 2 + rounding or abs(value - median) <= tolerance(table, metric, day, column)
    return "near" if near else "outside"


@dataclass(frozen=True)
class Reason:
    """Why some cells do not, or cannot, agree.

    Attributes
    ----------
    fits : callable
        (table, metric, day, column) -> bool.
    text : str
    impossible : bool
        True when no recomputation after the printed description can give the published value.
    """

    fits: Callable[[str, str, int, str], bool]
    text: str
    impossible: bool = False


def _prediction_of_day_2(table: str, metric: str, day: int, column: str) -> bool:
    if day != 2:
        return False
    outcome = "Prediction" in column or column == "Linear Regression Salary"
    aggregate = "Agg" in column and metric in P_VALUES
    return (table == "5" and (outcome or aggregate)) or (table == "10" and outcome) or (table == "8" and column != "All rows")


def _zeros_left_out(table: str, metric: str, day: int, column: str) -> bool:
    return table == "10" and day == 2 and "Aggregate" in column


def without_zeros(metric: str, day: int) -> float:
    """Harmonic mean of the published scores of Table 10 that are above 0.

    Examples
    --------
    >>> round(without_zeros("t-test", 2), 5)
    0.03268
    """
    theirs = published("10")
    here = (theirs["metric"] == metric) & (theirs["day"] == day) & ~theirs["column"].str.contains("Aggregate")
    values = theirs.loc[here, "published"].to_numpy()
    return float(stats.hmean(values[values > 0]))


REASONS: tuple[Reason, ...] = (
    Reason(
        _zeros_left_out,
        "The published aggregate is the harmonic mean of the four published scores above 0: the two strongest attributes, printed as 0, were left "
        "out. By the paper's own formula the aggregate is about 0, and all three tests flag the day.",
        impossible=True,
    ),
    Reason(
        lambda table, metric, day, column: (table, metric, day, column) == ("5", AD, 2, "Relevant Exp."),
        "scipy reports Anderson–Darling p-values between 0.001 and 0.25 only; 0.2662 is above that ceiling, and a harmonic mean of values up to 0.25 "
        "cannot reach it.",
        impossible=True,
    ),
    Reason(
        _prediction_of_day_2,
        "With the three biases as described the mean salary of day 2 rises by about 1.7 %. The published salary does not move (no more than on the days "
        "without bias): the published day 2 differs in something that is not printed. Salaries that were predicted before the relevant "
        "experience was raised would fit its mean (ratio of means 0.006 to 0.013, t-test p 0.07 to 0.58).",
    ),
    Reason(
        lambda table, metric, day, column: table == "8" and metric in (SPD, DI, EDF),
        "The paper does not print how a salary becomes a decision. Its own values imply another selection rate of the one reference table on each day "
        "(0.183, 0.196, 0.17), which no single line gives.",
    ),
    Reason(
        lambda table, metric, day, column: table == "8" and metric == CONSISTENCY,
        "The paper prints neither the decision nor the features whose neighbours are compared. Here the six features of the table are used.",
    ),
    Reason(
        lambda table, metric, day, column: metric == CONSISTENCY,
        "The paper does not say whose outcomes and which features are compared. The recorded income inside each day fits best; "
        "the predicted income would give 0.76, and 0.85 on day 3.",
    ),
    Reason(
        lambda table, metric, day, column: metric in (EDF, DI, SPD),
        "The value depends on the tree, which depends on the 80 % of the rows it learns from; neither split nor seed is printed.",
    ),
)


def reason(table: str, metric: str, day: int, column: str) -> str:
    """The first known reason for a cell; empty when there is none."""
    return next((r.text for r in REASONS if r.fits(table, metric, day, column)), "")


def explanation(table: str, metric: str, day: int, column: str, state: str, outside: int, cells: int) -> str:
    """What to know about a cell; empty for a plain agreement.

    Parameters
    ----------
    table, metric, day, column
        The cell.
    state : str
        Its status.
    outside, cells : int
        How many cells without a planted bias of this table and metric lie outside the range, and how many there are.
    """
    if state == "inside":
        return ""
    known = reason(table, metric, day, column)
    if known:
        return known
    if state == "near" and tolerance(table, metric, day, column):
        return "Outside the range of our seeds, and within the distance that still counts."
    if planted(table, day, column):
        return "The size of the planted bias depends on the rows drawn; the paper used one draw, and prints no seed."
    if not is_unbiased(table, day, column):
        return (
            "Made of the scores of a day with planted biases, and of their chance; the paper used one draw, and prints no seed."
        )
    chance = (
        f"No bias is planted here, so the score is chance. The paper's is one draw; a 5–95 % range leaves out one draw in ten even if all "
        f"is the same, and {outside} of the {cells} such cells of this metric lie outside."
    )
    if state == "near":
        return chance
    more = " One bin with a small p-value is enough for a small harmonic mean." if metric in P_VALUES else ""
    return f"{chance} No other reason is known for this one; the number of bins is not printed.{more}"


def is_unbiased(table: str, day: int, column: str) -> bool:
    """Whether a column of a day carries no bias: it is not planted, nor an outcome or aggregate of a day with planted biases."""
    if is_feature(column):
        return not planted(table, day, column)
    return day not in PLANTED.get(TABLES[table].data, {})
