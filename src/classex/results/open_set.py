"""Results of `classex.open_set`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._validation import as_probabilities
from classex.results._result import DrawnResult, Result

FloatArray = NDArray[np.float64]

# as in the tables of NIST's evaluations and ISO/IEC 19795-1
_NAMES = {
    "n_enrolled": "N",
    "thresholds": "T",
    **{
        f"{rate.lower()}{end}": f"{rate}{end}"
        for rate in ("FPIR", "FNIR", "FMR")
        for end in ("", "_error", "_interval")
    },
}
# rates of 0 and 1 have no normal deviate: these stand for them
_LEAST = 1e-12
# a rate this far outside its range, as a share of it, is rounding
_ROUNDING = 1e-9


@dataclass(frozen=True)
class OperatingPoints(Result):
    """One rate of open-set identification where the other is given, or where both are equal.

    Attributes
    ----------
    n_enrolled : ndarray of shape (n,)
        Numbers N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Thresholds T at which the rates are reached.
    fpir, fnir : ndarray of shape (n,)
        FPIR(N, T) and FNIR(N, R, T).
    interval : ndarray of shape (n, 2)
        Confidence interval of the rate that was not given. It includes the error of the threshold.
    confidence_level : float
        Its nominal level.
    top : int
        The rank R.
    sought : str
        What the interval is for: "FNIR", "FPIR" or "equal error rate".

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import open_set_curve
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(60, 60)) + 4 * np.eye(60)
    >>> curve = open_set_curve(mated, range(60), rng.normal(size=(200, 60)))
    >>> curve.fnir_at_fpir([0.01, 0.1]).fnir.round(2)
    array([0.2, 0.1])
    """

    n_enrolled: NDArray[np.int64]
    thresholds: FloatArray
    fpir: FloatArray
    fnir: FloatArray
    interval: FloatArray
    confidence_level: float
    top: int
    sought: str

    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "Operating points at rank {top}, with the interval of the {sought}:"


@dataclass(frozen=True)
class OpenSetRates(DrawnResult):
    """Base of `OpenSetCurve` and `OpenSetPrediction`: rates over thresholds, and points on the trade-off.

    Between neighbouring thresholds rates are interpolated linearly, by the normal deviate of the given rate. An
    interval combines the errors of the two rates: each end is as far from the estimate as the root of the summed
    squares of two distances. The first is to the end of the sought rate's own interval, the second is to the sought
    rate at the threshold where an end of the given rate's interval takes the given value (Zou and Donner, Statistics
    in Medicine, 2008). Where no threshold is that high or low, the end is 1 or 0: the data do not bound the rate.

    Attributes
    ----------
    n_enrolled : int or ndarray of shape (n,)
        Number N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Thresholds T; a candidate is returned if its score is at least T.
    fpir, fnir : ndarray of shape (n,)
        FPIR(N, T) and FNIR(N, R, T).
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
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.25, 0.35, 0.55])
    >>> curve.equal_error_rate().fpir.round(3)
    array([0.333])
    """

    n_enrolled: int | NDArray[np.int64]
    thresholds: FloatArray
    fpir: FloatArray
    fnir: FloatArray
    fpir_interval: FloatArray
    fnir_interval: FloatArray
    confidence_level: float
    top: int
    n_mated: int
    n_nonmated: int

    _display: ClassVar[str] = "DetectionErrorDisplay"
    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True

    def _table(self) -> dict[str, Any]:
        return {"N": self._sizes(), "R": np.full(self.thresholds.shape, self.top)} | super()._table()

    def _sizes(self) -> NDArray[np.int64]:
        """Return the number of enrolled identities of each row."""
        return np.broadcast_to(self.n_enrolled, self.thresholds.shape)

    def fnir_at_fpir(self, fpir: ArrayLike) -> OperatingPoints:
        """FNIR at the thresholds where FPIR has the given values.

        Parameters
        ----------
        fpir : float or array_like of shape (m,)
            False positive identification rates.

        Returns
        -------
        OperatingPoints
            One row for each N and rate.

        Raises
        ------
        ValueError
            If a rate is below the smallest FPIR above 0 of these thresholds, or above the largest: with all identities
            enrolled, 200 non-mated searches cannot resolve a rate below .005.
        """
        return self._where("fpir", fpir)

    def fpir_at_fnir(self, fnir: ArrayLike) -> OperatingPoints:
        """FPIR at the thresholds where FNIR has the given values.

        Parameters
        ----------
        fnir : float or array_like of shape (m,)
            False negative identification rates.

        Returns
        -------
        OperatingPoints
            One row for each N and rate.

        Raises
        ------
        ValueError
            If a rate is below the smallest FNIR above 0 of these thresholds, or above the largest.
        """
        return self._where("fnir", fnir)

    def equal_error_rate(self) -> OperatingPoints:
        """Rate at the threshold where FPIR and FNIR are equal.

        Returns
        -------
        OperatingPoints
            One row for each N; `fpir` and `fnir` are both the equal error rate.

        Raises
        ------
        ValueError
            If one rate is the larger one at all thresholds.
        """
        return self._where("", 0.0)

    def _where(self, given: str, rates: ArrayLike) -> OperatingPoints:
        values, sizes = np.atleast_1d(as_probabilities(rates, given)), self._sizes()
        found = np.array([self._point(n, given, value) for n in np.unique(sizes) for value in values])
        sought = {"fpir": "FNIR", "fnir": "FPIR"}.get(given, "equal error rate")
        among = np.repeat(np.unique(sizes), values.size)
        return OperatingPoints(among, *found[:, :3].T, found[:, 3:], self.confidence_level, self.top, sought)

    def _point(self, n: int, given: str, value: float) -> list[float]:
        """Threshold, FPIR, FNIR, and the interval of the rate that is not given."""
        rows = np.flatnonzero(self._sizes() == n)
        # along the rows the given rate falls
        rows = rows[np.argsort(self.thresholds[rows])][:: -1 if given == "fnir" else 1]
        pairs = ((self.fpir, self.fpir_interval), (self.fnir, self.fnir_interval))
        fpir, fnir = (np.column_stack(pair)[rows].T for pair in pairs)
        known = np.append(fpir[0] if given == "fpir" else fnir[0], 0.0)
        least, most = known[known > 0].min(initial=1.0), known.max()
        if given and not least * (1 - _ROUNDING) <= value <= most * (1 + _ROUNDING):
            raise ValueError(
                f"{given} must be between {least:.3g} and {most:.3g}, the rates above 0 that these thresholds have with"
                f" {n} enrolled, but is {value:.4g}: for lower rates search more people, or call extrapolate_open_set"
            )

        def crossing(i: int, j: int, y: FloatArray | None = None, end: float | None = None) -> float:
            """Where the estimates (0), low (1) or high (2) ends of FPIR and FNIR cross the given rate or each other."""
            left = fnir[j] if given == "fnir" else fpir[i]
            right = np.full(rows.size, value) if given else fnir[j]
            if y is None:
                y = {"fpir": fnir[j], "fnir": fpir[i]}.get(given, (left + right) / 2)
            return _crossing(_deviate(left) - _deviate(right), y, end)

        best = crossing(0, 0)
        ends = [
            best + side * np.hypot(crossing(i, 0, end=end) - best, crossing(0, i, end=end) - best)
            for i, side, end in ((1, -1, 0.0 if given else None), (2, 1, 1.0 if given else None))
        ]
        both = [value if given == "fpir" else best, value if given == "fnir" else best]
        return [crossing(0, 0, self.thresholds[rows]), *both, *np.clip(ends, 0.0, 1.0)]


def _deviate(rate: FloatArray) -> FloatArray:
    deviate: FloatArray = special.ndtri(np.clip(rate, _LEAST, 1 - _LEAST))
    return deviate


def _crossing(excess: FloatArray, y: FloatArray, end: float | None) -> float:
    """Value of y where the excess is last above 0; `end`, or the y of the nearest threshold, if that is nowhere."""
    above = np.flatnonzero(excess > 0)
    i = int(above[-1]) if above.size else -1
    if i in (-1, excess.size - 1):
        return float(y[max(i, 0)]) if end is None else end
    share = excess[i] / (excess[i] - excess[i + 1])
    return float(y[i] + share * (y[i + 1] - y[i]))


@dataclass(frozen=True)
class OpenSetCurve(OpenSetRates):
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
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    fmr : ndarray of shape (n,)
        False match rate of a single comparison, averaged over non-mated searches and enrolled identities.
    fpir_error, fnir_error : ndarray of shape (n,)
        Standard errors, over searching and over enrolled people.

    Examples
    --------
    >>> from classex.open_set import open_set_curve
    >>> mated = [[0.9, 0.2, 0.1], [0.3, 0.8, 0.4], [0.2, 0.6, 0.5]]
    >>> nonmated = [[0.1, 0.3, 0.2], [0.6, 0.1, 0.2], [0.2, 0.3, 0.4]]
    >>> curve = open_set_curve(mated, [0, 1, 2], nonmated, [0.35, 0.55])
    >>> curve.n_enrolled, curve.thresholds, curve.fmr.round(4)
    (3, array([0.35, 0.55]), array([0.2222, 0.1111]))
    """

    fmr: FloatArray
    fpir_error: FloatArray
    fnir_error: FloatArray

    _says: ClassVar[str] = (
        "Rates among {n_enrolled} enrolled, FNIR at rank {top}, from {n_mated} mated and {n_nonmated} non-mated"
        " searches:"
    )

    @property
    def selectivity(self) -> FloatArray:
        """Selectivity N FMR(T): mean number of candidates that a non-mated search returns, for each threshold."""
        return self.n_enrolled * self.fmr


@dataclass(frozen=True)
class OpenSetPrediction(OpenSetRates):
    """Predicted error rates of open-set identification, one row for each number of enrolled identities and threshold.

    Attributes
    ----------
    n_enrolled : ndarray of shape (n,)
        Numbers N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Scores T that a candidate must reach.
    fpir, fnir : ndarray of shape (n,)
        Predicted false positive and false negative identification rates, FPIR(N, T) and FNIR(N, R, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    n_searched : int
        Number of enrolled identities in the data.
    n_false_matches : ndarray of shape (n,)
        Comparisons of the non-mated searches that reached the threshold.

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
    >>> found.n_searched, found.thresholds, found.n_false_matches
    (60, array([3.]), array([6]))
    """

    n_searched: int
    n_false_matches: NDArray[np.int64]

    _says: ClassVar[str] = (
        "Predicted from {n_searched} enrolled, FNIR at rank {top}, from {n_mated} mated and {n_nonmated} non-mated"
        " searches:"
    )
