"""Corrections on the bound of accuracy by information."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import xlogy
from scipy.stats import norm

from classex.information import ExtremalChannel, accuracy_ceiling, extremal_density
from classex.models import BivariateNormal
from classex_book.errata._entry import Values, erratum


def information_of_table(joint: NDArray[np.float64]) -> float:
    """Mutual information of rows and columns, term by term."""
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float((xlogy(joint, joint) - xlogy(joint, product)).sum())


def mean_inside_the_box() -> float:
    r"""Mean of the true class, with the class and the point inside the box $x < .5$, $y < -.5$, $\rho = .7$."""

    def inside(x: float) -> float:
        return float(norm.pdf(x) * norm.cdf((-0.5 - 0.7 * x) / np.sqrt(1 - 0.7**2)))

    return float(quad(lambda x: x * inside(x), -9, 0.5)[0] / quad(inside, -9, 0.5)[0])


@erratum("I1")
def supremum_of_accuracy() -> Values:
    """$C_{10}(1)$, as infimum and as supremum."""
    channel, rng = ExtremalChannel(1.0, 10), np.random.default_rng(1)
    classes = rng.random((20_000, 10))
    points = channel.respond(classes[:, 0], rng=rng)
    correct = ((points[:, np.newaxis] - classes) % 1).argmax(axis=1) == 0
    return 1 / 10, accuracy_ceiling(1.0, 10), correct.mean(), correct.std() / np.sqrt(20_000)


@erratum("I2")
def information_without_accuracy() -> Values:
    """Information at which 10 classes are recognised with accuracy .11 at most, nats."""
    # of 148 letters, one arrives intact with chance .01 and is erased otherwise: accuracy at most 1/10 + .01
    joint = np.zeros((148, 149))
    joint[np.arange(148), np.arange(148)] = 0.01 / 148
    joint[:, 148] = 0.99 / 148
    return 0.0, 0.01 * np.log(148), information_of_table(joint), 0.0


@erratum("I3")
def distractors_inside_a_box() -> Values:
    r"""Mean of a wrong class, all inside the box $x < .5$, $y < -.5$, $\rho = .7$."""
    printed = mean_inside_the_box()
    sample = BivariateNormal(0.7).sample(100_000, rng=2)
    true, point = sample.references[:, 0], sample.points[:, 0]
    wrong = np.random.default_rng(3).normal(size=100_000)
    kept = wrong[(true < 0.5) & (wrong < 0.5) & (point < -0.5)]
    return printed, -norm.pdf(0.5) / norm.cdf(0.5), kept.mean(), kept.std() / np.sqrt(kept.size)


@erratum("I4")
def auxiliary_variable_of_the_other_side() -> Values:
    """$I((X, W); (Y, Z))$, independent bits $X$ and $Y$, $W = Z = Y$."""
    # W is independent of Y given Z, as printed, but not given X
    joint = np.zeros((4, 2))
    for x in (0, 1):
        for y in (0, 1):
            joint[2 * x + y, y] = 0.25
    return 0.0, np.log(2), information_of_table(joint), 0.0


@erratum("I5")
def division_by_the_number_of_classes() -> Values:
    r"""$\mathrm{ABA}_3$ as an integral, $\rho = .7$."""
    # the integral of the upper envelope, averaged over class sets
    rng, y = np.random.default_rng(4), np.linspace(-7, 7, 281)
    means = 0.7 * rng.normal(size=(4000, 3, 1))
    envelope = np.trapezoid(norm.pdf(y, means, np.sqrt(1 - 0.7**2)).max(axis=1), y)
    truth = BivariateNormal(0.7).average_accuracy_by_simulation(3, n_draws=100_000, rng=5)
    error = np.hypot(envelope.std() / 3 / np.sqrt(4000), truth.standard_error)
    return envelope.mean(), envelope.mean() / 3, truth.value, error


@erratum("I6")
def density_from_an_inverse() -> Values:
    """Total probability of $Y$ given $X$, $k = 3$, $c = e^2$."""
    # g is the density of the *height* Q_c(T), not of the place: its mass on [0, 1] is G(1)
    c, m = np.exp(2), 2
    mass = quad(lambda t: np.exp(c * t**m), 0, 1)[0]
    printed = (np.log(mass) / c) ** (1 / m)
    information = quad(lambda t: np.exp(c * t**m) / mass * (c * t**m - np.log(mass)), 0, 1)[0]
    return printed, 1.0, quad(lambda t: extremal_density(t, information, 3), 0, 1)[0], 1e-8


@erratum("I7")
def marginal_of_a_truncated_density() -> Values:
    r"""Mean class, true class and point inside the box $x < .5$, $y < -.5$, $\rho = .7$."""
    # as printed the marginal of the truncated density is the marginal, truncated
    right = mean_inside_the_box()
    sample = BivariateNormal(0.7).sample(100_000, rng=6)
    true, point = sample.references[:, 0], sample.points[:, 0]
    kept = true[(true < 0.5) & (point < -0.5)]
    return -norm.pdf(0.5) / norm.cdf(0.5), right, kept.mean(), kept.std() / np.sqrt(kept.size)
