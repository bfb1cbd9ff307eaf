"""What a format of files is recognised by: the names in a file and its first line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from classex._validation import listed
from classex.io.archives import File, array_names
from classex.io.rows import read_document, read_rows

__all__ = ["Head"]

# Names of columns, without capitals and what stands between words
_ALIKE = {
    "search": ("search", "searchid", "probe", "probeid"),
    "candidate": ("candidate", "candidateid", "gallery", "galleryid", "templateid"),
    "score": ("score", "similarity", "similarityscore"),
    "label": ("label", "mate", "mateid"),
    "query": ("query", "queryid", "qid"),
    "document": ("document", "corpusid", "docid", "docno"),
    "relevance": ("relevance", "rel", "label", "gain"),
    "genuine": ("genuine", "isgenuine", "mated", "ismated"),
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
    """

    file: File
    units: str | None = None
    gallery: int | None = None

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

    def called(self, *meanings: str) -> list[list[str]]:
        """Names in the file that stand for each of these columns."""
        return [[name for name in self.names if re.sub(r"[\W_]", "", name) in _ALIKE[kind]] for kind in meanings]

    def columns(self, *meanings: str) -> list[str]:
        """Names of these columns, each of which the file must have once."""
        called = self.called(*meanings)
        for kind, names in zip(meanings, called, strict=True):
            if len(names) != 1:
                raise ValueError(
                    f"{self.file.name} must have one column {kind!r} (or {', '.join(_ALIKE[kind][1:])}), but its header"
                    f" is {listed(self.names)}"
                )
        return [names[0] for names in called]

    def holds(self, kind: type, name: str) -> bool:
        """Whether the file is a document with such an entry."""
        return isinstance(self.document.get(name), kind)

    @property
    def tasks(self) -> list[Any]:
        """The lists of attempts in a document, if it holds nothing else."""
        lists = self.document.get("eval", self.document)
        tasks = list(lists.values()) if isinstance(lists, dict) else []
        return tasks if all(isinstance(log, list) and log and isinstance(log[0], dict | list) for log in tasks) else []
