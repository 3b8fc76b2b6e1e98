"""Bytes, a path, an open file or a DataFrame -> a table, with every decision that was made on the way.

Nothing in a file is ever evaluated or unpickled; a file that cannot be read as a table is refused with a sentence and a remedy.
"""

from __future__ import annotations

from fairaudit.reading.decisions import DEFAULT_MISSING_MARKERS, READING_CODES, ReadDecision, ReadOptions, ReadTable
from fairaudit.reading.table import read_table

__all__ = ["DEFAULT_MISSING_MARKERS", "READING_CODES", "ReadDecision", "ReadOptions", "ReadTable", "read_table"]
