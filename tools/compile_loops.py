"""Compile the loops once, before several processes at a time would each compile them: small calls that need them."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy import sparse

import classex as cx
from classex import _loops
from classex.curves import accuracy_surface

_loops.FEW = 0  # small calls compile, too


def ranks() -> None:
    """Scores and embeddings of either precision, sparse ones, and exact ties."""
    rng = np.random.default_rng(1)
    points, labels = rng.integers(-2, 3, (12, 4)), np.arange(12)
    for kind in (np.float64, np.float32):
        cx.correct_ranks((points @ points.T).astype(kind), labels)
        for metric in ("euclidean", "inner_product", "cosine"):
            for owner in (None, labels // 2):
                own = labels if owner is None else owner
                cx.correct_ranks_from_embeddings(points.astype(kind), points.astype(kind), own, owner, metric=metric)
    rows = sparse.csr_array(points.astype(float) + np.eye(12, 4))
    cx.correct_ranks_from_embeddings(rows, rows, labels, metric="inner_product")


def curves() -> None:
    """Accuracy with stored examples."""
    rng = np.random.default_rng(2)
    labels = np.arange(48) % 24
    scores = rng.normal(size=(48, 24)) + 2 * np.eye(24)[labels]
    accuracy_surface(scores, labels, range(24))


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(calls) for calls in (curves, ranks)]:
            done.result()
