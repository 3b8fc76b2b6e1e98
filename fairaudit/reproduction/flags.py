"""Flags: which attribute differs on which day, by the paper's rule and by the calibrated one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairaudit.inference.correction import at_most
from fairaudit.reproduction.agreement import reason
from fairaudit.reproduction.tables import AD, KS, PLANTED, ROM, is_feature, planted, published, published_ticks, rows

ALPHA = 0.05
TIMES = 2.0
"""A ratio of means counts as flagged above this multiple of the attribute's largest score on another day without bias; ours, see ``flags``."""
PAPER_RULE, CALIBRATED_RULE = "paper's rule", "calibrated"
OUTCOMES = ("hits", "misses", "false alarms")


def flags(scores: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Flags by the paper's rule: days x columns, bool.

    The paper names no limit for the ratio of means: it calls a score biased that stands out from the days without bias. Read as: more than
    twice the largest score that the attribute has on another day without bias.

    Parameters
    ----------
    scores : DataFrame
        Days x columns.
    table, metric : str
    """
    if metric != ROM:
        return scores < ALPHA
    calm_days = [d for d in scores.index if d not in PLANTED["hiring" if table == "5" else "adult"]]
    limits = [scores.loc[[d for d in calm_days if d != day]].max() for day in scores.index]
    return scores > TIMES * pd.DataFrame(limits, index=scores.index)


def flags_by_seed(scores: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """The same for long scores of one table and metric: (seed, day) x columns."""
    wide = scores.pivot(index=["seed", "day"], columns="column", values="value")
    if metric != ROM:
        return flags(wide, table, metric)
    return pd.concat(
        {seed: flags(one.droplevel("seed"), table, metric) for seed, one in wide.groupby(level="seed")}, names=["seed"]
    )


def published_flags(table: str, metric: str) -> pd.DataFrame:
    """The same for the published scores."""
    theirs = published(table)
    theirs = theirs.loc[theirs["metric"] == metric]
    return flags(theirs.pivot(index="day", columns="column", values="published"), table, metric)


def verdicts(values: pd.DataFrame) -> pd.DataFrame:
    """Published flag beside the share of seeds that raise it, one row a cell.

    Parameters
    ----------
    values : DataFrame
        Long: table, metric, day, column, seed, value.

    Returns
    -------
    DataFrame
        table, metric, day, column, planted, published_flag, share, agrees, explanation. ``agrees``: at least half of the seeds say the
        same as the paper.
    """
    lines = []
    tables = values.loc[values["table"].isin(["5", "6", "10"])]
    for (table, metric), part in tables.groupby(["table", "metric"], sort=False):
        table, metric = str(table), str(metric)
        raised = flags_by_seed(part, table, metric)
        share = raised.astype(float).groupby(level="day").mean()
        theirs = published_flags(table, metric)
        cells = published(table)
        for r in rows(cells.loc[cells["metric"] == metric]):
            ours, flag = float(share[r.column][r.day]), bool(theirs[r.column][r.day])
            agrees = (ours >= 0.5) == flag or ours == 0.5
            lines.append(
                {
                    "table": table,
                    "metric": metric,
                    "day": r.day,
                    "column": r.column,
                    "planted": planted(table, r.day, r.column),
                    "published_flag": flag,
                    "share": ours,
                    "agrees": agrees,
                    "explanation": "" if agrees else _why(table, metric, r.day, r.column, flag, ours),
                }
            )
    columns = ["table", "metric", "day", "column", "planted", "published_flag", "share", "agrees", "explanation"]
    return pd.DataFrame(lines, columns=columns)


def _why(table: str, metric: str, day: int, column: str, flag: bool, share: float) -> str:
    known = reason(table, metric, day, column)
    if known:
        return known
    if planted(table, day, column):
        return f"A planted bias near the limit of what this pair can see: {share:.0%} of the seeds raise the flag."
    alarm = "false alarm" if is_feature(column) else "flag"
    if flag:
        return f"A {alarm} of the one published draw; {share:.0%} of the seeds raise it."
    return f"A {alarm} that most seeds raise ({share:.0%}) and the one published draw does not."


def outcomes(raised: pd.DataFrame, truth: pd.DataFrame) -> dict[str, int]:
    """Hits, misses and false alarms of flags against the planted truth."""
    flag, true = raised.to_numpy(bool), truth.to_numpy(bool)
    counts = (flag & true, ~flag & true, flag & ~true)
    return {name: int(np.count_nonzero(c)) for name, c in zip(OUTCOMES, counts, strict=True)}


def counts(values: pd.DataFrame) -> pd.DataFrame:
    """Table 7 for every pair: table, metric, day (0: all), column, seed, value; features only.

    Parameters
    ----------
    values : DataFrame
        Long scores of Tables 5 and 6, and adjusted p-values of the calibrated rule under table "7".
    """
    lines = []
    for table in ("5", "6"):
        for metric in (ROM, KS, AD):
            scores = values.loc[(values["table"] == table) & (values["metric"] == metric)]
            lines += _counted(flags_by_seed(scores, table, metric), table, counted_name(table, metric, PAPER_RULE))
            calibrated = counted_name(table, metric, CALIBRATED_RULE)
            adjusted = values.loc[(values["table"] == "7") & (values["metric"] == calibrated)]
            lines += _counted(
                adjusted.pivot(index=["seed", "day"], columns="column", values="value").apply(at_most, limit=ALPHA),
                table,
                calibrated,
            )
    return pd.DataFrame(lines, columns=["table", "metric", "day", "column", "seed", "value"])


def published_counts() -> pd.DataFrame:
    """Hits, misses and false alarms in the published Tables 5 and 6: metric, day, column, published."""
    lines = []
    for table in ("5", "6"):
        for metric in (ROM, KS, AD):
            raised = _features(published_flags(table, metric))
            for name, value in outcomes(raised, _truth(raised, table)).items():
                for rule, number in ((PAPER_RULE, float(value)), (CALIBRATED_RULE, np.nan)):
                    lines.append((counted_name(table, metric, rule), 0, name, number))
    return pd.DataFrame(lines, columns=["metric", "day", "column", "published"]).sort_values("metric", kind="stable", key=_order)


def _order(names: pd.Series) -> pd.Series:
    wanted = [counted_name(t, m, r) for t in ("5", "6") for m in (ROM, KS, AD) for r in (PAPER_RULE, CALIBRATED_RULE)]
    return names.map(wanted.index)


def count_note(status: str) -> str:
    """What to know about a count of Table 7."""
    if status == "not published":
        return "Ours: p-values of the same scores by permutation, corrected for all features and days, at most 0.05."
    return "" if status == "inside" else "The published count is that of one draw."


def counted_name(table: str, metric: str, rule: str) -> str:
    """Name of a row group of Table 7."""
    return f"Table {table} · {metric} · {rule}"


def _features(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[[c for c in frame.columns if is_feature(str(c))]]


def _truth(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    return pd.DataFrame(
        [[planted(table, int(d), str(c)) for c in frame.columns] for d in frame.index], index=frame.index, columns=frame.columns
    )


def _counted(raised: pd.DataFrame, table: str, name: str) -> list[dict[str, object]]:
    """Outcomes of every seed, from flags by seed."""
    found = _features(raised)
    truth = pd.DataFrame(
        [[planted(table, day, str(c)) for c in found.columns] for day in found.index.get_level_values("day")],
        index=found.index,
        columns=found.columns,
    )
    return [
        {"table": "7", "metric": name, "day": 0, "column": outcome, "seed": seed, "value": float(value)}
        for seed, one in found.groupby(level="seed")
        for outcome, value in outcomes(one, truth.loc[one.index]).items()
    ]


def ticks(values: pd.DataFrame) -> pd.DataFrame:
    """The three rows that Table 7 prints, beside the share of seeds in which Anderson-Darling, the pair behind them, raises the flag."""
    found = verdicts(values.loc[(values["table"] == "6") & (values["metric"] == AD)])
    lines = []
    for r in rows(published_ticks()):
        cell = found.loc[(found["day"] == r.day) & (found["column"] == r.attribute)]
        share = float(cell["share"].iloc[0]) if len(cell) else float("nan")
        lines.append((r.attribute, r.day, r.planted == "yes", r.flagged == "yes", share))
    return pd.DataFrame(lines, columns=["column", "day", "planted", "published_flag", "share"])
