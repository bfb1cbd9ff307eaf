"""How good a fit is, against the classes that were observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LARGEST_MISS = 3.0


@dataclass(frozen=True)
class LackOfFit:
    """How far a fit is from the accuracies that were observed.

    Attributes
    ----------
    n_classes : ndarray of shape (n,)
        All observed classes, and a quarter of them.
    predicted, observed : ndarray of shape (n,)
        Average accuracy by the fit and by the data.
    standard_error : ndarray of shape (n,)
        Standard errors of what was observed; where every test point is right, or wrong, what one more class could
        change.

    Examples
    --------
    >>> import classex as cx
    >>> from classex.models import BivariateNormal
    >>> sample = BivariateNormal(0.9).sample(40, rng=0)
    >>> fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fit.lack_of_fit_.n_classes
    array([40, 10])
    >>> fit.lack_of_fit_.z.round(1), fit.lack_of_fit_.refuted
    (array([-0.8,  0.2]), False)
    """

    n_classes: NDArray[np.int64]
    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    standard_error: NDArray[np.float64]

    @property
    def z(self) -> NDArray[np.float64]:
        """Predicted minus observed accuracy, in standard errors."""
        score: NDArray[np.float64] = (self.predicted - self.observed) / self.standard_error
        return score

    @property
    def refuted(self) -> bool:
        """Whether the fit misses the accuracy observed with all classes by more than three standard errors."""
        return bool((abs(self.z[:1]) > _LARGEST_MISS).any())
