"""Running count of wins, ties and distractors, block of test points by block."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import add_to_table
from classex.results import CorrectRanks, DistractorTable

__all__ = ["MOST_TIE_NODES", "N_GROUPS", "Tally", "bins_of_wins"]

#: classes beyond this many share groups; prime, so that no pattern in the order of the classes aligns with it
N_GROUPS = 509
MOST_TIE_NODES = 33
_EXACT_LOSSES = 128


def bins_of_wins(n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bin of every number of wins 0..n_classes-1, and the number of wins that stands for each bin.

    All values are kept up to 509 classes. Beyond, losses below 128 are kept and larger ones fall into bins
    that widen geometrically: subset accuracies vary with the logarithm of the losses.
    """
    losses = np.arange(n_classes, dtype=np.int64)
    if n_classes > N_GROUPS:
        step = np.log(n_classes / _EXACT_LOSSES) / _EXACT_LOSSES
        coarse = _EXACT_LOSSES + np.floor(np.log(np.maximum(losses, 1) / _EXACT_LOSSES) / step).astype(np.int64)
        losses_bin = np.unique(np.where(losses < _EXACT_LOSSES, losses, coarse), return_inverse=True)[1]
    else:
        losses_bin = losses
    count = np.bincount(losses_bin)
    middle = np.rint(np.bincount(losses_bin, weights=losses) / count).astype(np.int64)
    return losses_bin[::-1].copy(), n_classes - 1 - middle


class Tally:
    """Wins and ties of every test point, and what every group of classes did as distractors.

    Parameters
    ----------
    labels : ndarray of shape (n_test,)
        Checked correct classes.
    n_classes : int
        Number of classes; class c belongs to group ``c % n_groups``.
    """

    def __init__(self, labels: NDArray[np.int64], n_classes: int) -> None:
        self.labels = labels
        self.n_classes = n_classes
        self.n_groups = min(n_classes, N_GROUPS)
        self.wins = np.zeros(labels.size, dtype=np.int64)
        self.ties = np.zeros(labels.size, dtype=np.int64)
        self._weights = 1.0 / np.bincount(labels, minlength=n_classes)[labels]
        self._bins, self._representative = bins_of_wins(n_classes)
        self._table = np.zeros((self._representative.size, self.n_groups))

    def empty_counts(self, n_rows: int) -> NDArray[np.int32]:
        """Zero counts of wrong labels by group, for a block of test points."""
        return np.zeros((n_rows, self.n_groups), dtype=np.int32)

    def add(self, rows: slice, beaten: NDArray[np.int32], tied_rows: NDArray[Any], tied_classes: NDArray[Any]) -> None:
        """Take a block's counts of wrong labels beaten, and the list of its (row, class) ties."""
        ties = np.bincount(tied_rows, minlength=beaten.shape[0])
        tied = np.zeros((0, 1), dtype=np.int32)
        if tied_rows.size:
            tied = self.empty_counts(beaten.shape[0])
            np.add.at(tied, (tied_rows, tied_classes % self.n_groups), 1)
        self.wins[rows] = beaten.sum(axis=1)
        self.ties[rows] = ties
        add_to_table(
            beaten,
            tied,
            self.wins[rows],
            self.ties[rows],
            self._weights[rows],
            self._bins,
            MOST_TIE_NODES,
            min(numba.get_num_threads(), self.n_groups),
            self._table,
        )

    def ranks(self) -> CorrectRanks:
        """Return the ranks, once every block was added."""
        group = np.arange(self.n_classes, dtype=np.int64) % self.n_groups
        table = DistractorTable(self._table, self._representative, group)
        return CorrectRanks(self.wins, self.ties, self.labels, self.n_classes, table)
