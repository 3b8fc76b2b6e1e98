"""What an injection sees of a table, and how it picks rows so that larger strengths touch supersets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairaudit.errors import column_not_found
from fairaudit.schema import Schema


@dataclass(frozen=True)
class Context:
    """One step's view of the table.

    Attributes
    ----------
    table : DataFrame
        Never written to.
    in_group : ndarray of bool, shape (n_rows,)
    strength : float in [0, 1]
    seed : int or SeedSequence
        Seed of this step; every injection draws all it needs from ``rng()``, in the same order at every strength.
    schema : Schema
    """

    table: pd.DataFrame
    in_group: np.ndarray
    strength: float
    seed: int | np.random.SeedSequence
    schema: Schema

    def rng(self) -> np.random.Generator:
        """A fresh generator: two calls give the same numbers."""
        return np.random.default_rng(self.seed)

    def column(self, name: str, role: str = "column") -> pd.Series:
        """A column, or the sentence that it is not there."""
        if name not in self.table.columns:
            raise column_not_found(role, name, self.table.columns)
        return self.table[name]


def share_count(strength: float, n: int) -> int:
    """Number of rows nearest to a share of ``n``; halves are rounded up.

    Examples
    --------
    >>> share_count(0.5, 5), share_count(0.0, 5), share_count(1.0, 5)
    (3, 0, 5)
    """
    return int(np.floor(strength * n + 0.5))


def nested_rows(rows: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """A random share of ``rows``: the first rows of one random order, so that a larger strength takes a superset.

    Parameters
    ----------
    rows : ndarray of int
    strength : float in [0, 1]
    rng : Generator

    Returns
    -------
    ndarray of int
    """
    return rng.permutation(rows)[: share_count(strength, len(rows))]


def weighted_order(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random order in which items with larger weights tend to come first; items of weight 0 come last.

    Successive draws without replacement, each with probability proportional to the weights that are left.

    References
    ----------
    .. [1] P. S. Efraimidis, P. G. Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 97, 2006.
    """
    times = rng.standard_exponential(len(weights))
    with np.errstate(divide="ignore"):
        return np.argsort(times / weights, kind="stable")
