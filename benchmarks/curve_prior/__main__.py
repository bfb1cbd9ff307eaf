"""Learn the prior of the Gaussian process from the suite, leaving out one world at a time.

``python -m benchmarks.curve_prior`` fits no curve: it takes the accuracies observed in a few draws of every task with
at most 500 observed classes, and the true accuracies with many more (``benchmarks/suite/truths.csv``), and looks for
the prior under which the truth is most likely given what was observed; every world has the same weight. ``priors.csv``
has one row for each world left out, how the prior does there, and how the default of `classex.laws.CurvePrior` does,
which was learnt in the same way from other draws of five of these worlds: faces and Hangul took no part.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import optimize, special

import classex as cx
from benchmarks.suite import scoring
from benchmarks.suite.__main__ import all_cells
from benchmarks.suite.cells import world_of
from classex.laws import CurvePrior, fit_gaussian_process

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.curve_prior"
WORLDS = ("Gaussian", "bivariate", "faces", "glyphs", "words", "names", "hangul")
MOST_OBSERVED = 500
DRAWS = 3
HEADER = (
    "left_out,slope,slope_sd,normal,normal_sd,wander,log_density,"
    "left_out_log_density,left_out_rmse,left_out_coverage,default_log_density,default_rmse,default_coverage"
)
START = np.array([-0.5, np.log(0.15), -0.5, np.log(0.3), np.log(0.12)])
# a weak prior of these numbers, worth a hundredth of the evidence, keeps what the data leave open from running away
CENTRE = np.array([-0.5, np.log(0.2), -0.5, np.log(0.2), np.log(0.2)])
WIDTH = np.array([0.5, 1.0, 0.5, 1.0, 1.0])
EVIDENCE = np.array([1e-2, 1e-3, 1e-2, 1e-3, 1e-3])
# the truth has an error of its own, and no curve is better known than to so many probits
LEAST_SPREAD = 0.02

FloatArray = NDArray[np.float64]


class Task(NamedTuple):
    """Observed curves of several draws on the probit scale, and the truth."""

    world: str
    sizes: FloatArray
    probit: FloatArray
    noise: FloatArray
    targets: FloatArray
    truth: FloatArray


def prior_of(place: FloatArray) -> CurvePrior:
    """Return the prior with these numbers."""
    slope, slope_sd, normal, normal_sd, wander = place
    return CurvePrior(
        slope=float(slope),
        slope_sd=float(np.exp(slope_sd)),
        normal=float(normal),
        normal_sd=float(np.exp(normal_sd)),
        wander=float(np.exp(wander)),
    )


def posterior(prior: CurvePrior, task: Task) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the probits at the targets, for all draws at once: (n_draws, n_targets) twice."""
    cross = prior.covariance(task.sizes, task.targets)
    matrix = prior.covariance(task.sizes, task.sizes) + task.noise
    off = (task.probit - prior.mean(task.sizes))[:, :, np.newaxis]
    solved = np.linalg.solve(matrix, np.concatenate([off, np.broadcast_to(cross, (len(off), *cross.shape))], axis=2))
    mean = prior.mean(task.targets) + np.einsum("it,di->dt", cross, solved[:, :, 0])
    own = np.diag(prior.covariance(task.targets, task.targets))
    return mean, np.maximum(own - np.einsum("it,dit->dt", cross, solved[:, :, 1:]), 0.0) + LEAST_SPREAD**2


def log_density(prior: CurvePrior, tasks: list[Task]) -> float:
    """Mean log-density of the truth, every world with the same weight."""
    count = Counter(task.world for task in tasks)
    total = 0.0
    for task in tasks:
        mean, variance = posterior(prior, task)
        each = -0.5 * (np.square(task.truth - mean) / variance + np.log(2 * np.pi * variance))
        total += float(each.mean()) / count[task.world]
    return total / len(count)


def learn(tasks: list[Task]) -> FloatArray:
    """Return the numbers of the best prior."""

    def loss(place: FloatArray) -> float:
        return float(EVIDENCE @ np.square((place - CENTRE) / WIDTH)) - log_density(prior_of(place), tasks)

    options = {"maxiter": 400, "xatol": 0.01, "fatol": 1e-4, "adaptive": True}
    place: FloatArray = optimize.minimize(loss, START, method="Nelder-Mead", options=options).x
    return place


def row(left_out: str, tasks: list[Task]) -> list[str]:
    """Learn without a world, and see how the prior does there."""
    used = [task for task in tasks if task.world != left_out]
    place = learn(used)
    prior = prior_of(place)
    numbers = [prior.slope, prior.slope_sd, prior.normal, prior.normal_sd, prior.wander, log_density(prior, used)]
    other = [task for task in tasks if task.world == left_out]
    for each in (prior, CurvePrior()) if other else ():
        numbers += [log_density(each, other), *error_and_coverage(each, other)]
    return [left_out or "none", *(f"{number:.4f}" for number in numbers), *[""] * (12 - len(numbers))]


def error_and_coverage(prior: CurvePrior, tasks: list[Task]) -> tuple[float, float]:
    """Root mean squared error of the accuracy, and coverage of nominal .95."""
    found = [(*posterior(prior, task), task.truth) for task in tasks]
    error = np.concatenate([(special.ndtr(mean) - special.ndtr(truth)).ravel() for mean, _, truth in found])
    inside = np.concatenate([(np.abs(truth - mean) < 1.96 * np.sqrt(v)).ravel() for mean, v, truth in found])
    return float(np.sqrt(np.mean(np.square(error)))), float(inside.mean())


def observed(world: str, draws: int) -> list[Task]:
    """Observed curves of every task of a world."""
    truths = scoring.read_truths(scoring.HERE)
    out: dict[tuple[str, int], list[tuple[FloatArray, FloatArray, FloatArray]]] = {}
    for cell in all_cells([world], draws):
        if cell.k1 <= MOST_OBSERVED:
            ranks = cx.correct_ranks(*world_of(world).draw(cell.recogniser, cell.k1, cell.draw))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                law = fit_gaussian_process(ranks)
            out.setdefault((cell.recogniser, cell.k1), []).append((law.sizes, law.probit, law.noise))
    tasks = []
    for (recogniser, k1), draws_ in out.items():
        targets = world_of(world).targets(recogniser)[k1]
        truth = special.ndtri(np.clip([truths[world, recogniser, k] for k in targets], 1e-9, 1 - 1e-9))
        _, probit, noise = (np.array(part) for part in zip(*draws_, strict=True))
        tasks.append(Task(world, draws_[0][0], probit, noise, np.array(targets, dtype=np.float64), truth))
    return tasks


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    parallel = Parallel(options.jobs)
    tasks = [task for part in parallel(delayed(observed)(world, options.draws) for world in WORLDS) for task in part]
    rows = parallel(delayed(row)(left_out, tasks) for left_out in ("", *WORLDS))
    with (HERE / "priors.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND}\n{HEADER}\n")
        csv.writer(file, lineterminator="\n").writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
