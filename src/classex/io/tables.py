"""Reading of tables, and writing of files that appear whole. Nothing is ever unpickled."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._checks import EXACT_INTEGERS, listed, one_line, shown
from classex._optional import needed_for
from classex.io.archives import File, array_names, read_arrays, read_file
from classex.io.checks import NUMBER

__all__ = ["Head", "Table", "atomic_text", "atomic_write", "read_table"]


# columns of other tables, and what takes them
_OTHERS = {
    frozenset({"n_classes", "accuracy"}): "for a curve, classex extrapolate --curve or Extrapolator.fit_curve",
    frozenset({"y_true", "y_pred"}): "predicted labels give no ranks, but see classex advantage",
}
# columns of people, two of which are enough
_PEOPLE = {"age", "sex", "gender", "race", "ethnicity", "occupation", "education", "income", "zip", "postcode"}
# names that pandas and R give to the column of row names
INDEX_NAMES = ("", "Unnamed: 0", "__index_level_0__")
# how records of JSON begin
_RECORDS = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{")
# how files begin that pandas reads into frames, and what reads them
_FRAMES = {b"PAR1": "read_parquet", b"ARROW1": "read_feather", b"FEA1": "read_feather"}


def read_rows(file: File, *required: str) -> tuple[list[str], Iterator[tuple[str, Any]]]:
    """Return the names of the columns, and the rows one after another, each with its place in the file.

    A row is a list of entries or, for records of JSON, a dictionary, whose names may differ from those of the first.
    """
    if file.is_archive:
        return _arrays(file, required)
    frame = next((how for begins, how in _FRAMES.items() if file.start.startswith(begins)), None)
    frame = "read_excel" if file.is_workbook else frame
    if frame is not None:
        header, rows = _frame(file, frame)
    elif _RECORDS.match(file.start):
        header, rows = _json(file)
    else:
        header, rows = _text(file, required)
    named = _with_required(list(header), file.name, required)
    renamed = {old: new for old, new in zip(header, named, strict=True) if old != new}
    if not renamed or not _RECORDS.match(file.start):
        return named, rows
    return named, ((place, {renamed.get(name, name): row[name] for name in row}) for place, row in rows)


def records(file: File) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """Return the names of the columns, and the rows as dictionaries, each with its place in the file."""
    header, rows = read_rows(file)
    return header, ((at, row if isinstance(row, dict) else dict(zip(header, row, strict=True))) for at, row in rows)


def read_document(file: File) -> dict[str, Any] | None:
    """Return the record of JSON that is the whole of a file, or None if there are more of them or it is no JSON."""
    begins = _RECORDS.match(file.start)
    if begins is None or begins[2]:
        return None
    lines = (line for line in file.lines() if line.strip())
    with suppress(ValueError):
        record: dict[str, Any] = _loaded(next(lines))
        return record if next(lines, None) is None else None
    try:
        record = _loaded(file.data.decode("utf-8-sig"))
    except ValueError:
        return None
    return record


def _arrays(file: File, required: Sequence[str]) -> tuple[list[str], Iterator[tuple[str, Any]]]:
    """Read arrays of one number of entries as columns; a matrix is one only if it is required."""
    arrays, columns = read_arrays(file, *required, optional=array_names(file)), {}
    n_rows = arrays[next(iter([*required, *arrays]), "")].shape[:1] if arrays else ()
    for name, array in arrays.items():
        if array.ndim == 1 and array.shape == n_rows:
            columns[name] = array.tolist()
        elif name in required and array.ndim == 2 and array.shape[:1] == n_rows:
            columns |= {f"{name} {i}": column.tolist() for i, column in enumerate(array.T)}
        elif name in required:
            raise ValueError(f"{file.name}: {name} must hold one entry for each row, but has shape {array.shape}")
    rows = enumerate(zip(*columns.values(), strict=True))
    return list(columns), ((f"entry {number}", list(row)) for number, row in rows)


def _frame(file: File, how: str) -> tuple[list[str], Iterator[tuple[str, Any]]]:
    kind = {"read_parquet": "a .parquet file", "read_excel": "a workbook of Excel"}.get(how, "a file of Arrow")
    with needed_for(kind):
        import pandas as pd  # type: ignore[import-untyped]
    try:
        with needed_for(kind):
            frame = getattr(pd, how)(io.BytesIO(file.data))
    except (ValueError, OSError, RuntimeError) as error:
        raise ValueError(f"{file.name} cannot be read by pandas.{how}: {one_line(str(error))}") from None
    rows = enumerate(frame.to_numpy(dtype=object), 1)
    return [str(column) for column in frame.columns], ((f"row {number}", row) for number, row in rows)


def _json(file: File) -> tuple[list[str], Iterator[tuple[str, Any]]]:
    """Read records, one a line, or a list of them."""
    rows = _json_rows(file)
    place, row = next(rows)
    if not row:
        raise ValueError(f"{file.name}: {place} must hold a name and a value, but is empty")
    return list(row), chain([(place, row)], rows)


def _json_rows(file: File) -> Iterator[tuple[str, Any]]:
    must = f"{file.name} must hold records of JSON, one a line: "
    if file.start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        try:
            every = _loaded(file.data.decode("utf-8-sig"))
        except ValueError as error:
            raise ValueError(f"{must}{one_line(str(error))}") from None
        rows = ((f"record {number}", row) for number, row in enumerate(every, 1))
    else:
        rows = ((f"line {number}", line) for number, line in enumerate(file.lines(), 1) if line.strip())
    for place, row in rows:
        if isinstance(row, str):
            try:
                row = _loaded(row)
            except json.JSONDecodeError as error:
                raise ValueError(f"{must}{error.msg}: {place} column {error.colno}") from None
            except ValueError as error:
                raise ValueError(f"{must}{error}: {place}") from None
        if not isinstance(row, dict):
            raise ValueError(f"{must}{place} is {shown(row)}")
        yield place, row


def _loaded(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a record of JSON; Python would keep the last of several values with one name."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"the name {shown(max(names, key=names.count))} comes more than once in a record")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_named_once)


def _text(file: File, required: Sequence[str]) -> tuple[list[str], Iterator[tuple[str, Any]]]:
    lines, skipped = file.lines(), 0
    # the header: the first line that is no comment, or that has the required columns
    for line in lines:
        mark = _mark(line, required)
        if mark or (line.strip() and not line.startswith("#")):
            break
        skipped += 1
    else:
        needed = f" with a column {required[0]!r}" if required else ""
        raise ValueError(f"{file.name} is empty; it must have a header{needed}")
    usual = max((mark for mark in ",\t;" if mark in line), key=line.count, default=" " if " " in line.strip() else ",")
    rows = _split(file.name, chain([line], lines), mark or usual, skipped)
    return [entry.strip() for entry in next(rows)[1]], rows


def _split(name: str, lines: Iterable[str], mark: str, skipped: int) -> Iterator[tuple[str, list[str]]]:
    """Split lines into entries, as many in each as in the first."""
    reader, width = csv.reader(lines, delimiter=mark, strict=True, skipinitialspace=True), 0
    try:
        for row in reader:
            place = f"line {reader.line_num + skipped}"
            width = width or len(row)
            if len(row) == width:
                yield place, row
            elif len(row) > 1 or (row and row[0].strip()):
                must = f"{name} must have {width} entries in each row, as in its header"
                raise ValueError(f"{must}, but {place} has {len(row)}")
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num + skipped} cannot be split into entries: {error}") from None


def _mark(line: str, required: Sequence[str]) -> str:
    """Mark that cuts a line into the required names and more; empty if there is none."""
    for mark in "\t;,":
        parts = {part.strip(' "').lower() for part in line.split(mark)}
        if required and len(parts) > 1 and {name.lower() for name in required} <= parts:
            return mark
    return ""


def _with_required(header: list[str], name: str, required: Sequence[str]) -> list[str]:
    """Return the header with the required names, which may differ in capitals, each once."""
    for key in required:
        alike = [i for i, other in enumerate(header) if other.lower() == key.lower()]
        if key not in header and len(alike) == 1:
            header[alike[0]] = key
        if header.count(key) != 1:
            raise ValueError(f"{name} must have one column {key!r}, but its header is {listed(header)}{_hint(header)}")
    return header


def _hint(header: Sequence[str]) -> str:
    """Return what to do with a table of another kind."""
    if header[0] in INDEX_NAMES:
        return ": if the first column holds the labels, name it label"
    if all(NUMBER.fullmatch(name) for name in header):
        return ": the first line must name the columns (a confusion matrix goes to information.confusion_information)"
    known = {name.lower() for name in header}
    return next((f": {hint}" for names, hint in _OTHERS.items() if names <= known), people_hint(header))


def people_hint(header: Sequence[str]) -> str:
    """Return the command for a table of people, if it is one."""
    people = len(_PEOPLE & {name.lower() for name in header}) > 1
    return ": for attributes of people, classex unique --columns with these names" if people else ""


# Names of columns, without capitals and what stands between words
_ALIKE = {
    "search": ("search", "searchid", "probe", "probeid"),
    "candidate": ("candidate", "candidateid", "gallery", "galleryid", "templateid"),
    "score": ("score", "similarity", "similarityscore"),
    "label": ("label", "mate", "mateid"),
    "query": ("query", "queryid", "qid"),
    "document": ("document", "corpusid", "docid", "docno"),
    "relevance": ("relevance", "rel", "label", "gain"),
    "n_classes": ("nclasses", "k", "classes", "n", "numclasses", "numberofclasses", "ways"),
    "accuracy": ("accuracy", "acc", "top1", "top1accuracy", "meanaccuracy"),
    "standard_error": ("standarderror", "se", "sem", "stderr"),
    "genuine": ("genuine", "isgenuine", "mated", "ismated", "target", "label", "key", "same"),
}


@dataclass(frozen=True)
class Head:
    """What a format is recognised by: names of columns, arrays or entries, and the entries of the first line.

    Attributes
    ----------
    file : File
        The file.
    units : str or None
        Name of a column, or array, that is about the test points: their units.
    gallery : int or None
        Number of people enrolled, which lists of candidates do not tell.
    label : str
        Name of the column, or array, of labels.
    drop : tuple of str
        Columns that are left out.
    classes : tuple of str or "all" or None
        Columns that are classes; by default those that labels name, and others like them.
    """

    file: File
    units: str | None = None
    gallery: int | None = None
    label: str = "label"
    drop: tuple[str, ...] = ()
    classes: Any = None

    @property
    def about(self) -> tuple[str, ...]:
        """The column of the units, if there is one."""
        return () if self.units is None else (self.units,)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The record of JSON that is the whole file; empty if there is none."""
        return ({} if self.file.is_archive else read_document(self.file)) or {}

    @cached_property
    def names(self) -> list[str]:
        """Names of columns, of arrays, or of the entries of a document, in small letters."""
        held = array_names(self.file) if self.file.is_archive else list(self.document)
        return [name.lower() for name in held or read_rows(self.file)[0]]

    @cached_property
    def words(self) -> list[str]:
        """Entries of the first line that is no comment, cut at blanks."""
        text = self.file.start.decode(self.file.encoding, errors="replace")
        return next((line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")), [])

    def has(self, *names: str) -> bool:
        """Whether the file has all these names."""
        return set(names) <= set(self.names)

    def called(self, *meanings: str) -> list[list[str]]:
        """Names in the file that stand for each of these columns."""
        return [[name for name in self.names if re.sub(r"[\W_]", "", name) in _ALIKE[kind]] for kind in meanings]

    def columns(self, *meanings: str) -> list[str]:
        """Names of these columns, each of which the file must have once."""
        called = self.called(*meanings)
        wrong = [kind for kind, names in zip(meanings, called, strict=True) if len(names) != 1]
        if wrong:
            must = " and ".join(f"one column {kind!r} (or {', '.join(_ALIKE[kind][1:])})" for kind in wrong)
            raise ValueError(f"{self.file.name} must have {must}, but its header is {listed(self.names)}")
        return [names[0] for names in called]


# 1,234: a comma that may be a decimal mark or stand between thousands
_UNCLEAR = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


class Table(NamedTuple):
    """Columns of a table, not yet numbers.

    Attributes
    ----------
    file : File
        The file.
    header : list of str
        Names of the columns.
    entries : ndarray of object of shape (n_rows, n_columns)
        Texts, or what a ``.parquet`` file holds.
    places : list of str
        Where each row stands in the file, such as "line 2".
    """

    file: File
    header: list[str]
    entries: NDArray[Any]
    places: list[str]

    @property
    def name(self) -> str:
        """Name of the file, for messages."""
        return self.file.name

    def only(self, rows: NDArray[Any]) -> Table:
        """Return the table of some rows."""
        places = [self.places[i] for i in np.arange(len(self.places))[rows]]
        return self._replace(entries=self.entries[rows], places=places)

    def others(self, *named: str) -> list[int]:
        """Return the positions of all other columns but a first one of row names, which has no name of its own."""
        kept = [i for i, name in enumerate(self.header) if name not in named]
        if kept[:1] == [0] and self.header[0] in INDEX_NAMES:
            self.file.note("the first column has no name, so it is taken for the names of the rows")
            return kept[1:]
        return kept

    def texts(self, column: str) -> list[str]:
        """Return the entries of a column as texts."""
        return [str(entry).strip() for entry in self.entries[:, self.header.index(column)]]

    def wholes(self, column: str, least: int) -> NDArray[np.int64]:
        """Return a column of whole numbers of at least `least`; beyond 2^53 not all of them exist."""
        numbers = self.numbers([column])[:, 0]
        bad = np.flatnonzero(~((numbers >= least) & (numbers <= EXACT_INTEGERS)) | (numbers != np.floor(numbers)))
        if bad.size:
            what = f"{self.name}: {column} must hold whole numbers of at least {least}"
            hint = ", and ranks begin at 1: add 1 to all" if column == "rank" and numbers[bad[0]] == 0 else ""
            raise ValueError(f"{what}, but {self.places[bad[0]]} holds {numbers[bad[0]]:g}{hint}")
        return numbers.astype(np.int64)

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
            what = f"{shown(bad)} is not a number{' below 1e308' if isinstance(bad, int) else ''}"
            raise ValueError(f"{self.name}, {self.places[row]}, column {of}: {what}") from None
        for row, column in np.argwhere((np.abs(numbers) >= EXACT_INTEGERS) & np.isfinite(numbers)).tolist():
            text = str(entries[row, column]).strip()
            if text.lstrip("+-").isdecimal() and int(text) != int(numbers[row, column]):
                at = f"{self.places[row]}, column {shown(self.header[where[column]])}"
                raise ValueError(f"{self.name}, {at}: {text} is not exact as a 64-bit number")
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
    return Table(file, header, matrix, places)


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
