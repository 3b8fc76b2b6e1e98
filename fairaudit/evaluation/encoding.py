"""Columns of people's data as numbers for a model, the same columns whatever a planted bias did to the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from fairaudit.attributes import numeric_levels
from fairaudit.schema import AuditTable

MAX_CODES = 50
"""Numeric columns with more distinct values than this are cut into ten equal-count classes for the naive Bayes ranking."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """Fitted once on the fair table.

    Numeric columns, and binary or ordinal ones whose categories are numbers, stay one column of numbers, unscaled; missing values become
    the median of the fair table and a 0/1 column marks them. The other categorical columns are one-hot encoded without dropping a level; a
    missing value is a level of its own, and a category that the fair table never had is all zeros.

    Attributes
    ----------
    columns : tuple of str
        Original columns, in the order of the table.
    numeric, categorical : tuple of str
    imputer : SimpleImputer
    one_hot : OneHotEncoder
    edges : tuple of ndarray
        For each numeric column the class edges of its codes.
    names : tuple of str
        Encoded columns.
    """

    columns: tuple[str, ...]
    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    imputer: SimpleImputer
    one_hot: OneHotEncoder
    edges: tuple[np.ndarray, ...]
    names: tuple[str, ...]

    @classmethod
    def fit(cls, table: AuditTable, columns: tuple[str, ...]) -> Encoder:
        """Learn medians, categories and class edges."""
        numeric = tuple(c for c in columns if _is_numeric(table, c))
        categorical = tuple(c for c in columns if c not in numeric)
        imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
        one_hot = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
        names: list[str] = []
        edges: tuple[np.ndarray, ...] = ()
        if numeric:
            filled = imputer.fit_transform(_numbers(table, numeric))
            names += [str(n) for n in imputer.get_feature_names_out(list(numeric))]
            edges = tuple(_class_edges(filled[:, i]) for i in range(len(numeric)))
        if categorical:
            one_hot.fit(_texts(table, categorical))
            names += [str(n) for n in one_hot.get_feature_names_out(list(categorical))]
        return cls(columns, numeric, categorical, imputer, one_hot, edges, tuple(names))

    def features(self, table: AuditTable) -> np.ndarray:
        """Encoded columns, shape (n_rows, len(names)), all finite."""
        parts = [np.empty((len(table), 0))]
        if self.numeric:
            parts.append(self.imputer.transform(_numbers(table, self.numeric)))
        if self.categorical:
            parts.append(self.one_hot.transform(_texts(table, self.categorical)))
        return np.hstack(parts)

    def codes(self, table: AuditTable) -> np.ndarray:
        """One small non-negative code per original column, shape (n_rows, len(columns)); what massaging ranks people by."""
        result: list[np.ndarray] = []
        if self.numeric:
            filled = self.imputer.transform(_numbers(table, self.numeric))
            result += [np.searchsorted(e, filled[:, i], side="right") for i, e in enumerate(self.edges)]
        if self.categorical:
            texts = _texts(table, self.categorical)
            for i, known in enumerate(self.one_hot.categories_):
                place = {text: k for k, text in enumerate(known)}
                result.append(np.array([place.get(text, len(known)) for text in texts[:, i]], dtype=np.int64))
        return np.column_stack(result)


def _is_numeric(table: AuditTable, column: str) -> bool:
    """Whether a column is a number, or stands for numbers such as 0/1 or a 1-5 scale."""
    column_type = table.type_of(column)
    if column_type == "numeric":
        return True
    categories = table.data[column].cat.categories
    return column_type in ("binary", "ordinal") and len(categories) > 0 and numeric_levels(categories) is not None


def _numbers(table: AuditTable, columns: tuple[str, ...]) -> np.ndarray:
    """Numeric columns as floats; missing and infinite values are NaN."""
    arrays = []
    for column in columns:
        series = table.data[column]
        if isinstance(series.dtype, pd.CategoricalDtype):
            levels = numeric_levels(series.cat.categories)
            assert levels is not None, "only columns whose categories are numbers get here"
            arrays.append(np.append(levels, np.nan)[series.cat.codes.to_numpy()])
        else:
            values = series.to_numpy(dtype=float, na_value=np.nan)
            arrays.append(np.where(np.isfinite(values), values, np.nan))
    return np.column_stack(arrays)


def _texts(table: AuditTable, columns: tuple[str, ...]) -> np.ndarray:
    """Categorical columns as texts, None where missing; the encoder takes None as a level of its own."""
    arrays = []
    for column in columns:
        series = table.data[column]
        names = np.array([*map(str, series.cat.categories), None], dtype=object)
        arrays.append(names[series.cat.codes.to_numpy()])
    return np.column_stack(arrays)


def _class_edges(values: np.ndarray) -> np.ndarray:
    """Lower edges of classes after the first: every distinct value, or deciles where there are many."""
    distinct = np.unique(values)
    if len(distinct) > MAX_CODES:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, 11)[:-1]))
    return distinct[1:]
