"""The prior of curves, learnt from all domains but one: ``python -m benchmarks.suite.prior`` writes ``priors.csv``.

The mean slope is fitted to the true curves, by least squares from doubling to doubling of 2 to 1,024 classes. The
standard deviation of the slope, and the weights of straight curves of any steepness and of beta curves, are those of a
grid with the smallest mean interval score (Gneiting and Raftery 2007) of 95 % intervals, among those that cover at
least .93 in each of the domains that are learnt from. A miss by less than .005 of accuracy does not count there. Tasks
count alike in a domain, and domains count alike. For each domain in turn, the numbers are learnt from all others. A
line ``none`` has what is learnt from all domains: the library's numbers are these, with two digits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks import study
from benchmarks.suite import cells
from classex._estimates import probit
from classex.curves.accuracy import curve_with_influence, spaced_sizes
from classex.forecast import ACCURACY_CURVES, Beta, CurvePrior, Straight
from classex.forecast.forecast import MOST_SIZES
from classex.methods.gaussian_process import from_curve, spread_of_losses

FloatArray = NDArray[np.float64]
TARGET = Path(__file__).parent / "priors.csv"
COMMAND = "python -m benchmarks.suite.prior"
HEADER = "without,slope,early,decay,slope_sd,steep,beta"
SHAPE = (-0.6, -0.9, np.log(0.4))
DOUBLINGS = 2.0 ** np.arange(1, 11)
# Deviation of the slope, weights of straight curves of any steepness and of beta curves
GRID = list(product((0.13, 0.15, 0.17), (0.05, 0.1), (0.03, 0.06)))
# Standard deviation of the slope of straight curves of any steepness
STEEP = 0.8
LEAST_COVERAGE, SMALL, LEVEL = 0.93, 0.005, 0.95
N_DRAWS = 20
NONE = "none"


@dataclass(frozen=True)
class Draw:
    """What one draw of a task showed, and what is to be predicted."""

    task: cells.Task
    number: int
    sizes: FloatArray
    accuracy: FloatArray
    covariance: FloatArray
    n_points: int
    ends: FloatArray
    wanted: FloatArray
    truth: FloatArray

    def interval(self, prior: CurvePrior) -> FloatArray:
        """Ends of the intervals, as in the library."""
        fit = from_curve(self.sizes, self.accuracy, self.covariance, self.n_points, prior)
        normal = special.ndtri(0.5 + LEVEL / 2)
        below, above = np.abs(probit(self.ends) - fit.last) / normal
        probits = fit.posterior(self.wanted).quantiles(
            [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], below, above if self.ends[1] < 1 else np.inf
        )
        return np.minimum(special.ndtr(probits), self.ends)

    def predict(self, prior: CurvePrior) -> FloatArray:
        """Predicted accuracies, as in the library."""
        fit = from_curve(self.sizes, self.accuracy, self.covariance, self.n_points, prior)
        return np.minimum(special.ndtr(fit.posterior(self.wanted).quantiles([0.5])[:, 0]), self.accuracy[-1])


@lru_cache
def draws(kind: str) -> tuple[Draw, ...]:
    """Draws of all tasks of a domain."""
    return tuple(_draws(kind))


def _draws(kind: str) -> Iterator[Draw]:
    for task in cells.tasks(kind):
        for draw in range(min(N_DRAWS, cells.n_draws(task))):
            ranks = cells.ranks(task, draw)
            sizes = spaced_sizes(2, ranks.largest_subset, MOST_SIZES)
            curve, influence = curve_with_influence(ranks, sizes)
            spread = influence.T @ influence + spread_of_losses(sizes, curve.accuracy[-1], ranks.n_points)
            known = sizes, curve.accuracy, spread, ranks.n_points, curve.interval(LEVEL)[-1]
            yield Draw(task, draw, *known, cells.wanted(task).astype(np.float64), cells.truth(task))


def scored(kind: str, prior: CurvePrior) -> tuple[float, float]:
    """Mean interval score over tasks, and coverage where small misses do not count."""
    scores: dict[cells.Task, list[float]] = {}
    covered = []
    for draw in draws(kind):
        low, high = draw.interval(prior).T
        miss = np.maximum(low - draw.truth, 0) + np.maximum(draw.truth - high, 0)
        scores.setdefault(draw.task, []).append(float(np.mean(high - low + 2 / (1 - LEVEL) * miss)))
        covered.append(miss < SMALL)
    return float(np.mean([np.mean(task) for task in scores.values()])), float(np.concatenate(covered).mean())


@lru_cache
def falls(kind: str) -> FloatArray:
    """Mean fall of the true probit curves of a domain from doubling to doubling; NaN beyond the classes there are."""
    found = []
    for task in {task.recogniser: task for task in cells.tasks(kind)}.values():
        sizes, accuracy = (cells.array(task, name) for name in ("sizes", "accuracy"))
        z = special.ndtri(np.clip(accuracy, 1e-6, 1 - 1e-6))
        found.append(np.diff(np.interp(np.log(DOUBLINGS), np.log(sizes), z, right=np.nan)))
    return np.asarray(np.ma.masked_invalid(found).mean(axis=0).filled(np.nan))


def shape(kinds: Sequence[str]) -> tuple[float, float, float]:
    """The mean slope of some domains: slope, early and decay."""
    mean = np.nanmean([falls(kind) for kind in kinds], axis=0)

    def curve(at: FloatArray) -> FloatArray:
        return Straight(1.0, slope=at[0], early=at[1], decay=np.exp(at[2])).processes(DOUBLINGS, 1, 0.0)[0][0]

    slope, early, decay = optimize.least_squares(lambda at: np.diff(curve(at)) - mean, SHAPE).x
    return float(slope), float(early), float(np.exp(decay))


def prior(slope: float, early: float, decay: float, slope_sd: float, steep: float, beta: float) -> CurvePrior:
    """The library's prior with these numbers; weights that grow come from the first component."""
    mean, parts = {"slope": slope, "early": early, "decay": decay}, []
    for part in ACCURACY_CURVES.components[1:]:
        if isinstance(part, Beta):
            parts.append(replace(part, weight=beta))
        elif isinstance(part, Straight) and part.axis == "decades":
            weight = steep if part.slope_sd == STEEP else part.weight
            parts.append(replace(part, **mean, weight=weight))
        else:
            parts.append(part)
    rest = 1 - sum(part.weights.sum() for part in parts)
    return CurvePrior((Straight(rest, **mean, slope_sd=slope_sd), *parts))


@lru_cache
def prior_without(kind: str) -> CurvePrior:
    """The stored prior that has not seen a kind; ``none`` for the one that has seen all."""
    for row in study.read(TARGET):
        if row["without"] == kind:
            return prior(**{name: float(row[name]) for name in HEADER.split(",")[1:]})
    raise ValueError(f"no prior was learnt without {kind!r}: run {COMMAND}")


def main() -> int:
    """Learn every prior, and write the table."""
    kinds, rows = cells.kinds(), []
    means = {left_out: shape([kind for kind in kinds if kind != left_out]) for left_out in (NONE, *kinds)}
    found = np.array([[scored(kind, prior(*means[kind], *numbers)) for kind in kinds] for numbers in GRID])
    for left_out, mean in means.items():
        others = [i for i, kind in enumerate(kinds) if kind != left_out]
        covers = found[:, others, 1].min(axis=1) >= LEAST_COVERAGE
        best = int(np.argmin(np.where(covers, found[:, others, 0].mean(axis=1), np.inf)))
        rows.append([left_out, *(f"{number:.4f}" for number in (*mean, *GRID[best]))])
        print(*rows[-1], flush=True)
    study.write(TARGET, COMMAND, HEADER, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
