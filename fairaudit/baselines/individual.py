"""Individual fairness: are similar rows treated alike?

References
----------
.. [1] Zemel, Wu, Swersky, Pitassi, Dwork (2013). Learning fair representations. ICML (consistency).
.. [2] Waller, Rodrigues, Cocarascu (2025). Beyond consistency: nuanced metrics for individual fairness. FAccT (balanced
   conditioned consistency).
"""

from __future__ import annotations

import numpy as np

N_NEIGHBORS = 5
BCC_THRESHOLD = 0.8


def consistency_scores(
    features: np.ndarray,
    outcome: np.ndarray,
    *,
    n_neighbors: int = N_NEIGHBORS,
    rows: np.ndarray | None = None,
    leave_self_out: bool = False,
    algorithm: str = "ball_tree",
) -> np.ndarray:
    """Agreement of each row's outcome with the mean outcome of its nearest neighbours.

    Parameters
    ----------
    features : ndarray of float, shape (n, n_features)
        Finite; distances are Euclidean on the values as given.
    outcome : ndarray of shape (n,)
        0 and 1, or numbers in [0, 1].
    n_neighbors : int
        k.
    rows : ndarray of int, optional
        Rows to score; their neighbours are looked for among all rows.
    leave_self_out : bool
        False, as in aif360: the row itself is one of its neighbours.
    algorithm : {"ball_tree", "kd_tree", "brute"}
        Search structure of scikit-learn. Equal distances are broken differently by each.

    Returns
    -------
    ndarray of float in [0, 1], shape (n,) or (len(rows),)
        All NaN where there are too few rows for ``n_neighbors``.
    """
    outcome = np.asarray(outcome, dtype=float)
    queried = np.arange(len(outcome)) if rows is None else rows
    if len(outcome) < n_neighbors + leave_self_out or not np.shape(features)[1]:
        return np.full(len(queried), np.nan)
    from sklearn.neighbors import NearestNeighbors  # slow to import, and needed only here

    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm=algorithm).fit(features)
    if leave_self_out:
        found = search.kneighbors(features[queried], n_neighbors=n_neighbors + 1, return_distance=False)
        neighbours = _without_self(found, queried)
    else:
        neighbours = search.kneighbors(features[queried], return_distance=False)
    return 1 - np.abs(outcome[queried] - outcome[neighbours].mean(axis=1))


def _without_self(found: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Remove each row from its own neighbours, or the farthest neighbour where copies of the row have crowded it out."""
    is_self = found == rows[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    return found[~is_self].reshape(len(rows), -1)


def consistency(features: np.ndarray, outcome: np.ndarray, *, n_neighbors: int = N_NEIGHBORS) -> float:
    """Consistency [1]_, in [0, 1]; 1 means that similar rows have equal outcomes.

    Equal to aif360's to the last digit: ball tree, features as given, the row itself among its neighbours.

    Parameters
    ----------
    features, outcome, n_neighbors
        As for ``consistency_scores``.

    Returns
    -------
    float
        NaN with fewer rows than neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> consistency(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([1, 1, 0, 0]), n_neighbors=2)
    1.0
    """
    scores = consistency_scores(features, outcome, n_neighbors=n_neighbors)
    return float(scores.mean()) if len(scores) else np.nan


def scaled(features: np.ndarray) -> np.ndarray:
    """Features divided by their maximum absolute value; a feature that is 0 everywhere stays 0."""
    features = np.asarray(features, dtype=float)
    largest = np.abs(features).max(axis=0, initial=0.0)
    return features / np.where(largest > 0, largest, 1.0)


def conditioned(scores: np.ndarray, threshold: float = BCC_THRESHOLD) -> np.ndarray:
    """Consistency scores of at least ``threshold`` kept, others set to 0."""
    # 0.8 is a value that five neighbours produce exactly, give or take a rounding error.
    return np.where(np.isnan(scores), np.nan, np.where(scores >= threshold - 1e-9, scores, 0.0))


def balanced_conditioned_consistency(
    features: np.ndarray, outcome: np.ndarray, *, n_neighbors: int = N_NEIGHBORS, threshold: float = BCC_THRESHOLD
) -> float:
    """Balanced conditioned consistency [2]_, in [0, 1]; 1 means that similar rows have equal outcomes.

    Parameters
    ----------
    features : ndarray of float, shape (n, n_features)
        Without the sensitive attribute; each is divided by its maximum absolute value here.
    outcome : ndarray of shape (n,)
        0 and 1.
    n_neighbors : int
        k; the row itself is not one of them.
    threshold : float
        Scores below it count as 0.

    Returns
    -------
    float
        NaN with too few rows.
    """
    scores = consistency_scores(scaled(features), outcome, n_neighbors=n_neighbors, leave_self_out=True, algorithm="brute")
    return float(conditioned(scores, threshold).mean()) if len(scores) else np.nan
