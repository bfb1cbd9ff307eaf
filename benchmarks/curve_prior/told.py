"""How near the default could come to the best in hindsight if its numbers were fitted to the truths themselves.

``python -m benchmarks.curve_prior.told`` writes ``told.csv``: the mean ratio of the leaderboard over all tasks and
draws of the suite, and the worst, for the default without its law of scores; with the weights of the other two laws for
which that very ratio is least; with such weights and such numbers of the prior; and with both for somebody who in
addition may take the mixture in those worlds where it errs less. The methods that set the measure stay what they are,
but for the default and the Gaussian process, with scores and without, whose numbers are these. ``observed.csv`` has the
curves that the laws are fitted to: mean and standard deviation, over the draws, of the probit accuracy by number of
classes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import optimize, special

from benchmarks.curve_prior.__main__ import HERE, STEP, WORLDS, FloatArray, Task, observed, posterior, prior_of
from benchmarks.suite import scoring
from benchmarks.suite.told import DEFAULT, root
from classex.laws import ENSEMBLE_WEIGHTS, CurvePrior

COMMAND = "python -m benchmarks.curve_prior.told"
HEADER = "rule,normal,wander,reach,scores,weight,ratio,worst"
OBSERVED = "world,recogniser,k1,n_classes,probit,deviation"
DRAWS = 40
PROCESS, WITH_SCORES, NORMAL, MIXTURE = "Gaussian process", "Gaussian process with scores", "probit-normal", "mixture"
AS_IS = "the default without its law of scores"
WEIGHED, FITTED = "weights fitted to the truths", "weights and prior fitted"
AND_MIXTURE = "fitted, and the mixture where it errs less"


class Field(NamedTuple):
    """A task's curves, and errors of other methods by target: least of all (targets,), of two laws (targets, draws)."""

    task: Task
    least: FloatArray
    normal: FloatArray
    mixture: FloatArray | None


def field(task: Task, errors: dict[scoring.Task, scoring.Errors]) -> Field:
    """Look up what the other methods have done from the same draws."""
    of_target = [errors[scoring.Task(task.world, task.recogniser, task.k1, int(k))] for k in task.targets]
    others = [[e for name, e in found.items() if name not in (DEFAULT, PROCESS, WITH_SCORES)] for found in of_target]
    least = np.array([min(float(root(e)) for e in each) for each in others])
    mixture = np.array([found[MIXTURE] for found in of_target]) if all(MIXTURE in f for f in of_target) else None
    return Field(task, least, np.array([found[NORMAL] for found in of_target]), mixture)


def logs(prior: CurvePrior, weight: float, fields: Iterable[Field], *, scores: bool) -> FloatArray:
    """Logarithms of the ratios by task, the targets of a task one after the other."""
    by_world: dict[str, list[tuple[FloatArray, FloatArray]]] = {}
    for task, least, normal, mixture in fields:
        process, of_ranks = (
            (special.ndtr(posterior(prior, seen)[0]) - special.ndtr(task.truth)).T
            for seen in (task, task._replace(trust=None))
        )
        team = root(weight * process + (1 - weight) * normal)
        best = np.maximum(np.min([least, root(process), root(of_ranks), team], axis=0), 1e-6)
        other = team if mixture is None else root(mixture)
        by_world.setdefault(task.world, []).append((np.log(team / best), np.log(other / best)))
    out = []
    for world in by_world.values():
        team, other = (np.concatenate(part) for part in zip(*world, strict=True))
        out.append(other if scores and other.mean() < team.mean() else team)
    return np.concatenate(out)


def weighed(fields: list[Field]) -> float:
    """Return the weight of the process for which the mean logarithm is least, with the prior as it is."""
    found = optimize.minimize_scalar(
        lambda weight: logs(CurvePrior(), weight, fields, scores=False).mean(), bounds=(0, 1), method="bounded"
    )
    return float(found.x)


def fitted(fields: list[Field], *, scores: bool) -> tuple[CurvePrior, float]:
    """Return the prior and the weight of the process for which the mean logarithm is least."""
    usual = CurvePrior()
    start = np.array(
        [usual.normal, np.log(usual.wander), np.log(usual.reach),
         special.logit(usual.scores), special.logit(ENSEMBLE_WEIGHTS[PROCESS])]
    )  # fmt: skip
    found = optimize.minimize(
        lambda place: logs(_prior(place), special.expit(place[4]), fields, scores=scores).mean(), start,
        method="Nelder-Mead",
        options={"maxiter": 400, "xatol": 0.005, "fatol": 1e-5, "initial_simplex": [start, *start + STEP * np.eye(5)]},
    )  # fmt: skip
    return _prior(found.x), float(special.expit(found.x[4]))


def _prior(place: FloatArray) -> CurvePrior:
    return replace(prior_of(place[:3]), scores=float(special.expit(place[3])))


def rows(fields: list[Field]) -> list[list[str]]:
    """The default without its law of scores, and those who are told the truths."""
    out = []
    for rule, (prior, weight) in {
        AS_IS: (CurvePrior(), ENSEMBLE_WEIGHTS[PROCESS]),
        WEIGHED: (CurvePrior(), weighed(fields)),
        FITTED: fitted(fields, scores=False),
        AND_MIXTURE: fitted(fields, scores=True),
    }.items():
        found = np.exp(logs(prior, weight, fields, scores=rule == AND_MIXTURE))
        numbers = (
            prior.normal,
            prior.wander,
            prior.reach,
            prior.scores,
            weight,
            np.exp(np.log(found).mean()),
            found.max(),
        )
        out.append([rule, *(f"{number:.4f}" for number in numbers)])
    return out


def curves(tasks: Iterable[Task]) -> list[list[object]]:
    """One row for every number of classes at which a recogniser was observed."""
    return [
        [task.world, task.recogniser, task.k1, f"{size:.0f}", f"{mean:.4f}", f"{deviation:.4f}"]
        for task in tasks
        for size, mean, deviation in zip(
            task.sizes, task.probit.mean(axis=0), task.probit.std(axis=0, ddof=1), strict=True
        )
    ]


def main(argv: list[str] | None = None) -> int:
    """Gather the curves, and write the tables."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(argv)
    errors = {task: found for task, _, found in scoring.measured(scoring.HERE)}
    parts = Parallel(options.jobs)(delayed(observed)(world, DRAWS) for world in WORLDS)
    fields = [field(task, errors) for part in parts for task in part]
    scoring.write(HERE / "observed.csv", OBSERVED, curves(each.task for each in fields), COMMAND)
    scoring.write(HERE / "told.csv", HEADER, rows(fields), COMMAND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
