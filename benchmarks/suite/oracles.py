"""How much of the default's distance to the best in hindsight anybody could have known: from the stored predictions.

Three kinds of rivals, none of them a method, because each is told truths:

- a choice: the method, of all or of a few, that errs least on the other draws of the same task, or on the task itself;
- a team of the library's rank-only laws, with weights on the simplex, fixed or moving with the numbers of classes, the
  predicted accuracy or the disagreement of two laws; told the truths of all tasks, or of the other worlds only;
- a team of all methods with weights fitted on the other draws of the same task.

Two more are told nothing: a choice by back-tests on the observed classes (``backtests``), and the default with half the
mixture, which sees scores, wherever both agree within a standard error of the default.

Weights are the soft maximum of linear functions, fitted so that the geometric mean error is least. Errors are measured
against the best method of each task, or against the best of those that see ranks only, as the default does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from benchmarks.suite import ablation, backtests, scoring
from benchmarks.suite.ablation import told
from benchmarks.suite.methods import CLEANEX, SCORED
from classex.laws import ENSEMBLE_WEIGHTS

HEADER = "rule,told,against,tasks,ratio,worst,log_difference,standard_error"
DEFAULT = "ensemble"
MEMBERS = ("Gaussian process", "probit-normal", "mixture of ranks", "empirical Bayes")
NOTHING, SEEN, ELSEWHERE, AGAIN = "nothing", "all tasks", "the other worlds", "the task's other draws"
AFTERWARDS = "the task itself"
ALL, RANKS, MARGINAL = "all methods", "methods of ranks", "methods of ranks, no own features"
BACK_TESTED = "all methods, draws with back-tests"
REAL_WORLDS, EXACT_WORLDS = "all methods, real worlds", "all methods, exact worlds"
# members that the default has not start with this weight; the ridge keeps weights where tasks say nothing
LEAST, RIDGE = 0.005, 1e-3
TEAMS: Mapping[str, tuple[str, ...]] = {
    "a team": (),
    "a team, weights by k1 and K / k1": ("k1", "step"),
    "a team, weights by predicted accuracy": ("accuracy",),
    "a team, weights by disagreement": ("disagreement",),
    "a team, weights by all four": ("k1", "step", "accuracy", "disagreement"),
}
FEW: Mapping[str, tuple[str, ...]] = {
    "one of the default's two laws": tuple(ENSEMBLE_WEIGHTS),
    "one of four laws of ranks": MEMBERS,
}
TESTED: Mapping[str, tuple[str, ...]] = {
    "one of the default's two laws, by back-tests": tuple(ENSEMBLE_WEIGHTS),
    "one of four laws of ranks, by back-tests": MEMBERS,
    "one of these and the mixture, by back-tests": (*MEMBERS, "mixture"),
}
AGREED = "the default, half the mixture where both agree"
# ends of a 95 % interval are so many standard errors apart
APART = 2 * special.ndtri((1 + scoring.LEVEL) / 2)
FloatArray = NDArray[np.float64]
Compared = tuple[str, str, str, FloatArray, FloatArray, NDArray[np.str_]]


@dataclass(frozen=True)
class Table:
    """Predictions (tasks, methods, draws) of the methods of ranks, truths, and the least error of any method."""

    tasks: list[scoring.Task]
    methods: list[str]
    predicted: FloatArray
    truth: FloatArray
    best: FloatArray

    def of(self, method: str) -> FloatArray:
        """Predictions of one method: (tasks, draws)."""
        found: FloatArray = self.predicted[:, self.methods.index(method)]
        return found

    def rmse(self, predicted: FloatArray) -> FloatArray:
        """Root mean squared error over draws of predictions (tasks, draws), or (tasks, methods, draws)."""
        truth = self.truth.reshape(-1, *[1] * (predicted.ndim - 1))
        return np.asarray(np.sqrt(np.square(predicted - truth).mean(axis=-1)))

    @property
    def worlds(self) -> NDArray[np.str_]:
        """World of every task."""
        return np.array([task.world for task in self.tasks])


def read_table(folder: Path) -> Table:
    """Read a suite's predictions; methods that see scores, or missed a draw, set the measure only."""
    found = [
        (task, truth, {name: draws for name, draws in by.items() if name != CLEANEX})
        for task, truth, by in scoring.read_tasks(folder)
    ]
    at = np.array([truth for _, truth, _ in found])
    # those that ran on as many draws as any: they set the measure of their task
    full = [{n: d for n, d in by.items() if len(d) == max(map(len, by.values()))} for _, _, by in found]
    least = [min(scoring.rmse(scoring.errors(by, t, n))[0] for n in by) for by, t in zip(full, at, strict=True)]
    methods = sorted(set.intersection(*map(set, full)) - set(SCORED)) if full else []
    values = np.array([[[by[name][draw] for draw in sorted(by[name])] for name in methods] for by in full])
    return Table([task for task, _, _ in found], methods, values, at, np.maximum(least, 1e-6))


def features(table: Table, names: tuple[str, ...]) -> FloatArray:
    """A one and the wanted features, each of mean 0 and spread 1 over the suite: (tasks, draws, features)."""
    k1, size = (np.array([getattr(task, name) for task in table.tasks], dtype=float) for name in ("k1", "K"))

    def probit(method: str) -> FloatArray:
        return np.asarray(special.ndtri(np.clip(table.of(method), 1e-3, 1 - 1e-3)))

    one = np.ones_like(table.of(DEFAULT))
    known = {
        "k1": np.log(k1)[:, np.newaxis] * one,
        "step": np.log(size / k1)[:, np.newaxis] * one,
        "accuracy": probit(DEFAULT),
        "disagreement": np.abs(probit("mixture of ranks") - probit("probit-normal")),
    }
    return np.stack([one, *((known[n] - known[n].mean()) / max(known[n].std(), 1e-9) for n in names)], axis=2)


def mixed(weights: FloatArray, at: FloatArray, predicted: FloatArray) -> FloatArray:
    """Predictions (tasks, draws) of a team whose weights are the soft maximum of `at @ weights`."""
    share = special.softmax(at @ weights, axis=2)
    return np.asarray(np.einsum("tdm,tmd->td", share, predicted))


def fit_weights(at: FloatArray, predicted: FloatArray, truth: FloatArray, start: FloatArray) -> FloatArray:
    """Weights (features, methods) of least geometric mean error, by L-BFGS from the default's."""
    first = np.zeros((at.shape[2], start.size))
    first[0] = np.log(start)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        now = flat.reshape(first.shape)
        share = special.softmax(at @ now, axis=2)
        team = np.einsum("tdm,tmd->td", share, predicted)
        error = team - truth[:, np.newaxis]
        square = np.square(error).mean(axis=1) + 1e-10
        value = np.log(square).mean() / 2 + RIDGE * np.square(now - first).sum()
        slope = error / square[:, np.newaxis] / error.size
        # the soft maximum's derivative: each method's prediction less the team's
        pull = share * (predicted.transpose(0, 2, 1) - team[:, :, np.newaxis]) * slope[:, :, np.newaxis]
        return value, (np.einsum("tdf,tdm->fm", at, pull) + 2 * RIDGE * (now - first)).ravel()

    found = optimize.minimize(loss, first.ravel(), jac=True, method="L-BFGS-B")
    return np.asarray(found.x.reshape(first.shape))


def teams(table: Table, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Predictions of a team that was told all truths, and of one that was told those of the other worlds."""
    at = features(table, names)
    predicted = np.stack([table.of(name) for name in MEMBERS], axis=1)
    start = np.array([ENSEMBLE_WEIGHTS.get(name, LEAST) for name in MEMBERS])
    seen = mixed(fit_weights(at, predicted, table.truth, start), at, predicted)
    apart = np.empty_like(seen)
    for world in np.unique(table.worlds):
        here = table.worlds == world
        weights = fit_weights(at[~here], predicted[~here], table.truth[~here], start)
        apart[here] = mixed(weights, at[here], predicted[here])
    return seen, apart


def told_team(predicted: FloatArray, truth: float) -> FloatArray:
    """Predictions of the mean, at every draw, that fits the task's other draws best; (methods, draws) to (draws,)."""
    out = np.empty(predicted.shape[1])
    for draw in range(out.size):
        others = np.delete(predicted, draw, axis=1).T
        # a heavy last row: the weights add up to one
        rows = np.vstack([others, np.full(predicted.shape[0], 1e3)])
        weights, _ = optimize.nnls(rows, np.append(np.full(out.size - 1, truth), 1e3))
        out[draw] = weights @ predicted[:, draw] / weights.sum()
    return out


def chosen(table: Table, among: tuple[str, ...] | None = None) -> FloatArray:
    """Predictions of the choice, among methods of ranks, that is told the truth on the other draws."""
    truth = table.truth[:, np.newaxis]
    kept = slice(None) if among is None else [table.methods.index(name) for name in among]
    return np.array([told(error) for error in table.predicted[:, kept] - truth[:, np.newaxis]]) + truth


def among_few(folder: Path, table: Table, default: FloatArray) -> Iterator[Compared]:
    """Choices among the members of a team: told truths, or by back-tests."""
    for rule, names in FEW.items():
        each = np.stack([table.rmse(table.of(name)) for name in names])
        yield rule, AFTERWARDS, ALL, each.min(axis=0) / table.best, default, table.worlds
        yield rule, AGAIN, ALL, table.rmse(chosen(table, names)) / table.best, default, table.worlds
    for rule, names in TESTED.items():
        ratio, same, worlds = backtests.chosen(folder, names, DEFAULT)
        if ratio.size:
            yield rule, NOTHING, BACK_TESTED, ratio, same, worlds


def agreed(folder: Path, table: Table) -> FloatArray:
    """Predictions (tasks, draws): the default, or its mean with the mixture where that is within a standard error."""
    width = {
        (row["world"], row["recogniser"], int(row["k1"]), int(row["K"]), int(row["draw"])): float(row["high"])
        - float(row["low"])
        for row in scoring.read(folder / "intervals.csv")
        if row["method"] == DEFAULT and row["target"] == "average"
    }
    predictions = scoring.read_predictions(folder)
    out = table.of(DEFAULT).copy()
    for place, task in enumerate(table.tasks):
        scored = predictions[task].get("mixture", {})
        for column, draw in enumerate(sorted(predictions[task][DEFAULT])):
            away = scored.get(draw, np.nan) - out[place, column]
            if abs(away) < width.get((*task, draw), 0.0) / APART:
                out[place, column] += away / 2
    return out


def compared(folder: Path) -> Iterator[Compared]:
    """Rule, what it is told, the measure; ratios of the rule and of the default by task; the tasks' worlds."""
    table = read_table(folder)
    if not {DEFAULT, *MEMBERS} <= set(table.methods):
        return
    default = table.rmse(table.of(DEFAULT))
    against_all = default / table.best
    yield DEFAULT, NOTHING, ALL, against_all, against_all, table.worlds
    choice = np.array([ratio for _, ratio in ablation.ratios(folder)[ablation.TOLD]])
    yield "one method", AGAIN, ALL, choice, against_all, table.worlds
    yield from among_few(folder, table, against_all)
    with_scores = table.rmse(agreed(folder, table)) / table.best
    real = np.isin(table.worlds, scoring.REAL)
    for measure, kept in ((ALL, np.ones_like(real)), (REAL_WORLDS, real), (EXACT_WORLDS, ~real)):
        if kept.any():
            yield AGREED, NOTHING, measure, with_scores[kept], against_all[kept], table.worlds[kept]
    for name, needs in TEAMS.items():
        for knows, predicted in zip((SEEN, ELSEWHERE), teams(table, needs), strict=True):
            yield name, knows, ALL, table.rmse(predicted) / table.best, against_all, table.worlds
    fitted = np.array([told_team(values, truth) for values, truth in zip(table.predicted, table.truth, strict=True)])
    yield "a team of all methods of ranks", AGAIN, ALL, table.rmse(fitted) / table.best, against_all, table.worlds
    least = np.maximum(table.rmse(table.predicted).min(axis=1), 1e-6)
    marginal = np.array([not task.recogniser.endswith(", own") for task in table.tasks])
    for measure, kept in ((RANKS, np.ones_like(marginal)), (MARGINAL, marginal)):
        among = default[kept] / least[kept]
        yield DEFAULT, NOTHING, measure, among, among, table.worlds[kept]
        yield "one method", AGAIN, measure, (table.rmse(chosen(table)) / least)[kept], among, table.worlds[kept]


def rows(folder: Path) -> list[list[Any]]:
    """One row a rule and measure: ratio, worst, mean logarithm less the default's, its standard error over worlds."""
    out: list[list[Any]] = []
    for rule, knows, measure, ratio, default, worlds in compared(folder):
        gain = np.log(ratio / default)
        # tasks of a world share their recognisers' luck: worlds are the units
        sums = np.array([(gain - gain.mean())[worlds == world].sum() for world in np.unique(worlds)])
        numbers = (np.exp(np.log(ratio).mean()), ratio.max(), gain.mean(), np.sqrt(np.square(sums).sum()) / gain.size)
        out.append([rule, knows, measure, gain.size, *(f"{number:.3f}" for number in numbers)])
    return out


def write(folder: Path) -> None:
    """Write ``oracles.csv``."""
    scoring.write(folder / "oracles.csv", HEADER, rows(folder))
