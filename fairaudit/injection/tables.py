"""Fingerprints of plain frames, and checked tables made anew after a change."""

from __future__ import annotations

import hashlib

import pandas as pd

from fairaudit.schema import AuditTable


def content_fingerprint(table: pd.DataFrame) -> str:
    """SHA-256 over column names, types and every value of a frame, in row order; the index does not count."""
    digest = hashlib.sha256(repr([(str(name), str(dtype)) for name, dtype in table.dtypes.items()]).encode())
    for name in table.columns:
        digest.update(pd.util.hash_pandas_object(table[name], index=False).to_numpy().tobytes())
    return digest.hexdigest()


def rebuilt(table: AuditTable, data: pd.DataFrame) -> AuditTable:
    """A checked table with the same name and schema and other data, with its own fingerprint."""
    if data is table.data:
        return table
    data = data.reset_index(drop=True)
    digest = hashlib.sha256(f"{table.name}|{table.schema.to_dict()}|{content_fingerprint(data)}".encode())
    return AuditTable(table.name, data, table.schema, digest.hexdigest(), table.findings)
