"""Reading of tables, and writing of files that appear whole. Nothing is ever unpickled."""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for
from classex._progress import track
from classex._validation import EXACT_INTEGERS, listed, one_line, shown
from classex.io.archives import LOG, File, read_file

__all__ = ["Table", "atomic_text", "atomic_write", "read_table"]

# columns of other tables, and what takes them
_OTHERS = {
    frozenset({"n_classes", "accuracy"}): "for a curve, classex extrapolate --curve or Extrapolator.fit_curve",
    frozenset({"task_id", "passed"}): "for attempts, classex pass-at-k",
    frozenset({"successes", "trials"}): "for counts of attempts, classex pass-at-k",
    frozenset({"y_true", "y_pred"}): "predicted labels give no ranks, but see classex advantage",
    frozenset({"rank"}): "for ranks, ranks_from_wins(n_classes - rank, n_classes)",
}
# names that pandas and R give to the column of row names
_INDEX_NAMES = ("", "Unnamed: 0", "__index_level_0__")
# an entry of a table whose header is missing; a decimal comma may have cut it
_NUMBER = re.compile(r"[+-]?[0-9.;,eE+-]+")
# how records of JSON begin
_RECORDS = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")
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
    """

    name: str
    header: list[str]
    entries: NDArray[Any]

    def others(self, *named: str) -> list[int]:
        """Return the positions of all other columns but a first one of row names, which has no name of its own."""
        kept = [i for i, name in enumerate(self.header) if name not in named]
        if kept[:1] == [0] and self.header[0] in _INDEX_NAMES:
            LOG.info("%s: the first column has no name, so it is taken for the names of the rows", self.name)
            return kept[1:]
        return kept

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
            numbers = entries.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            row, column = next(index for index, entry in np.ndenumerate(entries) if not is_number(entry))
            bad, of = self.entries[row, where[column]], shown(self.header[where[column]])
            if len(entries) > 1 and str(bad).strip() and not any(map(is_number, entries[:, column])):
                raise ValueError(f"{self.name}: column {of} holds no numbers, but {shown(bad)}: leave it out") from None
            beyond = " below 1e308" if isinstance(bad, int) else ""
            raise ValueError(f"{self.name}, row {row + 1}, column {of}: {shown(bad)} is not a number{beyond}") from None
        for row, column in np.argwhere((np.abs(numbers) >= EXACT_INTEGERS) & np.isfinite(numbers)).tolist():
            text = str(entries[row, column]).strip()
            if text.lstrip("+-").isdecimal() and int(text) != int(numbers[row, column]):
                of = shown(self.header[where[column]])
                raise ValueError(f"{self.name}, row {row + 1}, column {of}: {text} is not exact as a 64-bit number")
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
        A ``.parquet`` file, which pandas reads; records of JSON, one a line or in a list; or text in UTF-8 with values
        separated by tabs, semicolons or commas: the first of these that gives a header with the required columns.
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
    name, data = read_file(path)
    read = _parquet if data.startswith(b"PAR1") else _json if _RECORDS.match(data) else _text
    header, entries = read(name, data, required)
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


def _json(name: str, data: bytes, required: Sequence[str]) -> tuple[list[str], NDArray[Any]]:
    """Read records, one a line, or a list of them."""
    try:
        rows = _records(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} must hold records of JSON, one a line: {one_line(str(error))}") from None
    header = list(rows[0])
    if not header:
        raise ValueError(f"{name}: record 1 must hold a name and a value, but is empty")
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or row.keys() != rows[0].keys():
            raise ValueError(f"{name}: record {number + 1} must have the names of the first ({listed(header)})")
    entries = np.empty((len(rows), len(header)), dtype=object)
    for number, row in enumerate(rows):
        for column, key in enumerate(header):
            entries[number, column] = row[key]
    return _with_required(header, name, required), entries


def _records(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        rows: list[Any] = json.loads(text, object_pairs_hook=_named_once)
        return rows
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                rows.append(json.loads(line, object_pairs_hook=_named_once))
            except json.JSONDecodeError as error:
                raise ValueError(f"{error.msg}: line {number} column {error.colno}") from None
            except ValueError as error:
                raise ValueError(f"{error}: line {number}") from None
    return rows


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a record of JSON; Python would keep the last of several values with one name."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"the name {shown(max(names, key=names.count))} comes more than once in a record")
    return record


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
        return header, np.loadtxt(track(lines[first:], f"reading {name}"), **how)[1:]
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
            raise ValueError(
                f"{name} must have one column {one!r}, but its header is {listed(header)}{_hint(header, one)}"
            )
    return header


def _hint(header: Sequence[str], missing: str) -> str:
    """Return what to do with a table of another kind."""
    if header[0] in _INDEX_NAMES:
        return ": if the first column holds the labels, name it label"
    if all(_NUMBER.fullmatch(one) for one in header):
        return ": the first line must name the columns (a confusion matrix goes to information.confusion_information)"
    if missing == "successes":
        return ": name its columns successes and trials, or for single attempts task_id and passed"
    return next((f": {hint}" for names, hint in _OTHERS.items() if names <= {one.lower() for one in header}), "")


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
