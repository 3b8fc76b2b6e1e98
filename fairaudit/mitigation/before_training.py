"""Methods that change the training data: reweighing, massaging, fairness through unawareness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.naive_bayes import CategoricalNB

from fairaudit.mitigation.registry import LEGAST, MITIGATIONS, Training

_KAMIRAN_CALDERS = "Kamiran, Calders (2012), doi 10.1007/s10115-011-0463-8"


@MITIGATIONS.register(
    name="none",
    label="No mitigation",
    summary="The model as it comes out of training; what the other methods are compared with.",
    stage="none",
    aim="nothing",
    reference=LEGAST,
)
def no_mitigation(training: Training) -> Training:
    """The training rows as they are."""
    return training


def reweighing_weights(y_true: np.ndarray, unprivileged: np.ndarray) -> np.ndarray:
    """Row weights that make label and group independent in the weighted data.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        0/1 labels.
    unprivileged : ndarray of bool of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples,)
        ``P(group) P(label) / P(group, label)``; 1 everywhere when label and group are independent already.

    References
    ----------
    .. [1] F. Kamiran, T. Calders, Data preprocessing techniques for classification without discrimination, Knowledge and Information
       Systems 33 (2012), section 5.3.

    Examples
    --------
    >>> reweighing_weights(np.array([1, 1, 0, 0]), np.array([False, False, False, True])).round(3).tolist()
    [0.75, 0.75, 1.5, 0.5]
    """
    cell = 2 * unprivileged.astype(np.int64) + y_true.astype(np.int64)
    counts = np.bincount(cell, minlength=4).reshape(2, 2).astype(np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    # Cells without rows have no row to give a weight to.
    weights = np.divide(expected, len(y_true) * counts, out=np.ones_like(counts), where=counts > 0)
    return weights.ravel()[cell]


@MITIGATIONS.register(
    name="reweighing",
    label="Reweighing",
    summary="Gives each training row a weight so that label and group are independent in the weighted data.",
    pitfall="It aims at equal favourable shares in the training data, also where the planted bias did not touch them.",
    reference=_KAMIRAN_CALDERS,
    formula=r"w(g, y) = \frac{P(g)\,P(y)}{P(g, y)}",
    stage="pre",
    aim="statistical parity of the training labels",
)
def reweighing(training: Training) -> Training:
    """Training rows with weights; see ``reweighing_weights``."""
    return replace(training, sample_weight=reweighing_weights(training.y_true, training.unprivileged))


def labels_to_swap(y_true: np.ndarray, unprivileged: np.ndarray) -> int:
    """How many labels massaging changes in each direction; 0 when the unprivileged group is not behind.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        0/1 labels.
    unprivileged : ndarray of bool of shape (n_samples,)

    Returns
    -------
    int
        ``max(0, ceil(disc * n_p * n_u / n))`` with ``disc = P(1 | privileged) - P(1 | unprivileged)``; 0 when a group is empty.

    References
    ----------
    .. [1] F. Kamiran, T. Calders (2012), section 5.2.

    Examples
    --------
    >>> labels_to_swap(np.array([1, 1, 1, 0]), np.array([False, False, True, True]))
    1
    >>> labels_to_swap(np.array([1, 0, 1, 1]), np.array([False, False, True, True]))
    0
    """
    n_unprivileged = int(np.count_nonzero(unprivileged))
    n_privileged = len(y_true) - n_unprivileged
    if n_unprivileged == 0 or n_privileged == 0:
        return 0
    positive_unprivileged = int(np.sum(y_true[unprivileged]))
    positive_privileged = int(np.sum(y_true)) - positive_unprivileged
    # Integers, so that rounding errors cannot push an exact number over the next ceiling.
    surplus = positive_privileged * n_unprivileged - positive_unprivileged * n_privileged
    return max(0, -(-surplus // len(y_true)))


def ranking_scores(codes: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    """Probability of the favourable label by a categorical naive Bayes trained on the same rows.

    Parameters
    ----------
    codes : ndarray of shape (n_samples, n_columns), int >= 0
        One category code per original column.
    y_true : ndarray of shape (n_samples,)
        0/1 labels with both values present.

    Returns
    -------
    ndarray of shape (n_samples,), in [0, 1]
    """
    return np.asarray(CategoricalNB().fit(codes, y_true).predict_proba(codes))[:, 1]


def massage(y_true: np.ndarray, unprivileged: np.ndarray, ranking: np.ndarray) -> np.ndarray:
    """Labels after promoting and demoting equally many people who are close to the decision boundary.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        0/1 labels.
    unprivileged : ndarray of bool of shape (n_samples,)
    ranking : ndarray of shape (n_samples,)
        Higher means closer to the favourable outcome. Ties are taken in row order.

    Returns
    -------
    ndarray of shape (n_samples,)
        New labels: the best-ranked unprivileged 0s become 1, the worst-ranked privileged 1s become 0; see ``labels_to_swap``.

    Examples
    --------
    >>> massage(np.array([1, 1, 0, 0]), np.array([False, False, True, True]), np.array([0.9, 0.8, 0.2, 0.4])).tolist()
    [1, 0, 0, 1]
    """
    n_swaps = labels_to_swap(y_true, unprivileged)
    changed = y_true.copy()
    promotable = np.flatnonzero(unprivileged & (y_true == 0))
    demotable = np.flatnonzero(~unprivileged & (y_true == 1))
    changed[promotable[np.argsort(-ranking[promotable], kind="stable")[:n_swaps]]] = 1
    changed[demotable[np.argsort(ranking[demotable], kind="stable")[:n_swaps]]] = 0
    return changed


@MITIGATIONS.register(
    name="massaging",
    label="Massaging",
    summary="Swaps training labels of people close to the decision boundary until both groups have the same favourable share.",
    pitfall="Changes labels that may have been right, and acts in one direction only: it does nothing when the unprivileged group is ahead.",
    reference=_KAMIRAN_CALDERS,
    formula=r"M = \max\left(0, \left\lceil \mathrm{disc}\, n_p n_u / n \right\rceil\right)",
    stage="pre",
    aim="statistical parity of the training labels",
)
def massaging(training: Training) -> Training:
    """Training rows with swapped labels, ranked by a categorical naive Bayes."""
    y_true = training.y_true
    if labels_to_swap(y_true, training.unprivileged) == 0:
        return replace(training, note="the unprivileged group is not behind in the training labels, so no label is swapped")
    return replace(training, y_true=massage(y_true, training.unprivileged, ranking_scores(training.codes, y_true)))


@MITIGATIONS.register(
    name="ftu",
    label="Fairness through unawareness",
    summary="Leaves the sensitive attribute out of the features.",
    pitfall="Other columns may stand in for the attribute; then the model still treats the groups differently.",
    reference="Gajane, Pechenizkiy (2018)",
    stage="pre",
    aim="use of the sensitive attribute",
)
def unawareness(training: Training) -> Training:
    """Training rows without the sensitive column."""
    if training.sensitive_column is None:
        return training
    return replace(training, features=np.delete(training.features, training.sensitive_column, axis=1), sensitive_column=None)
