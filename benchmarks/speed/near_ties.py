"""A million pairs of scores that differ in the last bits or not at all, against exact integers."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.speed.ranks import embeddings
from benchmarks.speed.timing import Row
from classex.ranks import comparison
from classex.ranks.comparison import Comparison, exact_signs
from classex.ranks.inputs import ClassesOfReferences

N_TEST, N_CLASSES, N_FEATURES = 500, 501, 6
SAMPLE = 20_000
# Euclidean distances by differences, and by products
KINDS = (("euclidean", 16), ("euclidean", 0), ("inner_product", 16), ("cosine", 16))


def adversarial(rng: np.random.Generator, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Test points within a few last places of one point, and references that it cannot tell apart.

    They lie at one distance from it or, permuted, at one angle to the diagonal; every seventh has a double.
    """
    step = rng.normal(size=N_FEATURES)
    turned = step[np.argsort(rng.random((N_CLASSES, N_FEATURES)), axis=1)]
    centre = np.full(N_FEATURES, rng.normal())
    if metric == "euclidean":
        centre = rng.normal(size=N_FEATURES)
        turned = centre + rng.choice([-1.0, 1.0], turned.shape) * turned
    turned[1::7] = turned[0:-1:7]
    away = rng.integers(-3, 4, (N_TEST, N_FEATURES)) * np.spacing(centre)
    return centre + away, turned


def as_integers(array: np.ndarray) -> np.ndarray:
    """The stored numbers times one power of two, as exact Python integers."""
    mantissa, exponent = np.frexp(array.astype(np.float64))
    whole = (mantissa * 2.0**53).astype(np.int64).astype(object)
    return whole << (exponent - exponent.min()).astype(object)


def exact_order(test: np.ndarray, references: np.ndarray, metric: str) -> np.ndarray:
    """Integers in the order of the scores of every pair."""
    both = as_integers(np.concatenate([test, references]))
    points, exemplars = both[: test.shape[0]], both[test.shape[0] :]
    products = points.dot(exemplars.T)
    squares = (exemplars * exemplars).sum(axis=1)
    if metric == "euclidean":
        return 2 * products - squares
    if metric == "inner_product":
        return products
    # cosines compare as sign(p) p^2 / s: brought to one denominator, their order is that of integers
    distinct = set(squares.tolist())
    common = 1
    for square in distinct:
        common *= square
    share = np.array([common // square for square in squares.tolist()], dtype=object)
    return np.abs(products) * products * share


def plain_wins(test: np.ndarray, references: np.ndarray, labels: np.ndarray, metric: str) -> np.ndarray:
    """Wins by plain double precision."""
    x, r = test.astype(np.float64), references.astype(np.float64)
    scores = x @ r.T
    if metric == "euclidean":
        scores = -((x[:, np.newaxis] - r) ** 2).sum(axis=2)
    elif metric == "cosine":
        scores = scores / np.linalg.norm(r, axis=1)
    return (scores < scores[np.arange(labels.size), labels][:, np.newaxis]).sum(axis=1)


def near_ties() -> list[Row]:
    """Counts that differ from exact arithmetic, the share of second looks, and their cost."""
    rng = np.random.default_rng(1)
    pairs = wrong = plain_wrong = looks = 0
    cost: dict[str, float] = {}
    for metric, fewer in KINDS:
        test, references = adversarial(rng, metric)
        labels = rng.integers(0, N_CLASSES, N_TEST)
        score = exact_order(test, references, metric)
        own = score[np.arange(N_TEST), labels][:, np.newaxis]
        wins, ties = (score < own).sum(axis=1), (score == own).sum(axis=1) - 1
        classes = ClassesOfReferences(None, N_CLASSES)
        usual, comparison.FEWER = comparison.FEWER, fewer
        compared = Comparison(test, references, labels, classes, metric, largest=10.0)
        comparison.FEWER = usual
        counts, again = compared.count(slice(0, N_TEST), N_CLASSES)
        found_wins, found_ties = counts.sum(axis=2)
        wrong += int(((found_wins != wins) | (found_ties != ties)).sum())
        plain_wrong += int((plain_wins(test, references, labels, metric) != wins).sum())
        pairs += N_TEST * (N_CLASSES - 1)
        looks += again
        row = rng.integers(0, N_TEST, SAMPLE)
        where = (row, rng.integers(0, N_CLASSES, SAMPLE), labels[row])
        start = time.perf_counter()
        exact_signs(test, references, where, metric)
        cost[metric] = (time.perf_counter() - start) / SAMPLE * 1e6
    return [
        Row("pairs", float(pairs)),
        Row("test points with a wrong count", float(wrong), "", "0"),
        Row("test points with a wrong count by plain double precision", float(plain_wrong)),
        Row("share of the pairs looked at twice", looks / pairs),
        *(Row(f"cost of a second look, {metric.replace('_', ' ')}", value, "µs") for metric, value in cost.items()),
        *_ordinary(),
    ]


def _ordinary() -> list[Row]:
    """The same share on embeddings that nobody chose to be hard."""
    rows = []
    for d, dtype in ((10, np.float64), (128, np.float32)):
        test, references, labels = embeddings(5_000, d, 2.0, dtype)
        classes = ClassesOfReferences(None, labels.size)
        compared = Comparison(test, references, labels, classes, "euclidean", largest=10.0)
        looks = sum(compared.count(slice(first, first + 500), 509)[1] for first in range(0, labels.size, 500))
        rows.append(Row(f"share looked at twice, ordinary embeddings, {d} dimensions", looks / labels.size**2))
    return rows
