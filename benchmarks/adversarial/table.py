"""One row of the table of cells, and what its `draw` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.adversarial.worlds import Array, Rng

LEVEL, TEST = 0.95, 0.05
CELLS: list[Cell] = []


@dataclass(frozen=True)
class Cell:
    """A world, a function of the package, and the truth that its interval should cover.

    `draw` makes one data set, calls the function once, and returns (truth, low, high) for every setting. A test returns
    (level, p-value, 1): it "covers" when it rejects. `source` is the row of the review that found the case (A, B, C,
    held, P0, P1, field) or "own": chosen for this benchmark before any result was seen.
    """

    source: str
    function: str
    name: str
    settings: tuple[str, ...]
    draw: Callable[[Rng], Array]
    draws: int = 200
    nominal: float = LEVEL

    @property
    def key(self) -> str:
        """What names the cell, and seeds it."""
        return f"{self.source} | {self.function} | {self.name} | {self.settings[0]}"


def add(source: str, function: str, name: str, settings: Sequence[str], draw: Any, **options: Any) -> None:
    CELLS.append(Cell(source, function, name, tuple(settings), draw, **options))


def rows(truth: ArrayLike, ends: ArrayLike) -> Array:
    """(truth, low, high) of every setting."""
    ends = np.atleast_2d(np.asarray(ends, float))
    return np.column_stack([np.broadcast_to(np.asarray(truth, float), len(ends)), ends])


def rejection(p_value: float) -> Array:
    return rows(TEST, [p_value, 1.0])
