"""One cell of the suite: one draw of observed classes, and what every method predicts from it."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

import classex as cx
from benchmarks.suite.exact import exact_world
from benchmarks.suite.methods import METHODS, SCORED
from benchmarks.suite.scoring import REAL
from benchmarks.suite.worlds import World, real_world

EXACT = ("Gaussian", "bivariate", "faces")
TARGETS = ("average", "fresh", "superset")
PREDICTIONS = "world,recogniser,k1,draw,method,K,prediction"
INTERVALS = "world,recogniser,k1,draw,method,K,target,low,high"


class Cell(NamedTuple):
    """Where a draw is: world, recogniser, number of observed classes, number of the draw."""

    world: str
    recogniser: str
    k1: int
    draw: int


def world_of(name: str) -> World:
    """Return a world by its name."""
    return real_world(name) if name in REAL else exact_world(name)


def predict(cell: Cell, methods: list[str]) -> list[list[Any]]:
    """Let every wanted method predict from one draw; one row a method and target size."""
    world = world_of(cell.world)
    sizes = world.targets(cell.recogniser)[cell.k1]
    scores, labels = world.draw(cell.recogniser, cell.k1, cell.draw)
    ranks = cx.correct_ranks(scores, labels)
    rows = []
    for name in methods:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lack of fit: what follows from it is what is measured
                method = METHODS[name]()
                fitted = method.fit(scores, labels) if name in SCORED else method.fit_ranks(ranks)
                predicted = fitted.predict(sizes)
        except cx.exceptions.SolverError:
            predicted = np.full(len(sizes), np.nan)  # counted as a failure, and not hidden
        rows += [[*cell, name, k, f"{p:.6f}"] for k, p in zip(sizes, predicted, strict=True)]
    return rows


def intervals(cell: Cell, methods: list[str]) -> list[list[Any]]:
    """Let every wanted method give its 95 % intervals for what can be looked up: averages, and single sets of classes.

    Single sets are tested with as many points a class as the world has.
    """
    world = world_of(cell.world)
    sizes = np.array(world.targets(cell.recogniser)[cell.k1])
    scores, labels = world.draw(cell.recogniser, cell.k1, cell.draw)
    ranks = cx.correct_ranks(scores, labels)
    rows = []
    for name in methods:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = METHODS[name]()
            fitted = method.fit(scores, labels) if name in SCORED else method.fit_ranks(ranks)
            for target in TARGETS:
                known = sizes[[target in world.known(cell.recogniser, size) for size in sizes]]
                if not known.size:
                    continue
                ends = fitted.predict_interval(known, target=target, n_repeats=world.n_repeats, rng=cell.draw)
                rows += [
                    [*cell, name, k, target, f"{low:.6f}", f"{high:.6f}"]
                    for k, (low, high) in zip(known, ends, strict=True)
                ]
    return rows
