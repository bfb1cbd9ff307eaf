"""What even the best method would have by luck: the measure, on draws that are made anew from the stored errors.

The measure divides the error of a method by the least error of any, on the same few draws. Of two methods that err
alike in the long run one is ahead on eight draws, and nobody knows which. So the best method of a task, known from the
law of its errors and not from the draws, has a ratio above 1 too. How far above, a simulation tells: the errors of all
methods on eight new draws are the stored ones drawn with replacement, or normal with the stored means and covariances.
Methods keep what they have in common, because a draw is taken for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite import scoring
from benchmarks.suite.methods import CLEANEX

HEADER = "rule,law,tasks,repetitions,ratio,standard_error,worst,one_in_a_hundred,share_above,tasks_above"
KNOWN, ANOTHER = "the best method of each task", "another method, with errors like the best one's"
RESAMPLED, NORMAL = "resampled", "normal"
REPETITIONS, SEED = 1_000, 20261122
# what the default was asked for
WORST_WANTED = 1.4
LEAST = 1e-12
FloatArray = NDArray[np.float64]


def stored_errors(folder: Path) -> Iterator[FloatArray]:
    """Errors of every task's methods: (methods, draws); without CleaneX, and methods that missed a draw."""
    for _, at, found in scoring.read_tasks(folder):
        # in the order of the draws, so that a column is one draw
        in_order = {name: dict(sorted(draws.items())) for name, draws in found.items() if name != CLEANEX}
        most = max(map(len, in_order.values()))
        yield np.array([scoring.errors(in_order, at, name) for name, draws in in_order.items() if len(draws) == most])


def again(error: FloatArray, law: str, repetitions: int, rng: np.random.Generator) -> FloatArray:
    """Mean squares on as many new draws: (methods, repetitions)."""
    n = error.shape[1]
    if law == RESAMPLED:
        return np.asarray(np.square(error)[:, rng.integers(n, size=(repetitions, n))].mean(axis=2))
    mean = error.mean(axis=1)
    spread = (error - mean[:, np.newaxis]) / np.sqrt(n - 1)
    drawn = mean + rng.standard_normal((repetitions, n, n)) @ spread.T
    return np.asarray(np.square(drawn).mean(axis=1).T)


def log_ratios(
    error: FloatArray, law: str, repetitions: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Log ratios of the best method in the long run: on the draws that set the measure, and on others."""
    variance = error.var(axis=1, ddof=0 if law == RESAMPLED else 1)
    best = int((np.square(error.mean(axis=1)) + variance).argmin())
    measure, own = (np.maximum(again(error, law, repetitions, rng), LEAST) for _ in range(2))
    least = measure.min(axis=0)
    return np.log(measure[best] / least) / 2, np.log(own[best] / least) / 2


def rows(folder: Path, repetitions: int = REPETITIONS) -> list[list[Any]]:
    """One row a rule and law of the draws.

    Geometric mean ratio and its standard deviation over the repetitions; median of the worst ratio, and what it falls
    below in one repetition of a hundred; the share of repetitions in which it is above the ratio that was wanted, and
    how many tasks are, on average.
    """
    errors = list(stored_errors(folder))
    out: list[list[Any]] = []
    for law in (RESAMPLED, NORMAL):
        rng = np.random.default_rng(SEED)
        found = [log_ratios(error, law, repetitions, rng) for error in errors]
        for rule, logs in zip((KNOWN, ANOTHER), map(np.array, zip(*found, strict=True)), strict=True):
            mean, worst = logs.mean(axis=0), np.exp(logs.max(axis=0))
            above = logs > np.log(WORST_WANTED)
            numbers = (
                *(np.exp(mean.mean()), mean.std(ddof=1), np.median(worst), np.quantile(worst, 0.01)),
                *(above.any(axis=0).mean(), above.sum(axis=0).mean()),
            )
            out.append([rule, law, len(errors), repetitions, *(f"{number:.3f}" for number in numbers)])
    return out


def write(folder: Path) -> None:
    """Write ``luck.csv``."""
    scoring.write(folder / "luck.csv", HEADER, rows(folder))
