"""Coverage of the intervals for the prediction advantage.

Run ``python -m benchmarks.coverage_advantage`` (about six minutes on two free cores); it writes ``coverage.csv``
beside this file.
"""

from __future__ import annotations

import argparse
import csv
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from benchmarks.coverage_advantage.populations import Population, populations
from classex.advantage import prediction_advantage_interval

HEADER = [
    "loss", "population", "n", "method", "runs", "advantage",
    "coverage", "standard_error", "too_low", "too_high", "median_width",
]  # fmt: skip


def study(loss: str, population: Population, n: int, method: str, runs: int, seed: int) -> list[object]:
    """One line of the table: coverage of the true advantage over independent samples of n rows."""
    rng = np.random.default_rng(seed)
    ends = np.empty((runs, 2))
    for run in range(runs):
        y, f = population.draw(n, rng)
        interval = prediction_advantage_interval(y, f, **population.options, method=method, n_resamples=499, rng=rng)
        ends[run] = interval.low, interval.high
    truth = population.advantage
    # rounding must not decide about a limit that equals a truth at the boundary
    below, above = (ends[:, 1] < truth - 1e-12).mean(), (ends[:, 0] > truth + 1e-12).mean()
    covered = 1 - below - above
    error = np.sqrt(covered * (1 - covered) / runs)
    width = float(np.median(ends[:, 1] - ends[:, 0]))
    numbers = (f"{value:.4f}" for value in (truth, covered, error, below, above, width))
    return [loss, population.name, n, method, runs, *numbers]


def main() -> None:
    """Run every cell and write the table, a line as soon as its cell is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage_advantage", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="samples per cell (default 2000)")
    parser.add_argument("--bootstrap-runs", type=int, default=400, help="the same for the bootstrap (default 400)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("coverage.csv"))
    arguments = parser.parse_args()
    cells = [
        (place, index, n, method, arguments.runs if method == "delta" else arguments.bootstrap_runs)
        for place, (method, n, index) in enumerate(
            product(("delta", "bootstrap"), (200, 2000), range(len(populations())))
        )
    ]
    rows = Parallel(n_jobs=arguments.jobs, return_as="generator")(delayed(_cell)(*cell) for cell in cells)
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        file.write(
            f"# python -m benchmarks.coverage_advantage --runs {arguments.runs}"
            f" --bootstrap-runs {arguments.bootstrap_runs}\n"
        )
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for row in rows:
            writer.writerow(row)
            file.flush()


def _cell(place: int, index: int, n: int, method: str, runs: int) -> list[object]:
    loss, population = populations()[index]
    return study(loss, population, n, method, runs, seed=20_170_000 + place)


if __name__ == "__main__":
    main()
