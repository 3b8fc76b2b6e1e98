"""``python -m fairaudit.reproduction --seeds 20 --out FOLDER`` recomputes tables and writes the values and settings as files."""

from __future__ import annotations

import argparse
import sys

from fairaudit.reproduction.run import SEEDS, reproduce
from fairaudit.reproduction.tables import TABLES


def main(arguments: list[str] | None = None) -> int:
    """Recompute, write the files, and say how many cells agree."""
    parser = argparse.ArgumentParser(prog="python -m fairaudit.reproduction", description="Recompute tables of the QMAD paper.")
    parser.add_argument("--table", action="append", choices=[*TABLES, "all"], help="may be repeated; all by default")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--bins", type=int, help="by default the number that fits each table")
    parser.add_argument("--out", required=True, help="folder for default_values.csv and default_settings.json")
    chosen = parser.parse_args(arguments)
    tables = chosen.table or ["all"]

    def progress(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done} of {total}")

    result = reproduce("all" if "all" in tables else tables, chosen.seeds, chosen.bins, progress=progress)
    sys.stderr.write("\n")
    for name in result.tables:
        sys.stdout.write(f"Table {name}: {result.agreement(name).sentence()}\n")
    for path in result.save(chosen.out):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
