"""Lower confidence bounds for mutual information from ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_counts, as_positive_int, as_probability, one_of
from classex.bayes.bounds import unclipped_bound
from classex.curves.accuracy import accuracy_curve
from classex.information.accuracy import MOST_CLASSES, information_bound
from classex.ranks import as_ranks
from classex.results import CorrectRanks, InformationConfidenceBound

__all__ = ["default_class_counts", "information_confidence_bound"]


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
    classifiers, the average test accuracy :math:`\mathrm{ATA}_k` is lowered to a confidence bound
    :math:`\underline{a}_k` for the average Bayes accuracy with k classes at level :math:`\alpha/(L|K|)`, and

    .. math:: I(X; Y) \ge \max_{k \in K} C_k^{-1}(\underline{a}_k)

    holds with probability at least :math:`1 - \alpha`, for the best k and the best classifier.

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
        The bound in nats, the k and classifier that gave it, and the bounds for every k.

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
    information_bound : The same without allowance for chance.

    Notes
    -----
    Source: thesis section 4.4 (one sentence there); theorem 2.5.2 for :math:`k = k_1`.

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
    (3.7, 5.7)
    """
    several: list[Any] = list(ranks) if isinstance(ranks, list | tuple) else [ranks]
    if not several:
        raise ValueError("ranks must hold at least one CorrectRanks, but is empty")
    k1 = as_ranks(several[0], every_class=True).n_classes
    for one in several:
        if as_ranks(one, every_class=True).n_classes != k1:
            raise ValueError(f"ranks must share their number of classes, but hold {k1} and {one.n_classes}")
    sizes = default_class_counts(k1)
    if n_classes is not None:
        sizes = as_class_counts(n_classes, minimum=2, maximum=k1).astype(np.int64)
        if np.unique(sizes).size != sizes.size:
            raise ValueError(f"n_classes must name each number of classes once, not {sizes.tolist()}")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    tried = len(several)
    if n_classifiers is not None:
        tried = as_positive_int(n_classifiers, "n_classifiers", minimum=tried, maximum=10**12)
    kind = one_of(method, "method", ("chernoff", "joint"))
    accuracy = np.stack([accuracy_curve(one, sizes, standard_errors=False).accuracy for one in several])
    accuracy_bound = np.empty_like(accuracy)
    for (row, column), value in np.ndenumerate(accuracy):
        accuracy_bound[row, column] = unclipped_bound(
            float(value),
            n_classes=k1,
            n_repeats=np.bincount(several[row].labels, minlength=k1),
            confidence_level=level,
            n_classifiers=tried * sizes.size,
            method=kind,
            population_size=population_size,
            task_size=int(sizes[column]),
        )
    accuracy_bound = np.clip(accuracy_bound, 1.0 / sizes, 1.0)
    information: Any = information_bound(accuracy_bound, sizes)
    best, at = np.unravel_index(int(np.argmax(information)), information.shape)
    return InformationConfidenceBound(
        float(information[best, at]),
        int(sizes[at]),
        int(best),
        level,
        sizes,
        accuracy,
        accuracy_bound,
        information,
        several[int(best)].n_points,
        kind,
    )
