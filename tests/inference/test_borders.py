"""The border of a verdict divides the scores that would be flagged from those that would not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fairaudit.inference.calibration import _as_score, measured_pairs
from fairaudit.inference.correction import Tail, at_most, benjamini_hochberg, benjamini_hochberg_factors, rank_p_values
from fairaudit.inference.nulls import Null, NullBuilder, PreparedPair, borders, prepare
from fairaudit.inference.stability import beyond
from fairaudit.qmad import QmadSettings
from fairaudit.qmad.api import score_frames
from fairaudit.validation import check_frames

ALPHA, PERMUTATIONS = 0.05, 199
KINDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "binary": lambda rng, n: (rng.random(n) < 0.3).astype(int),
    "normal": lambda rng, n: rng.normal(size=n),
}


def drawn(comparison: str, aggregation: str, kind: str, rows: int, attributes: int, seed: int) -> tuple[PreparedPair, Null]:
    """A pair without a difference and its permutations."""
    rng = np.random.default_rng(seed)
    one, two = (pd.DataFrame({f"x{i}": KINDS[kind](rng, rows) for i in range(attributes)}) for _ in range(2))
    frames = check_frames(one, {"day": two})
    settings = QmadSettings(comparison=comparison, aggregation=aggregation, bins=1, resamples=PERMUTATIONS, seed=seed)
    result = score_frames(frames, settings)
    ((pair, names, _, _),) = measured_pairs(frames, settings, result.attributes(), result.overall_scores)
    prepared = prepare(pair, names, settings)
    builder = NullBuilder(prepared, settings, [], lambda: None)
    builder.draw(PERMUTATIONS, lambda done: None)
    return prepared, builder.null()


def observed(null: Null, extreme: float, p_value: bool) -> Null:
    """The same, had the first attribute shown another score."""
    scores = null.extreme.copy()
    scores[0, 0] = extreme
    ranks = np.concatenate([rank_p_values(scores[:, [i]], p_value) for i in range(scores.shape[1])], axis=1)
    tails = tuple(Tail.of(scores[:, i], ranks[:, i], p_value) for i in range(scores.shape[1]))
    return replace(null, extreme=scores, ranks=ranks, tails=tails)


@pytest.mark.parametrize("attributes", [1, 3])
@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize(("kind", "rows"), [("binary", 30), ("binary", 100), ("binary", 600), ("normal", 60)])
@pytest.mark.parametrize(
    ("comparison", "aggregation"), [("mean_difference", "arithmetic"), ("ks", "harmonic"), ("mann_whitney", "harmonic")]
)
def test_border(comparison: str, aggregation: str, kind: str, rows: int, corrected: bool, attributes: int) -> None:
    for seed in range(3):
        prepared, null = drawn(comparison, aggregation, kind, rows, attributes, seed)
        spec = prepared.specs()[0]
        border = borders(null, ALPHA, np.ones(attributes), corrected)[0]
        critical = _as_score(border, spec.is_p_value, spec.no_difference)
        for extreme in np.unique(null.extreme[1:, 0])[-40:]:
            again = observed(null, float(extreme), spec.is_p_value)
            p = float((again.corrected() if corrected else again.p_values)[0])
            if corrected and abs(p - ALPHA) <= 0.02:
                continue  # the observed score takes part in the curve of its tail
            score = np.array([_as_score(float(extreme), spec.is_p_value, spec.no_difference)])
            said = bool(beyond(score, critical, spec.is_p_value, spec.no_difference)[0])
            assert said == bool(at_most(p, ALPHA)), (seed, float(extreme), border, p)


@pytest.mark.parametrize("seed", range(30))
def test_benjamini_hochberg_border(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.integers(1, 60, rng.integers(1, 9)) / 400
    factors = benjamini_hochberg_factors(p, ALPHA)
    for i, factor in enumerate(factors):
        for q, flagged in ((ALPHA / factor * 0.999, True), (ALPHA / factor, True), (ALPHA / factor * 1.001, False)):
            changed = p.copy()
            changed[i] = q
            assert bool(at_most(benjamini_hochberg(changed)[i], ALPHA)) == flagged


def test_a_score_next_to_the_border_is_no_further_for_its_last_digit() -> None:
    assert beyond(np.array([0.3, 0.1 + 0.2, 0.4]), 0.3, False, 0.0).tolist() == [False, False, True]
    assert beyond(np.array([0.3, 0.1 + 0.2, 0.2]), 0.1 + 0.2, True, 0.0).tolist() == [False, False, True]
