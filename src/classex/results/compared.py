"""Results of comparisons on the same problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import Result


@dataclass(frozen=True)
class PairedDifference(Result):
    """Differences of pass@k between two systems that tried the same problems.

    Attributes
    ----------
    first, second : str
        Names of the systems; the difference is the first less the second.
    k : ndarray of shape (n,)
        Numbers of attempts.
    value, standard_error : ndarray of shape (n,)
        Estimated differences, and their standard errors over problems or groups of problems.
    interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Nominal level of the intervals.
    n_problems : int
        Number of problems that both tried.

    Examples
    --------
    >>> import classex as cx
    >>> print(
    ...     cx.attempts.pass_at_k_difference(
    ...         ([3, 5, 1], [5, 5, 5]), ([1, 4, 0], [5, 5, 5]), 1
    ...     )
    ... )
    pass@k of a less that of b, on the same 3 problems:
    <BLANKLINE>
    k  difference  standard error    95 % interval
    1       0.267           0.067  -0.487 to 0.703
    """

    first: str
    second: str
    k: NDArray[np.int64]
    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    interval: NDArray[np.float64]
    confidence_level: float
    n_problems: int

    _names: ClassVar[Mapping[str, str]] = {"value": "difference"}
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "pass@k of {first} less that of {second}, on the same {n_problems} problems:"
