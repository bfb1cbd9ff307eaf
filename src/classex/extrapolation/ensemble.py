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
    """Extrapolate with the mean of laws that err in different ways: what to use when nothing speaks against it.

    From ranks, nineteen parts in twenty are the Gaussian process for the accuracy curve, which knows how the curves of
    other recognisers went on; one in twenty is the probit-normal law, which follows the wins. Where the wrong scores of
    all points follow one law, a law of scores joins them.

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
    Ranks are enough. Scores, if given, have a say in the shape of the process's curve, a fifth of it at most: shifted
    upwards, the wrong ones stand for more classes (see `classex.laws.shift_scores`).

    With 200 classes or more, scores may say much more. If the wrong scores of all points, shifted and scaled, are
    samples of one law, their pool shows its tail far beyond what one point can, and by its place there every truth
    tells how many more wrong labels it would beat: the mixture sharpened by scores. Among words and syllables they are
    not, because some have near twins and others none, and the mixture is much too high. The scores themselves tell
    (`classex.laws.tail_dispersion`). So the mixture's weight is the observed accuracy where they are alike, nothing
    where they are not, and something between where that is in doubt; the others share the rest.

    Both readings go by places among all the wrong scores, so a monotone change of all of them moves the prediction by a
    fraction of its error. The variance is the weighted mean of the members' own, plus their disagreement: no
    resampling, and no fewer than any number of classes needed; scores take up to three tenths of the process's away.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.EnsembleExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples = True
    _held_to_data = True
    law_: EnsembleLaw

    def __init__(self, *, weights: Mapping[str, float] | None = None) -> None:
        self.weights = weights

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> EnsembleLaw:
        return fit_ensemble(ranks, scores, weights=self.weights)
