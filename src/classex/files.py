"""Scores from the files people have. Nothing is ever unpickled."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from classex._files import Source, listed, open_source, read_arrays, read_table, to_numbers
from classex._validation import shown

__all__ = ["LoadedScores", "LoadedSearches", "load_columns", "load_scores", "load_searches"]

LABEL = "label"
# what pandas and R call the column of row names that they write
_INDEX_NAMES = ("", "Unnamed: 0", "__index_level_0__")
_READERS = ("pyarrow.parquet", "polars", "pandas")


class LoadedScores(NamedTuple):
    """What a score file holds: hand it to `correct_ranks` as it is, ``correct_ranks(s, l, classes=c)``.

    Attributes
    ----------
    scores : ndarray of shape (n_test, n_classes)
        Scores as they are in the file, not yet checked.
    labels : ndarray of shape (n_test,)
        Correct classes: numbers of columns, or names.
    classes : list of str or None
        Names of the columns, where labels are names.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> from classex.files import LoadedScores
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


class LoadedSearches(NamedTuple):
    """What a file of open-set searches holds: hand it to `classex.open_set.open_set_curve`.

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

    Examples
    --------
    >>> import numpy as np
    >>> from classex.files import LoadedSearches
    >>> from classex.open_set import open_set_curve
    >>> mated, nonmated = np.array([[0.9, 0.2], [0.3, 0.8]]), np.array([[0.4, 0.6]])
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


def load_searches(path: str | Path) -> LoadedSearches:
    r"""Read open-set searches.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with the arrays of `LoadedSearches`, the last two if there are any; or a table (text, or
        ``.parquet`` where a reader is installed) with a column ``label`` and a column of scores for each enrolled
        image, named by its identity. In text two columns may have one name: two images of one identity. A row whose
        label is no column's name is a non-mated search. ``-`` is the standard input.

    Returns
    -------
    LoadedSearches

    Raises
    ------
    ValueError
        If the file is none of these, is damaged, or holds no mated or no non-mated search.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.files import load_searches
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "searches.csv"
    ...     _ = file.write_text(
    ...         "label,ann,ann,bob\nann,.9,.7,.2\nbob,.3,.2,.8\nzoe,.4,.1,.3\n"
    ...     )
    ...     found = load_searches(file)
    >>> found.enrolled_labels.tolist(), found.nonmated_labels.tolist()
    (['ann', 'ann', 'bob'], ['zoe'])
    """
    source = open_source(path)
    if source.kind == "numpy" or source.name.endswith(".npz"):
        names, more = LoadedSearches._fields[:3], LoadedSearches._fields[3:]
        arrays = read_arrays(source, *names, optional=more)
        return LoadedSearches(*(arrays[name] for name in names), *(arrays.get(name) for name in more))
    if source.kind == "parquet":
        columns = _parquet_columns(source)
        if LABEL not in columns:
            raise ValueError(f"{source} must have a column {LABEL!r}, but its columns are {listed(list(columns))}")
        who = [str(entry) for entry in columns.pop(LABEL).tolist()]
        enrolled = [name for name in columns if name not in _INDEX_NAMES]
        matrix = np.stack([columns[name] for name in enrolled], axis=1)
    else:
        header, rows = read_table(source, LABEL)
        kept = [i for i, name in enumerate(header) if name != LABEL and not (i == 0 and name in _INDEX_NAMES)]
        who = [row[header.index(LABEL)] for _, row in rows]
        enrolled, matrix = [header[i] for i in kept], to_numbers(source, rows, kept)
    mated = np.isin(who, enrolled)
    if mated.all() or not mated.any():
        kind = "non-mated search, whose label names no column" if mated.all() else "mated search, whose label names one"
        raise ValueError(f"{source} must have at least one {kind}")
    names_of = np.array(who)
    return LoadedSearches(matrix[mated], names_of[mated], matrix[~mated], names_of[~mated], np.array(enrolled))


def load_columns(path: str | Path, *names: str) -> list[NDArray[np.float64]]:
    r"""Read named columns of numbers: arrays of a ``.npz`` file, columns of a table of text or of ``.parquet``.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is the standard input.
    *names : str
        Names of the columns.

    Returns
    -------
    list of ndarray of shape (n,)
        The columns, in this order.

    Raises
    ------
    ValueError
        If the file is none of these, is damaged, or lacks a column.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.files import load_columns
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "curve.csv"
    ...     _ = file.write_text("classes,note,accuracy\n10,a,0.9\n100,b,0.7\n")
    ...     columns = load_columns(file, "classes", "accuracy")
    >>> columns
    [array([ 10., 100.]), array([0.9, 0.7])]
    """
    source = open_source(path)
    if source.kind == "numpy" or source.name.endswith(".npz"):
        columns = read_arrays(source, *names)
    elif source.kind == "parquet":
        columns = _parquet_columns(source)
    else:
        header, rows = read_table(source, *names)
        return list(to_numbers(source, rows, [header.index(name) for name in names]).T)
    for name in names:
        if name not in columns:
            raise ValueError(f"{source} must have a column {name!r}, but its columns are {listed(list(columns))}")
        if columns[name].dtype.kind not in "buif":
            raise ValueError(f"{source}: column {shown(name)} must hold numbers")
    return [columns[name].astype(np.float64) for name in names]


def load_scores(path: str | Path) -> LoadedScores:
    r"""Read a matrix of scores, the labels, and the names of the classes if there are any.

    The kind of file is told from its first bytes, not from its name.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with arrays ``scores`` of shape (n_test, n_classes), ``labels`` of shape (n_test,) and, if
        labels are names, ``classes`` of shape (n_classes,); or a table with a column ``label`` and one column of
        scores per class: text in UTF-8 with a header, separated by commas, semicolons or tabs, with decimal points or
        commas, compressed by gzip or not; or a
        ``.parquet`` file, where pyarrow, polars or pandas is installed. ``-`` is the standard input. In a table,
        labels are names of columns or, if they are not, numbers of columns from 0. A first column without a name (the
        row names that pandas writes) is passed over.

    Returns
    -------
    LoadedScores
        ``scores``, ``labels`` and ``classes``, in this order.

    Raises
    ------
    ValueError
        If the file is none of these, is damaged, lacks an array or a column, or would need unpickling.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import classex as cx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "scores.csv"
    ...     _ = file.write_text(
    ...         "label,ant,bee,cat\nbee,0.1,0.7,0.2\nant,0.5,0.2,0.3\n"
    ...     )
    ...     scores, labels, classes = cx.load_scores(file)
    >>> cx.correct_ranks(scores, labels, classes=classes).wins
    array([2, 2])
    """
    source = open_source(path)
    if source.kind == "numpy" or source.name.endswith(".npz"):
        found = read_arrays(source, "scores", LABEL + "s", optional=("classes",))
        classes = found["classes"].tolist() if "classes" in found else None
        return LoadedScores(found["scores"], found["labels"], classes)
    if source.kind == "parquet":
        return _from_columns(source, _parquet_columns(source))
    header, rows = read_table(source, LABEL)
    kept = [column for column in range(len(header)) if not (column == 0 and header[0] in _INDEX_NAMES)]
    names = [header[column] for column in kept]
    at = names.index(LABEL)
    entries = [row[kept[at]] for _, row in rows]
    columns = [column for column in kept if header[column] != LABEL]
    by_name = _labels(source, entries, [header[column] for column in columns])
    if by_name.classes is None:  # in the order of the columns, so that the first bad entry of a line is the one named
        values = to_numbers(source, rows, kept)
        return LoadedScores(np.delete(values, at, axis=1), values[:, at], None)
    return by_name._replace(scores=to_numbers(source, rows, columns))


def _labels(source: Source, entries: list[str], names: list[str]) -> LoadedScores:
    """Return the labels of a table, by the names of the columns or by number; its scores are still to come."""
    none = np.empty((0, 0))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{source} must have one column for each class, but has {shown(twice)} more than once")
    unknown = [entry for entry in entries if entry not in set(names)]
    if not unknown:
        return LoadedScores(none, np.array(entries), names)
    counted = all(name.isdecimal() for name in names) and names != [str(number) for number in range(len(names))]
    if not counted and all(_is_number(entry) for entry in entries):
        return LoadedScores(none, np.empty(0), None)
    odd = next((entry for entry in unknown if not _is_number(entry)), unknown[0])
    raise ValueError(
        f"{source} must have labels among the names of its columns ({listed(names)}), but one is {shown(odd)}"
    )


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True


def _from_columns(source: Source, columns: dict[str, NDArray[Any]]) -> LoadedScores:
    if LABEL not in columns:
        raise ValueError(f"{source} must have a column {LABEL!r}, but its columns are {listed(list(columns))}")
    entries = columns[LABEL]
    scores = {name: column for name, column in columns.items() if name != LABEL and name not in _INDEX_NAMES}
    if not scores:
        raise ValueError(f"{source} must have a column of scores for each class")
    for name, column in scores.items():
        if column.dtype.kind not in "buif":
            raise ValueError(f"{source}: column {shown(name)} must hold numbers")
    found = _labels(source, [str(entry) for entry in entries.tolist()], list(scores))
    matrix = np.stack(list(scores.values()), axis=1)
    return LoadedScores(matrix, entries if found.classes is None else found.labels, found.classes)


def _parquet_columns(source: Source) -> dict[str, NDArray[Any]]:
    """Read the columns with whatever reader is installed."""
    for name in _READERS:
        try:
            reader = import_module(name)
        except ImportError:
            continue
        read = reader.read_table if name == "pyarrow.parquet" else reader.read_parquet
        try:
            table = read(source.stream)
        except (ValueError, OSError, RuntimeError) as error:
            raise ValueError(f"{source} cannot be read as a .parquet file: {error}") from None
        names = table.column_names if name == "pyarrow.parquet" else list(table.columns)
        return {str(column): np.asarray(table[column]) for column in names}
    raise ValueError(f"{source} is a .parquet file, which needs pyarrow, polars or pandas: pip install pyarrow")
