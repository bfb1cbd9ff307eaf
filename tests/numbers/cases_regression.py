"""Regression on moments, its bases, and what is known about its errors."""

from __future__ import annotations

import numpy as np

import classex as cx
from classex.methods.beta_binomial import expectation_maximisation
from classex_book.misspecification import misspecification_bias, misspecification_bound, uniform_error

from .inputs import case, costs, labels, many, scores, tied, untied

SIZES = [2, 10, 25, 100, 1000]


@case
def regression():
    fitted = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit_ranks(untied())
    return (fitted.predict(SIZES),)


@case
def regression_with_ties():
    return (cx.Extrapolator(cx.methods.Regression(bandwidth=0.4)).fit_ranks(tied()).predict(SIZES),)


@case
def regression_of_a_chosen_bandwidth():
    fitted = cx.Extrapolator(cx.methods.Regression(n_splits=5)).fit(scores(25, 2, 2.0), labels(25, 2))
    return fitted.predict(SIZES), fitted.distribution_.choice.observed, fitted.distribution_.choice.error


@case
def regression_as_published():
    return (
        cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, published="journal")).fit_ranks(many()).predict(SIZES),
        cx.Extrapolator(cx.methods.Regression(bandwidth=0.2, published="journal")).fit_ranks(untied()).predict(SIZES),
    )


@case
def regression_on_a_linear_spline():
    return (cx.Extrapolator(cx.methods.Regression(basis="linear_spline", sizes=12)).fit_ranks(untied()).predict(SIZES),)


@case
def regression_on_polynomials():
    sizes = np.arange(2, 26)
    plain = cx.methods.MomentRegression(cx.distributions.PolynomialBasis(2), sizes, constrained=False)
    return (
        cx.Extrapolator(cx.methods.Regression(basis="polynomial")).fit_ranks(untied()).predict(SIZES),
        np.clip(plain.solve(cx.accuracy_curve(untied(), sizes).accuracy).accuracy(SIZES), 0, 1),
    )


@case
def regression_with_weights():
    fitted = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, weights="generalised", sizes=6)).fit_ranks(untied())
    return (fitted.predict(SIZES),)


@case
def regression_with_constraints():
    fitted = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5, sizes=[5, 10, 20, 25])).fit_ranks(untied())
    return (fitted.predict(SIZES),)


@case
def regression_of_the_three_best():
    fitted = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit_ranks(many())
    return fitted.predict([10, 60, 500], top=3), fitted.predict([10, 60, 500], metric="mrr@5")


@case
def regression_distribution():
    distribution = cx.methods.Regression(bandwidth=0.5).fit(many())
    return distribution.cdf(np.linspace(0.1, 0.9, 5)), distribution.evidence.residual


@case
def moments_of_bases():
    return (
        cx.distributions.PolynomialBasis(3).moments([2, 5, 100]),
        cx.distributions.LinearSplineBasis(4).moments([2, 50]),
        cx.distributions.PiecewiseLinearBasis([0.0, 0.3, 0.8, 1.0]).moments([2, 50]),
        cx.distributions.ProbitBasis([-1.0, 0.0, 2.0], 0.5).moments([2, 50]),
        cx.distributions.PolynomialBasis(2).moments([5, 50], top=2),
        cx.distributions.FunctionBasis(lambda u: np.column_stack([u, u**2]), increasing=True).moments([2, 9]),
    )


@case
def values_of_bases():
    u = np.array([0.1, 0.6, 0.99])
    return (
        cx.distributions.PiecewiseLinearBasis([0.0, 0.3, 1.0]).evaluate(u),
        cx.distributions.ProbitBasis([-1.0, 2.0], 0.5).evaluate(u),
        cx.distributions.ProbitBasis.for_data(10, 2, 0.8).knots,
    )


@case
def moments_solved():
    fitted = cx.methods.MomentRegression(cx.distributions.PolynomialBasis(2), [2, 3, 4, 6]).solve(
        [0.7, 0.55, 0.45, 0.35]
    )
    return fitted.accuracy([10, 100]), fitted([0.25, 0.5]), fitted.residual


@case
def misspecification():
    basis = cx.distributions.PolynomialBasis(2)
    bound = misspecification_bound(basis, [2, 3, 4, 8], [10, 50], 0.01)
    return (
        misspecification_bias(lambda u: u**5, basis, [2, 3, 4, 8], [10, 50]),
        *(bound.sharp, bound.simple),
        uniform_error(lambda u: u**2, cx.distributions.PolynomialBasis(1)),
    )


@case
def measurement_error():
    rng = np.random.default_rng(14)
    covariates = cx.methods.sources.expected_powers([0, 2, 5, 9], 9, 2)
    calibrated = cx.methods.sources.calibrated_regression(rng.uniform(size=(8, 2)), rng.uniform(size=8))
    weighted = cx.methods.sources.importance_regression(
        rng.uniform(size=(8, 2)), rng.uniform(size=8), rng.uniform(1, 2, size=8)
    )
    return covariates, calibrated.coefficients, calibrated.covariance, weighted.coefficients, weighted.covariance


@case
def variance_of_polynomials():
    return (
        *cx.methods.sources.polynomial_variance_bound(100, 1000, 1),
        *cx.methods.sources.polynomial_variance_bound(50, 200, 3, n_repeats=4),
    )


@case
def pieces_of_the_mixture():  # of which empirical Bayes keeps one
    likelihood = np.array([[0.8, 0.2, 0.1], [0.15, 0.6, 0.2], [0.05, 0.2, 0.7]])
    return (expectation_maximisation(likelihood, np.array([0.5, 0.3, 0.2]), np.full(3, 1 / 3), 20),)


@case
def wins_collapsed():
    counts = cx.distributions.collapse_wins(tied())
    return (counts.weight,)


@case
def risk():
    linear = cx.methods.sources.RiskExtrapolator(basis=cx.distributions.PolynomialBasis(1)).fit(
        scores(12, 2, 1.0, 8), labels(12, 2), costs(12)
    )
    cubic = cx.methods.sources.RiskExtrapolator(basis=cx.distributions.PolynomialBasis(3)).fit(
        scores(12, 2, 1.0, 8), labels(12, 2), costs(12), np.arange(1.0, 13.0)
    )
    default = cx.methods.sources.RiskExtrapolator().fit(scores(12, 2, 1.0, 8), labels(12, 2), costs(12))
    return linear.predict([2, 12, 30]), cubic.predict([2, 12, 30]), default.predict([2, 12])
