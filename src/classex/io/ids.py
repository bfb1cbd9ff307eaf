"""Names that should meet and do not: in other letters, with blanks, as 7.0 for 7, or of another kind altogether."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import shown

__all__ = ["brief", "codes_of", "missed", "plain", "refuse_strangers", "refuse_unshared", "warn_of_doubled", "whole"]

# a value in a message that shows several
brief = partial(shown, most=40)
# Share of rows that may be copies by mistake; where more are alike, it is the nature of the data
FEW = 0.25
# Queries that hardly all find nothing by chance
_ENOUGH = 5


def whole(name: str) -> str:
    """Return 7 for 7.0, as pandas writes whole numbers beside empty entries."""
    return name[:-2] if name.endswith(".0") and name[:-2].lstrip("-").isdecimal() else name


def plain(name: Any) -> str:
    """Return a name without what may differ by accident."""
    return whole(" ".join(str(name).split()).casefold())


def missed(names: Iterable[Any], known: Collection[Any]) -> tuple[list[Any], str]:
    """Return the names that are not known, and in words how many they are and which known names they resemble."""
    every = list(names)
    left = [name for name in dict.fromkeys(every) if name not in known]
    spelled = {plain(name): name for name in known}
    alike = [name for name in left if plain(name) in spelled]
    n = len(set(every))
    text = f"{len(left)} of {n}: {', '.join(map(brief, left[:2]))}{', ...' if len(left) > 2 else ''}"
    return left, text + (f" ({brief(alike[0])} resembles {brief(spelled[plain(alike[0])])})" if alike else "")


def refuse_strangers(names: Collection[Any], known: Collection[Any], what: str, of: str) -> str:
    """Refuse names of which none is known, or some are known in another spelling; return the others in words."""
    left, text = missed(names, known)
    if left and (len(left) == len(set(names)) or "resembles" in text):
        raise ValueError(f"{what} must be among {of}, but these are not, {text}")
    return text if left else ""


def refuse_unshared(lists: Mapping[Any, Mapping[Any, Any]], judged: Mapping[Any, Mapping[Any, Any]]) -> None:
    """Refuse lists and judgements that share no query or no document; warn of queries without a list."""
    queries = [query for query, gains in judged.items() if any(gain > 0 for gain in gains.values())]
    left, text = missed(queries, lists.keys())
    if left and len(left) == len(queries):
        raise ValueError(f"relevance must be of the queries of scores, but {_unlike(queries, lists)}")
    if left:
        what = f"queries with relevant documents have no list, and count as finding nothing, {text}"
        warnings.warn(what, UserWarning, stacklevel=4)
    documents = {document for entries in lists.values() for document in entries}
    sought = {document for query in queries for document in judged[query]}
    if not documents or not sought or documents & sought:
        return
    what = f"relevance must be of the documents of scores, but {_unlike(sought, documents)}"
    if {*map(type, documents)} != {*map(type, sought)} or set(map(plain, documents)) & set(map(plain, sought)):
        raise ValueError(what)
    if len(queries) >= _ENOUGH:  # a few may find nothing
        warnings.warn(what, UserWarning, stacklevel=4)


def codes_of(matrix: NDArray[Any], labels: Iterable[Any] = ()) -> NDArray[np.int64]:
    """Return a number for each row of scores, the same for rows that are alike and have the same label."""
    bits = np.ascontiguousarray(matrix, dtype=np.float64).view(np.int64)
    # products with odd numbers, modulo 2^64
    factors = 1 + 2 * np.random.default_rng(0).integers(2**62, size=bits.shape[1])
    codes: NDArray[np.int64] = bits @ factors
    own = np.fromiter(map(hash, labels), np.int64)
    return codes ^ own if own.size else codes


def warn_of_doubled(name: str, codes: NDArray[np.int64], places: Sequence[str] | None = None) -> None:
    """Warn if a few rows are the same as others: they would count twice."""
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    n = codes.size - first.size
    if 0 < n <= FEW * codes.size:
        copy = int(np.argmax(first[which] != np.arange(codes.size)))
        where = [places[i] if places else f"row {i + 1}" for i in (int(first[which[copy]]), copy)]
        what = f"{name}: {n} of {codes.size} rows are copies of others, such as {where[1]} of {where[0]}"
        warnings.warn(f"{what}: each counts", UserWarning, stacklevel=5)


def _unlike(names: Iterable[Any], known: Iterable[Any]) -> str:
    name, other = next(iter(names)), next(iter(known), None)
    return f"no name is in both: {brief(name)} ({type(name).__name__}) and {brief(other)} ({type(other).__name__})"
