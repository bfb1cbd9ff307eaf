"""The command line: ``classex extrapolate``, ``bound`` and more, and commands that other packages bring.

A package adds a command by an entry point of the group ``classex.commands`` that names its ``add_parser``; the book's
own package brings ``classex mark`` so.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points

import classex
from classex.exceptions import SolverError

COMMANDS = ("extrapolate", "bound", "advantage", "pass_at_k", "open_set")

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``classex`` and return its exit status: 0, 2 after one line about bad input, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog="classex", description="Extrapolate accuracy to many classes, bound it, and measure prediction advantage."
    )
    parser.add_argument("--version", action="version", version=f"classex {classex.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in COMMANDS:
        import_module(f"classex.cli.{command}").add_parser(subparsers)
    for entry in sorted(entry_points(group="classex.commands"), key=lambda entry: entry.name):
        entry.load()(subparsers)
    arguments = parser.parse_args(argv)
    _print_anything()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _one_line
            arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, TypeError, OSError, ImportError, SolverError) as error:
        print(f"classex {arguments.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except MemoryError:
        print(f"classex {arguments.command}: not enough memory", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"classex {arguments.command}: interrupted", file=sys.stderr)
        return 130
    return 0


def _print_anything() -> None:
    """Let a terminal that lacks a letter show its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _one_line(message: Warning | str, *_: object, **__: object) -> None:
    print(f"classex: {' '.join(str(message).split())}", file=sys.stderr)
