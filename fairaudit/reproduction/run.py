"""Recompute tables over many seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from fairaudit.errors import SettingsError, stop_if
from fairaudit.qmad.settings import MAX_BINS
from fairaudit.reproduction.recompute import MAKERS, RECOMPUTE, calibrated_cells, cells
from fairaudit.reproduction.result import ReproductionResult
from fairaudit.reproduction.tables import ADULT_BINS, CELL, HIRING_BINS, TABLES, table_spec
from fairaudit.results import now, versions

SEEDS = 20
RESAMPLES = 199
MAX_SEEDS = 1000
_BINS = {"hiring": HIRING_BINS, "adult": ADULT_BINS}


def reproduce(
    table: str | Sequence[str] = "5",
    seeds: int = SEEDS,
    bins: int | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> ReproductionResult:
    """Recompute tables of the QMAD paper and put the published values beside the results.

    Parameters
    ----------
    table : str or sequence of str
        "5", "6", "7", "8", "9", "10", several of them, or "all".
    seeds : int
        Number of independent repeats; each draws the data, the days and the training rows anew.
    bins : int, optional
        Number of bins; by default the one that fits the paper's data, 8 for the hiring data and 15 for Adult.
    seed : int
        The first seed; the others follow it.
    resamples : int
        Permutations of the calibrated verdicts that Table 7 shows beside the paper's rule; 0 leaves them out.
    progress : callable, optional
        Called with the number of finished steps and of all steps.
    cancel : callable, optional
        Returns True when the work is to stop; CancelledError is raised then.

    Returns
    -------
    ReproductionResult

    Raises
    ------
    FairAuditError
        For an unknown table, or numbers that cannot be used.
    """
    names = tuple(TABLES) if table == "all" else (table,) if isinstance(table, str) else tuple(table)
    names = tuple(dict.fromkeys(table_spec(name).name for name in names))
    _check("seeds", seeds, 1, MAX_SEEDS, "Choose 20, for example.")
    if bins is not None:
        _check("bins", bins, 1, MAX_BINS, "Choose 10, for example, or leave it out.")
    counts = {data: bins or number for data, number in _BINS.items()}
    needed = [t for t in RECOMPUTE if t in names or ("7" in names and t in ("5", "6"))]
    calibrated = ("5", "6") if "7" in names and resamples else ()
    makers = [data for data in MAKERS if any(RECOMPUTE[t][0] == data for t in needed)]
    total = seeds * (len(makers) + len(needed) + len(calibrated))
    rows: list[tuple[object, ...]] = []
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)
        stop_if(cancel, "recomputation")

    for number in range(seed, seed + seeds):
        for data in makers:
            frames = MAKERS[data](number)
            step()
            for name in (t for t in needed if RECOMPUTE[t][0] == data):
                rows += [(*cell, number, value) for cell, value in cells(name, frames, counts[data]).items()]
                step()
                if name in calibrated:
                    found = calibrated_cells(name, frames, counts[data], resamples, number, cancel)
                    rows += [(*cell, number, value) for cell, value in found.items()]
                    step()
    settings = {
        "tables": list(names),
        "seeds": seeds,
        "first_seed": seed,
        "bins": {data: counts[data] for data in makers},
        "resamples": resamples if calibrated else 0,
        "versions": versions(),
        "created": now(),
    }
    return ReproductionResult(pd.DataFrame(rows, columns=[*CELL, "seed", "value"]), settings)


def _check(name: str, value: int, low: int, high: int, remedy: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise SettingsError(f"The number of {name} must be a whole number from {low} to {high}. Got {value!r}.", remedy)
