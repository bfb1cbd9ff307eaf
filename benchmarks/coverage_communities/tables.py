"""From the ends of intervals to the table of the study."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER = ("kind", "case", "target", "truth", "runs", "coverage", "standard_error", "below", "above", "width")
FloatArray = NDArray[np.float64]
Rows = list[list[object]]


def coverage_rows(kind: str, name: str, targets: list[str], truths: FloatArray, ends: FloatArray) -> Rows:
    """One row a target, from ends of shape (runs, targets, 2)."""
    rows: Rows = []
    for target, truth, (low, high) in zip(targets, truths, np.moveaxis(ends, 0, -1), strict=True):
        below, above = float((high < truth).mean()), float((low > truth).mean())
        covered, width = 1 - below - above, float(np.median(high - low))
        error = np.sqrt(covered * (1 - covered) / low.size)
        numbers = (f"{x:.4f}" for x in (covered, error, below, above, width))
        rows.append([kind, name, target, f"{truth:.6g}", low.size, *numbers])
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
