"""Ranks of the correct label from a matrix of scores, from numbers of wins, and among fewer classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._arrays import is_dask
from classex._validation import as_class_numbers, as_generator, as_plain_array, as_positive_int
from classex.io.scores import comparisons_left_out, scores_and_labels
from classex.ranks._ranks import N_GROUPS, CorrectRanks
from classex.ranks.checks import warn_if_inverted
from classex.ranks.chunks import ranks_of_chunks
from classex.ranks.counting import Counts, count_blocks, count_scores
from classex.ranks.left_out import ranks_without
from classex.ranks.weights import in_clusters

__all__ = ["correct_ranks", "ranks_from_wins", "ranks_of_checked", "subset_ranks", "thin_ranks"]

# scores of a block: a few megabytes
_BLOCK_ELEMENTS = 2**20


def correct_ranks(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    left_out: ArrayLike | None = None,
) -> CorrectRanks:
    """Rank of the correct label of every test point, from a matrix of scores.

    ``wins[j] = #{m != labels[j] : scores[j, m] < scores[j, labels[j]]}``, and ``ties`` counts the equal ones.

    Parameters
    ----------
    scores : array_like, data frame or dask.array.Array of shape (n_test, n_classes)
        Score of every label for every test point; higher is better. Any monotone scale will do. For two classes
        also of shape (n_test,), positive for the second: a decision function or log-odds, not one column of
        probabilities, which draws a warning. Arrays of torch, cupy, jax or another library are read in the
        processor's memory, and copied there from a device.
    labels : array_like of shape (n_test,)
        Correct label of each test point: its column, or its name where `classes` or a frame's columns have names.
        Classes without test points (a gallery in which only some are looked for) compete as wrong labels.
    classes : array_like of shape (n_classes,), optional
        Name of the class of each column, such as ``estimator.classes_`` in scikit-learn. By default the names of
        the columns of a data frame, if the labels are among them, else 0, 1, ...
    clusters : array_like of shape (n_classes,), optional
        Cluster of each class, a number or a name, such as the family of a font: standard errors and intervals are then
        over clusters (see `classex.ranks.in_clusters`). Scores are then counted in main memory.
    left_out : array_like of bool of shape (n_test, n_classes), optional
        Comparisons that do not count: junk images, the same camera, items seen in training, padded options. The scores
        there are not read. Without it, scores of -inf are left out, with a warning.

    Returns
    -------
    CorrectRanks
        Wins and ties of every test point, with what the standard errors of `accuracy_curve` need.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, a label is out of range, there are fewer than two classes, or the shapes
        disagree. Also if the correct label of a point is left out, or all wrong ones are.
    TypeError
        If scores or labels are not numbers, or `left_out` does not hold booleans or comes with a Dask array.

    Warns
    -----
    UserWarning
        If scores are -inf and `left_out` is not given.

    Notes
    -----
    Where comparisons are left out, the accuracy with k classes is the average over all sets of k - 1 of those wrong
    labels that the point met, so that k goes up to one more than the fewest that a point met. It is unbiased if what is
    left out was decided before the scores were seen, and a point's remaining wrong labels are a random sample of those
    that will come. Standard errors are those of the jackknife over classes, each left out where it was met.

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

    The second question has two options only:

    >>> cx.correct_ranks(
    ...     [[0.1, 0.7, 0.2], [0.5, 0.2, 0.0]],
    ...     [1, 0],
    ...     left_out=[[False, False, False], [False, False, True]],
    ... )
    CorrectRanks(n_points=2, n_classes=3, n_tested=2, n_wrong=1..2)
    """
    if is_dask(scores):
        if left_out is not None:
            raise TypeError("left_out must be None for Dask arrays")
        if clusters is None:
            return ranks_of_chunks(scores, labels, classes)
    scores, mask = comparisons_left_out(scores, left_out)
    return ranks_of_checked(*scores_and_labels(scores, labels, classes, every_class=False), clusters, mask)


def ranks_of_checked(
    scores: NDArray[Any], labels: NDArray[np.int64], clusters: Any = None, left_out: NDArray[np.bool_] | None = None
) -> CorrectRanks:
    """Return the ranks from a checked matrix of scores, the column of each point's correct class, and clusters.

    Comparisons may be left out.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> cx.ranks.ranks_of_checked(np.eye(3), np.arange(3)).wins
    array([2, 2, 2])
    """

    def count(rows: slice, n_groups: int) -> Counts:
        return count_scores(scores[rows], labels[rows], n_groups, scores.size)

    n_rows = max(1, _BLOCK_ELEMENTS // scores.shape[1])
    most = N_GROUPS if clusters is None else scores.shape[1]
    if left_out is not None:
        ranks = ranks_without(scores, labels, left_out, most=most)
    else:
        ranks = count_blocks(count, labels, scores.shape[1], n_rows, most=most)
    return in_clusters(warn_if_inverted(ranks, stacklevel=4), clusters)


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
    kept = as_class_numbers(classes, n_classes)
    new = np.full(n_classes, -1, dtype=np.int64)
    new[kept] = np.arange(kept.size)
    rows = np.flatnonzero(new[labels] >= 0)
    if rows.size == 0:
        raise ValueError("classes must hold at least one class with a test point")
    return kept, rows, new[labels[rows]]


def ranks_from_wins(
    wins: ArrayLike,
    n_classes: int,
    *,
    ties: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    n_wrong: ArrayLike | None = None,
    left_out: bool = False,
) -> CorrectRanks:
    r"""Ranks of the correct labels from numbers of wins that are known already.

    Parameters
    ----------
    wins : array_like of int of shape (n_points,)
        For each test point, the number of wrong labels whose score lies strictly below that of the correct label.
        With a rank r counted from 1 at the top and no ties, ``wins = n_classes - r``.
    n_classes : int
        Number of labels that competed (or, with `n_wrong`, that there are), the correct one included.
    ties : array_like of int of shape (n_points,), optional
        Number of wrong labels with the same score as the correct one. By default none.
    labels : array_like of int of shape (n_points,), optional
        Correct class of each point, in ``0..n_classes-1``; classes without points compete as wrong labels only.
        By default every point is of a class of its own. With more points than classes that cannot be: then all
        points weigh the same, and are dealt out over the classes in turn, so that standard errors take them as
        independent.
    n_wrong : int or array_like of int of shape (n_points,), optional
        Number of wrong labels that each point was compared with, if they are a random sample drawn for that point
        (sampled negatives): wins and ties are then counted among these. By default all ``n_classes - 1``. Points may
        have unequal numbers, also such as were chosen by the wins so far (more for those that win against all);
        likelihoods do not mind, averages over subsets do. Of labels drawn with replacement, count each once.
    left_out : bool
        Whether `n_wrong` was fixed before any score was seen, because comparisons were left out (as with questions that
        have unequal numbers of options). Averages over subsets are then computed.

    Returns
    -------
    CorrectRanks
        Checked ranks without a distractor table: standard errors see each class through its own points only.

    Raises
    ------
    ValueError
        If a number is out of its range, the lengths differ, or there is no point.
    TypeError
        If an argument does not hold whole numbers.

    Notes
    -----
    A point of favourability U wins :math:`\mathrm{Binomial}(n, U)` times against n different labels, whether these
    are all the wrong labels or a sample of them. That holds for draws with replacement too, if each label is counted
    once: which labels come twice has nothing to do with their scores. Counted as often as they come, draws vary more,
    by a share of about n over the number of labels.

    Source: Krichene and Rendle (KDD 2020), whose binomial distribution of a sampled rank counts every draw.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([2, 3, 1, 1], 4)
    >>> cx.accuracy_curve(ranks).accuracy.round(4)
    array([1.    , 0.5833, 0.3333, 0.25  ])

    Three users whose item was compared with 9 sampled items out of 1,000:

    >>> cx.ranks_from_wins([9, 4, 8], 1000, n_wrong=9)
    CorrectRanks(n_points=3, n_classes=1000, n_tested=3, n_wrong=9, distractors=None)
    """
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=10**15)
    counts = as_plain_array(wins, "wins")
    shape = counts.shape if counts.ndim == 1 else (0,)
    tied = np.zeros(shape, dtype=np.int64) if ties is None else ties
    drawn = n_wrong
    if n_wrong is not None and np.ndim(as_plain_array(n_wrong, "n_wrong")) == 0:
        drawn = np.full(shape, as_positive_int(n_wrong, "n_wrong"))
    own = np.arange(shape[0]) % k if labels is None else labels
    balanced = labels is not None or shape[0] <= k
    return CorrectRanks(counts, tied, own, k, None, drawn, balanced, left_out=left_out)  # type: ignore[arg-type]  # checked inside
