"""Parts of the default switched off in turn: ``python -m benchmarks.ablation`` writes ``parts.csv`` and ``rules.csv``.

A part is a component of the prior, the power of its evidence, the hypothetical point, or the interval of the last
accuracy. It is switched off on the suite, with priors that have not seen the domain, and on the adversary's cells of
`extrapolate`. The rules are what widens the intervals of the methods that resample.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from benchmarks.adversarial import __main__ as adversary
from benchmarks.adversarial.table import CELLS
from benchmarks.suite import cells
from benchmarks.suite.prior import LEVEL, SMALL, Draw, draws, prior_without
from classex.forecast import Beta, CurvePrior, Straight
from classex.forecast import forecast as intervals
from classex.methods import gaussian_process

FloatArray = NDArray[np.float64]
HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.ablation"
PARTS = "part,error,coverage,least_coverage,least_near,score,width,adversary,adversary_rows_below_90"
RULES = "method,rule,coverage,least_coverage,score"
# Every third draw of the suite's tasks
STEP = 3
# Data sets of an adversary's cell
N_SETS = 20


def without(keep: Callable[[Any], bool]) -> Callable[[CurvePrior], CurvePrior]:
    """A prior with some components alone."""
    return lambda prior: replace(prior, components=tuple(part for part in prior.components if keep(part)))


def shapes(keep: Callable[[float, float], bool]) -> Callable[[CurvePrior], CurvePrior]:
    """A prior with some of the beta curves, each with its weight."""

    def change(part: Any) -> Any:
        if not isinstance(part, Beta):
            return part
        kept = tuple(shape for shape in part.shapes if keep(*shape))
        return replace(part, shapes=kept, weight=part.weight * len(kept) / len(part.shapes))

    return lambda prior: replace(prior, components=tuple(map(change, prior.components)))


VARIANTS: dict[str, Callable[[CurvePrior], CurvePrior]] = {
    "none": lambda prior: prior,
    "straight curves with slope deviation .4": without(
        lambda p: getattr(p, "slope_sd", 0) != 0.4 or p.axis != "decades"
    ),
    "straight curves with slope deviation .8": without(lambda p: getattr(p, "slope_sd", 0) != 0.8),
    "beta curves": without(lambda p: not isinstance(p, Beta)),
    "beta curves that flatten": shapes(lambda b, _: b >= 1),
    "beta curves that steepen": shapes(lambda b, _: not 1 <= b < 20),
    "points alike": shapes(lambda b, _: b < 20),
    "hopeless points": shapes(lambda _, h: h == 0),
    "curves on the axis of normal scores": without(lambda p: not isinstance(p, Straight) or p.axis == "decades"),
    "whole evidence (its root instead)": lambda prior: replace(prior, temper=0.5),
}


def of_suite(change: Callable[[CurvePrior], CurvePrior], kinds: list[str]) -> list[float]:
    """Error as a root mean square over draws, geometric mean over tasks and domains; coverage; score; width."""
    found = []
    for kind in kinds:
        prior = change(prior_without(kind))
        by_task: dict[Any, list[FloatArray]] = {}
        for draw in draws(kind)[::STEP]:
            by_task.setdefault(draw.task, []).append(_judged(draw, prior))
        error = [0.5 * np.log(np.maximum(np.mean(rows, axis=0)[0], 1e-12)).mean() for rows in by_task.values()]
        each = np.concatenate([np.concatenate(rows, axis=1) for rows in by_task.values()], axis=1)
        score, width = (np.mean([np.mean(rows, axis=(0, 2))[i] for rows in by_task.values()]) for i in (3, 4))
        found.append([np.mean(error), each[1].mean(), each[2].mean(), score, width])
    error, covered, near, score, width = np.transpose(found)
    return [
        float(x) for x in (np.exp(error.mean()), covered.mean(), covered.min(), near.min(), score.mean(), width.mean())
    ]


def _judged(draw: Draw, prior: CurvePrior) -> FloatArray:
    """Squared error, whether covered, whether nearly, interval score and width: (5, n_wanted)."""
    low, high = draw.interval(prior).T
    miss = np.maximum(low - draw.truth, 0) + np.maximum(draw.truth - high, 0)
    error = draw.predict(prior) - draw.truth
    return np.stack([error**2, miss < 1e-9, miss < SMALL, high - low + 2 / (1 - LEVEL) * miss, high - low])


def of_adversary(change: Callable[[CurvePrior], CurvePrior]) -> list[float]:
    """Mean coverage of the cells of `extrapolate`, small misses aside, and the number of settings below .90."""
    covered = []
    with using(change(gaussian_process.ACCURACY_CURVES)):
        for cell in CELLS:
            if cell.function == "extrapolate":
                truth, low, high = adversary.experiments(replace(cell, draws=N_SETS)).transpose(2, 1, 0)
                covered += np.mean((low - SMALL <= truth) & (truth <= high + SMALL), axis=1).tolist()
    return [float(np.mean(covered)), float(np.sum(np.array(covered) < 0.9))]


@contextmanager
def using(prior: CurvePrior) -> Iterator[None]:
    """Let the default have another prior."""
    usual = gaussian_process.ACCURACY_CURVES
    gaussian_process.ACCURACY_CURVES = prior
    try:
        yield
    finally:
        gaussian_process.ACCURACY_CURVES = usual


# ---- the rules of methods that resample
def _nothing_added(*arguments: Any) -> FloatArray:
    return np.zeros_like(arguments[2])


def _not_widened(ends: FloatArray, *_: Any, **__: Any) -> FloatArray:
    return ends


OFF: dict[str, dict[str, Any]] = {
    "none": {},
    "lack of fit is added": {"lack_of_fit": _nothing_added},
    "widened to the probit-normal method": {"_widened_to_probit_normal": _not_widened},
}


def of_rules(method: Any, names: dict[str, Any], kinds: list[str]) -> list[float]:
    """Error, coverage, least coverage in a domain, and score, of two draws of the tasks with at most 100 classes."""
    usual = {name: getattr(intervals, name) for name in names}
    for name, off in names.items():
        setattr(intervals, name, off)
    found = []
    try:
        for kind in kinds:
            rows = []
            for draw in (d for d in draws(kind) if d.task.k1 <= 100):
                if draw.number > 1:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fit = cx.Extrapolator(method).fit_ranks(cells.ranks(draw.task, draw.number))
                    low, high = fit.predict_interval(draw.wanted, n_resamples=20).T
                miss = np.maximum(low - draw.truth, 0) + np.maximum(draw.truth - high, 0)
                rows.append([miss < 1e-9, high - low + 2 / (1 - LEVEL) * miss])
            found.append(np.concatenate(rows, axis=1).mean(axis=1))
    finally:
        for name, own in usual.items():
            setattr(intervals, name, own)
    covered, score = np.transpose(found)
    return [float(covered.mean()), float(covered.min()), float(score.mean())]


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--rules", action="store_true", help="the rules of the methods that resample alone")
    kinds, rows = cells.kinds(), []
    if not parser.parse_args(argv).rules:
        for name, change in VARIANTS.items():
            rows.append([name, *(f"{x:.4f}" for x in (*of_suite(change, kinds), *of_adversary(change)))])
            print(*rows[-1], flush=True)
        study.write(HERE / "parts.csv", COMMAND, PARTS, rows)
    rows = []
    for method in ("probit-normal", "beta-binomial", "exponential"):
        for name, off in OFF.items():
            rows.append([method, name, *(f"{x:.4f}" for x in of_rules(method, off, kinds))])
            print(*rows[-1], flush=True)
    study.write(HERE / "rules.csv", COMMAND, RULES, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
