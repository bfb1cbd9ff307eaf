r"""Lower confidence bounds for generalisation accuracy, Bayes accuracy and average Bayes accuracy.

Setting: k classes drawn at random, a fixed classification rule, r fresh test points for each class. Given
the classes, the test accuracy is the mean of kr independent indicators; its mean is the generalisation
accuracy, which is at most the Bayes accuracy of these classes, whose mean over class sets is the average
Bayes accuracy.
"""

from __future__ import annotations

from math import log, sqrt
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._types import AverageBoundMethod, BoundMethod
from classex._validation import as_class_counts, as_plain_array, as_positive_int, as_probability, one_of
from classex.bayes._inversion import cantelli, chernoff
from classex.bayes.population import distinct_share, spread_without_replacement

AVERAGE_METHODS = get_args(AverageBoundMethod)
# test points beyond which Hoeffding's bound is within 1e-5 of the quantile of the beta distribution
_MOST_COUNTED = 1e12
# largest numbers of classes and of points: above, float64 does not hold every integer
_MOST = 10**15


def generalisation_accuracy_bound(
    accuracy: float,
    *,
    n_classes: int,
    n_repeats: ArrayLike,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: BoundMethod = "clopper-pearson",
) -> float:
    r"""Lower confidence bound for the generalisation accuracy of a rule on the given classes.

    With n = kr test points, S of them right, and :math:`\alpha` one minus the confidence level over the number
    of classifiers:

    - ``"clopper-pearson"``: the p with :math:`\Pr[\mathrm{Bin}(n, p) \ge S] = \alpha`, but at most (S-1)/n;
      :math:`\alpha/n` when S = 1, 0 when S = 0.
    - ``"hoeffding"``: :math:`\widehat{\mathrm{GA}} - \sqrt{\log(1/\alpha)/(2n)}`, at least 0.
    - ``"thesis"``: the same with :math:`\log(2/\alpha)`.

    Parameters
    ----------
    accuracy : float
        Test accuracy, the class-balanced mean, in [0, 1]. With several classifiers: that of the selected one.
    n_classes : int
        Number of classes k, at least 2.
    n_repeats : int or array_like of int of shape (n_classes,)
        Test points per class; if they differ, Hoeffding's bound takes their harmonic mean for r, and
        Clopper and Pearson's does not apply.
    confidence_level : float
        Probability with which the bound must hold, in (0, 1).
    n_classifiers : int
        Number of classifiers tried on these test points (Bonferroni over them).
    method : {"clopper-pearson", "hoeffding", "thesis"}
        Which bound.

    Returns
    -------
    float
        The bound, a probability.

    Raises
    ------
    ValueError
        If `accuracy` lies outside [0, 1], a count is not a positive integer, `confidence_level` is not
        strictly between 0 and 1, or repeats differ with ``"clopper-pearson"``.

    Notes
    -----
    Source: thesis section 2.5.2 (the statistic and exponent there corrected, see the errata page), section
    2.5.3 for the selection.

    *Hoeffding:* one-sided inequality, :math:`\Pr[\widehat{\mathrm{GA}} \ge \mathrm{GA} + t] \le e^{-2nt^2}`,
    for independent indicators that need not share a mean; with unequal repeats the weights 1/(k r_i) give
    :math:`\sum_i r_i/(k r_i)^2 = \overline{1/r}/k`.

    *Clopper and Pearson:* the indicators have different means across classes. Hoeffding (1956, Theorem 4)
    shows that among all means with average p, equal ones maximise :math:`\Pr[S \ge s]` whenever
    :math:`np \le s - 1`. So every p below both the Clopper-Pearson limit and (s-1)/n is rejected rightly. At
    usual levels, below 3/4 the second never binds. With one success, :math:`\Pr[S \ge 1] \le np`.

    Examples
    --------
    >>> from classex.bayes import generalisation_accuracy_bound
    >>> round(generalisation_accuracy_bound(0.9, n_classes=20, n_repeats=5), 4)
    0.8363
    """
    return _bound_given_classes(accuracy, n_classes, n_repeats, confidence_level, n_classifiers, method)


def bayes_accuracy_bound(
    accuracy: float,
    *,
    n_classes: int,
    n_repeats: ArrayLike,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: BoundMethod = "clopper-pearson",
) -> float:
    """Lower confidence bound for the Bayes accuracy of the given classes.

    No rule beats the Bayes rule, so a bound for the generalisation accuracy of any rule is one for the Bayes
    accuracy of the same classes; and 1/k is always one, since guessing attains it.

    Parameters
    ----------
    accuracy, n_classes, n_repeats, confidence_level, n_classifiers, method
        As in `generalisation_accuracy_bound`.

    Returns
    -------
    float
        The bound, at least 1/k.

    Notes
    -----
    Source: thesis Lemma 2.5.1.

    Examples
    --------
    >>> from classex.bayes import bayes_accuracy_bound
    >>> bound = bayes_accuracy_bound(
    ...     0.9, n_classes=20, n_repeats=5, n_classifiers=10
    ... )
    >>> round(bound, 4)
    0.798
    """
    bound = _bound_given_classes(accuracy, n_classes, n_repeats, confidence_level, n_classifiers, method)
    return max(bound, 1 / int(n_classes))


def _bound_given_classes(
    accuracy: float, n_classes: int, n_repeats: ArrayLike, confidence_level: float, n_classifiers: int, method: str
) -> float:
    x, k, r, least, alpha = _experiment(accuracy, n_classes, n_repeats, confidence_level)
    alpha /= as_positive_int(n_classifiers, "n_classifiers", maximum=_MOST)
    one_of(method, "method", get_args(BoundMethod))
    n = k * r
    if method == "clopper-pearson":
        if r != least:
            raise ValueError("method 'clopper-pearson' needs the same n_repeats for every class; use 'hoeffding'")
        # downwards, unless the product misses a whole number by rounding only
        successes = min(float(np.floor(x * n + 1e-6)), n)
        if successes <= 1:
            return successes * alpha / n
        if n <= _MOST_COUNTED:
            return min(float(special.betaincinv(successes, n - successes + 1, alpha)), (successes - 1) / n)
    return max(x - sqrt(log((2 if method == "thesis" else 1) / alpha) / (2 * n)), 0.0)


def average_bayes_accuracy_bound(
    accuracy: float,
    *,
    n_classes: int,
    n_repeats: ArrayLike,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "joint",
    population_size: int | None = None,
) -> float:
    r"""Lower confidence bound for the average Bayes accuracy over random sets of k classes.

    With :math:`\widehat{\mathrm{GA}}` the test accuracy on one random set of k classes with r test points each,
    :math:`\alpha` one minus the confidence level, L classifiers:

    - ``"joint"``: :math:`\widehat{\mathrm{GA}} - \sqrt{(1 + 1/r) \log(L/\alpha)/(2k)}`.
    - ``"chernoff"``: the best of three exponential bounds; never below ``"joint"`` (to four digits), and sharper
      near 0 and near 1.
    - ``"split"``: :math:`\widehat{\mathrm{GA}} - \sqrt{\log(2L/\alpha)/(2kr)} - \sqrt{\log(2/\alpha)/(2k)}`.
    - ``"cantelli"``: the smallest a with :math:`(\widehat{\mathrm{GA}} - a)^2 \le V(a)(1/\alpha' - 1)`, V(a) the
      largest variance of the test accuracy at average Bayes accuracy a, :math:`\alpha' = \alpha/L`.
    - ``"thesis"``: :math:`\widehat{\mathrm{GA}} - \sqrt{\log(4L/\alpha)/(2kr)} - 1/\sqrt{2 \alpha k}`.

    All are clipped at 1/k from below.

    Parameters
    ----------
    accuracy : float
        Test accuracy (class-balanced) of the rule, or of the one selected among `n_classifiers`.
    n_classes : int
        Number of classes k, drawn at random from the population of classes; at least 2.
    n_repeats : int or array_like of int of shape (n_classes,)
        Test points per class. If they differ, r is their harmonic mean (``"chernoff"`` and
        ``"cantelli"``: the smallest).
    confidence_level : float
        Probability with which the bound must hold, in (0, 1).
    n_classifiers : int
        Number L of classifiers tried on these test points.
    method : {"joint", "chernoff", "split", "cantelli", "thesis"}
        Which bound.
    population_size : int, optional
        Number N of equally likely classes in the population, at least k, where the k classes were drawn from it
        *without* replacement. The bound is still for k *independent* draws, in which a class can meet its own
        copy: these tasks are harder than those of the experiment. By default the population is infinite.

    Returns
    -------
    float
        The bound, between 1/k and 1.

    Raises
    ------
    ValueError
        If `accuracy` lies outside [0, 1], a count is not a positive integer, `confidence_level` is not
        strictly between 0 and 1, or `population_size` is below `n_classes`.

    Notes
    -----
    Source: thesis Theorem 2.5.2 and section 2.5.3 for ``"thesis"``; the others are sharper replacements.

    *Joint.* Given the classes, Hoeffding's lemma for kr independent indicators and
    :math:`\mathrm{GA} \le \mathrm{BA}` give
    :math:`E[e^{\lambda \widehat{\mathrm{GA}}} | X] \le e^{\lambda \mathrm{BA} + \lambda^2/(8kr)}`. BA is a function
    of k independent classes, each of which moves it by at most 1/k, so (McDiarmid)
    :math:`E e^{\lambda \mathrm{BA}} \le e^{\lambda \mathrm{ABA} + \lambda^2/(8k)}`. Multiply, apply Markov's inequality
    at the best :math:`\lambda`, and take the union over the L classifiers.

    *Chernoff.* Z = k BA satisfies :math:`\log E e^{\theta Z} \le k \Lambda_a(\theta)` at average accuracy a for each
    of three :math:`\Lambda_a`: :math:`a\theta + \theta^2/8` (McDiarmid); :math:`a(e^\theta - 1)`, because the gains
    from single classes sum to at most Z (self-bounding); :math:`\theta - (1-a)\kappa(\theta)`, because the losses
    from single classes sum to at most twice k - Z, with
    :math:`\kappa(\theta) = \theta \exp(-\int_0^\theta [1/s - 1/(2e^s - s - 2)] ds)`
    (the entropy method of Boucheron, Lugosi and Massart). Given the classes the indicators' moment
    generating function is at most :math:`(1 + \mathrm{BA}(e^{\lambda/r} - 1))^{kr}`, whose logarithm lies below its
    tangents in BA. The bound is the smallest a that no :math:`\theta` and tangent rejects.

    *Cantelli.* Raise each indicator's mean until their average is BA: this can only raise the test accuracy,
    which then has mean a and variance at most :math:`a(1-a)/(kr) + (1 - 1/(kr)) v(a)`, v(a) the bound of
    `bayes_accuracy_variance_bound`.

    *Split, thesis.* Hoeffding's inequality for the test points and McDiarmid's (the thesis: Chebyshev's with
    variance 1/(4k)) for the classes, each at half of :math:`\alpha`.

    *Finite populations.* Of k independent draws from N classes D are distinct, :math:`E D = N(1 - (1-1/N)^k)`.
    A task with copies has D/k times the Bayes accuracy of its distinct classes, which is on average at least that
    of k distinct classes. So the average Bayes accuracy is at least E[D]/k times that of k distinct classes, which
    the experiment estimates. Exchanging draw i of a sample without replacement moves the expected Bayes accuracy by
    at most (N-k)/(k(N-i)), so 1/k under the roots above becomes
    :math:`k^{-2} \sum_{i=1}^k ((N-k)/(N-i))^2 \le 1/k`. The gains, losses and variances behind ``"chernoff"`` and
    ``"cantelli"`` are those of a sample *with* replacement; such a sample can be made from the k classes by drawing
    copies at random, and by Jensen's inequality its moments bound those of the mean over these drawings.

    Examples
    --------
    >>> from classex.bayes import average_bayes_accuracy_bound
    >>> round(average_bayes_accuracy_bound(0.9, n_classes=200, n_repeats=50), 6)
    0.812598
    >>> finite = average_bayes_accuracy_bound(
    ...     0.9, n_classes=200, n_repeats=50, population_size=400
    ... )
    >>> round(finite, 6)
    0.659683
    """
    bound = unclipped_bound(
        accuracy, n_classes, n_repeats, confidence_level, n_classifiers, method, population_size=population_size
    )[0]
    return min(max(bound, 1 / int(n_classes)), 1.0)


def unclipped_bound(
    accuracy: float,
    n_classes: int,
    n_repeats: ArrayLike,
    confidence_level: float,
    n_classifiers: int,
    method: AverageBoundMethod,
    *,
    population_size: int | None = None,
    task_size: int | None = None,
) -> tuple[float, float, float]:
    """`average_bayes_accuracy_bound` before it is clipped at 1/k, on which the design of an experiment depends.

    For "joint" and "chernoff" the bound inverts a test that rejects when exp(k (t x - s a) + constant) is at least
    L/alpha, a variable of mean at most 1 where the average Bayes accuracy is a or more: also returns t and s.
    `task_size` is the number of classes per task where `accuracy` is an average over tasks of fewer than
    `n_classes` classes; it matters in a finite population only.
    """
    x, k, r, least, alpha = _experiment(accuracy, n_classes, n_repeats, confidence_level)
    n_rules = as_positive_int(n_classifiers, "n_classifiers", maximum=_MOST)
    one_of(method, "method", AVERAGE_METHODS)
    spread, copies = 1.0, 1.0
    if population_size is not None:
        size = as_positive_int(population_size, "population_size", minimum=k, maximum=_MOST)
        spread, copies = spread_without_replacement(k, size), distinct_share(task_size or k, size)
    if method == "joint":
        allowance = sqrt((spread + 1 / r) * log(n_rules / alpha) / (2 * k))
        tilt = 4 * allowance / (spread + 1 / r)
        return copies * (x - allowance), tilt, tilt / copies
    if method == "split":
        points = sqrt(log(2 * n_rules / alpha) / (2 * k * r))
        return copies * (x - points - sqrt(spread * log(2 / alpha) / (2 * k))), 0.0, 0.0
    if method == "thesis":
        return copies * (x - sqrt(log(4 * n_rules / alpha) / (2 * k * r)) - sqrt(spread / (2 * alpha * k))), 0.0, 0.0
    if method == "cantelli":
        return cantelli(copies * x, k, least, alpha / n_rules), 0.0, 0.0
    threshold = log(n_rules / alpha) / k
    bound, tilt, slope = chernoff(copies * x, least, threshold)
    if population_size is None:
        return bound, tilt, slope
    distinct, distinct_tilt, distinct_slope = chernoff(x, least, threshold, spread=spread)
    return max((bound, copies * tilt, slope), (copies * distinct, distinct_tilt, distinct_slope / copies))


def _experiment(
    accuracy: float, n_classes: int, n_repeats: ArrayLike, confidence_level: float
) -> tuple[float, int, float, float, float]:
    """Test accuracy, number of classes, harmonic mean and least of the repeats, and error probability, checked."""
    x = as_probability(accuracy, "accuracy")
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=_MOST)
    alpha = 1 - as_probability(confidence_level, "confidence_level", open_ends=True)
    if np.ndim(as_plain_array(n_repeats, "n_repeats")) == 0:
        r = float(as_positive_int(n_repeats, "n_repeats", maximum=_MOST))
        return x, k, r, r, alpha
    repeats = as_class_counts(n_repeats, "n_repeats")
    if repeats.size != k:
        raise ValueError(f"n_repeats must be one integer or n_classes = {k} of them, not {repeats.size}")
    least = float(repeats.min())
    return x, k, least if repeats.max() == least else float(1 / np.mean(1 / repeats)), least, alpha
