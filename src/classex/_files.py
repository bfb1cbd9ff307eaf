"""Files that users bring: arrays from ``.npz`` and tables from ``.csv``. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_arrays", "read_table", "to_numbers"]


def read_arrays(file: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Read the named arrays of a ``.npz`` file.

    Parameters
    ----------
    file : Path
        The file.
    *names : str
        Names of the arrays, at least one.

    Returns
    -------
    tuple of ndarray
        The arrays as they are in the file, not yet checked.

    Raises
    ------
    ValueError
        If the file is no such archive, is damaged, lacks an array, or would need unpickling.
    OSError
        If the file cannot be opened.
    """
    try:
        archive = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{file} is not a .npz file of plain arrays (pickled objects are never loaded)") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        wanted = " and ".join(map(repr, names))
        raise ValueError(f"{file} holds a single array; it must be a .npz file with arrays {wanted}")
    with archive:
        missing = [name for name in names if name not in archive.files]
        if missing:
            found = ", ".join(archive.files) or "nothing"
            raise ValueError(f"{file} must hold an array {missing[0]!r}, but holds {found}")
        try:
            return tuple(archive[name] for name in names)
        except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
            raise ValueError(f"{file} is damaged, or holds pickled objects, which are never loaded") from None


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


def to_numbers(file: Path, rows: Sequence[tuple[int, list[str]]], columns: Sequence[int]) -> NDArray[np.float64]:
    """Turn the entries of some columns of a table into numbers.

    Parameters
    ----------
    file : Path
        Where the table is from, for the message.
    rows : sequence of (int, list of str)
        As `read_table` returns them.
    columns : sequence of int
        Positions of the columns.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The numbers.

    Raises
    ------
    ValueError
        If an entry is not a number; the message has the file and the line.
    """
    values = np.empty((len(rows), len(columns)))
    for position, (number, row) in enumerate(rows):
        entries = [row[column] for column in columns]
        try:
            values[position] = entries
        except ValueError:
            bad = next(entry for entry in entries if not _is_number(entry))
            raise ValueError(f"{file}, line {number}: {bad!r} is not a number") from None
    return values


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True
