"""Notebooks in processes of their own, for a limited time, and the answers that come from them."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from classex_book.course.marks import Mark
from classex_book.course.wire import pack, unpack

_START = 60.0  # seconds for imports, before the first cell
_LONGEST = 2**26  # bytes of a message
_FORGED = "the report is not the marker's own: look at what this cell does"

Verdict = Callable[[str, object, int | None], Mark]


@dataclass
class Ran:
    """What became of the cells: marks by exercise, messages of cells that failed, and the cells that checked."""

    marks: dict[str, list[Mark]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    checking: set[int] = field(default_factory=set)


class _Lost(BaseException):
    """The process is of no more use, for the reason that is said; no checker that catches errors catches it."""


class Runner:
    """Runs notebooks; from several threads if need be.

    Parameters
    ----------
    limit : float
        Seconds that a cell may take.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._stopped = False
        self._running: set[_Process] = set()

    def run(self, cells: Sequence[str], folder: Path, verdict: Verdict) -> Ran:
        """Run the cells in a folder, and again without a cell that ends the process or takes too long."""
        lost: dict[int, str] = {}
        while True:
            process = _Process(folder, self._limit)
            self._running.add(process)
            try:
                ran = process.serve(cells, list(lost), verdict)
            except _Lost as error:
                if process.cell in lost or process.cell < 0 or self._stopped:
                    raise OSError(f"the notebook cannot be run: {error}") from None
                lost[process.cell] = str(error)
            else:
                ran.failed |= lost
                return ran
            finally:
                process.end()
                self._running.discard(process)

    def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        for process in list(self._running):
            process.end()


class _Process:
    """A process of `classex_book.course.notebook_process`."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.cell = -1
        self._limit = limit
        self._until = time.monotonic() + max(limit, _START)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "classex_book.course.notebook_process"],
            cwd=folder,
            env=os.environ | {"MPLBACKEND": "Agg"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def serve(self, cells: Sequence[str], skipped: Sequence[int], verdict: Verdict) -> Ran:
        """Have the cells run, and judge the answers as they come."""
        ran = Ran()
        self._send(cells=cells, skipped=skipped)
        while "done" not in (message := self._receive()):
            if "cell" in message:
                self.cell = self._known(message["cell"], len(cells))
                self._until = time.monotonic() + self._limit
            elif "failed" in message:
                ran.failed[self.cell] = str(message["failed"])
            elif "check" in message:
                ran.checking.add(self.cell)
                mark = self._judged(message, verdict)
                ran.marks.setdefault(mark.exercise, []).append(mark)
                self._send()
            else:
                raise _Lost(_FORGED)
        return ran

    def end(self) -> None:
        """End the process and whatever it started."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._process.poll() is None:  # pragma: no cover - other systems
            self._process.kill()
        self._process.wait()

    def _judged(self, message: dict[str, Any], verdict: Verdict) -> Mark:
        name, variant = str(message["check"]), message.get("variant")
        answer = self._value(message.get("answer"))
        try:
            return verdict(name, answer, variant)
        except Exception as error:  # an answer that a checker did not expect
            return Mark(name, False, f"could not be checked: {type(error).__name__}: {error}")

    def _value(self, text: Any) -> Any:
        try:
            return unpack(base64.b64decode(text), self._stand_in)
        except Exception:
            raise _Lost(_FORGED) from None

    def _stand_in(self, place: int, words: str) -> Callable[..., Any]:
        """Return a function that calls the one at this place in the process."""
        return _StandIn(self._call, place, words)

    def _call(self, place: int, *arguments: Any) -> Any:
        self._send(function=place, arguments=base64.b64encode(pickle.dumps(arguments)).decode())
        message = self._receive()
        if "error" not in message:
            return self._value(message.get("result"))
        if message["error"] == "NotImplementedError":
            raise NotImplementedError
        raise type(str(message["error"]), (Exception,), {})(message.get("words"))

    def _known(self, cell: Any, count: int) -> int:
        if not isinstance(cell, int) or not 0 <= cell < count:
            raise _Lost(_FORGED)
        return cell

    def _send(self, **message: object) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise _Lost("the process ended without a result") from None

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, self._until - time.monotonic()))
        except Empty:
            raise _Lost(f"not finished after {self._limit:g} seconds") from None
        if not line:
            raise _Lost("the process ended without a result")
        try:
            message: dict[str, Any] = dict(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            raise _Lost(_FORGED) from None
        return message

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in iter(lambda: self._process.stdout.readline(_LONGEST), b""):
            self._lines.put(line)
        self._lines.put(b"")


class _StandIn:
    """Stands for a function of the student's process."""

    def __init__(self, call: Callable[..., Any], place: int, words: str) -> None:
        self._call, self._place, self._words = call, place, words

    def __call__(self, *arguments: Any) -> Any:
        return self._call(self._place, *arguments)

    def __repr__(self) -> str:
        return self._words
