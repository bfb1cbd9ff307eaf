"""What every method is: frozen options whose ``fit`` returns a distribution of the favourability."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classex._types import Average
from classex.distributions.distribution import Distribution
from classex.forecast.forecast import Forecast, ObservedCurve, ResampledForecast, Resampling
from classex.ranks.ranks import CorrectRanks

__all__ = ["DELETE_D", "HALVES", "Method", "Resampling"]


Scores = NDArray[Any] | None
Indices = NDArray[np.int64] | None


#: smooth and cheap fits: a quarter of the classes left out
DELETE_D = Resampling(0.75)
#: fits that are rough in the classes or expensive: half of them left out
HALVES = Resampling(0.5, 20)


class Method(ABC):
    """Options of a method; `fit` estimates the distribution of the favourability of the correct label.

    A method is a frozen dataclass: it holds options and no data. `classex.Extrapolator` fits it, keeps the
    distribution, and predicts with intervals.

    Attributes
    ----------
    needs_scores : bool
        Whether the fit needs scores.
    takes_samples : bool
        Whether points may have met random samples of the wrong labels.
    keeps_scores : bool
        Whether the fit or its intervals use scores if there are any.
    resampling : Resampling
        How classes are left out for intervals if the variance has no closed form.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> ranks = cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    >>> fit = cx.methods.ProbitNormal(nu=1).fit(ranks)
    >>> fit.accuracy(np.array([4.0])).round(2)
    array([0.64])
    """

    needs_scores: ClassVar[bool] = False
    takes_samples: ClassVar[bool] = False
    keeps_scores: ClassVar[bool] = True
    resampling: ClassVar[Resampling] = DELETE_D

    @abstractmethod
    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> Distribution:
        """Estimate the distribution of the favourability.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes; ``ranks.labels`` holds the correct column of every row of `scores`.
        scores : ndarray of shape (n_test, n_classes), optional
            The scores behind the ranks.

        Returns
        -------
        Distribution
        """

    def forecast(self, ranks: CorrectRanks, scores: Scores, average: Average) -> Forecast:
        """Fit, and say how intervals come about: from the variance of the fit, or as a method overrides it."""
        out = ResampledForecast(self, self.fit(ranks, scores), ObservedCurve(ranks), average, scores)
        out.warn_of_misfit(stacklevel=5)
        return out

    def refit(self, fitted: Any, ranks: CorrectRanks, scores: Scores = None, classes: Indices = None) -> Distribution:
        """Fit to other data with the tuning values of `fitted`, a result of `fit`.

        Resampling refits many times: a refit draws nothing at random, does not warn, and may be cheaper than the fit.
        `classes` are those of the first fit that the data are about, in their order.
        """
        return self.fit(ranks, scores)
