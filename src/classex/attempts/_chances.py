r"""What counts of successes say about the law of the chance of success: several families, weighed by the data.

A problem succeeds with chance P in each of n trials. P is 0 with probability :math:`\pi_0`, 1 with probability
:math:`\pi_1`, and else follows a smooth law. Beyond the trials everything rests on how that law goes on towards 0.
Families differ in this: a power of p (beta), thinner than any power (logit-normal; normal logarithm of the rate
:math:`-\log(1 - P)`), or an atom at 0. The data weigh the families by how probable each makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.distributions.wins import log_choose

__all__ = ["ChanceDistributions", "draw_chance_distributions"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_LEAST, _MOST = -34.5, 20.8
# steps of the log-odds, about the least standard deviation of one problem's likelihood, between these; the smooth laws
# are wider than the largest step
_STEPS = (0.06, 0.25)

# of the two parameters of each family: centres and widths of the weak prior, and bounds
_NORMAL = (((-2.5, 0.7), (3.0, 0.8)), ((-20.0, -1.2), (12.0, 2.6)))
_FAMILIES: Mapping[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "beta": (((-0.5, 1.0), (1.5, 2.0)), ((-4.0, -4.0), (3.0, 9.0))),
    "logit-normal": _NORMAL,
    "log-normal rate": _NORMAL,
}
# log-odds of the atoms at 0 and at 1 against the rest
_ATOMS = ((-1.0, -3.0), (1.5, 2.0))
_ATOM_BOUNDS = (-12.0, 8.0)
# what is less probable counts as nothing, lest products underflow slowly
_LEAST_LOG = -230.0
_LOG_ROOT_2PI = 0.5 * np.log(2 * np.pi)
_MOVE, _MOST_ROUNDS, _SMALL_GAIN = 1e-4, 40, 0.01
_HALVED = 0.5 ** np.arange(6.0)
_FREEDOM, _PILOT, _WIDER, _NEGLIGIBLE = 5.0, 200, 1.2, 1e-3


@dataclass(frozen=True)
class ChanceDistributions:
    """Laws of the chance of success, drawn given the data.

    Attributes
    ----------
    share : mapping of str to float
        Probability of each family given the data, all being equally probable before; "+ never" are those in which some
        problems can never be solved.
    weight : ndarray of shape (n_draws,)
        Probabilities of the drawn laws.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.attempts import draw_chance_distributions
    >>> # half never, half often
    >>> laws = draw_chance_distributions(np.repeat([0, 5], 50), np.full(100, 10))
    >>> never = [
    ...     share for name, share in laws.share.items() if name.endswith("never")
    ... ]
    >>> round(sum(never), 2)
    1.0
    >>> laws.solved(np.array([2.0, 100.0])).shape[1]
    2
    """

    share: Mapping[str, float]
    weight: FloatArray = field(repr=False)
    _never: FloatArray = field(repr=False)
    _inside: FloatArray = field(repr=False)
    _log_fail: FloatArray = field(repr=False)

    def solved(self, attempts: FloatArray) -> FloatArray:
        """Return :math:`1 - E (1-P)^k` of every law for each number of attempts: shape (n_draws, n)."""
        out: FloatArray = 1.0 - self.unsolved(attempts)
        return out

    def unsolved(self, attempts: FloatArray) -> FloatArray:
        """Return :math:`E (1-P)^k` of every law, small values to full precision: shape (n_draws, n)."""
        all_fail = np.exp(np.multiply.outer(self._log_fail, attempts))
        out: FloatArray = self._never[:, np.newaxis] + self._inside @ all_fail
        return np.clip(out, 0.0, 1.0)

    def mean(self, attempts: FloatArray) -> FloatArray:
        """Return the mean over the laws: shape (n,)."""
        out: FloatArray = self.weight @ self.solved(attempts)
        return out


def draw_chance_distributions(successes: IntArray, trials: IntArray, *, n_draws: int = 400) -> ChanceDistributions:
    r"""Draw laws of the chance of success given counts of successes.

    Parameters
    ----------
    successes, trials : ndarray of int of shape (n_problems,)
        Successes of each problem, and its trials. The trials may have stopped at a success: the likelihood is the
        same up to a constant.
    n_draws : int
        Number of laws of each family.

    Returns
    -------
    ChanceDistributions
        Laws of three families, each with and without problems that can never be solved, all with problems that are
        always solved. A law's probability given the data is proportional to its likelihood times a weak prior: a
        family whose laws fit counts by so much more.

    Notes
    -----
    Importance sampling: laws are drawn from a t law around the most probable one, then from another with the mean and
    the covariance that those draws show, and weighed by the ratio of densities; the mean of these weights is the
    probability of the data under the family. The draws are those of one seed, so equal data give equal laws.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.attempts import draw_chance_distributions
    >>> counts = np.array([0, 0, 1, 3, 0, 10, 7, 0, 2, 5])
    >>> draw_chance_distributions(counts, np.full(10, 10)).mean(
    ...     np.array([10.0])
    ... ).round(1)
    array([0.6])
    """
    pairs, count = np.unique(np.stack([successes, trials]).astype(np.float64), axis=1, return_counts=True)
    data = _Counts.of(pairs[0], pairs[1], count.astype(np.float64))
    rng = np.random.default_rng(0)
    families = [_Family(name, hopeless, data) for name in _FAMILIES for hopeless in (True, False)]
    pilots = [family.pilot(rng) for family in families]
    evidence = np.array([special.logsumexp(logs) for _, logs in pilots])
    kept = np.flatnonzero(evidence > evidence.max() + np.log(_NEGLIGIBLE))
    places, logs = zip(*(families[i].draw(pilots[i], n_draws, rng) for i in kept), strict=True)
    weight = special.softmax(np.array(logs))
    share = {str(families[i]): float(row.sum()) for i, row in zip(kept, weight, strict=True)}
    atoms = [families[i].atoms(own) for i, own in zip(kept, places, strict=True)]
    inside = [part[:, 2:] * families[i].smooth(own) for i, own, part in zip(kept, places, atoms, strict=True)]
    return ChanceDistributions(share, weight.ravel(), np.concatenate(atoms)[:, 0], np.concatenate(inside), data.log_q)


def _exp(log: FloatArray) -> FloatArray:
    out: FloatArray = np.exp(log)
    out[log < _LEAST_LOG] = 0.0
    return out


@dataclass(frozen=True)
class _Counts:
    """Distinct counts of successes, and how probable they are at every node of the log-odds."""

    successes: FloatArray
    trials: FloatArray
    count: FloatArray
    step: float
    log_odds: FloatArray
    log_p: FloatArray
    log_q: FloatArray
    likelihood: FloatArray

    @classmethod
    def of(cls, successes: FloatArray, trials: FloatArray, count: FloatArray) -> _Counts:
        step = float(np.clip(2.0 / np.sqrt(trials.max()), *_STEPS))
        log_odds = np.arange(_LEAST, _MOST, step)
        log_p, log_q = special.log_expit(log_odds), special.log_expit(-log_odds)
        # chances that trials tell apart more finely than the nodes stand count with as many trials as the nodes resolve
        finer = successes * (trials - successes) / trials * step**2
        s, n = (number[:, np.newaxis] / np.maximum(finer, 1.0)[:, np.newaxis] for number in (successes, trials))
        likelihood = _exp(s * log_p + (n - s) * log_q + log_choose(n, s))
        return cls(successes, trials, count, step, log_odds, log_p, log_q, likelihood)

    @cached_property
    def log_rate(self) -> FloatArray:
        """Logarithm of the rate -log(1 - p), which is p itself where that is tiny."""
        return np.where(self.log_odds < -30, self.log_odds, np.log(-self.log_q))

    @cached_property
    def log_slope(self) -> FloatArray:
        """Logarithm of the derivative of the log-rate in the log-odds, p / rate."""
        out: FloatArray = self.log_p - self.log_rate
        return out


@dataclass(frozen=True)
class _Family:
    """Posterior of one family; places have the columns shape (two), [log-odds of never,] log-odds of always."""

    name: str
    hopeless: bool
    data: _Counts

    def __str__(self) -> str:
        return self.name + (" + never" if self.hopeless else "")

    @property
    def prior(self) -> FloatArray:
        """Centres and widths: (2, n_parameters)."""
        return np.hstack([_FAMILIES[self.name][0], np.array(_ATOMS)[:, 0 if self.hopeless else 1 :]])

    @property
    def bounds(self) -> FloatArray:
        """Least and largest values: (2, n_parameters)."""
        atoms = np.repeat(np.array(_ATOM_BOUNDS)[:, np.newaxis], 1 + self.hopeless, axis=1)
        return np.hstack([_FAMILIES[self.name][1], atoms])

    def smooth(self, places: FloatArray) -> FloatArray:
        """Probabilities of the nodes under the smooth laws: (n_places, n_nodes)."""
        data = self.data
        first, second = places[:, :1], places[:, 1:2]
        if self.name == "beta":
            alpha, beta = np.exp(first), np.exp(second)
            log_weight = alpha * data.log_p + beta * data.log_q
            # the end nodes stand for all beyond them, a geometric series
            log_weight[:, 0] -= np.log(-np.expm1(-data.step * alpha[:, 0]))
            log_weight[:, -1] -= np.log(-np.expm1(-data.step * beta[:, 0]))
        else:
            place, log_slope = (data.log_odds, 0.0) if self.name == "logit-normal" else (data.log_rate, data.log_slope)
            z = (place - first) * np.exp(-second)
            log_weight = log_slope - 0.5 * np.square(z)
            # here too, with the normal law's own tails
            unit = second[:, 0] + _LOG_ROOT_2PI - np.log(data.step)
            log_weight[:, 0] = unit + special.log_ndtr(z[:, :2].mean(axis=1))
            log_weight[:, -1] = unit + special.log_ndtr(-z[:, -2:].mean(axis=1))
        weight = _exp(log_weight - log_weight.max(axis=1, keepdims=True))
        out: FloatArray = weight / weight.sum(axis=1, keepdims=True)
        return out

    def atoms(self, places: FloatArray) -> FloatArray:
        """Probabilities of P = 0, of P = 1 and of the rest: (n_places, 3)."""
        odds = np.zeros((len(places), 3))
        odds[:, 1] = places[:, -1]
        odds[:, 0] = places[:, 2] if self.hopeless else -np.inf
        out: FloatArray = special.softmax(odds, axis=1)
        return out

    def log_of_points(self, places: FloatArray) -> FloatArray:
        """Log-probability of every distinct count: (n_places, n_counts)."""
        never, always, rest = self.atoms(places).T[:, :, np.newaxis]
        point = rest * (self.smooth(places) @ self.data.likelihood.T)
        point += never * (self.data.successes == 0) + always * (self.data.successes == self.data.trials)
        out: FloatArray = np.log(np.maximum(point, 1e-300))
        return out

    def log_posterior(self, places: FloatArray) -> FloatArray:
        """Log-likelihood plus log-density of the prior: (n_places,)."""
        centre, width = self.prior
        prior = -0.5 * np.square((places - centre) / width) - np.log(width * np.sqrt(2 * np.pi))
        out: FloatArray = self.log_of_points(places) @ self.data.count + prior.sum(axis=1)
        return out

    def pilot(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Places around the most probable one, and the logarithms of their weights."""
        centre, curvature = self._most_probable()
        covariance = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
        return self._around(centre, covariance, _PILOT, rng)

    def draw(
        self, pilot: tuple[FloatArray, FloatArray], n_draws: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Places from a law fitted to those of the pilot, and the logarithms of their weights."""
        # tempered, so that no single place rules
        weight = special.softmax(pilot[1] / 2)
        centre = weight @ pilot[0]
        apart = pilot[0] - centre
        covariance: FloatArray = np.multiply(_WIDER * weight[:, np.newaxis], apart).T @ apart
        return self._around(centre, covariance, n_draws, rng)

    def _around(
        self, centre: FloatArray, covariance: FloatArray, size: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draws from a t law, in pairs on either side, and log of posterior over t density."""
        low, high = self.bounds
        value, vector = np.linalg.eigh(covariance)
        value = np.maximum(value, 1e-9)
        normal = rng.standard_normal((size // 2, centre.size))
        half = normal * np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, (size // 2, 1)))
        step = np.concatenate([half, -half])
        places = centre + step * np.sqrt(value) @ vector.T
        inside = ((places >= low) & (places <= high)).all(axis=1)
        d = centre.size
        log_density = -0.5 * (_FREEDOM + d) * np.log1p(np.square(step).sum(axis=1) / _FREEDOM)
        log_density += special.gammaln((_FREEDOM + d) / 2) - special.gammaln(_FREEDOM / 2)
        log_density -= 0.5 * (d * np.log(_FREEDOM * np.pi) + np.log(value).sum())
        places = np.clip(places, low, high)
        return places, np.where(inside, self.log_posterior(places) - log_density, -np.inf)

    def _most_probable(self) -> tuple[FloatArray, FloatArray]:
        """Place of about the largest posterior, by scoring from the centre of the prior, and the curvature there."""
        (low, high), place = self.bounds, self.prior[0]
        value = float(self.log_posterior(place[np.newaxis])[0])
        for _ in range(_MOST_ROUNDS):
            slope, curvature = self._slope_and_curvature(place)
            tried = np.clip(place + _HALVED[:, np.newaxis] * np.linalg.solve(curvature, slope), low, high)
            values = self.log_posterior(tried)
            best = int(np.argmax(values))
            if values[best] <= value + _SMALL_GAIN:
                break
            place, value = tried[best], float(values[best])
        return place, curvature

    def _slope_and_curvature(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        moves = _MOVE * np.eye(place.size)
        logs = self.log_of_points(np.concatenate([place + moves, place - moves]))
        score = (logs[: place.size] - logs[place.size :]) / (2 * _MOVE)
        centre, width = self.prior
        slope = score @ self.data.count - (place - centre) / width**2
        return slope, (score * self.data.count) @ score.T + np.diag(width**-2.0)
