"""Marking of returned notebooks: every exercise runs by itself, in a process of its own, for a limited time."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from classex._validation import as_positive_float, as_positive_int
from classex_book.course.exercises import ExerciseError, exercise, exercise_names, variation_names
from classex_book.course.returned import Returned, read_returned
from classex_book.course.texts import LABS

_MISSING = "no cell of the notebook checks this exercise"


@dataclass(frozen=True)
class Mark:
    """Whether an exercise of a returned notebook was solved.

    Attributes
    ----------
    exercise : str
        Label of the exercise.
    passed : bool
        Whether the checker accepted the answer.
    message : str
        Why not, in the checker's words; empty if it did.

    Examples
    --------
    >>> from classex_book import Mark
    >>> mark = Mark("exr-ch1-wins", passed=True, message="")
    >>> (
    ...     mark.points == mark.worth,
    ...     Mark("exr-ch1-wins", False, "there is no answer yet").points,
    ... )
    (True, 0)
    """

    exercise: str
    passed: bool
    message: str

    @property
    def worth(self) -> int:
        """Points of the exercise."""
        return exercise(self.exercise).points

    @property
    def points(self) -> int:
        """Points won."""
        return self.worth if self.passed else 0


@dataclass(frozen=True)
class MarkedNotebook:
    """A returned notebook with its marks.

    Attributes
    ----------
    file : str
        Its path.
    student : str
        Whose it is, by the name of the folder or file.
    marks : tuple of Mark
        One for each exercise of its chapters; empty if it could not be marked.
    error : str
        Why it could not be marked, or nothing.
    notes : tuple of str
        What a reader of the marks should look at, such as a call of `check` that could not be read.

    Examples
    --------
    >>> from classex_book.course.marking import Mark, MarkedNotebook
    >>> marks = (
    ...     Mark("exr-ch1-wins", True, ""),
    ...     Mark("exr-ch1-ties", False, "there is no answer yet"),
    ... )
    >>> marked = MarkedNotebook("ada/ch1.ipynb", "ada", marks)
    >>> (
    ...     marked.points == marks[0].worth,
    ...     marked.worth == marks[0].worth + marks[1].worth,
    ... )
    (True, True)
    """

    file: str
    student: str
    marks: tuple[Mark, ...]
    error: str = ""
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """Points won."""
        return sum(mark.points for mark in self.marks)

    @property
    def worth(self) -> int:
        """Points of all its exercises."""
        return sum(mark.worth for mark in self.marks)


def mark_notebook(path: str | Path, *, time_limit: float = 60.0) -> tuple[Mark, ...]:
    r"""Mark all exercises of the chapters that a notebook works on.

    For each exercise a fresh Python executes, in the notebook's folder, the set-up cell (the one that imports
    `check`), the cells that define what the exercise uses, and the cell that checks it. Where several cells check
    one exercise, it passes if one of them does. A cell that calls `check` in a loop or with a variable is run once
    more, to see for which exercises. **This executes the student's code** with your rights: run it
    where you would run theirs. It is made against mistakes, not against malice.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.
    time_limit : float
        Seconds that one exercise may take.

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
    exam: Mapping[str, Mapping[str, int]] | None = None,
) -> Iterator[MarkedNotebook]:
    """Mark notebooks one after the other; one that cannot be marked says why and stops nothing.

    Parameters
    ----------
    notebooks : iterable of (Path, str)
        Files with the names of their students, as `find_notebooks` lists them.
    time_limit : float
        Seconds that one exercise may take.
    jobs : int
        Exercises that run at the same time.
    variant : int, optional
        The edition that was set, as `classex_book.course.edition.write_edition` made it; checks of other numbers do
        not count.
    exam : mapping, optional
        The key of an exam (see `classex_book.course.exam.read_key`): the notebooks are papers of it.

    Yields
    ------
    MarkedNotebook
        In the order given, each as soon as it and those before it are marked.

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
    limit = as_positive_float(time_limit, "time_limit")
    with ThreadPoolExecutor(as_positive_int(jobs, "jobs")) as pool:
        started: list[tuple[MarkedNotebook, list[tuple[str, Future[Mark]]]]] = []
        for file, student in notebooks:
            notebook = MarkedNotebook(str(file), student, ())
            try:
                returned = _with_unread(read_returned(file, exam=exam), file.parent, limit)
                notebook = replace(notebook, notes=returned.notes)
                own = _variants(file, returned, variant, exam)
            except (ValueError, OSError) as error:
                started.append((replace(notebook, error=" ".join(str(error).split())), []))
                continue
            work = partial(_mark, returned=returned, folder=file.parent, limit=limit)
            started.append((notebook, [(name, pool.submit(work, name, number)) for name, number in own.items()]))
        for notebook, running in started:
            yield replace(notebook, marks=tuple(_result(*pair) for pair in running))


def _with_unread(returned: Returned, folder: Path, limit: float) -> Returned:
    """Run the cells whose calls of `check` name no exercise, to see for which they are."""
    found, notes = {}, []
    for index in returned.unread:
        helpers, cell = returned.trial(index)
        job = {"trial": True, "setup": returned.setup, "helpers": helpers, "cell": cell}
        report = _report(job, folder, limit)
        called = [str(name) for name in report.get("called", ())]
        if report["message"]:  # not all of it has run: what it mentions may have been meant
            found[index] = [*called, *returned.mentioned(index)]
            notes.append(
                f"code cell {index + 1} has a call of check that could not be read, because running the cell failed "
                f'({report["message"]:.120}): write check("exr-...", answer)'
            )
        else:
            found[index] = called
    return returned.with_labels(found, notes)


def _variants(
    file: Path, returned: Returned, variant: int | None, exam: Mapping[str, Mapping[str, int]] | None
) -> Mapping[str, int | None]:
    """The exercises of a notebook, and which variant of each was set."""
    if exam is None:
        return dict.fromkeys(_exercises(file, returned), variant)
    if returned.paper not in exam:
        known = ", ".join(exam)
        claim = f"paper {returned.paper}" if returned.paper else "no paper"
        raise ValueError(f"{file} must be one of the papers {known} of this exam, and says that it is {claim}")
    return exam[returned.paper]


def _exercises(file: Path, returned: Returned) -> list[str]:
    """Those the notebook says it sets, else all exercises of the chapters of which it checks one, or tasks of a lab."""
    names = [name for name in returned.exercises if name in variation_names()]
    if names:
        return names
    for chapter in sorted({name.split("-")[1] for name in returned.checked}):
        with contextlib.suppress(ExerciseError):
            # the tasks of all labs share a folder, and a notebook holds the tasks of one lab
            names += [name for name in exercise_names(chapter) if chapter != LABS or name in returned.checked]
    if not names:
        raise ValueError(f"{file} has no cell that checks an exercise of this book")
    return names


def _result(name: str, running: Future[Mark]) -> Mark:
    try:
        return running.result()
    except Exception as error:  # a fault of ours must not lose the other marks
        return Mark(name, False, f"could not be marked: {type(error).__name__}: {error}")


def _mark(name: str, variant: int | None, returned: Returned, folder: Path, limit: float) -> Mark:
    missing = "no cell of the paper answers this exercise" if returned.paper else _MISSING
    mark = Mark(name, False, "; ".join([missing, *returned.notes[:1]]))
    for number, (helpers, cell) in enumerate(returned.attempts(name)):
        job = {"name": name, "setup": returned.setup, "helpers": helpers, "cell": cell, "variant": variant}
        job["paper"] = bool(returned.paper)
        report = _report(job, folder, limit)
        attempt = Mark(name, bool(report.get("passed", False)), str(report["message"]))
        if attempt.passed:
            return attempt
        mark = mark if number else attempt  # the last attempt in the notebook speaks for all
    return mark


def _report(job: dict[str, Any], folder: Path, limit: float) -> dict[str, Any]:
    """Run a job of `classex_book.course.one_exercise` in a process; a message says what went wrong, if anything."""
    nonce = secrets.token_hex(16)  # known to the runner alone, so that no cell can simply write the report
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "classex_book.course.one_exercise"],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            report, _ = process.communicate(json.dumps({**job, "nonce": nonce}).encode(), timeout=limit)
        except subprocess.TimeoutExpired:
            return {"message": f"not finished after {limit:g} seconds"}
        finally:
            _end(process)
    if not report:
        return {"message": "the process ended without a result"}
    try:
        found: dict[str, Any] = json.loads(report)
        if found["nonce"] != nonce:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        return {"message": "the report is not the marker's own: look at what this cell does"}
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:  # pragma: no cover - other systems
        process.kill()
    process.wait()
