"""What a recomputation found, cell by cell, and how it is kept in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.reproduction import flags
from fairaudit.reproduction.agreement import HIGH, LOW, explanation, is_unbiased, status
from fairaudit.reproduction.tables import CELL, DATA, planted, published, rows, table_spec
from fairaudit.results import records

VALUES, SETTINGS = "default_values.csv", "default_settings.json"
CELL_COLUMNS = (
    *CELL,
    "planted",
    "published",
    "median",
    "low",
    "high",
    "seeds",
    "status",
    "agrees",
    "explanation",
)


@dataclass(frozen=True)
class Agreement:
    """Numbers of cells of a table by status; only cells that the paper prints."""

    inside: int
    near: int
    outside: int
    cannot: int

    @property
    def agree(self) -> int:
        """Cells inside the range or near it."""
        return self.inside + self.near

    @property
    def cells(self) -> int:
        """All cells."""
        return self.agree + self.outside + self.cannot

    def sentence(self) -> str:
        """How many cells agree, and what becomes of the others.

        Examples
        --------
        >>> Agreement(inside=50, near=8, outside=2, cannot=3).sentence()
        '58 of 63 published cells agree (50 inside the recomputed range, 8 near it); 2 differ; 3 cannot agree, for a known reason.'
        """
        text = (
            f"{self.agree} of {self.cells} published cells agree ({self.inside} inside the recomputed range, {self.near} near it)"
        )
        if self.outside:
            text += f"; {self.outside} {'differs' if self.outside == 1 else 'differ'}"
        if self.cannot:
            text += f"; {self.cannot} cannot agree, for a known reason"
        return text + "."


@dataclass(frozen=True, eq=False)
class ReproductionResult:
    """Published beside recomputed values.

    Attributes
    ----------
    values : DataFrame
        Recomputed values, one row per table, metric, day, column and seed.
    settings : dict
        Tables, seeds, bins and versions.
    """

    values: pd.DataFrame
    settings: dict[str, Any]

    @property
    def tables(self) -> tuple[str, ...]:
        """Numbers of the recomputed tables."""
        return tuple(self.settings["tables"])

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """One row a cell: table, metric, day, column, planted, published, median, low, high, seeds, status, agrees, explanation.

        ``low`` and ``high`` are the 5 and 95 % quantiles over the seeds. ``agrees`` is missing where the cell cannot agree or the paper
        prints no value. ``day`` is 0 where a value is over all days.

        Parameters
        ----------
        table : str, optional
            By default all tables of the result.
        """
        wanted = self.tables if table is None else (self._known(table),)
        return pd.concat([self._cells(t) for t in wanted], ignore_index=True)

    def verdicts(self, table: str | None = None) -> pd.DataFrame:
        """Published flag beside the share of seeds that raise it.

        Parameters
        ----------
        table : str, optional
            "5", "6" or "10", the tables that hold scores; by default all of them.

        Returns
        -------
        DataFrame
            table, metric, day, column, planted, published_flag, share, agrees, explanation; no rows for another table.
        """
        return flags.verdicts(self.values if table is None else self.values.loc[self.values["table"] == table])

    def ticks(self) -> pd.DataFrame:
        """The rows that Table 7 prints, beside the share of seeds that raise the flag."""
        return flags.ticks(self.values)

    def agreement(self, table: str) -> Agreement:
        """How many cells of a table agree."""
        found = self._cells(self._known(table))["status"].value_counts()
        return Agreement(*(int(found.get(name, 0)) for name in ("inside", "near", "outside", "cannot")))

    def to_dict(self) -> dict[str, Any]:
        """The cells, verdicts and settings as plain values."""
        return {"cells": records(self.to_frame()), "verdicts": records(self.verdicts()), "settings": self.settings}

    def _repr_html_(self) -> str:
        """Show the cells in a notebook."""
        return self.to_frame().to_html(index=False, escape=True)

    def _known(self, table: str) -> str:
        name = table_spec(table).name
        if name not in self.tables:
            raise SettingsError(f"Table {name} is not part of this result.", f'Recompute it: reproduce("{name}").')
        return name

    def _cells(self, table: str) -> pd.DataFrame:
        if table == "7":
            values, theirs = flags.counts(self.values), flags.published_counts()
        else:
            values, theirs = self.values.loc[self.values["table"] == table], published(table)
        keys = ["metric", "day", "column"]
        grouped = values.groupby(keys)["value"]
        quantiles = pd.DataFrame(
            {
                "low": grouped.quantile(LOW),
                "median": grouped.median(),
                "high": grouped.quantile(HIGH),
                "seeds": grouped.size(),
            }
        )
        frame = theirs.merge(quantiles, left_on=keys, right_index=True, how="inner").assign(table=table)
        frame["planted"] = [planted(table, r.day, r.column) for r in rows(frame)]
        frame["status"] = [
            "not published"
            if np.isnan(r.published)
            else status(table, r.metric, r.day, r.column, r.published, r.low, r.median, r.high)
            for r in rows(frame)
        ]
        calm = pd.Series([is_unbiased(table, r.day, r.column) for r in rows(frame)], index=frame.index)
        inside = (frame["published"] >= frame["low"]) & (frame["published"] <= frame["high"])
        outside = (~inside & calm).groupby(frame["metric"]).sum()
        cells = calm.groupby(frame["metric"]).sum()
        frame["explanation"] = [
            flags.count_note(r.status)
            if table == "7"
            else explanation(table, r.metric, r.day, r.column, r.status, int(outside[r.metric]), int(cells[r.metric]))
            for r in rows(frame)
        ]
        agrees = frame["status"].map({"inside": True, "near": True, "outside": False}).astype("boolean")
        return frame.assign(agrees=agrees)[[*CELL_COLUMNS]].reset_index(drop=True)

    def save(self, folder: str | Path) -> tuple[Path, Path]:
        """Write the values (one column a seed, six digits) and the settings into a folder.

        Returns
        -------
        tuple of Path
            The two files.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        wide = self.values.pivot(index=CELL, columns="seed", values="value")
        wide.columns = [f"seed_{seed}" for seed in wide.columns]
        order = pd.MultiIndex.from_frame(self.values[CELL].drop_duplicates())
        wide.loc[order].to_csv(folder / VALUES, float_format="%.6g", lineterminator="\n")
        (folder / SETTINGS).write_text(json.dumps(self.settings, indent=2) + "\n", encoding="utf-8")
        return folder / VALUES, folder / SETTINGS

    @classmethod
    def joined(cls, results: Sequence[ReproductionResult]) -> ReproductionResult:
        """One result from several of the same tables and bins, made with different seeds."""
        settings = dict(results[0].settings)
        settings["seeds"] = sum(r.settings["seeds"] for r in results)
        return cls(pd.concat([r.values for r in results], ignore_index=True), settings)

    @classmethod
    def load(cls, folder: str | Path | Traversable = DATA) -> ReproductionResult:
        """Read back what ``save`` wrote; by default the run that ships with the package."""
        place = Path(folder) if isinstance(folder, str) else folder
        settings = json.loads((place / SETTINGS).read_text(encoding="utf-8"))
        with (place / VALUES).open("rb") as stream:
            wide = pd.read_csv(stream, dtype={"table": str})
        long = wide.melt(CELL, var_name="seed", value_name="value")
        return cls(long.assign(seed=long["seed"].str.removeprefix("seed_").astype(int)), settings)


@cache
def default_run() -> ReproductionResult:
    """The recomputation that ships with the package: all tables, 20 seeds."""
    return ReproductionResult.load()
