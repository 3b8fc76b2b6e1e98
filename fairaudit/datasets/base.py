"""What every data set of this package carries, and where the files that ship with it are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fairaudit.errors import FairAuditError
from fairaudit.schema import Schema


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with the meaning of its columns and where it comes from.

    Attributes
    ----------
    name : str
        How the data set is called on screens and in reports.
    data : DataFrame
    schema : Schema
    source, licence, citation : str
        Where the values come from, under which terms, and how to cite them.
    notes : str
        What was done to the published files, and what differs from them.
    """

    name: str
    data: pd.DataFrame
    schema: Schema
    source: str
    licence: str
    citation: str
    notes: str = ""


def sample_folder() -> Path:
    """The folder ``sample_data`` of the project.

    Raises
    ------
    FairAuditError
        If the package was installed without it.
    """
    folder = Path(__file__).resolve().parents[2] / "sample_data"
    if not folder.is_dir():
        raise FairAuditError(
            "The folder sample_data with the demo files is not beside the package.",
            "Start from a copy of the project, or upload the files yourself.",
        )
    return folder


def read_sample(name: str) -> pd.DataFrame:
    """A file of ``sample_data``; only empty cells are missing."""
    path = sample_folder() / name
    if not path.is_file():
        raise FairAuditError(f"The demo file {name} is not in {path.parent}.", "Restore it from the project, or run: make data")
    return pd.read_csv(path, keep_default_na=False, na_values=[""])
