"""QMAD over all bins at once, beside a loop over scipy and beside sorting the same data."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import in_turns, short, table
from fairaudit.binning import Bins, sequential
from fairaudit.comparison import COMPARISONS, ComparisonSpec, compare, compare_bins_by
from fairaudit.kernels import pvalues

SIX = ("ks", "ad", "welch_t", "mann_whitney", "brunner_munzel", "wasserstein")
ALONE = ("ad", "mann_whitney", "ks", "brunner_munzel")
SIZES = ((20_000, 10_000), (100_000, 50_000), (1_000_000, 1_000_000))
ATTRIBUTES = 15


def column(rng: np.random.Generator, kind: int, n: int, shift: float) -> np.ndarray:
    """One of five kinds of attributes: normal, many zeros, binary, integers, skewed."""
    match kind % 5:
        case 0:
            return rng.normal(shift, 1, n)
        case 1:
            return np.round(np.clip(rng.normal(0.58 + shift, 1, n), 0, None), 2)
        case 2:
            return (rng.random(n) < 0.2 + shift / 5).astype(float)
        case 3:
            return rng.integers(17, 91, n).astype(float)
        case _:
            return rng.exponential(1 + shift, n)


def pairs(target: int, reference: int, bins: int, attributes: int) -> list[tuple[Bins, Bins]]:
    """Binned attributes; every third one differs by a twentieth of a standard deviation."""
    rng = np.random.default_rng(0)
    return [
        (
            sequential(column(rng, k, target, 0.05 if k % 3 == 0 else 0.0), bins),
            sequential(column(rng, k, reference, 0.0), bins),
        )
        for k in range(attributes)
    ]


def together(specs: list[ComparisonSpec], data: list[tuple[Bins, Bins]]) -> None:
    """All bins at once. Exact p-values that an earlier run has kept are thrown away, as if it were the first."""
    pvalues.forget_exact_ks()
    for a, b in data:
        compare_bins_by(specs, a, b)


def one_by_one(specs: list[ComparisonSpec], data: list[tuple[Bins, Bins]]) -> None:
    """A loop over attributes, bins and functions, each a call of scipy."""
    for a, b in data:
        for spec in specs:
            for x, y in zip(a, b, strict=True):
                compare(spec, x, y)


def sort(data: list[tuple[Bins, Bins]]) -> None:
    """The least that ranks can cost."""
    for a, b in data:
        np.sort(a.values)
        np.sort(b.values)


def run(quick: bool) -> str:
    """Measure and describe."""
    attributes = 5 if quick else ATTRIBUTES
    six = [COMPARISONS[name] for name in SIX]
    rows, alone = [], []
    for target, reference in SIZES[: 2 if quick else 3]:
        for bins in (20,) if quick else (10, 20, 100):
            data = pairs(target, reference, bins, attributes)
            repeats = 1 if target >= 1_000_000 else 3
            slow = in_turns({"loop": lambda d=data: one_by_one(six, d)}, repeats)["loop"]  # type: ignore[misc]
            fast = in_turns(
                {"all": lambda d=data: together(six, d), "sort": lambda d=data: sort(d)},  # type: ignore[misc]
                3,
            )
            size = f"{target:,} / {reference:,}"
            rows.append(
                [
                    size,
                    str(bins),
                    short(slow),
                    short(fast["all"]),
                    f"{slow / fast['all']:.0f}×",
                    f"{fast['all'] / fast['sort']:.0f}×",
                ]
            )
        if target == SIZES[-1][0]:
            for name in ALONE:
                spec = [COMPARISONS[name]]
                some = pairs(target, reference, 20, 5)
                t = in_turns({"loop": lambda s=spec, d=some: one_by_one(s, d), "all": lambda s=spec, d=some: together(s, d)}, 3)  # type: ignore[misc]
                alone.append([name, short(t["loop"]), short(t["all"]), f"{t['loop'] / t['all']:.0f}×"])
    text = f"""## QMAD: six comparison functions, {attributes} attributes

`{"`, `".join(SIX)}`; sequential bins; a third of the attributes differ by 0.05 standard deviations. The loop calls scipy once a bin, the functions that
define the scores. "Sort" is `np.sort` of the same values.

{table(["rows target / reference", "bins", "loop over scipy", "all bins at once", "faster", "times the sort"], rows)}
"""
    if alone:
        text += f"""
Alone, 1,000,000 / 1,000,000 rows, 20 bins, 5 attributes:

{table(["function", "loop over scipy", "all bins at once", "faster"], alone)}
"""
    return text
