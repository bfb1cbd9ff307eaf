"""Observe classifiers in few groups: ``python -m benchmarks.growth.observe FOLDER`` writes ``observed.npz`` there.

`FOLDER` holds what `benchmarks.growth.sources` stored. From each classifier and grouping, one to five groups are drawn
and 500 of their classes or fewer. Kept are the accuracies against near and far rivals, the influences of the groups
and the covariance over classes, the default's prediction, and the true accuracies of three ways to grow:

- ``same``: all classes of the drawn groups;
- ``all``: all classes of all groups;
- ``more``: all groups, with as many classes each as the drawn ones.

``random`` is the default from as many classes of all groups, for comparison.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.suite.recipes import load
from classex.curves.near_far import NearFarComparisons
from classex.methods.near_far import grid_of_rivals

MOST, SEED, DRAWS = 500, 20261125, 6
GROUPS = (1, 2, 3, 5)
FEWEST = 40  # classes of a group that can be drawn


def right(wins: NDArray[Any], ties: NDArray[Any], n_rivals: NDArray[Any]) -> NDArray[np.float64]:
    """Chance of each point to be right among all its rivals."""
    return np.where(wins + ties == n_rivals, 1 / (1 + ties.astype(float)), 0.0)


def among_groups(wins: NDArray[Any], ties: NDArray[Any], member: NDArray[np.int64], each: int) -> float:
    """Accuracy with `each` random classes of every group that has as many, averaged over their classes."""
    size = np.bincount(member)
    kept = size >= each
    points = np.flatnonzero(kept[member])
    beaten = wins[points] + ties[points] // 2
    log_chance = np.zeros(points.size)
    table = np.concatenate([[-np.inf], np.cumsum(np.log(np.arange(1, size.max() + 1.0)))])
    table[0] = 0.0
    mine = member[points]
    for group in np.flatnonzero(kept):
        drawn = np.where(mine == group, each - 1, each)
        pool = size[group] - (mine == group)
        w = beaten[:, group].astype(np.int64)
        enough = w >= drawn
        ways = table[w] - table[np.maximum(w - drawn, 0)] - table[pool] + table[pool - drawn]
        log_chance += np.where(enough, ways, -np.inf)
    weight = 1 / size[mine]
    return float(weight @ np.exp(log_chance) / weight.sum())


def scores_of(test: Any, references: Any, classes: NDArray[np.int64]) -> NDArray[Any]:
    product = test[classes] @ references[classes].T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)


def seen(scores: NDArray[Any], member: NDArray[np.int64]) -> dict[str, Any]:
    """All that is kept of one sample."""
    member = np.unique(member, return_inverse=True)[1]
    found = NearFarComparisons(scores, np.arange(member.size), member)
    near, far = grid_of_rivals(found.size)
    curve = found.curve(near + 1, far)
    by_group = np.zeros((found.size.size, curve.accuracy.size))
    np.add.at(by_group, member, curve.influence)
    kept = {"near": near, "far": far, "share": found.share, "accuracy": curve.accuracy}
    return kept | {"covariance": curve.influence.T @ curve.influence, "by_group": by_group, "size": found.size}


def default(scores: NDArray[Any], sizes: list[int]) -> NDArray[np.float64]:
    """Prediction and ends of the interval, for each number of classes."""
    result = cx.extrapolate(scores, np.arange(len(scores)), n_classes=sizes)
    return np.column_stack([result.accuracy, result.interval])


def cells(folder: Path, path: Path) -> list[dict[str, Any]]:
    """Every sample of one classifier and grouping."""
    domain, grouping, name = path.stem.split("|")
    test, references = load(folder / domain / f"{name}.npz")
    with np.load(path) as found:
        wins, ties, member = found["wins"].astype(np.int64), found["ties"].astype(np.int64), found["member"]
    n, size = member.size, np.bincount(member)
    full = right(wins.sum(axis=1), ties.sum(axis=1), np.full(n, n - 1)).mean()
    out = []
    for n_groups in GROUPS:
        for draw in range(DRAWS):
            rng = np.random.default_rng([SEED, sum(map(ord, domain + grouping)), n_groups, draw])
            eligible = np.flatnonzero(size >= FEWEST)
            if eligible.size < n_groups + 2:
                continue
            groups = rng.choice(eligible, n_groups, replace=False)
            union = np.flatnonzero(np.isin(member, groups))
            k1 = min(MOST, union.size // 2)
            classes = rng.choice(union, k1, replace=False)
            same = right(wins[union][:, groups].sum(axis=1), ties[union][:, groups].sum(axis=1), union.size - 1)
            cell: dict[str, Any] = {"domain": domain, "grouping": grouping, "name": name, "draw": draw}
            cell |= {"n_groups": n_groups, "K": {"same": union.size, "all": n}}
            cell["truth"] = {"same": same.mean(), "all": full}
            scores = scores_of(test, references, classes)
            cell["seen"] = seen(scores, member[classes])
            cell["pop"] = size[np.unique(member[classes])] / n
            cell["default"] = default(scores, [union.size, n])
            cell["random"] = default(scores_of(test, references, rng.choice(n, k1, replace=False)), [n])
            # whole groups of one size
            at_least = min(max(3 * n_groups, 8), size.size)
            each = min(MOST // n_groups, int(np.sort(size)[-at_least]))
            groups = rng.choice(np.flatnonzero(size >= each), n_groups, replace=False)
            chosen = np.concatenate([rng.choice(np.flatnonzero(member == g), each, replace=False) for g in groups])
            scores = scores_of(test, references, chosen)
            cell["each"], total = each, each * int((size >= each).sum())
            cell["K"]["more"] = total
            cell["truth"]["more"] = among_groups(wins, ties, member, each)
            cell["seen more"], cell["default more"] = seen(scores, member[chosen]), default(scores, [total])
            out.append(cell)
    return out


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")
    for path in sorted(folder.glob("*|*.npz"), key=lambda path: path.stem[::-1]):
        target = folder / "observed" / f"{path.stem}.npy"
        if target.exists():
            continue
        target.parent.mkdir(exist_ok=True)
        found = cells(folder, path)
        np.save(target, np.array(found, dtype=object), allow_pickle=True)
        print(path.stem, len(found), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
