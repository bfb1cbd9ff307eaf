"""Implied information, the lower confidence bound and nearest neighbours on models whose information is known.

Run ``python -m benchmarks.known_information`` (about ten minutes on one core); it writes ``estimates.csv`` beside
this file. Every simulation draws 200 pairs of a stimulus and one response, decodes them by the Bayes rule, and
gives the same pairs to every estimator.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.optimize import brentq

import classex as cx
from benchmarks.known_information.nearest_neighbours import nearest_neighbour_information
from classex.models import BivariateNormal, GaussianSequence, Model, MultivariateLogistic, RandomCode

N_PAIRS = 200
DIMENSIONS = (5, 10, 20, 50, 100, 200)
INFORMATION = (0.5, 1.0, 2.0, 4.0, 6.0)
HEADER = ["model", "dimension", "information", "estimator", "simulations", "mean", "bias", "rmse", "coverage", "misfit"]

Pairs = tuple[cx.CorrectRanks, NDArray[np.float64] | None, NDArray[np.float64] | None]


def from_model(model: Model, rng: np.random.Generator, *, continuous: bool) -> Pairs:
    """Ranks by the Bayes rule, and the pairs themselves where both sides have a density."""
    sample = model.sample(N_PAIRS, rng=rng)
    ranks = cx.correct_ranks(sample.bayes_scores, sample.labels)
    return (ranks, sample.references, sample.points) if continuous else (ranks, None, None)


def from_extremal_channel(channel: cx.information.ExtremalChannel, rng: np.random.Generator) -> Pairs:
    """Pairs from the channel with the least accuracy for its information."""
    x = rng.random(N_PAIRS)
    y = channel.respond(x, rng=rng)
    return cx.correct_ranks(channel.scores(y, x), np.arange(N_PAIRS)), x[:, np.newaxis], y[:, np.newaxis]


def gaussian(d: int, information: float) -> GaussianSequence:
    """Gaussian sequence model with exactly this information."""
    return GaussianSequence(n_features=d, signal=d * float(np.expm1(2 * information / d)))


def logistic(d: int, information: float) -> MultivariateLogistic:
    """Multivariate logistic model with exactly this information."""
    weight = brentq(lambda s: MultivariateLogistic(n_features=d, weight=s).information() - information, 1e-3, 50)
    return MultivariateLogistic(n_features=d, weight=float(weight))


def cells() -> list[tuple[str, int, float, Callable[[np.random.Generator], Pairs]]]:
    """Model, dimension, information and sampler of every line of the study."""

    def sampler(model: Model, *, continuous: bool) -> Callable[[np.random.Generator], Pairs]:
        return lambda rng: from_model(model, rng, continuous=continuous)

    out = [
        ("Gaussian sequence", d, nats, sampler(gaussian(d, nats), continuous=True))
        for d in DIMENSIONS
        for nats in INFORMATION
    ]
    out += [
        ("multivariate logistic", 50, nats, sampler(logistic(50, nats), continuous=False)) for nats in (1.0, 2.0, 4.0)
    ]
    bivariate = BivariateNormal(rho=0.99)
    out.append(("bivariate normal", 1, bivariate.information(), sampler(bivariate, continuous=True)))
    code = RandomCode(length=31, crossover=0.1)
    out.append(("random code", 31, code.information(), sampler(code, continuous=False)))
    channel = cx.information.ExtremalChannel(information=3.0, n_classes=30)
    out.append(("extremal channel", 1, channel.information, lambda rng: from_extremal_channel(channel, rng)))
    return out


def estimates(pairs: Pairs, truth: float) -> dict[str, tuple[float, float, float]]:
    """Estimate, whether an interval or bound is right, and whether the curve was found not to fit."""
    ranks, x, y = pairs
    misfit = float(cx.information.curve_test(ranks).p_value < 0.05)
    out = {}
    for name, method in (("likelihood", "likelihood"), ("least squares", "least_squares")):
        result = cx.implied_information(ranks, method=method)
        out[name] = (result.value, float(result.interval.low <= truth <= result.interval.high), misfit)
    bound = cx.information_confidence_bound(ranks).information
    out["lower bound"] = (bound, float(bound <= truth), np.nan)
    if x is not None and y is not None:
        out["nearest neighbours"] = (nearest_neighbour_information(x, y), np.nan, np.nan)
    return out


def study(
    name: str, d: int, truth: float, draw: Callable[[np.random.Generator], Pairs], simulations: int, seed: int
) -> list[list[object]]:
    """Lines of one model, one for each estimator."""
    rng = np.random.default_rng(seed)
    found = [estimates(draw(rng), truth) for _ in range(simulations)]
    rows = []
    for estimator in found[0]:
        value, right, misfit = np.array([result[estimator] for result in found]).T
        finite = value[np.isfinite(value)]
        rmse = np.sqrt(np.square(value - truth).mean()) if finite.size == value.size else np.inf
        numbers = [value.mean(), value.mean() - truth, rmse, right.mean(), misfit.mean()]
        rows.append([name, d, f"{truth:.4f}", estimator, simulations, *(f"{number:.4f}" for number in numbers)])
    return rows


def main() -> None:
    """Run every cell and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_information", description=__doc__)
    parser.add_argument("--simulations", type=int, default=40, help="experiments per cell (default 40)")
    parser.add_argument("--seed", type=int, default=20_180_501, help="seed of the first cell (default 20180501)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("estimates.csv"))
    arguments = parser.parse_args()
    rows = Parallel(n_jobs=arguments.jobs)(
        delayed(study_cell)(index, arguments.simulations, arguments.seed + index) for index in range(len(cells()))
    )
    with arguments.output.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# python -m benchmarks.known_information --simulations {arguments.simulations}")
        file.write(f" --seed {arguments.seed}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(line for lines in rows for line in lines)


def study_cell(index: int, simulations: int, seed: int) -> list[list[object]]:
    """Study of the cell with this number: samplers do not travel between processes, numbers do."""
    return study(*cells()[index], simulations, seed)


if __name__ == "__main__":
    main()
