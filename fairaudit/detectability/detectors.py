"""Detectors: what looks at a reference and a target and raises a flag or not, all behind one small interface."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import pandas as pd

from fairaudit.attributes import pair_values
from fairaudit.baselines import BASELINES, RULE, BaselineSettings, Sampling, baselines_of_frames
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import Contrast
from fairaudit.errors import unknown_name
from fairaudit.qmad import PAIRS, audit_frames, compared_attributes
from fairaudit.qmad.api import unusable
from fairaudit.qmad.scoring import score_attribute
from fairaudit.qmad.settings import QmadSettings
from fairaudit.schema import Frames


@dataclass(frozen=True)
class Entry:
    """One curve of a detector.

    Attributes
    ----------
    name, label : str
        For machines and for people.
    rule : str
        When it raises its flag, in words.
    """

    name: str
    label: str
    rule: str


@dataclass(frozen=True)
class Reading:
    """What a detector says about one reference and one target.

    Attributes
    ----------
    value : float
        NaN where it is not defined.
    flag : bool or None
        None where the detector cannot say.
    note : str
        Why not.
    """

    value: float
    flag: bool | None
    note: str = ""


class Detector(Protocol):
    """Anything with entries and a measurement; it must pickle to run in several processes."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The curves, in the order of the readings."""

    def measure(self, frames: Frames, seed: int) -> tuple[Reading, ...]:
        """One reading for each entry; ``seed`` is for random steps of the detector itself."""


@dataclass(frozen=True)
class FunctionDetector:
    """A detector from a function of the frames that returns a value and a flag.

    Attributes
    ----------
    entry : Entry
    function : callable
        ``function(frames) -> (value, flag)``.
    """

    entry: Entry
    function: Callable[[Frames], tuple[float, bool | None]]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The one curve."""
        return (self.entry,)

    def measure(self, frames: Frames, seed: int) -> tuple[Reading, ...]:
        """Call the function."""
        del seed
        value, flag = self.function(frames)
        return (Reading(float(value), flag),)


@dataclass(frozen=True)
class QmadDetector:
    """A pair of comparison and aggregation function over some attributes.

    With resamples there are two curves: the paper's rule on the score, and the calibrated verdict. Over several attributes the flag is
    raised when any of them raises it, and the value is the most extreme one (the smallest p-value, the largest other score).

    Attributes
    ----------
    name, label : str
    settings : QmadSettings
    """

    name: str
    label: str
    settings: QmadSettings

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The paper's rule, and the calibrated one where there are resamples."""
        spec = COMPARISONS[self.settings.comparison]
        rule = f"p < {self.settings.alpha:g}" if spec.is_p_value else "score above its threshold"
        plain = Entry(self.name, self.label, f"The paper's rule: {rule}, any attribute.")
        if not self.settings.resamples:
            return (plain,)
        words = f"Permutation p-value, corrected over attributes, at most {self.settings.alpha:g}."
        return plain, Entry(f"{self.name}:calibrated", f"{self.label}, calibrated", words)

    def measure(self, frames: Frames, seed: int) -> tuple[Reading, ...]:
        """Score the attributes; with resamples, audit the frames."""
        settings = replace(self.settings, seed=seed)
        largest = not COMPARISONS[settings.comparison].is_p_value
        if not settings.resamples:
            return (_any(*_scores(frames, settings), largest),)
        table = audit_frames(frames, settings).attributes()
        note = "; ".join(dict.fromkeys(n for n in table["note"] if n))
        flags = (table["verdict"] == "disparity").astype("boolean").mask(table["p_value"].isna())
        return _any(table["score"], table["paper_flag"], note, largest), _any(table["p_adjusted"], flags, note, largest=False)


def _scores(frames: Frames, settings: QmadSettings) -> tuple[pd.Series, pd.Series, str]:
    """Scores and flags of all groups and attributes: what ``audit_frames`` computes, without its tables, which take most of its time."""
    scores: list[float] = []
    flags: list[bool | None] = []
    notes: dict[str, None] = {}
    for pair in settings.contrast.pairs(frames):
        for attribute in compared_attributes(frames, settings):
            if problem := pair.problem or unusable(frames, pair, attribute):
                notes[problem] = None
                continue
            found = score_attribute(pair_values(pair, attribute), settings)
            scores.append(found.score)
            flags.append(found.flag)
            notes |= {found.note: None} if found.note else {}
    return pd.Series(scores, dtype=float), pd.Series(flags, dtype="boolean"), "; ".join(notes)


def _any(values: pd.Series, flags: pd.Series, note: str, largest: bool) -> Reading:
    """The most extreme value, and whether any attribute raises a flag."""
    defined = values.dropna()
    value = math.nan if defined.empty else float(defined.abs().max() if largest else defined.min())
    known = flags.dropna()
    if known.empty:
        return Reading(value, None, note or "Not measurable.")
    return Reading(value, bool(known.any()))


@dataclass(frozen=True)
class BaselineDetector:
    """The classical metrics, computed together; over several groups a metric raises its flag when any group does.

    Attributes
    ----------
    settings : BaselineSettings
    """

    settings: BaselineSettings

    @property
    def entries(self) -> tuple[Entry, ...]:
        """One curve for each metric."""
        return tuple(Entry(spec.name, spec.label, RULE) for spec in self.settings.specs)

    def measure(self, frames: Frames, seed: int) -> tuple[Reading, ...]:
        """Compute the metrics."""
        settings = replace(self.settings, sampling=replace(self.settings.sampling, seed=seed))
        table = baselines_of_frames(frames, settings).to_frame()
        return tuple(_metric_reading(table[table["metric"] == spec.name], spec.kind == "ratio") for spec in settings.specs)


def _metric_reading(rows: pd.DataFrame, is_ratio: bool) -> Reading:
    """The value farthest from "no difference", and whether any group raises a flag."""
    measured = rows[rows["verdict"] != "not_measurable"]
    defined = rows["value"].dropna()
    if defined.empty:
        value = math.nan
    else:
        distance = defined.map(lambda v: abs(math.log(v)) if v > 0 else math.inf) if is_ratio else defined.abs()
        value = float(defined.to_numpy()[distance.to_numpy().argmax()])
    if measured.empty:
        return Reading(value, None, "; ".join(dict.fromkeys(n for n in rows["note"] if n)) or "Not measurable.")
    return Reading(value, bool((measured["verdict"] == "disparity").any()))


def named_detectors(
    names: Sequence[str],
    *,
    attributes: Sequence[str] | None = None,
    contrast: Contrast | str | Mapping[str, Any] = "frame_vs_reference",
    bins: int = 10,
    binning: str = "sequential",
    alpha: float = 0.05,
    resamples: int = 0,
    threshold: float | None = None,
) -> tuple[Detector, ...]:
    """Detectors for names of QMAD pairs and of classical metrics.

    Parameters
    ----------
    names : sequence of str
        Names in ``fairaudit.qmad.PAIRS`` and ``fairaudit.BASELINES``; a name of both is the classical metric.
    attributes : sequence of str, optional
        What the pairs look at; every compared attribute by default.
    contrast : Contrast, str or dict
        Who is compared with whom.
    bins, binning, alpha : as in ``fairaudit.audit``
    resamples : int
        Permutations of the calibrated verdict; 0 leaves that curve out. Intervals of the metrics are closed forms where there are any.
    threshold : float, optional
        Values of a numeric prediction or score at or above it are favourable decisions, for the metrics.

    Returns
    -------
    tuple of Detector
        The metrics form one detector, since they share most of the work.

    Raises
    ------
    UnknownNameError
        For a name that is neither.
    """
    who = Contrast.from_any(contrast)
    detectors: list[Detector] = []
    metrics = []
    for name in dict.fromkeys(names):
        if name in BASELINES:
            metrics.append(name)
        elif name in PAIRS:
            pair = PAIRS[name]
            settings = QmadSettings(
                attributes=None if attributes is None else tuple(attributes),
                comparison=pair.comparison,
                aggregation=pair.aggregation,
                binning=binning,
                bins=bins,
                contrast=who,
                aggregate_over="all",
                alpha=alpha,
                resamples=resamples,
            )
            detectors.append(QmadDetector(name, pair.label, settings))
        else:
            raise unknown_name("detector", name, [*PAIRS, *BASELINES.names()])
    if metrics:
        settings_ = BaselineSettings(
            metrics=tuple(metrics),
            contrast=who,
            threshold=threshold,
            sampling=Sampling(resamples=METRIC_RESAMPLES, neighbour_rows=NEIGHBOUR_ROWS),
        )
        detectors.append(BaselineDetector(settings_))
    return tuple(detectors)


METRIC_RESAMPLES = 200
"""Bootstrap repeats for the intervals of metrics without a closed form; a curve averages over repeats, so fewer than in an audit are enough."""
NEIGHBOUR_ROWS = 500
"""Rows whose neighbours are looked up for consistency, for the same reason."""
