"""Fingerprints of plain frames, and checked tables made anew after a change."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pandas as pd

from fairaudit.reading import READING_CODES
from fairaudit.schema import REPAIR_CODES, AuditTable, Schema
from fairaudit.validation.canonical import fingerprint
from fairaudit.validation.findings import table_findings
from fairaudit.validation.plain import plain_column


def content_fingerprint(table: pd.DataFrame) -> str:
    """SHA-256 over column names, types and every value of a frame, in row order; the index does not count."""
    digest = hashlib.sha256(repr([(str(name), str(dtype)) for name, dtype in table.dtypes.items()]).encode())
    for name in table.columns:
        digest.update(pd.util.hash_pandas_object(table[name], index=False).to_numpy().tobytes())
    return digest.hexdigest()


def fitting(schema: Schema, data: pd.DataFrame) -> Schema:
    """The schema with binary columns that were given a third category as nominal ones."""
    types = dict(schema.types)
    grown = [name for name, kind in types.items() if kind == "binary" and name in data and len(data[name].cat.categories) > 2]
    return schema.with_(types=types | dict.fromkeys(grown, "nominal")) if grown else schema


def rebuilt(table: AuditTable, data: pd.DataFrame) -> AuditTable:
    """A checked table with the same name, roles and categories and other data, with its own fingerprint and findings.

    Going through ``check_table`` again would drop categories that the bias has emptied, and refuse a table without favourable outcomes.
    """
    if data is table.data:
        return table
    data = data.reset_index(drop=True)
    schema = fitting(table.schema, data)
    fresh = AuditTable(table.name, data, schema, fingerprint(data, schema), sample=table.sample)
    known = tuple(f for f in table.findings if f.code in READING_CODES | REPAIR_CODES)
    return replace(fresh, findings=(*known, *table_findings(fresh, {c: plain_column(data[c]) for c in data.columns})))
