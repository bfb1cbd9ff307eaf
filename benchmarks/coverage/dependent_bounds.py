"""Coverage of the bound for information where test points come in units, or classes have unequal numbers of points.

The class is one of very many names. An observation is the name or blank: blank for every point of some subjects, or
with a chance that varies by subject or by class. The average Bayes accuracies and the information are then known
exactly. Bounds are read as they stand, and as if the points were independent. About five minutes on one core.
"""

from __future__ import annotations

import numpy as np

import classex as cx

SEED, RUNS, LEVEL = 20_261_128, 400, 0.95
NAMES = 10**9
K, REPEATS = 100, 10
TABLE = "coverage_dependent_bounds/coverage"
HEADER = "design,units,runs,coverage,standard_error,coverage_of_information,coverage_if_independent,median_bound"
CELLS = (
    *(("good subjects", n) for n in (2, 3, 5, 10)), *(("varying subjects", n) for n in (2, 5, 10)),
    *(("unequal classes", n) for n in (0,)),
)  # fmt: skip


def chances(design: str, units: int, labels: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Chance that each point shows its name, mean 1/2 over subjects and classes, and the subject of each point."""
    unit = rng.permutation(labels.size) % max(units, 1)
    if design == "good subjects":
        return (rng.random(units) < 0.5)[unit].astype(float), unit
    if design == "varying subjects":
        return rng.beta(1, 1, units)[unit], unit
    return rng.beta(0.5, 0.5, K)[labels], unit


def bound(labels: np.ndarray, seen: np.ndarray, unit: np.ndarray | None) -> cx.information.InformationConfidenceBound:
    """Bound from ranks in which a blank ties with all classes."""
    wins, ties = np.where(seen, K - 1, 0), np.where(seen, 0, K - 1)
    ranks = cx.ranks.in_units(cx.CorrectRanks(wins, ties, labels, K), unit)
    return cx.information_confidence_bound(ranks, confidence_level=LEVEL)


def rows(design: str, units: int) -> list[list[object]]:
    """Coverage of all accuracies at once, and of the information."""
    rng = np.random.default_rng([SEED, CELLS.index((design, units))])
    found: dict[bool, list[cx.information.InformationConfidenceBound]] = {True: [], False: []}
    for _ in range(RUNS):
        repeats = np.full(K, REPEATS) if units else rng.integers(1, 2 * REPEATS, K)
        labels = np.repeat(np.arange(K), repeats)
        chance, unit = chances(design, units, labels, rng)
        seen = rng.random(labels.size) < chance
        found[True].append(bound(labels, seen, unit if units else None))
        if units:
            found[False].append(bound(labels, seen, None))
    sizes = found[True][0].class_counts
    truth = 0.5 * np.array([cx.bayes.distinct_share(int(k), NAMES) for k in sizes]) + 0.5 / sizes
    covered, naive = (
        np.mean([(one.accuracy_bound[0] <= truth).all() for one in some]) if some else np.nan for some in found.values()
    )
    nats = np.array([one.information for one in found[True]])
    numbers = (
        covered, np.sqrt(covered * (1 - covered) / RUNS), (nats <= 0.5 * np.log(NAMES)).mean(), naive, np.median(nats)
    )  # fmt: skip
    return [[design, units, RUNS, *(f"{x:.4f}" for x in numbers)]]
