"""Extrapolation by kernel density estimates of the wrong labels' scores (Kay et al. 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from classex._validation import as_probabilities
from classex.extrapolation._base import Extrapolator
from classex.laws.kernel_density import favourability_of_checked
from classex.ranks import point_shares
from classex.results import CorrectRanks, KernelFavourability

__all__ = ["KernelDensityExtrapolator"]

FloatArray = NDArray[np.float64]


class KernelDensityExtrapolator(Extrapolator):
    r"""Extrapolate with kernel density estimates of the wrong scores, one for each test point.

    .. math:: \widehat{\mathrm{AGA}}_K = \frac1{k_1} \sum_i \frac1{r_i} \sum_j (\hat U^*_{ij})^{K-1}, \qquad
              \hat U^*_{ij} = \frac{1}{k_1 - 1} \sum_{l \ne i} \Phi\Bigl(\frac{M_{iji} - M_{ijl}}{h_{ij}}\Bigr)

    Parameters
    ----------
    bandwidth : {"ucv", "bcv", "likelihood", "normal_reference", "silverman"} or float
        Rule for the bandwidth of each test point (see `classex.laws.kernel_bandwidth`), or one bandwidth.

    Attributes
    ----------
    favourability_ : KernelFavourability
        How often a random wrong label beats each test point's truth, and the bandwidths.

    Notes
    -----
    Needs scores, at least three classes. Biased, because a power of an unbiased estimate is not unbiased, and,
    unlike methods that use ranks, changed by any monotone rescaling of the scores that is not linear.

    Source: Kay et al. (2008), supplement; journal version section 4.1.

    Examples
    --------
    >>> import classex as cx
    >>> scores = [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.5]]
    >>> cx.KernelDensityExtrapolator(bandwidth=0.5).fit(scores, [0, 1, 2]).predict([2, 3, 100]).round(3)
    array([0.966, 0.934, 0.215])
    """

    needs_scores = True
    favourability_: KernelFavourability

    def __init__(self, *, bandwidth: str | float = "ucv") -> None:
        self.bandwidth = bandwidth

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Distribution function of the estimated favourabilities, every class with the same weight.

        Parameters
        ----------
        u : array_like of shape (n,)
            Favourabilities in [0, 1].

        Returns
        -------
        ndarray of shape (n,)
            D(u), a probability.

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        ValueError
            If a favourability lies outside [0, 1].
        """
        self._check_fitted()
        at = np.atleast_1d(as_probabilities(u, "u"))
        favourability = 1.0 - self.favourability_.beaten
        order = np.argsort(favourability)
        mass = np.append(0.0, np.cumsum(point_shares(self.ranks_)[order]))
        value: FloatArray = mass[np.searchsorted(favourability[order], at, side="right")] / mass[-1]
        return value

    def _fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> None:
        if scores is None:  # pragma: no cover - the base class has refused
            raise AssertionError
        self.favourability_ = favourability_of_checked(scores, ranks.labels, self.bandwidth)
        self.weights_ = point_shares(ranks)

    def _accuracy(self, n_classes: FloatArray, top: int) -> FloatArray:
        beaten, k = self.favourability_.beaten, n_classes[:, np.newaxis]
        if top > 1:
            error: FloatArray = betainc(float(top), k - top, beaten) @ self.weights_
            return 1.0 - error
        with np.errstate(divide="ignore"):
            log_favourability = np.log1p(-beaten)
        accuracy: FloatArray = np.exp((k - 1) * log_favourability) @ self.weights_
        return accuracy
