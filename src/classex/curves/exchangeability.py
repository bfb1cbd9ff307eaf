"""Are the classes exchangeable? Random subsets of the classes against groups that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_generator, as_groups, as_positive_int
from classex._estimates import varies, without_rounding
from classex._result import Result, seed_of
from classex._types import FloatArray
from classex.ranks.ranks import weights_of_labels
from classex.ranks.scores import scores_and_labels

__all__ = ["ExchangeabilityTest", "exchangeability_test"]


@dataclass(frozen=True)
class ExchangeabilityTest(Result):
    """Accuracy with k classes of one group, against k random classes.

    Attributes
    ----------
    n_classes : int
        Number of classes k.
    accuracy : float
        Average accuracy over all subsets of k classes.
    groups : ndarray of shape (n_groups,)
        The groups with at least k classes, in the order of their names.
    group_sizes : ndarray of int64 of shape (n_groups,)
        Number of classes of each.
    within_accuracy : ndarray of shape (n_groups,)
        Average accuracy over the subsets of k classes of the group.
    mixed_accuracy : ndarray of shape (n_groups,)
        Average accuracy of the same test points when the k - 1 wrong labels come from all classes.
    nearness_error, difficulty_error : ndarray of shape (n_groups,)
        Standard deviations of ``within_accuracy - mixed_accuracy`` and of ``mixed_accuracy - accuracy`` under random
        grouping.
    nearness : float
        ``within_accuracy - mixed_accuracy``, averaged over the classes of the groups: negative where a group's own
        classes are harder to tell apart than others.
    nearness_p_value : float
        Probability, under random grouping, that the size of `nearness` is at least as large.
    difficulty : float
        Standard deviation of ``mixed_accuracy``, over the classes of the groups, around its mean: large where some
        groups hold easier points than others.
    difficulty_p_value : float
        Probability, under random grouping, that `difficulty` is at least as large.
    seed : int or None
        Seed of the permutations, if it was given as a number.

    Examples
    --------
    >>> from classex.curves import exchangeability_test
    >>> scores = [[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    >>> test = exchangeability_test(
    ...     scores, [0, 1, 2, 3], ["a", "a", "b", "b"], 2, rng=0
    ... )
    >>> test.groups.tolist(), test.group_sizes, round(test.accuracy, 3)
    (['a', 'b'], array([2, 2]), 0.667)
    """

    n_classes: int
    accuracy: float
    groups: NDArray[Any]
    group_sizes: NDArray[np.int64]
    within_accuracy: FloatArray
    mixed_accuracy: FloatArray
    nearness_error: FloatArray
    difficulty_error: FloatArray
    nearness: float
    nearness_p_value: float
    difficulty: float
    difficulty_p_value: float
    seed: int | None = None

    _says: ClassVar[str] = (
        "Accuracy with {n_classes} random classes {accuracy}; nearness of a group's classes {nearness} (p ="
        " {nearness_p_value}), difficulty of its points {difficulty} (p = {difficulty_p_value}):"
    )


def exchangeability_test(
    scores: ArrayLike,
    labels: ArrayLike,
    groups: ArrayLike,
    n_classes: int,
    *,
    classes: ArrayLike | None = None,
    n_permutations: int = 999,
    rng: Any = None,
) -> ExchangeabilityTest:
    r"""Compare the accuracy within groups of classes with that of random classes.

    Extrapolation takes the observed classes for a random sample of the many. If they come from one domain they are
    not, for two reasons that the difference between k classes of group g and k random classes separates:

    .. math:: A_g - A = \underbrace{(A_g - B_g)}_{\text{nearness}} + \underbrace{(B_g - A)}_{\text{difficulty}}.

    Here :math:`A` is the average accuracy over all subsets of k classes, :math:`A_g` that over the subsets of
    k classes of the group, and :math:`B_g` the accuracy of the points of the group against k - 1 wrong labels drawn
    from all classes. The first difference says whether the classes of a group resemble one another, the second
    whether their test points are harder. If groups are assigned at random, both are zero but for chance; p-values
    come from shuffling the groups over the classes.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_total)
        Scores, higher is better.
    labels : array_like of shape (n_test,)
        Column of the correct class of each test point.
    groups : array_like of shape (n_total,)
        Group of each class: numbers or names. Groups with fewer than `n_classes` classes are left out.
    n_classes : int
        Number of classes k, at least 2.
    classes : array_like of shape (n_total,), optional
        Name of the class of each column, where labels are names, as in `correct_ranks`.
    n_permutations : int
        Number of random assignments of classes to groups.
    rng : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    ExchangeabilityTest
        The accuracies by group, both differences over all groups, and their p-values
        ``(1 + number as extreme) / (1 + n_permutations)``, which are exact under random grouping.

    Raises
    ------
    ValueError
        If scores or labels are not as described, `groups` does not have one entry a class, or no group has
        `n_classes` classes.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    If there is nearness, and the new classes will not come from the groups in the same shares, give the groups to
    `classex.extrapolate`, which predicts for near and far rivals.

    Every class weighs the same. Ties count in expectation over random tie-breaking. The cost of a permutation is that
    of the comparisons within groups; beside the scores, memory is two bytes an entry.

    Source: what is tested is the assumption of thesis section 2.2 that the classes are a random sample; the
    decomposition and the test are this package's.

    Examples
    --------
    Four classes in two pairs; within a pair every point takes the other class for its own, between pairs none does.

    >>> scores = [[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    >>> test = exchangeability_test(
    ...     scores, [0, 1, 2, 3], ["a", "a", "b", "b"], 2, rng=0
    ... )
    >>> test.within_accuracy, test.mixed_accuracy.round(3), round(test.nearness, 3)
    (array([0., 0.]), array([0.667, 0.667]), -0.667)
    """
    matrix, truth = scores_and_labels(scores, labels, classes)
    n_total = matrix.shape[1]
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=n_total)
    repeats = as_positive_int(n_permutations, "n_permutations", maximum=10**7)
    generator = as_generator(rng)
    names, member = as_groups(groups, "groups", n_total)
    size = np.bincount(member)
    kept = np.flatnonzero(size >= k)
    if kept.size == 0:
        raise ValueError(f"n_classes must be at most the size of the largest group, {size.max()}, not {k}")
    within = _Within(matrix, truth, k)
    mixed = within.mixed
    nearness = np.empty((repeats + 1, kept.size))
    level = np.empty((repeats + 1, kept.size))
    order = np.arange(n_total)
    for row in range(repeats + 1):
        shuffled = order if row == 0 else generator.permutation(order)
        for column, group in enumerate(kept):
            members = shuffled[member == group]
            level[row, column] = mixed[members].mean()
            nearness[row, column] = within.accuracy(members) - level[row, column]
    accuracy = float(mixed.mean())
    size = size[kept]
    share = size / size.sum()
    together = nearness @ share
    spread = np.sqrt(np.square(level - (level @ share)[:, np.newaxis]) @ share)
    return ExchangeabilityTest(
        n_classes=k,
        accuracy=accuracy,
        groups=names[kept],
        group_sizes=size,
        within_accuracy=nearness[0] + level[0],
        mixed_accuracy=level[0],
        nearness_error=without_rounding(nearness[1:].std(axis=0), accuracy),
        difficulty_error=without_rounding(level[1:].std(axis=0), accuracy),
        nearness=float(without_rounding(together[0], accuracy)),
        nearness_p_value=_p_value(np.abs(together), accuracy),
        difficulty=float(without_rounding(spread[0], accuracy)),
        difficulty_p_value=_p_value(spread, accuracy),
        seed=seed_of(rng),
    )


def _p_value(values: FloatArray, accuracy: float) -> float:
    """Share of the values that reach the first, the observed one, up to rounding."""
    return float(np.mean(~varies(values[0] - values, accuracy)))


class _Within:
    """Accuracy of k classes drawn from some of the classes, for one group after another."""

    def __init__(self, scores: NDArray[Any], labels: NDArray[np.int64], k: int) -> None:
        own = scores[np.arange(labels.size), labels][:, np.newaxis]
        self._k = k
        # points in the order of their classes, so that a group's points are gathered class by class
        self._order = np.argsort(labels, kind="stable")
        self._start = np.searchsorted(labels[self._order], np.arange(scores.shape[1] + 1))
        self._labels = labels
        self._beaten = scores < own
        self._tied = scores == own
        self._tied[np.arange(labels.size), labels] = False
        # without ties there is no second matrix to sum
        self._any_tie = bool(self._tied.any())
        wins, ties = self._beaten.sum(axis=1), self._tied.sum(axis=1)
        weight = weights_of_labels(labels)
        accuracy = _point_accuracy(wins, ties, scores.shape[1], k)
        self.mixed = np.bincount(labels, weights=weight * accuracy)

    def accuracy(self, members: NDArray[np.int64]) -> float:
        """Average accuracy over the subsets of k of the members, every class with the same weight."""
        count = self._start[members + 1] - self._start[members]
        first = np.repeat(self._start[members] - np.cumsum(count) + count, count)
        rows = self._order[first + np.arange(first.size)]
        block = np.ix_(rows, members)
        wins = self._beaten[block].sum(axis=1)
        ties = self._tied[block].sum(axis=1) if self._any_tie else np.zeros_like(wins)
        accuracy = _point_accuracy(wins, ties, members.size, self._k)
        return float((accuracy / np.repeat(count, count)).sum() / members.size)


def _point_accuracy(wins: NDArray[np.int64], ties: NDArray[np.int64], n_classes: int, k: int) -> FloatArray:
    """Accuracy of each point, averaged over the subsets of k classes and random tie-breaking."""
    below = _sums_of_accuracy(n_classes, k)
    return np.asarray((below[wins + ties + 1] - below[wins]) / (ties + 1))


@lru_cache(maxsize=256)
def _sums_of_accuracy(n_classes: int, k: int) -> FloatArray:
    """Sums of C(w, k-1) / C(n_classes-1, k-1) over the wins w below 0, 1, ..., n_classes."""
    w = np.arange(n_classes - 1, 0, -1)
    # C(w-1, k-1) / C(w, k-1) = (w - k + 1) / w, from w = n_classes - 1 downwards
    accuracy = np.cumprod(np.append(1.0, np.maximum(w - k + 1, 0) / w))[::-1]
    return np.append(0.0, np.cumsum(accuracy))
