"""Chapters about planted biases and about fair against biased evaluation, where there are such results."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fairaudit.baselines import ImpactRatios
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.text import missing, percent
from fairaudit.detectability import DetectabilityResult
from fairaudit.evaluation import TEST_METRICS, EvaluationResult
from fairaudit.injection import Injected
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS
from fairaudit.planting import AFTER, BEFORE
from fairaudit.reporting.page import svg
from fairaudit.reporting.page.parts import Limits, esc, left_out, listing, name, note, num, section, share, table, verdict
from fairaudit.reporting.page.style import STEPS
from fairaudit.results import AuditResult

__all__ = ["ImpactRatios", "LabSection", "evaluation_section", "lab_section"]


@dataclass(frozen=True, eq=False)
class LabSection:
    """What the bias lab found.

    Attributes
    ----------
    injected : Injected
        The planted biases and what they changed.
    before, after : AuditResult or None
        The audit without and with them; a table called ``x before`` here is matched with ``x after`` there.
    detectability : DetectabilityResult or None
    """

    injected: Injected
    before: AuditResult | None = None
    after: AuditResult | None = None
    detectability: DetectabilityResult | None = None


def lab_section(lab: LabSection | None, limits: Limits) -> str:
    """Planted biases, the audit before and after, and from which strength on each metric would have caught them."""
    if lab is None:
        return ""
    injected = lab.injected
    content = listing(note(s) for s in injected.summaries())
    content += (
        f"<p>{num(int(injected.changed.sum()))} rows differ from the original, {num(len(injected.removed))} rows were taken out, "
        f"{num(injected.n_changed_cells)} cells were changed.</p>"
    )
    content += table(
        ["Column", "Changed cells"], [[name(c), num(n)] for c, n in [*injected.changed_cells.items()][: limits.rows]], right=(1,)
    )
    if lab.before is not None and lab.after is not None:
        content += "<h3>The audit before and after</h3>" + _before_after(lab.before, lab.after, limits)
    if lab.detectability is not None:
        content += "<h3>From which strength on it is caught</h3>" + _detectability(lab.detectability, limits)
    return section(
        "lab", "Bias lab", content, lead="Biases that were planted on purpose, to see what each method would have noticed."
    )


def _before_after(before: AuditResult, after: AuditResult, limits: Limits) -> str:
    keys = ["table", "group", "attribute"]
    both = _own_rows(after, AFTER).merge(_own_rows(before, BEFORE), how="left", on=keys, suffixes=("_after", "_before"))
    both = both.fillna({"verdict_before": "not_measurable"})
    body = [
        [
            name(column_name(r["table"], r["group"])),
            name(r["attribute"]),
            num(r["score_before"]),
            verdict(r["verdict_before"]),
            num(r["score_after"]),
            verdict(r["verdict_after"]),
        ]
        for r in rows_of(both.head(limits.rows // 2 + 1))
    ]
    heads = ["Table", "Attribute", "Score before", "Verdict before", "Score after", "Verdict after"]
    return table(heads, body, right=(2, 4)) + left_out(len(body), len(both), "rows")


def _own_rows(result: AuditResult, suffix: str) -> pd.DataFrame:
    """Rows about the biased table, under the name that it has before and after; groups inside the reference are the same in both."""
    rows = result.attribute_scores[["frame", "group", "attribute", "score", "verdict"]]
    rows = rows[rows["frame"] != result.provenance["reference"]]
    return rows.assign(table=rows["frame"].astype(str).str.removesuffix(f" {suffix}")).drop(columns="frame")


def _detectability(result: DetectabilityResult, limits: Limits) -> str:
    curves = result.to_frame()
    strengths = list(result.strengths)[:30]
    cells = {(r["detector"], r["strength"]): r["flag_rate"] for r in rows_of(curves)}
    lines = []
    for entry in result.entries[: limits.rows // 10 + 1]:
        line = [f"<td>{esc(entry.label)}</td>"]
        for strength in strengths:
            rate = cells.get((entry.name, strength))
            if missing(rate):
                line.append('<td class="x">–</td>')
            else:
                assert rate is not None
                line.append(f'<td class="s{min(int(rate * STEPS), STEPS - 1)}">{num(rate, percent(rate, 0))}</td>')
        lines.append("<tr>" + "".join(line) + "</tr>\n")
    heads = "".join(f'<th scope="col">{h}</th>' for h in ["Detector", *(num(s) for s in strengths)])
    grid = (
        f'<div class="scroll"><table class="heat"><caption>Share of {result.repeats} repeats in which the flag is raised, by strength of the '
        f"bias. At strength 0 it is the rate of false alarms.</caption><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )
    first = [
        [esc(r["label"]), num(r["strength"]), share(r["flag_rate"]), share(r["false_alarm_rate"]), note(r["note"])]
        for r in rows_of(result.first_reaching())
    ]
    heads_first = ["Detector", "Caught in 80 % from strength", "Flags there", "False alarms", "Note"]
    return grid + table(heads_first, first, right=(1, 2, 3)) + (f"<p>{note(result.note)}</p>" if result.note else "")


def evaluation_section(result: EvaluationResult | None, limits: Limits) -> str:
    """What a biased test set says, and what is true."""
    if result is None:
        return ""
    pairs = result.fair_against_biased()
    content = listing(note(s) for s in result.interpretation()) + _panels(pairs)
    if result.repairs:
        content = f"<p>Done to the table before the experiment:</p>{listing(note(s) for s in result.repairs)}" + content
    if result.sample is not None:
        content = f"<p>The table of the experiment is {esc(result.sample.words)}.</p>" + content
    summary = result.method_summary()
    if len(summary):
        columns = list(summary.columns)
        body = [[_cell(r[c]) for c in columns] for r in rows_of(summary.head(limits.rows // 2 + 1))]
        content += "<h3>Mitigation methods</h3>" + table([esc(c.replace("_", " ")) for c in columns], body)
    body = [
        [
            num(r["level"]),
            MODELS[r["model"]].label,
            MITIGATIONS[r["mitigation"]].label,
            TEST_METRICS[r["metric"]].label,
            num(r["fair"]),
            num(r["biased"]),
            num(r["difference"]),
        ]
        for r in rows_of(pairs.head(limits.rows))
    ]
    heads = ["Level", "Model", "Method", "Metric", "Fair test set", "Biased test set", "Biased − fair"]
    content += "<h3>Means over folds</h3>" + table(heads, body, right=(0, 4, 5, 6)) + left_out(len(body), len(pairs), "rows")
    lead = (
        "Models were trained on biased data and scored twice: on test rows as they are (fair), and with the same bias (biased)."
    )
    return section("evaluation", "Fair against biased evaluation", content, lead=lead)


def _cell(value: object) -> str:
    return num(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else note(value)


def _panels(pairs: pd.DataFrame) -> str:
    plain = pairs[pairs["mitigation"] == "none"]
    charts = []
    for (model, metric), part in plain.groupby(["model", "metric"], sort=False, observed=True):
        title = f"{TEST_METRICS[str(metric)].label} — {MODELS[str(model)].label}"
        charts.append(svg.level_chart(part["level"].tolist(), part["fair"].tolist(), part["biased"].tolist(), title))
        if len(charts) == 12:
            break
    caption = '<p class="small">Without mitigation. Dashed, open marks: fair test set. Solid, filled marks: biased test set.</p>'
    return f'{caption}<div class="panels">{"".join(charts)}</div>' if charts else ""
