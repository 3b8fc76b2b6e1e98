"""``evaluate``: train on biased data, score on the fair and on the biased version of the same test rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from fairaudit.errors import SettingsError
from fairaudit.evaluation.data import FairWorld, Version, biased_version, fair_world, level_facts, unprivileged_group
from fairaudit.evaluation.folds import Fold, make_folds
from fairaudit.evaluation.result import EvaluationResult, tidy
from fairaudit.evaluation.scheduling import run_tasks, worker_count
from fairaudit.evaluation.settings import DEFAULT_LEVELS, EvaluationSettings, checked_settings
from fairaudit.evaluation.units import Unit, run_unit
from fairaudit.injection import Injection
from fairaudit.mitigation import MITIGATIONS
from fairaudit.results import now, versions
from fairaudit.schema import REPAIR_CODES, AuditTable, Schema
from fairaudit.validation import check_table

Progress = Callable[[int, int], None]
Cancel = Callable[[], bool]
Table = pd.DataFrame | AuditTable


def evaluate(
    table: Table,
    schema: Schema | Mapping[str, Any] | None = None,
    injection: Injection | Mapping[str, Any] | None = None,
    levels: Iterable[float] = DEFAULT_LEVELS,
    models: str | Iterable[str] = ("random_forest",),
    mitigations: str | Iterable[str] | None = None,
    folds: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    scheduler: str | None = None,
    *,
    stratified: bool = False,
    train_on: str = "all",
    group: Mapping[str, Any] | None = None,
    engine: str = "numpy",
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    resume: EvaluationResult | None = None,
) -> EvaluationResult:
    """Plant a bias at several levels, train models with and without mitigation, and measure them on fair and on biased test data.

    Parameters
    ----------
    table : DataFrame or AuditTable
        Stands for the fair world; its labels are taken as true.
    schema : Schema or dict, optional
        Roles and types of the columns: label, favourable value, score, sensitive features. Inferred where it does not say.
    injection : Injection or dict
        The planted bias without strength, such as ``{"kind": "label", "group": {"sex": "M"}, "score": "G3", "threshold": 10, "noise": 0.1}``;
        kinds and parameters are in ``fairaudit.injection.INJECTIONS``. Without a group it hits who is unprivileged.
    levels : iterable of float in [0, 1]
        Strengths of the bias. Keep 0: it gives the fair baseline.
    models : str or iterable of str
        Names in ``MODELS``.
    mitigations : str or iterable of str, optional
        Names in ``MITIGATIONS``; all of them by default. Keep ``"none"``: the others are compared with it.
    folds : int, optional
        3 or more. By default 5 for selection biases and 10 for the others.
    seed : int
        Same table and settings give the same numbers, with any number of workers.
    n_jobs : int
        Processes on this machine; -1 is one per core.
    scheduler : str, optional
        Address of a Dask scheduler whose workers take over, such as ``"tcp://127.0.0.1:8786"``; fairaudit must be installed there.
    stratified : bool
        Whether each fold gets the same share of every group and label.
    train_on : {"all", "privileged"}
        ``privileged`` leaves the unprivileged group out of training.
    group : dict, optional
        Who is unprivileged; by default the injection's group, else everyone outside of the first sensitive feature's reference group.
    engine : {"numpy", "aif360"}
        Whose implementation of the mitigation methods runs. aif360's reject option is some thousand times slower.
    progress : callable, optional
        Called with the number of finished units and of all units of this call, at the start and after each unit. A unit is one model on one
        fold at one level with all methods.
    cancel : callable, optional
        Returns True when the run is to stop; what is finished is returned as a partial result.
    resume : EvaluationResult, optional
        A partial (or smaller) result of the same experiment; its units are not computed again. Levels, models and methods may be added.

    Returns
    -------
    EvaluationResult

    Raises
    ------
    FairAuditError
        With the problem and the remedy, when the table or a setting cannot be used.

    References
    ----------
    .. [1] M. Legast, T. Calders, F. Fouss, No evaluation without fair representation, 2025, sections 4 and 5.
    """
    started = time.monotonic()
    world, settings = _prepare(
        table, schema, injection, levels, models, mitigations, folds, seed, stratified, train_on, group, engine
    )
    finished = _reusable(resume, world, settings)
    units = _open_units(settings, finished)
    biased = {level: biased_version(world, settings, level) for level in settings.levels}
    rows = [row for (level, fold, model, method) in finished for row in finished[level, fold, model, method]]
    all_units = settings.folds * len(settings.levels) * len(settings.models)
    done = all_units - len(units)
    if progress is not None:
        progress(0, len(units))
    if units and not (cancel is not None and cancel()):
        by_number = {f.number: f for f in make_folds(world, settings)}
        tasks = [(run_unit, (world.fair, biased[u.level], by_number[u.fold], u, settings)) for u in units]
        ran = 0
        results = run_tasks(tasks, n_jobs, scheduler)
        for position, unit_rows in results:
            unit = units[position]
            rows += [(unit.level, unit.fold, unit.model, *row) for row in unit_rows]
            ran += 1
            if progress is not None:
                progress(ran, len(units))
            if cancel is not None and cancel():
                results.close()
                break
        done += ran
    facts = pd.DataFrame([level_facts(world, biased[level], level) for level in settings.levels])
    provenance = {
        "fingerprint": world.table.fingerprint,
        "table": world.table.name,
        "rows": len(world.table),
        "sample": None if world.table.sample is None else world.table.sample.to_dict(),
        "repairs": _repairs(world.table),
        "rows_left_out": world.n_left_out,
        "unprivileged": world.group_words,
        "features": list(world.feature_names),
        "schema": world.table.schema.to_dict(),
        "versions": versions(),
        "created": now(),
        "seconds": time.monotonic() - started,
    }
    return EvaluationResult(tidy(rows), facts, settings, done, all_units, provenance)


def _repairs(table: AuditTable) -> list[dict[str, str]]:
    """What was done to the table before, or could not be, the first first; a sample and ignored columns have entries of their own."""
    told = [f for f in reversed(table.findings) if f.code in REPAIR_CODES and f.code != "sampled"]
    return [{"code": f.code, "column": f.column, "problem": f.problem} for f in told]


def estimate_seconds(
    table: Table,
    schema: Schema | Mapping[str, Any] | None = None,
    injection: Injection | Mapping[str, Any] | None = None,
    levels: Iterable[float] = DEFAULT_LEVELS,
    models: str | Iterable[str] = ("random_forest",),
    mitigations: str | Iterable[str] | None = None,
    folds: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    scheduler: str | None = None,
    *,
    stratified: bool = False,
    train_on: str = "all",
    group: Mapping[str, Any] | None = None,
    engine: str = "numpy",
) -> float:
    """How long ``evaluate`` with the same arguments will take, from timing one unit per model.

    Returns
    -------
    float
        Seconds; a rough figure, because the time of a unit differs between levels and a cluster's workers may be slower or faster.
    """
    world, settings = _prepare(
        table, schema, injection, levels, models, mitigations, folds, seed, stratified, train_on, group, engine
    )
    level = settings.levels[len(settings.levels) // 2]
    version, fold = biased_version(world, settings, level), make_folds(world, settings)[0]
    _run_quickly(world, version, fold, settings, level)
    total = 0.0
    for model in settings.models:
        unit = Unit(0, level, model, settings.mitigations)
        before = time.perf_counter()
        run_unit(world.fair, version, fold, unit, settings)
        total += (time.perf_counter() - before) * settings.folds * len(settings.levels)
    return total / worker_count(n_jobs, scheduler)


def _run_quickly(world: FairWorld, version: Version, fold: Fold, settings: EvaluationSettings, level: float) -> None:
    """Run something small first, so that importing libraries is not counted once per unit."""
    run_unit(world.fair, version, fold, Unit(0, level, "decision_tree", ("none",)), settings)


def _prepare(
    table: Table,
    schema: Schema | Mapping[str, Any] | None,
    injection: Injection | Mapping[str, Any] | None,
    levels: Iterable[float],
    models: str | Iterable[str],
    mitigations: str | Iterable[str] | None,
    folds: int | None,
    seed: int,
    stratified: bool,
    train_on: str,
    group: Mapping[str, Any] | None,
    engine: str,
) -> tuple[FairWorld, EvaluationSettings]:
    """Checked table and settings."""
    if injection is None:
        raise SettingsError("No bias is named.", 'Name one, for example {"kind": "label", "group": {"sex": "F"}}.')
    checked = table if isinstance(table, AuditTable) and schema is None else check_table(table, schema)
    unprivileged = unprivileged_group(checked, injection, group)
    if not isinstance(injection, Injection) and not injection.get("group"):
        injection = {**injection, "group": unprivileged}
    settings = checked_settings(
        injection,
        levels,
        models,
        MITIGATIONS.names() if mitigations is None else mitigations,
        folds,
        seed,
        stratified,
        train_on,
        engine,
        unprivileged,
    )
    return fair_world(checked, settings), settings


Key = tuple[float, int, str, str]


def _reusable(
    resume: EvaluationResult | None, world: FairWorld, settings: EvaluationSettings
) -> dict[Key, list[tuple[Any, ...]]]:
    """Rows of finished (level, fold, model, method) combinations that belong to the grid."""
    if resume is None:
        return {}
    differing = list(resume.settings.same_units(settings))
    if resume.provenance.get("fingerprint") != world.table.fingerprint:
        differing.insert(0, "table")
    if differing:
        raise SettingsError(
            f"The run cannot be continued, because these differ from when it was started: {', '.join(differing)}.",
            "Use the same table and settings, or start afresh. Levels, models and methods may be added.",
        )
    finished: dict[Key, list[tuple[Any, ...]]] = {}
    for row in resume.values.itertuples(index=False, name=None):
        level, fold, model, method = row[:4]
        if level in settings.levels and model in settings.models and method in settings.mitigations:
            finished.setdefault((level, fold, model, method), []).append(row)
    return finished


def _open_units(settings: EvaluationSettings, finished: Mapping[Key, Any]) -> list[Unit]:
    """Units with something left to do; fold by fold, so that a run that is stopped has every level of the first folds."""
    units = []
    for fold in range(settings.folds):
        for level in settings.levels:
            for model in settings.models:
                missing = tuple(m for m in settings.mitigations if (level, fold, model, m) not in finished)
                if missing:
                    units.append(Unit(fold, level, model, missing))
    return units
