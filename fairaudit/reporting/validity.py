"""The measured false-alarm rates in words and as a table for people."""

from __future__ import annotations

import pandas as pd

from fairaudit.aggregation import AGGREGATIONS
from fairaudit.binning import BINNINGS
from fairaudit.comparison import COMPARISONS

PROMISED, TWICE = 0.05, 0.10


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
