"""How often does a verdict flag data without a difference? Measured for every comparison function, binning and kind of attribute.

``python -m benchmarks.validity`` writes docs/validity.md and fairaudit/data/false_alarms.csv. It takes several minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from fairaudit.comparison import COMPARISONS, ComparisonSpec
from fairaudit.inference import calibrate
from fairaudit.inference.correction import extremeness, rank_p_values
from fairaudit.inference.pools import RowPool, row_pool
from fairaudit.inference.resampling import AttributePool
from fairaudit.qmad import QmadSettings
from fairaudit.qmad.scoring import flags
from fairaudit.validation import check_frames

ROOT = Path(__file__).resolve().parent.parent
CSV = ROOT / "fairaudit" / "data" / "false_alarms.csv"
PAGE = ROOT / "docs" / "validity.md"

TARGET, REFERENCE, BINS, PERMUTATIONS, ALPHA = 800, 400, 10, 199, 0.05
BINNINGS = ("sequential", "quantile")
KINDS: dict[str, tuple[str, Callable[[np.random.Generator, int], np.ndarray]]] = {
    "normal": ("numeric", lambda rng, n: rng.normal(5, 1, n)),
    "28 % zeros": ("numeric", lambda rng, n: np.round(np.clip(rng.normal(0.58, 1, n), 0, None), 2)),
    "binary 0.2": ("binary", lambda rng, n: (rng.random(n) < 0.2).astype(float)),
    "integers 17-90": ("ordinal", lambda rng, n: rng.integers(17, 91, n).astype(float)),
}


def aggregation_for(spec: ComparisonSpec) -> str:
    """The paper's aggregation: harmonic for p-values, arithmetic for scores."""
    return "harmonic" if spec.is_p_value else "arithmetic"


def cells() -> list[tuple[ComparisonSpec, str, str]]:
    """Every comparison function with the binnings and kinds of attributes it is valid for."""
    return [
        (spec, binning, kind)
        for spec in COMPARISONS
        if spec.name != "ks_auto"  # the same as ks at these sizes
        for binning in BINNINGS
        for kind, (column_type, _) in KINDS.items()
        if column_type in spec.input_types
    ]


def permuted(binning: str, bins: int, seed: np.random.SeedSequence) -> tuple[RowPool, np.ndarray]:
    """The rows of both sides, and who is on which: as drawn, then in every permutation, a column each."""
    rows = row_pool(TARGET, REFERENCE, bins if binning == "sequential" else 1)
    return rows, np.column_stack([rows.observed, rows.permutations(seed, 0, PERMUTATIONS)])


def significant(spec: ComparisonSpec, scores: np.ndarray) -> bool:
    """Whether the score as drawn, which is the first, has a permutation p-value of at most 0.05 by itself."""
    p = rank_p_values(extremeness(scores, spec.is_p_value, spec.no_difference)[:, None], spec.is_p_value)[0, 0]
    return bool(not np.isnan(scores[0]) and p <= ALPHA)


def false_alarms(repeats: int = 300, seed: int = 0, report: Callable[[int], None] = lambda done: None) -> pd.DataFrame:
    """Share of null data sets that are flagged, by the paper's rule and by the calibrated one, each attribute by itself.

    Parameters
    ----------
    repeats : int
    seed : int
    report : callable, optional
        Called with the number of finished repeats.

    Returns
    -------
    DataFrame
        comparison, aggregation, binning, attribute, paper, calibrated, estimated: the last one is the mean of the paper rule's rate as the
        permutations of a single data set give it.
    """
    wanted = cells()
    hits = np.zeros((len(wanted), 3))
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        data = {kind: (draw(rng, TARGET), draw(rng, REFERENCE)) for kind, (_, draw) in KINDS.items()}
        permutation = np.random.SeedSequence([seed, repeat, 1])
        sides = {binning: permuted(binning, BINS, permutation) for binning in BINNINGS}
        for i, (spec, binning, kind) in enumerate(wanted):
            rows, side = sides[binning]
            target, reference = data[kind]
            pool = AttributePool.of(spec, aggregation_for(spec), binning, BINS, target, reference, rows)
            scores, reported = pool.both_scores(side, None, lambda: None)
            flagged = flags(spec, QmadSettings(alpha=ALPHA), reported, float(np.concatenate([target, reference]).std(ddof=1)))
            hits[i] += flagged[0], significant(spec, scores), flagged[1:].mean()
        report(repeat + 1)
    table = pd.DataFrame(
        [(s.name, aggregation_for(s), b, k) for s, b, k in wanted], columns=["comparison", "aggregation", "binning", "attribute"]
    )
    table[["paper", "calibrated", "estimated"]] = hits / repeats
    return table


def null_table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Ten attributes of several kinds, two of them correlated."""
    first = rng.normal(size=n)
    return pd.DataFrame(
        {
            "n1": first,
            "n2": 0.8 * first + 0.6 * rng.normal(size=n),
            "n3": rng.normal(size=n),
            "n4": rng.exponential(size=n),
            "z1": np.round(np.clip(rng.normal(0.58, 1, n), 0, None), 2),
            "z2": np.round(np.clip(rng.normal(0.58, 1, n), 0, None), 2),
            "b1": rng.choice(["n", "y"], n, p=[0.8, 0.2]),
            "b2": rng.choice(["n", "y"], n),
            "i1": rng.integers(17, 91, n),
            "c1": rng.choice(list("abcde"), n),
        }
    )


AUDITS = (("ks", "harmonic", "sequential"), ("ad", "harmonic", "quantile"), ("wasserstein", "arithmetic", "quantile"))


def any_flag(repeats: int = 300, seed: int = 0) -> pd.DataFrame:
    """Share of audits of ten null attributes that flag anything, after correction and without.

    Returns
    -------
    DataFrame
        comparison, aggregation, binning, paper, calibrated.
    """
    hits = np.zeros((len(AUDITS), 2))
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat, 2])
        frames = check_frames(null_table(rng, REFERENCE), {"target": null_table(rng, TARGET)})
        for i, (comparison, aggregation, binning) in enumerate(AUDITS):
            settings = QmadSettings(
                comparison=comparison, aggregation=aggregation, binning=binning, bins=BINS, resamples=PERMUTATIONS, seed=repeat
            )
            found = calibrate(frames, settings).attributes()
            hits[i] += bool(found["paper_flag"].any()), bool((found["verdict"] == "disparity").any())
    table = pd.DataFrame(AUDITS, columns=["comparison", "aggregation", "binning"])
    table[["paper", "calibrated"]] = hits / repeats
    return table


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown, shares in per cent."""
    shown = table.copy()
    for column in shown.select_dtypes("number"):
        shown[column] = [f"{100 * x:.1f} %" for x in shown[column]]
    lines = ["| " + " | ".join(shown.columns) + " |", "|" + "---|" * len(shown.columns)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in shown.astype(str).to_numpy())])


def page(alarms: pd.DataFrame, audits: pd.DataFrame, repeats: int) -> str:
    """docs/validity.md."""
    wide = alarms.drop(columns="estimated")
    worst = wide.loc[wide["paper"].idxmax()]
    return f"""# Do verdicts keep their promise?

Made by `python -m benchmarks.validity`. Both sides are drawn from one distribution, so every flag is a false alarm; a verdict at 5 % may raise
one in twenty times.

## One attribute

{TARGET} target and {REFERENCE} reference rows, {BINS} bins, {repeats} data sets, {PERMUTATIONS} permutations each. `paper`: share flagged by the
paper's rule (p < 0.05, or the score above its threshold). `calibrated`: share with a permutation p-value of at most 0.05.

The calibrated verdict flags {100 * wide["calibrated"].mean():.1f} % on average, from {100 * wide["calibrated"].min():.1f} % to
{100 * wide["calibrated"].max():.1f} % (the standard error of a cell is {100 * np.sqrt(0.05 * 0.95 / repeats):.1f} points). The paper's rule flags up to
{100 * worst["paper"]:.0f} % ({worst["comparison"]}, {worst["binning"]} bins, {worst["attribute"]}). Where scores have no ties the level is exact: p ≤ 0.05
is met by {int(ALPHA * (PERMUTATIONS + 1))} of {PERMUTATIONS + 1} ranks. Ties lower it.

{markdown(wide)}

Every audit shows the paper rule's false-alarm rate for its own data (`false_alarm_rate`), measured by the same permutations. Over the cells above that
estimate differs from the measured rate by {100 * (alarms["estimated"] - alarms["paper"]).abs().mean():.1f} points on average.

## Ten attributes

Share of audits of ten attributes without a difference (two of them correlated) in which anything is flagged; `calibrated` after the correction over
attributes.

{markdown(audits)}
"""


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=300)
    repeats = parser.parse_args().repeats
    alarms = false_alarms(repeats, report=lambda done: print(f"\r{done} of {repeats} data sets", end="", flush=True))
    print()
    audits = any_flag(repeats)
    print(alarms.to_string(), audits.to_string(), sep="\n")
    CSV.write_text(alarms.round(4).to_csv(index=False), encoding="utf-8")
    PAGE.write_text(page(alarms, audits, repeats), encoding="utf-8")


if __name__ == "__main__":
    main()
