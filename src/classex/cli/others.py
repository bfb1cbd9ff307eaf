"""Commands with few options: restate, unique, look, example."""

from __future__ import annotations

import argparse
import re
from typing import Any

from classex import restate
from classex._checks import shown
from classex.cli.options import add_command, as_rate, draw, show
from classex.fields.reidentification import population_risk
from classex.io import load_cells, look
from classex.io.archives import LOG
from classex.io.contents import EXAMPLE_FILES, example_file
from classex.io.tables import atomic_text

__all__ = ["add_parser"]


def add_parser(subparsers: Any) -> None:
    """Add the commands to the parsers of ``classex``."""
    add_command(subparsers, "restate", _restate, {"reports": _report})
    add_command(subparsers, "unique", _unique)
    add_command(subparsers, "look", _look)
    add_command(subparsers, "example", _example, files=", ".join(EXAMPLE_FILES))


def _report(text: str) -> tuple[Any, ...]:
    try:
        parts = text.split(":")
        size, top, value, error = parts if len(parts) > 3 else [*parts, "0"]
        return float(size), top if top == "mean" else float(top), as_rate(value), as_rate(error)
    except (ValueError, argparse.ArgumentTypeError):
        hint = ": a report is a top-m accuracy or a mean rank" if re.search("[a-z]", text, re.IGNORECASE) else ""
        raise argparse.ArgumentTypeError(f"must be numbers such as 50:1:.62:.03, not {shown(text)}{hint}") from None


def _restate(arguments: argparse.Namespace) -> None:
    """Printed are limits for every distribution, the estimate of the default method, and the least information in bits.

    50:1:.62:.03 is a top-1 accuracy of .62 with 50 classes and a standard error of .03, 200:1:16.1% an accuracy of
    .161, and 50:mean:3.2 a mean rank of 3.2 among 50. Several reports are of one classifier.
    """
    options: Any = {name: getattr(arguments, name) for name in ("top", "shape", "confidence_level")}
    found = restate(arguments.reports, n_classes=arguments.to, **options)
    draw(arguments.plot, found)
    show(arguments, found, file=None)


def _unique(arguments: argparse.Namespace) -> None:
    """The people are a random sample of the population.

    The file (.csv, .tsv, .jsonl or .parquet, packed or not, or - for standard input) has a header and a row for each
    person. People with equal entries in all --columns, their quasi-identifiers, are in one cell (equivalence class). By
    default every column counts. With --to N the risks are those in a population of N people: the share that is unique;
    the marketer risk, which is the share of right links; the number of cells; and for people who are unique in the
    sample, the chance that they stay unique, and their journalist risk, the mean of one over the people in their cell.
    The column limits has what every distribution of people over cells allows, however many cells there are.
    """
    count = 1 if arguments.count == "1" else arguments.count
    found = load_cells(arguments.people, arguments.columns or (), count=count, clusters=arguments.clusters)
    sizes, clusters = found if arguments.clusters else (found, None)
    about = {"clusters": clusters, "confidence_level": arguments.confidence_level}
    risk = population_risk(sizes, n_people=arguments.to, **about)
    draw(arguments.plot, risk)
    show(arguments, risk, file=arguments.people)


def _look(arguments: argparse.Namespace) -> None:
    """Nothing is computed. Where no reading of the file succeeds, the reasons are printed."""
    found = look(arguments.file)
    for handler in LOG.handlers:  # what the readers noted is printed as a part of each reading
        getattr(handler, "printed", {}).clear()
    print("\n\n".join(map(str, found)))


def _example(arguments: argparse.Namespace) -> None:
    """No file is replaced."""
    targets = [arguments.FOLDER / name for name in EXAMPLE_FILES]
    for target in targets:
        if target.exists():
            raise FileExistsError(f"{target} exists: name another folder")
    arguments.FOLDER.mkdir(exist_ok=True)
    for target in targets:
        atomic_text(target, example_file(target.name).read_text(encoding="utf-8"))
        print(target)
