"""Putting the report together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from fairaudit.baselines import BaselineResult, ImpactRatios, impact_ratio_table
from fairaudit.errors import SettingsError
from fairaudit.evaluation import EvaluationResult
from fairaudit.reporting.page.audit import evidence_section, summary_section, verdict_section
from fairaudit.reporting.page.background import data_section, method_section, provenance_section
from fairaudit.reporting.page.extras import LabSection, evaluation_section, lab_section
from fairaudit.reporting.page.metrics import baselines_section, groups_section
from fairaudit.reporting.page.parts import Limits, esc, facts, name
from fairaudit.reporting.page.style import stylesheet
from fairaudit.reporting.words import not_in_settings
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings, ReportOptions

MAX_BYTES = 6_000_000
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""No script, no request, no frame, whatever the text of the page says."""


def html_report(
    result: AuditResult,
    frames: Frames,
    settings: AuditSettings,
    baselines: BaselineResult | None = None,
    lab: LabSection | None = None,
    evaluation: EvaluationResult | None = None,
    report: ReportOptions | None = None,
    impact: Mapping[str, ImpactRatios] | None = None,
) -> str:
    """The report of an audit as one HTML file.

    It holds aggregates only, no script, and asks for nothing from anywhere; it follows light and dark screens and prints on A4.

    Parameters
    ----------
    result : AuditResult
    frames : Frames
        The tables of the audit: for their names, sizes and findings.
    settings : AuditSettings
    baselines : BaselineResult, optional
        Classical metrics and rates of groups.
    lab : LabSection, optional
        Planted biases and what each method noticed.
    evaluation : EvaluationResult, optional
        Fair against biased evaluation.
    report : ReportOptions, optional
        Auditor, purpose and remarks; those of the settings where it is not given.
    impact : mapping of str to ImpactRatios, optional
        By table; computed with the classical metrics where it is not given and there are groups and decisions.

    Returns
    -------
    str
        Smaller than ``MAX_BYTES`` in UTF-8: of very large audits it shows the most important part, and says so.
    """
    options = settings.report if report is None else report
    if impact is None:
        impact = impact_of_frames(frames, settings) if baselines is not None else {}
    limits = Limits()
    while True:
        page = _page(result, frames, settings, baselines, lab, evaluation, options, impact, limits)
        if len(page.encode("utf-8", errors="replace")) < MAX_BYTES or limits.rows == 1:
            return page
        limits = limits.scaled(0.5)


def impact_of_frames(frames: Frames, settings: AuditSettings) -> dict[str, ImpactRatios]:
    """Impact ratios of each table; empty where there are no groups or no decisions."""
    found = {}
    features = settings.contrast.features
    threshold = settings.baseline_settings().threshold
    for table in frames.tables:
        try:
            found[table.name] = impact_ratio_table(frames, table, features, threshold)
        except SettingsError:
            # Without decisions or with one group only there is nothing to compare; the metrics say why.
            continue
    return found


def _page(
    result: AuditResult,
    frames: Frames,
    settings: AuditSettings,
    baselines: BaselineResult | None,
    lab: LabSection | None,
    evaluation: EvaluationResult | None,
    options: ReportOptions,
    impact: Mapping[str, ImpactRatios],
    limits: Limits,
) -> str:
    chapters = (
        summary_section(result, frames, settings.qmad, baselines, options, limits),
        verdict_section(result, settings.qmad, options, limits),
        evidence_section(result, settings.qmad, limits),
        baselines_section(baselines, limits),
        groups_section(baselines, impact, limits),
        lab_section(lab, limits),
        evaluation_section(evaluation, limits),
        data_section(frames, limits),
        method_section(result, settings, baselines),
        provenance_section(result, frames, settings, limits, not_in_settings(lab is not None, evaluation is not None)),
    )
    contents = "".join(_entry(chapter) for chapter in chapters if chapter)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>Fairness audit: {esc(frames.reference.name)}</title>\n<style>{stylesheet()}</style>\n</head>\n<body>\n"
        f"<header><h1>Fairness audit</h1>{_head(result, frames, options)}</header>\n"
        f"<nav aria-label='Contents'><ul>{contents}</ul></nav>\n<main>\n{''.join(chapters)}</main>\n</body>\n</html>\n"
    )


def _entry(chapter: str) -> str:
    identity = chapter.split('id="', 1)[1].split('"', 1)[0]
    title = chapter.split("<h2>", 1)[1].split("</h2>", 1)[0]
    return f'<li><a href="#{identity}">{title}</a></li>'


def _head(result: AuditResult, frames: Frames, options: ReportOptions) -> str:
    created = str(result.provenance.get("created", ""))
    day = datetime.fromisoformat(created).strftime("%d %B %Y, %H:%M UTC") if created else ""
    return facts(
        [
            ("Purpose", esc(options.purpose)),
            ("Auditor", esc(options.auditor)),
            ("Date", esc(day)),
            ("Reference", name(frames.reference.name)),
            ("Targets", ", ".join(name(t.name) for t in frames.targets[:20]) + (" …" if len(frames.targets) > 20 else "")),
            ("Sample", "; ".join(f"{name(n)} is {esc(s.words)}" for n, s in [*frames.samples.items()][:20])),
        ]
    )
