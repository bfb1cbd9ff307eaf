"""Loop behind the standard errors of the FPIR: what each enrolled identity adds to all non-mated searches."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

__all__ = ["shared_squares"]


def shared_squares(
    scores: NDArray[np.float64],
    person: NDArray[np.int64],
    cuts: NDArray[np.float64],
    hits: NDArray[np.int64],
    steps: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum over identities of the squared total of what each adds to everyone, less each person's own squares.

    An identity that reaches threshold t in search x adds ``weights[x] * steps[hits[x, t]]``, from which the mean over
    identities is taken. The people of `person` are numbered consecutively. Shape (n_thresholds,).
    """
    order = np.argsort(person, kind="stable")
    start = constant(np.searchsorted(person[order], np.arange(person.max() + 2)), np.int64)
    rows, levels = constant(scores[order]), constant(cuts)
    counts, change, share = constant(hits[order].T, np.int64), constant(steps), constant(weights[order])
    out = np.empty(cuts.size)

    def work(some: slice) -> None:
        _shared_squares(rows, start, levels[some], counts[some], change, share, out[some])

    by_rows(work, cuts.size, float(scores.size))
    return out


@numba.njit(cache=True, nogil=True)
def _shared_squares(
    scores: NDArray[Any],
    start: NDArray[Any],
    cuts: NDArray[Any],
    hits: NDArray[Any],
    steps: NDArray[Any],
    weights: NDArray[Any],
    out: NDArray[Any],
) -> None:
    n = scores.shape[1]
    total = np.empty(n)
    own = np.empty(n)
    for i in range(cuts.size):
        total[:] = 0.0
        alone = 0.0
        for p in range(start.size - 1):
            if start[p + 1] == start[p] + 1:
                x = start[p]
                step = weights[x] * steps[hits[i, x]]
                if 0 < hits[i, x] < n:
                    for j in range(n):
                        total[j] += step if scores[x, j] >= cuts[i] else 0.0
                    alone += step * step * hits[i, x] * (n - hits[i, x]) / n
                continue
            own[:] = 0.0
            reached = False
            for x in range(start[p], start[p + 1]):
                step = weights[x] * steps[hits[i, x]]
                if step == 0.0 or hits[i, x] == 0:
                    continue
                reached = True
                for j in range(n):
                    own[j] += step if scores[x, j] >= cuts[i] else 0.0
            if reached:
                mean = own.sum() / n
                for j in range(n):
                    total[j] += own[j]
                    alone += (own[j] - mean) ** 2
        mean = total.sum() / n
        shared = 0.0
        for j in range(n):
            shared += (total[j] - mean) ** 2
        out[i] = shared - alone
