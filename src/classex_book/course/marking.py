"""The second half of marking: judge what returned notebooks recorded, in a process in which no code of theirs ran."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from classex_book.course.exam import Key
from classex_book.course.exercises import ExerciseError, exercise_names, judge
from classex_book.course.marks import Mark, MarkedNotebook
from classex_book.course.notebook_process import FIELDS
from classex_book.course.papers import WORDS_HERE, answer_cells, words_below
from classex_book.course.returned import Notebook, read_notebook
from classex_book.course.running import run_notebooks
from classex_book.course.texts import CHAPTERS, LABS, PROOFS

Asked = Key | Sequence[str]  # an exam, or exercises of the book: all that a notebook checks if none are named
_PROOF = 3  # points of a proof, as of any exercise that wants an idea
# Messages of Python that hold no value
_MESSAGES = ("division by zero", "float division by zero", "math domain error", "list index out of range")


def mark_notebook(path: str | Path, *, time_limit: float = 60.0) -> tuple[Mark, ...]:
    r"""Mark all exercises of the chapters that a notebook works on.

    A fresh Python executes all cells in their order, in a copy of the notebook's folder, and goes on after one that
    fails. A cell that lacked a name runs again after the others. A cell that takes too long, or ends the process, is
    left out and the others run again. There `check` only records: numbers, and what a function returns for the
    checker's arguments. These values are judged afterwards in the process that calls this function. Where several cells
    check one exercise, the last one counts. **This executes the student's code** on your account: run it where you
    would run theirs.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.
    time_limit : float
        Seconds that a cell may take; the whole notebook may take ten times as long.

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
    notebook = read_notebook(path, Path(path).parent)
    (marked,) = mark_notebooks([(notebook, "")], time_limit=time_limit)
    if marked.error:
        raise ValueError(marked.error)
    return marked.marks


def mark_notebooks(
    notebooks: Iterable[tuple[Notebook, str]], *, time_limit: float = 60.0, jobs: int = 1, asked: Asked = ()
) -> Generator[MarkedNotebook, None, None]:
    """Run and judge notebooks; one that cannot be marked says why and stops nothing.

    Parameters
    ----------
    notebooks : iterable of (Notebook, str)
        Notebooks with the names of their students, as `name_students` lists them.
    time_limit : float
        Seconds that a cell may take; the whole notebook may take ten times as long.
    jobs : int
        Notebooks that run at the same time.
    asked : Key or sequence of str, optional
        The key of an exam, of which the notebooks are papers (see `classex_book.course.exam.read_key`), or the names of
        the exercises that count.

    Yields
    ------
    MarkedNotebook
        In the order given, each as soon as it and those before it are marked. Closing the iterator ends all
        processes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from classex_book.course.marking import mark_notebooks
    >>> from classex_book.course.returned import read_notebook
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "ben.ipynb"
    ...     _ = file.write_text("no notebook at all")
    ...     (marked,) = mark_notebooks([(read_notebook(file), "ben")])
    >>> marked.student, marked.marks, bool(marked.error)
    ('ben', (), True)
    """
    pairs = list(notebooks)
    ran = run_notebooks((notebook for notebook, _ in pairs), time_limit=time_limit, jobs=jobs)
    try:
        for notebook, (_, student) in zip(ran, pairs, strict=True):
            yield judge_notebook(notebook, student, asked)
    finally:
        ran.close()


def asked_exercises(words: Iterable[str]) -> tuple[str, ...]:
    """Return exercises and proofs by their labels, or those of chapters.

    Examples
    --------
    >>> from classex_book.course.marking import asked_exercises
    >>> asked_exercises(["exr-labs-fonts", "exr-ch1-ties"])
    ('exr-labs-fonts', 'exr-ch1-ties')
    """
    known = [*(name for chapter in (*CHAPTERS, LABS) for name in exercise_names(chapter)), *PROOFS]
    asked: list[str] = []
    for word in words:
        found = [name for name in known if word in (name, name.split("-")[1])]
        if not found:
            raise ValueError(f"--set must name chapters, such as ch1, or exercises, such as exr-ch1-wins, not {word!r}")
        asked += found
    return tuple(asked)


def judge_notebook(notebook: Notebook, student: str, asked: Asked = ()) -> MarkedNotebook:
    """Judge the answers of a notebook that was run; see `mark_notebooks`.

    Examples
    --------
    >>> from classex_book.course.marking import judge_notebook
    >>> from classex_book.course.returned import Notebook
    >>> record = '{"cell": 0, "variant": null, "answer": [0.75, 0.5]}'
    >>> ran = Notebook("ada.ipynb", "ada", checked={"exr-ch1-ties": record})
    >>> marked = judge_notebook(ran, "ada")
    >>> [mark.exercise for mark in marked.marks if mark.passed]
    ['exr-ch1-ties']
    """
    file = notebook.file
    try:
        if notebook.error:
            raise ValueError(notebook.error)
        marks = _of_exam(notebook, asked) if isinstance(asked, Key) else _of_book(notebook, asked)
    except ValueError as error:
        return MarkedNotebook(file, student, (), " ".join(str(error).split()))
    except Exception as error:  # damaged records, or a fault of ours, must not lose the other notebooks
        return MarkedNotebook(file, student, (), f"{file} could not be judged: {type(error).__name__}")
    return MarkedNotebook(file, student, tuple(marks))


def _of_exam(notebook: Notebook, exam: Key) -> list[Mark]:
    """The answer after the last cell of each exercise counts; what a paper checks by itself gives nothing."""
    if notebook.paper not in exam.papers:
        claim = f"paper {notebook.paper[:40]}" if notebook.paper else "no paper"
        known = ", ".join(exam.papers)
        raise ValueError(f"{notebook.file} must be one of the papers {known} of this exam, and says that it is {claim}")
    own, marks = exam.papers[notebook.paper], []
    cells = answer_cells(notebook.cells, list(own))
    for name, variant in own.items():
        cell = str(cells.get(name, ""))
        if cell in notebook.answers:
            marks.append(_judged(name, json.loads(notebook.answers[cell]), variant, exam.digits))
        else:
            marks.append(Mark(name, False, _why_not(notebook, [int(cell)] if cell else [])))
    words = words_below(notebook.cells, list(own), list(exam.written))
    return marks + [Mark(label, False, words[label], None, one.points) for label, one in exam.written.items()]


def _of_book(notebook: Notebook, asked: Sequence[str]) -> list[Mark]:
    marks = []
    every = asked or asked_exercises((*CHAPTERS, LABS))
    for name in _exercises(notebook, [name for name in every if name not in PROOFS]):
        if name in notebook.checked:
            marks.append(_judged(name, json.loads(notebook.checked[name]), None, None))
        else:
            cells = [i for i, labels in enumerate(notebook.labels) if name in labels]
            marks.append(Mark(name, False, _why_not(notebook, cells)))
    texts = {cell.label: cell.source.replace(WORDS_HERE, "") for cell in notebook.cells if cell.kind == "markdown"}
    return marks + [Mark(name, False, texts[name], None, _PROOF) for name in PROOFS if name in every and name in texts]


def _judged(name: str, record: Mapping[str, Any], variant: int | None, digits: int | None) -> Mark:
    """Judge an answer; of one with several numbers each right one counts."""
    if record.get("variant") is not None and variant is None:
        return Mark(name, False, f"{name}: this checks other numbers than those that were set")
    try:
        with np.errstate(all="ignore"):
            answer = _replayed(record["returned"]) if "returned" in record else _value(record["answer"])
            judge(name, answer, variant=variant, digits=digits)
    except ExerciseError as error:
        return Mark(name, False, str(error), error.share)
    except Exception as error:  # an answer that a checker did not expect
        return Mark(name, False, f"could not be checked: {type(error).__name__}")
    return Mark(name, True, "", 1.0)


class _Thing(SimpleNamespace):
    """An answer that is neither a number nor a list: its type, and those of its fields that a checker asks for."""

    def __repr__(self) -> str:
        return f"a value of type {self.kind}"


def _value(found: Any) -> Any:
    """A recorded value: numbers, lists of them, and `_Thing` for whatever else."""
    if isinstance(found, list):
        return [_value(one) for one in found]
    if not isinstance(found, dict):
        return found if found is None or isinstance(found, bool | int | float) else _Thing(kind="str")
    kind = "that is too large" if found.get("large") else _known_type(str(found.get("type")), other="object")
    return _Thing(kind=kind, **{name: _value(one) for name, one in found.get("fields", {}).items() if name in FIELDS})


def _replayed(returned: Any) -> Any:
    """A function that returns the recorded values, whatever its arguments."""
    left = iter(returned)

    def function(*_: object) -> Any:
        one = next(left)
        if "raises" in one:
            kind = _known_type(str(one["raises"]))
            raise NotImplementedError if kind == "NotImplementedError" else type(kind, (Exception,), {})
        return _value(one["value"])

    return function


def _known_type(name: str, words: Collection[str] = (), other: str = "Exception") -> str:
    """The name of a type if Python or the notebook's code has it; any other might be a message."""
    known = isinstance(getattr(builtins, name, None), type) or name in ("function", "generator", "ndarray")
    return name if known or name in words else other


def _exercises(notebook: Notebook, every: Sequence[str]) -> list[str]:
    """Those the notebook says it sets, else all exercises of the chapters of which it checks one, or tasks of a lab."""
    checked = {*notebook.checked}.union(*notebook.labels)
    # the tasks of all labs share a folder, and a notebook holds the tasks of one lab
    chapters = {part for name in checked for part in name.split("-")[1:2]} - {LABS}
    names = [name for name in notebook.exercises if name in every]
    names = names or [name for name in every if name in checked or name.split("-")[1] in chapters]
    if not names:
        raise ValueError(f"{notebook.file} has no cell that checks an exercise that counts")
    return names


def _why_not(notebook: Notebook, cells: list[int]) -> str:
    """Why the last of these cells, or the first that calls `check` for nobody knows what, recorded no answer."""
    if cells:
        failed = _failure(notebook, cells[-1])
        return failed or f"the cell does not {'set `answer`' if notebook.paper else 'check this exercise'}"
    message = f"no cell of the {'paper answers' if notebook.paper else 'notebook checks'} this exercise"
    codes = enumerate(notebook.codes)
    unread = [i for i, code in codes if str(i) in notebook.failed and "check" in code and not notebook.labels[i]]
    return "; but ".join([message, *(f"a cell failed: {_failure(notebook, i)}" for i in unread[:1])])


def _failure(notebook: Notebook, cell: int) -> str:
    """Why a cell failed, in words of Python, of the marker and of the notebook's own code alone."""
    found = notebook.failed.get(str(cell))
    if not found or "problem" in found:
        return str(found["problem"]) if found else ""
    code, words = notebook.codes[cell], re.findall(r"\w+", "\n".join(notebook.codes))
    kind, line, about = _known_type(str(found.get("type")), words), found.get("line"), str(found.get("message"))
    if kind == "NotImplementedError":
        return "no solution yet"
    if kind == "NameError" and found.get("name") in words:
        about = f"name {found['name']!r} is not defined"
    elif kind == "SyntaxError":
        about = _of_syntax(code)
    elif about not in _MESSAGES:
        about = ""
    lines = dict(enumerate(code.splitlines(), 1))
    where = f", in line {line} of code cell {cell + 1}: {lines[line]}" if line in lines else ""
    return " ".join(f"{kind}{': ' * bool(about)}{about}{where}".split())


def _of_syntax(code: str) -> str:
    try:
        ast.parse(code)
    except SyntaxError as error:
        return error.msg
    except (ValueError, RecursionError, MemoryError):
        pass
    return ""
