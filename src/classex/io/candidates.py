"""Candidate lists, pairs of samples with their scores, ranks, and the options of questions."""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._types import FloatArray
from classex._validation import shown
from classex.io.archives import LOG
from classex.io.attempt_logs import outcome_of
from classex.io.files import LABEL, LoadedSearches, read_units
from classex.io.head import Head
from classex.io.ids import brief, refuse_strangers, warn_of_doubled
from classex.io.rows import records
from classex.io.tables import read_table

__all__ = ["LoadedPairs", "LoadedRanks", "read_candidates", "read_options", "read_pairs", "read_ranks"]

# what stands for an option that the prompt lists: A, b. or (C)
_LETTER = re.compile(r"[\s(]*[A-Za-z][\s).:]*")


class LoadedPairs(NamedTuple):
    """Scores of pairs of samples.

    Attributes
    ----------
    genuine, impostor : ndarray
        Scores of two samples of one person, and of two people.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import LoadedPairs
    >>> from classex.open_set import verification_curve
    >>> found = LoadedPairs(np.array([0.9, 0.4]), np.array([0.2, 0.5]))
    >>> verification_curve(*found, 0.45).fnir
    array([0.5])
    """

    genuine: FloatArray
    impostor: FloatArray


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
    *pair, score, label = head.columns("search", "candidate", "score", LABEL)
    table = read_table(head.file, *pair, score, label)
    (search, row), (names, column) = (np.unique(table.texts(name), return_inverse=True) for name in pair)
    if (np.bincount(row * names.size + column) > 1).any():
        twice = int(np.argmax(np.bincount(row * names.size + column)))
        raise ValueError(
            f"{table.name}: search {brief(str(search[twice // names.size]))} has candidate"
            f" {brief(str(names[twice % names.size]))} more than once"
        )
    given = table.numbers([score])[:, 0]
    if not np.isfinite(given).all():
        raise ValueError(f"{table.name}: scores must be finite, but {table.places[int(np.argmin(np.isfinite(given)))]}")
    labels = np.array(table.texts(label))
    who = labels[np.unique(row, return_index=True)[1]]
    if (labels != who[row]).any():
        raise ValueError(f"{table.name}: search {shown(str(search[row][labels != who[row]][0]))} has several labels")
    mated = who != ""
    if mated.all() or not mated.any():
        kind = "non-mated searches, with an empty label" if mated.all() else "mated searches, with a label"
        raise ValueError(f"{table.name} must have {kind}")
    more = refuse_strangers(who[mated].tolist(), set(names.tolist()), f"{table.name}: labels", "the candidates")
    enrolled = np.union1d(names, who[mated])
    # below all that are listed: the score is known only to be lower
    lowest = np.nextafter(given.min(), -np.inf)
    scores = np.full((search.size, enrolled.size), lowest)
    scores[row, np.searchsorted(enrolled, names)[column]] = given
    cut = max(float(given[row == i].min()) for i in range(search.size))
    said = f"; enrolled people that no list names: {more}" if more else ""
    LOG.info(
        "%s: %d people are enrolled or listed. Scores below the lists count as lower than all listed, so that rates are"
        " exact at thresholds from %g on%s",
        table.name,
        enrolled.size,
        cut,
        said,
    )
    return LoadedSearches(scores[mated], who[mated], scores[~mated], search[~mated], enrolled)


def read_pairs(head: Head) -> LoadedPairs:
    """Read scores of genuine and impostor pairs."""
    genuine, score = head.columns("genuine", "score")
    table = read_table(head.file, genuine, score)
    if len(table.header) > 2:  # pairs with names
        warn_of_doubled(table.name, table.codes, table.places)
    same = np.array([outcome_of(entry, f"{table.name}: {genuine}") for entry in table.texts(genuine)])
    if not np.isin(same, (0, 1)).all() or np.unique(same).size < 2:
        raise ValueError(f"{table.name}: {genuine} must be 1 for pairs of one person, 0 for others, with some of both")
    scores = table.numbers([score])[:, 0]
    return LoadedPairs(scores[same == 1], scores[same == 0])


def read_ranks(head: Head) -> LoadedRanks:
    """Read a column of ranks, and perhaps one of ties."""
    table = read_table(head.file, "rank")
    if len(table.header) > 1:
        warn_of_doubled(table.name, table.codes, table.places)
    ranks = table.numbers(["rank"])[:, 0]
    ties = table.numbers(["ties"])[:, 0] if "ties" in table.header else np.zeros_like(ranks)
    for name, array, least in (("rank", ranks, 1), ("ties", ties, 0)):
        bad = np.flatnonzero(~(array >= least) | (array != np.floor(array)) | (np.abs(array) > 2.0**53))
        if bad.size:
            hint = ", and ranks begin at 1: add 1 to all" if name == "rank" and array[bad[0]] == 0 else ""
            raise ValueError(
                f"{table.name}: {name} must hold whole numbers of at least {least}, but {table.places[bad[0]]} holds"
                f" {array[bad[0]]:g}{hint}"
            )
    units = None if head.units is None else read_units(head)
    return LoadedRanks(ranks.astype(np.int64), ties.astype(np.int64), units)


def read_options(head: Head) -> LoadedRanks:
    """Read the samples of lm-evaluation-harness: log-likelihoods of the options of questions, and the right ones."""
    name, questions, letters, codes, places = head.file.name, [], True, [], []
    for place, row in records(head.file)[1]:
        try:
            scores = np.array([float(response[0]) for response in row["filtered_resps"]])
            right = int(row["target"])
            known = np.isfinite(scores).all() and 0 <= right < scores.size > 1
        except (TypeError, ValueError, KeyError, IndexError):
            known = False
        if not known:
            raise ValueError(
                f"{name}, {place}: filtered_resps must hold a log-likelihood for each option, and target the number of"
                " the right one, from 0"
            )
        better, same = (scores > scores[right]).sum(), (scores == scores[right]).sum() - 1
        questions.append((scores.size, 1 + better, same))
        letters = letters and _are_letters(row.get("arguments"))
        codes.append(hash(str(row)))
        places.append(place)
    warn_of_doubled(name, np.array(codes), places)
    options, ranks, ties = np.array(questions, dtype=np.int64).T
    most = int(np.bincount(options).argmax())
    if (kept := options == most).sum() < kept.size:
        LOG.info("%s: %d of %d questions have %d options; the others are left out", name, kept.sum(), kept.size, most)
    if letters:
        warnings.warn(
            f"{name}: the options are letters, so the prompt lists them all, and the choice may depend on those listed:"
            " then the prediction has no theorem behind it. Ask again with options removed at random, as in the"
            " chapter on multiple choice",
            UserWarning,
            stacklevel=4,
        )
    return LoadedRanks(ranks[kept], ties[kept], n_wrong=most - 1)


def _are_letters(arguments: Any) -> bool:
    """Whether the continuations of all requests, the last argument of each, are single letters."""
    requests = arguments.values() if isinstance(arguments, dict) else arguments or ()
    last = [list(request.values() if isinstance(request, dict) else request)[-1:] for request in requests]
    return bool(last) and all(argument and _LETTER.fullmatch(str(argument[0])) for argument in last)
