"""Ranks from embeddings, without a score matrix: on one machine, or over a cluster by Dask."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._checks import as_labels, is_dask, one_of
from classex._loops.threads import n_threads, row_blocks, single_threaded_products
from classex._types import IntArray
from classex.ranks.comparison import Comparison, scores_of_callable
from classex.ranks.inputs import (
    METRICS,
    ClassesOfReferences,
    as_embeddings,
    as_reference_labels,
    check_pair,
    checked_embeddings,
    class_means,
    largest_size,
    references_excluded,
)
from classex.ranks.ranks import N_GROUPS, CorrectRanks, warn_if_inverted
from classex.ranks.scores import (
    MOST_ROWS,
    Counts,
    count_blocks,
    count_rows,
    count_scores,
    finish,
    in_memory,
    in_row_chunks,
    merged,
)

__all__ = ["correct_ranks_from_embeddings", "ranks_of_embeddings"]


def ranks_of_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None,
    metric: Any,
    *,
    aggregate: str,
    exclude_self: bool,
) -> CorrectRanks:
    """Ranks from Dask arrays of embeddings, one of them perhaps in memory; see `correct_ranks_from_embeddings`.

    A task compares one chunk of test points with one chunk of references: it gets the references of the points'
    own classes beside them. Classes with several references are brought together first.
    """
    from dask import array as da
    from dask import delayed

    for name, value in (("test", test), ("references", references)):
        if sparse.issparse(value):
            raise TypeError(f"{name} must not be a scipy.sparse matrix where the other is a Dask array")
        if np.ndim(value) != 2 or 0 in value.shape:
            raise ValueError(f"{name} must have rows and columns, but its shape is {np.shape(value)}")
    if test.shape[1] != references.shape[1]:
        check_pair(test, references, metric)
    owner, n_classes = as_reference_labels(in_memory(reference_labels), references.shape[0])
    truth = as_labels(in_memory(labels), test.shape[0], n_classes, every_class=False)
    test, starts = in_row_chunks(test, MOST_ROWS)
    references, bounds = in_row_chunks(references, references.shape[0])
    test, references = (
        array.map_blocks(check_block, name, dtype=array.dtype, meta=np.empty((0, 0), array.dtype))
        for name, array in (("test", test), ("references", references))
    )
    if owner is not None and aggregate == "mean":
        means = delayed(class_means)(references, owner)
        references = da.from_delayed(means, (n_classes, test.shape[1]), dtype=np.float64)
        bounds, owner = np.array([0, n_classes]), None
    classes = ClassesOfReferences(owner, references.shape[0])
    pieces = [
        (delayed(references[classes.references(first, last)]), first, classes.count(np.arange(first, last)))
        for first, last in classes.blocks(int(np.diff(bounds).max()))
    ]
    whole = delayed(references) if callable(metric) else None
    counted = []
    for block, (first, last) in zip(test.to_delayed().ravel(), pairwise(starts), strict=True):
        if callable(metric):
            by_function = whole, truth[first:last], owner, metric, first if exclude_self else None
            counted.append(delayed(compare_block_by_function)(block, *by_function))
            continue
        own = np.unique(truth[first:last])
        beside = delayed(references[classes.members(own)[1]]), own, classes.count(own)
        given = min(n_classes, N_GROUPS), metric, first if exclude_self else None
        parts = [delayed(compare_block)(block, truth[first:last], beside, piece, *given) for piece in pieces]
        counted.append(merged(parts))
    return finish(counted, starts, truth, n_classes)


def check_block(block: NDArray[Any], name: str, block_info: Any = None) -> NDArray[Any]:
    first = block_info[0]["array-location"][0][0]
    return np.asarray(as_embeddings(block, f"{name}[{first}:]"))


def compare_block(
    points: NDArray[Any],
    labels: NDArray[np.int64],
    own: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
    piece: tuple[NDArray[Any], int, NDArray[np.int64]],
    n_groups: int,
    metric: str,
    row: int | None,
) -> Counts:
    """Compare a chunk of test points with the classes of a chunk of references."""
    own_references, own_classes, own_counts = own
    references, first, counts = piece
    exemplars = np.concatenate([references, own_references])
    check_pair(points, exemplars, metric)
    # the classes counted come first, then the points' own, which are not counted
    n_counted = counts.size
    counts = np.concatenate([counts, own_counts])
    inside = (labels >= first) & (labels < first + n_counted)
    local = np.where(inside, labels - first, n_counted + np.searchsorted(own_classes, labels))
    owner = None if counts.max() == 1 else np.repeat(np.arange(counts.size), counts)
    excluded = _excluded(points, exemplars, local, owner, row)
    classes = ClassesOfReferences(owner, exemplars.shape[0], n_counted, first)
    largest = max(largest_size(points), largest_size(exemplars))
    with single_threaded_products():
        comparison = Comparison(points, exemplars, local, classes, metric, largest=largest, excluded=excluded)
        blocks = row_blocks(labels.size, comparison.scores.n_rows)
        return np.concatenate([comparison.count(rows, n_groups)[0] for rows in blocks], axis=1)


def compare_block_by_function(
    points: NDArray[Any],
    exemplars: NDArray[Any],
    labels: NDArray[np.int64],
    owner: NDArray[np.int64] | None,
    metric: Callable[[Any, Any], ArrayLike],
    row: int | None,
) -> Counts:
    classes = ClassesOfReferences(owner, exemplars.shape[0])
    excluded, n_classes = _excluded(points, exemplars, labels, owner, row), classes.n_classes
    return count_rows(
        lambda rows: scores_of_callable(metric, points[rows], exemplars, classes, excluded[rows]), labels, n_classes
    )


def _excluded(points: Any, exemplars: Any, labels: IntArray, owner: IntArray | None, row: int | None) -> IntArray:
    """Exemplar that each point of a chunk, whose first one is `row`, leaves out; none if that is not given."""
    if row is None:
        return np.full(labels.size, -1)
    return references_excluded(points, exemplars, labels, owner, exclude=True, first=row)


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
        Whether to show a progress bar on standard error; of Dask arrays, ``dask.diagnostics.ProgressBar`` shows one.

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
    single precision where its rounding leaves few pairs in doubt, else in double. The work is shared by as many threads
    as ``numba.get_num_threads()`` says. Memory: the inputs and the result, and at most 256 MB for the blocks of up to
    eight threads; memory-mapped arrays are read as they are needed.

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
        how = {"aggregate": combine, "exclude_self": exclude_self}
        return ranks_of_embeddings(test, references, labels, reference_labels, kind, **how)
    given = test, references, labels, reference_labels
    points, exemplars, truth, owner, n_classes = checked_embeddings(*given, classes, kind)
    plain = not (exclude_self or callable(kind) or isinstance(exemplars, np.memmap))
    if plain and owner is not None and n_classes == exemplars.shape[0]:
        # one reference a class: in the order of the classes they need no labels
        exemplars, owner = exemplars[np.argsort(owner)], None
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
