"""One cell of the suite: what one draw of observed classes showed, and what came of it with more classes.

The draws are those of `observe.py`, read from ``observed/KIND.npz``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks.suite.observe import HERE, LARGEST_SET, OBSERVED, targets

FloatArray = NDArray[np.float64]
TARGETS = ("average", "fresh", "superset")
# domains of version 1; the others took no part in any choice of version 0.3.0, and tables report them apart
FIRST = (
    "descriptions", "functions", "glyphs", "han", "hangul", "icons", "manuals", "names", "places", "scripts", "spoken",
    "translations", "words",
)  # fmt: skip


class Task(NamedTuple):
    """A recogniser of a kind, and a number of observed classes."""

    kind: str
    recogniser: str
    k1: int


@lru_cache
def recorded(kind: str) -> dict[str, NDArray[Any]]:
    """Everything that was observed of one kind."""
    with np.load(HERE / f"{kind}.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def kinds() -> list[str]:
    """Names of all kinds."""
    return sorted(path.stem for path in HERE.glob("*.npz"))


def groups() -> dict[str, list[str]]:
    """The domains of version 1, and those that were added."""
    return {"first": list(FIRST), "new": [kind for kind in kinds() if kind not in FIRST]}


def tasks(kind: str) -> Iterator[Task]:
    """Every recogniser of a kind with every number of observed classes."""
    for key in recorded(kind):
        name, array = key.split("|")
        if array == "sizes":
            yield from (Task(kind, name, k1) for k1 in OBSERVED if f"{name}|losses_{k1}" in recorded(kind))


def array(task: Task, name: str) -> NDArray[Any]:
    """One of the arrays that were stored of a recogniser."""
    return recorded(task.kind)[f"{task.recogniser}|{name}"]


def n_draws(task: Task) -> int:
    """Number of sets of classes that were drawn."""
    return len(array(task, f"losses_{task.k1}"))


def n_repeats(task: Task) -> int:
    """Test points of each class."""
    return int(array(task, f"losses_{task.k1}").shape[1]) // task.k1


def ranks(task: Task, draw: int) -> cx.CorrectRanks:
    """Ranks of the correct labels among the observed classes of one draw."""
    losses, ties = (array(task, f"{name}_{task.k1}")[draw].astype(np.int64) for name in ("losses", "ties"))
    labels = np.repeat(np.arange(task.k1), n_repeats(task))
    return cx.CorrectRanks(task.k1 - 1 - losses - ties, ties, labels, task.k1)


def wanted(task: Task) -> NDArray[np.int64]:
    """Numbers of classes to predict."""
    return np.array(targets(task.k1, int(array(task, "sizes")[-1])))


def truth(task: Task) -> FloatArray:
    """Average accuracy with as many classes; between the sizes of the stored curve, a line in log K."""
    sizes = array(task, "sizes")
    return np.interp(np.log(wanted(task)), np.log(sizes), array(task, "accuracy"))


def outcome(task: Task, target: str) -> FloatArray:
    """What an interval for a target should cover, shape (n_draws, n_wanted); not a number where that is not known.

    The set of all the classes holds the observed ones, and is its own average.
    """
    average = np.broadcast_to(truth(task), (n_draws(task), len(wanted(task))))
    if target == "average":
        return average
    single: FloatArray = array(task, f"single_{task.k1}")[:, :, TARGETS.index(target) - 1]
    everything = wanted(task) == array(task, "sizes")[-1]
    return np.where(everything & (target == "superset"), average, single)


def is_known(task: Task, target: str) -> NDArray[np.bool_]:
    """For which numbers of classes the outcome is known."""
    everything = wanted(task) == array(task, "sizes")[-1]
    if target == "average":
        return np.ones_like(everything)
    small = (wanted(task) <= LARGEST_SET) & ~everything
    return small | everything if target == "superset" else small
