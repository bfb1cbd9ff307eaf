r"""Accuracy for classes that were drawn with unequal chances: exact averages over weighted subsets.

A class that was observed with chance :math:`q_c` and is wanted with chance :math:`p_c` has the weight
:math:`w_c = p_c / q_c`. Each set of wrong labels is weighted by the product of their weights. Of the sets of k - 1
wrong labels, a point beats the share

.. math:: e_{k-1}(w_b : b \text{ beaten}) \big/ e_{k-1}(w_b : b \text{ wrong}),

with e the elementary symmetric polynomials. They are not computed themselves. A random set of m of the first c classes
contains class c with probability :math:`r_m = w_c / (w_c + e_m / e_{m-1})`, where the polynomials are those of the
classes before c. Hence the probability that a point beats the whole set,

.. math:: F_m \leftarrow (1 - r_m) F_m + r_m F_{m-1} \, 1\{c \text{ beaten}\},

is a mean of probabilities at every step, and no rounding error grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._estimates import AccuracyCurve
from classex._types import FloatArray, IntArray
from classex._validation import as_class_counts, as_plain_array, as_weights
from classex.curves.jackknife import beyond_half, centred, most_trials, subset_deviations, without_small
from classex.curves.metrics import as_rank_metric
from classex.curves.subsets import SubsetMean, default_sizes
from classex.io.scores import scores_and_labels
from classex.ranks import ranks_of_checked
from classex.ranks._ranks import CorrectRanks
from classex.ranks.ties import tie_quadrature
from classex.ranks.weights import weights_of_labels

__all__ = ["weighted_curve"]


# Fewest effective classes: as many as resampling needs
_FEWEST_CLASSES = 5
_REFUSED = (
    f"weights must be finite and leave {_FEWEST_CLASSES} effective classes, but {{}}: classes that could hardly be"
    " drawn have no weight. Give groups= and growth=, and read the sensitivity curve of result.growth"
)
# Numbers in a block of comparisons, 32 MB, and of probabilities, which a processor keeps at hand
_BLOCK_ELEMENTS, _CACHED_ELEMENTS = 2**22, 2**16
_TINY = np.finfo(np.float64).tiny
_ACCURACY = SubsetMean(as_rank_metric("accuracy"))


def weighted_curve(
    scores: Any, labels: Any, weights: ArrayLike, n_classes: ArrayLike | None = None, *, classes: Any = None
) -> tuple[AccuracyCurve, FloatArray]:
    """Average accuracies over weighted subsets, and the influence of each class on them.

    Parameters
    ----------
    scores, labels, classes
        As in `classex.correct_ranks`.
    weights : array_like of shape (n_classes,)
        Weight of each class; only ratios matter.
    n_classes : array_like of int, optional
        Numbers of classes, up to the effective number; by default as in `classex.accuracy_curve`.

    Returns
    -------
    AccuracyCurve
        The curve, with standard errors over classes.
    influence : ndarray of shape (n_classes, n)
        What each class adds to the deviation of the accuracies. The Gram matrix is the covariance.

    Raises
    ------
    TypeError, ValueError
        If ranks were given, or an argument is not as described.
    """
    if isinstance(scores, CorrectRanks) or labels is None:
        raise TypeError("weights need scores and labels: ranks do not show which classes a point beats")
    matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    tested = np.unique(truth)
    weight = _checked(weights, matrix.shape[1], tested)
    last, units = (_effective_number(weights) for weights in (weight, weight[tested]))
    asked = default_sizes(1, last) if n_classes is None else as_class_counts(n_classes, maximum=last).astype(np.int64)
    if (weight == 1).all():
        value, influence, most = subset_deviations(ranks_of_checked(matrix, truth), asked, _ACCURACY)
    else:
        value, influence, most = _deviations(matrix, truth, weight, asked, (last, units))
    error, limits = np.linalg.norm(influence, axis=0), np.tile([0.0, 1.0], (asked.size, 1))
    counts = ("accuracy", tested.size, limits, most, "weights", truth.size, units)
    return AccuracyCurve(asked, np.clip(value, 0.0, 1.0), error, *counts), influence


def _checked(weights: ArrayLike, n_classes: int, tested: IntArray) -> FloatArray:
    """Return the weights of all classes, at most 1; refuse what stands for classes that could not be drawn."""
    given = as_plain_array(weights, "weights")
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError(_REFUSED.format("are infinite"))
    weight = as_weights(given, n_classes, "weights")
    left = min(_effective_number(weight), _effective_number(weight[tested]))
    if left < _FEWEST_CLASSES:
        raise ValueError(_REFUSED.format(f"leave {left}"))
    return np.asarray(weight / weight.max())


def _effective_number(weight: FloatArray) -> int:
    """Return the effective number of classes, the squared sum of the weights over the sum of their squares."""
    share = weight / max(weight.max(), _TINY)
    # rounding must not turn n equal weights into n - 1 classes
    return int(share.sum() ** 2 / max(np.square(share).sum(), _TINY) + 1e-9)


def _deviations(
    scores: NDArray[Any], labels: IntArray, weight: FloatArray, asked: IntArray, effective: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Accuracies; deviations of classes, whose Gram matrix is the covariance; the most trials."""
    (last, units), n = effective, asked.size
    half, sizes = last // 2, np.append(asked, [last // 2, last])
    value, own, whole = _own_and_whole(scores, labels, weight, sizes, effective)
    room, at_half = value * (1 - value), slice(n, n + 1)
    ends = {"room": (room, room[at_half]), "scale": (value, value[at_half])}
    deviation = np.where(sizes > half, beyond_half(own, own[:, at_half], whole[:, at_half], **ends), whole)
    error = np.linalg.norm(deviation[:, n:], axis=0)
    return value[:n], deviation[:, :n], most_trials(asked, half, last, room=room[n:], error=error, n_people=units)


def _own_and_whole(
    scores: NDArray[Any], labels: IntArray, weight: FloatArray, sizes: IntArray, effective: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Accuracies, and the deviations of classes by their own points alone, and as rivals as well.

    With equal weights, and without ties, these are the deviations of the leave-one-class-out jackknife.
    """
    n, units = effective
    points, drawn = np.arange(labels.size), sizes - 1
    truth, each = scores[points, labels][:, np.newaxis], weight[labels] * weights_of_labels(labels)
    below, tied = scores < truth, scores == truth
    tied[points, labels] = False
    point, chance, kept = tie_quadrature(tied.sum(axis=1))
    included = _inclusion(weight, int(drawn.max()))
    # sets of all classes that miss the point's own class are those of wrong labels
    missed = _beaten_sets(1 - np.eye(weight.size), included, drawn)
    own, gain = np.zeros((2, weight.size, sizes.size))
    step = max(1, _BLOCK_ELEMENTS // weight.size)
    for first in range(0, point.size, step):
        some = slice(first, first + step)
        rows = point[some]
        beaten = below[rows] + kept[some, np.newaxis] * tied[rows]
        right = _beaten_sets(beaten, included, drawn) / missed[labels[rows]]
        right *= (chance[some] * each[rows])[:, np.newaxis]
        np.add.at(own, labels[rows], right)
        gain += beaten.T @ (right / np.maximum(beaten @ weight, _TINY)[:, np.newaxis])
    totals = np.bincount(labels, weights=each, minlength=weight.size)
    value = own.sum(axis=0) / totals.sum()
    # a rival with more weight is drawn more often: right if it is beaten, wrong if not
    loss = own / (weight.sum() - weight)[:, np.newaxis]
    rival = weight[:, np.newaxis] * drawn * (gain - loss.sum(axis=0) + loss)
    # with one class of n left out, of which all have the same weight, its share of the others' draws is n / (n - 1)
    rival *= (n - 1) / np.maximum(n - sizes, 1)
    deviations = (without_small(centred(own, totals, part, units), value) for part in (0.0, rival))
    return np.clip(value, 0.0, 1.0), *deviations


def _inclusion(weight: FloatArray, most: int) -> FloatArray:
    """Probability that a random set of 1, ..., `most` of the classes up to each one contains it: (n_classes, most)."""
    ratio, out = np.full(most, _TINY), np.empty((weight.size, most))
    for c, w in enumerate(weight):
        out[c] = w / (ratio + w)
        ratio[1:], ratio[:1] = (ratio[1:] + w) * (ratio[:-1] / (ratio[:-1] + w)), ratio[:1] + w
    return out


def _beaten_sets(beaten: FloatArray, included: FloatArray, drawn: IntArray) -> FloatArray:
    """Probability that every class of a random set of so many classes is beaten: (n_rows, n_sizes)."""
    step, chances = max(1, _CACHED_ELEMENTS // (included.shape[1] + 1)), np.empty((beaten.shape[0], drawn.size))
    for first in range(0, beaten.shape[0], step):
        some = beaten[first : first + step]
        out = np.zeros((some.shape[0], included.shape[1] + 1))
        out[:, 0] = 1
        for column, r in zip(some.T, included, strict=True):
            out[:, 1:] += r * (column[:, np.newaxis] * out[:, :-1] - out[:, 1:])
        chances[first : first + step] = out[:, drawn]
    return chances
