"""Checks of scores and labels: arrays, data frames, names of classes, one column for two classes."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Hashable, Iterable
from contextlib import closing
from functools import reduce
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from classex import _loops
from classex._checks import (
    EXACT_INTEGERS,
    as_class_numbers,
    as_generator,
    as_labels,
    as_plain_array,
    as_positive_int,
    as_scores,
    is_dask,
    is_frame,
    listed,
    refuse_other_columns,
    shown,
)
from classex._loops.ranks import count_block, sums_by_class_group
from classex._loops.threads import in_order, row_blocks
from classex.io.archives import LOG
from classex.io.checks import brief, missed
from classex.ranks.ranks import (
    N_GROUPS,
    CorrectRanks,
    DistractorTable,
    bins_of_wins,
    in_clusters,
    tie_nodes,
    warn_if_inverted,
    weights_of_labels,
)

__all__ = [
    "Counts",
    "Doubtful",
    "Tally",
    "Truth",
    "comparisons_left_out",
    "correct_ranks",
    "count_blocks",
    "count_rows",
    "count_scores",
    "count_with_band",
    "finish",
    "in_memory",
    "in_row_chunks",
    "labels_by_name",
    "merged",
    "ranks_from_wins",
    "ranks_of_checked",
    "ranks_of_chunks",
    "ranks_without",
    "scores_and_labels",
    "subset_ranks",
    "sums_by_class_group",
    "thin_ranks",
]


# Counts of a confusion matrix: fewer tests a class are toys, more are scores of another kind
_FEWEST_TESTS, _MOST_TESTS = 5, 10**9
# Accuracy of a confusion matrix, in multiples of guessing: a constant matrix of scores has 1
_MORE_THAN_CHANCE = 1.2


def scores_and_labels(
    scores: Any, labels: ArrayLike, classes: ArrayLike | None = None, *, every_class: bool = True
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return checked scores, and the column of each point's correct class.

    Parameters
    ----------
    scores : array_like or data frame of shape (n_test, n_classes), or (n_test,) for two classes
        Higher is better. The names of a frame's columns are its classes if the labels are among them.
    labels : array_like of shape (n_test,)
        Correct classes: numbers of columns, or names from `classes`.
    classes : array_like of shape (n_classes,), optional
        Name of the class of each column, such as ``estimator.classes_``.
    every_class : bool
        Whether every class must have a test point.

    Raises
    ------
    ValueError
        If scores, labels and classes do not go together.
    TypeError
        If scores are not numbers, or labels are names and `classes` is not given.
    """
    if is_frame(scores):
        truth, columns = as_plain_array(_aligned(labels, scores), "labels"), list(scores.columns)
        named, classes = classes, _classes_of_frame(columns, truth, getattr(labels, "name", None), classes)
        matrix = as_scores(_numbers_of_frame(scores, columns))
        if named is None:
            names = range(len(columns)) if classes is None else columns
            refuse_other_columns(matrix, names, truth.tolist(), "scores", "leave it out, or give all as classes=")
    else:
        truth = as_plain_array(labels, "labels")
        matrix = as_plain_array(scores, "scores")
        if matrix.ndim == 1 and _is_binary(truth, matrix.shape, classes):
            matrix = _two_columns(matrix)
        matrix = as_scores(matrix)
    n_rows, n_columns = matrix.shape
    if classes is not None:
        truth = _positions(truth, _names_of_columns(classes, n_columns), n_rows, "labels")
    numbers = as_labels(truth, n_rows, n_columns, every_class=every_class)
    if n_rows == n_columns:
        _warn_of_counts(matrix, numbers)
    return matrix, numbers


def comparisons_left_out(scores: Any, left_out: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    """Return scores with numbers where comparisons are left out, by a mask or by scores of -inf, and the mask.

    Raises
    ------
    TypeError
        If `left_out` does not hold booleans.
    ValueError
        If `left_out` does not have the shape of the scores.

    Warns
    -----
    UserWarning
        If there is no mask, and scores are -inf.
    """
    framed = is_frame(scores)
    values = as_plain_array(scores.to_numpy() if framed else scores, "scores")
    if left_out is None:
        # the least number costs no memory; it is NaN where a score is
        least = values.min(initial=0.0) if values.ndim == 2 and values.dtype.kind == "f" else 0.0
        if np.isnan(least):
            row, column = np.argwhere(np.isnan(values))[0].tolist()
            remedy = "if no score belongs there, give left_out=np.isnan(scores)"
            raise ValueError(f"scores must be finite, but holds nan at row {row}, column {column}: {remedy}")
        if not np.isneginf(least):
            return scores, None
        mask = np.isneginf(values)
        warnings.warn(
            f"{np.count_nonzero(mask):,} of {mask.size:,} scores are -inf, and these comparisons are left out. A wrong"
            " label that lost (the logarithm of a probability of 0) needs a finite score instead",
            UserWarning,
            stacklevel=3,
        )
    else:
        mask = as_plain_array(left_out.to_numpy() if hasattr(left_out, "to_numpy") else left_out, "left_out")
        if mask.dtype != np.bool_:
            raise TypeError(f"left_out must hold booleans, not values of dtype {mask.dtype}")
        if mask.shape != values.shape or mask.ndim != 2:
            raise ValueError(f"left_out must have the shape of scores, {values.shape}, but has {mask.shape}")
    return scores.mask(mask, 0) if framed else np.where(mask, values.dtype.type(0), values), mask


def _names_of_columns(classes: Any, n_columns: int) -> list[Any]:
    names = _as_names(classes)
    if len(names) != n_columns:
        message = f"classes must name the {n_columns} columns of scores, but has {len(names)} entries"
        if n_columns == len(names) * (len(names) - 1) // 2:
            message += (
                f": {n_columns} is the number of pairs of {len(names)} classes, as in one-against-one decisions, which"
                " do not score classes; use decision_function_shape='ovr' or probabilities"
            )
        raise ValueError(message)
    return names


def labels_by_name(labels: ArrayLike, classes: Any, name: str = "labels") -> NDArray[np.int64]:
    """Return the position of each label among the names of the classes."""
    truth = as_plain_array(labels, name)
    return _positions(truth, _as_names(classes), truth.shape[0] if truth.ndim else 0, name)


def _aligned(labels: Any, frame: Any) -> Any:
    """Return labels in the order of the frame's rows, where both have an index."""
    ours: Any = getattr(labels, "index", None)
    theirs: Any = getattr(frame, "index", None)
    if not hasattr(ours, "equals") or not hasattr(theirs, "equals") or ours.equals(theirs):
        return labels
    if len(ours) != len(theirs) or not (ours.is_unique and theirs.is_unique and ours.isin(theirs).all()):
        raise ValueError(
            "labels must have the index of scores, but theirs differ: give labels.to_numpy() if the rows have one order"
        )
    LOG.info("labels are put in the order of the index of scores")
    return labels.loc[theirs]


def _numbers_of_frame(frame: Any, columns: list[Any]) -> NDArray[Any]:
    """Return the values of a frame; a column that is not numbers is named."""
    values = as_plain_array(frame.to_numpy(), "scores")
    if values.dtype.kind != "O":
        return values
    out = np.empty(values.shape)
    for name, column, target in zip(columns, values.T, out.T, strict=True):
        missing = [type(entry).__name__ in ("NAType", "NoneType") for entry in column.tolist()]
        filled = np.where(missing, np.nan, column)
        bad = next((entry for entry in filled.tolist() if not isinstance(entry, Real)), None)
        if bad is not None:
            raise TypeError(f"scores must hold numbers, but column {shown(name)} holds {shown(bad)}: leave it out")
        target[:] = filled
        large = [entry for entry in filled[np.abs(target) >= EXACT_INTEGERS].tolist() if isinstance(entry, Integral)]
        if any(int(float(entry)) != entry for entry in large):
            raise ValueError(f"scores must be exact as 64-bit floating-point numbers, but column {shown(name)} is not")
    return out


def _warn_of_counts(matrix: NDArray[Any], labels: NDArray[np.int64]) -> None:
    """Warn if scores look like a confusion matrix; votes and matched features can look the same.

    Whole numbers from 0 on, one row a class in the order of the columns, five tests a class, and more of them in the
    diagonal than by guessing. The tests of all classes are equally many; or half of them are in the diagonal, or half
    of the entries 0.
    """
    k = matrix.shape[1]
    if (labels != np.arange(k)).any() or (matrix[0] != np.floor(matrix[0])).any():
        return
    if matrix.min() < 0 or matrix.max() > _MOST_TESTS or (matrix != np.floor(matrix)).any():
        return
    tests = matrix.sum(axis=1, dtype=np.float64)
    balanced = np.ptp(tests) == 0 and (np.diff(np.sort(matrix, axis=1)) == 0).any()  # ranks all differ in a row
    likely = 2 * np.trace(matrix) >= tests.sum() or 2 * np.count_nonzero(matrix) <= matrix.size
    better_than_chance = np.trace(matrix) * k > _MORE_THAN_CHANCE * tests.sum()
    if (balanced or likely) and better_than_chance and tests.mean() >= _FEWEST_TESTS:
        warnings.warn(
            "each row of scores is taken as the scores of one test point, but they look like a confusion matrix. Its"
            " counts give no ranks: give them to information.confusion_information, and their accuracy to"
            " average_bayes_accuracy_bound or Extrapolator.fit_curve",
            UserWarning,
            stacklevel=4,
        )


def _classes_of_frame(columns: list[Any], truth: NDArray[Any], called: Any, classes: Any) -> list[Any] | None:
    """Class of each column of a frame, or None where labels are numbers of columns."""
    if len(set(columns)) != len(columns):
        raise ValueError("scores must have columns of different names")
    if classes is not None:
        names = _as_names(classes)
        # columns named after the classes may come in any order
        return columns if set(columns) == set(names) else names
    if truth.ndim != 1 or not all(isinstance(label, Hashable) for label in truth.tolist()):
        raise TypeError("labels must hold one name or number a row")
    given = set(truth.tolist())
    left = [name for name in columns if name in ("label", "labels", called) and name not in given]
    if left:
        raise ValueError(
            f"scores must hold one column for each class, but {shown(left[0])} seems to hold labels: drop it"
        )
    if given <= set(columns):
        return columns
    if truth.dtype.kind in "iu" and all(isinstance(name, str) for name in columns):
        numbers = [int(name) for name in columns if name.isdecimal()]
        # texts such as "2" are numbers of classes; other names leave labels to count the columns
        return numbers if len(numbers) == len(columns) and given <= set(numbers) else None
    few, text = listed(map(repr, columns)), missed(sorted(truth.tolist(), key=str), set(columns))[1]
    raise ValueError(f"labels must be names of columns of scores ({few}), but these are not, {text}; or give classes=")


def _as_names(classes: Any) -> list[Any]:
    if hasattr(classes, "to_numpy"):  # a column of a data frame
        classes = classes.to_numpy()
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable) or getattr(classes, "ndim", 1) != 1:
        raise TypeError("classes must be the names of the columns of scores, one for each")
    names = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    if not all(isinstance(name, Hashable) for name in names):
        raise TypeError("classes must be names that can be compared, such as numbers or texts, not lists")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"classes must all differ, but {shown(twice)} occurs more than once")
    return names


def _positions(labels: ArrayLike, names: list[Any], n_rows: int, argument: str) -> NDArray[np.int64]:
    """Return the position of each label among the names."""
    truth = as_plain_array(labels, argument)
    if truth.shape != (n_rows,):
        raise ValueError(f"{argument} must have shape ({n_rows},), one entry per row, but has {truth.shape}")
    position = {name: column for column, name in enumerate(names)}
    out = [position.get(label, -1) if isinstance(label, Hashable) else -1 for label in truth.tolist()]
    if -1 in out:
        row = out.index(-1)
        _, text = missed([shown(label) if isinstance(label, list) else label for label in truth.tolist()], position)
        what = f"row {row} is {brief(truth.tolist()[row])}; not among them are {text}"
        raise ValueError(f"{argument} must be among the {len(names)} classes, but {what}")
    return np.array(out, dtype=np.int64)


def _is_binary(truth: NDArray[Any], shape: tuple[int, ...], classes: Any) -> bool:
    """Whether one column of scores may be the decision function of two classes."""
    if classes is not None:
        return len(_as_names(classes)) == 2
    return truth.shape == shape and truth.dtype.kind in "iub" and bool(np.isin(truth, (0, 1)).all())


def _two_columns(decision: NDArray[Any]) -> NDArray[Any]:
    """Return two columns for the decision function of two classes, which is positive for the second."""
    if decision.dtype.kind not in "if":
        return decision
    if decision.size and ((decision >= 0) & (decision <= 1)).all():
        warnings.warn(
            "one column of scores is cut at 0, but all its values lie in [0, 1], as probabilities do: give both columns"
            " of predict_proba, or decision_function or log-odds",
            UserWarning,
            stacklevel=4,
        )
    return np.stack([-decision, decision], axis=1)


#: wrong labels that test points beat, and tie with, by group of classes: shape (2, n_rows, n_groups)
Counts = NDArray[np.int32]
#: rows, and classes that are too close to call
Doubtful = tuple[NDArray[np.int64], NDArray[np.int64]]


class Truth(NamedTuple):
    """Correct labels of some test points, and the bands around their scores.

    Attributes
    ----------
    low, high : ndarray of shape (n_rows,)
        Ends of the band: the truth beats what scores below, and loses to what scores above.
    own : ndarray of shape (n_rows,)
        Correct class of each point.
    """

    low: NDArray[Any]
    high: NDArray[Any]
    own: NDArray[np.int64]


def count_with_band(
    block: NDArray[Any],
    offset: NDArray[Any],
    truth: Truth,
    first: int,
    group: int,
    beaten: NDArray[np.int32],
    cells: float,
) -> Doubtful:
    """Add the wrong labels surely below the truth to `beaten`, and return the pairs in doubt.

    Parameters
    ----------
    block : ndarray of shape (n_rows, n_columns)
        Scores, of which ``offset[column]`` is still to be subtracted.
    offset : ndarray of shape (n_columns,)
        What to subtract.
    truth : Truth
        Correct classes and bands of the rows.
    first : int
        Class of the block's first column.
    group : int
        Group of the block's first column, modulo the number of groups.
    beaten : ndarray of shape (n_rows, n_groups)
        Counts by group, added to in place.
    cells : float
        Comparisons of all blocks, which decide whether the loop is compiled.
    """
    low, high, own = truth
    between = np.empty(block.shape[0], dtype=np.int64)
    count_block(block, offset, low, high, first, own, group, beaten, between, cells=cells)
    rows = np.flatnonzero(between)
    value = block[rows] - offset
    inside = (value >= low[rows, np.newaxis]) & (value <= high[rows, np.newaxis])
    row, column = np.nonzero(inside)
    wrong = column + first != own[rows[row]]
    return rows[row[wrong]], column[wrong] + first


def count_scores(block: NDArray[Any], own: NDArray[np.int64], n_groups: int, whole: int = 0) -> Counts:
    """Count rows of scores that are compared as stored: equal scores tie.

    Few scores are counted without compiled code; a block is one of `whole` scores in all.
    """
    cells, points = max(block.size, whole), np.arange(own.size)
    score = block[points, own]
    if cells <= _loops.FEW or _loops.numba_for(cells) is None:
        beaten = np.stack([block < score[:, np.newaxis], block == score[:, np.newaxis]])
        beaten[1, points, own] = False
        return beaten.astype(np.int32) if n_groups == block.shape[1] else sums_by_class_group(beaten, n_groups)
    counts = np.zeros((2, own.size, n_groups), dtype=np.int32)
    offset = np.zeros(block.shape[1], dtype=block.dtype)
    row, label = count_with_band(block, offset, Truth(score, score, own), 0, 0, counts[0], cells)
    np.add.at(counts[1], (row, label % n_groups), 1)
    return counts


class Tally:
    """Wins and ties of every test point, and what every group of classes did as distractors.

    Parameters
    ----------
    labels : ndarray of shape (n_test,)
        Checked correct classes.
    n_classes : int
        Number of classes; class c belongs to group ``c % n_groups``.
    weights : ndarray of shape (n_test,), optional
        Weight of each test point; by default the points of a class share a weight of 1.
    most : int
        Maximum number of groups.
    """

    def __init__(self, labels: NDArray[np.int64], n_classes: int, weights: Any = None, most: int = N_GROUPS) -> None:
        self.labels, self.n_classes, self.n_groups = labels, n_classes, min(n_classes, most)
        self.wins, self.ties = np.zeros((2, labels.size), dtype=np.int64)
        self._weights = weights_of_labels(labels) if weights is None else weights
        self._bins, self._representative = bins_of_wins(n_classes)
        self.table = np.zeros((self._representative.size, self.n_groups))

    def add(self, rows: slice, counts: Counts) -> None:
        """Add the counts of a block of test points."""
        wins, ties = counts.sum(axis=2, dtype=np.int32).astype(np.int64)  # numbers of one kind add up the fastest
        self.wins[rows], self.ties[rows] = wins, ties
        point, extra, start = tie_nodes(ties)
        weight = (self._weights[rows] / np.diff(start, append=point.size))[point]
        at, shape = (self._bins[wins[point] + extra], point), (self.table.shape[0], wins.size)
        self.table += sparse.csr_array((weight, at), shape) @ counts[0]
        if ties.any():
            share = weight * extra / np.maximum(ties, 1)[point]
            self.table += sparse.csr_array((share, at), shape) @ counts[1]

    def ranks(self) -> CorrectRanks:
        """Return the ranks, once every block was added."""
        table = DistractorTable(self.table, self._representative, np.arange(self.n_classes) % self.n_groups)
        return CorrectRanks(self.wins, self.ties, self.labels, self.n_classes, table)


def count_blocks(
    count: Callable[[slice, int], Counts],
    labels: NDArray[np.int64],
    n_classes: int,
    n_rows: int,
    *,
    most: int = N_GROUPS,
    threads: int | None = None,
    progress: bool = False,
) -> CorrectRanks:
    """Return the ranks from ``count(rows, n_groups)`` on blocks of test points, which several threads share.

    Their distractor table has at most `most` groups of classes.
    """
    tally = Tally(labels, n_classes, most=most)
    blocks = row_blocks(labels.size, n_rows)
    with closing(
        in_order(lambda rows: count(rows, tally.n_groups), blocks, threads=threads, progress=progress)
    ) as done:
        for rows, counts in done:
            tally.add(rows, counts)
    return tally.ranks()


# comparisons of a block: a few megabytes
_BLOCK_ELEMENTS = 2**20


def ranks_without(
    scores: NDArray[Any], labels: NDArray[np.int64], left_out: NDArray[np.bool_], *, most: int = N_GROUPS
) -> CorrectRanks:
    """Return the ranks among the wrong labels that are not left out, with a distractor table of at most `most` groups.

    Parameters
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Checked scores; what they are where comparisons are left out does not matter.
    labels : ndarray of shape (n_test,)
        Column of the correct label of each test point.
    left_out : ndarray of bool of shape (n_test, n_classes)
        Which comparisons are left out.
    most : int
        Maximum number of groups of classes.

    Raises
    ------
    ValueError
        If the correct label of a point is left out, or all wrong ones are.
    """
    n, k = scores.shape
    n_wrong = k - 1 - left_out.sum(axis=1)
    for bad, what in ((left_out[np.arange(n), labels], "its correct label"), (n_wrong < 1, "all its wrong labels")):
        if bad.any():
            raise ValueError(
                f"left_out must leave the correct label and a wrong one, but row {bad.argmax()} lacks {what}"
            )
    n_groups = min(k, most)

    def counted(rows: slice) -> NDArray[np.int32]:
        """Count what points beat, tie with and meet, by group: shape (3, n_rows, n_groups)."""
        block, met, own = scores[rows], ~left_out[rows], labels[rows]
        truth = block[np.arange(own.size), own][:, np.newaxis]
        met[np.arange(own.size), own] = False
        return sums_by_class_group(np.stack([met & (block < truth), met & (block == truth), met]), n_groups)

    blocks = row_blocks(n, max(1, _BLOCK_ELEMENTS // k))
    wins, ties = np.concatenate([counted(rows)[:2].sum(axis=2) for rows in blocks], axis=1).astype(np.int64)
    point, extra, start = tie_nodes(ties)
    weight = (weights_of_labels(labels) / np.diff(start, append=point.size))[point, np.newaxis]
    code, row = np.unique(n_wrong[point] * k + wins[point] + extra, return_inverse=True)
    beaten, met = np.zeros((2, code.size, n_groups))
    for rows in blocks:
        nodes = slice(*np.searchsorted(point, [rows.start, rows.stop]))
        sure, tied, all_met = counted(rows)[:, point[nodes] - rows.start]
        share = (extra[nodes] / np.maximum(ties[point[nodes]], 1))[:, np.newaxis]
        np.add.at(beaten, row[nodes], weight[nodes] * (sure + share * tied))
        np.add.at(met, row[nodes], weight[nodes] * all_met)
    table = DistractorTable(beaten, code % k, np.arange(k) % n_groups, met, code // k)
    return CorrectRanks(wins, ties, labels, k, table, n_wrong, left_out=True)


# most rows of a chunk of test points, and scores of a chunk: its counts take 32 MB
MOST_ROWS, _MOST_SCORES = 8192, 2**24
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
    return finish(counted, starts, truth, n_classes)


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


def finish(counted: list[Any], starts: NDArray[np.int64], truth: NDArray[np.int64], n_classes: int) -> CorrectRanks:
    """Run the tasks, and put the ranks together."""
    from dask import compute, delayed

    tally = Tally(truth, n_classes)
    weights = weights_of_labels(truth)
    tallied = [
        delayed(tally_block, nout=2)(part, truth[first:last], n_classes, weights[first:last])
        for part, (first, last) in zip(counted, pairwise(starts), strict=True)
    ]
    with warnings.catch_warnings():
        # arrays that came from memory travel with the tasks, so that a lost worker loses nothing
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        *ends, table = compute(*(part[0] for part in tallied), merged([part[1] for part in tallied]))
    tally.wins, tally.ties = np.concatenate(ends, axis=1)
    tally.table += table
    return tally.ranks()


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
    k, most = scores.shape[1], N_GROUPS if clusters is None else scores.shape[1]
    if left_out is not None:
        ranks = ranks_without(scores, labels, left_out, most=most)
    elif scores.size <= _BLOCK_ELEMENTS:
        tally = Tally(labels, k, most=most)
        tally.add(slice(None), count_scores(scores, labels, tally.n_groups))
        ranks = tally.ranks()
    else:

        def count(rows: slice, n_groups: int) -> Counts:
            return count_scores(scores[rows], labels[rows], n_groups, scores.size)

        ranks = count_blocks(count, labels, k, max(1, _BLOCK_ELEMENTS // k), most=most)
    warn_if_inverted(ranks, stacklevel=4)
    return ranks if clusters is None else in_clusters(ranks, clusters)


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
