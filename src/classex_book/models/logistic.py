"""Multivariate logistic responses: each bit of a test point depends on one coordinate of the class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit, ndtr

from classex._checks import as_positive_float, as_positive_int
from classex._types import FloatArray
from classex.models.base import LadderModel, as_point_sets

# steps of the score: rounding to them changes averages by less than 1e-6
_GRID = 2**18


@dataclass(frozen=True)
class MultivariateLogistic(LadderModel):
    r"""Classes X ~ N(0, I) in d dimensions; bit j of a test point Y is 1 with probability 1/(1 + exp(-s X_j)).

    The rule is the log likelihood, hence the Bayes rule. By symmetry the log likelihood of a random class,
    :math:`W = \sum_j \log \sigma(s Z_j)`, has the same distribution for every test point, and that of the correct
    class has the density :math:`2^d e^w` relative to it. So one d-fold convolution (by fast Fourier transform, on 2^18
    steps) gives the distribution of the favourability; rounding scores to the grid changes averages by about
    :math:`d h^2/12`, h the step, typically below 1e-6.

    Parameters
    ----------
    n_features : int
        Number d of coordinates and of bits.
    weight : float
        Slope s of the logistic curves.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Source: thesis chapter 5 names the multivariate logistic model as a second example of the assumptions
    A1-A4; this is its version with independent coordinates.

    Examples
    --------
    >>> from classex_book.models import MultivariateLogistic
    >>> round(MultivariateLogistic(n_features=50, weight=1.0).information(), 3)
    4.685
    """

    n_features: int = 50
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_features", as_positive_int(self.n_features, "n_features"))
        object.__setattr__(self, "weight", as_positive_float(self.weight, "weight"))

    def scores(self, points: ArrayLike, references: ArrayLike) -> FloatArray:
        """Log likelihood of each class for each test point (bits 0 and 1), shape (n_test, k)."""
        y, x = as_point_sets(points, references, self.n_features)
        return np.asarray(y @ log_expit(self.weight * x).T + (1 - y) @ log_expit(-self.weight * x).T)

    def information(self) -> float:
        r"""Mutual information :math:`d\,(\log 2 - E\,H(\sigma(sZ)))`, by quadrature, in nats."""
        z = np.arange(-12.0, 12.0, 1 / 256)
        density = np.exp(-(z**2) / 2) / (256 * np.sqrt(2 * np.pi))
        log_p = log_expit(self.weight * z)
        return float(self.n_features * (2 * density * np.exp(log_p)) @ (log(2) + log_p))

    @cached_property
    def _ladder(self) -> tuple[FloatArray, FloatArray]:
        """Distribution of the score on a grid, best score (0) first.

        The convolution is exact only to absolute rounding. So the better half of the distribution for wrong classes is
        that for the correct one, tilted back, and the worse half for the correct one is that for wrong ones, tilted.
        """
        d, s = self.n_features, self.weight
        z = np.arange(-12.0, 12.0, 1 / 64)
        density = np.exp(-(z**2) / 2) / (64 * np.sqrt(2 * np.pi))
        mean, spread = density @ log_expit(s * z), density @ log_expit(s * z) ** 2
        span = -d * mean + 12 * np.sqrt(d * (spread - mean**2)) + 12 * s + 1
        h = span / _GRID
        edge = h * np.arange(1, _GRID)
        # -log sigma(s z) lies within the cell when z lies between the inverse images of its edges
        image = -np.log(np.expm1(np.minimum(edge, 700.0))) / s
        image[edge > 700.0] = -edge[edge > 700.0] / s
        upper_tail, lower_tail = ndtr(-image), ndtr(image)
        inner = np.where(image[1:] > 0, np.diff(upper_tail), -np.diff(lower_tail))
        wrong = np.concatenate([[upper_tail[0]], inner, [lower_tail[-1]]])
        right = wrong * np.exp(-h * (np.arange(_GRID) + 0.5))
        wrong_sum = _self_convolution(wrong / wrong.sum(), d)
        right_sum = _self_convolution(right / right.sum(), d)
        log_tilt = -h * np.arange(_GRID) - d * log(right[right > 0].sum() / wrong.sum()) - d * h / 2
        with np.errstate(divide="ignore"):
            log_wrong, log_right = np.log(wrong_sum), np.log(right_sum)
        better = np.cumsum(wrong_sum) < 0.5
        log_wrong = np.where(better, log_right - log_tilt, log_wrong)
        log_right = np.where(better, log_right, log_wrong + log_tilt)
        keep = np.isfinite(log_wrong) & np.isfinite(log_right)
        return log_wrong[keep], log_right[keep]

    def _draw(self, k: int, r: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        x = rng.standard_normal((k, self.n_features))
        log_p = np.repeat(log_expit(self.weight * x), r, axis=0)
        return (np.log(rng.random(log_p.shape)) < log_p).astype(np.float64), x


def _self_convolution(mass: FloatArray, times: int) -> FloatArray:
    """Distribution of the sum of `times` independent draws, with the rounding noise of the transform set to zero."""
    distribution = np.fft.irfft(np.fft.rfft(mass) ** times, mass.size)
    return np.where(distribution > 1e-18, distribution, 0.0)
