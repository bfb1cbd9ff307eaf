r"""Sharp limits of one accuracy, given another: the convex hull of a curve.

A point of favourability u is among the m best of N with probability

.. math:: g_{N,m}(u) = \Pr[\mathrm{Bin}(N-1, 1-u) < m],

so an accuracy is the mean of such a function over the distribution of U. The pairs (accuracy in one setting, accuracy in
another) that are possible are the convex hull of the curve :math:`u \mapsto (g_{N,m}(u), g_{K,M}(u))`. Its slope is
proportional to :math:`u^{(K-M)-(N-m)} (1-u)^{M-m}`: it rises or falls, or it turns once. So each side of the hull is an
arc of the curve and at most one chord, from an end of the curve to the point where it touches.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize import elementwise

from classex._validation import as_class_counts, as_probabilities

__all__ = ["Extreme", "extremes_of_one", "restated_limits", "success"]

FloatArray = NDArray[np.float64]

# Probits of the favourability beyond which 1 - u, or u, is no normal number
_WIDEST = 37.0
# Keeps logarithms finite
_TINY = 1e-300


@dataclass(frozen=True)
class Extreme:
    r"""A distribution that makes an accuracy largest or smallest, and the proof that no other goes further.

    Attributes
    ----------
    value : ndarray of shape (...)
        The largest, or smallest, accuracy.
    atoms : ndarray of shape (..., n_atoms)
        Probits of the favourabilities that have positive probability.
    weight : ndarray of shape (..., n_atoms)
        Their probabilities.
    certificate : ndarray of shape (..., n_reports + 1)
        Numbers y such that :math:`y_0 + \sum_j y_j g_j(u)` is nowhere on the wrong side of the accuracy at u.
    """

    value: FloatArray
    atoms: FloatArray
    weight: FloatArray
    certificate: FloatArray


def restated_limits(
    accuracy: ArrayLike, n_observed: ArrayLike, n_classes: ArrayLike, *, top_observed: ArrayLike = 1, top: ArrayLike = 1
) -> FloatArray:
    r"""Least and largest accuracy in one setting that any distribution of the favourability allows, given another.

    Parameters
    ----------
    accuracy : array_like of shape (n,)
        Accuracies in [0, 1].
    n_observed, top_observed : int or array_like of int of shape (n,)
        What they are: top-m accuracies with N classes, m < N.
    n_classes, top : int or array_like of int of shape (n,)
        The settings to restate them for: K classes and top M, M < K.

    Returns
    -------
    ndarray of shape (n, 2)
        The limits. Both are attained.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1], a number is not a positive whole number, a `top` is not below its number of
        classes, or the shapes do not broadcast.

    See Also
    --------
    classex.restate : The same with standard errors, from several accuracies at once.

    Notes
    -----
    In closed form but for one point of contact, which is found by bracketing. Both limits rise with the accuracy, so
    the ends of an interval give an interval. Source: moment spaces are convex hulls (Karlin and Studden 1966,
    Tchebycheff Systems, chapter 2).

    Examples
    --------
    >>> import classex as cx
    >>> cx.intervals.restated_limits([0.62, 0.9], 50, [200, 10]).round(3)
    array([[0.144, 0.62 ],
           [0.9  , 0.98 ]])
    """
    a = np.atleast_1d(as_probabilities(accuracy, "accuracy"))
    names = {"n_observed": n_observed, "top_observed": top_observed, "n_classes": n_classes, "top": top}
    counts = [as_class_counts(value, name) for name, value in names.items()]
    try:
        a, n, m, k, best = np.broadcast_arrays(a, *counts)
    except ValueError:
        raise ValueError(f"accuracy, {', '.join(names)} must have one length, or length 1") from None
    for few, many, name, other in ((m, n, "top_observed", "n_observed"), (best, k, "top", "n_classes")):
        if (few >= many).any():
            at = int(np.argmax(few >= many))
            raise ValueError(f"{name} must be below {other}, not {few[at]:g} with {many[at]:g} classes")
    return np.stack([one.value for one in extremes_of_one(a, n, m, k, best)], axis=-1)


def success(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """Probability that a point of favourability Phi(w) is among the `top` best; elementwise."""
    return np.asarray(special.betaincc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def failure(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """One minus `success`, with full relative precision."""
    return np.asarray(special.betainc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def extremes_of_one(
    a: FloatArray, n: FloatArray, m: FloatArray, k: FloatArray, best: FloatArray
) -> tuple[Extreme, Extreme]:
    """Return what makes the top-`best` accuracy with k classes smallest, and largest, elementwise."""
    sizes = (n, m, k, best)
    rise, fall = (k - best) - (n - m), best - m
    turns = rise * fall > 0
    turn = special.ndtri(np.where(turns, rise / np.where(turns, rise + fall, 1.0), rise > fall))
    contact = np.stack([turn, turn])
    if turns.any():
        some, far = [one[turns] for one in sizes], np.full(int(turns.sum()), _WIDEST)
        for row, ends in ((0, (turn[turns], far)), (1, (-far, turn[turns]))):
            contact[row, turns] = elementwise.find_root(_beyond_contact, ends, args=(*some, 1.0 - row)).x
    share = special.betaincinv(np.where(a < 0.5, n - m, m), np.where(a < 0.5, m, n - m), np.minimum(a, 1 - a))
    w = np.where(a < 0.5, 1.0, -1.0) * special.ndtri(share)
    # the chord from u = 0 lies above the curve if the slope rises first, and the chord to u = 1 below it
    from_zero, to_one = _hull(a, w, contact[0], sizes, -np.inf), _hull(a, w, contact[1], sizes, np.inf)
    swapped = turns & (rise < 0)
    return _chosen(swapped, from_zero, to_one), _chosen(swapped, to_one, from_zero)


def _beyond_contact(
    w: FloatArray, n: FloatArray, m: FloatArray, k: FloatArray, best: FloatArray, from_zero: FloatArray
) -> FloatArray:
    """Logarithm of the curve's slope over that of the chord to the end u = 0, or u = 1."""
    x, y = (
        np.where(from_zero > 0, success(w, *one), failure(w, *one)).clip(_TINY) for one in ((n, m), (k, best))
    )
    out: FloatArray = _log_slope(w, n, m, k, best) + np.log(x) - np.log(y)
    return out


def _log_slope(w: FloatArray, n: FloatArray, m: FloatArray, k: FloatArray, best: FloatArray) -> FloatArray:
    """Logarithm of the derivative of the one accuracy in the other along the curve."""
    near = np.clip(w, -_WIDEST, _WIDEST)
    powers = ((k - best) - (n - m)) * special.log_ndtr(near) + (best - m) * special.log_ndtr(-near)
    out: FloatArray = powers + special.betaln(n - m, m) - special.betaln(k - best, best)
    return out


def _hull(a: FloatArray, w: FloatArray, contact: FloatArray, sizes: tuple[FloatArray, ...], end: float) -> Extreme:
    """One side of the hull at a: the chord between an end of the curve and the contact, or the curve itself at w."""
    n, m, k, best = sizes
    part, rest = (success, a) if end < 0 else (failure, 1 - a)
    x, y = part(contact, n, m), part(contact, k, best)
    chord = rest < x
    share = np.where(chord, rest / np.maximum(x, _TINY), 1.0)
    value = np.where(chord, share * y, part(w, k, best))
    slope = np.where(chord, y / np.maximum(x, _TINY), np.exp(np.minimum(_log_slope(w, *sizes), 700)))
    value = value if end < 0 else 1 - value
    return Extreme(
        value,
        np.stack([np.where(chord, contact, w), np.full_like(a, end)], axis=-1),
        np.stack([share, 1 - share], axis=-1),
        np.stack([value - slope * a, slope], axis=-1),
    )


def _chosen(which: NDArray[np.bool_], one: Extreme, other: Extreme) -> Extreme:
    """Return the rows of `one` where `which` is true, and of `other` elsewhere."""
    pairs = ((getattr(one, field.name), getattr(other, field.name)) for field in fields(Extreme))
    return Extreme(*(np.where(which.reshape(-1, *[1] * (x.ndim - 1)), x, y) for x, y in pairs))
