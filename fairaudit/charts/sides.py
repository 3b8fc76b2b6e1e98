"""Sentences that name both sides of a comparison and their sizes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fairaudit.charts.text import count, cut, listed, missing


def sides_text(frame: pd.DataFrame) -> str:
    """Which sides a table of results compares, from its columns ``target_side``, ``reference_side``, ``n_target``, ``n_reference``.

    Sizes differ between attributes where values are missing; the largest is shown.
    """
    if "target_side" not in frame or not len(frame):
        return ""
    targets = _sides(frame, "target_side", "n_target")
    references = _sides(frame, "reference_side", "n_reference")
    return f"{listed(targets, 3)} — against {listed(references, 2)}"


def _sides(frame: pd.DataFrame, side: str, size: str) -> list[str]:
    found = {}
    for name, rows in frame.groupby(side, sort=False):
        largest = rows[size].max() if size in rows else None
        found[str(name)] = f"{cut(name, 32)} (n = {count(largest)})" if not missing(largest) else cut(name, 32)
    return list(found.values())


def pair_text(target: str, n_target: int, reference: str, n_reference: int) -> str:
    """Two named sides with their sizes."""
    return f"{cut(target, 40)} (n = {count(n_target)}) against {cut(reference, 40)} (n = {count(n_reference)})"


def column_name(frame: object, group: object) -> str:
    """Name of a column of cells: the frame, and the group where there is one."""
    return str(frame) if missing(group) or str(group) == "" else f"{frame} · {group}"


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as dicts."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
