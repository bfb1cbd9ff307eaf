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

__all__ = ["SLOPE_CHANGE", "extrapolate_examples", "probits_with_examples"]

FloatArray = NDArray[np.float64]

# Standard deviation of the change of slope from one doubling of the examples to the next, in probits: learnt from four
# domains of real data (`benchmarks/examples`)
SLOPE_CHANGE = 0.05


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
    :math:`r_1` examples. The default method (`classex.methods.GaussianProcess`) extrapolates :math:`z(k, r_1)` in k.
    Beyond :math:`r_1` the probit continues along a straight line in the logarithm of r,

    .. math:: z(k, r) = z(k, r_1) + \log_2\frac{r}{r_1} \; \frac{z(k, r_1) - z(k, r_0)}{\log_2 (r_1 / r_0)},
              \qquad r_0 = \lfloor r_1 / 2 \rfloor,

    whose slope is taken from the observed numbers of classes, and with more classes is that with all of them. Its
    sampling variance over classes is added. The error of the straight line adds the standard deviation .05 for each
    doubling, learnt from four domains of real data (``benchmarks/examples``).

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
    array([[0.7 , 0.76],
           [0.61, 0.69]])
    """
    wanted = as_class_counts(n_classes, minimum=2)
    numbers = as_class_counts(n_examples, "n_examples").astype(np.int64)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    data = similarities, labels, example_labels
    mean, variance = np.stack([probits_with_examples(*data, wanted, int(r)) for r in numbers], axis=-1)
    spread = CurvePrior().width * np.sqrt(variance)
    away = special.ndtri([0.5 - level / 2, 0.5 + level / 2]) * spread[..., np.newaxis]
    people = int(np.unique(np.asarray(labels)).size)
    value, error, ends = special.ndtr(mean), spread * density(mean), special.ndtr(mean[..., np.newaxis] + away)
    return AccuracySurface(wanted.astype(np.int64), numbers, value, error, ends, people, level)


def probits_with_examples(
    similarities: ArrayLike,
    labels: ArrayLike,
    example_labels: ArrayLike,
    wanted: FloatArray,
    n_examples: int,
    change: float = SLOPE_CHANGE,
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the probit of the accuracy with these numbers of classes, and `n_examples` of each."""
    most = int(np.unique(np.asarray(example_labels), return_counts=True)[1].min())
    if most < 2:
        raise ValueError(f"example_labels must give every class at least two examples, but one class has {most}")
    sizes = spaced_sizes(2, np.unique(np.asarray(example_labels)).size, MOST_SIZES)
    used, m = [min(n_examples, most), most // 2], sizes.size
    _, _, value, deviation = surface_deviations(similarities, labels, example_labels, sizes, used)
    parts = np.moveaxis(deviation, 1, 2).reshape(deviation.shape[0], -1)
    units = np.unique(np.asarray(labels)).size
    both = from_curve(np.tile(sizes, 2), value.T.ravel(), parts.T @ parts, units, None)
    doublings = max(float(np.log2(n_examples / most)), 0.0)
    rise = doublings / np.log2(most / used[1])
    line = np.kron([1 + rise, -rise], np.eye(m))
    # along the line the probit rises, and so does its sampling variance
    added = line @ both.probit - both.probit[:m], np.diag(line @ both.noise @ line.T) - np.diag(both.noise)[:m]
    more, wider = (np.interp(np.log(wanted), np.log(sizes), one) for one in added)
    curve = GaussianProcessDistribution(sizes, both.probit[:m], both.noise[:m, :m], both.prior)
    mean, variance = curve.posterior(wanted)
    return mean + more, np.maximum(variance + wider, 0.0) + (change * doublings) ** 2
