"""Groups of Gaussian classes: ``python -m benchmarks.growth.nested`` writes ``nested.csv``.

Sixty groups of forty classes. Centres of groups are normal with standard deviation `between` in each of some
dimensions, classes around them with 0.6, test points around classes with 0.4. From whole groups, all groups are
predicted, in twenty draws.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import classex as cx
from benchmarks import study
from benchmarks.growth.__main__ import predicted

TABLE = study.STORED / "growth" / "nested.csv"
COMMAND = "python -m benchmarks.growth.nested"
HEADER = "between,dimensions,groups,truth,method,bias,rmse,coverage"
WORLDS, OBSERVED, GROUPS, EACH, DRAWS = ((1.0, 6), (0.5, 6), (0.3, 6), (1.0, 3)), (3, 5, 10), 60, 40, 20


def world(between: float, dimensions: int, n_groups: int) -> list[list[Any]]:
    """Errors of both predictions from some whole groups."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(GROUPS), EACH)
    centres = between * rng.normal(size=(GROUPS, dimensions))
    references = centres[group] + 0.6 * rng.normal(size=(group.size, dimensions))
    test = references + 0.4 * rng.normal(size=references.shape)
    scores = -np.square(test[:, np.newaxis] - references).sum(axis=2)
    truth = float((cx.correct_ranks(scores, np.arange(group.size)).losses == 0).mean())
    found = []
    for draw in range(DRAWS):
        drawn = np.random.default_rng([1, draw]).choice(GROUPS, n_groups, replace=False)
        some = np.flatnonzero(np.isin(group, drawn))
        seen = scores[np.ix_(some, some)]
        given = {"groups": group[some], "growth": "more groups"}
        found.append([predicted(seen, group.size), predicted(seen, group.size, **given)])
    out = []
    for method, (value, low, high) in zip(("at random", "groups"), np.array(found).transpose(1, 2, 0), strict=True):
        numbers = (np.mean(value - truth), np.sqrt(np.mean(np.square(value - truth))))
        covered = np.mean((low <= truth) & (truth <= high))
        found_numbers = [f"{number:.4f}" for number in (*numbers, covered)]
        out.append([between, dimensions, n_groups, f"{truth:.4f}", method, *found_numbers])
    return out


if __name__ == "__main__":
    cells = [(*one, number) for one, number in product(WORLDS, OBSERVED)]
    study.write(TABLE, COMMAND, HEADER, [row for cell in cells for row in world(*cell)])
