"""The law of the favourability of the correct label, and every way of fitting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.laws.bases import FunctionBasis, LinearSplineBasis, PolynomialBasis, ProbitBasis
    from classex.laws.basis import Basis
    from classex.laws.beta_binomial import BetaBinomialLaw, fit_beta_binomial, fit_beta_binomial_counts
    from classex.laws.chances import ChanceLaws, draw_chance_laws
    from classex.laws.cost import CostLaw, fit_cost
    from classex.laws.empirical_bayes import EmpiricalBayesLaw, expectation_maximisation, fit_empirical_bayes
    from classex.laws.exponential import ExponentialLaw, fit_exponential
    from classex.laws.gaussian_process import (
        CurvePrior,
        GaussianProcessLaw,
        fit_gaussian_process,
        fit_gaussian_process_curve,
    )
    from classex.laws.kernel_density import (
        KernelDensityLaw,
        fit_kernel_density,
        kernel_bandwidth,
        kernel_favourability,
    )
    from classex.laws.law import Evidence, Law, confined_accuracy
    from classex.laws.measurement_error import (
        calibrated_regression,
        expected_powers,
        importance_regression,
        polynomial_variance_bound,
    )
    from classex.laws.misspecification import misspecification_bias, misspecification_bound, uniform_error
    from classex.laws.mixture import MixtureLaw, fit_mixture
    from classex.laws.moments import Discriminability, MomentRegression
    from classex.laws.piecewise import PiecewiseLinearBasis
    from classex.laws.pitman_yor import PitmanYorLaw, fit_pitman_yor, pitman_yor_accuracy, pitman_yor_uniqueness
    from classex.laws.polynomial import PolynomialLaw, fit_polynomial
    from classex.laws.probit_normal import (
        ProbitNormalLaw,
        accuracy_and_gradient,
        fit_probit_normal,
        probit_normal_accuracy,
    )
    from classex.laws.pseudolikelihood import PseudolikelihoodLaw, fit_pseudolikelihood
    from classex.laws.quadrature import average_accuracy
    from classex.laws.ratio import ProbitLaw, RatioFit, fit_ratio, hat_functions, ratio_knots
    from classex.laws.regression import BasisChoice, RegressionLaw, fit_regression
    from classex.laws.reliance import (
        Reliance,
        moment_limits,
        moment_range,
        reliance_on_assumption,
        share_beaten_once,
    )
    from classex.laws.score_law import ScoreLaw, fit_score_law, score_probits
    from classex.laws.wins import WinCounts, collapse_wins, posterior_nodes, probit_normal_log_pmf, subset_success

__all__ = [
    "Basis",
    "BasisChoice",
    "BetaBinomialLaw",
    "ChanceLaws",
    "CostLaw",
    "CurvePrior",
    "Discriminability",
    "EmpiricalBayesLaw",
    "Evidence",
    "ExponentialLaw",
    "FunctionBasis",
    "GaussianProcessLaw",
    "KernelDensityLaw",
    "Law",
    "LinearSplineBasis",
    "MixtureLaw",
    "MomentRegression",
    "PiecewiseLinearBasis",
    "PitmanYorLaw",
    "PolynomialBasis",
    "PolynomialLaw",
    "ProbitBasis",
    "ProbitLaw",
    "ProbitNormalLaw",
    "PseudolikelihoodLaw",
    "RatioFit",
    "RegressionLaw",
    "Reliance",
    "ScoreLaw",
    "WinCounts",
    "accuracy_and_gradient",
    "average_accuracy",
    "calibrated_regression",
    "collapse_wins",
    "confined_accuracy",
    "draw_chance_laws",
    "expectation_maximisation",
    "expected_powers",
    "fit_beta_binomial",
    "fit_beta_binomial_counts",
    "fit_cost",
    "fit_empirical_bayes",
    "fit_exponential",
    "fit_gaussian_process",
    "fit_gaussian_process_curve",
    "fit_kernel_density",
    "fit_mixture",
    "fit_pitman_yor",
    "fit_polynomial",
    "fit_probit_normal",
    "fit_pseudolikelihood",
    "fit_ratio",
    "fit_regression",
    "fit_score_law",
    "hat_functions",
    "importance_regression",
    "kernel_bandwidth",
    "kernel_favourability",
    "misspecification_bias",
    "misspecification_bound",
    "moment_limits",
    "moment_range",
    "pitman_yor_accuracy",
    "pitman_yor_uniqueness",
    "polynomial_variance_bound",
    "posterior_nodes",
    "probit_normal_accuracy",
    "probit_normal_log_pmf",
    "ratio_knots",
    "reliance_on_assumption",
    "score_probits",
    "share_beaten_once",
    "subset_success",
    "uniform_error",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.laws",
        {
            "Basis": "basis",
            "BasisChoice": "regression",
            "BetaBinomialLaw": "beta_binomial",
            "ChanceLaws": "chances",
            "CostLaw": "cost",
            "CurvePrior": "gaussian_process",
            "Discriminability": "moments",
            "EmpiricalBayesLaw": "empirical_bayes",
            "Evidence": "law",
            "ExponentialLaw": "exponential",
            "FunctionBasis": "bases",
            "GaussianProcessLaw": "gaussian_process",
            "KernelDensityLaw": "kernel_density",
            "Law": "law",
            "LinearSplineBasis": "bases",
            "MixtureLaw": "mixture",
            "MomentRegression": "moments",
            "PiecewiseLinearBasis": "piecewise",
            "PitmanYorLaw": "pitman_yor",
            "PolynomialBasis": "bases",
            "PolynomialLaw": "polynomial",
            "ProbitBasis": "bases",
            "ProbitLaw": "ratio",
            "ProbitNormalLaw": "probit_normal",
            "PseudolikelihoodLaw": "pseudolikelihood",
            "RatioFit": "ratio",
            "RegressionLaw": "regression",
            "Reliance": "reliance",
            "ScoreLaw": "score_law",
            "WinCounts": "wins",
            "accuracy_and_gradient": "probit_normal",
            "average_accuracy": "quadrature",
            "calibrated_regression": "measurement_error",
            "collapse_wins": "wins",
            "confined_accuracy": "law",
            "draw_chance_laws": "chances",
            "expectation_maximisation": "empirical_bayes",
            "expected_powers": "measurement_error",
            "fit_beta_binomial": "beta_binomial",
            "fit_beta_binomial_counts": "beta_binomial",
            "fit_cost": "cost",
            "fit_empirical_bayes": "empirical_bayes",
            "fit_exponential": "exponential",
            "fit_gaussian_process": "gaussian_process",
            "fit_gaussian_process_curve": "gaussian_process",
            "fit_kernel_density": "kernel_density",
            "fit_mixture": "mixture",
            "fit_pitman_yor": "pitman_yor",
            "fit_polynomial": "polynomial",
            "fit_probit_normal": "probit_normal",
            "fit_pseudolikelihood": "pseudolikelihood",
            "fit_ratio": "ratio",
            "fit_regression": "regression",
            "fit_score_law": "score_law",
            "hat_functions": "ratio",
            "importance_regression": "measurement_error",
            "kernel_bandwidth": "kernel_density",
            "kernel_favourability": "kernel_density",
            "misspecification_bias": "misspecification",
            "misspecification_bound": "misspecification",
            "moment_limits": "reliance",
            "moment_range": "reliance",
            "pitman_yor_accuracy": "pitman_yor",
            "pitman_yor_uniqueness": "pitman_yor",
            "polynomial_variance_bound": "measurement_error",
            "posterior_nodes": "wins",
            "probit_normal_accuracy": "probit_normal",
            "probit_normal_log_pmf": "wins",
            "ratio_knots": "ratio",
            "reliance_on_assumption": "reliance",
            "score_probits": "score_law",
            "share_beaten_once": "reliance",
            "subset_success": "wins",
            "uniform_error": "misspecification",
        },
    )
