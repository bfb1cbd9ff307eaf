"""Run a returned notebook: ``python -m classex_book.course.notebook_process``, a job on standard input.

`check` reports plain answers, which the marker judges in its own process, out of reach of the notebook's code. Only an
answer that cannot travel, such as a function, is judged here. Reports are lines of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, TextIO

import classex_book
from classex_book.course import exercises

_LONGEST = 600
_FILE = "<code cell {}>"


class _Notebook:
    """The cells of a notebook, run one after the other as Jupyter does, past those that fail."""

    def __init__(self, target: TextIO, nonce: str) -> None:
        self._target, self._nonce = target, nonce
        self._lacking = False
        self._namespace: dict[str, Any] = {"__name__": "__main__", "check": self._check}
        self._judge = exercises.judge
        classex_book.check = exercises.check = self._check

    def run(self, cells: Sequence[str], skipped: Sequence[int]) -> None:
        """Run the cells; those that lacked a name run again after the others, as long as that helps."""
        waiting = [index for index in range(len(cells)) if index not in skipped]
        before = len(waiting) + 1
        while len(waiting) < before:
            before = len(waiting)
            waiting = [index for index in waiting if not self._execute(index, cells[index])]
        self._report(done=True)

    def _execute(self, index: int, code: str) -> bool:
        """Run a cell, and say whether it lacked no name that another cell may define."""
        self._report(cell=index)
        self._lacking = False
        try:
            exec(compile(code, _FILE.format(index + 1), "exec"), self._namespace)
        except BaseException as error:  # whatever a student's code raises, SystemExit too
            self._lacking |= isinstance(error, NameError) and error.name != "answer"
            self._namespace.pop("answer", None)  # it may be another exercise's
            self._report(failed=_described(error, index, code))
        return not self._lacking

    def _check(self, name: object, answer: object = None, *, variant: int | None = None) -> None:
        try:
            self._report(check=str(name), variant=variant, answer=answer)
            return
        except (TypeError, ValueError, OverflowError, RecursionError):
            message = ""
        try:
            self._judge(str(name), answer, variant=variant)
        except Exception as error:
            message = str(error)
            self._lacking |= "raises NameError" in message
        self._report(check=str(name), variant=variant, problem=message)

    def _report(self, **message: object) -> None:
        self._target.write(json.dumps({"nonce": self._nonce, **message}, default=_plain) + "\n")
        self._target.flush()


def _described(error: BaseException, index: int, code: str) -> str:
    """What went wrong, and in which line."""
    if isinstance(error, NotImplementedError):
        return "no solution yet"
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [frame.lineno for frame in frames if frame.filename == _FILE.format(index + 1)]
    line = error.lineno if isinstance(error, SyntaxError) else (numbers or [None])[-1]
    lines = code.splitlines()
    where = f", in line {line} of code cell {index + 1}: {lines[line - 1]}" if line and line <= len(lines) else ""
    return " ".join(f"{type(error).__name__}: {getattr(error, 'msg', error)}{where}".split())[:_LONGEST]


def _plain(answer: Any) -> Any:
    """What JSON does not know, in lists and numbers; an error if it is something else."""
    if answer is Ellipsis:
        return None
    return answer.tolist() if hasattr(answer, "tolist") else float(answer)


def _main() -> None:
    job = json.load(sys.stdin)
    # reports go where standard output went; what the cells print goes nowhere
    target = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # Python was started with -P: files beside the notebook may be imported, but hide no installed package
    sys.path.append(os.getcwd())
    _Notebook(target, job.pop("nonce")).run(**job)
    os._exit(0)  # a thread of the notebook may run on


if __name__ == "__main__":
    _main()
