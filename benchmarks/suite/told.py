"""How much of the default's distance to the best in hindsight anybody could have known: from the stored predictions.

No row but the default's own is a method, because each is told something that a user has not:

- a choice, told the truths: the one method that errs least over all tasks of a world, over those of a world that start
  from the same number of classes, over those of a recogniser, over those of a recogniser from the same number. The more
  truths are told, the nearer to the best of every single task. Beside it stands what as many choices do that know
  nothing: the tasks of a world shuffled among its recognisers (mean logarithms over shuffles);
- a choice, told one task's truth on its other draws;
- a team of four laws, or of all methods that took part in every task, with weights of least error
  over all tasks, over those of the other worlds, or over those of its own world;
- the default with twice the data: the mean of what it predicts from two draws.

The last rows are told nothing of the truth: a choice by back-tests on the observed classes (``backtests``); and the
default again, where truths are drawn from what it believes instead of being what they are. Its worst ratio is then the
median over repetitions, and the standard error a standard deviation over these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks.suite import backtests, scoring
from benchmarks.suite.scoring import Errors, Task
from classex.laws import ENSEMBLE_WEIGHTS, CurvePrior, GaussianProcessLaw

HEADER = "rule,told,against,choices,tasks,ratio,worst,log_difference,standard_error"
DEFAULT = "ensemble"
MEMBERS = ("Gaussian process with scores", "probit-normal", "mixture of ranks", "empirical Bayes")
START = dict(zip(MEMBERS, ENSEMBLE_WEIGHTS.values(), strict=False))  # those of the default
NOTHING, TRUTHS, ELSEWHERE, AGAIN = "nothing", "the truths", "the truths of the other worlds", "the task's other draws"
ALL, BACK_TESTED = "all methods", "all methods, draws with back-tests"
GROUPS: Mapping[str, Callable[[Task], tuple[Any, ...]]] = {
    "one method for all tasks": lambda _: (),
    "one method a world": lambda task: (task.world,),
    "one method a world and number of classes": lambda task: (task.world, task.k1),
    "one method a recogniser": lambda task: (task.world, task.recogniser),
    "one method a recogniser and number of classes": lambda task: (task.world, task.recogniser, task.k1),
}
SHUFFLED, SHUFFLES = "as many choices as recognisers, at random", 100
FOUR, FULL, TWICE = "a team of four laws", "a team of all methods", "the default, twice the data"
TESTED: Mapping[str, tuple[str, ...]] = {
    "one of the default's two laws on ranks, by back-tests": tuple(ENSEMBLE_WEIGHTS),
    "one of four laws of ranks, by back-tests": backtests.OF_RANKS,
    "one of these and the mixture, by back-tests": backtests.MEMBERS,
}
BELIEVED, REPETITIONS, SEED = "the default, truths as it believes", 1_000, 20261122
# members that the default has not start with this weight
LEAST = 0.005
# observed sizes of a curve that is known without error, and its noise
KNOWN_SIZES, NO_NOISE = 14, 1e-6
FloatArray = NDArray[np.float64]
Measured = list[tuple[Task, float, Errors]]
# rule, what it is told, the measure, choices made; ratios of the rule and of the default by task; the tasks' worlds
Compared = tuple[str, str, str, int, FloatArray, FloatArray, NDArray[np.str_]]


def root(error: FloatArray) -> FloatArray:
    """Root mean square over draws, the last axis."""
    return np.asarray(np.sqrt(np.square(error).mean(axis=-1)))


def best_of_groups(
    tasks: list[Task], logs: list[Mapping[str, float]], group: Callable[[Task], tuple[Any, ...]]
) -> tuple[int, FloatArray]:
    """Number of groups, and log ratios by task of the method that errs least over all tasks of the same group."""
    members = defaultdict(list)
    for place, task in enumerate(tasks):
        members[group(task)].append(place)
    out = np.empty(len(tasks))
    for places in members.values():
        common = set.intersection(*(set(logs[place]) for place in places))
        best = min(sorted(common), key=lambda name: sum(logs[place][name] for place in places))
        out[places] = [logs[place][best] for place in places]
    return len(members), out


def shuffled(tasks: list[Task], logs: list[Mapping[str, float]], worlds: NDArray[np.str_]) -> tuple[int, FloatArray]:
    """As `best_of_groups`, for recognisers shuffled among the tasks of their world; the mean over shuffles."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(SHUFFLES):
        name = np.array([task.recogniser for task in tasks], dtype=object)
        for world in np.unique(worlds):
            here = worlds == world
            name[here] = rng.permutation(name[here])
        group = dict(zip(tasks, name, strict=True))
        found.append(best_of_groups(tasks, logs, lambda task, of=group: (task.world, of[task])))
    return found[0][0], np.mean([log for _, log in found], axis=0)


def mixed(weights: FloatArray, errors: FloatArray) -> FloatArray:
    """Errors (tasks, draws) of a team, from those of its members (tasks, members, draws)."""
    return np.asarray(np.einsum("m,tmd->td", special.softmax(weights), errors))


def fit_weights(errors: FloatArray, start: FloatArray) -> FloatArray:
    """Logarithms of the weights of least geometric mean error over tasks, by L-BFGS from a start."""

    def loss(now: FloatArray) -> tuple[float, FloatArray]:
        share, team = special.softmax(now), mixed(now, errors)
        square = np.square(team).mean(axis=1) + 1e-10
        slope = team / square[:, np.newaxis] / team.size
        # the soft maximum's derivative: each member's error less the team's
        pull = np.einsum("td,tmd->m", slope, errors) - (slope * team).sum()
        return float(np.log(square).mean() / 2), share * pull

    found = optimize.minimize(loss, np.log(start), jac=True, method="L-BFGS-B")
    return np.asarray(found.x)


def teams(errors: FloatArray, names: list[str], worlds: NDArray[np.str_]) -> Iterator[tuple[str, str, int, FloatArray]]:
    """Errors of teams told all truths, told those of the other worlds, and with weights of their own in every world."""
    start = np.array([START.get(name, LEAST) for name in names])
    yield "", TRUTHS, 1, mixed(fit_weights(errors, start), errors)
    apart, own = np.empty_like(errors[:, 0]), np.empty_like(errors[:, 0])
    for world in np.unique(worlds):
        here = worlds == world
        apart[here] = mixed(fit_weights(errors[~here], start), errors[here])
        own[here] = mixed(fit_weights(errors[here], start), errors[here])
    yield "", ELSEWHERE, 1, apart
    yield " a world", TRUTHS, np.unique(worlds).size, own


def by_other_draws(error: FloatArray) -> FloatArray:
    """Errors of the choice, at every draw, of the method with the least mean square on the others: (methods, draws)."""
    square = np.square(error)
    elsewhere = square.sum(axis=1, keepdims=True) - square
    chosen: FloatArray = error[elsewhere.argmin(axis=0), np.arange(error.shape[1])]
    return chosen


def compared(folder: Path, measured: Measured) -> Iterator[Compared]:
    """Every rule beside the default."""
    tasks, found = [task for task, _, _ in measured], [error for _, _, error in measured]
    worlds = np.array([task.world for task in tasks])
    least = np.array([max(min(map(root, error.values())), 1e-6) for error in found])
    logs = [
        {name: float(np.log(root(e) / best)) for name, e in error.items()}
        for error, best in zip(found, least, strict=True)
    ]
    default = np.exp([log[DEFAULT] for log in logs])
    yield DEFAULT, NOTHING, ALL, 0, default, default, worlds
    for rule, group in GROUPS.items():
        choices, best = best_of_groups(tasks, logs, group)
        yield rule, TRUTHS, ALL, choices, np.exp(best), default, worlds
    choices, mean_log = shuffled(tasks, logs, worlds)
    yield SHUFFLED, TRUTHS, ALL, choices, np.exp(mean_log), default, worlds
    again = np.array([root(by_other_draws(np.array(list(error.values())))) for error in found])
    yield "one method a task", AGAIN, ALL, len(tasks), again / least, default, worlds
    common = sorted(set.intersection(*map(set, found)))
    for team, names in {FOUR: list(MEMBERS), FULL: common}.items():
        each = np.array([[error[name] for name in names] for error in found])
        for where, knows, choices, mean in teams(each, names, worlds):
            yield team + where, knows, ALL, choices, root(mean) / least, default, worlds
    pairs = np.array([error[DEFAULT] for error in found])
    pairs = pairs[:, : pairs.shape[1] // 2 * 2].reshape(len(tasks), -1, 2).mean(axis=2)
    yield TWICE, "a second draw", ALL, 0, root(pairs) / least, default, worlds
    for rule, names in TESTED.items():
        ratio, same, where = backtests.chosen(folder, names, DEFAULT)
        if ratio.size:
            yield rule, NOTHING, BACK_TESTED, 0, ratio, same, where


def beyond(k1: int, size: int) -> float:
    """Standard deviation of the probit with `size` classes, of a curve that is known without error up to k1."""
    sizes = np.unique(np.rint(np.geomspace(2, k1, KNOWN_SIZES)))
    law = GaussianProcessLaw(sizes, np.zeros(sizes.size), NO_NOISE * np.eye(sizes.size), CurvePrior())
    return float(np.sqrt(law.scatter(np.array([float(size)]))[0]))


def believed(found: Measured, repetitions: int = REPETITIONS) -> FloatArray:
    """Log ratios (tasks, repetitions) of the default, were truths normal around the mean of what it predicts.

    On the probit scale, as far from that mean as the prior lets curves stray and draws leave it uncertain, times one
    factor, such that the true ones are as far away as they should: over all recognisers but those whose features are
    learnt from the observed classes. Targets of the same classes stray together.
    """
    middle, spread, away = (np.empty(len(found)) for _ in range(3))
    for place, (task, truth, error) in enumerate(found):
        probit = special.ndtri(np.clip(error[DEFAULT] + truth, 1e-6, 1 - 1e-6))
        middle[place] = probit.mean()
        spread[place] = np.hypot(beyond(task.k1, task.K), probit.std(ddof=1) / np.sqrt(probit.size))
        away[place] = (special.ndtri(truth) - middle[place]) / spread[place]
    same = np.array([not task.recogniser.endswith(scoring.OWN_MARK) for task, _, _ in found])
    spread *= root(away[same])
    rng, strayed = np.random.default_rng(SEED), dict[tuple[Any, ...], FloatArray]()
    out = np.empty((len(found), repetitions))
    for place, (task, truth, error) in enumerate(found):
        if task[:3] not in strayed:
            strayed[task[:3]] = rng.standard_normal(repetitions)
        other = special.ndtr(middle[place] + spread[place] * strayed[task[:3]]) - truth
        ratio = {name: root(e - other[:, np.newaxis]) for name, e in error.items()}
        out[place] = np.log(ratio[DEFAULT] / np.min(list(ratio.values()), axis=0))
    return out


def rows(folder: Path) -> list[list[Any]]:
    """One row a rule: ratio, worst, mean logarithm less the default's, its standard error over worlds."""
    measured = [item for item in scoring.measured(folder) if {DEFAULT, *MEMBERS} <= set(item[2])]
    if not measured:
        return []
    out: list[list[Any]] = []
    for rule, knows, measure, choices, ratio, default, worlds in compared(folder, measured):
        gain = np.log(ratio / default)
        # tasks of a world share their recognisers' luck: worlds are the units
        sums = np.array([(gain - gain.mean())[worlds == world].sum() for world in np.unique(worlds)])
        numbers = (np.exp(np.log(ratio).mean()), ratio.max(), gain.mean(), np.sqrt(np.square(sums).sum()) / gain.size)
        out.append([rule, knows, measure, choices, gain.size, *(f"{number:.3f}" for number in numbers)])
    log = believed(measured)
    mean = log.mean(axis=0)
    gained = mean.mean() - np.log(float(out[0][5]))
    numbers = (np.exp(mean.mean()), np.median(np.exp(log.max(axis=0))), gained, mean.std(ddof=1))
    return [*out, [BELIEVED, NOTHING, ALL, 0, len(log), *(f"{number:.3f}" for number in numbers)]]


def write(folder: Path) -> None:
    """Write ``told.csv``."""
    scoring.write(folder / "told.csv", HEADER, rows(folder))
