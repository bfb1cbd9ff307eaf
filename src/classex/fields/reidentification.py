"""Re-identification: how many people of a population are alone in their cell, from a sample of it."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, optimize, special

from classex import plots
from classex._checks import as_class_counts, as_generator, as_plain_array, as_probability, as_units, one_of, shown
from classex._estimates import rate_interval
from classex._result import Result
from classex._types import FloatArray, IntArray
from classex.curves import accuracy_curve
from classex.distributions.limits import extremes
from classex.ranks import ranks_from_wins

__all__ = ["PopulationRisk", "population_risk"]


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


#: what is predicted, in the order of the rows
QUANTITIES = ("unique", "marketer risk", "cells", "stays unique", "journalist risk")
# Populations beyond the nodes of `_shares`
_MOST_PEOPLE = 10_000_000_000
# Sizes of cells up to which the shares of people limit the distribution: more narrow the limits by less than a tenth
_LEVELS = (1, 2, 4)
# Above this share of unique people most of the population is in cells that the sample lacks (Good 1953), and without
# assumptions such cells are predictable up to n log n people (Orlitsky, Suresh and Wu 2016)
_MOST_UNIQUE = 0.5
# Intervals of shares are widened by this factor, to about five standard errors, before sizes count as too alike
_MOST_ALIKE = 2.0
# Cells of two or more people, fewer of which determine the number of unseen cells to no better than a third: 10^-1/2
_FEW_REPEATS = 10


@dataclass(frozen=True)
class PopulationRisk(Result):
    """Predicted risks of re-identification.

    Attributes
    ----------
    n_people : ndarray of int of shape (n,)
        Number of people in the population, in each row.
    quantity : ndarray of str of shape (n,)
        What a row predicts: "unique", "marketer risk", "cells", "stays unique" or "journalist risk".
    value : ndarray of shape (n,)
        Estimates, posterior medians.
    interval, limits : ndarray of shape (n, 2)
        Intervals under the smooth model, and limits for every distribution of the sizes of cells, with the same
        confidence.
    n_sample, n_cells, n_unique : int
        Number of people in the sample, of its cells, and of its people who are alone in their cell.
    reach : float
        Largest population for which the sample determines the interval; beyond it use the limits, which then lead the
        table.
    confidence_level : float
        Nominal level of the intervals.
    n_clusters : int or None
        Number of clusters, such as households, in the sample; None if people count as independent.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sizes = np.repeat([1, 2, 3], [50, 40, 30])
    >>> found = cx.reidentification.population_risk(sizes, n_people=1_000)
    >>> found.n_sample, found.n_unique, found.of("cells")[0].shape
    (220, 50, (1,))
    """

    n_people: IntArray
    quantity: NDArray[Any]
    value: NDArray[np.float64]
    interval: NDArray[np.float64]
    limits: NDArray[np.float64]
    n_sample: int
    n_cells: int
    n_unique: int
    reach: float
    confidence_level: float
    n_clusters: int | None = None

    _tabulated: ClassVar[bool] = True

    def _table(self) -> dict[str, Any]:
        """Return the columns, the limits first if the sample cannot tell."""
        table = super()._table()
        known = {name: table.pop(name) for name in ("value", "low", "high", "limits_low", "limits_high")}
        first, last = list(known.items())[:3], list(known.items())[3:]
        return table | dict([*last, *first] if self.n_people.max() > self.reach else [*first, *last])

    def of(self, quantity: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the values of a quantity, their intervals and their limits, one for each population.

        The last two quantities are of populations larger than the sample.

        Parameters
        ----------
        quantity : str
            One of those listed above.

        Returns
        -------
        tuple of ndarray
            Of shapes (n,), (n, 2) and (n, 2).
        """
        rows = self.quantity == one_of(quantity, "quantity", QUANTITIES)
        return self.value[rows], self.interval[rows], self.limits[rows]

    def plot(self, ax: Any = None, **line: Any) -> plots.AccuracyCurveDisplay:
        """Draw the shares of unique people and of right links (the marketer risk) with their intervals and limits.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the lines.

        Returns
        -------
        AccuracyCurveDisplay
            That of the marketer risk, on the axes of both.
        """
        for quantity in ("unique", "marketer risk"):
            n = self.n_people[self.quantity == quantity]
            order = np.argsort(n)
            value, ends, limits = (entry[order] for entry in self.of(quantity))
            about: Any = {"name": quantity, "xlabel": "people in the population", "ylabel": "share"}
            n = n[order].astype(np.float64)
            shown = plots.AccuracyCurveDisplay(None, n, value, ends, n, limits=limits, **about).plot(ax, **line)
            ax = shown.ax_
        return shown

    def _sentence(self) -> str:
        alone, right = self.n_unique / self.n_sample, self.n_cells / self.n_sample
        of = "" if self.n_clusters is None else f" in {self.n_clusters:,} clusters"
        text = (
            f"A sample of {self.n_sample:,} people{of} has {self.n_cells:,} cells. Of these people, {alone:.1%} are"
            f" unique (prosecutor risk 1), and the mean prosecutor risk is {right:.3f}. Predicted for populations"
        ).replace("%", " %")
        beyond = f" (beyond {self.reach:,.0f} people use the limits, because this sample cannot tell)"
        return text + (beyond if self.n_people.max() > self.reach else "") + ":"


def population_risk(
    sizes: ArrayLike,
    *,
    n_people: ArrayLike,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> PopulationRisk:
    r"""Predict uniqueness, and the share of right links, in the population from which people were sampled.

    People are in one cell (equivalence class) if all their quasi-identifiers are equal. With f people of the sample
    and F of the population in a cell, N people, and C cells in the population, the quantities are

    - unique: the share of people with F = 1;
    - marketer risk: the mean of 1/F over people, C / N, the expected share of right links if each of them is linked to
      a random person of the same cell;
    - cells: C;
    - stays unique: the share with F = 1 of the people with f = 1;
    - journalist risk: the mean of 1/F of the people with f = 1.

    Prosecutor risk is 1/f, for an attacker who knows that a person is in the sample, and needs no prediction. A
    journalist does not know it, so that the risk of a record is 1/F.

    Parameters
    ----------
    sizes : array_like of int of shape (n_cells,)
        Number of sampled people f in each cell of the sample: ``frame.groupby(columns).size()``, or
        ``np.unique(rows, axis=0, return_counts=True)[1]``. With `clusters`, the cell of each sampled person:
        ``frame.groupby(columns).ngroup()``.
    clusters : array_like of shape (n_people_sampled,), optional
        Cluster of each sampled person, such as a household, if whole clusters were drawn at random. People of one
        cluster who share a cell then count once, and there is no journalist risk. By default people were drawn.
    n_people : int or array_like of int
        Sizes N of the population, up to 10^10. Up to the size of the sample, quantities are exact means over all of its
        subsets of N people, and nothing is estimated; with `clusters` N must be larger.
    confidence_level : float
        Level of the intervals, in (0, 1).
    rng : int, numpy.random.Generator or None
        Seed or generator of the draws beyond the sample; with another one values and intervals differ a little.

    Returns
    -------
    PopulationRisk
        Estimates, intervals, and limits for every distribution of the sizes of cells.

    Raises
    ------
    ValueError
        If an argument is not as described, or the sizes are more alike than in any random sample.
    TypeError
        If the sizes or numbers are not numbers.

    Warns
    -----
    UserWarning
        If the sample cannot tell: N exceeds n log n and more than half of the sample are unique, or fewer than ten
        cells have several people.

    See Also
    --------
    classex.extrapolate : The same shares from ranks, for a population without end.

    Notes
    -----
    Let p be the share of the population in a person's cell. The sample of n people determines its distribution in part:
    the expected share of people in cells of at most m people is :math:`E \Pr[\mathrm{Bin}(n-1, p) < m]`. The limits are
    the least and the largest values over all distributions of p that agree with these shares for m = 1, 2 and 4, up
    to sampling error, by linear programming. For the intervals, the density of log p is a log-normal or a power, with
    smooth deviations; the data exclude some of these shapes, and the interval is the union of the intervals of the
    others, so that it holds for each of them. The estimate is the median of their draws. The draws of the
    population contain the sample: its cells remain, and others come. The model is that of mixed Poisson cells
    (Bethlehem, Keller and Pannekoek 1990, JASA 85), and the terms are those of El Emam and Dankar (2008, JAMIA 15), ARX
    and sdcMicro. The people must be a random sample, or the clusters. Households share cells: a sample of them has
    larger cells than a sample of people, and without `clusters` risks are far too low. With them, the model is one of
    pairs of a cluster and a cell, of which the population has as many more as it has people. The share of single people
    among the pairs that are alone in their cell turns unique pairs into unique people.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> people = np.column_stack(
    ...     [rng.integers(90, size=800), rng.geometric(0.2, 800)]
    ... )
    >>> sizes = np.unique(people, axis=0, return_counts=True)[1]
    >>> found = cx.reidentification.population_risk(sizes, n_people=8_000)
    >>> print(str(found).splitlines()[0])
    A sample of 800 people has 542 cells. Of these people, 45.0 % are unique (prosecutor risk 1), and the mean ...
    >>> value, interval, limits = found.of("marketer risk")
    >>> value.round(1), interval.round(1), limits.round(1)
    (array([0.1]), array([[0.1, 0.2]]), array([[0.1, 0.4]]))
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    sample = _Sample.of_people(_sizes(sizes)) if clusters is None else _Sample.of_clusters(sizes, clusters, level)
    given, n, least = sample.sizes, sample.n_people, 2 if clusters is None else sample.n_people + 1
    people = as_class_counts(n_people, "n_people", minimum=least, maximum=_MOST_PEOPLE).astype(np.int64)
    reach = sample.reach()
    if people.max() > reach:
        warnings.warn(
            f"beyond {reach:,.0f} people this sample cannot tell how many are unique: the intervals rest on the"
            " smoothness of the distribution of cells, so use the limits, or a larger sample",
            UserWarning,
            stacklevel=2,
        )
    generator = as_generator(rng)
    shares = share_draws(given, generator) if people.max() > n else None
    parts = []
    for k in people:
        among = max(round(k * given.sum() / n), given.sum() + 1)
        beyond = shares is not None and k > n
        part = _beyond_sample(given, among, shares, level, generator) if beyond else _within(given, k)  # type: ignore[arg-type]
        parts.append(part if clusters is None else sample.of_pairs(part, int(k), among))
    value, interval, limits = (np.concatenate(column) for column in zip(*parts, strict=True))
    rows = [len(values) for values, *_ in parts]
    quantity = np.concatenate([QUANTITIES[:k] for k in rows])
    about = (n, given.size, sample.n_unique, float(reach), level, sample.n_clusters)
    return PopulationRisk(np.repeat(people, rows), quantity, value, interval, limits, *about)


@dataclass(frozen=True)
class _Sample:
    """Numbers of people in each cell or, in clusters, of pairs of a cluster and a cell; and what is said of them.

    `single` is the share of single people among the pairs that are alone in their cell, with the ends of its interval.
    """

    sizes: IntArray
    n_people: int
    n_unique: int
    n_clusters: int | None
    single: FloatArray

    @classmethod
    def of_people(cls, sizes: IntArray) -> _Sample:
        return cls(sizes, int(sizes.sum()), int((sizes == 1).sum()), None, np.ones(3))

    @classmethod
    def of_clusters(cls, cells: ArrayLike, clusters: ArrayLike, level: float) -> _Sample:
        """Count each cluster once in each of its cells."""
        n = np.size(np.asarray(cells))
        cell, cluster = as_units(cells, n, "sizes", "person"), as_units(clusters, n, "clusters", "person")
        pairs, people = np.unique(np.stack([cell, cluster]), axis=1, return_counts=True)
        sizes = np.bincount(pairs[0])
        alone = people[sizes[pairs[0]] == 1]
        share = np.array([(alone == 1).mean() if alone.size else 0.5])
        ends = rate_interval(share, np.array([np.nan]), max(alone.size, 1), level)[0]
        return cls(sizes, n, int((alone == 1).sum()), int(cluster.max()) + 1, np.append(share, ends))

    def reach(self) -> float:
        """Number of people up to which the sample determines the intervals."""
        n = int(self.sizes.sum())
        repeated, alone = int((self.sizes > 1).sum()), int((self.sizes == 1).sum())
        reach = n if repeated < _FEW_REPEATS else n * np.log(n) if alone > _MOST_UNIQUE * n else np.inf
        return float(reach * self.n_people / n)

    def of_pairs(self, part: tuple[FloatArray, ...], n_people: int, n_pairs: int) -> tuple[FloatArray, ...]:
        """Turn what was found of pairs into the same of people, without the journalist risk."""
        value, interval, limits = (array[:4].copy() for array in part)
        for array, factor in ((value, self.single[0]), (interval, self.single[1:]), (limits, np.array([0.0, 1.0]))):
            array[0] *= factor * n_pairs / n_people
            array[1] = array[2] / n_people
        return value, interval, limits


def _sizes(sizes: ArrayLike) -> IntArray:
    given = as_plain_array(sizes, "sizes")
    if given.dtype.kind not in "ui":
        raise TypeError(f"sizes must hold whole numbers of people, not values of dtype {given.dtype}")
    if given.ndim != 1 or given.sum() < 2:
        raise ValueError(f"sizes must hold the number of people in each cell, at least 2 in all, not {shown(sizes)}")
    if given.min() < 1:
        raise ValueError(f"sizes must be at least 1, but hold {given.min()}: leave out empty cells")
    return given.astype(np.int64)


def _within(sizes: IntArray, n_people: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Exact means over all subsets of the sample."""
    n, size = sizes.sum(), np.repeat(sizes, sizes)
    right = float(accuracy_curve(ranks_from_wins(n - size, n, ties=size - 1), n_people).accuracy[0])
    alone = float(accuracy_curve(ranks_from_wins(n - size, n), n_people).accuracy[0])
    value = np.array([alone, right, right * n_people])
    return value, (ends := np.stack([value, value], axis=1)), ends


def _beyond_sample(
    sizes: IntArray, n_people: int, shares: tuple[FloatArray, FloatArray], level: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Medians of populations that contain the sample, intervals that hold for each curvature, and limits."""
    n, n_unique, more = int(sizes.sum()), int((sizes == 1).sum()), n_people - int(sizes.sum())
    (p, q), log_rest = shares, np.log1p(-shares[0])
    alone_here, alone_there = q @ np.exp((n - 1) * log_rest), q @ np.exp((n_people - 1) * log_rest)
    # a new cell has nobody among n people, and somebody among N; there are no more of them than new people
    new = np.minimum(rng.poisson(q @ (-np.exp(n * log_rest) * np.expm1(more * log_rest) / p)), more)
    stays = rng.binomial(n_unique, np.minimum(alone_there / alone_here, 1.0))
    unique = stays + np.minimum(rng.poisson(more * alone_there), new)
    # E 1/(1 + Bin(N - n, p)), for those who are alone among n
    risk = q @ (-np.exp((n - 1) * log_rest) * np.expm1((more + 1) * log_rest) / ((more + 1) * p)) / alone_here
    cells = sizes.size + new
    same = stays / n_unique if n_unique else np.full(new.shape, np.nan)
    drawn = np.stack([unique / n_people, cells / n_people, cells, same, np.where(n_unique, risk, np.nan)])
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=2)
    middle, ends = np.median(drawn, axis=(1, 2)), np.stack([low.min(axis=1), high.max(axis=1)], axis=1)
    alone, right = _limits(sizes, n_people, level)
    right = np.maximum(right, sizes.size / n_people)
    with np.errstate(invalid="ignore"):
        kept = np.minimum(alone * n / (n_unique or np.nan), 1.0)
    # 1/F is 1 or at most 1/2
    limits = np.stack([alone, right, right * n_people, kept, np.array([kept[0], (1 + kept[1]) / 2])])
    return middle, ends, limits


def _limits(sizes: IntArray, n_people: int, level: float) -> FloatArray:
    """Limits of the shares of unique people and of right links, for every distribution of the sizes of cells."""
    levels = [m for m in _LEVELS if m < max(sizes.max(), 2)]
    z = special.ndtri(1 - (1 - level) / (2 * len(levels)))
    # if ties lose, a point has favourability 1 - p; if they are broken at random, the mean over [1 - p, 1]
    reports = [(float(sizes.sum()), float(m)) for m in levels]
    targets = [(float(n_people), 1.0)] * 2
    for factor in (1.0, _MOST_ALIKE):  # equal cells are at the edge of what is possible, and chance may pass it
        ends = np.array([_share_ends(sizes, m, factor * z) for m in levels])
        with suppress(ValueError):
            bounds = extremes(reports, ends, targets, False, (False, True))
            break
    else:
        raise ValueError(
            "sizes must be those of a random sample, but are more alike than chance allows: was the table made"
            " k-anonymous, or was every row written several times?"
        )
    low, high = np.clip([float(bound.value) for bound in bounds], 0.0, 1.0).reshape(2, 2).T
    return np.stack([np.floor(low * n_people), np.ceil(high * n_people)], axis=1) / n_people


def _share_ends(sizes: IntArray, m: int, z: float) -> tuple[float, float]:
    """Interval of the share of people in cells of at most m people."""
    n, small = int(sizes.sum()), sizes <= m
    share = sizes[small].sum() / n
    # variance of a sum of Poisson cells given the number of people, as if both parts had one cell more
    below, above = np.square(sizes[small]).sum() + m**2, np.square(sizes[~small]).sum() + (m + 1) ** 2
    half = z * np.sqrt(below * (above / (below + above))) / n
    return max(share - half, 0.0), min(share + half, 1.0)
