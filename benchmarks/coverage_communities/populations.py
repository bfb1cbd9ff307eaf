"""Real recognisers whose law is known exactly: every test point's rank among all the classes there are.

They are those of the suite's real worlds that score a class by that class's own data, so that what a class scores does
not depend on which others take part. Ranks are in ``ranks.npz``, and
``python -m benchmarks.coverage_communities.populations`` makes them again (some minutes). A metric of all classes is
then a mean over the points, with no error. An experiment sees a few of the classes, or a few wrong labels for each of
some points, drawn at random.

The default's Gaussian process has learnt from the suite how curves go on. Here it is given what it learnt without the
world that it is asked about (``benchmarks/curve_prior/priors.csv``; only `CurvePrior.spread` was chosen with all).
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.sampled_negatives.__main__ import sample
from benchmarks.suite.worlds import FIXED, Texts, real_world
from classex.laws import CurvePrior, Law, fit_gaussian_process
from classex.results import CorrectRanks

HERE = Path(__file__).parent
RANKS = HERE / "ranks.npz"
PRIORS = HERE.parent / "curve_prior" / "priors.csv"
TRAINED = ("logistic regression", "linear SVM", "neural network")
RECOGNISERS: dict[str, tuple[str, ...]] = {
    "glyphs": (
        "naive Bayes",
        "Gaussian discriminant",
        "1-nearest neighbour",
        "nearest centroid",
        *(name + FIXED for name in TRAINED),
    ),
    "words": ("TF-IDF", "SVD"),
    "names": ("TF-IDF", "hashed SVD", "discriminant" + FIXED),
    "hangul": ("nearest centroid", "1-nearest neighbour", "discriminant" + FIXED),
}
WORLDS = tuple(RECOGNISERS)


def law_of(part: int, run: int) -> tuple[str, str]:
    """World and recogniser of a run: the worlds take turns by batches, the recognisers of a world by runs."""
    world = WORLDS[part % len(WORLDS)]
    return world, RECOGNISERS[world][run % len(RECOGNISERS[world])]


@cache
def full_ranks(world: str, recogniser: str) -> CorrectRanks:
    """Ranks of all test points among all classes, as they are stored."""
    with np.load(RANKS, allow_pickle=False) as stored:
        losses, ties = stored[f"{world}|{recogniser}"].astype(np.int64)
    n_classes = {"glyphs": 400, "words": 32_923, "names": 1_381, "hangul": 2_350}[world]
    labels = np.repeat(np.arange(n_classes), losses.size // n_classes)
    return CorrectRanks(n_classes - 1 - losses - ties, ties, labels, n_classes)


@cache
def truth(world: str, recogniser: str, metric: str) -> float:
    """Metric with all classes."""
    ranks = full_ranks(world, recogniser)
    curve = cx.accuracy_curve(ranks, ranks.n_classes, metric=metric, standard_errors=False)
    return float(curve.accuracy[0])


def experiment(world: str, recogniser: str, k1: int, n_repeats: int, rng: np.random.Generator) -> CorrectRanks:
    """Ranks of some test points of k1 classes among these classes."""
    all_of_them = real_world(world)
    classes = rng.choice(all_of_them.n_classes, k1, replace=False)
    scores, labels = all_of_them.scores(recogniser, classes)
    each = labels.size // k1
    few = rng.random((k1, each)).argsort(axis=1)[:, :n_repeats]
    rows = (np.arange(k1)[:, np.newaxis] * each + few).ravel()
    return cx.correct_ranks(scores[rows], labels[rows])


def sampled_negatives(
    world: str, recogniser: str, n_users: int, n_wrong: int, more: int, rng: np.random.Generator
) -> CorrectRanks:
    """Ranks of some test points among a few wrong labels, and `more` of them for those that win against these."""
    ranks = full_ranks(world, recogniser)
    users = rng.choice(ranks.n_points, n_users, replace=False)
    left = min(more, ranks.n_classes - 1 - n_wrong)
    return sample(ranks, users, rng, n_wrong=n_wrong, more=left)[1 if more else 0]


class WithoutWorld(cx.EnsembleExtrapolator):
    """The default, whose Gaussian process has not learnt from one of the worlds.

    Parameters
    ----------
    world : str
        The world left out.
    """

    def __init__(self, world: str) -> None:
        super().__init__()
        self.world = world

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> Any:
        team = super()._fit_law(ranks, scores)
        name = "Gaussian process"
        if name not in team.members:
            return team
        members: dict[str, Law] = {**team.members, name: fit_gaussian_process(ranks, prior=prior_without(self.world))}
        return replace(team, members=members)


@cache
def prior_without(world: str) -> CurvePrior:
    """What the other worlds of the suite teach of curves."""
    with PRIORS.open(encoding="utf-8") as file:
        rows = {row["left_out"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    return CurvePrior(**{name: float(rows[world][name]) for name in ("normal", "wander", "reach")})


def rank_all() -> None:
    """Rank every test point among all classes with every recogniser, and store losses and ties."""
    found: dict[str, NDArray[Any]] = {}
    for world, recognisers in RECOGNISERS.items():
        for recogniser in recognisers:
            ranks = _ranks(world, recogniser)
            found[f"{world}|{recogniser}"] = np.array([ranks.losses, ranks.ties]).astype(np.uint16)
    np.savez_compressed(RANKS, allow_pickle=False, **found)


def _ranks(world: str, recogniser: str) -> CorrectRanks:
    all_of_them = real_world(world)
    every = np.arange(all_of_them.n_classes)
    if isinstance(all_of_them, Texts):  # too many scores to hold at once
        test, references = all_of_them.vectors(recogniser, every)
        return cx.correct_ranks_from_embeddings(test, references, every, metric="inner_product")
    return cx.correct_ranks(*all_of_them.scores(recogniser, every))


if __name__ == "__main__":
    rank_all()
