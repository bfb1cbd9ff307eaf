"""Tables that hold no test points: published curves, groups or weights of classes, people and cells of people."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classex._checks import listed, shown
from classex._types import FloatArray
from classex.io.archives import File, read_file
from classex.io.checks import check_shares, missed, refuse_no_header, whole
from classex.io.tables import Head, Table, read_table

__all__ = ["load_cells", "load_curve"]


# names of a column with the number of people of a cell; pandas calls it 0 if it has no name
_COUNTS = ("n", "count", "counts", "freq", "frequency", "size", "people", "0")


def load_curve(path: File | str | Path) -> dict[str, FloatArray]:
    r"""Read a published curve.

    Parameters
    ----------
    path : str or Path
        A table with a row for each number of classes: columns ``n_classes`` (or ``k``, ``classes``, ``N``) and
        ``accuracy`` (or ``acc``, ``top1``), shares or all per cent such as 91%, and perhaps ``standard_error``.

    Returns
    -------
    dict of str to ndarray
        ``n_classes``, ``accuracy`` and, if the file has them, ``standard_error``: the first arguments of
        `classex.Extrapolator.fit_curve`.

    Raises
    ------
    ValueError
        If a column is missing, or accuracies are above 1 without a sign of per cent.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import load_curve
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "curve.csv"
    ...     _ = file.write_text("k,acc\n10,91%\n100,74%\n")
    ...     curve = load_curve(file)
    >>> curve["n_classes"], curve["accuracy"]
    (array([ 10., 100.]), array([0.91, 0.74]))
    """
    head = Head(read_file(path))
    names = head.columns("n_classes", "accuracy")
    names += head.called("standard_error")[0][:1]
    table = read_table(head.file, *names)
    size, values = table.numbers(names[:1])[:, 0], [_shares(table, name) for name in names[1:]]
    head.file.note(f"{size.size} accuracies with {size.min():g} to {size.max():g} classes", first=True)
    head.file.say()
    return dict(zip(("n_classes", "accuracy", "standard_error"), (size, *values), strict=False))


def _shares(table: Table, name: str) -> FloatArray:
    """Return a column of shares, which may be written as per cent."""
    texts = table.texts(name)
    if any(text.endswith("%") for text in texts):
        table.entries[:, table.header.index(name)] = [text.removesuffix("%") for text in texts]
    return check_shares(table.name, table.numbers([name])[:, 0], texts)


def load_by_class(path: File | str | Path, column: str, classes: Sequence[Any] | None) -> list[Any]:
    """Return the group or the weight of each class, from a table with a row for each class.

    Parameters
    ----------
    path : str or Path
        A table with a column ``class``.
    column : {"group", "weight"}
        The other column.
    classes : sequence or None
        Names of the classes; None for as many numbers, from 0, as the table has rows.
    """
    table = read_table(path, "class", column)
    values = table.texts(column) if column == "group" else table.numbers([column])[:, 0]
    given = [whole(name) for name in table.texts("class")]
    if len(set(given)) < len(given):
        raise ValueError(f"{table.name}: class {shown(max(given, key=given.count))} comes more than once")
    known = dict(zip(given, values, strict=True))
    names = [whole(str(name)) for name in (range(len(known)) if classes is None else classes)]
    left, text = missed(names, known.keys())
    if left:
        raise ValueError(f"{table.name}: column class lacks classes of the scores, {text}")
    if others := known.keys() - set(names):
        warnings.warn(f"{table.name}: {len(others)} of {len(known)} classes have no scores", UserWarning, stacklevel=3)
    return [known[name] for name in names]


def load_cells(
    path: File | str | Path,
    columns: Sequence[str] = (),
    *,
    count: str | int | None = None,
    clusters: str | None = None,
) -> Any:
    r"""Read people, or cells of people who are alike, and return the numbers of people in the cells.

    Parameters
    ----------
    path : str or Path
        A table with a row for each person; or for each cell, with the number of its people in a column ``n`` or
        ``count``.
    columns : sequence of str
        Quasi-identifiers; by default all columns.
    count : str or 1, optional
        Column with the numbers of people; 1 says that each row is a person, which must be said where all differ.
    clusters : str, optional
        Column of the clusters of people, such as households, that were drawn as a whole; each row is then a person.

    Returns
    -------
    ndarray of int, or two with `clusters`
        Numbers of people of the cells; or the cell and the cluster of each person. They are the first arguments of
        `classex.reidentification.population_risk`.

    Raises
    ------
    ValueError
        If there is no such column, a column that nobody named differs in every row, all rows differ and `count` is not
        given, or the first line holds values.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex.io import load_cells
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "cells.csv"
    ...     _ = file.write_text("zip,sex,n\n10115,f,3\n10115,m,1\n10117,f,2\n")
    ...     cells = load_cells(file)
    >>> cells
    array([1, 2, 3])
    """
    table = read_table(path, *columns, *([clusters] if clusters else []))
    refuse_no_header(table.name, table.header)
    count = 1 if clusters else count
    counts = [name for name in table.header if name.strip().lower() in _COUNTS and name not in columns]
    called = count if isinstance(count, str) else counts[0] if count is None and len(counts) == 1 else None
    if isinstance(count, str) and count not in table.header:
        raise ValueError(f"{table.name} must have a column {shown(count)}, but its header is {listed(table.header)}")
    names = list(columns) or [table.header[i] for i in table.others(*(name for name in (called, clusters) if name))]
    texts = [table.texts(name) for name in names]
    weight = np.ones(len(table.places), dtype=np.int64) if called is None else table.wholes(called, 1)
    for name, column in zip(names, texts, strict=True):
        if not columns and len(set(column)) == len(column) > 1:
            what = f"{table.name}: column {shown(name)} differs in every row, as an identifier does"
            raise ValueError(f"{what}: name the attributes that an attacker knows as columns= (--columns)")
        if empty := column.count(""):
            table.file.note(f"column {shown(name)} is empty in {empty} rows, which count as equal in it")
    cell = np.unique(np.array(texts), axis=1, return_inverse=True)[1].ravel()
    sizes = np.bincount(cell, weights=weight).astype(np.int64)
    if called is None and count is None and sizes.size == len(cell) > 1:
        what = f"{table.name}: all {len(cell)} rows differ in {listed(names)}"
        how = "give the column with its number of people as count= (--count NAME)"
        raise ValueError(f"{what}: if a row is a cell, {how}; if each is a person, count=1 (--count 1)")
    each = "" if called is None else f" in {len(cell)} rows, whose numbers are in column {shown(called)}"
    table.file.note(f"{sizes.sum()} people{each}, in {sizes.size} cells by {listed(names)}", first=True)
    table.file.say()
    return (cell, np.unique(table.texts(clusters), return_inverse=True)[1]) if clusters else np.sort(sizes)
