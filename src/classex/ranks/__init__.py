"""Ranks of the correct label, from a score matrix or streamed from embeddings.

The rank is counted in *wins*: ``R* = #{m != i : M_ijm < M_iji}``, the wrong labels that score strictly below
the correct one (thesis section 2.3.1, with the correction that the correct label never counts itself).
"""

from classex.ranks._check import as_ranks
from classex.ranks._embeddings import correct_ranks_from_embeddings
from classex.ranks._from_wins import ranks_from_wins
from classex.ranks._neighbours import ranks_from_neighbours
from classex.ranks._scores import correct_ranks, subset_ranks, thin_ranks
from classex.ranks.ties import MOST_TIE_NODES, tie_nodes
from classex.ranks.weights import class_totals, point_shares, point_weights
from classex.results.ranks import bins_of_wins, groups_of_classes

__all__ = [
    "MOST_TIE_NODES",
    "as_ranks",
    "bins_of_wins",
    "class_totals",
    "correct_ranks",
    "correct_ranks_from_embeddings",
    "groups_of_classes",
    "point_shares",
    "point_weights",
    "ranks_from_neighbours",
    "ranks_from_wins",
    "subset_ranks",
    "thin_ranks",
    "tie_nodes",
]
