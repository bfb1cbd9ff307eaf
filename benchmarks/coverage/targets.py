"""Coverage of nominal 95 % intervals of the probit-normal method, for each of its three targets.

Fifty classes are observed and the accuracy with twice as many is asked for: the average, that of a fresh set of 100
classes, and that of the 100 classes to which the observed ones belong, each measured with the same number of test
points per class as were observed. About five minutes on one core.
"""

from __future__ import annotations

from itertools import product

import numpy as np

import classex as cx
from classex.models import BivariateNormal, GaussianClasses, Model, Sample

TABLE = "coverage_targets/coverage"
HEADER = "model,n_repeats,target,experiments,coverage,standard_error,width"
KINDS = ("average", "fresh", "superset")
OBSERVED, TARGET = 50, 100
EXPERIMENTS, SEED = 400, 2026
MODELS: dict[str, Model] = {
    "Gaussian classes, noise .2": GaussianClasses(10, 0.2),
    "Gaussian classes, noise .4": GaussianClasses(10, 0.4),
    "bivariate normal, rho .9": BivariateNormal(0.9),
}


def accuracy(sample: Sample) -> float:
    """Share of test points whose own class scores highest."""
    return float((sample.scores.argmax(axis=1) == sample.labels).mean())


CELLS = tuple(product(MODELS, (1, 5)))


def rows(name: str, r: int) -> list[list[object]]:
    """Coverage and mean width for one model and number of test points per class."""
    found = np.array([one(name, r, number) for number in range(EXPERIMENTS)])
    out: list[list[object]] = []
    for kind, (p, width) in zip(KINDS, found.mean(axis=0).T, strict=True):
        error = np.sqrt(p * (1 - p) / EXPERIMENTS)
        out.append([name, r, kind, EXPERIMENTS, f"{p:.4f}", f"{error:.4f}", f"{width:.5f}"])
    return out


def one(name: str, r: int, number: int) -> tuple[list[bool], list[float]]:
    """Whether each interval of one experiment covers its target, and its width."""
    model = MODELS[name]
    rng = np.random.default_rng([SEED, list(MODELS).index(name), r, number])
    whole, fresh = (model.sample(TARGET, n_repeats=r, rng=rng) for _ in range(2))
    few = whole.scores[: OBSERVED * r, :OBSERVED]
    fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit(few, whole.labels[: OBSERVED * r])
    facts = (float(model.average_accuracy(TARGET)), accuracy(fresh), accuracy(whole))
    points = [None if kind == "average" else r for kind in KINDS]
    ends = [fit.predict_interval(TARGET, target=kind, n_repeats=n)[0] for kind, n in zip(KINDS, points, strict=True)]
    covered = [bool(low <= fact <= high) for (low, high), fact in zip(ends, facts, strict=True)]
    return covered, [float(high - low) for low, high in ends]
