"""Scores from files. Nothing is ever unpickled."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._checks import listed, shown
from classex.io.archives import array_names, read_arrays
from classex.io.checks import NUMBER, missed, named_columns, refuse_strangers, warn_of_doubled, whole
from classex.io.tables import Head, Table, is_number, read_table

__all__ = ["LoadedScores", "LoadedSearches", "LoadedUnits"]


# columns of lists of candidates
_LISTS = "search, candidate, score and label"


class LoadedScores(NamedTuple):
    """Contents of a score file, for ``correct_ranks(scores, labels, classes=classes)``.

    Attributes
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Scores of the file, not yet checked.
    labels : ndarray of shape (n_test,)
        Correct classes: numbers of columns, or names.
    classes : list of str or None
        Names of the columns, where labels are names.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> from classex.io import LoadedScores
    >>> found = LoadedScores(
    ...     np.array([[0.1, 0.7], [0.5, 0.2]]),
    ...     np.array(["bee", "ant"]),
    ...     ["ant", "bee"],
    ... )
    >>> cx.correct_ranks(found.scores, found.labels, classes=found.classes).wins
    array([1, 1])
    """

    scores: NDArray[Any]
    labels: NDArray[Any]
    classes: list[str] | None


class LoadedUnits(NamedTuple):
    """Contents of a score file with a column of units, such as subjects.

    Attributes
    ----------
    scores, labels, classes
        As in `LoadedScores`.
    units : ndarray of str of shape (n_test,)
        Unit of each test point.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import LoadedUnits
    >>> found = LoadedUnits(
    ...     np.eye(2), np.array([0, 1]), None, np.array(["s1", "s2"])
    ... )
    >>> found.units.tolist()
    ['s1', 's2']
    """

    scores: NDArray[Any]
    labels: NDArray[Any]
    classes: list[str] | None
    units: NDArray[Any]


class LoadedSearches(NamedTuple):
    """Contents of a file of open-set searches, for `classex.open_set.open_set_curve`.

    Attributes
    ----------
    scores : ndarray of shape (n_mated, n_columns)
        Scores of mated searches.
    labels : ndarray of shape (n_mated,)
        Their identities: numbers of columns or, with `enrolled_labels`, names among these.
    nonmated_scores : ndarray of shape (n_nonmated, n_columns)
        Scores of non-mated searches, by people who are not enrolled.
    nonmated_labels, enrolled_labels : ndarray or None
        People of the non-mated searches, and identities of the columns.
    complete_from : float
        Score from which all are known: below it lists of candidates may end.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.io import LoadedSearches
    >>> from classex.fields.open_set import open_set_curve
    >>> mated, nonmated = (
    ...     np.array([[0.9, 0.2], [0.3, 0.8]]),
    ...     np.array([[0.4, 0.6]]),
    ... )
    >>> found = LoadedSearches(mated, np.array([0, 1]), nonmated, None, None)
    >>> open_set_curve(
    ...     found.scores, found.labels, found.nonmated_scores, [0.5, 0.7]
    ... ).fpir
    array([1., 0.])
    """

    scores: NDArray[Any]
    labels: NDArray[Any]
    nonmated_scores: NDArray[Any]
    nonmated_labels: NDArray[Any] | None
    enrolled_labels: NDArray[Any] | None
    complete_from: float = -np.inf


def read_search_arrays(head: Head) -> LoadedSearches:
    """Read the arrays of searches."""
    names, more = LoadedSearches._fields[:3], LoadedSearches._fields[3:5]
    arrays = read_arrays(head.file, *names, optional=more)
    for name in (names[0], names[2]):
        _warn_of_doubled(f"{head.file.name}, {name}", arrays[name])
    given: list[Any] = [arrays.get(name) for name in (*names, *more)]
    return LoadedSearches(*given)


def read_searches(head: Head) -> LoadedSearches:
    """Read a table with a row for each search and a column for each sample enrolled."""
    table = read_table(head.file, head.label)
    columns = score_columns(table, head, table.texts(head.label))
    names = [table.header[i] for i in columns]
    who = _spelled_as(table.texts(head.label), names)
    left, text = missed(who.tolist(), set(names))
    if "resembles" in text:
        raise ValueError(f"{table.name} must have labels as its columns are named, or of others, but {text}")
    matrix, mated = table.measured(columns, who), ~np.isin(who, left)
    people = named_columns(table.name, matrix, names, who.tolist(), head.classes is not None)
    if (listed_ := np.isfinite(matrix)).mean() < 0.5:
        warnings.warn(
            f"{table.name} has {int(listed_.sum())} of {listed_.size} scores, and leaves the other comparisons out."
            " Lists of candidates have columns search, candidate, score and label instead",
            UserWarning,
            stacklevel=4,
        )
    warn_of_doubled(table.name, map(np.ndarray.tobytes, matrix), table.places, who)
    if mated.all() or not mated.any():
        kind = "non-mated search, whose label names no column" if mated.all() else "mated search, whose label names one"
        raise ValueError(f"{table.name} must have at least one {kind}; lists have columns {_LISTS}")
    counts = (int(mated.sum()), int((~mated).sum()))
    head.file.note(f"{counts[0]} mated searches, and {counts[1]} whose labels name no column, {text}")
    head.file.note(people.replace("classes", "people enrolled", 1))
    return LoadedSearches(matrix[mated], who[mated], matrix[~mated], who[~mated], np.array(names))


def _spelled_as(labels: list[str], names: list[str]) -> NDArray[Any]:
    """Return labels with 7 for 7.0 where a column is named 7."""
    known = set(names)
    return np.array([label if label in known or whole(label) not in known else whole(label) for label in labels])


def read_score_arrays(head: Head) -> LoadedScores:
    """Read arrays of scores and labels, which may be rows with a 1 at the class."""
    called = next((name for name in ("scores", "logits") if name in array_names(head.file)), "scores")
    named = "labels" if head.label == "label" else head.label
    arrays = read_arrays(head.file, called, named, optional=("classes",))
    classes = arrays["classes"].tolist() if "classes" in arrays else None
    scores, labels = arrays[called], arrays[named]
    if labels.ndim == 2 and labels.shape == scores.shape and (np.sort(labels, axis=1)[:, :-1] == 0).all():
        labels = labels.argmax(axis=1)
        head.file.note("labels are rows with a 1 at the class")
        if classes is not None:
            labels = np.array(classes)[labels]
    if classes is None and labels.dtype.kind == "U":
        raise ValueError(f"{head.file.name} must hold an array 'classes' too, since its labels are names of columns")
    _warn_of_doubled(head.file.name, scores)
    if scores.ndim == 2 and scores.dtype.kind in "fiu" and labels.ndim == 1:
        names = range(scores.shape[1]) if classes is None else classes
        every = head.classes is not None or len(names) != scores.shape[1]
        head.file.note(named_columns(head.file.name, scores, names, labels.tolist(), every))
    return LoadedScores(scores, labels, classes)


def _warn_of_doubled(name: str, matrix: NDArray[Any]) -> None:
    if matrix.ndim == 2 and matrix.dtype.kind == "f":
        warn_of_doubled(name, map(np.ndarray.tobytes, matrix))


def read_wide(head: Head) -> LoadedScores:
    """Read a table with a row for each test point and a column for each class."""
    table = read_table(head.file, head.label, *head.about)
    columns = score_columns(table, head, table.texts(head.label))
    names = [table.header[i] for i in columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{table.name} must have one column for each class, but has {shown(twice)} more than once")
    labels = _spelled_as(table.texts(head.label), names)
    unknown, text = missed(labels.tolist(), set(names))
    renumbered = all(name.isdecimal() for name in names) and names != [str(number) for number in range(len(names))]
    if unknown and (renumbered or not all(map(is_number, labels))):
        accepted = f"labels among the names of its columns ({listed(names)})"
        embedded = "" if "resembles" in text else ". For embeddings see --references and load_embeddings"
        raise ValueError(f"{table.name} must have {accepted}, but these are not, {text}{embedded}")
    scores = table.measured(columns, () if unknown else labels)
    given = labels.tolist()
    if unknown:  # they are numbers of columns
        labels = table.numbers([head.label])[:, 0]
        given = [names[int(one)] for one in labels.tolist() if one in range(len(names))]
    warn_of_doubled(table.name, map(np.ndarray.tobytes, scores), table.places, labels)
    head.file.note(named_columns(table.name, scores, names, given, head.classes is not None))
    return LoadedScores(scores, labels, None if unknown else names)


def read_long(head: Head) -> LoadedScores:
    """Read a table with a row for each test point and class."""
    table = read_table(head.file, head.label, "class", "score", *head.about)
    points = [table.header[i] for i in table.others(head.label, "class", "score", *head.about, *head.drop)]
    if len(points) != 1:
        beside = "beside label, class and score"
        raise ValueError(f"{table.name} must have one column of test points {beside}, not {listed(points)}")
    (point, row), (names, column) = (np.unique(table.texts(name), return_inverse=True) for name in (points[0], "class"))
    if (np.bincount(row * names.size + column, minlength=point.size * names.size) != 1).any():
        what = f"{point.size} test points and {names.size} classes"
        raise ValueError(f"{table.name} must have one score for each of {what}")
    scores, labels = np.empty((point.size, names.size)), np.array(table.texts(head.label))
    scores[row, column] = table.numbers(["score"])[:, 0]
    first = np.unique(row, return_index=True)[1]
    if (differs := labels != labels[first][row]).any():
        raise ValueError(f"{table.name}: test point {shown(str(point[row][differs][0]))} has more than one label")
    refuse_strangers(labels.tolist(), set(names.tolist()), f"{table.name}: labels", f"the {names.size} classes")
    head.file.note(f"{names.size} classes, a row for each pair of a test point and a class")
    return LoadedScores(scores, _spelled_as(labels[first].tolist(), names.tolist()), names.tolist())


def read_units(head: Head, *, long: bool = False) -> NDArray[Any]:
    """Read the unit of each test point; a long table has a row for each point and class."""
    table = read_table(head.file, *head.about)
    unit = np.array(table.texts(str(head.units)))
    if (unit == "").any():
        raise ValueError(f"{table.name}: {table.places[int(np.argmax(unit == ''))]} has no {head.units}")
    if not long:
        return unit
    point = table.header[table.others(head.label, "class", "score", *head.about, *head.drop)[0]]
    first, row = np.unique(table.texts(point), return_index=True, return_inverse=True)[1:]
    if (differs := unit != unit[first][row]).any():
        place = table.places[int(np.argmax(differs))]
        raise ValueError(f"{table.name}: {place} has another {head.units} than its point")
    return np.asarray(unit[first])


def _is_text(entry: Any) -> bool:
    """Whether an entry is a text that is no number, in any spelling."""
    return (
        isinstance(entry, str) and bool(entry.strip()) and not NUMBER.fullmatch(entry.strip()) and not is_number(entry)
    )


def score_columns(table: Table, head: Head, labels: Collection[str]) -> list[int]:
    """Positions of the columns of scores: those that were named, or all but labels, units, row names and texts."""
    for name in (*head.drop, *(() if head.classes in (None, "all") else head.classes)):
        if name not in table.header:
            raise ValueError(f"{table.name} must have a column {shown(name)}, but its header is {listed(table.header)}")
    kept = table.others(head.label, *head.about, *head.drop)
    if head.classes not in (None, "all"):
        left = [table.header[i] for i in kept if table.header[i] not in head.classes]
        if left:
            head.file.note(f"columns left out: {len(left)} ({listed(left)})")
        return [i for i in kept if table.header[i] in head.classes]
    texts = [i for i in kept if table.header[i] not in labels and all(map(_is_text, table.entries[:, i]))]
    repeated = []
    for name in [table.header[i] for i in texts]:
        n = len(set(table.texts(name)))
        head.file.note(f"column {shown(name)} names no class and holds no numbers: left out")
        if 1 < n < len(table.places):
            repeated.append(name)
    if repeated and head.units is None:
        what = f"{table.name}: column {shown(repeated[0])} names no class, and its names repeat"
        how = f"units={repeated[0]!r} (--units {repeated[0]}), or drop={repeated!r} (--drop {' '.join(repeated)})"
        raise ValueError(f"{what}: if rows with one name belong together, as those of a subject, {how}")
    kept = [i for i in kept if i not in texts]
    if not kept:
        raise ValueError(f"{table.name} must have a column of scores for each class")
    return kept
