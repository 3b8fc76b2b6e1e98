"""The measured rates of false alarms and of finds in words and as tables for people."""

from __future__ import annotations

import pandas as pd

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.binning import BINNINGS
from fairaudit.charts.power import CUTS, WORLDS
from fairaudit.comparison import COMPARISONS

PROMISED, TWICE = 0.05, 0.10
WORLD_LABELS = {world: f"Found, {label[0].lower()}{label[1:]}" for world, label in WORLDS.items()}
"""Columns of shares that are found, by where the differences are."""


def false_alarm_sentence(table: pd.DataFrame) -> str:
    """What a table of false-alarm rates says.

    Parameters
    ----------
    table : DataFrame
        As ``fairaudit.inference.false_alarms`` gives it.
    """
    paper, ours = table["paper"], table["calibrated"]
    worst = table.iloc[int(paper.to_numpy().argmax())]
    many = int((paper > TWICE).sum())
    return (
        f"Where nothing differs, the paper's rule flags between {paper.min():.0%} and {paper.max():.0%} of the data sets, depending on comparison, bins and "
        f"kind of attribute, and more than {TWICE:.0%} in {many} of {len(table)} combinations (most of all "
        f"{COMPARISONS[str(worst['comparison'])].label}, {worst['binning']} bins, {worst['attribute']}). The calibrated verdict, which "
        f"promises {PROMISED:.0%}, flags {ours.mean():.1%} on average, and between {ours.min():.1%} and {ours.max():.1%}."
    )


def false_alarm_table(table: pd.DataFrame) -> pd.DataFrame:
    """The rates with the names that people know the functions by."""
    return pd.DataFrame(
        {
            "Comparison": [COMPARISONS[c].label for c in table["comparison"]],
            "Aggregation": [AGGREGATIONS[a].label for a in table["aggregation"]],
            "Bins": [BINNINGS[b].label for b in table["binning"]],
            "Attribute": table["attribute"],
            "Paper's rule": table["paper"],
            "Calibrated verdict": table["calibrated"],
        }
    )


def cut_label(binning: str, bins: int) -> str:
    """How rows are cut, in few words."""
    if bins == 1:
        return "1 bin"
    return f"{bins} {CUTS[binning]}"


def power_table(table: pd.DataFrame) -> pd.DataFrame:
    """Shares found, averaged over kinds of attributes: a row for each comparison, aggregation and way to cut, a column for each world.

    Parameters
    ----------
    table : DataFrame
        As ``fairaudit.inference.power_of_verdicts`` gives it.
    """
    keys = ["comparison", "aggregation", "binning", "bins"]
    wide = table.pivot_table(index=keys, columns="world", values="found", aggfunc="mean", sort=False).reset_index()
    return pd.DataFrame(
        {
            "Comparison": [COMPARISONS[c].label for c in wide["comparison"]],
            "Aggregation": [AGGREGATIONS[a].label for a in wide["aggregation"]],
            "Bins": [cut_label(b, n) for b, n in zip(wide["binning"], wide["bins"], strict=True)],
            **{WORLD_LABELS[world]: wide[world] for world in WORLD_LABELS},
        }
    )


def power_sentence(table: pd.DataFrame) -> str:
    """What the choice of bins and aggregation costs, for Kolmogorov-Smirnov.

    Parameters
    ----------
    table : DataFrame
        As ``fairaudit.inference.power_of_verdicts`` gives it.
    """
    found = table[table["comparison"] == "ks"].groupby(["world", "aggregation", "binning", "bins"])["found"].mean()

    def shares(aggregation: str, binning: str, bins: int) -> str:
        return " and ".join(f"{found[world, aggregation, binning, bins]:.0%}" for world in WORLD_LABELS)

    return (
        "Of differences that are the same in all rows, and of those in a stretch of them, Kolmogorov–Smirnov finds "
        f"{shares('harmonic', 'sequential', 10)} with the harmonic mean over ten bins by row order, {shares('harmonic', 'sequential', 1)} with one bin, and "
        f"{shares('fisher', 'sequential', 10)} with Fisher's method over the ten bins, which adds up what each of them shows a little."
    )
