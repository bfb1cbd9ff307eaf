"""Extrapolation by a fixed team of laws: the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.laws.ensemble import EnsembleLaw, fit_ensemble
from classex.results import CorrectRanks

__all__ = ["EnsembleExtrapolator"]

FloatArray = NDArray[np.float64]


class EnsembleExtrapolator(Extrapolator):
    """Extrapolate with the mean of two laws that err in different ways: what to use when nothing speaks against it.

    Nineteen parts in twenty are the Gaussian process for the accuracy curve, which knows how the curves of other
    recognisers went on; one in twenty is the probit-normal law, which follows the wins.

    Parameters
    ----------
    weights : mapping of str to float, optional
        Weights of other members, by name (see `classex.laws.fit_ensemble`).

    Attributes
    ----------
    law_ : EnsembleLaw
        The members and their weights; ``law_.disagreement(sizes)`` is their variance around the mean.

    Notes
    -----
    Ranks are enough. Scores, if given, have a say in the shape of the curve, a fifth of it at most: shifted upwards,
    the wrong ones stand for more classes (see `classex.laws.shift_scores`). They are read by their places among all the
    wrong scores, so a monotone change of all of them moves the prediction by less than a hundredth of its error. The
    variance is the weighted mean of the members' own, plus their disagreement: no resampling, and no fewer than any
    number of classes needed; scores take up to three tenths of it away.

    The mixture sharpened by scores is the best single law on Gaussian classes, and on words worse than the
    probit-normal law: it measures a point's lead in the bulk of the wrong scores, and among many classes the highest
    wrong scores come from near twins, which the bulk does not announce. So it is not a member unless `weights` name it.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.EnsembleExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples = True
    law_: EnsembleLaw

    def __init__(self, *, weights: Mapping[str, float] | None = None) -> None:
        self.weights = weights

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> EnsembleLaw:
        return fit_ensemble(ranks, scores, weights=self.weights)
