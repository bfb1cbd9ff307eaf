"""The prior of curves, learnt from all kinds but one: ``python -m benchmarks.suite.prior`` writes ``priors.csv``.

The mean slope, its standard deviation and its correlation length maximise the mean log score (Good 1952) of the true
probit accuracies under the posterior from every draw of every task. Draws and tasks count alike in a kind, and kinds
count alike. The width of intervals is the factor with which the intervals of kinds that took no part reach .95 in three
kinds of four: for each kind in turn, the three numbers are learnt from the other kinds once more. A line ``none`` has
what is learnt from all kinds: the library's numbers are these, with two digits.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks import study
from benchmarks.suite import cells
from classex.methods import CurvePrior, GaussianProcess

FloatArray = NDArray[np.float64]
TARGET = Path(__file__).parent / "priors.csv"
COMMAND = "python -m benchmarks.suite.prior"
HEADER = "without,slope,slope_sd,length,width"
START = (-0.6, np.log(0.15), np.log(1.5))
SHARE_OF_KINDS, LEVEL = 0.25, 0.95
NONE = "none"


@dataclass(frozen=True)
class Curves:
    """The observed probit curves of one task, one row a draw, and the true probits with more classes."""

    sizes: FloatArray
    probit: FloatArray
    noise: FloatArray
    wanted: FloatArray
    truth: FloatArray

    def errors(self, prior: CurvePrior) -> tuple[FloatArray, FloatArray]:
        """Errors of the posterior means and their variances, shapes (draws, n_wanted)."""
        cross = prior.covariance(self.sizes, self.wanted)
        inverse = np.linalg.inv(prior.covariance(self.sizes, self.sizes) + self.noise)
        gain = inverse @ cross
        mean = prior.mean(self.wanted) + np.einsum("dik,di->dk", gain, self.probit - prior.mean(self.sizes))
        own = np.diag(prior.covariance(self.wanted, self.wanted))
        return self.truth - mean, own - np.einsum("ik,dik->dk", cross, gain)


@lru_cache
def curves(kind: str) -> tuple[Curves, ...]:
    """All tasks of a kind."""
    out = []
    for task in cells.tasks(kind):
        fits = [GaussianProcess().fit(cells.ranks(task, draw)) for draw in range(cells.n_draws(task))]
        probit, noise = (np.stack([getattr(fit, name) for fit in fits]) for name in ("probit", "noise"))
        wanted = cells.wanted(task).astype(np.float64)
        out.append(Curves(fits[0].sizes, probit, noise, wanted, special.ndtri(cells.truth(task))))
    return tuple(out)


def log_score(kind: str, prior: CurvePrior) -> float:
    """Mean log density of the true probits, but for a constant."""
    found = []
    for task in curves(kind):
        error, variance = task.errors(prior)
        found.append((-0.5 * np.square(error) / variance - 0.5 * np.log(variance)).ravel())
    return float(np.concatenate(found).mean())


def learn(kinds: Sequence[str]) -> CurvePrior:
    """The three numbers of the slope, from some kinds."""

    def loss(at: FloatArray) -> float:
        prior = replace(CurvePrior(), slope=at[0], slope_sd=np.exp(at[1]), length=np.exp(at[2]))
        return -float(np.mean([log_score(kind, prior) for kind in kinds]))

    best = optimize.minimize(loss, START, method="Nelder-Mead", options={"xatol": 2e-3, "fatol": 1e-5}).x
    return CurvePrior(slope=float(best[0]), slope_sd=float(np.exp(best[1])), length=float(np.exp(best[2])))


def width(kinds: Sequence[str]) -> float:
    """The factor with which intervals for a kind reach their level, learnt without it; a quarter of kinds need more."""
    normal = special.ndtri(0.5 + LEVEL / 2)
    needed = []
    for kind in kinds:
        prior = learn([other for other in kinds if other != kind])
        scaled = [np.abs(error / np.sqrt(variance)) for error, variance in (t.errors(prior) for t in curves(kind))]
        needed.append(np.quantile(np.concatenate([x.ravel() for x in scaled]), LEVEL) / normal)
    return float(np.quantile(needed, 1 - SHARE_OF_KINDS))


@lru_cache
def prior_without(kind: str) -> CurvePrior:
    """The stored prior that has not seen a kind; ``none`` for the one that has seen all."""
    for row in study.read(TARGET):
        if row["without"] == kind:
            return CurvePrior(**{name: float(row[name]) for name in HEADER.split(",")[1:]})
    raise ValueError(f"no prior was learnt without {kind!r}: run {COMMAND}")


def main() -> int:
    """Learn every prior and write the table."""
    kinds = cells.kinds()
    rows = []
    for left_out in (NONE, *kinds):
        seen = [kind for kind in kinds if kind != left_out]
        prior = learn(seen)
        rows.append([left_out, prior.slope, prior.slope_sd, prior.length, width(seen)])
        print(*rows[-1], flush=True)
    study.write(TARGET, COMMAND, HEADER, [[row[0], *(f"{x:.4f}" for x in row[1:])] for row in rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
