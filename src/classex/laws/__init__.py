"""The law of the favourability of the correct label, and every way of fitting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classex._lazy import lazy_names

if TYPE_CHECKING:
    from classex.laws.bases import Basis, FunctionBasis, LinearSplineBasis, PolynomialBasis, ProbitBasis
    from classex.laws.kernel_density import kernel_bandwidth, kernel_favourability
    from classex.laws.law import Evidence, Law
    from classex.laws.measurement_error import (
        calibrated_regression,
        expected_powers,
        importance_regression,
        polynomial_variance_bound,
    )
    from classex.laws.misspecification import misspecification_bias, misspecification_bound, uniform_error
    from classex.laws.mixture import ProbitLaw, RatioFit, fit_ratio, hat_functions, ratio_knots
    from classex.laws.moments import Discriminability, MomentRegression
    from classex.laws.piecewise import PiecewiseLinearBasis
    from classex.laws.pitman_yor import PitmanYorLaw, fit_pitman_yor, pitman_yor_accuracy, pitman_yor_uniqueness
    from classex.laws.probit_normal import accuracy_and_gradient, fit_probit_normal, probit_normal_accuracy
    from classex.laws.quadrature import average_accuracy
    from classex.laws.score_law import ScoreLaw, fit_score_law, score_probits
    from classex.laws.wins import WinCounts, collapse_wins, posterior_nodes, probit_normal_log_pmf, subset_success

__all__ = [
    "Basis",
    "Discriminability",
    "Evidence",
    "FunctionBasis",
    "Law",
    "LinearSplineBasis",
    "MomentRegression",
    "PiecewiseLinearBasis",
    "PitmanYorLaw",
    "PolynomialBasis",
    "ProbitBasis",
    "ProbitLaw",
    "RatioFit",
    "ScoreLaw",
    "WinCounts",
    "accuracy_and_gradient",
    "average_accuracy",
    "calibrated_regression",
    "collapse_wins",
    "expected_powers",
    "fit_pitman_yor",
    "fit_probit_normal",
    "fit_ratio",
    "fit_score_law",
    "hat_functions",
    "importance_regression",
    "kernel_bandwidth",
    "kernel_favourability",
    "misspecification_bias",
    "misspecification_bound",
    "pitman_yor_accuracy",
    "pitman_yor_uniqueness",
    "polynomial_variance_bound",
    "posterior_nodes",
    "probit_normal_accuracy",
    "probit_normal_log_pmf",
    "ratio_knots",
    "score_probits",
    "subset_success",
    "uniform_error",
]

if not TYPE_CHECKING:  # a type checker would take it for a promise of every name
    __getattr__, __dir__ = lazy_names(
        "classex.laws",
        {
            "Basis": "bases",
            "Discriminability": "moments",
            "Evidence": "law",
            "FunctionBasis": "bases",
            "Law": "law",
            "LinearSplineBasis": "bases",
            "MomentRegression": "moments",
            "PiecewiseLinearBasis": "piecewise",
            "PitmanYorLaw": "pitman_yor",
            "PolynomialBasis": "bases",
            "ProbitBasis": "bases",
            "ProbitLaw": "mixture",
            "RatioFit": "mixture",
            "ScoreLaw": "score_law",
            "WinCounts": "wins",
            "accuracy_and_gradient": "probit_normal",
            "average_accuracy": "quadrature",
            "calibrated_regression": "measurement_error",
            "collapse_wins": "wins",
            "expected_powers": "measurement_error",
            "fit_pitman_yor": "pitman_yor",
            "fit_probit_normal": "probit_normal",
            "fit_ratio": "mixture",
            "fit_score_law": "score_law",
            "hat_functions": "mixture",
            "importance_regression": "measurement_error",
            "kernel_bandwidth": "kernel_density",
            "kernel_favourability": "kernel_density",
            "misspecification_bias": "misspecification",
            "misspecification_bound": "misspecification",
            "pitman_yor_accuracy": "pitman_yor",
            "pitman_yor_uniqueness": "pitman_yor",
            "polynomial_variance_bound": "measurement_error",
            "posterior_nodes": "wins",
            "probit_normal_accuracy": "probit_normal",
            "probit_normal_log_pmf": "wins",
            "ratio_knots": "mixture",
            "score_probits": "score_law",
            "subset_success": "wins",
            "uniform_error": "misspecification",
        },
    )
