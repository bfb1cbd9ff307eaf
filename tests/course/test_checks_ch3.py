"""The checkers of Chapter 3 accept every way to the right answer and reject the usual mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaln, roots_hermitenorm
from scipy.stats import beta, binom, norm

from classex.distributions import FunctionBasis, probit_normal_log_pmf
from classex.models import BivariateNormal
from classex_book import ExerciseError, check
from classex_book.misspecification import misspecification_bound

ROOM = (0.82**2 / 0.9, 0.82 - 0.08**2 / 0.1)
NEVER, SELDOM = [[1.0, 0.5], [0.5, 0.5]], [[1 - 1e-4, 0.5], [0.5, 0.5]]


def at_the_mean(wins, n, mu, nu):
    """The binomial probability at the mean of the law, its spread forgotten."""
    return binom.pmf(wins, n, norm.cdf(mu)) + 0 * nu


def perfect(wins, n, mu, nu):
    """The probability of all wins, from the mean favourability."""
    return norm.cdf(mu / np.hypot(1, nu)) ** n + 0 * wins


def share_of_wins(below, others, h):
    return (below / max(others, 1)) ** h


def power_of_the_mean(below, others, h):
    return ((below + 1) / (others + 2)) ** h


def without_factor(u, rho):
    return float(BivariateNormal(rho).discriminability(u)) / 2


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("exr-ch3-two-kinds", [0.95, 0.5 + 0.5 * 0.9**10, 0.5], r"(entry \d of 3\b.*){1}"),  # k in place of k - 1
        ("exr-ch3-two-kinds", [0.95, 0.95**9, 0.0], r"(entry \d of 3\b.*){2}"),  # the power of the mean
        ("exr-ch3-power", [9, 0.9**99], r"(entry \d of 2\b.*){1}"),  # as if all points had favourability .9
        ("exr-ch3-power", [10, 10 / 109], "is not 0.9"),
        ("exr-ch3-power", [0.9, 0.1], "at least 1"),
        ("exr-ch3-room", ROOM[::-1], r"(entry \d of 2\b.*){2}"),
        ("exr-ch3-room", [0.9**3, 0.82], r"(entry \d of 2\b.*){2}"),  # Jensen and monotonicity alone
        ("exr-ch3-unbiased-power", [0.85**2, 0.85**2], r"(entry \d of 2\b.*){1}"),
        ("exr-ch3-unbiased-power", [0.85**2, 17 * 16 / 20**2], r"(entry \d of 2\b.*){1}"),
        (
            "exr-ch3-line",
            [1.98, 0.98],
            r"(entry \d of 2\b.*){2}",
        ),  # the simple factor without 1, the integral without |.|
        ("exr-ch3-top", lambda u, k, m: u ** (k - m), "with u = 0.9, k = 10, m = 3"),
        ("exr-ch3-top", lambda u, k, m: binom.cdf(m, k - 1, 1 - u), "with u = 0.9, k = 2, m = 1"),
        ("exr-ch3-toy-d", without_factor, "with u = 0.1, rho = 0.3"),
        ("exr-ch3-toy-d", lambda u, rho: u**rho, "with u = 0.1"),
        ("exr-ch3-likelihood", at_the_mean, "with 7 of 9 wins"),
        ("exr-ch3-likelihood", perfect, "with 7 of 9 wins"),
        (
            "exr-ch3-expected-powers",
            share_of_wins,
            "with below = 0, others = 0",
        ),
        ("exr-ch3-expected-powers", power_of_the_mean, "q = 2"),
        ("exr-ch3-apart", (NEVER, NEVER), "differ by 0.3 or less"),
        ("exr-ch3-apart", (NEVER, [[0.9, 0.5], [0.5, 0.5]]), "up to 20"),
        ("exr-ch3-apart", (NEVER, [[1.1, 1.0]]), "outside"),
        ("exr-ch3-apart", (NEVER, [[0.5, 0.6]]), "do not sum to 1"),
        ("exr-ch3-apart", NEVER[0], "each with rows"),
    ],
)
def test_usual_mistakes_are_rejected(name, answer, message):
    with pytest.raises(ExerciseError, match=message):
        check(name, answer)


def by_beta(below, others, h):
    return beta.moment(h, below + 1, others - below + 1) if h else 1.0


def by_beta_functions(below, others, h):
    return np.exp(betaln(below + 1 + h, others - below + 1) - betaln(below + 1, others - below + 1))


def by_hermite(wins, n, mu, nu):
    z, weight = roots_hermitenorm(180)
    return binom.pmf(wins, n, norm.cdf(mu + nu * z)) @ weight / weight.sum()


def by_library(wins, n, mu, nu):
    arrays = (np.array([float(value)]) for value in (wins, n, mu, nu))
    return float(np.exp(probit_normal_log_pmf(*arrays)[0][0]))


def by_sorting(u, k, m):
    return sum(binom.pmf(above, k - 1, 1 - u) for above in range(m))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("exr-ch3-two-kinds", np.array([0.95, 0.5 + 0.5 * 0.9**9, 0.5])),
        ("exr-ch3-power", (9.0, 1 / 12)),
        ("exr-ch3-room", ROOM),
        ("exr-ch3-unbiased-power", [0.7225, 0.8 * 17 / 19]),
        ("exr-ch3-top", by_sorting),
        ("exr-ch3-toy-d", lambda u, rho: BivariateNormal(rho).discriminability(u)),
        ("exr-ch3-likelihood", by_hermite),
        ("exr-ch3-likelihood", by_library),
        ("exr-ch3-expected-powers", by_beta),
        ("exr-ch3-expected-powers", by_beta_functions),
        ("exr-ch3-apart", [SELDOM, NEVER]),
        ("exr-ch3-apart", (np.array([[1.0, 1.0]]), [[1.0, 0.5], [1 - 1e-4, 0.5]])),
    ],
)
def test_other_right_ways_are_accepted(name, answer, capsys):
    check(name, answer)
    assert capsys.readouterr().out == f"{name}: right\n"


def test_the_sharp_factor_of_the_line_is_that_of_the_library():
    basis = FunctionBasis(lambda u: u[:, np.newaxis])
    bound = misspecification_bound(basis, [2], 100, 1.0)
    turn = (1.98 / 99) ** (1 / 98)
    sharp = 2 * (1.98 * turn - turn**99) + 1 - 1.98
    check("exr-ch3-line", [bound.simple[0], sharp])
    assert bound.sharp[0] == pytest.approx(sharp, abs=1e-3)  # its quadrature meets a kink
