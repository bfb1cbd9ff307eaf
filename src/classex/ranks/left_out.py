"""Ranks where some comparisons are left out: junk, the same camera, items seen in training, padded options."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.ranks._ranks import N_GROUPS, CorrectRanks, DistractorTable
from classex.ranks.counting import sums_by_class_group
from classex.ranks.ties import tie_nodes
from classex.ranks.weights import weights_of_labels

__all__ = ["ranks_without"]

# comparisons of a block: a few megabytes
_BLOCK_ELEMENTS = 2**20


def ranks_without(
    scores: NDArray[Any], labels: NDArray[np.int64], left_out: NDArray[np.bool_], *, most: int = N_GROUPS
) -> CorrectRanks:
    """Return the ranks among the wrong labels that are not left out, with a distractor table of at most `most` groups.

    Parameters
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Checked scores; what they are where comparisons are left out does not matter.
    labels : ndarray of shape (n_test,)
        Column of the correct label of each test point.
    left_out : ndarray of bool of shape (n_test, n_classes)
        Which comparisons are left out.
    most : int
        Maximum number of groups of classes.

    Raises
    ------
    ValueError
        If the correct label of a point is left out, or all wrong ones are.
    """
    n, k = scores.shape
    n_wrong = k - 1 - left_out.sum(axis=1)
    for bad, what in ((left_out[np.arange(n), labels], "its correct label"), (n_wrong < 1, "all its wrong labels")):
        if bad.any():
            raise ValueError(
                f"left_out must leave the correct label and a wrong one, but row {bad.argmax()} lacks {what}"
            )
    n_groups = min(k, most)

    def counted(rows: slice) -> NDArray[np.int32]:
        """Count what points beat, tie with and meet, by group: shape (3, n_rows, n_groups)."""
        block, met, own = scores[rows], ~left_out[rows], labels[rows]
        truth = block[np.arange(own.size), own][:, np.newaxis]
        met[np.arange(own.size), own] = False
        return sums_by_class_group(np.stack([met & (block < truth), met & (block == truth), met]), n_groups)

    step = max(1, _BLOCK_ELEMENTS // k)
    blocks = [slice(first, min(first + step, n)) for first in range(0, n, step)]
    wins, ties = np.concatenate([counted(rows)[:2].sum(axis=2) for rows in blocks], axis=1).astype(np.int64)
    point, extra, start = tie_nodes(ties)
    weight = (weights_of_labels(labels) / np.diff(start, append=point.size))[point, np.newaxis]
    code, row = np.unique(n_wrong[point] * k + wins[point] + extra, return_inverse=True)
    beaten, met = np.zeros((2, code.size, n_groups))
    for rows in blocks:
        nodes = slice(*np.searchsorted(point, [rows.start, rows.stop]))
        sure, tied, all_met = counted(rows)[:, point[nodes] - rows.start]
        share = (extra[nodes] / np.maximum(ties[point[nodes]], 1))[:, np.newaxis]
        np.add.at(beaten, row[nodes], weight[nodes] * (sure + share * tied))
        np.add.at(met, row[nodes], weight[nodes] * all_met)
    table = DistractorTable(beaten, code % k, np.arange(k) % n_groups, met, code // k)
    return CorrectRanks(wins, ties, labels, k, table, n_wrong, left_out=True)
