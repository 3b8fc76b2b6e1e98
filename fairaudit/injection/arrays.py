"""The arithmetic of the injections: pure functions on arrays, each nested over the strength for the same seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairaudit.errors import SettingsError, unknown_name

Seed = int | np.random.SeedSequence
SELECTION_KINDS: tuple[str, ...] = ("random_selection", "self_selection", "malicious_selection", "uniform_undersampling")
FAIR_EVALUATION = "No evaluation without fair representation, section {}"
"""The paper behind label and selection bias."""


def share_count(strength: float, n: int) -> int:
    """Number of rows nearest to a share of ``n``; halves are rounded up.

    Examples
    --------
    >>> share_count(0.5, 5), share_count(0.0, 5), share_count(1.0, 5)
    (3, 0, 5)
    """
    return int(np.floor(strength * n + 0.5))


def nested_rows(rows: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """A random share of ``rows``: the first rows of one random order, so that a larger strength takes a superset.

    Parameters
    ----------
    rows : ndarray of int
    strength : float in [0, 1]
    rng : Generator

    Returns
    -------
    ndarray of int
    """
    return rng.permutation(rows)[: share_count(strength, len(rows))]


def weighted_order(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random order in which items with larger weights tend to come first; items of weight 0 come last.

    Successive draws without replacement, each with probability proportional to the weights that are left.

    References
    ----------
    .. [1] P. S. Efraimidis, P. G. Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 97, 2006.
    """
    times = rng.standard_exponential(len(weights))
    with np.errstate(divide="ignore"):
        return np.argsort(times / weights, kind="stable")


def apportion(shares: np.ndarray, n: int) -> np.ndarray:
    """Whole counts that sum to ``n`` and are nearest to ``shares`` (largest remainder; the first wins a tie).

    Examples
    --------
    >>> apportion(np.array([0.85, 0.15]), 10).tolist()
    [9, 1]
    """
    exact = np.asarray(shares, dtype=float) * n
    counts = np.floor(exact + 1e-9).astype(np.intp)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: n - counts.sum()]] += 1
    return counts


def category_moves(codes: np.ndarray, target: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Fewest moves that give ``target`` counts, in an order that approaches them evenly.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Category of each item, 0 <= code < n_categories.
    target : ndarray of int, shape (n_categories,)
        Wanted counts; sum n.
    rng : Generator

    Returns
    -------
    items, new_codes : ndarray of int
        The j-th move gives item ``items[j]`` the category ``new_codes[j]``; after any number of moves the counts lie, to one row for each
        category, on the straight line between the present counts and ``target``.
    """
    surplus = np.bincount(codes, minlength=len(target)) - target
    items, item_rank, new_codes, new_rank = [], [], [], []
    for category, excess in enumerate(surplus):
        if excess > 0:
            items.append(rng.permutation(np.flatnonzero(codes == category))[:excess])
            item_rank.append((np.arange(excess) + 0.5) / excess)
        elif excess < 0:
            new_codes.append(np.full(-excess, category, dtype=np.intp))
            new_rank.append((np.arange(-excess) + 0.5) / -excess)
    if not items:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    by_item = np.argsort(np.concatenate(item_rank), kind="stable")
    by_code = np.argsort(np.concatenate(new_rank), kind="stable")
    return np.concatenate(items)[by_item], np.concatenate(new_codes)[by_code]


def score_scale(score: np.ndarray) -> float:
    """Half of the range of the score, the unit of label bias; missing values are left out.

    Examples
    --------
    >>> score_scale(np.array([0.0, 19.0, np.nan]))
    9.5
    """
    present = score[np.isfinite(score)]
    return float(np.ptp(present)) / 2 if len(present) else 0.0


def label_bias_scores(
    score: np.ndarray,
    in_group: np.ndarray,
    strength: float,
    noise: float = 0.1,
    scale: float | None = None,
    seed: Seed = 4224,
) -> np.ndarray:
    """Biased scores S_b = S - beta_l * A * scale + N.

    N is drawn once for all rows, in row order, and is the same at every strength; at strength 0 there is neither penalty nor noise.

    Parameters
    ----------
    score : ndarray of float, shape (n,)
        S; NaN stays NaN.
    in_group : ndarray of bool, shape (n,)
        A, the rows of the unprivileged group.
    strength : float in [0, 1]
        beta_l.
    noise : float >= 0
        beta_n: the noise has standard deviation ``noise * scale``.
    scale : float, optional
        Half of the range of ``score`` by default.
    seed : int or SeedSequence

    Returns
    -------
    ndarray of float, shape (n,)

    References
    ----------
    .. [1] No evaluation without fair representation, section 3.2.1.

    Examples
    --------
    >>> label_bias_scores(np.array([10.0, 10.0, 20.0, 0.0]), np.array([True, False, True, False]), 0.5, noise=0.0).tolist()
    [5.0, 10.0, 15.0, 0.0]
    """
    score = np.asarray(score, dtype=float)
    if strength == 0:
        return score.copy()
    unit = score_scale(score) if scale is None else scale
    errors = np.random.default_rng(seed).normal(0.0, noise * unit, len(score))
    return score - strength * np.asarray(in_group) * unit + errors


def label_flips(
    favourable: np.ndarray, in_group: np.ndarray, strength: float, noise: float = 0.0, seed: Seed = 4224
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose label turns: the form of label bias for data without a score.

    A share ``strength`` of the group's favourable labels turns unfavourable. Besides, at every strength above 0, the labels of the same
    share ``noise`` of all rows turn, whichever way; the bias wins where both hit a row.

    Parameters
    ----------
    favourable : ndarray of bool or float, shape (n,)
        1 favourable, 0 unfavourable, NaN unknown (never turned).
    in_group : ndarray of bool, shape (n,)
    strength, noise : float in [0, 1]
    seed : int or SeedSequence

    Returns
    -------
    to_unfavourable, to_favourable : ndarray of int
        Rows in ascending order.

    Examples
    --------
    >>> label_flips(np.array([1, 1, 0, 1]), np.array([True, True, True, False]), 1.0)
    (array([0, 1]), array([], dtype=int64))
    """
    favourable = np.asarray(favourable, dtype=float)
    none = np.empty(0, dtype=np.intp)
    if strength == 0:
        return none, none
    rng = np.random.default_rng(seed)
    biased = nested_rows(np.flatnonzero(np.asarray(in_group) & (favourable == 1)), strength, rng)
    noisy = nested_rows(np.flatnonzero(~np.isnan(favourable)), noise, rng)
    down = np.union1d(biased, noisy[favourable[noisy] == 1])
    return down, np.sort(noisy[favourable[noisy] == 0])


@dataclass(frozen=True, eq=False)
class RemovalOrder:
    """In which order a selection bias takes rows out.

    Attributes
    ----------
    rows : ndarray of int
        Positions, first to go first.
    counts : ndarray of int, shape (n_levels + 1,)
        Number of rows that are gone at each level; ``counts[0]`` is 0.
    """

    rows: np.ndarray
    counts: np.ndarray

    def n_removed(self, strength: float) -> int:
        """Number of rows that are gone at a strength; between two levels on the straight line, rounded down."""
        # Ten times 0.3 is not 3 in floating point; nine decimals are far finer than any strength that is asked for.
        position = round(strength * (len(self.counts) - 1), 9)
        level = int(position)
        if level == position:
            return int(self.counts[level])
        return int(self.counts[level] + int((position - level) * (self.counts[level + 1] - self.counts[level])))

    def removed(self, strength: float) -> np.ndarray:
        """Positions of the rows that are gone at a strength; a larger strength gives a superset."""
        return self.rows[: self.n_removed(strength)]


def _self_selection_weights(score: np.ndarray) -> np.ndarray:
    return (score.max() - score) ** 2 + 0.25


def selection_removal_order(
    kind: str,
    in_group: np.ndarray,
    favourable: np.ndarray | None = None,
    score: np.ndarray | None = None,
    seed: Seed = 4224,
    levels: int = 10,
) -> RemovalOrder:
    """The order in which a selection bias takes rows out, drawn once and shared by all strengths.

    Each level takes out ``step = int(group size / levels)`` rows, fixed from the start:

    - ``random_selection``: group rows, each as likely;
    - ``self_selection``: group rows, with probability proportional to (largest remaining score - S)^2 + 0.25;
    - ``malicious_selection``: favourable group rows and unfavourable other rows; the step is split by their present sizes and both parts
      are rounded down, so that one row fewer than ``step`` may go;
    - ``uniform_undersampling``: rows of the whole table, each as likely: what the loss of as many rows does without any selection.

    Parameters
    ----------
    kind : str
    in_group : ndarray of bool, shape (n,)
    favourable : ndarray of bool or float, shape (n,), optional
        Needed by ``malicious_selection``; NaN where the label is unknown (such rows are never taken out).
    score : ndarray of float, shape (n,), optional
        Needed by ``self_selection``; a missing or infinite score counts as the group's mean.
    seed : int or SeedSequence
    levels : int
        Number of levels between strength 0 and 1.

    Returns
    -------
    RemovalOrder

    References
    ----------
    .. [1] No evaluation without fair representation, sections 3.2.2 and 5.

    Examples
    --------
    >>> order = selection_removal_order("random_selection", np.repeat([True, False], [25, 75]))
    >>> order.n_removed(0.1), order.n_removed(0.55), order.n_removed(1.0)
    (2, 11, 20)
    """
    if kind not in SELECTION_KINDS:
        raise unknown_name("selection", kind, SELECTION_KINDS)
    in_group = np.asarray(in_group, dtype=bool)
    rng = np.random.default_rng(seed)
    step = int(round(in_group.sum() / levels, 9))
    if kind in ("random_selection", "uniform_undersampling"):
        pool = np.flatnonzero(in_group) if kind == "random_selection" else np.arange(len(in_group))
        return RemovalOrder(rng.permutation(pool)[: step * levels], step * np.arange(levels + 1))
    if kind == "self_selection":
        if score is None:
            raise SettingsError("Self-selection needs a score.", "Name the score column.")
        rows = _self_selection(np.flatnonzero(in_group), np.asarray(score, dtype=float), step, levels, rng)
        return RemovalOrder(rows, step * np.arange(levels + 1))
    if favourable is None:
        raise SettingsError("Malicious selection needs the labels.", "Name the label column and its favourable value.")
    return _malicious_selection(in_group, np.asarray(favourable, dtype=float), step, levels, rng)


def _self_selection(members: np.ndarray, score: np.ndarray, step: int, levels: int, rng: np.random.Generator) -> np.ndarray:
    """Rows in order of removal, low scores tending to come first."""
    own = score[members]
    missing = ~np.isfinite(own)
    if missing.any():
        own = np.where(missing, own[~missing].mean() if not missing.all() else 0.0, own)
    gone = []
    for _ in range(levels):
        chosen = weighted_order(_self_selection_weights(own), rng)[:step] if step else np.empty(0, dtype=np.intp)
        gone.append(members[chosen])
        members, own = np.delete(members, chosen), np.delete(own, chosen)
    return np.concatenate(gone)


def _malicious_selection(
    in_group: np.ndarray, favourable: np.ndarray, step: int, levels: int, rng: np.random.Generator
) -> RemovalOrder:
    """Favourable group rows and unfavourable other rows in order of removal."""
    ours = rng.permutation(np.flatnonzero(in_group & (favourable == 1)))
    theirs = rng.permutation(np.flatnonzero(~in_group & (favourable == 0)))
    gone: list[np.ndarray] = []
    counts = [0]
    for _ in range(levels):
        both = len(ours) + len(theirs)
        n_ours = min(len(ours), step * len(ours) // both) if both else 0
        n_theirs = min(len(theirs), step * len(theirs) // both) if both else 0
        # Mixed within the level, so that strengths between two levels take out both kinds.
        gone.append(rng.permutation(np.concatenate([ours[:n_ours], theirs[:n_theirs]])))
        ours, theirs = ours[n_ours:], theirs[n_theirs:]
        counts.append(counts[-1] + n_ours + n_theirs)
    return RemovalOrder(np.concatenate(gone), np.array(counts))
