"""Methods that predict pass@k, compared on the corpus: ``python -m benchmarks.attempts.league``.

A benchmark is 100 instances of a family, drawn with replacement, with one budget for an attempt. From n attempts each
every method predicts the share of them that k attempts solve; its exact value for these 100 is the truth of
errors, and that of the whole family the truth of intervals. The prior of the process is learnt without the family:
``python -m benchmarks.attempts.league learn`` writes the priors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

import classex as cx
from benchmarks import study
from benchmarks.attempts import corpus
from classex.attempts._beyond import ATTEMPTS, Continuation
from classex.attempts._problems import Problems
from classex.attempts.solved import CheckedAttempts
from classex.methods import BetaBinomial, CurvePrior, PitmanYor

FloatArray = NDArray[np.float64]
COMMAND = "python -m benchmarks.attempts.league"
PRIORS, LEAGUE = Path(__file__).with_name("priors.csv"), study.STORED / "attempts" / "league.csv"
N_PROBLEMS, N_DRAWS, LEVEL = 100, 8, 0.95
BUDGETS = (0, 1, 2)
# n attempts, and k of what is predicted
TASKS = ((20, 200), (100, 1_000), (100, 5_000), (1_000, 10_000))
LEARNT_FROM = ((20, (200, 2_000)), (100, (1_000, 5_000, 10_000)), (1_000, (5_000, 10_000)))
NONE = "none"
# Errors of a predicted share that do not matter, in the score that the prior maximises
_SMALL = 0.01


def drawn(family: str, budget: int, draw: int, n: int) -> tuple[FloatArray, FloatArray, Any]:
    """Chances of the family and of a benchmark, and the successes in n attempts."""
    rng = np.random.default_rng([list(corpus.FAMILIES).index(family), budget, draw, n])
    whole = corpus.counts(family)[:, budget] / corpus.N_ATTEMPTS
    p = whole[rng.integers(0, whole.size, N_PROBLEMS)]
    return whole, p, rng.binomial(n, p)


def solved(p: FloatArray, k: Any) -> FloatArray:
    """pass@k of problems with these chances."""
    out: FloatArray = 1 - ((1 - p) ** np.reshape(k, (-1, 1))).mean(axis=1)
    return out


# ---- the prior
def _examples(family: str) -> Iterator[tuple[Any, FloatArray, FloatArray]]:
    for budget in BUDGETS:
        for draw in range(N_DRAWS):
            for n, ks in LEARNT_FROM:
                _, p, c = drawn(family, budget, draw, n)
                problems = Problems.of(c, np.full(c.size, n), None)
                if 0 < problems.unsolved.size < problems.count.size:
                    yield Continuation(problems).fit, np.array(ks, float), 1 - solved(p, ks)


@lru_cache
def examples(family: str) -> list[tuple[Any, FloatArray, FloatArray]]:
    """Fits to the benchmarks of a family, numbers of attempts, and the shares that they leave unsolved."""
    return list(_examples(family))


def score(family: str, prior: CurvePrior) -> float:
    """Mean score of Dawid and Sebastiani (1999) of the predicted shares; smaller is better."""
    node, weight = np.polynomial.hermite_e.hermegauss(15)
    found = []
    for fit, ks, truth in examples(family):
        mean, variance = replace(fit, prior=prior).posterior(ks + 1)
        share = special.ndtr(mean + np.multiply.outer(node, np.sqrt(variance)))
        centre = weight @ share / weight.sum()
        spread = weight @ np.square(share - centre) / weight.sum() + _SMALL**2
        found.append(np.mean(np.square(truth - centre) / spread + np.log(spread)))
    return float(np.mean(found))


def learn(families: list[str]) -> CurvePrior:
    """Mean slope, its deviation and its correlation length, from some families."""

    def prior(at: FloatArray) -> CurvePrior:
        return replace(ATTEMPTS, slope=float(at[0]), slope_sd=float(np.exp(at[1])), length=float(np.exp(at[2])))

    def loss(at: FloatArray) -> float:
        return float(np.mean([score(family, prior(at)) for family in families]))

    start = (-0.2, np.log(0.4), np.log(4.0))
    options = {"xatol": 0.02, "fatol": 1e-3, "maxfev": 90}
    return prior(optimize.minimize(loss, start, method="Nelder-Mead", options=options).x)


@lru_cache
def prior_without(family: str) -> CurvePrior:
    """The stored prior that has not seen a family; ``none`` for the one that has seen all."""
    row = next(row for row in study.read(PRIORS) if row["without"] == family)
    return replace(ATTEMPTS, **{name: float(row[name]) for name in ("slope", "slope_sd", "length")})


def write_priors() -> None:
    """Learn every prior."""
    rows = []
    for left_out in (NONE, *corpus.FAMILIES):
        prior = learn([family for family in corpus.FAMILIES if family != left_out])
        rows.append([left_out, *(f"{x:.3f}" for x in (prior.slope, prior.slope_sd, prior.length))])
        print(*rows[-1], flush=True)
    study.write(PRIORS, f"{COMMAND} learn", "without,slope,slope_sd,length", rows)


# ---- the methods: value, and ends of an interval where there is one
Predicted = tuple[float, float, float]


def _straight(c: Any, n: int, k: int, _: str, power: bool) -> Predicted:
    """Least squares of log(-log pass@j), or of pass@j, on log j at 20 numbers j up to n; 400 Bayesian bootstraps."""
    at = np.unique(np.rint(np.geomspace(1, n, 20)))
    problems = Problems.of(c, np.full(c.size, n), None)
    share = np.vstack([problems.count, problems.replicates[0][:400]])
    curve = 1 - share @ problems.known(at) / share.sum(axis=1, keepdims=True)
    y = np.log(-np.log(np.clip(curve, 1e-9, 1 - 1e-9))) if power else curve
    slope, level = np.polyfit(np.log(at), y.T, 1)
    line = level + slope * np.log(k)
    value = np.exp(-np.exp(line)) if power else np.clip(line, 0, 1)
    return (float(value[0]), *map(float, np.quantile(value[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])))


def _beta(c: Any, n: int, k: int, _: str, atoms: bool) -> Predicted:
    fit = BetaBinomial(limited=False, atoms=atoms).fit_counts(c, n)
    return 1 - float(fit.accuracy(np.array([k + 1.0]))[0]), np.nan, np.nan


def _pitman_yor(c: Any, n: int, k: int, _: str) -> Predicted:
    fit = PitmanYor(method="least squares").fit(cx.ranks_from_wins(n - c, n + 1))
    return 1 - float(fit.accuracy(np.array([k + 1.0]))[0]), np.nan, np.nan


def _process(c: Any, n: int, k: int, family: str) -> Predicted:
    problems = Problems.of(c, np.full(c.size, n), None)
    checked = CheckedAttempts(problems, Continuation(problems, prior_without(family)), LEVEL)
    found = checked.pass_at(np.array([float(k)]))
    return float(found.value[0]), float(found.interval[0, 0]), float(found.interval[0, 1])


METHODS: dict[str, Callable[[Any, int, int, str], Predicted]] = {
    "process": _process,
    "power law": partial(_straight, power=True),
    "log-linear": partial(_straight, power=False),
    "beta-binomial": partial(_beta, atoms=False),
    "beta-binomial with zeros": partial(_beta, atoms=True),
    "Pitman-Yor": _pitman_yor,
}
HEADER = "method,n,k,family,rmse,bias,coverage,interval_score,width"


def cell(method: str, family: str, budget: int, draw: int) -> list[list[float]]:
    """Value, ends, and the true values for the benchmark and for the family, for every task."""
    out = []
    for n, k in TASKS:
        whole, p, c = drawn(family, budget, draw, n)
        out.append([*METHODS[method](c, n, k, family), float(solved(p, k)[0]), float(solved(whole, k)[0])])
    return out


def rows(method: str, family: str) -> list[list[Any]]:
    """One row a task: error, coverage, interval score and width."""
    cells = [(method, family, budget, draw) for budget in BUDGETS for draw in range(N_DRAWS)]
    found = np.array(study.run(cell, cells, "attempts"))
    out: list[list[Any]] = []
    for (n, k), (value, low, high, truth, whole) in zip(TASKS, found.transpose(1, 2, 0), strict=True):
        missed = np.maximum(low - whole, 0) + np.maximum(whole - high, 0)
        covered = np.where(np.isnan(low), np.nan, missed <= 0).mean()
        error, width = value - truth, high - low
        marks = width + 2 / (1 - LEVEL) * missed
        measured = (np.sqrt(np.mean(error**2)), error.mean(), covered, marks.mean(), width.mean())
        out.append([method, n, k, family, *(f"{x:.4f}" for x in measured)])
    return out


def main(arguments: list[str]) -> int:
    """Learn the priors, or predict everything and write the table."""
    if arguments == ["learn"]:
        write_priors()
        return 0
    found = (rows(method, family) for method in arguments or METHODS for family in corpus.FAMILIES)
    study.write(LEAGUE, COMMAND, HEADER, chain.from_iterable(found), 4)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
