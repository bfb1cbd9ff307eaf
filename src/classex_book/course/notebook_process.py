"""Run the code of a returned notebook and record its answers: a script that knows nothing of exercises or their truth.

It is given a job on standard input, forks, and watches the process that runs the cells. `check` there records what it
is given; a function is called with arguments that come on request. Records are lines of JSON on standard output.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any, BinaryIO, TextIO

import psutil

FILE = "<code cell {}>"
# Parts of the book's package that stand for others in this process
_PACKAGE = "classex_book"
# What the book's checkers ask of an answer that is an object, such as a curve
FIELDS = (
    "n_classes",
    "accuracy",
    "standard_error",
    "information",
    "confidence_level",
    "class_counts",
    "accuracy_bound",
)
LARGEST = 2000 * 2000  # numbers of an answer: the largest matrix that an exercise takes
_INTERVAL = 0.1  # seconds between two looks at the processes of a notebook
_SIGKILL_WITH_PARENT, _DUMPABLE, _ADOPT, _NO_NEW_RIGHTS = 1, 4, 36, 38  # of prctl(2)
_CAPABILITIES = 0x20080522  # version of capset(2)
# Landlock: system calls, and what its versions 1 to 5 know of files; later ones know the same
_RULESET, _RULE, _RESTRICT = 444, 445, 446
_RIGHTS = (13, 14, 15, 15, 16)
_READ, _OF_FILES = 0b1101, 0b1100000000000111  # execute, read a file, list a folder; what a file can be allowed
_READABLE = (
    *("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/passwd"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu"),
)
_WRITABLE = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
# How a watcher ends, and why
STATUS = {
    3: "more memory than {memory:,} bytes",
    4: "more than {processes} processes",
    5: "more than {seconds:.0f} seconds",
}


class _Notebook:
    """The cells of a notebook, run one after the other as Jupyter does, past those that fail."""

    def __init__(self, source: BinaryIO, target: TextIO) -> None:
        self._source, self._target = source, target
        self._cell, self._lacking = 0, False
        self._namespace: dict[str, Any] = {"__name__": "__main__", "check": self._check}
        modules: dict[str, dict[str, Any]] = {
            "course": {"__path__": []},
            "chapters": {"__path__": []},  # no import leads to a checker
            "course.exercises": {"check": self._check, "ExerciseError": ValueError},
            "course.questions": {"quiz": lambda _: None},
        }
        for name, content in modules.items():
            module = sys.modules[f"{_PACKAGE}.{name}"] = ModuleType(f"{_PACKAGE}.{name}")
            vars(module).update(content)

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
        self._send(start=index)
        self._cell, self._lacking = index, False
        try:
            exec(compile(code, FILE.format(index + 1), "exec"), self._namespace)
            if "answer" in code and "answer" in self._namespace:
                self._send(cell=index, answer=plain(self._namespace["answer"]))
        except BaseException as error:  # whatever a student's code raises, SystemExit too
            self._lacking |= isinstance(error, NameError) and error.name != "answer"
            self._namespace.pop("answer", None)  # it may be another exercise's
            self._send(failed=_described(error, FILE.format(index + 1)))
        return not self._lacking

    def _check(self, name: object, answer: object = None, *, variant: int | None = None) -> None:
        record = {"cell": self._cell, "check": str(name), "variant": variant}
        if callable(answer) and variant is None:
            self._send(ask=str(name))
            if cases := json.loads(self._source.readline()):
                return self._send(**record, returned=[self._returned(answer, one) for one in cases])
        return self._send(**record, answer=plain(answer))

    def _returned(self, function: Any, arguments: str) -> dict[str, Any]:
        """What the function returns for arguments that the marker pickled, or the name of what it raises."""
        try:
            return {"value": plain(function(*pickle.loads(base64.b64decode(arguments))))}
        except Exception as error:
            self._lacking |= isinstance(error, NameError)
            return {"raises": type(error).__name__}

    def _send(self, **message: object) -> None:
        self._target.write(json.dumps(message) + "\n")
        self._target.flush()


def plain(answer: object) -> Any:
    """Return numbers, truth values and lists of them as JSON has them; of anything else a dictionary with its type."""
    room = [LARGEST]
    try:
        return _plain(answer, room)
    except Exception:  # whatever the answer's own methods raise
        return {"type": type(answer).__name__, "large": room[0] < 0}


def _plain(answer: Any, room: list[int]) -> Any:
    size = getattr(answer, "size", 1) if hasattr(answer, "tolist") else 1
    room[0] -= size
    if room[0] < 0:
        raise ValueError
    if answer is None or answer is Ellipsis:
        return None
    if isinstance(answer, bool | int | float):
        return answer
    if hasattr(answer, "tolist"):
        room[0] += size
        return _plain(answer.tolist(), room)
    if isinstance(answer, list | tuple | range):
        return [_plain(one, room) for one in answer]
    if hasattr(answer, "__float__"):
        return float(answer)
    fields = {name: plain(getattr(answer, name)) for name in FIELDS if hasattr(answer, name)}
    return {"type": type(answer).__name__, "fields": fields}


def _described(error: BaseException, file: str) -> dict[str, Any]:
    """The type of what went wrong, its line, the name that it is about, and the message."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    line = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    name = getattr(error, "name", None)
    return {"type": type(error).__name__, "line": line, "name": name and str(name), "message": str(message)[:1000]}


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def hide(hidden: bool) -> None:
    """Let no other process of this account look into this one, at its memory or environment."""
    _prctl(_DUMPABLE, not hidden)


def _limit(memory: int, processes: int, file: int, seconds: float) -> None:
    """Limit this process and those that it starts. The number of processes does not bind the user root."""
    import resource

    own = [one.info for one in psutil.process_iter(["uids", "num_threads"])]
    tasks = sum(one["num_threads"] or 1 for one in own if one["uids"] and one["uids"].real == os.getuid())
    limits = {"AS": memory, "FSIZE": file, "CORE": 0, "CPU": int(seconds) + 1, "NPROC": tasks + processes}
    for name, limit in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        with contextlib.suppress(ValueError, OSError):  # it is lower already
            if kind is not None:
                resource.setrlimit(kind, (limit, limit))


def _confine(folder: str) -> None:
    """Let this process read Python and the system's libraries, and write into its folder alone, where Linux can."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    _prctl(_NO_NEW_RIGHTS, 1)
    # whatever root may do beyond owning its files: set the clock, mount, look into other users' processes
    libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
    version = libc.syscall(_RULESET, None, 0, 1)
    if version < 1:
        return
    rights = (1 << _RIGHTS[min(version, 5) - 1]) - 1
    # from version 4 on no network, from 6 on no signals to processes outside
    wanted = (ctypes.c_uint64 * 3)(rights, 3 * (version >= 4), 3 * (version >= 6))
    rules = libc.syscall(_RULESET, wanted, ctypes.sizeof(wanted), 0)
    allowed = dict.fromkeys([*_READABLE, sys.prefix, sys.base_prefix, *sys.path], _READ)
    for path, right in (allowed | dict.fromkeys([*_WRITABLE, folder], rights)).items():
        with contextlib.suppress(OSError):  # there is no such place
            place = os.open(path, os.O_PATH)
            right &= rights if os.path.isdir(path) else _OF_FILES
            rule = right.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
            libc.syscall(_RULE, rules, 1, rule, 0)
            os.close(place)
    libc.syscall(_RESTRICT, rules, 0)
    os.close(rules)


def _used() -> tuple[int, int]:
    """Memory and threads of all processes below this one, which adopts those whose parents have ended."""
    memory = threads = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended meanwhile
            memory, threads = memory + process.memory_info().rss, threads + process.num_threads()
    return memory, threads


def _reap(child: int) -> bool:
    """Take notice of ended processes, and say whether the child is one of them."""
    ended = False
    with contextlib.suppress(ChildProcessError):
        while process := os.waitpid(-1, os.WNOHANG)[0]:
            ended |= process == child
    return ended


def _end() -> None:
    """End all processes below this one; first they are stopped, so that none starts another meanwhile."""
    for act in (psutil.Process.suspend, psutil.Process.kill):
        done: set[psutil.Process] = set()
        while fresh := {*psutil.Process().children(recursive=True)} - done:
            for process in fresh:
                with contextlib.suppress(psutil.Error):
                    act(process)
            done |= fresh
    psutil.wait_procs(psutil.Process().children(), timeout=1)


def _watch(child: int, marker: int, limits: dict[str, Any]) -> int:
    """Wait until the child ends, breaks a limit, or the marker ends or says so; then end all, and say why."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    last, status = time.monotonic() + limits["seconds"], 0
    while not (_reap(child) or told or status or os.getppid() != marker):
        time.sleep(_INTERVAL)
        memory, threads = _used()
        broken = {4: threads > limits["processes"], 3: memory > limits["memory"], 5: time.monotonic() > last}
        status = next((number for number, is_broken in broken.items() if is_broken), 0)
    _end()
    return status


def _main() -> None:
    marker = os.getppid()
    # requests and records keep the pipes; what the cells read is nothing, and what they print goes nowhere
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    job = json.loads(source.readline())
    limits = job.pop("limits")
    _prctl(_ADOPT, 1)
    watcher = os.getpid()
    if child := os.fork():
        source.close()
        target.close()
        os._exit(_watch(child, marker, limits))
    os.setsid()
    _prctl(_SIGKILL_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != watcher:
        os._exit(1)
    # Python was started with -P: files beside the notebook may be imported, but hide no installed package
    sys.path.append(os.getcwd())
    _limit(**limits)
    _confine(os.getcwd())
    _Notebook(source, target).run(**job)
    os._exit(0)  # a thread of the notebook may run on


if __name__ == "__main__":
    _main()
