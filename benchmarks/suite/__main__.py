"""Every method on every kind of recogniser: ``python -m benchmarks.suite``.

Every method predicts from every draw of every recogniser (`observe.py`), and gives its nominal 95 % intervals. The
default uses the prior that was learnt without the kind it is reported on (`prior.py`). ``predictions.npz`` and
``intervals.npz`` keep what the methods said; ``kinds.csv`` has, for every kind and method, the ratio of its error to
that of the best single method in hindsight, its bias, and how often and how widely its intervals cover; and
``leaderboard.csv`` the geometric mean of the ratios over kinds, which count alike, and the worst kind.

``--quick`` runs two draws of every task, without the intervals that need refits, and prints the leaderboard.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import classex as cx
from benchmarks import study
from benchmarks.suite import cells, entry, scoring
from benchmarks.suite.cells import TARGETS, Task
from benchmarks.suite.methods import DEFAULT, METHODS
from benchmarks.suite.prior import NONE, TARGET, prior_without

HERE = Path(__file__).parent
TABLES = study.STORED / "suite"
FloatArray = NDArray[np.float64]
# refits of the methods whose intervals rest on them, and the tasks and draws where they are made
REFITS, MOST_REFITTED, REFITTED_DRAWS = 30, 500, 2
CLOSED = (DEFAULT, "probit-normal", "beta-binomial")


@lru_cache
def learnt() -> frozenset[str]:
    """Domains for which a prior was learnt without them."""
    return frozenset(row["without"] for row in study.read(TARGET))


def fitted(method: str, task: Task, draw: int) -> Any:
    """One method, fitted to one draw; the default with the prior that has not seen the kind.

    Domains that took no part in `prior.py` have no line in its table: theirs is the prior that has seen the others.
    """
    made = (
        cx.Extrapolator(cx.methods.GaussianProcess(prior_without(task.kind if task.kind in learnt() else NONE)))
        if method == DEFAULT
        else METHODS[method]()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lack of fit: what follows from it is what is measured
        return made.fit_ranks(cells.ranks(task, draw))


def predictions(method: str, task: Task, draws: int) -> FloatArray:
    """Predictions from every draw, shape (draws, n_wanted); not a number where the solver failed."""
    sizes = cells.wanted(task)
    found = np.full((draws, sizes.size), np.nan)
    for draw in range(draws):
        try:
            found[draw] = fitted(method, task, draw).predict(sizes)
        except cx.exceptions.SolverError:
            continue
    return found


def intervals(method: str, task: Task, draws: int) -> FloatArray:
    """Ends of the intervals for every target, shape (3, draws, n_wanted, 2); not a number where none were made."""
    sizes = cells.wanted(task)
    found = np.full((len(TARGETS), draws, sizes.size, 2), np.nan)
    if method != DEFAULT and not hasattr(METHODS[method](), "predict_interval"):
        return found
    if method not in CLOSED:
        draws = min(draws, REFITTED_DRAWS) if task.k1 <= MOST_REFITTED else 0
    for draw in range(draws):
        made = fitted(method, task, draw)
        for i, target in enumerate(TARGETS if method == DEFAULT else TARGETS[:1]):
            known = cells.is_known(task, target)
            if known.any():
                options = {"target": target, "n_resamples": REFITS, "rng": draw}
                options |= {} if target == "average" else {"n_repeats": cells.n_repeats(task)}
                try:
                    found[i, draw, known] = made.predict_interval(sizes[known], **options)
                except cx.exceptions.SolverError:
                    continue
    return found


def run(kinds: list[str], methods: list[str], draws: int | None, folder: Path, tables: Path, *, quick: bool) -> None:
    """Make what is asked for anew, keep the rest, and write the tables."""
    stored = {part: scoring.read(folder / f"{part}.npz") for part in ("predictions", "intervals")}
    for kind in kinds:
        for task in cells.tasks(kind):
            count = min(cells.n_draws(task), draws or cells.n_draws(task))
            for method in methods:
                key = scoring.key(method, task)
                stored["predictions"][key] = predictions(method, task, count)
                if not quick or method == DEFAULT:
                    stored["intervals"][key] = intervals(method, task, count)
        print(kind, flush=True)
        for part, arrays in stored.items():
            scoring.save(folder / f"{part}.npz", arrays)
    scoring.write_tables(folder, tables)


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=cells.kinds(), default=cells.kinds())
    parser.add_argument("--methods", nargs="+", choices=(*METHODS, DEFAULT), default=[*METHODS, DEFAULT])
    parser.add_argument("--draws", type=int, help="draws of each task; by default all")
    parser.add_argument("--folder", type=Path, default=HERE, help="where predictions are kept")
    parser.add_argument("--method", help="a method from elsewhere, package.module:Name; see entry.py")
    parser.add_argument("--quick", action="store_true", help="two draws, in the folder given")
    options = parser.parse_args(argv)
    for name in ("quick", "method"):
        if getattr(options, name) and options.folder == HERE:
            parser.error(f"--{name} needs a --folder of its own")
    options.folder.mkdir(parents=True, exist_ok=True)
    draws = 2 if options.quick else options.draws
    if options.method:
        try:
            with threadpool_limits(1):
                print(entry.run(options.method, options.kinds, draws, options.folder, HERE, partial(fitted, DEFAULT)))
        except entry.EntryError as error:
            parser.error(str(error))
        return 0
    tables = TABLES if options.folder == HERE else options.folder
    with threadpool_limits(1):  # matrices are small: several threads take four times the processor time
        run(options.kinds, options.methods, draws, options.folder, tables, quick=options.quick)
    print((tables / "leaderboard.csv").read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
