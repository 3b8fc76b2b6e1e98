"""Plain columns -> canonical columns of an AuditTable, and the fingerprint of the result."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairaudit.schema import CATEGORICAL_TYPES, Schema, category_name
from fairaudit.validation.plain import Plain


def sort_levels(names: set[str] | Sequence[str]) -> list[str]:
    """By number if all are numbers, else by alphabet."""
    try:
        numbers = {n: float(n) for n in names}
    except ValueError:
        return sorted(names)
    # "nan" is a word that Python takes for a number, and one without an order.
    return sorted(names) if any(math.isnan(v) for v in numbers.values()) else sorted(names, key=lambda n: (numbers[n], n))


def joint_levels(plains: Sequence[Plain], given: Sequence[object] = ()) -> list[str]:
    """Categories of a column over all tables: the given order, else the order of the data, else sorted."""
    if given:
        return [category_name(v) for v in given]
    names = {n for p in plains for n in p.levels[1]}
    ordered = next((p.names for p in plains if p.ordered), [])
    return [*ordered, *sort_levels(names - set(ordered))]


def canonical(plain: Plain, column_type: str, levels: Sequence[str]) -> pd.Series:
    """One column in canonical form; values that the type cannot hold are missing afterwards."""
    if column_type == "numeric":
        return pd.Series(plain.as_numbers())
    if column_type == "date":
        return plain.as_dates()
    if column_type in CATEGORICAL_TYPES:
        codes, names = plain.levels
        position = {n: i for i, n in enumerate(levels)}
        lookup = np.array([position.get(n, -1) for n in names] + [-1])
        dtype = pd.CategoricalDtype(pd.Index(levels, dtype=object), ordered=column_type == "ordinal")
        return pd.Series(pd.Categorical.from_codes(lookup[codes], dtype=dtype))
    return plain.as_text()


def fingerprint(data: pd.DataFrame, schema: Schema) -> str:
    """SHA-256 over every value, the names and the schema."""
    digest = hashlib.sha256(json.dumps(schema.to_dict(), sort_keys=True, default=category_name).encode("utf-8", "surrogatepass"))
    for column in data.columns:
        series = data[column]
        digest.update(f"\0{column}\0{len(series)}\0".encode("utf-8", "surrogatepass"))
        if isinstance(series.dtype, pd.CategoricalDtype):
            digest.update(json.dumps(list(series.cat.categories)).encode())
            digest.update(series.cat.codes.to_numpy().astype(np.int32).tobytes())
        elif series.dtype == object:
            digest.update(pd.util.hash_pandas_object(series, index=False, categorize=False).to_numpy().tobytes())
        elif series.dtype == np.float64:
            values = series.to_numpy() + 0.0  # -0.0 and the many bit patterns of NaN count as one value each
            digest.update(np.where(np.isnan(values), np.nan, values).tobytes())
        else:
            digest.update(series.to_numpy().astype("datetime64[us]").tobytes())
    return digest.hexdigest()
