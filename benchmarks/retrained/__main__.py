"""Recognisers that learn from the observed classes, extrapolated from what they reach when trained on fewer.

Run ``python -m benchmarks.retrained``; it writes ``accuracies.csv`` and ``predictions.csv`` beside this file. In every
draw of the suite the k1 observed classes are split at random into groups of k1 / 16, then of k1 / 8, k1 / 4 and k1 / 2.
The recogniser is trained and tested on every group by itself; the mean accuracies of the groups, and the accuracy with
all observed classes, are a curve, which `GaussianProcessExtrapolator.fit_curve` extrapolates. What the default predicts
from the ranks of the same draws, and the truths, are those of the suite. Glyphs are left out: their classifiers would
train for hours. Every class is tested with all its points, where the suite took five names of 500 classes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import classex as cx
from benchmarks.suite import scoring
from benchmarks.suite.__main__ import all_cells
from benchmarks.suite.cells import Cell
from benchmarks.suite.truths import accuracy
from benchmarks.suite.worlds import SEED, real_world

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.retrained"
WORLDS = ("words", "names", "hangul")
PARTS = (16, 8, 4, 2, 1)
CELL = "world,recogniser,k1,draw"
ACCURACIES, PREDICTIONS = f"{CELL},n_classes,accuracy", f"{CELL},K,prediction,low,high"


def cells(draws: int) -> list[Cell]:
    """Every draw of every recogniser that learns from the observed classes."""
    every = all_cells(list(WORLDS), draws)
    return [cell for cell in every if not real_world(cell.world).recognisers[cell.recogniser]]


def curve(cell: Cell) -> list[tuple[int, float]]:
    """Numbers of classes in a group, and the mean accuracy of the groups."""
    name, recogniser, k1, draw = cell
    world = real_world(name)
    shuffled = np.random.default_rng([SEED, k1, draw]).permutation(world.classes(k1, draw))
    found = []
    for parts in PARTS:
        size = k1 // parts
        groups = shuffled[: size * parts].reshape(parts, size)
        found.append((size, float(np.mean([accuracy(world, recogniser, group) for group in groups]))))
    return found


def predictions(cell: Cell, seen: list[tuple[int, float]]) -> list[list[object]]:
    """Extrapolate a curve to the targets of the suite; one row for each."""
    name, recogniser, k1, _ = cell
    sizes = np.array(real_world(name).targets(recogniser)[k1])
    n_classes, value = zip(*seen, strict=True)
    fitted = cx.GaussianProcessExtrapolator().fit_curve(n_classes, value, k1)
    found = zip(sizes, fitted.predict(sizes), fitted.predict_interval(sizes), strict=True)
    return [[*cell, k, *(f"{x:.5f}" for x in (p, *ends))] for k, p, ends in found]


def main() -> None:
    """Train on every group of every draw, and write the tables."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--draws", type=int, default=40, help="draws of every recogniser and number of classes")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    every = cells(options.draws)
    seen = Parallel(options.jobs)(delayed(curve)(cell) for cell in every)
    pairs = list(zip(every, seen, strict=True))
    command = f"{COMMAND} --draws {options.draws}"
    accuracies = ([*cell, size, f"{value:.5f}"] for cell, found in pairs for size, value in found)
    scoring.write(HERE / "accuracies.csv", ACCURACIES, accuracies, command)
    predicted = (row for pair in pairs for row in predictions(*pair))
    scoring.write(HERE / "predictions.csv", PREDICTIONS, predicted, command)


if __name__ == "__main__":
    main()
