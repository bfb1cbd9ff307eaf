"""How unequal impostors are: distributions of a false match rate that the numbers of their hits allow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.open_set._tail import Tail

__all__ = ["Mixing", "log_chances", "supported"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# log of the rate over its mean
_GRID = np.linspace(-40.0, 12.0, 313)
# squared coefficients of variation of the rate, and shares of its mean that all impostors have in common
_SPREADS = np.geomspace(0.01, 1000.0, 81)
_COMMON = (0.0, 0.01, 0.05, 0.2, 0.5)
_NEGLIGIBLE = 1e-18
_SMALLEST = 1e-300


@dataclass(frozen=True)
class Mixing:
    """A distribution of the false match rate over impostors, and the log-likelihood of the hits under it."""

    rate: FloatArray
    weight: FloatArray
    log_likelihood: float = 0.0

    def scaled(self, mean: float) -> Mixing:
        """The same with another mean."""
        rate = self.rate
        for _ in range(3):  # rates end at one
            rate = np.minimum(rate * (mean / max(float(self.weight @ rate), _SMALLEST)), 1.0)
        return replace(self, rate=rate)

    def shifted(self, tail: Tail, by: float) -> Mixing:
        """The same impostors at a higher threshold, if each has this tail at a place of their own."""
        place = tail.score(-np.log(np.clip(self.rate, _SMALLEST, 1 - 1e-12))) + by
        return replace(self, rate=np.exp(-tail.exponent(place)))

    def any_hit(self, sizes: FloatArray) -> FloatArray:
        """Share of impostors with a hit among galleries of these sizes."""
        share: FloatArray = self._chances(sizes) @ self.weight
        return share

    def variance(self, sizes: FloatArray) -> FloatArray:
        """Variance between impostors of their chances of a hit."""
        chances = self._chances(sizes)
        variance: FloatArray = np.square(chances - (chances @ self.weight)[:, np.newaxis]) @ self.weight
        return variance

    def _chances(self, sizes: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            chances: FloatArray = -np.expm1(np.multiply.outer(sizes, np.log1p(-self.rate)))
        return chances


def supported(hits: IntArray, weights: FloatArray, n: int, mean: float, least: float) -> list[Mixing]:
    """Mixings whose log-likelihood of the hits among n identities is at most `least` below the best one's.

    Some part of the mean rate is common to all impostors, 1 where they are alike. The rest follows a gamma or a
    log-normal distribution, or some impostors have it and the others none. `weights` count the searches.
    """
    values, place = np.unique(hits, return_inverse=True)
    count = np.bincount(place.ravel(), weights=weights)
    alike = Mixing(np.ones(1), np.ones(1)).scaled(mean)
    found = [replace(alike, log_likelihood=float(count @ log_chances(alike, values, n)))]
    for common in _COMMON:
        ratio = common + (1 - common) * np.exp(_GRID)
        log_terms = _log_terms(np.minimum(mean * ratio, 1.0), values, n)
        top = log_terms.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log_chance = np.log(_WEIGHTS @ np.exp(log_terms - top).T) + top[:, 0]
        found += [
            Mixing(mean * ratio[weight > 0], weight[weight > 0], float(count @ one))
            for weight, one in zip(_WEIGHTS, log_chance, strict=True)
        ]
        for share in 1 / (1 + _SPREADS):
            two = Mixing(mean * np.array([common, common + (1 - common) / share]), np.array([1 - share, share]))
            two = two.scaled(mean)
            found.append(replace(two, log_likelihood=float(count @ log_chances(two, values, n))))
    best = max(one.log_likelihood for one in found)
    return [one for one in found if one.log_likelihood >= best - least]


def _log_terms(rate: FloatArray, hits: IntArray, n: int) -> FloatArray:
    """Log-chance of so many hits among n identities at each rate, less the binomial coefficient: (n_hits, n_rates)."""
    some = np.clip(rate, _SMALLEST, 1 - 1e-15)
    terms: FloatArray = np.multiply.outer(hits, np.log(some)) + np.multiply.outer(n - hits, np.log1p(-some))
    return terms


def log_chances(mixing: Mixing, hits: IntArray, n: int) -> FloatArray:
    """Logarithm of the chance of so many hits among n identities, less the binomial coefficient."""
    out: FloatArray = special.logsumexp(_log_terms(mixing.rate, hits, n), b=mixing.weight, axis=1)
    return out


def _weights() -> FloatArray:
    """Gamma and log-normal distributions of mean 1 on the grid, one to a row."""
    rows = []
    edge = _GRID[0] - (_GRID[1] - _GRID[0]) / 2
    for spread in _SPREADS:
        shape, variance = 1 / spread, np.log1p(spread)
        # gamma distributions reach far below the grid: what lies there is put on its lowest node
        for log_weight, below in (
            (shape * _GRID - shape * np.exp(_GRID), special.gammainc(shape, shape * np.exp(edge))),
            (-np.square(_GRID + variance / 2) / (2 * variance), 0.0),
        ):
            weight = np.exp(log_weight - log_weight.max())
            weight[weight < _NEGLIGIBLE] = 0.0
            weight *= (1 - below) / weight.sum()
            weight[0] += below
            rows.append(weight)
    return np.array(rows)


_WEIGHTS = _weights()
