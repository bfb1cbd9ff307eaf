"""Checks of scores and labels: arrays, data frames, names of classes, one column for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_labels, as_plain_array, as_scores, shown

__all__ = ["labels_by_name", "labels_of_columns", "scores_and_labels"]


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
    truth = as_plain_array(labels, "labels")
    if not isinstance(scores, np.ndarray) and hasattr(scores, "columns") and hasattr(scores, "to_numpy"):
        classes = _classes_of_frame(list(scores.columns), truth, classes)
        matrix = as_scores(scores.to_numpy())
    else:
        matrix = as_plain_array(scores, "scores")
        if matrix.ndim == 1 and _is_binary(truth, matrix.shape, classes):
            matrix = _two_columns(matrix)
        matrix = as_scores(matrix)
    return matrix, labels_of_columns(truth, classes, matrix.shape, every_class=every_class)


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


def _classes_of_frame(columns: list[Any], truth: NDArray[Any], classes: Any) -> list[Any] | None:
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
    if given <= set(columns):
        return columns
    if truth.dtype.kind in "iu" and all(isinstance(name, str) for name in columns):
        numbers = [int(name) for name in columns if name.isdecimal()]
        # texts such as "2" are numbers of classes; other names leave labels to count the columns
        return numbers if len(numbers) == len(columns) and given <= set(numbers) else None
    missing = min(map(repr, given - set(columns)))
    few = ", ".join(map(repr, columns[:5])) + (", ..." if len(columns) > 5 else "")
    raise ValueError(f"labels must be names of columns of scores ({few}), but one is {missing}; or give classes=")


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
        raise ValueError(f"classes must all differ, but {twice!r} occurs more than once")
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
        raise ValueError(
            f"{argument} must be among the {len(names)} classes, but row {row} is {shown(truth.tolist()[row])}"
        )
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
