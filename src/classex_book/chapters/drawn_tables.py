"""Tables and shares that variants of exercises in several chapters draw: their numbers and their expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from classex_book.course.texts import Numbers

ROWS = ("first", "second", "third")


def draw_channel(rng: np.random.Generator) -> Numbers:
    """Three rows of probabilities of three letters, in tenths, and a number k of 2 or 3."""
    rows: Numbers = {}
    for row in ROWS:
        cuts = np.sort(rng.choice(np.arange(1, 10), 2, replace=False))
        rows[row] = [float(share) / 10 for share in np.diff([0, *cuts, 10])]
    return rows | {"k": int(rng.integers(2, 4))}


def stacked(rows: Mapping[str, Sequence[float]]) -> NDArray[np.float64]:
    """Return the three rows as one table."""
    return np.array([rows[row] for row in ROWS], dtype=np.float64)


def mean_entropy(cells: int, n: int) -> float:
    """Mean entropy of the shares when n balls fall into equally likely cells."""
    from scipy.stats import binom  # slow to load, and a check of an answer does without

    count = np.arange(1, n + 1)
    return -cells * float(np.sum(binom.pmf(count, n, 1 / cells) * count / n * np.log(count / n)))
