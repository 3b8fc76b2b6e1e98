"""p-values of rank statistics for many bins at once."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import numpy as np
from scipy import special, stats

AD_FLOOR, AD_CEILING = 0.001, 0.25
"""Limits of the table from which scipy takes the p-value of the Anderson-Darling test."""

KS_LATTICE = 2000
"""Largest number of possible gaps for which exact p-values are kept ready: of more, hardly any would be asked for twice."""
_EXACT_KS: dict[tuple[int, int, int], float] = {}
_EXACT_KS_LIMIT = 100_000


def ks_exact(m: int, n: int, gaps: np.ndarray) -> np.ndarray:
    """Exact p-values of the two-sided two-sample Kolmogorov-Smirnov test.

    Parameters
    ----------
    m, n : int
        Sizes of the samples.
    gaps : ndarray of int
        Largest gaps of the empirical distributions, times m * n.

    Notes
    -----
    A path from (0, 0) to (m, n) steps right for a value of the first sample and up for one of the second. The probability that
    it leaves the strip around the diagonal is built up anti-diagonal by anti-diagonal, for all gaps at once: on the s-th one
    P(i, j) = (i P(i - 1, j) + j P(i, j - 1)) / s inside the strip and 1 outside. Both halves of a path meet in the middle.

    References
    ----------
    .. [1] J. L. Hodges, Arkiv för Matematik 3 (1958) 469-486.
    .. [2] T. Viehmann, arXiv:2102.08037 (2021), for counting the outside instead of the inside.
    """
    m, n = max(m, n), min(m, n)
    g = gcd(m, n)
    steps = np.asarray(np.rint(np.asarray(gaps, dtype=float) / g), dtype=np.int64)
    wanted = np.unique(steps)
    missing = [int(h) for h in wanted if h > 0 and (m, n, int(h)) not in _EXACT_KS]
    lattice = m * n // g
    usual = int(2.2 * lattice / np.sqrt(m * n / (m + n)))
    if missing and lattice <= KS_LATTICE:
        # Few gaps are possible, so the usual ones will be asked for soon: together they cost little more than one.
        missing = sorted({*missing, *(h for h in range(1, min(usual, lattice) + 1) if (m, n, h) not in _EXACT_KS)})
    if len(_EXACT_KS) > _EXACT_KS_LIMIT:
        _EXACT_KS.clear()
        missing = [int(h) for h in wanted if h > 0]
    # All strips of one pass are as wide as its widest one, so outliers get a pass of their own.
    while missing:
        part = [h for h in missing if h <= max(2 * missing[0], usual)]
        missing = missing[len(part) :]
        for h, p in zip(part, _outside_strip(m, n, g, np.array(part)), strict=True):
            _EXACT_KS[m, n, h] = float(p)
    found = np.array([1.0 if h == 0 else _EXACT_KS[m, n, int(h)] for h in wanted])
    return found[np.searchsorted(wanted, steps)]


def forget_exact_ks() -> None:
    """Throw away the exact p-values that were kept ready, as a new process would have it."""
    _EXACT_KS.clear()


def _outside_strip(m: int, n: int, g: int, h: np.ndarray) -> np.ndarray:
    """Probability of leaving the strip of half-width ``h`` (in units of g / (m n)), ``h`` ascending and positive."""
    mg, ng = m // g, n // g
    slope = mg + ng
    # The second half of a path, read backwards, is a path like the first half: half of the steps are enough.
    last = (m + n + 1) // 2
    half = int(h[-1]) // slope + 2
    offsets = np.arange(-half, half + 1.0)
    limit = h[:, None].astype(float)
    masks = {r: np.abs(r - slope * offsets) >= limit for r in range(slope)} if slope <= 32 else {}
    state, spare = np.ones((2, len(h), len(offsets) + 2))
    state[:, half + 1] = 0.0
    centre, before = 0, (0, state)
    for s in range(1, last + 1):
        before = (centre, state)
        moved, rest = divmod(ng * s, slope)
        step, centre = moved - centre, moved
        share = (centre + offsets) / s
        if centre - half < 0 or centre + half > s:
            share = np.clip(share, 0.0, 1.0)
        # The cells at both ends are never written and stay 1.
        inner = spare[:, 1:-1]
        np.multiply(state[:, 1 + step : len(offsets) + 1 + step], 1.0 - share, out=inner)
        inner += state[:, step : len(offsets) + step] * share
        mask = masks[rest] if masks else np.abs(rest - slope * offsets) >= limit
        np.copyto(inner, 1.0, where=mask)
        state, spare = spare, state
    # P(i, j) on the last diagonal, P(m - i, n - j) on the one that mirrors it: the same one, or the one before.
    there = _diagonal(state, centre, half, n)
    back = there if (m + n) % 2 == 0 else _diagonal(before[1], before[0], half, n)
    back = back[:, ::-1]
    j = np.arange(n + 1.0)
    i = last - j
    possible = (i >= 0) & (i <= m)
    log_weight = _log_choose(last, j[possible]) + _log_choose(m + n - last, n - j[possible]) - _log_choose(m + n, float(n))
    there, back = there[:, possible], back[:, possible]
    # Each row is summed by itself: a matrix product rounds a row one way alone and another way among others, and which others are
    # asked for along with it depends on what was computed before.
    terms = np.ascontiguousarray((there + back - there * back) * np.exp(log_weight))
    return np.clip([row.sum() for row in terms], 0.0, 1.0)


def _diagonal(state: np.ndarray, centre: int, half: int, n: int) -> np.ndarray:
    """Values for j = 0 ... n; 1 where the strip does not reach."""
    full = np.ones((len(state), n + 1))
    low, high = max(centre - half, 0), min(centre + half, n)
    full[:, low : high + 1] = state[:, low - centre + half + 1 : high - centre + half + 2]
    return full


def _log_choose(n: int, k: np.ndarray | float) -> np.ndarray:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(np.add(k, 1.0)) - special.gammaln(n - np.asarray(k) + 1.0))


def ks_asymptotic(distance: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """Asymptotic p-values of the Kolmogorov-Smirnov test, by the one-sample distribution at the effective size, as scipy does."""
    distance, effective = np.broadcast_arrays(np.asarray(distance, dtype=float), np.rint(n_a * n_b / (n_a + n_b)))
    p = np.ones(distance.shape)
    squared = effective * distance**2
    # There scipy sums n terms one by one in extended precision, the dearest step of an audit of data that differ.
    long_sum = (effective > 140) & (squared >= 2.2) & (distance < 0.5) & (effective * (1 - distance) > 1)
    for i in zip(*np.nonzero(long_sum), strict=True):
        p[i] = 0.0 if squared[i] >= 370 else 2 * _smirnov(int(effective[i]), float(distance[i]))
    # Below 0.19 / sqrt(n) the p-value is 1 to eleven digits, and scipy's way there is a power of a large matrix.
    rest = ~long_sum & ((squared >= 0.036) | (effective <= 140)) & (distance > 0)
    if rest.any():
        keys, where = np.unique(np.stack([effective[rest], distance[rest]]), axis=1, return_inverse=True)
        p[rest] = stats.kstwo.sf(keys[1], keys[0])[where.ravel()]
    return np.clip(p, 0.0, 1.0)


def _smirnov(n: int, d: float) -> float:
    """One-sided P(D+ >= d) of the one-sample test: Smirnov's sum, all terms at once."""
    j = np.arange(0, int(np.floor(n * (1 - d))) + 1, dtype=float)
    high = d + j / n
    low = 1.0 - high
    keep = low > 0
    j, high, low = j[keep], high[keep], low[keep]
    logs = (
        special.gammaln(n + 1.0)
        - special.gammaln(j + 1.0)
        - special.gammaln(n - j + 1.0)
        + (j - 1) * np.log(high)
        + (n - j) * np.log(low)
    )
    return float(d * np.exp(logs).sum())


def ks_smooth(distance: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """Approximate p-values in closed form, within a few per cent of the asymptotic ones from an effective size of 40 on.

    References
    ----------
    .. [1] M. A. Stephens, J. R. Stat. Soc. B 32 (1970) 115-122.
    """
    root = np.sqrt(n_a * n_b / (n_a + n_b))
    return np.asarray(special.kolmogorov((root + 0.12 + 0.11 / root) * distance))


@lru_cache(maxsize=4096)
def _ad_sigma(n: int) -> tuple[float, float]:
    """Coefficients of the variance of the k-sample Anderson-Darling statistic for k = 2 and pooled size n: sigma² = u + v * H."""
    i = np.arange(n - 1, 1, -1.0)
    sums = np.cumsum(1.0 / i)
    h = sums[-1] + 1
    g = (sums / np.arange(2, n)).sum()
    # a, b, c, d of Scholz and Stephens (1987), equation 4, split in the part with and the part without H = 1/n_a + 1/n_b.
    k = 2
    a0, a1 = (4 * g - 6) * (k - 1), 10 - 6 * g
    b0, b1 = (2 * g - 4) * k**2 + 8 * h * k - 8 * h + 4 * g - 6, 2 * g - 14 * h - 4
    c0, c1 = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + 4 * h, 2 * h - 6
    d0 = (2 * h + 6) * k**2 - 4 * h * k
    size = float(n)
    divisor = (size - 1) * (size - 2) * (size - 3)
    return (a0 * size**3 + b0 * size**2 + c0 * size + d0) / divisor, (a1 * size**3 + b1 * size**2 + c1 * size) / divisor


_AD_LEVELS = np.log([0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001])
_AD_CRITICAL = (
    np.array([0.675, 1.281, 1.645, 1.96, 2.326, 2.573, 3.085])
    + np.array([-0.245, 0.25, 0.678, 1.149, 1.822, 2.364, 3.615])
    + np.array([-0.105, -0.305, -0.362, -0.391, -0.396, -0.345, -0.154])
)
_AD_CURVE = np.polyfit(_AD_CRITICAL, _AD_LEVELS, 2)


def anderson_darling(a2: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """p-values of the two-sample Anderson-Darling test, in [0.001, 0.25]; NaN for fewer than four values.

    References
    ----------
    .. [1] F. W. Scholz, M. A. Stephens, JASA 82 (1987) 918-924, equations 4 and 7 and table 2, interpolated as scipy does.
    """
    statistic = _ad_standardised(a2, n_a, n_b)
    # The ends of the table are the limits themselves, not quite what the parabola gives there.
    p = np.where(statistic < _AD_CRITICAL.min(), AD_CEILING, np.where(statistic > _AD_CRITICAL.max(), AD_FLOOR, _ad_p(statistic)))
    return np.where(np.isnan(statistic), np.nan, p)


def anderson_darling_unclipped(a2: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """The same inside of scipy's table; outside ln p goes on as a straight line, up to p = 1.

    No p-value to be read, but one to compare with others: of two statistics the larger one always has the smaller value.
    """
    return _ad_p(_ad_standardised(a2, n_a, n_b))


def _ad_standardised(a2: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    total = (n_a + n_b).astype(np.int64)
    sizes, where = np.unique(total, return_inverse=True)
    parts = np.array([_ad_sigma(int(n)) if n >= 4 else (np.nan, np.nan) for n in sizes])[where.reshape(total.shape)]
    variance = parts[..., 0] + parts[..., 1] * (1 / n_a + 1 / n_b)
    return np.asarray((a2 - 1) / np.sqrt(variance))


def _ad_p(statistic: np.ndarray) -> np.ndarray:
    # Outside of the table the parabola would turn round, so it goes on along its tangent.
    inside = np.clip(statistic, _AD_CRITICAL.min(), _AD_CRITICAL.max())
    slope = np.polyval(np.polyder(_AD_CURVE), inside)
    return np.asarray(np.exp(np.minimum(np.polyval(_AD_CURVE, inside) + slope * (statistic - inside), 0.0)))


@lru_cache(maxsize=256)
def _mann_whitney_tail(m: int, n: int) -> np.ndarray:
    """P(U >= u) for u = 0 ... m n without ties, m <= n, in exact integers until the last division."""
    top = m * n
    counts = np.zeros(top + 1, dtype=object)
    counts[0] = 1
    for i in range(1, m + 1):
        # The Gaussian binomial coefficient: times (1 - q^(n + i)), divided by (1 - q^i).
        if n + i <= top:
            shifted = counts[: top + 1 - (n + i)].copy()
            counts[n + i :] -= shifted
        for r in range(min(i, top + 1)):
            counts[r::i] = np.cumsum(counts[r::i])
    total = sum(counts)
    tails = np.cumsum(counts[::-1])[::-1]
    return np.array([t / total for t in tails], dtype=float)


def mann_whitney(u: np.ndarray, ties: np.ndarray, n_a: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """Two-sided p-values of the Mann-Whitney test: exact up to eight values on a side without ties, otherwise normal.

    Parameters
    ----------
    u : ndarray
        U of the target.
    ties : ndarray
        Sum of t³ - t over the levels, t being the number of values at a level.
    n_a, n_b : ndarray
    """
    product, total = n_a * n_b, n_a + n_b
    larger = np.maximum(u, product - u)
    spread = np.sqrt(product / 12 * ((total + 1) - ties / (total * (total - 1))))
    p = 2 * special.ndtr(-(larger - product / 2 - 0.5) / spread)
    exact = (np.minimum(n_a, n_b) <= 8) & (ties == 0)
    if exact.any():
        a, b, top = (x[exact].astype(np.int64) for x in np.broadcast_arrays(n_a, n_b, larger))
        small, large = np.minimum(a, b), np.maximum(a, b)
        tails = np.empty(len(top))
        for m, n in {*zip(small.tolist(), large.tolist(), strict=True)}:
            here = (small == m) & (large == n)
            tails[here] = _mann_whitney_tail(m, n)[top[here]]
        p[exact] = 2 * tails
    return np.clip(p, 0.0, 1.0)
