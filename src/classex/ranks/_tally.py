"""Running count of wins, ties and distractors, block of test points by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from classex._kernels.ranks import add_to_table
from classex.ranks._counting import Counts
from classex.ranks.weights import weights_of_labels
from classex.results.ranks import N_GROUPS, CorrectRanks, DistractorTable, bins_of_wins, groups_of_classes

__all__ = ["Tally"]


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
        self._weights = weights_of_labels(labels) if weights is None else weights
        self._bins, self._representative = bins_of_wins(n_classes)
        self.table = np.zeros((self._representative.size, self.n_groups))

    def add(self, rows: slice, counts: Counts) -> None:
        """Take what the test points of a block beat and tie with."""
        add_to_table(
            counts.beaten,
            counts.tied,
            self.wins[rows],
            self.ties[rows],
            self._weights[rows],
            self._bins,
            self.table,
        )

    def ranks(self) -> CorrectRanks:
        """Return the ranks, once every block was added."""
        table = DistractorTable(self.table, self._representative, groups_of_classes(self.n_classes))
        return CorrectRanks(self.wins, self.ties, self.labels, self.n_classes, table)
