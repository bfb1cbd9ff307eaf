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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._validation import listed, one_line, shown

__all__ = ["LOG", "File", "read_arrays", "read_file"]

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
# how packed files begin, and what unpacks them
_PACKED = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
    b"BZh": ("bzip2", bz2.decompress),
}

#: notes of the package
LOG = logging.getLogger("classex")
LOG.addHandler(logging.NullHandler())


class File(NamedTuple):
    """A file that was read.

    Attributes
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
        Its contents, unpacked.
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
    return File(name, _unpacked(name, data))


def _unpacked(name: str, data: bytes) -> bytes:
    """Contents of a file packed by gzip, bzip2 or xz, or of the only table in a zip archive; others as they are."""
    for first, (how, unpack) in _PACKED.items():
        if data.startswith(first) and (first != b"BZh" or data[4:10] == b"1AY&SY"):
            try:
                return unpack(data)
            except _UNREADABLE:
                raise ValueError(f"{name} is damaged: {how} cannot unpack it") from None
    if not data.startswith(b"PK") or name.endswith(".npz"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX")]
            if any(one.endswith(".npy") for one in members):
                return data
            if len(members) == 1:
                return archive.read(members[0])
    except _UNREADABLE:
        raise ValueError(f"{name} is damaged: it cannot be unpacked") from None
    raise ValueError(f"{name} must hold one table or numpy's arrays, but holds {listed(members) or 'nothing'}")


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
