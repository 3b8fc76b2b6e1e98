"""Chapters about the classical metrics and the groups of people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairaudit.baselines import BASELINES, GROUP_RATES, RATES, BaselineResult, BaselineSpec, ImpactRatios
from fairaudit.charts.sides import column_name, rows_of
from fairaudit.charts.text import missing
from fairaudit.reporting.page import svg
from fairaudit.reporting.page.parts import Footnotes, Limits, esc, left_out, name, note, num, section, share, table, verdict


def metrics_found(result: BaselineResult | None, most: int = 8) -> str:
    """In which classical metrics there is a disparity and for whom, in a line, HTML; empty without metrics."""
    if result is None:
        return ""
    rows = result.metric_values
    flagged = rows[rows["verdict"] == "disparity"]
    if not len(flagged):
        measured = int((rows["verdict"] != "not_measurable").sum())
        return f"{verdict('no_evidence')} in any of {num(measured)} values." if measured else verdict("not_measurable")
    parts = []
    for metric, part in flagged.groupby("metric", sort=False):
        who = [name(column_name(r["frame"], r["group"])) for r in rows_of(part.head(most))]
        more = f" and {len(part) - most} more" if len(part) > most else ""
        parts.append(f"{esc(BASELINES[str(metric)].label)} ({', '.join(who)}{more})")
    return f'{verdict("disparity")} in {"; ".join(parts)}. <a href="#metrics">All values</a>'


def baselines_section(result: BaselineResult | None, limits: Limits) -> str:
    """Every classical metric with its interval, its line and what it says."""
    if result is None:
        return ""
    rows = result.metric_values
    silent = rows.groupby("metric", sort=False)["value"].transform(lambda v: v.isna().all())
    measured = rows[~silent]
    ranges = {str(metric): _range(part, BASELINES[str(metric)]) for metric, part in measured.groupby("metric", sort=False)}
    body, notes = [], Footnotes()
    for r in rows_of(measured.head(limits.rows)):
        spec = BASELINES[r["metric"]]
        picture = svg.interval(
            r["value"],
            r["low"],
            r["high"],
            ranges[r["metric"]],
            zero=spec.no_difference,
            band=_band(spec, r["threshold"]),
            ratio=spec.kind == "ratio",
        )
        body.append(
            [
                f'<span class="where">{name(column_name(r["frame"], r["group"]))}</span>',
                spec.label,
                num(r["value"]),
                f"{num(r['low'])} to {num(r['high'])}",
                picture,
                f"{num(r['value_a'])}<br>{num(r['value_b'])}",
                f"{num(r['n_a'])}<br>{num(r['n_b'])}",
                num(r["threshold"]),
                verdict(r["verdict"]),
                notes.mark(r["note"]),
            ]
        )
    heads = ["Table", "Metric", "Value", "Interval", "", "Target / reference", "Rows", "Line", "Verdict", "Note"]
    lead = (
        "Differences are target (or group) minus reference, ratios target over reference. The shaded band is what counts as no disparity; "
        "such a line is a convention, not a truth."
    )
    content = (
        table(heads, body, right=(2, 3, 5, 6, 7)) if body else "<p>None of the chosen metrics can be computed on these data.</p>"
    )
    content += notes.html() + left_out(len(body), len(measured), "rows")
    unable = rows[silent].drop_duplicates("metric")
    if len(unable):
        cells = [[BASELINES[r["metric"]].label, note(r["note"])] for r in rows_of(unable)]
        content += "<h3>Not measurable</h3>" + table(["Metric", "Why"], cells)
    return section("metrics", "Classical metrics", content, lead=lead)


def _band(spec: BaselineSpec, line: Any) -> tuple[float, float] | None:
    if missing(line) or spec.kind == "level":
        return None
    if spec.kind == "ratio":
        low, high = sorted((float(line), 1 / float(line)))
        return low, high
    return (-float(line), float(line)) if spec.signed else (0.0, float(line))


def _range(part: pd.DataFrame, spec: BaselineSpec) -> tuple[float, float]:
    values = [float(v) for column in ("value", "low", "high") for v in part[column] if not missing(v) and math.isfinite(v)]
    values += [] if spec.no_difference is None else [spec.no_difference]
    for line in part["threshold"].dropna().head(1):
        values += _band(spec, line) or ()
    if spec.kind == "ratio":
        return max(min(values) / 1.1, 0.05), max(values) * 1.1
    pad = (max(values) - min(values)) * 0.05
    return min(values) - pad, max(values) + pad


def groups_section(result: BaselineResult | None, impact: Mapping[str, ImpactRatios], limits: Limits) -> str:
    """Sizes and rates of groups with intervals, and impact ratios."""
    if result is None:
        return ""
    rows = result.group_rates
    used = [c for c in GROUP_RATES if not rows[c].isna().all()]
    body = [
        [
            name(r["frame"]),
            name(r["group"]),
            num(r["n"]),
            *(f"{share(r[c])}<br><span class='small'>{_between(r, c)}</span>" for c in used),
            note(r["note"]),
        ]
        for r in rows_of(rows.head(limits.rows))
    ]
    heads = ["Table", "Group", "Rows", *(RATES[GROUP_RATES[c]].label for c in used), "Note"]
    content = table(heads, body, right=range(2, 3 + len(used))) + left_out(len(body), len(rows), "rows")
    lead = (
        "Rows and rates of every group, with 95 % Wilson intervals. The wider the interval, the less can be said about the group."
    )
    return section("groups", "Groups", content + _impact(impact, limits), lead=lead)


def _between(r: Mapping[str, Any], column: str) -> str:
    low, high = r[f"{column}_low"], r[f"{column}_high"]
    return "" if missing(low) else f"{share(low)} to {share(high)}"


def _four_fifths(r: Mapping[str, Any]) -> str:
    """The mark of a ratio below the line, and whether chance alone could have put it there."""
    if not r["below_four_fifths"]:
        return ""
    return "△ below 0.8, but the interval includes 1" if r["ratio_high"] >= 1 else "▲ below 0.8"


def _impact(impact: Mapping[str, ImpactRatios], limits: Limits) -> str:
    if not impact:
        return ""
    parts = [
        "<h3>Impact ratios</h3><p>Selection rate of each category over that of the best-off category of the same attribute, and of the "
        "combinations of attributes, in the form that bias audits under New York City’s Local Law 144 publish. A ratio below 0.8 "
        "(the four-fifths rule) is marked; categories of less than 2 % of the rows have no ratio and are no yardstick. This is a form, not legal advice.</p>"
    ]
    for table_name, ratios in impact.items():
        frame = ratios.to_frame()
        body = [
            [
                name(r["partition"]),
                name(r["category"]),
                num(r["n"]),
                num(r["n_selected"]),
                f"{share(r['rate'])}<br><span class='small'>{share(r['low'])} to {share(r['high'])}</span>",
                num(r["impact_ratio"]),
                "" if missing(r["ratio_low"]) else f"{num(r['ratio_low'])} to {num(r['ratio_high'])}",
                _four_fifths(r),
                note(r["note"]),
            ]
            for r in rows_of(frame.head(limits.rows // 4 + 1))
        ]
        heads = [
            "Attribute",
            "Category",
            "Rows",
            "Selected",
            "Selection rate",
            "Impact ratio",
            "Interval",
            "Four-fifths rule",
            "Note",
        ]
        parts.append(
            table(heads, body, caption=name(table_name), right=(2, 3, 4, 5, 6)) + left_out(len(body), len(frame), "rows")
        )
    return "".join(parts)
