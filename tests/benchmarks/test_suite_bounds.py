"""What could be known of the suite's measure: luck of few draws, and choices by back-tests."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from benchmarks.suite import backtests, cells, luck, oracles, scoring
from benchmarks.suite.cells import Cell

# other tests run the same lines of the package, and the tracer would take a quarter more time
pytestmark = pytest.mark.no_cover


def test_nobody_who_knows_the_best_method_keeps_the_worst_ratio_below_what_was_wanted():
    stored = [list(row.values()) for row in scoring.read(scoring.HERE / "luck.csv")]
    again = luck.rows(scoring.HERE)
    for row, other in zip(stored, again, strict=True):
        assert row[:4] == [str(cell) for cell in other[:4]]
        # a sum in another order may move a quantile's last digits
        assert [float(x) for x in row[4:]] == pytest.approx([float(x) for x in other[4:]], rel=1e-2)
        assert float(row[8]) > 0.99


@pytest.mark.parametrize("law", [luck.RESAMPLED, luck.NORMAL])
def test_luck_against_loops(law):
    rng = np.random.default_rng(5)
    error = rng.normal(size=(3, 6)) * np.array([1.0, 1.1, 3.0])[:, np.newaxis] + np.array([[0.2], [0.0], [1.0]])
    same, own = luck.log_ratios(error, law, 1_000, np.random.default_rng(6))
    found = []
    for _ in range(1_000):
        if law == luck.RESAMPLED:
            drawn = error[:, rng.integers(6, size=6)]
        else:
            drawn = rng.multivariate_normal(error.mean(axis=1), np.cov(error), size=6).T
        root = [np.sqrt(sum(e * e for e in row) / 6) for row in drawn]
        found.append(np.log(root[0 if same_best(error, law) == 0 else 1] / min(root)))
    # 4 standard errors of the difference of two means
    allowed = 4 * np.sqrt(np.var(found) / len(found) + same.var() / same.size)
    assert abs(np.mean(found) - same.mean()) < allowed
    assert same.min() == 0
    # on draws of its own the best may be ahead of the least, and is as far ahead on average
    assert own.min() < 0
    assert abs(own.mean() - same.mean()) < 4 * np.sqrt((own.var() + same.var()) / same.size)


def same_best(error, law):
    """Place of the least mean square in the long run."""
    variance = np.array([np.var(row) * (1 if law == luck.RESAMPLED else 6 / 5) for row in error])
    return int(np.argmin(error.mean(axis=1) ** 2 + variance))


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


def test_the_choice_by_back_tests_takes_the_least_error(tmp_path):
    def write(name, header, rows):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows([header.split(","), *rows])

    write("truths.csv", "world,recogniser,K,accuracy,standard_error", [["names", "r", 500, 0.5, 0]])
    predicted = {"a": (0.51, 0.52), "b": (0.53, 0.50), "c": (0.6, 0.6)}
    rows = [["names", "r", 100, d, m, 500, p[d], 1] for m, p in predicted.items() for d in (0, 1)]
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


def test_choices_among_the_laws_of_ranks_do_not_reach_what_was_wanted():
    found = {(row["rule"], row["told"]): float(row["ratio"]) for row in scoring.read(scoring.HERE / "oracles.csv")}
    for rule in oracles.FEW:
        assert 1.1 < found[rule, oracles.AFTERWARDS] < found[rule, oracles.AGAIN]
