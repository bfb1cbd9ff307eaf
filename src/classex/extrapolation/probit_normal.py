"""Extrapolation by a probit-normal law of the favourability, fitted by marginal likelihood."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.probit_normal import ProbitNormalLaw, fit_probit_normal
from classex.results import CorrectRanks

__all__ = ["ProbitNormalExtrapolator"]


class ProbitNormalExtrapolator(Extrapolator):
    r"""Extrapolate with a normal law for the probit of the favourability.

    The wins of a test point are :math:`R^* \mid U^* \sim \mathrm{Binomial}(k_1 - 1, U^*)`. With
    :math:`\Phi^{-1}(U^*) \sim N(\mu, \nu^2)`, the two parameters come from maximum marginal likelihood, and

    .. math:: \widehat{\mathrm{AGA}}_K = E\,\Phi(\hat\mu + \hat\nu Z)^{K-1}.

    Parameters
    ----------
    nu : float, optional
        Known standard deviation. With ``nu=1`` this is the information curve of high-dimensional theory.
    prior : bool
        Whether to add a penalty worth about one test point (see `classex.laws.fit_probit_normal`), which
        keeps the estimate finite when every test point is right, or none.

    Attributes
    ----------
    law_ : ProbitNormalLaw
        The fitted law: mu, nu, their covariance over classes, the log-likelihood.

    Notes
    -----
    Needs ranks only. With every point right among k1 classes and n test points, the penalty puts the error at
    about 1/(2n) there, and lets it grow with K as a typical law would; with none right, likewise the accuracy.

    Intervals use the class jackknife of the fit, distractors included, or the curvature of the penalised
    likelihood where that says less, and are symmetric on the probit scale of accuracy.

    Source: thesis Lemma 5.3.1 for the law; the likelihood is this package's.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> fitted = cx.ProbitNormalExtrapolator(nu=1).fit_ranks(ranks)
    >>> fitted.predict([2, 4, 100]).round(2)
    array([0.61, 0.36, 0.02])
    """

    takes_samples = True
    law_: ProbitNormalLaw

    def __init__(self, *, nu: float | None = None, prior: bool = True) -> None:
        self.nu = nu
        self.prior = prior

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> ProbitNormalLaw:
        return fit_probit_normal(ranks, scores, nu=self.nu, prior=self.prior)
