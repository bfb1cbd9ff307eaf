"""Results of `classex.open_set`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._rates import probit
from classex._result import DrawnResult
from classex._types import FloatArray
from classex._validation import as_probabilities

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


@dataclass(frozen=True)
class OpenSetRates(DrawnResult):
    """Error rates of open-set identification over thresholds, and where one of them is given.

    The base of `OpenSetCurve` and `OpenSetPrediction`, and what their methods `fnir_at_fpir`, `fpir_at_fnir` and
    `equal_error_rate` return.

    Attributes
    ----------
    n_enrolled : int or ndarray of shape (n,)
        Number N of enrolled identities.
    thresholds : ndarray of shape (n,)
        Thresholds T; a candidate is returned if its score is at least T.
    fpir, fnir : ndarray of shape (n,)
        FPIR(N, T) and FNIR(N, R, T).
    fpir_interval, fnir_interval : ndarray of shape (n, 2)
        Confidence intervals. A given rate is its own interval.
    confidence_level : float
        Their nominal level.
    top : int
        The rank R.
    n_mated, n_nonmated : int
        Numbers of searches.
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.

    Notes
    -----
    Where a rate is given, the other one is interpolated between neighbouring thresholds, linearly in the normal deviate
    of the given rate. Each end of its interval is as far from the estimate as the root of the summed squares of two
    distances. The first is to the end of the rate's own interval at that threshold. The second is to the rate at the
    threshold where an end of the given rate's interval has the given value, so that the error of the threshold is
    included (Zou and Donner, Statistics in Medicine, 2008). If that is at none of the thresholds, the end is 0 or 1:
    the data do not bound the rate on that side.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.open_set import open_set_curve
    >>> rng = np.random.default_rng(1)
    >>> mated = rng.normal(size=(60, 60)) + 4 * np.eye(60)
    >>> curve = open_set_curve(mated, range(60), rng.normal(size=(200, 60)))
    >>> curve.fnir_at_fpir([0.01, 0.1]).fnir.round(2)
    array([0.42, 0.17])
    >>> curve.equal_error_rate().fpir.round(2)
    array([0.14])
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
    complete_from: float = field(default=-np.inf, kw_only=True)

    _display: ClassVar[str] = "DetectionErrorDisplay"
    _names: ClassVar[Mapping[str, str]] = _NAMES
    _tabulated: ClassVar[bool] = True
    _says: ClassVar[str] = "FNIR at rank {top}, from {n_mated} mated and {n_nonmated} non-mated searches:"

    def _table(self) -> dict[str, Any]:
        return {"N": self._sizes(), "R": np.full(self.thresholds.shape, self.top)} | super()._table()

    def _displayed(self) -> tuple[list[str], list[list[str]]]:
        """Return the table as text, with "set" instead of the interval of a given rate."""
        names, rows = super()._displayed()
        for rate, ends in (("FPIR", self.fpir_interval), ("FNIR", self.fnir_interval)):
            columns = [i for i, name in enumerate(names) if name.startswith(rate) and name.endswith("interval")]
            for row, (low, high) in zip(rows, ends, strict=True):
                for i in columns if 0 < low == high < 1 else []:
                    row[i] = "set"
        for row, low in zip(rows, self.thresholds < self.complete_from, strict=True):
            row[names.index("T")] += "*" * bool(low)
        return names, rows

    def _notes(self) -> list[str]:
        if self.thresholds.min(initial=np.inf) >= self.complete_from:
            return []
        return [
            f"* Below {self.complete_from:.4g} a list of candidates ends, and scores that it lacks count as lower."
            " FMR may be too low, with fewer than all enrolled FPIR too low and FNIR too high, and predictions for more"
            " are unreliable."
        ]

    def _sizes(self) -> NDArray[np.int64]:
        """Return the number of enrolled identities of each row."""
        return np.broadcast_to(self.n_enrolled, self.thresholds.shape)

    def fnir_at_fpir(self, fpir: ArrayLike) -> OpenSetRates:
        """FNIR at the thresholds where FPIR has the given values.

        Parameters
        ----------
        fpir : float or array_like of shape (m,)
            False positive identification rates.

        Returns
        -------
        OpenSetRates
            One row for each N and rate.

        Raises
        ------
        ValueError
            If a rate is below the smallest FPIR above 0 of these thresholds, or above the largest: with all identities
            enrolled, 200 non-mated searches cannot resolve a rate below .005.
        """
        return self._where("fpir", fpir)

    def fpir_at_fnir(self, fnir: ArrayLike) -> OpenSetRates:
        """FPIR at the thresholds where FNIR has the given values.

        Parameters
        ----------
        fnir : float or array_like of shape (m,)
            False negative identification rates.

        Returns
        -------
        OpenSetRates
            One row for each N and rate.

        Raises
        ------
        ValueError
            If a rate is below the smallest FNIR above 0 of these thresholds, or above the largest.
        """
        return self._where("fnir", fnir)

    def equal_error_rate(self) -> OpenSetRates:
        """Rate at the threshold where FPIR and FNIR are equal.

        Returns
        -------
        OpenSetRates
            One row for each N; `fpir` and `fnir` are both the equal error rate.

        Raises
        ------
        ValueError
            If FNIR is larger at all thresholds, or FPIR is.
        """
        return self._where("", 0.0)

    def _where(self, given: str, rates: ArrayLike) -> OpenSetRates:
        values, sizes = np.atleast_1d(as_probabilities(rates, given or "rate")), np.unique(self._sizes())
        points = np.array([self._point(n, given, value) for n in sizes for value in values])
        columns = (
            np.repeat(sizes, values.size),
            points[:, 0],
            points[:, 1],
            points[:, 4],
            points[:, 2:4],
            points[:, 5:],
        )
        about = (self.confidence_level, self.top, self.n_mated, self.n_nonmated)
        return OpenSetRates(*columns, *about, complete_from=self.complete_from)

    def _point(self, n: int, given: str, value: float) -> list[float]:
        """Threshold, then FPIR and FNIR, each with the ends of its interval."""
        # along the rows the given rate falls
        rows = np.argsort(self.thresholds)[:: -1 if given == "fnir" else 1]
        rows = rows[self._sizes()[rows] == n]
        pairs = ((self.fpir, self.fpir_interval), (self.fnir, self.fnir_interval))
        fpir, fnir = (np.column_stack(pair)[rows].T for pair in pairs)
        known, other = (fnir, fpir) if given == "fnir" else (fpir, fnir)
        least, most = known[0][known[0] > 0].min(initial=1.0), known[0].max()
        if given and not least * (1 - 1e-9) <= value <= most * (1 + 1e-9):  # except rounding
            raise ValueError(
                f"{given} must be between {least:.3g} and {most:.3g}, the rates above 0 that these thresholds have with"
                f" {n} enrolled, but is {value:.4g}: for lower rates search more people, or call extrapolate_open_set"
            )

        def crossing(i: int, j: int, end: float | None = None) -> float:
            """Rate where the estimate (0), low (1) or high (2) end of the known rate crosses the given or other one."""
            meets = np.full(rows.size, value) if given else other[j]
            return _crossing(known[i], meets, other[j] if given else (known[i] + other[j]) / 2, end)

        best = crossing(0, 0)
        low, high = (
            best + side * np.hypot(crossing(i, 0, end) - best, crossing(0, i) - best)
            for i, side, end in ((1, -1, 0.0 if given else None), (2, 1, 1.0 if given else None))
        )
        threshold = _crossing(known[0], np.full(rows.size, value) if given else other[0], self.thresholds[rows], None)
        sought = [best, max(low, 0.0), min(high, 1.0)]
        both = [[value] * 3 if given else sought, sought]
        return [threshold, *np.ravel(both[:: -1 if given == "fnir" else 1])]


def _crossing(rate: FloatArray, other: FloatArray, y: FloatArray, end: float | None) -> float:
    """Value of y where one rate is last above another; `end`, or the y of the nearest row, if that is nowhere."""
    excess = probit(rate) - probit(other)
    above = np.flatnonzero(excess > 0)
    i = int(above[-1]) if above.size else -1
    if i in (-1, excess.size - 1):
        return float(y[max(i, 0)]) if end is None else end
    return float(y[i] + excess[i] / (excess[i] - excess[i + 1]) * (y[i + 1] - y[i]))


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
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.
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

    _says: ClassVar[str] = "Rates among {n_enrolled} enrolled. " + OpenSetRates._says

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
    complete_from : float
        Score from which all are known. Rows with a lower threshold have a star: lists of candidates end above it.
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

    _says: ClassVar[str] = "Predicted from {n_searched} enrolled. " + OpenSetRates._says

    def _notes(self) -> list[str]:
        said = "False matches: comparisons of non-mated searches, with all enrolled in the data, that reached T."
        return [said, *super()._notes()]
