"""Lower confidence bounds for mutual information from ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_counts, as_plain_array, as_positive_int, as_probability, one_of
from classex._types import AverageBoundMethod, FloatArray
from classex.bayes import Repeats, generalisation_accuracy_bound, repeats_of, unclipped_bound
from classex.curves.accuracy import accuracy_curve
from classex.information.ceiling import (
    MOST_CLASSES,
    InformationConfidenceBound,
    as_population,
    information_bound,
)
from classex.information.tilting import extremal_in, least_divergence
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks, point_shares

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
    answered: ArrayLike | None = None,
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
        used in training. With units (`classex.ranks.in_units`) the units must be a random sample instead, and the bound
        is for the population of units: of the class and the response of a random unit, the unit known.
    n_classes : int or array_like of int, optional
        The set K, chosen before seeing the test data; each in :math:`2..k_1`. By default
        `default_class_counts`: :math:`k_1, k_1/5, k_1/25, \dots`; :math:`k_1` alone where it is the whole population.
    confidence_level : float
        Probability :math:`1 - \alpha` with which the bound must hold, in (0, 1).
    n_classifiers : int, optional
        Number L of classifiers tried on these test points, if more than are given in `ranks`.
    method : {"chernoff", "joint"}
        Confidence bound for the accuracy, as in `average_bayes_accuracy_bound`.
    population_size : int, optional
        Number N of classes in the population, if the :math:`k_1` classes are distinct and were drawn from N equally
        likely ones; :math:`N = k_1` if these are all. Tasks then have distinct classes. Without it the bound is for an
        infinite population, which is too large for a finite one: distinct classes never include two copies of one.
    answered : array_like of bool of shape (n_points,), optional
        Whether each test point is answered, by a rule on the point alone that was fixed before its class and the tested
        classes were known. The bound then rests on the accuracy of the points answered and on their share.

    Returns
    -------
    InformationConfidenceBound
        The bound in nats, what each accuracy adds to it, and the bounds for every k alone.

    Raises
    ------
    ValueError
        If the classifiers disagree in their number of classes, a k lies outside :math:`2..k_1` or is repeated,
        `confidence_level` is not strictly between 0 and 1, `n_classifiers` is below the number given,
        `population_size` is below :math:`k_1`, or `answered` does not have one entry for each point of every
        classifier. Also if the ranks are in clusters, or not balanced by class: then the accuracy is not one of
        independent, equally likely classes.
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
    more, and the best bound from one accuracy alone holds on the same event: the larger of the two is returned. In each
    `accuracy_bound` the union is kept. A single test has no price.

    *Why one formula serves every k.* Let :math:`B_k` be the Bayes accuracy of k of the classes, averaged over all
    subsets; its mean is :math:`\mathrm{ABA}_k`. Given classes and training data, the expected
    :math:`\mathrm{ATA}_k` is the average over subsets of the accuracy of some rule, so at most :math:`B_k`, and
    :math:`\mathrm{ATA}_k` is a weighted sum of independent terms in [0, 1], one for each test point. A class takes
    part in :math:`k/k_1` of the subsets and moves the Bayes accuracy of each by at most 1/k: it moves :math:`B_k`
    by at most :math:`1/k_1`, whatever k. The same averaging keeps the sums of single gains and of single losses
    within :math:`k_1 B_k` and :math:`2 k_1 (1 - B_k)`. These are the only properties that the bounds of
    `average_bayes_accuracy_bound` use, with :math:`k_1` for k. This holds for every classifier, whether it scores
    classes one by one or was trained on all :math:`k_1` together.

    *Units.* Given the classes, the points of a unit are one term in [0, W], W its weight in the average, and the terms
    of different units are independent. So in these bounds r is :math:`1/(k_1 \sum W^2)` (``"joint"``) or
    :math:`1/(k_1 \max W)`, which for test points of weight :math:`1/(k_1 r)` is r.

    *Points that are not answered* count as wrong for the share b of right answers, and as right for the share e of
    wrong ones, so the same inequality bounds b from below and e from above, each with the error probability
    :math:`\alpha/(2L|K|)`. With :math:`P(A) = b + e` the information is at least
    :math:`P(A)\,C_k^{-1}(b / P(A))`. This decreases in P(A) at fixed b and increases at fixed e, so it is smallest
    where both are at their limits. The largest of these bounds is returned; they are not joined to a set.

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
    several = [_as_evidence(one) for one in (ranks if isinstance(ranks, list | tuple) else [ranks])]
    if not several:
        raise ValueError("ranks must hold at least one CorrectRanks, but is empty")
    k1 = several[0].n_classes
    for one in several:
        if one.n_classes != k1:
            raise ValueError(f"ranks must share their number of classes, but hold {k1} and {one.n_classes}")
    population = as_population(population_size, np.array([k1 - 1.0]))
    sizes = default_class_counts(k1)[: 1 if population == k1 else None]
    if n_classes is not None:
        sizes = as_class_counts(n_classes, minimum=2, maximum=k1).astype(np.int64)
        if np.unique(sizes).size != sizes.size:
            raise ValueError(f"n_classes must name each number of classes once, not {sizes.tolist()}")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    tried = len(several)
    if n_classifiers is not None:
        tried = as_positive_int(n_classifiers, "n_classifiers", minimum=tried, maximum=10**12)
    kind = one_of(method, "method", CURVE_METHODS)
    repeats = [repeats_of(_block_weights(one), k1) for one in several]
    # every class tested, and right answers to count: no bound for given classes is better than Clopper and Pearson's
    exact = population == k1 and sizes.tolist() == [k1] and answered is None and all(map(_counted, several))
    share = None
    if answered is not None:
        several, share = _only_answered(several, answered)
    accuracy = np.stack([accuracy_curve(one, sizes, standard_errors=False).accuracy for one in several])
    return bound_from_curves(
        accuracy, sizes, k1, repeats, [one.n_points for one in several], level=level, tried=tried, method=kind,
        population_size=population, answered=share, exact=exact,
        n_units=None if several[0].point_units is None else int(several[0].point_units.max()) + 1,
    )  # fmt: skip


def _as_evidence(ranks: Any) -> CorrectRanks:
    """Return the ranks if their accuracy is a mean over tasks of independent, equally likely classes."""
    as_ranks(ranks, every_class=True)
    if ranks.clusters is not None:
        raise ValueError(
            "ranks must not be in clusters: the bound needs tasks of independent classes, and ranks do not tell which"
            " of the classes beaten belong to other clusters; give the scores of one random class from each cluster"
        )
    if not ranks.class_balanced and np.ptp(np.bincount(ranks.labels)) > 0:
        raise ValueError(
            "ranks must be balanced by class (class_balanced=True): where every point has the same weight, the accuracy"
            " is not one of equally likely classes"
        )
    return cast("CorrectRanks", ranks)


def _counted(ranks: CorrectRanks) -> bool:
    """Whether the accuracy with all classes is a number of right answers among independent points, over their number.

    A point that may have won a tie has part of a right answer.
    """
    tied = (ranks.ties > 0) & (ranks.wins + ranks.ties == ranks.n_classes - 1)
    return ranks.point_units is None and not tied.any() and np.ptp(np.bincount(ranks.labels)) == 0


def _block_weights(ranks: CorrectRanks) -> FloatArray:
    """Weights, in the average over classes, of the test points or of the units that they come in."""
    weights = point_shares(ranks)
    return weights if ranks.point_units is None else np.asarray(np.bincount(ranks.point_units, weights), np.float64)


def _only_answered(several: Sequence[CorrectRanks], answered: ArrayLike) -> tuple[list[CorrectRanks], float]:
    """Ranks in which the points that are not answered beat no class, and the share of the others."""
    given = as_plain_array(answered, "answered")
    if given.dtype != np.bool_ or any(given.shape != one.labels.shape for one in several):
        raise ValueError(
            f"answered must have one truth value for each of the {several[0].n_points} test points of every classifier,"
            f" not values of dtype {given.dtype} and shape {given.shape}"
        )
    if any((one.labels != several[0].labels).any() for one in several):
        raise ValueError("ranks must be of the same test points where some are not answered")
    kept = [replace(one, wins=one.wins * given, ties=one.ties * given, distractors=None) for one in several]
    return kept, float(point_shares(several[0]) @ given)


def bound_from_curves(
    accuracy: FloatArray,
    sizes: NDArray[np.int64],
    k1: int,
    repeats: Sequence[Repeats],
    n_points: Sequence[int],
    *,
    level: float,
    tried: int,
    method: AverageBoundMethod,
    population_size: int | None = None,
    answered: float | None = None,
    n_units: int | None = None,
    exact: bool = False,
) -> InformationConfidenceBound:
    """`information_confidence_bound` from average test accuracies, a row for each classifier."""
    tests = tried * sizes.size * (1 if answered is None else 2)
    at: Any = partial(
        unclipped_bound, k=k1, alpha=1 - level, n_rules=tests, method=method, population_size=population_size
    )
    limits, largest, sets = np.empty_like(accuracy), np.ones_like(accuracy), []
    for (row, column), value in np.ndenumerate(accuracy):
        test = partial(at, repeats=repeats[row], task_size=int(sizes[column]))
        limits[row, column] = test(value)[0]
        if exact:
            limits[row, column] = generalisation_accuracy_bound(
                value, n_classes=k1, n_repeats=round(repeats[row].least), confidence_level=level, n_classifiers=tests
            )
        if answered is not None:
            # at most this share is answered: what is right at least, and what is wrong at most
            wrong = 1 - test(1 - (answered - value))[0]
            largest[row, column] = min(max(limits[row, column], 0.0) + wrong, 1.0)
        elif exact or tests == 1:  # a single accuracy has the whole error probability
            sets.append((1 - limits[row, column], np.zeros(1)))
        else:
            sets.append(_shares(float(value), test, k1, tests / (1 - level)))
    accuracy_bound = np.clip(limits / largest, 1.0 / sizes, 1.0)
    nats: Any = largest * information_bound(accuracy_bound, sizes, population_size=population_size)
    m = np.tile(sizes - 1.0, len(accuracy))
    best, column = np.unravel_index(int(np.argmax(nats)), nats.shape)
    if answered is None:
        owner = np.repeat(np.arange(accuracy.size), [np.size(share) for _, share in sets])
        error, share = (np.concatenate([np.atleast_1d(entry) for entry in part]) for part in zip(*sets, strict=True))
        together, multipliers = least_divergence(m, owner, error, share, population_size)
    else:
        a, together, multipliers = float(accuracy_bound[best, column]), 0.0, np.zeros(nats.shape)
        _, c = extremal_in(
            np.array([a - 1 / int(sizes[column])]),
            np.array([1 - a]),
            np.array([int(sizes[column]) - 1.0]),
            population_size,
        )
        multipliers[best, column] = largest[best, column] * c[0]
    return InformationConfidenceBound(
        information=max(together, float(nats.max())),
        n_classes=int(sizes[column]),
        classifier=int(best),
        confidence_level=level,
        class_counts=sizes,
        accuracy=accuracy if answered is None else accuracy / max(answered, np.finfo(float).tiny),
        accuracy_bound=accuracy_bound,
        information_by_class_count=nats,
        multipliers=multipliers.reshape(nats.shape),
        n_points=n_points[int(best)],
        method=method,
        n_units=n_units,
        population_size=population_size,
        answered=None if answered is None else float(largest[best, column]),
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
