"""The bounds on information: the extremal family, the identification curve, and their inverses.

Every function takes arrays, with m = k - 1 as floats, and trusts its input.

The extremal family. Let U = T^m with T of density Q_c(t) = exp(c t^m) / int_0^1 exp(c s^m) ds, and a = 1/m.

- Up to c = 100 everything is a series of positive terms in s_j = c^j / (j! (1 + m j)): with S = sum_{j>=1} s_j
  the normaliser is 1 + S, and the information is (sum_j (j-1) s_j - h(S)) / (1 + S), h(s) = (1+s) log(1+s) - s.
  Unlike c E[U] - log(1 + S) this form keeps its relative precision as c -> 0 and for every m.
- Beyond, the expansion of int_0^1 exp(-c s) (1-s)^(a-1) ds in powers of 1/c. What it leaves out, near s = 1, is
  m c exp(-c) relative to the whole: below 1e-25 for m up to 1e15, so both sides of the switch agree to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from classex._loops.threads import row_blocks
from classex._types import FloatArray

__all__ = [
    "C_ERROR",
    "C_EXCESS",
    "C_INFORMATION",
    "PI_ERROR",
    "PI_EXCESS",
    "bound",
    "ceiling",
    "curve",
    "divergence_from_uniform",
    "extremal",
    "extremal_exponent",
    "identification",
    "implied",
    "relative_growth",
    "solve",
]


# what `solve` inverts: the first three in log c of the extremal family, the last two in log c of the curve
C_INFORMATION, C_EXCESS, C_ERROR, PI_EXCESS, PI_ERROR = range(5)

_LOG_SWITCH = np.log(100.0)
_STEP = 0.03  # of the trapezoid rule: Phi^m turns within about 1/sqrt(2 log m), and the rule converges like exp(-1.6/h)
# terms of the expansion from c = 100 on, and of h near 0
_EXPANSION, _GROWTH = np.arange(24.0), np.arange(2.0, 18.0)
_AT_ONCE = 256  # points: a few megabytes


def relative_growth(s: Any) -> FloatArray:
    """h(s) = (1 + s) log(1 + s) - s for s >= -1, without cancellation near 0."""
    s = np.asarray(s, dtype=np.float64)
    near = np.where(np.abs(s) > 0.1, 0.0, s)
    series = (-near[..., np.newaxis]) ** _GROWTH @ (1 / (_GROWTH * (_GROWTH - 1)))
    return np.asarray(np.where(np.abs(s) > 0.1, special.xlog1py(1 + s, np.maximum(s, -1.0)) - s, series))


def extremal(log_c: Any, m: Any) -> FloatArray:
    """Information, accuracy - 1/k, accuracy, 1 - accuracy, and variance of U at c = exp(log_c), in rows."""
    log_c, m = np.broadcast_arrays(log_c, np.asarray(m, dtype=np.float64))
    out = np.empty((5, log_c.size))
    for part in row_blocks(log_c.size, _AT_ONCE):
        x, n = log_c.ravel()[part, np.newaxis], m.ravel()[part, np.newaxis]
        large = x[:, 0] > _LOG_SWITCH
        out[:, part][:, large] = _extremal_large(x[large], n[large])
        out[:, part][:, ~large] = _extremal_small(x[~large], n[~large])
    return out.reshape(5, *log_c.shape)


def _extremal_small(log_c: FloatArray, m: FloatArray) -> FloatArray:
    c = np.exp(log_c)
    most = float(c.max(initial=0.0))
    j = np.arange(1.0, most + 12 * np.sqrt(most) + 24)  # the terms are like Poisson probabilities
    term = np.cumprod(c / j, axis=1)  # c^j / j!
    here, next_, after = 1 + m * j, 1 + m * (j + 1), 1 + m * (j + 2)
    s, m1 = (term / here).sum(axis=1), m[:, 0]
    up = (term / next_).sum(axis=1) + 1 / (1 + m1)
    lost = (term / here * (m / next_)).sum(axis=1) + m1 / (1 + m1)
    excess = (term * j / here * (m / (1 + m)) * (m / next_)).sum(axis=1)
    growth = (term * (j - 1) / here).sum(axis=1)
    square = (term / after).sum(axis=1) + 1 / (1 + 2 * m1)
    information, accuracy = growth - relative_growth(s), up / (1 + s)
    rows: FloatArray = np.stack([information, excess, up, lost, square]) / (1 + s)
    rows[4] -= accuracy * accuracy
    return rows


def _extremal_large(log_c: FloatArray, m: FloatArray) -> FloatArray:
    x, j, log_c, m1 = np.exp(-log_c), _EXPANSION, log_c[:, 0], m[:, 0]
    term = np.cumprod(np.hstack([np.ones(x.shape), (1 - 1 / m + j[:-1]) * x]), axis=1)  # (1 - a)_j / c^j
    sigma = term.sum(axis=1)
    mean, second = (term * (j + 1)).sum(axis=1) / sigma, (term * (j + 1) * (j + 2)).sum(axis=1) / sigma
    error, information = x[:, 0] * mean, np.log(m1) + log_c - np.log(sigma) - mean
    return np.stack([information, 1 - error - 1 / (1 + m1), 1 - error, error, x[:, 0] ** 2 * (second - mean * mean)])


def identification(c: Any, m: Any) -> FloatArray:
    """Accuracy - 1/k, accuracy, 1 - accuracy and slope in c of int phi(z - c) Phi(z)^m dz, in rows."""
    c, m = np.broadcast_arrays(np.asarray(c, dtype=np.float64), np.asarray(m, dtype=np.float64))
    out = np.empty((4, c.size))
    for part in row_blocks(c.size, _AT_ONCE // 8):
        out[:, part] = _identification(c.ravel()[part, np.newaxis], m.ravel()[part, np.newaxis])
    return out.reshape(4, *c.shape)


def _identification(c: FloatArray, m: FloatArray) -> FloatArray:
    z = 0.5 * c - 12 + _STEP * np.arange(int((0.5 * c.max() + 24) / _STEP) + 1)
    log_below = special.log_ndtr(z)
    below, density, centred = np.exp(m * log_below), np.exp(-0.5 * (z - c) ** 2), np.exp(-0.5 * z * z)
    scale = _STEP / np.sqrt(2 * np.pi)
    accuracy = (density * below).sum(axis=1) * scale
    error = -(density * np.expm1(m * log_below)).sum(axis=1) * scale
    slope = (density * centred * m * np.exp((m - 1) * log_below)).sum(axis=1) * scale / np.sqrt(2 * np.pi)
    weak = np.minimum(c, 1.0)
    excess = (centred * np.expm1(weak * (z - 0.5 * weak)) * below).sum(axis=1) * scale
    return np.stack([np.where(c[:, 0] < 1, excess, accuracy - 1 / (1 + m[:, 0])), accuracy, error, slope])


def _value_and_slope(kind: int, x: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value of what is inverted, at x = log c, and the derivative of its logarithm in x."""
    c = np.exp(x)
    if kind >= PI_EXCESS:
        excess, _, error, slope = identification(c, m)
        if kind == PI_EXCESS:
            return excess, c * slope / excess
        return error, np.where(error > 0, -c * slope / np.where(error > 0, error, 1.0), -1.0)
    information, excess, _, error, variance = extremal(x, m)
    if kind == C_INFORMATION:
        return information, c * (c * variance) / information
    if kind == C_EXCESS:
        return excess, c * variance / excess
    return error, -c * variance / error


def solve(kind: int, target: Any, m: Any) -> FloatArray:
    """Logarithm of the c at which the quantity `kind` equals `target` > 0: Newton in log c, kept in a bracket."""
    target, m = np.broadcast_arrays(np.asarray(target, dtype=np.float64), np.asarray(m, dtype=np.float64))
    out = np.empty(target.shape) if kind >= PI_EXCESS else _outside(kind, target, m)
    ends = (-45.0, 4.2) if kind >= PI_EXCESS else (-40.0, 60.0)  # at c = 66 the error is 0 for every m up to 1e15
    inside = np.full(target.shape, True) if kind >= PI_EXCESS else (out >= ends[0]) & (out <= ends[1])
    out[inside] = _newton(kind, target[inside], m[inside], ends)
    return out


def _newton(kind: int, target: FloatArray, m: FloatArray, ends: tuple[float, float]) -> FloatArray:
    sign = -1.0 if kind in (C_ERROR, PI_ERROR) else 1.0
    out, at = np.zeros(target.size), np.arange(target.size)
    x, last = np.zeros(target.size), np.full(target.size, np.inf)
    low, high = (np.full(target.size, end) for end in ends)
    for _ in range(200):
        if not at.size:
            break
        value, slope = _value_and_slope(kind, x, m[at])
        ratio = value / target[at]
        residual = np.where(ratio > 0, np.log(np.where(ratio > 0, ratio, 1.0)), -1e3)
        above = sign * residual > 0
        high, low = np.where(above, x, high), np.where(above, low, x)
        step = np.where(slope != 0, residual / np.where(slope != 0, slope, 1.0), 1e3)
        close = np.abs(step) < 4e-16 * (1 + np.abs(x))
        x = x - step
        # a step that leaves the bracket, or comes after one that did not halve the residual, bisects
        bisected = ~close & ((np.abs(residual) > 0.5 * last) | ~((low < x) & (x < high)))
        last = np.abs(residual)
        x = np.where(bisected, 0.5 * (low + high), x)
        out[at] = x
        more = ~(close | (bisected & (high - low < 4e-16 * (1 + np.abs(x)))))
        at, x, last, low, high = at[more], x[more], last[more], low[more], high[more]
    return out


def _outside(kind: int, target: FloatArray, m: FloatArray) -> FloatArray:
    """Logarithm of c where c is so small or so large that its first-order expansion is exact to rounding, else 0."""
    a = 1 / m
    variance, small, large = a / ((1 + a) * (1 + a) * (2 + a)), np.zeros(m.shape), np.zeros(m.shape)
    if kind == C_INFORMATION:
        small, large = 0.5 * (np.log(2.0) + np.log(target) - np.log(variance)), target + 1 - np.log(m)
    elif kind == C_EXCESS:
        small = np.log(target) - np.log(variance)
    else:
        large = -np.log(target)
    return np.where(small < -40, small, np.where(large > 60, large, 0.0))


def ceiling(information: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Best accuracy at the given information, one minus it, and the log c that attains it."""
    log_c = np.where(information > 0, np.inf, -np.inf)
    some = (information > 0) & (information < np.inf)
    log_c[some] = solve(C_INFORMATION, information[some], m[some])
    _, _, accuracy, error, _ = extremal(log_c, m)
    return accuracy, error, log_c


def _roots(by_excess: int, by_error: int, excess: FloatArray, error: FloatArray, m: FloatArray) -> FloatArray:
    """Solutions of the excess, accuracy - 1/k, or of the error from accuracy 3/4 on; infinite beyond both ends."""
    out = np.where(excess <= 0, -np.inf, np.inf)
    some = (excess > 0) & (error != 0)
    for kind, target, chosen in ((by_excess, excess, some & (error > 0.25)), (by_error, error, some & (error <= 0.25))):
        out[chosen] = solve(kind, target[chosen], m[chosen])
    return out


def bound(excess: FloatArray, error: FloatArray, m: FloatArray) -> FloatArray:
    """Information of the extremal family at the given accuracy - 1/k or error."""
    return np.asarray(extremal(_roots(C_EXCESS, C_ERROR, excess, error, m), m)[0])


def curve(information: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Identification accuracy at the given information, and one minus it."""
    _, accuracy, error, _ = identification(np.minimum(np.sqrt(2 * information), 100.0), m)
    return np.minimum(accuracy, 1.0), np.minimum(error, 1.0)


def implied(excess: FloatArray, error: FloatArray, m: FloatArray) -> FloatArray:
    """Information c^2 / 2 of the identification curve at the given accuracy - 1/k or error."""
    return np.asarray(0.5 * np.exp(2 * _roots(PI_EXCESS, PI_ERROR, excess, error, m)))


def extremal_exponent(t: FloatArray, log_c: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return c (t^m - 1) and the logarithm of int_0^1 exp(c (s^m - 1)) ds, at every point."""
    c, positive = np.exp(log_c), t > 0
    exponent = np.where(positive, c * np.expm1(m * np.log(np.where(positive, t, 1.0))), -c)
    information, _, _, error, _ = extremal(log_c, m)
    return exponent, -information - c * error


def divergence_from_uniform(excess: FloatArray, m: FloatArray) -> FloatArray:
    """Kullback-Leibler divergence of (p, (1-p)/m, ..., (1-p)/m) from the uniform distribution, p = 1/k + excess."""
    k = m + 1
    return (relative_growth(k * excess) + m * relative_growth(-k * excess / m)) / k
