"""The first half of marking: run returned notebooks, each in a process of its own, and collect what they answer.

Nothing here knows what is right. What comes back from a process is text (JSON) of limited size, and only values in it
are believed.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

from classex._checks import as_positive_float, as_positive_int
from classex_book.course import notebook_process
from classex_book.course.exercises import arguments
from classex_book.course.returned import Notebook

_START = 60.0  # seconds for imports, before the first cell
# What a notebook may use. A laptop of 8 GB runs it, and no notebook of the book needs a quarter of any of these.
MEMORY = 4 * 2**30  # bytes of all its processes
PROCESSES = 256  # with their threads
FILE = 10**8  # bytes of a file that it writes, and of the files beside it that are copied for it
RECORDS = 25 * 10**7  # bytes of all its records: three of the largest answer
CELLS = 10  # times the limit of a cell for the whole notebook


def run_notebooks(
    notebooks: Iterable[Notebook], *, time_limit: float = 60.0, jobs: int = 1
) -> Generator[Notebook, None, None]:
    """Run notebooks, and yield each with its answers as soon as it and those before it have ended.

    Parameters
    ----------
    notebooks : iterable of Notebook
        As `classex_book.course.returned.read_notebook` reads them, all before the first one runs.
    time_limit : float
        Seconds that a cell may take; the whole notebook may take ten times as long.
    jobs : int
        Notebooks that run at the same time.

    Yields
    ------
    Notebook
        In the order given. Closing the iterator ends all processes.
    """
    runner = _Runner(as_positive_float(time_limit, "time_limit"))
    with ThreadPoolExecutor(as_positive_int(jobs, "jobs")) as pool:
        try:
            for running in [pool.submit(runner.run, notebook) for notebook in list(notebooks)]:
                yield running.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()


@dataclass
class _Ran:
    """What became of a notebook's cells, and where and why it ended before the last one."""

    checked: dict[str, tuple[int, str]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    failed: dict[str, dict[str, Any]] = field(default_factory=dict)
    cell: int = -1
    problem: str = "the process ended without a result"


class _Runner:
    """Runs notebooks in processes of their own, from several threads if need be."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._stopped = False
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, notebook: Notebook) -> Notebook:
        """Run a notebook; a fault of this process must not lose the others."""
        try:
            return notebook if notebook.error else self._run(notebook)
        except Exception as error:
            return replace(notebook, error=f"{notebook.file} cannot be run: {type(error).__name__}")

    def _run(self, notebook: Notebook) -> Notebook:
        """Run the cells in a copy of the notebook's folder, and again without one that ends the process."""
        lost: dict[str, dict[str, Any]] = {}
        last = time.monotonic() + CELLS * self._limit
        with TemporaryDirectory(prefix="classex-", ignore_cleanup_errors=True) as folder:
            _copy_files(notebook, Path(folder))
            while (ran := self._once(notebook.codes, folder, list(lost), last)).problem:
                left = last - time.monotonic()
                if str(ran.cell) in lost or ran.cell < 0 or self._stopped:
                    return replace(notebook, error=f"{notebook.file} cannot be run: {ran.problem}")
                lost[str(ran.cell)] = {"problem": ran.problem}
                if left <= 0:
                    break
        checked = {name: record for name, (_, record) in ran.checked.items()}
        return replace(notebook, checked=checked, answers=ran.answers, failed=ran.failed | lost)

    def stop(self) -> None:
        """End all processes."""
        self._stopped = True
        for process in list(self._running):
            _end(process)

    def _once(self, cells: Sequence[str], folder: str, skipped: Sequence[str], last: float) -> _Ran:
        ran, room = _Ran(), RECORDS
        limits = {"memory": MEMORY, "processes": PROCESSES, "file": FILE, "seconds": last - time.monotonic()}
        process = _start(folder)
        timer = Timer(max(self._limit, _START), _end, [process])
        timer.start()
        began = time.monotonic()
        self._running.add(process)
        if self._stopped:
            _end(process)
        assert process.stdin is not None
        assert process.stdout is not None
        # an OSError: the process has closed its end
        with contextlib.suppress(OSError), process.stdin as requests, process.stdout as records:
            _write(requests, {"cells": cells, "skipped": [*map(int, skipped)], "limits": limits})
            while ran.problem and (line := records.readline(room)):
                room -= len(line)
                text = line.decode("ascii", errors="replace")
                message = _message(text)
                if "start" in message:
                    ran.cell = message["start"]
                    timer.cancel()
                    began = time.monotonic()
                    timer = Timer(self._limit, _end, [process])
                    timer.start()
                elif "ask" in message:
                    _write(
                        requests, [base64.b64encode(pickle.dumps(one)).decode() for one in arguments(message["ask"])]
                    )
                else:
                    _keep(ran, message, text)
        timer.cancel()
        _end(process)
        self._running.discard(process)
        if ran.problem and process.returncode in notebook_process.STATUS:
            ran.problem = "stopped: it takes " + notebook_process.STATUS[process.returncode].format(**limits)
        elif ran.problem and time.monotonic() - began >= self._limit:
            ran.problem = f"not finished after {self._limit:g} seconds"
        elif ran.problem and room <= 0:
            ran.problem = f"stopped: it records more than {RECORDS:,} bytes"
        return ran


def _message(line: str) -> dict[str, Any]:
    """A record, or nothing where the process wrote something else."""
    most = 2 * notebook_process.LARGEST
    known = {"start": int, "ask": str, "check": str, "cell": int, "failed": dict}
    try:
        message = json.loads(line) if sum(map(line.count, ",[{")) < most else {}
        return message if all(isinstance(message[name], known.get(name, object)) for name in message) else {}
    except (ValueError, TypeError, RecursionError):
        return {}


def _keep(ran: _Ran, message: dict[str, Any], text: str) -> None:
    """Keep a record; of several of one exercise that of the last cell, and of one cell the last."""
    cell = message.get("cell", -1)
    if "check" in message:
        name = message["check"]
        known, _ = ran.checked.get(name, (-1, ""))
        if known < 0 or (cell >= known and message.get("answer", 0) is not None):
            ran.checked[name] = cell, text
    elif "answer" in message:
        ran.answers[str(cell)] = text
    elif "failed" in message:
        ran.failed[str(ran.cell)] = {part: message["failed"].get(part) for part in ("type", "line", "name", "message")}
    elif message.get("done"):
        ran.problem = ""


def _write(target: Any, message: object) -> None:
    target.write(json.dumps(message).encode() + b"\n")
    target.flush()


def _copy_files(notebook: Notebook, target: Path) -> None:
    """Copy what lies beside the notebook in its student's own folder; no notebook, no link, and not too much."""
    own, room = Path(notebook.file).parent, FILE
    for path in sorted(own.rglob("*")) if notebook.source != notebook.file else ():
        if path.is_file() and not path.is_symlink() and path.suffix != ".ipynb":
            room -= path.stat().st_size
            if room >= 0:
                place = target / path.relative_to(own)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)


def _start(folder: str) -> subprocess.Popen[bytes]:
    """Start Python with no more of this process's environment than where it finds packages."""
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "VIRTUAL_ENV")
    own = {name: os.environ[name] for name in kept if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    packages = [str(Path(one).resolve()) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    more = {"PYTHONPATH": os.pathsep.join(packages), "HOME": folder, "TMPDIR": folder, "MPLBACKEND": "Agg"}
    return subprocess.Popen(
        [sys.executable, "-P", notebook_process.__file__],
        cwd=folder,
        env=own | threads | more,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the watcher end all processes of its notebook."""
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:  # somebody has stopped it
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
