r"""Distributions of the chance of success, drawn given counts of successes: several families, weighed by the data.

A problem succeeds with chance P in each of n trials. P is 0 with probability :math:`\pi_0`, 1 with probability
:math:`\pi_1`, and else follows a smooth distribution, whose tail towards 0 determines everything beyond the trials.
The families differ in this tail: a power of p (beta), thinner than any power (logit-normal; normal logarithm of the
rate :math:`-\log(1 - P)`), or an atom at 0. Their weights are their probabilities given the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.distributions.wins import log_choose

__all__ = ["ChanceDistributions", "draw_chance_distributions"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Ends of the log-odds: rounding error, and 1 - 1e-9
_LEAST, _MOST = -34.5, 20.8
# Bounds of the step of the log-odds, about the least standard deviation of one problem's likelihood: the smooth
# distributions are wider than the larger one
_STEPS = (0.06, 0.25)
# Centres and widths of the weak prior of a family's two parameters, and bounds far outside it
_NORMAL = (((-2.5, 0.7), (3.0, 0.8)), ((-20.0, -1.2), (12.0, 2.6)))
_FAMILIES: Mapping[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "beta": (((-0.5, 1.0), (1.5, 2.0)), ((-4.0, -4.0), (3.0, 9.0))),
    "logit-normal": _NORMAL,
    "log-normal rate": _NORMAL,
}
# The same for the log-odds of the atoms at 0 and at 1 against the rest
_ATOMS = (((-1.0, -3.0), (1.5, 2.0)), ((-12.0, -12.0), (8.0, 8.0)))
# Smaller log-probabilities count as 0: products of denormal numbers are slow
_LEAST_LOG = -230.0
# Scoring: step of the differences, rounds, gain in nats that ends it, and shares of the step that are tried
_MOVE, _MOST_ROUNDS, _SMALL_GAIN, _SHARES = 1e-4, 40, 0.01, 0.5 ** np.arange(6.0)
# Importance sampling: degrees of freedom of the t distribution, pilot draws, and factor of their covariance
_FREEDOM, _PILOT, _WIDER = 5.0, 200, 1.2
# Families with less of the evidence than this share of the best are left out
_NEGLIGIBLE = 1e-3


@dataclass(frozen=True)
class ChanceDistributions:
    """Distributions of the chance of success, drawn given the data.

    Attributes
    ----------
    share : mapping of str to float
        Probability of each family given the data, with equal probabilities before; in those with "+ never" some
        problems can never be solved.
    weight : ndarray of shape (n_draws,)
        Probabilities of the drawn distributions.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.attempts import draw_chance_distributions
    >>> # half never, half often
    >>> drawn = draw_chance_distributions(np.repeat([0, 5], 50), np.full(100, 10))
    >>> never = [
    ...     share for name, share in drawn.share.items() if name.endswith("never")
    ... ]
    >>> round(sum(never), 2)
    1.0
    >>> drawn.unsolved(np.array([2.0, 100.0])).shape[1]
    2
    """

    share: Mapping[str, float]
    weight: FloatArray = field(repr=False)
    _never: FloatArray = field(repr=False)
    _inside: FloatArray = field(repr=False)
    _log_fail: FloatArray = field(repr=False)

    def unsolved(self, attempts: FloatArray) -> FloatArray:
        """Return :math:`E (1-P)^k` of every distribution for each number of attempts: shape (n_draws, n)."""
        all_fail = np.exp(np.multiply.outer(self._log_fail, attempts))
        return np.clip(self._never[:, np.newaxis] + self._inside @ all_fail, 0.0, 1.0)


def draw_chance_distributions(successes: IntArray, trials: IntArray, *, n_draws: int = 400) -> ChanceDistributions:
    r"""Draw distributions of the chance of success given counts of successes.

    Parameters
    ----------
    successes, trials : ndarray of int of shape (n_problems,)
        Successes and trials of each problem. If the trials stopped at a success, the likelihood is the same up to a
        constant.
    n_draws : int
        Number of distributions of each family.

    Returns
    -------
    ChanceDistributions
        Distributions of three families, each with and without problems that can never be solved, and all with problems
        that are always solved. Their probabilities given the data are proportional to likelihood times a weak prior.

    Notes
    -----
    Importance sampling: a pilot is drawn from a t distribution around the posterior mode, then the draws from another
    with the mean and covariance of the pilot. Their weights are ratios of densities, and the mean weight is the
    probability of the data under the family. The seed is fixed, so equal data give equal draws.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.attempts import draw_chance_distributions
    >>> counts = np.array([0, 0, 1, 3, 0, 10, 7, 0, 2, 5])
    >>> drawn = draw_chance_distributions(counts, np.full(10, 10))
    >>> (drawn.weight @ drawn.unsolved(np.array([10.0]))).round(1)
    array([0.4])
    """
    data, rng = _Counts(successes, trials), np.random.default_rng(0)
    families = [_Family(name, hopeless, data) for name in _FAMILIES for hopeless in (True, False)]
    pilots = [family.pilot(rng) for family in families]
    evidence = np.array([special.logsumexp(logs) for _, logs in pilots])
    kept = np.flatnonzero(evidence > evidence.max() + np.log(_NEGLIGIBLE))
    draws = [(families[i], *families[i].draw(pilots[i], n_draws, rng)) for i in kept]
    weight = special.softmax(np.array([logs for _, _, logs in draws]))
    share = {str(family): float(row.sum()) for (family, _, _), row in zip(draws, weight, strict=True)}
    atoms = np.concatenate([family.atoms(theta) for family, theta, _ in draws])
    inside = atoms[:, 2:] * np.concatenate([family.smooth(theta) for family, theta, _ in draws])
    return ChanceDistributions(share, weight.ravel(), atoms[:, 0], inside, data.log_q)


def _exp(log: FloatArray) -> FloatArray:
    out: FloatArray = np.exp(log)
    out[log < _LEAST_LOG] = 0.0
    return out


class _Counts:
    """Distinct counts of successes, and their probability at every node of the log-odds."""

    def __init__(self, successes: IntArray, trials: IntArray) -> None:
        pairs, self.count = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
        self.successes, self.trials = s, n = pairs.astype(np.float64)
        self.step = float(np.clip(2.0 / np.sqrt(n.max()), *_STEPS))
        self.log_odds = np.arange(_LEAST, _MOST, self.step)
        self.log_p, self.log_q = special.log_expit(self.log_odds), special.log_expit(-self.log_odds)
        # More trials than the nodes resolve count as no more than these
        finer = np.maximum(s * (n - s) / n * self.step**2, 1.0)
        s, n = (s / finer)[:, np.newaxis], (n / finer)[:, np.newaxis]
        self.likelihood = _exp(s * self.log_p + (n - s) * self.log_q + log_choose(n, s))


@dataclass(frozen=True)
class _Family:
    """Posterior of one family; theta has the entries shape (two), [log-odds of never,] log-odds of always."""

    name: str
    hopeless: bool
    data: _Counts

    def __str__(self) -> str:
        return self.name + (" + never" if self.hopeless else "")

    def _prior_and_bounds(self) -> list[FloatArray]:
        """Centres and widths of the prior, and least and largest values: twice (2, n_parameters)."""
        first = 0 if self.hopeless else 1
        return [
            np.hstack([shape, np.array(atoms)[:, first:]])
            for shape, atoms in zip(_FAMILIES[self.name], _ATOMS, strict=True)
        ]

    def smooth(self, theta: FloatArray) -> FloatArray:
        """Probabilities of the nodes under the smooth distributions: (n, n_nodes)."""
        data, first, second = self.data, theta[:, :1], theta[:, 1:2]
        if self.name == "beta":
            alpha, beta = np.exp(first), np.exp(second)
            log_weight = alpha * data.log_p + beta * data.log_q
            # The end nodes stand for all beyond them, a geometric series
            log_weight[:, 0] -= np.log(-np.expm1(-data.step * alpha[:, 0]))
            log_weight[:, -1] -= np.log(-np.expm1(-data.step * beta[:, 0]))
        else:
            x = data.log_odds
            if self.name == "log-normal rate":  # the rate is p itself where that is tiny
                x = np.where(x < -30, x, np.log(-data.log_q))
            z = (x - first) * np.exp(-second)
            # x has the derivative p / rate in the log-odds
            log_weight = -0.5 * np.square(z) + (data.log_p - x if self.name == "log-normal rate" else 0.0)
            # The end nodes stand for all beyond them, the normal tails
            unit = second[:, 0] + 0.5 * np.log(2 * np.pi) - np.log(data.step)
            log_weight[:, 0] = unit + special.log_ndtr(z[:, :2].mean(axis=1))
            log_weight[:, -1] = unit + special.log_ndtr(-z[:, -2:].mean(axis=1))
        weight = _exp(log_weight - log_weight.max(axis=1, keepdims=True))
        out: FloatArray = weight / weight.sum(axis=1, keepdims=True)
        return out

    def atoms(self, theta: FloatArray) -> FloatArray:
        """Probabilities of P = 0, of P = 1 and of the rest: (n, 3)."""
        odds = np.zeros((len(theta), 3))
        odds[:, 1] = theta[:, -1]
        odds[:, 0] = theta[:, 2] if self.hopeless else -np.inf
        out: FloatArray = special.softmax(odds, axis=1)
        return out

    def log_of_points(self, theta: FloatArray) -> FloatArray:
        """Log-probability of every distinct count: (n, n_counts)."""
        never, always, rest = self.atoms(theta).T[:, :, np.newaxis]
        point = rest * (self.smooth(theta) @ self.data.likelihood.T)
        point += never * (self.data.successes == 0) + always * (self.data.successes == self.data.trials)
        out: FloatArray = np.log(np.maximum(point, 1e-300))
        return out

    def log_posterior(self, theta: FloatArray) -> FloatArray:
        """Log-likelihood plus log-density of the prior: (n,)."""
        centre, width = self._prior_and_bounds()[0]
        prior = -0.5 * np.square((theta - centre) / width) - np.log(width * np.sqrt(2 * np.pi))
        out: FloatArray = self.log_of_points(theta) @ self.data.count + prior.sum(axis=1)
        return out

    def pilot(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draws around the posterior mode, and the logarithms of their weights."""
        mode, curvature = self._mode()
        return self._around(mode, np.asarray(np.linalg.inv(curvature), dtype=np.float64), _PILOT, rng)

    def draw(
        self, pilot: tuple[FloatArray, FloatArray], n_draws: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draws around the mean of the pilot, and the logarithms of their weights."""
        # Tempered, so that no single draw dominates
        weight = special.softmax(pilot[1] / 2)
        centre = weight @ pilot[0]
        apart = pilot[0] - centre
        covariance: FloatArray = np.multiply(_WIDER * weight[:, np.newaxis], apart).T @ apart
        return self._around(centre, covariance, n_draws, rng)

    def _around(
        self, centre: FloatArray, covariance: FloatArray, size: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Antithetic draws from a t distribution, and log of posterior over t density."""
        low, high = self._prior_and_bounds()[1]
        value, vector = np.linalg.eigh(covariance)
        value, d = np.maximum(value, 1e-9), centre.size
        normal = rng.standard_normal((size // 2, d))
        half = normal * np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, (size // 2, 1)))
        step = np.concatenate([half, -half])
        theta = centre + step * np.sqrt(value) @ vector.T
        inside = ((theta >= low) & (theta <= high)).all(axis=1)
        log_density = -0.5 * (_FREEDOM + d) * np.log1p(np.square(step).sum(axis=1) / _FREEDOM)
        log_density += special.gammaln((_FREEDOM + d) / 2) - special.gammaln(_FREEDOM / 2)
        log_density -= 0.5 * (d * np.log(_FREEDOM * np.pi) + np.log(value).sum())
        theta = np.clip(theta, low, high)
        return theta, np.where(inside, self.log_posterior(theta) - log_density, -np.inf)

    def _mode(self) -> tuple[FloatArray, FloatArray]:
        """Approximate posterior mode by scoring from the centre of the prior, and the curvature there."""
        (centre, width), (low, high) = self._prior_and_bounds()
        theta, moves = centre, _MOVE * np.eye(centre.size)
        value = float(self.log_posterior(theta[np.newaxis])[0])
        for _ in range(_MOST_ROUNDS):
            up, down = np.split(self.log_of_points(np.concatenate([theta + moves, theta - moves])), 2)
            score = (up - down) / (2 * _MOVE)
            slope = score @ self.data.count - (theta - centre) / width**2
            curvature = (score * self.data.count) @ score.T + np.diag(width**-2.0)
            tried = np.clip(theta + _SHARES[:, np.newaxis] * np.linalg.solve(curvature, slope), low, high)
            values = self.log_posterior(tried)
            best = int(np.argmax(values))
            if values[best] <= value + _SMALL_GAIN:
                break
            theta, value = tried[best], float(values[best])
        return theta, curvature
