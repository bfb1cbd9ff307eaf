"""Scores and labels as people have them: frames, names of classes, one column for two classes."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_labels, as_plain_array, as_scores, shown

__all__ = ["column_names", "labels_by_name", "labels_of_columns", "scores_and_labels"]


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
    names = None if classes is None else _as_names(classes)
    columns = column_names(scores)
    if columns is not None:
        names = _frame_names(columns, truth, names)
    given = as_plain_array(scores if columns is None else scores.to_numpy(), "scores")
    two = _zero_and_one(truth, given.shape) if names is None else len(names) == 2
    matrix = as_scores(_two_columns(given) if given.ndim == 1 and columns is None and two else given)
    return matrix, _columns(truth, names, matrix.shape, every_class)


def labels_of_columns(labels: ArrayLike, classes: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the column of each point's correct class, for checked scores of a shape; classes may lack points."""
    names = None if classes is None else _as_names(classes)
    return _columns(as_plain_array(labels, "labels"), names, shape, False)


def _columns(
    truth: NDArray[Any], names: list[Any] | None, shape: tuple[int, ...], every_class: bool
) -> NDArray[np.int64]:
    n_rows, n_classes = shape
    if names is None:
        return as_labels(truth, n_rows, n_classes, every_class=every_class)
    if len(names) != n_classes:
        raise ValueError(_wrong_number(len(names), n_classes))
    return as_labels(_places(truth, names, n_rows), n_rows, n_classes, every_class=every_class)


def labels_by_name(labels: ArrayLike, classes: Any, name: str = "labels") -> NDArray[np.int64]:
    """Return the place of each label among the names of the classes."""
    truth = as_plain_array(labels, name)
    return _places(truth, _as_names(classes), truth.shape[0] if truth.ndim else 0, name)


def column_names(scores: Any) -> list[Any] | None:
    """Names of the columns of a data frame of any library; None for anything else."""
    if isinstance(scores, np.ndarray) or not hasattr(scores, "columns") or not hasattr(scores, "to_numpy"):
        return None
    return list(scores.columns)


def _frame_names(columns: list[Any], truth: NDArray[Any], classes: list[Any] | None) -> list[Any] | None:
    """Class of each column of a frame, or None where labels are numbers of columns."""
    if len(set(columns)) != len(columns):
        raise ValueError("scores must have columns of different names")
    if classes is not None:
        # names that are the classes say themselves where each class stands
        return columns if set(columns) == set(classes) else classes
    if truth.ndim != 1 or not all(isinstance(label, Hashable) for label in truth.tolist()):
        raise TypeError("labels must hold one name or number a row")
    given = set(truth.tolist())
    if given <= set(columns):
        return columns
    if truth.dtype.kind in "iu" and all(isinstance(name, str) for name in columns):
        as_text: dict[Any, Any] = {name: int(name) for name in columns if str(name).isdecimal()}
        if len(as_text) == len(columns) and given <= set(as_text.values()):
            return [as_text[name] for name in columns]
        return None  # columns with names of their own, labels that count them
    missing = sorted(map(repr, given - set(columns)))[0]
    shown = ", ".join(map(repr, columns[:5])) + (", ..." if len(columns) > 5 else "")
    raise ValueError(f"labels must be names of columns of scores ({shown}), but one is {missing}; or give classes=")


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


def _places(truth: NDArray[Any], names: Sequence[Any], n_rows: int, argument: str = "labels") -> NDArray[np.int64]:
    """Return the column of each label."""
    if truth.shape != (n_rows,):
        raise ValueError(f"{argument} must have shape ({n_rows},), one entry per row, but has {truth.shape}")
    place = {name: column for column, name in enumerate(names)}
    out = np.empty(truth.size, dtype=np.int64)
    for row, label in enumerate(truth.tolist()):
        column = place.get(label) if isinstance(label, Hashable) else None
        if column is None:
            raise ValueError(f"{argument} must be among the {len(names)} classes, but row {row} is {shown(label)}")
        out[row] = column
    return out


def _two_columns(decision: NDArray[Any]) -> NDArray[Any]:
    """Return two columns for the decision function of two classes, which is positive for the second."""
    if decision.dtype.kind in "if" and decision.size and ((decision >= 0) & (decision <= 1)).all():
        warnings.warn(
            "one column of scores is cut at 0, but all its values lie in [0, 1], as probabilities do: give both columns"
            " of predict_proba, or decision_function or log-odds",
            UserWarning,
            stacklevel=4,
        )
    return np.stack([-decision, decision], axis=1) if decision.dtype.kind in "if" else decision


def _zero_and_one(truth: NDArray[Any], shape: tuple[int, ...]) -> bool:
    return truth.shape == shape and truth.dtype.kind in "iub" and bool(np.isin(truth, (0, 1)).all())


def _wrong_number(n_names: int, n_columns: int) -> str:
    message = f"classes must name the {n_columns} columns of scores, but has {n_names} entries"
    if n_columns == n_names * (n_names - 1) // 2:
        message += (
            f": {n_columns} is the number of pairs of {n_names} classes, as in one-against-one decisions, which do not"
            " score classes; use decision_function_shape='ovr' or probabilities"
        )
    return message
