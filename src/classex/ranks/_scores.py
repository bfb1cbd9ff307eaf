"""Ranks of the correct label from a matrix of scores."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._kernels.threads import in_order, n_threads, row_blocks
from classex._validation import as_generator
from classex.io.arrays import is_dask
from classex.io.scores import labels_of_columns, scores_and_labels
from classex.ranks._check import told_apart
from classex.ranks._counting import Counts, count_scores
from classex.ranks._device import SCORES, count_scores_there, scores_there
from classex.ranks._distributed import ranks_of_scores
from classex.ranks._tally import Tally
from classex.results import CorrectRanks

__all__ = ["correct_ranks", "subset_ranks", "thin_ranks"]

_BLOCK_ELEMENTS = 2**20


def correct_ranks(scores: ArrayLike, labels: ArrayLike, *, classes: ArrayLike | None = None) -> CorrectRanks:
    """Rank of the correct label of every test point, from a matrix of scores.

    ``wins[j] = #{m != labels[j] : scores[j, m] < scores[j, labels[j]]}``, and ``ties`` counts the equal ones.

    Parameters
    ----------
    scores : array_like, data frame or dask.array.Array of shape (n_test, n_classes)
        Score of every label for every test point; higher is better. Any monotone scale will do. For two classes
        also of shape (n_test,), positive for the second: a decision function or log-odds, not one column of
        probabilities, which draws a warning. Arrays of torch, cupy, jax or another library that follows
        the array API standard are counted on the device they are on.
    labels : array_like of shape (n_test,)
        Correct label of each test point: its column, or its name where `classes` or a frame's columns have names.
        Classes without test points (a gallery in which only some are looked for) compete as wrong labels.
    classes : array_like of shape (n_classes,), optional
        Name of the class of each column, such as ``estimator.classes_`` in scikit-learn. By default the names of
        the columns of a data frame, if the labels are among them, else 0, 1, ...

    Returns
    -------
    CorrectRanks
        Wins and ties of every test point, with what the standard errors of `accuracy_curve` need.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, a label is out of range, there are fewer than two classes, or the shapes
        disagree.
    TypeError
        If scores or labels are not numbers.

    Notes
    -----
    Source: thesis section 2.3.1; journal version section 2.2. A label is never its own competitor.

    What is done with ranks assumes that the labels are a random sample of those that will come, and that the score
    of a label for a point does not depend on which other labels take part (marginal scores).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> ranks.wins
    array([2, 3, 1, 1])
    >>> cx.correct_ranks(
    ...     [[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]],
    ...     ["cat", "ant"],
    ...     classes=["ant", "bee", "cat"],
    ... ).wins
    array([1, 2])
    """
    if is_dask(scores):
        if classes is not None:
            raise TypeError("classes must be None for Dask arrays: give labels as numbers of columns")
        return ranks_of_scores(scores, labels)
    there = scores_there(scores)
    if there is not None:
        truth, matrix = labels_of_columns(labels, classes, there.array.shape), there.array
    else:
        matrix, truth = scores_and_labels(scores, labels, classes, every_class=False)
    tally = Tally(truth, matrix.shape[1])

    def count(rows: slice) -> Counts:
        if there is not None:
            return count_scores_there(there, rows, truth[rows], tally.n_groups)
        return count_scores(matrix[rows], truth[rows], tally.n_groups)

    step = max(1, (_BLOCK_ELEMENTS if there is None else SCORES) // matrix.shape[1])
    threads = n_threads() if there is None else 1
    with closing(in_order(count, row_blocks(truth.size, step), threads=threads)) as counted:
        for rows, counts in counted:
            tally.add(rows, counts)
    return told_apart(tally.ranks())


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

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> scores = np.array([[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]])
    >>> ranks, block = cx.ranks.subset_ranks(scores, np.arange(4), [0, 3])
    >>> ranks.wins, block
    (array([1, 1]), array([[2, 0],
           [0, 1]]))
    """
    kept, rows, relabelled = _kept_classes(labels, classes, scores.shape[1])
    block = scores.take(rows, axis=0).take(kept, axis=1)
    truth = block[np.arange(rows.size), relabelled][:, np.newaxis]
    wins = np.count_nonzero(block < truth, axis=1)
    ties = np.count_nonzero(block == truth, axis=1) - 1
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

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([99, 0, 60, 20], 100, labels=[0, 1, 2, 3])
    >>> # always first, always last, and one by chance
    >>> cx.ranks.thin_ranks(ranks, [0, 1, 2], rng=0).wins
    array([2, 0, 0])
    """
    generator = as_generator(rng)
    kept, rows, relabelled = _kept_classes(ranks.labels, classes, ranks.n_classes)
    wins, ties = ranks.wins[rows], ranks.ties[rows]
    drawn = kept.size - 1
    new_wins = generator.hypergeometric(wins, ranks.n_classes - 1 - wins, drawn)
    new_ties = generator.hypergeometric(ties, ranks.n_classes - 1 - wins - ties, drawn - new_wins)
    return CorrectRanks(new_wins, new_ties, relabelled, kept.size, class_balanced=ranks.class_balanced)


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
    if rows.size == 0:
        raise ValueError("classes must hold at least one class with a test point")
    return kept, rows, new[labels[rows]]
