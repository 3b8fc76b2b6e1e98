"""``python -m fairaudit.reproduction --seeds 20 --out FOLDER`` recomputes tables and writes the values and settings as files."""

from __future__ import annotations

import argparse
import sys

from joblib import Parallel, delayed

from fairaudit.reproduction.result import ReproductionResult
from fairaudit.reproduction.run import RESAMPLES, SEEDS, reproduce
from fairaudit.reproduction.tables import TABLES


def main(arguments: list[str] | None = None) -> int:
    """Recompute, write the files, and say how many cells agree."""
    parser = argparse.ArgumentParser(prog="python -m fairaudit.reproduction", description="Recompute tables of the QMAD paper.")
    parser.add_argument("--table", action="append", choices=[*TABLES, "all"], help="may be repeated; all by default")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--bins", type=int, help="by default the number that fits each table")
    parser.add_argument(
        "--resamples", type=int, default=RESAMPLES, help="of the calibrated verdicts of Table 7, the slow part; 0: none"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes; the numbers do not depend on it")
    parser.add_argument("--out", required=True, help="folder for default_values.csv and default_settings.json")
    chosen = parser.parse_args(arguments)
    tables = tuple(TABLES) if "all" in (chosen.table or ["all"]) else tuple(chosen.table)
    single = Parallel(n_jobs=chosen.jobs, return_as="generator")(
        delayed(reproduce)(tables, 1, chosen.bins, seed=number, resamples=chosen.resamples) for number in range(chosen.seeds)
    )
    results = []
    for found in single:
        results.append(found)
        sys.stderr.write(f"\r{len(results)} of {chosen.seeds} seeds")
    sys.stderr.write("\n")
    result = ReproductionResult.joined(results)
    for name in result.tables:
        sys.stdout.write(f"Table {name}: {result.agreement(name).sentence()}\n")
    for path in result.save(chosen.out):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
