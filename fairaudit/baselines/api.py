"""The classical metrics over frames and groups, as tidy tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.baselines.continuous import quantile_disparity
from fairaudit.baselines.features import ENCODINGS, Encoding
from fairaudit.baselines.groups import GROUP_RATES, group_rates
from fairaudit.baselines.intervals import LEVEL, RESAMPLES
from fairaudit.baselines.measure import RULE, judge, measure
from fairaudit.baselines.metrics import BASELINES
from fairaudit.baselines.sides import TableArrays, table_arrays
from fairaudit.baselines.spec import BaselineSpec, Sampling, Side
from fairaudit.contrast import Contrast, Pair
from fairaudit.errors import SettingsError, stop_if, unknown_name
from fairaudit.results import notebook_html, now, records, versions
from fairaudit.schema import AuditTable, Finding, Frames, Schema
from fairaudit.validation import check_frames

Table = pd.DataFrame | AuditTable
Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]

METRIC_COLUMNS = ("frame", "group", "metric", "value", "low", "high", "verdict", "note")
EXTRA_METRIC_COLUMNS = (
    "direction",
    "value_a",
    "value_b",
    "n_a",
    "n_b",
    "used_a",
    "used_b",
    "left_out_a",
    "left_out_b",
    "difference",
    "difference_low",
    "difference_high",
    "threshold",
    "outcome",
    "decision_threshold",
    "selected_a",
    "selected_b",
    "target_side",
    "reference_side",
)


@dataclass(frozen=True, eq=False)
class BaselineResult:
    """What the classical metrics say.

    Attributes
    ----------
    metric_values, group_rates, quantile_bins : DataFrame
        Tidy tables; read them through ``to_frame()``, ``groups()`` and ``bins()``, which copy.
    provenance : dict
        Settings, seed, fingerprints and versions from which the same numbers can be had again.
    findings : tuple of Finding
        What checking the tables showed.
    """

    metric_values: pd.DataFrame
    group_rates: pd.DataFrame
    quantile_bins: pd.DataFrame
    provenance: dict[str, Any]
    findings: tuple[Finding, ...] = field(default=())

    def to_frame(self) -> pd.DataFrame:
        """One row per frame, group and metric.

        Side a is the frame (or group), side b what it is compared with; both are named in ``target_side`` and ``reference_side``.
        ``value_a`` and ``value_b`` are what is compared (a rate, mean or level), ``n_a`` and ``n_b`` the numbers of rows, of which
        ``used_a`` and ``used_b`` have all that the metric looks at and ``left_out_a`` and ``left_out_b`` have not, ``difference``
        with its interval what a verdict on a level is based on, ``threshold`` the metric's line, ``decision_threshold`` the value
        from which an outcome counts as favourable, ``selected_a`` and ``selected_b`` how many reach it.
        """
        return self.metric_values.copy()

    def groups(self) -> pd.DataFrame:
        """One row per table and group: size, rates and Wilson intervals (``<rate>_low``, ``<rate>_high``)."""
        return self.group_rates.copy()

    def rates(self) -> pd.DataFrame:
        """The same as ``groups()`` with one row per table, group and rate: frame, group, metric, value, low, high, n."""
        parts = []
        for place, column in enumerate(GROUP_RATES):
            part = self.group_rates[["frame", "group", "n"]].copy()
            part["metric"] = column
            for target, source in (("value", column), ("low", f"{column}_low"), ("high", f"{column}_high")):
                part[target] = self.group_rates[source]
            parts.append(part.assign(place=place))
        tidy = pd.concat(parts).reset_index(names="row").sort_values(["row", "place"], ignore_index=True)
        return tidy[["frame", "group", "metric", "value", "low", "high", "n"]]

    def bins(self) -> pd.DataFrame:
        """Quantile demographic disparity, one row per frame, group and bin."""
        return self.quantile_bins.copy()

    def to_dict(self) -> dict[str, Any]:
        """The tables as lists of records and the provenance; undefined numbers are None."""
        return {
            "baselines": records(self.metric_values),
            "groups": records(self.group_rates),
            "quantile_bins": records(self.quantile_bins),
            "provenance": self.provenance,
        }

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return notebook_html(self.metric_values[[*METRIC_COLUMNS]])


@dataclass(frozen=True)
class BaselineSettings:
    """Everything that can be chosen for the classical metrics.

    Attributes
    ----------
    metrics : tuple of str or None
        Names in ``BASELINES``; None for the default ones.
    contrast : Contrast
        Who is compared with whom.
    threshold : float or None
        Values of a numeric prediction or score at or above it are favourable decisions; None takes that of the schema.
    thresholds : tuple of (str, float)
        Other lines for the verdicts, by metric.
    encoding : {"one_hot", "codes"}
        How categories become numbers for consistency.
    sampling : Sampling
        Intervals, seed and other numbers.
    """

    metrics: tuple[str, ...] | None = None
    contrast: Contrast = field(default_factory=Contrast)
    threshold: float | None = None
    thresholds: tuple[tuple[str, float], ...] = ()
    encoding: Encoding = "one_hot"
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        """Check the names."""
        for name in (*(self.metrics or ()), *(name for name, _ in self.thresholds)):
            BASELINES[name]
        if self.encoding not in ENCODINGS:
            raise unknown_name("encoding", self.encoding, ENCODINGS)
        for name, line in self.thresholds:
            if not line >= 0 or (BASELINES[name].kind == "ratio" and line == 0):
                raise SettingsError(
                    f"The line of {name} must be 0 or more (above 0 for a ratio). Got {line}.", "Choose another one."
                )

    @property
    def specs(self) -> tuple[BaselineSpec, ...]:
        """The chosen metrics."""
        if self.metrics is None:
            return tuple(spec for spec in BASELINES if spec.default)
        return tuple(BASELINES[name] for name in self.metrics)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only."""
        return {
            "metrics": [spec.name for spec in self.specs],
            "contrast": asdict(self.contrast)
            | {"features": None if self.contrast.features is None else [*self.contrast.features]},
            "threshold": self.threshold,
            "thresholds": dict(self.thresholds),
            "encoding": self.encoding,
            **asdict(self.sampling),
        }


def baselines(
    reference: Table,
    targets: Table | Sequence[Table] | Mapping[str, Table] = (),
    metrics: Sequence[str] | str | None = None,
    contrast: Contrast | str = "frame_vs_reference",
    schema: Schema | Mapping[str, Any] | None = None,
    threshold: float | None = None,
    *,
    thresholds: Mapping[str, float] | None = None,
    encoding: Encoding = "one_hot",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    neighbour_rows: int | None = 1000,
    concentration: float = 1.0,
    bins: int = 10,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> BaselineResult:
    """Classical fairness metrics of target tables against a reference table, or of groups against a reference group.

    Differences are target (or group) minus reference, ratios target over reference.

    Parameters
    ----------
    reference : DataFrame or AuditTable
    targets : DataFrame, AuditTable, sequence of them, or mapping of name to table
    metrics : sequence of str, optional
        Names in ``fairaudit.BASELINES``; by default those of its entries that are marked ``default``.
    contrast : str or Contrast
        Who is compared with whom.
    schema : Schema or dict, optional
        Roles and types of the columns; inferred where it does not say.
    threshold : float, optional
        Values of a numeric prediction or score at or above it are favourable decisions; by default that of the schema.
    thresholds : mapping of str to float, optional
        Other lines for the verdicts, by metric.
    encoding : {"one_hot", "codes"}
        How categories become numbers for consistency: as aif360's data sets do, or label codes as in the QMAD paper.
    level : float
        Of the intervals.
    resamples : int
        Bootstrap repeats; 0 for closed forms only.
    seed : int
        Seed of every random step.
    neighbour_rows : int, optional
        For consistency, the largest number of rows of a side that are scored; see ``Sampling``. None scores them all.
    concentration : float
        Smoothing of the empirical differential fairness; 0 gives the unsmoothed form.
    bins : int
        Of the quantile demographic disparity.
    progress : callable, optional
        Called with the number of finished steps and of all steps.
    cancel : callable, optional
        Returns True when the computation is to stop; CancelledError is raised then.

    Returns
    -------
    BaselineResult

    Raises
    ------
    FairAuditError
        With the problem and the remedy, when a table, column or setting cannot be used.
    """
    settings = BaselineSettings(
        metrics=None if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics),
        contrast=Contrast.from_any(contrast),
        threshold=threshold,
        thresholds=tuple(sorted((thresholds or {}).items())),
        encoding=encoding,
        sampling=Sampling(level, resamples, seed, neighbour_rows, concentration, bins),
    )
    return baselines_of_frames(check_frames(reference, targets, schema), settings, progress=progress, cancel=cancel)


def baselines_of_frames(
    frames: Frames, settings: BaselineSettings, *, progress: Progress | None = None, cancel: Cancel | None = None
) -> BaselineResult:
    """The same as ``baselines`` for checked tables and settings."""
    specs, how = settings.specs, settings.sampling
    encoding = settings.encoding if any("features" in spec.needs for spec in specs) else None
    arrays = {t.name: table_arrays(frames, t, settings.threshold, encoding) for t in frames.tables}
    pairs = settings.contrast.pairs(frames)
    lines = dict(settings.thresholds)
    sides: dict[tuple[str, bytes | None], Side] = {}

    def side(table: str, name: str, rows: np.ndarray | None) -> Side:
        # A side that takes part in several pairs keeps its draws and neighbours.
        key = table, None if rows is None else rows.tobytes()
        if key not in sides:
            sides[key] = arrays[table].side(name, rows)
        return sides[key]

    metric_rows: list[dict[str, Any]] = []
    bin_tables: list[pd.DataFrame] = []
    for i, pair in enumerate(pairs):
        known = arrays[pair.target.name]
        a = side(pair.target.name, pair.target_side, pair.target_rows)
        b = side(pair.reference.name, pair.reference_side, pair.reference_rows)
        for j, spec in enumerate(specs):
            stop_if(cancel, "computation")
            metric_rows.append(_metric_row(pair, a, b, spec, lines.get(spec.name), how, known))
            if progress is not None:
                progress(i * len(specs) + j + 1, len(pairs) * len(specs))
        if not pair.problem and a.y_score is not None and b.y_score is not None and any(s.name == "qdd" for s in specs):
            table = quantile_disparity(a.y_score, b.y_score, how.bins).to_frame()
            bin_tables.append(
                pd.concat([pd.DataFrame({"frame": pair.frame, "group": pair.group}, index=table.index), table], axis=1)
            )
    provenance = {
        "settings": settings.to_dict(),
        "rule": RULE,
        "schema": frames.schema.to_dict(),
        "fingerprints": {t.name: t.fingerprint for t in frames.tables},
        "rows": {t.name: len(t) for t in frames.tables},
        "samples": {name: sample.to_dict() for name, sample in frames.samples.items()},
        "rows_without_group": settings.contrast.rows_without_group(frames),
        "reference": frames.reference.name,
        "outcome": {name: {"column": a.outcome, "decision_threshold": a.decision_threshold} for name, a in arrays.items()},
        "versions": versions(),
        "created": now(),
    }
    no_bins = pd.DataFrame(columns=["frame", "group", "bin", "score", "mean_a", "mean_b", "n_a", "n_b"])
    return BaselineResult(
        _typed(pd.DataFrame(metric_rows, columns=[*METRIC_COLUMNS, *EXTRA_METRIC_COLUMNS])),
        group_rates(frames, settings.contrast, arrays, how.level),
        pd.concat(bin_tables, ignore_index=True) if bin_tables else no_bins,
        provenance,
        frames.findings,
    )


def _metric_row(
    pair: Pair, a: Side, b: Side, spec: BaselineSpec, line: float | None, how: Sampling, known: TableArrays
) -> dict[str, Any]:
    """One row of ``BaselineResult.to_frame``."""
    row: dict[str, Any] = {
        "frame": pair.frame,
        "group": pair.group,
        "metric": spec.name,
        "n_a": pair.n_target,
        "n_b": pair.n_reference,
        "threshold": spec.threshold if line is None else line,
        "outcome": known.outcome,
        "decision_threshold": known.decision_threshold,
        "target_side": pair.target_side,
        "reference_side": pair.reference_side,
    }
    for letter, one in (("a", a), ("b", b)):
        used = one.used(spec.needs, sensitive=spec.name != "balanced_conditioned_consistency")
        row |= {f"used_{letter}": used, f"left_out_{letter}": one.n - used}
    if pair.problem:
        return row | {"verdict": "not_measurable", "note": pair.problem, "direction": ""}
    measured = measure(spec.name, a, b, how)
    judged = measured.judged or (measured.value, measured.low, measured.high)
    if spec.kind == "ratio":
        judged = (math.nan, math.nan, math.nan)
    note, high = measured.note, measured.high
    if math.isinf(high):
        # Tables go to files and charts that know no infinity.
        high, note = math.nan, f"{note} The interval has no upper limit.".strip()
    judgement = judge(spec, measured, line)
    note = " ".join(filter(None, (note, judgement.why, known.note if known.note not in note else "")))
    return row | {
        "value": measured.value,
        "low": measured.low,
        "high": high,
        "verdict": judgement.verdict,
        "note": note,
        "direction": measured.direction,
        "value_a": measured.value_a,
        "value_b": measured.value_b,
        "difference": judged[0],
        "difference_low": judged[1],
        "difference_high": judged[2],
        "selected_a": None if a.y_pred is None else int(a.counts[:, 1].sum()),
        "selected_b": None if b.y_pred is None else int(b.counts[:, 1].sum()),
    }


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as float, counts as integers that may be missing."""
    numbers = ("value", "low", "high", "value_a", "value_b", "difference", "difference_low", "difference_high", "threshold")
    kinds: dict[str, Any] = dict.fromkeys((*numbers, "decision_threshold"), float)
    return frame.astype(kinds | dict.fromkeys(("selected_a", "selected_b"), "Int64"))
