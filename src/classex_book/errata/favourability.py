"""Corrections on favourability, its distribution and the moments that give accuracies."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from classex.models import BivariateNormal
from classex_book.errata._entry import Values, erratum

TOY = BivariateNormal(0.7)
RHO, SPREAD = 0.7, np.sqrt(1 - 0.7**2)


def moment(k: int) -> float:
    """Integral of D(u) u^(k-2) for the bivariate normal example."""
    return float(quad(lambda u: TOY.discriminability(u) * u ** (k - 2), 0, 1, epsabs=1e-10)[0])


def simulated(k: int) -> tuple[float, float]:
    """Average accuracy with k classes and its standard error, by drawing classes and one point each time."""
    estimate = TOY.average_accuracy_by_simulation(k, n_draws=100_000, rng=k)
    return estimate.value, estimate.standard_error


def mean(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error."""
    return float(values.mean()), float(values.std() / np.sqrt(values.size))


@erratum("F1")
def one_distractor_too_many() -> Values:
    r"""$\mathrm{AGA}_3$, from $k$ instead of $k - 1$ wrong labels."""
    return 1 - 3 * moment(4), 1 - 2 * moment(3), *simulated(3)


@erratum("F2")
def factor_before_the_integral() -> Values:
    """Average risk, 5 classes."""
    accuracy, error = simulated(5)
    return 3 * moment(5), 4 * moment(5), 1 - accuracy, error


@erratum("F3")
def statistic_that_is_an_accuracy() -> Values:
    """Average risk, 5 classes, from the expectation of the statistic referred to."""
    accuracy, error = simulated(5)
    return TOY.average_accuracy(5), 1 - TOY.average_accuracy(5), 1 - accuracy, error


@erratum("F4")
def one_minus_too_often() -> Values:
    r"""$1 - \mathrm{AGA}_5$."""
    accuracy, error = simulated(5)
    return 1 - 4 * moment(5), 4 * moment(5), 1 - accuracy, error


@erratum("F5")
def maximum_above_or_below() -> Values:
    """Chance to beat 4 wrong labels at favourability .8, as a probability."""
    highest = np.random.default_rng(1).random((100_000, 4)).max(axis=1)
    return 1 - 0.8**4, 0.8**4, *mean(highest < 0.8)


@erratum("F6")
def proof_without_one_minus() -> Values:
    r"""$\mathrm{AGA}_5$, last line of the proof."""
    return 4 * moment(5), 1 - 4 * moment(5), *simulated(5)


@erratum("F7")
def limits_of_the_integral() -> Values:
    """Chance to beat 4 wrong labels at favourability .8, as an integral."""

    def density(u: float) -> float:
        return 4 * u**3

    highest = np.random.default_rng(2).random((100_000, 4)).max(axis=1)
    return quad(density, 0.8, 1)[0], quad(density, 0, 0.8)[0], *mean(highest < 0.8)


@erratum("F8")
def two_classes() -> Values:
    r"""$\mathrm{AGA}_2$."""
    right = 1 - moment(2)
    return 1 - right, right, 0.5 + np.arctan(RHO / np.sqrt(2 * (1 - RHO**2))) / np.pi, 0.0


@erratum("F9")
def gaps_between_labels() -> Values:
    """Accuracy with the labels $-0.9$, $0.1$ and $0.8$."""
    labels = np.array([-0.9, 0.1, 0.8])
    gaps = np.diff(labels) / (2 * SPREAD)
    printed, right = (float((2 * norm.cdf(scale * gaps).sum() - 1) / 3) for scale in (1, RHO))
    y = np.linspace(-8, 8, 20_001)
    envelope = norm.pdf(y, RHO * labels[:, np.newaxis], SPREAD).max(axis=0)
    return printed, right, np.trapezoid(envelope, y) / 3, 1e-7


@erratum("F10")
def sense_of_the_inequality() -> Values:
    """Favourability at $x = .8$, $y = .3$."""
    x, y = 0.8, 0.3
    reach = abs(RHO * y - x)
    printed = norm.cdf((x + reach) / RHO) - norm.cdf((x - reach) / RHO)
    rivals = np.random.default_rng(3).normal(size=100_000)
    return printed, TOY.favourability(x, y), *mean(reach < abs(RHO * rivals - x))


@erratum("F12")
def risk_that_is_an_accuracy() -> Values:
    """Average risk, 3 classes, as the draft defines the risk."""
    accuracy, error = simulated(3)
    return TOY.average_accuracy(3), 2 * moment(3), 1 - accuracy, error
