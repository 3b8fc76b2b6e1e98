"""How to read an experiment: a stated rule for each method, and sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairaudit.evaluation.metrics import TEST_METRICS
from fairaudit.mitigation import MITIGATIONS
from fairaudit.models import MODELS

RATED_METRICS = (
    "accuracy",
    "statistical_parity_difference",
    "equalized_odds_difference",
    "generalized_entropy_index",
)
"""The four metrics of the paper's section 6.3."""
_UNFAIRNESS = ("statistical_parity_difference", "equalized_odds_difference")

NOTICEABLE = 0.01
MIXED_SHARE = 0.2
NEAR_BASELINE = 0.05
HARMFUL = 0.05
RATINGS = {
    "close_to_fair": ("✓✓", "better than no mitigation and close to the fair baseline"),
    "better": ("✓", "better than no mitigation"),
    "mixed": ("✱", "better in some cells, worse in others"),
    "not_better": ("✗", "no better than no mitigation"),
    "harmful": ("✗✗", "adds unfairness"),
    "not_measurable": ("–", "not measurable"),
}
RULE = (
    f"Loss is the distance of the mean over folds from the best value of accuracy, statistical parity difference, equalized odds difference and generalized entropy "
    f"index on the fair test set; a cell is one metric at one level. A cell is better (worse) when the method's loss is more than {NOTICEABLE} "
    f"below (above) that of no mitigation. ✗✗: the absolute statistical parity or the equalized odds difference grows by more than {HARMFUL} on "
    f"average. ✱: at least {MIXED_SHARE:.0%} of the cells are better, at least {MIXED_SHARE:.0%} are worse, and neither is twice the other. "
    f"✓: more cells are better than worse; ✓✓ if, besides, the loss exceeds that of the model trained on the fair table by at most "
    f"{NEAR_BASELINE} on average. ✗: otherwise. Level 0 and the highest levels do not count, nor do cells in which the method failed on more "
    f"than half of the folds."
)
"""The rule of ``rate_methods`` in words. On the values of the paper's figures it gives 20 of the 24 symbols of the paper's Table 3."""


def rate_methods(summary: pd.DataFrame, max_level: float = 0.8) -> pd.DataFrame:
    """Rate each method by the stated rule (``RULE``).

    Parameters
    ----------
    summary : DataFrame
        level, model, mitigation, test_set, metric, mean, n_ok, n_folds; other columns are ignored. A column ``dataset`` may be there: then
        cells are compared within each data set and counted together.
    max_level : float

    Returns
    -------
    DataFrame
        One row per model and method: model, mitigation, rating, symbol, meaning, n_cells, share_better, share_worse, excess (mean loss above
        the fair baseline), the mean gain in each metric (positive: closer to the best value than no mitigation), note.
    """
    cells = _with_loss(summary[(summary["test_set"] == "fair") & summary["metric"].isin(RATED_METRICS)])
    if "dataset" not in cells:
        cells["dataset"] = ""
    cells.loc[cells["n_ok"] * 2 < cells["n_folds"], "loss"] = np.nan
    nothing = cells[cells["mitigation"] == "none"]
    same_cell = ["dataset", "model", "metric", "level"]
    unmitigated = nothing[[*same_cell, "loss"]].rename(columns={"loss": "loss_unmitigated"})
    baseline = nothing[nothing["level"] == 0][[*same_cell[:-1], "loss"]].rename(columns={"loss": "loss_baseline"})
    cells = cells[(cells["mitigation"] != "none") & (cells["level"] > 0) & (cells["level"] <= max_level)]
    cells = cells.merge(unmitigated, how="left", on=same_cell).merge(baseline, how="left", on=same_cell[:-1])
    cells["gain"] = cells["loss_unmitigated"] - cells["loss"]
    cells["excess"] = cells["loss"] - cells["loss_baseline"]
    rated: list[dict[str, Any]] = []
    for (model, mitigation), group in cells.groupby(["model", "mitigation"], sort=False, observed=True):
        rated.append({"model": model, "mitigation": mitigation, **_rate(group)})
    columns = ["model", "mitigation", "rating", "symbol", "meaning", "n_cells", "share_better", "share_worse", "excess"]
    return pd.DataFrame(rated, columns=[*columns, *(f"gain_{m}" for m in RATED_METRICS), "note"])


def _with_loss(cells: pd.DataFrame) -> pd.DataFrame:
    """A copy with a column ``loss``: the distance of the mean from the metric's best value."""
    ideals = {spec.name: np.nan if spec.ideal is None else spec.ideal for spec in TEST_METRICS}
    return cells.assign(loss=(cells["mean"] - cells["metric"].map(ideals)).abs())


def _rate(cells: pd.DataFrame) -> dict[str, Any]:
    """Apply the rule to the cells of one model and method."""
    measured = cells.dropna(subset=["gain"])
    gains = {m: float(measured.loc[measured["metric"] == m, "gain"].mean()) for m in RATED_METRICS}
    gain = measured["gain"].to_numpy()
    excess = float(measured["excess"].mean())
    better, worse = (float(np.mean(s)) if len(gain) else float("nan") for s in (gain > NOTICEABLE, gain < -NOTICEABLE))
    note = ""
    if not len(gain):
        rating = "not_measurable"
        note = "no level above 0 at which both the method and no mitigation could be measured"
    elif any(gains[m] < -HARMFUL for m in _UNFAIRNESS):
        rating = "harmful"
    elif min(better, worse) >= MIXED_SHARE and max(better, worse) < 2 * min(better, worse):
        rating = "mixed"
    elif better > worse:
        rating = "close_to_fair" if excess <= NEAR_BASELINE else "better"
        if np.isnan(excess):
            note = "level 0 was not run, so the distance from the fair baseline is not known"
    else:
        rating = "not_better"
    left_out = len(cells) - len(measured)
    if len(gain) and left_out:
        note = "; ".join(n for n in (note, f"{left_out} of {len(cells)} cells could not be measured on half of the folds") if n)
    symbol, meaning = RATINGS[rating]
    return {
        "rating": rating,
        "symbol": symbol,
        "meaning": meaning,
        "n_cells": len(measured),
        "share_better": better,
        "share_worse": worse,
        "excess": excess,
        **{f"gain_{m}": g for m, g in gains.items()},
        "note": note,
    }


def interpret(summary: pd.DataFrame, failures: pd.DataFrame, *, complete: bool = True) -> tuple[str, ...]:
    """Sentences for people.

    Parameters
    ----------
    summary : DataFrame
        ``EvaluationResult.summary()``.
    failures : DataFrame
        ``EvaluationResult.failures()``.
    complete : bool

    Returns
    -------
    tuple of str
        What the biased test set hides about the unmitigated model, which methods it misjudges, and which ones failed.
    """
    sentences: list[str] = []
    if not complete:
        sentences.append("The run was stopped before its end; the numbers rest on the units that are finished.")
    biased_levels = summary[summary["level"] > 0]
    if biased_levels.empty:
        return (*sentences, "Only level 0 was run: the fair and the biased test set are the same there.")
    for model in summary["model"].unique():
        own = biased_levels[biased_levels["model"] == model]
        sentences += _on_unmitigated(own, MODELS[model].label)
        sentences += _on_methods(own, MODELS[model].label)
        sentences += _on_failures(summary[summary["model"] == model], failures[failures["model"] == model], MODELS[model].label)
    return tuple(sentences)


def _on_unmitigated(own: pd.DataFrame, model: str) -> list[str]:
    """How the unmitigated model looks on the two test sets, at the level where they disagree most in accuracy."""
    wide = _by_test_set(own[(own["mitigation"] == "none") & (own["metric"] == "accuracy")], "mean")
    if wide.empty:
        return []
    gaps = (wide["biased"] - wide["fair"]).abs().to_numpy()
    level, fair, biased = (float(v) for v in wide.reset_index()[["level", "fair", "biased"]].to_numpy()[gaps.argmax()])
    if abs(biased - fair) < NOTICEABLE:
        return [f"{model} without mitigation: fair and biased test set agree on accuracy to within {NOTICEABLE} at every level."]
    looks = "better" if biased > fair else "worse"
    fair, biased = round(fair, 2), round(biased, 2)  # so that the difference is that of the numbers in the sentence
    return [
        f"{model} without mitigation, level {level:g}: accuracy is {fair:.2f} on the fair test set and {biased:.2f} on the biased one, so the "
        f"biased test set makes the model look {looks} by {abs(biased - fair):.2f}."
    ]


def _on_methods(own: pd.DataFrame, model: str) -> list[str]:
    """Methods that the biased test set puts on the other side of doing nothing."""
    sentences: list[str] = []
    agreed = False
    for metric in ("accuracy", "statistical_parity_difference"):
        spec = TEST_METRICS[metric]
        cells = _with_loss(own[own["metric"] == metric])
        nothing = _by_test_set(cells[cells["mitigation"] == "none"], "loss")
        for method in [m for m in cells["mitigation"].unique() if m != "none"]:
            gain = (nothing - _by_test_set(cells[cells["mitigation"] == method], "loss")).dropna()
            if gain.empty:
                continue
            fair, biased = float(gain["fair"].mean()), float(gain["biased"].mean())
            if min(abs(fair), abs(biased)) < NOTICEABLE or (fair > 0) == (biased > 0):
                agreed = True
                continue
            word = {True: "better", False: "worse"}
            sentences.append(
                f"{model}: judged by {spec.label.lower()} on the biased test set, “{MITIGATIONS[method].label.lower()}” looks {word[biased > 0]} than doing "
                f"nothing (by {abs(biased):.2f} on average over the levels); on the fair one it is {word[fair > 0]} by {abs(fair):.2f}."
            )
    if agreed and not sentences:
        sentences.append(
            f"{model}: in accuracy and statistical parity no method changes sides between the test sets; how large its gain looks still differs."
        )
    return sentences


def _on_failures(own: pd.DataFrame, failures: pd.DataFrame, model: str) -> list[str]:
    """How often each method gave no result, and why."""
    sentences = []
    for method in failures["mitigation"].unique():
        cell = failures[failures["mitigation"] == method]
        ran = own[(own["mitigation"] == method) & (own["test_set"] == "fair") & (own["metric"] == "accuracy")]
        sentences.append(
            f"{model}: “{MITIGATIONS[method].label.lower()}” gave no result on {cell['n_failed'].sum()} of {ran['n_folds'].sum()} folds, most often "
            f"because {cell['reason'].value_counts().index[0]}."
        )
    return sentences


def _by_test_set(cells: pd.DataFrame, values: str) -> pd.DataFrame:
    """One row per level with the columns fair and biased; levels that lack one are left out."""
    return cells.pivot_table(index="level", columns="test_set", values=values).reindex(columns=["fair", "biased"]).dropna()
