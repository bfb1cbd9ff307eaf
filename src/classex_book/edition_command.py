"""``classex edition``: exercises with other numbers, and the key to them."""

from __future__ import annotations

import argparse
from typing import Any

from classex.cli.options import whole_number

__all__ = ["add_parser"]

_DESCRIPTION = """\
Write a notebook of exercises whose numbers are those of a variant, and the key to it. The checkers know the variant,
so students can check themselves; mark what comes back with classex mark --variant N.
"""


def add_parser(subparsers: Any) -> None:
    """Add the command to the parsers of ``classex``."""
    parser = subparsers.add_parser(
        "edition",
        help="exercises of the book with other numbers, and their key",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", help="where exercises-N.ipynb and key-N.ipynb are written")
    parser.add_argument("--variant", required=True, metavar="N", help="number of the variant, 1 or more")
    parser.add_argument("--chapters", nargs="+", metavar="CH", help="such as ch1 ch3 (default all)")
    parser.add_argument("--exercises", metavar="COUNT", help="how many, for an exam (default all that have variants)")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    from classex_book.edition import write_edition

    count = None if arguments.exercises is None else whole_number(arguments.exercises, "--exercises")
    variant = whole_number(arguments.variant, "--variant")
    for path in write_edition(arguments.folder, variant, chapters=arguments.chapters, n_exercises=count):
        print(path)
