"""Coverage of nominal 95 % intervals for the average accuracy with K classes.

Methods differ in cost, so in the number of experiments, which the table states.
"""

from __future__ import annotations

from itertools import product

import numpy as np

import classex as cx
from benchmarks.methods import named
from classex.models import BivariateNormal, GaussianClasses, Model

TABLE = "coverage_intervals/coverage"
HEADER = "method,model,n_classes,n_repeats,ratio,truth,experiments,coverage,standard_error,below,above,bias,rmse,width"
LEVEL = 0.95
RATIOS = (1, 2, 10)
DESIGNS = tuple(product((50, 200), (1, 5)))  # observed classes, test points of each

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
METHODS = {
    "probit-normal": (ALL, 120),
    "regression": (FEW, 20),
    "kernel density": (FEW, 20),
}
MAKE = named("probit-normal", "regression") | {
    "kernel density": cx.methods.KernelDensity(),
}
CELLS = tuple((method, model, *design) for method, (settings, _) in METHODS.items() for model, design in settings)


def rows(method: str, model: str, k1: int, r: int) -> list[list[object]]:
    """Coverage, bias and width in one setting, one row for each number of classes to predict."""
    _, experiments = METHODS[method]
    sizes = [k1 * ratio for ratio in RATIOS]
    truths = np.asarray(MODELS[model].average_accuracy(sizes))
    found = []
    for number in range(experiments):
        rng = np.random.default_rng([20260101, list(MODELS).index(model), k1, r, number])
        sample = MODELS[model].sample(k1, n_repeats=r, rng=rng)
        fit = cx.Extrapolator(MAKE[method]).fit(sample.scores, sample.labels)
        found.append(np.column_stack([fit.predict(sizes), fit.predict_interval(sizes, confidence_level=LEVEL)]))
    out: list[list[object]] = []
    for ratio, truth, (predicted, low, high) in zip(RATIOS, truths, np.moveaxis(found, 0, 2), strict=True):
        below, above = (truth < low).mean(), (truth > high).mean()
        p = 1 - below - above
        error = np.sqrt(max(p * (1 - p), 0.5 / experiments * (1 - 0.5 / experiments)) / experiments)
        bias, rmse = (predicted - truth).mean(), np.sqrt(np.square(predicted - truth).mean())
        shares = (f"{x:.4f}" for x in (p, error, below, above))
        numbers = (f"{x:.5f}" for x in (bias, rmse, (high - low).mean()))
        out.append([method, model, k1, r, ratio, f"{truth:.6f}", experiments, *shares, *numbers])
    return out
