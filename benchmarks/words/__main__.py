"""Extrapolate the identification of word senses from random subsets of the classes to all 32,923.

``python -m benchmarks.words`` embeds the words once with each system and ranks all of them: that is the truth, in
``curves.csv``. Then it draws 50 subsets of 100, 500 and 2,000 classes; every method sees the scores of the subset and
predicts the accuracy with many more. Predictions accumulate in ``predictions.csv`` (a run stops after ``--minutes``
and goes on where it stopped), ``results.csv`` is made from them.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

import classex as cx
from benchmarks.misfits import misfits_expected
from benchmarks.table1.methods import METHODS as EVERY_METHOD
from classex import Extrapolator
from classex.datasets import WORD_SYSTEMS, Words, embed_words, load_words

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.words"
SIZES = (100, 500, 2_000)
TARGETS = (5_000, 10_000, 32_923)
SUBSETS = 50
# the methods that solve a problem for every bandwidth come second
SLOWER = ("regression", "regression, linear spline")
METHODS: dict[str, Callable[[], Extrapolator]] = {
    name: make for name, make in EVERY_METHOD.items() if name != "regression, generalised"
}
CURVE_HEADER = "system,k,accuracy,standard_error,tied"
HEADER = "system,k1,subset,method," + ",".join(f"k2_{k2}" for k2 in TARGETS) + ",seconds"
RESULT_HEADER = (
    "system,k1,k2,truth,method,subsets,failed,prediction,bias,standard_error,rmse,rmse_standard_error,seconds"
)
Key = tuple[str, int, int, str]


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a stored table."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def append(path: Path, header: str, rows: Iterable[list[Any]]) -> None:
    """Add rows to a table; a new one starts with the command that makes it."""
    if not path.exists():
        path.write_text(f"# {COMMAND}\n{header}\n")
    with path.open("a", newline="") as file:
        csv.writer(file).writerows(rows)


def true_curve(system: str, test: Any, references: Any) -> list[list[Any]]:
    """Accuracy at about 80 numbers of classes, from the ranks among all; and the share of points with a tie."""
    total = test.shape[0]
    ranks = cx.correct_ranks_from_embeddings(test, references, np.arange(total), metric="inner_product")
    # five to a doubling, and those that are asked for
    sizes = np.rint(2 ** np.arange(1, np.log2(total), 1 / 5)).astype(int)
    asked = [k for k in (10, 1_000, *SIZES, *TARGETS) if k < total]
    curve = cx.accuracy_curve(ranks, np.unique([*sizes, *asked, total]))
    tied = (ranks.ties > 0).mean()
    entries = zip(curve.n_classes, curve.accuracy, curve.standard_error, strict=True)
    return [[system, int(k), f"{a:.6f}", f"{se:.6f}", f"{tied:.6f}"] for k, a, se in entries]


def subset_scores(test: Any, references: Any, size: int, subset: int) -> NDArray[np.float64]:
    """Scores of the test points of a random subset of the classes for those classes: (size, size)."""
    rng = np.random.default_rng([20181101, size, subset])
    classes = rng.choice(test.shape[0], size, replace=False)
    product_ = test[classes].astype(np.float64) @ references[classes].astype(np.float64).T
    return np.asarray(product_.toarray() if hasattr(product_, "toarray") else product_)


@misfits_expected()
def predict(system: str, size: int, subset: int, names: list[str], scores: NDArray[np.float64]) -> list[list[Any]]:
    """Let every wanted method predict from one subset; one row a method."""
    labels = np.arange(size)
    rows = []
    for name in names:
        start = time.perf_counter()
        try:
            predicted = METHODS[name]().fit(scores, labels).predict(TARGETS)
        except cx.exceptions.SolverError:
            # counted as a failure, and not hidden
            predicted = np.full(len(TARGETS), np.nan)
        seconds = time.perf_counter() - start
        rows.append([system, size, subset, name, *(f"{p:.6f}" for p in predicted), f"{seconds:.2f}"])
    return rows


def wanted(system: str) -> Iterator[tuple[int, int, list[str]]]:
    """Jobs of one system: size, subset and methods; the sizes take turns, and the quick methods come first."""
    rows = read(HERE / "predictions.csv")
    done: set[Key] = {(row["system"], int(row["k1"]), int(row["subset"]), row["method"]) for row in rows}
    quick = [name for name in METHODS if name not in SLOWER]
    slower = [name for name in SLOWER if name in METHODS]
    plan = [(size, subset, names) for names in (quick, slower) for subset, size in product(range(SUBSETS), SIZES)]
    for size, subset, names in plan:
        if open_ := [name for name in names if (system, size, subset, name) not in done]:
            yield size, subset, open_


def run(words: Words, system: str, deadline: float, jobs: int) -> bool:
    """Run what one system misses until the deadline; True when nothing is left."""
    curves, predictions = HERE / "curves.csv", HERE / "predictions.csv"
    has_curve = any(row["system"] == system for row in read(curves))
    missing = list(wanted(system))
    if has_curve and not missing:
        return True
    test, references = embed_words(words, system=system)
    if not has_curve:
        append(curves, CURVE_HEADER, true_curve(system, test, references))

    def until_deadline() -> Iterator[Any]:
        for size, subset, names in takewhile(lambda _: time.monotonic() < deadline, missing):
            yield delayed(predict)(system, size, subset, names, subset_scores(test, references, size, subset))

    for rows in Parallel(jobs, return_as="generator", pre_dispatch=jobs)(until_deadline()):
        append(predictions, HEADER, rows)
    return not list(wanted(system))


def summarise(predictions: list[dict[str, str]], truth: Mapping[tuple[str, int], float]) -> list[list[Any]]:
    """Mean prediction, bias and root mean squared error of every method, with standard errors over subsets."""
    found: dict[tuple[str, int, str], list[dict[str, str]]] = defaultdict(list)
    for row in predictions:
        found[row["system"], int(row["k1"]), row["method"]].append(row)
    order = {name: place for place, name in enumerate(METHODS)}
    out = []
    for (system, k1, method), rows in sorted(found.items(), key=lambda item: (*item[0][:2], order[item[0][2]])):
        seconds = np.median([float(row["seconds"]) for row in rows])
        for k2 in TARGETS:
            values = np.array([float(row[f"k2_{k2}"]) for row in rows])
            failed = int(np.isnan(values).sum())
            values = values[~np.isnan(values)]
            error = values - truth[system, k2]
            root_n = np.sqrt(error.size)
            rmse = np.sqrt(np.square(error).mean())
            # one subset alone says nothing of the spread
            spread = [part.std(ddof=1) / root_n if root_n > 1 else np.nan for part in (error, np.square(error))]
            numbers = (values.mean(), error.mean(), spread[0], rmse, spread[1] / (2 * rmse))
            shown = [f"{number:.5f}" for number in (truth[system, k2], *numbers)]
            out.append([system, k1, k2, shown[0], method, error.size, failed, *shown[1:], f"{seconds:.2f}"])
    return out


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so many minutes")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    deadline = time.monotonic() + 60 * options.minutes
    words = load_words()
    # both systems get their share of a short run
    half = (time.monotonic() + deadline) / 2
    complete = True
    for system, end in zip(WORD_SYSTEMS, (half, deadline), strict=True):
        complete &= run(words, system, end, options.jobs)
    truth = {(row["system"], int(row["k"])): float(row["accuracy"]) for row in read(HERE / "curves.csv")}
    results = HERE / "results.csv"
    results.unlink(missing_ok=True)
    append(results, RESULT_HEADER, summarise(read(HERE / "predictions.csv"), truth))
    return 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
