"""Loops behind the bounds on information: the extremal family, the identification curve, and their inverses.

Every function takes m = k - 1 as a float and trusts its input.

The extremal family. Let U = T^m with T of density Q_c(t) = exp(c t^m) / int_0^1 exp(c s^m) ds, and a = 1/m.

- Up to c = 100 everything is a series of positive terms in s_j = c^j / (j! (1 + m j)): with S = sum_{j>=1} s_j
  the normaliser is 1 + S, and the information is (sum_j (j-1) s_j - h(S)) / (1 + S), h(s) = (1+s) log(1+s) - s.
  Unlike c E[U] - log(1 + S) this form keeps its relative precision as c -> 0 and for every m.
- Beyond, the expansion of int_0^1 exp(-c s) (1-s)^(a-1) ds in powers of 1/c. What it leaves out, near s = 1, is
  m c exp(-c) relative to the whole: below 1e-25 for m up to 1e15, so both sides of the switch agree to rounding.
"""

from __future__ import annotations

import math

import numba
import numpy as np

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

_LOG_SWITCH = math.log(100.0)
_STEP = 0.03  # of the trapezoid rule: Phi^m turns within about 1/sqrt(2 log m), and the rule converges like exp(-1.6/h)
_ROOT_HALF = math.sqrt(0.5)
_ROOT_2PI = math.sqrt(2.0 * math.pi)


@numba.njit(cache=True)
def relative_growth(s: float) -> float:
    """h(s) = (1 + s) log(1 + s) - s for s >= -1, without cancellation near 0."""
    if s <= -1.0:
        return 1.0
    if abs(s) > 0.3:
        return float((1.0 + s) * math.log1p(s) - s)
    total = 0.0
    power = s
    for n in range(2, 40):
        power *= -s
        total -= power / (n * (n - 1))
    return total


@numba.njit(cache=True)
def extremal(log_c: float, m: float) -> tuple[float, float, float, float, float]:
    """Information, accuracy - 1/k, accuracy, 1 - accuracy, and variance of U at c = exp(log_c)."""
    if log_c > _LOG_SWITCH:
        information, excess, accuracy, error, variance = _extremal_large(log_c, m)
        return information, excess, accuracy, error, variance
    c = math.exp(log_c)
    s = up = lost = excess = growth = square = 0.0
    term = 1.0  # c^j / j!
    j = 0
    while True:
        here, next_, after = 1.0 + m * j, 1.0 + m * (j + 1), 1.0 + m * (j + 2)
        if j > 0:
            s += term / here
            excess += (term * j / here) * (m / (1.0 + m)) * (m / next_)
        if j > 1:
            growth += term * (j - 1) / here
        up += term / next_
        lost += (term / here) * (m / next_)
        square += term / after
        if j > c + 2.0 and term * j / here <= 1e-19 * growth:
            break
        j += 1
        term *= c / j
        if term == 0.0:
            break
    scale = 1.0 / (1.0 + s)
    accuracy = up * scale
    information = (growth - relative_growth(s)) * scale
    return information, excess * scale, accuracy, lost * scale, square * scale - accuracy * accuracy


@numba.njit(cache=True)
def _extremal_large(log_c: float, m: float) -> tuple[float, float, float, float, float]:
    x = math.exp(-log_c)
    sigma = tau = second = 0.0
    term = 1.0  # (1 - a)_j / c^j
    for j in range(60):
        sigma += term
        tau += term * (j + 1)
        second += term * (j + 1) * (j + 2)
        term *= (1.0 - 1.0 / m + j) * x
        if term * (j + 3) * (j + 3) < 1e-19:
            break
    mean = tau / sigma
    error = x * mean
    information = math.log(m) + log_c - math.log(sigma) - mean
    return information, 1.0 - error - 1.0 / (1.0 + m), 1.0 - error, error, x * x * (second / sigma - mean * mean)


@numba.njit(cache=True)
def identification(c: float, m: float) -> tuple[float, float, float, float]:
    """Accuracy - 1/k, accuracy, 1 - accuracy and slope in c of int phi(z - c) Phi(z)^m dz."""
    low = 0.5 * c - 12.0
    n = int((0.5 * c + 24.0) / _STEP) + 1
    excess = accuracy = error = slope = 0.0
    for i in range(n):
        z = low + i * _STEP
        if z < 0.0:
            log_below = math.log(0.5 * math.erfc(-z * _ROOT_HALF))
        else:
            log_below = math.log1p(-0.5 * math.erfc(z * _ROOT_HALF))
        below = math.exp(m * log_below)
        density = math.exp(-0.5 * (z - c) * (z - c))
        centred = math.exp(-0.5 * z * z)
        accuracy += density * below
        error -= density * math.expm1(m * log_below)
        slope += density * centred * m * math.exp((m - 1.0) * log_below)
        if c < 1.0:
            excess += centred * math.expm1(c * (z - 0.5 * c)) * below
    scale = _STEP / _ROOT_2PI
    if c >= 1.0:
        excess = accuracy - 1.0 / ((1.0 + m) * scale)
    return excess * scale, accuracy * scale, error * scale, slope * scale / _ROOT_2PI


@numba.njit(cache=True)
def _value_and_slope(kind: int, x: float, m: float) -> tuple[float, float]:
    """Value of what is inverted, at x = log c, and the derivative of its logarithm in x."""
    c = math.exp(x)
    if kind >= PI_EXCESS:
        excess, _, error, slope = identification(c, m)
        if kind == PI_EXCESS:
            return excess, c * slope / excess
        return error, -c * slope / error if error > 0.0 else -1.0
    information, excess, _, error, variance = extremal(x, m)
    if kind == C_INFORMATION:
        return information, c * c * variance / information
    if kind == C_EXCESS:
        return excess, c * variance / excess
    return error, -c * variance / error


@numba.njit(cache=True)
def solve(kind: int, target: float, m: float) -> float:
    """Logarithm of the c at which the quantity `kind` equals `target` > 0: Newton in log c, kept in a bracket."""
    if kind < PI_EXCESS:
        low, high = -40.0, 60.0
        root: float = _outside(kind, target, m)
        if root < low or root > high:
            return root
    else:
        low, high = -45.0, 4.2  # at c = 66 the error is below the smallest number for every m up to 1e15
    sign = -1.0 if kind in (C_ERROR, PI_ERROR) else 1.0
    x = 0.0
    last = math.inf
    for _ in range(200):
        value, slope = _value_and_slope(kind, x, m)
        ratio = value / target
        residual = math.log(ratio) if ratio > 0.0 else -1e3
        if sign * residual > 0.0:
            high = x
        else:
            low = x
        step = residual / slope if slope != 0.0 else 1e3
        if abs(step) < 4e-16 * (1.0 + abs(x)):
            return x - step
        x -= step
        # a step that leaves the bracket, or comes after one that did not halve the residual, bisects
        slow = abs(residual) > 0.5 * last
        last = abs(residual)
        if slow or not low < x < high:
            x = 0.5 * (low + high)
            if high - low < 4e-16 * (1.0 + abs(x)):
                return x
    return x


@numba.njit(cache=True)
def _outside(kind: int, target: float, m: float) -> float:
    """Logarithm of c where c is so small or so large that its first-order expansion is exact to rounding, else 0."""
    a = 1.0 / m
    variance = a / ((1.0 + a) * (1.0 + a) * (2.0 + a))
    if kind == C_INFORMATION:
        small, large = 0.5 * (math.log(2.0) + math.log(target) - math.log(variance)), target + 1.0 - math.log(m)
    elif kind == C_EXCESS:
        small, large = math.log(target) - math.log(variance), 0.0
    else:
        small, large = 0.0, -math.log(target)
    if small < -40.0:
        return small
    return large if large > 60.0 else 0.0


@numba.njit(cache=True)
def ceiling(information: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Best accuracy at the given information, one minus it, and the log c that attains it."""
    accuracy = np.empty_like(information)
    error = np.empty_like(information)
    log_c = np.empty_like(information)
    for i in range(information.size):
        if information[i] == 0.0:
            log_c[i] = -np.inf
        else:
            log_c[i] = solve(C_INFORMATION, information[i], m[i]) if information[i] < np.inf else np.inf
        _, _, accuracy[i], error[i], _ = extremal(log_c[i], m[i])
    return accuracy, error, log_c


@numba.njit(cache=True)
def _root(by_excess: int, by_error: int, excess: float, error: float, m: float) -> float:
    """Solution of the excess, accuracy - 1/k, or of the error from accuracy 3/4 on; infinite beyond both ends."""
    if excess <= 0.0:
        return -np.inf
    if error == 0.0:
        return np.inf
    root: float = solve(by_excess, excess, m) if error > 0.25 else solve(by_error, error, m)
    return root


@numba.njit(cache=True)
def bound(excess: FloatArray, error: FloatArray, m: FloatArray) -> FloatArray:
    """Information of the extremal family at the given accuracy - 1/k or error."""
    out = np.empty_like(excess)
    for i in range(excess.size):
        out[i] = extremal(_root(C_EXCESS, C_ERROR, excess[i], error[i], m[i]), m[i])[0]
    return out


@numba.njit(cache=True)
def curve(information: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Identification accuracy at the given information, and one minus it."""
    accuracy = np.empty_like(information)
    error = np.empty_like(information)
    for i in range(information.size):
        _, accuracy[i], error[i], _ = identification(min(math.sqrt(2.0 * information[i]), 100.0), m[i])
        accuracy[i], error[i] = min(accuracy[i], 1.0), min(error[i], 1.0)
    return accuracy, error


@numba.njit(cache=True)
def implied(excess: FloatArray, error: FloatArray, m: FloatArray) -> FloatArray:
    """Information c^2 / 2 of the identification curve at the given accuracy - 1/k or error."""
    out = np.empty_like(excess)
    for i in range(excess.size):
        out[i] = 0.5 * math.exp(2.0 * _root(PI_EXCESS, PI_ERROR, excess[i], error[i], m[i]))
    return out


@numba.njit(cache=True)
def extremal_exponent(t: FloatArray, log_c: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return c (t^m - 1) and the logarithm of int_0^1 exp(c (s^m - 1)) ds, at every point."""
    exponent = np.empty_like(t)
    log_normaliser = np.empty_like(t)
    for i in range(t.size):
        c = math.exp(log_c[i])
        exponent[i] = c * math.expm1(m[i] * math.log(t[i])) if t[i] > 0.0 else -c
        information, _, _, error, _ = extremal(log_c[i], m[i])
        log_normaliser[i] = -information - c * error
    return exponent, log_normaliser


@numba.njit(cache=True)
def divergence_from_uniform(excess: FloatArray, m: FloatArray) -> FloatArray:
    """Kullback-Leibler divergence of (p, (1-p)/m, ..., (1-p)/m) from the uniform distribution, p = 1/k + excess."""
    out = np.empty_like(excess)
    for i in range(excess.size):
        k = m[i] + 1.0
        out[i] = (relative_growth(k * excess[i]) + m[i] * relative_growth(-k * excess[i] / m[i])) / k
    return out
