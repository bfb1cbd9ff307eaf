"""Ranks from Dask arrays: every chunk a task of its own, merged once, however often it ran.

A task depends on its inputs alone and changes none of them, so one that is lost with its worker is run again
and its result enters the sums once. Dask names tasks, on its dashboard too, by the functions that they run.
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

from classex._arrays import is_dask
from classex._kernels.threads import row_blocks
from classex._validation import as_labels, as_plain_array, as_scores
from classex.ranks._ranks import N_GROUPS, CorrectRanks
from classex.ranks.counting import Counts, Tally, count_scores
from classex.ranks.weights import weights_of_labels

__all__ = ["count_rows", "finish", "in_memory", "in_row_chunks", "merged", "ranks_of_chunks"]

# most rows of a chunk of test points, and scores of a chunk: its counts take 32 MB
MOST_ROWS, _MOST_SCORES = 8192, 2**24
# scores that a task compares at a time
_BLOCK_ELEMENTS = 2**20
# results that a task adds up
_MERGED_AT_ONCE = 8


def in_memory(value: Any) -> Any:
    """Return a Dask array's values, anything else as it is."""
    return value.compute() if is_dask(value) else value


def ranks_of_chunks(scores: Any, labels: ArrayLike, classes: ArrayLike | None) -> CorrectRanks:
    """Ranks from a Dask array of scores; see `correct_ranks`."""
    from dask import delayed

    if classes is not None:
        raise TypeError("classes must be None for Dask arrays: give labels as numbers of columns")
    if scores.ndim != 2:
        raise ValueError(f"scores must have 2 axes, but its shape is {scores.shape}")
    n_classes = scores.shape[1]
    truth = as_labels(in_memory(labels), scores.shape[0], n_classes, every_class=False)
    scores, starts = in_row_chunks(scores, max(1, min(MOST_ROWS, _MOST_SCORES // n_classes)))
    counted = [
        delayed(count_block_of_scores)(block, truth[first:last], first)
        for block, (first, last) in zip(scores.to_delayed().ravel(), pairwise(starts), strict=True)
    ]
    return finish(counted, starts, truth, n_classes, progress=False)


def in_row_chunks(array: Any, most: int) -> tuple[Any, NDArray[np.int64]]:
    """Return the array in chunks of whole rows, of at most `most` each, and the rows at which they start and end."""
    from dask import array as da

    if not is_dask(array):
        array = da.from_array(as_plain_array(array, "embeddings"), chunks=(min(most, array.shape[0]), -1))
    sizes = [part.stop - part.start for chunk in array.chunks[0] for part in row_blocks(chunk, most)]
    return array.rechunk((tuple(sizes), -1)), np.cumsum([0, *sizes], dtype=np.int64)


def count_block_of_scores(block: NDArray[Any], labels: NDArray[np.int64], first: int) -> Counts:
    scores = as_scores(block, f"scores[{first}:]")
    return count_rows(lambda rows: scores[rows], labels, scores.shape[1])


def count_rows(scores: Callable[[slice], NDArray[Any]], labels: NDArray[np.int64], n_classes: int) -> Counts:
    """Count rows of stored scores, some at a time."""
    blocks = row_blocks(labels.size, max(1, _BLOCK_ELEMENTS // n_classes))
    n_groups = min(n_classes, N_GROUPS)
    whole = labels.size * n_classes
    return np.concatenate([count_scores(scores(rows), labels[rows], n_groups, whole) for rows in blocks], axis=1)


def add_all(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return reduce(operator.add, parts)


def merged(parts: list[Any]) -> Any:
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


def finish(
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
        *ends, table = _run([*(part[0] for part in tallied), merged([part[1] for part in tallied])], progress)
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
