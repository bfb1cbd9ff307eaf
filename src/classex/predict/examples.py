"""Accuracy of nearest neighbours with more classes, and with more stored examples of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._rates import density, probit
from classex._types import FloatArray
from classex._validation import as_class_counts, as_probability
from classex.curves.examples import AccuracySurface, surface_deviations
from classex.curves.subsets import spaced_sizes
from classex.methods.gaussian_process import MOST_SIZES, from_curve
from classex.predict.extrapolator import Extrapolator
from classex.ranks import correct_ranks

__all__ = ["extrapolate_examples"]


# Standard deviation of the change of slope from one doubling of the examples to the next, in probits: learnt from four
# domains of real data (`benchmarks/examples`)
SLOPE_CHANGE = 0.06


def extrapolate_examples(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    *,
    n_classes: ArrayLike,
    n_examples: ArrayLike,
    confidence_level: float = 0.95,
) -> AccuracySurface:
    r"""Predict the accuracy of nearest neighbours with K classes and r stored examples of each.

    Parameters
    ----------
    similarities, labels, example_labels
        As in `classex.curves.accuracy_surface`, with at least two examples of each class.
    n_classes : int or array_like of int
        Numbers of classes K, each at least 2.
    n_examples : int or array_like of int
        Numbers of stored examples r of each class, each at least 1.
    confidence_level : float
        Nominal coverage of the intervals, in (0, 1).

    Returns
    -------
    AccuracySurface
        Its intervals are for the average over random sets of classes of the population and random examples.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    Let :math:`z(k, r)` be the probit of the exact average accuracy with k of the observed classes and r of their
    :math:`r_1` examples. `classex.Extrapolator` extrapolates :math:`z(k, r_1)` in k. The difference
    :math:`z(k, r) - z(k, r_1)` is added: that of the observed k, and beyond the observed classes that with all of them.
    With more than :math:`r_1` examples it follows a straight line in the logarithm of r,

    .. math:: z(k, r) - z(k, r_1) = \log_2\frac{r}{r_1} \; \frac{z(k, r_1) - z(k, r_0)}{\log_2 (r_1 / r_0)},
              \qquad r_0 = \lfloor r_1 / 2 \rfloor .

    The sampling variance over classes that the difference adds is added to that of the default. A change of the slope,
    along the line or with more classes, adds the standard deviation .06 for each doubling or halving of the examples,
    learnt from four domains of real data (``benchmarks/examples``).

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> centres = rng.normal(size=(40, 1, 5))
    >>> stored = (centres + 0.5 * rng.normal(size=(40, 4, 5))).reshape(160, 5)
    >>> tests = centres[:, 0] + 0.5 * rng.normal(size=(40, 5))
    >>> similarity = -np.linalg.norm(tests[:, None] - stored, axis=2)
    >>> found = cx.extrapolate_examples(
    ...     similarity,
    ...     range(40),
    ...     np.repeat(range(40), 4),
    ...     n_classes=[40, 80],
    ...     n_examples=[4, 8],
    ... )
    >>> found.accuracy.round(2)
    array([[0.55, 0.6 ],
           [0.49, 0.54]])
    """
    wanted = as_class_counts(n_classes, minimum=2)
    numbers = as_class_counts(n_examples, "n_examples")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    mean, half = predicted_probits(similarities, labels, example_labels, wanted, numbers, level)
    error = half.mean(axis=2) / special.ndtri(0.5 + level / 2) * density(mean)
    ends = special.ndtr(mean[..., np.newaxis] + half * [-1.0, 1.0])
    people = int(np.unique(np.asarray(labels)).size)
    sizes = wanted.astype(np.int64), numbers.astype(np.int64)
    return AccuracySurface(*sizes, special.ndtr(mean), error, ends, people, level)


def predicted_probits(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    wanted: FloatArray,
    numbers: FloatArray,
    level: float = 0.95,
    change: float = SLOPE_CHANGE,
) -> tuple[FloatArray, FloatArray]:
    """Probits of the predicted accuracies, (n_k, n_r), and the distances of both ends of their intervals."""
    names, owner, count = np.unique(np.asarray(example_labels), return_inverse=True, return_counts=True)
    if (most := int(count.min())) < 2:
        raise ValueError(f"example_labels must give every class at least two examples, but one class has {most}")
    # the curve at all examples and half of them, or at fewer; in probits, with the default's hypothetical class
    used = np.unique([most // 2, most, *np.minimum(numbers, most)]).astype(np.int64)
    seen = spaced_sizes(2, names.size, MOST_SIZES)
    _, _, value, deviation = surface_deviations(similarities, labels, example_labels, seen, used)
    parts = np.moveaxis(deviation, 1, 2).reshape(names.size, -1)
    units = np.unique(np.asarray(labels)).size
    curves = from_curve(np.tile(seen, used.size), value.T.ravel(), parts.T @ parts, units, None)
    observed, noise = curves.probit.reshape(used.size, -1), curves.noise.reshape(2 * (used.size, seen.size))
    covariance = np.einsum("umvm->muv", noise)
    # what the number of examples adds to the probit with all of them, and to its sampling variance
    doublings = np.log2(numbers / most)
    rise = np.maximum(doublings, 0.0) / np.log2(most / (most // 2))
    line = (np.minimum(numbers, most)[:, np.newaxis] == used) * 1.0
    line += np.outer(rise, used == most) - np.outer(rise, used == most // 2)
    added = line @ observed - observed[-1]
    wider = np.maximum(np.einsum("ru,muv,rv->rm", line, covariance, line) - covariance[:, -1, -1], 0.0)
    more, variance = (
        np.stack([np.interp(np.log(wanted), np.log(seen), curve) for curve in each], axis=1) for each in (added, wider)
    )
    order = np.argsort(owner, kind="stable")
    best = np.maximum.reduceat(np.asarray(similarities)[:, order], np.cumsum(count) - count, axis=1)
    ranks = correct_ranks(best, np.searchsorted(names, np.asarray(labels)))
    default = Extrapolator().fit_ranks(ranks)
    predicted = default.predict(wanted)[:, np.newaxis], default.predict_interval(wanted, confidence_level=level)
    middle, ends = map(probit, predicted)
    further = special.ndtri(0.5 + level / 2) ** 2 * (variance + np.square(change * doublings))
    square = np.square(ends - middle)[:, np.newaxis] + further[..., np.newaxis]
    return middle + more, np.sqrt(square)
