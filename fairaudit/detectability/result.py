"""Detectability curves as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.baselines import wilson
from fairaudit.detectability.detectors import Entry
from fairaudit.results import notebook_html, records

READING_COLUMNS = ("detector", "strength", "repeat", "value", "flag", "note")
CURVE_COLUMNS = (
    "detector",
    "label",
    "rule",
    "strength",
    "repeats",
    "not_measurable",
    "flag_rate",
    "low",
    "high",
    "mean_value",
    "value_low",
    "value_high",
    "note",
)


@dataclass(frozen=True, eq=False)
class DetectabilityResult:
    """How often each detector raises its flag, by strength.

    Attributes
    ----------
    entries : tuple of Entry
        The curves.
    strengths : tuple of float
    repeats : int
        Finished repeats.
    repeats_asked : int
    readings : DataFrame
        One row for each detector, strength and repeat.
    provenance : dict
        Injections, settings, seed and fingerprint.
    note : str
        Says that the run was stopped, where it was.
    cannot_react : dict of str to str
        Curves that the bias cannot move, and why: it changes no column that they look at.
    """

    entries: tuple[Entry, ...]
    strengths: tuple[float, ...]
    repeats: int
    repeats_asked: int
    readings: pd.DataFrame
    provenance: dict[str, Any] = field(repr=False)
    note: str = ""
    cannot_react: dict[str, str] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """One row for each detector and strength.

        ``repeats`` is the number of repeats in which the detector could say something, ``not_measurable`` the number of the others;
        ``flag_rate`` with its 95 % Wilson interval is over the former; ``value_low`` and ``value_high`` are the 5 % and 95 % quantiles of
        the value.
        """
        rows = []
        for entry in self.entries:
            own = self.readings[self.readings["detector"] == entry.name]
            for strength in self.strengths:
                at = own[own["strength"] == strength]
                flags, values = at["flag"].dropna(), at["value"].dropna().to_numpy()
                n, raised = len(flags), int(flags.sum())
                low, high = wilson(raised, n)
                finite = values[np.isfinite(values)]
                spread = np.quantile(finite, [0.05, 0.95]) if len(finite) else (np.nan, np.nan)
                rows.append(
                    (
                        entry.name,
                        entry.label,
                        entry.rule,
                        strength,
                        n,
                        len(at) - n,
                        raised / n if n else np.nan,
                        float(low),
                        float(high),
                        float(finite.mean()) if len(finite) else np.nan,
                        float(spread[0]),
                        float(spread[1]),
                        "; ".join(dict.fromkeys(note for note in at["note"] if note)),
                    )
                )
        return pd.DataFrame(rows, columns=[*CURVE_COLUMNS])

    def first_reaching(self, share: float = 0.8) -> pd.DataFrame:
        """The smallest strength above 0 at which each detector raises its flag in at least a share of the repeats.

        Returns
        -------
        DataFrame
            detector, label, strength (NaN where it never does), flag_rate there, false_alarm_rate at strength 0 (NaN where that was not
            tried), note.
        """
        curves = self.to_frame()
        rows = []
        for entry in self.entries:
            own = curves[curves["detector"] == entry.name].sort_values("strength")
            zero = own.loc[own["strength"] == 0, "flag_rate"]
            alarms = float(zero.iloc[0]) if len(zero) else np.nan
            reached = own[(own["strength"] > 0) & (own["flag_rate"] >= share)]
            note = ""
            if own["flag_rate"].isna().all():
                note = "Not measurable."
            elif entry.name in self.cannot_react:
                note = f"It cannot react: {self.cannot_react[entry.name]}."
            elif alarms >= share:
                note = "It raises its flag as often without any bias, so reaching the share says nothing."
            elif reached.empty:
                note = "It does not get there at any strength that was tried."
            strength, rate = (
                (np.nan, np.nan) if reached.empty else (float(reached["strength"].iloc[0]), float(reached["flag_rate"].iloc[0]))
            )
            rows.append((entry.name, entry.label, strength, rate, alarms, note))
        return pd.DataFrame(rows, columns=["detector", "label", "strength", "flag_rate", "false_alarm_rate", "note"])

    def _repr_html_(self) -> str:
        """Show from which strength on each detector raises its flag, in a notebook."""
        return notebook_html(self.first_reaching())

    def to_dict(self) -> dict[str, Any]:
        """Curves, first strengths and provenance, ready for JSON."""
        return {
            "curves": records(self.to_frame()),
            "first_reaching": records(self.first_reaching()),
            "repeats": self.repeats,
            "repeats_asked": self.repeats_asked,
            "note": self.note,
            "cannot_react": self.cannot_react,
            "provenance": self.provenance,
        }
