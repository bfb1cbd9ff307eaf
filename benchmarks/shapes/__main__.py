"""Coverage of the default on simulated curves of every shape: ``python -m benchmarks.shapes [--folder FOLDER]``.

A truth is a distribution of the favourability, a number of classes and of points of each, and whether the points of a
class share their favourability. From 100 samples of each, the default predicts the accuracy with as many classes, with
2, 10 and 100 times as many; the true ones are exact. ``after.csv`` has the shares of nominal 95 % intervals that
cover, the mean errors, widths and interval scores, and how often the data were said to contradict the usual shape.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

import classex as cx
from benchmarks import study
from benchmarks.adversarial import worlds as w
from benchmarks.adversarial.worlds import Distribution, Rng

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.shapes"
HEADER = "shape,truth,K,r,times,accuracy,coverage,bias,width,interval_score,named"
TIMES, DRAWS, LEVEL = (1, 2, 10, 100), 100, 0.95
VALUES = (np.arange(100_000) + 0.5) / 100_000


class Truth(NamedTuple):
    """What is simulated: a shape, a sampler of ranks, and the exact accuracy."""

    shape: str
    n_classes: int
    n_repeats: int
    draw: Callable[[Rng], cx.CorrectRanks]
    accuracy: Callable[[NDArray[Any]], NDArray[Any]]


def luce(a: float) -> Distribution:
    """Gumbel scores, the truth's shifted by log(1 / a): A_K = 1 / (1 + a (K - 1))."""
    return w.favourable(1 / a, 1)


def band(c: float) -> Distribution:
    """Favourability uniform on [1 - c, 1]."""
    return Distribution(
        lambda rng, shape: c * rng.random(shape), lambda n: -np.expm1((n + 1) * np.log1p(-c)) / (c * (n + 1))
    )


def noise(share: float) -> Distribution:
    """A share of points with a random label; the others follow Luce's choice with a = .003."""
    return w.mixed([share, 1 - share], [w.favourable(1, 1), luce(0.003)])


def shifted(law: Any, shift: float) -> Distribution:
    """Scores of this law, the truth's shifted upwards."""
    nodes = law.sf(law.ppf(VALUES) + shift)

    def missed(n: NDArray[Any]) -> NDArray[Any]:
        return np.array([((1 - nodes) ** k).mean() for k in n.ravel()]).reshape(n.shape)

    return Distribution(lambda rng, shape: law.sf(law.rvs(size=shape, random_state=rng) + shift), missed)


def parts(share: float, one: Distribution, other: Distribution) -> Distribution:
    """Two kinds of points."""
    return w.mixed([share, 1 - share], [one, other])


def of(shape: str, law: Distribution, K: int, r: int, **options: Any) -> Truth:
    """Points whose favourabilities follow a law."""
    world = w.world(law, **options)
    return Truth(shape, K, r, lambda rng: w.ranks(rng, world, K, r), lambda k: world.accuracy(k.astype(float)))


def model(shape: str, model: Any, K: int, r: int) -> Truth:
    """A model of the package."""

    def draw(rng: Rng) -> cx.CorrectRanks:
        sample = model.sample(K, n_repeats=r, rng=rng)
        return cx.correct_ranks(sample.scores, sample.labels)

    return Truth(shape, K, r, draw, model.average_accuracy)


PERFECT, HOPELESS = w.atoms([0.0], [1.0]), w.atoms([1.0], [1.0])
UNIFORM = w.favourable(1, 1)
LOG_UNIFORM = w.normal(lambda z: 10 ** (-6 * special.ndtr(z)), 0.0, 1.0)
TRUTHS = {
    "Luce .01, 20": of("steep", luce(0.01), 20, 1),
    "Luce .01 by class, 20": of("steep", luce(0.01), 20, 5, by_class=True),
    "Luce .01, 60": of("steep", luce(0.01), 60, 3),
    "Luce .01, 100": of("steep", luce(0.01), 100, 2),
    "Luce .002, 500": of("steep", luce(0.002), 500, 1),
    "Luce .05, 40": of("steep", luce(0.05), 40, 2),
    "Luce .1, 60": of("steep", luce(0.1), 60, 3),
    "band .05, 20": of("steep", band(0.05), 20, 1),
    "band .02, 60": of("steep", band(0.02), 60, 3),
    "t3 scores, 20": of("steep", shifted(stats.t(3), 2.0), 20, 1),
    "t3 scores, 60": of("steep", shifted(stats.t(3), 2.0), 60, 3),
    "logistic scores, 60": of("steep", shifted(stats.logistic(), 3.0), 60, 3),
    "label noise .07, 20": of("steep", noise(0.07), 20, 1),
    "label noise .07, 60": of("steep", noise(0.07), 60, 3),
    "label noise .07, 500": of("steep", noise(0.07), 500, 1),
    "probit-normal 2 and .3, 100": of("steep", w.probit(2.0, 0.3), 100, 2),
    "Gaussian classes, 6 features": model("steep", cx.models.GaussianClasses(6, 0.25), 40, 3),
    "bivariate normal, 24": model("steep", cx.models.BivariateNormal(0.9), 24, 2),
    "60 % perfect, others hopeless, 60": of("flat", parts(0.6, PERFECT, HOPELESS), 60, 3),
    "half perfect, others hopeless, 500": of("flat", parts(0.5, PERFECT, HOPELESS), 500, 1),
    "half perfect, others .9, 500": of("flat", parts(0.5, PERFECT, w.const(0.9)), 500, 1),
    "half perfect, others uniform, 500": of("flat", parts(0.5, PERFECT, UNIFORM), 500, 1),
    "half of the classes perfect, others .5, 60": of("flat", parts(0.5, PERFECT, w.const(0.5)), 60, 3, by_class=True),
    "98 % perfect, others uniform, 50": of("flat", parts(0.98, PERFECT, UNIFORM), 50, 2),
    "98 % perfect, others uniform, 200": of("flat", parts(0.98, PERFECT, UNIFORM), 200, 1),
    "all .98, 60": of("alike", w.const(0.98), 60, 3),
    "all .998, 500": of("alike", w.const(0.998), 500, 1),
    "30 % uniform, others .999, by class, 60": of("late", parts(0.3, UNIFORM, w.const(0.999)), 60, 3, by_class=True),
    "half .999, others .9, 500": of("late", parts(0.5, w.const(0.999), w.const(0.9)), 500, 1),
    "hubs .005, 60": of("hubs", w.favourable(8, 0.5), 60, 3, hub=0.005),
    "hubs .01, 200": of("hubs", w.favourable(8, 0.5), 200, 1, hub=0.01),
    "1 - U log-uniform, 60": of("usual", LOG_UNIFORM, 60, 3),
    "beta(20, .2), 60": of("usual", w.favourable(20, 0.2), 60, 3),
    "probit-normal 3 and 1.5, 100": of("usual", w.probit(3.0, 1.5), 100, 2),
    "Gaussian classes, 10 features, .2": model("usual", cx.models.GaussianClasses(10, 0.2), 60, 3),
    "Gaussian classes, 10 features, .4": model("usual", cx.models.GaussianClasses(10, 0.4), 60, 3),
}


def rows(name: str, draws: int = DRAWS) -> list[list[Any]]:
    """One row for each number of classes."""
    truth = TRUTHS[name]
    sizes = truth.n_classes * np.array(TIMES)
    exact = np.asarray(truth.accuracy(sizes), dtype=float)
    value, ends, named = [], [], []
    for draw in range(draws):
        ranks = truth.draw(np.random.default_rng([20261126, sum(map(ord, name)), draw]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cx.extrapolate(ranks, n_classes=sizes)
        value.append(result.accuracy)
        ends.append(result.interval)
        named.append(result.departure is not None)
    low, high = np.moveaxis(np.array(ends), 2, 0)
    missed = np.maximum(low - exact, 0) + np.maximum(exact - high, 0)
    columns: tuple[ArrayLike, ...] = (
        exact,
        (missed <= 1e-9).mean(axis=0),
        np.mean(value, axis=0) - exact,
        (high - low).mean(axis=0),
        (high - low + 2 / (1 - LEVEL) * missed).mean(axis=0),
        np.full(exact.size, np.mean(named)),
    )
    about = [truth.shape, name, truth.n_classes, truth.n_repeats]
    return [
        [*about, times, *(f"{x:.4f}" for x in row)]
        for times, row in zip(TIMES, zip(*columns, strict=True), strict=True)
    ]


def main(argv: list[str] | None = None) -> int:
    """Run all truths and write the table."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--folder", type=Path, default=HERE, help="where the table is written")
    folder = parser.parse_args(argv).folder
    found = [row for name in TRUTHS for row in rows(name)]
    study.write(folder / "after.csv", COMMAND, HEADER, found)
    for shape in dict.fromkeys(row[0] for row in found):
        for times in TIMES:
            mine = [float(row[6]) for row in found if row[0] == shape and row[4] == times]
            print(f"{shape}, {times} times: {np.mean(mine):.2f}, least {min(mine):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
