"""Ranks of the correct label, streamed from embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from numpy.typing import ArrayLike

from classex._arrays import is_dask
from classex._kernels.threads import n_threads
from classex._validation import as_labels, one_of
from classex.embeddings.classes import ClassesOfReferences
from classex.embeddings.comparison import Comparison, scores_of_callable
from classex.embeddings.distributed import ranks_of_embeddings
from classex.embeddings.inputs import (
    METRICS,
    as_embeddings,
    as_reference_labels,
    check_pair,
    class_means,
    largest_size,
    numbered_labels,
)
from classex.embeddings.twins import references_excluded
from classex.ranks._ranks import CorrectRanks
from classex.ranks.checks import warn_if_inverted
from classex.ranks.counting import Counts, count_blocks, count_scores

__all__ = ["correct_ranks_from_embeddings"]

# scores of a block that the caller's function computes
_CALLABLE_ELEMENTS = 2**20


def correct_ranks_from_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None = None,
    metric: str | Callable[[Any, Any], ArrayLike] = "euclidean",
    *,
    aggregate: Literal["nearest", "mean"] = "nearest",
    classes: ArrayLike | None = None,
    exclude_self: bool = False,
    progress: bool = False,
) -> CorrectRanks:
    """Rank of the correct label of every test point, streamed from embeddings.

    The score of a class is minus the distance (or the inner product, or the cosine) between the test point
    and the class's reference; with several references, as its best one or as their mean. Scores are computed in
    blocks, so the ``n_test x n_classes`` matrix is never formed. The ranks are those that exact arithmetic on
    the stored numbers gives: scores too close to call in floating point are compared again without rounding.

    Parameters
    ----------
    test : array_like, scipy.sparse matrix or dask.array.Array of shape (n_test, n_features)
        Embeddings of the test points, 32- or 64-bit. Arrays of torch, cupy, jax or another library are read in the
        processor's memory, and copied there from a device.
    references : array_like, scipy.sparse matrix or dask.array.Array of shape (n_references, n_features)
        Embeddings of the references. With a Dask array among the two, blocks are compared by Dask's scheduler,
        on a cluster if a ``distributed.Client`` is open.
    labels : array_like of shape (n_test,)
        Correct class of each test point, in ``0..n_classes-1``. Classes without test points (a gallery in which only
        some are looked for) compete as wrong labels.
    reference_labels : array_like of shape (n_references,), optional
        Class of each reference. By default reference ``c`` is the one of class ``c``.
    metric : {"euclidean", "inner_product", "cosine"} or callable
        How a test point and a reference are compared; sparse input takes the last two. A callable gets a block
        of rows of `test` and all of `references` and returns their scores, higher is better.
    aggregate : {"nearest", "mean"}
        With several references, a class scores as its best one, or as the mean of them all (in double precision).
    classes : array_like of shape (n_classes,), optional
        Names of the classes: `labels` and `reference_labels` are then names, and class c of the result is
        ``classes[c]``. Where they are texts the names are, by default, those of the references, in ascending order.
    exclude_self : bool
        Where the references contain the test points: whether each point leaves out the reference of its class with the
        same numbers (one of them, if there are several). Every point must have one, and its class another one.
    progress : bool
        Whether to show a progress bar on standard error.

    Returns
    -------
    CorrectRanks
        The same as `correct_ranks` on the matrix of exact scores.

    Raises
    ------
    ValueError
        If an entry is NaN, infinite or beyond 1e140 in size, shapes disagree, a class has no reference, a
        label is out of range, the metric is unknown or does not go with sparse input, or (cosine)
        a row is zero. With `exclude_self`, if a point equals no reference of its class or is the only one, or classes
        score as means.
    TypeError
        If an argument does not hold numbers, or `classes` comes with Dask arrays.

    Warns
    -----
    UserWarning
        If test points equal references of their own class, which has others, and `exclude_self` is not given. Dask
        arrays are not searched for them.

    Notes
    -----
    Source: journal version section 5.1 (face recognition by embeddings). Euclidean distances are compared by inner
    products or, for few features or where products leave many pairs in doubt, by differences. Blocks are scored in
    single precision where its rounding leaves few pairs in doubt, else in double. The work is shared by
    ``numba.get_num_threads()`` threads. Memory: the inputs and the result, and at most 256 MB for the blocks of
    up to eight threads; memory-mapped arrays are read as they are needed.

    Examples
    --------
    >>> import classex as cx
    >>> cx.correct_ranks_from_embeddings(
    ...     [[0.1], [0.8]], [[0.0], [1.0]], [0, 1]
    ... ).wins
    array([1, 1])

    A gallery that contains the test points:

    >>> gallery, owner = [[0.0], [0.1], [0.9], [0.3]], [0, 0, 1, 1]
    >>> cx.correct_ranks_from_embeddings(
    ...     gallery, gallery, owner, owner, exclude_self=True
    ... ).wins
    array([1, 1, 1, 0])
    """
    kind = metric if callable(metric) else one_of(metric, "metric", METRICS)
    combine = one_of(aggregate, "aggregate", ("nearest", "mean"))
    if combine == "mean" and exclude_self:
        raise ValueError("aggregate must be 'nearest' with exclude_self: give other scores to correct_ranks")
    if is_dask(test, references):
        if classes is not None:
            raise TypeError("classes must be None for Dask arrays: give labels as numbers")
        how = {"aggregate": combine, "exclude_self": exclude_self, "progress": progress}
        return ranks_of_embeddings(test, references, labels, reference_labels, kind, **how)
    labels, reference_labels = numbered_labels(labels, reference_labels, classes)
    points, exemplars = as_embeddings(test, "test"), as_embeddings(references, "references")
    check_pair(points, exemplars, kind)
    owner, n_classes = as_reference_labels(reference_labels, exemplars.shape[0])
    truth = as_labels(labels, points.shape[0], n_classes, every_class=False)
    excluded = references_excluded(points, exemplars, truth, owner, exclude=exclude_self)
    if combine == "mean" and owner is not None:
        exemplars, owner = class_means(exemplars, owner), None
        check_pair(points, exemplars, kind)
    members = ClassesOfReferences(owner, exemplars.shape[0])
    if callable(kind):

        def count(rows: slice, n_groups: int) -> Counts:
            block = scores_of_callable(kind, points[rows], exemplars, members, excluded[rows])
            return count_scores(block, truth[rows], n_groups, truth.size * n_classes)

        n_rows = max(1, _CALLABLE_ELEMENTS // exemplars.shape[0])
        return warn_if_inverted(count_blocks(count, truth, n_classes, n_rows, threads=1, progress=progress))
    largest = max(largest_size(points), largest_size(exemplars))
    comparison = Comparison(points, exemplars, truth, members, kind, largest=largest, excluded=excluded)
    threads = n_threads()
    n_rows = min(comparison.scores.n_rows, -(-truth.size // threads))

    def compare(rows: slice, n_groups: int) -> Counts:
        return comparison.count(rows, n_groups)[0]

    return warn_if_inverted(count_blocks(compare, truth, n_classes, n_rows, threads=threads, progress=progress))
