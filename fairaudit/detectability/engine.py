"""Repeats: deal an unbiased target, plant the bias at every strength, ask every detector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from fairaudit.contrast import Contrast
from fairaudit.detectability.detectors import Detector, Entry, Reading, named_detectors
from fairaudit.detectability.reach import DETECTORS, cannot_react
from fairaudit.detectability.result import READING_COLUMNS, DetectabilityResult
from fairaudit.errors import CancelledError, FairAuditError, SettingsError, unknown_name
from fairaudit.injection import Injected, Injection, apply_step, as_injections, differing, inject, step_seed
from fairaudit.injection.description import check_seed, check_strength
from fairaudit.injection.tables import fitting
from fairaudit.results import versions
from fairaudit.schema import COMPARED_TYPES, AuditTable, Frames, Schema
from fairaudit.validation import check_table

Scheme = Literal["split", "bootstrap"]
Predict = Callable[[pd.DataFrame], pd.DataFrame]
STRENGTHS = tuple(level / 10 for level in range(11))
MIN_ROWS = 20


@dataclass(frozen=True, eq=False)
class _Plan:
    """What every repeat needs; it pickles."""

    table: AuditTable
    steps: tuple[Injection, ...]
    detectors: tuple[Detector, ...]
    strengths: tuple[float, ...]
    scheme: Scheme
    target_rows: int
    predict: Predict | None


def detectability(
    table: pd.DataFrame | AuditTable,
    injection: Injection | Mapping[str, Any] | Iterable[Any],
    detectors: Sequence[str | Detector] = DETECTORS,
    strengths: Sequence[float] = STRENGTHS,
    repeats: int = 20,
    seed: int = 0,
    n_jobs: int = 1,
    *,
    schema: Schema | Mapping[str, Any] | None = None,
    attributes: Sequence[str] | None = None,
    contrast: Contrast | str | Mapping[str, Any] = "frame_vs_reference",
    bins: int = 10,
    binning: str = "sequential",
    alpha: float = 0.05,
    resamples: int = 0,
    threshold: float | None = None,
    scheme: Scheme = "split",
    target_rows: int | None = None,
    predict: Predict | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> DetectabilityResult:
    """How often each detector raises its flag when a bias of growing strength is planted.

    Each repeat deals the rows of the table at random to a reference and a target, so that without a bias both are samples of one
    distribution; strength 0 shows the false alarms. The same deal and the same random numbers serve all strengths and detectors of a repeat.

    Parameters
    ----------
    table : DataFrame or AuditTable
        Taken as free of the bias.
    injection : dict, Injection or a list of them
        What is planted in the target. The strength of the curve multiplies the strengths of the steps: 1 is the stack as described.
    detectors : sequence of str or Detector
        Names of QMAD pairs and classical metrics, or own detectors such as ``FunctionDetector``.
    strengths : sequence of float in [0, 1]
    repeats : int
    seed : int
        Same arguments and seed give the same result for any number of workers.
    n_jobs : int
        Processes.
    schema : Schema or dict, optional
    attributes : sequence of str, optional
        What the named pairs look at; by default the columns that the bias changes, or, where it removes rows, every compared attribute.
    contrast, bins, binning, alpha, resamples, threshold
        See ``named_detectors``.
    scheme : {"split", "bootstrap"}
        ``split``: reference and target share no row. ``bootstrap``: the reference is the whole table and the target is drawn from it with
        replacement, as in the QMAD paper.
    target_rows : int, optional
        Size of the target: half of the rows (split) or as many as the table has (bootstrap) by default.
    predict : callable, optional
        Takes the biased target and returns it with new predictions; without it, predictions stay as they were.
    progress : callable, optional
        ``progress(done, total)`` in units of one strength of one repeat.
    cancel : callable, optional
        When it returns True, the finished repeats are returned with a note.

    Returns
    -------
    DetectabilityResult

    Raises
    ------
    FairAuditError
        If the bias cannot be planted in the table, or a setting is outside of what is allowed.
    CancelledError
        If it was cancelled before the first repeat was finished.
    """
    levels = tuple(dict.fromkeys(sorted(check_strength(s) for s in strengths)))
    if not levels:
        raise SettingsError("No strength is given.", "Choose 0, 0.1, …, 1, for example.")
    if isinstance(repeats, bool) or not isinstance(repeats, (int, np.integer)) or repeats < 1:
        raise SettingsError(
            f"The number of repeats must be a whole number of 1 or more. Got {repeats!r}.", "Choose 20, for example."
        )
    seed = check_seed(seed)
    if scheme not in get_args(Scheme):
        raise unknown_name("scheme", scheme, get_args(Scheme))
    checked = table if isinstance(table, AuditTable) and schema is None else _checked(table, schema)
    steps = as_injections(injection)
    # Planted once in the whole table at full strength, so that impossible requests are told before any work starts.
    probe = inject(checked, steps, seed)
    n = len(checked)
    size = (n // 2 if scheme == "split" else n) if target_rows is None else target_rows
    if n < MIN_ROWS or not 1 <= size <= (n - 1 if scheme == "split" else max(n, size)):
        raise SettingsError(
            f"A target of {size:,} rows cannot be drawn from a table of {n:,} rows.",
            f"Use {MIN_ROWS} rows or more, and a smaller target.",
        )
    chosen = _detectors(
        detectors,
        attributes=_looked_at(checked, tuple(probe.changed_cells)) if attributes is None else tuple(attributes),
        contrast=contrast,
        bins=bins,
        binning=binning,
        alpha=alpha,
        resamples=resamples,
        threshold=threshold,
    )
    plan = _Plan(checked, steps, chosen, levels, scheme, int(size), predict)
    unmoved = _unmoved(checked, probe, chosen, predict)
    seeds = np.random.SeedSequence(seed).spawn(int(repeats))
    blocks = _run(plan, seeds, n_jobs, progress, cancel)
    if not blocks:
        raise CancelledError("The run was cancelled before its first repeat was finished.", "Start it again when you are ready.")
    stopped = len(blocks) < repeats
    readings = pd.DataFrame(
        [(*row[:2], repeat, *row[2:]) for repeat, block in enumerate(blocks) for row in block], columns=[*READING_COLUMNS]
    ).astype({"value": float, "flag": "boolean"})
    provenance = {
        "fingerprint": checked.fingerprint,
        "rows": n,
        "sample": table.sample.to_dict() if isinstance(table, AuditTable) and table.sample is not None else None,
        "target_rows": int(size),
        "scheme": scheme,
        "injections": [step.to_dict() for step in steps],
        "seed": seed,
        "contrast": Contrast.from_any(contrast).to_dict(),
        "bins": bins,
        "binning": binning,
        "alpha": alpha,
        "resamples": resamples,
        "threshold": threshold,
        "versions": versions(),
    }
    note = f"Stopped after {len(blocks)} of {repeats} repeats; the curves rest on those." if stopped else ""
    return DetectabilityResult(_entries(chosen), levels, len(blocks), int(repeats), readings, provenance, note, unmoved)


def _checked(table: pd.DataFrame | AuditTable, schema: Schema | Mapping[str, Any] | None) -> AuditTable:
    return check_table(table.data if isinstance(table, AuditTable) else table, schema)


def _looked_at(table: AuditTable, changed: tuple[str, ...]) -> tuple[str, ...] | None:
    """Changed columns that can be compared; None (all) where there are none."""
    return tuple(c for c in changed if table.type_of(c) in COMPARED_TYPES) or None


def _unmoved(table: AuditTable, probe: Injected, chosen: Sequence[Detector], predict: Predict | None) -> dict[str, str]:
    """Curves that the bias cannot move at any strength, with the reason."""
    if len(probe.removed):
        return {}
    before, after = table.data, probe.table.data
    changed = set(probe.changed_cells)
    try:
        if predict is not None:
            before, after = predict(before), predict(after)
            changed |= {c for c in after.columns if c not in before or differing(before[c], after[c]).any()}
        return cannot_react(chosen, _frames(replace(table, data=before), replace(table, data=after), after), changed)
    except FairAuditError:
        # What cannot be predicted or measured at all is said by the readings, each with its reason.
        return {}


def _detectors(chosen: Sequence[str | Detector], **how: Any) -> tuple[Detector, ...]:
    """Named detectors and own ones; every curve has a name of its own."""
    named = [d for d in chosen if isinstance(d, str)]
    result = (*named_detectors(named, **how), *(d for d in chosen if not isinstance(d, str)))
    names = [entry.name for entry in _entries(result)]
    if not names:
        raise SettingsError("No detector is chosen.", "Choose a pair such as ks-harmonic, or a metric.")
    if twice := {name for name in names if names.count(name) > 1}:
        raise SettingsError(f"Several detectors are named {', '.join(sorted(twice))}.", "Give each a name of its own.")
    return result


def _entries(detectors: Iterable[Detector]) -> tuple[Entry, ...]:
    return tuple(entry for detector in detectors for entry in detector.entries)


Row = tuple[str, float, float, bool | None, str]


def _run(
    plan: _Plan,
    seeds: Sequence[np.random.SeedSequence],
    n_jobs: int,
    progress: Callable[[int, int], None] | None,
    cancel: Callable[[], bool] | None,
) -> list[list[Row]]:
    """Finished repeats in their order; fewer than asked for when cancelled."""
    per_repeat = len(plan.strengths)
    total = per_repeat * len(seeds)
    blocks: list[list[Row]] = []

    def stop() -> bool:
        return cancel is not None and cancel()

    def report(done: int) -> None:
        if progress is not None:
            progress(done, total)

    if n_jobs == 1:
        for number, seed in enumerate(seeds):
            block: list[Row] = []
            for done, rows in enumerate(_repeat(plan, seed), start=1):
                block += rows
                report(number * per_repeat + done)
                if stop() and done < per_repeat:
                    return blocks
            blocks.append(block)
            if stop():
                return blocks
        return blocks
    from joblib import Parallel, cpu_count, delayed

    workers = cpu_count() if n_jobs < 0 else n_jobs
    with Parallel(n_jobs=workers) as pool:
        # One round of repeats at a time: between rounds the run can be stopped without losing what is finished.
        for first in range(0, len(seeds), workers):
            if stop():
                break
            blocks += pool(delayed(_whole_repeat)(plan, seed) for seed in seeds[first : first + workers])
            report(len(blocks) * per_repeat)
    return blocks


def _whole_repeat(plan: _Plan, seed: np.random.SeedSequence) -> list[Row]:
    return [row for rows in _repeat(plan, seed) for row in rows]


def _repeat(plan: _Plan, seed: np.random.SeedSequence) -> Iterable[list[Row]]:
    """Readings of one repeat, strength by strength."""
    dealing, planting, measuring = seed.spawn(3)
    reference, target = deal(plan.table, plan.scheme, plan.target_rows, np.random.default_rng(dealing))
    planting_seed, measuring_seed = (int(s.generate_state(1)[0]) for s in (planting, measuring))
    for strength in plan.strengths:
        try:
            biased = plant(target, plan.steps, strength, planting_seed)
            frames = _frames(reference, target, plan.predict(biased) if plan.predict else biased)
        except FairAuditError as error:
            yield [(entry.name, strength, np.nan, None, str(error)) for entry in _entries(plan.detectors)]
            continue
        rows: list[Row] = []
        for detector in plan.detectors:
            try:
                readings = detector.measure(frames, measuring_seed)
            except FairAuditError as error:
                readings = tuple(Reading(np.nan, None, str(error)) for _ in detector.entries)
            rows += [(e.name, strength, r.value, r.flag, r.note) for e, r in zip(detector.entries, readings, strict=True)]
        yield rows


def deal(table: AuditTable, scheme: Scheme, target_rows: int, rng: np.random.Generator) -> tuple[AuditTable, AuditTable]:
    """A reference and a target without a planted difference.

    Parameters
    ----------
    table : AuditTable
    scheme : {"split", "bootstrap"}
    target_rows : int
    rng : Generator

    Returns
    -------
    reference, target : AuditTable
    """
    if scheme == "bootstrap":
        return table, _part(table, rng.integers(0, len(table), target_rows), "target")
    order = rng.permutation(len(table))
    return _part(table, order[target_rows:], "reference"), _part(table, order[:target_rows], "target")


def _part(table: AuditTable, rows: np.ndarray, name: str) -> AuditTable:
    # Parts live for one repeat only and are never a cache key, so they keep the fingerprint of the whole with their name.
    return replace(table, name=name, data=table.data.iloc[rows].reset_index(drop=True), fingerprint=f"{table.fingerprint}:{name}")


def plant(target: AuditTable, steps: tuple[Injection, ...], strength: float, seed: int) -> pd.DataFrame:
    """The target's data with every step at ``strength`` times its own strength."""
    data = target.data
    for position, step in enumerate(steps):
        applied = apply_step(
            data,
            step.at(strength * step.strength),
            step_seed(step, seed, position),
            target.schema,
            origin=target.data,
            strict=False,
        )
        data = applied.table
    return data.reset_index(drop=True)


def _frames(reference: AuditTable, target: AuditTable, data: pd.DataFrame) -> Frames:
    """Both sides with the same categories in the same order, which planting a new category can upset."""
    if not len(data):
        raise SettingsError("No row of the target is left.", "Lower the strength.")
    own = reference.data
    for name in data.columns:
        before, after = own[name], data[name]
        if (
            isinstance(before.dtype, pd.CategoricalDtype)
            and isinstance(after.dtype, pd.CategoricalDtype)
            and before.dtype != after.dtype
        ):
            known = before.cat.categories.union(after.cat.categories, sort=False)
            own = own.assign(**{name: before.cat.set_categories(known)})
            data = data.assign(**{name: after.cat.set_categories(known)})
    schema = fitting(target.schema, data)
    return Frames(replace(reference, data=own, schema=schema), (replace(target, data=data, schema=schema),))
