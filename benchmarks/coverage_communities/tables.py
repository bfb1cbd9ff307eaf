"""From the ends of intervals to the two tables of the study."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER = ("kind", "case", "target", "truth", "runs", "coverage", "standard_error", "below", "above", "width")
LAW_HEADER = ("kind", "case", "law", "target", "truth", "runs", "coverage", "half_width", "spread", "ratio")
REPLAY_HEADER = ("kind", "case", "run", "target", "low", "high")
FloatArray = NDArray[np.float64]
Rows = list[list[object]]


def by_target(truths: FloatArray, ends: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Lower ends, upper ends and truths of the runs, target by target, from ends as in `coverage_rows`."""
    for place, truth in enumerate(truths):
        low, high = ends[:, place, :2].T
        yield low, high, ends[:, place, 2] if ends.shape[2] == 3 else np.full(low.size, truth)


def coverage_rows(kind: str, name: str, targets: list[str], truths: FloatArray, ends: FloatArray) -> Rows:
    """One row a target, from ends of shape (runs, targets, 2), or (runs, targets, 3) with the truth of every run."""
    rows: Rows = []
    varies = ends.shape[2] == 3
    for target, truth, (low, high, true) in zip(targets, truths, by_target(truths, ends), strict=True):
        below, above = float((high < true).mean()), float((low > true).mean())
        covered, width = 1 - below - above, float(np.median(high - low))
        error = np.sqrt(covered * (1 - covered) / low.size)
        numbers = (f"{x:.4f}" for x in (covered, error, below, above, width))
        rows.append([kind, name, target, "varies" if varies else f"{truth:.6g}", low.size, *numbers])
    return rows


def law_rows(
    kind: str, name: str, targets: list[str], truths: FloatArray, ends: FloatArray, laws: Sequence[str]
) -> Rows:
    """One row a law and target: the half width, and the standard deviation of the middles, which chance alone makes."""
    rows: Rows = []
    for law in dict.fromkeys(laws):
        own = ends[np.array([one == law for one in laws])]
        for place, (target, truth) in enumerate(zip(targets, truths, strict=True)):
            low, high = own[:, place, :2].T
            true = float(own[0, place, 2] if own.shape[2] == 3 else truth)
            half, spread = float(np.median(high - low)) / 2, float(((low + high) / 2).std())
            covered = float(((low <= true) & (true <= high)).mean())
            numbers = (f"{x:.4f}" for x in (covered, half, spread, half / spread))
            rows.append([kind, name, law, target, f"{true:.6g}", low.size, *numbers])
    return rows


def write(file: Path, header: Sequence[str], rows: Rows, cells: Sequence[tuple[str, str]], comment: str) -> None:
    """Write a table; rows of cells that are not among these stay as they are."""
    old: Rows = []
    if file.exists():
        with file.open(encoding="utf-8") as stored:
            table = csv.reader(line for line in stored if not line.startswith("#"))
            old = [[*row] for row in table][1:]
    new = {(row[0], row[1]) for row in rows}
    order = {cell: place for place, cell in enumerate(cells)}
    every = [row for row in old if (row[0], row[1]) in order and (row[0], row[1]) not in new] + rows
    every.sort(key=lambda row: order[str(row[0]), str(row[1])])
    with file.open("w", newline="", encoding="utf-8") as out:
        out.write(f"# {comment}\n")
        csv.writer(out, lineterminator="\n").writerows([header, *every])
