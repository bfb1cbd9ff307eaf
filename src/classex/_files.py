"""Files that users bring: arrays from ``.npz`` and tables of text. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import math
import os
import re
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

__all__ = [
    "Source",
    "atomic_text",
    "atomic_write",
    "listed",
    "open_source",
    "read_arrays",
    "read_table",
    "to_numbers",
]

_MOST_LISTED, _LONGEST_NAME = 5, 40  # in messages
# numbers as people write them, with either decimal mark; the explorer has the same expressions
_GROUPS = "\u00a0\u202f'’"  # between thousands, beside the mark that is not the decimal one
_NUMBERS = {
    mark: re.compile(
        rf"[+\-\u2212]?(?:(?:[0-9]{{1,3}}(?:[{other}{_GROUPS}][0-9]{{3}})+|[0-9]+)(?:[{mark}][0-9]*)?|[{mark}][0-9]+)"
        r"(?:[eE][+-]?[0-9]+)?"
    )
    for mark, other in (",.", ".,")
}
_THOUSANDS = re.compile(r"[+\-\u2212]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_MARKED = re.compile(rf"[+\-\u2212]?[0-9.,{_GROUPS}]+(?:[eE][+-]?[0-9]+)?")


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
            found = listed(archive.files) or "nothing"
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


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first few, each cut short, and how many there are."""
    few = ", ".join(_cut(str(name)) for name in names[:_MOST_LISTED])
    return few if len(names) <= _MOST_LISTED else f"{few}, ... ({len(names)} in all)"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}..."


def read_table(file: Source | str | Path, *required: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Read a table of text with a header: names of the columns, and each row with its line number.

    Parameters
    ----------
    file : Source, str or Path
        Text in UTF-8, values separated by tabs, semicolons or commas: the first of these that gives a header with
        the required columns. Empty lines are passed over, and lines above the header that begin with ``#``.
    *required : str
        Columns the file must have; capitals do not matter where only one column is called so.

    Returns
    -------
    header : list of str
        Names of the columns; the required ones as they are required.
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
        stream = io.StringIO(file.stream.read().decode("utf-8-sig"), newline="")
        headers = {mark: _header(_rows(stream, mark), required) for mark in "\t;,"}
        marks = [mark for mark, header in headers.items() if len(header) > 1 and _has(header, required)]
        rows = _rows(stream, marks[0] if marks else _most_frequent(stream))
        found = _header(rows, required)
        body = list(rows)
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"{file} is not a text file of comma-separated values in UTF-8") from None
    if not found:
        needed = f" with a column {required[0]!r}" if required else ""
        raise ValueError(f"{file} is empty; it must have a header{needed}")
    header = _renamed(found, required)
    for name in required:
        if header.count(name) != 1:
            raise ValueError(f"{file} must have one column {name!r}, but its header is {listed(header)}")
    if not body:
        raise ValueError(f"{file} has a header but no rows")
    for number, row in body:
        if len(row) != len(header):
            raise ValueError(f"{file}, line {number}: {len(row)} entries, but the header has {len(header)}")
    return header, body


def _rows(stream: io.StringIO, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with their line numbers, but for the empty ones, read from the start as they are asked for."""
    stream.seek(0)
    for number, row in enumerate(csv.reader(stream, delimiter=mark), 1):
        entries = [entry.strip() for entry in row]
        if len(entries) > 1 or any(entries):
            yield number, entries


def _header(rows: Iterator[tuple[int, list[str]]], required: Sequence[str]) -> list[str]:
    """The first row that is no comment; nothing if there is none."""
    rest = (row for _, row in rows if not (required and row[0].startswith("#")) or _has(row, required))
    return next(rest, [])


def _has(header: Sequence[str], required: Sequence[str]) -> bool:
    return bool(required) and set(required) <= set(_renamed(header, required))


def _renamed(header: Sequence[str], required: Sequence[str]) -> list[str]:
    """The header with the required names in place of names that differ in capitals alone."""
    names = list(header)
    for name in required:
        alike = [i for i, other in enumerate(header) if other.lower() == name.lower()]
        if name not in header and len(alike) == 1:
            names[alike[0]] = name
    return names


def _most_frequent(stream: io.StringIO) -> str:
    """The mark of which there are most in the first line; commas, if they are as many."""
    stream.seek(0)
    return max(",\t;", key=stream.readline().count)


def to_numbers(
    file: Source | str | Path, rows: Sequence[tuple[int, list[str]]], columns: Sequence[int]
) -> NDArray[np.float64]:
    """Turn the entries of some columns of a table into numbers.

    Decimals may have a comma, if all have it; the other mark, an apostrophe or a narrow blank may stand between
    thousands. A file in which nothing tells whether ``1,234`` is a decimal is refused.

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
    try:
        for position, (_, row) in enumerate(rows):
            entries = [row[column] for column in columns]
            if "_" in "".join(entries):  # which Python takes for a number
                raise ValueError
            values[position] = entries
    except ValueError:  # not all are plain: what the marks mean can be seen from all together
        mark = _decimal_mark(file, [row[column] for _, row in rows for column in columns])
        for position, (number, row) in enumerate(rows):
            for place, column in enumerate(columns):
                value = _as_number(row[column], mark)
                if value is None:
                    raise ValueError(f"{file}, line {number}: {_cut(row[column])!r} is not a number") from None
                values[position, place] = value
    return values


def _decimal_mark(file: Source | str | Path, entries: Sequence[str]) -> str:
    """The decimal mark of a table's entries. A comma before three digits alone may also stand between thousands."""
    marked = [entry for entry in entries if ("," in entry or "." in entry) and _MARKED.fullmatch(entry)]
    both = next((entry for entry in marked if "," in entry and "." in entry), None)
    if both is not None:
        return "," if both.rindex(",") > both.rindex(".") else "."
    for mark in ",.":
        if any(mark in entry and not _THOUSANDS.fullmatch(entry.replace(mark, ",")) for entry in marked):
            return mark
    unclear = next((entry for entry in marked if "," in entry), None)
    if unclear is not None:
        read = f"{_cut(unclear).replace(',', '.')} or {_cut(unclear).replace(',', '')}"
        raise ValueError(
            f"{file}: {_cut(unclear)!r} may be {read}: put no mark between thousands, and a point before decimals"
        )
    return "."


def _as_number(entry: str, mark: str) -> float | None:
    """The number as it is written with this decimal mark, or None."""
    if _NUMBERS[mark].fullmatch(entry):
        between = "." if mark == "," else ","
        plain = re.sub(f"[{between}{_GROUPS}]", "", entry).replace(",", ".").replace("\u2212", "-")
        return float(plain)
    try:
        other = float(entry)
    except ValueError:
        return None
    return None if math.isfinite(other) else other  # nan and inf: others say what is wrong with them
