"""``fairaudit evaluate``."""

from __future__ import annotations

import argparse
import json
import signal
from types import FrameType
from typing import Any

from fairaudit.charts.sides import rows_of
from fairaudit.charts.text import number
from fairaudit.cli.choices import check_sample_names, merged, plain_settings, read_one, yaml_entry
from fairaudit.cli.terminal import STDIO, check_outputs, columns, progress, say, warn, write
from fairaudit.errors import SettingsError
from fairaudit.evaluation import EvaluationResult, evaluate
from fairaudit.reporting.documents import finite
from fairaudit.reporting.tables import safe_csv
from fairaudit.settings.model import read_settings_file
from fairaudit.validation.repairs import repaired_table


def run(options: argparse.Namespace) -> int:
    """Run the experiment; when it is interrupted, what is finished is written."""
    check_outputs(options.json, options.csv)
    plain, _ = plain_settings(options)
    given: dict[str, Any] = {k: getattr(options, k) for k in ("levels", "models", "mitigations", "folds", "seed")}
    given = {k: v for k, v in given.items() if v is not None}
    if options.injection is not None:
        given["injection"] = yaml_entry(options.injection, "--injection")
    if given:
        plain["evaluation"] = {**(plain.get("evaluation") or {}), **given}
    settings = merged(plain, options)
    if settings.evaluation is None:
        raise SettingsError("No bias is named.", "Name one with --injection, or in the settings file.")
    read = read_one(options)
    check_sample_names(options, [read.name])
    table, repairs = repaired_table(read, settings.schema, settings.repairs, name=read.name)
    for told in repairs:
        if not told.done:
            warn(told.sentence)
        elif not options.quiet and STDIO not in (options.json, options.csv):
            say(told.sentence)
    resume = None if options.resume is None else _saved(options.resume)
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        if stopped:
            raise KeyboardInterrupt
        stopped = True
        warn("Stopping after the running units; press Ctrl-C again to stop at once.")

    before = signal.signal(signal.SIGINT, stop)
    try:
        result = evaluate(
            table,
            **settings.evaluation.arguments(),
            n_jobs=options.jobs,
            scheduler=options.scheduler,
            progress=progress("Evaluation"),
            cancel=lambda: stopped,
            resume=resume,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    if options.json:
        write(options.json, json.dumps(finite(result.to_dict()), ensure_ascii=False, allow_nan=False) + "\n")
    if options.csv:
        write(options.csv, safe_csv(result.to_frame()))
    if not options.quiet and STDIO not in (options.json, options.csv):
        _print(result)
    if not result.complete:
        warn(f"{result.units_done} of {result.units_total} units are finished. Continue with --resume and the JSON file.")
        return 130
    return 0


def _saved(path: str) -> EvaluationResult:
    try:
        return EvaluationResult.from_dict(json.loads(read_settings_file(path)))
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError, AttributeError, KeyError):
        raise SettingsError(f"{path!r} is not the JSON of an evaluation.", "Use a file that --json wrote.") from None


def _print(result: EvaluationResult) -> None:
    for sentence in result.interpretation():
        say(sentence)
    rows = [
        [
            number(r["level"], 2),
            str(r["model"]),
            str(r["mitigation"]),
            str(r["metric"]),
            number(r["fair"]),
            number(r["biased"]),
            number(r["difference"]),
        ]
        for r in rows_of(result.fair_against_biased())
    ]
    print()
    print(columns(["Level", "Model", "Method", "Metric", "Fair", "Biased", "Biased - fair"], rows))
