"""Input files of the command line: score matrices from ``.npz`` and ``.csv``. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_scores", "read_table"]


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
        return _read_npz(file)
    if file.suffix.lower() == ".csv":
        return _read_csv(file)
    raise ValueError(f"{file} must be a .npz or .csv file")


def _read_npz(file: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        archive = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{file} is not a .npz file of plain arrays (pickled objects are never loaded)") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError(f"{file} holds a single array; it must be a .npz file with arrays 'scores' and 'labels'")
    with archive:
        missing = [name for name in ("scores", "labels") if name not in archive.files]
        if missing:
            found = ", ".join(archive.files) or "nothing"
            raise ValueError(f"{file} must hold an array {missing[0]!r}, but holds {found}")
        try:
            return archive["scores"], archive["labels"]
        except (ValueError, EOFError, zipfile.BadZipFile, zipfile.zlib.error):  # type: ignore[attr-defined]
            raise ValueError(f"{file} is damaged, or holds pickled objects, which are never loaded") from None


def _read_csv(file: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    header, rows = read_table(file, "label")
    values = np.empty((len(rows), len(header)))
    for position, (number, row) in enumerate(rows):
        try:
            values[position] = row
        except ValueError:
            bad = next(entry for entry in row if not _is_number(entry))
            raise ValueError(f"{file}, line {number}: {bad!r} is not a number") from None
    label = header.index("label")
    return np.delete(values, label, axis=1), values[:, label]


def read_table(file: Path, *required: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Read a ``.csv`` file with a header: names of the columns, and each row with its line number.

    Parameters
    ----------
    file : Path
        Text in UTF-8, values separated by commas; empty lines are passed over.
    *required : str
        Columns the file must have.

    Returns
    -------
    header : list of str
        Names of the columns.
    rows : list of (int, list of str)
        Line number and entries, as many as there are columns, without surrounding blanks.

    Raises
    ------
    ValueError
        If the file is not such a table, has no rows, lacks a required column or has it twice.
    OSError
        If the file cannot be opened.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows = [
                (number, [entry.strip() for entry in row]) for number, row in enumerate(csv.reader(lines), 1) if row
            ]
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"{file} is not a text file of comma-separated values in UTF-8") from None
    if not rows:
        needed = f" with a column {required[0]!r}" if required else ""
        raise ValueError(f"{file} is empty; it must have a header{needed}")
    header = rows[0][1]
    for name in required:
        if header.count(name) != 1:
            raise ValueError(f"{file} must have one column {name!r}, but its header is {', '.join(header)}")
    if len(rows) == 1:
        raise ValueError(f"{file} has a header but no rows")
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise ValueError(f"{file}, line {number}: {len(row)} entries, but the header has {len(header)}")
    return header, rows[1:]


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True
