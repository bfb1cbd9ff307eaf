"""Extrapolation of average risk, for any costs and class priors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from classex._parameters import Parameters
from classex._validation import as_class_counts, as_positive_int, as_probability, one_of
from classex.curves.risk import CheckedScores, check_scores
from classex.distributions.basis import Basis
from classex.methods.sources.cost import CostDistribution, fit_cost

__all__ = ["RiskExtrapolator"]

FloatArray = NDArray[np.float64]


class RiskExtrapolator(Parameters):
    r"""Extrapolate average risk, unbiasedly if :math:`\bar D` is in the span of a basis.

    With costs, :math:`\mathrm{AvRisk}_k = (k-1) \int_0^1 \bar D(u) u^{k-2} du`, where
    :math:`\bar D(u) = E[C(Y^*, Y_u)\, 1\{U^* < u\}]` and :math:`Y_u` is a label with favourability u. The mean
    cost of the m-th lowest wrong label has mean :math:`\int \bar D\, d\mathrm{Beta}(m, k_1 - m)`: least squares
    of the mean costs on these integrals of the basis gives :math:`\bar D`.

    Parameters
    ----------
    basis : Basis, optional
        Basis for :math:`\bar D`; by default polynomials of degree 3. It need not be monotone.

    Attributes
    ----------
    law_ : CostDistribution
        With ``coefficients`` of the basis, and ``largest_cost``, to which predictions are confined.

    Notes
    -----
    Source: November 2016 draft, section 3.3, corrected (see the errata page); any basis will do in place of
    its polynomials. With class priors the estimate is a ratio.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.distributions import PolynomialBasis
    >>> scores = [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]]
    >>> cost = [[abs(i - j) for j in range(4)] for i in range(4)]
    >>> est = cx.methods.sources.RiskExtrapolator(basis=PolynomialBasis(1)).fit(
    ...     scores, [0, 1, 2, 3], cost
    ... )
    >>> est.predict([2, 3, 4]).round(4)
    array([0.5833, 0.9167, 1.0833])
    """

    distribution_: CostDistribution

    def __init__(self, *, basis: Basis | None = None) -> None:
        self.basis = basis

    def fit(self, scores: ArrayLike, labels: ArrayLike, cost: ArrayLike, priors: ArrayLike | None = None) -> Self:
        """Fit.

        Parameters
        ----------
        scores, labels, cost, priors
            As in `classex.risk_curve`. Copies are kept for standard errors.

        Returns
        -------
        RiskExtrapolator
            The estimator itself.

        Raises
        ------
        ValueError
            If an argument is not accepted, or the basis has more functions than there are wrong labels.
        TypeError
            If an argument does not hold numbers, or `basis` is not a Basis.
        """
        self.distribution_ = fit_cost(_own(check_scores(scores, labels, cost, priors)), basis=self.basis)
        return self

    def predict(self, n_classes: ArrayLike) -> FloatArray:
        """Average risk over random sets of K classes.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.

        Returns
        -------
        ndarray of shape (n,)
            Average risk, between 0 and the largest cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not whole or below 1.
        """
        self._check_fitted()
        return self.distribution_.risk(as_class_counts(n_classes))

    def standard_error(self, n_classes: ArrayLike) -> FloatArray:
        """Jackknife standard error over classes, of predictions before they are confined.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.

        Returns
        -------
        ndarray of shape (n,)
            Standard errors, in units of cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a number of classes is not accepted, or the basis has more functions than one class fewer allows.
        """
        self._check_fitted()
        return np.sqrt(self.distribution_.variance(as_class_counts(n_classes)))

    def predict_interval(
        self,
        n_classes: ArrayLike,
        *,
        confidence_level: float = 0.95,
        target: str = "average",
        metric: str = "accuracy",
        top: int = 1,
        n_repeats: int | None = None,
        n_resamples: int = 100,
        rng: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> FloatArray:
        """Confidence interval for the average risk: prediction plus and minus a multiple of its standard error.

        Parameters
        ----------
        n_classes : int or array_like of int
            Numbers of classes K.
        confidence_level : float
            Nominal coverage, in (0, 1).
        target : {"average"}
            What the interval is for: the average over random sets of K classes.
        metric : {"accuracy"}, top : {1}
            Costs are those of the best label.
        n_repeats, n_resamples, rng, n_jobs, progress
            As in `Extrapolator.predict_interval`; not used, because the standard error has a closed form.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper end for each K, between 0 and the largest cost.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            As in `standard_error`, or if the confidence level is not in (0, 1), or another `target`, `metric` or
            `top` is asked for.
        """
        del n_repeats, n_resamples, rng, n_jobs, progress
        level = as_probability(confidence_level, "confidence_level", open_ends=True)
        one_of(target, "target", ("average",))
        one_of(metric, "metric", ("accuracy",))
        as_positive_int(top, "top", maximum=1)
        value, error = self.predict(n_classes), self.standard_error(n_classes)
        half = float(stdtrit(self.distribution_.n_classes - 1, 0.5 + level / 2)) * error
        return np.clip(np.stack([value - half, value + half], axis=1), 0.0, self.distribution_.largest_cost)


def _own(data: CheckedScores) -> CheckedScores:
    """Return the same data in arrays that nobody else can change."""
    return replace(data, scores=data.scores.copy(), labels=data.labels.copy(), cost=data.cost.copy())
