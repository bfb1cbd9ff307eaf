"""Extrapolation by kernel density estimates of the wrong labels' scores (Kay et al. 2008)."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.kernel_density import KernelDensityLaw, fit_kernel_density
from classex.results import CorrectRanks

__all__ = ["KernelDensityExtrapolator"]


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
    law_ : KernelDensityLaw
        With ``favourability``: how often a random wrong label beats each test point's truth, and the bandwidths.

    Notes
    -----
    Needs scores, at least three classes. Biased, because a power of an unbiased estimate is not unbiased, and,
    unlike methods that use ranks, changed by any monotone rescaling of the scores that is not linear.

    Source: Kay et al. (2008), supplement; journal version section 4.1.

    Examples
    --------
    >>> import classex as cx
    >>> scores = [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 1.5]]
    >>> fitted = cx.KernelDensityExtrapolator(bandwidth=0.5).fit(scores, [0, 1, 2])
    >>> fitted.predict([2, 3, 100]).round(3)
    array([0.966, 0.934, 0.215])
    """

    needs_scores = True
    law_: KernelDensityLaw

    def __init__(self, *, bandwidth: str | float = "ucv") -> None:
        self.bandwidth = bandwidth

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> KernelDensityLaw:
        return fit_kernel_density(ranks, scores, bandwidth=self.bandwidth)
