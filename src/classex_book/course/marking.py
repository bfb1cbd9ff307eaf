"""Marking of returned notebooks: each runs in a process of its own, and its answers are judged in this one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from classex._validation import as_positive_float, as_positive_int
from classex_book.course.exam import Key
from classex_book.course.exercises import ExerciseError, exercise_names, judge
from classex_book.course.marks import Mark, MarkedNotebook
from classex_book.course.returned import Returned, read_returned
from classex_book.course.running import Ran, Runner
from classex_book.course.texts import CHAPTERS, LABS

_MISSING = "no cell of the notebook checks this exercise"


def mark_notebook(path: str | Path, *, time_limit: float = 60.0) -> tuple[Mark, ...]:
    r"""Mark all exercises of the chapters that a notebook works on.

    A fresh Python executes all cells in the notebook's folder, in their order, and goes on after one that fails. A cell
    that lacked a name runs again after the others. A cell that takes too long, or ends the process, is left out and the
    others run again. Answers are judged in the process that calls this function: numbers travel, and functions are
    called from afar. Where several cells check one exercise, it passes if one of them does. **This executes the
    student's code** with your rights: run it where you would run theirs.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.
    time_limit : float
        Seconds that a cell may take, with the check of its answer.

    Returns
    -------
    tuple of Mark
        One for each exercise of these chapters, those without a cell included.

    Raises
    ------
    ValueError
        If the file is no notebook for Python, or checks no exercise of this book.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from classex_book import mark_notebook
    >>> code = (
    ...     'from classex_book import check\ncheck("exr-ch1-ties", [3 / 4, 1 / 2])'
    ... )
    >>> cell = {"cell_type": "code", "metadata": {}, "source": code}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "ada.ipynb"
    ...     _ = file.write_text(
    ...         json.dumps(
    ...             {
    ...                 "cells": [cell],
    ...                 "metadata": {},
    ...                 "nbformat": 4,
    ...                 "nbformat_minor": 5,
    ...             }
    ...         )
    ...     )
    ...     marks = mark_notebook(file)
    >>> [mark.exercise for mark in marks if mark.passed]
    ['exr-ch1-ties']
    """
    (marked,) = mark_notebooks([(Path(path), "")], time_limit=time_limit)
    if marked.error:
        raise ValueError(marked.error)
    return marked.marks


def mark_notebooks(
    notebooks: Iterable[tuple[Path, str]],
    *,
    time_limit: float = 60.0,
    jobs: int = 1,
    variant: int | None = None,
    exam: Key | None = None,
) -> Iterator[MarkedNotebook]:
    """Mark notebooks one after the other; one that cannot be marked says why and stops nothing.

    Parameters
    ----------
    notebooks : iterable of (Path, str)
        Files with the names of their students, as `find_notebooks` lists them.
    time_limit : float
        Seconds that a cell may take, with the check of its answer.
    jobs : int
        Notebooks that run at the same time.
    variant : int, optional
        The edition that was set, as `classex_book.course.edition.write_edition` made it; checks of other numbers do
        not count.
    exam : Key, optional
        The key of an exam (see `classex_book.course.exam.read_key`): the notebooks are papers of it.

    Yields
    ------
    MarkedNotebook
        In the order given, each as soon as it and those before it are marked. Closing the iterator ends all
        processes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.course.marking import mark_notebooks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "ben.ipynb"
    ...     _ = file.write_text("no notebook at all")
    ...     (marked,) = mark_notebooks([(file, "ben")])
    >>> marked.student, marked.marks, bool(marked.error)
    ('ben', (), True)
    """
    runner = Runner(as_positive_float(time_limit, "time_limit"))
    work = partial(_marked, runner=runner, variant=variant, exam=exam)
    with ThreadPoolExecutor(as_positive_int(jobs, "jobs")) as pool:
        try:
            for running in [pool.submit(work, file, student) for file, student in notebooks]:
                yield running.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()


def _marked(file: Path, student: str, runner: Runner, variant: int | None, exam: Key | None) -> MarkedNotebook:
    notebook = MarkedNotebook(str(file), student, ())
    try:
        returned = read_returned(file, exam=exam)
        notebook = replace(notebook, notes=returned.notes)
        if exam is not None and returned.paper not in exam.papers:
            claim = f"paper {returned.paper}" if returned.paper else "no paper"
            raise ValueError(
                f"{file} must be one of the papers {', '.join(exam.papers)} of this exam, and says that it is {claim}"
            )
        own = dict.fromkeys(returned.exercises, variant) if exam is None else exam.papers[returned.paper]
        digits = None if exam is None else exam.digits
        ran = runner.run(returned.cells, file.parent, partial(_verdict, own, variant, digits, exam is not None))
        notes = (*returned.notes, *_unread(returned, ran))
        notebook = replace(notebook, notes=notes)
        names = list(own) if exam is not None else _exercises(file, returned, ran)
        marks = [_mark(name, returned, ran, notes) for name in names]
    except (ValueError, OSError) as error:
        return replace(notebook, error=" ".join(str(error).split()))
    except Exception as error:  # a fault of ours must not lose the other notebooks
        return replace(notebook, error=f"{file} could not be marked: {type(error).__name__}: {error}")
    written = {} if exam is None else exam.written
    marks += [Mark(label, False, returned.words[label], None, one.points) for label, one in written.items()]
    return replace(notebook, marks=tuple(marks))


def _verdict(
    own: Mapping[str, int | None],
    variant: int | None,
    digits: int | None,
    paper: bool,
    name: str,
    answer: object,
    claimed: int | None,
) -> Mark:
    """Judge an answer to an exercise. Papers of an exam do not know their variant, and parts of an answer count."""
    demanded = own.get(name, variant)
    if claimed != demanded and not (paper and claimed is None):
        words = ["the book's own numbers" if one is None else f"variant {one}" for one in (claimed, demanded)]
        were = "were" if demanded is None else "was"
        return Mark(name, False, f"{name}: this checks {words[0]}, and {words[1]} {were} set")
    try:
        with np.errstate(all="ignore"):
            judge(name, answer, variant=demanded, digits=digits)
    except ExerciseError as error:
        return Mark(name, False, str(error), error.share if paper else 0.0)
    return Mark(name, True, "", 1.0)


def _unread(returned: Returned, ran: Ran) -> Iterator[str]:
    """Notes on cells that call `check`, name no exercise and failed."""
    for index, message in ran.failed.items():
        if not returned.labels[index] and "check" in returned.cells[index] and index not in ran.checking:
            yield (
                f"code cell {index + 1} has a call of check that could not be read, because running the cell failed "
                f'({message:.120}): write check("exr-...", answer)'
            )


def _exercises(file: Path, returned: Returned, ran: Ran) -> list[str]:
    """Those the notebook says it sets, else all exercises of the chapters of which it checks one, or tasks of a lab."""
    known = {name for chapter in (*CHAPTERS, LABS) for name in exercise_names(chapter)}
    names = [name for name in returned.exercises if name in known]
    if names:
        return names
    checked = {*returned.named, *ran.marks}
    for chapter in sorted({name.split("-")[1] for name in checked & known}):
        # the tasks of all labs share a folder, and a notebook holds the tasks of one lab
        names += [name for name in exercise_names(chapter) if chapter != LABS or name in checked]
    if not names:
        raise ValueError(f"{file} has no cell that checks an exercise of this book")
    return names


def _mark(name: str, returned: Returned, ran: Ran, notes: Sequence[str]) -> Mark:
    """The best attempt; else why the last cell that names the exercise came to none."""
    attempts = ran.marks.get(name)
    if attempts:
        return max(reversed(attempts), key=lambda mark: mark.points)
    cells = [index for index, labels in enumerate(returned.labels) if name in labels]
    if cells:
        return Mark(name, False, ran.failed.get(cells[-1], "the cell does not check this exercise"))
    missing = "no cell of the paper answers this exercise" if returned.paper else _MISSING
    return Mark(name, False, "; ".join([missing, *notes[:1]]))
