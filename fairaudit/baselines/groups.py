"""Rates of every group of every table, and impact ratios of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.baselines.counts import count_table
from fairaudit.baselines.impact import SMALL_CATEGORY, ImpactRatios, impact_ratios
from fairaudit.baselines.intervals import LEVEL, wilson
from fairaudit.baselines.rates import RATES, rate_counts
from fairaudit.baselines.sides import TableArrays, table_arrays
from fairaudit.contrast import Contrast, group_codes, group_edges
from fairaudit.errors import SettingsError
from fairaudit.schema import AuditTable, Frames

ALL_ROWS = "(all rows)"
"""Name of the group of all rows in ``BaselineResult.groups``."""

GROUP_RATES = {
    "selection_rate": "selection_rate",
    "base_rate": "base_rate",
    "tpr": "true_positive_rate",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "precision": "precision",
    "accuracy": "accuracy",
}
"""Columns of ``BaselineResult.groups`` and the rates they hold."""


def group_rates(frames: Frames, contrast: Contrast, arrays: Mapping[str, TableArrays], level: float = LEVEL) -> pd.DataFrame:
    """Size and rates of every group of every table; see ``BaselineResult.groups``."""
    rows: list[dict[str, Any]] = []
    known = contrast.features if contrast.features is not None else frames.schema.sensitive_features
    feature_sets = contrast.feature_sets(frames.schema) if known else ()
    minimum = frames.schema.min_group_size
    for table in frames.tables:
        whole = arrays[table.name].whole
        # Precision is about the selected rows alone; every other rate of both columns needs labels of the rejected ones, too.
        unknowable = whole.labelled_by_selection
        partitions: list[tuple[np.ndarray, tuple[str, ...]]] = [(np.zeros(len(table), dtype=np.int64), (ALL_ROWS,))]
        for features in feature_sets:
            try:
                partitions.append(group_codes(table, features, group_edges(frames, features)))
            except SettingsError as error:
                rows.append({"frame": table.name, "group": " & ".join(features), "n": len(table), "note": str(error)})
        for codes, names in partitions:
            counted = count_table(codes, whole.y_true, whole.y_pred, names=[names])
            for name, n in zip(names, counted.sizes.tolist(), strict=True):
                row: dict[str, Any] = {"frame": table.name, "group": name, "n": n, "note": ""}
                if n < minimum and name != ALL_ROWS:
                    row["note"] = f"Not measurable: fewer than the {minimum} rows that are needed."
                    rows.append(row)
                    continue
                row["note"] = f"{unknowable} " if unknowable else ""
                for column, rate_name in GROUP_RATES.items():
                    if unknowable and rate_name != "precision" and {"y_true", "y_pred"} <= set(RATES[rate_name].needs):
                        continue
                    hits, total = (int(x) for x in rate_counts(counted[name], rate_name))
                    if total:
                        low, high = wilson(hits, total, level)
                        row |= {column: hits / total, f"{column}_low": float(low), f"{column}_high": float(high)}
                    elif not whole.lacks(RATES[rate_name].needs):
                        row["note"] += f"{RATES[rate_name].label}: {RATES[rate_name].empty}. "
                row["note"] = row["note"].strip()
                rows.append(row)
    columns = ["frame", "group", "n"]
    columns += [f"{c}{suffix}" for c in GROUP_RATES for suffix in ("", "_low", "_high")]
    frame = pd.DataFrame(rows, columns=[*columns, "note"])
    return frame.astype(dict.fromkeys(columns[3:], float))


def impact_ratio_table(
    frames: Frames,
    table: AuditTable,
    features: Sequence[str] | None = None,
    threshold: float | None = None,
    *,
    min_share: float = SMALL_CATEGORY,
    level: float = LEVEL,
) -> ImpactRatios:
    """Impact ratios of a table by each sensitive feature and by their intersections; see ``impact.impact_ratios``.

    Parameters
    ----------
    frames : Frames
        The tables of the audit; say how numeric features are cut.
    table : AuditTable
        One of them.
    features : sequence of str, optional
        By default the sensitive features of the schema.
    threshold : float, optional
        Decision threshold of a numeric outcome.
    min_share, level : float
        As for ``impact_ratios``; by default a category of less than 2 % of the rows is left out of the ratios, as Local Law 144 allows. A handful of
        rows that happen to be selected often would otherwise put everybody else below the line.

    Raises
    ------
    SettingsError
        Without a sensitive feature or a decision.
    """
    chosen = Contrast(kind="within_group", features=None if features is None else tuple(features)).feature_sets(frames.schema)
    names = tuple(f for (f,) in chosen)
    arrays = table_arrays(frames, table, threshold, None)
    if reason := arrays.whole.lacks(("y_pred",)):
        raise SettingsError(reason, "Impact ratios compare shares of favourable decisions.")
    coded = [group_codes(table, (f,), group_edges(frames, (f,))) for f in names]
    counted = count_table(
        tuple(codes for codes, _ in coded),
        y_pred=arrays.whole.y_pred,
        names=[[g.removeprefix(f"{f}=") for g in groups] for f, (_, groups) in zip(names, coded, strict=True)],
    )
    return impact_ratios(counted, names, min_share=min_share, level=level)
