"""Stability and detectable differences in words, in the report and in the JSON."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import fairaudit
from fairaudit.cli import main
from fairaudit.contrast import Contrast
from fairaudit.inference import false_alarms, power_of_verdicts
from fairaudit.qmad import QmadSettings
from fairaudit.reporting.documents import audit_document, to_json
from fairaudit.reporting.page import html_report
from fairaudit.reporting.validity import false_alarm_sentence, false_alarm_table, power_sentence, power_table
from fairaudit.reporting.words import certainty_of, summary, would_have_found
from fairaudit.settings import AuditSettings

CHOICES = {"bins": 3, "resamples": 99, "comparison": "mann_whitney", "stability": 40, "detectable": 6}


def tables() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    rng = np.random.default_rng(8)

    def one(n: int, shift: float) -> pd.DataFrame:
        return pd.DataFrame({"height": rng.normal(shift, 1, n), "member": rng.choice(["n", "y"], n, p=[0.7, 0.3]), "same": 1.0})

    return one(200, 0), {"near": one(300, 0), "far": one(300, 1.5)}


REFERENCE, TARGETS = tables()
RESULT = fairaudit.audit(REFERENCE, TARGETS, **CHOICES)
PLAIN = fairaudit.audit(REFERENCE, TARGETS, **{**CHOICES, "stability": 0, "detectable": 0})


def test_sentences_say_what_was_missed_and_what_would_come_again() -> None:
    far, near = summary(RESULT)
    assert "; flagged again in 100 % of resamples (by chance alone: " in far.text
    assert "percentage points would have been found in the others (80 % power)" in far.text or "of 2 attributes" in far.text
    assert near.text.startswith("no evidence of disparity in any attribute. A shift of 0.")
    assert [s.text for s in summary(PLAIN)][1] == "no evidence of disparity in any attribute."


def test_the_largest_of_the_sizes_is_named_and_unknown_ones_are_counted() -> None:
    rows = pd.DataFrame({"detectable": [0.1, 0.3, 0.02, np.nan], "detectable_unit": ["sd", "sd", "share", ""]})
    assert would_have_found(rows[:3], "each of them") == (
        " A shift of 0.3 standard deviations or a change of 2 percentage points would have been found in each of them (80 % power); "
        "smaller ones may be missed."
    )
    assert "in 3 of 4 attributes (80 % power); for the rest it is not known." in would_have_found(rows, "each of them")
    assert would_have_found(rows[3:], "each of them") == ""


def test_one_attribute_in_words() -> None:
    row = RESULT.attributes().iloc[0].to_dict()
    again, found = certainty_of(row)
    assert again.startswith("Flagged again in ") and "by chance alone" in again
    assert "standard deviations would have been found with 80 % power" in found
    noisy = certainty_of({**row, "stability": 1.0, "stability_null": 0.9})
    assert "says nothing about the verdict" in noisy[1] and "says nothing" not in again + found
    blind = {**row, "stability": np.nan, "stability_null": np.nan, "detectable": np.nan, "certainty_note": "No score could."}
    assert certainty_of(blind) == ("No score could.",)
    assert certainty_of(PLAIN.attributes().iloc[0].to_dict()) == ()


def test_report_and_json_hold_every_digit() -> None:
    frames = fairaudit.check_frames(REFERENCE, TARGETS)
    settings = AuditSettings(qmad=QmadSettings(**CHOICES)).with_frames(frames)
    html = html_report(RESULT, frames, settings)
    rows = RESULT.attributes()
    for column in ("stability", "stability_null", "detectable"):
        for value in rows[column].dropna():
            assert f'<data value="{value!r}">' in html, column
    assert "Would have found" in html and "means something only beside the one by chance alone" in html
    table = html[html.index("<h3>Every attribute</h3>") :]
    heads = re.findall(r"<th [^>]*>(.*?)</th>", table[: table.index("</thead>")])
    assert heads[:5] == ["Verdict", "Table", "Attribute", "Flagged again / by chance alone", "Would have found"]
    first = re.findall(
        r"<td[^>]*>(.*?)</td>", table[table.index("<tbody>") : table.index("</tr>", table.index("<tbody>"))], re.DOTALL
    )
    assert len(first) == len(heads)
    worst = rows[rows["verdict"] == "disparity"].iloc[0]
    assert f'value="{float(worst["stability"])!r}"' in first[3]
    assert f'value="{float(worst["detectable"])!r}"' in first[4]
    assert f'value="{float(worst["score"])!r}"' in first[5]
    document = json.loads(to_json(audit_document(RESULT, settings=settings, frames=frames)))
    assert [r["detectable"] for r in document["attributes"]] == [None if np.isnan(v) else v for v in rows["detectable"]]
    assert document["provenance"]["audit_settings"]["qmad"]["stability"] == 40
    without = html_report(PLAIN, frames, AuditSettings(qmad=QmadSettings(**{**CHOICES, "stability": 0, "detectable": 0})))
    assert "Would have found" not in without and "Flagged again" not in without


def test_the_command_line_gives_the_same(tmp_path, capsys) -> None:
    REFERENCE.to_csv(tmp_path / "ref.csv", index=False)
    for name, table in TARGETS.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    files = ["--reference", f"reference={tmp_path / 'ref.csv'}"]
    files += [w for name in TARGETS for w in ("--target", f"{name}={tmp_path / name}.csv")]
    words = ["--bins", "3", "--resamples", "99", "--comparison", "mann_whitney", "--stability", "40", "--detectable", "6"]
    out = tmp_path / "out.json"
    assert main(["audit", *files, *words, "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "Flagged again" in printed and "Found from" in printed and "standard deviations" in printed
    assert printed.count(" of resamples (by chance alone: ") == (RESULT.attributes()["verdict"] != "not_measurable").sum() > 0
    rows = json.loads(out.read_text(encoding="utf-8"))["attributes"]
    expected = RESULT.attributes()
    for column in ("p_adjusted", "stability", "stability_null", "detectable"):
        assert [r[column] for r in rows] == [None if np.isnan(v) else v for v in expected[column]], column
    saved = tmp_path / "s.yaml"
    assert main(["audit", *files, "--resamples", "19", "--stability", "--save-settings", str(saved), "--quiet"]) == 0
    assert AuditSettings.from_file(saved).qmad.stability == 200
    capsys.readouterr()
    assert main(["audit", *files, "--resamples", "0", "--stability"]) == 2
    assert "needs calibrated verdicts" in capsys.readouterr().err


def test_the_finding_about_false_alarms_comes_from_the_numbers() -> None:
    table = false_alarms()
    said = false_alarm_sentence(table)
    assert f"{table['calibrated'].mean():.1%} on average" in said
    assert f"in {(table['paper'] > 0.1).sum()} of {len(table)} combinations" in said
    other = false_alarm_sentence(table.assign(paper=0.02, calibrated=0.04))
    assert "in 0 of" in other and "4.0% on average" in other
    shown = false_alarm_table(table)
    assert shown["Paper's rule"].tolist() == table["paper"].tolist()
    assert shown["Comparison"].nunique() == table["comparison"].nunique()


def test_what_is_found_is_said_from_the_numbers() -> None:
    table = power_of_verdicts()
    kolmogorov = table[(table["comparison"] == "ks") & (table["aggregation"] == "harmonic") & (table["binning"] == "sequential")]
    ten = kolmogorov[kolmogorov["bins"] == 10].groupby("world")["found"].mean()
    assert f"finds {ten['everywhere']:.0%} and {ten['stretch']:.0%} with the harmonic mean over ten bins" in power_sentence(table)
    assert "finds 50% and 50% with" in power_sentence(table.assign(found=0.5))
    shown = power_table(table)
    assert len(shown) == len(table.drop_duplicates(["comparison", "aggregation", "binning", "bins"]))
    row = shown[
        (shown["Comparison"] == "Kolmogorov–Smirnov test")
        & (shown["Aggregation"] == "Harmonic mean")
        & (shown["Bins"] == "10 by row order")
    ]
    assert row["Found, in a stretch"].item() == pytest.approx(ten["stretch"])


@pytest.mark.parametrize("word", ["--stability=x", "--detectable=1"])
def test_wrong_numbers_end_with_a_sentence(word: str, capsys) -> None:
    assert main(["audit", "--reference", "x.csv", "--target", "y.csv", word]) == 2
    assert "detectable must be 0 or a whole number from 2" in (err := capsys.readouterr().err) or "invalid int value" in err


def test_groups_say_with_whom_they_are_compared() -> None:
    rng = np.random.default_rng(3)
    before = pd.DataFrame(
        {"pay": rng.normal(size=600), "sex": ["f", "m"] * 300, "role": (["IT: senior"] * 2 + ["clerk"] * 4) * 100}
    )
    after = before.assign(pay=before["pay"] - 2.0 * (before["sex"] == "f"))
    schema = {"sensitive_features": ("sex", "role")}

    def said(target: pd.DataFrame, kind: str) -> dict[str, str]:
        found = fairaudit.audit(before, {"after": target}, ["pay"], schema=schema, contrast=Contrast(kind=kind), resamples=0)
        return {s.subject: s.text for s in summary(found)}

    groups = said(after, "group_vs_reference_group")
    assert groups["after, sex=m"].startswith("differs from sex=f in 1 of 1 attribute: pay (higher)")
    within = said(after, "within_group")
    assert within["after, sex=f"].startswith("differs from the same group of reference in 1 of 1 attribute")
    assert within["after, role=IT: senior"].startswith("differs from the same group of reference in 1 of 1 attribute")
    (subject,) = said(before, "within_group")
    assert subject.count("; ") == 3, "names that hold commas are set apart by semicolons"
