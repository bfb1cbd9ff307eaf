r"""The share of problems that k attempts leave unsolved: unbiased up to the trials, by Gaussian processes beyond.

If P is the chance that an attempt at a problem succeeds, the share is :math:`S_k = E\,(1 - P)^k`. Where -log pass@k is
a power of k, :math:`y = \log(-\log(1 - S_k))` is straight in log k. So y is a Gaussian process with the prior of
`classex.methods.CurvePrior`, for K = k + 1 classes. Problems may be hopeless, or share a least chance. Then

.. math:: S_k = (1 - q)^k \, (h + (1 - h) R_k),

where R is the process, and h and q are given shares of the largest values that the observed curve allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from classex._types import FloatArray, IntArray
from classex.attempts._prior_old import CurvePrior
from classex.attempts._problems import Problems
from classex.curves.subsets import spaced_sizes
from classex.methods.gaussian_process import MOST_SIZES

__all__ = ["ATTEMPTS", "Continuation"]


# Learnt on the attempts of thirteen families of solvers, see benchmarks/attempts
ATTEMPTS = CurvePrior(level=0.0, level_sd=3.0, slope=-1.4, slope_sd=1.0, length=24.0, early=0.0, unusual=0.0)
# Prior probability, h as a share of the last unsolved share, and -log(1 - q) as a share of the last fall of log S:
# two values of each cover 0 to 1, and four together get two fifths of the probability, see benchmarks/attempts
SHAPES = ((0.6, 0.0, 0.0), (0.1, 0.4, 0.0), (0.1, 0.8, 0.0), (0.1, 0.0, 0.4), (0.1, 0.0, 0.8))
# Power of the likelihood of a shape: real curves are smoother than the process, which overstates their evidence.
# Of 0, .1, .3 and 1 this has the smallest interval score on the first eight families of benchmarks/attempts.
_TEMPER = 0.3
# Numbers of attempts at which drawn curves are computed; straight lines between
_GRID = np.geomspace(1, 1e12, 97)
# Draws for the estimate itself
_DRAWS = 400
# Added to the variances, and shares of them: keeps their matrix positive definite in double precision
_JITTER = (1e-5, 1e-4)
# The chance of an attempt is at least that of so many successes in all trials
_LEAST_SUCCESSES = 0.5
# Keeps coordinates, and logarithms of shares, finite
_LEAST, _LEAST_SHARE = 1e-12, 1e-300


@dataclass(frozen=True)
class Shape:
    """The process for a hopeless share and a least chance, given observed unsolved shares, (n, n_sizes)."""

    hopeless: FloatArray
    fall: FloatArray

    @classmethod
    def of(cls, curve: FloatArray, sizes: FloatArray, hopeless: float, floor: float) -> Shape:
        """Shape of each row: shares of its last value, and of the fall of its logarithm at the end."""
        last = np.log(curve[:, -2:]) if sizes.size > 1 else np.zeros((len(curve), 2))
        return cls(hopeless * curve[:, -1:], floor * (last[:, :1] - last[:, 1:]) / (sizes[-1] - sizes[-2:][0] or 1.0))

    def coordinates(self, curve: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates y of unsolved shares, and the derivatives of the shares with respect to y."""
        part = (curve * np.exp(self.fall * sizes) - self.hopeless) / (1 - self.hopeless)
        power = -np.log1p(-np.clip(part, _LEAST, 1 - _LEAST))
        return np.log(power), (1 - self.hopeless) * power * np.exp(-power - self.fall * sizes)

    def log_shares(self, y: FloatArray, sizes: FloatArray) -> FloatArray:
        """Logarithms of the unsolved shares at coordinates y."""
        part = self.hopeless - (1 - self.hopeless) * np.expm1(-np.exp(y))
        return np.asarray(np.log(np.maximum(part, _LEAST_SHARE)) - self.fall * sizes)


@dataclass(frozen=True)
class Continuation:
    """Draws of the unsolved share for every number of attempts.

    Attributes
    ----------
    problems : Problems
        The outcomes.
    prior : CurvePrior
        Prior of the coordinate y.
    """

    problems: Problems
    prior: CurvePrior = ATTEMPTS

    @cached_property
    def sizes(self) -> FloatArray:
        """Numbers of attempts up to the last at which an unsolved problem was tried."""
        last = self.problems.trials[self.problems.unsolved].max()
        return spaced_sizes(1, last, MOST_SIZES)

    def _known(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share of subsets that fail, for every outcome and size, and 1 where an outcome counts, else 0."""
        p = self.problems
        counts = p.trials[:, np.newaxis] >= sizes
        if not p.fixed:  # a solved problem stays solved; an unsolved one counts up to its last trial
            counts |= p.successes[:, np.newaxis] > 0
        return p.known(sizes), counts.astype(np.float64)

    def _curve(self, share: FloatArray, sizes: FloatArray) -> FloatArray:
        """Unsolved shares for weights of the outcomes, (n, n_outcomes): (n, n_sizes).

        The product of the ratios from each size to the next, among the outcomes that count at both.
        """
        known, counts = self._known(sizes)
        later, earlier = share @ (counts * known)[:, 1:], share @ (counts[:, 1:] * known[:, :-1])
        first = share @ known[:, :1] / share.sum(axis=1, keepdims=True)
        curve = np.column_stack([first, first * np.cumprod(later / earlier, axis=1)])
        rare = _LEAST_SUCCESSES / (self.problems.count @ self.problems.trials)
        return np.asarray(np.clip(np.minimum(curve, np.exp(-rare * sizes)), _LEAST, 1 - _LEAST))

    @cached_property
    def observed(self) -> tuple[FloatArray, FloatArray]:
        """Unsolved shares of these problems, and their covariance.

        It is the chance of the trials alone, since it is the curve of these problems that goes on:
        E h_k h_l - E (1-p)^(k+l) for the shares h. The second mean is the curve itself, and a power of k beyond the
        trials.
        """
        sizes, problems = self.sizes, self.problems
        known, counts = self._known(sizes)
        weight = problems.count[:, np.newaxis] * counts
        both = np.minimum.outer(number := weight.sum(axis=0), number)
        total = np.add.outer(sizes, sizes)
        seen = np.union1d(sizes, total[total <= sizes[-1]])
        curve = self._curve(problems.count[np.newaxis].astype(np.float64), seen)[0]
        share = curve[np.searchsorted(seen, sizes)]
        tail = seen**2 >= sizes[-1]
        power = np.polyfit(np.log(seen[tail]), np.log(curve[tail]), 1)[0] if tail.sum() > 1 else 0.0
        far = np.maximum(total / sizes[-1], 1.0)
        squares = curve[np.searchsorted(seen, np.minimum(total, sizes[-1]))] * far ** min(power, 0.0)
        value, vector = np.linalg.eigh(((weight * known).T @ known / both - squares) / both)
        return share, (vector * np.maximum(value, 0.0)) @ vector.T

    @cached_property
    def fits(self) -> list[tuple[float, tuple[float, float], tuple[FloatArray, bool]]]:
        """Posterior probability of each shape, its two shares, and the factor of the covariance of its coordinates."""
        (share, covariance), n_classes = self.observed, self.sizes + 1
        log_weight, fits = [], []
        for weight, *shares in SHAPES:
            shape = Shape.of(share[np.newaxis], self.sizes, *shares)
            y, slope = (row[0] for row in shape.coordinates(share[np.newaxis], self.sizes))
            noise = covariance / np.outer(slope, slope)
            noise += np.diag(_JITTER[0] + _JITTER[1] * np.diag(noise))
            factor = cho_factor(self.prior.covariance(n_classes, n_classes) + noise, lower=True)
            rest = solve_triangular(factor[0], y - self.prior.mean(n_classes), lower=True)
            # density of the shares given the first of them: the vague level must not decide between shapes
            terms = -0.5 * rest**2 - np.log(np.diag(factor[0]) * slope)
            log_weight.append(np.log(weight) + _TEMPER * terms[1:].sum())
            fits.append(((shares[0], shares[1]), factor))
        return [(float(w), *fit) for w, fit in zip(special.softmax(log_weight), fits, strict=True)]

    def _paths(self, observed: FloatArray) -> FloatArray:
        """Logarithms of unsolved shares on the grid, falling with k: one draw for each row of observed shares."""
        prior, n_classes, rng = self.prior, self.sizes + 1, np.random.default_rng(0)
        ends = np.rint(np.cumsum([0.0] + [weight for weight, *_ in self.fits]) * len(observed)).astype(int)
        cross, within = prior.covariance(n_classes, _GRID + 1), prior.covariance(_GRID + 1, _GRID + 1)
        parts = []
        for (_, shares, factor), first, last in zip(self.fits, ends, ends[1:], strict=False):
            rows = observed[first:last]
            shape = Shape.of(rows, self.sizes, *shares)
            gain = cho_solve(factor, cross)
            value, vector = np.linalg.eigh(within - cross.T @ gain)
            root = vector * np.sqrt(np.maximum(value, 0.0))
            half = rng.standard_normal(((len(rows) + 1) // 2, _GRID.size))
            normal = np.concatenate([half, -half])[: len(rows)]
            y = shape.coordinates(rows, self.sizes)[0] - prior.mean(n_classes)
            parts.append(shape.log_shares(prior.mean(_GRID + 1) + y @ gain + normal @ root.T, _GRID))
        return np.minimum.accumulate(np.maximum(np.concatenate(parts), np.log(_LEAST_SHARE)), axis=1)

    @cached_property
    def centre(self) -> FloatArray:
        """Drawn curves given these problems: (n_draws, n_grid)."""
        return self._paths(np.tile(self.observed[0], (_DRAWS, 1)))

    @cached_property
    def replicates(self) -> FloatArray:
        """Drawn curves, each given another replicate of the problems: (n_replicates, n_grid)."""
        return self._paths(self._curve(self.problems.replicates[0], self.sizes))

    def unsolved(self, attempts: FloatArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Unsolved shares after k attempts, their standard errors, and ends of their intervals: (k,), (k,), (2, k).

        Up to the trials they are unbiased. A problem that is unsolved after n trials stays unsolved until k > n with
        probability S_k / S_n, where S is a drawn curve: every estimate falls with k, and is continuous at k = n.
        In a replicate the unsolved problems are few, and each of them is solved or not.
        """
        problems = self.problems
        value, share = problems.known(attempts), problems.replicates[0]
        rows, n = problems.unsolved, problems.count.sum()
        if rows.size == 0 or attempts.max() <= problems.trials[rows[0]]:
            mean, seen, fitted = problems.count @ value / n, share @ value, 0.0
        else:
            trials = problems.trials[rows].astype(np.float64)
            later_than = trials[:, np.newaxis] < attempts
            met = later_than.sum(axis=0)
            rest = value.copy()
            rest[rows] = 0.0
            drawn = [
                (_at(paths, attempts), np.maximum(_at(paths, trials), _LEAST_SHARE))
                for paths in (self.centre, self.replicates)
            ]
            (later, earlier), (others, before) = drawn
            value[rows] = np.where(later_than, (1 / earlier).T @ later / len(later), 1.0)
            mean = problems.count @ value / n
            fitted = np.var(later * _sums(problems.count[rows] / n / earlier, met), axis=0)
            tried = _sums(share[:, rows], met)
            weight = share[:, rows].sum(axis=1, keepdims=True)
            stays = (others * _sums(share[:, rows] / before, met) + weight - tried) / weight
            seen = share @ rest + weight * _shares_that_stay(stays, problems.units(rows))
        low, high = problems.ends(seen, level)
        ends = np.clip([np.minimum(low, mean), np.maximum(high, mean)], 0.0, 1.0)
        return mean, np.sqrt(problems.variance(value) + fitted), ends


def _shares_that_stay(chance: FloatArray, number: int) -> FloatArray:
    """Share of so many problems that stay unsolved, drawn once a row: it falls with k as the chance does."""
    uniform = np.random.default_rng(1).random((len(chance), 1))
    some = np.clip(chance, 1e-15, 1 - 1e-15)
    if number >= chance.shape[1]:
        return np.asarray(np.ceil(special.bdtrik(uniform, number, some)) / number)
    # the number exceeds j where the chance exceeds the one at which at most j have probability u
    j = np.arange(number)
    most = 1 - special.betaincinv(number - j, j + 1.0, uniform)
    return np.stack([np.searchsorted(row, own) for row, own in zip(most, some, strict=True)]) / number


def _at(paths: FloatArray, attempts: FloatArray) -> FloatArray:
    """Unsolved shares of drawn curves after k attempts: (n_draws, n)."""
    where = np.interp(np.log(attempts), np.log(_GRID), np.arange(_GRID.size))
    low = np.minimum(where.astype(np.int64), _GRID.size - 2)
    return np.asarray(np.exp(paths[:, low] + (where - low) * (paths[:, low + 1] - paths[:, low])))


def _sums(terms: FloatArray, number: IntArray) -> FloatArray:
    """Sums of the first terms of each row, for each number of terms: (rows, numbers)."""
    total = np.cumsum(terms, axis=1)
    return np.asarray(np.where(number > 0, total[:, np.maximum(number - 1, 0)], 0.0))
