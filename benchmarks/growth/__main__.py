"""Growth that is not random: ``python -m benchmarks.growth FOLDER`` writes ``results.csv``, and the summary of it.

`FOLDER` holds what `benchmarks.growth.sources` stored. From each classifier and grouping, one to five groups are drawn
at random, and at most 500 of their classes. Then the classes grow in three ways, whose true accuracies are exact:

- ``same``: to all classes of the drawn groups;
- ``all``: to all classes of all groups; the shares of the drawn groups are stated;
- ``more``: from groups of one size to all groups of that size.

``random`` is the default's prediction for all classes from as many classes that were drawn at random.
"""

from __future__ import annotations

import csv
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from benchmarks.suite.recipes import load

MOST, SEED, DRAWS = 500, 20261125, 6
GROUPS = (1, 2, 3, 5)
FEWEST = 40  # classes of a group that can be drawn
TABLE = Path(__file__).parent / "results.csv"
SUMMARY = study.STORED / "growth" / "summary.csv"
COMMAND = "python -m benchmarks.growth"
HEADER = "domain,grouping,classifier,groups,draw,growth,k1,K,truth,default,default_low,default_high,value,low,high"
SUMMARY_HEADER = "growth,groups,predictions,method,bias,rmse,coverage,width"


def right(wins: NDArray[Any], ties: NDArray[Any], n_rivals: int) -> float:
    """Accuracy of points that have so many wins and ties among all their rivals."""
    return float(np.where(wins + ties == n_rivals, 1 / (1.0 + ties), 0.0).mean())


def among_groups(wins: NDArray[Any], ties: NDArray[Any], member: NDArray[np.int64], each: int) -> float:
    """Accuracy with `each` random classes of every group that has as many, every group with the same weight.

    Half of the ties count as wins: with many rivals a point with ties is nearly always wrong.
    """
    size = np.bincount(member)
    points = np.flatnonzero(size[member] >= each)
    mine = member[points]
    beaten = (wins[points] + ties[points] // 2).astype(np.int64)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size.max() + 1.0)))])
    log_chance = np.zeros(points.size)
    for group in np.flatnonzero(size >= each):
        drawn, pool = each - (mine == group), size[group] - (mine == group)
        won = beaten[:, group]
        ways = log_factorial[won] - log_factorial[np.maximum(won - drawn, 0)]
        ways -= log_factorial[pool] - log_factorial[pool - drawn]
        log_chance += np.where(won >= drawn, ways, -np.inf)
    return float(np.average(np.exp(log_chance), weights=1 / size[mine]))


def scores_of(test: Any, references: Any, classes: NDArray[np.int64]) -> NDArray[Any]:
    """Scores of the points of some classes for these classes."""
    product = test[classes] @ references[classes].T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


def predicted(scores: NDArray[Any], n_classes: int, **growth: Any) -> list[float]:
    """Prediction and ends of its interval; where growth is refused, no prediction, and the bounds."""
    try:
        result = cx.extrapolate(scores, np.arange(len(scores)), n_classes=n_classes, **growth)
    except ValueError as error:
        found = re.search(r"between ([\d.]+) and ([\d.]+)", str(error))
        if found is None:
            raise
        return [np.nan, float(found[1]), float(found[2])]
    assert result.interval is not None
    return [float(result.accuracy[0]), *result.interval[0].tolist()]


def rows(folder: Path, path: Path) -> Iterator[list[Any]]:
    """Every prediction for one classifier and grouping."""
    domain, grouping, name = path.stem.split("|")
    test, references = load(folder / domain / f"{name}.npz")
    with np.load(path) as found:
        wins, ties, member = found["wins"].astype(np.int64), found["ties"].astype(np.int64), found["member"]
    n, size = member.size, np.bincount(member)
    everything = right(wins.sum(axis=1), ties.sum(axis=1), n - 1)
    eligible = np.flatnonzero(size >= FEWEST)
    for n_groups in (number for number in GROUPS if number + 2 <= eligible.size):
        for draw in range(DRAWS):
            rng = np.random.default_rng([SEED, sum(map(ord, domain + grouping)), n_groups, draw])
            groups = rng.choice(eligible, n_groups, replace=False)
            union = np.flatnonzero(np.isin(member, groups))
            classes = rng.choice(union, min(MOST, union.size // 2), replace=False)
            drawn = np.unique(member[classes])
            scores = scores_of(test, references, classes)
            same = right(wins[union][:, groups].sum(axis=1), ties[union][:, groups].sum(axis=1), union.size - 1)
            at_random = scores_of(test, references, rng.choice(n, classes.size, replace=False))
            each = min(MOST // n_groups, int(np.sort(size)[-min(max(3 * n_groups, 8), size.size)]))
            groups = rng.choice(np.flatnonzero(size >= each), n_groups, replace=False)
            whole = np.concatenate([rng.choice(np.flatnonzero(member == g), each, replace=False) for g in groups])
            shares = dict(zip(drawn.tolist(), (size[drawn] / n).tolist(), strict=True))
            whole_scores, total = scores_of(test, references, whole), each * int((size >= each).sum())
            cells: list[tuple[str, NDArray[Any], int, float, dict[str, Any]]] = [
                ("same", scores, union.size, same, {"groups": member[classes], "growth": "same groups"}),
                ("all", scores, n, everything, {"groups": member[classes], "growth": shares}),
                ("more", whole_scores, total, among_groups(wins, ties, member, each), {"groups": member[whole]}),
                ("random", at_random, n, everything, {}),
            ]
            cells[2][4]["growth"] = "more groups"
            for growth, seen, n_classes, truth, given in cells:
                both = [*predicted(seen, n_classes), *(predicted(seen, n_classes, **given) if given else [np.nan] * 3)]
                key = [domain, grouping, name, n_groups, draw, growth, len(seen), n_classes]
                yield [*key, *(f"{value:.4f}" for value in (truth, *both))]


def summary() -> Iterator[list[Any]]:
    """Errors and coverage by way to grow and number of groups: of today's default, and with groups."""
    found = study.read(TABLE)
    for growth, groups in sorted({(row["growth"], row["groups"]) for row in found}):
        some = [row for row in found if (row["growth"], row["groups"]) == (growth, groups)]
        for method, prefix in (("at random", "default"), ("groups", "value")):
            ends = ("default_low", "default_high") if prefix == "default" else ("low", "high")
            low, high, value, truth = (
                np.array([float(row[name]) for row in some]) for name in (*ends, prefix, "truth")
            )
            if np.isnan(low).all():
                continue
            covered, error = (low <= truth) & (truth <= high), value - truth
            numbers = (error.mean(), np.sqrt(np.square(error).mean()), covered.mean(), (high - low).mean())
            yield [growth, groups, len(some), method, *(f"{number:.4f}" for number in numbers)]


def main(folder: Path) -> None:
    """Predict for every classifier and grouping that is not in the table yet."""
    warnings.simplefilter("ignore")
    done = set()
    if TABLE.exists():
        with TABLE.open() as file:
            done = {tuple(row[:3]) for row in csv.reader(file)}
    else:
        TABLE.write_text(HEADER + "\n")
    for path in sorted(folder.glob("*|*.npz"), key=lambda path: path.stem[::-1]):
        if tuple(path.stem.split("|")) not in done:
            found = list(rows(folder, path))
            with TABLE.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(found)
            print(path.stem, len(found), flush=True)
    study.write(SUMMARY, COMMAND, SUMMARY_HEADER, summary())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
