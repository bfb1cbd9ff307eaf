"""Methods that read scores: ``python -m benchmarks.suite.scored FEATURES`` adds them to the stored predictions.

Scores are not stored here, only ranks: they come from the features that the recipes make. The draws are those of
`observe.py`, of every task with at most `MOST` observed classes.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import classex as cx
from benchmarks.suite import cells, observe, scoring
from benchmarks.suite.__main__ import HERE, TABLES
from benchmarks.suite.methods import FROM_SCORES
from benchmarks.suite.recipes import load

MOST = 500


def main(features: Path, kinds: list[str]) -> int:
    """Predict from the scores of every draw, keep what the methods said, and make the tables anew."""
    stored = scoring.read(HERE / "predictions.npz")
    for kind in kinds or cells.kinds():
        for path in sorted((features / kind).glob("*.npz")):
            test, references = load(path)
            n = references.shape[0]
            for task in cells.tasks(kind):
                if task.recogniser != path.stem or task.k1 > MOST:
                    continue
                sizes, count = cells.wanted(task), cells.n_draws(task)
                found = {method: np.full((count, sizes.size), np.nan) for method in FROM_SCORES}
                for draw in range(count):
                    scores, labels = observe.scores(test, references, observe.drawn(kind, task.k1, draw, n))
                    for method, make in FROM_SCORES.items():
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")  # lack of fit: what follows from it is what is measured
                            try:
                                found[method][draw] = make().fit(scores, labels).predict(sizes)
                            except (ValueError, cx.exceptions.SolverError):
                                continue  # no kernel density where many scores are equal
                stored |= {scoring.key(method, task): values for method, values in found.items()}
        print(kind, flush=True)
        scoring.save(HERE / "predictions.npz", stored)
    scoring.write_tables(HERE, TABLES)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
