"""Observe recognisers: ``python -m benchmarks.suite.observe FOLDER KIND...`` writes ``observed/KIND.npz``.

`FOLDER` holds the features that the recipes stored. For every recogniser, the accuracy with 2 to all classes is
averaged exactly over all sets of classes. Then sets of 50, 100, 500 and 2,000 classes are drawn at random, and for each
test point of such a set it is kept how many wrong labels score higher and how many score the same: all that methods
read which work from ranks. Last, the accuracies on one fresh set and on one set that holds the observed classes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.suite.recipes import load

HERE = Path(__file__).parent / "observed"
OBSERVED = (50, 100, 500, 2_000)
TARGETS = (500, 2_000, 10_000)
LARGEST_SET = 2_000
DRAWS, DRAWS_OF_LARGEST = 20, 10
SEED = 20261121
N_GRID = 60


def targets(k1: int, n_classes: int) -> list[int]:
    """Numbers of classes to predict: at least four times the observed ones, at most two thirds of all, and all."""
    return [size for size in TARGETS if 4 * k1 <= size <= n_classes / 1.5] + [n_classes]


def drawn(kind: str, k1: int, draw: int, n_classes: int) -> NDArray[np.int64]:
    """A random set of k1 classes, drawn anew for every size; the same for all recognisers of the kind."""
    return np.random.default_rng([SEED, sum(map(ord, kind)), k1, draw]).choice(n_classes, k1, replace=False)


def scores(test: Any, references: Any, classes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Scores of the test points of some classes for these classes, and their labels."""
    each = test.shape[0] // references.shape[0]
    rows = (classes[:, np.newaxis] * each + np.arange(each)).ravel()
    product = test[rows] @ references[classes].T
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product), np.repeat(
        np.arange(len(classes)), each
    )


def observe(kind: str, name: str, test: Any, references: Any) -> dict[str, NDArray[Any]]:
    """Everything that is stored of one recogniser, by name of the array."""
    n = references.shape[0]
    each = test.shape[0] // n
    labels = np.repeat(np.arange(n), each)
    full = cx.correct_ranks_from_embeddings(test, references, labels, metric="inner_product")
    grid = np.unique(np.rint(np.geomspace(2, n, N_GRID)).astype(np.int64))
    found = {"sizes": grid, "accuracy": cx.accuracy_curve(full, grid).accuracy}
    for k1 in (k for k in OBSERVED if 4 * k <= n):
        draws = DRAWS if k1 < OBSERVED[-1] else DRAWS_OF_LARGEST
        wanted = targets(k1, n)
        losses, ties = (np.zeros((draws, k1 * each), np.uint16) for _ in range(2))
        single = np.full((draws, len(wanted), 2), np.nan)
        for draw in range(draws):
            classes = drawn(kind, k1, draw, n)
            ranks = cx.correct_ranks(*scores(test, references, classes))
            losses[draw], ties[draw] = ranks.losses, ranks.ties
            rng = np.random.default_rng([SEED, k1, draw])
            for i, size in enumerate(wanted):
                if size <= LARGEST_SET and size < n:
                    others = np.setdiff1d(np.arange(n), classes)
                    superset = np.concatenate([classes, rng.choice(others, size - k1, replace=False)])
                    for j, chosen in enumerate((rng.choice(n, size, replace=False), superset)):
                        found_ranks = cx.correct_ranks(*scores(test, references, chosen))
                        single[draw, i, j] = cx.accuracy_curve(found_ranks, size).accuracy[0]
        found |= {f"losses_{k1}": losses, f"ties_{k1}": ties, f"single_{k1}": single}
    return {f"{name}|{key}": value for key, value in found.items()}


def main(folder: Path, kinds: list[str]) -> None:
    """Observe every recogniser of some kinds."""
    for kind in kinds:
        arrays: dict[str, NDArray[Any]] = {}
        for path in sorted((folder / kind).glob("*.npz")):
            test, references = load(path)
            arrays |= observe(kind, path.stem, test, references)
            curve = arrays[f"{path.stem}|accuracy"]
            print(kind, path.stem, references.shape[0], *curve[[0, len(curve) // 2, -1]].round(3), flush=True)
        HERE.mkdir(exist_ok=True)
        np.savez_compressed(HERE / f"{kind}.npz", allow_pickle=False, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
