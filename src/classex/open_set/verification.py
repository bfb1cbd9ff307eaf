"""Error rates of verification, from scores of genuine and impostor pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from classex._rates import rate_interval
from classex._types import FloatArray
from classex._validation import as_finite_array, as_probability
from classex.open_set._results import OpenSetCurve
from classex.open_set.curve import RATES, as_thresholds

__all__ = ["verification_curve"]


def verification_curve(
    genuine: ArrayLike, impostor: ArrayLike, thresholds: ArrayLike | None = None, *, confidence_level: float = 0.95
) -> OpenSetCurve:
    r"""Error rates of verification over thresholds: false match and false non-match rate of pairs of samples.

    .. math:: \mathrm{FMR}(T) = \Pr(\text{impostor score} \ge T), \qquad
        \mathrm{FNMR}(T) = \Pr(\text{genuine score} < T).

    They are FPIR and FNIR with one identity enrolled, and so the result calls them.

    Parameters
    ----------
    genuine, impostor : array_like of shape (n,)
        Scores of two samples of one person, and of two people; higher is more similar.
    thresholds : float or array_like of shape (n,), optional
        Thresholds T. By default quantiles of the scores, evenly spaced on the axes of a DET.
    confidence_level : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    OpenSetCurve
        Rates with one enrolled. Its method `equal_error_rate` gives the EER, and `plot` the DET.

    Raises
    ------
    ValueError
        If a score is NaN or infinite, or there are no pairs of a kind.
    TypeError
        If an argument does not hold numbers.

    Notes
    -----
    Intervals take pairs as independent. If pairs share people, as in most lists of trials, they are too narrow; for
    whole matrices of searches see `open_set_curve`, which counts people.

    Source: ISO/IEC 19795-1.

    Examples
    --------
    >>> from classex.open_set import verification_curve
    >>> curve = verification_curve([0.9, 0.4, 0.8, 0.7], [0.1, 0.5, 0.3, 0.2], 0.45)
    >>> curve.fpir, curve.fnir
    (array([0.25]), array([0.25]))
    """
    same, other = (
        np.sort(as_finite_array(scores, name, ndim=1, dtype=np.float64))
        for name, scores in (("genuine", genuine), ("impostor", impostor))
    )
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    for name, scores in (("genuine", same), ("impostor", other)):
        if not scores.size:
            raise ValueError(f"{name} must hold at least one score, but is empty")
    if thresholds is None:
        ends = (np.quantile(same, RATES, method="inverted_cdf"), np.quantile(other, 1 - RATES, method="inverted_cdf"))
        cuts: FloatArray = np.unique(np.nextafter(np.concatenate([*ends, other[-1:]]), np.inf))
    else:
        cuts = as_thresholds(thresholds)
    fmr = 1 - np.searchsorted(other, cuts) / other.size
    fnmr = np.searchsorted(same, cuts) / same.size
    (fmr_error, fmr_ends), (fnmr_error, fnmr_ends) = (
        (error := np.sqrt(rate * (1 - rate) / n), rate_interval(rate, error, n, level))
        for rate, n in ((fmr, other.size), (fnmr, same.size))
    )
    sizes = (1, same.size, other.size)
    return OpenSetCurve(1, cuts, fmr, fnmr, fmr_ends, fnmr_ends, level, *sizes, fmr, fmr_error, fnmr_error)
