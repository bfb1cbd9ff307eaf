"""Average Bayes accuracy, its variability over random class sets, and confidence bounds for it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from math import expm1, log, log1p, sqrt
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize import brentq

from classex._checks import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_plain_array,
    as_positive_float,
    as_positive_int,
    as_probability,
    as_weights,
    one_of,
    shown,
)
from classex._estimates import Estimate
from classex._result import Result
from classex._types import AverageBoundMethod, BoundMethod, FloatArray
from classex.models import Model

__all__ = [
    "ExperimentDesign",
    "average_bayes_accuracy",
    "average_bayes_accuracy_bound",
    "average_bayes_accuracy_by_simulation",
    "bayes_accuracy_bound",
    "bayes_accuracy_variance_bound",
    "bayes_accuracy_variance_by_simulation",
    "cheapest_design",
    "distinct_share",
    "generalisation_accuracy_bound",
    "required_classes",
]


def average_bayes_accuracy(likelihood: ArrayLike, n_classes: ArrayLike, *, weights: ArrayLike | None = None) -> Any:
    r"""Average Bayes accuracy from its definition, over nodes for the class and for the test point.

    .. math:: \mathrm{ABA}_k = \frac1k\, E \int \max_{i \le k} p(y | X_i)\, dy
              = \frac1k \sum_j w_j \sum_m p_{(m)j} \left[F_j(m)^k - F_j(m-1)^k\right],

    where, for each test point :math:`y_j`, the likelihoods are sorted and :math:`F_j(m) = m / n_x` is the share of
    class nodes up to m in that order: the largest of k independent draws has distribution function :math:`F^k`. Exact
    for finite alphabets; otherwise as accurate as the nodes.

    Parameters
    ----------
    likelihood : array_like of shape (n_x, n_y)
        :math:`p(y_j | x_m)`: probabilities for a finite alphabet of test points, densities at quadrature
        nodes otherwise. The class nodes are equally probable: one that is twice as probable stands twice.
    n_classes : int or array_like of int
        Numbers of classes k, at least 1.
    weights : array_like of shape (n_y,), optional
        Quadrature weight of each test point node; 1 by default (finite alphabet).

    Returns
    -------
    float or ndarray
        A probability for each k; a float for a single k.

    Raises
    ------
    ValueError
        If an entry is negative, a shape disagrees, or some row of ``likelihood`` does not integrate to 1 (within
        1e-6).

    Notes
    -----
    Source: thesis Theorem 2.4.1.

    Examples
    --------
    A binary symmetric channel used once, two classes: they differ half of the time.

    >>> from classex.bayes import average_bayes_accuracy
    >>> round(average_bayes_accuracy([[0.9, 0.1], [0.1, 0.9]], 2), 12)
    0.7
    """
    p = as_finite_array(likelihood, "likelihood", ndim=2, dtype=np.float64)
    w = as_weights(weights, p.shape[1], "weights")
    if (p < 0).any():
        raise ValueError(f"likelihood must not be negative, but holds {p.min()}")
    total = p @ w
    worst = int(np.abs(total - 1).argmax())
    if abs(total[worst] - 1) > 1e-6:
        raise ValueError(f"likelihood must integrate to 1 for every class, but row {worst} gives {total[worst]}")
    counts = as_class_counts(n_classes)
    step = np.diff(np.sort(p, axis=0), axis=0, prepend=0.0) * w
    below = np.arange(p.shape[0])[:, np.newaxis] / p.shape[0]
    # E max = int Pr[max > t] dt, and Pr[max > t] = 1 - F(t)^k is constant between neighbouring likelihoods
    value = np.array([(step * (1 - below**k)).sum() / k for k in counts])
    return float(value[0]) if np.ndim(n_classes) == 0 else value


def average_bayes_accuracy_by_simulation(
    model: Model, n_classes: int, *, n_experiments: int = 1000, n_repeats: int = 10, rng: Any = None
) -> Estimate:
    """Average Bayes accuracy by simulation: draw class sets and test points, apply the Bayes rule, count.

    Parameters
    ----------
    model : Model
        A model from `classex.models`. Its ``bayes_scores`` decide, and ties are broken at random in expectation.
    n_classes : int
        Number of classes k, at least 2.
    n_experiments : int
        Number of class sets, at least 2; the standard error is over these.
    n_repeats : int
        Test points per class and experiment.
    rng : None, int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    Estimate
        Mean over experiments and its standard error.

    Examples
    --------
    >>> from classex.bayes import average_bayes_accuracy_by_simulation
    >>> from classex.models import BivariateNormal
    >>> estimate = average_bayes_accuracy_by_simulation(
    ...     BivariateNormal(rho=0.7), 2, rng=0
    ... )
    >>> abs(estimate.value - 0.6929) < 3 * estimate.standard_error
    True
    """
    m = as_positive_int(n_experiments, "n_experiments", minimum=2)
    generator = as_generator(rng)
    accuracy = np.empty(m)
    for i in range(m):
        sample = model.sample(n_classes, n_repeats=n_repeats, rng=generator)
        best = sample.bayes_scores == sample.bayes_scores.max(axis=1, keepdims=True)
        accuracy[i] = (best[np.arange(sample.labels.size), sample.labels] / best.sum(axis=1)).mean()
    return Estimate(float(accuracy.mean()), float(accuracy.std(ddof=1) / np.sqrt(m)))


def bayes_accuracy_variance_by_simulation(
    model: Model, n_classes: int, *, n_class_sets: int = 1000, rng: Any = None
) -> Estimate:
    """Variance of the Bayes accuracy over random class sets, by simulation.

    Parameters
    ----------
    model : Model
        A model that knows the Bayes accuracy of given classes: `BivariateNormal`, `RandomCode`,
        `PartlyIdentifiable`.
    n_classes : int
        Number of classes k, at least 2.
    n_class_sets : int
        Number of class sets, at least 2.
    rng : None, int or numpy.random.Generator
        Seed or generator.

    Returns
    -------
    Estimate
        Sample variance, and its standard error from the fourth moments.

    Examples
    --------
    >>> from classex.bayes import bayes_accuracy_variance_by_simulation
    >>> from classex.models import PartlyIdentifiable
    >>> model = PartlyIdentifiable(share=0.5)
    >>> estimate = bayes_accuracy_variance_by_simulation(model, 10, rng=0)
    >>> abs(
    ...     estimate.value - model.bayes_accuracy_variance(10)
    ... ) < 3 * estimate.standard_error
    True
    """
    n = as_positive_int(n_class_sets, "n_class_sets", minimum=2)
    generator = as_generator(rng)
    value = np.array([model.bayes_accuracy(model.sample(n_classes, rng=generator).references) for _ in range(n)])
    square = (value - value.mean()) ** 2 * n / (n - 1)
    return Estimate(float(square.mean()), float(square.std(ddof=1) / np.sqrt(n)))


def bayes_accuracy_variance_bound(
    n_classes: int, *, average_accuracy: float | None = None, one_fewer: float | None = None
) -> float:
    r"""Upper bound on the variance of the Bayes accuracy over random sets of k classes.

    By default :math:`1/(4k)`. With :math:`d = k\,\mathrm{ABA}_k - (k-1)\,\mathrm{ABA}_{k-1}`, the
    expected gain from the k-th class, :math:`d(1-d)/k`. With :math:`\mathrm{ABA}_k` alone, the largest such
    value over the d that it allows, :math:`d_{\min} \le d \le \mathrm{ABA}_k`.

    Parameters
    ----------
    n_classes : int
        Number of classes k, at least 2.
    average_accuracy : float, optional
        Average Bayes accuracy with k classes, in [1/k, 1].
    one_fewer : float, optional
        Average Bayes accuracy with k - 1 classes, in [average_accuracy, 1].

    Returns
    -------
    float
        Bound on Var BA.

    Raises
    ------
    ValueError
        If an accuracy is impossible, there are more than 10^15 classes, or ``one_fewer`` is given without
        ``average_accuracy``.

    Notes
    -----
    Source: thesis Theorem 2.5.1 (proof corrected, see the errata page); the refinements are new.

    *Proof.* Given all classes but the i-th, :math:`k\,\mathrm{BA}` is a constant plus the gain
    :math:`G_i = \int (p(y|X_i) - \max_{j \ne i} p(y|X_j))_+ dy \in [0, 1]`. A variable in [0, 1] with mean g has
    variance at most g(1-g), so Efron and Stein's inequality gives
    :math:`\mathrm{Var\,BA} \le k^{-2} \sum_i E[g_i(1-g_i)] \le d(1-d)/k`, by Jensen, with
    :math:`d = E G_i = k\,\mathrm{ABA}_k - (k-1)\,\mathrm{ABA}_{k-1}`; and :math:`d(1-d) \le 1/4`.
    Write :math:`d_j` for the expected gain from the j-th class: :math:`k\,\mathrm{ABA}_k = d_1 + \dots + d_k` and
    :math:`d_j = \iint F_y(t)^{j-1} (1 - F_y(t))\,dt\,dy = \int u^{j-1} d\nu(u)` for a probability measure on [0, 1].
    So :math:`d_k \le \mathrm{ABA}_k`, and since :math:`u^{k-1}` is a convex function of
    :math:`A(u) = (1 + u + \dots + u^{k-1})/k`, also :math:`d_k \ge u^{k-1}` at the u where
    :math:`A(u) = \mathrm{ABA}_k`.

    Examples
    --------
    >>> from classex.bayes import bayes_accuracy_variance_bound
    >>> bayes_accuracy_variance_bound(200)
    0.00125
    >>> round(bayes_accuracy_variance_bound(200, average_accuracy=0.95), 6)
    0.000443
    """
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=10**15)
    if average_accuracy is None:
        if one_fewer is not None:
            raise ValueError(f"one_fewer needs average_accuracy as well, but only {shown(one_fewer)} was given")
        return 1 / (4 * k)
    a = as_probability(average_accuracy, "average_accuracy")
    if a < 1 / k * (1 - 1e-12):
        raise ValueError(f"average_accuracy must be at least 1/n_classes = {1 / k}, not {average_accuracy!r}")
    # d(1-d) over [smallest, a] is largest at the point closest to one half
    gain = min(max(0.5, smallest_gain(a, k)), a)
    if one_fewer is not None:
        gain = k * a - (k - 1) * as_probability(one_fewer, "one_fewer")
        if not -1e-9 <= gain <= a + 1e-9:
            raise ValueError(f"one_fewer must lie between average_accuracy and {k * a / (k - 1)}, not {one_fewer!r}")
        gain = min(max(gain, 0.0), 1.0)
    return gain * (1 - gain) / k


def smallest_gain(accuracy: float, k: int) -> float:
    """Smallest expected gain from the k-th class that an average Bayes accuracy allows."""
    if accuracy >= 1:
        return 1.0

    def excess(x: float) -> float:  # u = exp(-x / k)
        return float(np.expm1(-x) / (k * np.expm1(-x / k))) - accuracy

    # the quotient is below 1.6 / x up to x = k
    highest = 2 / accuracy if 2 / accuracy < k else 50.0 * k
    if excess(highest) >= 0:
        return 0.0
    return float(np.exp(-(k - 1) / k * brentq(excess, 1e-16, highest, xtol=1e-15, maxiter=500)))


# grid of slopes: with more of them, or larger ones, the bound changes by less than 1e-4
_LARGEST_SLOPE = 40.0
_SLOPES = 1500


def cantelli(x: float, k: int, r: float, alpha: float) -> float:
    """Smallest average accuracy that the largest possible variance does not reject, or 0."""

    def rejected(a: float) -> float:
        variance = a * (1 - a) / (k * r) + (1 - 1 / (k * r)) * bayes_accuracy_variance_bound(k, average_accuracy=a)
        return (x - a) ** 2 - variance * (1 / alpha - 1)

    if x <= 1 / k or rejected(1 / k) <= 0:
        return 0.0
    # at x = 1 and a = 1 the variance vanishes too, but just below it never does
    return float(brentq(rejected, 1 / k, min(x, 1 - 1e-12), xtol=1e-12))


def chernoff(x: float, r: float, c: float, spread: float | None = None) -> tuple[float, float, float]:
    """Largest a rejected at threshold c = log(L/alpha)/k by some slope theta and some of the three moment bounds.

    With a `spread` (sampling without replacement) only McDiarmid's bound is used, its exponent multiplied by it.
    The exponent that rejects is linear in x and in a: also returns its slope in x, and its negative slope in a.
    """
    theta, kappa = _slopes()
    # the tangent point that makes the conditional part smallest, in closed form
    b = 2 * x * r / (r + theta + np.sqrt(np.maximum((r + theta) ** 2 - 4 * theta * x * r, 0.0)))
    slack = r - b * theta
    usable = slack > 0
    theta, kappa, b, slack = theta[usable], kappa[usable], b[usable], slack[usable]
    tilt = r * np.log1p(theta / slack)
    cost = -r * np.log(slack / r) - b * theta - x * tilt
    values, slopes = [(-c - cost - (1.0 if spread is None else spread) * theta**2 / 8) / theta], [theta]
    if spread is None:
        gain = np.expm1(theta)
        values += [(-c - cost) / gain, 1 - (theta + cost + c) / kappa]
        slopes += [gain, kappa]
    form, best = np.unravel_index(int(np.argmax(values)), np.shape(values))
    return float(values[form][best]), float(tilt[best]), float(slopes[form][best])


@lru_cache(maxsize=1)
def _slopes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Grid of slopes theta and kappa(theta) = theta exp(-int_0^theta [1/s - 1/(2 e^s - s - 2)] ds)."""
    theta = np.geomspace(1e-5, _LARGEST_SLOPE, _SLOPES)
    node, weight = np.polynomial.legendre.leggauss(8)
    left = np.append(0.0, theta[:-1])
    half = (theta - left) / 2
    s = left[:, np.newaxis] + half[:, np.newaxis] * (node + 1)
    remainder = np.where(s < 1e-3, s**2 / 2 + s**3 / 6, np.expm1(s) - s)
    integral = np.cumsum((2 * remainder / (s * (s + 2 * remainder))) @ weight * half)
    return theta, theta * np.exp(-integral)


def distinct_share(n_classes: int, population_size: int) -> float:
    r"""E[D]/k, with D the number of distinct classes among k independent draws from N equally likely ones.

    Parameters
    ----------
    n_classes : int
        Number of draws k, at least 1.
    population_size : int
        Number of classes N, at least 1.

    Returns
    -------
    float
        :math:`N(1 - (1 - 1/N)^k)/k`, in (0, 1].

    Examples
    --------
    >>> from classex.bayes import distinct_share
    >>> [round(distinct_share(k, 468), 5) for k in (10, 100, 300)]
    [0.99044, 0.90125, 0.73883]
    """
    k = as_positive_int(n_classes, "n_classes")
    size = as_positive_int(population_size, "population_size")
    return 1.0 / k if size == 1 else -size * expm1(k * log1p(-1 / size)) / k


def spread_without_replacement(n_classes: int, population_size: int) -> float:
    r"""Sum over draws i of ((N-k)/(N-i))^2, over k: what is left of McDiarmid's exponent without replacement.

    Parameters
    ----------
    n_classes : int
        Number of classes k drawn.
    population_size : int
        Number of classes N in the population, at least k.

    Returns
    -------
    float
        Between 0 (the population has been seen) and 1 (it is infinite).

    Notes
    -----
    Given the first i-1 classes, let class i be a or b. Draw the others jointly, and where b turns up in the first
    case let a turn up in the second: then both samples hold the same classes. That has probability (k-i)/(N-i);
    otherwise the samples differ in one class. So the mean moves by at most (N-k)/(N-i) times the effect of one class.

    Examples
    --------
    >>> from classex.bayes import spread_without_replacement
    >>> (
    ...     round(spread_without_replacement(100, 468), 4),
    ...     spread_without_replacement(5, 5),
    ... )
    (0.7882, 0.0)
    """
    if n_classes == population_size:
        return 0.0
    left = population_size - n_classes
    return float(np.square(left / (left + np.arange(n_classes))).mean())


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
    x, k, (r, least), alpha = _experiment(accuracy, n_classes, n_repeats, confidence_level)
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
    options: Any = {"confidence_level": confidence_level, "n_classifiers": n_classifiers, "method": method}
    bound = generalisation_accuracy_bound(accuracy, n_classes=n_classes, n_repeats=n_repeats, **options)
    return max(bound, 1 / int(n_classes))


def average_bayes_accuracy_bound(
    accuracy: float,
    *,
    n_classes: int,
    n_repeats: ArrayLike,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "chernoff",
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
    method : {"chernoff", "joint", "split", "cantelli", "thesis"}
        Which bound.
    population_size : int, optional
        Number N of equally likely classes in the population, at least k, where the k classes were drawn from it
        *without* replacement. The bound is then for tasks of k distinct classes, as everywhere in this package where
        N is given. By default the population is infinite.

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

    *Finite populations.* Exchanging draw i of a sample without replacement moves the expected Bayes accuracy by
    at most (N-k)/(k(N-i)), so 1/k under the roots above becomes
    :math:`k^{-2} \sum_{i=1}^k ((N-k)/(N-i))^2 \le 1/k`. The gains, losses and variances behind ``"chernoff"`` and
    ``"cantelli"`` are those of a sample *with* replacement, of which E[D] classes are distinct. Such a sample can be
    made from the k classes by drawing copies at random, and its Bayes accuracy is then on average at least E[D]/k times
    that of the k classes. So by Jensen's inequality the same bounds hold with E[D]/k times the test accuracy;
    ``"chernoff"`` is the larger of this one and McDiarmid's.

    Examples
    --------
    >>> from classex.bayes import average_bayes_accuracy_bound
    >>> bound = average_bayes_accuracy_bound
    >>> round(bound(0.9, n_classes=200, n_repeats=50, method="joint"), 6)
    0.812598
    >>> round(bound(0.9, n_classes=200, n_repeats=50), 6)
    0.813147
    >>> round(bound(0.9, n_classes=200, n_repeats=50, population_size=400), 6)
    0.838251
    """
    x, k, repeats, alpha = _experiment(accuracy, n_classes, n_repeats, confidence_level)
    n_rules = as_positive_int(n_classifiers, "n_classifiers", maximum=_MOST)
    one_of(method, "method", AVERAGE_METHODS)
    if population_size is not None:
        population_size = as_positive_int(population_size, "population_size", minimum=k, maximum=_MOST)
    bound = unclipped_bound(x, k, repeats, alpha, n_rules, method, population_size=population_size)[0]
    return min(max(bound, 1 / k), 1.0)


class Repeats(NamedTuple):
    """Independent blocks of test points in a class, as far as the bounds need to know them.

    Blocks of weights W, with a sum of 1 over all k classes, are as good as 1/(k sum W^2) equal ones in each class for
    Hoeffding's inequality, and as 1/(k max W) for Chernoff's. A block is a test point of weight 1/(k r), or a unit.
    """

    mean: float
    least: float


def repeats_of(weights: FloatArray, n_classes: int) -> Repeats:
    """Return the repeats for the weights of independent blocks."""
    return Repeats(float(1 / (n_classes * np.square(weights).sum())), float(1 / (n_classes * weights.max())))


def as_repeats(n_repeats: ArrayLike, n_classes: int) -> Repeats:
    """Return the repeats for one number of independent test points in every class, or a number for each."""
    if np.ndim(as_plain_array(n_repeats, "n_repeats")) == 0:
        r = float(as_positive_int(n_repeats, "n_repeats", maximum=_MOST))
        return Repeats(r, r)
    repeats = as_class_counts(n_repeats, "n_repeats")
    if repeats.size != n_classes:
        raise ValueError(f"n_repeats must be one integer or n_classes = {n_classes} of them, not {repeats.size}")
    least = float(repeats.min())
    return Repeats(least if repeats.max() == least else float(1 / np.mean(1 / repeats)), least)


def unclipped_bound(
    x: float,
    k: int,
    repeats: Repeats,
    alpha: float,
    n_rules: int,
    method: AverageBoundMethod,
    *,
    population_size: int | None = None,
    task_size: int | None = None,
) -> tuple[float, float, float]:
    """`average_bayes_accuracy_bound` before it is clipped at 1/k, on which the design of an experiment depends.

    For "joint" and "chernoff" the bound inverts a test that rejects when exp(k (t x - s a) + constant) is at least
    L/alpha, a variable of mean at most 1 where the average Bayes accuracy is a or more: also returns t and s.
    `task_size` is the number of classes per task where `x` is an average over tasks of fewer than k classes; it matters
    in a finite population only.
    """
    r, least = repeats
    spread, copies = 1.0, 1.0
    if population_size is not None:
        spread = spread_without_replacement(k, population_size)
        copies = distinct_share(task_size or k, population_size)
    if method == "joint":
        allowance = sqrt((spread + 1 / r) * log(n_rules / alpha) / (2 * k))
        tilt = 4 * allowance / (spread + 1 / r)
        return x - allowance, tilt, tilt
    if method == "split":
        points = sqrt(log(2 * n_rules / alpha) / (2 * k * r))
        return x - points - sqrt(spread * log(2 / alpha) / (2 * k)), 0.0, 0.0
    if method == "thesis":
        return x - sqrt(log(4 * n_rules / alpha) / (2 * k * r)) - sqrt(spread / (2 * alpha * k)), 0.0, 0.0
    if method == "cantelli":
        return cantelli(copies * x, k, least, alpha / n_rules), 0.0, 0.0
    threshold = log(n_rules / alpha) / k
    bound, tilt, slope = chernoff(copies * x, least, threshold)
    if population_size is None:
        return bound, tilt, slope
    return max((bound, copies * tilt, slope), chernoff(x, least, threshold, spread=spread))


def _experiment(
    accuracy: float, n_classes: int, n_repeats: ArrayLike, confidence_level: float
) -> tuple[float, int, Repeats, float]:
    """Test accuracy, number of classes, harmonic mean and least of the repeats, and error probability, checked."""
    x = as_probability(accuracy, "accuracy")
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=_MOST)
    alpha = 1 - as_probability(confidence_level, "confidence_level", open_ends=True)
    return x, k, as_repeats(n_repeats, k), alpha


# largest number of classes or repeats of a design
_MOST_REPEATS = 10**9
# numbers of repeats that are tried: steps below 2 % if at most 1,000 repeats can be best
_LADDER = 400


@dataclass(frozen=True)
class ExperimentDesign(Result):
    """Size of a classification experiment.

    Attributes
    ----------
    n_classes : int
        Number of classes k.
    n_repeats : int
        Test points per class r.
    cost : float
        Its cost, in test points.

    Examples
    --------
    >>> from classex.bayes import cheapest_design
    >>> design = cheapest_design(0.1, accuracy=0.9, class_cost=25.0)
    >>> design.n_classes * (25.0 + design.n_repeats) == design.cost
    True
    """

    n_classes: int
    n_repeats: int
    cost: float

    _says: ClassVar[str] = "{n_classes} classes with {n_repeats} test points each, at a cost of {cost}."


def required_classes(
    width: float,
    *,
    accuracy: float,
    n_repeats: int,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "joint",
) -> int:
    """Smallest number of classes whose bound lies at most `width` below the test accuracy.

    Parameters
    ----------
    width : float
        Largest acceptable distance from the test accuracy down to the bound, in (0, 1).
    accuracy : float
        Test accuracy that the plan expects, in (0, 1].
    n_repeats : int
        Test points per class.
    confidence_level, n_classifiers, method
        As in `average_bayes_accuracy_bound`.

    Returns
    -------
    int
        Number of classes.

    Raises
    ------
    ValueError
        If an argument is out of range, or more than 10^9 classes would be needed.

    Examples
    --------
    >>> from classex.bayes import required_classes
    >>> required_classes(0.1, accuracy=0.9, n_repeats=10)
    165
    """
    goal = as_probability(accuracy, "accuracy") - as_probability(width, "width", open_ends=True)
    if goal <= 0:
        raise ValueError(f"width must be smaller than accuracy = {accuracy!r}, not {width!r}")

    x, _, repeats, alpha = _experiment(accuracy, 2, n_repeats, confidence_level)
    n_rules = as_positive_int(n_classifiers, "n_classifiers", maximum=_MOST)
    one_of(method, "method", AVERAGE_METHODS)

    def bound(k: int) -> float:
        return unclipped_bound(x, k, repeats, alpha, n_rules, method)[0]

    # more classes are never worse: doubling and bisection
    high = 2
    while bound(high) < goal:
        high *= 2
        if high > _MOST_REPEATS:
            raise ValueError(f"no n_classes up to {_MOST_REPEATS} reaches this width; widen it, or change n_repeats")
    numbers = range(max(high // 2, 2), high)
    return numbers.start + bisect_left(numbers, goal, key=bound)


def cheapest_design(
    width: float,
    *,
    accuracy: float,
    class_cost: float = 1.0,
    confidence_level: float = 0.95,
    n_classifiers: int = 1,
    method: AverageBoundMethod = "joint",
) -> ExperimentDesign:
    r"""Cheapest experiment whose bound lies at most `width` below the test accuracy.

    The cost is :math:`k (C + r)` for k classes and r test points each. With the joint bound
    :math:`k \propto 1 + 1/r`, so that the best r is close to :math:`\sqrt C` whatever the width. Every r that
    could be best is tried if there are few of them, otherwise 400 in geometric steps: less than 2 % up to 1,000.

    Parameters
    ----------
    width, accuracy, confidence_level, n_classifiers, method
        As in `required_classes`.
    class_cost : float
        Cost C of adding a class; one more test point costs 1.

    Returns
    -------
    ExperimentDesign
        Numbers of classes and of repeats, and the cost.

    Raises
    ------
    ValueError
        If an argument is out of range or no design is found.

    Examples
    --------
    >>> from classex.bayes import cheapest_design
    >>> cheapest_design(0.1, accuracy=0.9, class_cost=25.0)
    ExperimentDesign(n_classes=180, n_repeats=5, cost=5400.0)
    """
    options: Any = {"confidence_level": confidence_level, "n_classifiers": n_classifiers, "method": method}
    per_class = as_positive_float(class_cost, "class_cost")

    def design(r: int) -> ExperimentDesign:
        k = required_classes(width, accuracy=accuracy, n_repeats=r, **options)
        return ExperimentDesign(k, r, k * (per_class + r))

    start = design(max(1, round(min(sqrt(per_class), _MOST_REPEATS))))
    # no design has fewer classes than unlimited repeats would need, so a larger r than this cannot be cheaper
    largest = int(np.clip(start.cost / design(_MOST_REPEATS).n_classes - per_class, 1, _MOST_REPEATS))
    tried = np.unique(np.rint(np.geomspace(1, largest, _LADDER)).astype(np.int64))
    return min([start, *(design(int(r)) for r in tried)], key=lambda plan: plan.cost)
