"""Score-test limits for the ratio of two dependent proportions."""

from __future__ import annotations

from math import exp, inf, sqrt

from scipy import special


def score_limits(both: float, first: float, second: float, n: float, confidence_level: float) -> tuple[float, float]:
    r"""Limits of :math:`\theta = (p_{11}+p_{10})/(p_{11}+p_{01})` from paired yes/no outcomes.

    A value :math:`\theta` is kept when :math:`|T(\theta)| \le z`, T the difference
    :math:`\hat p_{1\cdot} - \theta \hat p_{\cdot 1}` over its standard error at the maximum of the likelihood
    among distributions with this :math:`\theta`.

    Parameters
    ----------
    both, first, second : float
        Numbers of pairs in which both, only the first, only the second are wrong. ``both + second > 0``.
    n : float
        Number of pairs.
    confidence_level : float
        Nominal coverage, in (0, 1).

    Returns
    -------
    low, high : float
        Limits of the ratio first over second, both finite.

    Notes
    -----
    Source: Nam and Blackwelder (2002). On the constraint the multinomial cells are a/(n + lam (1 - theta)),
    b/(n + lam), c/(n - lam theta), d/n: the last stays as observed, and the third solves a quadratic.
    """
    z = float(special.ndtri((1 + confidence_level) / 2))
    seen = (both + first + second) / n

    def statistic(theta: float) -> float:
        linear = (first + second) - (theta * theta - 1) * (both + second)
        root = sqrt(max(linear * linear + 4 * (1 + theta) * n * second * (theta - 1) * seen, 0.0))
        # for theta > 1 the linear term may be negative: the conjugate form does not cancel
        if linear >= 0:
            only_second = (linear + root) / (2 * (1 + theta) * n)
        else:
            only_second = 2 * second * (theta - 1) * seen / (root - linear)
        only_first = max(((theta - 1) * seen + only_second) / theta, 0.0)
        shared = max((seen - only_second) / theta - only_second, 0.0)
        variance = shared * (1 - theta) ** 2 + only_first + theta * theta * only_second
        difference = (both + first - theta * (both + second)) / n
        if variance <= 0:
            return inf if difference > 0 else (-inf if difference < 0 else 0.0)
        return sqrt(n / variance) * difference

    def solve(value: float) -> float:
        low, high = -40.0, 40.0
        for _ in range(64):
            middle = (low + high) / 2
            if statistic(exp(middle)) > value:
                low = middle
            else:
                high = middle
        return exp((low + high) / 2)

    return (0.0 if both + first == 0 else solve(z)), solve(-z)
