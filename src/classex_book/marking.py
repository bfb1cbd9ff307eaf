"""Marking of returned notebooks: every exercise runs by itself, in a process of its own, for a limited time."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classex._validation import as_positive_float
from classex_book.exercises import exercise_names

__all__ = ["Mark", "mark_notebook"]

_SETUP = re.compile(r"^from classex_book import .*\bcheck\b", re.MULTILINE)
_CHECK = re.compile(r"""^check\(\s*["'](exr-ch[0-9]+-[a-z0-9-]+)["']""", re.MULTILINE)


@dataclass(frozen=True)
class Mark:
    """Whether an exercise of a returned notebook was solved.

    Attributes
    ----------
    exercise : str
        Label of the exercise.
    passed : bool
        Whether the checker accepted the answer.
    message : str
        What it said otherwise.
    """

    exercise: str
    passed: bool
    message: str


def mark_notebook(path: str | Path, *, time_limit: float = 60.0) -> tuple[Mark, ...]:
    """Mark all exercises of the chapters that a notebook works on.

    For each exercise the notebook's set-up cell (the one that imports `check`) and the cell that ends in its
    ``check(...)`` are executed in a fresh Python, in the notebook's folder. A solution therefore has to stand
    in its one cell. **This executes the student's code** with your rights: run it where you would run theirs.
    It is made against mistakes, not against malice.

    Parameters
    ----------
    path : str or Path
        The notebook (``.ipynb``), executed or not.
    time_limit : float
        Seconds that one exercise may take.

    Returns
    -------
    tuple of Mark
        One for each exercise of these chapters, those without a cell included.

    Raises
    ------
    ValueError
        If the file is no notebook, or holds no set-up cell or no exercise.
    """
    limit = as_positive_float(time_limit, "time_limit")
    file = Path(path)
    sources = _code_cells(file)
    setup = next((source for source in sources if _SETUP.search(source)), None)
    cells = {match[1]: source for source in sources if (match := _CHECK.search(source))}
    if setup is None or not cells:
        raise ValueError(f"{file} has no cell that imports check from classex_book, or none that calls it")
    chapters = sorted({name.split("-")[1] for name in cells})
    names = [name for chapter in chapters for name in exercise_names(chapter)]
    return tuple(
        _run(name, setup, cells[name], file.parent, limit)
        if name in cells
        else Mark(name, False, "no cell of the notebook checks this exercise")
        for name in names
    )


def _code_cells(file: Path) -> list[str]:
    try:
        notebook: Any = json.loads(file.read_text(encoding="utf-8"))
        cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file} is not a Jupyter notebook (.ipynb, version 4)") from None
    return [source if isinstance(source, str) else "".join(source) for source in cells]


def _run(name: str, setup: str, cell: str, folder: Path, limit: float) -> Mark:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        process = subprocess.Popen(
            [sys.executable, "-m", "classex_book.one_exercise", str(report)],
            cwd=folder,
            env=os.environ | {"MPLBACKEND": "Agg"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            process.communicate(json.dumps({"name": name, "setup": setup, "cell": cell}), timeout=limit)
        except subprocess.TimeoutExpired:
            return Mark(name, False, f"not finished after {limit:g} seconds")
        finally:
            _end(process)
        if not report.is_file():
            return Mark(name, False, "the process ended without a result")
        found = json.loads(report.read_text(encoding="utf-8"))
    return Mark(name, bool(found["passed"]), str(found["message"]))


def _end(process: subprocess.Popen[str]) -> None:
    """End the process and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:  # pragma: no cover - other systems
        process.kill()
    process.wait()
