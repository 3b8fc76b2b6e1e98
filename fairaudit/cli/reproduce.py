"""``fairaudit reproduce``."""

from __future__ import annotations

import argparse
import json

from fairaudit.charts.text import number
from fairaudit.cli.terminal import STDIO, check_outputs, columns, progress, say, write
from fairaudit.reporting.documents import finite
from fairaudit.reporting.tables import safe_csv
from fairaudit.reproduction import SEEDS, reproduce


def run(options: argparse.Namespace) -> int:
    """Recompute, write what was asked for, and say how far it agrees."""
    check_outputs(options.json, options.csv)
    tables = "all" if "all" in options.table else tuple(options.table)
    seeds = SEEDS if options.seeds is None else options.seeds
    result = reproduce(tables, seeds, options.bins, seed=options.seed, progress=progress("Reproduction"))
    if options.json:
        write(options.json, json.dumps(finite(result.to_dict()), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    frame = result.to_frame()
    if options.csv:
        write(options.csv, safe_csv(frame))
    if not options.quiet and STDIO not in (options.json, options.csv):
        shown = ["table", "metric", "day", "column", "published", "median", "low", "high", "status"]
        rows = [[number(v) if isinstance(v, float) else str(v) for v in row] for row in frame[shown].itertuples(index=False)]
        print(columns(shown, rows, most=100))
        print()
        for table in result.tables:
            say(f"Table {table}: {result.agreement(table).sentence()}")
    return 0
