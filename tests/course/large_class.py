"""Mark a class of 120, thirty of them attackers, and compare every mark with what is known beforehand.

Run from the root of the sources: ``python -m tests.course.large_class``. It takes some minutes.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np

from classex.cli import main
from tests.course.attacks import ATTACKS, cells
from tests.course.strange_notebooks import LETTERS, NAMES, NOTEBOOKS, SETUP, TIES, WINS

ASKED = {"classex": {"exercises": list(NAMES)}}
COPIES = 'answer = [3 / 4, 1 - 0.98**50, 1 - np.exp(-1)]\ncheck("exr-ch1-copies", answer)'
WRONG = {"w": WINS.replace("3 / 5", "4 / 5"), "t": TIES.replace("3 / 4", "1"), "c": COPIES.replace("3 / 4", "1 / 4")}


def write(folder: Path, codes: list[str]) -> None:
    """Write a notebook into the folder of its student."""
    folder.mkdir(parents=True)
    made = [nbformat.v4.new_code_cell(code) for code in codes]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=ASKED), folder / "01d_exercises.ipynb")


def build(folder: Path) -> dict[str, str]:
    """Write the notebooks of the class, and return which exercises each student has right."""
    rng = np.random.default_rng(120)
    right = {}
    for number, (codes, passed) in enumerate(NOTEBOOKS.values()):
        right[f"strange {number}"] = passed
        write(folder / f"strange {number}", codes)
    for number in range(90 - len(NOTEBOOKS)):
        passed = "".join(letter for letter in "wtc" if rng.random() < 0.7)
        answers = zip("wtc", (WINS, TIES, COPIES), strict=True)
        right[f"honest {number}"] = passed
        write(folder / f"honest {number}", [SETUP, *(one if key in passed else WRONG[key] for key, one in answers)])
    places = {"secret": folder / "secret.txt", "zoe": folder / "honest 0" / "01d_exercises.ipynb", "port": 9}
    # what takes time without end or much memory is marked with the rest, the others in turn
    for name in rng.permutation(list(ATTACKS))[:30]:
        right[str(name)] = "t"
        write(folder / str(name), cells(str(name), **places))
    return right


def run() -> int:
    """Mark the class and print the minutes, and every mark that is not the expected one."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        expected = build(folder / "back")
        began = time.monotonic()
        options = ["--csv", folder / "marks.csv", "--jobs", 2, "--time-limit", 20]
        status = main(list(map(str, ["mark", folder / "back", *options])))
        minutes = (time.monotonic() - began) / 60
        with (folder / "marks.csv").open(encoding="utf-8", newline="") as file:
            marks = list(csv.DictReader(file))
    found = {
        name: {row["exercise"] for row in marks if row["student"] == name and row["passed"] == "yes"}
        for name in expected
    }
    wrong = [name for name, passed in expected.items() if found[name] != {LETTERS[letter] for letter in passed}]
    print(f"{len(expected)} students in {minutes:.1f} minutes, status {status}; not as expected: {wrong or 'none'}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(run())
