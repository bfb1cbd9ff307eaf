"""The two-parameter method: the probit of the favourability is normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from classex._checks import as_class_counts, as_finite_number, as_positive_float, as_positive_int
from classex._types import FloatArray
from classex.distributions.probit_normal import ProbitNormalDistribution, accuracy_and_gradient, fit_probit_normal
from classex.methods.protocol import Method, Scores
from classex.ranks.ranks import CorrectRanks

__all__ = ["ProbitNormal", "probit_normal_accuracy"]


# Beyond it the nodes of the quadrature would fill the memory
_LARGEST_NU = 100.0


def probit_normal_accuracy(mu: float, nu: float, n_classes: ArrayLike, *, top: int = 1) -> FloatArray:
    r"""Average accuracy with K classes when the probit of the favourability is normal.

    .. math:: \mathrm{AGA}_K = E\,\Phi(W)^{K-1}, \qquad W \sim N(\mu, \nu^2).

    Parameters
    ----------
    mu, nu : float
        Mean and standard deviation of the probit of the favourability, nu positive and at most 100.
    n_classes : int or array_like of int
        Numbers of classes K, each at least 1.
    top : int
        A point counts as correct if its correct label is among the `top` best.

    Returns
    -------
    ndarray of shape (n,)
        Probabilities.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Source: thesis Lemma 5.3.1 gives the form; the equation follows from equation (5) of the journal version.

    Examples
    --------
    >>> from classex.methods import probit_normal_accuracy
    >>> probit_normal_accuracy(2**0.5, 1.0, [2, 10, 100]).round(6)
    array([0.841345, 0.479196, 0.158053])
    """
    sizes, m = as_class_counts(n_classes), as_positive_int(top, "top")
    return accuracy_and_gradient(as_finite_number(mu, "mu"), _as_nu(nu), sizes, m)[0]


@dataclass(frozen=True, kw_only=True)
class ProbitNormal(Method):
    r"""Normal distribution for the probit of the favourability.

    The wins of a test point are :math:`R^* \mid U^* \sim \mathrm{Binomial}(k_1 - 1, U^*)`. With
    :math:`\Phi^{-1}(U^*) \sim N(\mu, \nu^2)`, the two parameters come from maximum marginal likelihood, and

    .. math:: \widehat{\mathrm{AGA}}_K = E\,\Phi(\hat\mu + \hat\nu Z)^{K-1}.

    Parameters
    ----------
    nu : float, optional
        Known standard deviation. With ``nu=1`` this is the information curve of high-dimensional theory.
    prior : bool
        Whether to add a penalty worth about one test point, which keeps the estimate finite when every test point is
        right, or none.

    Notes
    -----
    Uses ranks only. With all n test points right among k1 classes, the penalty puts the error with k1 classes near
    1/(2n), and it grows with K as for a typical distribution. With none right the same holds for the accuracy.

    Intervals use the class jackknife of the fit, distractors included, or the curvature of the penalised likelihood if
    that gives a larger variance. They are symmetric on the probit scale of accuracy.

    Source: thesis Lemma 5.3.1 for the distribution; the likelihood is this package's.

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> fitted = cx.Extrapolator(cx.methods.ProbitNormal(nu=1)).fit_ranks(ranks)
    >>> fitted.predict([2, 4, 100]).round(2)
    array([0.61, 0.36, 0.02])
    """

    takes_samples: ClassVar[bool] = True
    nu: float | None = None
    prior: bool = True

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> ProbitNormalDistribution:
        r"""Fit by maximum marginal likelihood.

        Maximises the mean over classes of the mean over their points of :math:`\log\Pr[R^* \mid \mu, \nu]`, with
        :math:`R^* \mid W \sim \mathrm{Binomial}(k_1-1, \Phi(W))` and :math:`W \sim N(\mu, \nu^2)`.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        ProbitNormalDistribution
            With the covariance of (mu, log nu). Points depend on each other through their classes, as correct and
            as wrong labels. So the covariance comes from leaving out one class at a time, with one Newton step each,
            and not from the curvature of the likelihood.

        Raises
        ------
        ValueError
            If `nu` is not positive.
        TypeError
            If `ranks` is not a `CorrectRanks`.

        Notes
        -----
        With ties the log-likelihood is averaged over the ways to break them (see `collapse_wins`).

        Source: thesis Lemma 5.3.1 for the distribution; the likelihood is this package's.

        Examples
        --------
        >>> import classex as cx
        >>> ranks = cx.correct_ranks(
        ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
        ... )
        >>> fit = cx.methods.ProbitNormal(nu=1).fit(ranks)
        >>> round(fit.mu, 2)
        0.38
        """
        return fit_probit_normal(ranks, None if self.nu is None else _as_nu(self.nu), self.prior)


def _as_nu(nu: Any) -> float:
    """Check a standard deviation."""
    value = as_positive_float(nu, "nu")
    if value > _LARGEST_NU:
        raise ValueError(f"nu must be at most {_LARGEST_NU:g}, not {nu!r}")
    return value
