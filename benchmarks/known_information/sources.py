"""Pairs of a stimulus and a response from joint laws whose mutual information is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_expit, log_ndtr
from scipy.stats import norm

import classex as cx
from classex.models import BivariateNormal, RandomCode
from classex_book.models import MultivariateLogistic

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """A joint law: how to draw from it, and what only its owner knows.

    Attributes
    ----------
    name : str
        Name of the family.
    dimension : int
        Number of coordinates of the stimulus.
    information : float
        Exact mutual information in nats.
    binary : bool
        Whether responses are bits.
    draw : callable
        ``draw(n, rng)``: stimuli (n, p) and responses (n, q).
    log_likelihood : callable
        ``log_likelihood(x, y)``: matrix of log p(y_i | x_j), up to a constant for every y.
    log_ratio : callable or None
        ``log_ratio(x, y)``: log p(y_i | x_i) - log p(y_i) for every pair, where it is at hand.
    """

    name: str
    dimension: int
    information: float
    binary: bool
    draw: Callable[[int, np.random.Generator], tuple[FloatArray, FloatArray]]
    log_likelihood: Callable[[FloatArray, FloatArray], FloatArray]
    log_ratio: Callable[[FloatArray, FloatArray], FloatArray] | None = None


def _minus_half_square(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(y @ x.T - 0.5 * np.square(x).sum(axis=1))


def gaussian(d: int, nats: float, *, warped: bool = False) -> Source:
    """Gaussian sequence; warped, both sides are seen through a cube, which leaves the information as it is."""
    s = float(np.expm1(2 * nats / d))
    seen, back = (_cube, np.cbrt) if warped else (_same, _same)

    def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        x = np.sqrt(s) * rng.normal(size=(n, d))
        return seen(x), seen(x + rng.normal(size=(n, d)))

    def log_ratio(x: FloatArray, y: FloatArray) -> FloatArray:
        x, y = back(x), back(y)
        own, alone = np.square(y - x).sum(axis=1), np.square(y).sum(axis=1) / (1 + s)
        return np.asarray(0.5 * (d * np.log1p(s) - own + alone))

    name = "warped Gaussian" if warped else "Gaussian sequence"
    return Source(name, d, nats, False, draw, lambda x, y: _minus_half_square(back(x), back(y)), log_ratio)


def _cube(x: FloatArray) -> FloatArray:
    return x**3


def _same(x: FloatArray) -> FloatArray:
    return x


def laplace(d: int, nats: float) -> Source:
    """Normal stimuli, heavy-tailed (Laplace) noise of scale 1 in every coordinate."""

    def log_marginal(y: FloatArray, sd: float) -> FloatArray:
        left, right = log_ndtr(y / sd - sd) - y, log_ndtr(-y / sd - sd) + y
        return np.asarray(sd**2 / 2 - np.log(2) + np.logaddexp(left, right))

    def information(sd: float) -> float:
        y = np.linspace(-40 - 8 * sd, 40 + 8 * sd, 20_001)
        density = log_marginal(y, sd)
        return float(-np.trapezoid(np.exp(density) * density, y)) - 1 - float(np.log(2))

    sd = float(np.exp(brentq(lambda t: information(np.exp(t)) - nats / d, -5, 5, xtol=1e-13)))

    def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        x = sd * rng.normal(size=(n, d))
        return x, x + rng.laplace(size=(n, d))

    def log_likelihood(x: FloatArray, y: FloatArray) -> FloatArray:
        return np.array([-np.abs(row - x).sum(axis=1) for row in y])

    def log_ratio(x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray((-np.abs(y - x) - np.log(2) - log_marginal(y, sd)).sum(axis=1))

    return Source("Laplace noise", d, nats, False, draw, log_likelihood, log_ratio)


def logistic(d: int, nats: float) -> Source:
    """Multivariate logistic model: every response is a bit that leans on one coordinate."""
    weight = float(brentq(lambda s: MultivariateLogistic(n_features=d, weight=s).information() - nats, 1e-3, 50))
    model = MultivariateLogistic(n_features=d, weight=weight)

    def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        sample = model.sample(n, rng=rng)
        return sample.references, sample.points

    def log_ratio(x: FloatArray, y: FloatArray) -> FloatArray:
        # every bit is fair when nothing is known of the stimulus
        return np.asarray(log_expit((2 * y - 1) * weight * x).sum(axis=1) + d * np.log(2))

    return Source("multivariate logistic", d, nats, True, draw, lambda x, y: model.scores(y, x), log_ratio)


def one_dimension() -> list[Source]:
    """Three laws far from the theory: two of one dimension, and a code with more information than 200 pairs show."""
    bivariate, code = BivariateNormal(rho=0.99), RandomCode(length=31, crossover=0.1)
    channel = cx.information.ExtremalChannel(information=3.0, n_classes=30)

    def from_model(model: BivariateNormal | RandomCode) -> Callable[..., tuple[FloatArray, FloatArray]]:
        def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
            sample = model.sample(n, rng=rng)
            return sample.references, sample.points

        return draw

    def on_the_circle(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        x = rng.random(n)
        return x[:, np.newaxis], channel.respond(x, rng=rng)[:, np.newaxis]

    def normal_ratio(x: FloatArray, y: FloatArray) -> FloatArray:
        spread = np.sqrt(1 - 0.99**2)
        return np.asarray((norm.logpdf(y, 0.99 * x, spread) - norm.logpdf(y))[:, 0])

    return [
        Source(
            "bivariate normal", 1, bivariate.information(), False, from_model(bivariate),
            lambda x, y: norm.logpdf(y, 0.99 * x.T, np.sqrt(1 - 0.99**2)), normal_ratio,
        ),
        Source(
            "extremal channel", 1, channel.information, False, on_the_circle,
            lambda x, y: np.log(channel.density(np.mod(y - x.T, 1.0))),
            lambda x, y: np.log(channel.density(np.mod(y[:, 0] - x[:, 0], 1.0))),
        ),
        Source(
            "random code", 31, code.information(), True, from_model(code),
            lambda x, y: np.log(9) * code.bayes_scores(y, x),
        ),
    ]  # fmt: skip


def cells() -> list[Source]:
    """Every law of the study."""
    out = [gaussian(d, nats) for d in (2, 5, 20, 50, 200) for nats in (0.5, 2.0, 6.0)]
    # in 200 dimensions the smaller amount is beyond every learned decoder, so only the larger one is run
    out += [laplace(d, nats) for d in (5, 50, 200) for nats in (2.0, 4.0) if d < 200 or nats > 2]
    out += [gaussian(d, nats, warped=True) for d in (5, 50, 200) for nats in (2.0, 4.0) if d < 200 or nats > 2]
    out += [logistic(d, nats) for d in (20, 50, 200) for nats in (2.0, 4.0) if d < 200 or nats > 2]
    return out + one_dimension()
