r"""Binomial likelihood of wins: probit-normal fits, smooth mixtures, and scores that sharpen them.

Given the favourability :math:`U^*` of a test point, its wins are :math:`\mathrm{Binomial}(k_1 - 1, U^*)`, so the
law D of :math:`U^*` is a mixing distribution. Everything here lives on the probit scale
:math:`W = \Phi^{-1}(U^*)`, where the tails of both ends stay representable.
"""

from __future__ import annotations

from classex.likelihood._probit_normal import accuracy_and_gradient, fit_probit_normal, probit_normal_accuracy
from classex.likelihood._wins import WinCounts, collapse_wins, probit_normal_log_pmf, subset_success

__all__ = [
    "WinCounts",
    "accuracy_and_gradient",
    "collapse_wins",
    "fit_probit_normal",
    "probit_normal_accuracy",
    "probit_normal_log_pmf",
    "subset_success",
]
