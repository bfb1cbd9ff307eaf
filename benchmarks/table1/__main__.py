"""Run the simulation of Table 1 and write predictions and root mean squared errors.

``python -m benchmarks.table1`` (10 noise levels) or ``python -m benchmarks.table1 --preset paper`` (the paper's 50
noise levels x 10 replicates, its three methods). A run stops after ``--minutes`` and goes on where it stopped
when called again; predictions accumulate in ``predictions_*.csv``, ``results_*.csv`` is made from them.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.misfits import misfits_expected
from benchmarks.table1.methods import (
    FEATURES,
    MAIN,
    MANY,
    METHODS,
    ORACLE,
    PAPER,
    RANKS_ONLY,
    oracle,
)
from classex.models import GaussianClasses

HERE = Path(__file__).parent
TARGETS = {500: (1000, 2000, 5000, 10_000), 5000: (10_000, 20_000, 50_000, 100_000)}
LEVELS = {
    "default": tuple(round(0.05 * i, 2) for i in range(1, 11)),
    "paper": tuple(round(0.01 * i, 2) for i in range(1, 51)),
}
# At 5,000 classes the largest errors of the first two replicates all lie among these levels; the others have no more.
HARD = (0.03, 0.20)
COMMAND = "python -m benchmarks.table1"


def predictions_file(preset: str, k1: int) -> Path:
    return HERE / f"predictions_{preset}_{k1}.csv"


def methods_of(preset: str) -> list[str]:
    if preset == "paper":
        return list(PAPER)
    return [*METHODS, ORACLE]


def usual_replicates(preset: str, k1: int, name: str, noise: float) -> int:
    """Replicates that are stored for a noise level."""
    if preset == "paper":
        return 30 if k1 == 500 or HARD[0] <= noise <= HARD[1] else 2
    if k1 == 500:
        return 100 if name in MANY else 20
    if name in MANY:
        return 30
    return 10 if name in MAIN else 3


def seed_of(noise: float, replicate: int, k1: int) -> list[int]:
    return [20180901, k1, round(noise * 1000), replicate]


def read_done(path: Path) -> set[tuple[float, int, str]]:
    if not path.exists():
        return set()
    with path.open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(float(row["noise"]), int(row["replicate"]), row["method"]) for row in rows}


def run_one(noise: float, replicate: int, k1: int, wanted: list[str]) -> list[list[str]]:
    """Draw one experiment and let every wanted method predict; one row a method."""
    sample = GaussianClasses(FEATURES, noise).sample(k1, rng=np.random.default_rng(seed_of(noise, replicate, k1)))
    ranks = cx.correct_ranks(sample.scores, sample.labels)
    rows = []
    for name in wanted:
        start = time.perf_counter()
        if name == ORACLE:
            predicted = oracle(ranks, TARGETS[k1])
        else:
            estimator = METHODS[name]()
            with misfits_expected():
                if name in RANKS_ONLY:
                    estimator.fit_ranks(ranks)
                else:
                    estimator.fit(sample.scores, sample.labels)
            predicted = estimator.predict(TARGETS[k1])
        seconds = time.perf_counter() - start
        rows.append([f"{noise:g}", str(replicate), name, *(f"{p:.6f}" for p in predicted), f"{seconds:.2f}"])
    return rows


def run(preset: str, k1: int, replicates: dict[tuple[str, float], int], deadline: float, jobs: int) -> bool:
    """Run what is missing, replicate by replicate, until the deadline; True when nothing is left."""
    path = predictions_file(preset, k1)
    done = read_done(path)
    if not path.exists():
        targets = ",".join(f"k2_{k2}" for k2 in TARGETS[k1])
        path.write_text(f"# {COMMAND} --preset {preset}\nnoise,replicate,method,{targets},seconds\n")
    missing = []
    for replicate in range(max(replicates.values())):
        for noise in LEVELS[preset]:
            open_ = [
                name
                for (name, level), most in replicates.items()
                if level == noise and replicate < most and (noise, replicate, name) not in done
            ]
            if open_:
                missing.append((noise, replicate, k1, open_))
    left = iter(missing)

    def until_deadline() -> Iterator[Any]:
        yield from (delayed(run_one)(*job) for job in takewhile(lambda _: time.monotonic() < deadline, left))

    for rows in Parallel(jobs, return_as="generator", pre_dispatch=jobs)(until_deadline()):
        with path.open("a", newline="") as file:
            csv.writer(file).writerows(rows)
    return read_done(path) >= {(noise, replicate, n) for noise, replicate, _, names in missing for n in names}


def errors(path: Path, k1: int) -> dict[tuple[str, float], np.ndarray]:
    """Errors against the exact truth, (replicates, targets), for every method and noise level."""
    out: dict[tuple[str, float], list[list[float]]] = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            values = [float(row[f"k2_{k2}"]) for k2 in TARGETS[k1]]
            out[row["method"], float(row["noise"])].append(values)
    truth = {noise: GaussianClasses(FEATURES, noise).average_accuracy(TARGETS[k1]) for noise in {key[1] for key in out}}
    return {key: np.array(values) - truth[key[1]] for key, values in out.items()}


def ratio_to_oracle(found: dict[tuple[str, float], np.ndarray], name: str, column: int) -> str:
    """Largest RMSE over the oracle's, on replicates that both have: a maximum of fewer would be larger."""
    levels = [noise for method, noise in found if method == name]
    if not all((ORACLE, noise) in found for noise in levels):
        return ""
    common = min(len(found[method, noise]) for method in (name, ORACLE) for noise in levels)
    ours, reference = (
        max(np.square(found[method, noise][:common, column]).mean() for noise in levels) for method in (name, ORACLE)
    )
    return f"{np.sqrt(ours / reference):.2f}"


def error_of_maximum(found: list[np.ndarray], n_draws: int = 1000) -> np.ndarray:
    """Standard error of the largest RMSE over levels, for each target: the maximum is taken in every bootstrap draw.

    So the authors found theirs. `found` holds the errors at each level, (replicates, targets).
    """
    rng = np.random.default_rng(0)
    draws = [
        np.sqrt(np.square(error)[rng.integers(len(error), size=(n_draws, len(error)))].mean(axis=1)) for error in found
    ]
    return np.max(draws, axis=0).std(axis=0, ddof=1)


def summarise(preset: str) -> None:
    """Write RMSE and bias by noise level, and the largest RMSE of every row of the table."""
    by_level, by_row = [], []
    for k1, targets in TARGETS.items():
        path = predictions_file(preset, k1)
        if not path.exists():
            continue
        found = errors(path, k1)
        names = [name for name in methods_of(preset) if any(key[0] == name for key in found)]
        largest = {}
        for name in names:
            levels = sorted(noise for method, noise in found if method == name)
            truth = {noise: GaussianClasses(FEATURES, noise).average_accuracy(targets) for noise in levels}
            of_maximum = error_of_maximum([found[name, noise] for noise in levels])
            for column, k2 in enumerate(targets):
                scores = []
                for noise in levels:
                    error = found[name, noise][:, column]
                    mean_square = float(np.square(error).mean())
                    rmse = np.sqrt(mean_square)
                    spread = np.square(error).std(ddof=1) / np.sqrt(error.size) if error.size > 1 else np.nan
                    se = spread / (2 * max(rmse, 1e-12))
                    scores.append((rmse, se, noise, error.size))
                    by_level.append(
                        [k1, k2, name, f"{noise:g}", f"{truth[noise][column]:.6f}", error.size,
                         f"{rmse:.5f}", f"{se:.5f}", f"{error.mean():.5f}"]
                    )  # fmt: skip
                largest[name, k2] = (*max(scores), min(score[3] for score in scores), len(levels), of_maximum[column])
        for (name, k2), (rmse, se, noise, there, least, n_levels, of_maximum) in largest.items():
            ratio = ratio_to_oracle(found, name, targets.index(k2))
            by_row.append(
                [k1, k2, name, f"{rmse:.4f}", f"{se:.4f}", f"{noise:g}", n_levels, least, ratio, there,
                 f"{of_maximum:.4f}"]
            )  # fmt: skip
    write(
        f"results_{preset}.csv",
        preset,
        "k1,k2,method,max_rmse,standard_error,at_noise,levels,replicates,ratio_to_oracle,replicates_there,"
        "se_of_maximum",
        by_row,
    )
    write(f"levels_{preset}.csv", preset, "k1,k2,method,noise,truth,replicates,rmse,standard_error,bias", by_level)


def write(name: str, preset: str, header: str, rows: list[list[object]]) -> None:
    with (HERE / name).open("w", newline="") as file:
        file.write(f"# {COMMAND} --preset {preset}\n{header}\n")
        csv.writer(file).writerows(rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--preset", choices=tuple(LEVELS), default="default")
    parser.add_argument("--k1", type=int, choices=tuple(TARGETS), action="append")
    parser.add_argument("--replicates", type=int, help="per noise level (default: as stored)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--methods", nargs="+", help="some of the methods")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so many minutes")
    parser.add_argument("--summary-only", action="store_true")
    options = parser.parse_args(argv)
    deadline = time.monotonic() + 60 * options.minutes
    complete = True
    for k1 in options.k1 or list(TARGETS):
        names = [name for name in methods_of(options.preset) if not options.methods or name in options.methods]
        replicates = {
            (name, noise): options.replicates or usual_replicates(options.preset, k1, name, noise)
            for name in names
            for noise in LEVELS[options.preset]
        }
        if not options.summary_only:
            complete &= run(options.preset, k1, replicates, deadline, options.jobs)
    summarise(options.preset)
    return 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
