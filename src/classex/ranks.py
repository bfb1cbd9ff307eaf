"""Ranks of the correct label, from a score matrix or streamed from embeddings.

The rank is counted in *wins*: ``R* = #{m != i : M_ijm < M_iji}``, the wrong labels that score strictly below
the correct one (thesis section 2.3.1, with the correction that the correct label never counts itself).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._kernels.ranks import add_distractors, count_wins
from classex._validation import as_finite_array, as_generator, as_labels, as_positive_int, as_scores, one_of
from classex.results import CorrectRanks, DistractorTable

__all__ = ["correct_ranks", "correct_ranks_from_embeddings", "subset_ranks", "thin_ranks"]

METRICS = ("euclidean", "inner_product", "cosine")
_MOST_GROUPS = 512
_EXACT_LOSSES = 128
MOST_TIE_NODES = 33
_BLOCK_BYTES = 64 * 2**20


def correct_ranks(scores: ArrayLike, labels: ArrayLike) -> CorrectRanks:
    """Rank of the correct label of every test point, from a matrix of scores.

    ``wins[j] = #{m != labels[j] : scores[j, m] < scores[j, labels[j]]}``, and ``ties`` counts the equal ones.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_classes)
        Score of every label for every test point; higher is better. Any monotone scale will do.
    labels : array_like of shape (n_test,)
        Column of the correct label of each test point. Every class needs at least one test point.

    Returns
    -------
    CorrectRanks
        Wins and ties of every test point, with what the standard errors of `accuracy_curve` need.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, a label is out of range, a class has no test point, there are fewer
        than two classes, or the shapes disagree.
    TypeError
        If scores or labels are not numbers.

    Notes
    -----
    Source: thesis section 2.3.1; journal version section 2.2. A label is never its own competitor.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3])
    >>> ranks.wins
    array([2, 3, 1, 1])
    """
    matrix = as_scores(scores)
    truth = as_labels(labels, matrix.shape[0], matrix.shape[1])
    return _collect([(slice(0, matrix.shape[0]), matrix)], truth, matrix.shape[1])


def correct_ranks_from_embeddings(
    test: ArrayLike,
    references: ArrayLike,
    labels: ArrayLike,
    reference_labels: ArrayLike | None = None,
    metric: str = "euclidean",
) -> CorrectRanks:
    """Rank of the correct label of every test point, streamed from embeddings.

    The score of a class is minus the distance (or the inner product, or the cosine) between the test point
    and the class's reference; with several references a class scores as its best one. Scores are computed in
    blocks of test points, so the ``n_test x n_classes`` matrix is never formed.

    Parameters
    ----------
    test : array_like of shape (n_test, n_features)
        Embeddings of the test points.
    references : array_like of shape (n_references, n_features)
        Embeddings of the references.
    labels : array_like of shape (n_test,)
        Correct class of each test point, in ``0..n_classes-1``.
    reference_labels : array_like of shape (n_references,), optional
        Class of each reference. By default reference ``c`` is the one of class ``c``.
    metric : {"euclidean", "inner_product", "cosine"}
        How a test point and a reference are compared.

    Returns
    -------
    CorrectRanks
        The same as `correct_ranks` on the matrix of scores.

    Raises
    ------
    ValueError
        If an entry is NaN or infinite, shapes disagree, a class has no reference or no test point, a label is
        out of range, the metric is unknown, or (cosine) a row is zero.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Source: journal version section 5.1 (face recognition by embeddings).

    Examples
    --------
    >>> import classex as cx
    >>> cx.correct_ranks_from_embeddings([[0.1], [0.8]], [[0.0], [1.0]], [0, 1]).wins
    array([1, 1])
    """
    points = as_finite_array(test, "test", ndim=2)
    exemplars = as_finite_array(references, "references", ndim=2)
    if points.shape[1] != exemplars.shape[1]:
        raise ValueError(
            f"test and references must have the same number of columns, but have {points.shape[1]}"
            f" and {exemplars.shape[1]}"
        )
    kind = one_of(metric, "metric", METRICS)
    owner = None
    n_classes = exemplars.shape[0]
    if reference_labels is not None:
        raw = np.asarray(reference_labels)
        n_classes = int(raw.max()) + 1 if raw.size and np.issubdtype(raw.dtype, np.integer) else 1
        owner = as_labels(raw, exemplars.shape[0], max(n_classes, 1), "reference_labels")
    as_positive_int(n_classes, "the number of classes", minimum=2)
    truth = as_labels(labels, points.shape[0], n_classes)
    if kind == "cosine":
        points, exemplars = _unit_rows(points, "test"), _unit_rows(exemplars, "references")
    return _collect(_score_blocks(points, exemplars, owner, kind), truth, n_classes)


def subset_ranks(
    scores: NDArray[Any], labels: NDArray[np.int64], classes: ArrayLike
) -> tuple[CorrectRanks, NDArray[Any]]:
    """Ranks among some of the classes, exactly, from scores that were checked before.

    Parameters
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Finite scores.
    labels : ndarray of shape (n_test,)
        Column of the correct label of each test point.
    classes : array_like of int
        The classes to keep, each once, at least two; class ``classes[c]`` becomes class c.

    Returns
    -------
    CorrectRanks
        Ranks of the kept classes' test points among the kept classes, without distractor information.
    ndarray
        The kept rows and columns of `scores`.

    Raises
    ------
    ValueError
        If `classes` holds fewer than two classes, one twice, or one that does not exist.
    """
    kept, rows, relabelled = _kept_classes(labels, classes, scores.shape[1])
    block = scores[np.ix_(rows, kept)]
    wins = np.empty(rows.size, dtype=np.int64)
    ties = np.empty(rows.size, dtype=np.int64)
    count_wins(block, relabelled, wins, ties)
    return CorrectRanks(wins, ties, relabelled, kept.size), block


def thin_ranks(ranks: CorrectRanks, classes: ArrayLike, *, rng: Any) -> CorrectRanks:
    """Ranks as they could have been among some of the classes, where scores are not known.

    Each test point of a kept class keeps a random subset of its wrong labels, so its wins and ties are
    hypergeometric. The distribution of every single rank is exact; the dependence between points through
    shared wrong labels is lost.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks among all classes.
    classes : array_like of int
        The classes to keep, each once, at least two; class ``classes[c]`` becomes class c.
    rng : int, numpy.random.Generator or None
        Seed or generator.

    Returns
    -------
    CorrectRanks
        Thinned ranks, without distractor information.

    Raises
    ------
    ValueError
        If `classes` holds fewer than two classes, one twice, or one that does not exist.
    """
    generator = as_generator(rng)
    kept, rows, relabelled = _kept_classes(ranks.labels, classes, ranks.n_classes)
    wins, ties = ranks.wins[rows], ranks.ties[rows]
    drawn = kept.size - 1
    new_wins = generator.hypergeometric(wins, ranks.n_classes - 1 - wins, drawn)
    new_ties = generator.hypergeometric(ties, ranks.n_classes - 1 - wins - ties, drawn - new_wins)
    return CorrectRanks(new_wins, new_ties, relabelled, kept.size)


def _kept_classes(
    labels: NDArray[np.int64], classes: ArrayLike, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.int64]]:
    """Return the kept classes, the rows of their test points, and those rows' new labels."""
    kept = np.asarray(classes, dtype=np.int64)
    if kept.ndim != 1 or kept.size < 2 or np.unique(kept).size != kept.size:
        raise ValueError(f"classes must be at least two different classes, not {classes!r}")
    if kept.min() < 0 or kept.max() >= n_classes:
        raise ValueError(f"classes must lie in 0..{n_classes - 1}, but range from {kept.min()} to {kept.max()}")
    new = np.full(n_classes, -1, dtype=np.int64)
    new[kept] = np.arange(kept.size)
    rows = np.flatnonzero(new[labels] >= 0)
    return kept, rows, new[labels[rows]]


def _unit_rows(array: NDArray[Any], name: str) -> NDArray[Any]:
    norm = np.linalg.norm(array, axis=1)
    if not norm.all():
        raise ValueError(f"{name} must have no zero row with metric='cosine', but row {int(np.argmin(norm))} is")
    unit: NDArray[Any] = array / norm[:, np.newaxis]
    return unit


def _score_blocks(
    points: NDArray[Any], exemplars: NDArray[Any], owner: NDArray[np.int64] | None, metric: str
) -> Iterator[tuple[slice, NDArray[Any]]]:
    from scipy.spatial.distance import cdist

    order, starts = _by_class(owner) if owner is not None else (None, None)
    step = max(1, _BLOCK_BYTES // (8 * exemplars.shape[0]))
    for first in range(0, points.shape[0], step):
        rows = slice(first, min(first + step, points.shape[0]))
        # cdist sums squared differences, which keeps mirrored pairs level where |x|^2 - 2xy + |y|^2 does not
        block = -cdist(points[rows], exemplars, "sqeuclidean") if metric == "euclidean" else points[rows] @ exemplars.T
        if order is not None and starts is not None:
            block = np.maximum.reduceat(block[:, order], starts, axis=1)
        yield rows, block


def _by_class(owner: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order that brings the references of each class together, and where each class starts in it."""
    order = np.argsort(owner, kind="stable")
    return order, np.searchsorted(owner[order], np.arange(owner.max() + 1))


def _collect(blocks: Iterable[tuple[slice, NDArray[Any]]], labels: NDArray[np.int64], n_classes: int) -> CorrectRanks:
    """Count wins and ties block by block, and what every class did as a distractor."""
    wins = np.empty(labels.size, dtype=np.int64)
    ties = np.empty(labels.size, dtype=np.int64)
    weights = 1.0 / np.bincount(labels, minlength=n_classes)[labels]
    bin_of_wins, representative = bins_of_wins(n_classes)
    group = _groups(n_classes)
    beaten = np.zeros((representative.size, int(group.max()) + 1))
    n_chunks = min(numba.get_num_threads(), beaten.shape[1])
    for rows, block in blocks:
        truth = labels[rows]
        count_wins(block, truth, wins[rows], ties[rows])
        add_distractors(
            block, truth, wins[rows], ties[rows], weights[rows], bin_of_wins, group, MOST_TIE_NODES, n_chunks, beaten
        )
    return CorrectRanks(wins, ties, labels, n_classes, DistractorTable(beaten, representative, group))


def bins_of_wins(n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bin of every number of wins 0..n_classes-1, and the number of wins that stands for each bin.

    All values are kept up to 512 classes. Beyond, losses below 128 are kept and larger ones fall into bins
    that widen geometrically: subset accuracies vary with the logarithm of the losses.
    """
    losses = np.arange(n_classes, dtype=np.int64)
    if n_classes > _MOST_GROUPS:
        widest = np.log(max(n_classes / _EXACT_LOSSES, 2.0))
        step = widest / _EXACT_LOSSES
        coarse = _EXACT_LOSSES + np.floor(np.log(np.maximum(losses, 1) / _EXACT_LOSSES) / step).astype(np.int64)
        losses_bin = np.unique(np.where(losses < _EXACT_LOSSES, losses, coarse), return_inverse=True)[1]
    else:
        losses_bin = losses
    count = np.bincount(losses_bin)
    middle = np.rint(np.bincount(losses_bin, weights=losses) / count).astype(np.int64)
    return losses_bin[::-1].copy(), n_classes - 1 - middle


def _groups(n_classes: int) -> NDArray[np.int64]:
    groups = np.arange(n_classes, dtype=np.int64) % _MOST_GROUPS
    if n_classes > _MOST_GROUPS:
        # a fixed shuffle, so that no pattern in the order of the classes becomes one in the groups
        np.random.default_rng(0).shuffle(groups)
    return groups
