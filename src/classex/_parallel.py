"""Independent tasks, sent wherever joblib is told to send them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from classex._progress import track

__all__ = ["in_parallel"]

T = TypeVar("T")


def in_parallel(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], what: str) -> list[T]:
    """Return the results of a function on each tuple of arguments, in order.

    The tasks run one after the other, unless ``joblib.parallel_config`` says otherwise: threads, processes or a
    Dask cluster. They carry their own seeds, so that the results do not depend on it.
    """
    from joblib import Parallel, delayed

    tasks = [delayed(function)(*one) for one in arguments]
    results = Parallel(return_as="generator")(tasks)
    return list(track(results, what, len(tasks)))
