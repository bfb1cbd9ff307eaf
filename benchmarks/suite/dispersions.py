"""How alike the rows of the recognisers' wrong scores are: ``python -m benchmarks.suite.dispersions``.

``dispersions.csv`` has the mean, the least and the largest dispersion (`classex.laws.tail_dispersion`) over those of
ten draws that have one, for every recogniser of the suite with 200 observed classes or more, by their means.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks.suite import cells, scoring
from benchmarks.suite.__main__ import all_cells
from benchmarks.suite.cells import EXACT, Cell
from benchmarks.suite.scoring import REAL
from classex.laws import tail_dispersion

TARGET = Path(__file__).parent / "dispersions.csv"
COMMAND = "python -m benchmarks.suite.dispersions"
HEADER = "world,recogniser,k1,draws,mean,least,largest"
DRAWS, FEWEST = 10, 200


def dispersion(cell: Cell) -> float:
    """Dispersion of one draw; not a number where the scores do not allow it."""
    found = tail_dispersion(*cells.world_of(cell.world).draw(cell.recogniser, cell.k1, cell.draw))
    return np.nan if found is None else found


def rows() -> list[list[Any]]:
    """One row a recogniser and number of classes."""
    every = [cell for cell in all_cells([*EXACT, *REAL], DRAWS) if cell.k1 >= FEWEST]
    values = np.reshape(Parallel(2)(delayed(dispersion)(cell) for cell in every), (-1, DRAWS))
    named = [(cell[:3], found) for cell, found in zip(every[::DRAWS], values, strict=True)]
    known = sorted(((of, x[np.isfinite(x)]) for of, x in named), key=lambda row: float(row[1].mean()))
    return [[*of, x.size, *(f"{f(x):.3f}" for f in (np.mean, np.min, np.max))] for of, x in known]


def main() -> int:
    """Write the table."""
    scoring.write(TARGET, HEADER, rows(), COMMAND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
