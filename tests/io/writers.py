"""Writers of small files, from records."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A file.

    Attributes
    ----------
    kind : str
        What it holds.
    rows : list of dict
        Its records.
    write : callable
        Bytes of the file, from records.
    ids : tuple of str
        Names of what names a problem, a query, a class.
    format : str
        The format that it is read as.
    ending : str
        Ending of the file's name.
    options : dict
        Of the reader.
    unnamed : bool
        Whether rows have no names, so that a doubled one is one more.
    """

    kind: str
    rows: list[dict[str, Any]]
    write: Callable[[list[dict[str, Any]]], bytes]
    ids: tuple[str, ...]
    format: str
    ending: str = "csv"
    options: dict[str, Any] = field(default_factory=dict)
    unnamed: bool = False


def table(mark: str = ",", quote: str = "", end: str = "\n", comma: bool = False, head: str = "") -> Any:
    """Text with a header."""

    def write(rows: list[dict[str, Any]]) -> bytes:
        lines = [list(rows[0]), *(["" if one is None else str(one) for one in row.values()] for row in rows)]
        if comma:
            lines[1:] = [[one.replace(".", ",") for one in line] for line in lines[1:]]
        return (head + "".join(mark.join(f"{quote}{one}{quote}" for one in line) + end for line in lines)).encode()

    return write


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def listed(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(rows, indent=1).encode()


def lines(form: str) -> Any:
    """Lines without a header."""
    return lambda rows: "".join(form.format(*row.values()) + "\n" for row in rows).encode()


def packed(write: Any, how: Any) -> Any:
    return lambda rows: how(write(rows))


def zipped(write: Any) -> Any:
    def pack(rows: list[dict[str, Any]]) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a", write(rows))
        return out.getvalue()

    return pack


def arrays(form: Any = None) -> Any:
    """Arrays of numpy, one a column or as `form` makes them."""

    def write(rows: list[dict[str, Any]]) -> bytes:
        columns = form(rows) if form else {name: np.array([row[name] for row in rows]) for name in rows[0]}
        out = io.BytesIO()
        np.savez(out, **columns)
        return out.getvalue()

    return write


def hdf5(form: Any) -> Any:
    def write(rows: list[dict[str, Any]]) -> bytes:
        import h5py

        out = io.BytesIO()
        with h5py.File(out, "w") as file:
            for name, column in form(rows).items():
                file[name] = column
        return out.getvalue()

    return write


def document(form: Any, indent: int | None = 1) -> Any:
    return lambda rows: json.dumps(form(rows), indent=indent).encode()


def by(rows: list[dict[str, Any]], *names: str) -> dict[Any, Any]:
    """Nest rows by the values of some of their entries."""
    out: dict[Any, Any] = {}
    for row in rows:
        rest = {name: one for name, one in row.items() if name != names[0]}
        out.setdefault(str(row[names[0]]), []).append(rest)
    return out


def save(folder: Any, name: str, text: str) -> Any:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def as_lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))
