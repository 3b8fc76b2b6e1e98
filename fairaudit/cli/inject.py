"""``fairaudit inject``."""

from __future__ import annotations

import argparse
import io
from pathlib import PurePath
from typing import Any

import pandas as pd

from fairaudit.cli.choices import merged, plain_settings, read_one, yaml_entry
from fairaudit.cli.terminal import STDIO, check_outputs, say, warn, write
from fairaudit.errors import FairAuditError, SettingsError
from fairaudit.injection import DEFAULT_SEED, Injected, inject, replay
from fairaudit.injection.presets import preset
from fairaudit.settings.model import read_settings_file

ENDINGS = (".csv", ".parquet", ".xlsx")


def run(options: argparse.Namespace) -> int:
    """Plant the biases and write the new table."""
    check_outputs(options.out, options.changed, options.description)
    ending = ".csv" if options.out == STDIO else PurePath(options.out).suffix.lower()
    if ending not in ENDINGS:
        raise FairAuditError(f"{options.out!r} has an ending that is not known.", f"Choose one of {', '.join(ENDINGS)}.")
    plain, _ = plain_settings(options)
    if options.preset is not None:
        plain["injections"] = [i.to_dict() for i in preset(options.preset).injections]
    if options.injection:
        plain["injections"] = [yaml_entry(text, "--injection") for text in options.injection]
    if options.seed is not None:
        plain["injection_seed"] = options.seed
    settings = merged(plain, options)
    if settings.repairs:
        warn("The repairs of the settings are not applied: a bias is planted in the table as it is in the file.")
    table = read_one(options)
    injected: Injected
    if options.replay is not None:
        injected = replay(table.data, read_settings_file(options.replay).decode("utf-8", errors="replace"))
    elif settings.injections:
        injected = inject(table.data, settings.injections, settings.injection_seed, settings.schema)
    else:
        raise SettingsError("No bias is named.", "Name one with --injection, --preset, --replay or --settings.")
    write(options.out, _content(injected.table, ending))
    if options.changed:
        write(options.changed, injected.changed.astype(int).to_csv(index=False))
    if options.description:
        write(options.description, injected.to_json() + "\n")
    if options.out != STDIO:
        say(f"{table.name}: {table.decision.sentence}")
        for line in injected.summaries():
            say(line)
        seed = settings.injection_seed if options.replay is None else injected.description.get("seed", DEFAULT_SEED)
        say(f"Written: {options.out}, {len(injected.table):,} rows. Seed {seed}.")
    return 0


def _content(table: Any, ending: str) -> bytes:
    frame: pd.DataFrame = table
    if ending == ".csv":
        return frame.to_csv(index=False, lineterminator="\n").encode("utf-8")
    stream = io.BytesIO()
    if ending == ".parquet":
        frame.to_parquet(stream, index=False)
    else:
        frame.to_excel(stream, index=False)
    return stream.getvalue()
