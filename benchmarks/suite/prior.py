"""The prior of curves, learnt from all domains but one: ``python -m benchmarks.suite.prior`` writes ``priors.csv``.

The mean slope is fitted to the true curves, by least squares from doubling to doubling of 2 to 1,024 classes. Its
standard deviation and its correlation length maximise the mean log score (Good 1952) of the true probit accuracies
under the prediction from every draw of every task. Draws and tasks count alike in a domain, and domains count alike.
For each domain in turn, the numbers are learnt from all others. A line ``none`` has what is learnt from all domains:
the library's numbers are these, with two digits.
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
HEADER = "without,slope,slope_sd,length,early,decay"
SHAPE, START = (-0.6, -0.9, np.log(0.4)), (np.log(0.2), np.log(2.0))
DOUBLINGS = 2.0 ** np.arange(1, 11)
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
        """Errors of the predicted probits and their variances, shapes (draws, n_wanted), as in the library."""
        every = np.append(self.wanted, self.sizes[-1])
        rest = self.probit - prior.mean(self.sizes)
        parts = []
        for share, own in ((1 - prior.unusual, prior), (prior.unusual, prior.unusual_curve)):
            cross, matrix = own.covariance(self.sizes, every), own.covariance(self.sizes, self.sizes) + self.noise
            both = np.concatenate([np.broadcast_to(cross, (len(rest), *cross.shape)), rest[..., np.newaxis]], axis=2)
            solved = np.linalg.solve(matrix, both)
            mean = prior.mean(every) + np.einsum("dik,di->dk", solved[..., :-1], rest)
            prior_variance = np.diag(own.covariance(every, every))
            variance = prior_variance - np.einsum("ik,dik->dk", cross, solved[..., :-1])
            fit = -0.5 * np.einsum("di,di->d", rest, solved[..., -1]) - 0.5 * np.linalg.slogdet(matrix)[1]
            parts.append((fit + np.log(max(share, 1e-300)), mean, np.maximum(variance, 0.0) + np.square(mean)))
        weight = special.softmax([part[0] for part in parts], axis=0)
        mean, square = (np.einsum("pd,pdk->dk", weight, np.stack([part[i] for part in parts])) for i in (1, 2))
        variance = np.maximum(square - np.square(mean), 0.0)[:, :-1]
        missed = (self.probit[:, -1] - mean[:, -1])[:, np.newaxis] * self.sizes[-1] / self.wanted
        return self.truth - mean[:, :-1] - missed, variance + np.square(missed)


@lru_cache
def curves(kind: str) -> tuple[Curves, ...]:
    """All tasks of a kind."""
    out = []
    for task in cells.tasks(kind):
        fits = [GaussianProcess().fit(cells.ranks(task, draw)) for draw in range(cells.n_draws(task))]
        probit, noise = (np.stack([getattr(fit, name) for fit in fits]) for name in ("probit", "noise"))
        wanted = cells.wanted(task).astype(np.float64)
        out.append(
            Curves(fits[0].sizes, probit, noise, wanted, special.ndtri(np.clip(cells.truth(task), 1e-9, 1 - 1e-9)))
        )
    return tuple(out)


def log_score(kind: str, prior: CurvePrior) -> float:
    """Mean log density of the true probits, but for a constant."""
    found = []
    for task in curves(kind):
        error, variance = task.errors(prior)
        found.append((-0.5 * np.square(error) / variance - 0.5 * np.log(variance)).ravel())
    return float(np.concatenate(found).mean())


@lru_cache
def falls(kind: str) -> FloatArray:
    """Mean fall of the true probit curves of a domain from doubling to doubling; NaN beyond the classes there are."""
    found = []
    for task in {task.recogniser: task for task in cells.tasks(kind)}.values():
        sizes, accuracy = (cells.array(task, name) for name in ("sizes", "accuracy"))
        probit = special.ndtri(np.clip(accuracy, 1e-6, 1 - 1e-6))
        found.append(np.diff(np.interp(np.log(DOUBLINGS), np.log(sizes), probit, right=np.nan)))
    return np.asarray(np.ma.masked_invalid(found).mean(axis=0).filled(np.nan))


def shape(kinds: Sequence[str]) -> CurvePrior:
    """The mean slope of some domains."""
    mean = np.nanmean([falls(kind) for kind in kinds], axis=0)

    def prior(at: FloatArray) -> CurvePrior:
        return replace(CurvePrior(), slope=float(at[0]), early=float(at[1]), decay=float(np.exp(at[2])))

    return prior(optimize.least_squares(lambda at: np.diff(prior(at).mean(DOUBLINGS)) - mean, SHAPE).x)


def learn(kinds: Sequence[str]) -> CurvePrior:
    """The numbers of the slope, from some domains."""
    mean = shape(kinds)

    def prior(at: FloatArray) -> CurvePrior:
        return replace(mean, slope_sd=float(np.exp(at[0])), length=float(np.exp(at[1])))

    def loss(at: FloatArray) -> float:
        return -float(np.mean([log_score(kind, prior(at)) for kind in kinds]))

    return prior(optimize.minimize(loss, START, method="Nelder-Mead", options={"xatol": 5e-3, "fatol": 1e-5}).x)


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
        rows.append([left_out, *(getattr(prior, name) for name in HEADER.split(",")[1:])])
        print(*rows[-1], flush=True)
    study.write(TARGET, COMMAND, HEADER, [[row[0], *(f"{x:.4f}" for x in row[1:])] for row in rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
