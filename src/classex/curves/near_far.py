r"""Accuracy against near and far rivals: exact averages over subsets of two kinds of wrong labels.

If classes belong to groups, a wrong label of the point's own group is a near rival, any other a far one. With
:math:`R_n` wins among :math:`n_n` near rivals and :math:`R_f` among :math:`n_f` far ones, a point is right among a near
and b far rivals, drawn at random, with probability

.. math:: \binom{R_n}{a} \binom{R_f}{b} \Big/ \binom{n_n}{a} \binom{n_f}{b}.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._validation import as_plain_array, distinct
from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean
from classex.io.scores import scores_and_labels
from classex.ranks.weights import weights_of_labels
from classex.results._result import Result

__all__ = ["NearFarComparisons", "NearFarCurve", "as_groups", "near_far_curve"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Up to this many ties every outcome of random tie-breaking is listed; beyond, this many of the outcomes, finest near
# the top
_LISTED_TIES = 32


@dataclass(frozen=True)
class NearFarCurve(Result):
    """Average accuracy with given numbers of near and far rivals.

    Attributes
    ----------
    n_near : ndarray of int64 of shape (n, n_groups)
        Number of classes of the point's own group that take part, its own class included, for points of each group.
    n_far : ndarray of int64 of shape (n, n_groups)
        Number of classes of other groups.
    accuracy : ndarray of shape (n,)
        Average accuracy.
    standard_error : ndarray of shape (n,)
        Standard error over classes: the groups are taken as given.
    group_error : ndarray of shape (n,)
        Standard error over groups: they are taken as a random sample. NaN with one group.
    influence : ndarray of shape (n_classes, n)
        Contribution of each class to the deviation of the accuracies; its Gram matrix is their covariance.

    Examples
    --------
    >>> from classex.curves import near_far_curve
    >>> scores = [[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    >>> curve = near_far_curve(scores, range(4), list("aabb"), [1, 2], [2, 0])
    >>> curve.accuracy
    array([1., 0.])
    """

    n_near: IntArray
    n_far: IntArray
    accuracy: FloatArray
    standard_error: FloatArray
    group_error: FloatArray
    influence: FloatArray = field(repr=False)

    _says: ClassVar[str] = "Accuracy with near and far rivals:"

    def _table(self) -> dict[str, Any]:
        columns = {"n_near": self.n_near.mean(axis=1), "n_far": self.n_far.mean(axis=1), "accuracy": self.accuracy}
        return columns | {"standard_error": self.standard_error, "group_error": self.group_error}


def near_far_curve(
    scores: ArrayLike,
    labels: ArrayLike,
    groups: ArrayLike,
    n_near: ArrayLike,
    n_far: ArrayLike,
    *,
    classes: ArrayLike | None = None,
) -> NearFarCurve:
    r"""Average accuracy over all sets with `n_near` classes of the point's own group and `n_far` of other groups.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_classes)
        Score of every label for every test point; higher is better.
    labels : array_like of shape (n_test,)
        Correct label of each test point: its column, or its name.
    groups : array_like of shape (n_classes,)
        Group of each class: numbers or names.
    n_near, n_far : array_like of int of shape (n,) or (n, n_groups)
        Numbers of classes of the own group, the correct one included, and of other groups; one column for each group,
        in the order of their names, or the same for all.
    classes : array_like of shape (n_classes,), optional
        Names of the columns (see `classex.correct_ranks`).

    Returns
    -------
    NearFarCurve
        Accuracies, every class with the same weight, with standard errors over classes and over groups.

    Raises
    ------
    ValueError
        If scores, labels or groups are not as described, or a group has fewer classes than a number asks for.

    Notes
    -----
    Ties count in expectation over random tie-breaking: exactly up to 32 ties, closely beyond.

    The standard errors come from influences: how the average changes if a class gets more weight, as the truth of its
    own points and as a rival of others (the infinitesimal jackknife). Over groups, the influences of a group's classes
    are summed first. Beyond half of the rivals the own-class part is used, times the ratio of whole to own part at
    half, as in `classex.accuracy_curve`.

    Source: thesis equation (2.4) for two kinds of wrong labels; the decomposition is this package's.

    Examples
    --------
    >>> from classex.curves import near_far_curve
    >>> scores = [[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]]
    >>> print(near_far_curve(scores, range(4), list("aabb"), [1, 2], [2, 0]))
    """
    matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    member = as_groups(groups, matrix.shape[1])[1]
    found = NearFarComparisons(matrix, truth, member)
    shape = (np.size(n_near), found.size.size)
    near, far = (np.broadcast_to(np.asarray(n).reshape(len(np.atleast_1d(n)), -1), shape) for n in (n_near, n_far))
    return found.curve(near, far)


def as_groups(groups: ArrayLike, n_classes: int) -> tuple[NDArray[Any], IntArray]:
    """Return the names of the groups, and the group of each class."""
    given = as_plain_array(groups, "groups")
    if given.shape != (n_classes,):
        raise ValueError(f"groups must have shape ({n_classes},), one entry per class, but has {given.shape}")
    return distinct(given, "groups")


class NearFarComparisons:
    """Comparisons of every test point with its near and its far rivals, for one curve after another.

    Attributes
    ----------
    member : ndarray of int64 of shape (n_classes,)
        Group of each class.
    size : ndarray of int64 of shape (n_groups,)
        Number of classes of each group.
    share : ndarray of shape (n_groups,)
        Share of each group in the average.
    """

    def __init__(self, scores: NDArray[Any], labels: IntArray, member: IntArray, share: FloatArray | None = None) -> None:
        points = np.arange(labels.size)
        own, mine = scores[points, labels][:, np.newaxis], member[labels]
        self.member, self.size, self.labels = member, np.bincount(member), labels
        near = mine[:, np.newaxis] == member
        other = np.ones_like(near)
        other[points, labels] = False
        self._kinds = (near & other, ~near)
        self._below, self._tied = scores < own, (scores == own) & other
        weight = weights_of_labels(labels)
        tested = np.bincount(mine, weights=weight, minlength=self.size.size)
        self.share = tested / tested.sum() if share is None else share / share.sum()
        self._weight = weight * (self.share / np.maximum(tested, 1))[mine]
        wins, ties = (
            np.stack([(one & kind).sum(axis=1) for kind in self._kinds], axis=1) for one in (self._below, self._tied)
        )
        self._ties = ties
        broken = [_outcomes(*pair) for pair in ties.tolist()]
        self._point = np.repeat(points, [len(one) for one in broken])
        outcomes = np.concatenate(broken)
        self._extra, self._chance = outcomes[:, :2].astype(np.int64), outcomes[:, 2]
        self._wins = wins[self._point] + self._extra

    def curve(self, n_near: IntArray, n_far: IntArray) -> NearFarCurve:
        """Return the accuracies with these numbers of classes, shapes (n, n_groups), and their errors."""
        k1 = self.member.size
        for number, most, name in ((n_near, self.size, "n_near"), (n_far, k1 - self.size, "n_far")):
            least = 1 if name == "n_near" else 0
            if (number > most).any() or (number < least).any():
                raise ValueError(f"{name} must lie between {least} and the classes observed, {most.min()} in one group")
        value, own, whole = self._influences(n_near, n_far)
        most_near, most_far = np.maximum(self.size // 2, 1), (k1 - self.size + 1) // 2
        _, alone, together = self._influences(np.minimum(n_near, most_near), np.minimum(n_far, most_far))
        beyond = ((n_near > most_near) | (n_far > most_far)).any(axis=1)
        before, after = np.linalg.norm(alone, axis=0), np.linalg.norm(together, axis=0)
        ratio = np.divide(after, before, out=np.ones_like(after), where=before > 0)
        influence = np.where(beyond, own * ratio, whole)
        return NearFarCurve(
            n_near, n_far, value, np.linalg.norm(influence, axis=0), self.group_errors(influence), influence
        )

    def group_errors(self, influence: FloatArray) -> FloatArray:
        """Standard errors over groups, from the influences of classes."""
        n = self.size.size
        total = np.zeros((n, influence.shape[1]))
        np.add.at(total, self.member, influence)
        return np.linalg.norm(total, axis=0) * np.sqrt(n / (n - 1)) if n > 1 else np.full(influence.shape[1], np.nan)

    def _influences(self, n_near: IntArray, n_far: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Accuracies, and the influences of classes through their own points, and as rivals as well."""
        mine = self.member[self.labels]
        success = self._success(n_near, n_far)
        weighed = success * (self._chance * self._weight[self._point])[:, np.newaxis]
        by_point = np.zeros((self.labels.size, success.shape[1]))
        np.add.at(by_point, self._point, weighed)
        value: FloatArray = by_point.sum(axis=0)
        own = np.zeros((self.member.size, value.size))
        np.add.at(own, self.labels, by_point)
        tested = np.bincount(self.labels, weights=self._weight, minlength=self.member.size)
        own -= tested[:, np.newaxis] * value
        whole = own.copy()
        drawn = (n_near - 1, n_far)
        pools = (self.size - 1, self.member.size - self.size)
        for kind, (number, pool) in enumerate(zip(drawn, pools, strict=True)):
            # a rival with more weight is drawn more often: right if it is beaten, wrong if not
            times = np.divide(1.0, self._wins[:, kind], out=np.zeros(self._point.size), where=self._wins[:, kind] > 0)
            effect = weighed * number.T[mine[self._point]] * times[:, np.newaxis]
            among = self._kinds[kind]
            strict, split = np.zeros((2, *by_point.shape))
            np.add.at(strict, self._point, effect)
            part = self._extra[:, kind] / np.maximum(self._ties[self._point, kind], 1)
            np.add.at(split, self._point, effect * part[:, np.newaxis])
            whole += (self._below & among).T @ strict + (self._tied & among).T @ split
            whole -= among.T @ (by_point * (number / np.maximum(pool, 1)).T[mine])
        return np.clip(value, 0.0, 1.0), own, whole

    def _success(self, n_near: IntArray, n_far: IntArray) -> FloatArray:
        """Chance of each outcome of a point to be right among these numbers of rivals."""
        mean, mine = SubsetMean(as_rank_metric("accuracy", 1)), self.member[self.labels[self._point]]
        out = np.empty((mine.size, n_near.shape[0]))
        for group, size in enumerate(self.size.tolist()):
            rows = np.flatnonzero(mine == group)
            near, far = self._wins[rows].T
            out[rows] = mean.untied(near, size, n_near[:, group])
            out[rows] *= mean.untied(far, self.member.size - size + 1, n_far[:, group] + 1)
        return out


def _outcomes(near: int, far: int) -> FloatArray:
    """Ties that a point may win against near and far rivals, with probabilities: rows (near, far, probability)."""
    if near + far <= _LISTED_TIES:
        x, y = np.indices((near + 1, far + 1)).reshape(2, -1)
        # the truth beats each with the same uniform chance, over which it is averaged
        log_ways = sum(-special.betaln(n - i + 1, i + 1) - np.log(n + 1) for n, i in ((near, x), (far, y)))
        chance = np.exp(log_ways + special.betaln(x + y + 1, near + far - x - y + 1))
        return np.stack([x, y, chance], axis=1)
    edges = np.unique(np.rint(np.geomspace(1, near + far + 2, _LISTED_TIES))) - 1
    lost = np.floor((edges[:-1] + edges[1:] - 1) / 2)
    x = np.rint((near + far - lost) * near / (near + far))
    return np.stack([x, near + far - lost - x, np.diff(edges) / (near + far + 1)], axis=1)
