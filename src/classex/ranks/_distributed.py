"""Ranks of the correct label from Dask arrays: every block a task of its own, merged once, however often it ran.

A task depends on its inputs alone and changes none of them, so one that is lost with its worker is run again
and its result enters the sums once. Dask names tasks, on its dashboard too, by the functions that they run: most are
`compare_block`, one for each pair of a chunk of test points and a chunk of references, and `tally_block`, one for each
chunk of test points.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._arrays import is_dask
from classex._kernels.threads import row_blocks, single_threaded_products
from classex._validation import as_labels, as_plain_array, as_scores
from classex.ranks._classes import ClassesOfReferences
from classex.ranks._comparison import Comparison, scores_of_callable
from classex.ranks._counting import Counts, Tally, count_scores
from classex.ranks._inputs import as_embeddings, as_reference_labels, check_pair, class_means, largest_size
from classex.ranks.weights import weights_of_labels
from classex.results.ranks import N_GROUPS, CorrectRanks

__all__ = ["ranks_of_embeddings", "ranks_of_scores"]

# most rows of a chunk of test points, and scores of a chunk: its counts take 32 MB
_MOST_ROWS, _MOST_SCORES = 8192, 2**24
# scores that a task compares at a time
_BLOCK_ELEMENTS = 2**20
# results that a task adds up
_MERGED_AT_ONCE = 8


def in_memory(value: Any) -> Any:
    """Return a Dask array's values, anything else as it is."""
    return value.compute() if is_dask(value) else value


def ranks_of_scores(scores: Any, labels: ArrayLike, classes: ArrayLike | None) -> CorrectRanks:
    """Ranks from a Dask array of scores; see `correct_ranks`."""
    from dask import delayed

    if classes is not None:
        raise TypeError("classes must be None for Dask arrays: give labels as numbers of columns")
    if scores.ndim != 2:
        raise ValueError(f"scores must have 2 axes, but its shape is {scores.shape}")
    n_classes = scores.shape[1]
    truth = as_labels(in_memory(labels), scores.shape[0], n_classes, every_class=False)
    scores, starts = _in_row_chunks(scores, max(1, min(_MOST_ROWS, _MOST_SCORES // n_classes)))
    counted = [
        delayed(count_block_of_scores)(block, truth[first:last], first)
        for block, (first, last) in zip(scores.to_delayed().ravel(), pairwise(starts), strict=True)
    ]
    return _finish(counted, starts, truth, n_classes, progress=False)


def ranks_of_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None,
    metric: Any,
    *,
    aggregate: str,
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
    test, starts = _in_row_chunks(test, _MOST_ROWS)
    references, bounds = _in_row_chunks(references, references.shape[0])
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
            counted.append(delayed(compare_block_by_function)(block, whole, truth[first:last], owner, metric))
            continue
        own = np.unique(truth[first:last])
        beside = delayed(references[classes.members(own)[1]]), own, classes.count(own)
        parts = [
            delayed(compare_block)(block, truth[first:last], beside, piece, min(n_classes, N_GROUPS), metric)
            for piece in pieces
        ]
        counted.append(_merged(parts))
    return _finish(counted, starts, truth, n_classes, progress)


def _in_row_chunks(array: Any, most: int) -> tuple[Any, NDArray[np.int64]]:
    """Return the array in chunks of whole rows, of at most `most` each, and the rows at which they start and end."""
    from dask import array as da

    if not is_dask(array):
        array = da.from_array(as_plain_array(array, "embeddings"), chunks=(min(most, array.shape[0]), -1))
    sizes = [part.stop - part.start for chunk in array.chunks[0] for part in row_blocks(chunk, most)]
    return array.rechunk((tuple(sizes), -1)), np.cumsum([0, *sizes], dtype=np.int64)


def check_block(block: NDArray[Any], name: str, block_info: Any = None) -> NDArray[Any]:
    first = block_info[0]["array-location"][0][0]
    checked: NDArray[Any] = as_embeddings(block, f"{name}[{first}:]")
    return checked


def compare_block(
    points: NDArray[Any],
    labels: NDArray[np.int64],
    own: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
    piece: tuple[NDArray[Any], int, NDArray[np.int64]],
    n_groups: int,
    metric: str,
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
    classes = ClassesOfReferences(owner, exemplars.shape[0], n_counted, first)
    largest = max(largest_size(points), largest_size(exemplars))
    with single_threaded_products():
        comparison = Comparison(points, exemplars, local, classes, metric, largest=largest)
        blocks = row_blocks(labels.size, comparison.scores.n_rows)
        return np.concatenate([comparison.count(rows, n_groups)[0] for rows in blocks], axis=1)


def compare_block_by_function(
    points: NDArray[Any],
    exemplars: NDArray[Any],
    labels: NDArray[np.int64],
    owner: NDArray[np.int64] | None,
    metric: Callable[[Any, Any], ArrayLike],
) -> Counts:
    classes = ClassesOfReferences(owner, exemplars.shape[0])
    return _count_rows(
        lambda rows: scores_of_callable(metric, points[rows], exemplars, classes), labels, classes.n_classes
    )


def count_block_of_scores(block: NDArray[Any], labels: NDArray[np.int64], first: int) -> Counts:
    scores = as_scores(block, f"scores[{first}:]")
    return _count_rows(lambda rows: scores[rows], labels, scores.shape[1])


def _count_rows(scores: Callable[[slice], NDArray[Any]], labels: NDArray[np.int64], n_classes: int) -> Counts:
    """Count rows of stored scores, some at a time."""
    blocks = row_blocks(labels.size, max(1, _BLOCK_ELEMENTS // n_classes))
    n_groups = min(n_classes, N_GROUPS)
    return np.concatenate([count_scores(scores(rows), labels[rows], n_groups) for rows in blocks], axis=1)


def add_all(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return reduce(operator.add, parts)


def _merged(parts: list[Any]) -> Any:
    """Return a task that adds up the results of others, a few at a time, always in the same order."""
    from dask import delayed

    while len(parts) > 1:
        groups = [parts[first : first + _MERGED_AT_ONCE] for first in range(0, len(parts), _MERGED_AT_ONCE)]
        parts = [delayed(add_all)(group) for group in groups]
    return parts[0]


def tally_block(
    counts: Counts, labels: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    tally = Tally(labels, n_classes, weights)
    tally.add(slice(0, labels.size), counts)
    return np.stack([tally.wins, tally.ties]), tally.table


def _finish(
    counted: list[Any], starts: NDArray[np.int64], truth: NDArray[np.int64], n_classes: int, progress: bool
) -> CorrectRanks:
    """Run the tasks, and put the ranks together."""
    from dask import delayed

    tally = Tally(truth, n_classes)
    weights = weights_of_labels(truth)
    tallied = [
        delayed(tally_block, nout=2)(part, truth[first:last], n_classes, weights[first:last])
        for part, (first, last) in zip(counted, pairwise(starts), strict=True)
    ]
    with warnings.catch_warnings():
        # arrays that came from memory travel with the tasks, so that a lost worker loses nothing
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        *ends, table = _run([*(part[0] for part in tallied), _merged([part[1] for part in tallied])], progress)
    tally.wins, tally.ties = np.concatenate(ends, axis=1)
    tally.table += table
    return tally.ranks()


def _run(tasks: list[Any], progress: bool) -> Any:
    """Results of the tasks; a bar shows those that are done."""
    import dask
    from dask.diagnostics import ProgressBar

    if not progress:
        return dask.compute(*tasks)
    distributed: Any = sys.modules.get("distributed")
    try:
        client = distributed and distributed.get_client()
    except ValueError:  # no cluster is connected
        client = None
    if not client:
        with ProgressBar():
            return dask.compute(*tasks)
    futures = client.compute(tasks)
    distributed.progress(*futures, notebook=False)
    return client.gather(futures)
