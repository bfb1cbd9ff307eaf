"""Candidate lists, pairs of samples with their scores, ranks, and the options of questions."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._checks import listed, shown
from classex._types import FloatArray
from classex.io.attempts import outcome_of
from classex.io.checks import brief, refuse_strangers, warn_of_doubled
from classex.io.files import LoadedSearches, read_units
from classex.io.tables import Head, Table, is_number, read_table, records

__all__ = ["LoadedPairs", "LoadedRanks"]


# what stands for an option that the prompt lists: A, b. or (C)
_LETTER = re.compile(r"[\s(]*[A-Za-z][\s).:]*")


class LoadedPairs(NamedTuple):
    """Scores of pairs of samples, and the people in them.

    Attributes
    ----------
    genuine, impostor : ndarray
        Scores of two samples of one person, and of two people.
    units : tuple of two ndarrays of str, or None
        People of the genuine pairs (n_genuine,) and of the impostor pairs (n_impostor,) or (n_impostor, 2), if columns
        of the file name them.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import LoadedPairs
    >>> from classex.fields.open_set import verification_curve
    >>> found = LoadedPairs(np.array([0.9, 0.4]), np.array([0.2, 0.5]))
    >>> verification_curve(*found, thresholds=0.45).fnmr
    array([0.5])
    """

    genuine: FloatArray
    impostor: FloatArray
    units: tuple[NDArray[np.str_], NDArray[np.str_]] | None = None


class LoadedRanks(NamedTuple):
    """Ranks of the correct label, from 1.

    Attributes
    ----------
    ranks, ties : ndarray of int of shape (n_test,)
        Ranks, the best that ties allow, and numbers of wrong labels with the same score.
    units : ndarray of str of shape (n_test,) or None
        Unit of each test point, such as its user, if its column was named.
    n_wrong : int or None
        Number of wrong labels of each point, if the file tells.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> found = cx.io.LoadedRanks(np.array([1, 7]), np.array([0, 2]))
    >>> wins = 101 - found.ranks - found.ties
    >>> cx.ranks_from_wins(wins, 101, ties=found.ties).wins
    array([100,  92])
    """

    ranks: NDArray[np.int64]
    ties: NDArray[np.int64]
    units: NDArray[np.str_] | None = None
    n_wrong: int | None = None


def read_candidates(head: Head) -> LoadedSearches:
    """Read lists of candidates, a row for each search and candidate, with the person that is searched for."""
    *pair, score, label = head.columns("search", "candidate", "score", "label")
    table = read_table(head.file, *pair, score, label)
    # the null of JSON, or the NaN or NA of pandas
    null = [not isinstance(entry, str) and str(entry) in ("None", "nan", "<NA>") for entry in table.entries.flat]
    table.entries[np.reshape(null, table.entries.shape)] = ""
    (search, row), labels = np.unique(table.texts(pair[0]), return_inverse=True), np.array(table.texts(label))
    who = labels[np.unique(row, return_index=True)[1]]
    if (labels != who[row]).any():
        raise ValueError(f"{table.name}: search {shown(str(search[row][labels != who[row]][0]))} has several labels")
    listed = np.array(table.texts(pair[1])) != ""
    _check_empty(table, search, row, listed, score)
    row, table = row[listed], table.only(listed)
    names, column, times = np.unique(table.texts(pair[1]), return_inverse=True, return_counts=True)
    times_met = np.bincount(row * names.size + column)
    if times_met.max() > 1:
        i, j = divmod(int(times_met.argmax()), names.size)
        what = f"has candidate {brief(str(names[j]))} more than once"
        raise ValueError(f"{table.name}: search {brief(str(search[i]))} {what}")
    given = table.numbers([score])[:, 0]
    if not np.isfinite(given).all():
        raise ValueError(f"{table.name}: scores must be finite, but {table.places[int(np.argmin(np.isfinite(given)))]}")
    known = _known(head, who, names, times)
    mated = np.isin(who, known)
    if mated.all() or not mated.any():
        kind = "non-mated searches, with an empty label" if mated.all() else "mated searches, with a label"
        raise ValueError(f"{table.name} must have {kind}")
    # below all that are listed: the score is known only to be lower
    scores = np.full((search.size, head.gallery or known.size), np.nextafter(given.min(), -np.inf))
    scores[row, np.searchsorted(known, names)[column]] = given
    cut = _complete_from(row, given, search.size)
    # names in a file have no blank before them, so that none is like these
    enrolled = np.array([*known.tolist(), *(f" {i}" for i in range(known.size, scores.shape[1]))])
    head.file.note(f"{search.size} searches, {mated.sum()} of them for people enrolled")
    head.file.note(f"{enrolled.size} people are enrolled, of whom {names.size} are listed")
    below = "scores below the lists count as lower than all listed"
    head.file.note(f"{below}, so that rates are exact at thresholds from {cut:g} on")
    return LoadedSearches(scores[mated], who[mated], scores[~mated], None, enrolled, cut)


def _check_empty(table: Table, search: NDArray[Any], row: NDArray[Any], listed: NDArray[Any], score: str) -> None:
    """Refuse rows without a candidate that have a score, or stand beside candidates; refuse files of these alone."""
    entries = np.array(table.texts(score))
    scored = np.flatnonzero(~listed & ~np.isin(entries, ("", "-inf")))
    if scored.size:
        raise ValueError(f"{table.name}: {table.places[scored[0]]} has a score, but no candidate")
    both = np.intersect1d(row[listed], row[~listed])
    if both.size:
        what = "has candidates and a row without one, which says that it returned nobody"
        raise ValueError(f"{table.name}: search {shown(str(search[both[0]]))} {what}")
    if not listed.any():
        raise ValueError(f"{table.name} must have candidates, but no search returned anyone")


def _known(head: Head, who: NDArray[Any], names: NDArray[Any], times: NDArray[Any]) -> NDArray[Any]:
    """Return the people enrolled whose names are known, in order; warn if the lists leave open who is enrolled."""
    name, searched = head.file.name, np.unique(who[who != ""])
    refuse_strangers(searched.tolist(), set(names.tolist()), f"{name}: labels", "the candidates")
    unlisted, known = np.setdiff1d(searched, names), np.union1d(searched, names)
    if head.gallery == names.size:  # all are listed, so that others are strangers
        return names
    if head.gallery is not None and head.gallery < known.size:
        raise ValueError(
            f"gallery (--gallery) must be at least {known.size}, the number of people in lists ({names.size}) and"
            f" in labels alone, but is {head.gallery}: labels of strangers are empty"
        )
    if unlisted.size:
        n, one = np.isin(who, unlisted).sum(), brief(str(unlisted[0]))
        remedy = "They count as mated searches of people enrolled; leave the label of a stranger empty"
        what = f"{name}: searches with labels that no list names: {n}, such as of {one}. {remedy}"
        warnings.warn(what, stacklevel=5)
    once, twice = (int(np.count_nonzero(times == n)) for n in (1, 2))
    # Chao (1984): a lower bound for the number of people in no list
    unseen = once * (once - 1) // (2 * (twice + 1))
    if head.gallery is None and unseen > unlisted.size:
        what = f"{name}: {known.size} people are taken as enrolled, those that it names, but more must be"
        why = f"{once} are listed only once, so that about {unseen} or more are in no list"
        remedy = "Give the number enrolled: --gallery N (in Python, gallery=N)"
        warnings.warn(f"{what}: {why}. {remedy}", stacklevel=5)
    return known


def _complete_from(row: NDArray[Any], given: FloatArray, n_searches: int) -> float:
    """Score from which all lists are complete: the highest of their last scores.

    If a search returned nobody, lists end at a score, the lowest of the file, unless they are as long as the longest.
    """
    last, length = np.full(n_searches, np.inf), np.bincount(row, minlength=n_searches)
    np.minimum.at(last, row, given)
    full = length == length.max() if not length.all() else np.full(n_searches, True)
    return float(last[full].max())


# Words for a genuine pair and for an impostor pair, as lists of trials have them, besides those for outcomes
_KEYS = dict.fromkeys(("1", "target", "bonafide", "genuine", "mated", "same"), 1)
_KEYS |= dict.fromkeys(("0", "nontarget", "non-target", "spoof", "impostor", "imposter", "nonmated", "different"), 0)
# Columns of the people of a pair, without capitals and what stands between words
_PEOPLE = (
    *((f"{side}", "test") for side in ("enrol", "enroll", "enrolment", "enrollment")),
    *((f"{one}1", f"{one}2") for one in ("speaker", "person", "subject", "identity", "user", "id")),
    *((one,) for one in ("speaker", "person", "subject", "identity", "user")),
)


def read_pairs(head: Head) -> LoadedPairs:
    """Read scores of genuine and impostor pairs, and the people in them if columns name these."""
    genuine, score = head.columns("genuine", "score")
    return _pairs(read_table(head.file, genuine, score), genuine, score)


def key_of(words: Sequence[str]) -> int | None:
    """Position of the only word of a line that says whether a pair is genuine, before a score at its end."""
    keys = [i for i, word in enumerate(words[:-1]) if word.lower() in _KEYS]
    return keys[0] if len(keys) == 1 and len(words) > 1 and is_number(words[-1]) else None


def read_trials(head: Head) -> LoadedPairs:
    """Read lines that end with a score and hold a word such as target, or 1 or 0, and perhaps the two sides.

    In VoxCeleb's lists a side is the path of a file, whose first folder is the person.
    """
    key, width, entries, places = key_of(head.words), len(head.words), [], []
    for number, line in enumerate(head.file.lines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != width or key_of(words) != key or key is None:
            raise ValueError(f"{head.file.name}, line {number} must have the form of the first, not {shown(line)}")
        sides = [word.partition("/")[0] for i, word in enumerate(words[:-1]) if i != key]
        entries.append([words[key], words[-1], *sides])
        places.append(f"line {number}")
    names = ["enrol", "test"] if width == 4 else [f"name {i}" for i in range(width - 2)]
    table = Table(head.file, ["genuine", "score", *names], np.array(entries, dtype=object), places)
    return _pairs(table, "genuine", "score")


def _pairs(table: Table, genuine: str, score: str) -> LoadedPairs:
    """Return the pairs of a table."""
    if len(table.header) > 2:  # pairs with names
        warn_of_doubled(table.name, map(str, table.entries.tolist()), table.places)
    values = [_KEYS.get(entry.lower(), entry) for entry in table.texts(genuine)]
    same = np.array([outcome_of(entry, f"{table.name}: {genuine}") for entry in values])
    if not np.isin(same, (0, 1)).all() or np.unique(same).size < 2:
        raise ValueError(f"{table.name}: {genuine} must be 1 for pairs of one person, 0 for others, with some of both")
    scores, people = table.numbers([score])[:, 0], _people_of(table, same == 1)
    units = None if people is None else (people[same == 1, 0], people[same == 0])
    return LoadedPairs(scores[same == 1], scores[same == 0], units)


def _people_of(table: Table, genuine: NDArray[np.bool_]) -> NDArray[np.str_] | None:
    """Return the people of each pair, a column for each side that is named."""
    given = {re.sub("[^a-z0-9]", "", name.lower()): name for name in table.header}
    names = next(([given[one] for one in some] for some in _PEOPLE if set(some) <= given.keys()), None)
    if names is None:
        return None
    people, columns = np.array([table.texts(name) for name in names]).T, " and ".join(names)
    alike = people[:, 0] == people[:, -1]
    if not alike[genuine].all():
        table.file.note(f"{columns} differ within genuine pairs, so they name samples: pairs count as independent")
        return None
    if len(names) == 2 and (wrong := np.flatnonzero(alike & ~genuine)).size:
        raise ValueError(f"{table.name}: {table.places[wrong[0]]} is an impostor pair of one person, by {columns}")
    n = np.unique(people).size
    table.file.note(f"people are named by {columns}, and intervals are over these {n} people")
    return people


def read_ranks(head: Head) -> LoadedRanks:
    """Read a column of ranks, and perhaps one of ties."""
    table = read_table(head.file, "rank")
    if len(table.header) > 1:
        warn_of_doubled(table.name, map(str, table.entries.tolist()), table.places)
    ranks = table.wholes("rank", 1)
    ties = table.wholes("ties", 0) if "ties" in table.header else np.zeros_like(ranks)
    return LoadedRanks(ranks, ties, None if head.units is None else read_units(head))


def read_options(head: Head) -> LoadedRanks:
    """Read the samples of lm-evaluation-harness: log-likelihoods of the options of questions, and the right ones."""
    name, questions, letters, copies, places = head.file.name, [], True, [], []
    for place, row in records(head.file)[1]:
        try:
            scores = np.array([float(response[0]) for response in row["filtered_resps"]])
            right = int(row["target"])
            known = np.isfinite(scores).all() and 0 <= right < scores.size > 1
        except (TypeError, ValueError, KeyError, IndexError):
            known = False
        if not known:
            must = "filtered_resps must hold a log-likelihood for each option, and target the number of the right one"
            raise ValueError(f"{name}, {place}: {must}, from 0")
        better, same = (scores > scores[right]).sum(), (scores == scores[right]).sum() - 1
        questions.append((scores.size, 1 + better, same))
        letters = letters and _are_letters(row.get("arguments"))
        copies.append(hash(str(row)))
        places.append(place)
    warn_of_doubled(name, copies, places)
    options, ranks, ties = np.array(questions, dtype=np.int64).T
    most = int(np.bincount(options).argmax())
    if (kept := options == most).sum() < kept.size:
        head.file.note(f"{kept.sum()} of {kept.size} questions have {most} options; the others are left out")
    if letters:
        what = "the options are letters, so the prompt lists them all, and the choice may depend on those listed"
        remedy = "Ask again with options removed at random, as in the chapter on multiple choice"
        warnings.warn(f"{name}: {what}: then the prediction has no theorem behind it. {remedy}", stacklevel=4)
    return LoadedRanks(ranks[kept], ties[kept], n_wrong=most - 1)


def _are_letters(arguments: Any) -> bool:
    """Whether the continuations of all requests, the last argument of each, are single letters."""
    requests = arguments.values() if isinstance(arguments, dict) else arguments or ()
    last = [list(request.values() if isinstance(request, dict) else request)[-1:] for request in requests]
    return bool(last) and all(argument and _LETTER.fullmatch(str(argument[0])) for argument in last)


# Levels of relevance in common use; scores of a run take more values
_LEVELS = 5
Lists = dict[str, dict[str, float]]
# Position of the number in a line, by the number of its entries; three are query, document and rank
_NUMBER = {3: 2, 4: 3, 6: 4}
_FORMS = {3: "'query document rank'", 4: "'query 0 document relevance'", 6: "'query Q0 document rank score tag'"}


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
            must = f"must have a query, a document and a number as {value}"
            raise ValueError(f"{name}, {place} {must}, not {shown(number)}")
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
