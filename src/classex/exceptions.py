"""The errors that are this package's own."""

from __future__ import annotations

from typing import Any

__all__ = ["LackOfFitWarning", "NotFittedError", "SolverError"]


class NotFittedError(ValueError, AttributeError):
    """Raised when an estimator is asked to predict before it was fitted.

    Examples
    --------
    >>> import classex as cx
    >>> try:
    ...     cx.Extrapolator(cx.methods.ProbitNormal()).predict(100)
    ... except cx.exceptions.NotFittedError as error:
    ...     print(error)
    this Extrapolator is not fitted yet: call fit first
    """


class LackOfFitWarning(UserWarning):
    """What was fitted misses the accuracy observed with all classes by more than three standard errors.

    Examples
    --------
    >>> import warnings
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins(range(10), 10)  # guesses: the accuracy is 1/k
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     # a straight line at some height
    ...     _ = cx.Extrapolator(cx.methods.sources.Polynomial(degree=0)).fit_ranks(
    ...         ranks
    ...     )
    >>> [warning.category.__name__ for warning in caught]
    ['LackOfFitWarning']
    """


class SolverError(RuntimeError):
    r"""A convex problem was not solved to optimality.

    Attributes
    ----------
    status : str
        What the solver reported, for example ``"infeasible"`` or ``"solver_error"``.

    Examples
    --------
    >>> from classex.exceptions import SolverError
    >>> try:
    ...     raise SolverError("the constrained fit was not solved", "infeasible")
    ... except SolverError as error:
    ...     print(error, error.status, sep="\n")
    the constrained fit was not solved (solver status: infeasible)
    infeasible
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
