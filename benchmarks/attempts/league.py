"""Methods that predict pass@k, compared on the corpus: ``python -m benchmarks.attempts.league``.

A benchmark is 100 instances of a family, drawn with replacement, with one budget for an attempt. From n attempts each
every method predicts the share of them that k attempts solve; its exact value for these 100 is the truth of
errors, and that of the whole family the truth of intervals. The prior of the straight curves is learnt without the
family, or without all families of its group: ``python -m benchmarks.attempts.league learn`` writes the priors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import qmc

import classex as cx
from benchmarks import study
from benchmarks.attempts import corpus, language
from classex.fields.attempts import CheckedAttempts, Continuation, Problems
from classex.forecast import CurvePrior, Straight
from classex.methods import BetaBinomial, PitmanYor

FloatArray = NDArray[np.float64]
COMMAND = "python -m benchmarks.attempts.league"
PRIORS, LEAGUE = Path(__file__).with_name("priors.csv"), study.STORED / "attempts" / "league.csv"
N_PROBLEMS, N_DRAWS, LEVEL = 100, 8, 0.95
BUDGETS = (0, 1, 2)
# n attempts, and k of what is predicted
TASKS = ((20, 200), (100, 1_000), (100, 5_000), (1_000, 10_000))
LEARNT_FROM = ((20, (200, 2_000)), (100, (1_000, 5_000, 10_000)), (1_000, (5_000, 10_000)))
NONE = "none"
GROUPS = {"solvers": [*corpus.FAMILIES], "language models": [*language.FAMILIES]}
FAMILIES = [*chain.from_iterable(GROUPS.values())]
# Draws of a benchmark from which the prior is learnt
N_LEARNT = 3
# Candidates: mean slope, length, least of three deviations that double, prior probabilities, power of the evidence
SLOPES, LENGTHS = (-1.8, -1.4, -1.0, -0.7), (6.0, 12.0, 24.0, 48.0)
DEVIATIONS, TEMPERS = (0.25, 0.5, 1.0), (0.1, 0.3, 1.0)
PROBABILITIES = ((0.6, 0.3, 0.1), (0.34, 0.33, 0.33), (0.1, 0.3, 0.6))
# Ends of the 95, 80 and 50 % intervals, and the median
LEVELS = np.array([0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975])
# Mean slope, length, deviations, probabilities and power of a candidate
Numbers = tuple[float, float, tuple[float, ...], tuple[float, ...], float]
GRID: list[Numbers] = [
    (slope, length, (least, 2 * least, 4 * least), probabilities, temper)
    for slope, length, least, probabilities, temper in product(SLOPES, LENGTHS, DEVIATIONS, PROBABILITIES, TEMPERS)
]


def as_prior(
    slope: float, length: float, deviations: tuple[float, ...], probabilities: tuple[float, ...], temper: float
) -> CurvePrior:
    """Straight curves with several standard deviations of the slope."""
    shared = {"slope": slope, "length": length, "early": 0.0, "level": 0.0}
    pairs = zip(probabilities, deviations, strict=True)
    return CurvePrior(tuple(Straight(weight, slope_sd=deviation, **shared) for weight, deviation in pairs), temper)


def drawn(family: str, budget: int, draw: int, n: int) -> tuple[FloatArray, FloatArray, Any]:
    """Chances of the family and of a benchmark, and the successes in n attempts."""
    rng = np.random.default_rng([FAMILIES.index(family), budget, draw, n])
    whole = corpus.counts(family)[:, budget] / corpus.N_ATTEMPTS
    p = whole[rng.integers(0, whole.size, N_PROBLEMS)]
    return whole, p, rng.binomial(n, p)


def dynamic(p: FloatArray, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Successes and trials if all problems share n trials each on average, and each is tried until it is solved."""
    first = rng.geometric(np.maximum(p, 1e-15)).astype(np.float64)
    tried = np.union1d(first, 1.0)
    spent = np.minimum.outer(tried, first).sum(axis=1)
    most = np.floor(np.interp(n * p.size, spent, tried)) if (spent > n * p.size).any() else tried[-1]
    return (first <= most).astype(np.int64), np.minimum(first, most).astype(np.int64)


def solved(p: FloatArray, k: Any) -> FloatArray:
    """pass@k of problems with these chances."""
    out: FloatArray = 1 - ((1 - p) ** np.reshape(k, (-1, 1))).mean(axis=1)
    return out


# ---- the prior
def _examples(family: str) -> Iterator[tuple[Continuation, FloatArray, FloatArray]]:
    for budget in BUDGETS:
        for draw in range(N_LEARNT):
            for n, ks in LEARNT_FROM:
                _, p, c = drawn(family, budget, draw, n)
                problems = Problems.of(c, np.full(c.size, n), None)
                if 0 < problems.unsolved.size < problems.count.size:
                    yield Continuation(problems), np.array(ks, float), 1 - solved(p, ks)


def mixture_quantiles(probability: FloatArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Quantiles of mixtures of normals, by bisection, for components in columns: (n, n_levels)."""
    low = np.repeat((mean - 5 * deviation).min(axis=1, keepdims=True), LEVELS.size, axis=1)
    high = np.repeat((mean + 5 * deviation).max(axis=1, keepdims=True), LEVELS.size, axis=1)
    for _ in range(18):
        middle = (low + high) / 2
        normal = special.ndtr((middle[..., np.newaxis] - mean[:, np.newaxis]) / deviation[:, np.newaxis])
        below = (normal @ probability[..., np.newaxis])[..., 0]
        low, high = np.where(below < LEVELS, middle, low), np.where(below < LEVELS, high, middle)
    return np.asarray((low + high) / 2)


@lru_cache
def scores(family: str) -> FloatArray:
    """Weighted interval score of the unsolved share of the benchmark's own problems, for each prior of the grid.

    It is twice the mean pinball loss of the quantiles (Bracher and others 2021).
    """
    examples, out = list(_examples(family)), {}
    deviations = sorted({one for numbers in GRID for one in numbers[2]})
    for slope, length in product(SLOPES, LENGTHS):
        # all deviations at once: neither the probabilities nor the power change a component
        every = as_prior(slope, length, tuple(deviations), (1.0,) * len(deviations), 1.0)
        rows = []
        for beyond, ks, truth in examples:
            weight, level, gain, deviation = replace(beyond, prior=every).lines(ks)
            centre = level + np.log(-np.log1p(-beyond.observed[0])) @ gain
            evidence = np.log(weight + 1e-300)
            rows += [[share, *evidence, *centre[:, i], *deviation[:, i]] for i, share in enumerate(truth)]
        table = np.array(rows)
        truth = table[:, 0]
        evidence, mean, deviation = table[:, 1:].reshape(len(table), 3, -1).transpose(1, 0, 2)
        for least, probabilities, temper in product(DEVIATIONS, PROBABILITIES, TEMPERS):
            own = [deviations.index(least * times) for times in (1, 2, 4)]
            weight = special.softmax(np.log(probabilities) + temper * evidence[:, own], axis=1)
            y = mixture_quantiles(weight, mean[:, own], deviation[:, own])
            off = truth[:, np.newaxis] + np.expm1(-np.exp(y))
            numbers = slope, length, (least, 2 * least, 4 * least), probabilities, temper
            out[numbers] = 2 * np.maximum(LEVELS * off, (LEVELS - 1) * off).mean()
    return np.array([out[numbers] for numbers in GRID])


def learn(families: list[str]) -> Numbers:
    """The candidate with the smallest score, a mean over families."""
    return GRID[int(np.argmin(np.mean([scores(family) for family in families], axis=0)))]


@lru_cache
def prior_without(left_out: str) -> CurvePrior:
    """The stored prior that has not seen a family or a group; ``none`` for the one that has seen all."""
    row = next(row for row in study.read(PRIORS) if row["without"] == left_out)
    several = {name: tuple(map(float, row[name].split())) for name in ("deviations", "probabilities")}
    return as_prior(**several, **{name: float(row[name]) for name in ("slope", "length", "temper")})


def write_priors() -> None:
    """Learn every prior."""
    rows = []
    for left_out in (NONE, *GROUPS, *FAMILIES):
        slope, length, *several, temper = learn(
            [family for family in FAMILIES if family not in GROUPS.get(left_out, [left_out])]
        )
        rows.append([left_out, *(" ".join(map(str, one)) for one in several), slope, length, temper])
        print(*rows[-1], flush=True)
    study.write(PRIORS, f"{COMMAND} learn", "without,deviations,probabilities,slope,length,temper", rows)


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


def _beta(c: Any, n: Any, k: int, _: str, atoms: bool = False) -> Predicted:
    fit = BetaBinomial(limited=False, atoms=atoms).fit_counts(c, n)
    return 1 - float(fit.accuracy(np.array([k + 1.0]))[0]), np.nan, np.nan


def _zero_inflated(c: Any, n: int, k: int, _: str) -> Predicted:
    """Posterior of a zero-inflated beta-binomial distribution, by weights of 8,192 points of the prior.

    Uniform share of zeros, and normal log alpha and log beta with the means and deviations of `BetaBinomial`. This is
    our reading of the abstract of Verine and others (2026), which names the model and no numbers.
    """
    point = qmc.Sobol(3, seed=0).random_base2(13)
    zero = point[:, 0]
    alpha, beta = np.exp(special.ndtri(point[:, 1:]) * [1.5, 2.0] + [-0.5, 1.0]).T
    number, count = np.unique(c, return_counts=True)
    log = np.zeros(zero.size)
    for successes, problems in zip(number, count, strict=True):
        chance = special.betaln(alpha + successes, beta + n - successes) - special.betaln(alpha, beta)
        own = np.log1p(-zero) + chance
        log += problems * (np.logaddexp(np.log(zero), own) if successes == 0 else own)
    weight = special.softmax(log)
    value = (1 - zero) * -np.expm1(special.betaln(alpha, beta + k) - special.betaln(alpha, beta))
    order = np.argsort(value)
    ends = np.interp([(1 - LEVEL) / 2, (1 + LEVEL) / 2], np.cumsum(weight[order]), value[order])
    return float(weight @ value), float(ends[0]), float(ends[1])


def _pitman_yor(c: Any, n: int, k: int, _: str) -> Predicted:
    fit = PitmanYor(method="least squares").fit(cx.ranks_from_wins(n - c, n + 1))
    return 1 - float(fit.accuracy(np.array([k + 1.0]))[0]), np.nan, np.nan


def _curves(c: Any, n: Any, k: int, family: str, group: bool = False) -> Predicted:
    trials = np.broadcast_to(n, c.shape)
    problems = Problems.of(c, trials, 1 if np.ndim(n) else None)
    left_out = next(name for name, own in GROUPS.items() if family in own) if group else family
    checked = CheckedAttempts(problems, Continuation(problems, prior_without(left_out)), LEVEL)
    found = checked.pass_at(np.array([float(k)]))
    return float(found.value[0]), float(found.interval[0, 0]), float(found.interval[0, 1])


METHODS: dict[str, Callable[[Any, Any, int, str], Predicted]] = {
    "straight curves": _curves,
    "straight curves, group left out": partial(_curves, group=True),
    "power law": partial(_straight, power=True),
    "log-linear": partial(_straight, power=False),
    "beta-binomial": _beta,
    "beta-binomial with zeros": partial(_beta, atoms=True),
    "zero-inflated beta-binomial, Bayesian": _zero_inflated,
    "Pitman-Yor": _pitman_yor,
    "beta-binomial, unsolved first": _beta,
    "straight curves, unsolved first": _curves,
}
HEADER = "method,n,k,family,rmse,bias,coverage,interval_score,width"


def cell(method: str, family: str, budget: int, draw: int) -> list[list[float]]:
    """Value, ends, and the true values for the benchmark and for the family, for every task."""
    out = []
    for n, k in TASKS:
        whole, p, c = drawn(family, budget, draw, n)
        if method.endswith("unsolved first"):
            c, n = dynamic(p, n, np.random.default_rng([draw, budget, n]))
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
    found = (rows(method, family) for method in arguments or METHODS for family in FAMILIES)
    study.write(LEAGUE, COMMAND, HEADER, chain.from_iterable(found), 4)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
