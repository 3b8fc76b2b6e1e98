"""Which detectors a planted bias can reach: those that look at a column it changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pandas as pd

from fairaudit.baselines import BASELINES, columns_read, feature_columns
from fairaudit.contrast import Contrast
from fairaudit.detectability.detectors import BaselineDetector, Detector, QmadDetector
from fairaudit.qmad import PAIRS, compared_attributes
from fairaudit.schema import Frames

DETECTORS = (
    "ks-harmonic",
    "rom-arithmetic",
    "ad-harmonic",
    "statistical_parity_difference",
    "disparate_impact",
    "empirical_difference_fairness",
    "consistency",
)
"""The usual ones: pairs and metrics of the decisions."""
MOST_NAMED = 2
"""More features than these are called the features."""
FEWEST_METRICS, MOST_METRICS = 4, 6
"""How many metrics are proposed: each is a curve of its own."""


def cannot_react(detectors: Iterable[Detector], frames: Frames, changed: Collection[str]) -> dict[str, str]:
    """Curves that a change of these columns cannot move, and why, as the rest of a sentence.

    Parameters
    ----------
    detectors : iterable of Detector
        Nobody knows what detectors of one's own look at, so they are never named.
    frames : Frames
    changed : collection of str
        Columns that the bias changes. A bias that takes out rows reaches every detector and has no place here.

    Returns
    -------
    dict of str to str
        By the name of the entry, such as ``hired is kept as it was``.
    """
    found: dict[str, str] = {}
    for detector in detectors:
        if isinstance(detector, QmadDetector):
            columns = (*compared_attributes(frames, detector.settings), *_groups(detector.settings.contrast, frames))
            read = dict.fromkeys((entry.name for entry in detector.entries), columns)
        elif isinstance(detector, BaselineDetector):
            groups, threshold = _groups(detector.settings.contrast, frames), detector.settings.threshold
            read = {s.name: (*columns_read(frames, s.needs, threshold), *groups) for s in detector.settings.specs}
        else:
            continue
        found |= {name: _kept(columns, frames) for name, columns in read.items() if not set(columns) & set(changed)}
    return found


def _groups(contrast: Contrast, frames: Frames) -> tuple[str, ...]:
    """Columns that say who is in which group, where groups are compared."""
    if contrast.kind == "frame_vs_reference":
        return ()
    return tuple(c for features in contrast.feature_sets(frames.schema) for c in features)


def _kept(columns: Iterable[str], frames: Frames) -> str:
    """What stays as it was: columns by name, many of them in one word."""
    names = list(dict.fromkeys(columns))
    features = set(feature_columns(frames))
    if len(features & set(names)) > MOST_NAMED:
        names = [*(name for name in names if name not in features), "the features"]
    elif len(names) == 1:
        return f"{names[0]} is kept as it was"
    return f"{', '.join(names[:-1])}{' and ' if names[:-1] else ''}{names[-1]} are kept as they were"


def proposed_detectors(before: pd.DataFrame, after: pd.DataFrame, changed: bool = True) -> tuple[str, ...]:
    """Detectors worth a curve for a bias: the usual pairs, and metrics that it moves, those with a new flag first of all.

    Parameters
    ----------
    before, after : DataFrame
        The same metrics without and with the bias, with the columns metric, group, value and verdict.
    changed : bool
        Whether the bias changes the table at all; where it does not, the usual detectors are proposed.

    Returns
    -------
    tuple of str
        ``FEWEST_METRICS`` to ``MOST_METRICS`` metrics, as far as so many move, in the order of the tables.
    """
    if not changed:
        return DETECTORS
    both = after.merge(before, on=["metric", "group"], suffixes=("", "_before"))
    both = both[both["value"].notna() & both["value"].ne(both["value_before"])]
    moved = [str(name) for name in both["metric"].unique()]
    new = [name for name in moved if _newly_flags(both[both["metric"] == name])]
    usual = [name for name in moved if name in DETECTORS]
    chosen = list(dict.fromkeys((*new, *usual)))[:MOST_METRICS]
    rest = [name for name in moved if name not in chosen]
    chosen += rest[: max(0, FEWEST_METRICS - len(chosen))]
    return (*(name for name in DETECTORS if name in PAIRS and name not in BASELINES), *(n for n in moved if n in chosen))


def _newly_flags(rows: pd.DataFrame) -> bool:
    return bool(((rows["verdict"] == "disparity") & (rows["verdict_before"] != "disparity")).any())
