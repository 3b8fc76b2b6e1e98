"""What an audit found, as frozen objects with tidy tables and the settings they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import pandas as pd

from fairaudit.schema import Finding

Verdict = Literal["disparity", "no_evidence", "not_measurable"]
VERDICT_LABELS = {
    "disparity": "Disparity",
    "no_evidence": "No evidence of disparity",
    "not_measurable": "Not measurable",
}
VERDICT_SYMBOLS = {"disparity": "▲", "no_evidence": "○", "not_measurable": "–"}

BIN_COLUMNS = ("frame", "group", "attribute", "bin", "score", "n_target", "n_reference", "mean_target", "mean_reference", "note")
ATTRIBUTE_COLUMNS = (
    "frame",
    "group",
    "attribute",
    "comparison",
    "score",
    "paper_flag",
    "p_value",
    "p_adjusted",
    "effect",
    "direction",
    "verdict",
    "note",
)
OVERALL_COLUMNS = ("frame", "group", "score", "paper_flag", "p_value", "p_adjusted", "verdict", "note")


@dataclass(frozen=True, eq=False)
class AuditResult:
    """The outcome of one QMAD audit.

    Attributes
    ----------
    bin_scores, attribute_scores, overall_scores : DataFrame
        Tidy tables; read them through ``bins()``, ``attributes()`` and ``overall()``, which copy.
    provenance : dict
        Settings, seed, fingerprints and versions from which the same numbers can be had again.
    findings : tuple of Finding
        What checking the tables showed.
    """

    bin_scores: pd.DataFrame
    attribute_scores: pd.DataFrame
    overall_scores: pd.DataFrame
    provenance: dict[str, Any]
    findings: tuple[Finding, ...] = field(default=())

    def bins(self) -> pd.DataFrame:
        """One row per frame, group, attribute and bin: the score C[a,b], sizes and means of both sides."""
        return self.bin_scores.copy()

    def attributes(self) -> pd.DataFrame:
        """One row per frame, group and attribute: the score M[a], effect, direction and verdict."""
        return self.attribute_scores.copy()

    def overall(self) -> pd.DataFrame:
        """One row per frame and group: the overall score M and verdict."""
        return self.overall_scores.copy()

    def to_frame(self) -> pd.DataFrame:
        """The same as ``attributes()``."""
        return self.attributes()

    def to_dict(self) -> dict[str, Any]:
        """The three tables as lists of records and the provenance; undefined numbers are None."""
        return {
            "bins": records(self.bin_scores),
            "attributes": records(self.attribute_scores),
            "overall": records(self.overall_scores),
            "provenance": self.provenance,
        }

    def _repr_html_(self) -> str:
        """Show the attribute table in a notebook."""
        return notebook_html(self.attribute_scores[[*ATTRIBUTE_COLUMNS]])


def notebook_html(frame: pd.DataFrame, most: int = 40) -> str:
    """A compact table for a notebook: everything escaped, four digits, the middle of long tables left out.

    Examples
    --------
    >>> "&lt;b&gt;" in notebook_html(pd.DataFrame({"<b>": [0.123456]})), "0.1235" in notebook_html(pd.DataFrame({"x": [0.123456]}))
    (True, True)
    """
    shown = frame.rename(columns=str)
    return shown.to_html(
        index=False, escape=True, max_rows=most, float_format="{:.4g}".format, na_rep="–", justify="left", border=0
    )


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as dicts of plain Python values; NaN and NA become None."""
    columns = [frame[c].astype(object).where(frame[c].notna(), None).tolist() for c in frame.columns]
    names = [str(c) for c in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    """Looking them up reads files, so it is done once."""
    found = {}
    for package in ("fairaudit", "numpy", "scipy", "pandas", "scikit-learn", "aif360"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed as a package"
    return tuple(found.items())


def versions() -> dict[str, str]:
    """Versions of this package and of those that the numbers depend on."""
    return dict(_versions())


def now() -> str:
    """The time in UTC to the second, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
