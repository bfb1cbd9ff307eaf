"""Judgements and lists of search engines."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from classex._validation import listed, shown
from classex.io.head import Head
from classex.io.ids import brief
from classex.io.rows import records
from classex.io.tables import is_number

__all__ = ["is_line", "is_nested", "read_columns", "read_lines", "read_nested"]

# Levels of relevance in common use; scores of a run take more values
_LEVELS = 5

Lists = dict[str, dict[str, float]]

# Position of the number in a line, by the number of its entries; three are query, document and rank
_NUMBER = {3: 2, 4: 3, 6: 4}
_FORMS = {
    3: "'query document rank'",
    4: "'query 0 document relevance'",
    6: "'query Q0 document rank score tag'",
}


def check_values(name: str, lists: Lists, holds: str | None) -> None:
    """Refuse judgements that are not whole numbers, and warn of a run with few different scores."""
    values = (value for entries in lists.values() for value in entries.values())
    if holds == "qrels" and any(value % 1 for value in values):
        raise ValueError(f"{name} must hold whole numbers as judgements: is it a run?")
    levels: set[float] = set()
    while holds == "run" and len(levels) <= _LEVELS and (value := next(values, None)) is not None:
        levels.add(value)
    if 0 < len(levels) <= min(_LEVELS, len(lists) - 1) and not any(level % 1 for level in levels):
        what = f"{name} has only {len(levels)} different scores, {listed(sorted(levels))}"
        warnings.warn(f"{what}: does it hold judgements?", UserWarning, stacklevel=3)


def is_line(words: Sequence[str]) -> bool:
    """Whether the entries of a line are those of a list or of a judgement."""
    return len(words) in _NUMBER and is_number(words[_NUMBER[len(words)]])


def read_lines(head: Head, width: int) -> Lists:
    """Read lines of `width` entries."""
    name, out = head.file.name, Lists()
    for number, line in enumerate(head.file.lines("surrogateescape"), start=1):
        entries = line.split()
        if not entries or line.startswith("#"):
            continue
        if len(entries) != width or not is_line(entries):
            raise ValueError(f"{name}, line {number} must read {_FORMS[width]}, not {shown(line)}")
        value = float(entries[_NUMBER[width]])
        if width == 3 and (value < 1 or not value.is_integer()):
            raise ValueError(f"{name}, line {number} must end with a rank, from 1, not {shown(entries[2])}")
        # the best rank is the smallest
        _add(out, name, number, entries[0], entries[2 if width > 3 else 1], -value if width == 3 else value)
    if width == 3 and (tied := [query for query, ranks in out.items() if len(set(ranks.values())) < len(ranks)]):
        raise ValueError(f"{name} must have each rank once for a query, unlike that of {shown(tied[0])}")
    return out


def read_columns(head: Head, value: str) -> Lists:
    """Read a table with columns of queries, documents and numbers, which are scores or relevances."""
    name, out = head.file.name, Lists()
    header, rows = records(head.file)
    given = {column.lower(): column for column in header}
    query, document, value = (given[column] for column in head.columns("query", "document", value))
    for place, row in rows:
        number: Any = row.get(value)
        if query not in row or document not in row or not is_number(number):
            raise ValueError(
                f"{name}, {place} must have a query, a document and a number as {value}, not {shown(number)}"
            )
        _add(out, name, place, str(row[query]).strip(), str(row[document]).strip(), float(number))
    return out


def is_nested(head: Head) -> bool:
    """Whether a document of JSON has a dictionary of numbers for each query."""
    lists = list(head.document.values())
    return bool(lists) and all(isinstance(entries, dict) and all(map(is_number, entries.values())) for entries in lists)


def read_nested(head: Head) -> Lists:
    """Read a document of JSON."""
    out = Lists()
    for query, judged in head.document.items():
        if not isinstance(judged, dict):
            raise ValueError(f"{head.file.name}: query {shown(query)} must have a number for each document")
        for document, value in judged.items():
            if not is_number(value):
                raise ValueError(f"{head.file.name}: query {shown(query)} must have numbers, not {shown(value)}")
            _add(out, head.file.name, "an entry", query, document, float(value))
        out.setdefault(query, {})
    return out


def _add(out: Lists, name: str, place: str | int, query: str, document: str, value: float) -> None:
    own: dict[str, Any] = out.setdefault(query, {})
    if math.isfinite(value) and document not in own:
        own[document] = value
        return
    where = f"{name}, {place if isinstance(place, str) else f'line {place}'}: query {brief(query)}"
    if document in own:
        raise ValueError(f"{where} has document {brief(document)} twice")
    raise ValueError(f"{where} has {value} for document {brief(document)}")
