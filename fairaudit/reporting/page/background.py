"""Chapters about the data, the methods, and where the numbers come from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.baselines import BASELINES, BaselineResult
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS
from fairaudit.registry import FunctionSpec
from fairaudit.reporting.documents import data_findings
from fairaudit.reporting.page.parts import Limits, esc, facts, left_out, name, note, num, section, table
from fairaudit.results import AuditResult
from fairaudit.schema import Frames
from fairaudit.settings import AuditSettings

SEVERITY = {"error": "▲ error", "warning": "△ warning", "info": "○ info"}


def data_section(frames: Frames, limits: Limits) -> str:
    """Rows of each table and everything that was noticed about the data."""
    content = _sizes(frames, limits)
    roles = [[name(c), role] for role, c in frames.schema.named_columns()]
    if roles:
        content += table(["Column", "Role"], roles)
    found = data_findings(frames)
    body = [
        [SEVERITY[f.severity], name(f.table), name(f.column) if f.column else "", note(f.problem), note(f.remedy)]
        for f in found[: limits.rows // 3 + 1]
    ]
    content += "<h3>Findings</h3>"
    content += (
        table(["Kind", "Table", "Column", "What was found", "What to do about it"], body)
        if body
        else "<p>Nothing was noticed.</p>"
    )
    content += left_out(len(body), len(found), "findings")
    if frames.mismatched:
        rows = [[name(c), note(reason)] for c, reason in frames.mismatched[: limits.rows // 3 + 1]]
        content += "<h3>Columns that cannot be compared</h3>" + table(["Column", "Why"], rows)
    lead = "Missing and infinite values are left out per attribute and side; how many is in the table of verdicts."
    return section("data", "Data", content, lead=lead)


def _sizes(frames: Frames, limits: Limits) -> str:
    """Rows of each table; of samples also how many rows there were and how many take no part."""
    heads, sizes = ["Table", "Rows", "Columns"], []
    for t in frames.tables[: limits.rows]:
        sizes.append([name(t.name), num(len(t)), num(len(t.columns))])
        if frames.samples and t.sample is None:
            sizes[-1] += ["", "", ""]
        elif t.sample is not None:
            sizes[-1] += [num(t.sample.of), num(t.sample.not_sampled), num(t.sample.seed)]
    if frames.samples:
        heads += ["Sampled from", "Not sampled", "Seed of the sample"]
    return table(heads, sizes, right=range(1, len(heads)))


def method_section(result: AuditResult, settings: AuditSettings, baselines: BaselineResult | None) -> str:
    """What the functions that were used compute, and where they come from."""
    qmad = settings.qmad
    used = dict.fromkeys([qmad.comparison, *result.attribute_scores["comparison"].dropna().astype(str)])
    content = "<h3>Comparison of two bins</h3>" + _specs(COMPARISONS[c] for c in used if c in COMPARISONS)
    content += "<h3>Aggregation</h3>" + _specs([AGGREGATIONS[qmad.aggregation]])
    content += "<h3>Bins</h3>" + _specs([BINNINGS[qmad.binning]])
    if baselines is not None:
        computed = dict.fromkeys(baselines.metric_values.dropna(subset="value")["metric"].astype(str))
        if computed:
            content += "<h3>Classical metrics</h3>" + _specs(BASELINES[m] for m in computed)
    lead = (
        "Quantile Multi-Attribute Disparity (QMAD): both sides of an attribute are cut into bins, each pair of bins is compared, and the scores "
        "of all bins make up the score of the attribute."
    )
    return section("method", "Method and references", content, lead=lead)


def _specs(specs: Iterable[FunctionSpec]) -> str:
    parts = []
    for spec in specs:
        formula = f"<br><code>{esc(spec.formula)}</code>" if spec.formula else ""
        source = f" <span class='small'>Reference: {esc(spec.reference)}.</span>" if spec.reference else ""
        parts.append(f"<p><strong>{esc(spec.label)}.</strong> {esc(spec.summary)} {esc(spec.pitfall)}{formula}{source}</p>\n")
    return "".join(parts)


def provenance_section(result: AuditResult, frames: Frames, settings: AuditSettings, limits: Limits, missing: str = "") -> str:
    """Settings, fingerprints, versions, seed and date; ``missing`` says which parts of the report the settings do not hold."""
    known = result.provenance
    prints = [[name(t.name), num(len(t)), f"<code>{esc(t.fingerprint)}</code>"] for t in frames.tables[: limits.rows]]
    versions = ", ".join(f"{esc(k)} {esc(v)}" for k, v in known.get("versions", {}).items())
    content = facts([("Date (UTC)", esc(known.get("created", ""))), ("Seed", num(settings.qmad.seed)), ("Versions", versions)])
    content += table(["Table", "Rows", "Fingerprint"], prints, right=(1,))
    text = settings.to_yaml()
    shown = text[: limits.text]
    more = "" if shown == text else f"<p class='small'>The first {limits.text:,} of {len(text):,} characters.</p>"
    rest = f" {esc(missing)}" if missing else ""
    content += (
        "<h3>Settings</h3><p>Saved as a file, they give the numbers of the audit and of the classical metrics again: "
        f"<code>fairaudit audit --settings settings.yaml</code>.{rest}</p>"
        f"<pre>{_pre(shown)}</pre>{more}"
    )
    return section("provenance", "Where the numbers come from", content)


def _pre(text: str) -> str:
    """Text of several lines; lines with characters that cannot be seen are spelt out."""
    return "\n".join(escape(line if line.isprintable() else json.dumps(line)) for line in text.split("\n"))
