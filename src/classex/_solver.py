"""Convex problems: solve, and refuse anything but an optimum."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from classex.exceptions import SolverError

__all__ = ["SOLVING", "solve_problem"]

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
