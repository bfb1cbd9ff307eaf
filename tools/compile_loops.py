"""Compile the loops once, before several processes at a time would each compile them: small calls that need them."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy import sparse

import classex as cx
from classex.curves import accuracy_surface, mean_ordered_costs, risk_curve
from classex.fields.open_set import open_set_curve
from classex.information import accuracy_ceiling, extremal_density, identification_information


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
    """Curves of accuracy, of other metrics and of risk, and what extrapolates them."""
    rng = np.random.default_rng(2)
    labels = np.arange(48) % 24
    scores = rng.normal(size=(48, 24)) + 2 * np.eye(24)[labels]
    found = cx.correct_ranks(scores, labels)
    cx.accuracy_curve(found, top=2)
    cx.accuracy_curve(found, metric="mrr")
    mean_ordered_costs(scores, labels, 1 - np.eye(24))
    risk_curve(scores, labels, 1 - np.eye(24))
    accuracy_surface(scores, labels, range(24))


def information() -> None:
    """The ceiling, the bound below it, and the curve of identification, with their inverses."""
    accuracy_ceiling(1.0, 2)
    accuracy_ceiling([1.0, 2.0], [2, 3])
    extremal_density([0.5], 1.0, 3)
    cx.information_bound([0.4, 0.5], [5, 3])
    identification_information([0.4, 0.5], [5, 3])
    cx.identification_accuracy([1.0, 2.0], [5, 3])


def open_set() -> None:
    """Rates of open-set identification with their errors."""
    open_set_curve(np.eye(4), range(4), np.eye(4), [0.5])


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(calls) for calls in (curves, ranks, information, open_set)]:
            done.result()
