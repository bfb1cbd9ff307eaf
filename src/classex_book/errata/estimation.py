"""Corrections on the estimators of the November 2016 draft."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import comb
from scipy.stats import beta

from classex.methods.sources.published_regression import expected_powers, importance_regression
from classex.models import BivariateNormal
from classex_book.errata._entry import Values, erratum

Array = NDArray[Any]
BELOW = np.arange(7.0)  # among 8 classes: number of other wrong labels below a wrong label, uniform on 0, ..., 6


def risk_from_powers(coefficients: Array, k: int) -> float:
    """Average risk for D-bar a polynomial."""
    return float((k - 1) * (coefficients / (np.arange(coefficients.size) + k - 1)).sum())


def given_rank(function: object) -> Array:
    """Expectation of a function of the favourability of a wrong label with N others below it, N = 0, ..., 6."""
    return np.array([beta(n + 1, 7 - n).expect(function) for n in BELOW])


@erratum("N1")
def falling_factorials() -> Values:
    r"""Average risk with 100 classes, $\bar D(u) = u^2$, 8 classes observed."""
    response = (BELOW + 1) * (BELOW + 2) / (8 * 9)
    falling = np.stack([np.ones(7), BELOW / 6, BELOW * (BELOW - 1) / 30], axis=1)
    printed, right = (np.linalg.lstsq(z, response)[0] for z in (falling, expected_powers(BELOW, 6, 2)))
    return risk_from_powers(printed, 100), risk_from_powers(right, 100), quad(lambda u: 99 * u**100, 0, 1)[0], 0.0


@erratum("N2")
def basis_that_is_no_polynomial() -> Values:
    r"""The same with the basis $1, e^u$ and $\bar D(u) = (e^u - 1)/(e - 1)$."""

    def line(u: float) -> float:
        return float(np.expm1(u) / np.expm1(1))

    moments = [quad(lambda u, h=h: 99 * h(u) * u**98, 0, 1)[0] for h in (lambda _: 1.0, np.exp)]
    response = given_rank(line)
    plugged, expected = (np.stack([np.ones(7), h], axis=1) for h in (np.exp(BELOW / 6), given_rank(np.exp)))
    printed, right = (np.linalg.lstsq(z, response)[0] @ moments for z in (plugged, expected))
    return printed, right, quad(lambda u: 99 * line(u) * u**98, 0, 1)[0], 0.0


@erratum("N3")
def divisor_of_the_test_risk() -> Values:
    """Test risk, 7 classes with 3 points each."""
    sample = BivariateNormal(0.7).sample(7, n_repeats=3, rng=2)
    own = sample.scores[np.arange(21), sample.labels][:, np.newaxis]
    wrong = (sample.scores > own).any(axis=1)
    return wrong.sum() / 3, wrong.sum() / (3 * 7), np.mean(sample.scores.argmax(axis=1) != sample.labels), 0.0


@erratum("N4")
def weight_of_a_power() -> Values:
    """Weight of the coefficient of $u^2$ in the risk with 100 classes."""
    return 1 / comb(100, 2), 99 / 101, quad(lambda u: 99 * u**100, 0, 1)[0], 0.0


@erratum("N5", "upper bound")
def variance_of_the_labels() -> Values:
    """Variance of the mean cost of the best wrong label, 10 classes with 1000 points each."""
    # the printed bound counts the points only; the cost of the best wrong label is the error rate of the Bayes rule
    model, rng = BivariateNormal(0.7), np.random.default_rng(4)
    errors = []
    for _ in range(400):
        sample = model.sample(10, n_repeats=1000, rng=rng)
        errors.append(np.mean(sample.scores.argmax(axis=1) != sample.labels))
    variance = np.var(errors, ddof=1)
    return 1 / (4 * 1000), 1 / (4 * 10) + 1 / (4 * 10 * 1000), variance, variance * np.sqrt(2 / 399)


@erratum("N5", "upper bound")
def variance_under_a_rule_that_is_not_bayes() -> Values:
    """The same for a rule that a class dominates with probability $1 - .5^{1/10}$."""
    # where one of the ten classes dominates, every point gets its label: the error rate is .9, and otherwise 0
    dominates = np.random.default_rng(8).random((20_000, 10)) < 1 - 0.5**0.1
    errors = np.where(dominates.any(axis=1), 0.9, 0.0)
    variance = np.var(errors, ddof=1)
    return 1 / (4 * 1000), 1 / 4, variance, variance * np.sqrt(2 / 20_000)


@erratum("N6")
def law_of_an_ordered_favourability() -> Values:
    r"""Mean cost of the best of 7 wrong labels, $\bar D(u) = u^2$."""
    best = np.random.default_rng(5).random((100_000, 7)).max(axis=1) ** 2
    return beta(7, 2).moment(2), beta(7, 1).moment(2), best.mean(), best.std() / np.sqrt(best.size)


@erratum("N7")
def density_of_the_largest() -> Values:
    r"""Average risk with 8 classes, $\bar D(u) = u^2$."""
    best = np.random.default_rng(6).random((100_000, 7)).max(axis=1) ** 2
    printed, right = quad(lambda u: u**2 * 8 * u**7, 0, 1)[0], quad(lambda u: u**2 * 7 * u**6, 0, 1)[0]
    return printed, right, best.mean(), best.std() / np.sqrt(best.size)


@erratum("N8")
def criterion_without_a_square() -> Values:
    """Slope that minimises the weighted criterion, searched from $-10$ to 10."""
    # two kinds of classes with slopes 1 and 3, equally frequent in the population, 1 to 4 in the sample
    rng = np.random.default_rng(7)
    kind = rng.random(20_000) < 0.8
    x = rng.normal(size=20_000)
    y, ratio = np.where(kind, 3.0, 1.0) * x + 0.1 * rng.normal(size=20_000), np.where(kind, 0.8, 0.2) / 0.5
    slopes = np.linspace(-10, 10, 401)
    criterion = [((y - slope * x) / ratio).sum() for slope in slopes]
    fit = importance_regression(x[:, np.newaxis], y, ratio)
    return slopes[np.argmin(criterion)], fit.coefficients[0], 2.0, np.sqrt(fit.covariance[0, 0])


@erratum("N11")
def cost_of_an_ordered_label() -> Values:
    r"""Mean of $C_{ij}^{(1)}$, zero-one cost, $\bar D(u) = u^2$, 6 classes."""
    # as printed, the lowest label costs 1 unless it is the true one, which no rival then loses to: U* has density 2 u
    truth_lowest = quad(lambda u: (1 - u) ** 5 * 2 * u, 0, 1)[0]
    chance = np.sqrt(np.random.default_rng(9).random((100_000, 1)))
    beats = (np.random.default_rng(10).random((100_000, 5)) > chance).all(axis=1)
    return 1 - truth_lowest, beta(1, 5).moment(2), beats.mean(), beats.std() / np.sqrt(beats.size)
