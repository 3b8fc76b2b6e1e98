"""What an experiment found: a tidy table, its summary, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.evaluation.metrics import TEST_METRICS
from fairaudit.evaluation.reading import interpret, rate_methods
from fairaudit.evaluation.settings import EvaluationSettings
from fairaudit.evaluation.units import TEST_SETS
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS
from fairaudit.results import notebook_html, records
from fairaudit.schema import Sample

COLUMNS = ("level", "fold", "model", "mitigation", "test_set", "metric", "value", "note")
_CELL = ["level", "model", "mitigation", "test_set", "metric"]


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """The outcome of one fair-versus-biased experiment, whole or stopped half-way.

    Attributes
    ----------
    values : DataFrame
        Read it through ``to_frame()``, which copies.
    levels : DataFrame
        What the bias did at each level: level, rows, rows_removed, labels_to_unfavourable, labels_to_favourable,
        base_rate_unprivileged, base_rate_privileged, label_parity_difference.
    settings : EvaluationSettings
    units_done, units_total : int
        A unit is one model on one fold at one level with all methods.
    provenance : dict
        Fingerprint of the table, its sample and repairs, versions, time, seconds, feature names and who is unprivileged.
    """

    values: pd.DataFrame
    levels: pd.DataFrame
    settings: EvaluationSettings
    units_done: int
    units_total: int
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every unit was computed; False after a cancelled run."""
        return self.units_done == self.units_total

    @property
    def sample(self) -> Sample | None:
        """Which rows of a larger table the table of the experiment holds."""
        found = self.provenance.get("sample")
        return None if found is None else Sample(found["rows"], found["of"], found["seed"])

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was done to the table before the experiment, in sentences, besides a sample and ignored columns."""
        told = self.provenance.get("repairs", ())
        return tuple(f"{r['column']}: {r['problem']}" if r["column"] else r["problem"] for r in told)

    def to_frame(self) -> pd.DataFrame:
        """Tidy: level, fold, model, mitigation, test_set ("fair" or "biased"), metric, value, note. NaN has its reason in ``note``."""
        return self.values.copy()

    def summary(self) -> pd.DataFrame:
        """Mean and spread over folds.

        Returns
        -------
        DataFrame
            level, model, mitigation, test_set, metric, mean, std (n - 1 in the denominator; NaN for one fold), n_ok (folds with a value),
            n_folds (folds that were computed).
        """
        grouped = self.values.groupby(_CELL, sort=False, observed=True)["value"]
        summary = grouped.agg(mean="mean", std="std", n_ok="count", n_folds="size").reset_index()
        return summary

    def fair_against_biased(self) -> pd.DataFrame:
        """Mean on the fair and on the biased test set side by side: level, model, mitigation, metric, fair, biased, difference.

        ``difference`` is biased minus fair. Both means are over the folds that have a value on both test sets.
        """
        wide = self.values.pivot(index=["level", "fold", "model", "mitigation", "metric"], columns="test_set", values="value")
        wide = wide.reindex(columns=list(TEST_SETS)).dropna().reset_index()
        means = wide.groupby(["level", "model", "mitigation", "metric"], observed=True)[list(TEST_SETS)].mean().reset_index()
        means.columns.name = None
        means["difference"] = means["biased"] - means["fair"]
        return _in_order(means)

    def failures(self) -> pd.DataFrame:
        """Folds on which a method gave no model: model, mitigation, level, n_failed, n_folds, reason (the most common one)."""
        whole = self.values[(self.values["test_set"] == "fair") & (self.values["metric"] == "accuracy")]
        rows = []
        for (model, mitigation, level), cell in whole.groupby(["model", "mitigation", "level"], sort=False, observed=True):
            failed = cell[cell["value"].isna()]
            if len(failed):
                reason = failed["note"].value_counts().index[0]
                rows.append((model, mitigation, level, len(failed), len(cell), reason))
        return pd.DataFrame(rows, columns=["model", "mitigation", "level", "n_failed", "n_folds", "reason"])

    def method_summary(self, max_level: float = 0.8) -> pd.DataFrame:
        """A symbol for each method, as in the paper's Table 3, with the numbers behind it; the rule is ``rate_methods``.

        Parameters
        ----------
        max_level : float
            Higher levels are left out, as in the paper, because they are less realistic.
        """
        return rate_methods(self.summary(), max_level)

    def interpretation(self) -> tuple[str, ...]:
        """What the result means, in a few sentences."""
        return interpret(self.summary(), self.failures(), complete=self.complete)

    def _repr_html_(self) -> str:
        """Show the means on both test sets in a notebook."""
        return notebook_html(self.fair_against_biased())

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON; ``from_dict`` reads it back."""
        return {
            "settings": self.settings.to_dict(),
            "units_done": self.units_done,
            "units_total": self.units_total,
            "provenance": dict(self.provenance),
            "levels": records(self.levels),
            "values": records(self.values),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> EvaluationResult:
        """A result from ``to_dict``, for instance to continue a run that was stopped.

        Raises
        ------
        SettingsError
            If an entry is missing.
        """
        expected = ("settings", "units_done", "units_total", "provenance", "levels", "values")
        if lacking := [key for key in expected if key not in saved]:
            raise SettingsError(
                f"The saved result lacks the entry {', '.join(lacking)}.", "Use a file that was saved with to_dict."
            )
        plain = dict(saved["settings"])
        for key in ("levels", "models", "mitigations"):
            plain[key] = tuple(plain[key])
        values = pd.DataFrame(saved["values"], columns=list(COLUMNS)).astype({"value": float, "level": float})
        levels = pd.DataFrame(saved["levels"]).astype({"level": float})
        return cls(
            values, levels, EvaluationSettings(**plain), saved["units_done"], saved["units_total"], dict(saved["provenance"])
        )


def tidy(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """Rows of units as one frame in a fixed order, however they came in."""
    return _in_order(pd.DataFrame(rows, columns=list(COLUMNS)).astype({"level": float, "value": float}))


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Sorted by level and fold, then by the registers' order of models, methods, test sets and metrics."""
    places = {
        "model": MODELS.names(),
        "mitigation": MITIGATIONS.names(),
        "test_set": TEST_SETS,
        "metric": TEST_METRICS.names(),
    }

    def key(column: pd.Series) -> pd.Series:
        if column.name not in places:
            return column
        return column.map({name: i for i, name in enumerate(places[str(column.name)])})

    by = [c for c in COLUMNS if c in frame.columns and c not in ("value", "note")]
    return frame.sort_values(by, key=key, kind="stable").reset_index(drop=True)
