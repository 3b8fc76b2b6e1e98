"""What a planted bias changed: flags that came and went, and columns before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairaudit.planting.biased import Planted
from fairaudit.schema import CATEGORICAL_TYPES


@dataclass(frozen=True)
class VerdictChange:
    """Which flags a planted bias brought and which it took away.

    Attributes
    ----------
    new, lost, kept : tuple of str
        Names with their group, raised after only, before only, and on both.
    silent : tuple of str
        Measured after the bias and without a flag.
    unmoved : tuple of str
        Their number is the same before and after, and only the verdict is another one: the correction looks at all of them together.
        They are neither ``new`` nor ``lost``.
    """

    new: tuple[str, ...]
    lost: tuple[str, ...]
    kept: tuple[str, ...]
    silent: tuple[str, ...]
    unmoved: tuple[str, ...] = ()


def verdict_changes(
    before: pd.DataFrame, after: pd.DataFrame, key: str, labels: Mapping[str, str] | None = None
) -> VerdictChange:
    """Compare the verdicts of two audits or of two sets of metrics.

    Parameters
    ----------
    before, after : DataFrame
        One row for each group and name, with the columns group, verdict, ``key``, and its number: score of an attribute, value of a metric.
    key : {"attribute", "metric"}
    labels : mapping, optional
        Names for people.
    """
    number = {"attribute": "score", "metric": "value"}[key]

    def verdicts(rows: pd.DataFrame) -> dict[str, tuple[str, float]]:
        found = {}
        for name, group, verdict, value in rows[[key, "group", "verdict", number]].itertuples(index=False, name=None):
            label = (labels or {}).get(str(name), str(name))
            found[f"{label} ({group})" if group else label] = str(verdict), float(value)
        return found

    old, new = verdicts(before), verdicts(after)
    was = {name for name, (verdict, _) in old.items() if verdict == "disparity"}
    now = {name for name, (verdict, _) in new.items() if verdict == "disparity"}
    same = {name for name in was ^ now if name in old and name in new and old[name][1] == new[name][1]}
    return VerdictChange(
        tuple(n for n in new if n in now - was - same),
        tuple(n for n in old if n in was - now - same),
        tuple(n for n in new if n in now & was),
        tuple(n for n, (verdict, _) in new.items() if verdict == "no_evidence"),
        tuple(n for n in new if n in same),
    )


def changed_values(planted: Planted, column: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """A column before and after: numbers, or counts of categories with their names."""
    found = [frames.targets[0].data[column] for frames in (planted.before, planted.after)]
    if not isinstance(found[1].dtype, pd.CategoricalDtype):
        return found[0].to_numpy(dtype=float), found[1].to_numpy(dtype=float), ()
    names = tuple(map(str, found[1].cat.categories))
    counts = [series.value_counts(sort=False).rename(index=str).reindex(names, fill_value=0).to_numpy() for series in found]
    return counts[0], counts[1], names


def describable(planted: Planted, most: int | None = None) -> tuple[str, ...]:
    """Columns whose distributions are worth a look: those that changed, or, where only rows went, the outcomes and sensitive features."""
    types = planted.before.reference.type_of
    changed: Sequence[str] = planted.columns_changed
    if not changed:
        schema = planted.before.schema
        roles = (schema.prediction, schema.score, schema.label, *schema.sensitive_features)
        changed = [c for c in dict.fromkeys(roles) if c is not None and c in planted.before.reference.columns]
        changed = changed or list(planted.before.reference.columns)
    shown = tuple(c for c in changed if types(c) in CATEGORICAL_TYPES | {"numeric"})
    return shown if most is None else shown[:most]
