"""What the studies share: experiments that are kept when a run is stopped, and tables where the book reads them."""

from __future__ import annotations

import argparse
import csv
import json
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from classex.exceptions import LackOfFitWarning
from classex_book import studies

# the tables that pages read, `load_study("NAME/TABLE")`
STORED = Path(studies.__file__).parent
# finished experiments; empty a study's folder after a change of what it measures
FINISHED = Path("_build/benchmarks")


def parser(command: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option that every study has."""
    out = argparse.ArgumentParser(prog=command, description=description)
    out.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    return out


def call(function: Callable[..., Any], cell: Sequence[Any]) -> Any:
    """Return ``function(*cell)`` without warnings of a lack of fit, which a comparison of methods expects."""
    with warnings.catch_warnings(action="ignore", category=LackOfFitWarning):
        return function(*cell)


def run(function: Callable[..., Any], cells: Iterable[Sequence[Any]], name: str, jobs: int = 1) -> list[Any]:
    """Return the result of every cell; those that an earlier run finished are read from the folder of this name."""
    folder = FINISHED / name
    folder.mkdir(parents=True, exist_ok=True)
    return Parallel(jobs, verbose=1)(delayed(_kept)(function, cell, folder) for cell in cells)


def _kept(function: Callable[..., Any], cell: Sequence[Any], folder: Path) -> Any:
    file = folder / (re.sub(r"[^\w.]+", "_", "-".join(map(str, cell))) + ".json")
    if not file.exists():
        text = json.dumps(call(function, cell), default=lambda value: value.tolist())
        # a run that is stopped while it writes leaves no half a file
        part = file.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    return json.loads(file.read_text(encoding="utf-8"))


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write(path: Path, command: str, header: str, rows: Iterable[Sequence[Any]], n_keys: int = 0) -> None:
    """Write a table below its command; with `n_keys`, stored rows that differ in the first columns stay."""
    old = [tuple(row.values()) for row in read(path)] if n_keys else []
    new = [tuple(map(str, row)) for row in rows]
    table = {row[: n_keys or None]: row for row in [*old, *new]}
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {command}\n{header}\n")
        csv.writer(file, lineterminator="\n").writerows(table.values())
