"""What could be known of the suite's measure: choices and teams that are told truths, and choices by back-tests."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks.suite import backtests, cells, scoring, told
from benchmarks.suite.cells import Cell
from benchmarks.suite.scoring import Task

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def test_what_is_told_follows_from_stored_predictions_and_comes_near_only_with_many_choices():
    stored = [list(row.values()) for row in scoring.read(scoring.HERE / "told.csv")]
    again = [[str(cell) for cell in row] for row in told.rows(scoring.HERE)]
    assert [row[:5] for row in again] == [row[:5] for row in stored]
    for row, other in zip(stored, again, strict=True):
        # a search of the least error ends elsewhere on another machine's arithmetic
        assert [float(x) for x in row[5:]] == pytest.approx([float(x) for x in other[5:]], rel=0.02, abs=0.01)
    ratio = {(row[0], row[1]): float(row[5]) for row in stored}
    (first, *_) = scoring.read(scoring.HERE / "leaderboard.csv")
    default = ratio[told.DEFAULT, told.NOTHING]
    assert default == pytest.approx(float(first["geometric_mean_ratio"]), abs=1e-3)
    # in hindsight, too, one method for all tasks is the default; the more choices, the nearer to the best
    choices = [ratio[rule, told.TRUTHS] for rule in told.GROUPS]
    assert choices[0] == default
    assert choices == sorted(choices, reverse=True)
    assert default <= 1.1
    # no team's fixed weights come much nearer, not even with the truths they are judged on
    assert min(ratio[team, told.TRUTHS] for team in (told.FOUR, told.FULL)) > 0.98 * default
    assert all(ratio[team, told.ELSEWHERE] > default for team in (told.FOUR, told.FULL))
    # nor would the default itself, were it right about every curve; and its worst task would be as far off
    (believed,) = (row for row in stored if row[0] == told.BELIEVED)
    assert float(believed[5]) == pytest.approx(default, abs=0.03)
    assert float(believed[6]) > 2


def test_the_best_of_groups_against_all_choices():
    rng = np.random.default_rng(2)
    tasks = [Task(world, "r", k1, 9) for world in "ab" for k1 in (2, 3, 4)]
    logs = [dict(zip("xyz", rng.normal(size=3), strict=True)) for _ in tasks]
    logs[1].pop("x")
    number, found = told.best_of_groups(tasks, logs, lambda task: (task.world,))
    sums = [
        sum(
            log[name]
            for task, log in zip(tasks, logs, strict=True)
            for world, name in zip("ab", pair, strict=True)
            if task.world == world
        )
        for pair in product("xyz", repeat=2)
        if pair[0] != "x"
    ]
    assert number == 2
    assert found.sum() == pytest.approx(min(sums))


def test_believed_truths_against_loops():
    rng = np.random.default_rng(3)
    tasks = [Task("w", "r", 100, 1_000), Task("w", "r", 100, 5_000), Task("w", "r, own", 20, 200)]
    errors = [{name: rng.normal(0.01, 0.03, 5) for name in (told.DEFAULT, "other")} for _ in tasks]
    truths = [0.5, 0.4, 0.7]
    found = told.believed(list(zip(tasks, truths, errors, strict=True)), repetitions=4)
    middle, spread = [], []
    for task, truth, error in zip(tasks, truths, errors, strict=True):
        probit = [norm.ppf(truth + e) for e in error[told.DEFAULT]]
        middle.append(sum(probit) / 5)
        spread.append((told.beyond(task.k1, task.K) ** 2 + np.var(probit, ddof=1) / 5) ** 0.5)
    away = [(norm.ppf(t) - m) / s for t, m, s in zip(truths, middle, spread, strict=True)]
    factor = np.sqrt((away[0] ** 2 + away[1] ** 2) / 2)  # without features of its own
    draws = np.random.default_rng(told.SEED)
    first, second = draws.standard_normal(4), draws.standard_normal(4)
    for place, strayed in enumerate((first, first, second)):
        for repetition, z in enumerate(strayed):
            truth = norm.cdf(middle[place] + factor * spread[place] * z)
            own, other = (
                np.sqrt(np.mean([(truths[place] + e - truth) ** 2 for e in errors[place][name]]))
                for name in (told.DEFAULT, "other")
            )
            assert found[place, repetition] == pytest.approx(np.log(own / min(own, other)))
    # a curve known up to k1 strays by its slope, which is known there: more the farther it goes
    assert 0 < told.beyond(100, 200) < told.beyond(100, 1_000) < 0.075 * np.log10(1_000)


def test_a_team_s_weights_are_those_of_least_error():
    rng = np.random.default_rng(8)
    # of three methods one errs up, one as far down, and one is noise
    errors = np.broadcast_to(np.array([0.1, -0.1, 0.0])[:, np.newaxis], (30, 3, 4))
    errors = errors + rng.normal(size=(30, 3, 4)) * np.array([0.01, 0.01, 0.5])[:, np.newaxis]
    found = told.fit_weights(errors, np.array([0.6, 0.2, 0.2]))
    share = np.exp(found) / np.exp(found).sum()
    grid = [(a, b, 1 - a - b) for a in np.linspace(0.3, 0.7, 41) for b in np.linspace(0.3, 0.7, 41) if a + b <= 1]

    def error(weights):
        return np.log(np.square(np.einsum("m,tmd->td", weights, errors)).mean(axis=1)).mean() / 2

    assert error(share) < min(map(error, grid)) + 0.02
    assert share[:2] == pytest.approx([0.5, 0.5], abs=0.03)
    # a world that is left out has no say in its own weights
    worlds = np.array(["a"] * 15 + ["b"] * 15)
    names = ["Gaussian process with scores", "probit-normal", "other"]
    _, (_, _, _, apart), (_, _, _, own) = told.teams(errors, names, worlds)
    start = np.array([0.95, 0.05, told.LEAST])
    assert apart[:15] == pytest.approx(told.mixed(told.fit_weights(errors[15:], start), errors[:15]))
    assert np.log(told.root(own)).sum() <= np.log(told.root(apart)).sum()


def test_a_stored_back_test_is_what_its_seed_gives():
    cell, names = Cell("bivariate", "correlation 0.99", 200, 1), ["Gaussian process", "probit-normal"]
    stored = {
        (row["method"], int(row["classes"])): (float(row["bias"]), float(row["rmse"]))
        for row in scoring.read(scoring.HERE / "backtests.csv")
        if (row["world"], row["recogniser"], int(row["k1"]), int(row["draw"])) == cell
    }
    for row in backtests.backtest(cell, names):
        assert stored[row[4], row[5]] == pytest.approx([float(row[7]), float(row[8])], abs=2e-6)
    assert {size for _, size in stored} == {100, 50}
    assert backtests.tested(cell)
    assert not backtests.tested(Cell("glyphs", "linear SVM", 100, 0))
    assert not backtests.tested(cell._replace(draw=backtests.DRAWS))


def test_the_choice_by_back_tests_takes_the_least_error(tmp_path):
    def write(name, header, rows):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows([header.split(","), *rows])

    write("truths.csv", "world,recogniser,K,accuracy,standard_error", [["names", "r", 500, 0.5, 0]])
    predicted = {"a": (0.51, 0.52), "b": (0.53, 0.50), "c": (0.6, 0.6)}
    rows = [["names", "r", 100, d, m, 500, p[d]] for m, p in predicted.items() for d in (0, 1)]
    write("predictions.csv", cells.PREDICTIONS, rows)
    tests = {"a": (0.1, 0.3), "b": (0.2, 0.1), "c": (0.0, 0.0)}
    rows = [["names", "r", 100, d, m, size, 3, 0, e[d]] for m, e in tests.items() for d in (0, 1) for size in (50, 25)]
    write("backtests.csv", backtests.HEADER, rows)
    ratio, default, worlds = backtests.chosen(tmp_path, ("a", "b"), "c")
    # a's .51 on the first draw, b's .50 on the second
    least = np.sqrt((0.01**2 + 0.02**2) / 2)
    assert ratio == pytest.approx([np.sqrt(0.01**2 / 2) / least])
    assert default == pytest.approx([0.1 / least])
    assert worlds.tolist() == ["names"]
