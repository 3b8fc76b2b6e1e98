"""The answer of an audit in plain words, for the screen and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairaudit.charts.text import flagged_again, missing, percent, size_text
from fairaudit.contrast import Contrast, group_name
from fairaudit.results import AuditResult
from fairaudit.schema import Schema

NO_NEWS = 0.5
"""Share of resamples of data without a difference from which on being flagged again says nothing."""


@dataclass(frozen=True)
class Sentence:
    """One finding in words.

    Attributes
    ----------
    verdict : str
        The worst verdict that the sentence speaks of.
    subject : str
        Who it is about: the name of a frame, with the group where there is one.
    text : str
        The finding, without its subject.
    """

    verdict: str
    subject: str
    text: str


def groups_compared(contrast: Contrast, schema: Schema) -> str:
    """Which groups a contrast compares with whom, as the rest of a sentence; empty where whole tables are compared.

    Examples
    --------
    >>> from fairaudit.contrast import Contrast
    >>> from fairaudit.schema import Schema
    >>> groups_compared(Contrast("group_vs_reference_group"), Schema(sensitive_features=("sex",)))
    'groups inside each table: sex, compared with the largest group of the reference'
    """
    if contrast.kind == "frame_vs_reference":
        return ""
    sets = contrast.feature_sets(schema)
    if contrast.kind == "within_group":
        return f"the same group in both: {', '.join(' × '.join(features) for features in sets)}"
    rule = {"largest": "the largest group of the reference", "best_off": "the best-off group of the reference"}
    found: dict[str, list[str]] = {}
    for features in sets:
        chosen = [schema.reference_group_of(f) for f in features]
        with_whom = rule[contrast.reference_rule] if None in chosen else group_name(features, [str(c) for c in chosen])
        found.setdefault(with_whom, []).append(" × ".join(features))
    said = "; ".join(f"{', '.join(names)}, compared with {with_whom}" for with_whom, names in found.items())
    return f"groups inside each table: {said}"


def not_in_settings(lab: bool, evaluation: bool) -> str:
    """Which parts of a report an audit with its settings does not make again; empty where there is none.

    Parameters
    ----------
    lab, evaluation : bool
        Whether the report has the part of the bias lab, and of the experiment on fair and biased test sets.
    """
    parts = []
    if lab:
        parts.append("the part of the bias lab (the lab saves the planted bias as a description)")
    if evaluation:
        parts.append("the experiment on fair and biased test sets (its own JSON, saved on its page, holds its settings)")
    return f"They do not hold {' and '.join(parts)}." if parts else ""


def subject(frame: str, group: str) -> str:
    """Name of a frame, or of a group in it."""
    return f"{frame}, {group}" if group else frame


def verdict_rules(result: AuditResult) -> tuple[str, ...]:
    """The rules of the verdicts, each once; of calibrated ones where there are any, not of attributes that have no p-value to calibrate."""
    rows = result.attribute_scores
    calibrated = rows[rows["p_adjusted"].notna()]
    return tuple(str(r) for r in (calibrated if len(calibrated) else rows)["rule"].dropna().unique() if r)


def summary(result: AuditResult) -> tuple[Sentence, ...]:
    """What was found, one sentence for each frame and group with a disparity and one for each kind of rest.

    Frames without any disparity share a sentence, and so do those where nothing could be measured. Where it is known, they say how small a
    difference would have been found, and how often what was found would be found again.
    """
    rows = result.attribute_scores
    found, quiet, silent = [], [], []
    unseen = pd.Series(False, index=rows.index)
    for (frame, group), part in rows.groupby(["frame", "group"], sort=False):
        who = subject(str(frame), str(group))
        flagged = part[part["verdict"] == "disparity"]
        measured = part[part["verdict"] != "not_measurable"]
        if len(flagged):
            strongest = flagged.assign(size=flagged["effect"].abs()).sort_values("size", ascending=False, na_position="first")
            text = f"differs{_from(part)} in {_count(len(flagged), len(measured))}: {_listed(strongest)}{_again(flagged)}."
            others = measured[measured["verdict"] != "disparity"]
            found.append(Sentence("disparity", who, text + would_have_found(others, "the others")))
        elif len(measured):
            quiet.append(who)
            unseen[measured.index] = True
        else:
            silent.append((who, str(part["note"].iloc[0])))
    sentences = list(found)
    powerless = next((f for f in result.findings if f.code == "too_few_resamples"), None)
    if quiet and powerless is not None and not found:
        sentences.append(
            Sentence("not_measurable", _names(quiet), f"no verdict is possible. {powerless.problem} {powerless.remedy}")
        )
    elif quiet:
        text = "no evidence of disparity in any attribute." + would_have_found(rows[unseen], "each of them")
        sentences.append(Sentence("no_evidence", _names(quiet), text))
    if silent:
        text = "nothing could be measured." + (f" {silent[0][1]}" if silent[0][1] else "")
        sentences.append(Sentence("not_measurable", _names([who for who, _ in silent]), text))
    return tuple(sentences)


def would_have_found(rows: pd.DataFrame, who: str) -> str:
    """How small a difference would have been found in some attributes, as a sentence; empty where that was not computed."""
    known = rows[rows["detectable"].notna()]
    if not len(known):
        return ""
    sizes = known.groupby("detectable_unit")["detectable"].max()
    kinds = [
        f"{word} of {size_text(sizes[unit], unit)}" for unit, word in (("sd", "a shift"), ("share", "a change")) if unit in sizes
    ]
    what = " or ".join(kinds)
    where = who if len(known) == len(rows) else f"{len(known)} of {len(rows)} attributes"
    rest = "smaller ones may be missed" if len(known) == len(rows) else "for the rest it is not known"
    return f" {what[0].upper()}{what[1:]} would have been found in {where} (80 % power); {rest}."


def certainty_of(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """What is known about the verdict of one attribute beyond its p-value, a sentence each; empty where nothing was computed."""
    again = flagged_again(row["stability"], row["stability_null"])
    size = size_text(row["detectable"], row["detectable_unit"])
    said = [f"Flagged again in {again}." if again else ""]
    if not missing(row["stability_null"]) and row["stability_null"] >= NO_NEWS:
        said.append("Most resamples of data without any difference are flagged too, so this says nothing about the verdict.")
    if size:
        kind = "change" if row["detectable_unit"] == "share" else "shift"
        said.append(f"A {kind} of {size} would have been found with 80 % power; a smaller one may be missed.")
    note = row.get("certainty_note")
    said.append("" if missing(note) else str(note))
    return tuple(s for s in said if s)


def _again(flagged: pd.DataFrame) -> str:
    """How often what was found would be found again."""
    known = flagged["stability"].dropna()
    if not len(known):
        return ""
    chance = flagged["stability_null"].max()
    if len(flagged) == 1:
        return f"; flagged again in {flagged_again(known.min(), chance)}"
    least = "" if known.min() == 1 else "at least "
    return f"; each flagged again in {least}{flagged_again(known.min())} (by chance alone: at most {percent(chance, 0)})"


def _count(flagged: int, measured: int) -> str:
    return f"{flagged} of {measured} attribute{'' if measured == 1 else 's'}"


def _listed(rows: pd.DataFrame, most: int = 6) -> str:
    parts = [f"{r.attribute!s} ({r.direction!s})" if r.direction else str(r.attribute) for r in rows.head(most).itertuples()]
    return ", ".join(parts) + (f" and {len(rows) - most} more" if len(rows) > most else "")


def _from(part: pd.DataFrame) -> str:
    """With whom a group is compared; empty for whole tables, which are compared with the reference."""
    frame, group, other = (str(part[c].iloc[0]) for c in ("frame", "group", "reference_side"))
    if not group:
        return ""
    if other.startswith(f"{frame}: "):
        return f" from {other.removeprefix(f'{frame}: ')}"
    return f" from the same group of {other.removesuffix(f': {group}')}"


def _names(names: list[str], most: int = 6) -> str:
    shown = names[:most]
    more = len(names) - len(shown)
    # Names of groups hold commas themselves.
    return ("; " if any(", " in name for name in shown) else ", ").join(shown) + (f" and {more} more" if more else "")
