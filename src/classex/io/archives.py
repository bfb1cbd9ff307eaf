"""Files as bytes, packed or not, and numpy's archives in them. Nothing is ever unpickled."""

from __future__ import annotations

import bz2
import gzip
import io
import logging
import lzma
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import listed, one_line, shown
from classex._optional import needed_for, track

__all__ = ["LOG", "File", "array_names", "read_arrays", "read_file"]

# what numpy and the standard library raise on archives that are damaged, encrypted, too large or pickled
_DAMAGED = (EOFError, KeyError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
_UNREADABLE = (ValueError, OSError, RuntimeError, MemoryError, OverflowError, TypeError, *_DAMAGED)
# how packed files begin, and what unpacks them
_PACKED: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"\xfd7zXZ\x00": ("xz", lzma.open),
    b"BZh": ("bzip2", bz2.open),
}
# how other files begin that are no text, what they are, and the way out
_BINARY = {
    b"\x80": ("a pickle, which could run code when it is opened", "save arrays by numpy.savez, or a table as text"),
    b"%PDF": ("a PDF", "export the table as text"),
    b"SQLite format 3": ("a database of SQLite", "export the table as text: sqlite3 -header -csv"),
    b"\x28\xb5\x2f\xfd": ("packed by zstandard", "unpack it: unzstd FILE"),
    b"\xd0\xcf\x11\xe0": ("an old workbook of Excel", "save it as .csv or .xlsx"),
    b"MATLAB 5.0": ("a file of MATLAB", "scipy.io.loadmat reads it; save arrays by numpy.savez"),
    b"\x89PNG": ("a picture", "export the table behind it"),
    b"RDX": ("a file of R", "write.csv writes a table"),
    b"7z\xbc\xaf": ("packed by 7-Zip", "unpack it"),
}
#: a member of every workbook of Excel
WORKBOOK = "xl/workbook.xml"
_HDF5 = b"\x89HDF\r\n\x1a\n"
# what to do with a file of ann-benchmarks
_UNLABELLED = ": lists of neighbours have no labels; with your own, embeddings.ranks_from_neighbours takes them"
# what to do with a .npy file
_ALONE = ": a .npy file holds one array; numpy.savez stores several by their names, such as scores and labels"
# bytes by which a file is recognised
_START = 2**16

#: notes of the package
LOG = logging.getLogger("classex")
LOG.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class File:
    """A file, whose contents are read when they are asked for.

    Attributes
    ----------
    name : str
        Name of the file, for messages.
    source : Path or bytes
        Where it is, or what the standard input held.
    notes : list of str
        The ledger: what a row is, and what was left out, as its readers noted it.
    """

    name: str
    source: Path | bytes
    notes: list[str] = field(default_factory=list, compare=False)

    def note(self, text: str, *, first: bool = False) -> None:
        """Add to the ledger what is not in it."""
        if text not in self.notes:
            self.notes.insert(0 if first else len(self.notes), text)

    @property
    def ledger(self) -> str:
        """The ledger in one line."""
        return f"{self.name}: {'; '.join(self.notes)}"

    def say(self) -> None:
        """Log the ledger."""
        LOG.info("%s", self.ledger, extra={"ledger": True})

    @cached_property
    def data(self) -> bytes:
        """All contents, unpacked."""
        with self._opened() as stream:
            return stream.read()

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked."""
        with self._opened() as stream:
            return stream.read(_START)

    @property
    def is_archive(self) -> bool:
        """Whether the first bytes, or the name, are those of numpy's arrays or of HDF5."""
        if self.is_workbook:
            return False
        return self.start.startswith((b"PK", b"\x93NUMPY", _HDF5)) or self.name.endswith(".npz")

    @cached_property
    def is_workbook(self) -> bool:
        """Whether the file is a workbook of Excel."""
        if not self.start.startswith(b"PK"):
            return False
        with suppress(zipfile.BadZipFile):
            return WORKBOOK in zipfile.ZipFile(io.BytesIO(self.data)).namelist()
        return False

    def lines(self, errors: str = "strict") -> Iterator[str]:
        """Read text in UTF-8 line by line, each with its end, in little memory."""
        n_bytes = len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size
        about = round(self.start.count(b"\n") * n_bytes / max(len(self.start), 1))
        with self._opened() as stream, io.TextIOWrapper(stream, self.encoding, errors, newline="") as lines:
            try:
                yield from track(lines, f"reading {self.name}", about)
            except UnicodeDecodeError:
                raise ValueError(
                    f"{self.name} is not a text file of comma-separated values in UTF-8{self._kind()}"
                ) from None

    @property
    def encoding(self) -> str:
        """Encoding of a text: UTF-16 if it begins with its mark, else UTF-8."""
        return "utf-16" if self.start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"

    def _kind(self) -> str:
        """Return in words what a binary file is, and the way out."""
        known = next((kind for begins, kind in _BINARY.items() if self.start.startswith(begins)), None)
        return f": it is {known[0]}; {known[1]}" if known else f", but begins with {shown(self.start[:8])}"

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        """Open the contents: unpacked by gzip, bzip2 or xz, the only table in a zip archive, or as they are."""
        with io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb") as raw:
            first = raw.read(10)
            raw.seek(0)
            how, unpack = next((way for begins, way in _PACKED.items() if first.startswith(begins)), ("", None))
            if how == "bzip2" and first[4:] != b"1AY&SY":  # a text that begins with BZh
                how, unpack = "", None
            elif first.startswith(b"PK") and not self.name.endswith(".npz"):
                how, unpack = "zip", self._member
            try:
                yield unpack(raw) if unpack else raw
            except _UNREADABLE as error:
                if not how or self.name in str(error):  # an error of this package
                    raise
                raise ValueError(f"{self.name} is damaged: {how} cannot unpack it") from None

    def _member(self, raw: IO[bytes]) -> IO[bytes]:
        """Open the table in a zip archive, or the archive itself if it holds arrays."""
        archive = zipfile.ZipFile(raw)
        members = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
        if len(members) == 1 and not members[0].endswith(".npy"):
            return archive.open(members[0])
        raw.seek(0)
        if any(member.endswith(".npy") for member in members) or WORKBOOK in members:
            return raw
        what = f"{self.name} must hold one table or numpy's arrays, but holds {listed(members) or 'nothing'}"
        hint = ": a log of inspect_ai becomes JSON by 'inspect log dump FILE > log.json'"
        raise ValueError(what + (hint if "header.json" in members else ""))


def read_file(path: File | str | Path) -> File:
    """Name a file or, for ``-``, read the standard input; a `File` is returned as it is."""
    if isinstance(path, File):
        return path
    if str(path) == "-":
        return File("standard input", sys.stdin.buffer.read())
    try:
        where = Path(path)
        # what can be read only once, such as a pipe, is read now
        return File(str(path), where if where.is_file() else where.read_bytes())
    except ValueError as error:
        raise ValueError(f"{shown(str(path))} cannot be the name of a file: {error}") from None


def read_arrays(path: File | str | Path, *names: str, optional: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Read the named arrays of a ``.npz`` file, or of one in HDF5.

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
    with _archive(file) as archive:
        keys = list(archive)
        arrays = {key: np.asarray(archive[key]) for key in (*names, *optional) if key in keys}
    if missing := [wanted for wanted in names if wanted not in keys]:
        hint = _UNLABELLED if {"test", "neighbors"} <= set(keys) else _ALONE if keys == ["array"] else ""
        raise ValueError(f"{file.name} must hold an array {missing[0]!r}, but holds {listed(keys) or 'nothing'}{hint}")
    return arrays


def array_names(file: File) -> list[str]:
    """Names of the arrays of a file; one that is no text names nothing."""
    with _archive(file) as archive:
        return [name for name in archive if isinstance(name, str)]


@contextmanager
def _archive(file: File) -> Iterator[Any]:
    """Open the arrays of a file by their names."""
    try:
        if file.start.startswith(_HDF5):
            with needed_for("a file of HDF5"):
                import h5py
            with h5py.File(io.BytesIO(file.data), "r") as archive:
                yield archive
            return
        arrays = np.load(io.BytesIO(file.data), allow_pickle=False)
        yield {"array": arrays} if isinstance(arrays, np.ndarray) else arrays
    except _UNREADABLE as error:
        what = f"{file.name} is damaged, or not a .npz file of plain arrays (nothing is unpickled)"
        raise ValueError(f"{what}: {one_line(str(error))}") from None
