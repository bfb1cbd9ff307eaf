"""What a format of files is recognised by: the names in a file and its first line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from classex.io.archives import File, array_names
from classex.io.rows import read_document, read_rows

__all__ = ["Head"]


@dataclass(frozen=True)
class Head:
    """What a format is recognised by: names of columns, arrays or entries, and the entries of the first line.

    Attributes
    ----------
    file : File
        The file.
    units : str or None
        Name of a column, or array, that is about the test points: their units.
    """

    file: File
    units: str | None = None

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
        text = self.file.start.decode("utf-8-sig", errors="replace")
        return next((line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")), [])

    def has(self, *names: str) -> bool:
        """Whether the file has all these names."""
        return set(names) <= set(self.names)

    def holds(self, kind: type, name: str) -> bool:
        """Whether the file is a document with such an entry."""
        return isinstance(self.document.get(name), kind)

    @property
    def tasks(self) -> list[Any]:
        """The lists of attempts in a document, if it holds nothing else."""
        lists = self.document.get("eval", self.document)
        found = list(lists.values()) if isinstance(lists, dict) else []
        return found if all(isinstance(one, list) and one and isinstance(one[0], dict | list) for one in found) else []
