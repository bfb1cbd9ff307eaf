"""What every reader checks: names that match, rows that repeat, scales of outcomes, headers, columns of no class."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import refuse_other_columns, shown

__all__ = ["missed", "refuse_unshared"]


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
        warnings.warn(what, stacklevel=4)
    documents = {document for entries in lists.values() for document in entries}
    sought = {document for query in queries for document in judged[query]}
    if not documents or not sought or documents & sought:
        return
    what = f"relevance must be of the documents of scores, but {_unlike(sought, documents)}"
    if {*map(type, documents)} != {*map(type, sought)} or set(map(plain, documents)) & set(map(plain, sought)):
        raise ValueError(what)
    if len(queries) >= _ENOUGH:  # a few may find nothing
        warnings.warn(what, UserWarning, stacklevel=4)


def warn_of_doubled(
    name: str, rows: Iterable[Any], places: Sequence[str] | None = None, labels: Iterable[Any] = ()
) -> None:
    """Warn if a few rows, such as their bytes or texts, are the same as others: they would count twice."""
    codes = np.fromiter(map(hash, zip_longest(rows, labels)), np.int64)
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


# an entry of a table whose header is missing; a decimal comma may have cut it
NUMBER = re.compile(r"[+-]?[0-9.;,eE+-]+")
# Columns of no class: what to do with them
_REMEDY = (
    "drop='NAME' (--drop NAME) leaves it out, units='NAME' (--units NAME) makes it the unit of each row, and"
    " classes='all' (--classes all) a class"
)


def named_columns(
    name: str, scores: NDArray[Any], names: Sequence[Any], labels: Iterable[Any], every: bool = False
) -> str:
    """Return in words how many classes there are; refuse columns that seem to be of none, unless all are said to be."""
    known = set(labels)
    text = "" if every else refuse_other_columns(scores, names, known, name, _REMEDY)
    return f"{len(set(names))} classes{f', {text}' if text else ''}"


def refuse_no_header(name: str, header: Sequence[str]) -> None:
    """Refuse a first line of values where a header must be: numbers that do not count the columns, or one of them."""
    numbers = [entry for entry in header if NUMBER.fullmatch(entry.strip())]
    counted = [[str(i) for i in range(start, start + len(header))] for start in (0, 1)]
    if numbers and (list(header) not in counted or len(header) < 3):
        what = f"{name}: the first line must name the columns, but names one {shown(numbers[0])}"
        raise ValueError(f"{what}: if it holds values, put a line with names above it")


def check_outcomes(name: str, least: float | None, most: float, otherwise: str = "") -> float:
    """Return the least outcome that is a success; refuse outcomes above 1 where it was not given."""
    if least is None and most > 1:
        scale = "of 0 to 10" if 1 < most <= 10 else "of 0 to 100" if most <= 100 else "beyond 100"
        what = f"{name}: outcomes go up to {most:g}, a scale {scale}, so that a success must be defined"
        raise ValueError(f"{what}: give the least one as threshold= (--threshold SCORE){otherwise}")
    return 1.0 if least is None else least


def empty_outcomes(n_empty: int, n_rows: int, n_won: int, counted: bool) -> str:
    """Return in words how many outcomes are empty, how they count, and both rates of success."""
    if not n_empty:
        return ""
    left = n_rows - n_empty
    rates = f"{n_won / n_rows:.3g} of all" + (f", {n_won / left:.3g} of the others" if left else "")
    how = "count as failures" if counted else "left out (empty='fail', --empty fail, counts them as failures)"
    return f"{n_empty} of {n_rows} outcomes are empty, {how}: {rates} succeed"


def check_shares(name: str, values: NDArray[np.float64], texts: Iterable[str] = ()) -> NDArray[np.float64]:
    """Return accuracies as shares; those written in per cent are divided by 100, and others above 1 refused."""
    if all(text.endswith("%") for text in texts):
        return values / 100
    if np.isfinite(values).all() and (values > 1).any() and (values <= 100).all():
        raise ValueError(f"{name}: accuracies go up to {values.max():g}: write shares, or 91% for .91")
    return values
