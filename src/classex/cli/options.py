"""Option values of the command line, read by our own hand so that an error is one line, and what goes into JSON."""

from __future__ import annotations

import argparse
import json
from typing import Any

import classex

__all__ = ["as_json", "file_after_numbers", "number", "whole_number"]


def number(text: str, name: str) -> float:
    """Return the number an option holds; the error names the option."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}") from None


def whole_number(text: str, name: str) -> int:
    """Return the whole number an option holds; the error names the option."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name} must be a whole number, not {text!r}") from None


def file_after_numbers(file: str | None, values: list[str], name: str) -> tuple[str, list[str]]:
    """Return the file and an option's numbers, where the option has swallowed the file that came after them.

    Parameters
    ----------
    file : str or None
        The file, if it was found by itself.
    values : list of str
        Values of the option.
    name : str
        Name of the option, for the message.
    """
    if file is not None:
        return file, values
    texts = [text for text in values if not _is_number(text)]
    if len(texts) != 1 or len(values) == 1:
        raise ValueError(f"give a score file, and numbers after {name}")
    return texts[0], [text for text in values if text is not texts[0]]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_json(result: dict[str, Any], arguments: argparse.Namespace, *, file: str | None = None) -> str:
    """Return the result as JSON, after what is needed to make it again: version, command, file and seed."""
    origin: dict[str, Any] = {"classex": classex.__version__, "command": arguments.command}
    if file is not None:
        origin["file"] = file
    if getattr(arguments, "seed", None) is not None:
        origin["seed"] = whole_number(arguments.seed, "--seed")
    return json.dumps({**origin, **result}, indent=2)
