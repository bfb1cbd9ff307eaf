"""Attempts of randomised solvers: ``python -m benchmarks.attempts.corpus`` writes the counts.

Thirteen families of problems, each with 120 instances of very different difficulty and three budgets for an attempt. An
instance gets 100,000 attempts, and what is stored is how many of them succeed within each budget. Instances are drawn
once from fixed seeds and none is left out, so some of them can never be solved.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks import study
from benchmarks.attempts import harder, language, solvers

TARGET = study.STORED / "attempts" / "counts.csv"
COMMAND = "python -m benchmarks.attempts.corpus"
HEADER = "family,instance,short,middle,long"
N_INSTANCES, N_ATTEMPTS = 120, 100_000
# Attempts of the search for the shortest tour and the largest clique, which define success
N_SEARCH = 50_000
Counts = Any


def sat(rng: np.random.Generator, seed: int) -> Counts:
    """Random formulas of 10 to 45 variables, and 3.4 to 4.4 clauses for each: some have no solution."""
    n = int(rng.integers(10, 46))
    chosen = np.stack([rng.choice(n, 3, replace=False) for _ in range(round(n * rng.uniform(3.4, 4.4)))]) + 1
    signs = rng.choice([-1, 1], chosen.shape)
    return solvers.sat(chosen * signs, n, np.array([8.0, 25.0, 80.0]), N_ATTEMPTS, seed)


def colouring(rng: np.random.Generator, seed: int) -> Counts:
    """Graphs of 8 to 40 vertices with a hidden colouring in three colours, and 3 to 6 edges a vertex."""
    n = int(rng.integers(8, 41))
    colour = rng.integers(0, 3, n)
    pairs = np.array([(a, b) for a in range(n) for b in range(a) if colour[a] != colour[b]])
    edges = pairs[rng.permutation(len(pairs))[: round(n * rng.uniform(1.5, 3.0))]]
    return solvers.colouring(edges, n, np.array([5.0, 20.0, 80.0]), N_ATTEMPTS, seed)


def tours(rng: np.random.Generator, seed: int) -> Counts:
    """Points in a square, 10 to 38 of them: within 0, .5 and 2 per cent of the shortest tour found."""
    points = rng.random((int(rng.integers(10, 39)), 2))
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    best = solvers.shortest(distance, N_SEARCH, seed + 1)
    return solvers.tours(distance, best * (1 + np.array([1e-9, 0.005, 0.02])), N_ATTEMPTS, seed)


def queens(rng: np.random.Generator, seed: int) -> Counts:
    """Boards of 6 to 16 rows, with up to two thirds of the queens of one solution fixed."""
    n = int(rng.integers(6, 17))
    rows, column = rng.permutation(n), np.full(n, -1)
    while (column < 0).any():  # a solution by randomised depth-first search
        column[:] = -1
        for row in range(n):
            free = [c for c in range(n) if all(c != column[r] and abs(c - column[r]) != row - r for r in range(row))]
            if not free:
                break
            column[row] = rng.choice(free)
    column[rows[: round(n * rng.uniform(1 / 3, 1))]] = -1
    return solvers.queens(column, np.array([4.0, 15.0, 60.0]), N_ATTEMPTS, seed)


def puzzle(rng: np.random.Generator, seed: int) -> Counts:
    """Eight-puzzles, 2 to 40 random moves from order."""
    board, hole, last = np.arange(9), 0, -1
    for _ in range(round(np.exp(rng.uniform(np.log(2), np.log(40))))):
        ways = [hole + d for d, ok in ((3, hole < 6), (-3, hole > 2), (1, hole % 3 < 2), (-1, hole % 3 > 0)) if ok]
        new = int(rng.choice([way for way in ways if way != last]))
        board[hole], board[new], last, hole = board[new], 0, hole, new
    return solvers.puzzle(board, np.array([12.0, 60.0, 300.0]), N_ATTEMPTS, seed)


def cliques(rng: np.random.Generator, seed: int) -> Counts:
    """Random graphs of 20 to 200 vertices: two, one and none below the largest clique found."""
    n = int(rng.integers(20, 201))
    near = np.triu(rng.random((n, n)) < rng.uniform(0.3, 0.7), 1)
    near = near | near.T
    sizes = np.arange(1.0, n + 1)[::-1]
    found = solvers.cliques(near, -sizes, N_SEARCH, seed + 1)
    largest = sizes[np.flatnonzero(found)[0]]
    return solvers.cliques(near, -largest + np.arange(3.0), N_ATTEMPTS, seed)


def fuzz(rng: np.random.Generator, seed: int) -> Counts:
    """Seven small programs with a fault, each with random constants."""
    program = int(rng.integers(7))
    size = int(rng.integers(3, 17))
    depth = int({0: rng.integers(3, 9), 1: rng.integers(4, 17), 2: 0, 3: rng.integers(2, 6), 4: rng.integers(2, 7)}.get(
        program, rng.integers(2, 9)))  # fmt: skip
    n_states = int(rng.integers(3, 9))
    moves = np.where(rng.random((n_states, size)) < 0.5, 0, rng.integers(0, n_states - 1, (n_states, size)))
    forward = np.arange(1, n_states + 1) % n_states
    moves[np.arange(n_states), rng.integers(0, size, n_states)] = forward
    return solvers.fuzz(program, size, depth, moves, np.array([8.0, 24.0, 72.0]), N_ATTEMPTS, seed)


# Configurations drawn for each pair of data and classifier
N_CONFIGURATIONS = 1500


def _classifier(kind: int, rng: np.random.Generator) -> tuple[Any, int]:
    """A classifier with random hyperparameters, and a seed for the split."""
    from sklearn import ensemble, linear_model, neighbors, svm, tree

    near, depth, power = rng.integers(1, 40), rng.integers(1, 12), 10 ** rng.uniform(-4, 3)
    seed = int(rng.integers(2**31))
    if kind == 0:
        return neighbors.KNeighborsClassifier(near, p=1 + power % 2), seed
    if kind == 1:
        return tree.DecisionTreeClassifier(max_depth=depth, min_samples_leaf=near, random_state=seed), seed
    if kind == 2:
        return svm.SVC(C=power, gamma=10 ** rng.uniform(-5, 1)), seed
    if kind == 3:
        return linear_model.SGDClassifier(alpha=power, max_iter=10, tol=None, random_state=seed), seed
    forest = ensemble.ExtraTreesClassifier(int(depth), max_features=None, min_samples_leaf=near, random_state=seed)
    return forest, seed


@lru_cache
def _accuracies(data: int, kind: int) -> Any:
    """Test accuracies of random hyperparameters on random halves of a data set of scikit-learn."""
    from sklearn import datasets, model_selection

    loaders = (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits)
    x, y = loaders[data](return_X_y=True)
    rng = np.random.default_rng([77, data, kind])
    if len(x) > 400:
        few = rng.permutation(len(x))[:400]
        x, y = x[few], y[few]
    found = np.empty(N_CONFIGURATIONS)
    for i in range(N_CONFIGURATIONS):
        model, seed = _classifier(kind, rng)
        split = model_selection.train_test_split(x, y, test_size=0.5, random_state=seed)
        found[i] = model.fit(split[0], split[2]).score(split[1], split[3])
    return found


def tuning(rng: np.random.Generator, seed: int) -> Counts:
    """Random hyperparameters that reach a target accuracy: attempts are drawn from 1,500 fits of each classifier."""
    found = _accuracies(int(rng.integers(4)), int(rng.integers(5)))
    target = np.quantile(found, 1 - np.exp(rng.uniform(np.log(1 / N_CONFIGURATIONS), np.log(0.3))))
    easier = target - np.array([0.0, 0.005, 0.02])
    share = (found[:, None] >= easier - 1e-9).mean(axis=0)
    below = np.random.default_rng(seed).random((N_ATTEMPTS, 1)) < share
    return below.sum(axis=0)


def parity(rng: np.random.Generator, seed: int) -> Counts:
    """Equations modulo 2 in 5 to 30 variables, .6 to 1.1 for each, with random right sides: many have no solution."""
    n = int(rng.integers(5, 31))
    m = round(n * rng.uniform(0.6, 1.1))
    equations = np.stack([rng.choice(n, 3, replace=False) for _ in range(m)])
    return harder.parity(equations, rng.integers(0, 2, m), n, np.array([10.0, 40.0, 160.0]), N_ATTEMPTS, seed)


def latin(rng: np.random.Generator, seed: int) -> Counts:
    """Latin squares of 4 to 8 rows in which cells were filled at random, each unlike its row and column."""
    n = int(rng.integers(4, 9))
    filled, share = np.full((n, n), -1), rng.uniform(0.1, 0.6)
    for cell in rng.permutation(n * n)[: round(share * n * n)]:
        i, j = divmod(int(cell), n)
        free = np.setdiff1d(np.arange(n), [*filled[i], *filled[:, j]])
        if free.size:
            filled[i, j] = rng.choice(free)
    return harder.latin(filled, np.array([0.0, 5.0, 40.0]), N_ATTEMPTS, seed)


def partition(rng: np.random.Generator, seed: int) -> Counts:
    """Sets of 8 to 24 numbers of 3 to 24 bits, to be split into two with equal sums up to 1, 30 or 1,000."""
    size, most = int(rng.integers(8, 25)), int(2 ** rng.uniform(3, 24))
    return harder.partition(rng.integers(1, most + 1, size), np.array([1.0, 30.0, 1000.0]), N_ATTEMPTS, seed)


def maze(rng: np.random.Generator, seed: int) -> Counts:
    """Grids of 5 to 20 cells a side with 15 to 45 per cent walls: some goals cannot be reached."""
    side = int(rng.integers(5, 21))
    start, goal = (int(one) for one in rng.choice(side**2, 2, replace=False))
    wall = rng.random(side**2) < rng.uniform(0.15, 0.45)
    wall[[start, goal]] = False
    return harder.maze(wall.reshape(side, side), start, goal, np.array([30.0, 120.0, 480.0]), N_ATTEMPTS, seed)


def programs(rng: np.random.Generator, seed: int) -> Counts:
    """Outputs of a random program of up to 9 symbols at five inputs; attempts know eight of the ten symbols."""
    program, most = np.empty(40, np.int64), int(rng.integers(1, 10))
    inputs = np.array([0, 1, 3, 10, 100])
    outputs = harder.target(program, most, inputs, seed + 1)
    return harder.programs(inputs, outputs, np.array([3.0, 7.0, 15.0]), N_ATTEMPTS, seed)


FAMILIES: dict[str, Callable[[np.random.Generator, int], Counts]] = {
    one.__name__: one
    for one in (sat, colouring, tours, queens, puzzle, cliques, fuzz, tuning, parity, latin, partition, maze, programs)
}


def instance(family: str, number: int) -> list[int]:
    """Successes of one instance within the three budgets."""
    order = list(FAMILIES).index(family)
    with warnings.catch_warnings(action="ignore"):
        found = FAMILIES[family](np.random.default_rng([order, number]), 1000 * order + 2 * number)
    return [int(one) for one in found]


@lru_cache
def counts(family: str) -> Any:
    """Stored successes of a family of solvers or of language models, one row an instance, one column a budget."""
    stored = [*study.read(TARGET), *study.read(language.TARGET)]
    rows = [row for row in stored if row["family"] == family]
    return np.array([[int(row[name]) for name in HEADER.split(",")[2:]] for row in rows])


def main(names: list[str]) -> int:
    """Make the attempts of some families, or of all, and write the table."""
    for name in names or FAMILIES:
        begin = time.process_time()
        rows = [[name, i, *instance(name, i)] for i in range(N_INSTANCES)]
        study.write(TARGET, COMMAND, HEADER, rows, 2)
        print(f"{name}: {time.process_time() - begin:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
