"""Average Bayes accuracy from its definition and by simulation, and the variance of the Bayes accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from classex._estimates import Estimate
from classex._validation import (
    as_class_counts,
    as_finite_array,
    as_generator,
    as_positive_int,
    as_probability,
    as_weights,
    shown,
)
from classex.models import Model


def average_bayes_accuracy(
    likelihood: ArrayLike, n_classes: ArrayLike, *, prior: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Any:
    r"""Average Bayes accuracy from its definition, over nodes for the class and for the test point.

    .. math:: \mathrm{ABA}_k = \frac1k\, E \int \max_{i \le k} p(y | X_i)\, dy
              = \frac1k \sum_j w_j \sum_m p_{(m)j} \left[F_j(m)^k - F_j(m-1)^k\right],

    where, for each test point :math:`y_j`, the likelihoods are sorted and :math:`F_j` sums the prior along
    that order: the largest of k independent draws has distribution function :math:`F^k`. Exact for finite
    alphabets; otherwise as accurate as the nodes.

    Parameters
    ----------
    likelihood : array_like of shape (n_x, n_y)
        :math:`p(y_j | x_m)`: probabilities for a finite alphabet of test points, densities at quadrature
        nodes otherwise.
    n_classes : int or array_like of int
        Numbers of classes k, at least 1.
    prior : array_like of shape (n_x,), optional
        Probability of each class node; equal by default.
    weights : array_like of shape (n_y,), optional
        Quadrature weight of each test point node; 1 by default (finite alphabet).

    Returns
    -------
    float or ndarray
        A probability for each k; a float for a single k.

    Raises
    ------
    ValueError
        If an entry is negative, a shape disagrees, the prior does not sum to 1, or some row of
        ``likelihood`` does not integrate to 1 (within 1e-6).

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
    x = np.full(p.shape[0], 1 / p.shape[0]) if prior is None else as_weights(prior, p.shape[0], "prior")
    if abs(x.sum() - 1) > 1e-9:
        raise ValueError(f"prior must hold probabilities that sum to 1, not to {x.sum()}")
    if (p < 0).any():
        raise ValueError(f"likelihood must not be negative, but holds {p.min()}")
    total = p @ w
    worst = int(np.abs(total - 1).argmax())
    if abs(total[worst] - 1) > 1e-6:
        raise ValueError(f"likelihood must integrate to 1 for every class, but row {worst} gives {total[worst]}")
    counts = as_class_counts(n_classes)
    order = np.argsort(p, axis=0)
    step = np.diff(np.take_along_axis(p, order, axis=0), axis=0, prepend=0.0) * w
    below = np.clip(np.cumsum(x[order], axis=0) - x[order], 0.0, 1.0)
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
