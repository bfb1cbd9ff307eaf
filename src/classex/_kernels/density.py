"""Loops behind kernel density estimates of wrong scores: bandwidths, and how often the truth is beaten."""

from __future__ import annotations

from math import erfc, exp, frexp, ldexp, log, pi, sqrt
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from classex._kernels.threads import by_rows, constant

UNBIASED, BIASED, LIKELIHOOD = 0, 1, 2
_N_BINS = 1000
_FARTHEST = 200.0  # squared distance, in bandwidths, beyond which pairs add less than rounding
_EXACT_SINGLE = 2**24  # up to here whole numbers are exact in single precision
_RESTART = 32  # steps of a product before it starts afresh
_FITTING = 50.0  # steps that a score takes
_NEGLIGIBLE = 45.0  # exponent, beyond the largest, of terms that add less than rounding


@numba.njit(cache=True)
def wrong_scores(row: NDArray[Any], label: int) -> NDArray[np.float64]:
    """Scores of the row without that of the correct label."""
    out = np.empty(row.size - 1)
    for column in range(label):
        out[column] = row[column]
    for column in range(label + 1, row.size):
        out[column - 1] = row[column]
    return out


@numba.njit(cache=True)
def size_exponent(x: NDArray[np.float64]) -> int:
    """Exponent of the power of two that brings the largest entry to between 1/2 and 1; 0 for zeros alone.

    Scaling by it is exact and changes no estimate, but squares neither overflow nor vanish any more.
    """
    largest = 0.0
    for value in x:
        largest = max(largest, abs(value))
    return int(frexp(largest)[1]) if largest > 0.0 else 0


@numba.njit(cache=True)
def scaled(value: float, exponent: int) -> float:
    """Return the value times two to the power of an exponent."""
    return float(ldexp(value, exponent))


@numba.njit(cache=True, fastmath={"reassoc", "nnan", "nsz"})
def _spread(x: NDArray[np.float64]) -> tuple[float, float, float]:
    """Lowest and highest value and standard deviation, by loops that vectorise."""
    lowest = highest = x[0]
    total = 0.0
    for value in x:
        lowest = min(lowest, value)
        highest = max(highest, value)
        total += value
    mean = total / x.size
    squares = 0.0
    for value in x:
        squares += (value - mean) * (value - mean)
    return lowest, highest, sqrt(squares / (x.size - 1))


@numba.njit(cache=True)
def _bin_counts(x: NDArray[np.float64], width: float, lowest: float, highest: float) -> NDArray[np.int64]:
    """Counts of the bins trunc(x / width), from the lowest occupied on; the bin around 0 is twice as wide."""
    first = int(lowest / width)
    counts = np.zeros(int(highest / width) - first + 1, dtype=np.int64)
    for value in x:
        counts[int(value / width) - first] += 1
    return counts


@numba.njit(cache=True, fastmath={"contract"})
def _add_products(counts: NDArray[Any], occupied: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Add ``counts[i] * counts[i + d]`` to ``out[d]`` for the occupied i, four at a time; whole numbers stay exact."""
    for a in range(0, occupied.size - 3, 4):
        i, j, k, m = occupied[a], occupied[a + 1], occupied[a + 2], occupied[a + 3]
        one, two, three, four = counts[i], counts[j], counts[k], counts[m]
        first, second = counts[i : i + out.size], counts[j : j + out.size]
        third, fourth = counts[k : k + out.size], counts[m : m + out.size]
        for d in range(out.size):
            out[d] += one * first[d] + two * second[d] + (three * third[d] + four * fourth[d])
    for a in range(occupied.size // 4 * 4, occupied.size):
        i = occupied[a]
        for d in range(out.size):
            out[d] += counts[i] * counts[i + d]


@numba.njit(cache=True)
def _pair_counts(bins: NDArray[np.int64], n_distances: int) -> NDArray[np.float64]:
    """Number of pairs of points at each of the first distances between bins: an autocorrelation."""
    length = min(n_distances, bins.size)
    occupied = np.flatnonzero(bins)
    n_points = bins.sum()
    if n_points * n_points < _EXACT_SINGLE:
        counts = np.zeros(bins.size + length, dtype=np.float32)
        for i in range(bins.size):  # assigning a slice would compile the words of an error, for seconds
            counts[i] = bins[i]
        products = np.zeros(length, dtype=np.float32)
        _add_products(counts, occupied, products)
        out = products.astype(np.float64)
    else:
        wide = np.zeros(bins.size + length)
        for i in range(bins.size):
            wide[i] = bins[i]
        out = np.zeros(length)
        _add_products(wide, occupied, out)
    out[0] = 0.5 * (out[0] - n_points)
    return out


@numba.njit(cache=True)
def _criterion(rule: int, h: float, n: int, width: float, bins: NDArray[np.int64], pairs: NDArray[np.float64]) -> float:
    """Cross-validation criterion of a bandwidth, to be minimised."""
    if rule == LIKELIHOOD:
        return float(_log_loss(h, n, width, bins))
    total = 0.0
    square = (width / h) ** 2
    fall = exp(-0.5 * square)
    near = step = 1.0
    for distance in range(pairs.size):
        delta = distance * distance * square
        if delta >= _FARTHEST:
            break
        # exp(-delta / 4) by products, two to a step; a fresh start now and then keeps it exact
        if distance % _RESTART == 0:
            near = exp(-0.25 * delta)
            step = exp(-0.25 * (2 * distance + 1) * square)
        if rule == UNBIASED:
            total += pairs[distance] * (near - sqrt(8.0) * near * near)
        else:
            total += pairs[distance] * near * (delta * delta - 12 * delta + 12)
        near *= step
        step *= fall
    if rule == UNBIASED:
        return float((0.5 + total / n) / (n * h * sqrt(pi)))
    return float((1.0 + total / (32.0 * n)) / (2.0 * n * h * sqrt(pi)))


@numba.njit(cache=True, fastmath=True)
def _dot(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Inner product, summed in whatever order is fastest."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@numba.njit(cache=True)
def _log_loss(h: float, n: int, width: float, bins: NDArray[np.int64]) -> float:
    """Minus the leave-one-out log-likelihood per point, up to a constant; kernels end at six bandwidths."""
    reach = min(bins.size - 1, int(6.0 * h / width) + 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * width / h) ** 2)
    counts = bins.astype(np.float64)
    occupied = np.flatnonzero(bins)
    total = 0.0
    for a in range(occupied.size):
        i = occupied[a]
        # the point itself is left out; the kernel is 1 at its bin
        first, last = max(i - reach, 0), min(i + reach + 1, bins.size)
        density = _dot(counts[first:last], kernel[first - i + reach : last - i + reach]) - 1.0
        if density > 1e-8:
            total += counts[i] * log(density)
        else:  # a point beyond the reach of all others: its nearest neighbour decides
            gap = 1.0 * bins.size
            if a > 0:
                gap = min(gap, i - occupied[a - 1])
            if a + 1 < occupied.size:
                gap = min(gap, occupied[a + 1] - i)
            total -= counts[i] * 0.5 * (gap * width / h) ** 2
    return float(log(h) - total / n)


@numba.njit(cache=True)
def _minimise(
    rule: int,
    lower: float,
    upper: float,
    tolerance: float,
    n: int,
    width: float,
    bins: NDArray[np.int64],
    pairs: NDArray[np.float64],
) -> float:
    """Brent's minimiser, golden sections and parabolas, step by step as in R's ``optimize``."""
    golden = (3.0 - sqrt(5.0)) * 0.5
    eps = sqrt(np.finfo(np.float64).eps)
    a, b = lower, upper
    x = a + golden * (b - a)
    v = w = x
    d = e = 0.0
    fx = _criterion(rule, x, n, width, bins, pairs)
    fv = fw = fx
    while True:
        middle = (a + b) * 0.5
        tol1 = eps * abs(x) + tolerance / 3.0
        tol2 = tol1 * 2.0
        if abs(x - middle) <= tol2 - (b - a) * 0.5:
            return x
        p = q = r = 0.0
        if abs(e) > tol1:
            r = (x - w) * (fx - fv)
            q = (x - v) * (fx - fw)
            p = (x - v) * q - (x - w) * r
            q = (q - r) * 2.0
            if q > 0.0:
                p = -p
            else:
                q = -q
            r = e
            e = d
        if abs(p) >= abs(q * 0.5 * r) or p <= q * (a - x) or p >= q * (b - x):
            e = b - x if x < middle else a - x
            d = golden * e
        else:
            d = p / q
            u = x + d
            if u - a < tol2 or b - u < tol2:
                d = -tol1 if x >= middle else tol1
        step = d if abs(d) >= tol1 else (tol1 if d > 0.0 else -tol1)
        u = x + step
        fu = _criterion(rule, u, n, width, bins, pairs)
        if fu <= fx:
            if u < x:
                b = x
            else:
                a = x
            v, w, x = w, x, u
            fv, fw, fx = fw, fx, fu
        else:
            if u < x:
                a = u
            else:
                b = u
            if fu <= fw or w == x:
                v, fv = w, fw
                w, fw = u, fu
            elif fu <= fv or v in (x, w):
                v, fv = u, fu


@numba.njit(cache=True)
def cross_validated_bandwidth(x: NDArray[np.float64], rule: int) -> float:
    """Bandwidth by unbiased, biased or likelihood cross-validation; 0 where the points coincide."""
    n = x.size
    lowest, highest, spread = _spread(x)
    extent = highest - lowest
    if extent <= 0.0:
        return 0.0
    hmax = 1.144 * spread * n ** (-0.2)
    width = 1.01 * extent / _N_BINS
    # far from zero the distance between numbers limits the bins
    if not max(abs(lowest), abs(highest)) / width < 1e12:
        return float(hmax)
    bins = _bin_counts(x, width, lowest, highest)
    if rule == LIKELIHOOD:
        # heavy tails ask for more than the normal reference
        return float(_minimise(rule, 0.05 * hmax, 4.0 * hmax, 0.01 * hmax, n, width, bins, np.zeros(0)))
    pairs = _pair_counts(bins, int(sqrt(_FARTHEST) * hmax / width) + 2)
    return float(_minimise(rule, 0.1 * hmax, hmax, 0.01 * hmax, n, width, bins, pairs))


@numba.njit(cache=True)
def reference_bandwidth(x: NDArray[np.float64], factor: float) -> float:
    """``factor * min(sd, interquartile range / 1.34) * n^(-1/5)``, the positive one if the other is 0."""
    n = x.size
    spread = np.sqrt(np.square(x - x.mean()).sum() / (n - 1))
    ordered = np.sort(x)
    quartile = np.empty(2)
    for place in range(2):
        position = (0.25 + 0.5 * place) * (n - 1)
        below = min(int(position), n - 2)
        quartile[place] = ordered[below] + (position - below) * (ordered[below + 1] - ordered[below])
    robust = (quartile[1] - quartile[0]) / 1.34
    scale = min(spread, robust) if robust > 0.0 else spread
    return float(factor * scale * n ** (-0.2))


_GRID = 128  # nodes to a unit of the table of erfc
_GRID_END = 6  # it covers -6..6
_NEAR = 2.0  # with a score as near, what lies beyond the table adds less than rounding
_NODES = np.arange(-_GRID_END * _GRID, _GRID_END * _GRID + 1) / _GRID
_ERFC = np.array([erfc(z) for z in _NODES])
_SLOPE = -2.0 / sqrt(pi) * np.exp(-(_NODES**2))


@numba.njit(cache=True, fastmath={"reassoc", "contract", "nnan", "nsz"})
def _sum_of_erfc(truth: float, x: NDArray[np.float64], scale: float) -> float:
    """Sum of erfc((truth - x) * scale), by Taylor's series around nodes of a table; nothing beyond its end counts.

    The n-th derivative is the slope times (-1)^(n-1) times the Hermite polynomial H_(n-1): with a step of at most
    1/256, six terms leave a relative error of 1e-13 or less. No branches, so that the loop vectorises.
    """
    total = 0.0
    for i in range(x.size):
        z = max((truth - x[i]) * scale, -1.0 * _GRID_END)
        inside = 1.0 if z < _GRID_END else 0.0
        z = min(z, 1.0 * _GRID_END)
        node = np.int64(z * _GRID + (_GRID_END * _GRID + 0.5))
        a = (node - _GRID_END * _GRID) * (1.0 / _GRID)
        e = z - a
        b = 2.0 * a
        # (-1)^n H_n(a) by its recurrence
        h1 = -b
        h2 = b * b - 2.0
        h3 = -b * h2 - 4.0 * h1
        h4 = -b * h3 - 6.0 * h2
        h5 = -b * h4 - 8.0 * h3
        h6 = -b * h5 - 10.0 * h4
        series = h4 * (1 / 5) + e * (1 / 30) * (h5 + e * (1 / 7) * h6)
        series = e * (1 + e * (1 / 2) * (h1 + e * (1 / 3) * (h2 + e * (1 / 4) * (h3 + e * series))))
        total += inside * (_ERFC[node] + _SLOPE[node] * series)
    return total


@numba.njit(cache=True)
def _beaten(truth: float, x: NDArray[np.float64], h: float) -> float:
    """Probability that a draw from the kernel density exceeds the truth."""
    total = 0.0
    if h > 0.0:
        scale = 1.0 / (h * sqrt(2.0))
        nearest = (truth - _spread(x)[1]) * scale
        if nearest < _NEAR:
            return float(0.5 * _sum_of_erfc(truth, x, scale) / x.size)
        # erfc(z) falls like exp(-z^2): beside that of the highest score most terms are nothing
        farthest = sqrt(nearest**2 + _NEGLIGIBLE)
        for value in x:
            z = (truth - value) * scale
            if z < farthest:
                total += erfc(z)
        return 0.5 * total / x.size
    for value in x:
        total += 1.0 if value > truth else (0.5 if value == truth else 0.0)
    return total / x.size


def kernel_densities(
    scores: NDArray[Any],
    labels: NDArray[np.int64],
    rule: int,
    factor: float,
    bandwidths: NDArray[np.float64],
    beaten: NDArray[np.float64],
) -> None:
    """Fill the bandwidth of every row and the probability that a random wrong label beats the truth.

    `rule` is a cross-validation rule, or negative: then the normal reference with `factor`, or, where `factor`
    is 0 too, the bandwidths as they are.
    """
    truth = constant(labels, np.int64)

    def work(rows: slice) -> None:
        _kernel_densities(constant(scores[rows]), truth[rows], rule, factor, bandwidths[rows], beaten[rows])

    by_rows(work, scores.shape[0], _FITTING * scores.shape[1])


@numba.njit(cache=True, nogil=True)
def _kernel_densities(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    rule: int,
    factor: float,
    bandwidths: NDArray[np.float64],
    beaten: NDArray[np.float64],
) -> None:
    for row in range(scores.shape[0]):
        x = wrong_scores(scores[row], labels[row])
        power = size_exponent(x)
        # two factors, as one could overflow; they are exact, and multiplying by them vectorises
        half, rest = scaled(1.0, -(power // 2)), scaled(1.0, power // 2 - power)
        for i in range(x.size):
            x[i] = x[i] * half * rest
        bandwidth = scaled(bandwidths[row], -power)
        if rule >= 0:
            bandwidth = cross_validated_bandwidth(x, rule)
        elif factor > 0.0:
            bandwidth = reference_bandwidth(x, factor)
        beaten[row] = _beaten(scaled(float(scores[row, labels[row]]), -power), x, bandwidth)
        bandwidths[row] = scaled(bandwidth, power)
