"""Scores from files. Nothing is ever unpickled."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._checks import listed, refuse_total_column, shown
from classex.io.archives import LOG, read_arrays
from classex.io.tables import Head, Table, is_number, missed, read_table, refuse_strangers, warn_of_doubled, whole

__all__ = ["LoadedScores", "LoadedSearches", "LoadedUnits"]

LABEL = "label"

# Columns that say which row it is: no class, unless a label has this name
_ABOUT_ROWS = ("subject", "participant", "session", "trial", "run", "fold", "block")
_UNITS = (
    "results are then about these units only; for a population of such units, name it: classex extrapolate --units"
    " COLUMN, load_scores(units=COLUMN)"
)


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
    table = read_table(head.file, LABEL)
    columns = _score_columns(table, head, "lists need columns search, candidate, score and label")
    names = [table.header[i] for i in columns]
    who = _spelled_as(table.texts(LABEL), names)
    left, text = missed(who.tolist(), set(names))
    if "resembles" in text:
        raise ValueError(f"{table.name} must have labels as its columns are named, or of others, but {text}")
    matrix, mated = table.measured(columns, who), ~np.isin(who, left)
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
        raise ValueError(f"{table.name} must have at least one {kind}")
    counts = (int(mated.sum()), int((~mated).sum()))
    LOG.info("%s: %d mated searches, and %d whose labels name no column, %s", table.name, *counts, text)
    return LoadedSearches(matrix[mated], who[mated], matrix[~mated], who[~mated], np.array(names))


def _spelled_as(labels: list[str], names: list[str]) -> NDArray[Any]:
    """Return labels with 7 for 7.0 where a column is named 7."""
    known = set(names)
    return np.array([label if label in known or whole(label) not in known else whole(label) for label in labels])


def read_score_arrays(head: Head) -> LoadedScores:
    """Read arrays of scores and labels."""
    arrays = read_arrays(head.file, "scores", "labels", optional=("classes",))
    classes = arrays["classes"].tolist() if "classes" in arrays else None
    if classes is None and arrays["labels"].dtype.kind == "U":
        raise ValueError(f"{head.file.name} must hold an array 'classes' too, since its labels are names of columns")
    _warn_of_doubled(head.file.name, arrays["scores"])
    return LoadedScores(arrays["scores"], arrays["labels"], classes)


def _warn_of_doubled(name: str, matrix: NDArray[Any]) -> None:
    if matrix.ndim == 2 and matrix.dtype.kind == "f":
        warn_of_doubled(name, map(np.ndarray.tobytes, matrix))


def read_wide(head: Head) -> LoadedScores:
    """Read a table with a row for each test point and a column for each class."""
    table = read_table(head.file, LABEL, *head.about)
    columns = _score_columns(table, head)
    names = [table.header[i] for i in columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{table.name} must have one column for each class, but has {shown(twice)} more than once")
    labels = _spelled_as(table.texts(LABEL), names)
    unknown, text = missed(labels.tolist(), set(names))
    renumbered = all(name.isdecimal() for name in names) and names != [str(number) for number in range(len(names))]
    if unknown and (renumbered or not all(map(is_number, labels))):
        accepted = f"labels among the names of its columns ({listed(names)})"
        embedded = "" if "resembles" in text else ". For embeddings see --references and load_embeddings"
        raise ValueError(f"{table.name} must have {accepted}, but these are not, {text}{embedded}")
    scores = table.measured(columns, () if unknown else labels)
    if unknown:  # they are numbers of columns
        labels = table.numbers([LABEL])[:, 0]
    warn_of_doubled(table.name, map(np.ndarray.tobytes, scores), table.places, labels)
    refuse_total_column(scores, range(len(names)) if unknown else names, labels, table.name)
    return LoadedScores(scores, labels, None if unknown else names)


def read_long(head: Head) -> LoadedScores:
    """Read a table with a row for each test point and class."""
    table = read_table(head.file, LABEL, "class", "score", *head.about)
    points = [table.header[i] for i in table.others(LABEL, "class", "score", *head.about)]
    if len(points) != 1:
        beside = "beside label, class and score"
        raise ValueError(f"{table.name} must have one column of test points {beside}, not {listed(points)}")
    (point, row), (names, column) = (np.unique(table.texts(name), return_inverse=True) for name in (points[0], "class"))
    if (np.bincount(row * names.size + column, minlength=point.size * names.size) != 1).any():
        what = f"{point.size} test points and {names.size} classes"
        raise ValueError(f"{table.name} must have one score for each of {what}")
    scores, labels = np.empty((point.size, names.size)), np.array(table.texts(LABEL))
    scores[row, column] = table.numbers(["score"])[:, 0]
    first = np.unique(row, return_index=True)[1]
    if (differs := labels != labels[first][row]).any():
        raise ValueError(f"{table.name}: test point {shown(str(point[row][differs][0]))} has more than one label")
    refuse_strangers(labels.tolist(), set(names.tolist()), f"{table.name}: labels", f"the {names.size} classes")
    LOG.info("%s: %d test points, %d classes, a row for each pair", table.name, point.size, names.size)
    return LoadedScores(scores, _spelled_as(labels[first].tolist(), names.tolist()), names.tolist())


def read_units(head: Head, *, long: bool = False) -> NDArray[Any]:
    """Read the unit of each test point; a long table has a row for each point and class."""
    table = read_table(head.file, *head.about)
    unit = np.array(table.texts(str(head.units)))
    if (unit == "").any():
        raise ValueError(f"{table.name}: {table.places[int(np.argmax(unit == ''))]} has no {head.units}")
    if not long:
        return unit
    point = table.header[table.others(LABEL, "class", "score", *head.about)[0]]
    first, row = np.unique(table.texts(point), return_index=True, return_inverse=True)[1:]
    if (differs := unit != unit[first][row]).any():
        place = table.places[int(np.argmax(differs))]
        raise ValueError(f"{table.name}: {place} has another {head.units} than its point")
    return np.asarray(unit[first])


def _score_columns(table: Table, head: Head, otherwise: str = _UNITS) -> list[int]:
    """Positions of the columns of scores: all but the label, the units and a first column of row names."""
    kept = table.others(LABEL, *head.about)
    if not kept:
        raise ValueError(f"{table.name} must have a column of scores for each class")
    about = [table.header[i] for i in kept if table.header[i].lower() in _ABOUT_ROWS]
    if about and not set(about) & set(table.texts(LABEL)):
        what = f"{table.name} must have columns of scores alone, but {about[0]!r} names no label"
        raise ValueError(f"{what}: leave it out; {otherwise}")
    return kept
