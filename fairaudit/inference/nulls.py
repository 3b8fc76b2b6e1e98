"""What the scores of a pair look like when it makes no difference on which side a row is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from fairaudit.aggregation import aggregate_rows
from fairaudit.attributes import PairValues, pair_values
from fairaudit.comparison import ComparisonSpec, normalise
from fairaudit.contrast import Pair
from fairaudit.inference.correction import TAIL, Tail, at_most, extremeness, rank_p_values, westfall_young
from fairaudit.inference.pools import STREAM, RowPool, pair_seed, row_pool
from fairaudit.inference.resampling import AttributePool, Check
from fairaudit.qmad.scoring import comparison_for, possible_bins, shuffled
from fairaudit.qmad.settings import QmadSettings

PERMUTATION, BOOTSTRAP, SHIFT = range(3)
"""Purposes of random numbers; each has its own."""
STAGES = (99, 299)
"""Permutations after which the question is asked whether more would change an answer."""
DOUBT = 0.001
"""Probability with which stopping early may err."""
BELOW = 1e-6
"""Relative distance at which a fraction of less than a million resamples is below another."""
FEWEST_HITS = 2
"""With fewer permutations as extreme as an attribute the corrected p-value is not trusted before all are drawn."""
LABEL_BYTES = 1 << 26
"""Most bytes that the sides of the rows may take at a time."""


@dataclass(frozen=True, eq=False)
class PreparedPair:
    """A pair with its attributes sorted, ready to be scored under any division of the rows.

    Attributes
    ----------
    pair : Pair
    rows : RowPool
    attributes : tuple of AttributePool
    values : tuple of PairValues
        The values the attributes were made of.
    """

    pair: Pair
    rows: RowPool
    attributes: tuple[AttributePool, ...]
    values: tuple[PairValues, ...]

    def specs(self) -> tuple[ComparisonSpec, ...]:
        """The comparison of each attribute."""
        return tuple(a.spec for a in self.attributes)

    def scores(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> np.ndarray:
        """Scores M[a] of all attributes that resamples are compared by, shape (n_resamples, n_attributes)."""
        return self.both_scores(a, b, check)[0]

    def both_scores(self, a: np.ndarray, b: np.ndarray | None, check: Check) -> np.ndarray:
        """The same, and as an audit would report them, shape (2, n_resamples, n_attributes)."""
        return np.stack([attribute.both_scores(a, b, check) for attribute in self.attributes], axis=2)


def prepare(pair: Pair, attributes: Sequence[str], settings: QmadSettings) -> PreparedPair:
    """Sort every attribute once.

    Parameters
    ----------
    pair : Pair
    attributes : sequence of str
        Measured attributes, at least one.
    settings : QmadSettings
    """
    values = tuple(shuffled(pair_values(pair, attribute), settings) for attribute in attributes)
    bins = [possible_bins(settings, v) for v in values]
    sequential = settings.binning == "sequential"
    rows = row_pool(pair.n_target, pair.n_reference, bins[0] if sequential else 1)
    pools = tuple(
        AttributePool.of(comparison_for(settings, v.type), settings.aggregation, settings.binning, n, v.target, v.reference, rows)
        for v, n in zip(values, bins, strict=True)
    )
    return PreparedPair(pair, rows, pools, values)


@dataclass(frozen=True, eq=False)
class Null:
    """Scores of a pair under permutations.

    Attributes
    ----------
    scores : ndarray of float, shape (1 + n_permutations, n_attributes)
        M[a] by which they are compared; row 0 is what was observed.
    reported : ndarray of float, same shape
        M[a] as an audit would report them, to which the paper's rule applies.
    overall : ndarray of float, shape (1 + n_permutations,), or None
        M, where it is defined, of ``scores``.
    overall_reported : ndarray of float, same shape, or None
        M of ``reported``.
    extreme, ranks : ndarray of float, shape (1 + n_permutations, n_attributes)
        The scores turned so that larger means more disparity, and the share of rows that are at least as extreme.
    tails : tuple of Tail
        Continuation of the ranks of each attribute.
    overall_extreme, overall_ranks : ndarray of float, shape (1 + n_permutations, 1), or None
    """

    scores: np.ndarray
    reported: np.ndarray
    overall: np.ndarray | None
    overall_reported: np.ndarray | None
    extreme: np.ndarray
    ranks: np.ndarray
    tails: tuple[Tail, ...]
    overall_extreme: np.ndarray | None
    overall_ranks: np.ndarray | None

    @property
    def n_permutations(self) -> int:
        """Number of permutations."""
        return len(self.scores) - 1

    @property
    def p_values(self) -> np.ndarray:
        """Permutation p-value of each attribute."""
        return np.asarray(self.ranks[0])

    def corrected(self) -> np.ndarray:
        """p-values corrected over the attributes of the pair."""
        return np.maximum(westfall_young(self.comparable), self.p_values)

    @cached_property
    def comparable(self) -> np.ndarray:
        """p-values of every row that may be compared between attributes, shape as ``ranks``."""
        return np.stack([t.p_values(self.extreme[:, i], self.ranks[:, i]) for i, t in enumerate(self.tails)], axis=1)


class NullBuilder:
    """Draws permutations of a pair until it is told to stop.

    Parameters
    ----------
    prepared : PreparedPair
    settings : QmadSettings
    over : sequence of int
        Positions of the attributes that make up the overall score; empty where there is none.
    check : callable
        Called now and then; raises CancelledError when the work is to stop.
    """

    def __init__(self, prepared: PreparedPair, settings: QmadSettings, over: Sequence[int], check: Check) -> None:
        self._prepared, self._settings, self._over, self._check = prepared, settings, list(over), check
        self._seed = pair_seed(settings.seed, prepared.pair.frame, prepared.pair.group, PERMUTATION)
        self._scores = [prepared.both_scores(prepared.rows.observed[:, None], None, check)]
        self.drawn = 0

    def draw(self, up_to: int, report: Callable[[int], None]) -> None:
        """Permutations until there are ``up_to`` of them; ``report`` hears how many there are."""
        rows = self._prepared.rows
        step = min(max(LABEL_BYTES // max(len(rows.rows), 1), 16), 4 * STREAM)
        while self.drawn < up_to:
            stop = min(self.drawn + step, up_to)
            self._scores.append(self._prepared.both_scores(rows.permutations(self._seed, self.drawn, stop), None, self._check))
            self.drawn = stop
            report(stop)

    def null(self) -> Null:
        """Everything that was drawn so far."""
        scores, reported = np.concatenate(self._scores, axis=1)
        specs = self._prepared.specs()
        extreme = np.stack([extremeness(scores[:, i], s.is_p_value, s.no_difference) for i, s in enumerate(specs)], axis=1)
        ranks = np.concatenate([rank_p_values(extreme[:, [i]], s.is_p_value) for i, s in enumerate(specs)], axis=1)
        tails = tuple(Tail.of(extreme[:, i], ranks[:, i], s.is_p_value) for i, s in enumerate(specs))
        overall = self._overall(scores)
        if overall is None:
            return Null(scores, reported, None, None, extreme, ranks, tails, None, None)
        spec, settings = self._settings.spec, self._settings
        p_value = spec.is_p_value and not settings.normalise
        turned = extremeness(overall, p_value, 0.0 if settings.normalise else spec.no_difference)[:, None]
        return Null(
            scores, reported, overall, self._overall(reported), extreme, ranks, tails, turned, rank_p_values(turned, p_value)
        )

    def _overall(self, scores: np.ndarray) -> np.ndarray | None:
        if not self._over:
            return None
        settings, prepared = self._settings, self._prepared
        used = scores[:, self._over]
        if settings.normalise:
            # The spread of the whole pool is the same for every division of its rows.
            used = np.stack(
                [
                    normalise(prepared.attributes[i].spec, used[:, k], float(np.nanstd(prepared.attributes[i].values, ddof=1)))
                    for k, i in enumerate(self._over)
                ],
                axis=1,
            )
        named = dict(settings.weights)
        weights = np.array([named.get(prepared.values[i].attribute, 1.0) for i in self._over]) if named else None
        return aggregate_rows(settings.aggregation, used, weights)


def settled(null: Null, low: float, high: float, corrected: bool) -> bool:
    """True when more permutations are unlikely to change a verdict.

    Parameters
    ----------
    null : Null
    low, high : float
        Limits between which the p-value of a verdict's border lies.
    corrected : bool
        Whether the verdicts rest on p-values that are corrected inside the pair.
    """
    n = null.n_permutations
    if corrected and (null.p_values * (n + 1) - 1 < FEWEST_HITS).any():
        # A corrected p-value rests on the curve of the tail there, which few permutations know badly.
        return False
    p = [null.corrected() if corrected else null.p_values]
    if null.overall_ranks is not None:
        p.append(null.overall_ranks[0])
    # Permutations that are as extreme, without the observed one.
    hits = np.concatenate(p) * (n + 1) - 1
    lower = np.where(hits > 0, special.betaincinv(np.maximum(hits, 1), n - hits + 1, DOUBT / 2), 0.0)
    upper = np.where(hits < n, special.betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - DOUBT / 2), 1.0)
    return bool(((lower > high) | (upper < low)).all())


def borders(null: Null, alpha: float, factors: np.ndarray, corrected: bool) -> list[float]:
    """How extreme a score of each attribute may be without being flagged.

    Parameters
    ----------
    null : Null
    alpha : float
    factors : ndarray of float, shape (n_attributes,)
        By what the p-value of each attribute is multiplied because of other tests.
    corrected : bool
        Whether p-values are corrected inside the pair.

    Returns
    -------
    list of float
        A score is flagged when it is more extreme than this; infinite when nothing could be flagged with so few permutations.
    """
    if not corrected:
        return [rank_border(column, alpha / factor) for column, factor in zip(null.extreme.T, factors, strict=True)]
    n = null.n_permutations + 1
    smallest = np.sort(null.comparable[1:].min(axis=1))
    found = []
    for tail, column, factor in zip(null.tails, null.extreme.T, factors, strict=True):
        allowed = _ranks_within(alpha / factor, n)
        if allowed == 0:
            found.append(np.inf)
            continue
        # The observed row is one of those whose smallest p-value is counted, so its own must be below this one.
        limit = float(smallest[min(allowed, n - 1) - 1])
        in_tail = tail.half > 0 and at_most(limit, TAIL)
        border = tail.border(min(limit, TAIL)) if in_tail else rank_border(column, limit * (1 - BELOW))
        # A corrected p-value is never below the plain one.
        found.append(max(border, rank_border(column, alpha / factor)))
    return found


def rank_border(extreme: np.ndarray, limit: float) -> float:
    """How extreme a score may be without having a rank p-value of at most ``limit``; row 0 is what was observed."""
    n = len(extreme)
    allowed = _ranks_within(limit, n)
    # With `allowed` ranks within the limit, allowed - 1 permutations may be as extreme as the score.
    return float(np.sort(extreme[1:])[::-1][min(allowed, n - 1) - 1]) if allowed else np.inf


def _ranks_within(limit: float, n: int) -> int:
    """How many of 1/n, 2/n, ..., 1 are at most a limit."""
    return int(np.count_nonzero(at_most(np.arange(1, n + 1) / n, limit)))
