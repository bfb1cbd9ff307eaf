r"""Accuracy with near and far rivals, by the Gaussian process on an effective number of classes.

A wrong label of the point's own group counts as s wrong labels of other groups. With a near and b far rivals,

.. math:: K_{\mathrm{eff}} = 1 + b + s\,a,

and the probit of the accuracy is a Gaussian process on :math:`\log K_{\mathrm{eff}}`, with the prior of curves that
grow at random (`classex.methods.CurvePrior`). That is exact if a near rival beats the truth as often as s far ones,
for every point: then :math:`U_n = U_f^s`, and :math:`E\,U_n^a U_f^b` depends on a and b through :math:`b + s a` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from classex.curves.near_far import NearFarComparisons
from classex.methods.gaussian_process import CurvePrior, GaussianProcessDistribution, from_curve

__all__ = ["NearFarFit", "fit_near_far", "grid_of_rivals"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Numbers of near, and of far, rivals at which the accuracy is read, beside none: evenly in the logarithm
_LEVELS = 6
# Far rivals that a near one may be worth: from somewhat weaker to what no domain of benchmarks/growth reaches
_WORTH = np.geomspace(0.5, 200, 27)
# Standard deviation of probits around any curve in one effective number: see benchmarks/growth
_MISFIT = 0.03


@dataclass(frozen=True)
class NearFarFit:
    """Posterior of the accuracy with near and far rivals.

    Attributes
    ----------
    worth : ndarray of shape (n,)
        Numbers of far rivals that a near one may be worth.
    probability : ndarray of shape (n,)
        Their posterior probabilities.
    fits : list of GaussianProcessDistribution
        The posterior curve for each of them.
    """

    worth: FloatArray
    probability: FloatArray
    fits: list[GaussianProcessDistribution] = field(repr=False)

    def posterior(self, near: FloatArray, far: FloatArray, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the probit of the accuracy with these numbers of rivals, shapes (n, n_groups)."""
        found = [
            fit.posterior(effective_classes(near, far, share, worth))
            for fit, worth in zip(self.fits, self.worth, strict=True)
        ]
        mean, variance = np.array(found).transpose(1, 0, 2)
        average = self.probability @ mean
        return average, self.probability @ (variance + np.square(mean)) - np.square(average)

    @property
    def typical_worth(self) -> float:
        """Geometric mean of the number of far rivals that a near one is worth."""
        return float(np.exp(self.probability @ np.log(self.worth)))


def fit_near_far(found: NearFarComparisons, prior: CurvePrior | None = None) -> NearFarFit:
    """Fit the process to the accuracies with up to all observed near and far rivals."""
    near, far = grid_of_rivals(found.size)
    order = np.argsort((near + far) @ found.share, kind="stable")
    near, far = near[order], far[order]
    curve = found.curve(near + 1, far)
    covariance = curve.influence.T @ curve.influence
    tested = int(np.count_nonzero(np.bincount(found.labels)))
    plain = from_curve(effective_classes(near, far, found.share, 1.0), curve.accuracy, covariance, tested, prior)
    plain = replace(plain, noise=plain.noise + _MISFIT**2 * np.eye(plain.sizes.size))
    fits = [replace(plain, sizes=effective_classes(near, far, found.share, worth)) for worth in _WORTH]
    return NearFarFit(_WORTH, special.softmax([fit.log_evidence for fit in fits]), fits)


def effective_classes(near: FloatArray, far: FloatArray, share: FloatArray, worth: float) -> FloatArray:
    """Effective number of classes, 2 or more: the geometric mean over groups."""
    return np.asarray(np.exp(np.log(np.maximum(1 + far + worth * near, 2.0)) @ share))


def grid_of_rivals(size: IntArray) -> tuple[IntArray, IntArray]:
    """Numbers of near and far rivals at which accuracies are read, for groups of these sizes: shapes (n, n_groups)."""
    exponent = np.linspace(0, 1, _LEVELS)[:, np.newaxis]
    levels = []
    for pool in (size - 1, int(size.sum()) - size):
        some = np.minimum(np.rint(np.maximum(pool, 1.0) ** exponent).astype(np.int64), pool)
        levels.append(np.concatenate([np.zeros((1, pool.size), dtype=np.int64), some]))
    i, j = np.indices((_LEVELS + 1, _LEVELS + 1)).reshape(2, -1)
    both = np.unique(np.hstack([levels[0][i], levels[1][j]]), axis=0)
    near, far = np.hsplit(both, 2)
    some = (near + far > 0).all(axis=1)
    return near[some], far[some]
