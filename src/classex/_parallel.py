"""Independent tasks, run where joblib is configured to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from classex._progress import progress_bars, track

__all__ = ["at_work", "in_parallel"]

T = TypeVar("T")


def in_parallel(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], what: str) -> list[T]:
    """Return the results of a function on each tuple of arguments, in order.

    The tasks run one after the other, unless ``joblib.parallel_config`` says otherwise: threads, processes or a
    Dask cluster. They carry their own seeds, so that the results do not depend on it.
    """
    from joblib import Parallel, delayed

    tasks = [delayed(function)(*values) for values in arguments]
    results = Parallel(return_as="generator")(tasks)
    return list(track(results, what, len(tasks)))


@contextmanager
def at_work(n_jobs: int | None, progress: bool | None) -> Iterator[None]:
    """Run `in_parallel` on `n_jobs` processes in this context, and show its progress.

    None leaves the choice to ``joblib.parallel_config``, and shows no bars.
    """
    whole = isinstance(n_jobs, int) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0 (-1: all processors), not {n_jobs!r}")
    with ExitStack() as stack:
        if n_jobs is not None:
            from joblib import parallel_config

            stack.enter_context(parallel_config(n_jobs=n_jobs))
        if progress:
            stack.enter_context(progress_bars())
        yield
