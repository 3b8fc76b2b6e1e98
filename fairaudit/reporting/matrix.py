"""QMAD pairs and classical metrics as one table of measures x frames, and what it says in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from fairaudit.baselines import BASELINES, BaselineResult
from fairaudit.qmad import PAIRS
from fairaudit.results import AuditResult

COLUMNS = ["frame", "group", "metric", "value", "low", "high", "verdict", "note", "shown"]
ANY = "any attribute"


@dataclass(frozen=True, eq=False)
class MeasureMatrix:
    """Every measure on every frame and group.

    Attributes
    ----------
    rows : DataFrame
        Columns frame, group, metric, value, low, high, verdict, note, shown. A pair has two measures: its overall score, and the number of attributes
        that differ.
    labels : dict of str to str
        Names of the measures for people.
    """

    rows: pd.DataFrame
    labels: dict[str, str]

    def measurable(self) -> pd.DataFrame:
        """Rows of measures that are defined somewhere."""
        silent = set(self.silent()["metric"])
        return self.rows[[m not in silent for m in self.rows["metric"]]]

    def silent(self) -> pd.DataFrame:
        """One row for each measure that is defined nowhere, with the reason."""
        defined = set(self.rows.loc[self.rows["verdict"] != "not_measurable", "metric"])
        return self.rows[[m not in defined for m in self.rows["metric"]]].drop_duplicates("metric")

    def cells(self) -> list[tuple[str, str]]:
        """Frames and groups, in order."""
        return list(dict.fromkeys(zip(self.rows["frame"].astype(str), self.rows["group"].astype(str), strict=True)))


def measure_matrix(audits: Mapping[str, AuditResult], baselines: BaselineResult) -> MeasureMatrix:
    """Put audits by named pairs and classical metrics into one table.

    Parameters
    ----------
    audits : mapping of str to AuditResult
        By the name of the pair.
    baselines : BaselineResult
    """
    parts, labels = [], {spec.name: spec.label for spec in BASELINES}
    for name, result in audits.items():
        overall = result.overall().rename(columns={"score": "value"})
        parts.append(overall.assign(metric=name))
        parts.append(_counted(result).assign(metric=f"{name} {ANY}"))
        labels[name] = f"{PAIRS[name].short}: overall score"
        labels[f"{name} {ANY}"] = f"{PAIRS[name].short}: attributes flagged"
    parts.append(baselines.to_frame())
    return MeasureMatrix(pd.concat([p.reindex(columns=COLUMNS) for p in parts], ignore_index=True), labels)


def _counted(result: AuditResult) -> pd.DataFrame:
    """Number of attributes that differ, per frame and group."""
    rows = []
    for (frame, group), part in result.attribute_scores.groupby(["frame", "group"], sort=False):
        flagged = int((part["verdict"] == "disparity").sum())
        measured = int((part["verdict"] != "not_measurable").sum())
        verdict = "not_measurable" if measured == 0 else "disparity" if flagged else "no_evidence"
        value = float(flagged) if measured else float("nan")
        rows.append(
            {
                "frame": frame,
                "group": group,
                "value": value,
                "verdict": verdict,
                "note": f"{flagged} of {measured} attributes differ.",
            }
        )
    return pd.DataFrame(rows)


def planted_truth(matrix: MeasureMatrix, planted: tuple[str, ...]) -> dict[tuple[str, str], bool]:
    """For every frame and group whether a bias is known to be planted in the frame."""
    return {cell: cell[0] in planted for cell in matrix.cells()}


@dataclass(frozen=True)
class MatrixWords:
    """What a matrix says.

    Attributes
    ----------
    verdict : str
    flags : tuple of (str, str, int)
        Frames and groups with flags and the number of measures that raise one.
    measures : int
        Number of measures that could be computed.
    false_alarms : int or None
        Flags on frames without a planted bias; None where the truth is not known.
    """

    verdict: str
    flags: tuple[tuple[str, str, int], ...]
    measures: int
    false_alarms: int | None


def matrix_words(matrix: MeasureMatrix, truth: Mapping[tuple[str, str], bool] | None = None) -> MatrixWords:
    """Count what the measures say."""
    rows = matrix.measurable()
    measures = int(rows["metric"].nunique())
    flagged = rows[rows["verdict"] == "disparity"]
    cells = list(zip(flagged["frame"].astype(str), flagged["group"].astype(str), strict=True))
    counts = tuple((f, g, cells.count((f, g))) for f, g in dict.fromkeys(cells))
    verdict = "disparity" if counts else "no_evidence" if measures else "not_measurable"
    wrong = None if truth is None else sum(not truth[cell] for cell in cells)
    return MatrixWords(verdict, counts, measures, wrong)
