"""Ranks of the correct label from Dask arrays: every block a task of its own, merged once, however often it ran.

A task depends on its inputs alone and changes none of them, so one that is lost with its worker is run again
and its result enters the sums once. Dask names tasks, on its dashboard too, by the functions that they run: most are
`compare_block`, one for each pair of a chunk of test points and a chunk of references, and `tally_block`, one for each
chunk of test points.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex._kernels.threads import row_blocks, single_threaded_products
from classex._validation import as_labels, as_plain_array, as_scores
from classex.ranks._classes import ClassesOfReferences
from classex.ranks._comparison import Comparison, scores_of_callable
from classex.ranks._counting import Counts, count_scores
from classex.ranks._inputs import as_embeddings, as_reference_labels, check_pair, class_means, largest_size
from classex.ranks._tally import Tally
from classex.ranks.weights import weights_of_labels
from classex.results.ranks import N_GROUPS, CorrectRanks

__all__ = ["is_dask", "ranks_of_embeddings", "ranks_of_scores"]

_MOST_ROWS = 8192
_MERGED_AT_ONCE = 8

Block = Any  # a delayed array


def is_dask(*values: Any) -> bool:
    """Whether one of the values is a Dask array; Dask is not imported to find out."""
    module = sys.modules.get("dask.array")
    return module is not None and any(isinstance(value, module.Array) for value in values)


def in_memory(value: Any) -> Any:
    """Return a Dask array's values, anything else as it is."""
    return value.compute() if is_dask(value) else value


def ranks_of_scores(scores: Any, labels: ArrayLike, progress: bool = False) -> CorrectRanks:
    """Ranks from a Dask array of scores; see `correct_ranks`."""
    from dask import delayed

    if scores.ndim != 2:
        raise ValueError(f"scores must have 2 axes, but its shape is {scores.shape}")
    truth = as_labels(in_memory(labels), scores.shape[0], scores.shape[1], every_class=False)
    step = max(1, min(_MOST_ROWS, 2**24 // scores.shape[1]))
    blocks, starts = _row_chunks(scores, step)
    counted = [
        delayed(count_block_of_scores)(block, truth[first:last], first, N_GROUPS)
        for block, first, last in zip(blocks, starts[:-1], starts[1:], strict=True)
    ]
    return _finish(counted, starts, truth, scores.shape[1], progress)


def ranks_of_embeddings(
    test: Any,
    references: Any,
    labels: ArrayLike,
    reference_labels: ArrayLike | None,
    metric: Any,
    *,
    aggregate: str,
    method: str,
    progress: bool,
) -> CorrectRanks:
    """Ranks from Dask arrays of embeddings, one of them perhaps in memory; see `correct_ranks_from_embeddings`.

    A task compares one chunk of test points with one chunk of references: it gets the references of the points'
    own classes beside them. Classes with several references are brought together first.
    """
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
    points, starts = _row_chunks(test, _MOST_ROWS)
    points = [delayed(check_block)(block, f"test[{first}:]") for block, first in zip(points, starts, strict=False)]
    exemplars, bounds = _row_chunks(references, references.shape[0])
    exemplars = [
        delayed(check_block)(block, f"references[{first}:]") for block, first in zip(exemplars, bounds, strict=False)
    ]
    if owner is not None and aggregate == "mean":
        whole = delayed(gather_rows)(exemplars, bounds, np.arange(references.shape[0]))
        exemplars, bounds, owner = [delayed(class_means)(whole, owner)], np.array([0, n_classes]), None
    if callable(metric):
        whole = delayed(gather_rows)(exemplars, bounds, np.arange(bounds[-1]))
        counted = [
            delayed(compare_block_by_function)(block, whole, truth[first:last], owner, metric)
            for block, first, last in zip(points, starts[:-1], starts[1:], strict=True)
        ]
        return _finish(counted, starts, truth, n_classes, progress)
    classes = ClassesOfReferences(owner, int(bounds[-1]))
    pieces = _pieces(exemplars, bounds, classes)
    counted = []
    for block, first, last in zip(points, starts[:-1], starts[1:], strict=True):
        own = _own_references(exemplars, bounds, classes, truth[first:last])
        parts = [
            delayed(compare_block)(block, truth[first:last], own, piece, n_classes, metric, method) for piece in pieces
        ]
        counted.append(_merged(parts, add_counts))
    return _finish(counted, starts, truth, n_classes, progress)


def _row_chunks(array: Any, most: int) -> tuple[list[Block], NDArray[np.int64]]:
    """Chunks of whole rows, of at most `most` each, and the rows at which they start and end."""
    from dask import array as da

    if not is_dask(array):
        array = da.from_array(as_plain_array(array, "embeddings"), chunks=(min(most, array.shape[0]), -1))
    array = array.rechunk({1: -1})
    sizes = [part.stop - part.start for chunk in array.chunks[0] for part in row_blocks(chunk, most)]
    array = array.rechunk({0: tuple(sizes)})
    return list(array.to_delayed().ravel()), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def check_block(block: NDArray[Any], name: str) -> NDArray[Any]:
    checked: NDArray[Any] = as_embeddings(block, name)
    return checked


def gather_rows(blocks: list[NDArray[Any]], bounds: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return some rows of an array that is in blocks."""
    where = np.searchsorted(bounds, rows, side="right") - 1
    out = np.empty((rows.size, blocks[0].shape[1]), dtype=np.result_type(*blocks))
    for number in np.unique(where):
        out[where == number] = blocks[number][rows[where == number] - bounds[number]]
    return out


def _rows_from(exemplars: list[Block], bounds: NDArray[np.int64], rows: NDArray[np.int64]) -> Block:
    """Return a task that gathers some rows from the blocks that hold them, each cut down where it lies."""
    from dask import delayed

    where = np.searchsorted(bounds, rows, side="right") - 1
    needed = np.unique(where)
    picked = [delayed(pick_rows)(exemplars[number], rows[where == number] - bounds[number]) for number in needed]
    order = np.argsort(np.concatenate([np.flatnonzero(where == number) for number in needed]))
    return delayed(stack_rows)(picked, order)


def pick_rows(block: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    return block[rows]


def stack_rows(parts: list[NDArray[Any]], order: NDArray[np.int64]) -> NDArray[Any]:
    stacked: NDArray[Any] = np.concatenate(parts)[order]
    return stacked


def _pieces(
    exemplars: list[Block], bounds: NDArray[np.int64], classes: ClassesOfReferences
) -> list[tuple[Block, int, NDArray[np.int64]]]:
    """Chunks of the references of whole classes: the array, its first class, and how many each class has."""
    if classes.single:
        return [
            (block, int(first), np.ones(last - first, dtype=np.int64))
            for block, first, last in zip(exemplars, bounds[:-1], bounds[1:], strict=True)
        ]
    most = int(np.diff(bounds).max())
    return [
        (
            _rows_from(exemplars, bounds, classes.references(first, last)),
            first,
            classes.count(np.arange(first, last)),
        )
        for first, last in classes.blocks(most, classes.n_classes)
    ]


def _own_references(
    exemplars: list[Block], bounds: NDArray[np.int64], classes: ClassesOfReferences, labels: NDArray[np.int64]
) -> tuple[Block, NDArray[np.int64], NDArray[np.int64]]:
    """References of the classes of some test points, those classes, and how many each has."""
    own = np.unique(labels)
    return _rows_from(exemplars, bounds, classes.members(own)[1]), own, classes.count(own)


def compare_block(
    points: NDArray[Any],
    labels: NDArray[np.int64],
    own: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
    piece: tuple[NDArray[Any], int, NDArray[np.int64]],
    n_classes: int,
    metric: str,
    method: str,
) -> Counts:
    """Compare a chunk of test points with the classes of a chunk of references."""
    own_references, own_classes, own_counts = own
    references, first, counts = piece
    exemplars = np.concatenate([references, own_references])
    check_pair(points, exemplars, metric)
    # the classes counted come first, then the points' own, which are not counted
    counts = np.concatenate([counts, own_counts])
    n_counted = counts.size - own_counts.size
    inside = (labels >= first) & (labels < first + n_counted)
    local = np.where(inside, labels - first, n_counted + np.searchsorted(own_classes, labels))
    owner = None if counts.max() == 1 else np.repeat(np.arange(counts.size), counts)
    classes = ClassesOfReferences(owner, exemplars.shape[0])
    largest = max(largest_size(points), largest_size(exemplars))
    n_groups = min(n_classes, N_GROUPS)
    with single_threaded_products():
        comparison = Comparison(points, exemplars, local, classes, metric, method=method, largest=largest)
        return _stack(
            [
                comparison.count(rows, n_groups, n_counted, first)[0]
                for rows in row_blocks(labels.size, comparison.n_rows)
            ],
            n_groups,
        )


def count_block_of_scores(block: NDArray[Any], labels: NDArray[np.int64], first: int, n_groups: int) -> Counts:
    scores = as_scores(block, f"scores[{first}:]")
    n_groups = min(scores.shape[1], n_groups)
    step = max(1, 2**20 // scores.shape[1])
    return _stack(
        [count_scores(scores[rows], labels[rows], n_groups) for rows in row_blocks(labels.size, step)], n_groups
    )


def compare_block_by_function(
    points: NDArray[Any],
    exemplars: NDArray[Any],
    labels: NDArray[np.int64],
    owner: NDArray[np.int64] | None,
    metric: Callable[[Any, Any], ArrayLike],
) -> Counts:
    classes = ClassesOfReferences(owner, exemplars.shape[0])
    n_groups = min(classes.n_classes, N_GROUPS)
    step = max(1, 2**20 // exemplars.shape[0])
    return _stack(
        [
            count_scores(scores_of_callable(metric, points[rows], exemplars, classes), labels[rows], n_groups)
            for rows in row_blocks(labels.size, step)
        ],
        n_groups,
    )


def _stack(parts: list[Counts], n_groups: int) -> Counts:
    """Counts of one block of rows after the other."""
    beaten = np.concatenate([part.beaten for part in parts])
    if not any(part.tied.size for part in parts):
        return Counts(beaten, np.zeros((0, n_groups), dtype=np.int32))
    return Counts(
        beaten, np.concatenate([part.tied if part.tied.size else np.zeros_like(part.beaten) for part in parts])
    )


def add_counts(parts: list[Counts]) -> Counts:
    total = parts[0]
    for part in parts[1:]:
        total = total.plus(part)
    return total


def add_tables(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.sum(parts, axis=0)
    return total


def _merged(parts: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    """Return a task that adds up the results of others, a few at a time, always in the same order."""
    from dask import delayed

    while len(parts) > 1:
        parts = [
            delayed(add)(parts[first : first + _MERGED_AT_ONCE]) for first in range(0, len(parts), _MERGED_AT_ONCE)
        ]
    return parts[0]


def tally_block(
    counts: Counts, labels: NDArray[np.int64], n_classes: int, weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    tally = Tally(labels, n_classes, weights)
    tally.add(slice(0, labels.size), counts)
    return tally.wins, tally.ties, tally.table


def _finish(
    counted: list[Any], starts: NDArray[np.int64], truth: NDArray[np.int64], n_classes: int, progress: bool
) -> CorrectRanks:
    """Run the tasks, and put the ranks together."""
    import dask

    weights = weights_of_labels(truth)
    rows = [slice(first, last) for first, last in pairwise(starts)]
    tallied = [
        dask.delayed(tally_block, nout=3)(part, truth[row], n_classes, weights[row])
        for part, row in zip(counted, rows, strict=True)
    ]
    table = _merged([part[2] for part in tallied], add_tables)
    with warnings.catch_warnings():
        # arrays that came from memory travel with the tasks, so that a lost worker loses nothing
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        *result, total = _run([*(dask.delayed(_wins_and_ties)(part) for part in tallied), table], rows, progress)
    tally = Tally(truth, n_classes, weights)
    for row, (wins, ties) in zip(rows, result, strict=True):
        tally.wins[row], tally.ties[row] = wins, ties
    tally.table += total
    return tally.ranks()


def _wins_and_ties(tallied: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    return tallied[:2]


def _run(tasks: list[Any], rows: list[slice], progress: bool) -> Any:
    """Results of the tasks, the first of which belong to test points; a bar shows those that are done."""
    import dask
    from dask.diagnostics import ProgressBar

    client = _client()
    if not progress:
        return dask.compute(*tasks)
    if client is None:
        with ProgressBar():
            return dask.compute(*tasks)
    from distributed import as_completed
    from tqdm import tqdm

    futures = client.compute(tasks)
    done = {future.key: row.stop - row.start for future, row in zip(futures, rows, strict=False)}
    with tqdm(total=rows[-1].stop, unit=" points", desc="ranks") as bar:
        for future in as_completed(futures):
            bar.update(done.pop(future.key, 0))
    return client.gather(futures)


def _client() -> Any:
    """The client of a cluster that Dask would use; None: there is none."""
    module = sys.modules.get("distributed")
    if module is None:
        return None
    try:
        return module.get_client()
    except ValueError:
        return None
