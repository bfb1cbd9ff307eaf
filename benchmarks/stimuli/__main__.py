"""Power of the permutation test, simulated: ``python -m benchmarks.stimuli`` writes the table ``stimuli/power``.

Scores are standard normal, and those of the correct stimulus are larger by the square root of twice the information:
the high-dimensional limit. The information is the one that the formula detects with power .5 or .8.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np

from benchmarks import study
from classex._loops.curves import subset_accuracy
from classex.fields.identification import detectable_information

COMMAND = "python -m benchmarks.stimuli"
HEADER = "n_stimuli,n_repeats,n_classes,information,predicted,simulated,standard_error,experiments"
EXPERIMENTS, PERMUTATIONS, SEED, LEVEL, BLOCK = 4000, 999, 20261128, 0.05, 250
STIMULI, REPEATS, FEWEST, MOST = (6, 7, 8, 10, 15, 20, 40), (1, 2, 3, 4, 10, 40), 18, 200
CELLS = (
    *((k, r, 2, power) for k, r, power in product(STIMULI, REPEATS, (0.5, 0.8)) if FEWEST <= k * r <= MOST),
    *((k, r, k, 0.5) for k, r in ((6, 10), (6, 20), (8, 20), (10, 10), (10, 20), (20, 10))),
)


def power(k: int, r: int, m: int, information: float, experiments: int = EXPERIMENTS) -> float:
    """Share of experiments with a p-value of at most the level."""
    rng, found = np.random.default_rng([SEED, k, r, m]), 0
    value = subset_accuracy(np.arange(k), k, np.array([m]), 1)[:, 0]
    for _ in range(experiments // BLOCK):
        scores = rng.normal(size=(BLOCK, k, r, k))
        scores[:, np.arange(k), :, np.arange(k)] += np.sqrt(2 * information)
        gained = value[scores.argsort(axis=3).argsort(axis=3)].sum(axis=2)
        orders, among = np.array([rng.permutation(k) for _ in range(PERMUTATIONS)]), np.arange(k)
        observed = np.trace(gained, axis1=1, axis2=2)
        shuffled = gained[:, among, orders].sum(axis=2)
        rank = 1 + (shuffled >= observed[:, np.newaxis] - 1e-9).sum(axis=1)
        found += int((rank <= LEVEL * (PERMUTATIONS + 1) + 1e-9).sum())
    return found / experiments


def row(k: int, r: int, m: int, goal: float) -> list[Any]:
    """Predicted and simulated power of one design, at the information that is predicted to give this power."""
    information = detectable_information(k, r, power=goal, n_classes=m)
    share = power(k, r, m, information)
    error = np.sqrt(share * (1 - share) / EXPERIMENTS)
    print(k, r, m, goal, f"{share - goal:+.3f}", file=sys.stderr, flush=True)
    return [k, r, m, f"{information:.5f}", goal, f"{share:.4f}", f"{error:.4f}", EXPERIMENTS]


if __name__ == "__main__":
    study.write(study.STORED / "stimuli" / "power.csv", COMMAND, HEADER, [row(*cell) for cell in CELLS])
