"""Constrained fits of D against plain solvers, their optimality, and their shape."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.optimize import nnls

import classex as cx
from classex._optional import solve_problem
from classex.distributions import FunctionBasis, LinearSplineBasis, PolynomialBasis, ProbitBasis
from classex.exceptions import SolverError
from classex.methods import MomentRegression
from classex.methods.regression import COVARIANCE_SHRINKAGE

K1 = 60
SIZES = np.arange(2, K1 + 1)
BASES = {
    "probit": ProbitBasis.for_data(K1, 2, 0.4),
    "spline": LinearSplineBasis(200),
    "polynomial": PolynomialBasis(4),
    "own": FunctionBasis(lambda u: u[:, np.newaxis] ** np.array([1, 3, 10, 40, 200]), increasing=True),
    "own, free": FunctionBasis(lambda u: np.column_stack([np.ones_like(u), u, np.cos(3 * u)])),
}


@pytest.fixture(scope="module")
def curve():
    sample = cx.models.BivariateNormal(0.97).sample(K1, n_repeats=2, rng=5)
    return cx.accuracy_curve(cx.correct_ranks(sample.scores, sample.labels), SIZES).accuracy


def objective(problem, fit, accuracy):
    moments = problem.basis.moments(problem.n_classes)
    return float(np.square(1 - accuracy - moments @ fit.coefficients).sum())


@pytest.mark.parametrize("name", BASES)
def test_fitted_d_is_a_distribution_function(name, curve):
    fit = MomentRegression(BASES[name], SIZES).solve(curve)
    u = np.linspace(0, 1, 2001)
    d = fit(u)
    assert np.diff(d).min() > -1e-6
    assert d.min() > -1e-6
    assert d.max() < 1 + 1e-6
    k = np.unique(np.geomspace(2, 10**12, 60).astype(np.int64))
    predicted = fit.accuracy(k)
    assert np.diff(predicted).max() < 1e-8
    assert predicted.min() > -1e-6
    assert predicted.max() < 1 + 1e-6


@pytest.mark.parametrize("name", ["probit", "spline", "own"])
def test_optimum_of_the_bounded_problem(name, curve):
    """Optimal against an active-set solver of the same problem: a slack makes the coefficients sum to 1."""
    basis = BASES[name]
    problem = MomentRegression(basis, SIZES)
    fit = problem.solve(curve)
    ends = basis.evaluate(1.0)[0]
    moments = basis.moments(SIZES) / ends
    heavy = 1e4
    rows = np.vstack([np.column_stack([moments, np.zeros(SIZES.size)]), heavy * np.ones(ends.size + 1)])
    plain = nnls(rows, np.append(1 - curve, heavy), maxiter=10**6)[0][:-1]
    best = np.square(1 - curve - moments @ plain).sum()
    assert fit.coefficients.min() >= 0
    assert ends @ fit.coefficients <= 1 + 1e-7
    # the heavy weight lets the plain solver overstep the bound a little
    assert objective(problem, fit, curve) <= best + 1e-9
    k = np.array([100, 1000, 10_000])
    np.testing.assert_allclose(fit.accuracy(k), 1 - basis.moments(k) / ends @ plain, atol=2e-3)
    assert fit.residual == pytest.approx(np.sqrt(objective(problem, fit, curve) / SIZES.size), rel=1e-3)


def test_no_feasible_direction_improves_the_constrained_polynomial(curve):
    problem = MomentRegression(PolynomialBasis(4), SIZES)
    fit = problem.solve(curve)
    rows = PolynomialBasis(4).shape_rows()
    best = objective(problem, fit, curve)
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(4000):
        other = fit.coefficients + rng.normal(size=5) * 10.0 ** rng.uniform(-5, -1)
        values = rows @ other
        if np.diff(values).min() >= 0 and values[0] >= 0 and values[-1] <= 1:
            tried += 1
            moments = problem.basis.moments(SIZES)
            assert np.square(1 - curve - moments @ other).sum() >= best - 1e-9
    # directions towards the interior are feasible
    mix = fit.coefficients + 0.1 * (np.array([0.3, 0.2, 0.1, 0.0, 0.0]) - fit.coefficients)
    assert np.square(1 - curve - problem.basis.moments(SIZES) @ mix).sum() >= best - 1e-9
    assert tried > 10


def test_without_constraints_it_is_plain_least_squares(curve):
    fit = MomentRegression(PolynomialBasis(3), SIZES, constrained=False).solve(curve)
    expected = np.linalg.lstsq(PolynomialBasis(3).moments(SIZES), 1 - curve, rcond=None)[0]
    np.testing.assert_allclose(fit.coefficients, expected, rtol=1e-6)
    assert fit.status == "closed form"


def test_generalised_least_squares_weighs_by_the_inverse_covariance(curve):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(SIZES.size, SIZES.size))
    covariance = root @ root.T + 30 * np.eye(SIZES.size)
    fit = MomentRegression(PolynomialBasis(2), SIZES, covariance=covariance, constrained=False).solve(curve)
    moments = PolynomialBasis(2).moments(SIZES)
    shrunk = covariance + COVARIANCE_SHRINKAGE * np.trace(covariance) / SIZES.size * np.eye(SIZES.size)
    precision = np.linalg.inv(shrunk)
    expected = np.linalg.solve(moments.T @ precision @ moments, moments.T @ precision @ (1 - curve))
    np.testing.assert_allclose(fit.coefficients, expected, rtol=1e-3)
    level = MomentRegression(PolynomialBasis(2), SIZES, covariance=np.zeros((59, 59)), constrained=False).solve(curve)
    plain = MomentRegression(PolynomialBasis(2), SIZES, constrained=False).solve(curve)
    np.testing.assert_allclose(level.coefficients, plain.coefficients)


def test_many_sizes_are_interpolated_without_loss():
    sizes = np.arange(2, 2001)
    for basis in (ProbitBasis.for_data(2000, 1, 0.2), LinearSplineBasis(300), PolynomialBasis(4)):
        problem = MomentRegression(basis, sizes)
        r, q = problem._design
        assert r.shape[0] < 40
        # columns of the moment matrix, rebuilt from its compressed form
        np.testing.assert_allclose(q @ r, basis.moments(sizes), atol=2e-10)


def test_ten_thousand_hinges_at_400_classes_are_optimal():
    sizes = np.arange(2, 401)
    sample = cx.models.BivariateNormal(0.99).sample(400, rng=2)
    accuracy = cx.accuracy_curve(cx.correct_ranks(sample.scores, sample.labels), sizes).accuracy
    basis = LinearSplineBasis(10_000)
    fit = MomentRegression(basis, sizes).solve(accuracy)
    # all 10,000 functions satisfy the optimality conditions
    ends = basis.evaluate(1.0)[0]
    moments = basis.moments(sizes) / ends
    scaled = fit.coefficients * ends
    gradient = moments.T @ (moments @ scaled - (1 - accuracy))
    multiplier = max(-gradient.min(), 0.0)
    assert gradient @ scaled + multiplier < 1e-10
    assert (np.diff(fit(np.linspace(0, 1, 501)), 2) > -1e-9).all()  # convex


@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize(
    "basis",
    [
        *(ProbitBasis.for_data(K1, 2, bandwidth) for bandwidth in (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)),
        BASES["spline"],
        BASES["own"],
    ],
    ids=str,
)
def test_both_solvers_give_equal_predictions(basis, share, curve):
    """cvxpy with its polishing step against non-negative least squares on all functions, to 1e-10."""
    curve = 1 - share * (1 - curve)  # the bound on the sum holds the first fits back
    problem = MomentRegression(basis, SIZES)
    fits = [problem.solve(curve, active_set=active_set) for active_set in (False, True)]
    k = np.array([2, 40, 80, 400, 10_000, 10**9])
    np.testing.assert_allclose(fits[0].accuracy(k), fits[1].accuracy(k), atol=1e-10)
    u = np.linspace(0, 1, 101)
    np.testing.assert_allclose(fits[0](u), fits[1](u), atol=1e-9)
    for fit in fits:
        assert fit.coefficients.min() >= 0
        assert basis.evaluate(1.0)[0] @ fit.coefficients <= 1 + 1e-12


def test_perfect_and_hopeless_curves():
    for basis in (BASES["probit"], BASES["spline"], BASES["own"]):
        perfect = MomentRegression(basis, SIZES).solve(np.ones(SIZES.size))
        assert perfect.accuracy([2, 10**12]) == pytest.approx([1, 1])
    hopeless = MomentRegression(BASES["probit"], SIZES).solve(np.zeros(SIZES.size))
    assert hopeless.accuracy([2, K1, 10**6]) == pytest.approx([0, 0, 0], abs=1e-6)


def test_survival_is_the_authors_regression(reference):
    ata = reference["average_test_accuracy_k_1_to_12"][1:]
    problem = MomentRegression(ProbitBasis.published(12, 1, 0.5), np.arange(2, 13), survival=True)
    fit = problem.solve(ata)
    np.testing.assert_allclose(fit.accuracy([100, 1000]), reference["nnls_extrapolated_h_0.5_k_100_1000"], atol=1e-6)
    k = np.array([3, 50])
    design = 1 - problem.basis.moments(k)
    np.testing.assert_allclose(fit.accuracy(k), design @ fit.coefficients + 1 - fit.coefficients.sum(), rtol=1e-12)


def test_errors_of_the_solver_can_be_pickled():
    error = SolverError("it was not solved", "infeasible")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.status, str(copy)) == (error.status, str(error))


def test_solver_attempts_go_on_until_optimal():
    class Problem:
        status = "unbounded"

        def solve(self, *, answer, **_):
            from cvxpy.error import SolverError as NoSolution

            if answer is None:
                raise NoSolution
            self.status = answer

    assert solve_problem(Problem(), "it", [{"answer": None}, {"answer": "optimal"}]) == "optimal"
    with pytest.raises(SolverError, match="it was not solved") as caught:
        solve_problem(Problem(), "it", [{"answer": "unbounded"}, {"answer": None}])
    assert caught.value.status == "solver_error"

    class Broken:
        def solve(self, **_):
            raise KeyError("not a matter of the solver")

    with pytest.raises(KeyError, match="not a matter of the solver"):
        solve_problem(Broken(), "it")
