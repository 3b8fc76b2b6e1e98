"""A random sample of the rows of a table: seeded, stated, and in the order of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import overload

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.reading import ReadTable
from fairaudit.schema import AuditTable, Finding, Frames, Sample
from fairaudit.validation.tables import check_table

_STREAM = 4242
"""Keeps the draws of samples apart from other draws with the same seed."""


def sample_positions(rows: int, of: int, seed: int) -> np.ndarray:
    """Positions of the rows of a sample, rising.

    Parameters
    ----------
    rows, of : int
        How many are drawn without replacement, and from how many.
    seed : int

    Returns
    -------
    ndarray of int, shape (rows,)
        The same for the same three numbers, whatever the table holds.

    Examples
    --------
    >>> sample_positions(4, 10, 0).tolist() == sample_positions(4, 10, 0).tolist(), len(set(sample_positions(4, 10, 0)))
    (True, 4)
    """
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_STREAM,)))
    return np.sort(generator.choice(of, rows, replace=False, shuffle=False))


def drawn(table: AuditTable, rows: int, seed: int) -> AuditTable:
    """Some rows of a checked table, which says so; it is to be checked again.

    Raises
    ------
    SettingsError
        If the table is a sample already: the rows of a sample of a sample could not be had again from two numbers and a seed.
    """
    if table.sample is not None:
        raise SettingsError(
            f"{table.name} is {table.sample.words} already.", "Undo that sample first, and draw another one of the whole table."
        )
    sample = Sample(rows, len(table), seed)
    finding = Finding(
        "sampled",
        "warning",
        table.name,
        "",
        f"The table is {sample.words}, in their order; {sample.not_sampled:,} rows were not sampled.",
        "State it with every result: small differences and small groups need more rows to be seen.",
    )
    data = table.data.iloc[sample_positions(rows, len(table), seed)].reset_index(drop=True)
    return replace(table, data=data, findings=(finding, *table.findings), sample=sample)


def has_own_size(table: AuditTable) -> bool:
    """Whether a sample of this table by its name was asked for and left it whole: a sample of all tables leaves it alone."""
    return any(f.code == "sample_not_needed" for f in table.findings)


def kept_whole(table: AuditTable, rows: int) -> AuditTable:
    """A table that is no larger than the sample that was asked of it, and stays known to be."""
    said = f"The table kept its {len(table):,} rows: a sample of {rows:,} was asked for."
    finding = Finding("sample_not_needed", "info", table.name, "", said, "Nothing to do.")
    return replace(table, findings=(finding, *(f for f in table.findings if f.code != finding.code)))


@overload
def sample_rows(table: Frames, rows: int | Mapping[str, int], seed: int = 0) -> Frames: ...
@overload
def sample_rows(table: pd.DataFrame | ReadTable | AuditTable, rows: int, seed: int = 0) -> AuditTable: ...
def sample_rows(table: object, rows: int | Mapping[str, int], seed: int = 0) -> AuditTable | Frames:
    """Work with a random sample of the rows of large tables; every result states it.

    The rows keep their order, so that sequential bins stay bins of time. Types of columns are judged over all rows before the sample is
    drawn. The same numbers of rows and the same seed give the same rows here, on the command line (``--sample``) and on the Data page.

    Parameters
    ----------
    table : DataFrame, ReadTable, AuditTable or Frames
        One table, or a reference with its targets (see ``check_frames``), each of which is sampled by its own number of rows.
    rows : int, or mapping of str to int for Frames
        Size of the sample, by the name of the table. Tables that are not larger, or not named, stay whole.
    seed : int

    Returns
    -------
    AuditTable or Frames
        With ``sample`` on each table that was sampled.

    Raises
    ------
    SettingsError
        If a number is not a whole one of 1 or more (the seed: 0 or more), or a table is a sample already.

    Examples
    --------
    >>> table = sample_rows(pd.DataFrame({"pay": [float(i) for i in range(100)]}), 5, seed=1)
    >>> len(table), bool(table.data["pay"].is_monotonic_increasing), table.sample.words
    (5, True, 'a random sample of 5 of 100 rows (seed 1)')
    """
    from fairaudit.validation.remedies import Remedy, apply_remedy

    if isinstance(table, Frames):
        sizes = dict(rows) if isinstance(rows, Mapping) else {t.name: rows for t in table.tables}
        whole = {t.name: len(t) for t in table.tables}
        for remedy in [Remedy("sample", name, rows=size, seed=seed) for name, size in sizes.items()]:
            if whole.get(remedy.table) is None or whole[remedy.table] > remedy.rows:
                table = apply_remedy(table, remedy)[0]
        return table
    if isinstance(rows, Mapping):
        raise SettingsError("Sizes by the name of a table are for a reference with its targets.", "Give one number of rows.")
    checked = table if isinstance(table, AuditTable) else check_table(table)  # type: ignore[arg-type]
    remedy = Remedy("sample", rows=rows, seed=seed)
    return apply_remedy(checked, remedy)[0] if len(checked) > remedy.rows else checked
