r"""The distribution of the share p of the population that is in a person's cell, from the cells of a sample.

The sample has y_b cells of the sizes in bin b. Their expected number is

.. math:: \mu_b = \sum_j \frac{q_j}{p_j} \Pr[\mathrm{Bin}(n, p_j) \in b],

where q_j is the share of people whose cells have the share p_j. The counts are taken as Poisson. The prior of
:math:`f = \log q`, as a function of :math:`x = \log p`, is a parabola of unknown curvature with smooth deviations: an
integrated random walk. Without curvature the tail is a power of p, as in the Pitman-Yor process, and the number of
cells need not be finite. With curvature, log p is about normal, as it is if the columns of a table have many effects on
it (Skinner and Holmes 1993, J. Official Statistics 9).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, optimize, special

from classex._types import FloatArray, IntArray

__all__ = ["share_draws"]

# Step of log p: two nodes have a standard deviation of a tenth, and twice this step gave too few cells where it was a
# tenth in truth. The least p is 10^-11: one person in a population of 10^10 has a cell of more
_STEP, _N_NODES = 0.2, 128
# Counts above 1 are binned by this factor, the width of a Poisson variable of mean 6
_BIN = 1.5
# Curvatures of the parabola: standard deviations of log p from infinity and 2 to 1/16, equal cells on this grid
_CURVATURES = (0.0, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
# Standard deviations of the change of slope over one unit of log p: nearly straight, and free
_ROUGHNESS = (0.4, 1.6)
# Standard deviation of the mean slope. Powers p^a of well-known families have -1 < a < 2 (Pitman-Yor to Dirichlet), and
# the centre of a parabola may be as many units of log p away from 1/n
_SLOPE = 3.0
# Variance of the mean of f, which cancels in q
_LEVEL = 100.0
# A curvature is refuted if another one has a hundred times its evidence: "decisive" (Jeffreys 1961, appendix B)
_DECISIVE = 100.0
# Draws for the evidence; chains for each shape, their moves, and the first moves, left out: with 15 moves in all the
# lower ends of intervals were too high by a tenth of the width, against 100 moves
_TRIES, _CHAINS, _MOVES, _BURN_IN = 500, 100, 40, 20
# Draws kept for each curvature
_KEPT = 1000
# Floor of expected numbers, which are divided by: a shape that expects fewer cells where some are seen is refuted
_LEAST = 1e-100
# The ascent ends at this gain, far below the evidence that matters
_GAIN, _MOST_STEPS = 1e-6, 100


def share_draws(sizes: IntArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw q from its posterior for each curvature that is not refuted.

    Returns p, of shape (n_nodes,), and the draws, of shape (n_curvatures, n_draws, n_nodes).

    Where nothing was seen, the data do not choose among the curvatures, so their evidence does not weigh them.
    """
    seen = _Seen(sizes)
    shapes = [[_Shape(seen, curvature, roughness) for roughness in _ROUGHNESS] for curvature in _CURVATURES]
    evidence = np.array([[shape.log_evidence(rng) for shape in row] for row in shapes])
    total = special.logsumexp(evidence, axis=1)
    kept = []
    for row, logs in zip(shapes, evidence, strict=True):
        if special.logsumexp(logs) > total.max() - np.log(_DECISIVE):
            number = rng.multinomial(_KEPT, special.softmax(logs))
            parts = [rng.choice(shape.draws(rng), k) for shape, k in zip(row, number, strict=True) if k]
            kept.append(np.concatenate(parts))
    return np.exp(seen.log_shares), np.stack(kept)


@dataclass(frozen=True)
class _Seen:
    """The cells of a sample."""

    sizes: IntArray

    @cached_property
    def n(self) -> int:
        """Number of people."""
        return int(self.sizes.sum())

    @cached_property
    def log_shares(self) -> FloatArray:
        """Logarithms of the shares p_j, less than 0; equal cells would seem unequal if theirs was not one of them.

        If cells are equal, u people are expected in each, and the cells of a sample have the mean u / (1 - exp(-u)).
        """
        mean = self.n / min(self.sizes.size, self.n - 1)
        equal = optimize.brentq(lambda u: u / -np.expm1(-u) - mean, mean - 1, 2 * (mean - 1))
        top = np.log(equal / (self.n + 1)) % _STEP - _STEP
        return np.asarray(top - _STEP * np.arange(_N_NODES, dtype=np.float64)[::-1])

    @cached_property
    def _edges(self) -> FloatArray:
        edges = [1]
        while edges[-1] <= self.sizes.max():
            edges.append(max(edges[-1] + 1, int(edges[-1] * _BIN)))
        return np.array(edges, dtype=np.float64)

    @cached_property
    def counts(self) -> FloatArray:
        """Number of cells in each bin of sizes, the last one above all that were seen."""
        return np.append(np.histogram(self.sizes, self._edges - 0.5)[0], 0).astype(np.float64)

    @cached_property
    def expected(self) -> FloatArray:
        """Expected number of cells for each q_j: (n_bins, n_nodes)."""
        p = np.exp(self.log_shares)
        beyond = special.bdtrc(np.minimum(self._edges[:, np.newaxis] - 1, self.n), self.n, p)
        return np.asarray(np.vstack([np.maximum(beyond[:-1] - beyond[1:], 0.0), beyond[-1]]) / p)

    def log_likelihood(self, q: FloatArray) -> FloatArray:
        """Poisson log-likelihood of each row."""
        mean = np.maximum(q @ self.expected.T, _LEAST)
        return np.asarray((self.counts * np.log(mean) - mean).sum(axis=-1))


@dataclass(frozen=True)
class _Shape:
    """The posterior of f for a curvature and a roughness, and its normal approximation f = centre + z @ root."""

    seen: _Seen
    curvature: float
    roughness: float

    @cached_property
    def parabola(self) -> FloatArray:
        """Prior mean of f."""
        return np.asarray(-self.curvature / 2 * (self.seen.log_shares + np.log(self.seen.n)) ** 2)

    @cached_property
    def precision(self) -> FloatArray:
        """Prior precision of f."""
        identity = np.eye(_N_NODES)
        bends, steps = np.diff(identity, 2, axis=0), np.diff(identity, axis=0)
        slope = _SLOPE**2 * (1 + self.curvature**2) * (_N_NODES - 1) * _STEP**2
        return np.asarray(
            bends.T @ bends / (self.roughness**2 * _STEP**3) + steps.T @ steps / slope + 1 / (_LEVEL * _N_NODES**2)
        )

    def log_posterior(self, f: FloatArray) -> FloatArray:
        """Log-likelihood and log-prior of each row, up to the constant of the prior."""
        rest = f - self.parabola
        prior = ((rest @ self.precision) * rest).sum(axis=-1)
        return np.asarray(self.seen.log_likelihood(special.softmax(f, axis=-1)) - prior / 2)

    @cached_property
    def centre(self) -> FloatArray:
        """The mode, by Fisher's scoring with steps halved until they gain."""
        f = self.parabola - 0.05 * (self.seen.log_shares + np.log(self.seen.n)) ** 2
        value = self.log_posterior(f)
        for _ in range(_MOST_STEPS):
            slopes, mean = self._slopes(f)
            gradient = slopes.T @ (self.seen.counts / mean - 1) - self.precision @ (f - self.parabola)
            step = linalg.solve(self._information(f), gradient, assume_a="pos")
            while (new := self.log_posterior(f + step)) < value and np.abs(step).max() > _GAIN:
                step = step / 2
            f, gain, value = f + step, new - value, new
            if gain < _GAIN:
                break
        return np.asarray(f)

    def _slopes(self, f: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives of the expected counts with respect to f, and these counts."""
        q = special.softmax(f)
        mean = np.maximum(self.seen.expected @ q, _LEAST)
        return self.seen.expected * q - np.outer(mean, q), mean

    def _information(self, f: FloatArray) -> FloatArray:
        slopes, mean = self._slopes(f)
        return np.asarray(self.precision + (slopes.T / mean) @ slopes)

    @cached_property
    def root(self) -> FloatArray:
        """Root of the covariance of the normal approximation: root.T @ root."""
        factor = linalg.cholesky(self._information(self.centre), lower=True)
        return np.asarray(linalg.solve_triangular(factor, np.eye(_N_NODES), lower=True))

    def excess(self, z: FloatArray) -> FloatArray:
        """Log-posterior of each row less that of the normal approximation, 0 at the mode."""
        value = self.log_posterior(self.centre + z @ self.root) - self.log_posterior(self.centre)
        return np.asarray(value + np.square(z).sum(axis=1) / 2)

    def log_evidence(self, rng: np.random.Generator) -> float:
        """Logarithm of the marginal likelihood, by importance sampling from the normal approximation."""
        scales = np.linalg.slogdet(self.precision)[1] / 2 + np.log(np.diag(self.root)).sum()
        excess = self.excess(rng.standard_normal((_TRIES, _N_NODES)))
        return float(self.log_posterior(self.centre) + scales + special.logsumexp(excess) - np.log(_TRIES))

    def draws(self, rng: np.random.Generator) -> FloatArray:
        """Draws of q: elliptical slice sampling relative to the normal approximation (Nishihara et al. 2014)."""
        z = rng.standard_normal((_CHAINS, _N_NODES))
        level, kept = self.excess(z), list[FloatArray]()
        for move in range(_MOVES):
            other, floor = rng.standard_normal(z.shape), level - rng.standard_exponential(_CHAINS)
            high = 2 * np.pi * rng.random(_CHAINS)
            low, angle, old = high - 2 * np.pi, high.copy(), z.copy()
            left = np.arange(_CHAINS)
            while left.size:
                turn = angle[left, np.newaxis]
                z[left] = old[left] * np.cos(turn) + other[left] * np.sin(turn)
                level[left] = self.excess(z[left])
                left = left[level[left] < floor[left]]
                low[left] = np.where(angle[left] < 0, angle[left], low[left])
                high[left] = np.where(angle[left] < 0, high[left], angle[left])
                angle[left] = low[left] + (high - low)[left] * rng.random(left.size)
            if move >= _BURN_IN:
                kept.append(special.softmax(self.centre + z @ self.root, axis=1))
        return np.concatenate(kept)
