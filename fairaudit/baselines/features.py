"""Features of the rows of a side, encoded as numbers only for the rows that are looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
import pandas as pd

from fairaudit.attributes import column_values
from fairaudit.contrast import Rows
from fairaudit.schema import AuditTable

Encoding = Literal["one_hot", "codes"]
ENCODINGS = ("one_hot", "codes")


class Features(Protocol):
    """Rows by features."""

    def __len__(self) -> int:
        """Number of rows."""

    def complete(self) -> np.ndarray:
        """Rows without a missing or infinite value, as a mask."""

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Numbers of these rows, shape (len(rows), n_features)."""


@dataclass(frozen=True, eq=False)
class ArrayFeatures:
    """Features that are numbers already."""

    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def complete(self) -> np.ndarray:
        """See ``Features``."""
        return np.isfinite(self.values).all(axis=1)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """See ``Features``."""
        return self.values[rows]


@dataclass(frozen=True, eq=False)
class TableFeatures:
    """Columns of a table; a million rows of one-hot categories would fill the memory, so they are encoded when they are taken.

    Attributes
    ----------
    table : AuditTable
    columns : tuple of str
    encoding : {"one_hot", "codes"}
        ``one_hot``: a 0/1 column for each category, none dropped, all 0 where missing, as aif360's data sets do. ``codes``: one column
        of label codes, NaN where missing, as in the QMAD paper. Numeric columns are unchanged.
    rows : ndarray of int or None
        Rows of the table; None means all.
    """

    table: AuditTable
    columns: tuple[str, ...]
    encoding: Encoding
    rows: Rows = None

    def __len__(self) -> int:
        return len(self.table) if self.rows is None else len(self.rows)

    def of_rows(self, rows: Rows) -> TableFeatures:
        """Some rows of the whole table."""
        return replace(self, rows=rows)

    def complete(self) -> np.ndarray:
        """See ``Features``."""
        complete = np.ones(len(self.table), dtype=bool)
        for column in self.columns:
            if self.encoding == "codes" or not self._is_categorical(column):
                complete &= ~np.isnan(column_values(self.table, column))
        return complete if self.rows is None else complete[self.rows]

    def take(self, rows: np.ndarray) -> np.ndarray:
        """See ``Features``."""
        rows = rows if self.rows is None else self.rows[rows]
        parts = [np.empty((len(rows), 0))]
        for column in self.columns:
            if self.encoding == "one_hot" and self._is_categorical(column):
                series = self.table.data[column]
                codes = series.cat.codes.to_numpy()[rows]
                parts.append((codes[:, None] == np.arange(len(series.cat.categories))).astype(float))
            else:
                parts.append(column_values(self.table, column)[rows][:, None])
        return np.concatenate(parts, axis=1)

    def _is_categorical(self, column: str) -> bool:
        return isinstance(self.table.data[column].dtype, pd.CategoricalDtype)
