r"""Accuracy against near and far rivals: exact averages over subsets of two kinds of wrong labels.

If classes belong to groups, a wrong label of the point's own group is a near rival, any other a far one. With
:math:`R_n` wins among :math:`n_n` near rivals and :math:`R_f` among :math:`n_f` far ones, a point is right among a near
and b far rivals, drawn at random, with probability

.. math:: \binom{R_n}{a} \binom{R_f}{b} \Big/ \binom{n_n}{a} \binom{n_f}{b}.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._types import FloatArray, IntArray
from classex.curves.jackknife import beyond_half, centred, without_small
from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean
from classex.ranks.ties import tie_outcomes
from classex.ranks.weights import weights_of_labels

__all__ = ["NearFarComparisons"]


class NearFarComparisons:
    """Comparisons of every test point with its near and its far rivals, for one curve after another.

    They take about five bytes for each score.

    Parameters
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Score of every label for every test point, as `classex.correct_ranks` takes them.
    labels : ndarray of int64 of shape (n_test,)
        Column of the correct label of each test point.
    member : ndarray of int64 of shape (n_classes,)
        Group of each class: 0, 1, ....

    Attributes
    ----------
    member : ndarray of int64 of shape (n_classes,)
        Group of each class.
    size : ndarray of int64 of shape (n_groups,)
        Number of classes of each group.
    share : ndarray of shape (n_groups,)
        Share of each group in the average, over classes with test points.

    Notes
    -----
    Ties count in expectation over random tie-breaking: exactly up to 32 ties of a point, closely beyond. Source: thesis
    equation (2.4), for two kinds of wrong labels; the product is this package's.

    Examples
    --------
    Four classes in two pairs; within a pair every point takes the other class for its own, between pairs none does.

    >>> import numpy as np
    >>> from classex.growth import NearFarComparisons
    >>> scores = np.array([[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> found = NearFarComparisons(scores, np.arange(4), np.array([0, 0, 1, 1]))
    >>> found.curve(np.array([[0, 0], [1, 1]]), np.array([[2, 2], [0, 0]]))[0]
    array([1., 0.])
    """

    def __init__(self, scores: NDArray[Any], labels: IntArray, member: IntArray) -> None:
        points = np.arange(labels.size)
        own, mine = scores[points, labels][:, np.newaxis], member[labels]
        self.member, self.size, self.labels = member, np.bincount(member), labels
        near = mine[:, np.newaxis] == member
        other = np.ones_like(near)
        other[points, labels] = False
        self._kinds = (near & other, ~near)
        self._below, self._tied = scores < own, (scores == own) & other
        weight = weights_of_labels(labels)
        self._weight = weight / weight.sum()
        self._n_units = np.unique(labels).size
        self.share = np.bincount(mine, weights=self._weight, minlength=self.size.size).astype(np.float64)
        wins, self._ties = (
            np.stack([(mask & kind).sum(axis=1) for kind in self._kinds], axis=1) for mask in (self._below, self._tied)
        )
        broken = [tie_outcomes(*pair) for pair in self._ties.tolist()]
        number = np.array([len(outcomes) for outcomes in broken])
        self._point, self._start = np.repeat(points, number), np.cumsum(number) - number
        outcomes = np.concatenate(broken)
        self._extra, self._chance = outcomes[:, :2].astype(np.int64), outcomes[:, 2]
        self._wins = wins[self._point] + self._extra

    def curve(self, near: IntArray, far: IntArray) -> tuple[FloatArray, FloatArray]:
        """Average accuracies with these numbers of rivals, and the influence of each class on them.

        Parameters
        ----------
        near, far : ndarray of int64 of shape (n, n_groups)
            Numbers of near and of far rivals, for points of each group; at most those observed.

        Returns
        -------
        accuracy : ndarray of shape (n,)
            Averages, every class with the same weight.
        influence : ndarray of shape (n_classes, n)
            What each class adds to the deviation of the accuracies, as the truth of its own points and as a rival of
            others. It is the infinitesimal jackknife: a group of two classes has no near rival left without one. The
            Gram matrix is the covariance over classes; with the influences of a group's classes summed first, it is
            that over groups (`group_errors`). Beyond half of the rivals it is continued as in `classex.accuracy_curve`.
        """
        half_near, half_far = self.size // 2, (self.member.size - self.size + 1) // 2
        value, own, whole = self._deviations(near, far)
        half, alone, together = self._deviations(np.minimum(near, half_near), np.minimum(far, half_far))
        beyond = ((near > half_near) | (far > half_far)).any(axis=1)
        ends = {"room": (value * (1 - value), half * (1 - half)), "scale": (value, half)}
        return value, np.where(beyond, beyond_half(own, alone, together, **ends), whole)

    def group_errors(self, influence: FloatArray) -> FloatArray:
        """Standard errors over groups, from the influences of classes; at least two groups."""
        total = np.stack([influence[self.member == group].sum(axis=0) for group in range(self.size.size)])
        # a sum over groups has their number of degrees of freedom in place of that of classes
        freedom = (1 - 1 / self._n_units) / (1 - 1 / len(total))
        return np.asarray(np.linalg.norm(total, axis=0) * np.sqrt(freedom))

    def _deviations(self, near: IntArray, far: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Accuracies, and the deviations of classes through their own points alone, and as rivals as well."""
        mine = self.member[self.labels]
        weighed = self._success(near, far) * (self._chance * self._weight[self._point])[:, np.newaxis]
        by_point = np.add.reduceat(weighed, self._start)
        own, rival = np.zeros((2, self.member.size, near.shape[0]))
        np.add.at(own, self.labels, by_point)
        pools = (self.size - 1, self.member.size - self.size)
        for kind, (number, pool, among) in enumerate(zip((near, far), pools, self._kinds, strict=True)):
            # a rival with more weight is drawn more often: right if it is beaten, wrong if not
            times = np.divide(1.0, self._wins[:, kind], out=np.zeros(self._point.size), where=self._wins[:, kind] > 0)
            effect = weighed * number.T[mine[self._point]] * times[:, np.newaxis]
            part = self._extra[:, kind] / np.maximum(self._ties[self._point, kind], 1)
            rival += (self._below & among).T @ np.add.reduceat(effect, self._start)
            rival += (self._tied & among).T @ np.add.reduceat(effect * part[:, np.newaxis], self._start)
            rival -= among.T @ (by_point * (number / np.maximum(pool, 1)).T[mine])
        tested = np.bincount(self.labels, weights=self._weight, minlength=self.member.size)
        value = np.clip(by_point.sum(axis=0), 0.0, 1.0)
        deviations = (without_small(centred(own, tested, part, self._n_units), value) for part in (0.0, rival))
        return value, *deviations

    def _success(self, near: IntArray, far: IntArray) -> FloatArray:
        """Chance of each outcome of a point to be right among these numbers of rivals."""
        mean, mine = SubsetMean(as_rank_metric("accuracy", 1)), self.member[self.labels[self._point]]
        out = np.empty((mine.size, near.shape[0]))
        for group, size in enumerate(self.size.tolist()):
            rows = np.flatnonzero(mine == group)
            wins_near, wins_far = self._wins[rows].T
            out[rows] = mean.untied(wins_near, size, near[:, group] + 1)
            out[rows] *= mean.untied(wins_far, self.member.size - size + 1, far[:, group] + 1)
        return out
