"""How often does a calibrated verdict find a difference that is there? Measured for comparison functions, aggregations and bins.

``python -m benchmarks.power`` writes docs/power.md and fairaudit/data/power.csv. It takes about twenty minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.validity import ALPHA, KINDS, PERMUTATIONS, REFERENCE, TARGET, markdown, permuted, significant
from fairaudit.comparison import COMPARISONS, ComparisonSpec
from fairaudit.inference.resampling import AttributePool
from fairaudit.reporting.validity import power_sentence, power_table

ROOT = Path(__file__).resolve().parent.parent
CSV = ROOT / "fairaudit" / "data" / "power.csv"
PAGE = ROOT / "docs" / "power.md"

CUTS = (
    ("sequential", 1),
    ("sequential", 3),
    ("sequential", 10),
    ("sequential", 20),
    ("quantile", 3),
    ("quantile", 10),
    ("quantile", 20),
)
WORLDS = {"everywhere": (0.2, 0.0, 1.0), "stretch": (1.0, 0.4, 0.5)}
"""Size of the difference in standard deviations, and between which shares of the target's rows it is."""


def aggregations_for(spec: ComparisonSpec) -> tuple[str, ...]:
    """The paper's aggregation, and for p-values one that adds up small evidence."""
    return ("harmonic", "fisher") if spec.is_p_value else ("arithmetic",)


def cells() -> list[tuple[ComparisonSpec, str, str, int, str]]:
    """Comparison, aggregation, binning, number of bins and kind of attribute."""
    return [
        (spec, aggregation, binning, bins, kind)
        for spec in COMPARISONS
        if spec.name != "ks_auto"  # the same as ks at these sizes
        for aggregation in aggregations_for(spec)
        if not (spec.signed and aggregation == "harmonic")
        for binning, bins in CUTS
        if bins > 1 or aggregation != "fisher"  # of one bin every aggregation is the same
        for kind, (column_type, _) in KINDS.items()
        if column_type in spec.input_types
    ]


def shifted(column: np.ndarray, kind: str, size: float, start: float, stop: float, rng: np.random.Generator) -> np.ndarray:
    """A column whose mean is ``size`` standard deviations higher between two shares of its rows.

    Numbers keep their grid. Of a binary attribute a share of the zeros becomes one, at most all.
    """
    rows = slice(round(start * len(column)), round(stop * len(column)))
    moved = column.copy()
    if kind == "binary 0.2":
        more = min(1.0, size * 0.4 / 0.8)  # the standard deviation is 0.4, and 0.8 of the rows are zero
        moved[rows] = np.where(rng.random(len(moved[rows])) < more, 1.0, moved[rows])
        return moved
    moved[rows] += size * column.std()
    return np.round(moved, 2) if kind == "28 % zeros" else np.round(moved) if kind.startswith("integers") else moved


def power(repeats: int = 100, seed: int = 0, report: Callable[[int], None] = lambda done: None) -> pd.DataFrame:
    """Share of data sets with a difference in which the attribute has a permutation p-value of at most 0.05, by itself.

    Parameters
    ----------
    repeats : int
    seed : int
    report : callable, optional
        Called with the number of finished repeats.

    Returns
    -------
    DataFrame
        world, comparison, aggregation, binning, bins, attribute, found.
    """
    wanted = cells()
    hits = {world: np.zeros(len(wanted)) for world in WORLDS}
    for repeat in range(repeats):
        permutation = np.random.SeedSequence([seed, repeat, 1])
        sides = {cut: permuted(*cut, permutation) for cut in CUTS}
        for number, (world, where) in enumerate(WORLDS.items()):
            rng = np.random.default_rng([seed, repeat, 2, number])
            data = {
                kind: (shifted(draw(rng, TARGET), kind, *where, rng), draw(rng, REFERENCE)) for kind, (_, draw) in KINDS.items()
            }
            for i, (spec, aggregation, binning, bins, kind) in enumerate(wanted):
                rows, side = sides[binning, bins]
                pool = AttributePool.of(spec, aggregation, binning, bins, *data[kind], rows)
                scores, _ = pool.both_scores(side, None, lambda: None)
                hits[world][i] += significant(spec, scores)
        report(repeat + 1)
    columns = ["comparison", "aggregation", "binning", "bins", "attribute"]
    rows_of = [(s.name, *rest) for s, *rest in wanted]
    return pd.concat(
        [
            pd.DataFrame(rows_of, columns=columns).assign(found=found / repeats).assign(world=world)
            for world, found in hits.items()
        ],
        ignore_index=True,
    )[["world", *columns, "found"]]


def page(found: pd.DataFrame, repeats: int) -> str:
    """docs/power.md."""
    everywhere, stretch = WORLDS["everywhere"], WORLDS["stretch"]
    return f"""# What would be found?

Made by `python -m benchmarks.power`. {TARGET} target and {REFERENCE} reference rows, {repeats} data sets, {PERMUTATIONS} permutations each; one attribute by itself,
flagged at a permutation p-value of at most {ALPHA:g}. Shares of data sets, averaged over the kinds of attributes ({", ".join(KINDS)}) that a comparison
is valid for; each cell is known to about {100 * np.sqrt(0.25 / repeats / 2):.0f} points. How often the same verdicts are wrong is in [validity.md](validity.md): about one in twenty times for each.

- **In all rows**: a difference of {everywhere[0]:g} standard deviations.
- **In a stretch**: a difference of {stretch[0]:g} standard deviation, in the target's rows from {100 * stretch[1]:.0f} % to {100 * stretch[2]:.0f} % only.

{power_sentence(found)}

{markdown(power_table(found))}

Bins are cut by row order or by value. With one bin, every aggregation is the same.
"""


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    repeats = parser.parse_args().repeats
    found = power(repeats, report=lambda done: print(f"\r{done} of {repeats} data sets", end="", flush=True))
    print()
    CSV.write_text(found.round(4).to_csv(index=False), encoding="utf-8")
    text = page(found, repeats)
    print(text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
