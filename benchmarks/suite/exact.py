"""Models whose curve is known exactly: ``python -m benchmarks.suite.exact`` writes ``exact.csv``.

They check that methods are right where their assumptions hold, and show what the default makes of curves that no real
recogniser had. They do not vote: nothing is chosen by them.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import classex as cx
from benchmarks.suite.methods import DEFAULT, METHODS
from benchmarks.suite.scoring import LEVEL, write
from classex.models import BivariateNormal, GaussianClasses, VonMisesFisherClasses

TARGET = Path(__file__).parent / "exact.csv"
COMMAND = "python -m benchmarks.suite.exact"
HEADER = "model,k1,K,method,draws,truth,bias,rmse,ratio,coverage"
DRAWS, SEED = 20, 20261121
# model, test points a class, observed classes, and the numbers to predict
CELLS: dict[str, tuple[Any, int, dict[int, tuple[int, ...]]]] = {
    **{
        f"Gaussian, noise {noise:g}": (GaussianClasses(10, noise), 1, {500: (2_000, 10_000), 2_000: (10_000, 40_000)})
        for noise in (0.05, 0.1, 0.2, 0.35)
    },
    **{
        f"bivariate normal, correlation {rho:g}": (BivariateNormal(rho), 5, {20: (200,), 200: (2_000,)})
        for rho in (0.9, 0.99, 0.999)
    },
    **{
        f"faces, accuracy {accuracy:g}": (
            VonMisesFisherClasses.calibrated(accuracy, 1_672),
            1,
            {100: (1_672,), 400: (1_672, 16_720)},
        )
        for accuracy in (0.43, 0.9)
    },
}


def cell(name: str, k1: int) -> list[list[object]]:
    """Every method on every draw of one model; one row a method and number of classes."""
    model, each, steps = CELLS[name]
    sizes = steps[k1]
    truth = np.asarray(model.average_accuracy(sizes))
    found: dict[str, list[Any]] = {}
    covered = []
    for draw in range(DRAWS):
        sample = model.sample(k1, n_repeats=each, rng=[SEED, list(CELLS).index(name), k1, draw])
        ranks = cx.correct_ranks(sample.scores, sample.labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for method in (*METHODS, DEFAULT):
                made = cx.Extrapolator() if method == DEFAULT else METHODS[method]()
                try:
                    predicted = made.fit_ranks(ranks).predict(sizes)
                except cx.exceptions.SolverError:
                    predicted = np.full(len(sizes), 0.5)
                found.setdefault(method, []).append(predicted)
            low, high = made.predict_interval(sizes, confidence_level=LEVEL).T
            covered.append((low <= truth) & (truth <= high))
    error = {method: np.array(values) - truth for method, values in found.items()}
    rmse = {method: np.sqrt(np.mean(np.square(e), axis=0)) for method, e in error.items()}
    best = np.min([value for method, value in rmse.items() if method != DEFAULT], axis=0)
    rows: list[list[object]] = []
    for i, size in enumerate(sizes):
        for method, e in error.items():
            share = float(np.mean(covered, axis=0)[i]) if method == DEFAULT else float("nan")
            numbers = [float(truth[i]), float(e[:, i].mean()), float(rmse[method][i])]
            rows.append([name, k1, size, method, DRAWS, *numbers, float(rmse[method][i] / best[i]), share])
    return rows


def main() -> int:
    """Run every cell and write the table."""
    rows = []
    for name, (_, _, steps) in CELLS.items():
        for k1 in steps:
            rows += cell(name, k1)
        print(name, flush=True)
    write(TARGET, HEADER, rows, COMMAND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
