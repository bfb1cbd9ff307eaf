"""Options that commands share, and what goes into JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any, NoReturn

import classex

__all__ = ["Parser", "add_common", "as_json"]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of the command."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as an error."""
        raise ValueError(message)


def add_common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], None], of: str) -> None:
    """Add the options of every command, and the function that runs it."""
    help_text = f"confidence level of {of} (default 0.95)"
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="LEVEL", help=help_text)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def as_json(result: dict[str, Any], arguments: argparse.Namespace, *, file: str | None = None) -> str:
    """Return the result as JSON, after what is needed to compute it again: version, command, file and seed."""
    origin: dict[str, Any] = {"classex": classex.__version__, "command": arguments.command}
    if file is not None:
        origin["file"] = file
    if hasattr(arguments, "seed"):
        origin["seed"] = arguments.seed
    return json.dumps({**origin, **result}, indent=2)
