"""High-precision reference implementations of the formulas, in decimal arithmetic and written from the definitions."""

from __future__ import annotations

from decimal import Decimal, localcontext

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


def extremal(c: Decimal, k: int, digits: int = 60) -> tuple[Decimal, Decimal, Decimal]:
    """Information, accuracy and error of Q_c from int t^r exp(c t^m) dt = sum_j c^j / (j! (r + m j + 1))."""
    m = k - 1
    with localcontext() as context:
        context.prec = digits
        c = Decimal(c)
        normaliser = moment = Decimal(0)
        term, j = Decimal(1), 0
        while j <= c or term > Decimal(10) ** -digits:
            normaliser += term / (1 + m * j)
            moment += term / (1 + m * (j + 1))
            j += 1
            term *= c / j
        accuracy = moment / normaliser
        return c * accuracy - normaliser.ln(), accuracy, 1 - accuracy


def normal_cdf(z: Decimal) -> Decimal:
    """Standard normal cdf: a series of positive terms near 0, a continued fraction in the tails."""
    x = abs(z)
    density = (-x * x / 2).exp() / (2 * PI).sqrt()
    if x < 6:
        total = term = x
        n = 1
        while term > Decimal(10) ** -45:
            term *= x * x / (2 * n + 1)
            total += term
            n += 1
        tail = Decimal("0.5") - density * total
    else:
        fraction = x
        for n in range(400, 0, -1):
            fraction = x + n / fraction
        tail = density / fraction
    return tail if z < 0 else 1 - tail


def identification(c: Decimal, k: int, step: Decimal = Decimal("0.025")) -> tuple[Decimal, Decimal]:
    """Accuracy and error of int phi(z - c) Phi(z)^(k-1) dz, by the trapezoid rule with 50 digits."""
    with localcontext() as context:
        context.prec = 50
        c = Decimal(c)
        low, high = c / 2 - 13, c + 13
        accuracy = error = Decimal(0)
        z = low
        while z < high:
            weight = (-(z - c) * (z - c) / 2).exp()
            below = ((k - 1) * normal_cdf(z).ln()).exp()
            accuracy += weight * below
            error += weight * (1 - below)
            z += step
        scale = step / (2 * PI).sqrt()
        return accuracy * scale, error * scale
