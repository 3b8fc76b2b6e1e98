"""The report: what it says, that nothing in it runs, that it stays small, and how a browser sees it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.baselines import baselines_of_frames
from fairaudit.contrast import Contrast
from fairaudit.detectability import detectability
from fairaudit.evaluation import evaluate
from fairaudit.planting import plant
from fairaudit.qmad import QmadSettings, audit_frames
from fairaudit.reporting.page import MAX_BYTES, LabSection, html_report, svg
from fairaudit.reporting.page.parts import name, num, verdict
from fairaudit.reporting.words import groups_compared
from fairaudit.schema import Frames, Schema
from fairaudit.settings import AuditSettings, Comment, ReportOptions
from fairaudit.validation import check_frames

HOSTILE = (
    "<img src=x onerror=document.title='owned'>",
    '=HYPERLINK("http://evil.example/","x")',
    "</style></svg></table><script>document.title='owned'</script>",
    "\"' onmouseover=alert(1) x='",
    "javascript:alert(1)",
    "&lt;b&gt; ${x} %{y} {{z}}",
    "\u202eright to left\u0007",
    "x" * 3000,
)


class Reader(HTMLParser):
    """Tags, attributes and text of a page; complains about tags that do not match."""

    VOID = frozenset({"meta", "br", "wbr"})

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}
        self.links += [value or "" for key, value in attrs if key in ("href", "src", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data


def people(seed: int, n: int = 240, names: tuple[str, ...] = ("sex", "pay", "hired", "town")) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = (
        rng.choice(["F", "M"], n),
        rng.normal(20, 3, n).round(2),
        rng.choice(["no", "yes"], n, p=[0.3, 0.7]),
        rng.choice(["Ayr", "Bath", "Cork"], n),
    )
    return pd.DataFrame(dict(zip(names, values, strict=True)))


def checked(reference: pd.DataFrame, targets: dict[str, pd.DataFrame], **schema: Any) -> Frames:
    return check_frames(reference, targets, {"sensitive_features": ("sex",), "prediction": "hired", **schema})


@pytest.fixture(scope="module")
def frames() -> Frames:
    later = people(1)
    later["pay"] += 4
    later.loc[later.index[:80], "town"] = None
    return checked(people(0), {"day 1": people(2), "day 2": later})


def report_of(frames: Frames, qmad: QmadSettings | None = None, **parts: Any) -> str:
    settings = AuditSettings(qmad=qmad or QmadSettings(bins=4, resamples=199))
    result = audit_frames(frames, settings.qmad)
    parts.setdefault("baselines", baselines_of_frames(frames, settings.baseline_settings()))
    return html_report(result, frames, settings.with_frames(frames), **parts)


def test_every_chapter_is_there(frames: Frames) -> None:
    read = Reader(report_of(frames))
    for words in (
        "Summary",
        "What was compared",
        "How sure",
        "Verdicts",
        "Evidence, bin by bin",
        "Classical metrics",
        "Groups",
        "Impact ratios",
        "not legal advice",
        "Method and references",
        "Where the numbers come from",
        "Kolmogorov",
        frames.reference.fingerprint,
    ):
        assert words in read.text, words
    assert "Bias lab" not in read.text


def test_the_rule_is_that_of_calibrated_verdicts(frames: Frames) -> None:
    """A constant category has no p-value to calibrate; the paper's rule for it must not read as if it held for the others."""
    tables = {t.name: t.data.assign(firm="Acme") for t in frames.targets}
    constant = checked(
        people(0).assign(firm="Acme"), {name: table[[*people(0).columns, "firm"]] for name, table in tables.items()}
    )
    rule = report_of(constant).split("<dt>How sure</dt>")[1].split("</dd>")[0]
    assert "permutation p ≤ 0.05" in rule and "p &lt; 0.05" not in rule and "or p" not in rule


def test_the_summary_names_metrics_with_a_disparity(frames: Frames) -> None:
    """What a classical metric sees must not wait until chapter four."""
    unfair = people(3, 600)
    unfair.loc[(unfair["sex"] == "F") & (unfair.index % 2 == 0), "hired"] = "no"
    settings = QmadSettings(bins=4, resamples=199, contrast=Contrast(kind="group_vs_reference_group"))
    found = report_of(checked(people(0, 600), {"unfair": unfair}), settings)
    line = found.split("<dt>Classical metrics</dt>")[1].split("</dd>")[0]
    assert "Disparate impact ratio" in line and "unfair" in line and "disparity" in line
    without = report_of(frames, QmadSettings(bins=4, resamples=0), baselines=None)
    assert "<dt>Classical metrics</dt>" not in without


def test_findings_are_said_in_words(frames: Frames) -> None:
    read = Reader(report_of(frames))
    assert "day 2 differs in" in " ".join(read.text.split())
    assert "pay (higher" in read.text or "town" in read.text


@pytest.mark.parametrize("kind", ["group_vs_reference_group", "within_group"])
@pytest.mark.parametrize("comparison, aggregation", [("rom", "arithmetic"), ("wasserstein", "median"), ("ad", "harmonic")])
def test_every_contrast_and_scale_has_a_report(frames: Frames, kind: Any, comparison: str, aggregation: str) -> None:
    settings = QmadSettings(comparison=comparison, aggregation=aggregation, bins=3, contrast=Contrast(kind), resamples=0)
    read = Reader(report_of(frames, settings))
    assert "uncalibrated rule of the paper" in read.text
    assert "sex=F" in read.text
    groups = (
        "(the same group in both: sex)"
        if kind == "within_group"
        else "(groups inside each table: sex, compared with the largest group"
    )
    assert groups in read.text


def test_what_cannot_be_measured_has_its_reason(frames: Frames) -> None:
    empty = people(3)
    empty["pay"] = None
    read = Reader(report_of(checked(people(0), {"day 1": empty})))
    assert "What could not be measured" in read.text
    assert "Not measurable" in read.text


def test_the_auditor_adds_name_purpose_and_remarks(frames: Frames) -> None:
    comments = (
        Comment("General remark"),
        Comment("First line\nsecond <i>line</i>", frame="day 2", attribute="pay"),
        Comment("About nothing that exists", attribute="nothing"),
    )
    page = report_of(frames, report=ReportOptions("Ann & Bob", "Yearly <check>", comments))
    read = Reader(page)
    assert "Ann & Bob" in read.text and "Yearly <check>" in read.text
    assert "General remark" in read.text
    assert "First line<br>second &lt;i&gt;line&lt;/i&gt;" in page
    assert "About nothing that exists" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)


def test_lab_and_evaluation_when_there_are_some(frames: Frames) -> None:
    bias = [{"kind": "set_value", "group": {"sex": "F"}, "column": "hired", "value": "no", "strength": 0.5}]
    injected = fairaudit.inject(frames.reference, bias)
    settings = QmadSettings(bins=4, resamples=0)
    before = audit_frames(checked(people(0), {"day 1": people(0)}), settings)
    after = audit_frames(checked(people(0), {"day 1": injected.table.data}), settings)
    curves = detectability(frames.reference, bias, ("ks-harmonic",), strengths=(0.0, 1.0), repeats=2)
    table = people(0).assign(score=np.random.default_rng(5).uniform(0, 20, 240).round(1))
    table["hired"] = np.where(table["score"] >= 8, "yes", "no")
    schema = {"label": "hired", "pos_label": "yes", "score": "score", "sensitive_features": ("sex",)}
    experiment = evaluate(
        table,
        schema,
        {"kind": "label", "group": {"sex": "F"}, "score": "score", "threshold": 8},
        levels=(0.0, 0.6),
        models="decision_tree",
        mitigations=("none", "ftu"),
        folds=3,
    )
    read = Reader(report_of(frames, lab=LabSection(injected, before, after, curves), evaluation=experiment))
    for words in (
        "Bias lab",
        "The audit before and after",
        "From which strength on",
        "Fair against biased evaluation",
        "Mitigation methods",
    ):
        assert words in read.text, words
    assert "They do not hold the part of the bias lab" in read.text
    assert "and the experiment on fair and biased test sets" in read.text
    assert "do not hold" not in Reader(report_of(frames)).text


@pytest.mark.parametrize("kind", ["frame_vs_reference", "group_vs_reference_group", "within_group"])
@pytest.mark.parametrize("target", ["day 1", "reference"])
def test_the_lab_puts_scores_and_verdicts_before_and_after_side_by_side(frames: Frames, kind: Any, target: str) -> None:
    planted = plant(frames, target, {"kind": "shift", "group": {"sex": "F"}, "column": "pay", "amount": 30.0})
    settings = QmadSettings(bins=4, resamples=0, contrast=Contrast(kind))
    before, after = (audit_frames(f, settings) for f in (planted.before, planted.after))
    page = report_of(frames, lab=LabSection(planted.injected, before, after))
    lab = page[page.index('<section id="lab">') :]
    found = [
        re.findall(r"<td[^>]*>(.*?)</td>", row)
        for row in lab.split("before and after</h3>")[1].split("</table>")[0].split("<tr>")[2:]
    ]
    expected = []
    for old, new in zip(before.attribute_scores.to_dict("records"), after.attribute_scores.to_dict("records"), strict=True):
        if new["frame"] != frames.reference.name:
            heads = [name(" · ".join(filter(None, (target, new["group"])))), name(new["attribute"])]
            assert (old["frame"], new["frame"]) == (f"{target} before", f"{target} after")
            expected.append([*heads, num(old["score"]), verdict(old["verdict"]), num(new["score"]), verdict(new["verdict"])])
    assert found == expected
    pay = next(row for row in found if "pay" in row[1])
    assert pay[2] != pay[4]
    assert "disparity" in pay[5]


@pytest.mark.parametrize(
    ("contrast", "roles", "words"),
    [
        (Contrast(), {}, ""),
        (
            Contrast("group_vs_reference_group", ("sex", "town")),
            {"reference_groups": {"town": "Bath"}},
            "groups inside each table: sex, compared with the largest group of the reference; town, compared with town=Bath",
        ),
        (
            Contrast("group_vs_reference_group", ("sex", "town"), intersections=True, reference_rule="best_off"),
            {},
            "groups inside each table: sex × town, compared with the best-off group of the reference",
        ),
        (Contrast("within_group", ("sex", "town")), {}, "the same group in both: sex, town"),
    ],
)
def test_who_is_compared_in_words(contrast: Contrast, roles: dict[str, Any], words: str) -> None:
    assert groups_compared(contrast, Schema.from_any(roles)) == words


def hostile_frames() -> Frames:
    def table(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        columns = {h: rng.normal(seed, 1, 120) for h in HOSTILE}
        return pd.DataFrame(
            {**columns, "sex": rng.choice([HOSTILE[0], HOSTILE[2]], 120), "hired": rng.choice(["no", HOSTILE[3]], 120)}
        )

    return checked(table(0), {HOSTILE[2]: table(1), "=cmd|x": table(2)}, pos_label=HOSTILE[3])


ALLOWED_TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "h3",
        "nav",
        "ol",
        "sup",
        "ul",
        "li",
        "a",
        "main",
        "section",
        "p",
        "dl",
        "dt",
        "dd",
        "strong",
        "span",
        "bdi",
        "data",
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "details",
        "summary",
        "br",
        "wbr",
        "code",
        "pre",
        "svg",
        "g",
        "line",
        "rect",
        "circle",
        "path",
        "polyline",
        "text",
    ]
)
ALLOWED_ATTRIBUTES = frozenset(
    [
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "id",
        "aria-label",
        "aria-hidden",
        "href",
        "title",
        "value",
        "scope",
        "viewbox",
        "width",
        "height",
        "role",
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "d",
        "points",
        "text-anchor",
    ]
)


@pytest.mark.parametrize("kind", ["frame_vs_reference", "within_group"])
def test_nothing_from_a_file_becomes_part_of_the_page(kind: Any) -> None:
    comments = tuple(Comment(h, attribute=h) for h in HOSTILE)
    options = ReportOptions(HOSTILE[0], HOSTILE[2], comments)
    page = report_of(hostile_frames(), QmadSettings(bins=3, resamples=0, contrast=Contrast(kind)), report=options)
    read = Reader(page)
    assert read.tags <= ALLOWED_TAGS, read.tags - ALLOWED_TAGS
    assert read.attributes <= ALLOWED_ATTRIBUTES, read.attributes - ALLOWED_ATTRIBUTES
    assert all(link.startswith("#") for link in read.links)
    assert "<img src=x onerror=document.title='owned'>" in read.text.replace("\n", " ")
    assert "default-src 'none'" in page
    assert "\u202e" not in page and "\u0007" not in page


def test_a_name_can_break_and_is_never_markup() -> None:
    assert name("<b>") == "<bdi>&lt;<wbr>b&gt;</bdi>"
    assert "wbr" in name("x" * 40)
    assert len(name("x" * 5000)) < 3000
    assert num(0.1 + 0.2) == '<data value="0.30000000000000004">0.3</data>'
    assert "not defined" in num(float("nan"))


def test_ticks_are_round_and_inside() -> None:
    for low, high in ((0, 1), (-0.3, 7.77), (1e-9, 3e-9), (1e6, 1e6 + 3), (5, 5)):
        found = svg.ticks(low, high)
        assert found and all(low - 1e-6 * abs(high) <= t <= high + 1e-6 * abs(high) for t in found)
        assert len(found) <= 6


def _wide(frames: Frames, attributes: int, bins: int) -> Any:
    """An audit result with very many rows, made from a real one."""
    result = audit_frames(frames, QmadSettings(bins=4, resamples=0))
    one, one_bin = result.attributes().iloc[:1], result.bins().iloc[:1]
    long = "a very long column name indeed " * 8
    names = [f"{long}{i}" for i in range(attributes)]
    wide = pd.concat([one] * attributes, ignore_index=True).assign(attribute=names, verdict="disparity", note=long * 4)
    all_bins = pd.concat([one_bin] * (attributes * bins), ignore_index=True)
    all_bins["attribute"] = np.repeat(names, bins)
    all_bins["bin"] = np.tile(np.arange(1, bins + 1), attributes)
    return replace(result, attribute_scores=wide, bin_scores=all_bins)


@pytest.mark.parametrize("attributes, bins", [(3000, 20), (40, 1000)])
def test_a_huge_audit_stays_small_and_says_what_is_left_out(frames: Frames, attributes: int, bins: int) -> None:
    page = html_report(_wide(frames, attributes, bins), frames, AuditSettings().with_frames(frames))
    assert len(page.encode()) < MAX_BYTES
    assert "All of them are in the JSON and CSV files" in page
    Reader(page)


def test_a_million_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n = 1_000_000
    reference = pd.DataFrame(
        {"sex": rng.choice(["F", "M"], n), "pay": rng.normal(0, 1, n), "hired": rng.choice(["no", "yes"], n)}
    )
    frames = checked(reference, {"later": reference.sample(frac=1, random_state=1, ignore_index=True)})
    page = report_of(frames, QmadSettings(bins=20, resamples=0))
    assert len(page.encode()) < 1_000_000
    assert "1,000,000" in page


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_opens_it_offline_and_runs_nothing(chromium: Any, tmp_path: Path, scheme: Any) -> None:
    page_file = tmp_path / "report.html"
    page_file.write_text(report_of(hostile_frames(), QmadSettings(bins=3, resamples=0)), encoding="utf-8")
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    noise: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: noise.append(dialog.message))
    page.on("request", lambda request: noise.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(page_file.as_uri())
    page.mouse.move(300, 700)
    assert page.title().startswith("Fairness audit")
    assert noise == []
    assert page.evaluate("document.scripts.length") == 0
    background, ink = page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) > sum(map(int, re.findall(r"\d+", ink)[:3]))) == (scheme == "light")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    # On paper the page is light whatever the screen is.
    page.emulate_media(media="print")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", paper)[:3])) > 700
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    context.close()
