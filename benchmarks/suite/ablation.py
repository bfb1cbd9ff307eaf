"""What other teams would have done: made from the stored predictions.

The predictions of a team of laws are the weighted means of its members', so no law is fitted again. The first teams
were compared on three of the worlds, so these and the others stand apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suite import scoring
from classex.laws import ENSEMBLE_WEIGHTS

HEADER = "team,tasks,ratio,worst,ratio_where_chosen,ratio_elsewhere"
CHOSEN_ON = ("words", "Gaussian", "glyphs")
_RANKS, _GP = "Gaussian process", "Gaussian process with scores"
_TWO, _MIXTURE, _FREE = "probit-normal", "mixture of ranks", "empirical Bayes"
# the default's process reads the scores, and a law of scores joins it where their rows are alike
TEAMS: Mapping[str, Mapping[str, float]] = {
    "the default": {"ensemble": 1.0},
    "the default without its law of scores": {
        _GP if name == _RANKS else name: weight for name, weight in ENSEMBLE_WEIGHTS.items()
    },
    "the default, from ranks alone": ENSEMBLE_WEIGHTS,
    "Gaussian process alone": {_GP: 1.0},
    "Gaussian process from ranks alone": {_RANKS: 1.0},
    ".8 Gaussian process, .2 probit-normal": {_GP: 0.8, _TWO: 0.2},
    ".5 Gaussian process, .5 probit-normal": {_GP: 0.5, _TWO: 0.5},
    ".9 Gaussian process, .1 mixture of ranks": {_GP: 0.9, _MIXTURE: 0.1},
    ".5 Gaussian process, .5 mixture of ranks": {_GP: 0.5, _MIXTURE: 0.5},
    ".9 Gaussian process, .1 empirical Bayes": {_GP: 0.9, _FREE: 0.1},
    ".8 Gaussian process, .1 probit-normal, .1 empirical Bayes": {_GP: 0.8, _TWO: 0.1, _FREE: 0.1},
    ".5 mixture of ranks, .5 empirical Bayes": {_MIXTURE: 0.5, _FREE: 0.5},
}


def ratios(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """World and ratio to the best method in hindsight, for every team and task that all members took part in."""
    out: dict[str, list[tuple[str, float]]] = {name: [] for name in TEAMS}
    needed = {member for team in TEAMS.values() for member in team}
    for task, _, error in scoring.measured(folder):
        if not needed <= set(error):
            continue
        best = max(min(scoring.rmse(values)[0] for values in error.values()), 1e-6)
        mixed = {name: sum(w * error[member] for member, w in team.items()) for name, team in TEAMS.items()}
        for name, values in mixed.items():
            out[name].append((task.world, scoring.rmse(np.asarray(values))[0] / best))
    return out


def rows(folder: Path) -> list[list[Any]]:
    """One row a team: tasks, geometric mean ratio, worst, and the means over the two halves of the worlds."""
    out: list[list[Any]] = []
    for name, found in ratios(folder).items():
        logs = np.log([max(ratio, 1e-3) for _, ratio in found])
        here = np.array([world in CHOSEN_ON for world, _ in found], dtype=bool)
        parts = [logs, logs[here], logs[~here]]
        means = [f"{np.exp(part.mean()):.3f}" if part.size else "" for part in parts]
        out.append([name, logs.size, means[0], f"{np.exp(logs.max()):.2f}" if logs.size else "", *means[1:]])
    return out


def write(folder: Path) -> None:
    """Write ``ablation.csv``."""
    scoring.write(folder / "ablation.csv", HEADER, rows(folder))
