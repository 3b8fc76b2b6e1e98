"""Impact ratios by category, in the form of New York City's Local Law 144 bias audits. A form, not legal advice.

References
----------
.. [1] Rules of the City of New York, title 6, section 5-301: selection (or scoring) rates and impact ratios by sex, by race/ethnicity,
   and by their intersections; a category of less than 2 % of the data may be left out of the ratios.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from fairaudit.baselines.counts import MISSING, CountTable
from fairaudit.baselines.intervals import LEVEL, combine_ratio, wilson
from fairaudit.baselines.rates import rate_counts
from fairaudit.contrast import MISSING_GROUP
from fairaudit.errors import SettingsError
from fairaudit.results import notebook_html

FOUR_FIFTHS = 0.8
SMALL_CATEGORY = 0.02
"""Share of the rows below which Local Law 144 allows to leave a category out of the ratios."""


@dataclass(frozen=True)
class ImpactRow:
    """One category; field meanings as the columns of ``ImpactRatios.to_frame``."""

    partition: str
    category: str
    n: int
    n_selected: int
    rate: float
    low: float
    high: float
    impact_ratio: float
    ratio_low: float
    ratio_high: float
    below_four_fifths: bool
    note: str


@dataclass(frozen=True)
class ImpactRatios:
    """Impact ratios of every category of every partition.

    Attributes
    ----------
    rows : tuple of ImpactRow
    level : float
        Of the intervals.
    """

    rows: tuple[ImpactRow, ...]
    level: float

    def to_frame(self) -> pd.DataFrame:
        """One row a category: partition, category, n, n_selected, rate, low, high, impact_ratio, ratio_low, ratio_high, ..."""
        return pd.DataFrame([vars(row) for row in self.rows], columns=list(ImpactRow.__dataclass_fields__))

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return notebook_html(self.to_frame())

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {"level": self.level, "rows": [dict(vars(row)) for row in self.rows]}


def above_median(scores: np.ndarray) -> np.ndarray:
    """Codes (see ``outcome_codes``) of rows that score above the median of the whole sample: the "scoring rate" counts these.

    Examples
    --------
    >>> import numpy as np
    >>> above_median(np.array([1.0, 2.0, 3.0, np.nan])).tolist()
    [0, 0, 1, 2]
    """
    valid = np.isfinite(scores)
    middle = np.median(scores[valid]) if valid.any() else np.nan
    return np.where(valid, scores > middle, MISSING).astype(np.uint8)


def impact_ratios(
    table: CountTable, attributes: tuple[str, ...], *, min_share: float = 0.0, level: float = LEVEL
) -> ImpactRatios:
    """Selection rate of each category and its ratio to that of the best-off category.

    Parameters
    ----------
    table : CountTable
        Decisions by one or more attributes. For scoring rates make it from ``above_median``.
    attributes : tuple of str
        Names of the table's attributes.
    min_share : float
        Categories with a smaller share of the rows are listed without a ratio; Local Law 144 allows 0.02.
    level : float
        Of the intervals.

    Returns
    -------
    ImpactRatios
        Each attribute by itself, then, if there are several, their intersections. The interval of a rate is Wilson's; that of a
        ratio combines both rates' intervals and takes the best-off category as given. Rows whose category is missing are counted, without a ratio.

    Examples
    --------
    >>> from fairaudit.baselines import count_table
    >>> table = count_table(["m", "m", "f", "f"], y_pred=[1, 1, 0, 1])
    >>> impact_ratios(table, ("sex",)).to_frame()[["category", "n", "rate", "impact_ratio"]]
      category  n  rate  impact_ratio
    0        f  2   0.5           0.5
    1        m  2   1.0           1.0
    """
    if len(attributes) != len(table.names):
        raise SettingsError(
            f"The table has {len(table.names)} attributes, but {len(attributes)} names were given.", "Name each attribute once."
        )
    rows: list[ImpactRow] = []
    unknown = [np.array(names) == MISSING_GROUP for names in table.names]
    for i, name in enumerate(attributes):
        rows += _partition(name, table.marginal(i), unknown[i], min_share, level)
    if len(attributes) > 1:
        rows += _partition(" & ".join(attributes), table.flat(), reduce(np.logical_or.outer, unknown).ravel(), min_share, level)
    return ImpactRatios(tuple(rows), level)


def _partition(name: str, table: CountTable, unknown: np.ndarray, min_share: float, level: float) -> list[ImpactRow]:
    """Rows of one partition; categories without any row are not listed."""
    sizes = table.sizes
    hits, decided = rate_counts(table.counts, "selection_rate")
    lows, highs = wilson(hits, decided, level)
    with np.errstate(invalid="ignore"):
        rates = hits / np.where(decided > 0, decided, np.nan)
    counted = (decided > 0) & (sizes >= min_share * sizes.sum()) & ~unknown
    best = int(np.argmax(np.where(counted, rates, -1.0))) if counted.any() else None
    rows = []
    for g, category in enumerate(table.names[0]):
        if not sizes[g]:
            continue
        ratio = ratio_low = ratio_high = math.nan
        if decided[g] == 0:
            note = "No row has a decision."
        elif unknown[g]:
            note = "Category not known: counted, without a ratio, and no yardstick."
        elif not counted[g]:
            note = f"Fewer than {min_share:.0%} of the rows: no ratio."
        elif best is None or rates[best] == 0:
            note = "Nobody is selected in any category, so a ratio is not defined."
        elif g == best:
            ratio, note = 1.0, "The best-off category, to which the others are compared."
        else:
            note = ""
            ratio = float(rates[g] / rates[best])
            ratio_low, ratio_high = combine_ratio(
                float(rates[g]), (float(lows[g]), float(highs[g])), float(rates[best]), (float(lows[best]), float(highs[best]))
            )
        below = bool(ratio < FOUR_FIFTHS)
        estimates = float(rates[g]), float(lows[g]), float(highs[g]), ratio, ratio_low, ratio_high
        rows.append(ImpactRow(name, category, int(sizes[g]), int(hits[g]), *estimates, below, note))
    return rows
