"""Largest error over all K of the extrapolated accuracy, for more and more observed classes.

For each experiment and method the table's two measures are the largest difference between predicted and exact
average accuracy over K from 2 to 10^12, and over K from 2 to ten times the observed classes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

import classex as cx
from classex import CorrectRanks
from classex.distributions import FunctionBasis
from classex.models import BivariateNormal, GaussianClasses, Model

TABLE = "sup_error/errors"
HEADER = "model,k1,method,experiments,sup_all,se_all,sup_tenfold,se_tenfold"
EXPERIMENTS = 40
OBSERVED = (25, 50, 100, 200, 400, 800, 1600)
TARGETS = np.unique(np.geomspace(2, 1e12, 200).round())
MOMENTS = np.arange(2, 21)  # the numbers of classes that the right basis is fitted to, whatever k1
FloatArray = NDArray[np.float64]

# each model, and two relatives whose D spans a three-dimensional space together with its own
MODELS: dict[str, tuple[Model, tuple[Model, Model]]] = {
    "bivariate normal, rho .7": (BivariateNormal(0.7), (BivariateNormal(0.5), BivariateNormal(0.9))),
    "Gaussian classes, noise .2": (GaussianClasses(10, 0.2), (GaussianClasses(10, 0.1), GaussianClasses(10, 0.4))),
}


def right_basis(model: Model, relatives: tuple[Model, Model]) -> Callable[[CorrectRanks], FloatArray]:
    """Unconstrained least squares on a basis that holds the true D."""
    functions = (model, *relatives)
    basis = FunctionBasis(lambda u: np.column_stack([one.discriminability(u) for one in functions]), increasing=True)
    weights = basis.moments(TARGETS) @ np.linalg.pinv(basis.moments(MOMENTS))
    return lambda ranks: 1 - weights @ (1 - cx.accuracy_curve(ranks, MOMENTS).accuracy)


def methods(model: Model, relatives: tuple[Model, Model]) -> dict[str, Callable[[CorrectRanks], FloatArray]]:
    """Every method as a function from ranks to predictions at the targets."""
    return {
        "right basis": right_basis(model, relatives),
        "cubic polynomial": lambda ranks: (
            cx.Extrapolator(cx.methods.sources.Polynomial(degree=3)).fit_ranks(ranks).predict(TARGETS)
        ),
        "ClassExReg": lambda ranks: cx.Extrapolator(cx.methods.Regression()).fit_ranks(ranks).predict(TARGETS),
        "probit-normal": lambda ranks: cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(ranks).predict(TARGETS),
    }


CELLS = tuple(product(MODELS, OBSERVED))


def rows(name: str, k1: int) -> list[list[object]]:
    """Mean largest errors of every method for one model and number of observed classes."""
    model, relatives = MODELS[name]
    truth, rules = np.asarray(model.average_accuracy(TARGETS)), methods(model, relatives)
    worst: dict[str, list[tuple[float, float]]] = {rule: [] for rule in rules}
    rng = np.random.default_rng([2017, len(name), k1])
    for _ in range(EXPERIMENTS):
        sample = model.sample(k1, rng=rng)
        ranks = cx.correct_ranks(sample.scores, sample.labels)
        for rule, predict in rules.items():
            error = np.abs(predict(ranks) - truth)
            worst[rule].append((error.max(), error[10 * k1 >= TARGETS].max()))
    out: list[list[object]] = []
    for rule, found in worst.items():
        mean, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(EXPERIMENTS)
        numbers = (f"{x:.6f}" for x in (mean[0], spread[0], mean[1], spread[1]))
        out.append([name, k1, rule, EXPERIMENTS, *numbers])
    return out
