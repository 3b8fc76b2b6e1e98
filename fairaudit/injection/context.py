"""What an injection sees of a table."""

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
    origin : DataFrame
        The table before any step; values that occur there count as known.
    """

    table: pd.DataFrame
    in_group: np.ndarray
    strength: float
    seed: int | np.random.SeedSequence
    schema: Schema
    origin: pd.DataFrame

    def rng(self) -> np.random.Generator:
        """A fresh generator: two calls give the same numbers."""
        return np.random.default_rng(self.seed)

    def column(self, name: str, role: str = "column") -> pd.Series:
        """A column, or the sentence that it is not there."""
        if name not in self.table.columns:
            raise column_not_found(role, name, self.table.columns)
        return self.table[name]
