"""Average accuracy over all subsets of the observed classes, with standard errors over classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._kernels.ranks import subset_accuracy
from classex._validation import as_class_counts, as_positive_int
from classex.curves.jackknife import class_weights, jackknife_deviations
from classex.results import AccuracyCurve, CorrectRanks

__all__ = ["accuracy_covariance", "accuracy_curve"]


def accuracy_curve(ranks: CorrectRanks, n_classes: ArrayLike | None = None, top: int = 1) -> AccuracyCurve:
    r"""Average test accuracy over all subsets of k of the observed classes.

    .. math:: \mathrm{ATA}_k = \frac{1}{k_1} \sum_i \frac{1}{r_i} \sum_j
              \binom{R^*_{ij}}{k-1} \Big/ \binom{k_1-1}{k-1},

    with :math:`R^*_{ij}` the wins of test point j of class i. Each class weighs the same, however many test
    points it has. A point with ties is averaged over random tie-breaking, in closed form. With ``top=m`` the
    point counts when at most m-1 of the k-1 drawn wrong labels beat the truth.

    Parameters
    ----------
    ranks : CorrectRanks
        From `correct_ranks` or `correct_ranks_from_embeddings`, with :math:`k_1` classes.
    n_classes : int or array_like of int, optional
        Numbers of classes k, each in ``1..ranks.n_classes``. By default all of them.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    AccuracyCurve
        ``accuracy[0]`` belongs to k = ``n_classes[0]``; accuracies are probabilities.

    Raises
    ------
    ValueError
        If a k lies outside ``1..ranks.n_classes`` or is not whole, or `top` is not a positive integer.

    Notes
    -----
    Source: thesis section 2.3.1, equation (2.4), with the rank counted in wins; journal version equation (4).

    The standard error is that of a U-statistic over classes: a class contributes as the truth of its own
    points and as a distractor to all the others. For k up to :math:`k_1/2` it is the jackknife over classes,
    in closed form. Leaving one class out breaks down as k approaches :math:`k_1` (at :math:`k = k_1` it is
    undefined), so beyond :math:`k_1/2` the own-class variance is used, times the ratio of jackknife to
    own-class variance at :math:`k_1/2`. Below four classes, or without distractor information, it is the own-class
    standard error alone.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> cx.accuracy_curve(ranks).accuracy.round(4)
    array([1.    , 0.5833, 0.3333, 0.25  ])
    """
    m = as_positive_int(top, "top")
    if n_classes is None:
        sizes = np.arange(1, ranks.n_classes + 1, dtype=np.int64)
    else:
        sizes = as_class_counts(n_classes, maximum=ranks.n_classes).astype(np.int64)
    return AccuracyCurve(sizes, *_curve(ranks, sizes, m))


def accuracy_covariance(ranks: CorrectRanks, n_classes: ArrayLike, top: int = 1) -> NDArray[np.float64]:
    r"""Covariance, over classes, of the average accuracies at several numbers of classes.

    Parameters
    ----------
    ranks : CorrectRanks
        From `correct_ranks` or `correct_ranks_from_embeddings`, with :math:`k_1` classes.
    n_classes : int or array_like of int
        Numbers of classes k, each in ``1..ranks.n_classes``.
    top : int
        A point counts as correct when its truth is among the `top` best labels.

    Returns
    -------
    ndarray of shape (n, n)
        Positive semi-definite covariance matrix; the root of its diagonal is the standard error that
        `accuracy_curve` returns.

    Raises
    ------
    ValueError
        If a k lies outside ``1..ranks.n_classes`` or is not whole, or `top` is not a positive integer.

    Notes
    -----
    Source: thesis section 3.4.1, where :math:`k_1` times this matrix tends to a limit.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> cx.curves.accuracy_covariance(ranks, [2, 3]).shape
    (2, 2)
    """
    m = as_positive_int(top, "top")
    sizes = as_class_counts(n_classes, maximum=ranks.n_classes).astype(np.int64)
    deviation = _deviations(ranks, sizes, m)[1]
    covariance: NDArray[np.float64] = deviation.T @ deviation
    return covariance


def _curve(ranks: CorrectRanks, sizes: NDArray[np.int64], top: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    value, deviation = _deviations(ranks, sizes, top)
    # a mean of ones over classes of unequal size can round to just above one
    return np.clip(value, 0.0, 1.0), np.sqrt(np.square(deviation).sum(axis=0))


def _deviations(
    ranks: CorrectRanks, sizes: NDArray[np.int64], top: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average accuracies, and what each group of classes adds: its Gram matrix is the covariance."""
    k1 = ranks.n_classes
    half = k1 // 2
    own = _own_accuracy(ranks, np.append(sizes, half) if k1 >= 4 else sizes, top)
    group_size = np.bincount(_group(ranks))[:, np.newaxis]
    value = own.sum(axis=0) / k1
    deviation = (own - group_size * value) / np.sqrt(k1 * (k1 - 1))
    if ranks.distractors is None or k1 < 4:
        return value[: sizes.size], deviation[:, : sizes.size]
    below = sizes <= half
    jackknife = _jackknife(ranks, np.append(sizes[below], half), top)
    alone = np.square(deviation[:, -1]).sum()
    deviation *= np.sqrt(np.square(jackknife[:, -1]).sum() / alone) if alone > 0 else 1.0
    deviation[:, : sizes.size][:, below] = jackknife[:, :-1]
    return value[: sizes.size], deviation[:, : sizes.size]


def _group(ranks: CorrectRanks) -> NDArray[Any]:
    """Group of every class: itself, unless the distractor table lumps classes."""
    return np.arange(ranks.n_classes) if ranks.distractors is None else ranks.distractors.group


def _own_accuracy(ranks: CorrectRanks, sizes: NDArray[np.int64], top: int) -> NDArray[np.float64]:
    """Subset accuracy of each class's own points, summed over each group of classes: (n_groups, n_sizes)."""
    group = _group(ranks)
    pairs, pair = np.unique(np.stack([ranks.wins, ranks.ties]), axis=1, return_inverse=True)
    probability = _expected_accuracy(pairs[0], pairs[1], ranks.n_classes, sizes, top)
    weight = sparse.coo_array(
        (class_weights(ranks), (group[ranks.labels], pair.ravel())), shape=(int(group.max()) + 1, pairs.shape[1])
    )
    total: NDArray[np.float64] = weight.tocsr() @ probability
    return total


def _expected_accuracy(
    wins: NDArray[np.int64], ties: NDArray[np.int64], n_classes: int, sizes: NDArray[np.int64], top: int
) -> NDArray[np.float64]:
    """Subset accuracy, averaged over random tie-breaking, for each (wins, ties) and each size."""
    out = _subset_accuracy(wins, n_classes, sizes, top)
    tied = np.flatnonzero(ties)
    if tied.size == 0:
        return out
    # sum_{u=0..t} C(w+u, k-1-j) C(K-1-w-u, j) counts the k-subsets of K things whose (k-j)-th lowest lies
    # among the places w+1..w+t+1 (a hockey-stick sum): a difference of two top-(j+1) accuracies, of k+1
    # labels out of K+1
    t = ties[tied]
    ends = np.stack([wins[tied], wins[tied] + t + 1])
    distinct, place = np.unique(ends, return_inverse=True)
    lower, upper = place.reshape(ends.shape)
    total = np.zeros((tied.size, sizes.size))
    for j in range(1, min(top, int(sizes.max())) + 1):
        cumulative = _subset_accuracy(distinct, n_classes + 1, sizes + 1, j)
        total += cumulative[upper] - cumulative[lower]
    out[tied] = np.minimum(total * (n_classes / sizes) / (t + 1)[:, np.newaxis], 1.0)
    return out


def _subset_accuracy(
    wins: NDArray[np.int64], n_classes: int, sizes: NDArray[np.int64], top: int
) -> NDArray[np.float64]:
    """Choose the cheaper way through the sizes: one running product, or one product per size."""
    ascending, place = np.unique(sizes, return_inverse=True)
    most_losses = n_classes - 1 - int(wins.min())
    separate = np.minimum(ascending, most_losses).sum()
    accuracy = subset_accuracy(wins, n_classes, ascending, top, bool(ascending[-1] <= separate))
    return np.asarray(accuracy[:, place], dtype=np.float64)


def _jackknife(ranks: CorrectRanks, sizes: NDArray[np.int64], top: int) -> NDArray[np.float64]:
    """Scaled leave-one-class-out deviations of the average accuracy, for sizes of at most n_classes - 1."""
    table = ranks.distractors
    if table is None:  # pragma: no cover - the caller has checked
        raise AssertionError
    k1 = ranks.n_classes
    last = np.full_like(table.wins, k1 - 2)
    kept = _subset_accuracy(np.minimum(table.wins, last), k1 - 1, sizes, top)
    lost = _subset_accuracy(np.clip(table.wins - 1, 0, last), k1 - 1, sizes, top)
    # without a class that does well the mean falls: the sign makes the deviations those of the class itself
    deviation: NDArray[np.float64] = -np.sqrt((k1 - 1) / k1) * jackknife_deviations(ranks, table, kept, lost)
    return deviation
