"""Results of `classex.attempts`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex import plots
from classex._result import Result


@dataclass(frozen=True)
class PassAtK(Result):
    """Estimated pass@k.

    Attributes
    ----------
    k : ndarray of shape (n,)
        Numbers of attempts.
    value : ndarray of shape (n,)
        Estimated pass@k, a probability.
    standard_error : ndarray of shape (n,)
        Standard errors over problems.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    limits : ndarray of shape (n, 2)
        Limits of pass@k for every distribution of the chances, with the same confidence or more. Up to the trials they
        are the interval.
    extrapolated : ndarray of bool of shape (n,)
        Whether k exceeds the trials of some problem (of some unsolved problem, if trials stopped at a success), so that
        the value may depend on fitted distributions.
    confidence_level : float
        Nominal level of the intervals.
    n_problems, n_unsolved : int
        Number of problems, and of those without a success.

    Examples
    --------
    >>> import classex as cx
    >>> found = cx.pass_at_k([0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10, [1, 5, 100])
    >>> found.value[:2].round(3), found.extrapolated, found.n_unsolved
    (array([0.28 , 0.519]), array([False, False,  True]), 4)
    """

    k: NDArray[np.int64]
    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    limits: NDArray[np.float64]
    extrapolated: NDArray[np.bool_]
    confidence_level: float
    n_problems: int
    n_unsolved: int

    _names: ClassVar[Mapping[str, str]] = {"value": "pass@k"}
    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = "pass@k of {n_problems} problems, {n_unsolved} of them unsolved so far:"

    def _notes(self) -> list[str]:
        note = (
            "The limits allow for every distribution of the chances of success. They are wider than the interval only "
            "where k exceeds the trials made. Use them if the problems that remain may all have nearly the same "
            "chance, since the interval may then miss the true value."
        )
        return [note] if self.extrapolated.any() else []

    def plot(self, ax: Any = None, **line: Any) -> plots.AccuracyCurveDisplay:
        """Draw the values with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **line
            Passed to matplotlib for the line.

        Returns
        -------
        AccuracyCurveDisplay
        """
        order = np.argsort(self.k)
        k, value, interval = (column[order] for column in (self.k.astype(np.float64), self.value, self.interval))
        display = plots.AccuracyCurveDisplay(
            None, k, value, interval, xlabel="number of attempts k", ylabel=self._names["value"]
        )
        return display.plot(ax, **line)


@dataclass(frozen=True)
class PassHatK(PassAtK):
    """Estimated pass^k, the share of problems that all of k attempts solve; attributes as in `PassAtK`.

    Examples
    --------
    >>> import classex as cx
    >>> print(cx.attempts.pass_hat_k([0, 1, 3, 4], 4, 2).to_markdown())
    | k | pass^k | standard error | 95 % interval | limits | extrapolated |
    |--:|--:|--:|--:|--:|--:|
    | 2 | 0.38 | 0.24 | 0.06 to 0.81 | 0.06 to 0.81 | no |
    """

    _names: ClassVar[Mapping[str, str]] = {"value": "pass^k"}
    _says: ClassVar[str] = "pass^k of {n_problems} problems, {n_unsolved} of them unsolved so far:"


@dataclass(frozen=True)
class AttemptsToReach(Result):
    """Number of attempts at each problem with which pass@k reaches a coverage.

    Attributes
    ----------
    coverage : float
        Share of problems to be solved.
    value : float
        Least number of attempts with which pass@k reaches it; infinite if it does not up to 10^12 attempts.
    low, high : float
        Confidence interval, infinite where an end of the interval of pass@k does not reach the coverage.
    confidence_level : float
        Nominal level of the interval.
    n_problems, n_unsolved : int
        Number of problems, and of those without a success.

    Examples
    --------
    >>> import classex as cx
    >>> print(cx.attempts.attempts_to_reach([0, 1, 3, 4, 2, 2, 1, 4], 4, 0.5))
    Attempts at each problem for a coverage of 0.5: 1 (95 % interval 1 to 4). 1 of 8 problems are unsolved so far.
    """

    coverage: float
    value: float
    low: float
    high: float
    confidence_level: float
    n_problems: int
    n_unsolved: int

    _names: ClassVar[Mapping[str, str]] = {"value": "attempts", "low": "attempts_low", "high": "attempts_high"}
    _says: ClassVar[str] = (
        "Attempts at each problem for a coverage of {coverage}: {found}. "
        "{n_unsolved} of {n_problems} problems are unsolved so far."
    )
