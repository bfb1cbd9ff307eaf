"""The rows of a table one after another: text, records of JSON, arrays, and frames that pandas reads."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from classex._extras import needed_for
from classex._validation import listed, one_line, shown
from classex.io.archives import File, array_names, read_arrays

__all__ = ["INDEX_NAMES", "people_hint", "read_document", "read_rows", "records"]

# columns of other tables, and what takes them
_OTHERS = {
    frozenset({"n_classes", "accuracy"}): "for a curve, classex extrapolate --curve or Extrapolator.fit_curve",
    frozenset({"y_true", "y_pred"}): "predicted labels give no ranks, but see classex advantage",
}
# columns of people, two of which are enough
_PEOPLE = {"age", "sex", "gender", "race", "ethnicity", "occupation", "education", "income", "zip", "postcode"}
# names that pandas and R give to the column of row names
INDEX_NAMES = ("", "Unnamed: 0", "__index_level_0__")
# an entry of a table whose header is missing; a decimal comma may have cut it
_NUMBER = re.compile(r"[+-]?[0-9.;,eE+-]+")
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
    if frame is not None:
        header, rows = _frame(file, frame)
    elif _RECORDS.match(file.start):
        header, rows = _json(file)
    else:
        header, rows = _text(file, required)
    named = _with_required(list(header), file.name, required)
    if named == header or frame is not None or not _RECORDS.match(file.start):
        return named, rows
    renamed = dict(zip(header, named, strict=True))
    return named, ((place, {renamed.get(name, name): row[name] for name in row}) for place, row in rows)


def records(file: File) -> tuple[list[str], Iterator[tuple[str, dict[str, Any]]]]:
    """Return the names of the columns, and the rows as dictionaries, each with its place in the file."""
    header, rows = read_rows(file)
    return header, ((at, row if isinstance(row, dict) else dict(zip(header, row, strict=True))) for at, row in rows)


def read_document(file: File) -> dict[str, Any] | None:
    """Return the record of JSON that is the whole of a file, or None if there are more of them or it is no JSON."""
    if not _RECORDS.match(file.start) or b"[" in file.start[:1]:
        return None
    lines = (line for line in file.lines() if line.strip())
    try:
        first, more = _loaded(next(lines)), next(lines, None) is not None
    except ValueError:
        more, first = False, None
    try:
        whole = None if more else _loaded(file.data.decode("utf-8-sig")) if first is None else first
    except ValueError:
        return None
    return whole if isinstance(whole, dict) else None


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
    with needed_for("a .parquet file" if how == "read_parquet" else "a file of Arrow"):
        import pandas as pd  # type: ignore[import-untyped]
    try:
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
                raise ValueError(
                    f"{name} must have {width} entries in each row, as in its header, but {place} has {len(row)}"
                )
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
    if all(_NUMBER.fullmatch(name) for name in header):
        return ": the first line must name the columns (a confusion matrix goes to information.confusion_information)"
    known = {name.lower() for name in header}
    return next((f": {hint}" for names, hint in _OTHERS.items() if names <= known), people_hint(header))


def people_hint(header: Sequence[str]) -> str:
    """Return the command for a table of people, if it is one."""
    people = len(_PEOPLE & {name.lower() for name in header}) > 1
    return ": for attributes of people, classex unique --columns with these names" if people else ""
