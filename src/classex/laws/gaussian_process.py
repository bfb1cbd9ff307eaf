r"""A Gaussian process for the accuracy curve, on the plane of probit accuracy against the logarithm of K.

Curves of real recognisers are smooth there, and alike: with :math:`z(K) = \Phi^{-1}(A_K)`, :math:`t = \log_{10}(K/2)`
and :math:`m(K)` the median of the largest of K - 1 standard normals,

.. math:: z(K) = \alpha + \gamma\, m(K) + w(t),

with a normal level :math:`\alpha`. Without w the curve would be that of a probit-normal law of known width. The slope
of w is an Ornstein-Uhlenbeck process: how much steeper or flatter a curve is than usual is remembered over a decade or
so of K, and then forgotten. The accuracies observed at a few numbers of classes, with their covariance, leave a normal
law for the whole curve, in closed form.

Where scores are used, :math:`\alpha + \gamma m(K)` gives way in part to the accuracies of shifted scores, and w wanders
that much less (see `classex.laws.shift_scores`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from classex._validation import as_class_counts, as_positive_int, as_probabilities
from classex.curves.accuracy import accuracy_covariance, accuracy_curve
from classex.laws.curve_prior import CurvePrior
from classex.laws.law import Evidence
from classex.laws.ratio import ProbitLaw
from classex.laws.shifted_scores import ShiftedScores, cautious_probit, shift_scores
from classex.laws.wins import subset_success
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["GaussianProcessLaw", "fit_gaussian_process", "fit_gaussian_process_curve"]

FloatArray = NDArray[np.float64]

_MOST_SIZES = 14
_JITTER = 1e-8
# where the law of the favourability is matched with the curve, and the probits it may have
_MATCHED = np.geomspace(2, 1e12, 90)
_NODES = np.arange(-6.0, 10.01, 0.1)
_ROUGHNESS = 3e-4
_WEIGHT_OF_ONE = 1e4
_LEAST = 1e-12
# of the variance around the posterior mean scores take away so many times their share: by how often intervals hold
_CERTAINTY = 1.5


@dataclass(frozen=True)
class GaussianProcessLaw:
    """The posterior law of an accuracy curve, and the law of the favourability that agrees with it best.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        Numbers of classes at which the accuracy was observed.
    probit : ndarray of shape (n,)
        Probits of the observed accuracies, drawn a little to the middle: half a point right, half a point wrong.
    noise : ndarray of shape (n, n)
        Their covariance.
    prior : CurvePrior
        The prior.
    shifted : ShiftedScores or None
        Accuracies of shifted scores; None where ranks alone were used.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws import fit_gaussian_process_curve
    >>> law = fit_gaussian_process_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> law.sizes, law.accuracy(law.sizes).round(2)
    (array([  10.,  100., 1000.]), array([0.96, 0.85, 0.7 ]))
    """

    sizes: FloatArray = field(repr=False)
    probit: FloatArray = field(repr=False)
    noise: FloatArray = field(repr=False)
    prior: CurvePrior
    shifted: ShiftedScores | None = field(default=None, repr=False)

    @property
    def share(self) -> float:
        """Share of the usual curve that the shifted scores take over: the prior's, times how far they are trusted."""
        return 0.0 if self.shifted is None else self.prior.scores * self.shifted.trust

    def mean(self, sizes: FloatArray) -> FloatArray:
        """Prior mean of the probit, with what shifted scores say of the curve."""
        usual = self.prior.mean(sizes)
        if self.shifted is None:
            return usual
        out: FloatArray = usual + self.share * (self.shifted.curve(sizes) - usual)
        return out

    def covariance(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Prior covariance of the probits; what the shifted scores explain does not wander."""
        usual = self.prior.covariance(one, other)
        return usual - self.share * (usual - self.prior.level_sd**2)

    @property
    def evidence(self) -> Evidence:
        """Scales of the prior, effective number of parameters, and how far the law is from the observed curve."""
        spread = self.covariance(self.sizes, self.sizes)
        freedom = float(np.trace(cho_solve(self._factor, spread)))
        fitted = self.law.accuracy(self.sizes, 1)
        residual = float(np.sqrt(np.mean(np.square(fitted - special.ndtr(self.probit)))))
        scales = {name: float(getattr(self.prior, name)) for name in ("normal", "wander", "reach")}
        return Evidence(scales, freedom, residual=residual)

    @cached_property
    def _factor(self) -> tuple[FloatArray, bool]:
        matrix = self.covariance(self.sizes, self.sizes) + self.noise
        factor: tuple[FloatArray, bool] = cho_factor(matrix, lower=True)
        return factor

    def posterior(self, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the probit of the accuracy with K >= 2 classes."""
        cross = self.covariance(self.sizes, sizes)
        solved = cho_solve(self._factor, cross)
        mean: FloatArray = self.mean(sizes) + solved.T @ (self.probit - self.mean(self.sizes))
        own = np.array([self.covariance(k, k)[0, 0] for k in sizes[:, np.newaxis]])
        return mean, np.maximum(own - np.einsum("ik,ik->k", cross, solved), 0.0)

    def scatter(self, sizes: FloatArray) -> FloatArray:
        r"""Variance of the true probits around the posterior mean, where curves wander by the prior's `spread`.

        The mean weighs the probits observed at sizes o by G, which follows from `wander`. With N their noise and S the
        covariance of true curves it errs by :math:`S_{KK} - 2 G_{Ko} S_{oK} + G_{Ko} (S_{oo} + N) G_{oK}`: more than
        the posterior variance, because for this S another G is best. That is for ranks alone; where shifted scores have
        a `share` in the mean, one and a half times that share is taken off.
        """
        ranks_alone = self if self.shifted is None else replace(self, shifted=None)  # itself has its factor already
        narrow = replace(self.prior, wander=self.prior.spread)
        gain: FloatArray = cho_solve(ranks_alone._factor, self.prior.covariance(self.sizes, sizes))
        seen = narrow.covariance(self.sizes, self.sizes) + self.noise
        apart = narrow.covariance(self.sizes, sizes) - 0.5 * seen @ gain
        own = np.array([narrow.covariance(k, k)[0, 0] for k in sizes[:, np.newaxis]])
        left = max(1 - _CERTAINTY * self.share, 0.0)
        out: FloatArray = left * np.maximum(own - 2 * (gain * apart).sum(axis=0), 0.0)
        return out

    @cached_property
    def law(self) -> ProbitLaw:
        """Law of the probit of the favourability whose accuracies are closest to the posterior mean.

        Accuracies are moments, so not every curve will do. The squared distances of the accuracies, in units of the
        posterior standard deviation, and a small penalty on rough laws are minimised over all laws on a fine grid.
        """
        mean, variance = self.posterior(_MATCHED)
        scale = 1 / (_density(mean) * np.sqrt(variance + 1e-4))
        success = subset_success(_NODES, _MATCHED, 1).T
        rough = _ROUGHNESS * np.diff(np.eye(_NODES.size), 2, axis=0) / 0.1**2
        rows = np.vstack([scale[:, np.newaxis] * success, rough, np.full((1, _NODES.size), _WEIGHT_OF_ONE)])
        target = np.concatenate([scale * special.ndtr(mean), np.zeros(rough.shape[0]), [_WEIGHT_OF_ONE]])
        weight = nnls(rows, target, maxiter=100 * _NODES.size)[0]
        return ProbitLaw(_NODES, weight / weight.sum())

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.law.accuracy(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u."""
        return self.law.cdf(u)

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> GaussianProcessLaw:
        """Fit to other data with the same prior; with scores if these were used."""
        del classes
        return fit_gaussian_process(ranks, scores, prior=self.prior, use_scores=self.shifted is not None)

    def variance(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Variance of the accuracy, by the slope of Phi.

        To be among the `top` best of K asks for about the same favourability as to be the best of fewer: the variance
        of the probit is the one with as many (see `_as_hard`).
        """
        at = special.ndtri(np.clip(self.accuracy(sizes, top), _LEAST, 1 - _LEAST))
        out: FloatArray = self.scatter(_as_hard(sizes, top)) * _density(at) ** 2
        return out


def fit_gaussian_process(
    ranks: CorrectRanks,
    scores: NDArray[Any] | None = None,
    *,
    prior: CurvePrior | None = None,
    use_scores: bool = True,
) -> GaussianProcessLaw:
    r"""Fit a Gaussian process to the accuracy curve of the observed classes.

    Parameters
    ----------
    ranks : CorrectRanks
        Ranks with k1 classes.
    scores : ndarray of shape (n_test, n_classes), optional
        The scores behind them.
    prior : CurvePrior, optional
        What is believed of curves beforehand; by default what many recognisers have taught.
    use_scores : bool
        Whether shifts of the scores, if given, have a say in the curve's shape. Ranks alone are used where
        `shift_scores` finds that the scores do not allow it.

    Returns
    -------
    GaussianProcessLaw

    Raises
    ------
    TypeError
        If `ranks` is not a `CorrectRanks`, or `prior` not a `CurvePrior`.
    ValueError
        If only one class has test points.

    Notes
    -----
    The data are the average accuracies at about 14 numbers of classes from 2 to k1, evenly spaced in log K, and
    their covariance over classes. Half a point that is right and half a point that is wrong are added to them, so
    that a perfect score is no certainty.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> law = cx.laws.fit_gaussian_process(
    ...     cx.correct_ranks(sample.scores, sample.labels)
    ... )
    >>> law.accuracy(np.array([40.0])).round(1)
    array([0.1])
    """
    as_ranks(ranks, sampled=True, evenly=True)
    if ranks.n_tested < 2:
        raise ValueError("ranks must have test points of at least 2 classes, not 1: errors are judged between classes")
    sizes = np.unique(np.rint(np.geomspace(2, ranks.largest_subset, _MOST_SIZES)))
    curve = accuracy_curve(ranks, sizes)
    law = _from_curve(sizes, curve.accuracy, accuracy_covariance(ranks, sizes), ranks.wins.size, prior)
    if scores is None or not use_scores or ranks.n_wrong is not None:
        return law
    return replace(law, shifted=shift_scores(ranks, scores))


def fit_gaussian_process_curve(
    n_classes: ArrayLike, accuracy: ArrayLike, n_test: int, *, prior: CurvePrior | None = None
) -> GaussianProcessLaw:
    r"""Fit a Gaussian process to a published curve, when nothing else is known.

    Parameters
    ----------
    n_classes : array_like of int of shape (n,)
        Numbers of classes K, each at least 2, no two equal.
    accuracy : array_like of shape (n,)
        Accuracy with so many classes.
    n_test : int
        Number of test points behind the curve; where every class has several points that resemble each other, the
        number of classes is nearer the truth.
    prior : CurvePrior, optional
        What is believed of curves beforehand.

    Returns
    -------
    GaussianProcessLaw

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    A point that is right among more classes is right among fewer of them, so the covariance of the accuracies at
    K < L is taken to be :math:`A_L (1 - A_K) / n`.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.laws import fit_gaussian_process_curve
    >>> law = fit_gaussian_process_curve(
    ...     [10, 100, 1_000], [0.95, 0.85, 0.70], 5_000
    ... )
    >>> law.accuracy(np.array([10_000.0])).round(2)
    array([0.47])
    """
    sizes = as_class_counts(n_classes, minimum=2)
    value = as_probabilities(accuracy, "accuracy")
    if value.shape != sizes.shape:
        raise ValueError(f"accuracy must have one entry for each of the {sizes.size} n_classes, not {value.size}")
    order = np.argsort(sizes)
    sizes, value = sizes[order], value[order]
    if (np.diff(sizes) == 0).any():
        raise ValueError(f"n_classes must not hold a number twice, but is {n_classes!r}")
    n = as_positive_int(n_test, "n_test")
    covariance = np.minimum(value[:, np.newaxis], value) * (1 - np.maximum(value[:, np.newaxis], value)) / n
    return _from_curve(sizes, value, covariance, n, prior)


def _from_curve(
    sizes: FloatArray, accuracy: FloatArray, covariance: FloatArray, n_points: int, prior: CurvePrior | None
) -> GaussianProcessLaw:
    """Bring a curve and its covariance to the probit scale, half a right and half a wrong point added."""
    belief = CurvePrior() if prior is None else prior
    if not isinstance(belief, CurvePrior):
        raise TypeError(f"prior must be a CurvePrior, not {type(prior).__name__}")
    n = float(n_points)
    probit = cautious_probit(accuracy, n)
    spread = (n / (n + 1)) ** 2 * covariance + (0.5 / (n + 1)) ** 2
    slope = _density(probit)
    return GaussianProcessLaw(sizes, probit, spread / np.outer(slope, slope) + _JITTER * np.eye(sizes.size), belief)


def _as_hard(sizes: FloatArray, top: int) -> FloatArray:
    """Number of classes, 2 or more, among which the first rank is as hard as the `top` best ranks among K.

    A point of favourability u is among the `top` best when a binomial number of wins, (K - 1, u), reaches K - `top`.
    That is as likely as not at one u, and u^(K' - 1) = 1/2 at the same gives K'.
    """
    if top == 1:
        return np.maximum(sizes, 2.0)
    least = np.maximum(sizes - top, _LEAST)
    half = np.clip(special.betaincinv(float(top), least, 0.5), np.finfo(float).tiny, 0.5)
    out: FloatArray = 1 + np.log(0.5) / np.log1p(-half)
    return out


def _density(probit: FloatArray) -> FloatArray:
    """Density of the standard normal, the slope of its distribution function."""
    out: FloatArray = np.exp(-0.5 * np.clip(probit, -37, 37) ** 2) / np.sqrt(2 * np.pi)
    return out
