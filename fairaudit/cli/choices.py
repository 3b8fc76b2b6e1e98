"""From options and files to checked settings: options are entries of the settings file, so that both obey the same rules."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from fairaudit.cli.terminal import STDIO, read_input
from fairaudit.errors import SettingsError, unknown_name
from fairaudit.qmad.pairs import named_pair
from fairaudit.reading import ReadTable, read_table
from fairaudit.schema import Schema
from fairaudit.settings import AuditSettings, parse_settings_text
from fairaudit.settings.model import read_settings_file

Plain = dict[str, Any]

_QMAD = (
    *("pair", "comparison", "aggregation", "bins", "binning", "attributes", "alpha", "threshold"),
    *("resamples", "stability", "detectable", "seed"),
)


def plain_settings(options: argparse.Namespace) -> tuple[Plain, Path]:
    """The settings file as plain values, and the folder that file names in it are relative to."""
    if options.settings is None:
        return {"version": 1}, Path()
    if options.settings == STDIO:
        return parse_settings_text(read_input(STDIO), "The standard input"), Path()
    path = Path(options.settings)
    return parse_settings_text(read_settings_file(path), options.settings), path.parent


def merged(plain: Plain, options: argparse.Namespace) -> AuditSettings:
    """Checked settings in which options win over the file."""
    qmad = _section(plain, "qmad")
    given = {k: getattr(options, k) for k in _QMAD if getattr(options, k, None) is not None}
    if "pair" in given:
        for entry in ("comparison", "aggregation", "aggregate_over"):
            qmad.pop(entry, None)
    elif {"comparison", "aggregation"} & given.keys() and qmad.get("pair") is not None:
        pair = named_pair(qmad.pop("pair"))
        qmad |= {"comparison": pair.comparison, "aggregation": pair.aggregation, "aggregate_over": pair.aggregate_over}
    qmad |= given
    contrast = _section(plain, "contrast")
    if getattr(options, "contrast", None) is not None:
        contrast["kind"] = options.contrast
    if getattr(options, "intersections", False):
        contrast["intersections"] = True
    if getattr(options, "baselines", None) is not None:
        baselines = _section(plain, "baselines")
        if options.baselines:
            baselines["metrics"] = options.baselines
    report = _section(plain, "report")
    report |= {k: getattr(options, k) for k in ("auditor", "purpose") if getattr(options, k, None) is not None}
    schema = schema_choices(options)
    if schema:
        plain["schema"] = (plain.get("schema") or {}) | schema
    if getattr(options, "sample", None):
        # A sample of the options takes the place of those of the file, and comes first: the other repairs are those of its rows.
        stated = plain.get("repairs") or []
        if isinstance(stated, list):  # anything else is refused below
            kept = [r for r in stated if not (isinstance(r, dict) and r.get("action") == "sample")]
            plain["repairs"] = [*_samples(options), *kept]
    for assignment in options.set:
        _assign(plain, assignment)
    return AuditSettings.from_dict(plain)


def _samples(options: argparse.Namespace) -> list[Plain]:
    """Samples that the options ask for; those of a named table go before the one of all others, which leaves samples alone."""
    found: list[Plain] = []
    for text in options.sample or ():
        name, equals, number = text.rpartition("=")
        if not number.isdecimal() or not int(number):
            raise SettingsError(
                f"--sample takes a number of rows, 1 or more, with a table's name before it or not. Got {text!r}.",
                "For example --sample 100000, or --sample day1=50000.",
            )
        found.append({"action": "sample", **({"table": name} if equals else {}), "rows": int(number), "seed": options.seed or 0})
    return sorted(found, key=lambda r: "table" not in r)


def check_sample_names(options: argparse.Namespace, names: Sequence[str]) -> None:
    """Refuse a sample of a table that takes no part."""
    for sample in _samples(options):
        if sample.get("table", names[0]) not in names:
            raise unknown_name("table to sample", sample["table"], names)


def schema_choices(options: argparse.Namespace) -> Plain:
    """Roles that the options name."""
    schema: Plain = {}
    if options.schema is not None:
        content = read_input(STDIO) if options.schema == STDIO else read_settings_file(options.schema)
        schema = parse_settings_text(content, options.schema)
        # A whole settings file will do as well.
        schema = schema.get("schema") or {} if "version" in schema else schema
    for option, entry in (
        ("label", "label"),
        ("prediction", "prediction"),
        ("score", "score"),
        ("sensitive", "sensitive_features"),
        ("decision_threshold", "decision_threshold"),
        ("ignore", "ignored"),
    ):
        if getattr(options, option) is not None:
            schema[entry] = getattr(options, option)
    if options.pos_label is not None:
        schema["pos_label"] = options.pos_label if len(options.pos_label) > 1 else options.pos_label[0]
    if options.reference_group is not None:
        groups = dict(_pair(text, "--reference-group", "sex=F") for text in options.reference_group)
        schema["reference_groups"] = {**schema.get("reference_groups", {}), **groups}
    return schema


def checked_schema(options: argparse.Namespace) -> Schema | None:
    """The schema of the options alone; None when they say nothing."""
    plain = schema_choices(options)
    return AuditSettings.from_dict({"version": 1, "schema": plain}).schema if plain else None


def reading_choices(options: argparse.Namespace) -> Plain:
    """How files are read, as far as the options say."""
    reading: Plain = {
        k: getattr(options, k) for k in ("delimiter", "encoding", "decimal", "sheet") if getattr(options, k) is not None
    }
    if reading.get("delimiter") == "\\t":
        reading["delimiter"] = "\t"
    if options.keep_markers:
        reading["keep_markers_as_text"] = True
    return reading


def read_one(options: argparse.Namespace) -> ReadTable:
    """The single table of a command."""
    plain = {"version": 1, "tables": {"reference": {"name": table_name(options.table), "reading": reading_choices(options)}}}
    table = AuditSettings.from_dict(plain).reference
    assert table is not None, "it was just described"
    return read_table(read_input(options.table), name=table.name, options=table.reading)


def table_name(path: str) -> str:
    """Name of a table: the file's name without its ending."""
    return "stdin" if path == STDIO else PurePath(path).stem or path


def named_file(text: str) -> tuple[str, str]:
    """Name and file of ``NAME=FILE``, or the file alone.

    Examples
    --------
    >>> named_file("day1=data/a.csv"), named_file("data/b.csv")
    (('day1', 'data/a.csv'), ('b', 'data/b.csv'))
    """
    name, equals, path = text.partition("=")
    if equals and name and path and "/" not in name and "\\" not in name and not Path(text).is_file():
        return name, path
    return table_name(text), text


def yaml_entry(text: str, option: str) -> Plain:
    """A YAML mapping given on the command line."""
    return parse_settings_text(text, option)


def _section(plain: Plain, name: str) -> Plain:
    if plain.get(name) is None:
        plain[name] = {}
    section: Plain = plain[name]
    if not isinstance(section, dict):
        AuditSettings.from_dict({"version": 1, name: section})  # says what is wrong with it
    return section


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not equals or not left:
        raise SettingsError(
            f"{option} takes an equals sign between name and value. Got {text!r}.", f"For example {option} {example}."
        )
    return left, right


def _assign(plain: Plain, assignment: str) -> None:
    """Set an entry by its dotted path."""
    path, value = _pair(assignment, "--set", "qmad.bins=20")
    place: Any = plain
    *parents, last = path.split(".")
    for part in parents:
        if not isinstance(place, dict):
            raise SettingsError(f"--set {path}: {part} lies in something that has no entries.", "See docs/settings.md.")
        if place.get(part) is None:
            place[part] = {}
        place = place[part]
    if not isinstance(place, dict):
        raise SettingsError(f"--set {path}: {last} lies in something that has no entries.", "See docs/settings.md.")
    place[last] = parse_settings_text("value: " + value, f"--set {path}")["value"]
