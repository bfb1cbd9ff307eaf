"""What the predictions are measured against: average accuracies, and accuracies of single sets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.suite.cells import Cell, world_of
from benchmarks.suite.exact import ExactWorld
from benchmarks.suite.scoring import HERE, read
from benchmarks.suite.worlds import SUBSET, Texts, World

TRUTHS = "world,recogniser,K,accuracy,standard_error"
OUTCOMES = "world,recogniser,k1,draw,K,target,accuracy"
# sets of classes on which a recogniser that is not marginal is trained, for one average
SETS = {"glyphs": 8, "words": 3, "names": 10, "hangul": 10}


def truth(world_name: str, recogniser: str, size: int) -> list[Any]:
    """Average accuracy with `size` classes of the world: exact, or a mean over trained sets with its error."""
    world = world_of(world_name)
    if isinstance(world, ExactWorld):
        return [world_name, recogniser, size, f"{world.models[recogniser].average_accuracy(size):.6f}", "0"]
    if isinstance(world, Texts) and (size == world.n_classes or world.recognisers[recogniser]):
        # the study of the words has ranked them all; learnt from all the references, a recogniser is the marginal one
        system = {"TF-IDF": "tfidf", "SVD": "svd"}[recogniser.removesuffix(SUBSET)]
        curve = {(row["system"], int(row["k"])): row["accuracy"] for row in read(HERE.parent / "words" / "curves.csv")}
        return [world_name, recogniser, size, curve[system, size], "0"]
    if size == world.n_classes or world.recognisers[recogniser]:
        value = float(cx.accuracy_curve(all_ranks(world, recogniser), size).accuracy[0])
        return [world_name, recogniser, size, f"{value:.6f}", "0"]
    found = [accuracy(world, recogniser, world.classes(size, draw)) for draw in range(SETS[world_name])]
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    return [world_name, recogniser, size, f"{np.mean(found):.6f}", f"{error:.6f}"]


def all_ranks(world: World, recogniser: str) -> cx.CorrectRanks:
    """Ranks of all test points among all classes of a real world."""
    everything = np.arange(world.n_classes)
    name = recogniser.removesuffix(SUBSET)
    return cx.correct_ranks(*world.scores(name if name in world.recognisers else recogniser, everything))


def accuracy(world: World, recogniser: str, classes: NDArray[np.int64]) -> float:
    """Accuracy on one set of classes, and of nothing else."""
    if isinstance(world, Texts):
        test, references = world.vectors(recogniser, classes)
        labels = np.arange(len(classes))
        ranks = cx.correct_ranks_from_embeddings(test, references, labels, metric="inner_product")
    else:
        ranks = cx.correct_ranks(*world.scores(recogniser, classes))
    return float(cx.accuracy_curve(ranks, len(classes)).accuracy[0])


def outcomes(cell: Cell) -> list[list[Any]]:
    """Accuracies on one fresh set and on one set that holds the observed classes, for every target size."""
    world = world_of(cell.world)
    rows: list[list[Any]] = []
    for size in world.targets(cell.recogniser)[cell.k1]:
        for target, found in _outcomes(world, cell, size):
            rows.append([*cell, size, target, f"{found:.6f}"])
    return rows


def has_outcome(cell: Cell, size: int) -> bool:
    """Whether single sets of this size are looked at."""
    return "fresh" in world_of(cell.world).known(cell.recogniser, size)


def _outcomes(world: World, cell: Cell, size: int) -> list[tuple[str, float]]:
    if not has_outcome(cell, size):
        return []
    if isinstance(world, ExactWorld):
        place = (cell.recogniser, cell.k1, cell.draw, size)
        return [(target, world.set_accuracy(*place, superset=target == "superset")) for target in ("superset", "fresh")]
    observed = world.classes(cell.k1, cell.draw)
    others = np.setdiff1d(np.arange(world.n_classes), observed)
    rng = np.random.default_rng([size, cell.k1, cell.draw])
    more = np.concatenate([observed, rng.choice(others, size - cell.k1, replace=False)])
    fresh = rng.choice(world.n_classes, size, replace=False)
    name = cell.recogniser
    return [("superset", accuracy(world, name, more)), ("fresh", accuracy(world, name, fresh))]
