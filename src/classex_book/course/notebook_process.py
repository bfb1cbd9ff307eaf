"""Run a returned notebook: ``python -m classex_book.course.notebook_process``, its cells on standard input.

Nothing is judged here. `check` sends the answer to the marker and lets it call the functions of the answer, so that
no code of the notebook reaches a checker. Messages are lines of JSON.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TextIO

import classex_book
from classex_book.course import exercises
from classex_book.course.wire import pack

_LONGEST = 600
_FILE = "<code cell {}>"


class _Notebook:
    """The cells of a notebook, run one after the other as Jupyter does, past those that fail."""

    def __init__(self, orders: TextIO, report: TextIO) -> None:
        self._orders, self._report = orders, report
        self._namespace: dict[str, Any] = {"__name__": "__main__", "check": self._check}
        self._lacking = False
        classex_book.check = exercises.check = self._check

    def run(self, cells: Sequence[str], skipped: Sequence[int]) -> None:
        """Run the cells; those that lacked a name run again after the others, as long as that helps."""
        waiting = [index for index in range(len(cells)) if index not in skipped]
        before = len(waiting) + 1
        while len(waiting) < before:
            before = len(waiting)
            waiting = [index for index in waiting if not self._execute(index, cells[index])]
        self._send(done=True)

    def _execute(self, index: int, code: str) -> bool:
        """Run a cell, and say whether it lacked no name that another cell may define."""
        self._send(cell=index)
        self._lacking = False
        try:
            exec(compile(code, _FILE.format(index + 1), "exec"), self._namespace)
        except NameError as error:
            self._lacking = error.name != "answer"
            self._failed(error, index, code)
        except BaseException as error:  # whatever a student's code raises, SystemExit too
            self._failed(error, index, code)
        return not self._lacking

    def _failed(self, error: BaseException, index: int, code: str) -> None:
        """Send what went wrong, and in which line."""
        self._namespace.pop("answer", None)  # of another exercise
        frames = traceback.extract_tb(error.__traceback__)
        numbers = [frame.lineno for frame in frames if frame.filename == _FILE.format(index + 1)]
        line = error.lineno if isinstance(error, SyntaxError) else (numbers or [None])[-1]
        message = f"{type(error).__name__}: {getattr(error, 'msg', error)}"
        lines = code.splitlines()
        if line and line <= len(lines):
            message += f", in line {line} of code cell {index + 1}: {lines[line - 1].strip():.120}"
        if isinstance(error, NotImplementedError):
            message = "no solution yet"
        self._send(failed=" ".join(message.split())[:_LONGEST])

    def _check(self, name: object, answer: object = None, *, variant: int | None = None) -> None:
        functions: list[Callable[..., Any]] = []
        self._send(check=str(name), variant=variant, answer=pack(answer, functions))
        while order := json.loads(self._orders.readline()):
            try:
                arguments = pickle.loads(base64.b64decode(order["arguments"]))
                result = functions[order["function"]](*arguments)
            except Exception as error:
                self._lacking |= isinstance(error, NameError)
                self._send(error=type(error).__name__, words=str(error)[:_LONGEST])
            else:
                self._send(result=pack(result, functions))

    def _send(self, **message: object) -> None:
        print(json.dumps(message, default=lambda data: base64.b64encode(data).decode()), file=self._report, flush=True)


def _main() -> None:
    # messages go where standard input and output went; cells read nothing, and what they print goes nowhere
    orders, report = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    for number in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    # Python was started with -P: files beside the notebook may be imported, but hide no installed package
    sys.path.append(os.getcwd())
    _Notebook(orders, report).run(**json.loads(orders.readline()))


if __name__ == "__main__":
    _main()
