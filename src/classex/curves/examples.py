r"""Accuracy of nearest neighbours with k classes and r stored examples of each, over all subsets of both.

Let a test point of class i have the similarities :math:`s_1 \le \dots \le s_{r_i}` to the :math:`r_i` examples of its
class. Of r random ones, :math:`s_j` is the largest with probability :math:`\binom{j-1}{r-1} / \binom{r_i}{r}`. Then
class l, of whose examples :math:`b_{lj}` are less similar than :math:`s_j`, is beaten with probability
:math:`p_{lj} = \binom{b_{lj}}{r} / \binom{r_l}{r}`, independently of other classes, and the point is right with
probability

.. math::

    \sum_{j=r}^{r_i} \frac{\binom{j-1}{r-1}}{\binom{r_i}{r}} \,
    \frac{e_{k-1}(p_{lj} : l \ne i)}{\binom{k_1-1}{k-1}},

with e the elementary symmetric polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_finite_array, as_plain_array, distinct
from classex._estimates import rate_interval, without_rounding
from classex._loops.curves import beaten_subsets
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.curves.accuracy import beyond_half, spaced_sizes
from classex.ranks.ranks import tie_quadrature, weights_of_labels

__all__ = ["accuracy_surface", "surface_deviations"]


# Numbers of classes and of examples that are computed without being requested
_MOST_SIZES, _MOST_EXAMPLES = 14, 8


@dataclass(frozen=True)
class AccuracySurface(Result):
    """Average accuracy with k classes and r stored examples of each.

    Attributes
    ----------
    n_classes : ndarray of shape (n_k,)
        Numbers of classes k.
    n_examples : ndarray of shape (n_r,)
        Numbers of stored examples r of each class.
    accuracy : ndarray of shape (n_k, n_r)
        Average accuracy, a probability.
    standard_error : ndarray of shape (n_k, n_r)
        Standard errors over classes.
    interval : ndarray of shape (n_k, n_r, 2)
        Confidence intervals for the average over random sets of classes of the population.
    n_tested : int
        Number of classes with test points.
    confidence_level : float
        Nominal coverage of the intervals.

    Examples
    --------
    Class 0 has the examples 0 and 4, class 1 the examples 1 and 5:

    >>> import numpy as np
    >>> import classex as cx
    >>> similarity = -np.abs(np.subtract.outer([0.4, 5.0], [0.0, 4.0, 1.0, 5.0]))
    >>> surface = cx.curves.accuracy_surface(
    ...     similarity, [0, 1], [0, 0, 1, 1], 2, [1, 2]
    ... )
    >>> surface.accuracy
    array([[0.75, 1.  ]])
    """

    n_classes: NDArray[np.int64]
    n_examples: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    n_tested: int
    confidence_level: float = 0.95

    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = (
        "Average accuracy with some of the classes and examples, from {n_tested} classes that weigh the same:"
    )

    def _table(self) -> dict[str, Any]:
        k, r = np.meshgrid(self.n_classes, self.n_examples, indexing="ij")
        columns = {"n_classes": k, "n_examples": r, "accuracy": self.accuracy, "standard_error": self.standard_error}
        columns |= {"low": self.interval[..., 0], "high": self.interval[..., 1]}
        return {name: value.ravel() for name, value in columns.items()}


def accuracy_surface(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    n_classes: ArrayLike | None = None,
    n_examples: ArrayLike | None = None,
) -> AccuracySurface:
    r"""Average accuracy of nearest neighbours over all subsets of k classes and of r stored examples of each.

    A test point is assigned to the class of the most similar of the k r examples. The average over all subsets is
    exact: in few-shot learning, the mean over all k-way r-shot episodes.

    Parameters
    ----------
    similarities : array_like of shape (n_test, n_stored)
        Similarity of each test point to each stored example, higher is more similar: for distances, with a minus sign.
    labels : array_like of shape (n_test,)
        Class of each test point, one of `example_labels`.
    example_labels : array_like of shape (n_stored,)
        Class of each stored example: numbers or strings, of at least two classes.
    n_classes : int or array_like of int, optional
        Numbers of classes k, from 1 to the number of classes; by default up to 14 of them.
    n_examples : int or array_like of int, optional
        Numbers of examples r of each class, from 1 to that of the class with the fewest; by default up to 8 of them.

    Returns
    -------
    AccuracySurface
        ``accuracy[i, j]`` with ``n_classes[i]`` classes and ``n_examples[j]`` examples of each; every class with test
        points weighs the same.

    Raises
    ------
    TypeError, ValueError
        If an entry is not finite, lengths differ, a label has no stored example, or a number is out of range.

    Notes
    -----
    Classes may have unequal numbers of examples. Ties between classes count in expectation over random tie-breaking.
    Stored examples must not be test points. With one example a class the result is that of `classex.accuracy_curve`.

    Standard errors are those of the jackknife over classes, each with all of its examples and test points; beyond half
    of the classes as in `classex.accuracy_curve`. They describe the same collection of examples: how another choice
    of, say, voices would change all classes together they do not show.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> centres = rng.normal(size=(20, 1, 5))
    >>> stored = (centres + 0.5 * rng.normal(size=(20, 4, 5))).reshape(80, 5)
    >>> tests = centres[:, 0] + 0.5 * rng.normal(size=(20, 5))
    >>> similarity = -np.linalg.norm(tests[:, None] - stored, axis=2)
    >>> print(
    ...     cx.curves.accuracy_surface(
    ...         similarity, range(20), np.repeat(range(20), 4), [5, 20], [1, 4]
    ...     )
    ... )
    Average accuracy with some of the classes and examples, from 20 classes that weigh the same:
    <BLANKLINE>
    classes  examples  accuracy  standard error   95 % interval
          5         1     0.847           0.050  0.716 to 0.924
          5         4     0.886           0.066  0.683 to 0.965
         20         1     0.624           0.084  0.444 to 0.775
         20         4      0.70            0.14    0.40 to 0.89
    """
    sizes, counts, value, deviation = surface_deviations(similarities, labels, example_labels, n_classes, n_examples)
    error = without_rounding(np.linalg.norm(deviation, axis=0), value)
    people = int(np.unique(np.asarray(labels)).size)
    interval = rate_interval(value.ravel(), error.ravel(), people, 0.95).reshape(*value.shape, 2)
    return AccuracySurface(sizes, counts, value, error, interval, people)


def surface_deviations(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    n_classes: ArrayLike | None = None,
    n_examples: ArrayLike | None = None,
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Numbers of classes and of examples, accuracies (n_k, n_r), and the part of each class (n_classes, n_k, n_r).

    Arguments are those of `accuracy_surface`. Over classes, the Gram matrix of the parts is the covariance.
    """
    matrix = as_finite_array(similarities, "similarities", ndim=2)
    names, stored = distinct(as_plain_array(example_labels, "example_labels"), "example_labels")
    if stored.shape != matrix.shape[1:] or names.size < 2:
        raise ValueError(
            f"example_labels must name the class of each of the {matrix.shape[1]} columns of similarities, of at least"
            f" 2 classes, but has shape {stored.shape} and {names.size} classes"
        )
    given = as_plain_array(labels, "labels")
    unknown = ~np.isin(given, names)
    if given.shape != matrix.shape[:1] or unknown.any() or not given.size:
        fault = f"{given[unknown][0]!r} is none" if unknown.any() else f"the shape is {given.shape}"
        raise ValueError(
            f"labels must name the class of each of the {matrix.shape[0]} rows of similarities, one of the classes of"
            f" example_labels, but {fault}"
        )
    truth, count = np.searchsorted(names, given), np.bincount(stored)
    k1, most = names.size, int(count.min())
    n_classes = spaced_sizes(2, k1, _MOST_SIZES) if n_classes is None else n_classes
    n_examples = spaced_sizes(1, most, _MOST_EXAMPLES) if n_examples is None else n_examples
    sizes = as_class_counts(n_classes, maximum=k1).astype(np.int64)
    numbers = as_class_counts(n_examples, "n_examples", maximum=most).astype(np.int64)
    half = k1 // 2
    extended, index = np.unique(np.append(sizes, half), return_inverse=True)
    own, without = _sums(matrix[:, np.argsort(stored, kind="stable")], truth, count, extended - 1, numbers)
    value, deviation = _deviations(own, without, np.bincount(truth, minlength=k1) > 0, extended, half)
    return sizes, numbers, np.clip(value[index[:-1]], 0.0, 1.0), deviation[:, index[:-1]]


def _sums(
    similar: NDArray[Any], truth: IntArray, count: IntArray, drawn: IntArray, numbers: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Sums of weighted probabilities to be right over the points of each class, and of all points without each class.

    Columns of `similar` are ordered by class; both sums have the shape (n_classes, n_drawn, n_numbers).
    """
    own, without = np.zeros((2, numbers.size, count.size, drawn.size))
    first, weight = np.cumsum(count) - count, weights_of_labels(truth)
    shares = [_shares(int(count.max()), int(r)) for r in numbers]
    half = count.size // 2 - 1
    for row, i, w in zip(similar, truth, weight, strict=True):
        best = np.sort(row[first[i] : first[i] + count[i]])[:, np.newaxis]
        below, upto = (np.add.reduceat(c, first, axis=1, dtype=np.int64) for c in (row < best, row <= best))
        for r, share, right, left in zip(numbers, shares, own, without, strict=True):
            low, high = (share[count, b[r - 1 :]] for b in (below, upto))
            high[:, i] = low[:, i]
            node, chance, won = tie_quadrature((high > low).sum(axis=1))
            chance = chance * np.diff(share[count[i], : count[i] + 1])[r - 1 :][node]
            beaten = low[node] + won[:, np.newaxis] * (high - low)[node]
            beaten_subsets(beaten, int(i), w * chance, drawn, half, right[i], left, cells=similar.size * numbers.size)
    return np.moveaxis(own, 0, 2), np.moveaxis(without, 0, 2)


def _shares(most: int, r: int) -> FloatArray:
    """Share of the sets of r out of c examples that lie within b of them, for c and b up to `most`: row c, column b."""
    c, b = np.indices((most + 1, most + 1))
    share = np.ones(c.shape)
    for z in range(r):
        share *= np.maximum(b - z, 0) / np.maximum(c - z, 1)
    return share


def _deviations(
    own: FloatArray, without: FloatArray, tested: NDArray[np.bool_], sizes: IntArray, half: int
) -> tuple[FloatArray, FloatArray]:
    """Accuracies, and the part of each class in their deviation: the jackknife, carried on beyond half."""
    k1, p = tested.size, int(tested.sum())
    value: FloatArray = own.sum(axis=0) / p
    if p < 2:
        return value, np.full(own.shape, np.nan)
    alone = tested[:, np.newaxis, np.newaxis] * (own - value) / np.sqrt(p * (p - 1.0))
    if k1 < 4:
        return value, alone
    left = without / (p - tested[:, np.newaxis, np.newaxis])
    whole = (left.mean(axis=0) - left) * np.sqrt(1 - 1 / k1)
    small, index = sizes <= half, int(np.flatnonzero(sizes == half)[0])
    room, here = np.maximum(value * (1 - value), 0.0), slice(index, index + 1)
    carried = beyond_half(alone, alone[:, here], whole[:, here], room=(room, room[here]), scale=(value, value[here]))
    return value, np.where(small[:, np.newaxis], whole, carried)
