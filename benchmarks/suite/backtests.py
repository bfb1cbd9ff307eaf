"""Could the data themselves say which method to trust? Back-tests: fit on some of the classes, look at all of them.

Every draw is cut down to a half and to a quarter of its classes, a few times each; five methods predict the accuracy
with all of the draw's classes from these, and their errors are stored. The rule is then to take, for the real task, the
method whose back-tests erred least. Classifiers that take minutes to train are left out, and so are steps from less
than 100 classes or more than 500, and all but the first draws.
"""

from __future__ import annotations

import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.suite import scoring
from benchmarks.suite.cells import Cell, world_of
from benchmarks.suite.methods import CLEANEX, METHODS, SCORED
from classex.laws.subsets import ranks_of_classes

HEADER = "world,recogniser,k1,draw,method,classes,splits,bias,rmse"
OF_RANKS = ("Gaussian process", "probit-normal", "mixture of ranks", "empirical Bayes")
MEMBERS = (*OF_RANKS, "mixture")
SPLITS, PARTS = 3, (2, 4)
OBSERVED, DRAWS = (100, 500), 8
SLOW = ("logistic regression", "linear SVM", "neural network")
FloatArray = NDArray[np.float64]


def tested(cell: Cell) -> bool:
    """Whether a draw is among those that are back-tested."""
    least, most = OBSERVED
    return cell.draw < DRAWS and least <= cell.k1 <= most and not (cell.world == "glyphs" and cell.recogniser in SLOW)


def backtest(cell: Cell, methods: list[str]) -> list[list[Any]]:
    """Let every wanted method predict, from parts of one draw's classes, the accuracy with all of them."""
    scores, labels = world_of(cell.world).draw(cell.recogniser, cell.k1, cell.draw)
    ranks = cx.correct_ranks(scores, labels)
    observed = cx.accuracy_curve(ranks, [cell.k1]).accuracy[0]
    rng = np.random.default_rng([zlib.crc32("|".join(map(str, cell)).encode())])
    rows = []
    for size in (cell.k1 // part for part in PARTS):
        error = defaultdict(list)
        for _ in range(SPLITS):
            classes = np.sort(rng.permutation(cell.k1)[:size])
            few, block = ranks_of_classes(ranks, scores, classes, rng)
            for name in methods:
                error[name].append(_predicted(METHODS[name], name, few, block, cell.k1) - observed)
        for name, values in error.items():
            bias, square = np.mean(values), np.mean(np.square(values))
            rows.append([*cell, name, size, SPLITS, f"{bias:.6f}", f"{np.sqrt(square):.6f}"])
    return rows


def _predicted(make: Callable[[], Any], name: str, ranks: cx.CorrectRanks, scores: Any, size: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = make()
        fitted = method.fit(scores, ranks.labels) if name in SCORED else method.fit_ranks(ranks)
        return float(fitted.predict([size])[0])


def read_errors(folder: Path) -> Mapping[Cell, Mapping[str, float]]:
    """Mean square of every method's back-tests, by draw; half the classes and a quarter count alike."""
    out: dict[Cell, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in scoring.read(folder / "backtests.csv"):
        cell = Cell(row["world"], row["recogniser"], int(row["k1"]), int(row["draw"]))
        out[cell][row["method"]] += float(row["rmse"]) ** 2
    return out


def chosen(folder: Path, among: tuple[str, ...], default: str) -> tuple[FloatArray, FloatArray, NDArray[np.str_]]:
    """Ratios of the choice and of the default by task, to the best on the draws that were back-tested; the worlds."""
    square = read_errors(folder)
    ratios, worlds = [], []
    for task, at, found in scoring.read_tasks(folder):
        draws = sorted(cell.draw for cell in square if cell[:3] == task[:3])
        if not draws:
            continue
        whole = {n: by for n, by in found.items() if n != CLEANEX and all(d in by for d in draws)}
        error = {name: np.array([by[d] for d in draws]) - at for name, by in whole.items()}
        picked = []
        for place, draw in enumerate(draws):
            tests = square[Cell(*task[:3], draw)]
            picked.append(error[min((n for n in among if n in error), key=tests.__getitem__)][place])
        root = {name: scoring.rmse(values)[0] for name, values in error.items()}
        least = max(np.nanmin(list(root.values())), 1e-6)
        ratios.append([scoring.rmse(np.array(picked))[0] / least, root[default] / least])
        worlds.append(task.world)
    pair = np.array(ratios).reshape(-1, 2)
    return pair[:, 0], pair[:, 1], np.array(worlds)
