"""Does the order of a table's rows carry information? Sequential bins mean something else when it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special, stats

from fairaudit.attributes import column_values
from fairaudit.schema import COMPARED_TYPES, AuditTable, Finding

LEVEL = 0.01
"""Level of the two tests of a table, corrected for the number of its attributes."""
SMALLEST = 0.1
"""Correlations below this are too weak to matter for bins, however many rows prove them."""

ROW_ORDER_COLUMNS = ("attribute", "trend", "trend_p", "serial", "serial_p", "informative")


def row_order(table: AuditTable, attributes: Sequence[str] | None = None) -> pd.DataFrame:
    """Test for a trend along the rows and for neighbouring rows that are alike.

    Parameters
    ----------
    table : AuditTable
    attributes : sequence of str, optional
        By default every column of a compared type.

    Returns
    -------
    DataFrame
        One row per attribute. ``trend``: Spearman's correlation of the values with the row number. ``serial``: correlation of the ranks
        of neighbouring rows (the rank version of von Neumann's ratio, turned so that 0 means none). Nominal attributes have no order;
        for them ``trend`` is NaN and ``serial`` is the excess share of equal neighbours, on the same scale. Both have
        two-sided normal p-values (one-sided for nominal). ``informative``: one of them is significant at 1 % after correction over
        both tests and all attributes, and at least 0.1 in size.

    References
    ----------
    .. [1] R. Bartels, JASA 77 (1982) 40-46, for the rank version of von Neumann's ratio.
    """
    names = [c for c in table.columns if table.type_of(c) in COMPARED_TYPES] if attributes is None else list(attributes)
    rows = []
    for name in names:
        values = column_values(table, name)
        values = values[np.isfinite(values)]
        nominal = table.type_of(name) == "nominal"
        trend = np.nan if nominal else _trend(values)
        serial, z = _alike(values) if nominal else _serial(values)
        rows.append((name, trend, _two_sided(trend * np.sqrt(max(len(values) - 1, 0))), serial, _two_sided(z)))
    found = pd.DataFrame(rows, columns=list(ROW_ORDER_COLUMNS[:-1]))
    found = found.astype(dict.fromkeys(ROW_ORDER_COLUMNS[1:-1], float))
    level = LEVEL / max(2 * len(found), 1)
    found["informative"] = ((found["trend_p"] < level) & (found["trend"].abs() >= SMALLEST)) | (
        (found["serial_p"] < level) & (found["serial"].abs() >= SMALLEST)
    )
    return found


def row_order_findings(table: AuditTable, attributes: Sequence[str] | None = None) -> tuple[Finding, ...]:
    """What ``row_order`` showed, as one finding with the remedy; empty when the order says nothing."""
    found = row_order(table, attributes)
    named = found.loc[found["informative"], "attribute"].tolist()
    if not named:
        return ()
    shown = ", ".join(named[:5]) + (", …" if len(named) > 5 else "")
    return (
        Finding(
            "informative_row_order",
            "info",
            table.name,
            "",
            f"The order of the rows carries information: {shown} {'has' if len(named) == 1 else 'have'} a trend or runs.",
            "Keep it if the rows are in the order of time; otherwise shuffle the rows, or use quantile bins.",
        ),
    )


def _trend(values: np.ndarray) -> float:
    """Spearman's correlation with the row number; NaN for constants."""
    ranks = stats.rankdata(values)
    return _correlation(ranks, np.arange(len(ranks), dtype=float))


def _serial(values: np.ndarray) -> tuple[float, float]:
    """Correlation of the ranks of neighbours, and its z value."""
    ranks = stats.rankdata(values)
    n = len(ranks)
    if n < 3 or np.ptp(ranks) == 0:
        return np.nan, np.nan
    centred = ranks - ranks.mean()
    serial = float((centred[1:] * centred[:-1]).sum() / (centred**2).sum())
    return serial, (serial + 1 / n) * np.sqrt(n)


def _alike(values: np.ndarray) -> tuple[float, float]:
    """How much more often neighbours are equal than by chance, relative to the largest excess possible, and its z value."""
    n = len(values)
    if n < 3:
        return np.nan, np.nan
    shares = np.unique(values, return_counts=True)[1] / n
    chance = float((shares**2).sum())
    if chance == 1:
        return np.nan, np.nan
    equal = float(np.mean(values[1:] == values[:-1]))
    # Variance of a mean of equalities of independent neighbours, which overlap: Var + 2 Cov.
    variance = chance * (1 - chance) + 2 * (float((shares**3).sum()) - chance**2)
    return (equal - chance) / (1 - chance), (equal - chance) * np.sqrt((n - 1) / variance)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    if len(x) < 3 or np.ptp(x) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _two_sided(z: float) -> float:
    return float(2 * special.ndtr(-abs(z)))
