"""The data of some of the classes, from scores or from thinned ranks; and the variance that thinning loses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.curves.accuracy import accuracy_curve
from classex.ranks import subset_ranks, thin_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["distractor_ratio", "ranks_of_classes"]


def ranks_of_classes(
    ranks: CorrectRanks, scores: NDArray[Any] | None, classes: NDArray[np.int64], rng: np.random.Generator
) -> tuple[CorrectRanks, NDArray[Any] | None]:
    """Return ranks and scores of some of the classes alone.

    Exact from scores, and if every point met a sample of its own. Otherwise every point keeps a random subset of its
    wrong labels, without the dependence between points that share some (see `classex.ranks.thin_ranks`).
    """
    if ranks.n_wrong is not None:
        # classes are numbered by position among those with test points
        rows = np.flatnonzero(np.isin(np.unique(ranks.labels, return_inverse=True)[1], classes))
        wins, ties, labels, met = (values[rows] for values in (ranks.wins, ranks.ties, ranks.labels, ranks.n_wrong))
        few = replace(ranks, wins=wins, ties=ties, labels=labels, distractors=None, n_wrong=met, point_units=None)
        return replace(few, clusters=None), None
    if scores is None:
        return thin_ranks(ranks, classes, rng=rng), None
    few, block = subset_ranks(scores, ranks.labels, classes)
    return replace(few, class_balanced=ranks.class_balanced), block


def distractor_ratio(ranks: CorrectRanks) -> float:
    """Variance of the average accuracy at half the classes, over its part due to the classes' own points."""
    if ranks.distractors is None or ranks.largest_subset < 4:
        return 1.0
    ranks = replace(ranks, point_units=None)
    alone = replace(ranks, distractors=None)
    half = ranks.largest_subset // 2
    own = float(accuracy_curve(alone, half).standard_error[0])
    full = float(accuracy_curve(ranks, half).standard_error[0])
    return max((full / own) ** 2, 1.0) if own > 0 else 1.0
