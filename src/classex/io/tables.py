"""Reading of archives and tables, and writing of files that appear whole. Nothing is ever unpickled."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for
from classex._validation import one_line, shown

__all__ = ["File", "Table", "atomic_text", "atomic_write", "listed", "read_arrays", "read_file", "read_table"]

# what numpy and the standard library raise on archives that are damaged, encrypted, too large or pickled
_UNREADABLE = (
    ValueError,
    EOFError,
    KeyError,
    OSError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
# 1,234: a comma that may be a decimal mark or stand between thousands
_UNCLEAR = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


class File(NamedTuple):
    """A file that was read.

    Attributes
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
        Its contents, unpacked if gzip had packed them.
    """

    name: str
    data: bytes

    @property
    def is_archive(self) -> bool:
        """Whether the first bytes, or the name, are those of numpy's arrays."""
        return self.data.startswith((b"PK", b"\x93NUMPY")) or self.name.endswith(".npz")


def read_file(path: File | str | Path) -> File:
    """Read a file or, for ``-``, the standard input; a file that was read before is returned."""
    if isinstance(path, File):
        return path
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except ValueError as error:
        raise ValueError(f"{shown(name)} cannot be the name of a file: {error}") from None
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise ValueError(f"{name} is damaged: gzip cannot unpack it") from None
    return File(name, data)


def read_arrays(path: File | str | Path, *names: str, optional: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Read the named arrays of a ``.npz`` file.

    Parameters
    ----------
    path : File, str or Path
        The file.
    *names : str
        Names of the arrays, at least one.
    optional : sequence of str
        Arrays that are read if they are present.

    Returns
    -------
    dict of str to ndarray
        The arrays, not yet checked.

    Raises
    ------
    ValueError
        If the file is no such archive, is damaged, lacks an array, or would need unpickling.
    OSError
        If the file cannot be opened.
    """
    file = read_file(path)
    try:
        archive = np.load(io.BytesIO(file.data), allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise ValueError("it holds a single array")
        missing = [wanted for wanted in names if wanted not in archive.files]
        arrays = {key: archive[key] for key in (*names, *optional) if key in archive.files}
    except _UNREADABLE as error:
        why = one_line(str(error))
        raise ValueError(
            f"{file.name} is damaged, or not a .npz file of plain arrays (nothing is unpickled): {why}"
        ) from None
    if missing:
        raise ValueError(
            f"{file.name} must hold an array {missing[0]!r}, but holds {listed(archive.files) or 'nothing'}"
        )
    return arrays


class Table(NamedTuple):
    """Columns of a table, not yet numbers.

    Attributes
    ----------
    name : str
        Name of the file, for messages.
    header : list of str
        Names of the columns.
    entries : ndarray of object of shape (n_rows, n_columns)
        Texts, or what a ``.parquet`` file holds.
    """

    name: str
    header: list[str]
    entries: NDArray[Any]

    def texts(self, column: str) -> list[str]:
        """Return the entries of a column as texts."""
        return [str(entry).strip() for entry in self.entries[:, self.header.index(column)]]

    def numbers(self, columns: Sequence[int | str]) -> NDArray[np.float64]:
        """Return some columns, by position or name, as numbers of shape (n_rows, n_columns).

        Raises
        ------
        ValueError
            If an entry is not a number, or a comma in it may be a decimal mark or not.
        """
        where = [self.header.index(column) if isinstance(column, str) else column for column in columns]
        entries = self.entries[:, where]
        texts = [entry for entry in entries.flat if isinstance(entry, str)]
        commas = [text.strip() for text in texts if "," in text]
        if commas and (all(map(_UNCLEAR.fullmatch, commas)) or any("." in text for text in texts)):
            raise ValueError(
                f"{self.name}: {shown(commas[0])} is not a plain number: write decimals with a point, or all with a"
                " comma, and no mark between thousands"
            )
        if commas:
            entries = np.vectorize(lambda entry: str(entry).replace(",", "."), otypes=[object])(entries)
        try:
            if "_" in "".join(texts):  # Python takes 1_000 for a number
                raise ValueError
            return entries.astype(np.float64)
        except (ValueError, TypeError):
            row, column = next(index for index, entry in np.ndenumerate(entries) if not is_number(entry))
            bad = self.entries[row, where[column]]
            raise ValueError(
                f"{self.name}, row {row + 1}, column {shown(self.header[where[column]])}: {shown(bad)} is not a number"
            ) from None


def is_number(entry: Any) -> bool:
    """Whether an entry of a table is a number."""
    try:
        float(entry)
    except (ValueError, TypeError):
        return False
    return "_" not in str(entry)


def read_table(path: File | str | Path, *required: str) -> Table:
    """Read a table with a header.

    Parameters
    ----------
    path : File, str or Path
        A ``.parquet`` file, which pandas reads, or text in UTF-8 with values separated by tabs, semicolons or commas:
        the first of these that gives a header with the required columns. Empty lines are skipped, and lines above the
        header that begin with ``#``.
    *required : str
        Columns that the file must have once; capitals do not matter.

    Returns
    -------
    Table
        The columns; the required ones under the names given here.

    Raises
    ------
    ValueError
        If the file is not such a table, has no rows, lacks a required column or has it twice.
    OSError
        If the file cannot be opened.
    """
    name, data = read_file(path)
    header, entries = (_parquet if data.startswith(b"PAR1") else _text)(name, data, required)
    if not len(entries):
        raise ValueError(f"{name} has a header but no rows")
    return Table(name, header, entries)


def _parquet(name: str, data: bytes, required: Sequence[str]) -> tuple[list[str], NDArray[Any]]:
    with needed_for("a .parquet file"):
        import pandas as pd  # type: ignore[import-untyped]
    try:
        frame = pd.read_parquet(io.BytesIO(data))
    except (ValueError, OSError, RuntimeError) as error:
        raise ValueError(f"{name} cannot be read as a .parquet file: {one_line(str(error))}") from None
    return _with_required([str(column) for column in frame.columns], name, required), frame.to_numpy(dtype=object)


def _text(name: str, data: bytes, required: Sequence[str]) -> tuple[list[str], NDArray[Any]]:
    try:
        lines = [line for line in data.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not a text file of comma-separated values in UTF-8") from None
    # the header: the first line that is no comment, or that has the required columns
    marks = ((i, _mark(line, required)) for i, line in enumerate(lines))
    first, mark = next((one for one in marks if one[1] or not (required and lines[one[0]].startswith("#"))), (-1, ""))
    if first < 0:
        needed = f" with a column {required[0]!r}" if required else ""
        raise ValueError(f"{name} is empty; it must have a header{needed}")
    how: Any = {"dtype": object, "quotechar": '"', "comments": None, "ndmin": 2}
    how["delimiter"] = mark or max(",\t;", key=lines[first].count)
    header = [str(entry).strip() for entry in np.loadtxt(lines[first : first + 1], **how)[0]]
    header = _with_required(header, name, required)
    try:
        return header, np.loadtxt(lines[first:], **how)[1:]
    except ValueError as error:
        why = str(error).split(";")[0]
        raise ValueError(f"{name} must have as many entries in each row as in its header: {why}") from None


def _mark(line: str, required: Sequence[str]) -> str:
    """Mark that cuts a line into the required names and more; empty if there is none."""
    for mark in "\t;,":
        parts = {part.strip(' "').lower() for part in line.split(mark)}
        if required and len(parts) > 1 and {one.lower() for one in required} <= parts:
            return mark
    return ""


def _with_required(header: list[str], name: str, required: Sequence[str]) -> list[str]:
    """Return the header with the required names, which may differ in capitals, each once."""
    for one in required:
        alike = [i for i, other in enumerate(header) if other.lower() == one.lower()]
        if one not in header and len(alike) == 1:
            header[alike[0]] = one
        if header.count(one) != 1:
            raise ValueError(f"{name} must have one column {one!r}, but its header is {listed(header)}")
    return header


def listed(names: Sequence[str]) -> str:
    """Return the first few names for a message, and how many there are."""
    few = one_line(", ".join(map(str, names[:5])))
    return few if len(names) <= 5 else f"{few}, ... ({len(names)} in all)"


@contextmanager
def atomic_write(file: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is whole.

    The bytes go to a neighbouring file that is renamed at the end, and removed if anything goes wrong. Anything but an
    ordinary file, such as ``/dev/stdout``, is written directly, and a link stays a link.
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
    """Write text in UTF-8, with its line ends, to a file that appears when it is whole."""
    with atomic_write(file) as stream:
        stream.write(text.encode())
