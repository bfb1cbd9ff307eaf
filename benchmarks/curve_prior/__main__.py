"""Learn the prior of the Gaussian process from the suite, leaving out one world at a time.

``python -m benchmarks.curve_prior`` takes the accuracies observed in every draw of every task of the suite, and the
true accuracies with many more classes (``benchmarks/suite/truths.csv``), and looks for the prior whose posterior means
have the least error where no scores are read: the least mean, over the tasks, of the logarithm of the root mean squared
error over the draws. That is the measure of the leaderboard, because the best method's error does not depend on the
prior. ``priors.csv`` has one row for each world left out (the first for none: all worlds), how the prior does there,
and how the default of `classex.laws.CurvePrior` does, which is rounded.
"""

from __future__ import annotations

import argparse
import sys
import warnings
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
from classex.laws import CurvePrior, GaussianProcessLaw, fit_gaussian_process

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.curve_prior"
WORLDS = ("Gaussian", "bivariate", "faces", "glyphs", "words", "names", "hangul")
DRAWS = 8
HEADER = "left_out,normal,wander,reach,error,left_out_error,left_out_coverage,default_error,default_coverage"
START = np.array([-1.0, np.log(0.3), np.log(1.0)])
STEP = 0.3
# the truth has an error of its own, and no curve is better known than to so many probits
LEAST_SPREAD = 0.02
LEAST_ERROR = 1e-6

FloatArray = NDArray[np.float64]


class Task(NamedTuple):
    """Observed curves of several draws on the probit scale, and the truth; what shifted scores say at all these sizes.

    Where scores have no say, there are none, or `trust` is 0.
    """

    world: str
    recogniser: str
    k1: int
    sizes: FloatArray
    probit: FloatArray
    noise: FloatArray
    targets: FloatArray
    truth: FloatArray
    shifted: FloatArray | None = None
    trust: FloatArray | None = None


def prior_of(place: FloatArray) -> CurvePrior:
    """Return the prior with these numbers."""
    normal, wander, reach = place
    return CurvePrior(normal=float(normal), wander=float(np.exp(wander)), reach=float(np.exp(reach)))


def posterior(prior: CurvePrior, task: Task) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the probits at the targets, for all draws at once: (n_draws, n_targets) twice."""
    every, n = np.concatenate([task.sizes, task.targets]), task.sizes.size
    usual, spread = prior.mean(every), prior.covariance(every, every)
    share = prior.scores * (np.zeros(len(task.probit)) if task.trust is None else task.trust)
    mean = usual + share[:, np.newaxis] * ((usual if task.shifted is None else task.shifted) - usual)
    wide = spread - share[:, np.newaxis, np.newaxis] * (spread - prior.level_sd**2)
    off = (task.probit - mean[:, :n])[:, :, np.newaxis]
    cross = wide[:, :n, n:]
    solved = np.linalg.solve(wide[:, :n, :n] + task.noise, np.concatenate([off, cross], axis=2))
    found = mean[:, n:] + np.einsum("dit,di->dt", cross, solved[:, :, 0])
    own = np.diagonal(wide, axis1=1, axis2=2)[:, n:]
    return found, np.maximum(own - np.einsum("dit,dit->dt", cross, solved[:, :, 1:]), 0.0) + LEAST_SPREAD**2


def error(prior: CurvePrior, tasks: list[Task]) -> float:
    """Geometric mean over tasks of the root mean squared error of the accuracy over draws."""
    logs: list[float] = []
    for task in tasks:
        miss = special.ndtr(posterior(prior, task)[0]) - special.ndtr(task.truth)
        logs += np.log(np.sqrt(np.mean(np.square(miss), axis=0)) + LEAST_ERROR).tolist()
    return float(np.exp(np.mean(logs)))


def coverage(prior: CurvePrior, tasks: list[Task]) -> float:
    """Share of the truths within 1.96 deviations of the posterior mean, where curves wander by the prior's `spread`."""
    held: list[bool] = []
    for task in tasks:
        for mean, probit, noise in zip(posterior(prior, task)[0], task.probit, task.noise, strict=True):
            law = GaussianProcessLaw(task.sizes, probit, noise, prior)
            away = np.abs(task.truth - mean)
            held += (away < 1.96 * np.sqrt(law.scatter(task.targets) + LEAST_SPREAD**2)).tolist()
    return float(np.mean(held))


def learn(tasks: list[Task]) -> FloatArray:
    """Return the numbers of the best prior."""
    around = np.vstack([START, START + STEP * np.eye(START.size)])
    options = {"maxiter": 200, "xatol": 0.005, "fatol": 1e-4, "initial_simplex": around}
    found = optimize.minimize(
        lambda place: np.log(error(prior_of(place), tasks)), START, method="Nelder-Mead", options=options
    )
    place: FloatArray = found.x
    return place


def row(left_out: str, tasks: list[Task]) -> list[str]:
    """Learn without a world, and see how the prior does there."""
    used = [task for task in tasks if task.world != left_out]
    prior = prior_of(learn(used))
    numbers = [prior.normal, prior.wander, prior.reach, error(prior, used)]
    other = [task for task in tasks if task.world == left_out or not left_out]
    for each in (prior, CurvePrior()):
        numbers += [error(each, other), coverage(each, other)]
    return [left_out or "none", *(f"{number:.4f}" for number in numbers)]


def observed(world: str, draws: int) -> list[Task]:
    """Observed curves of every task of a world."""
    truths = scoring.read_truths(scoring.HERE)
    out: dict[tuple[str, int], list[tuple[FloatArray, ...]]] = {}
    for cell in all_cells([world], draws):
        scores, labels = world_of(world).draw(cell.recogniser, cell.k1, cell.draw)
        targets = np.array(world_of(world).targets(cell.recogniser)[cell.k1], dtype=np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            law = fit_gaussian_process(cx.correct_ranks(scores, labels), scores)
        every = np.concatenate([law.sizes, targets])
        curve = law.prior.mean(every) if law.shifted is None else law.shifted.curve(every)
        believed = np.array(0.0 if law.shifted is None else law.shifted.trust)
        found = (law.probit, law.noise, curve, believed, law.sizes, targets)
        out.setdefault((cell.recogniser, cell.k1), []).append(found)
    tasks = []
    for (recogniser, k1), draws_ in out.items():
        probit, noise, shifted, trust, sizes, target = (np.array(part) for part in zip(*draws_, strict=True))
        truth = special.ndtri(np.clip([truths[world, recogniser, int(k)] for k in target[0]], 1e-9, 1 - 1e-9))
        tasks.append(Task(world, recogniser, k1, sizes[0], probit, noise, target[0], truth, shifted, trust))
    return tasks


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    parallel = Parallel(options.jobs)
    parts = parallel(delayed(observed)(world, options.draws) for world in WORLDS)
    tasks = [task._replace(trust=None) for part in parts for task in part]  # ranks alone
    rows = parallel(delayed(row)(left_out, tasks) for left_out in ("", *WORLDS))
    scoring.write(HERE / "priors.csv", HEADER, rows, COMMAND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
