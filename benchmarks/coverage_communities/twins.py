r"""Laws of the favourability that a test with sampled negatives cannot tell apart, and how far apart their metrics are.

``python -m benchmarks.coverage_communities.twins`` (some seconds) takes the two laws of the study and looks, for each,
for a smooth law whose reciprocal rank among all items is some times as large, and whose wins against a hundred sampled
negatives are distributed as nearly like its own as can be: with P the probabilities of the numbers of wins and Q those
of the twin, least :math:`\chi^2 = \sum_w (Q_w - P_w)^2 / P_w`. For n points the total variation between both samples is
at most :math:`\tfrac12 \sqrt{(1 + \chi^2)^n - 1}`, so that no test of level .05 has more than .05 and that much power.

An interval that holds either truth 92 % of the time holds both in at least 2 (.92) - 1 of the tests, less the total
variation: in so many it is as wide as their distance. ``twins.csv`` has these numbers.
"""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from scipy.optimize import nnls

from benchmarks.coverage_communities import __main__ as study

HEADER = ("law", "times", "mrr", "twin_mrr", "most_power", "least_share")
TIMES = (0.5, 0.7, 1.4, 2.0, 2.5)
LEVEL, HELD = 0.05, 0.92
# the twin's probits, how strongly its total and its metric are held, and how smooth it is
NODES, FIRM, ROUGHNESS = np.arange(-4.0, 8.01, 0.1), 1e3, 1.0
FloatArray = NDArray[np.float64]


def wins_of(favourability: FloatArray) -> FloatArray:
    """Probability of each number of wins, for each favourability: (numbers, points)."""
    counts = np.arange(study.NEGATIVES + 1)[:, np.newaxis]
    out: FloatArray = stats.binom.pmf(counts, study.NEGATIVES, favourability)
    return out


@cache
def law(name: str) -> tuple[FloatArray, float]:
    """Probabilities of the numbers of wins, and the reciprocal rank among all items, from 20,000 favourabilities."""
    u = study.LAWS[name](20_000, np.random.default_rng(0))
    wins = np.mean([wins_of(part).mean(axis=1) for part in np.split(u, 20)], axis=0)
    return wins, float(study.metric_of(u, 1 - u, study.CATALOGUE, "mrr").mean())


def twin(wins: FloatArray, wanted: float) -> FloatArray:
    """Weights of the nodes of the law with this reciprocal rank whose wins are most alike."""
    metric = study.metric_of(special.ndtr(NODES), special.ndtr(-NODES), study.CATALOGUE, "mrr")
    rows = [
        wins_of(special.ndtr(NODES)) / np.sqrt(wins)[:, np.newaxis],
        FIRM * metric[np.newaxis] / wanted,
        np.full((1, NODES.size), FIRM),
        ROUGHNESS * np.diff(np.eye(NODES.size), 2, axis=0),
    ]
    target = np.concatenate([np.sqrt(wins), [FIRM, FIRM], np.zeros(NODES.size - 2)])
    weight: FloatArray = nnls(np.vstack(rows), target, maxiter=100 * NODES.size)[0]
    return weight / weight.sum()


def row(name: str, times: float) -> list[str]:
    """One law and one twin."""
    wins, value = law(name)
    weight = twin(wins, times * value)
    apart = np.sum(np.square(wins_of(special.ndtr(NODES)) @ weight - wins) / wins)
    variation = 0.5 * np.sqrt(np.expm1(study.N_USERS * np.log1p(apart)))
    own = study.metric_of(special.ndtr(NODES), special.ndtr(-NODES), study.CATALOGUE, "mrr") @ weight
    numbers = (value, own, LEVEL + variation, 2 * HELD - 1 - variation)
    return [name, f"{times:g}", *(f"{number:.4f}" for number in numbers)]


def main() -> None:
    """Write the table."""
    with (study.HERE / "twins.csv").open("w", newline="", encoding="utf-8") as file:
        file.write("# python -m benchmarks.coverage_communities.twins\n")
        csv.writer(file, lineterminator="\n").writerows(
            [HEADER, *(row(name, times) for name in study.LAWS for times in TIMES)]
        )


if __name__ == "__main__":
    main()
