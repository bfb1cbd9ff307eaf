"""Ranks of the correct label, from a score matrix or streamed from embeddings.

The rank is counted in *wins*: ``R* = #{m != i : M_ijm < M_iji}``, the wrong labels that score strictly below
the correct one (thesis section 2.3.1, with the correction that the correct label never counts itself).
"""

from classex.ranks._embeddings import correct_ranks_from_embeddings
from classex.ranks._scores import correct_ranks, subset_ranks, thin_ranks
from classex.ranks._tally import MOST_TIE_NODES, bins_of_wins, groups_of_classes

__all__ = [
    "MOST_TIE_NODES",
    "bins_of_wins",
    "correct_ranks",
    "correct_ranks_from_embeddings",
    "groups_of_classes",
    "subset_ranks",
    "thin_ranks",
]
