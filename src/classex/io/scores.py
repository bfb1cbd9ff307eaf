"""Checks of scores and labels: arrays, data frames, names of classes, one column for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._totals import refuse_total_column
from classex._validation import EXACT_INTEGERS, as_labels, as_plain_array, as_scores, listed, shown
from classex.io.archives import LOG
from classex.io.ids import brief, missed

__all__ = ["comparisons_left_out", "labels_by_name", "labels_of_columns", "scores_and_labels"]

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
    if not isinstance(scores, np.ndarray) and hasattr(scores, "columns") and hasattr(scores, "to_numpy"):
        truth, columns = as_plain_array(_aligned(labels, scores), "labels"), list(scores.columns)
        classes = _classes_of_frame(columns, truth, getattr(labels, "name", None), classes)
        matrix = as_scores(_numbers_of_frame(scores, columns))
        refuse_total_column(matrix, columns, truth, "scores")
    else:
        truth = as_plain_array(labels, "labels")
        matrix = as_plain_array(scores, "scores")
        if matrix.ndim == 1 and _is_binary(truth, matrix.shape, classes):
            matrix = _two_columns(matrix)
        matrix = as_scores(matrix)
    numbers = labels_of_columns(truth, classes, matrix.shape, every_class=every_class)
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
    framed = not isinstance(scores, np.ndarray) and hasattr(scores, "columns") and hasattr(scores, "to_numpy")
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


def labels_of_columns(
    labels: ArrayLike, classes: Any, shape: tuple[int, ...], *, every_class: bool = False
) -> NDArray[np.int64]:
    """Return the column of each point's correct class, for scores of shape (n_test, n_classes)."""
    n_rows, n_columns = shape
    if classes is None:
        return as_labels(labels, n_rows, n_columns, every_class=every_class)
    names = _as_names(classes)
    if len(names) != n_columns:
        message = f"classes must name the {n_columns} columns of scores, but has {len(names)} entries"
        if n_columns == len(names) * (len(names) - 1) // 2:
            message += (
                f": {n_columns} is the number of pairs of {len(names)} classes, as in one-against-one decisions, which"
                " do not score classes; use decision_function_shape='ovr' or probabilities"
            )
        raise ValueError(message)
    return as_labels(_positions(labels, names, n_rows, "labels"), n_rows, n_columns, every_class=every_class)


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
    if matrix.shape[0] != k or (labels != np.arange(k)).any() or (matrix[0] != np.floor(matrix[0])).any():
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
