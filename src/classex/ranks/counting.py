"""Count blocks of scores against the score of the truth, and add up the counts by test point and by class."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import FEW, add_to_table, count_block
from classex._kernels.threads import in_order, row_blocks
from classex.ranks._ranks import N_GROUPS, CorrectRanks, DistractorTable, bins_of_wins
from classex.ranks.ties import MOST_TIE_NODES, tie_nodes
from classex.ranks.weights import weights_of_labels

__all__ = [
    "Counts",
    "Doubtful",
    "Tally",
    "Truth",
    "count_blocks",
    "count_scores",
    "count_with_band",
    "no_counts",
    "sums_by_class_group",
]

#: wrong labels that test points beat, and tie with, by group of classes: shape (2, n_rows, n_groups)
Counts = NDArray[np.int32]
#: rows, and classes that are too close to call
Doubtful = tuple[NDArray[np.int64], NDArray[np.int64]]


def no_counts(n_rows: int, n_groups: int) -> Counts:
    """Return counts of zero."""
    return np.zeros((2, n_rows, n_groups), dtype=np.int32)


class Truth(NamedTuple):
    """Correct labels of some test points, and the bands around their scores.

    Attributes
    ----------
    low, high : ndarray of shape (n_rows,)
        Ends of the band: the truth beats what scores below, and loses to what scores above.
    own : ndarray of shape (n_rows,)
        Correct class of each point.
    """

    low: NDArray[Any]
    high: NDArray[Any]
    own: NDArray[np.int64]


def count_with_band(
    block: NDArray[Any], offset: NDArray[Any], truth: Truth, first: int, group: int, beaten: NDArray[np.int32]
) -> Doubtful:
    """Add the wrong labels surely below the truth to `beaten`, and return the pairs in doubt.

    Parameters
    ----------
    block : ndarray of shape (n_rows, n_columns)
        Scores, of which ``offset[column]`` is still to be subtracted.
    offset : ndarray of shape (n_columns,)
        What to subtract.
    truth : Truth
        Correct classes and bands of the rows.
    first : int
        Class of the block's first column.
    group : int
        Group of the block's first column, modulo the number of groups.
    beaten : ndarray of shape (n_rows, n_groups)
        Counts by group, added to in place.
    """
    low, high, own = truth
    between = np.empty(block.shape[0], dtype=np.int64)
    count_block(block, offset, low, high, first, own, group, beaten, between)
    rows = np.flatnonzero(between)
    value = block[rows] - offset
    inside = (value >= low[rows, np.newaxis]) & (value <= high[rows, np.newaxis])
    row, column = np.nonzero(inside)
    wrong = column + first != own[rows[row]]
    return rows[row[wrong]], column[wrong] + first


def count_scores(block: NDArray[Any], own: NDArray[np.int64], n_groups: int, whole: int = 0) -> Counts:
    """Count rows of scores that are compared as stored: equal scores tie.

    Few scores are counted without compiled code; a block is one of `whole` scores in all.
    """
    if max(block.size, whole) <= FEW:
        return _count_few(block, own, n_groups)
    counts = no_counts(own.size, n_groups)
    score = block[np.arange(own.size), own]
    offset = np.zeros(block.shape[1], dtype=block.dtype)
    row, label = count_with_band(block, offset, Truth(score, score, own), 0, 0, counts[0])
    np.add.at(counts[1], (row, label % n_groups), 1)
    return counts


def _count_few(block: NDArray[Any], own: NDArray[np.int64], n_groups: int) -> Counts:
    """Count rows of scores without a compiled loop."""
    points = np.arange(own.size)
    truth = block[points, own][:, np.newaxis]
    beaten = np.stack([block < truth, block == truth])
    beaten[1, points, own] = False
    return sums_by_class_group(beaten, n_groups)


def sums_by_class_group(flags: NDArray[np.bool_], n_groups: int) -> Counts:
    """Number of classes of each group, class c in group ``c % n_groups``, along the last axis of three."""
    rounds = np.pad(flags, ((0, 0), (0, 0), (0, -flags.shape[2] % n_groups)))
    return np.asarray(
        rounds.reshape(*flags.shape[:2], rounds.shape[2] // n_groups, n_groups).sum(axis=2, dtype=np.int32)
    )


class Tally:
    """Wins and ties of every test point, and what every group of classes did as distractors.

    Parameters
    ----------
    labels : ndarray of shape (n_test,)
        Checked correct classes.
    n_classes : int
        Number of classes; class c belongs to group ``c % n_groups``.
    weights : ndarray of shape (n_test,), optional
        Weight of each test point; by default the points of a class share a weight of 1.
    most : int
        Maximum number of groups.
    """

    def __init__(self, labels: NDArray[np.int64], n_classes: int, weights: Any = None, most: int = N_GROUPS) -> None:
        self.labels, self.n_classes, self.n_groups = labels, n_classes, min(n_classes, most)
        self.wins, self.ties = np.zeros((2, labels.size), dtype=np.int64)
        self._weights = weights_of_labels(labels) if weights is None else weights
        self._bins, self._representative = bins_of_wins(n_classes)
        self.table = np.zeros((self._representative.size, self.n_groups))

    def add(self, rows: slice, counts: Counts) -> None:
        """Add the counts of a block of test points."""
        wins, ties, weights = self.wins[rows], self.ties[rows], self._weights[rows]
        if self.labels.size * self.n_groups > FEW:
            add_to_table(*counts, wins, ties, weights, self._bins, self.table)
            return
        wins[:], ties[:] = counts.sum(axis=2)
        for part in row_blocks(wins.size, max(1, FEW // (MOST_TIE_NODES * self.n_groups))):
            point, extra, start = tie_nodes(ties[part])
            weight = weights[part] / np.diff(start, append=point.size)
            beaten, tied = counts[:, part][:, point]
            share = beaten + (extra / np.maximum(ties[part], 1)[point])[:, np.newaxis] * tied
            np.add.at(self.table, self._bins[wins[part][point] + extra], weight[point, np.newaxis] * share)

    def ranks(self) -> CorrectRanks:
        """Return the ranks, once every block was added."""
        table = DistractorTable(self.table, self._representative, np.arange(self.n_classes) % self.n_groups)
        return CorrectRanks(self.wins, self.ties, self.labels, self.n_classes, table)


def count_blocks(
    count: Callable[[slice, int], Counts],
    labels: NDArray[np.int64],
    n_classes: int,
    n_rows: int,
    *,
    most: int = N_GROUPS,
    threads: int | None = None,
    progress: bool = False,
) -> CorrectRanks:
    """Return the ranks from ``count(rows, n_groups)`` on blocks of test points, which several threads share.

    Their distractor table has at most `most` groups of classes.
    """
    tally = Tally(labels, n_classes, most=most)
    blocks = row_blocks(labels.size, n_rows)
    with closing(
        in_order(lambda rows: count(rows, tally.n_groups), blocks, threads=threads, progress=progress)
    ) as done:
        for rows, counts in done:
            tally.add(rows, counts)
    return tally.ranks()
