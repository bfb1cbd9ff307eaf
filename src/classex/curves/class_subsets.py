"""The data of some of the classes, from scores or, failing them, from thinned ranks; and what thinning loses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.curves.accuracy import accuracy_curve
from classex.ranks import subset_ranks, thin_ranks
from classex.results import CorrectRanks

__all__ = ["distractor_ratio", "ranks_of_classes"]


def ranks_of_classes(
    ranks: CorrectRanks, scores: NDArray[Any] | None, classes: NDArray[np.int64], rng: np.random.Generator
) -> tuple[CorrectRanks, NDArray[Any] | None]:
    """Return ranks and scores of some of the classes alone.

    Exact from scores, and where every point met a sample of its own. Else every point keeps random ones of its wrong
    labels, which loses the dependence between points through those they share (see `classex.ranks.thin_ranks`).
    """
    if ranks.n_wrong is not None:
        return sampled_ranks_of(ranks, classes), None
    if scores is None:
        return thin_ranks(ranks, classes, rng=rng), None
    return subset_ranks(scores, ranks.labels, classes)


def sampled_ranks_of(ranks: CorrectRanks, classes: NDArray[np.int64]) -> CorrectRanks:
    """Return the points of some of the tested classes, by position among these; each keeps its own wrong labels."""
    label = np.unique(ranks.labels, return_inverse=True)[1]
    rows = np.flatnonzero(np.isin(label, classes))
    met = None if ranks.n_wrong is None else ranks.n_wrong[rows]
    wins, ties, labels = ranks.wins[rows], ranks.ties[rows], ranks.labels[rows]
    return CorrectRanks(wins, ties, labels, ranks.n_classes, None, met, ranks.class_balanced)


def distractor_ratio(ranks: CorrectRanks) -> float:
    """Variance of the average accuracy at half the classes, over its part due to the classes' own points."""
    if ranks.distractors is None or ranks.n_classes < 4:
        return 1.0
    alone = replace(ranks, distractors=None)
    half = ranks.n_classes // 2
    own = float(accuracy_curve(alone, half).standard_error[0])
    full = float(accuracy_curve(ranks, half).standard_error[0])
    return max((full / own) ** 2, 1.0) if own > 0 else 1.0
