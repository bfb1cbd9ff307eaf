"""Corrections on identification in high dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

from classex.information import ExtremalChannel, extremal_density, identification_accuracy
from classex.models import BivariateNormal, GaussianSequence
from classex_book.errata._entry import Values, erratum


@erratum("D1")
def normalising_constant() -> Values:
    r"""Density of the response at its mean, $q = 2$, $\Sigma = \mathrm{diag}(2, 3)$."""
    covariance = np.diag([2.0, 3.0])
    size = np.linalg.det(covariance)
    printed, right = 1 / (2 * np.pi * size) ** (-2 / 2), (2 * np.pi) ** (-2 / 2) * size ** (-1 / 2)
    return printed, right, multivariate_normal(np.zeros(2), covariance).pdf(np.zeros(2)), 0.0


@erratum("D2")
def maximum_that_includes_the_truth() -> Values:
    r"""Error with 3 classes, $\Pr[\max Z_j \ge 0]$."""
    rng, rho = np.random.default_rng(1), 0.7
    classes = rng.normal(size=(100_000, 3))
    y = rho * classes[:, 0] + np.sqrt(1 - rho**2) * rng.normal(size=100_000)
    z = norm.logpdf(y[:, np.newaxis], rho * classes, np.sqrt(1 - rho**2))
    wrong = (z - z[:, :1])[:, 1:].max(axis=1) >= 0
    printed = np.mean((z - z[:, :1]).max(axis=1) >= 0)
    return printed, 1 - BivariateNormal(rho).average_accuracy(3), wrong.mean(), wrong.std() / np.sqrt(wrong.size)


@erratum("D3")
def second_term_of_the_logarithm() -> Values:
    r"""$\log(1 + x)$ to second order at $x = .01$, minus $x$, over $x^2$."""
    x = 0.01
    return -1.0, -0.5, (np.log1p(x) - x) / x**2, 0.005


@erratum("D4")
def components_of_naive_bayes() -> Values:
    """Log density under naive Bayes, $p = 10$ features, $n = 3$ training points."""
    rng = np.random.default_rng(2)
    point, training = rng.normal(size=10), rng.normal(size=(3, 10))
    mean, spread = training.mean(axis=0), training.std(axis=0, ddof=1)
    terms = norm.logpdf(point, mean, spread)
    return terms[:3].sum(), terms.sum(), multivariate_normal(mean, np.diag(spread**2)).logpdf(point), 0.0


@erratum("D9")
def a_lottery_beside_a_gaussian_sequence() -> Values:
    """Accuracy with 10 candidates, one nat of a Gaussian sequence and one of a lottery that is right once in 1,000."""
    # the ratios are as normal as those of the sequence alone, but no accuracy shows the lottery's information
    sequence = GaussianSequence(n_features=1000, signal=1000 * np.expm1(0.002))
    truth = 0.001 + 0.999 * sequence.average_bayes_accuracy(10)
    return identification_accuracy(2.0, 10), identification_accuracy(1.0, 10), truth, 0.001


@erratum("D10")
def spectra_without_their_alignment() -> Values:
    r"""Information of $Y = X + E$, spectra $\{1, 3\}$ and $\{1, 2\}$, large with small."""
    # the printed claim takes the limit from the spectra alone, here from the case of large with large
    d, strong, weak = 2000, np.repeat([1.0, 3.0], 1000), np.repeat([2.0, 1.0], 1000)
    truth = 0.5 * (np.log(strong / d + weak).sum() - np.log(weak).sum())  # by determinants
    return 0.5 * np.mean([1 / 1, 3 / 2]), 0.5 * np.mean([1 / 2, 3 / 1]), truth, 0.001


@erratum("D11")
def implied_above_actual() -> Values:
    r"""Information implied by the accuracies of the extremal channel of 1 nat and 10 classes, $k = 2, \dots, 10$."""
    sizes = np.arange(2, 11)

    def closest(accuracy: NDArray[np.float64]) -> float:
        def gap(nats: float) -> float:
            return float(np.square(accuracy - identification_accuracy(np.full(9, nats), sizes)).sum())

        return float(minimize_scalar(gap, bounds=(0.1, 5.0), method="bounded").x)

    # a wrong class lies below the true one with the chance that is the offset of the point
    exact = [quad(lambda t, k=k: extremal_density(t, 1.0, 10) * t ** (k - 1), 0, 1)[0] for k in sizes]
    classes, points = ExtremalChannel(1.0, 10).sample(400_000, rng=9)
    offset = np.mod(points - classes, 1.0).reshape(20, -1, 1)
    found = [closest(part) for part in (offset ** (sizes - 1)).mean(axis=1)]
    return 1.0, closest(np.array(exact)), np.mean(found), np.std(found, ddof=1) / np.sqrt(20)


@erratum("D13", "lower bound")
def accuracy_below_chance() -> Values:
    """Accuracy of the rule that names the farthest of 4 classes, bivariate normal with correlation .7."""
    rng, wrong = np.random.default_rng(11), []
    for _ in range(4000):
        sample = BivariateNormal(0.7).sample(4, rng=rng)
        wrong.append(np.mean(sample.scores.argmin(axis=1) == sample.labels))
    return 1 / 4, 0.0, np.mean(wrong), np.std(wrong) / np.sqrt(4000)
