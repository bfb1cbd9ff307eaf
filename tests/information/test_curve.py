"""Information from several accuracies together: check values, plain dual, sharpness by a channel, order, messages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize

import classex as cx
from classex.exceptions import SolverError
from classex.information import curve_information_bound, identification_accuracy, information_bound, tilting
from classex.information.tilting import least_divergence, losses

# nine numbers of classes, and the accuracy with 3 nats in high dimension
SIZES = np.array([2, 3, 5, 10, 20, 50, 100, 200, 300])
CURVE = identification_accuracy(3.0, SIZES)


def log_integral(multipliers, sizes):
    """Logarithm of the integral of exp(sum of lambda (t^(k-1) - 1)), by adaptive quadrature."""

    def tilted(t):
        return np.exp(multipliers @ (t ** (sizes - 1.0) - 1))

    ends = [0, 0.9, 0.99, 0.999, 0.9999, 1]
    return np.log(sum(integrate.quad(tilted, a, b, epsabs=1e-13)[0] for a, b in pairwise(ends)))


def plain_bound(accuracy, sizes):
    """Maximise the dual with a general optimiser in the square roots of the multipliers."""

    def minus_dual(root):
        return root**2 @ (1 - accuracy) + log_integral(root**2, sizes)

    start = np.full(sizes.size, 1.5)
    return -optimize.minimize(minus_dual, start, method="L-BFGS-B", options={"ftol": 1e-12, "gtol": 1e-8}).fun


@pytest.mark.solver
def test_check_values_of_nine_accuracies():
    expected = [2.179, 2.259, 2.374, 2.515, 2.574, 2.491, 2.323, 2.092, 1.939]
    found = curve_information_bound(CURVE, SIZES)
    np.testing.assert_allclose(found.information_by_class_count, expected, atol=1e-3)
    assert found.information == pytest.approx(2.902, abs=1e-3)
    assert found.nats == found.information
    every = np.arange(2, 301, 4)
    assert curve_information_bound(identification_accuracy(3.0, every), every).nats == pytest.approx(2.902, abs=1e-3)


@pytest.mark.parametrize(
    ("accuracy", "sizes"),
    [([0.9, 0.6], [2, 20]), ([0.8, 0.7, 0.35], [3, 5, 40]), ([0.99, 0.95], [2, 100]), ([0.7, 0.5, 0.3], [2, 4, 9])],
)
@pytest.mark.solver
def test_the_bound_is_that_of_a_plain_optimiser(accuracy, sizes):
    found = curve_information_bound(accuracy, sizes)
    assert found.information == pytest.approx(plain_bound(np.array(accuracy), np.array(sizes)), abs=1e-7)


@pytest.mark.solver
def test_the_dual_at_the_multipliers_is_the_bound_by_another_quadrature():
    found = curve_information_bound(CURVE, SIZES)
    y = found.multipliers
    assert (y >= 0).all()
    normaliser = log_integral(y, SIZES)
    assert found.log_normaliser == pytest.approx(normaliser, abs=1e-11)
    assert found.information == pytest.approx(-y @ (1 - CURVE) - normaliser, abs=1e-11)


@pytest.mark.solver
def test_the_density_meets_the_accuracies_and_has_the_information():
    found = curve_information_bound(CURVE, SIZES)
    nodes, weight = np.polynomial.legendre.leggauss(40)
    edges = 1 - np.append(np.geomspace(1, 1e-6, 60), 0)
    t = (edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * (nodes + 1) / 2).ravel()
    width = (np.diff(edges)[:, np.newaxis] * weight / 2).ravel()
    q = found.density(t)
    moments = width * q @ t[:, np.newaxis] ** (SIZES - 1)
    assert width @ q == pytest.approx(1, abs=1e-9)
    # the solver stops at a duality gap that depends on the processor
    assert width @ (q * np.log(q)) == pytest.approx(found.information, abs=5e-5)
    carried = found.multipliers > 0
    assert carried.tolist() == [True, False, False, True, True, False, False, False, True]
    np.testing.assert_allclose(moments[carried], CURVE[carried], atol=5e-6)  # the solver's tolerance
    assert (moments[~carried] > CURVE[~carried]).all()


@pytest.mark.solver
def test_no_larger_bound_is_possible_since_a_channel_attains_it():
    """Blur a circle of n classes by the tilted density: information and accuracies of the channel by enumeration."""
    n, sizes, accuracy = 2000, np.array([2, 4, 20]), np.array([0.85, 0.7, 0.42])
    found = curve_information_bound(accuracy, sizes)
    assert (found.multipliers[[0, 2]] > 0).all()
    edges = np.linspace(0, 1, n + 1)
    nodes, weight = np.polynomial.legendre.leggauss(4)
    inside = (edges[:-1, np.newaxis] + (nodes + 1) / (2 * n)).ravel()
    blur = (found.density(inside).reshape(n, 4) @ weight) / (2 * n)  # probability of each step
    channel = np.array([np.roll(blur, x) for x in range(n)])  # letter y given class x
    ratio = np.sort(channel[:, 0] / channel[:, 0].mean())
    for other in (1, 17, n - 1):  # every letter sees the same sorted likelihood ratios
        np.testing.assert_allclose(np.sort(channel[:, other] / channel[:, other].mean()), ratio, rtol=1e-9)
    information = np.mean(ratio * np.log(ratio))
    average_bayes_accuracy = [ratio @ np.diff(edges**k) / k for k in sizes]
    # grouping into n letters loses of order 1 / n^2
    assert information == pytest.approx(found.information, abs=1e-3)
    assert (average_bayes_accuracy >= accuracy - 1e-3).all()
    again = curve_information_bound(average_bayes_accuracy, sizes).information
    assert information - 1e-4 < again <= information + 1e-9


@pytest.mark.solver
def test_one_accuracy_is_theorem_4_1():
    rng = np.random.default_rng(1)
    for k in (2, 10, 10**4, 10**15):
        for a in (0.6, 0.999, 1 / k + 1e-4, float(rng.uniform(1 / k, 1))):
            found, single = curve_information_bound([a], [k]), information_bound(a, k)
            assert found.information == pytest.approx(single, rel=1e-9)
            certified, _ = least_divergence(np.array([k - 1.0]), np.array([0]), np.array([1 - a]), np.zeros(1))
            assert certified == pytest.approx(single, abs=1e-7)
    assert curve_information_bound([0.5, 0.2], [2, 5]).information == 0
    assert np.isinf(curve_information_bound([1.0, 0.5], [2, 5]).information)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.solver
def test_more_and_larger_accuracies_never_lower_the_bound(seed):
    rng = np.random.default_rng(seed)
    sizes = np.unique(rng.integers(2, 2000, 5))
    accuracy = identification_accuracy(rng.uniform(0.1, 6), sizes)
    whole = curve_information_bound(accuracy, sizes).information
    assert whole >= information_bound(accuracy, sizes).max()
    part = curve_information_bound(accuracy[1:], sizes[1:]).information
    assert whole >= part - 1e-8
    raised = curve_information_bound(accuracy + 0.1 * (1 - accuracy) * (rng.random(sizes.size) < 0.5), sizes)
    assert raised.information >= whole - 1e-8
    order = rng.permutation(sizes.size)
    mixed = curve_information_bound(accuracy[order], sizes[order])
    assert mixed.information == pytest.approx(whole, abs=1e-8)
    np.testing.assert_array_equal(mixed.n_classes, sizes[order])


@pytest.mark.parametrize("model", [cx.models.BivariateNormal(0.9), cx.models.GaussianSequence(20, 6.0)])
@pytest.mark.solver
def test_no_model_has_less_information_than_its_accuracies_show(model):
    sizes = np.array([2, 5, 20, 100])
    found = curve_information_bound(model.average_bayes_accuracy(sizes), sizes)
    assert found.information_by_class_count.max() < found.information < model.information()


@pytest.mark.solver
@pytest.mark.solver
def test_any_multipliers_are_a_bound_even_from_a_coarse_program(monkeypatch):
    from classex.information import tilting

    exact = curve_information_bound(CURVE, SIZES).information
    monkeypatch.setattr(tilting, "_NEGLIGIBLE", 1e-2)  # a program with a handful of points
    m = SIZES - 1.0
    rough, _ = least_divergence(m, np.arange(m.size), 1 - CURVE, np.zeros(m.size))
    assert rough < exact + 1e-9


def dual_on_nodes(accuracy, sizes):
    """The largest dual by scipy, on the package's nodes, which other tests check: fast for many sets."""
    loss, width = losses(sizes - 1.0, None)
    error = 1 - accuracy

    def minus_dual(x):
        y = np.exp(x) / error
        p = width * np.exp(-y @ loss)
        return y @ error + np.log(p.sum()), y * (error - loss @ p / p.sum())

    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 3000}
    best = 0.0
    for start in (0.0, 2.0):
        x = np.full(sizes.size, start)
        for _ in range(4):  # it stops early
            found = optimize.minimize(
                minus_dual, x, jac=True, method="L-BFGS-B", bounds=[(-30, 30)] * sizes.size, options=options
            )
            x = found.x
        best = max(best, -found.fun)
    return best


@pytest.mark.solver
def test_lower_bounds_from_several_papers_some_of_them_slack(monkeypatch):
    assert curve_information_bound([0.9999, 0.95], [2, 100]).information == pytest.approx(8.210340, abs=5e-7)
    rng = np.random.default_rng(7)
    for _ in range(40):
        sizes = np.unique(np.rint(10 ** rng.uniform(0.31, 4, 4)))
        accuracy = identification_accuracy(rng.uniform(0.3, 8), sizes)
        accuracy *= 1 - rng.uniform(0, 0.3, sizes.size) * (rng.random(sizes.size) < 0.5)
        found = curve_information_bound(accuracy, sizes).information
        assert found == pytest.approx(dual_on_nodes(accuracy, sizes), abs=1e-6)

    def refuse(*_):
        raise SolverError("not solved", "refused")

    # a program that is not solved leaves the best single bound
    monkeypatch.setattr(tilting, "_program", refuse)
    rest = curve_information_bound(CURVE, SIZES)
    assert rest.information == pytest.approx(rest.information_by_class_count.max())
