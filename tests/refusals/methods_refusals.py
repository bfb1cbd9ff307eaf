# ruff: noqa: B023 - each call is made before the loop goes on
import numpy as np

import classex as cx
from classex import Extrapolator
from classex.distributions import (
    PiecewiseLinearBasis,
    PolynomialBasis,
    ProbitBasis,
)
from classex.methods import (
    BetaBinomial,
    EmpiricalBayes,
    GaussianProcess,
    KernelDensity,
    MomentRegression,
    PitmanYor,
    ProbitNormal,
    Regression,
    probit_normal_accuracy,
    sources,
)
from classex.methods.kernel_density import (
    kernel_favourability,
)
from classex_book.misspecification import misspecification_bias, misspecification_bound, uniform_error
from tests.refusals.worlds import ranked, scored


def refused_beta_binomial():
    yield lambda: BetaBinomial().fit_counts([1, 3], 2), r"successes must be whole numbers .* not 3 of 2"
    yield lambda: BetaBinomial().fit_counts([1, 3], [5, 5, 5]), "one entry for each point"
    yield lambda: BetaBinomial().fit([1, 3]), "must be a CorrectRanks", TypeError


def refused_empirical_bayes():
    ranks = ranked()
    yield lambda: EmpiricalBayes(start="nowhere").fit(ranks), "start must be one of"
    yield lambda: EmpiricalBayes(n_steps=0).fit(ranks), "n_steps must be"
    yield lambda: EmpiricalBayes().fit(None), "must be a CorrectRanks", TypeError


def refused_gaussian_process():
    yield lambda: GaussianProcess().fit_curve([10, 10], [0.9, 0.8], 50), "n_classes must not hold a number twice"
    yield lambda: GaussianProcess().fit_curve([10, 20], [0.9], 50), "accuracy must have one entry"
    yield lambda: GaussianProcess().fit_curve([10, 20], [0.9, 0.8], 0), "n_test must be"
    yield lambda: GaussianProcess(prior=3).fit_curve([10, 20], [0.9, 0.8], 50), "prior must be a CurvePrior", TypeError
    yield lambda: GaussianProcess().fit("ranks"), "must be a CorrectRanks", TypeError


def refused_kernel_density():
    yield from [
        (lambda: kernel_favourability(np.eye(3), [0, 1, 2], "SJ"), "bandwidth must be one of 'ucv'"),
        (lambda: kernel_favourability(np.eye(3), [0, 1, 2], 0.0), "bandwidth must be a finite number greater than 0"),
        (lambda: kernel_favourability(np.eye(2), [0, 1]), "need at least three classes, but scores has 2"),
        (lambda: kernel_favourability(np.eye(3), [0, 1, 1]), "class 2 has none"),
    ]


def refused_kernel_density_extrapolated():
    ranks = cx.correct_ranks(np.eye(3), [0, 1, 2])
    yield lambda: Extrapolator(KernelDensity()).fit_ranks(ranks), "needs scores", TypeError
    yield lambda: Extrapolator(KernelDensity()).fit(np.eye(2), [0, 1]), "at least three classes"
    yield lambda: Extrapolator(KernelDensity(bandwidth="nrd")).fit(np.eye(3), [0, 1, 2]), "bandwidth must be one of"
    yield lambda: Extrapolator(KernelDensity()).predict(5), "not fitted"


def refused_measurement_error():
    yield lambda: Extrapolator(sources.Polynomial(degree=3)).fit(np.eye(4), np.arange(4)), "degree must be at most"
    yield from [
        (lambda: sources.expected_powers([3], 2, 1), "n_below must hold whole numbers from 0 to 2"),
        (lambda: sources.expected_powers([0], -1, 1), "n_others must be an integer of at least 0"),
        (lambda: sources.calibrated_regression([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]), "linearly independent"),
        (lambda: sources.calibrated_regression([[1.0], [2.0]], [1.0]), "response must have 2 entries"),
        (
            lambda: sources.calibrated_regression([[1.0], [2.0]], [1.0, 2.0], weights=[1, -1]),
            "weights must be 2 numbers",
        ),
        (lambda: sources.importance_regression([[1.0], [2.0]], [1.0, 1.0], [1.0]), "density_ratio must be 2 numbers"),
        (lambda: sources.polynomial_variance_bound(4, 10, 3), "n_classes must be an integer of at least 5"),
        (lambda: sources.polynomial_variance_bound(9, 0, 3), "n_target must be a finite number greater than 0"),
    ]


def refused_misspecification():
    yield lambda: misspecification_bound(PolynomialBasis(3), range(2, 21), 50, -1), "delta must be a finite number of"
    yield lambda: misspecification_bias(np.square, PolynomialBasis(3), [1, 4], 50), "n_classes must hold whole numbers"
    yield lambda: uniform_error(lambda u: u * np.nan, PolynomialBasis(3)), "value of discriminability must be finite"


def refused_moments():
    for call, error, message in [
        (lambda: MomentRegression("probit", [2, 3]), TypeError, "basis must be a Basis"),
        (lambda: MomentRegression(PolynomialBasis(2), [3, 2]), ValueError, "n_classes must increase"),
        (lambda: MomentRegression(PolynomialBasis(2), [1, 2]), ValueError, "at least 2"),
        (lambda: MomentRegression(PolynomialBasis(2), [2, 3], covariance=np.eye(3)), ValueError, r"shape \(2, 2\)"),
        (lambda: MomentRegression(PolynomialBasis(2), [2, 3], survival=True), ValueError, "needs a ProbitBasis"),
        (lambda: MomentRegression(PolynomialBasis(2), [2, 3]).solve([0.5]), ValueError, r"shape \(2,\)"),
        (lambda: MomentRegression(PolynomialBasis(2), [2, 3]).solve([0.5, 1.5]), ValueError, r"in \[0, 1\]"),
    ]:
        yield call, message, error


def refused_pitman_yor():
    ranks = ranked()
    yield lambda: PitmanYor(method="magic").fit(ranks), "method must be one of"
    yield lambda: PitmanYor().fit([1, 2]), "must be a CorrectRanks", TypeError


def refused_polynomial():
    yield lambda: Extrapolator(sources.Polynomial(degree=-1)).fit(np.eye(4), np.arange(4)), "degree must be an integer"
    yield (
        lambda: Extrapolator(sources.Polynomial(degree=2)).fit(np.eye(4), np.arange(4)).predict_interval(9),
        "an interval needs a degree of at most 1 with 4 classes, not 2",
    )
    yield lambda: Extrapolator(sources.Polynomial()).predict(5), "not fitted"


def refused_probit_normal():
    ranks = ranked()
    yield lambda: ProbitNormal().fit([1, 2]), "ranks must be a CorrectRanks", TypeError
    yield lambda: ProbitNormal(nu=0).fit(ranks), "nu must be a finite number greater than 0, not 0"
    yield lambda: probit_normal_accuracy(float("nan"), 1, 3), "mu must be a finite number, not nan"
    yield lambda: probit_normal_accuracy("x", 1, 3), "mu must be a finite number, not 'x'", TypeError
    yield lambda: probit_normal_accuracy(1, 1, 2.5), "n_classes must hold whole numbers"


def refused_probit_normal_extrapolated():
    yield lambda: Extrapolator(ProbitNormal(nu=-1)).fit(np.eye(5), range(5)), "nu must be a finite"


def refused_pseudolikelihood():
    ranks = ranked()
    yield lambda: Extrapolator(sources.Pseudolikelihood(variant="free")).fit_ranks(ranks), "variant must be one of"
    yield (
        lambda: Extrapolator(sources.Pseudolikelihood(basis="probit")).fit_ranks(ranks),
        "basis must be a Basis",
        TypeError,
    )
    yield lambda: Extrapolator(sources.Pseudolikelihood()).predict(5), "not fitted"
    yield lambda: PiecewiseLinearBasis.for_data(9, 1, 3), "n_nodes must be an integer of at least 4"


def refused_regression():
    ranks = cx.ranks_from_wins([3, 3, 2, 3], 4)
    for basis in ("polynomial", ProbitBasis.for_data(4)):
        yield lambda: Regression(basis=basis, bandwidth=0.4).fit(ranks), "bandwidth goes with"
    for options, error, message in [
        ({"basis": "radial"}, ValueError, "basis must be one of 'probit', 'linear_spline', 'polynomial', not 'radial'"),
        ({"basis": ()}, ValueError, "basis must name at least one basis"),
        ({"basis": "polynomial", "published": "program"}, ValueError, "published='program' goes with the probit basis"),
        ({"published": True}, ValueError, "published must be one of 'journal', 'program', not True"),
        ({"bandwidth": "best"}, ValueError, "bandwidth must be one of 'auto'"),
        ({"bandwidth": -1}, ValueError, "bandwidth must be a finite number greater than 0"),
        ({"weights": "variance"}, ValueError, "weights must be one of 'equal'"),
        ({"sizes": [2, 50]}, ValueError, "sizes must hold whole numbers of at least 1 and at most 20, not 50"),
        ({"sizes": 0}, ValueError, "sizes must be an integer of at least 1"),
        ({"n_splits": 0}, ValueError, "n_splits must be an integer of at least 1"),
        ({"rng": "seed"}, TypeError, "rng must be a seed"),
    ]:
        yield (
            lambda: Extrapolator(Regression(**options)).fit(*scored(20)),
            message,
            error,
        )
    est = Extrapolator(Regression())
    for call in (lambda: est.predict(5), lambda: est.predict_interval(5), lambda: est.standard_error(5)):
        yield call, "not fitted yet"
