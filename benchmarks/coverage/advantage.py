"""Coverage of the intervals for the prediction advantage; about six minutes on two cores."""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.coverage.populations import populations
from classex.advantage import prediction_advantage_interval

TABLE = "coverage_advantage/coverage"
HEADER = "loss,population,n,method,runs,advantage,coverage,standard_error,too_low,too_high,median_width"
RUNS = {"delta": 2000, "bootstrap": 400}
CELLS = tuple(product(RUNS, (200, 2000), range(len(populations()))))


def rows(method: str, n: int, index: int) -> list[list[object]]:
    """Coverage of the true advantage over independent samples of n rows of one population."""
    loss, population = populations()[index]
    rng = np.random.default_rng(20_170_000 + CELLS.index((method, n, index)))
    runs = RUNS[method]
    ends = np.empty((runs, 2))
    for run in range(runs):
        y, f = population.draw(n, rng)
        interval = prediction_advantage_interval(y, f, **population.options, method=method, n_resamples=499, rng=rng)
        ends[run] = interval.low, interval.high
    truth = population.advantage
    # rounding must not decide about a limit that equals a truth at the boundary
    below, above = (ends[:, 1] < truth - 1e-12).mean(), (ends[:, 0] > truth + 1e-12).mean()
    covered = 1 - below - above
    error = np.sqrt(covered * (1 - covered) / runs)
    width = float(np.median(ends[:, 1] - ends[:, 0]))
    numbers = (f"{value:.4f}" for value in (truth, covered, error, below, above, width))
    return [[loss, population.name, n, method, runs, *numbers]]
