"""Score matrices of the command line, from ``.npz`` and ``.csv``. Nothing is ever unpickled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from classex._files import read_arrays, read_table, to_numbers

__all__ = ["read_scores"]


def read_scores(path: str | Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a score matrix and the labels.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with arrays ``scores`` of shape (n_test, n_classes) and ``labels`` of shape (n_test,);
        or a ``.csv`` file with a header, a column ``label`` (number of the class, from 0) and one column of
        scores per class, in the order of the classes.

    Returns
    -------
    scores : ndarray of shape (n_test, n_classes)
        Scores as they are in the file, not yet checked.
    labels : ndarray of shape (n_test,)
        Labels as they are in the file, not yet checked.

    Raises
    ------
    ValueError
        If the file is neither kind, cannot be parsed, lacks an array or a column, or would need unpickling.
    OSError
        If the file cannot be opened.
    """
    file = Path(path)
    if file.suffix.lower() == ".npz":
        scores, labels = read_arrays(file, "scores", "labels").values()
        return scores, labels
    if file.suffix.lower() == ".csv":
        header, rows = read_table(file, "label")
        label = header.index("label")
        # in the order of the columns, so that the first bad entry of a line is the one named
        values = to_numbers(file, rows, range(len(header)))
        return values[:, [column for column in range(len(header)) if column != label]], values[:, label]
    raise ValueError(f"{file} must be a .npz or .csv file")
