"""From stored predictions and intervals to the tables of the suite."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import study
from benchmarks.suite import cells
from benchmarks.suite.cells import TARGETS, Task
from benchmarks.suite.methods import DEFAULT

FloatArray = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
COMMAND = "python -m benchmarks.suite"
KINDS = "kind,method,tasks,ratio,bias,coverage,coverage_standard_error,width"
BOARD = "method,kinds,geometric_mean_ratio,worst_ratio,worst_kind,bias,least_coverage,largest_coverage"
COVERAGE = "kind,target,intervals,coverage,standard_error,width,interval_score"
CURVES = "kind,recogniser,K,accuracy"
REACH = "reach,target,intervals,coverage,standard_error,width,interval_score"
# the tables that pages of the book show; the package holds no others
SHOWN = ("curves", "kinds", "leaderboard", "coverage", "curves_new", "leaderboard_new", "coverage_new")
REACHES = {"up to 20": (0, 20), "20 to 100": (20, 100), "above 100": (100, np.inf)}
LEVEL = 0.95


def save(path: Path, arrays: Arrays) -> None:
    """Write arrays of numbers between 0 and 1, in steps of 1 / 65,534; 65,535 stands for not a number."""
    shapes = [" ".join(map(str, array.shape)) for array in arrays.values()]
    whole = np.concatenate([array.ravel() for array in arrays.values()])
    steps = np.where(np.isnan(whole), 65_535, np.rint(whole * 65_534)).astype(np.uint16)
    np.savez_compressed(path, allow_pickle=False, names=list(arrays), shapes=shapes, steps=steps)


def read(path: Path) -> Arrays:
    """Arrays of a file; none if there is none."""
    if not path.exists():
        return {}
    with np.load(path, allow_pickle=False) as file:
        names, steps = file["names"].tolist(), file["steps"]
        shapes = [tuple(map(int, shape.split())) for shape in file["shapes"].tolist()]
    whole = np.where(steps == 65_535, np.nan, steps / 65_534)
    parts = np.split(whole, np.cumsum([np.prod(shape) for shape in shapes])[:-1])
    return {name: part.reshape(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}


def key(method: str, task: Task) -> str:
    """Name of an array."""
    return "|".join(map(str, (method, *task)))


def results(predictions: Arrays, apart: Collection[str] = (DEFAULT,)) -> list[list[Any]]:
    """One row for each task, number of classes and method: bias, RMSE, and its ratio to that of the best single method.

    The default is no single method. Failed predictions count as .5.
    """
    methods = list(dict.fromkeys(name.split("|")[0] for name in predictions))
    rows = []
    for kind in cells.kinds():
        for task in cells.tasks(kind):
            stored = {m: predictions[key(m, task)] for m in methods if key(m, task) in predictions}
            found = {m: np.nan_to_num(values, nan=0.5) for m, values in stored.items()}
            if not set(found) - set(apart):
                continue
            for i, (size, truth) in enumerate(zip(cells.wanted(task), cells.truth(task), strict=True)):
                error = {m: values[:, i].astype(np.float64) - truth for m, values in found.items()}
                rmse = {m: float(np.sqrt(np.mean(np.square(e)))) for m, e in error.items()}
                best = min(value for m, value in rmse.items() if m not in apart)
                for m, e in error.items():
                    rows.append([*task, size, m, e.size, truth, float(e.mean()), rmse[m], rmse[m] / max(best, 1e-6)])
    return rows


def covered(intervals: FloatArray, outcome: FloatArray) -> tuple[NDArray[np.bool_], FloatArray, FloatArray]:
    """Whether each interval covers, its width, and its interval score (Gneiting and Raftery 2007); by draw."""
    made = ~np.isnan(intervals[..., 0]) & ~np.isnan(outcome)
    low, high, value = intervals[..., 0][made], intervals[..., 1][made], outcome[made]
    missed = np.maximum(low - value, 0) + np.maximum(value - high, 0)
    # ends are stored in steps of 1.5e-5
    return missed <= 1e-5, high - low, high - low + 2 / (1 - LEVEL) * missed


def coverage(
    intervals: Arrays, method: str, kinds: Sequence[str], target: str, reach: tuple[float, float] = (0, np.inf)
) -> list[float]:
    """Number of intervals, coverage and its standard error, mean width, mean interval score.

    Only for K / k1 above the first number of ``reach`` and at most the second.

    The recognisers of a kind see the same classes in a draw, and their intervals are not independent: the standard
    error is that of a ratio of sums over draws.
    """
    parts: list[tuple[Any, ...]] = []
    draws: dict[tuple[str, int, int], list[NDArray[np.bool_]]] = {}
    index = TARGETS.index(target)
    for task in (task for kind in kinds for task in cells.tasks(kind)):
        if key(method, task) not in intervals:
            continue
        times = cells.wanted(task) / task.k1
        near = (times > reach[0]) & (times <= reach[1])
        ends = intervals[key(method, task)][index][:, near].astype(np.float64)
        outcome = cells.outcome(task, target)[: len(ends), near]
        parts.append(covered(ends, outcome))
        for draw in range(len(ends)):
            draws.setdefault((task.kind, task.k1, draw), []).append(covered(ends[draw], outcome[draw])[0])
    inside, width, score = (np.concatenate([part[i] for part in parts] or [np.empty(0)]) for i in range(3))
    if not inside.size:
        return [0, np.nan, np.nan, np.nan, np.nan]
    off = np.array([(found - inside.mean()).sum() for found in map(np.concatenate, draws.values()) if found.size])
    error = np.sqrt(off.size / (off.size - 1) * np.square(off).sum()) / inside.size if off.size > 1 else np.nan
    return [inside.size, inside.mean(), error, width.mean(), score.mean()]


def by_kind(rows: list[list[Any]], intervals: Arrays) -> list[list[Any]]:
    """One row for each kind and method; tasks count alike within a kind."""
    out = []
    for kind in dict.fromkeys(row[0] for row in rows):
        for method in dict.fromkeys(row[4] for row in rows):
            mine = [row for row in rows if row[0] == kind and row[4] == method]
            if mine:
                ratio = np.exp(np.mean(np.log([row[9] for row in mine])))
                _, share, error, width, _ = coverage(intervals, method, [kind], "average")
                out.append([kind, method, len(mine), ratio, np.mean([row[7] for row in mine]), share, error, width])
    return out


def leaderboard(rows: list[list[Any]]) -> list[list[Any]]:
    """One row a method: geometric mean of the ratios over kinds, worst kind, bias, least and largest coverage."""
    out = []
    for method in dict.fromkeys(row[1] for row in rows):
        mine = [row for row in rows if row[1] == method]
        worst = max(mine, key=lambda row: float(row[3]))
        share = [row[5] for row in mine if not np.isnan(row[5])] or [np.nan]
        mean = np.exp(np.mean(np.log([row[3] for row in mine])))
        bias = np.mean([row[4] for row in mine])
        out.append([method, len(mine), mean, worst[3], worst[0], bias, min(share), max(share)])
    return sorted(out, key=lambda row: float(row[2]))


def curves(kinds: Sequence[str]) -> list[list[Any]]:
    """Average accuracy of every recogniser with 2 to all classes, at every third of the stored sizes and the last."""
    rows = []
    for kind in kinds:
        for task in {task.recogniser: task for task in cells.tasks(kind)}.values():
            sizes, accuracy = (cells.array(task, name) for name in ("sizes", "accuracy"))
            at = np.union1d(np.arange(0, sizes.size, 3), sizes.size - 1)
            rows += [[kind, task.recogniser, int(sizes[i]), float(accuracy[i])] for i in at]
    return rows


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4f}"
    return str(value)


def write(path: Path, header: str, rows: Iterable[Iterable[Any]], command: str = COMMAND) -> None:
    """Write a table, numbers with four digits and nothing for not a number."""
    study.write(path, command, header, [[_text(value) for value in row] for row in rows])


def write_tables(source: Path, target: Path) -> None:
    """Make every table from what is stored: those of the first domains, and ``NAME_new.csv`` of the others.

    Tables that no page shows are written beside the predictions.
    """
    predictions, intervals = (read(source / f"{part}.npz") for part in ("predictions", "intervals"))
    everything = results(predictions)
    for group, ending in (("first", ""), ("new", "_new")):
        kinds = cells.groups()[group]
        rows = by_kind([row for row in everything if row[0] in kinds], intervals)
        by_domain = [(kind, name, [kind], (0, np.inf)) for kind in kinds for name in TARGETS]
        by_reach = [(reach, name, kinds, ends) for reach, ends in REACHES.items() for name in TARGETS]
        tables = {
            "curves": (CURVES, curves(kinds)),
            "kinds": (KINDS, rows),
            "leaderboard": (BOARD, leaderboard(rows)),
            "coverage": (COVERAGE, _of_default(intervals, by_domain)),
            "reach": (REACH, _of_default(intervals, by_reach)),
        }
        for name, (header, lines) in tables.items():
            folder = target if name + ending in SHOWN else source
            write(folder / f"{name}{ending}.csv", header, lines)


def _of_default(intervals: Arrays, wanted: Iterable[tuple[str, str, Sequence[str], tuple[float, float]]]) -> list[Any]:
    """Coverage of the default for some sets of domains, where there are intervals."""
    found = [
        [label, target, *coverage(intervals, DEFAULT, kinds, target, ends)] for label, target, kinds, ends in wanted
    ]
    return [row for row in found if row[2]]
