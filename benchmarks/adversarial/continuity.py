"""What one lost comparison changes in the intervals of ``classex.extrapolate``.

``python -m benchmarks.adversarial.continuity`` draws random data sets of three kinds, lets one test point lose one
comparison that it won, and prints how far the lower end, the prediction and the upper end rise at most. None should
rise by more than a small fraction of the interval's width, because the second data set is worse than the first.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

import classex as cx
from benchmarks.adversarial import worlds as w
from benchmarks.adversarial.worlds import Array, Rng

SEED = 2027
TIMES = (2, 10, 100)
LOSSES = 4  # comparisons, each lost alone, for every data set
ENDS = ("lower end", "prediction", "upper end")


def random_scores(rng: Rng, fewest: int = 20, most: int = 100) -> tuple[Array, Array]:
    """Scores and labels of K classes and 1 to 5 points each.

    The favourability is Phi(mu + Z), as for normal scores, or probit-normal or beta with other parameters. Scores of
    wrong labels are uniform, and that of the true label is the favourability.
    """
    K, r = int(np.exp(rng.uniform(np.log(fewest), np.log(most + 1)))), int(rng.integers(1, 6))
    n = K * r
    kind = rng.integers(3)
    if kind == 2:
        own = rng.beta(np.exp(rng.uniform(0, 7)), rng.choice([0.3, 1, 3]), n)
    else:
        sd = 1 if kind == 0 else rng.uniform(0.3, 2)
        own = w.special.ndtr(rng.uniform(1, 6) + sd * rng.normal(size=n))
    scores, labels = rng.random((n, K)), np.repeat(np.arange(K), r)
    scores[np.arange(n), labels] = own
    return scores, labels


def one_lost(rng: Rng, scores: Array, labels: Array) -> tuple[Array, bool]:
    """Scores in which one comparison that was won is lost, and whether a right answer becomes a wrong one by it."""
    own = scores[np.arange(labels.size), labels]
    i, j = rng.permutation(np.argwhere(scores < own[:, None]))[0]
    worse = scores.copy()
    worse[i, j] = np.nextafter(own[i], np.inf)
    return worse, bool(scores[i].max() == own[i])


def one_perfect(rng: Rng, scores: Array, labels: Array) -> Array:
    """Scores in which one point, right or wrong, beats every label."""
    better, i = scores.copy(), rng.integers(labels.size)
    better[i, labels[i]] = scores[i].max() + 1
    return better


def ends(scores: Array, labels: Array) -> Array:
    """(3, sizes) lower ends, predictions and upper ends."""
    K = scores.shape[1]
    found = cx.extrapolate(scores, labels, n_classes=[K * t for t in TIMES])
    assert found.interval is not None
    return np.stack([found.interval[:, 0], found.accuracy, found.interval[:, 1]])


def changes(n_worlds: int) -> Iterator[tuple[Array, bool]]:
    """(3, sizes) rises after one loss, and whether an answer became wrong by it."""
    for number in range(n_worlds):
        rng = np.random.default_rng([SEED, number])
        scores, labels = random_scores(rng)
        before = ends(scores, labels)
        for _ in range(LOSSES):
            worse, turned = one_lost(rng, scores, labels)
            yield ends(worse, labels) - before, turned


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversarial.continuity", description=__doc__)
    parser.add_argument("--worlds", type=int, default=150, help="number of data sets (default 150)")
    with warnings.catch_warnings(action="ignore"):
        found = list(changes(parser.parse_args().worlds))
    rise, turned = np.array([rise for rise, _ in found]), np.array([turned for _, turned in found])
    for text, some in (("comparison lost", np.full(turned.size, True)), ("and an answer with it", turned)):
        print(f"{text} ({some.sum()}):")
        for name, of_end in zip(ENDS, rise[some].transpose(1, 0, 2), strict=True):
            share = [
                f"{(of_end.max(axis=1) > limit).mean():.1%} by more than {limit}" for limit in (0.001, 0.005, 0.03)
            ]
            largest = ", ".join(f"x {t} {most:.4f}" for t, most in zip(TIMES, of_end.max(axis=0), strict=True))
            print(f"  largest rise of the {name}: {largest}; {', '.join(share)}")


if __name__ == "__main__":
    main()
