"""The command line: ``classex extrapolate``, ``bound``, ``advantage`` and, for teachers, ``mark``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

import classex
from classex._solver import SolverError

COMMANDS = ("extrapolate", "bound", "advantage", "mark")

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``classex`` and return its exit status: 0, or 2 after one line about bad input."""
    parser = argparse.ArgumentParser(
        prog="classex", description="Extrapolate accuracy to many classes, bound it, and measure prediction advantage."
    )
    parser.add_argument("--version", action="version", version=f"classex {classex.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in COMMANDS:
        import_module(f"classex.cli.{command}").add_parser(subparsers)
    arguments = parser.parse_args(argv)
    try:
        arguments.run(arguments)
    except (ValueError, TypeError, OSError, SolverError) as error:
        print(f"classex {arguments.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0
