"""False match rates beyond the scores seen: a tail of the scores, and distributions of the rate over searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize, special

from classex._types import FloatArray, IntArray
from classex.open_set._searches import search_weights

__all__ = ["Mixing", "Tail", "different", "fit_tail", "log_chances", "match_rate", "supported"]


# beyond this condition number the numerical Hessian is dominated by rounding
_WORST_CONDITION = 1e12
# error of the form, per unit of the logarithm that the tail is continued; chosen on cosines in 64 dimensions
_FORM_ERROR = 0.03
# fewest scores that the tail is fitted to, and fewest different ones: set by judgement
_FEWEST, _FEWEST_DISTINCT = 200, 20
# the tail is compared with these numbers of highest scores, up to this number of standard errors: set by judgement
_COMPARED, _MOST_ERRORS = (10, 30, 100, 300), 3.5
# step of numerical derivatives: about the fourth root of the rounding error
_STEP = 1e-4

# logarithm of the rate over its mean, wide enough for the second moments that the tests check
_GRID = np.linspace(-40.0, 12.0, 313)
# squared coefficients of variation of the rate, and shares of its mean common to all searches: set by judgement
_SPREADS = np.geomspace(0.01, 1000.0, 81)
_COMMON = (0.0, 0.01, 0.05, 0.2, 0.5)
# weights and rates below these are treated as zero
_NEGLIGIBLE, _SMALLEST = 1e-18, 1e-300


@dataclass(frozen=True)
class Tail:
    r"""Share of comparisons above a score: beyond a start, its logarithm is a power of the score.

    .. math:: -\log f(s) = y_0 \bigl(1 + \theta (s - u)/g\bigr)^{1/\theta}, \qquad s \ge u.

    The exponent 1/theta is 1 for exponential tails and 2 for Gaussian tails. The arrays hold, for each score above the
    start, the search's person, the enrolled identity, the weight and the influence on (theta, log g).
    """

    start: float
    level: float
    parameters: FloatArray
    people: IntArray
    columns: IntArray
    weight: FloatArray
    influence: FloatArray
    shape: tuple[int, int]

    def exponent(self, score: FloatArray | float) -> FloatArray:
        """-log f at scores from the start on; infinite beyond the end of the tail."""
        return self.level * _power(np.asarray(score) - self.start, *self.parameters)

    def score(self, exponent: FloatArray) -> FloatArray:
        """Score at which -log f has these values."""
        theta, log_scale = self.parameters
        return np.asarray(self.start + np.exp(log_scale) * special.boxcox(exponent / self.level, theta))

    def log_rate(self, threshold: float) -> tuple[float, float] | None:
        """Logarithm of the false match rate at a threshold above the start, and its variance.

        The variance is that of a maximum-likelihood estimate from scores that share people and identities, plus the
        error of the form. None if the tail ends below the threshold.
        """
        x = np.array(threshold - self.start)
        slope = _gradient(lambda b: -self.level * _power(x, *b), self.parameters)
        value = -float(self.exponent(threshold))
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            return None
        # a score contributes to the share above the start, and to the parameters
        cell = self.weight * (1.0 + self.influence @ slope)
        variance = _clustered_variance(cell, self.people, self.columns, self.shape)
        return value, variance + (_FORM_ERROR * (value + self.level)) ** 2


def _power(x: FloatArray, theta: float, log_scale: float) -> FloatArray:
    z = x / np.exp(log_scale)
    with np.errstate(all="ignore"):
        return np.where(1 + theta * z > 0, special.inv_boxcox(z, theta), 0.0 if theta > 0 else np.inf)


def _log_density(x: FloatArray, level: float, theta: float, log_scale: float) -> FloatArray:
    y = _power(x, theta, log_scale)
    with np.errstate(invalid="ignore"):
        density: FloatArray = np.log(level) - log_scale + (1 - theta) * np.log(y) - level * (y - 1)
    return density


def fit_tail(scores: FloatArray, people: IntArray, share: float) -> Tail | None:
    """Fit the tail to a share of the scores, the highest; minus infinity stands for comparisons left out.

    None if too few of these scores differ, or the fitted tail disagrees with the highest scores.
    """
    made = int(np.isfinite(scores).sum())
    count = min(max(int(share * made), _FEWEST), made // 10)
    start = float(np.partition(scores.ravel(), -count - 1)[-count - 1])
    rows, columns = np.nonzero(scores > start)
    x = scores[rows, columns] - start
    if not np.isfinite(start) or np.unique(x).size < _FEWEST_DISTINCT:
        return None
    weight = _cell_weights(scores, people)[rows]
    above = float(weight.sum())
    weight, level = weight / above, float(-np.log(above))

    def loss(theta: FloatArray) -> float:
        value = -float(weight @ _log_density(x, level, *theta))
        return value if np.isfinite(value) else 1e10

    first = [0.5, np.log(level * float(weight @ x))]
    theta = optimize.minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-9}).x
    for rank in _COMPARED:
        if rank < count / 2:
            high = float(np.partition(scores.ravel(), -rank)[-rank])
            rate, variance = match_rate(scores, people, high)
            # half a score less: the score at which the count is made is one of those counted
            gap = np.log(rate * (1 - 0.5 / rank)) + level * float(_power(np.array(high - start), *theta))
            if abs(gap) > _MOST_ERRORS * np.sqrt(variance) / rate:
                return None
    score = _gradient(lambda b: _log_density(x, level, *b), theta)
    hessian = _gradient(lambda b: -weight @ _gradient(lambda c: _log_density(x, level, *c), b), theta)
    if not (np.isfinite(hessian).all() and np.linalg.cond(hessian) < _WORST_CONDITION):
        return None
    shape = (int(people.max()) + 1, scores.shape[1])
    return Tail(start, level, theta, people[rows], columns, weight, score @ np.linalg.inv(hessian), shape)


def match_rate(scores: FloatArray, people: IntArray, threshold: float) -> tuple[float, float]:
    """Share of comparisons that reach a threshold, every person with the same weight, and its variance."""
    rows, columns = np.nonzero(scores >= threshold)
    cell = _cell_weights(scores, people)[rows]
    shape = (int(people.max()) + 1, scores.shape[1])
    return float(cell.sum()), _clustered_variance(cell, people[rows], columns, shape)


def _cell_weights(scores: FloatArray, people: IntArray) -> FloatArray:
    """Weight of a comparison of each search; comparisons left out have none."""
    return np.asarray(search_weights(people) / np.maximum(np.isfinite(scores).sum(axis=1), 1))


def _clustered_variance(cell: FloatArray, people: IntArray, columns: IntArray, shape: tuple[int, int]) -> float:
    """Variance of a sum over comparisons that share people and identities."""
    alone = float(np.square(cell).sum())
    sums = (np.bincount(group, weights=cell, minlength=n) for group, n in zip((people, columns), shape, strict=True))
    return max(sum(float(np.square(total - total.mean()).sum()) for total in sums) - alone, alone)


def _gradient(function: Callable[[FloatArray], Any], x: FloatArray) -> FloatArray:
    """Central differences, along a last axis."""
    with np.errstate(invalid="ignore"):
        return np.stack([(function(x + e) - function(x - e)) / (2 * _STEP) for e in _STEP * np.eye(x.size)], axis=-1)


@dataclass(frozen=True)
class Mixing:
    """A distribution of the false match rate over searches, and the log-likelihood of the matches under it."""

    rate: FloatArray
    weight: FloatArray
    log_likelihood: float = 0.0

    def scaled(self, mean: float) -> Mixing:
        """The same distribution with another mean."""
        rate = self.rate
        for _ in range(3):  # rates are at most one
            rate = np.minimum(rate * (mean / max(float(self.weight @ rate), _SMALLEST)), 1.0)
        return replace(self, rate=rate)

    def shifted(self, tail: Tail, by: float) -> Mixing:
        """The same searches at a higher threshold, if each has this tail, shifted by an amount of its own."""
        score = tail.score(-np.log(np.clip(self.rate, _SMALLEST, 1 - 1e-12)))
        return replace(self, rate=np.exp(-tail.exponent(score + by)))

    def any_match(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Probability of a match among galleries of these sizes, and its variance over searches."""
        with np.errstate(divide="ignore"):
            chances = -np.expm1(np.multiply.outer(sizes, np.log1p(-self.rate)))
        mean = chances @ self.weight
        return mean, np.square(chances - mean[:, np.newaxis]) @ self.weight


def different(matches: IntArray, made: IntArray, weights: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Different numbers of matches and of comparisons made, and the weight of the searches that have them."""
    base = int(matches.max()) + 1
    codes, index = np.unique(made * base + matches, return_inverse=True)
    return codes % base, codes // base, np.bincount(index, weights=weights).astype(np.float64)


def supported(matches: IntArray, weights: FloatArray, made: IntArray, least: float, level: float) -> list[Mixing]:
    """Mixings of a mean rate of at least `least` that the likelihood of the matches allows at a confidence level.

    A part of the mean rate is common to all searches, 1 if they do not differ. The rest follows a gamma or a log-normal
    distribution, or is the same for some searches and zero for the others. `weights` count the searches, and `made` the
    identities that each was compared with.
    """
    values, n, count = different(matches, made, weights)
    mean = max(float(count @ (values / n)) / count.sum(), least)
    few = [Mixing(np.ones(1), np.ones(1))]
    few += [
        Mixing(mean * np.array([common, common + (1 - common) / share]), np.array([1 - share, share]))
        for common in _COMMON
        for share in 1 / (1 + _SPREADS)
    ]
    mixings = [
        replace(mixing, log_likelihood=float(count @ log_chances(mixing, values, n)))
        for mixing in (each.scaled(mean) for each in few)
    ]
    for common in _COMMON:
        rate = mean * (common + (1 - common) * np.exp(_GRID))
        mixings += [
            Mixing(rate[weight > 0], weight[weight > 0], float(count @ logs))
            for weight, logs in zip(_WEIGHTS, _log_means(_WEIGHTS, np.minimum(rate, 1.0), values, n), strict=True)
        ]
    best = max(mixing.log_likelihood for mixing in mixings)
    # two parameters
    return [mixing for mixing in mixings if mixing.log_likelihood >= best - special.chdtri(2, 1 - level) / 2]


def log_chances(mixing: Mixing, matches: IntArray, n: IntArray) -> FloatArray:
    """Log-probability of these numbers of matches among n identities, less the binomial coefficient."""
    return _log_means(mixing.weight, mixing.rate, matches, n)


def _log_means(weights: FloatArray, rate: FloatArray, matches: IntArray, n: IntArray) -> FloatArray:
    """Logarithm of the probability's mean over the rates, for each row of weights: (..., n_matches)."""
    some = np.clip(rate, _SMALLEST, 1 - 1e-15)
    terms = np.multiply.outer(np.log(some), matches) + np.multiply.outer(np.log1p(-some), n - matches)
    top = terms.max(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights @ np.exp(terms - top)) + top)


def _weights() -> FloatArray:
    """Gamma and log-normal distributions of mean 1 on the grid, one to a row."""
    rows = []
    edge = _GRID[0] - (_GRID[1] - _GRID[0]) / 2
    for spread in _SPREADS:
        shape, variance = 1 / spread, np.log1p(spread)
        # gamma distributions extend far below the grid: that mass goes to the lowest node
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
