"""Coverage and sharpness of the lower confidence bounds; about ten minutes on one core.

A row holds the lowest coverage over the numbers of test points per class, and the mean bound.
"""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np

from classex.bayes import (
    AVERAGE_METHODS,
    average_bayes_accuracy_bound,
    bayes_accuracy_bound,
    generalisation_accuracy_bound,
)
from classex.models import BivariateNormal, GaussianClasses, PartlyIdentifiable, RandomCode

TABLE = "coverage_bounds/coverage"
HEADER = "model,n_classes,target,method,level,experiments,coverage,mean_truth,mean_bound"
SEED = 20170413
SIZES = (10, 50, 200)
REPEATS = (1, 5, 20)
LEVELS = (0.5, 0.8, 0.95)
EXPERIMENTS = 3000
GRID = 0.25  # spacing of the integration grid, in standard deviations of the noise
GIVEN_METHODS = ("clopper-pearson", "hoeffding", "thesis")


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


def draws(name: str) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """For each number of classes: generalisation and Bayes accuracies of the experiments, and right answers by r."""
    rng = np.random.default_rng([SEED, list(MODELS).index(name)])
    for k in SIZES:
        general, bayes, right = zip(*(MODELS[name].draw(k, rng) for _ in range(EXPERIMENTS)), strict=True)
        yield k, np.array(general), np.array(bayes), np.array(right).T


def of_size(name: str, k: int, general: np.ndarray, bayes: np.ndarray, right: np.ndarray) -> Iterator[list[object]]:
    """Rows of one model and number of classes."""
    truths = {"generalisation": general, "Bayes": bayes, "average Bayes": np.full(len(bayes), MODELS[name].truth(k))}
    for target, truth in truths.items():
        for method in AVERAGE_METHODS if target == "average Bayes" else GIVEN_METHODS:
            for level in LEVELS:
                found = [bounds(target, method, level, n, k, r) for n, r in zip(right, REPEATS, strict=True)]
                coverage = min((bound <= truth + 1e-12).mean() for bound in found)
                numbers = (f"{x:.5g}" for x in (coverage, truth.mean(), np.mean(found)))
                yield [name, k, target, method, level, len(bayes), *numbers]


def rows(name: str) -> list[list[object]]:
    """Rows of one model."""
    return [row for drawn in draws(name) for row in of_size(name, *drawn)]


CELLS = tuple((name,) for name in MODELS)
