"""Marking of returned notebooks: each runs in a process of its own, and its answers are judged in this one."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

from classex._validation import as_positive_float, as_positive_int
from classex_book.course.exam import Key
from classex_book.course.exercises import ExerciseError, exercise_names, judge
from classex_book.course.marks import Mark, MarkedNotebook
from classex_book.course.returned import Returned, read_returned
from classex_book.course.texts import CHAPTERS, LABS

_START = 60.0  # seconds for imports, before the first cell


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
    exam: Key | None = None,
) -> Generator[MarkedNotebook, None, None]:
    """Mark notebooks one after the other; one that cannot be marked says why and stops nothing.

    Parameters
    ----------
    notebooks : iterable of (Path, str)
        Files with the names of their students, as `find_notebooks` lists them.
    time_limit : float
        Seconds that a cell may take, with the check of its answer.
    jobs : int
        Notebooks that run at the same time.
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
    runner = _Runner(as_positive_float(time_limit, "time_limit"))
    work = partial(_marked, runner, exam or Key({}))
    with ThreadPoolExecutor(as_positive_int(jobs, "jobs")) as pool:
        try:
            for running in [pool.submit(work, file, student) for file, student in notebooks]:
                yield running.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()


@dataclass
class _Ran:
    """What became of a notebook's cells: marks by exercise, messages of those that failed, where and why it ended."""

    marks: dict[str, list[Mark]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    cell: int = -1
    problem: str = "the process ended without a result"


class _Runner:
    """Runs notebooks in processes of their own, from several threads if need be."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._stopped = False
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, cells: Sequence[str], folder: Path, judged: Callable[[dict[str, Any]], Mark]) -> _Ran:
        """Run the cells, and again without a cell that ends the process or takes too long."""
        lost: dict[int, str] = {}
        while (ran := self._once(cells, folder, judged, list(lost))).problem:
            if ran.cell in lost or ran.cell < 0 or self._stopped:
                raise OSError(f"the notebook cannot be run: {ran.problem}")
            lost[ran.cell] = ran.problem
        ran.failed |= lost
        return ran

    def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        for process in list(self._running):
            _end(process)

    def _once(
        self, cells: Sequence[str], folder: Path, judged: Callable[[dict[str, Any]], Mark], skipped: Sequence[int]
    ) -> _Ran:
        ran, nonce = _Ran(), secrets.token_hex(16)  # which no cell knows, so that none can simply write the report
        process = _start(folder)
        timer = Timer(max(self._limit, _START), _end, [process])
        timer.start()
        began = time.monotonic()
        self._running.add(process)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with contextlib.suppress(OSError), process.stdin as target:
                target.write(json.dumps({"cells": cells, "skipped": skipped, "nonce": nonce}).encode())
            for line in process.stdout:
                message = json.loads(line)
                if message.pop("nonce") != nonce:
                    raise ValueError
                if "cell" in message:
                    ran.cell = int(message["cell"])
                    began = time.monotonic()
                    timer.cancel()
                    timer = Timer(self._limit, _end, [process])
                    timer.start()
                elif "failed" in message:
                    ran.failed[ran.cell] = str(message["failed"])
                elif "check" in message:
                    ran.marks.setdefault(message["check"], []).append(judged(message))
                else:
                    ran.problem = ""
        except (ValueError, KeyError, TypeError, AttributeError):
            ran.problem = "the report is not the marker's own: look at what this cell does"
        if ran.problem and time.monotonic() - began >= self._limit:
            ran.problem = f"not finished after {self._limit:g} seconds"
        timer.cancel()
        _end(process)
        process.stdout.close()
        self._running.discard(process)
        return ran


def _start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "classex_book.course.notebook_process"],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:  # pragma: no cover - other systems
        process.kill()
    process.wait()


def _marked(runner: _Runner, exam: Key, file: Path, student: str) -> MarkedNotebook:
    notebook = MarkedNotebook(str(file), student, ())
    try:
        returned = read_returned(file, exam)
        if exam.papers and returned.paper not in exam.papers:
            claim = f"paper {returned.paper}" if returned.paper else "no paper"
            known = ", ".join(exam.papers)
            raise ValueError(f"{file} must be one of the papers {known} of this exam, and says that it is {claim}")
        own = exam.papers.get(returned.paper, {})
        ran = runner.run(returned.cells, file.parent, partial(_judged, own, exam.digits))
        notebook = replace(notebook, notes=returned.notes)
        marks = [_mark(name, returned, ran) for name in own or _exercises(file, returned, ran)]
    except (ValueError, OSError) as error:
        return replace(notebook, error=" ".join(str(error).split()))
    except Exception as error:  # a fault of ours must not lose the other notebooks
        return replace(notebook, error=f"{file} could not be marked: {type(error).__name__}: {error}")
    marks += [Mark(label, False, returned.words[label], None, one.points) for label, one in exam.written.items()]
    return replace(notebook, marks=tuple(marks))


def _judged(own: Mapping[str, int], digits: int | None, message: dict[str, Any]) -> Mark:
    """Judge an answer. Papers of an exam, whose exercises are `own`, need not know their variant; parts count there."""
    name, demanded = message["check"], own.get(message["check"])
    if message["variant"] not in (None, demanded):
        return Mark(name, False, f"{name}: this checks other numbers than those that were set")
    if "problem" in message and not own:
        return Mark(name, not message["problem"], str(message["problem"]))
    try:
        with np.errstate(all="ignore"):
            judge(name, message.get("answer", message.get("problem")), variant=demanded, digits=digits)
    except ExerciseError as error:
        return Mark(name, False, str(error), error.share if own else 0.0)
    except Exception as error:  # an answer that a checker did not expect
        return Mark(name, False, f"could not be checked: {type(error).__name__}: {error}")
    return Mark(name, True, "", 1.0)


def _exercises(file: Path, returned: Returned, ran: _Ran) -> list[str]:
    """Those the notebook says it sets, else all exercises of the chapters of which it checks one, or tasks of a lab."""
    every = dict.fromkeys(name for chapter in (*CHAPTERS, LABS) for name in exercise_names(chapter))
    checked = every.keys() & {*ran.marks}.union(*returned.labels)
    # the tasks of all labs share a folder, and a notebook holds the tasks of one lab
    chapters = {name.split("-")[1] for name in checked} - {LABS}
    names = [name for name in returned.exercises if name in every]
    names = names or [name for name in every if name in checked or name.split("-")[1] in chapters]
    if not names:
        raise ValueError(f"{file} has no cell that checks an exercise of this book")
    return names


def _mark(name: str, returned: Returned, ran: _Ran) -> Mark:
    """The best attempt; else why the last cell that names the exercise, or that calls `check` at all, came to none."""
    if name in ran.marks:
        return max(reversed(ran.marks[name]), key=lambda mark: mark.points)
    cells = [i for i, labels in enumerate(returned.labels) if name in labels]
    if cells:
        return Mark(name, False, ran.failed.get(cells[-1], "the cell does not check this exercise"))
    message = f"no cell of the {'paper answers' if returned.paper else 'notebook checks'} this exercise"
    unread = [i for i in ran.failed if "check" in returned.cells[i] and not returned.labels[i]]
    return Mark(name, False, "; but ".join([message, *(f"a cell failed: {ran.failed[i]}" for i in unread[:1])]))
