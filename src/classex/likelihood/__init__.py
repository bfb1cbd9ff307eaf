r"""Binomial likelihood of wins: probit-normal fits, smooth mixtures, and scores that sharpen them.

Given the favourability :math:`U^*` of a test point, its wins are :math:`\mathrm{Binomial}(k_1 - 1, U^*)`, so the
law D of :math:`U^*` is a mixing distribution. Everything here lives on the probit scale
:math:`W = \Phi^{-1}(U^*)`, where the tails of both ends stay representable.
"""

from __future__ import annotations

from classex.likelihood._mixture import ProbitLaw, RatioFit, fit_ratio, hat_functions, ratio_knots
from classex.likelihood._probit_normal import accuracy_and_gradient, fit_probit_normal, probit_normal_accuracy
from classex.likelihood._scores import ScoreLaw, fit_score_law, score_probits
from classex.likelihood._wins import WinCounts, collapse_wins, posterior_nodes, probit_normal_log_pmf, subset_success

__all__ = [
    "ProbitLaw",
    "RatioFit",
    "ScoreLaw",
    "WinCounts",
    "accuracy_and_gradient",
    "collapse_wins",
    "fit_probit_normal",
    "fit_ratio",
    "fit_score_law",
    "hat_functions",
    "posterior_nodes",
    "probit_normal_accuracy",
    "probit_normal_log_pmf",
    "ratio_knots",
    "score_probits",
    "subset_success",
]
