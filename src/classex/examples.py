"""Accuracy of nearest neighbours with more classes, and with more stored examples of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._validation import as_class_counts, as_probability
from classex.curves.examples import surface_deviations
from classex.curves.subsets import spaced_sizes
from classex.methods.gaussian_process import (
    MOST_SIZES,
    CurvePrior,
    GaussianProcessDistribution,
    density,
    from_curve,
)
from classex.results import AccuracySurface

__all__ = ["SLOPE_CHANGE", "curve_with_examples", "extrapolate_examples"]

FloatArray = NDArray[np.float64]

# Standard deviation of the change of slope from one doubling of the examples to the next, in probits: learnt from four
# domains of real data (`benchmarks/examples`)
SLOPE_CHANGE = 0.08


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
    :math:`r_1` examples. Beyond :math:`r_1` it is continued for each k along a straight line in the logarithm of r,

    .. math:: z(k, r) = z(k, r_1) + \log_2\frac{r}{r_1} \; \frac{z(k, r_1) - z(k, r_0)}{\log_2 (r_1 / r_0)},
              \qquad r_0 = \lfloor r_1 / 2 \rfloor,

    and the default method (`classex.methods.GaussianProcess`) extrapolates the resulting curve in k. The sampling
    covariance over classes is carried through both steps. The change of slope with r adds the standard deviation .08
    for each doubling, as in four domains of real data that took part in its choice (``benchmarks/examples``).

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
    array([[0.7 , 0.75],
           [0.61, 0.68]])
    """
    wanted = as_class_counts(n_classes, minimum=2)
    numbers = as_class_counts(n_examples, "n_examples").astype(np.int64)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    curves = [curve_with_examples(similarities, labels, example_labels, int(r)) for r in numbers]
    mean, variance = np.stack([curve.posterior(wanted) for curve in curves], axis=-1)
    spread = CurvePrior().width * np.sqrt(variance)
    ends = special.ndtr(
        mean[..., np.newaxis] + spread[..., np.newaxis] * special.ndtri([0.5 - level / 2, 0.5 + level / 2])
    )
    people = int(np.unique(np.asarray(labels)).size)
    return AccuracySurface(
        wanted.astype(np.int64), numbers, special.ndtr(mean), spread * density(mean), ends, people, level
    )


def curve_with_examples(
    similarities: ArrayLike, labels: ArrayLike, example_labels: ArrayLike, n_examples: int, change: float = SLOPE_CHANGE
) -> GaussianProcessDistribution:
    """Fit the default to the curve with `n_examples` of each class; `change` is that of the slope with a doubling."""
    numbers = np.unique(np.asarray(example_labels), return_counts=True)[1]
    most = int(numbers.min())
    if most < 2:
        raise ValueError(f"example_labels must give every class at least two examples, but one class has {most}")
    used = [min(n_examples, most), most // 2]
    sizes = spaced_sizes(2, numbers.size, MOST_SIZES)
    _, _, value, deviation = surface_deviations(similarities, labels, example_labels, sizes, used)
    parts = np.moveaxis(deviation, 1, 2).reshape(deviation.shape[0], -1)
    units = np.unique(np.asarray(labels)).size
    both = from_curve(np.tile(sizes, 2), value.T.ravel(), parts.T @ parts, units, None)
    doublings = max(np.log2(n_examples / most), 0.0)
    slope = doublings / np.log2(most / used[1])
    line = np.kron([1 + slope, -slope], np.eye(sizes.size))
    noise = line @ both.noise @ line.T + (change * doublings) ** 2
    return GaussianProcessDistribution(sizes, line @ both.probit, noise, both.prior)
