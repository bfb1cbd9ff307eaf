"""What is used where it is installed: packages, processes, a bar of progress, a solver."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from classex.exceptions import SolverError

__all__ = ["SOLVING", "at_work", "in_parallel", "needed_for", "progress_bar", "progress_bars", "solve_problem", "track"]


#: name of the library and what to install, by the module that is missing
_OFFERED = {
    "cvxpy": ("cvxpy", "cvxpy"),
    "h5py": ("h5py", "classex[course]"),
    "matplotlib": ("matplotlib", "classex[plot]"),
    "pandas": ("pandas", "pandas"),
    "psutil": ("psutil", "classex[course]"),
    "sklearn": ("scikit-learn", "classex[sklearn]"),
}


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Import optional libraries in this context; `what` needs them.

    Raises
    ------
    ImportError
        If one of them is not installed: one line that says what to install. A library that is installed but does
        not load keeps its own error.

    Examples
    --------
    >>> with needed_for("a figure"):
    ...     from matplotlib import pyplot as plt
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _OFFERED:
            raise
        library, offered = _OFFERED[error.name]
        message = f"{what} needs {library}, which is not installed: pip install '{offered}'"
        raise ImportError(message, name=error.name) from None


T = TypeVar("T")
_shown: ContextVar[bool] = ContextVar("shown", default=False)


@contextmanager
def progress_bars() -> Iterator[None]:
    """Show progress bars on standard error inside this context, if standard error is a terminal."""
    token = _shown.set(sys.stderr.isatty())
    try:
        yield
    finally:
        _shown.reset(token)


def progress_bar() -> Any:
    """Return tqdm's bar, or None where it is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Iterate over items, with a progress bar inside `progress_bars`."""
    bars = progress_bar() if _shown.get() else None
    return items if bars is None else bars(items, desc=what, total=total, leave=False, file=sys.stderr)


def in_parallel(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], what: str) -> list[T]:
    """Return the results of a function on each tuple of arguments, in order.

    The tasks run one after the other, unless ``joblib.parallel_config`` says otherwise: threads, processes or a
    Dask cluster. They carry their own seeds, so that the results do not depend on it. Without joblib nothing else is
    possible.
    """
    try:
        from joblib import Parallel, delayed
    except ImportError:
        return [function(*values) for values in track(list(arguments), what)]
    tasks = [delayed(function)(*values) for values in arguments]
    results = Parallel(return_as="generator")(tasks)
    return list(track(results, what, len(tasks)))


@contextmanager
def at_work(n_jobs: int | None, progress: bool | None) -> Iterator[None]:
    """Run `in_parallel` on `n_jobs` processes in this context, and show its progress.

    None leaves the choice to ``joblib.parallel_config``, and shows no bars.
    """
    if n_jobs is not None and (type(n_jobs) is not int or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0 (-1: all processors), not {n_jobs!r}")
    with ExitStack() as stack:
        if n_jobs is not None:
            with suppress(ImportError):
                from joblib import parallel_config

                stack.enter_context(parallel_config(n_jobs=n_jobs))
        if progress:
            stack.enter_context(progress_bars())
        yield


#: for callers to hold from setting the parameters of a shared problem to reading its solution
SOLVING = threading.RLock()


def solve_problem(
    problem: Any, what: str, attempts: Sequence[Mapping[str, Any]] = ({},), accepted: Sequence[str] = ("optimal",)
) -> str:
    """Solve a cvxpy problem, with one set of solver options after the other until the status is accepted.

    Raises
    ------
    SolverError
        If no attempt reaches such a status; it carries the last status.
    """
    status = "not started"
    for options in attempts:
        try:
            # a solution may leave the domain of a logarithm by a rounding error, and cvxpy evaluates it there
            with warnings.catch_warnings(), np.errstate(invalid="ignore"):
                # cvxpy warns of an inaccurate solution, which the status says as well
                warnings.simplefilter("ignore", UserWarning)
                # what was solved before must not move the solution
                problem.solve(**{"warm_start": False, **options})
            status = str(problem.status)
        except Exception as error:
            # by name, so that only the modules that state problems import cvxpy
            if not type(error).__module__.startswith("cvxpy.error"):
                raise
            status = "solver_error"
        if status in accepted:
            return status
    raise SolverError(f"{what} was not solved", status)
