"""Benchmarks of problems whose chances of success have a known law, for the intervals of pass@k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import classex as cx

FloatArray = NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], FloatArray]

# share of problems never solved, and the law of the chance of the others
PROBLEMS: dict[str, tuple[float, Draw]] = {
    "beta, 20 % never": (0.2, lambda n, rng: rng.beta(0.5, 4.0, n)),
    "beta, none never": (0.0, lambda n, rng: rng.beta(0.3, 2.0, n)),
    "log-normal": (0.0, lambda n, rng: np.minimum(np.exp(rng.normal(-4.0, 2.0, n)), 1.0)),
    "30 % alike": (0.0, lambda n, rng: np.where(rng.random(n) < 0.3, 0.004, rng.beta(1.0, 3.0, n))),
}
N_PROBLEMS, TRIALS, ATTEMPTS = 200, 50, (5, 50, 100, 500)


def truth(name: str) -> FloatArray:
    """pass@k of the population of problems, from a million of them."""
    never, draw = PROBLEMS[name]
    p = draw(1_000_000, np.random.default_rng(0))
    return np.array([(1 - never) * (1 - (1 - p) ** k).mean() for _, k in targets(name)])


def targets(name: str) -> list[tuple[str, int]]:
    """What the intervals are for: an estimate, or the limits, and the number of attempts."""
    limits = [("limits of pass@", k) for k in ATTEMPTS if k > TRIALS] if name == "30 % alike" else []
    return [("pass@", k) for k in ATTEMPTS] + limits


def run(name: str, rng: np.random.Generator, level: float) -> FloatArray:
    """Interval ends of one benchmark: (targets, 2)."""
    never, draw = PROBLEMS[name]
    p = draw(N_PROBLEMS, rng) * (rng.random(N_PROBLEMS) >= never)
    found = cx.pass_at_k(rng.binomial(TRIALS, p), TRIALS, ATTEMPTS, confidence_level=level)
    both = np.concatenate([found.interval, found.limits[found.extrapolated]])
    return both[: len(targets(name))]
