"""The smooth ratio to a base distribution: hat functions, the concave problem, the choice of smoothness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from classex.distributions import DiscreteDistribution, posterior_nodes
from classex.exceptions import SolverError
from classex.methods import probit_normal_accuracy
from classex.methods._ratio import fit_ratio, hat_functions, ratio_knots


def problem(wins: np.ndarray, n: int, mu: float, nu: float):
    """Base distribution, knots, A and its base expectations for points with the given wins."""
    distribution = DiscreteDistribution.normal(mu, nu)
    knots = ratio_knots(distribution)
    values, count = np.unique(wins, return_counts=True)
    _, w, share = posterior_nodes(values.astype(float), n, np.full(values.size, mu), nu)
    base = hat_functions(distribution.nodes[None], distribution.weight[None], knots)[0]
    return distribution, knots, hat_functions(w, share, knots), count / wins.size, base


def test_normal_distribution_has_the_accuracy_of_the_formula() -> None:
    distribution = DiscreteDistribution.normal(2.0, 0.7)
    sizes = np.array([2.0, 50.0, 1e9])
    np.testing.assert_allclose(distribution.accuracy(sizes, 1), probit_normal_accuracy(2.0, 0.7, sizes), rtol=1e-9)


def test_smoothed_distribution_mixes_normal_distributions() -> None:
    distribution = DiscreteDistribution.smoothed(np.array([1.0, 3.0]), np.full(2, 0.4), np.array([0.25, 0.75]))
    sizes = np.array([2.0, 50.0, 1e6])
    expected = 0.25 * probit_normal_accuracy(1, 0.4, sizes) + 0.75 * probit_normal_accuracy(3, 0.4, sizes)
    np.testing.assert_allclose(distribution.accuracy(sizes, 1), expected, rtol=1e-5)


def test_hat_functions_interpolate() -> None:
    knots, rng = np.linspace(-1, 2, 7), np.random.default_rng(0)
    w, share = rng.normal(0, 2, (4, 9)), rng.random((4, 9))
    values = rng.random(7)
    expected = (share * np.interp(w, knots, values)).sum(axis=1)
    np.testing.assert_allclose(hat_functions(w, share, knots) @ values, expected, rtol=1e-6)


@pytest.mark.parametrize("smoothness", [1.0, 0.05])
def test_ratio_solves_the_concave_problem(smoothness: float) -> None:
    """Reference: a general optimiser, from the flat ratio."""
    rng = np.random.default_rng(1)
    wins = rng.binomial(49, special.ndtr(rng.choice([0.2, 2.4], 300)))
    _, knots, a, weight, base = problem(wins, 49, 1.3, 1.2)
    fit = fit_ratio(a, weight, base, n_points=300, inflation=1.0, smoothness=smoothness)

    def loss(ratio: np.ndarray) -> float:
        return -float(weight @ np.log(a @ ratio) - smoothness / 2 * np.square(np.diff(ratio)).sum())

    reference = optimize.minimize(
        loss,
        np.ones(knots.size),
        method="SLSQP",
        bounds=[(1e-9, None)] * knots.size,
        constraints={"type": "eq", "fun": lambda ratio: base @ ratio - 1},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert loss(fit.ratio) <= reference.fun + 1e-6
    assert base @ fit.ratio == pytest.approx(1)
    assert fit.smoothness == smoothness
    # where the ratio is positive, the slope is the multiplier of the constraint
    difference = np.diff(np.eye(knots.size), axis=0)
    slope = weight @ (a / (a @ fit.ratio)[:, np.newaxis]) - smoothness * difference.T @ (difference @ fit.ratio)
    free = fit.ratio > 1e-6
    multiplier = slope[free] @ base[free] / (base[free] @ base[free])
    assert np.abs(slope[free] - multiplier * base[free]).max() < 1e-8
    assert (slope[~free] < multiplier * base[~free] + 1e-8).all()


def test_a_problem_without_an_optimum_is_refused() -> None:
    with pytest.raises(SolverError, match="the ratio to the base distribution was not solved"):
        fit_ratio(
            np.full((3, 20), np.nan), np.full(3, 1 / 3), np.full(20, 0.05),
            n_points=3, inflation=1.0, smoothness=0.1,
        )  # fmt: skip


def test_a_distribution_with_two_humps_is_found() -> None:
    rng = np.random.default_rng(2)
    wins = rng.binomial(99, special.ndtr(rng.choice([-0.5, 2.2], 4000) + 0.35 * rng.normal(size=4000)))
    distribution, knots, a, weight, base = problem(wins, 99, 0.85, 1.4)
    fit = fit_ratio(a, weight, base, n_points=4000, inflation=1.0)
    assert np.isfinite(fit.smoothness)
    assert fit.freedom > 1
    sizes = np.array([2.0, 20.0, 100.0])
    truth = 0.5 * (probit_normal_accuracy(-0.5, 0.35, sizes) + probit_normal_accuracy(2.2, 0.35, sizes))
    error = np.abs(distribution.times(fit.ratio, knots).accuracy(sizes, 1) - truth)
    assert (error < 4 * np.sqrt(truth * (1 - truth) / 4000) + 0.01).all()
    assert error.max() < 0.3 * np.abs(distribution.accuracy(sizes, 1) - truth).max()


def test_a_normal_distribution_keeps_its_base_most_of_the_time() -> None:
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(40):
        wins = rng.binomial(99, special.ndtr(rng.normal(1.5, 0.8, 300)))
        _, _, a, weight, base = problem(wins, 99, 1.5, 0.8)
        kept += np.isinf(fit_ratio(a, weight, base, n_points=300, inflation=1.0).smoothness)
    # a correct criterion of this kind keeps the base in about 70 % of such samples; 4 standard errors below
    assert kept >= 40 * 0.7 - 4 * np.sqrt(40 * 0.21)


def test_infinite_smoothness_is_the_base_distribution() -> None:
    wins = np.array([3, 9, 9, 1])
    distribution, knots, a, weight, base = problem(wins, 9, 0.5, 1.0)
    fit = fit_ratio(a, weight, base, n_points=4, inflation=1.0, smoothness=np.inf)
    np.testing.assert_array_equal(fit.ratio, 1)
    sizes = np.array([7.0])
    np.testing.assert_allclose(
        distribution.times(fit.ratio, knots).accuracy(sizes, 1), distribution.accuracy(sizes, 1), rtol=1e-12
    )
