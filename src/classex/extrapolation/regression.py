"""Extrapolation by regression of average accuracies on moments of the discriminability function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import one_of
from classex.curves.metrics import RankMetric
from classex.extrapolation._base import Extrapolator
from classex.laws.basis import Basis
from classex.laws.regression import RegressionLaw, fit_regression
from classex.results import CorrectRanks

__all__ = ["RegressionExtrapolator"]

FloatArray = NDArray[np.float64]


class RegressionExtrapolator(Extrapolator):
    r"""Extrapolate by regressing error rates on moments of a basis for D (the papers' ClassExReg).

    With :math:`D = \sum_l \beta_l h_l`, one minus the average accuracy with k classes is
    :math:`\sum_l \beta_l H_{l,k}`. The coefficients minimise

    .. math:: \sum_k w_k \Bigl(1 - \mathrm{ATA}_k - \sum_l \beta_l H_{l,k}\Bigr)^2

    such that D is a distribution function: non-negative coefficients (for bases that increase), D monotone,
    :math:`0 \le D \le 1`. Predictions lie in [0, 1] and never rise with the number of classes.

    Parameters
    ----------
    basis : {"probit", "linear_spline", "polynomial"}, Basis, or a sequence of these
        Basis for D; of several, the one that extrapolates best from half of the classes to all is taken.
        "probit" is the papers' radial basis, "linear_spline" has 10,000 hinges (April 2017 draft).
    bandwidth : "auto" or float
        Bandwidth of the probit basis; "auto" tries 0.1, 0.2, ..., 1 by half-splitting.
    degree : int
        Degree of the polynomial basis.
    sizes : None, int or array_like of int
        Numbers of classes k that enter the regression. None: all, or 500 equally spaced ones where there are
        more. An integer n: multiples of ``k1 // n`` (the authors take 25). Or the numbers themselves.
    weights : {"equal", "inverse_variance", "generalised"} or array_like
        Weights :math:`w_k`: equal; one over the squared standard errors of the accuracies; generalised least
        squares with their covariance over classes; or one number for each of `sizes`.
    exact : bool
        Whether the fitted curve must pass through the accuracy observed with all classes.
    nonnegative : bool, optional
        Whether coefficients must not be negative; by default for bases whose functions increase.
    monotone, bounded : bool
        Whether D must not fall, and whether it must stay within [0, 1].
    n_splits : int
        Number of half-splits for the choice among bases.
    interval : {"resampling", "sandwich"}
        How `predict_interval` finds the variance: from class subsets, or from the sandwich formula.
    published : {"journal", "program"}, optional
        The authors' method, for comparisons: knots about h apart, 25 numbers of classes, and non-negative least
        squares of the accuracies themselves with no bound on the sum of the coefficients. The two differ in the
        largest knot: "journal" has :math:`\Phi^{-1}(1 - 1/(r k_1^2))` as printed, with r test points per class,
        and "program" has :math:`\Phi^{-1}(1 - 1/k_1^2)` as in the authors' R scripts. With r = 1 they are the same.
        The script for Telugu regresses on every k, 1 too; for that, give ``sizes=range(1, k1 + 1)`` as well.
    solver : {"auto", "cvxpy"}
        Which solver takes the constrained problem. "auto" takes non-negative least squares where functions increase
        and coefficients are non-negative with a bounded sum, and cvxpy elsewhere; "cvxpy" takes cvxpy always. Both
        give the same to about eight digits. Without effect on `published`, which is defined by its solver.
    rng : int, numpy.random.Generator or None
        Seed or generator of the half-splits.

    Attributes
    ----------
    law_ : RegressionLaw
        With ``basis``, the basis in use; ``curve``, the observed average accuracies that entered;
        ``discriminability``, the fitted D; and ``choice``, the evidence of the choice among bases, where there was
        one.

    Notes
    -----
    Source: journal version sections 3.3, 3.4 and 4; April 2017 draft, section 5.1. The classes are halved
    without replacement (the journal's "with replacement" would put copies of the true class among its
    competitors; see the errata page). Constrained estimates are not unbiased. With fewer than four classes
    nothing can be split, and the middle candidate is taken.

    Examples
    --------
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 30)) + 2 * np.eye(30)
    >>> est = cx.RegressionExtrapolator(bandwidth=0.5).fit(scores, np.arange(30))
    >>> bool((np.diff(est.predict([2, 30, 300, 3000])) < 0).all())
    True
    """

    law_: RegressionLaw

    def __init__(
        self,
        *,
        basis: str | Basis | Sequence[str | Basis] = "probit",
        bandwidth: str | float = "auto",
        degree: int = 3,
        sizes: int | ArrayLike | None = None,
        weights: str | ArrayLike = "equal",
        exact: bool = False,
        nonnegative: bool | None = None,
        monotone: bool = True,
        bounded: bool = True,
        n_splits: int = 20,
        interval: str = "resampling",
        published: str | None = None,
        solver: str = "auto",
        rng: Any = 0,
    ) -> None:
        self.basis = basis
        self.bandwidth = bandwidth
        self.degree = degree
        self.sizes = sizes
        self.weights = weights
        self.exact = exact
        self.nonnegative = nonnegative
        self.monotone = monotone
        self.bounded = bounded
        self.n_splits = n_splits
        self.interval = interval
        self.published = published
        self.solver = solver
        self.rng = rng

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> RegressionLaw:
        options = self.get_params()
        one_of(options.pop("interval"), "interval", ("resampling", "sandwich"))
        return fit_regression(ranks, scores, **options)

    def _variance(
        self, sizes: FloatArray, metrics: tuple[RankMetric, ...], n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        if self.interval == "sandwich":
            return super()._variance(sizes, metrics, n_resamples, rng)
        return self._resampled(sizes, metrics, n_resamples, rng)
