"""A method from elsewhere on the suite: ``python -m benchmarks.suite --method package.module:Name --folder FOLDER``.

``Name`` is a class that is made without arguments, a function that returns an object, or an object. It has

``fit(ranks)``
    returns the fitted object, or fits itself; ``ranks`` is a `classex.CorrectRanks` of one draw of observed classes.
``accuracy(n_classes)``
    average accuracies with these numbers of classes; not a number where the method fails, which counts as .5.
``interval(n_classes)`` or ``predict_interval(n_classes)``
    lower and upper ends that cover the average accuracy 95 % of the time, shape (n, 2). May be missing.
``without(domain)``
    the method, learnt without a domain. Only for methods that learn from the suite.

Every draw is fitted on its own. ``entry.csv`` has a line for each domain and one for each group of domains, beside the
stored predictions of the default from the same draws, and ``reach.csv`` the coverage by K / k1. The best single method
in hindsight is one of those stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.suite import VERSION, cells, scoring
from benchmarks.suite.cells import Task
from benchmarks.suite.methods import DEFAULT

FloatArray = NDArray[np.float64]
Make = Callable[[], Any]
ENTRY = "entry"
HEADER = (
    "domain,tasks,failures,ratio,default_ratio,bias,coverage,default_coverage,width,default_width,"
    "interval_score,default_interval_score,seconds,default_seconds"
)
REACH = "group,reach,coverage,default_coverage,width,default_width,interval_score,default_interval_score"


class EntryError(ValueError):
    """What was named is no method, or returned what no method may return; other errors are the method's own."""


def load(name: str) -> Make:
    """Return what makes the method of this name."""
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        raise EntryError(f"--method must be package.module:Name, got {name!r}")
    try:
        found = getattr(import_module(module), attribute)
    except ImportError as error:
        raise EntryError(f"--method {name!r}: {error}") from None
    except AttributeError:
        raise EntryError(f"--method {name!r}: the module {module!r} has no {attribute!r}") from None
    is_object = hasattr(found, "fit") and not isinstance(found, type)
    if not (is_object or callable(found)):
        raise EntryError(f"--method {name!r} must be a class, a function or an object with fit(ranks), got {found!r}")
    made = (lambda: deepcopy(found)) if is_object else found
    if not hasattr(made(), "fit"):
        raise EntryError(f"--method {name!r}: {type(made()).__name__} has no fit(ranks)")
    return made


def _checked(values: ArrayLike, shape: tuple[int, ...], what: str) -> FloatArray:
    """Numbers between 0 and 1, or not a number, in this shape."""
    found = np.asarray(values, dtype=np.float64)
    if found.shape != shape:
        raise EntryError(f"{what} must have shape {shape}, got {found.shape}")
    outside = found[(found < 0) | (found > 1)]
    if outside.size:
        raise EntryError(f"{what} must be between 0 and 1, got {outside[0]}")
    return found


def measure(make: Make, task: Task, draws: int) -> tuple[FloatArray, FloatArray, float]:
    """Predictions (draws, n), intervals for the average (1, draws, n, 2), and processor time by draw."""
    sizes = cells.wanted(task)
    predicted = np.full((draws, sizes.size), np.nan)
    ends = np.full((1, draws, sizes.size, 2), np.nan)
    started = process_time()
    for draw in range(draws):
        model = make()
        model = model.without(task.kind) if hasattr(model, "without") else model
        returned = model.fit(cells.ranks(task, draw))
        fitted = model if returned is None else returned
        predicted[draw] = _checked(fitted.accuracy(sizes), sizes.shape, "accuracy(n_classes)")
        interval = getattr(fitted, "interval", None) or getattr(fitted, "predict_interval", None)
        if interval is not None:
            ends[0, draw] = _checked(interval(sizes), (sizes.size, 2), "interval(n_classes)")
    return predicted, ends, (process_time() - started) / draws


def _first(stored: scoring.Arrays, task: Task, draws: int, axis: int) -> scoring.Arrays:
    """The first draws of a task, of every method that was stored."""
    ending = scoring.key("", task)
    return {name: values.take(range(min(draws, values.shape[axis])), axis) for name, values in stored.items()
            if name.endswith(ending)}  # fmt: skip


def table(predictions: scoring.Arrays, intervals: scoring.Arrays, seconds: dict[Task, list[float]]) -> list[list[Any]]:
    """One row for each domain, then one for each group of domains: its mean, that of the ratios geometric."""
    every = scoring.results(predictions, apart=(DEFAULT, ENTRY))
    rows = []
    for kind in dict.fromkeys(task.kind for task in seconds):
        of = {m: [row for row in every if row[0] == kind and row[4] == m] for m in (ENTRY, DEFAULT)}
        ratio = [np.exp(np.mean(np.log([row[9] for row in of[m]]))) for m in (ENTRY, DEFAULT)]
        covers = [scoring.coverage(intervals, m, [kind], "average") for m in (ENTRY, DEFAULT)]
        failures = sum(int(np.isnan(predictions[scoring.key(ENTRY, t)]).sum()) for t in seconds if t.kind == kind)
        time = np.mean([both for task, both in seconds.items() if task.kind == kind], axis=0)
        bias = np.mean([row[7] for row in of[ENTRY]])
        pairs = [[found[i] for found in covers] for i in (1, 3, 4)]
        rows.append([kind, len(of[ENTRY]), failures, *ratio, bias, *pairs[0], *pairs[1], *pairs[2], *time])
    groups = []
    for name, group in cells.groups().items():
        mine = [row for row in rows if row[0] in group]
        if mine:
            values = np.array([row[1:] for row in mine], dtype=np.float64)
            values[:, 2:4] = np.log(values[:, 2:4])
            mean = values.mean(axis=0)
            mean[2:4] = np.exp(mean[2:4])
            groups.append([f"{name}: {len(mine)} domains", *(int(x) for x in values[:, :2].sum(axis=0)), *mean[2:]])
    return [*rows, *groups]


def reached(intervals: scoring.Arrays, kinds: Sequence[str]) -> list[list[Any]]:
    """One row for each group of domains and how many times the observed classes are predicted."""
    rows: list[list[Any]] = []
    for group, members in cells.groups().items():
        for reach, ends in scoring.REACHES.items():
            some = [kind for kind in kinds if kind in members]
            both = [scoring.coverage(intervals, m, some, "average", ends) for m in (ENTRY, DEFAULT)]
            if both[1][0]:
                rows.append([group, reach, *(found[i] for i in (1, 3, 4) for found in both)])
    return rows


def printed(header: str, rows: Sequence[Sequence[Any]]) -> str:
    """A table as text."""
    names = [name.replace("default_", "ours ").replace("_", " ") for name in header.split(",")]
    lines = [names, *([f"{x:.3g}" if isinstance(x, float) else str(x) for x in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines)


def run(
    name: str, kinds: Sequence[str], draws: int | None, folder: Path, ours: Path, default: Callable[..., Any]
) -> str:
    """Measure a method, write its predictions, intervals and table, and return the table as text.

    ``default(task, draw)`` is the fitted default, for its processor time: one draw of each task.
    """
    make = load(name)
    stored = [scoring.read(ours / f"{part}.npz") for part in ("predictions", "intervals")]
    own: tuple[scoring.Arrays, scoring.Arrays] = ({}, {})
    beside: tuple[scoring.Arrays, scoring.Arrays] = ({}, {})
    seconds: dict[Task, list[float]] = {}
    for kind in kinds:
        for task in cells.tasks(kind):
            count = min(cells.n_draws(task), draws or cells.n_draws(task))
            try:
                own[0][scoring.key(ENTRY, task)], own[1][scoring.key(ENTRY, task)], mine = measure(make, task, count)
            except EntryError as error:
                raise EntryError(f"--method {name!r}, {kind}, {task.recogniser}, {task.k1} classes: {error}") from error
            for i in range(2):
                beside[i].update(_first(stored[i], task, count, i))
            started, sizes = process_time(), cells.wanted(task)
            estimator = default(task, 0)
            estimator.predict(sizes), estimator.predict_interval(sizes)
            seconds[task] = [mine, process_time() - started]
        print(kind, flush=True)
    for part, arrays in zip(("predictions", "intervals"), own, strict=True):
        scoring.save(folder / f"{part}.npz", arrays)
    rows, reaches = table(beside[0] | own[0], beside[1] | own[1], seconds), reached(beside[1] | own[1], kinds)
    command = f"{scoring.COMMAND} --method {name}, version {VERSION} of the suite"
    scoring.write(folder / "entry.csv", HEADER, rows, command)
    scoring.write(folder / "reach.csv", REACH, reaches, command)
    return f"suite, version {VERSION}: {name}\n{printed(HEADER, rows)}\n\nK / k1\n{printed(REACH, reaches)}"
