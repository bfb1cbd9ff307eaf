"""Compare what the score-sharpened law claims of single points with their favourability among very many classes.

``python -m benchmarks.score_claims`` fits the score law to a few hundred classes of words and of Gaussian classes, and
then counts the wins of the same test points against 20,000 other classes. ``claims.csv`` has, for every range of the
claimed probit of the favourability, the mean claim and quantiles of the truth. Points that beat all but a few per cent
of the wrong labels are judged well everywhere. Beyond, the claim of Gaussian classes goes on to be right; that of words
runs away, because what beats these points are near twins of their classes, and the bulk does not announce them.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import classex as cx
from classex.datasets import embed_words, load_words
from classex.distributions.wins import point_shares
from classex.methods._score_prior import fit_score_prior
from classex.models import GaussianClasses

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.score_claims"
SIZES = {100: 10, 500: 2}
OTHERS = 20_000
EDGES = (-3, 0, 1, 2, 2.5, 3, 3.5, 4, 5, 7, 10, 30)
FEWEST = 10
HEADER = "system,k1,claimed_from,claimed_to,points,mean_claim,truth_q10,truth_q25,truth_median,truth_q75,truth_mean"

FloatArray = NDArray[np.float64]
Part = tuple[FloatArray, FloatArray]


def claims(scores: FloatArray) -> FloatArray | None:
    """Mean of the law of each point's probit given its scores; one point a class."""
    k1 = len(scores)
    ranks = cx.correct_ranks(scores, np.arange(k1))
    halves = np.array([np.random.default_rng(seed).permutation(k1) < k1 // 2 for seed in range(3)])
    distribution = fit_score_prior(scores, ranks.labels, point_shares(ranks), halves=halves)
    return None if distribution is None else distribution.normal(distribution.guess)[0]


def truth(own: FloatArray, others: FloatArray) -> FloatArray:
    """Probit of the share of the other classes that each point beats, half a class added on either side."""
    column = own[:, np.newaxis]
    wins = (others < column).sum(axis=1) + 0.5 * (others == column).sum(axis=1)
    return np.asarray(special.ndtri((wins + 0.5) / (others.shape[1] + 1)))


def words(k1: int, draw: int, embedded: tuple[Any, Any]) -> Part | None:
    """Claims and truth for a random set of word senses."""
    test, references = embedded
    order = np.random.default_rng([20261122, k1, draw]).permutation(test.shape[0])
    chosen, rest = order[:k1], order[k1 : k1 + OTHERS]
    product = test[chosen].astype(np.float64) @ references[np.concatenate([chosen, rest])].astype(np.float64).T
    scores = np.asarray(product.toarray() if hasattr(product, "toarray") else product)
    claimed = claims(np.ascontiguousarray(scores[:, :k1]))
    return None if claimed is None else (claimed, truth(np.diagonal(scores), scores[:, k1:]))


def gaussian(noise: float, k1: int, draw: int) -> Part | None:
    """Claims and truth for a sample of Gaussian classes."""
    model = GaussianClasses(10, noise)
    rng = np.random.default_rng([20261122, k1, draw, round(1_000 * noise)])
    sample, rest = model.sample(k1, rng=rng), model.sample(OTHERS, rng=rng)
    claimed = claims(sample.scores)
    if claimed is None:
        return None
    return claimed, truth(np.diagonal(sample.scores), model.scores(sample.points, rest.references))


def rows(system: str, k1: int, parts: list[Part]) -> Iterator[list[Any]]:
    """One row for every range of claims."""
    claimed, true = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    for low, high in pairwise(EDGES):
        inside = (claimed >= low) & (claimed < high)
        if inside.sum() >= FEWEST:
            found = np.quantile(true[inside], (0.1, 0.25, 0.5, 0.75))
            numbers = (claimed[inside].mean(), *found, true[inside].mean())
            yield [system, k1, low, high, int(inside.sum()), *(f"{number:.3f}" for number in numbers)]


def main(argv: list[str] | None = None) -> int:
    argparse.ArgumentParser(prog=COMMAND, description=__doc__).parse_args(argv)
    everything = load_words()
    table: list[list[Any]] = []
    for system in ("tfidf", "svd"):
        embedded = embed_words(everything, system=system)
        for k1, draws in SIZES.items():
            found = [words(k1, draw, embedded) for draw in range(draws)]
            table += rows(f"words {system}", k1, [part for part in found if part is not None])
    for noise in (0.05, 0.2):
        for k1, draws in SIZES.items():
            found = [gaussian(noise, k1, draw) for draw in range(draws)]
            table += rows(f"Gaussian {noise:g}", k1, [part for part in found if part is not None])
    with (HERE / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND}\n{HEADER}\n")
        csv.writer(file, lineterminator="\n").writerows(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
