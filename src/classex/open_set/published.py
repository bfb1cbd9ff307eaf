"""Published error rates of identification, one curve for each algorithm, continued to more enrolled identities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from classex._rates import density
from classex._result import Result
from classex._types import FloatArray
from classex._validation import as_class_counts, as_positive_int, as_probability, listed, one_of, shown
from classex.forecast import CurvePrior, Straight
from classex.forecast.priors import ACCURACY_CURVES
from classex.methods.gaussian_process import GaussianProcess
from classex.predict.extrapolator import Extrapolator

__all__ = ["PublishedRates", "extrapolate_published_rates"]

# Without a threshold the mate must beat the best of N others, whose rate is e^-gamma / N in the mean of its logarithm
_BEST_OF_ALL = float(np.exp(-np.euler_gamma))


@dataclass(frozen=True)
class PublishedRates(Result):
    """Published error rates of identification, continued to other numbers of enrolled identities.

    Attributes
    ----------
    algorithms : ndarray of str of shape (n,)
        Algorithm of each row.
    n_enrolled : ndarray of shape (n,)
        Number N of enrolled identities.
    rates : ndarray of shape (n,)
        FNIR or FPIR.
    interval : ndarray of shape (n, 2)
        Its interval.
    rate : str
        "fnir" or "fpir".
    fpir : float or None
        FPIR that is held at every N.
    n_published : int
        Largest N of the published rates.
    n_searches : int
        Number of searches behind each published rate.
    confidence_level : float
        Nominal level of the intervals.
    unusual : list of str
        Curves of 1 - rate that are more likely of another kind than a straight line in log N, in words.

    Examples
    --------
    >>> from classex.open_set import extrapolate_published_rates
    >>> found = extrapolate_published_rates(
    ...     [10**6, 10**7],
    ...     [0.02, 0.03],
    ...     n_enrolled=[10**7, 10**8],
    ...     n_searches=10**5,
    ... )
    >>> found.rates.round(3)
    array([0.03, 0.05])
    """

    algorithms: NDArray[np.str_]
    n_enrolled: NDArray[np.int64]
    rates: FloatArray
    interval: FloatArray
    rate: str
    fpir: float | None
    n_published: int
    n_searches: int
    confidence_level: float
    unusual: list[str]

    _tabulated: ClassVar[bool] = True

    def _sentence(self) -> str:
        most, where = f"{self.n_published:,}", "without a threshold (rank 1)"
        beyond = "the slope is near that of normal scores, mated and non-mated ones of equal variance"
        if self.rate == "fpir":
            where, beyond = "at one threshold", "searches differ in their false match rates as far as the curve shows"
        elif self.fpir:
            where = f"at FPIR {self.fpir:.4g}, by a threshold for each N"
        return (
            f"{self.rate.upper()} {where}, continued from published rates among up to {most} enrolled.\nAssumed: those"
            f" enrolled are a random sample of one population at every N; each rate is from {self.n_searches:,}"
            f" searches, and its threshold has no error; beyond {most}, {beyond}, within the interval."
        )

    def _table(self) -> dict[str, Any]:
        of = self.rate.upper()
        ends = {f"{of}_low": self.interval[:, 0], f"{of}_high": self.interval[:, 1]}
        return {"algorithm": self.algorithms, "N": self.n_enrolled, of: self.rates, **ends}

    def _notes(self) -> list[str]:
        return self.unusual


def extrapolate_published_rates(
    n_published: ArrayLike,
    rates: ArrayLike,
    *,
    n_enrolled: ArrayLike,
    n_searches: int,
    rate: Literal["fnir", "fpir"] = "fnir",
    fpir: float | None = None,
    algorithms: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> PublishedRates:
    r"""Continue published error rates, such as those of NIST's FRTE 1:N, to more enrolled identities.

    A rate that grows with N is one minus an accuracy that falls. A search without a mate raises no alarm among N with
    the probability :math:`E\,(1 - F_x)^N`, which is an accuracy with N + 1 classes. Without a threshold, FNIR(N, 1) is
    one minus the accuracy with N classes. At a fixed FPIR the threshold rises with N, and

    .. math:: \mathrm{FNIR}(N) \approx G(T_N), \qquad \mathrm{FMR}(T_N) \approx -\log(1 - \mathrm{FPIR}) / N,

    with the distribution function G of mated scores: the curve reads a DET at ever lower false match rates.

    Parameters
    ----------
    n_published : array_like of int of shape (n,)
        Numbers N of the published rates.
    rates : array_like of shape (n,) or (n_algorithms, n)
        The rates, a row for each algorithm; NaN where none was published.
    n_enrolled : int or array_like of int
        Numbers N to continue to.
    n_searches : int
        Number of searches behind each rate: mated ones of FNIR, non-mated ones of FPIR.
    rate : {"fnir", "fpir"}
        What the rates are. FPIR must be that of one threshold for all N.
    fpir : float, optional
        FPIR at which FNIR was published, if the threshold was set for each N. Without it, FNIR has no threshold (rank
        1 of the candidates).
    algorithms : array_like of str of shape (n_algorithms,), optional
        Names of the algorithms.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    PublishedRates
        A row for each algorithm and N.

    Raises
    ------
    ValueError
        If an argument is out of range, the shapes disagree, an algorithm has fewer than two rates, or a rate clearly
        falls as N grows.
    TypeError
        If an argument does not hold numbers.

    Warns
    -----
    UserWarning
        If a rate falls as N grows, by no more than chance explains, or an N lies below those published.

    Notes
    -----
    The curves are fitted by `Extrapolator.fit_curve`. The straight components of the prior (see `classex.forecast`)
    have a slope of their own, in probits per decade of N. If
    all searches have the same false match rate, FPIR at the value p has the slope
    :math:`s(p) = -\log(10)\,(1 - p) \log(1 - p) / \varphi(\Phi^{-1}(p))`. By Jensen's inequality it is never steeper,
    and the prior is that of a uniform slope between 0 and s(p). The upper limit of FPIR holds for every distribution of
    the :math:`F_x`. If moreover mated and non-mated scores are normal with equal variance, FNIR at fixed FPIR has the
    slope :math:`s(\mathrm{FMR}(T_N))`, which is the mean of its prior.

    On simulated scores (normal, logistic, skewed, with failures, unequal searches) the intervals were wide, and covered
    the true rate at 10 and at 100 times N in more than .95 of the cases (``tests/open_set/test_published.py``).

    Source: slopes derived here; the normal deviate axes of a DET are those of Martin and others (Eurospeech 1997).

    Examples
    --------
    >>> from classex.open_set import extrapolate_published_rates
    >>> found = extrapolate_published_rates(
    ...     [640_000, 1_600_000, 3_000_000, 6_000_000, 12_000_000],
    ...     [[0.0150, 0.0191, 0.0225, 0.0268, 0.0316]],
    ...     n_enrolled=48_000_000,
    ...     n_searches=100_000,
    ...     fpir=0.003,
    ...     algorithms=["made-up"],
    ... )
    >>> found.rates.round(3)
    array([0.044])
    """
    kind = one_of(rate, "rate", ("fnir", "fpir"))
    at = None if fpir is None else as_probability(fpir, "fpir", open_ends=True)
    if kind == "fpir" and at is not None:
        raise ValueError("fpir is the rate at which FNIR was published: it does not go with rate='fpir'")
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    known, sizes = as_class_counts(n_published, "n_published", minimum=2), as_class_counts(n_enrolled, "n_enrolled")
    searches, table = as_positive_int(n_searches, "n_searches"), np.atleast_2d(np.asarray(rates, dtype=np.float64))
    names = np.asarray([f"{i + 1}" for i in range(len(table))] if algorithms is None else algorithms, dtype=str)
    if table.shape != (names.size, known.size):
        raise ValueError(
            f"rates must have a row for each of the {names.size} algorithms and a column for each of the {known.size}"
            f" n_published, not the shape {table.shape}"
        )
    if (bad := table[(table < 0) | (table > 1)]).size:
        percent = ": these look like percentages, to be divided by 100" if bad.min() >= 0 and bad.max() <= 100 else ""
        raise ValueError(f"rates must lie between 0 and 1, not {bad[0]:.4g}{percent}")
    rows, notes = [], []
    for name, row in zip(names.tolist(), table, strict=True):
        given = ~np.isnan(row)
        if given.sum() < 2:
            raise ValueError(f"rates must have two or more for each algorithm, but {shown(name)} has {given.sum()}")
        continued, note = _continued(name, known[given], row[given], sizes, searches, kind, at, level)
        rows.append(continued)
        notes += [note] if note else []
    value, low, high = np.concatenate(rows).T
    among = np.tile(sizes.astype(np.int64), names.size)
    ends, largest = np.stack([low, high], axis=1), int(known.max())
    return PublishedRates(np.repeat(names, sizes.size), among, value, ends, kind, at, largest, searches, level, notes)


def _continued(
    name: str,
    known: FloatArray,
    rates: FloatArray,
    sizes: FloatArray,
    searches: int,
    kind: str,
    fpir: float | None,
    level: float,
) -> tuple[FloatArray, str]:
    """Rate and the ends of its interval for each size, and what is unusual about the curve."""
    last, below = int(np.argmax(known)), sizes[sizes < known.min()].astype(np.int64).tolist()
    if below:
        message = (
            f"n_enrolled holds {listed(below)}, below the least published N, {known.min():,.0f}: there the fitted slope"
            " alone gives the rates, and the coverage of their intervals is not known"
        )
        warnings.warn(message, UserWarning, stacklevel=3)
    prior = _prior(kind, float(known[last]), float(rates[last]), searches, fpir)
    of, more = kind.upper(), int(kind == "fpir")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            curve = Extrapolator(GaussianProcess(prior)).fit_curve(known + more, 1 - rates, searches)
        except ValueError as error:
            raise ValueError(f"{of} of {shown(name)}, as the accuracy 1 - {of} with N classes: {error}") from None
    if caught:
        message = f"{of} of {shown(name)} falls as N grows, but at random it never does: fitted as if by chance"
        warnings.warn(message, UserWarning, stacklevel=3)
    beyond = sizes + more
    value, ends = 1 - curve.predict(beyond), 1 - curve.predict_interval(beyond, confidence_level=level)[:, ::-1]
    if kind == "fpir":
        ends[:, 1] = np.maximum(ends[:, 1], 1 - curve.fitted_.known.limits(beyond, level)[:, 0])
    unusual = curve.fitted_.departure
    return np.column_stack([value, ends]), f"{name}: {unusual}" if unusual else ""


def _prior(kind: str, n: float, rate: float, searches: int, fpir: float | None) -> CurvePrior:
    """Prior of accuracy curves whose slopes are, in the mean, that of 1 - rate where the published curve ends."""
    if kind == "fnir":
        slope = _steepness(-np.expm1((-_BEST_OF_ALL if fpir is None else np.log1p(-fpir)) / n))
        spread = 0.0
    else:
        # neither 0 nor 1, and the mean and standard deviation of a uniform distribution
        steepest = _steepness((searches * rate + 0.5) / (searches + 1))
        slope, spread = steepest / 2, steepest / np.sqrt(12)
    usual, *others = ACCURACY_CURVES.components
    first = [replace(part, slope=-slope, slope_sd=max(part.slope_sd, spread)) for part in (usual, *others)
             if isinstance(part, Straight) and part.axis == "decades"]  # fmt: skip
    rest = [part for part in others if not isinstance(part, Straight)]
    return CurvePrior((*first, *rest), ACCURACY_CURVES.temper)


def _steepness(p: float) -> float:
    """Slope of the probit of 1 - (1 - f)^N per decade of N where it is p; of the probit of f = 1 - (1 - a)^(1/N)."""
    return float(-np.log(10) * (1 - p) * np.log1p(-p) / density(special.ndtri(p)))
