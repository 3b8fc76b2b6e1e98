"""Chapters about the audit itself: the answer in words, the verdicts, the bins behind them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from fairaudit.baselines import BaselineResult
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.strength import Strength
from fairaudit.charts.text import clean, cut, missing, p_text, signed, size_text
from fairaudit.comparison import COMPARISONS
from fairaudit.contrast import CONTRAST_LABELS
from fairaudit.qmad import QmadSettings
from fairaudit.reporting.page import svg
from fairaudit.reporting.page.metrics import metrics_found
from fairaudit.reporting.page.parts import (
    Footnotes,
    Limits,
    esc,
    facts,
    left_out,
    listing,
    name,
    note,
    num,
    section,
    share,
    table,
    verdict,
)
from fairaudit.reporting.page.style import STEPS
from fairaudit.reporting.words import groups_compared, summary, verdict_rules
from fairaudit.results import VERDICT_LABELS, VERDICT_SYMBOLS, AuditResult
from fairaudit.schema import Frames
from fairaudit.settings import Comment, ReportOptions

ORDER = ("disparity", "not_measurable", "no_evidence")


def summary_section(
    result: AuditResult,
    frames: Frames,
    settings: QmadSettings,
    baselines: BaselineResult | None,
    report: ReportOptions,
    limits: Limits,
) -> str:
    """What was compared, what was found, how sure, what was not measurable."""
    rows = result.attribute_scores
    sentences = summary(result)
    overall = result.overall_scores
    flagged = rows.loc[rows["verdict"] == "disparity", ["frame", "group"]].drop_duplicates()
    known = set(flagged.itertuples(index=False, name=None))
    only_overall = [r for r in rows_of(overall[overall["verdict"] == "disparity"]) if (r["frame"], r["group"]) not in known]
    items = "".join(
        f'<li class="{s.verdict}">{verdict(s.verdict)} — <strong>{name(s.subject, 400)}</strong> {note(s.text)}</li>\n'
        for s in sentences[: limits.rows]
    )
    items += "".join(
        f'<li class="disparity">{verdict("disparity")} — <strong>{name(column_name(r["frame"], r["group"]))}</strong> '
        f"differs in the overall score ({num(r['score'])}), although no single attribute is flagged.</li>\n"
        for r in only_overall[: limits.rows]
    )
    counts = rows["verdict"].value_counts()
    found = " · ".join(f"{VERDICT_SYMBOLS[v]} {VERDICT_LABELS[v]}: {num(int(counts.get(v, 0)))}" for v in ORDER)
    groups = groups_compared(settings.contrast, frames.schema)
    compared = (
        f"{CONTRAST_LABELS[settings.contrast.kind]}{f' ({esc(groups)})' if groups else ''}. Reference: {name(frames.reference.name)} ({len(frames.reference):,} rows); "
        + (
            f"targets: {', '.join(f'{name(t.name)} ({len(t):,} rows)' for t in frames.targets[:20])}"
            if frames.targets
            else "no target"
        )
        + (f" and {len(frames.targets) - 20} more" if len(frames.targets) > 20 else "")
        + "."
    )
    unmeasured = rows[rows["verdict"] == "not_measurable"]
    reasons = [
        f"{name(r['attribute'])} in {name(column_name(r['frame'], r['group']))}: {note(r['note'])}"
        for r in rows_of(unmeasured.head(30))
    ]
    silent = (
        f"<h3>What could not be measured</h3>{listing(reasons)}{left_out(len(reasons), len(unmeasured), 'reasons')}"
        if reasons
        else ""
    )
    content = (
        f'<ul class="summary">{items}</ul>{left_out(limits.rows, len(sentences), "sentences")}'
        + facts(
            [
                ("What was compared", compared),
                ("Verdicts", found),
                ("Classical metrics", metrics_found(baselines)),
                ("How sure", how_sure(result, settings)),
            ]
        )
        + silent
        + _remarks([c for c in report.comments if not (c.frame or c.group or c.attribute)], "Remarks of the auditor")
    )
    return section("summary", "Summary", content)


def how_sure(result: AuditResult, settings: QmadSettings) -> str:
    """The rule of the verdicts in words, HTML."""
    rules = verdict_rules(result)
    rule = f"A disparity is: {esc('; or '.join(rules[:6]))}." if rules else ""
    if settings.resamples > 0:
        return (
            f"{rule} The p-value comes from putting rows at random on one side or the other, up to {settings.resamples:,} times, and "
            f"counting how often chance alone gives a score as extreme; the smallest possible p-value is {1 / (settings.resamples + 1):.2g}. With the level {settings.alpha:g}, a table without any "
            f"difference is flagged by chance in at most about {settings.alpha:.0%} of audits when the p-values are corrected for their "
            "number. “No evidence” does not mean “no difference”: small groups hide small differences." + _left_open(result)
        )
    return (
        f"{rule} This is the uncalibrated rule of the paper: it was not checked how often it raises a flag by chance on these data, and "
        "with many attributes a false alarm is likely. “No evidence” does not mean “no difference”."
    )


def _left_open(result: AuditResult) -> str:
    """How to read stability and detectable differences, where they are known, HTML."""
    rows, text = result.attribute_scores, ""
    if rows["detectable"].notna().any():
        text += (
            " “Would have found” is the smallest shift, or change of a share, that this audit would have flagged with 80 % power; it was found by "
            "planting differences of growing size in data without any."
        )
    if rows["stability"].notna().any():
        text += (
            " “Flagged again” is the share of bootstrap resamples in which an attribute is flagged. Resampling adds chance of its own, so the share means "
            "something only beside the one by chance alone, in data without a difference."
        )
    return text


def _remarks(comments: list[Comment], title: str) -> str:
    if not comments:
        return ""
    return f"<h3>{title}</h3>" + "".join(remark(c) for c in comments)


def remark(comment: Comment) -> str:
    """A remark of the auditor."""
    about = " · ".join(name(p) for p in (comment.frame, comment.group, comment.attribute) if p)
    # Line breaks of the auditor are kept; everything else is shown character by character.
    text = "<br>".join(esc(part) for part in comment.text.splitlines())
    return f'<div class="remark">{f"<strong>{about}:</strong> " if about else ""}{text}</div>\n'


def verdict_section(result: AuditResult, settings: QmadSettings, report: ReportOptions, limits: Limits) -> str:
    """Heatmap of frames x attributes, and the table behind it."""
    content = heatmap(result.attribute_scores, settings, limits) + _overall(result, limits) + _attributes(result, report, limits)
    lead = (
        "The symbol is the verdict; the number is the score, and the colour its strength: darker on light paper (brighter on a dark screen) "
        "means more disparity."
    )
    return section("verdicts", "Verdicts", content, lead=lead)


def scale_of(settings: QmadSettings, comparison: object) -> Strength:
    """Scale of the function by which an attribute was compared."""
    spec = COMPARISONS[str(comparison)] if comparison in COMPARISONS else settings.spec
    return Strength.of(spec, settings.alpha, settings.threshold)


def _step(record: dict[str, Any], scale: Strength) -> str:
    if record["verdict"] == "not_measurable":
        return "x"
    value = record.get("normalised", math.nan) if scale.kind == "unit" else scale.values(np.array([record["score"]]))[0]
    low, high = (0.0, 1.0) if scale.kind == "unit" else (scale.low, scale.high)
    if missing(value):
        return ("p" if scale.is_p_value else "s") + "0"
    place = (min(max(float(value), low), high) - low) / (high - low)
    return f"{'p' if scale.is_p_value else 's'}{min(int(place * STEPS), STEPS - 1)}"


def heatmap(rows: pd.DataFrame, settings: QmadSettings, limits: Limits) -> str:
    """Attributes x frames as a coloured table."""
    columns = list(dict.fromkeys(zip(rows["frame"].astype(str), rows["group"].fillna("").astype(str), strict=True)))
    attributes = list(dict.fromkeys(rows["attribute"].astype(str)))
    shown_columns = columns[:24]
    shown_rows = attributes[: max(1, limits.cells // max(len(shown_columns), 1))]
    cells = {(str(r["frame"]), "" if missing(r["group"]) else str(r["group"]), str(r["attribute"])): r for r in rows_of(rows)}
    heads = ["Attribute", *(name(column_name(*c), 40) for c in shown_columns)]
    body = []
    for attribute in shown_rows:
        line = [f"<td>{name(attribute, 50)}</td>"]
        for frame, group in shown_columns:
            record = cells.get((frame, group, attribute))
            if record is None:
                line.append("<td></td>")
                continue
            scale = scale_of(settings, record["comparison"])
            symbol = VERDICT_SYMBOLS[record["verdict"]]
            value = "" if missing(record["score"]) else num(record["score"], scale.short(record["score"]))
            line.append(f'<td class="{_step(record, scale)}">{symbol} {value}</td>')
        body.append("<tr>" + "".join(line) + "</tr>\n")
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    legend = " · ".join(f"{VERDICT_SYMBOLS[v]} {VERDICT_LABELS[v]}" for v in ORDER)
    return (
        f'<div class="scroll"><table class="heat"><caption>Score of each attribute. {legend}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>\n"
        + left_out(len(shown_columns), len(columns), "columns of the heatmap")
        + left_out(len(shown_rows), len(attributes), "rows of the heatmap")
    )


def _p(record: dict[str, Any], key: str) -> str:
    return num(record[key]) if missing(record[key]) else num(record[key], p_text(record[key]))


def _flag(value: Any) -> str:
    return '<span class="none">–</span>' if missing(value) else "flag" if value else "no flag"


def _size(record: dict[str, Any]) -> str:
    """The smallest difference that would have been found."""
    return num(record["detectable"], size_text(record["detectable"], record["detectable_unit"]) or None)


def _overall(result: AuditResult, limits: Limits) -> str:
    rows = result.overall_scores
    body = [
        [
            name(column_name(r["frame"], r["group"])),
            verdict(r["verdict"]),
            num(r["score"]),
            _p(r, "p_value"),
            _p(r, "p_adjusted"),
            _flag(r["paper_flag"]),
            note(r["note"]),
        ]
        for r in rows_of(rows.head(limits.rows))
    ]
    heads = ["Table", "Verdict", "Score M", "p", "p corrected", "Paper’s rule", "Note"]
    return "<h3>Overall</h3>" + table(heads, body, right=(2, 3, 4)) + left_out(len(body), len(rows), "rows")


def _attributes(result: AuditResult, report: ReportOptions, limits: Limits) -> str:
    rows = result.attribute_scores
    ranked = rows.assign(rank=rows["verdict"].map(ORDER.index)).sort_values("rank", kind="stable").head(limits.rows)
    firm, sized = bool(rows["stability"].notna().any()), bool(rows["detectable"].notna().any())
    body, remarks, notes = [], [], Footnotes()
    for r in rows_of(ranked):
        where = (str(r["frame"]), "" if missing(r["group"]) else str(r["group"]), str(r["attribute"]))
        remarks += [c for c in report.comments if c.concerns(*where) and c not in remarks]
        label = COMPARISONS[r["comparison"]].label if r["comparison"] in COMPARISONS else esc(r["comparison"])
        effect = (
            ""
            if missing(r["effect"])
            else f'<span class="keep">{num(r["effect"], signed(r["effect"]))} {esc(r.get("effect_kind", ""))}</span>'
        )
        body.append(
            [
                verdict(r["verdict"]),
                f'<span class="where">{name(column_name(*where[:2]))}</span>',
                name(r["attribute"]),
                *([f"{share(r['stability'])}<br>{share(r['stability_null'])}"] if firm else []),
                *([_size(r)] if sized else []),
                f"{num(r['score'])}<br><span class='small'>{esc(label)}</span>",
                f"{_p(r, 'p_value')}<br>{_p(r, 'p_adjusted')}",
                _flag(r["paper_flag"]),
                f"<span class='where'>{note(r['direction'])}</span><br>{effect}",
                f"{num(r['mean_target'])}<br>{num(r['mean_reference'])}",
                f"{num(r['n_target'])}<br>{num(r['n_reference'])}",
                f"{share(r['missing_target'])}<br>{share(r['missing_reference'])}",
                f"{num(r['bins_defined'])} / {num(r['bins_used'])}",
                notes.mark(r["note"]) + (notes.mark(r["certainty_note"]) if firm or sized else ""),
            ]
        )
    # How sure a verdict is stands right behind it: the table is wider than most screens, and the last columns are the ones nobody sees.
    certainty = ["Flagged again / by chance alone"] * firm + ["Would have found"] * sized
    heads = ["Verdict", "Table", "Attribute", *certainty, "Score", "p / p corrected", "Paper’s rule", "Target is … (effect)"]
    heads += ["Mean target / reference", "Values target / reference", "Missing target / reference", "Bins defined / used", "Note"]
    words = {heads.index(h) for h in ("Verdict", "Table", "Attribute", "Paper’s rule", "Target is … (effect)", "Note")}
    return (
        "<h3>Every attribute</h3>"
        + table(heads, body, right=sorted({*range(len(heads))} - words))
        + notes.html()
        + left_out(len(body), len(rows), "rows, disparities first")
        + _remarks(remarks, "Remarks on findings")
    )


def evidence_section(result: AuditResult, settings: QmadSettings, limits: Limits) -> str:
    """Per-bin charts of the attributes that matter most."""
    rows = result.attribute_scores
    measured = rows[rows["verdict"] != "not_measurable"]
    ranked = measured.assign(
        rank=measured["verdict"].map(ORDER.index), size=-measured["effect"].abs().fillna(math.inf)
    ).sort_values(["rank", "size"], kind="stable")
    grouped = result.bin_scores.groupby(["frame", "group", "attribute"], sort=False)
    bins = {tuple(map(str, key)): part for key, part in grouped}
    figures: list[str] = []
    drawn = 0
    for r in rows_of(ranked.head(limits.charts)):
        part = bins.get((str(r["frame"]), str(r["group"]), str(r["attribute"])))
        if part is None or (drawn and drawn + len(part) > limits.bins) or len(part) > 5 * limits.bins:
            continue
        drawn += len(part)
        figures.append(_figure(r, part, settings))
    lead = (
        "Score of each bin against the line of the paper’s rule, and the means of both sides. Attributes with a disparity come first. "
        "p-values are drawn as −log₁₀ p, so that a higher bar always means more disparity."
    )
    content = f'<div class="figures">{"".join(figures)}</div>' + left_out(len(figures), len(measured), "charts")
    return section("evidence", "Evidence, bin by bin", content if figures else "", lead=lead)


def _figure(r: dict[str, Any], part: pd.DataFrame, settings: QmadSettings) -> str:
    scale = scale_of(settings, r["comparison"])
    scores = part["score"].to_numpy(dtype=float)
    strengths = np.where(np.isnan(scores), np.nan, scale.values(scores))
    limit = scale.line_at() if scale.kind != "unit" else settings.threshold
    label = COMPARISONS[r["comparison"]].label
    sides = (cut(r.get("target_side", "target"), 28), cut(r.get("reference_side", "reference"), 28))
    title = f"{name(r['attribute'])} · {name(column_name(r['frame'], r['group']))}"
    # The mean of codes of categories says nothing; the attribute itself has none then.
    with_means = not missing(r["mean_target"])
    picture = svg.bin_chart(
        [float(s) for s in strengths],
        ["not defined" if math.isnan(s) else scale.short(s) for s in scores],
        limit,
        scale.line_text(),
        (part["mean_target"].tolist(), part["mean_reference"].tolist()) if with_means else None,
        score_title=f"{label}, −log₁₀ p" if scale.is_p_value else label,
        mean_title="Mean",
        names=sides,
        label=f"{clean(r['attribute'])[:200]}: score of each bin",
    )
    records = rows_of(part)
    body = [
        [
            num(b["bin"]),
            num(b["score"]),
            num(b["n_target"]),
            num(b["n_reference"]),
            num(b["mean_target"]),
            num(b["mean_reference"]),
            note(b["note"]),
        ]
        for b in records
    ]
    heads = ["Bin", "Score", "n target", "n reference", "Mean target", "Mean reference", "Note"]
    numbers = table(heads, body, right=range(6))
    return (
        f"<figure><figcaption>{verdict(r['verdict'])} — <strong>{title}</strong></figcaption>{picture}"
        f"<details><summary>Numbers</summary>{numbers}</details></figure>\n"
    )
