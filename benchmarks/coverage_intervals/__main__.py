"""Coverage of nominal 95 % intervals for the average accuracy with K classes.

``python -m benchmarks.coverage_intervals`` simulates experiments on models whose truth is known and writes
``coverage.csv`` beside this file. Methods differ in cost, so in the number of experiments, which the file states.
A run stops after ``--minutes`` and goes on where it stopped when called again; counts accumulate in
``counts.csv``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.misfits import misfits_expected
from classex import Extrapolator
from classex.models import BivariateNormal, GaussianClasses, Model

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.coverage_intervals"
LEVEL = 0.95
RATIOS = (1, 2, 10)
DESIGNS = tuple(product((50, 200), (1, 5)))  # observed classes, test points of each
BATCH = 20

MODELS: dict[str, Model] = {
    "Gaussian classes, noise .05": GaussianClasses(10, 0.05),
    "Gaussian classes, noise .2": GaussianClasses(10, 0.2),
    "Gaussian classes, noise .4": GaussianClasses(10, 0.4),
    "bivariate normal, rho .7": BivariateNormal(0.7),
    "bivariate normal, rho .9": BivariateNormal(0.9),
}
ALL = tuple(product(MODELS, DESIGNS))
FEW = tuple((model, (50, 1)) for model in ("Gaussian classes, noise .2", "bivariate normal, rho .9"))
# method, the settings it is tried in, and experiments in each
METHODS: dict[str, tuple[Callable[[], Extrapolator], tuple[tuple[str, tuple[int, int]], ...], int]] = {
    "probit-normal": (lambda: cx.Extrapolator(cx.methods.ProbitNormal()), ALL, 120),
    "mixture of ranks": (lambda: cx.Extrapolator(cx.methods.Mixture(use_scores=False)), FEW, 40),
    "mixture": (lambda: cx.Extrapolator(cx.methods.Mixture()), FEW, 20),
    "regression": (lambda: cx.Extrapolator(cx.methods.Regression()), FEW, 20),
    "regression, sandwich": (lambda: cx.Extrapolator(cx.methods.Regression(interval="sandwich")), FEW, 40),
    "kernel density": (lambda: cx.Extrapolator(cx.methods.KernelDensity()), FEW, 20),
}
COUNT_HEADER = "method,model,n_classes,n_repeats,batch,ratio,experiments,below,above,error,square,width"


def one(method: str, model: str, k1: int, r: int, seed: list[int]) -> np.ndarray:
    """Prediction and interval ends of one experiment, (ratios, 3)."""
    sample = MODELS[model].sample(k1, n_repeats=r, rng=np.random.default_rng(seed))
    sizes = [k1 * ratio for ratio in RATIOS]
    with misfits_expected():
        estimator = METHODS[method][0]().fit(sample.scores, sample.labels)
    ends = estimator.predict_interval(sizes, confidence_level=LEVEL)
    return np.column_stack([estimator.predict(sizes), ends])


def run_batch(method: str, model: str, k1: int, r: int, batch: int, jobs: int) -> list[list[object]]:
    place = [list(MODELS).index(model), k1, r]
    seeds = [[20260101, *place, BATCH * batch + i] for i in range(BATCH)]
    out = np.array(Parallel(jobs)(delayed(one)(method, model, k1, r, seed) for seed in seeds))
    truth = np.asarray(MODELS[model].average_accuracy([k1 * ratio for ratio in RATIOS]))
    error = out[:, :, 0] - truth
    return [
        [method, model, k1, r, batch, ratio, BATCH, int((truth[i] < out[:, i, 1]).sum()),
         int((truth[i] > out[:, i, 2]).sum()), f"{error[:, i].sum():.6g}", f"{np.square(error[:, i]).sum():.6g}",
         f"{(out[:, i, 2] - out[:, i, 1]).sum():.6g}"]
        for i, ratio in enumerate(RATIOS)
    ]  # fmt: skip


def read_counts() -> list[dict[str, str]]:
    path = HERE / "counts.csv"
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def run(names: list[str], deadline: float, jobs: int) -> bool:
    """Run what is missing, one batch of every design after the other; True when nothing is left."""
    path = HERE / "counts.csv"
    if not path.exists():
        path.write_text(f"# {COMMAND}\n{COUNT_HEADER}\n")
    done = {(c["method"], c["model"], int(c["n_classes"]), int(c["n_repeats"]), int(c["batch"])) for c in read_counts()}
    for batch in range(max(METHODS[name][2] for name in names) // BATCH):
        for name in names:
            _, settings, experiments = METHODS[name]
            for model, (k1, r) in settings:
                if batch >= experiments // BATCH or (name, model, k1, r, batch) in done:
                    continue
                if time.monotonic() > deadline:
                    return False
                rows = run_batch(name, model, k1, r, batch, jobs)
                with path.open("a", newline="") as file:
                    csv.writer(file).writerows(rows)
    return True


def summarise() -> None:
    """Write coverage, with its standard error, and what goes with it."""
    totals: dict[tuple[str, str, int, int, int], np.ndarray] = defaultdict(lambda: np.zeros(6))
    for count in read_counts():
        key = (count["method"], count["model"], int(count["n_classes"]), int(count["n_repeats"]), int(count["ratio"]))
        totals[key] += [float(count[name]) for name in ("experiments", "below", "above", "error", "square", "width")]
    header = (
        "method,model,n_classes,n_repeats,ratio,truth,experiments,coverage,standard_error,below,above,bias,rmse,width"
    )
    with (HERE / "coverage.csv").open("w", newline="") as file:
        file.write(f"# {COMMAND}\n{header}\n")
        writer = csv.writer(file)
        for (name, model, k1, r, ratio), (n, below, above, error, square, width) in totals.items():
            truth = float(np.atleast_1d(MODELS[model].average_accuracy(k1 * ratio))[0])
            coverage = 1 - (below + above) / n
            spread = np.sqrt(max(coverage * (1 - coverage), 0.5 / n * (1 - 0.5 / n)) / n)
            writer.writerow(
                [name, model, k1, r, ratio, f"{truth:.6f}", int(n), f"{coverage:.4f}", f"{spread:.4f}",
                 f"{below / n:.4f}", f"{above / n:.4f}", f"{error / n:.5f}", f"{np.sqrt(square / n):.5f}",
                 f"{width / n:.5f}"]
            )  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=list(METHODS))
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so many minutes")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    complete = run(options.methods, time.monotonic() + 60 * options.minutes, options.jobs)
    summarise()
    return 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
