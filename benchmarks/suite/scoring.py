"""From stored predictions to the leaderboard, the coverage of intervals, and their tables."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LEVEL = 0.95
REAL = ("glyphs", "words", "names", "hangul")
HERE = Path(__file__).parent


class Task(NamedTuple):
    """A recogniser, a number of observed classes, a number of target classes."""

    world: str
    recogniser: str
    k1: int
    K: int


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a stored table below its comment; none if there is no table."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def read_truths(folder: Path) -> dict[tuple[str, str, int], float]:
    """Average accuracy by world, recogniser and number of classes."""
    return {(r["world"], r["recogniser"], int(r["K"])): float(r["accuracy"]) for r in read(folder / "truths.csv")}


def read_predictions(folder: Path) -> dict[Task, dict[str, dict[int, float]]]:
    """Predictions by task, method and draw, those of CleaneX among them."""
    out: dict[Task, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    rows = read(folder / "predictions.csv")
    rows += [row | {"method": "CleaneX"} for row in read(folder / "cleanex.csv")]
    for row in rows:
        task = Task(row["world"], row["recogniser"], int(row["k1"]), int(row["K"]))
        out[task][row["method"]][int(row["draw"])] = float(row["prediction"])
    return out


def read_tasks(folder: Path) -> Iterator[tuple[Task, float, dict[str, dict[int, float]]]]:
    """Every task whose truth is known, in order: the task, the truth, and predictions by method and draw."""
    truth = read_truths(folder)
    for task, found in sorted(read_predictions(folder).items()):
        if (task.world, task.recogniser, task.K) in truth:
            yield task, truth[task.world, task.recogniser, task.K], found


def errors(found: dict[str, dict[int, float]], truth: float, method: str) -> np.ndarray[Any, Any]:
    """Errors of a method on its draws; a failure counts as an error of the size of the truth's larger side."""
    value = np.array(list(found[method].values()))
    return np.where(np.isnan(value), max(truth, 1 - truth), value - truth)


Errors = Mapping[str, "np.ndarray[Any, Any]"]


def judges(found: Mapping[str, dict[int, float]]) -> list[str]:
    """Methods that set the measure: not CleaneX, which has draws of its own, nor one that missed a draw."""
    draws = {name: len(values) for name, values in found.items() if name != "CleaneX"}
    return [name for name, number in draws.items() if number == max(draws.values())]


def measured(folder: Path) -> Iterator[tuple[Task, float, Errors]]:
    """Task, truth, and errors by method in the order of the draws, of those methods that set the measure."""
    for task, at, found in read_tasks(folder):
        in_order = {name: dict(sorted(found[name].items())) for name in judges(found)}
        yield task, at, {name: errors(in_order, at, name) for name in in_order}


def rmse(error: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Root mean squared error and its standard error over draws."""
    square = np.square(error)
    root = float(np.sqrt(square.mean()))
    spread = square.std(ddof=1) / np.sqrt(square.size) if square.size > 1 else np.nan
    return root, float(spread / (2 * max(root, 1e-12)))


def results(folder: Path) -> list[list[Any]]:
    """One row a task and method: truth, draws, mean prediction, bias, RMSE, its standard error, failures, ratio."""
    out: list[list[Any]] = []
    for task, at, found in read_tasks(folder):
        error = {name: errors(found, at, name) for name in found}
        best = min((rmse(error[name])[0] for name in judges(found)), default=np.nan)
        for name, values in error.items():
            root, spread = rmse(values)
            failed = int(np.isnan(list(found[name].values())).sum())
            numbers = (at, at + values.mean(), values.mean(), root, spread)
            shown = [f"{number:.5f}" for number in numbers]
            out.append([*task, name, values.size, *shown, failed, f"{root / max(best, 1e-6):.3f}"])
    return out


AGAINST = "world,recogniser,k1,K,method,draws,rmse,rmse_standard_error,square_less_than_cleanex,standard_error"


def against_cleanex(folder: Path) -> list[list[Any]]:
    """One row a task and method on the draws that CleaneX was trained on: RMSE, and the mean square less its own."""
    out: list[list[Any]] = []
    for task, at, found in read_tasks(folder):
        if "CleaneX" not in found:
            continue
        drawn = {draw for name, values in found.items() if name != "CleaneX" for draw in values}
        for name, values in found.items():
            common = sorted(set(values) & set(found["CleaneX"]) & drawn)
            if len(common) < 2:
                continue
            error, rival = (errors({"": {d: found[m][d] for d in common}}, at, "") for m in (name, "CleaneX"))
            gain = np.square(error) - np.square(rival)
            numbers = (*rmse(error), gain.mean(), gain.std(ddof=1) / np.sqrt(gain.size))
            out.append([*task, name, len(common), *(f"{number:.5f}" for number in numbers)])
    return out


RESULTS = "world,recogniser,k1,K,method,draws,truth,prediction,bias,rmse,rmse_standard_error,failed,ratio"


def leaderboard(rows: list[list[Any]]) -> list[list[Any]]:
    """One row a method: tasks, geometric mean ratio over tasks, over worlds, worst ratio and its task."""
    by_method: dict[str, list[tuple[Task, float, int]]] = defaultdict(list)
    tasks = {Task(*row[:4]) for row in rows}
    for row in rows:
        by_method[row[4]].append((Task(*row[:4]), float(row[-1]), int(row[11])))
    out = []
    for name, found in by_method.items():
        logs = np.log([max(ratio, 1e-3) for _, ratio, _ in found])
        worlds = sorted({task.world for task, _, _ in found})
        of_world = [
            np.mean([g for g, (task, _, _) in zip(logs, found, strict=True) if task.world == w]) for w in worlds
        ]
        worst = max(found, key=lambda item: item[1])
        failed = sum(item[2] for item in found)
        out.append(
            [name, len(found), len(tasks), f"{np.exp(logs.mean()):.3f}", f"{np.exp(np.mean(of_world)):.3f}",
             f"{worst[1]:.2f}", " ".join(map(str, worst[0])), failed]
        )  # fmt: skip
    return sorted(out, key=lambda row: (row[1] < len(tasks), float(row[3])))


LEADERBOARD = "method,tasks,of,geometric_mean_ratio,geometric_mean_over_worlds,worst_ratio,worst_task,failed"
# of recognisers that take their features from the observed classes
OWN_MARK, OWN = ", own", ", own features"
COVERAGE = "world,method,target,intervals,coverage,standard_error,width,interval_score"


def coverage(folder: Path) -> list[list[Any]]:
    """One row a world, method and target: coverage over all its draws, mean width and interval score.

    Recognisers whose features are learnt from the observed classes stand apart, each for itself.
    """
    truth = read_truths(folder)
    single: dict[tuple[Any, ...], float] = {}
    for row in read(folder / "outcomes.csv"):
        key = (row["world"], row["recogniser"], row["k1"], row["draw"], row["K"], row["target"])
        single[key] = float(row["accuracy"])
    whole: dict[tuple[str, str], int] = {}
    for world, recogniser, size in truth:
        whole[world, recogniser] = max(size, whole.get((world, recogniser), 0))
    found: dict[tuple[str, str, str], list[tuple[str, float, float, float]]] = defaultdict(list)
    for row in read(folder / "intervals.csv"):
        target, size = row["target"], int(row["K"])
        average = truth.get((row["world"], row["recogniser"], size))
        # of a real world the accuracy with all classes is that of one superset, and no average
        is_all = size == whole.get((row["world"], row["recogniser"])) and row["world"] in REAL
        key = (row["world"], row["recogniser"], row["k1"], row["draw"], row["K"], target)
        wanted = average if target == "average" or is_all else single.get(key)
        if wanted is None:
            continue
        draw = "|".join(key[:4])
        family = row["world"]
        if row["recogniser"].endswith(OWN_MARK):
            family += f", {row['recogniser'].removesuffix(OWN_MARK)}{OWN}"
        found[family, row["method"], target].append((draw, float(row["low"]), float(row["high"]), wanted))
    return [_covered(key, rows) for key, rows in sorted(found.items())]


def _covered(key: tuple[str, str, str], rows: list[tuple[str, float, float, float]]) -> list[Any]:
    low, high, wanted = (np.array([row[i] for row in rows]) for i in (1, 2, 3))
    # ends are stored with six digits
    inside = (wanted >= low - 1e-6) & (wanted <= high + 1e-6)
    beyond = np.maximum(low - wanted, 0) + np.maximum(wanted - high, 0)
    score = high - low + 2 / (1 - LEVEL) * beyond
    # the draws are the units
    draws = [row[0] for row in rows]
    share = np.array([inside[[d == draw for d in draws]].mean() for draw in dict.fromkeys(draws)])
    error = share.std(ddof=1) / np.sqrt(share.size) if share.size > 1 else np.nan
    numbers = (inside.mean(), error, (high - low).mean(), score.mean())
    return [*key, len(rows), *(f"{number:.4f}" for number in numbers)]


def write(path: Path, header: str, rows: Iterable[Iterable[Any]], command: str = "python -m benchmarks.suite") -> None:
    """Write a table below the command that makes it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {command}\n{header}\n")
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_all(folder: Path) -> None:
    """Write every table of results that can be made from what is stored."""
    rows = results(folder)
    write(folder / "results.csv", RESULTS, rows)
    write(folder / "leaderboard.csv", LEADERBOARD, leaderboard(rows))
    if against := against_cleanex(folder):
        write(folder / "against_cleanex.csv", AGAINST, against)
    write(folder / "coverage.csv", COVERAGE, coverage(folder))
