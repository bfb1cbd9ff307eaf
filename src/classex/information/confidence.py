"""Lower confidence bounds for mutual information from ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_positive_int, as_probability, one_of
from classex._types import AverageBoundMethod, FloatArray
from classex.bayes import unclipped_bound
from classex.curves.accuracy import accuracy_curve
from classex.information.ceiling import MOST_CLASSES, InformationConfidenceBound, information_bound, least_divergence
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = ["default_class_counts", "information_confidence_bound"]


# Bounds of the average Bayes accuracy that come from exponential tests
CURVE_METHODS = ("chernoff", "joint")
# Change of a log share from one test to the next: half of it raises the bound by less than 1e-4 nats
_STEP = 0.25
# Logarithm of the share that counts as 0: at -7 the bound of six tests is lower by up to .005 nats
_SMALLEST = -9.0


def default_class_counts(n_classes: int) -> NDArray[np.int64]:
    r"""Numbers of classes that `information_confidence_bound` tries: k_1, and k_1/5, k_1/25, ... down to 2.

    The bound is flat around its best k, so a coarse grid loses little, and each further size costs confidence.

    Parameters
    ----------
    n_classes : int
        Number of classes :math:`k_1` of the experiment, at least 2.

    Returns
    -------
    ndarray of int64
        In decreasing order.

    Examples
    --------
    >>> from classex.information import default_class_counts
    >>> default_class_counts(400)
    array([400,  80,  16,   3])
    """
    sizes = as_positive_int(n_classes, "n_classes", minimum=2, maximum=MOST_CLASSES) // 5 ** np.arange(22)
    return sizes[sizes >= 2]


def information_confidence_bound(
    ranks: CorrectRanks | Sequence[CorrectRanks],
    *,
    n_classes: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_classifiers: int | None = None,
    method: Literal["chernoff", "joint"] = "chernoff",
    population_size: int | None = None,
) -> InformationConfidenceBound:
    r"""Lower confidence bound for the mutual information of class and test point, for every joint density.

    From the ranks on one random set of :math:`k_1` classes: for each k of a set K fixed in advance and each of L
    classifiers, a test rejects average Bayes accuracies that are too small for the average test accuracy
    :math:`\mathrm{ATA}_k`. With probability at least :math:`1 - \alpha` the whole curve is in the set of those that
    the mean of the tests does not reject, and the bound is the least information of a curve in this set.

    Parameters
    ----------
    ranks : CorrectRanks or sequence of CorrectRanks
        Ranks of one classifier, or of each of several classifiers on the same :math:`k_1` classes. The classes
        must be a random sample from the population, the test points independent given their classes, and not
        used in training.
    n_classes : int or array_like of int, optional
        The set K, chosen before seeing the test data; each in :math:`2..k_1`. By default
        `default_class_counts`: :math:`k_1, k_1/5, k_1/25, \dots`.
    confidence_level : float
        Probability :math:`1 - \alpha` with which the bound must hold, in (0, 1).
    n_classifiers : int, optional
        Number L of classifiers tried on these test points, if more than are given in `ranks`.
    method : {"chernoff", "joint"}
        Confidence bound for the accuracy, as in `average_bayes_accuracy_bound`.
    population_size : int, optional
        Number N of classes in the population, if the :math:`k_1` classes are distinct and were drawn from N equally
        likely ones. Without it the bound is for an infinite population, which is too large for a finite one: distinct
        classes never include two copies of one class.

    Returns
    -------
    InformationConfidenceBound
        The bound in nats, what each accuracy adds to it, and the bounds for every k alone.

    Raises
    ------
    ValueError
        If the classifiers disagree in their number of classes, a k lies outside :math:`2..k_1` or is repeated,
        `confidence_level` is not strictly between 0 and 1, `n_classifiers` is below the number given, or
        `population_size` is below :math:`k_1`.
    TypeError
        If an element of `ranks` is not a `CorrectRanks`.

    See Also
    --------
    classex.information.curve_information_bound : The same without allowance for chance.

    Notes
    -----
    Source: thesis section 4.4 (one sentence there); theorem 2.5.2 for :math:`k = k_1`; the joint set is this package's.

    *One set for the whole curve.* The bounds of `average_bayes_accuracy_bound` come from exponentials
    :math:`e_k(a) = \exp(k_1 (t_a \mathrm{ATA}_k - s_a a) - c_a)` of mean at most 1 if
    :math:`\mathrm{ABA}_k \ge a`. The union of bounds rejects a curve if some :math:`e_k` reaches :math:`L|K|/\alpha`.
    The sum of all, over :math:`L|K|`, has mean at most 1 as well, so by Markov's inequality it exceeds
    :math:`1/\alpha` with probability at most :math:`\alpha`. This rejects every curve that the union rejects, and
    more. In each `accuracy_bound` the union is kept. A single test has no price.

    *Why one formula serves every k.* Let :math:`B_k` be the Bayes accuracy of k of the classes, averaged over all
    subsets; its mean is :math:`\mathrm{ABA}_k`. Given classes and training data, the expected
    :math:`\mathrm{ATA}_k` is the average over subsets of the accuracy of some rule, so at most :math:`B_k`, and
    :math:`\mathrm{ATA}_k` is a weighted sum of independent terms in [0, 1], one for each test point. A class takes
    part in :math:`k/k_1` of the subsets and moves the Bayes accuracy of each by at most 1/k: it moves :math:`B_k`
    by at most :math:`1/k_1`, whatever k. The same averaging keeps the sums of single gains and of single losses
    within :math:`k_1 B_k` and :math:`2 k_1 (1 - B_k)`. These are the only properties that the bounds of
    `average_bayes_accuracy_bound` use, with :math:`k_1` for k. This holds for every classifier, whether it scores
    classes one by one or was trained on all :math:`k_1` together. In a finite population the accuracy with k distinct
    classes is lowered by E[D]/k, D the number of distinct classes among k independent draws.

    Examples
    --------
    >>> import classex as cx
    >>> model = cx.models.GaussianSequence(n_features=100, signal=12.0)
    >>> sample = model.sample(200, n_repeats=10, rng=0)
    >>> ranks = cx.correct_ranks(sample.scores, sample.labels)
    >>> bound = cx.information_confidence_bound(ranks)
    >>> round(bound.information, 1), round(model.information(), 1)
    (4.0, 5.7)
    """
    several: list[Any] = list(ranks) if isinstance(ranks, list | tuple) else [ranks]
    if not several:
        raise ValueError("ranks must hold at least one CorrectRanks, but is empty")
    k1 = as_ranks(several[0], every_class=True).n_classes
    for model_ranks in several:
        if as_ranks(model_ranks, every_class=True).n_classes != k1:
            raise ValueError(f"ranks must share their number of classes, but hold {k1} and {model_ranks.n_classes}")
    sizes = default_class_counts(k1)
    if n_classes is not None:
        sizes = as_class_counts(n_classes, minimum=2, maximum=k1).astype(np.int64)
        if np.unique(sizes).size != sizes.size:
            raise ValueError(f"n_classes must name each number of classes once, not {sizes.tolist()}")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    tried = len(several)
    if n_classifiers is not None:
        tried = as_positive_int(n_classifiers, "n_classifiers", minimum=tried, maximum=10**12)
    kind = one_of(method, "method", CURVE_METHODS)
    accuracy = np.stack([accuracy_curve(ranks, sizes, standard_errors=False).accuracy for ranks in several])
    repeats = [np.bincount(ranks.labels, minlength=k1) for ranks in several]
    return bound_from_curves(
        accuracy, sizes, k1, repeats, level=level, tried=tried, method=kind, population_size=population_size
    )


def bound_from_curves(
    accuracy: FloatArray,
    sizes: NDArray[np.int64],
    k1: int,
    repeats: Sequence[ArrayLike],
    *,
    level: float,
    tried: int,
    method: AverageBoundMethod,
    population_size: int | None = None,
) -> InformationConfidenceBound:
    """`information_confidence_bound` from average test accuracies, a row for each classifier."""
    tests = tried * sizes.size

    def at(value: float, row: int, column: int) -> tuple[float, float, float]:
        task_size = int(sizes[column])
        return unclipped_bound(
            value, k1, repeats[row], level, tests, method, population_size=population_size, task_size=task_size
        )

    limits, sets = np.empty_like(accuracy), []
    for (row, column), value in np.ndenumerate(accuracy):
        limits[row, column] = at(float(value), row, column)[0]
        # a single test has the whole error probability
        alone = 1 - limits[row, column], np.zeros(1)
        sets.append(
            alone if tests == 1 else _shares(float(value), partial(at, row=row, column=column), k1, tests / (1 - level))
        )
    owner = np.repeat(np.arange(accuracy.size), [np.size(share) for _, share in sets])
    error, share = (np.concatenate([np.atleast_1d(entry) for entry in part]) for part in zip(*sets, strict=True))
    together, multipliers = least_divergence(np.tile(sizes - 1.0, len(accuracy)), owner, error, share)
    accuracy_bound = np.clip(limits, 1.0 / sizes, 1.0)
    nats: Any = information_bound(accuracy_bound, sizes)
    best, column = np.unravel_index(int(np.argmax(nats)), nats.shape)
    return InformationConfidenceBound(
        float(nats[0, 0]) if tests == 1 else max(together, 0.0),
        int(sizes[column]),
        int(best),
        level,
        sizes,
        accuracy,
        accuracy_bound,
        nats,
        multipliers.reshape(nats.shape),
        int(np.sum(np.broadcast_to(repeats[int(best)], k1))),
        method,
    )


def _shares(
    x: float, bound_at: Callable[[float], tuple[float, float, float]], k1: int, threshold: float
) -> tuple[FloatArray, FloatArray]:
    """Errors 1 - a from the largest down, and the share of the error probability that rejects each a at accuracy x.

    The test of an a is the one that just rejects it at the next point of a grid that does not depend on the data. Its
    share is exp(k1 (t (x - point) - s (a - bound))), with its own t, s and bound. From one point of the grid to the
    next this is convex in a, and at least the chord times exp(-d^2 / 8), d its change on the log scale (Hoeffding's
    lemma).
    """
    # equal steps of the arc sine of the root change the log share by about _STEP
    steps = int(np.ceil(np.pi * k1 * np.sqrt(2 * np.log(threshold) / k1) / _STEP))
    number = int(np.arcsin(np.sqrt(x)) / (np.pi / 2) * steps)
    left, _, slope = bound_at(float(np.sin(np.pi / 2 * number / steps) ** 2))
    bounds, logs, last = [], [], 0.0
    while last > _SMALLEST and number < steps:
        number += 1
        point = float(np.sin(np.pi / 2 * number / steps) ** 2)
        right, tilt, slope = bound_at(point)
        last, first = k1 * tilt * (x - point), k1 * (tilt * (x - point) + slope * (right - left))
        if first > 0:  # the share is at most 1
            left, first = right + tilt * (x - point) / slope, 0.0
        bounds += [left, right]
        logs += [first - (first - last) ** 2 / 8, last - (first - last) ** 2 / 8]
        left = right
    # the test at an accuracy of 1 serves every larger a
    more = np.arange(0.0, last - _SMALLEST, _STEP)
    bounds += [*(left + more / (k1 * slope)), left + more.size * _STEP / (k1 * slope)]
    logs += [*(last - more - _STEP**2 / 8), -np.inf]
    return 1 - np.array(bounds), np.exp(logs)
