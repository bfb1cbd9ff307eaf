"""The errors that are this package's own."""

from __future__ import annotations

from typing import Any

__all__ = ["LackOfFitWarning", "NotFittedError", "SolverError"]


class NotFittedError(ValueError, AttributeError):
    """Raised when an estimator is asked to predict before it was fitted."""


class LackOfFitWarning(UserWarning):
    """What was fitted misses the accuracy observed with all classes by more than three standard errors."""


class SolverError(RuntimeError):
    """A convex problem was not solved to optimality.

    Attributes
    ----------
    status : str
        What the solver reported, for example ``"infeasible"`` or ``"solver_error"``.
    """

    def __init__(self, message: str, status: str) -> None:
        super().__init__(f"{message} (solver status: {status})")
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what rebuilds the error in another process."""
        return _rebuild, (self.args[0], self.status)


def _rebuild(message: str, status: str) -> SolverError:
    error = SolverError.__new__(SolverError)
    RuntimeError.__init__(error, message)
    error.status = status
    return error
