"""Simulate experiments and count how often each lower bound lies below what it bounds.

Run ``python -m benchmarks.coverage_bounds`` (about ten minutes on one core); it writes ``coverage.csv``,
``variance.csv`` and ``selection.csv`` beside this file. Every number depends on the seed below only.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numba
import numpy as np

from benchmarks.coverage_bounds.selection import selection_rows
from classex.bayes import (
    average_bayes_accuracy_bound,
    bayes_accuracy_bound,
    bayes_accuracy_variance_bound,
    generalisation_accuracy_bound,
)
from classex.bayes.bounds import AVERAGE_METHODS
from classex.models import BivariateNormal, GaussianClasses, PartlyIdentifiable, RandomCode

SEED = 20170413
SIZES = (10, 50, 200)
REPEATS = (1, 5, 20)
LEVELS = (0.5, 0.8, 0.95)
EXPERIMENTS = 3000
GRID = 0.25  # spacing of the integration grid, in standard deviations of the noise
GIVEN_METHODS = ("clopper-pearson", "hoeffding", "thesis")
HEADER = [
    "model", "n_classes", "n_repeats", "target", "method", "level", "experiments", "coverage", "standard_error",
    "mean_truth", "mean_bound",
]  # fmt: skip


class Known:
    """A model that knows the accuracy of the Bayes rule on every class of a given set."""

    def __init__(self, model: BivariateNormal | RandomCode | PartlyIdentifiable) -> None:
        self.model = model

    def truth(self, k: int) -> float:
        """Average Bayes accuracy of k classes."""
        return self.model.average_bayes_accuracy(k)

    def draw(self, k: int, rng: np.random.Generator) -> tuple[float, float, list[int]]:
        """Generalisation accuracy and Bayes accuracy of a class set, and right answers for each r."""
        p = self.model.class_accuracies(self.model.sample(k, rng=rng).references)
        return p.mean(), p.mean(), [int(rng.binomial(r, p).sum()) for r in REPEATS]


class Clouds:
    """Gaussian clouds in the plane: the accuracies of a class set are integrals over a fine grid.

    With stored examples the rule is not the Bayes rule of the classes, so that the generalisation accuracy
    and the Bayes accuracy of a class set differ.
    """

    def __init__(self, stored: str) -> None:
        self.model = GaussianClasses(n_features=2, noise=0.04, stored=stored)
        self.best = GaussianClasses(n_features=2, noise=0.04, stored="centroid")

    def truth(self, k: int) -> float:
        """Average Bayes accuracy of k classes."""
        return self.best.average_bayes_accuracy(k)

    def draw(self, k: int, rng: np.random.Generator) -> tuple[float, float, list[int]]:
        """Generalisation accuracy and Bayes accuracy of a class set, and right answers for each r."""
        spread = np.sqrt(self.model.noise)
        mean = rng.standard_normal((k, 2))
        bayes = plane_accuracies(mean, mean, spread, GRID)
        accuracy = bayes
        if self.model.stored == "example":
            accuracy = plane_accuracies(mean, mean + spread * rng.standard_normal((k, 2)), spread, GRID)
        return accuracy.mean(), bayes.mean(), [int(rng.binomial(r, accuracy).sum()) for r in REPEATS]


@numba.njit(cache=True)
def plane_accuracies(mean: np.ndarray, stored: np.ndarray, spread: float, spacing: float) -> np.ndarray:
    """Pr[the stored point nearest to a test point is that of class i | class i], by a grid around each mean."""
    reach = int(5 / spacing)
    accuracy = np.zeros(mean.shape[0])
    for i in range(mean.shape[0]):
        apart = (stored[:, 0] - stored[i, 0]) ** 2 + (stored[:, 1] - stored[i, 1]) ** 2
        order = np.argsort(apart)[1:]
        for row in range(-reach, reach + 1):
            for column in range(-reach, reach + 1):
                x = mean[i, 0] + spread * spacing * row
                y = mean[i, 1] + spread * spacing * column
                own = (x - stored[i, 0]) ** 2 + (y - stored[i, 1]) ** 2
                nearest = True
                for j in order:
                    if apart[j] > 4 * own:  # too far from the own stored point to be nearer
                        break
                    if (x - stored[j, 0]) ** 2 + (y - stored[j, 1]) ** 2 < own:
                        nearest = False
                        break
                if nearest:
                    accuracy[i] += np.exp(-(spacing**2) * (row**2 + column**2) / 2)
    return np.minimum(accuracy * spacing**2 / (2 * np.pi), 1.0)


MODELS: dict[str, Known | Clouds] = {
    "bivariate normal (rho .7)": Known(BivariateNormal(rho=0.7)),
    "bivariate normal (rho .99)": Known(BivariateNormal(rho=0.99)),
    "random code (n 10)": Known(RandomCode(length=10, crossover=0.1)),
    "Gaussian (centroids)": Clouds("centroid"),
    "Gaussian (stored examples)": Clouds("example"),
    "partly identifiable (.5)": Known(PartlyIdentifiable(share=0.5)),
    "partly identifiable (.9)": Known(PartlyIdentifiable(share=0.9)),
}


def bounds(target: str, method: str, level: float, right: np.ndarray, k: int, r: int) -> np.ndarray:
    """Bound of every experiment; each distinct number of right answers is worked out once."""
    function = {
        "generalisation": generalisation_accuracy_bound,
        "Bayes": bayes_accuracy_bound,
        "average Bayes": average_bayes_accuracy_bound,
    }[target]
    value, where = np.unique(right, return_inverse=True)
    bound = [function(v / (k * r), n_classes=k, n_repeats=r, confidence_level=level, method=method) for v in value]
    return np.array(bound)[where]


def simulate(name: str, experiments: int) -> tuple[list[list[object]], list[list[object]]]:
    """Rows of the coverage table and of the variance table for one model."""
    source = MODELS[name]
    rng = np.random.default_rng([SEED, list(MODELS).index(name)])
    coverage: list[list[object]] = []
    variance: list[list[object]] = []
    for k in SIZES:
        drawn = [source.draw(k, rng) for _ in range(experiments)]
        general = np.array([one[0] for one in drawn])
        bayes = np.array([one[1] for one in drawn])
        truths = {"generalisation": general, "Bayes": bayes, "average Bayes": np.full(experiments, source.truth(k))}
        for r, right in zip(REPEATS, np.array([one[2] for one in drawn]).T, strict=True):
            for target, truth in truths.items():
                for method in AVERAGE_METHODS if target == "average Bayes" else GIVEN_METHODS:
                    for level in LEVELS:
                        bound = bounds(target, method, level, right, k, r)
                        covered = (bound <= truth + 1e-12).mean()
                        coverage.append([
                            name, k, r, target, method, level, experiments, covered,
                            np.sqrt(covered * (1 - covered) / experiments), truth.mean(), bound.mean(),
                        ])  # fmt: skip
        variance.append(_variance_row(name, source, k, bayes))
    return coverage, variance


def _variance_row(name: str, source: Known | Clouds, k: int, bayes: np.ndarray) -> list[object]:
    square = (bayes - bayes.mean()) ** 2
    a, before = source.truth(k), source.truth(k - 1)
    return [
        name, k, bayes.size, a, square.mean(), square.std() / np.sqrt(bayes.size),
        bayes_accuracy_variance_bound(k), bayes_accuracy_variance_bound(k, average_accuracy=a),
        bayes_accuracy_variance_bound(k, average_accuracy=a, one_fewer=before),
    ]  # fmt: skip


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write one table, floating-point numbers to six significant digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS, help="experiments per model and size")
    parser.add_argument("--selections", type=int, default=600, help="experiments of the selection study")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder for the tables")
    arguments = parser.parse_args()
    coverage: list[list[object]] = []
    variance: list[list[object]] = []
    for name in MODELS:
        more, spread = simulate(name, arguments.experiments)
        coverage += more
        variance += spread
        print(name)
    write(arguments.out / "coverage.csv", HEADER, coverage)
    write(
        arguments.out / "variance.csv",
        ["model", "n_classes", "experiments", "average_bayes_accuracy", "variance", "standard_error", "bound",
         "bound_given_average", "bound_given_gain"],
        variance,
    )  # fmt: skip
    write(
        arguments.out / "selection.csv",
        ["n_classifiers", "experiments", "accuracy_on_test_points", "true_accuracy", "uncorrected_coverage",
         "corrected_coverage", "bayes_coverage", "standard_error"],
        selection_rows(arguments.selections, np.random.default_rng([SEED, 99])),
    )  # fmt: skip


if __name__ == "__main__":
    main()
