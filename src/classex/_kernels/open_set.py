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
    made: NDArray[np.int64],
    steps: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum over identities of the squared total of what each adds to everyone, less each person's own squares.

    An identity that reaches threshold t in search x adds ``steps[x, t]``, from which the mean over the ``made[x]``
    identities that were compared is taken; those left out, with scores of minus infinity, add nothing. The people of
    `person` are numbered consecutively. Shape (n_thresholds,).
    """
    order = np.argsort(person, kind="stable")
    start = constant(np.searchsorted(person[order], np.arange(person.max() + 2)), np.int64)
    rows, levels = constant(scores[order]), constant(cuts)
    counts, change, of = constant(hits[order].T, np.int64), constant(steps[order].T), constant(made[order], np.int64)
    out = np.empty(cuts.size)

    def work(some: slice) -> None:
        _shared_squares(rows, start, levels[some], counts[some], change[some], of, out[some])

    by_rows(work, cuts.size, float(scores.size))
    return out


@numba.njit(cache=True, nogil=True)
def _shared_squares(
    scores: NDArray[Any],
    start: NDArray[Any],
    cuts: NDArray[Any],
    hits: NDArray[Any],
    steps: NDArray[Any],
    made: NDArray[Any],
    out: NDArray[Any],
) -> None:
    n = scores.shape[1]
    total = np.empty(n)
    own = np.empty(n)
    for i in range(cuts.size):
        total[:] = 0.0
        alone = 0.0
        for p in range(start.size - 1):
            single = start[p + 1] == start[p] + 1
            into = total if single else own
            if not single:
                own[:] = 0.0
            reached = False
            for x in range(start[p], start[p + 1]):
                step = steps[i, x]
                if step == 0.0 or not 0 < hits[i, x] < made[x]:
                    continue
                reached = True
                for j in range(n):
                    into[j] += step if scores[x, j] >= cuts[i] else 0.0
                if made[x] < n:
                    # what is left out is at the mean
                    for j in range(n):
                        into[j] += step * hits[i, x] / made[x] if scores[x, j] == -np.inf else 0.0
                if single:
                    alone += step * step * hits[i, x] * (made[x] - hits[i, x]) / made[x]
            if reached and not single:
                mean = own.sum() / n
                for j in range(n):
                    total[j] += own[j]
                    alone += (own[j] - mean) ** 2
        mean = total.sum() / n
        shared = 0.0
        for j in range(n):
            shared += (total[j] - mean) ** 2
        out[i] = shared - alone
