"""Reading of tables, and writing of files that appear whole. Nothing is ever unpickled."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._validation import EXACT_INTEGERS, listed, shown
from classex.io.archives import LOG, File, read_file
from classex.io.rows import INDEX_NAMES, read_rows

__all__ = ["Table", "atomic_text", "atomic_write", "is_number", "read_table"]

# 1,234: a comma that may be a decimal mark or stand between thousands
_UNCLEAR = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


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
    places : list of str
        Where each row stands in the file, such as "line 2".
    """

    name: str
    header: list[str]
    entries: NDArray[Any]
    places: list[str]

    def only(self, rows: NDArray[Any]) -> Table:
        """Return the table of some rows."""
        return self._replace(
            entries=self.entries[rows], places=[self.places[i] for i in np.arange(len(self.places))[rows]]
        )

    def others(self, *named: str) -> list[int]:
        """Return the positions of all other columns but a first one of row names, which has no name of its own."""
        kept = [i for i, name in enumerate(self.header) if name not in named]
        if kept[:1] == [0] and self.header[0] in INDEX_NAMES:
            LOG.info("%s: the first column has no name, so it is taken for the names of the rows", self.name)
            return kept[1:]
        return kept

    def texts(self, column: str) -> list[str]:
        """Return the entries of a column as texts."""
        return [str(entry).strip() for entry in self.entries[:, self.header.index(column)]]

    @property
    def codes(self) -> NDArray[np.int64]:
        """A number for each row, the same for rows that are alike."""
        return np.array([hash(tuple(map(str, row))) for row in self.entries.tolist()], dtype=np.int64)

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
            numbers = entries.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            row, column = next(index for index, entry in np.ndenumerate(entries) if not is_number(entry))
            bad, of = self.entries[row, where[column]], shown(self.header[where[column]])
            if len(entries) > 1 and str(bad).strip() and not any(map(is_number, entries[:, column])):
                raise ValueError(f"{self.name}: column {of} holds no numbers, but {shown(bad)}: leave it out") from None
            beyond = " below 1e308" if isinstance(bad, int) else ""
            raise ValueError(
                f"{self.name}, {self.places[row]}, column {of}: {shown(bad)} is not a number{beyond}"
            ) from None
        for row, column in np.argwhere((np.abs(numbers) >= EXACT_INTEGERS) & np.isfinite(numbers)).tolist():
            text = str(entries[row, column]).strip()
            if text.lstrip("+-").isdecimal() and int(text) != int(numbers[row, column]):
                of = shown(self.header[where[column]])
                raise ValueError(
                    f"{self.name}, {self.places[row]}, column {of}: {text} is not exact as a 64-bit number"
                )
        return numbers

    def measured(self, columns: Sequence[int], labels: Iterable[str] = ()) -> NDArray[np.float64]:
        """Return columns of scores or features as numbers; refuse a first one that numbers the rows.

        It holds different whole numbers, in order or beside others that are not whole, and is the name of no label.
        """
        matrix = self.numbers(columns)
        if not columns:
            return matrix
        first, rest = matrix[:, 0], matrix[:, 1:]
        whole = len(first) > 2 and bool((first == np.floor(first)).all()) and np.unique(first).size == first.size
        if whole and ((np.diff(first) == 1).all() or (rest != np.floor(rest)).any()):
            name = self.header[columns[0]]
            if name not in labels:
                raise ValueError(
                    f"{self.name}: the first column {shown(name)} seems to number the rows, but would count as scores:"
                    " leave it out (in pandas, index=False)"
                )
        return matrix


def is_number(entry: Any) -> bool:
    """Whether an entry of a table is a number."""
    try:
        float(entry)
    except (ValueError, TypeError, OverflowError):
        return False
    return "_" not in str(entry)


def read_table(path: File | str | Path, *required: str) -> Table:
    """Read a table with a header.

    Parameters
    ----------
    path : File, str or Path
        A ``.parquet`` file, which pandas reads; arrays of ``.npz`` or HDF5 with an entry a row; records of JSON, one a
        line or in a list; or text in UTF-8 with values separated by tabs, semicolons or commas, the first of these that
        gives a header with the required columns, or by blanks where the header has none of these.
        Empty lines are skipped, and lines above the header that begin with ``#``.
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
    file = read_file(path)
    header, rows = read_rows(file, *required)
    places, entries = [], list[Any]()
    for place, row in rows:
        if isinstance(row, dict) and row.keys() != set(header):
            raise ValueError(f"{file.name}: {place} must have the names of the first ({listed(header)})")
        places.append(place)
        entries.extend([row[name] for name in header] if isinstance(row, dict) else row)
    if not entries:
        raise ValueError(f"{file.name} has a header but no rows")
    matrix = np.fromiter(entries, dtype=object, count=len(entries)).reshape(-1, len(header))
    return Table(file.name, header, matrix, places)


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
