"""Limits of one accuracy given another: against closed forms, exact fractions, and a linear program on a fine grid."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

import classex as cx
from classex.distributions import restated_limits
from classex.distributions.limits import extremes, failure, success


def plain(u, n, m):
    """The chance of being among the m best of n, term by term."""
    return sum(comb(n - 1, i) * (1 - u) ** i * u ** (n - 1 - i) for i in range(m))


def settings(rng, n, largest=60):
    """Random numbers of classes and list lengths below them."""
    classes = rng.integers(2, largest, n)
    return classes, np.array([rng.integers(1, min(k, 8)) for k in classes])


def test_the_chance_of_success_is_a_binomial_sum():
    u = [Fraction(i, 16) for i in range(1, 16)]
    w = special.ndtri(np.array(u, dtype=float))
    for n, m in ((2, 1), (5, 2), (40, 7)):
        exact = np.array([float(plain(x, n, m)) for x in u])
        np.testing.assert_allclose(success(w, n, m), exact, rtol=1e-12)
        np.testing.assert_allclose(failure(w, n, m), [float(1 - plain(x, n, m)) for x in u], rtol=1e-12)


def test_two_numbers_of_classes_have_limits_in_closed_form():
    # E U^(K-1) from E U^(N-1): alike points, or points that are all right or all wrong
    a = np.array([0.0, 0.01, 0.3, 0.62, 0.999, 1.0])
    for n, k in ((2, 3), (50, 200), (7, 1000)):
        low, high = restated_limits(a, n, k).T
        np.testing.assert_allclose(low, a ** ((k - 1) / (n - 1)), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(high, a, rtol=1e-12)
        low, high = restated_limits(a, k, n).T
        np.testing.assert_allclose(high, a ** ((n - 1) / (k - 1)), rtol=1e-12)
        np.testing.assert_allclose(low, a, rtol=1e-12, atol=1e-15)


def test_a_longer_list_has_limits_in_closed_form():
    # top 2 of 3 is 2u - u^2, from top 1 of 2: concave; back: convex
    a = np.linspace(0, 1, 11)
    np.testing.assert_allclose(restated_limits(a, 2, 3, top=2).T, [a, 2 * a - a**2], atol=1e-14)
    np.testing.assert_allclose(restated_limits(a, 3, 2, top_observed=2).T, [1 - np.sqrt(1 - a), a], atol=1e-14)
    # top 2 of 4, u^2 (3 - 2u), turns at 1/2: its chord from 0 touches at 3/4, and the chord to 1 at 1/4
    low = np.where(a <= 0.25, a**2 * (3 - 2 * a), 5 / 32 + (a - 0.25) * 9 / 8)
    np.testing.assert_allclose(restated_limits(a, 2, 4, top=2).T, [low, 1 - low[::-1]], atol=1e-12)


def test_the_limits_are_those_of_a_linear_program_on_a_fine_grid():
    rng = np.random.default_rng(0)
    w = np.concatenate([[-np.inf], np.linspace(-9, 9, 3001), [np.inf]])
    n, m = settings(rng, 25)
    k, best = settings(rng, 25)
    a = rng.random(25)
    found = restated_limits(a, n, k, top_observed=m, top=best)
    for i in range(25):
        cost, row = success(w, k[i], best[i]), success(w, n[i], m[i])
        for sign, value in zip((1, -1), found[i], strict=True):
            slow = linprog(sign * cost, A_eq=[row, np.ones_like(row)], b_eq=[a[i], 1])
            # the grid leaves out the best atoms, so its limits lie inside
            assert -1e-9 < sign * (sign * slow.fun - value) < 1e-4


def bernstein_least(coefficients, tolerance, depth=0):
    """Whether a polynomial in Bernstein form is at least -tolerance on [0, 1], by subdivision: a proof, or False."""
    if coefficients.min() >= -tolerance:
        return True
    if min(coefficients[0], coefficients[-1]) < -tolerance or depth > 40:
        return False
    left, right, row = [coefficients[0]], [coefficients[-1]], coefficients
    while row.size > 1:
        row = (row[:-1] + row[1:]) / 2
        left.append(row[0])
        right.append(row[-1])
    halves = (np.array(left), np.array(right[::-1]))
    return all(bernstein_least(half, tolerance, depth + 1) for half in halves)


def bernstein(n, m, degree):
    """Coefficients of the chance of being among the m best of n, of a larger degree than its own n - 1."""
    own = np.where(np.arange(n) >= n - m, 1.0, 0.0)
    for d in range(n, degree + 1):
        share = np.arange(d + 1) / d
        own = share * np.append(0.0, own) + (1 - share) * np.append(own, 0.0)
    return own


def certified(reports, target, extreme, sense, tolerance=2e-9):
    """Whether the certificate proves the limit for every favourability in [0, 1]."""
    degree = max(n for n, _ in (*reports, target)) - 1
    y = extreme.certificate
    bound = y[0] + sum(y[1 + j] * bernstein(n, m, degree) for j, (n, m) in enumerate(reports))
    scale = max(1.0, np.abs(y).max())
    return bernstein_least(sense * (bound - bernstein(*target, degree)), tolerance * scale)


@pytest.mark.parametrize(("n_reports", "n_cases"), [(1, 40), (2, 20), (3, 10)])
def test_limits_are_attained_and_proved(n_reports, n_cases):
    rng = np.random.default_rng(n_reports)
    for _ in range(n_cases):
        n, m = settings(rng, n_reports, 30)
        (k,), (best,) = settings(rng, 1, 30)
        u = rng.beta(rng.uniform(0.5, 20), rng.uniform(0.3, 3), 4)
        reports = list(dict.fromkeys(zip(n.tolist(), m.tolist(), strict=True)))
        a = np.array([plain(u, *one).mean() for one in reports])
        if np.abs(a - 0.5).max() > 0.4999:  # the program is badly scaled beyond
            continue
        ends = np.clip(a[:, np.newaxis] + rng.choice([0.0, 0.02]) * np.array([-1, 1]), 0, 1)
        low, high = extremes(reports, ends, [(k, best)], False)
        assert low.value - 1e-9 <= plain(u, k, best).mean() <= high.value + 1e-9
        for sense, one in ((-1, low), (1, high)):
            scale = max(1.0, np.abs(one.certificate).max())
            assert one.weight.size <= len(reports) + 1
            assert one.weight.sum() == pytest.approx(1, abs=1e-9)
            assert abs(one.weight @ success(one.atoms, k, best) - one.value) < 2e-9 * scale
            held = np.array([one.weight @ success(one.atoms, *report) for report in reports])
            # ends that the solver cannot keep are widened by 1e-7
            assert (held > ends[:, 0] - 1.1e-7).all()
            assert (held < ends[:, 1] + 1.1e-7).all()
            multipliers = one.certificate[1:]
            dual = (
                one.certificate[0]
                + np.where(sense * multipliers > 0, multipliers * ends[:, 1], multipliers * ends[:, 0]).sum()
            )
            assert dual == pytest.approx(float(one.value), abs=4e-7 * scale)
            assert certified(reports, (k, best), one, sense)
        if len(reports) == 1 and ends[0, 0] == ends[0, 1]:
            closed = restated_limits(a, *reports[0][:1], k, top_observed=reports[0][1], top=best)[0]
            np.testing.assert_allclose([float(low.value), float(high.value)], closed, atol=3e-9)


def test_a_wrong_certificate_is_not_a_proof():
    (low, high) = extremes([(5, 1)], np.array([[0.4, 0.4]]), [(9, 2)], False)
    assert certified([(5, 1)], (9, 2), high, 1)
    assert not certified([(5, 1)], (9, 2), high._replace(certificate=high.certificate - [1e-5, 0]), 1)
    assert not certified([(5, 1)], (9, 2), low, 1)


def test_an_increasing_density_is_a_mixture_of_uniform_distributions():
    # E U^(K-1) of the uniform distribution on [v, 1], by quadrature
    x, weight = np.polynomial.legendre.leggauss(60)
    v = np.linspace(0, 0.999, 400)
    u = v[:, np.newaxis] + (1 - v[:, np.newaxis]) * (x + 1) / 2
    rows = [np.append(plain(u, n, m) @ weight / 2, 1.0) for n, m in ((5, 1), (12, 3))]
    a = 0.55
    found = extremes([(5, 1)], np.array([[a, a]]), [(12, 3)], True)
    free = restated_limits(a, 5, 12, top=3)[0]
    for sign, one, outer in zip((1, -1), found, free, strict=True):
        slow = linprog(sign * rows[1], A_eq=[rows[0], np.ones(v.size + 1)], b_eq=[a, 1]).fun
        assert -1e-9 < slow - sign * float(one.value) < 1e-4
        assert sign * (float(one.value) - outer) > 1e-3
    with pytest.raises(ValueError, match=r"misses them by 0\.1 or more"):
        extremes([(5, 1)], np.array([[0.1, 0.1]]), [(12, 3)], True)  # chance is 1/5


def test_a_mean_over_favourabilities_from_an_accuracy_at_one():
    """Right links, E (1 - (1-P)^K) / (K P), from the share of unique people, E (1-P)^(n-1)."""
    p = np.append(np.geomspace(1e-6, 1, 2_000), 0.0)
    kept = (1 - p) ** 8
    links = np.append((1 - (1 - p[:-1]) ** 40) / (40 * p[:-1]), 1.0)
    low, high = extremes([(9, 1)], np.array([[0.3, 0.4]]), [(40, 1)], False, [True])
    for sign, one in ((1, low), (-1, high)):
        sides = {"A_ub": [kept, -kept], "b_ub": [0.4, -0.3], "A_eq": [np.ones(p.size)], "b_eq": [1]}
        assert sign * linprog(sign * links, **sides).fun == pytest.approx(float(one.value), abs=1e-4)


def test_extreme_numbers_of_classes_stay_finite():
    found = cx.distributions.restated_limits([0.9, 0.0, 1.0], 10**12, [10, 10**9, 2], top_observed=[1, 1000, 5])
    assert np.isfinite(found).all()
    assert (found[:, 0] <= found[:, 1]).all()
    np.testing.assert_allclose(found[1:], [[0, 0], [1, 1]], atol=1e-12)


def test_long_lists_among_very_many_classes_against_the_hull_of_points():
    """Where `betaincinv` loses digits: a thousand of 10^9 restated as ten of 10^7, with Poisson probabilities."""
    better = np.geomspace(0.1, 1e5, 20_001)  # expected number of better classes among 10^9
    points = np.column_stack([special.gammaincc(1_000, better), special.gammaincc(10, better / 100)])
    side = ConvexHull(np.vstack([points, [0, 0], [1, 1]])).equations
    side = side[np.abs(side[:, 1]) > 1e-9]
    rates = np.array([0.01, 0.2, 0.5])
    found = restated_limits(rates, 10**9, 10**7, top_observed=1_000, top=10)
    for rate, limits in zip(rates, found, strict=True):
        ends = -(side[:, 0] * rate + side[:, 2]) / side[:, 1]
        above = side[:, 1] > 0
        np.testing.assert_allclose(limits, [ends[~above].max(), ends[above].min()], atol=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_rounded_reports_have_limits_that_contain_the_truth(seed):
    """Six pairs of accuracies with few digits, longer lists of exactly 1 among them, of discrete distributions."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        u = rng.beta(rng.uniform(1, 60), rng.uniform(0.3, 1.5), 3)
        weight = rng.dirichlet(np.ones(3))
        n, few, digits = float(rng.choice([20, 50, 100, 1000])), float(rng.integers(2, 13)), int(rng.integers(2, 5))
        k = float(rng.integers(14, 3000))

        def accuracy(n, m, u=u, weight=weight):
            return weight @ stats.binom.cdf(m - 1, n - 1, 1 - u)

        reports = [(n, 1.0), (n, few)]
        rounded = np.round([accuracy(*report) for report in reports], digits)
        ends = rounded[:, np.newaxis] + np.array([-0.5, 0.5]) / 10**digits
        low, high = (float(one.value) for one in extremes(reports, np.clip(ends, 0, 1), [(k, 1.0)], False))
        assert low <= accuracy(k, 1) + 1e-12
        assert accuracy(k, 1) <= high + 1e-12


@pytest.mark.parametrize(
    "reports",
    [
        [(100, 1, 0.996), (100, 5, 1.0)],
        [(20, 1, 0.849), (20, 13, 1.0)],
        [(50, 1, 0.948), (50, 5, 1.0)],
        [(50, 1, 0.6599), (50, 10, 1.0)],
    ],
)
def test_a_list_that_always_holds_the_truth_has_limits(reports):
    """No solver finds a distribution with exactly these; the rounded reports of one have limits all the same."""
    (n, _, top1), (_, _, _) = reports
    limits = cx.restate(reports, n_classes=[n, 10 * n]).limits
    assert (limits[:, 0] <= limits[:, 1]).all()
    assert limits[0, 0] - 2e-6 <= top1 <= limits[0, 1] + 2e-6
    alone = cx.restate(reports[:1], n_classes=[n, 10 * n]).limits
    assert (alone[:, 0] <= limits[:, 0] + 2e-5).all()
    assert (limits[:, 1] <= alone[:, 1] + 2e-5).all()
