"""The two-parameter law: the probit of the favourability is normal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex._validation import as_class_counts, as_finite_number, as_positive_float, as_positive_int
from classex.curves.jackknife import jackknife_deviations, own_class_deviations
from classex.distributions.discrete import DiscreteDistribution
from classex.distributions.distribution import Evidence
from classex.distributions.wins import WinCounts, collapse_wins, probit_normal_log_pmf, subset_success
from classex.methods._method import Method
from classex.ranks import as_ranks, tie_nodes
from classex.results import CorrectRanks, DistractorTable
from classex.results.ranks import bins_of_wins, groups_of_classes

__all__ = ["ProbitNormal", "ProbitNormalDistribution", "accuracy_and_gradient", "probit_normal_accuracy"]

FloatArray = NDArray[np.float64]

_MU_BOUNDS = (-30.0, 30.0)
_LOG_NU_BOUNDS = (-4.0, 4.0)
_LARGEST_NU = 100.0
# centre and width of the weak prior on log nu: 1 is the limit law in high dimension, .5 typical in low dimension
_LOG_NU_PRIOR = (-0.2, 0.4)
# relative error of a probability below 1e-7, see the tests
_FIT_NODES = 41


@dataclass(frozen=True)
class ProbitNormalDistribution:
    """Probit-normal law of the favourability, fitted to ranks.

    Attributes
    ----------
    mu : float
        Mean of the probit of the favourability.
    nu : float
        Its standard deviation.
    log_likelihood : float
        Class-balanced log-likelihood of all test points, in nats, without the prior.
    covariance : ndarray of shape (2, 2)
        Estimated covariance of (mu, log nu) over classes; zero where nu was given.
    n_classes : int
        Number of classes observed.
    known_nu : float or None
        The standard deviation, where it was given.
    prior : bool
        Whether the weak prior was used.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> distribution = cx.methods.ProbitNormal(nu=1.0).fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> (
    ...     distribution.nu,
    ...     distribution.n_classes,
    ...     distribution.covariance[1],
    ...     distribution.accuracy(np.array([4.0])).round(2),
    ... )
    (1.0, 4, array([0., 0.]), array([0.64]))
    """

    mu: float
    nu: float
    log_likelihood: float
    covariance: FloatArray = field(repr=False)
    n_classes: int
    known_nu: float | None = None
    prior: bool = True

    @property
    def evidence(self) -> Evidence:
        """Parameters and log-likelihood."""
        free = 2.0 if self.known_nu is None else 1.0
        return Evidence({"mu": self.mu, "nu": self.nu}, free, self.log_likelihood)

    @property
    def discrete(self) -> DiscreteDistribution:
        """The law on nodes."""
        return DiscreteDistribution.normal(self.mu, self.nu)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self._at(sizes, top)[0].copy()

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        value: FloatArray = special.ndtr((special.ndtri(u) - self.mu) / self.nu)
        return value

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> ProbitNormalDistribution:
        """Fit the same law to other ranks."""
        return ProbitNormal(nu=self.known_nu, prior=self.prior).fit(ranks)

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of `accuracy` by the delta method, from the covariance of the parameters over classes."""
        gradient = self._at(sizes, top)[1]
        variance: FloatArray = np.einsum("ki,ij,kj->k", gradient, self.covariance, gradient)
        return variance

    def _at(self, sizes: FloatArray, top: int) -> tuple[FloatArray, FloatArray]:
        """Accuracies and their gradient; the last ones are kept, because a variance is asked for beside its mean."""
        asked = (sizes.tobytes(), top)
        kept = self.__dict__.get("_last")
        if kept is None or kept[0] != asked:
            kept = self.__dict__["_last"] = (asked, accuracy_and_gradient(self.mu, self.nu, sizes, top))
        found: tuple[FloatArray, FloatArray] = kept[1]
        return found


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
        A point counts as correct when its truth is among the `top` best labels.

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
    sizes = as_class_counts(n_classes)
    m = as_positive_int(top, "top")
    mean, deviation = as_finite_number(mu, "mu"), _as_spread(nu)
    return accuracy_and_gradient(mean, deviation, sizes, m)[0]


def accuracy_and_gradient(mu: float, nu: float, sizes: FloatArray, top: int) -> tuple[FloatArray, FloatArray]:
    """Average accuracy, and its derivatives in mu and log nu: shapes (n,) and (n, 2).

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods.probit_normal import accuracy_and_gradient
    >>> value, slope = accuracy_and_gradient(2**0.5, 1.0, np.array([2.0]), 1)
    >>> nearby = accuracy_and_gradient(2**0.5 + 1e-6, 1.0, np.array([2.0]), 1)[0]
    >>> value.round(4), slope.round(4), ((nearby - value) / 1e-6).round(4)
    (array([0.8413]), array([[ 0.1711, -0.121 ]]), array([0.1711]))
    """
    # the integrand varies on the scale of nu, and on that of the largest of K normals (about .1 at K = 10^12)
    step = min(nu, 0.25) / 8
    z = np.linspace(-9.5, 9.5, 2 * int(np.ceil(9.5 * nu / step)) + 1)
    weight = np.exp(-0.5 * z**2)
    weight /= weight.sum()
    success = subset_success(mu + nu * z, sizes, top)
    value = weight @ success
    derivatives = (weight[:, np.newaxis] * np.stack([z / nu, z**2 - 1], axis=1)).T @ success
    return np.minimum(value, 1.0), derivatives.T


@dataclass(frozen=True, kw_only=True)
class ProbitNormal(Method):
    r"""Extrapolate with a normal law for the probit of the favourability.

    The wins of a test point are :math:`R^* \mid U^* \sim \mathrm{Binomial}(k_1 - 1, U^*)`. With
    :math:`\Phi^{-1}(U^*) \sim N(\mu, \nu^2)`, the two parameters come from maximum marginal likelihood, and

    .. math:: \widehat{\mathrm{AGA}}_K = E\,\Phi(\hat\mu + \hat\nu Z)^{K-1}.

    Parameters
    ----------
    nu : float, optional
        Known standard deviation. With ``nu=1`` this is the information curve of high-dimensional theory.
    prior : bool
        Whether to add a penalty worth about one test point (see `classex.methods.ProbitNormal`), which
        keeps the estimate finite when every test point is right, or none.

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
    >>> fitted = cx.Extrapolator(cx.methods.ProbitNormal(nu=1)).fit_ranks(ranks)
    >>> fitted.predict([2, 4, 100]).round(2)
    array([0.61, 0.36, 0.02])
    """

    takes_samples: ClassVar[bool] = True
    nu: float | None = None
    prior: bool = True

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> ProbitNormalDistribution:
        r"""Fit the probit-normal law of the favourability by maximum marginal likelihood.

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
            With the covariance of (mu, log nu). The points of one class share a weight; points depend on each
            other through their classes, as truths and as wrong labels, so the covariance comes from leaving out
            one class at a time (one Newton step each), not from the curvature of the likelihood.

        Raises
        ------
        ValueError
            If `nu` is not positive.
        TypeError
            If `ranks` is not a `CorrectRanks`.

        Notes
        -----
        With ties the log-likelihood is averaged over the ways to break them (see `collapse_wins`).

        Source: thesis Lemma 5.3.1 for the law of the favourability; the likelihood is this package's.

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
        as_ranks(ranks, sampled=True)
        known = None if self.nu is None else _as_spread(self.nu)
        counts = collapse_wins(ranks)
        place = _maximise(counts, known, self.prior)
        free = np.array([True, known is None])
        place = _polish(counts, place, free, self.prior)
        hessian = _hessian(counts, place, self.prior)
        covariance = np.zeros((2, 2))
        k1 = ranks.largest_subset
        scores = _class_scores(ranks, place)[:, free]
        factor = (k1 - 1) / k1 if ranks.n_wrong is None else 1.0
        covariance[np.ix_(free, free)] = _sandwich(
            hessian[np.ix_(free, free)], factor * scores.T @ scores, counts.n_points
        )
        log_likelihood = counts.n_points * _mean_log_likelihood(counts, place)[0]
        return ProbitNormalDistribution(
            float(place[0]), float(np.exp(place[1])), log_likelihood, covariance, k1, known, self.prior
        )


def _as_spread(nu: Any) -> float:
    """Check a standard deviation: beyond the largest accepted one the nodes of the quadrature would fill the memory."""
    value = as_positive_float(nu, "nu")
    if value > _LARGEST_NU:
        raise ValueError(f"nu must be at most {_LARGEST_NU:g}, not {nu!r}")
    return value


def _sandwich(hessian: FloatArray, meat: FloatArray, n_points: int) -> FloatArray:
    """Covariance H^-1 M H^-1, with M raised to H / n in the directions where it falls below.

    H is the curvature of the mean objective and M the covariance of its gradient. M = H / n for independent
    points; classes shared by points make it larger. It is smaller only by chance, or where (nearly) every
    point is right and the classes' scores hardly vary.
    """
    value, vector = np.linalg.eigh(hessian)
    root = vector / np.sqrt(np.maximum(value, 1e-12 * max(value.max(), 1e-300)))
    relative, turn = np.linalg.eigh(n_points * root.T @ meat @ root)
    side = root @ turn
    covariance: FloatArray = (side * np.maximum(relative, 1.0)) @ side.T / n_points
    return covariance


def _maximise(counts: WinCounts, nu: float | None, prior: bool) -> FloatArray:
    """Return the best (mu, log nu) from several starts."""
    middle = special.ndtri((counts.weight @ counts.wins + 0.5) / (counts.weight @ counts.n_wrong + 1))
    starts = (0.4, 0.8, 1.6) if nu is None else (nu,)
    bounds = [_MU_BOUNDS, _LOG_NU_BOUNDS if nu is None else (np.log(nu), np.log(nu))]
    fits = [
        optimize.minimize(
            lambda place: tuple(-part for part in _objective(counts, place, prior)),
            [float(np.clip(middle * np.sqrt(1 + start**2), *_MU_BOUNDS)), np.log(start)],
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"ftol": 1e-11, "gtol": 1e-7},
        )
        for start in starts
    ]
    best: FloatArray = min(fits, key=lambda fit: float(fit.fun)).x
    return best


def _polish(counts: WinCounts, place: FloatArray, free: NDArray[np.bool_], prior: bool) -> FloatArray:
    """Take one Newton step from a maximum that the rounding of the objective left undecided by about 1e-5."""
    curvature = _hessian(counts, place, prior)[np.ix_(free, free)]
    if np.linalg.eigvalsh(curvature)[0] <= 0:
        return place
    step = np.linalg.solve(curvature, _objective(counts, place, prior)[1][free])
    if np.abs(step).max() > 1e-3:  # without the prior the estimate may end on its bounds, where the slope is not 0
        return place
    polished = place.copy()
    polished[free] += step
    return polished


def _mean_log_likelihood(counts: WinCounts, place: FloatArray) -> tuple[float, FloatArray]:
    log_pmf, gradient = probit_normal_log_pmf(
        counts.wins, counts.n_wrong, float(place[0]), float(np.exp(place[1])), n_nodes=_FIT_NODES
    )
    return float(counts.weight @ log_pmf), counts.weight @ gradient


def _objective(counts: WinCounts, place: FloatArray, prior: bool) -> tuple[float, FloatArray]:
    """Mean log-likelihood plus the penalty per point, and its gradient in (mu, log nu)."""
    value, gradient = _mean_log_likelihood(counts, place)
    if not prior:
        return value, gradient
    extra, slope = _log_prior(counts, place)
    return value + extra / counts.n_points, gradient + slope / counts.n_points


def _log_prior(counts: WinCounts, place: FloatArray) -> tuple[float, FloatArray]:
    """Log-density of the weak prior at (mu, log nu), up to a constant, and its gradient."""
    n = counts.n_wrong.max()
    right, slope = probit_normal_log_pmf(np.array([n]), np.array([n]), float(place[0]), float(np.exp(place[1])))
    p = min(float(np.exp(right[0])), 1 - 1e-15)
    deviation = (place[1] - _LOG_NU_PRIOR[0]) / _LOG_NU_PRIOR[1]
    gradient = 0.5 * (1 - p / (1 - p)) * slope[0]
    gradient[1] -= deviation / _LOG_NU_PRIOR[1]
    return float(0.5 * (right[0] + np.log1p(-p)) - 0.5 * deviation**2), gradient


def _hessian(counts: WinCounts, place: FloatArray, prior: bool) -> FloatArray:
    """Return minus the second derivatives of the objective, by central differences of its gradient."""
    step = 1e-3  # the error of the quadrature, about 1e-8 in the gradient, is divided by it
    rows = [
        (_objective(counts, place - move, prior)[1] - _objective(counts, place + move, prior)[1]) / (2 * step)
        for move in step * np.eye(2)
    ]
    out = np.array(rows)
    return 0.5 * (out + out.T)


def _point_scores(ranks: CorrectRanks, mu: float, nu: float) -> FloatArray:
    """Score function of every point that met a sample of the wrong labels, averaged over its ties: (n_points, 2)."""
    met = np.zeros(ranks.n_points, dtype=np.int64) if ranks.n_wrong is None else ranks.n_wrong
    point, extra, start = tie_nodes(ranks.ties)
    cases = np.stack([ranks.wins[point] + extra, met[point]])
    (wins, n), place = np.unique(cases, axis=1, return_inverse=True)
    score = probit_normal_log_pmf(wins.astype(np.float64), n.astype(np.float64), mu, nu, n_nodes=_FIT_NODES)[1]
    out: FloatArray = np.add.reduceat(score[place.ravel()], start, axis=0)
    return out / np.diff(start, append=point.size)[:, np.newaxis]


def _class_scores(ranks: CorrectRanks, place: FloatArray) -> FloatArray:
    """Change of the mean score function when one group of classes is left out: (n_groups, 2)."""
    mu, nu = float(place[0]), float(np.exp(place[1]))
    table = ranks.distractors
    if ranks.n_wrong is not None:
        return own_class_deviations(ranks, _point_scores(ranks, mu, nu))
    n = ranks.n_classes - 1
    if table is None or ranks.n_classes < 4:
        representative = bins_of_wins(ranks.n_classes)[1]
        group = groups_of_classes(ranks.n_classes)
        table = DistractorTable(np.zeros((representative.size, int(group.max()) + 1)), representative, group)
        kept = probit_normal_log_pmf(representative.astype(np.float64), n, mu, nu)[1]
        return jackknife_deviations(ranks, table, kept, kept)
    wins = table.wins.astype(np.float64)
    kept = probit_normal_log_pmf(np.minimum(wins, n - 1), n - 1, mu, nu)[1]
    lost = probit_normal_log_pmf(np.clip(wins - 1, 0, n - 1), n - 1, mu, nu)[1]
    return jackknife_deviations(ranks, table, kept, lost)
