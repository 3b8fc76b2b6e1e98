"""Times of calls, taken in turns so that both sides of a ratio meet the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def in_turns(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median CPU seconds of each call; they are called one after the other, ``repeats`` times."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append(time.process_time() - start)
    return {name: float(np.median(t)) for name, t in taken.items()}


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def short(seconds: float) -> str:
    """Seconds with two digits, milliseconds below a tenth."""
    return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else f"{seconds:.2f} s"
