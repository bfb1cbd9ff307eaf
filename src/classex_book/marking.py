"""Marking of returned notebooks: every exercise runs by itself, in a process of its own, for a limited time."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from classex._validation import as_positive_float, as_positive_int
from classex_book.effort import effort
from classex_book.exercises import ExerciseError, exercise_names
from classex_book.returned import Returned, read_returned
from classex_book.variants import variation_names

__all__ = ["Mark", "MarkedNotebook", "find_notebooks", "mark_notebook", "mark_notebooks"]

# what learning platforms add to the names of folders and files that they collect
_PLATFORM = re.compile(r"(?:_[0-9]+_assignsubmission_file.*|(?:_LATE)?_[0-9]+_[0-9]+_.*)$")


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
        What it said otherwise.

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
        return effort(self.exercise).points

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

    Examples
    --------
    >>> from classex_book.marking import Mark, MarkedNotebook
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

    @property
    def points(self) -> int:
        """Points won."""
        return sum(mark.points for mark in self.marks)

    @property
    def worth(self) -> int:
        """Points of all its exercises."""
        return sum(mark.worth for mark in self.marks)


def find_notebooks(paths: Iterable[str | Path]) -> list[tuple[Path, str]]:
    """List the notebooks among files and folders, each with the name of its student.

    A notebook in a folder's subfolder belongs to the student after whom the subfolder is named; any other to the one
    after whom the file is named. What learning platforms append to these names is taken off.

    Parameters
    ----------
    paths : iterable of str or Path
        Notebooks, and folders in which all files that end in ``.ipynb`` are found.

    Raises
    ------
    ValueError
        If a folder holds no notebook.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.marking import find_notebooks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (pathlib.Path(folder) / "ada").mkdir()
    ...     (pathlib.Path(folder) / "ada" / "ch1.ipynb").touch()
    ...     (pathlib.Path(folder) / "ben.ipynb").touch()
    ...     found = find_notebooks([folder])
    >>> [student for file, student in found]
    ['ada', 'ben']
    """
    found: dict[Path, str] = {}
    for path in map(Path, paths):
        if not path.is_dir():
            found.setdefault(path, _PLATFORM.sub("", path.stem))
            continue
        inside = sorted(file for file in path.rglob("*.ipynb") if ".ipynb_checkpoints" not in file.parts)
        if not inside:
            raise ValueError(f"{path} holds no notebook (.ipynb)")
        for file in inside:
            parts = file.relative_to(path).parts
            found.setdefault(file, _PLATFORM.sub("", parts[0] if len(parts) > 1 else file.stem))
    return list(found.items())


def mark_notebook(path: str | Path, *, time_limit: float = 60.0) -> tuple[Mark, ...]:
    r"""Mark all exercises of the chapters that a notebook works on.

    For each exercise a fresh Python executes, in the notebook's folder, the set-up cell (the one that imports
    `check`), the cells that define what the exercise uses, and the cell that checks it. Where several cells check
    one exercise, it passes if one of them does. **This executes the student's code** with your rights: run it
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
        The edition that was set (see `classex_book.edition.write_edition`); checks of other numbers do not count.
    exam : mapping, optional
        The key of an exam (see `classex_book.exam.read_key`): the notebooks are papers of it.

    Yields
    ------
    MarkedNotebook
        In the order given, each as soon as it and those before it are marked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.marking import mark_notebooks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "ben.ipynb"
    ...     _ = file.write_text("no notebook at all")
    ...     (marked,) = mark_notebooks([(file, "ben")])
    >>> marked.student, marked.marks, bool(marked.error)
    ('ben', (), True)
    """
    limit = as_positive_float(time_limit, "time_limit")
    with ThreadPoolExecutor(as_positive_int(jobs, "jobs")) as pool:
        started: list[tuple[Path, str, list[tuple[str, Future[Mark]]], str]] = []
        for file, student in notebooks:
            try:
                returned = read_returned(file)
                own = _variants(file, returned, variant, exam)
            except (ValueError, OSError) as error:
                started.append((file, student, [], " ".join(str(error).split())))
                continue
            work = partial(_mark, returned=returned, folder=file.parent, limit=limit)
            running = [(name, pool.submit(work, name, number)) for name, number in own.items()]
            started.append((file, student, running, ""))
        for file, student, running, problem in started:
            yield MarkedNotebook(str(file), student, tuple(_result(*pair) for pair in running), problem)


def _variants(
    file: Path, returned: Returned, variant: int | None, exam: Mapping[str, Mapping[str, int]] | None
) -> Mapping[str, int | None]:
    """The exercises of a notebook, and which variant of each was set."""
    if exam is None:
        return dict.fromkeys(_exercises(file, returned), variant)
    if returned.paper not in exam:
        known = ", ".join(exam)
        said = f"paper {returned.paper}" if returned.paper else "no paper"
        raise ValueError(f"{file} must be one of the papers {known} of this exam, and says that it is {said}")
    return exam[returned.paper]


def _exercises(file: Path, returned: Returned) -> list[str]:
    """Those the notebook says it sets, else all exercises of the chapters of which it checks one."""
    names = [name for name in returned.asked if name in variation_names()]
    if names:
        return names
    for chapter in sorted({name.split("-")[1] for name in returned.checked}):
        with contextlib.suppress(ExerciseError):
            names += exercise_names(chapter)
    if not names:
        raise ValueError(f"{file} has no cell that checks an exercise of this book")
    return names


def _result(name: str, running: Future[Mark]) -> Mark:
    try:
        return running.result()
    except Exception as error:  # a fault of ours must not lose the other marks
        return Mark(name, False, f"could not be marked: {type(error).__name__}: {error}")


def _mark(name: str, variant: int | None, returned: Returned, folder: Path, limit: float) -> Mark:
    mark = Mark(name, False, "no cell of the notebook checks this exercise")
    for number, (helpers, cell) in enumerate(returned.attempts(name)):
        job = {"name": name, "setup": returned.setup, "helpers": helpers, "cell": cell, "variant": variant}
        job["paper"] = bool(returned.paper)
        attempt = _run(job, folder, limit)
        if attempt.passed:
            return attempt
        mark = mark if number else attempt  # the last attempt in the notebook speaks for all
    return mark


def _run(job: dict[str, Any], folder: Path, limit: float) -> Mark:
    name = str(job["name"])
    nonce = secrets.token_hex(16)  # known to the runner alone, so that no cell can simply write the report
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "classex_book.one_exercise"],
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
            return Mark(name, False, f"not finished after {limit:g} seconds")
        finally:
            _end(process)
    if not report:
        return Mark(name, False, "the process ended without a result")
    try:
        found = json.loads(report)
        if found["nonce"] != nonce:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        return Mark(name, False, "the report is not the marker's own: look at what this cell does")
    return Mark(name, bool(found["passed"]), str(found["message"]))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:  # pragma: no cover - other systems
        process.kill()
    process.wait()
