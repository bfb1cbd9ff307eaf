"""One cell of the suite: one draw of observed classes, and what every method predicts from it."""

from __future__ import annotations

import time
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
PREDICTIONS = "world,recogniser,k1,draw,method,K,prediction,seconds"
INTERVALS = "world,recogniser,k1,draw,method,K,target,low,high,seconds"


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
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lack of fit: what follows from it is what is measured
                method = METHODS[name]()
                fitted = method.fit(scores, labels) if name in SCORED else method.fit_ranks(ranks)
                predicted = fitted.predict(sizes)
        except cx.exceptions.SolverError:
            predicted = np.full(len(sizes), np.nan)  # counted as a failure, and not hidden
        seconds = f"{time.perf_counter() - start:.3f}"
        rows += [[*cell, name, k, f"{p:.6f}", seconds] for k, p in zip(sizes, predicted, strict=True)]
    return rows


def intervals(cell: Cell, methods: list[str]) -> list[list[Any]]:
    """Let every wanted method give its 95 % intervals for the three targets."""
    world = world_of(cell.world)
    sizes = world.targets(cell.recogniser)[cell.k1]
    scores, labels = world.draw(cell.recogniser, cell.k1, cell.draw)
    ranks = cx.correct_ranks(scores, labels)
    rows = []
    for name in methods:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = METHODS[name]()
            fitted = method.fit(scores, labels) if name in SCORED else method.fit_ranks(ranks)
            for target in TARGETS:
                ends = fitted.predict_interval(sizes, target=target, rng=cell.draw)
                seconds = f"{time.perf_counter() - start:.3f}"
                rows += [
                    [*cell, name, k, target, f"{low:.6f}", f"{high:.6f}", seconds]
                    for k, (low, high) in zip(sizes, ends, strict=True)
                ]
    return rows
