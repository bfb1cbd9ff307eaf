"""Files that users bring: arrays from ``.npz`` and tables of text. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import os
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Source", "atomic_text", "atomic_write", "open_source", "read_arrays", "read_table", "to_numbers"]


@dataclass(frozen=True)
class Source:
    """An opened file, with the name it goes by in messages.

    Attributes
    ----------
    name : str
        Name of the file, or "standard input".
    stream : binary file
        Its contents, unpacked if they were packed by gzip, from the start.
    kind : {"numpy", "parquet", "other"}
        What the first bytes say.
    """

    name: str
    stream: IO[bytes]
    kind: str

    def __str__(self) -> str:
        return self.name


def open_source(path: str | Path) -> Source:
    """Read a file or, for ``-``, the standard input.

    Raises
    ------
    ValueError
        If the file is packed by gzip and damaged.
    OSError
        If the file cannot be opened.
    """
    name, data = ("standard input", sys.stdin.buffer.read()) if str(path) == "-" else (str(path), _bytes(path))
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise ValueError(f"{name} is damaged: gzip cannot unpack it") from None
        except MemoryError:
            raise ValueError(f"{name} is larger, unpacked, than the memory") from None
    kinds = {b"PK": "numpy", b"\x93NUMPY": "numpy", b"PAR1": "parquet"}
    kind = next((kind for start, kind in kinds.items() if data.startswith(start)), "other")
    return Source(name, io.BytesIO(data), kind)


def _bytes(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except ValueError as error:  # a name that no file can have
        raise ValueError(f"{str(path)!r} is no name of a file: {error}") from None


def _as_source(file: Source | str | Path) -> Source:
    return file if isinstance(file, Source) else open_source(file)


def read_arrays(file: Source | str | Path, *names: str, optional: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Read the named arrays of a ``.npz`` file.

    Parameters
    ----------
    file : Source, str or Path
        The file.
    *names : str
        Names of the arrays, at least one.
    optional : sequence of str
        Arrays that are read if they are there.

    Returns
    -------
    dict of str to ndarray
        The arrays as they are in the file, not yet checked.

    Raises
    ------
    ValueError
        If the file is no such archive, is damaged, locked, packed in an unknown way or too large for memory,
        lacks an array, or would need unpickling.
    OSError
        If the file cannot be opened.
    """
    file = _as_source(file)
    try:
        archive = np.load(file.stream, allow_pickle=False)
    except (ValueError, EOFError, OSError, NotImplementedError, MemoryError, zipfile.BadZipFile):
        raise ValueError(f"{file} is not a .npz file of plain arrays (pickled objects are never loaded)") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        wanted = " and ".join(map(repr, names))
        raise ValueError(f"{file} holds a single array; it must be a .npz file with arrays {wanted}")
    with archive:
        missing = [name for name in names if name not in archive.files]
        if missing:
            found = ", ".join(archive.files) or "nothing"
            raise ValueError(f"{file} must hold an array {missing[0]!r}, but holds {found}")
        wanted_names = [*names, *(name for name in optional if name in archive.files)]
        return {name: _array(archive, file, name) for name in wanted_names}


def _array(archive: Any, file: Source, name: str) -> NDArray[Any]:
    """Read one array; whatever the archive holds, what is wrong with it is said in one line."""
    try:
        array = archive[name]
    except MemoryError:
        raise ValueError(f"{file} holds an array {name!r} that is larger than the memory") from None
    except RuntimeError as error:  # an encrypted member, or a compression that this Python lacks
        raise ValueError(f"{file} cannot be unpacked: {error}") from None
    except (ValueError, EOFError, KeyError, OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error):
        raise ValueError(f"{file} is damaged, or holds pickled objects, which are never loaded") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{file} holds no array under the name {name!r}")
    return array


@contextmanager
def atomic_write(file: Path) -> Iterator[IO[bytes]]:
    """Open a file to write that appears under its name only when it is whole.

    The bytes go to a neighbouring file that is renamed at the end, and removed if anything goes wrong. What is no
    ordinary file, such as ``/dev/stdout``, is written to as it is, and a link stays a link.
    """
    if file.exists() and not file.is_file():
        with file.open("wb") as stream:
            yield stream
        return
    file = file.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    except FileNotFoundError:
        raise FileNotFoundError(f"{file} names a folder that does not exist") from None
    try:
        with open(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def atomic_text(file: Path, text: str) -> None:
    """Write text in UTF-8, with the line ends it has, to a file that appears when it is whole."""
    with atomic_write(file) as stream:
        stream.write(text.encode())


def read_table(file: Source | str | Path, *required: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Read a table of text with a header: names of the columns, and each row with its line number.

    Parameters
    ----------
    file : Source, str or Path
        Text in UTF-8, values separated by commas, or by tabs if there are more of them in the header; empty lines are
        passed over.
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
    file = _as_source(file)
    try:
        text = file.stream.read().decode("utf-8-sig")
        first = text[: text.find("\n")] if "\n" in text else text
        lines = csv.reader(
            io.StringIO(text, newline=""), delimiter="\t" if first.count("\t") > first.count(",") else ","
        )
        rows = [(number, [entry.strip() for entry in row]) for number, row in enumerate(lines, 1) if row]
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


def to_numbers(
    file: Source | str | Path, rows: Sequence[tuple[int, list[str]]], columns: Sequence[int]
) -> NDArray[np.float64]:
    """Turn the entries of some columns of a table into numbers.

    Parameters
    ----------
    file : Source, str or Path
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
