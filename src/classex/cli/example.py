"""``classex example``: files to try the other commands on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from classex.datasets.example_files import EXAMPLE_FILES, example_file
from classex.io.tables import atomic_text

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    what = "write small files to try the other commands on"
    parser = subparsers.add_parser(
        "example", help=what, description=f"{what.capitalize()}: {', '.join(EXAMPLE_FILES)}."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="where to write them (default here)")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    targets = [arguments.folder / name for name in EXAMPLE_FILES]
    for target in targets:
        if target.exists():
            raise FileExistsError(f"{target} exists: name another folder")
    for target in targets:
        atomic_text(target, example_file(target.name).read_text(encoding="utf-8"))
        print(target)
