"""Running count of wins, ties and distractors, block of test points by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import add_to_table
from classex.ranks._counting import Counts
from classex.results import CorrectRanks, DistractorTable

__all__ = ["MOST_TIE_NODES", "N_GROUPS", "Tally", "bins_of_wins", "groups_of_classes"]

#: classes beyond this many share groups; prime, so that no pattern in the order of the classes aligns with it
N_GROUPS = 509
MOST_TIE_NODES = 33
_EXACT_LOSSES = 128


def bins_of_wins(n_classes: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Bin of every number of wins 0..n_classes-1, and the number of wins that stands for each bin.

    All values are kept up to 509 classes. Beyond, losses below 128 are kept and larger ones fall into bins
    that widen geometrically: subset accuracies vary with the logarithm of the losses.
    """
    if n_classes > N_GROUPS:
        ratio = (n_classes / _EXACT_LOSSES) ** (np.arange(_EXACT_LOSSES) / _EXACT_LOSSES)
        start = np.union1d(np.arange(_EXACT_LOSSES), np.ceil(_EXACT_LOSSES * ratio).astype(np.int64))
        start = start[start < n_classes]
    else:
        start = np.arange(n_classes)
    # bins are numbered by wins, from the most losses down
    length = np.diff(start, append=n_classes)[::-1]
    middle = np.rint(start[::-1] + (length - 1) / 2).astype(np.int64)
    return np.repeat(np.arange(start.size, dtype=np.int16), length), n_classes - 1 - middle


def groups_of_classes(n_classes: int) -> NDArray[np.int16]:
    """Group of every class, each its own up to 509 classes: jackknives leave out groups."""
    groups = np.arange(N_GROUPS, dtype=np.int16)
    return np.resize(groups, n_classes)


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
    """

    def __init__(self, labels: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64] | None = None) -> None:
        self.labels = labels
        self.n_classes = n_classes
        self.n_groups = min(n_classes, N_GROUPS)
        self.wins = np.zeros(labels.size, dtype=np.int64)
        self.ties = np.zeros(labels.size, dtype=np.int64)
        self._weights = shared_weights(labels, n_classes) if weights is None else weights
        self._bins, self._representative = bins_of_wins(n_classes)
        self.table = np.zeros((self._representative.size, self.n_groups))

    def add(self, rows: slice, counts: Counts) -> None:
        """Take what the test points of a block beat and tie with."""
        self.wins[rows] = counts.beaten.sum(axis=1)
        if counts.tied.size:
            self.ties[rows] = counts.tied.sum(axis=1)
        add_to_table(
            counts.beaten,
            counts.tied,
            self.wins[rows],
            self.ties[rows],
            self._weights[rows],
            self._bins,
            MOST_TIE_NODES,
            self.table,
        )

    def ranks(self) -> CorrectRanks:
        """Return the ranks, once every block was added."""
        table = DistractorTable(self.table, self._representative, groups_of_classes(self.n_classes))
        return CorrectRanks(self.wins, self.ties, self.labels, self.n_classes, table)


def shared_weights(labels: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Weight of every test point: the points of one class share a total weight of 1."""
    weights: NDArray[np.float64] = 1.0 / np.bincount(labels, minlength=n_classes)[labels]
    return weights
