"""Every method against every task: ``python -m benchmarks.suite``.

A task is a recogniser, a number k1 of observed classes and a larger number of classes. For every task random sets of
k1 classes are drawn (never nested), every method predicts, and the error is taken from the accuracy with all target
classes. How often an interval holds takes many draws to see: where no recogniser is trained anew for every draw, the
default, which is fast, gives intervals on more of them. A run stops after ``--minutes`` and goes on where it stopped;
``truths.csv``, ``predictions.csv``, ``intervals.csv``, ``outcomes.csv`` and ``backtests.csv`` accumulate;
``results.csv``, ``leaderboard.csv``, ``coverage.csv``, ``ablation.csv`` and ``told.csv`` are made from them.
``--quick`` runs three small worlds with two draws and no back-tests, in a folder of its own, in under three minutes.
CleaneX is trained apart (``draws.py``, ``cleanex.py``) and read from ``cleanex.csv``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, product, takewhile
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from benchmarks.suite import ablation, backtests, cells, scoring, told, truths
from benchmarks.suite.cells import EXACT, REAL, Cell
from benchmarks.suite.methods import METHODS, SLOW, WITH_INTERVAL

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.suite"
PARTS = ("truths", "predictions", "intervals", "outcomes", "backtests")
Job = tuple[Callable[..., list[list[Any]]], tuple[Any, ...]]


def append(path: Path, header: str, rows: Iterable[Iterable[Any]]) -> None:
    """Add rows to a table; a new one starts with the command that makes it."""
    if not path.exists():
        path.write_text(f"# {COMMAND}\n{header}\n", encoding="utf-8")
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def forget(path: Path, methods: list[str]) -> None:
    """Drop the rows of some methods from a table."""
    if methods and path.exists():
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines[2:] if next(csv.reader([line]))[4] not in methods]
        path.write_text("\n".join([*lines[:2], *kept, ""]), encoding="utf-8")


def all_cells(worlds: list[str], draws: int) -> Iterator[Cell]:
    """Every draw of every task, world by world: a process loads a world once."""
    for name in worlds:
        world = cells.world_of(name)
        for recogniser in world.recognisers:
            for k1, draw in product(world.targets(recogniser), range(draws)):
                yield Cell(name, recogniser, k1, draw)


def missing_truths(folder: Path, worlds: list[str]) -> Iterator[Job]:
    """Truths that no row holds yet."""
    done = {(row["world"], row["recogniser"], int(row["K"])) for row in scoring.read(folder / "truths.csv")}
    for name in worlds:
        world = cells.world_of(name)
        for recogniser in world.recognisers:
            sizes = {size for targets in world.targets(recogniser).values() for size in targets}
            for size in sorted(sizes):
                if (name, recogniser, size) not in done:
                    yield _truth, (name, recogniser, size)


def _truth(name: str, recogniser: str, size: int) -> list[list[Any]]:
    return [truths.truth(name, recogniser, size)]


def missing_rows(
    path: Path, work: Callable[..., list[list[Any]]], every: Iterable[Cell], methods: list[str]
) -> Iterator[Job]:
    """Cells with a method that no row of the table holds yet."""
    done = {(*_cell(row), row["method"]) for row in scoring.read(path)}
    for cell in every:
        if open_ := [name for name in methods if (*cell, name) not in done]:
            yield work, (cell, open_)


def missing_outcomes(path: Path, every: Iterable[Cell]) -> Iterator[Job]:
    """Draws whose single sets of classes have not been looked at yet."""
    done = {_cell(row) for row in scoring.read(path)}
    for cell in every:
        sizes = cells.world_of(cell.world).targets(cell.recogniser)[cell.k1]
        if cell not in done and any(truths.has_outcome(cell, size) for size in sizes):
            yield truths.outcomes, (cell,)


def soon_drawn(cell: Cell) -> bool:
    """Whether a draw takes two seconds at most: some classifiers of glyphs learn from it for minutes."""
    return cell.world != "glyphs" or cells.world_of(cell.world).recognisers[cell.recogniser]


def _cell(row: dict[str, str]) -> Cell:
    return Cell(row["world"], row["recogniser"], int(row["k1"]), int(row["draw"]))


def run(path: Path, header: str, jobs: Iterable[Job], deadline: float, n_jobs: int) -> bool:
    """Run jobs until the deadline, appending what each returns; True if all were run."""
    left = list(jobs)
    going = takewhile(lambda _: time.monotonic() < deadline, left)
    found = Parallel(n_jobs, return_as="generator", pre_dispatch=n_jobs)(delayed(work)(*args) for work, args in going)
    finished = 0
    for rows in found:
        append(path, header, rows)
        finished += 1
    return finished == len(left)


def main(argv: list[str] | None = None) -> int:
    """Run what is missing, and score what is there."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--worlds", nargs="+", choices=(*REAL, *EXACT), default=[*EXACT, *REAL])
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=list(METHODS))
    parser.add_argument("--draws", type=int, default=40, help="draws a task")
    parser.add_argument("--interval-draws", type=int, default=160, help="for the default's intervals")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after about so many minutes")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--redo", nargs="+", default=[], metavar="METHOD", help="forget what these gave, first")
    parser.add_argument("--quick", action="store_true", help="a check of under three minutes; stores nothing here")
    options = parser.parse_args(argv)
    if not options.quick:
        return _all(HERE, options)
    options.worlds, options.minutes = ["bivariate", "faces", "hangul"], 2.5
    options.draws = options.interval_draws = 2
    options.methods = [name for name in options.methods if name not in SLOW]
    options.parts = [part for part in options.parts if part != "backtests"]
    with tempfile.TemporaryDirectory() as folder:
        code = _all(Path(folder), options)
        print((Path(folder) / "leaderboard.csv").read_text(encoding="utf-8"))
    return code


def _all(folder: Path, options: argparse.Namespace) -> int:
    deadline = time.monotonic() + 60 * options.minutes
    for part in {"predictions", "intervals", "backtests"}.intersection(options.parts):
        forget(folder / f"{part}.csv", options.redo)
    every = list(all_cells(options.worlds, options.draws))
    with_interval = [name for name in options.methods if name in WITH_INTERVAL]
    more = [
        cell
        for cell in all_cells(options.worlds, options.interval_draws)
        if cell.draw >= options.draws and soon_drawn(cell)
    ]
    only_default = [name for name in with_interval if name == told.DEFAULT]
    plan = {
        "truths": (truths.TRUTHS, lambda _: missing_truths(folder, options.worlds)),
        "predictions": (
            cells.PREDICTIONS,
            lambda path: missing_rows(path, cells.predict, every, options.methods),
        ),
        "outcomes": (truths.OUTCOMES, lambda path: missing_outcomes(path, [*every, *more])),
        "backtests": (
            backtests.HEADER,
            lambda path: missing_rows(
                path, backtests.backtest, filter(backtests.tested, every), list(backtests.MEMBERS)
            ),
        ),
        "intervals": (
            cells.INTERVALS,
            lambda path: chain(
                missing_rows(path, cells.intervals, every, with_interval),
                missing_rows(path, cells.intervals, more, only_default),
            ),
        ),
    }
    complete = True
    for part in options.parts:
        header, jobs = plan[part]
        path = folder / f"{part}.csv"
        complete &= run(path, header, jobs(path), deadline, options.n_jobs)
    scoring.write_all(folder)
    ablation.write(folder)
    told.write(folder)
    return 0 if complete else 3


if __name__ == "__main__":
    sys.exit(main())
