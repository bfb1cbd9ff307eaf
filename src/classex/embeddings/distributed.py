"""Ranks from Dask arrays of embeddings: each pair of a chunk of test points and one of references is a task."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._kernels.threads import row_blocks, single_threaded_products
from classex._types import IntArray
from classex._validation import as_labels
from classex.embeddings.classes import ClassesOfReferences
from classex.embeddings.comparison import Comparison, scores_of_callable
from classex.embeddings.inputs import as_embeddings, as_reference_labels, check_pair, class_means, largest_size
from classex.embeddings.twins import references_excluded
from classex.ranks._ranks import N_GROUPS, CorrectRanks
from classex.ranks.chunks import MOST_ROWS, count_rows, finish, in_memory, in_row_chunks, merged
from classex.ranks.counting import Counts

__all__ = ["ranks_of_embeddings"]


def ranks_of_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None,
    metric: Any,
    *,
    aggregate: str,
    exclude_self: bool,
    progress: bool,
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
    return finish(counted, starts, truth, n_classes, progress)


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
