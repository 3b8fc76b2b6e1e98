"""``fairaudit audit``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairaudit.baselines import BaselineResult, baselines_of_frames
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.text import flagged_again, missing, number, p_text, size_text
from fairaudit.cli.choices import Plain, check_sample_names, merged, named_file, plain_settings, reading_choices
from fairaudit.cli.terminal import (
    STDIO,
    check_outputs,
    columns,
    drop_output,
    is_one_table,
    make_folder,
    one_line,
    progress,
    read_input,
    say,
    warn,
    write,
)
from fairaudit.errors import FairAuditError
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.reading.memory import give_back
from fairaudit.reporting.tables import safe_csv
from fairaudit.reporting.words import summary
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS, AuditResult
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings, read_tables, repaired_frames


def run(options: argparse.Namespace) -> int:
    """Audit, write what was asked for, and say it in a few lines."""
    one_table = options.csv is None or is_one_table(options.csv)
    check_outputs(
        *(options.json, options.html, options.csv if one_table else None, options.save_settings),
        folder_of_tables=None if one_table else options.csv,
    )
    inputs = [options.reference, *(options.target or ()), options.settings, options.schema]
    if sum(i is not None and (i == STDIO or i.endswith(f"={STDIO}")) for i in inputs) > 1:
        raise FairAuditError("Two inputs are to come from the standard input.", "Give all but one of them a file.")
    plain, folder = plain_settings(options)
    _tables(plain, options, folder)
    settings = merged(plain, options)
    described = [t for t in (settings.reference, *settings.targets) if t is not None]
    if described:
        check_sample_names(options, [t.name for t in described])
    sources = {t.name: read_input(STDIO) for t in described if t.file == STDIO}
    reference, targets = read_tables(settings, folder, sources)
    found = repaired_frames(settings, reference, targets)
    frames = found.frames
    how_read = [f"{t.name}: {t.decision.sentence}" for t in (reference, *targets.values())]
    for told in found.told:
        if told.done:
            how_read.append(told.sentence)
        else:
            warn(told.sentence)
    # The audit works on the checked tables; those that were read would only take room beside it.
    del reference, targets, sources, found
    give_back()
    if changed := settings.changed_tables(frames):
        warn(f"{', '.join(changed)}: not the table that the settings were saved with, or read in another way.")
    result = audit_frames(frames, settings.qmad, progress=progress("Audit"))
    baselines = (
        baselines_of_frames(frames, settings.baseline_settings()) if options.html or settings.baselines is not None else None
    )
    saved = settings.with_frames(
        frames, {t.name: t.file for t in described if t.file is not None}, {t.name: t.reading for t in described}
    )
    _write(options, result, frames, saved, baselines)
    code = _code(result, options.fail_on_disparity)
    if not options.quiet and STDIO not in (options.json, options.html, options.csv, options.save_settings):
        try:
            _print(result, how_read, settings.qmad)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever reads has seen enough; a gate still needs the verdict.
            drop_output()
    return code


def _tables(plain: Plain, options: argparse.Namespace, folder: Path) -> None:
    """Put the files of the command line into the settings; they are relative to where the command runs."""
    if plain.get("tables") is None:
        plain["tables"] = {}
    tables, reading = plain["tables"], reading_choices(options)
    if not isinstance(tables, dict):
        return  # the settings will say what is wrong with it

    def described(text: str) -> Plain:
        name, path = named_file(text)
        return {"name": name, "file": path if path == STDIO else str(Path(path).absolute()) if folder != Path() else path}

    if options.reference is not None:
        tables["reference"] = described(options.reference)
    if options.target:
        tables["targets"] = [described(t) for t in options.target]
        reference = tables.get("reference")
        taken = {reference.get("name")} if isinstance(reference, dict) else set()
        for table in tables["targets"]:
            base, count = table["name"], 2
            while table["name"] in taken:
                table["name"], count = f"{base} ({count})", count + 1
            taken.add(table["name"])
    if reading:
        for table in (tables.get("reference"), *(tables.get("targets") or ())):
            if isinstance(table, dict):
                table["reading"] = {**(table.get("reading") or {}), **reading}


def _write(
    options: argparse.Namespace, result: AuditResult, frames: Frames, settings: AuditSettings, baselines: BaselineResult | None
) -> None:
    if options.json or options.html or options.csv:
        # Reports know the evaluation and its models, which take a second to import.
        from fairaudit.reporting.documents import audit_document, data_findings, to_json
        from fairaudit.reporting.page import html_report

        asked = baselines if settings.baselines is not None else None
        if options.json:
            write(options.json, to_json(audit_document(result, settings=settings, frames=frames, baselines=asked)))
        if options.html:
            write(options.html, html_report(result, frames, settings, baselines))
        if options.csv and is_one_table(options.csv):
            write(options.csv, safe_csv(result.attributes()))
        elif options.csv:
            tables = {"attributes": result.attributes(), "bins": result.bins(), "overall": result.overall()}
            tables["findings"] = pd.DataFrame([vars(f) for f in data_findings(frames)])
            if asked is not None:
                tables |= {"baselines": asked.to_frame(), "groups": asked.groups()}
            make_folder(options.csv)
            for name, table in tables.items():
                write(str(Path(options.csv) / f"{name}.csv"), safe_csv(table))
    if options.save_settings:
        target = Path() if options.save_settings == STDIO else Path(options.save_settings).parent
        write(options.save_settings, _portable(settings, options.settings, target).to_yaml())


def _portable(settings: AuditSettings, source: str | None, folder: Path) -> AuditSettings:
    """The settings with file names relative to where they will be saved."""
    base = Path(source).parent if source not in (None, STDIO) else Path()

    def moved(name: str | None) -> str | None:
        if name is None or name == STDIO:
            return None
        path = (base / name).absolute()
        return str(path.relative_to(folder.absolute())) if path.is_relative_to(folder.absolute()) else str(path)

    assert settings.reference is not None, "an audit was made"
    return replace(
        settings,
        reference=replace(settings.reference, file=moved(settings.reference.file)),
        targets=tuple(replace(t, file=moved(t.file)) for t in settings.targets),
    )


def _print(result: AuditResult, reading: list[str], settings: QmadSettings) -> None:
    for line in reading:
        say(one_line(line))
    print()
    for sentence in summary(result):
        say(f"{VERDICT_SYMBOLS[sentence.verdict]} {sentence.subject}: {sentence.text}")
    print()
    ranked = sorted(
        rows_of(result.attribute_scores), key=lambda r: ("disparity", "not_measurable", "no_evidence").index(r["verdict"])
    )
    heads = ["Verdict", "Table", "Attribute", "Score", "p corrected", "Target is"]
    rows = [
        [
            f"{VERDICT_SYMBOLS[r['verdict']]} {VERDICT_LABELS[r['verdict']]}",
            column_name(r["frame"], r["group"]),
            str(r["attribute"]),
            number(r["score"]),
            "" if missing(r["p_adjusted"]) else p_text(r["p_adjusted"]),
            str(r["direction"] or ""),
        ]
        for r in ranked
    ]
    for asked, head, text in (
        (settings.stability, "Flagged again", lambda r: flagged_again(r["stability"], r["stability_null"])),
        (settings.detectable, "Found from", lambda r: size_text(r["detectable"], r["detectable_unit"])),
    ):
        if asked:
            heads.append(head)
            for row, record in zip(rows, ranked, strict=True):
                row.append(text(record))
    print(columns(heads, rows))
    rules = [r for r in result.attribute_scores["rule"].dropna().unique() if r]
    if rules:
        print()
        say(f"Rule: {'; '.join(map(str, rules[:4]))}.")


def _code(result: AuditResult, fail: bool) -> int:
    verdicts = set(result.attribute_scores["verdict"]) | set(result.overall_scores["verdict"])
    if verdicts <= {"not_measurable"}:
        reasons = [n for n in result.attribute_scores["note"] if n]
        warn(f"Nothing could be measured. {reasons[0] if reasons else ''}")
        return 3
    return 1 if fail and "disparity" in verdicts else 0
