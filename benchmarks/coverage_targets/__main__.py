"""Coverage of nominal 95 % intervals of the probit-normal method, for each of its three targets.

Run ``python -m benchmarks.coverage_targets`` (about five minutes on one core); it writes ``coverage.csv`` beside this
file, and the first experiments of every setting, one by one, to ``first.csv``, which a test draws again. Fifty
classes are observed and the accuracy with twice as many is asked for: the average, that of a fresh set of 100
classes, and that of the 100 classes to which the observed ones belong, each measured with the same number of test
points a class as were observed.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.misfits import misfits_expected
from classex.models import BivariateNormal, GaussianClasses, Model, Sample

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.coverage_targets"
KINDS = ("average", "fresh", "superset")
OBSERVED, TARGET = 50, 100
REPEATS = (1, 5)
KEPT = 20  # experiments stored one by one
MODELS: dict[str, Model] = {
    "Gaussian classes, noise .2": GaussianClasses(10, 0.2),
    "Gaussian classes, noise .4": GaussianClasses(10, 0.4),
    "bivariate normal, rho .9": BivariateNormal(0.9),
}


def accuracy(sample: Sample) -> float:
    """Share of test points whose own class scores highest."""
    return float((sample.scores.argmax(axis=1) == sample.labels).mean())


def one(name: str, r: int, seed: int, number: int) -> tuple[list[bool], list[float]]:
    """Whether each interval of one experiment covers its target, and its width."""
    model = MODELS[name]
    rng = np.random.default_rng([seed, list(MODELS).index(name), r, number])
    whole, fresh = (model.sample(TARGET, n_repeats=r, rng=rng) for _ in range(2))
    few = whole.scores[: OBSERVED * r, :OBSERVED]
    with misfits_expected():
        fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit(few, whole.labels[: OBSERVED * r])
    facts = (float(model.average_accuracy(TARGET)), accuracy(fresh), accuracy(whole))
    ends = [fit.predict_interval(TARGET, target=kind, n_repeats=r)[0] for kind in KINDS]
    covered = [bool(low <= fact <= high) for (low, high), fact in zip(ends, facts, strict=True)]
    return covered, [float(high - low) for low, high in ends]


def main() -> None:
    """Run every experiment and write the table."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--experiments", type=int, default=400, help="experiments per model and design (default 400)")
    parser.add_argument("--seed", type=int, default=2026, help="seed (default 2026)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    rows: list[list[object]] = []
    first: list[list[object]] = []
    for name in MODELS:
        for r in REPEATS:
            numbers = range(options.experiments)
            found = Parallel(options.jobs)(delayed(one)(name, r, options.seed, number) for number in numbers)
            share = np.mean([covered for covered, _ in found], axis=0)
            width = np.mean([width for _, width in found], axis=0)
            for kind, p, w in zip(KINDS, share, width, strict=True):
                error = np.sqrt(p * (1 - p) / options.experiments)
                rows.append([name, r, kind, options.experiments, f"{p:.4f}", f"{error:.4f}", f"{w:.5f}"])
            for number, experiment in enumerate(found[:KEPT]):
                for kind, covered, w in zip(KINDS, *experiment, strict=True):
                    first.append([name, r, number, kind, int(covered), f"{w:.8f}"])
    with (HERE / "first.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "n_repeats", "experiment", "target", "covered", "width"])
        writer.writerows(first)
    with (HERE / "coverage.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND} --experiments {options.experiments} --seed {options.seed}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "n_repeats", "target", "experiments", "coverage", "standard_error", "width"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
