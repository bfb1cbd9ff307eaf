r"""Sharp limits of one accuracy, given another: the convex hull of a curve.

A point of favourability u is among the m best of N with probability

.. math:: g_{N,m}(u) = \Pr[\mathrm{Bin}(N-1, 1-u) < m],

so an accuracy is the mean of such a function over the distribution of U. Two accuracies are possible together if they
lie in the convex hull of the curve :math:`u \mapsto (g_{N,m}(u), g_{K,M}(u))`. Its slope is proportional to
:math:`u^{(K-M)-(N-m)} (1-u)^{M-m}`: it rises or falls, or it turns once. So each side of the hull is an arc of the
curve and at most one chord, from an end of the curve to the point of contact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize import elementwise

from classex._types import FloatArray
from classex._validation import as_class_counts, as_probabilities, broadcast

__all__ = ["failure", "restated_limits", "success"]


# Probit of the favourability beyond which 1 - u is no normal number
_WIDEST = 37.0
# Keeps logarithms finite
_TINY = 1e-300


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
    In closed form, apart from one point of contact, which is found by bracketing. Both limits rise with the accuracy,
    so the ends of an interval give an interval. Source: moment spaces are convex hulls (Karlin and Studden 1966,
    Tchebycheff Systems, chapter 2).

    Examples
    --------
    >>> import classex as cx
    >>> cx.distributions.restated_limits([0.62, 0.9], 50, [200, 10]).round(3)
    array([[0.144, 0.62 ],
           [0.9  , 0.981]])
    """
    names = {"n_observed": n_observed, "top_observed": top_observed, "n_classes": n_classes, "top": top}
    counts = {name: as_class_counts(value, name) for name, value in names.items()}
    a, n, m, k, best = broadcast(accuracy=np.atleast_1d(as_probabilities(accuracy, "accuracy")), **counts)
    for few, many in ((m, n), (best, k)):
        if (few >= many).any():
            high, of = few[few >= many][0], many[few >= many][0]
            raise ValueError(f"top must be below the number of classes, not {high:g} with {of:g} classes")
    return np.stack([_hull(a, n, m, k, best, sense) for sense in (-1, 1)], axis=-1)


def success(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """Probability that a point of favourability Phi(w) is among the `top` best; elementwise."""
    return np.asarray(special.betaincc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def failure(w: FloatArray, n_classes: ArrayLike, top: ArrayLike) -> FloatArray:
    """One minus `success`, with full relative precision."""
    return np.asarray(special.betainc(top, np.subtract(n_classes, top), special.ndtr(-w)))


def _hull(a: FloatArray, n: FloatArray, m: FloatArray, k: FloatArray, best: FloatArray, sense: int) -> FloatArray:
    """Return the largest (`sense` 1) or smallest (-1) top-`best` accuracy with k classes, elementwise."""
    rise, fall = (k - best) - (n - m), best - m
    turns = rise * fall > 0
    w = special.ndtri(np.where(turns, rise / np.where(turns, rise + fall, 1.0), rise > fall))
    # a chord from u = 0 lies above the curve if the slope rises first, and a chord to u = 1 below it
    from_zero = (sense > 0) ^ (turns & (rise < 0))
    if turns.any():
        bracket = np.where(from_zero, w, -_WIDEST)[turns], np.where(from_zero, _WIDEST, w)[turns]
        rows = tuple(values[turns] for values in (n, m, k, best, from_zero))
        w[turns] = elementwise.find_root(_above_chord, bracket, args=rows).x
    contact, rest = _distance(w, n, m, from_zero), np.where(from_zero, a, 1 - a)
    chord = rest < contact
    # beyond the contact the side of the hull is the curve
    if not chord.all():
        root = elementwise.find_root(_excess, (-_WIDEST, _WIDEST), args=(a[~chord], n[~chord], m[~chord]))
        w[~chord] = np.where(root.success, root.x, np.where(a[~chord] < 0.5, -np.inf, np.inf))
    reached = _distance(w, k, best, from_zero) * np.where(chord, rest / np.maximum(contact, _TINY), 1.0)
    return np.where(from_zero, reached, 1 - reached)


def _excess(w: FloatArray, a: Any, n: Any, m: Any) -> FloatArray:
    """Accuracy at favourability Phi(w), less `a`; `betaincinv` loses digits where m and n are large."""
    return np.asarray(np.where(a < 0.5, success(w, n, m) - a, (1 - a) - failure(w, n, m)))


def _distance(w: FloatArray, n: FloatArray, m: FloatArray, from_zero: NDArray[np.bool_]) -> FloatArray:
    """Distance in one accuracy from the end u = 0 of the curve, or from the end u = 1."""
    return np.where(from_zero, success(w, n, m), failure(w, n, m))


def _above_chord(w: FloatArray, n: Any, m: Any, k: Any, best: Any, from_zero: NDArray[np.bool_]) -> FloatArray:
    """Logarithm of the slope of the curve over the slope of the chord between w and the end."""
    slope = ((k - best) - (n - m)) * special.log_ndtr(w) + (best - m) * special.log_ndtr(-w)
    slope += special.betaln(n - m, m) - special.betaln(k - best, best)
    x, y = (np.maximum(_distance(w, *pair, from_zero), _TINY) for pair in ((n, m), (k, best)))
    return np.asarray(slope + np.log(x) - np.log(y))
