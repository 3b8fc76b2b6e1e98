"""The answer of an audit in plain words, for the screen and the report."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fairaudit.results import AuditResult


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


def subject(frame: str, group: str) -> str:
    """Name of a frame, or of a group in it."""
    return f"{frame}, {group}" if group else frame


def summary(result: AuditResult) -> tuple[Sentence, ...]:
    """What was found, one sentence for each frame and group with a disparity and one for each kind of rest.

    Frames without any disparity share a sentence, and so do those where nothing could be measured.
    """
    rows = result.attribute_scores
    found, quiet, silent = [], [], []
    for (frame, group), part in rows.groupby(["frame", "group"], sort=False):
        who = subject(str(frame), str(group))
        flagged = part[part["verdict"] == "disparity"]
        measured = part[part["verdict"] != "not_measurable"]
        if len(flagged):
            strongest = flagged.assign(size=flagged["effect"].abs()).sort_values("size", ascending=False, na_position="first")
            found.append(Sentence("disparity", who, f"differs in {_count(len(flagged), len(measured))}: {_listed(strongest)}."))
        elif len(measured):
            quiet.append(who)
        else:
            silent.append((who, str(part["note"].iloc[0])))
    sentences = list(found)
    if quiet:
        sentences.append(Sentence("no_evidence", _names(quiet), "no evidence of disparity in any attribute."))
    if silent:
        text = "nothing could be measured." + (f" {silent[0][1]}" if silent[0][1] else "")
        sentences.append(Sentence("not_measurable", _names([who for who, _ in silent]), text))
    return tuple(sentences)


def _count(flagged: int, measured: int) -> str:
    return f"{flagged} of {measured} attribute{'' if measured == 1 else 's'}"


def _listed(rows: pd.DataFrame, most: int = 6) -> str:
    parts = [f"{r.attribute!s} ({r.direction!s})" if r.direction else str(r.attribute) for r in rows.head(most).itertuples()]
    return ", ".join(parts) + (f" and {len(rows) - most} more" if len(rows) > most else "")


def _names(names: list[str], most: int = 6) -> str:
    shown = names[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
