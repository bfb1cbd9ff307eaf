"""Results of `classex.open_set`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from classex.results._result import DrawnResult, Result

_NAMES = {
    "thresholds": "threshold",
    **{
        f"{rate.lower()}{end}": f"{rate}{end}"
        for rate in ("FPIR", "FNIR", "FMR")
        for end in ("", "_error", "_interval")
    },
}


@dataclass(frozen=True)
class OpenSetCurve(DrawnResult):
    """False positive and false negative identification rates over thresholds, at one number of enrolled identities.

    Attributes
    ----------
    n_enrolled : int
        Number N of enrolled identities that are searched.
    thresholds : ndarray of shape (n,)
        Thresholds T; a candidate is returned if its score is at least T.
    fpir : ndarray of shape (n,)
        FPIR(N, T): share of non-mated searches that return at least one candidate.
    fnir : ndarray of shape (n,)
        FNIR(N, R, T): share of mated searches that do not return the right identity among the R best candidates.
    fmr : ndarray of shape (n,)
        False match rate of a single comparison, averaged over non-mated searches and enrolled identities.
    fpir_error, fnir_error : ndarray of shape (n,)
        Standard errors, over searching and over enrolled people.
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.

    Examples
    --------
    >>> from classex.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4]]
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.35, 0.55])
    >>> curve.n_enrolled, curve.thresholds, curve.fmr.round(4)
    (3, array([0.35, 0.55]), array([0.2222, 0.1111]))
    """

    n_enrolled: int
    thresholds: NDArray[np.float64]
    fpir: NDArray[np.float64]
    fnir: NDArray[np.float64]
    fmr: NDArray[np.float64]
    fpir_error: NDArray[np.float64]
    fnir_error: NDArray[np.float64]
    fpir_interval: NDArray[np.float64]
    fnir_interval: NDArray[np.float64]
    confidence_level: float
    top: int
    n_mated: int
    n_nonmated: int

    _display: ClassVar[str] = "DetectionErrorDisplay"
    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = (
        "Rates among {n_enrolled} enrolled, FNIR at rank {top}, from {n_mated} mated and {n_nonmated} non-mated"
        " searches:"
    )


@dataclass(frozen=True)
class OpenSetPrediction(Result):
    """Predicted error rates of open-set identification at one threshold.

    Attributes
    ----------
    n_enrolled : ndarray of shape (n,)
        Numbers N of enrolled identities.
    threshold : float
        Score that a candidate must reach.
    fpir, fnir : ndarray of shape (n,)
        Predicted false positive and false negative identification rates, FPIR(N, T) and FNIR(N, 1, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    n_searched : int
        Number of enrolled identities in the data.
    n_false_matches : int
        Comparisons of the non-mated searches that reached the threshold.
    n_mated, n_nonmated : int
        Numbers of searches.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import extrapolate_open_set
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(60, 60)) + 5 * np.eye(60)
    >>> nonmated = rng.normal(size=(50, 60))
    >>> found = extrapolate_open_set(
    ...     mated, range(60), nonmated, 3.0, n_enrolled=600
    ... )
    >>> found.n_searched, found.threshold, found.n_false_matches
    (60, 3.0, 6)
    """

    n_enrolled: NDArray[np.int64]
    threshold: float
    fpir: NDArray[np.float64]
    fnir: NDArray[np.float64]
    fpir_interval: NDArray[np.float64]
    fnir_interval: NDArray[np.float64]
    confidence_level: float
    n_searched: int
    n_false_matches: int
    n_mated: int
    n_nonmated: int

    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True

    _says: ClassVar[str] = (
        "Predicted from {n_searched} enrolled at the threshold {threshold} (false matches seen: {n_false_matches}),"
        " from {n_mated} mated and {n_nonmated} non-mated searches:"
    )
