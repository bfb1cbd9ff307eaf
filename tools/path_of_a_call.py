"""Count what one call enters: files, functions and lines of the package. ``--list`` names each function.

    python -m tools.path_of_a_call [--list]

`tests/test_house.py` keeps the numbers of ``extrapolate(scores, labels, n_classes=[600])`` from growing. Lambdas and
comprehensions, which versions of Python count differently, are left out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import classex as cx

ROOT = str(Path(cx.__file__).parent)


def entered(call: Callable[[], Any]) -> dict[tuple[str, str], set[int]]:
    """Lines that run in each function of the package, by file and name; the call runs once before."""
    found: dict[tuple[str, str], set[int]] = {}

    def trace(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG001
        code = frame.f_code
        if not code.co_filename.startswith(ROOT):
            return None
        lines = found.setdefault((code.co_filename[len(ROOT) + 1 :], code.co_qualname), set())

        def line(inner: FrameType, kind: str, value: object) -> Any:  # noqa: ARG001
            if kind == "line":
                lines.add(inner.f_lineno)
            return line

        return line

    call()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return found


def path_of_extrapolate() -> dict[tuple[str, str], set[int]]:
    """What `classex.extrapolate` enters from 120 x 60 scores."""
    labels = np.repeat(np.arange(60), 2)
    scores = np.random.default_rng(0).normal(size=(120, 60)) + 3 * np.eye(60)[labels]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entered(lambda: cx.extrapolate(scores, labels, n_classes=[600]))


def counted(found: dict[tuple[str, str], set[int]]) -> tuple[int, int, int]:
    """Numbers of files, functions and lines."""
    named = [key for key in found if not key[1].rpartition(".")[2].startswith("<")]
    lines = {(file, line) for (file, _), some in found.items() for line in some}
    return len({file for file, _ in named}), len(named), len(lines)


if __name__ == "__main__":
    path = path_of_extrapolate()
    print("{} files, {} functions, {} lines".format(*counted(path)))
    if "--list" in sys.argv:
        for (file, name), some in sorted(path.items()):
            print(f"{len(some):4d} lines  {file}: {name}")
