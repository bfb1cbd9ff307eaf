"""The command line: ``classex extrapolate``, ``bound`` and more, and commands that other packages bring.

A package adds a command by an entry point of the group ``classex.commands`` that names its ``add_parser``; the book's
own package brings ``classex mark`` so.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import pickle
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points

import classex
from classex._optional import progress_bars
from classex.cli.messages import in_shell
from classex.cli.options import Parser, check_plot, for_stream
from classex.exceptions import SolverError
from classex.io.archives import LOG

# characters of an error, for the names of files may be of any length
_LONGEST_MESSAGE = 300
_FILES = ("extrapolate", "bound", "advantage", "pass_at_k", "open_set", "others")

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``classex`` and return its exit status: the command's, 2 after a line about bad input, 130 if interrupted."""
    what = "Extrapolate accuracy to many classes, bound it, and measure prediction advantage."
    more = "`classex example` writes files to try the commands on; `classex command --help` shows how."
    parser = Parser(prog="classex", description=what, epilog=more)
    parser.add_argument("--version", action="version", version=f"classex {classex.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in _FILES:
        import_module(f"classex.cli.{command}").add_parser(subparsers)
    for entry in sorted(entry_points(group="classex.commands"), key=lambda entry: entry.name):
        entry.load()(subparsers)
    argv = (sys.argv[1:] if argv is None else argv) or ["--help"]
    name = " ".join(["classex", *argv[:1]])
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        return _failed(name, "the standard output is closed")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter shows its number instead of failing
            stream.reconfigure(errors="backslashreplace")
    arguments = argparse.Namespace()
    try:
        with _notes(arguments), progress_bars():
            parser.parse_args(argv, arguments)
            check_plot(getattr(arguments, "plot", None))
            status = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, TypeError, OSError, ImportError, SolverError) as error:
        return _failed(name, in_shell(" ".join(str(error).split()), vars(arguments)))
    except (pickle.UnpicklingError, EOFError) as error:
        where = "the .nbi and .nbc files of __pycache__ in the package, or of NUMBA_CACHE_DIR"
        return _failed(name, f"the cache of compiled loops is damaged ({error}): delete {where}")
    except MemoryError:
        return _failed(name, "not enough memory")
    except KeyboardInterrupt:
        return _failed(name, "interrupted", status=130)
    return status or 0


class _Notes(logging.Handler):
    """What the package logs, on standard error, each once: kept until a result is printed, as an error is one line."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__()
        self.arguments, self.printed, self.read = arguments, dict[str, bool](), list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        text = " ".join(record.getMessage().split())
        if text not in self.printed and getattr(record, "ledger", False):
            self.read.append(text)
        self.printed.setdefault(text, False)

    def flush(self) -> None:
        for text in [text for text, done in self.printed.items() if not done]:
            self.printed[text] = True
            print(for_stream(f"classex: {in_shell(text, vars(self.arguments))}", sys.stderr), file=sys.stderr)


@contextmanager
def _notes(arguments: argparse.Namespace) -> Iterator[None]:
    """Print notes and warnings before the result."""
    handler, level = _Notes(arguments), LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_, **__: LOG.warning("warning: %s", message)
            yield
        handler.flush()
    finally:
        handler.printed.clear()
        LOG.removeHandler(handler)
        LOG.setLevel(level)


def _failed(name: str, why: str, status: int = 2) -> int:
    why = why if len(why) <= _LONGEST_MESSAGE else f"{why[: _LONGEST_MESSAGE - 4]} ..."
    print(for_stream(f"{name}: {why}", sys.stderr), file=sys.stderr)
    return status
