"""Extrapolate the accuracy of eight classifiers of glyphs, retrained on random nested subsets of the classes.

``python -m benchmarks.telugu`` draws 20 random orders of the classes. For each, every classifier is trained on the
first 20, 100 and 400 classes; every method extrapolates from the scores with 20 and with 100 classes. The truth
is the mean, over the orders, of the accuracy of the classifier trained on the larger set. Predictions accumulate
in ``predictions.csv`` (a run stops after ``--minutes`` and goes on where it stopped), ``results.csv`` is made
from them.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.misfits import misfits_expected
from classex import Extrapolator
from classex.datasets import CLASSIFIERS, glyph_scores, load_telugu

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.telugu"
SIZES = (20, 100, 400)
STEPS = ((20, 100), (20, 400), (100, 400))
ORDERS = 20
OBSERVED = "observed"
METHODS: dict[str, Callable[[], Extrapolator]] = {
    "ClassExReg": lambda: cx.Extrapolator(cx.methods.Regression(published="journal")),
    "KDE-BCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")),
    "KDE-UCV": lambda: cx.Extrapolator(cx.methods.KernelDensity(bandwidth="ucv")),
    "regression": lambda: cx.Extrapolator(cx.methods.Regression()),
    "exponential": lambda: cx.Extrapolator(cx.methods.sources.Exponential()),
    "probit-normal": lambda: cx.Extrapolator(cx.methods.ProbitNormal()),
    "mixture": lambda: cx.Extrapolator(cx.methods.Mixture()),
    "default": lambda: cx.Extrapolator(),
}
PUBLISHED = ("ClassExReg", "KDE-BCV", "KDE-UCV")
HEADER = "classifier,order,method,k1,k2,accuracy,seconds"


@misfits_expected()
def one(classifier: str, order: int) -> list[list[str]]:
    """Accuracy of one classifier at every size, in one order of the classes, and all predictions."""
    glyphs = load_telugu()
    classes = np.random.default_rng([20181001, order]).permutation(glyphs.n_classes)
    rows = []
    for k in SIZES:
        scores, labels = glyph_scores(classifier, glyphs, classes[:k])
        found = float(cx.accuracy_curve(cx.correct_ranks(scores, labels), k).accuracy[0])
        rows.append([classifier, str(order), OBSERVED, str(k), str(k), f"{found:.6f}", ""])
        targets = [k2 for k1, k2 in STEPS if k1 == k]
        if not targets:
            continue
        for name, make in METHODS.items():
            start = time.perf_counter()
            predicted = make().fit(scores, labels).predict(targets)
            seconds = f"{time.perf_counter() - start:.2f}"
            rows += [
                [classifier, str(order), name, str(k), str(k2), f"{p:.6f}", seconds]
                for k2, p in zip(targets, predicted, strict=True)
            ]
    return rows


def read(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def run(path: Path, deadline: float, jobs: int) -> bool:
    """Run what is missing until the deadline; True when nothing is left."""
    if not path.exists():
        path.write_text(f"# {COMMAND}\n{HEADER}\n")
    done = {(row["classifier"], int(row["order"])) for row in read(path)}
    missing = [(name, order) for order, name in product(range(ORDERS), CLASSIFIERS) if (name, order) not in done]

    def until_deadline() -> Iterator[Any]:
        yield from (delayed(one)(*job) for job in takewhile(lambda _: time.monotonic() < deadline, iter(missing)))

    finished = 0
    for rows in Parallel(jobs, return_as="generator", pre_dispatch=jobs)(until_deadline()):
        finished += 1
        with path.open("a", newline="") as file:
            csv.writer(file).writerows(rows)
    return finished == len(missing)


def summarise(path: Path) -> None:
    """Write mean prediction, bias and root mean squared error of every method, with standard errors."""
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in read(path):
        found[row["classifier"], row["method"], row["k1"], row["k2"]].append(float(row["accuracy"]))
    header = "classifier,marginal,k1,k2,truth,method,orders,prediction,bias,standard_error,rmse,rmse_standard_error"
    with (HERE / "results.csv").open("w", newline="") as file:
        file.write(f"# {COMMAND}\n{header}\n")
        writer = csv.writer(file)
        for (classifier, method, k1, k2), values in found.items():
            if method == OBSERVED:
                continue
            truth = np.array(found[classifier, OBSERVED, k2, k2])
            # the mean of predictions minus truths, order by order, knows how far the mean truth can be off
            paired = np.array(values) - truth[: len(values)]
            error = np.array(values) - truth.mean()
            rmse = float(np.sqrt(np.square(error).mean()))
            rmse_se = float(np.square(error).std(ddof=1) / np.sqrt(error.size) / (2 * rmse))
            numbers = [truth.mean(), np.mean(values), error.mean(), paired.std(ddof=1) / np.sqrt(error.size), rmse]
            shown = [f"{number:.5f}" for number in (*numbers, rmse_se)]
            writer.writerow(
                [classifier, int(CLASSIFIERS[classifier].marginal), k1, k2, shown[0], method, error.size, *shown[1:]]
            )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so many minutes")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    path = HERE / "predictions.csv"
    complete = run(path, time.monotonic() + 60 * options.minutes, options.jobs)
    summarise(path)
    return 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
