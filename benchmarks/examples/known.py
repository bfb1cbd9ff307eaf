"""Classes whose true accuracy can be simulated: ``python -m benchmarks.examples.known`` writes ``known.csv``.

Class means are normal, with variance 1, in some number of dimensions. The noise of examples and test points is normal,
or follows Student's distribution with three degrees of freedom. The class with the example at the smallest Euclidean
distance is chosen. From samples of 60 classes with two or four examples of each and two test points,
`extrapolate_examples` predicts the accuracy with up to four times the classes and 16 times the examples. The truth is
the mean over 12,000 test points of new classes and all subsets of 1,500 wrong classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

import classex as cx
from benchmarks import study
from benchmarks.examples.__main__ import HERE, compared, line
from classex.trials import predicted_probits

FloatArray = NDArray[np.float64]
COMMAND = "python -m benchmarks.examples.known"
HEADER = "noise,dimensions,variance,r1,K,r,truth,bias,rmse,same_examples,line,coverage,width,score"
# variances of the noise for which four examples of 60 classes give an accuracy of .58, .80 and .60
POPULATIONS = (
    *(("normal", 2, 0.017), ("normal", 4, 0.125), ("normal", 8, 0.375), ("normal", 16, 0.832)),
    *(("normal", 3, 0.0273), ("normal", 6, 0.142), ("normal", 12, 0.402), ("normal", 32, 1.068)),
    *(("Student", 4, 0.193), ("Student", 12, 0.889)),
)
SIZES, MOST, N_CLASSES, N_DRAWS, SEED = np.array([60.0, 240.0]), 64, 60, 24, 20261128


def drawn(noise: str, p: int, variance: float, n: int, each: int, rng: np.random.Generator) -> FloatArray:
    """Points of n classes: (n, each, p)."""
    shape = n, each, p
    error = rng.normal(size=shape) if noise == "normal" else rng.standard_t(3, size=shape) / np.sqrt(3)
    return rng.normal(size=(n, 1, p)) + np.sqrt(variance) * error


def truth(noise: str, p: int, variance: float, numbers: list[int]) -> FloatArray:
    """True accuracies for each number of classes and of examples."""
    rng = np.random.default_rng([SEED, p])
    stored = drawn(noise, p, variance, 1_500, MOST, rng).astype(np.float32)
    wins: list[list[NDArray[np.int64]]] = [[] for _ in numbers]
    for _ in range(12):
        own = drawn(noise, p, variance, 1_000, MOST + 1, rng).astype(np.float32)
        test, distance = own[:, 0], np.square(own[:, 1:] - own[:, :1]).sum(axis=2)
        nearest = np.full((1_000, 1_500), np.inf, dtype=np.float32)
        for r in range(MOST):
            # |t - s|^2 - |t|^2
            np.minimum(nearest, np.square(stored[:, r]).sum(axis=1) - 2 * test @ stored[:, r].T, out=nearest)
            if r + 1 in numbers:
                mine = distance[:, : r + 1].min(axis=1) - np.square(test).sum(axis=1)
                wins[numbers.index(r + 1)].append((nearest > mine[:, np.newaxis]).sum(axis=1))
    ranks = [cx.ranks_from_wins(np.concatenate(each), 1_501) for each in wins]
    return np.stack([cx.accuracy_curve(one, SIZES.astype(int)).accuracy for one in ranks], axis=1)


def rows(noise: str, p: int, variance: float, r1: int) -> list[tuple]:
    """Errors, coverage, width and score for every number of classes and of examples."""
    numbers = [r for r in (r1, 2 * r1, 4 * r1, 16 * r1) if r <= MOST]
    found, straight = [], []
    for draw in range(N_DRAWS):
        own = drawn(noise, p, variance, N_CLASSES, r1 + 2, np.random.default_rng([SEED, p, r1, draw]))
        stored, tests = own[:, 2:].reshape(-1, p), own[:, :2].reshape(-1, 1, p)
        similarity = -np.linalg.norm(tests - stored, axis=2)
        sample = similarity, np.repeat(np.arange(N_CLASSES), 2), np.repeat(np.arange(N_CLASSES), r1)
        found.append(predicted_probits(*sample, SIZES, np.array(numbers, dtype=float)))
        straight.append([line(sample, numbers)])
    mean, half = (np.array(one) for one in zip(*found, strict=True))
    others = special.ndtr(mean[:, :, :1]), special.ndtr(mean[:, :, :1] + straight)
    cells = compared(SIZES, numbers, truth(noise, p, variance, numbers), mean, half, others)
    return [(noise, p, variance, r1, *cell) for cell in cells]


def main() -> None:
    """Write the table."""
    table = [row for population in POPULATIONS for r1 in (2, 4) for row in rows(*population, r1)]
    study.write(HERE / "known.csv", COMMAND, HEADER, table)


if __name__ == "__main__":
    main()
