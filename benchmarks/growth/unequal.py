"""Classes drawn with unequal chances: ``python -m benchmarks.growth.unequal`` writes ``unequal.csv``.

From 10,000 entries of WordNet, 500 are drawn with chances that fall with the rank of the word, counted by how often
its first lemma occurs in all 32,923 definitions and examples. All 10,000 entries are predicted, in twelve draws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import study
from benchmarks.growth.__main__ import predicted, scores_of
from classex_book.data import embed_words, load_words

TABLE = study.STORED / "growth" / "unequal.csv"
COMMAND = "python -m benchmarks.growth.unequal"
HEADER = "classifier,power,effective,truth,method,bias,rmse,coverage,width"
POPULATION, OBSERVED, DRAWS, SEED = 10_000, 500, 12, 20261125
# Chances fall as one over the rank to this power
POWERS = (0.5, 1.0)


def order_of_words() -> NDArray[np.int64]:
    """Rank 1, 2, ... of each entry by the occurrences of its first lemma, the most frequent first."""
    data = load_words()
    counts = Counter(re.findall(r"[a-z]+", " ".join(data.references + data.tests).lower()))
    # of several words the rarest counts
    found = [min(counts[w] for w in re.findall(r"[a-z]+", name.split(",")[0].lower()) or [""]) for name in data.lemmas]
    rank = np.empty(POPULATION, dtype=np.int64)
    rank[np.argsort(-np.array(found[:POPULATION]), kind="stable")] = np.arange(1, POPULATION + 1)
    return rank


def chances(size: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Chances proportional to `size`, at most 1, that sum to a number of classes."""
    out = np.minimum(number * size / size.sum(), 1)
    while out.sum() < number - 1e-9:
        free = out < 1
        out[free] = np.minimum(out[free] * (number - (~free).sum()) / out[free].sum(), 1)
    return out


def drawn(chance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw classes with exactly these chances, by systematic sampling in random order."""
    order = rng.permutation(chance.size)
    passed = np.floor(np.append(0.0, np.cumsum(chance[order])) + rng.random())
    return order[np.diff(passed) > 0]


def rows(system: str, power: float, rank: NDArray[np.int64]) -> Iterator[list[Any]]:
    """Errors of the predictions of one classifier, with and without weights."""
    test, references = embed_words(load_words(POPULATION), system=system)
    truth = float(np.mean([_right(test, references, first) for first in range(0, POPULATION, 500)]))
    chance = chances(1.0 / rank**power, OBSERVED)
    found, worth = [], []
    for draw in range(DRAWS):
        classes = drawn(chance, np.random.default_rng([SEED, draw]))
        weights = 1 / chance[classes]
        scores = scores_of(test, references, classes)
        found.append([predicted(scores, POPULATION), predicted(scores, POPULATION, weights=weights)])
        worth.append(weights.sum() ** 2 / np.square(weights).sum())
    for method, (value, low, high) in zip(("at random", "weights"), np.array(found).transpose(1, 2, 0), strict=True):
        covered = np.mean((low <= truth) & (truth <= high))
        numbers = (np.mean(value - truth), np.sqrt(np.mean(np.square(value - truth))), covered, np.mean(high - low))
        cell = [system, power, round(float(np.mean(worth))), f"{truth:.4f}", method]
        yield [*cell, *(f"{number:.4f}" for number in numbers)]


def _right(test: Any, references: Any, first: int) -> float:
    """Accuracy of a block of points among all classes, ties broken at random."""
    some = np.arange(first, first + 500)
    product = test[some] @ references.T
    scores = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
    own = scores[np.arange(500), some][:, np.newaxis]
    best = (scores <= own).all(axis=1)
    return float(np.where(best, 1 / (scores == own).sum(axis=1), 0.0).mean())


if __name__ == "__main__":
    ranks = order_of_words()
    cells = product(("tfidf", "svd"), POWERS)
    study.write(TABLE, COMMAND, HEADER, [row for system, power in cells for row in rows(system, power, ranks)])
