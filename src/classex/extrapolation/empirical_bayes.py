"""Extrapolation by the nonparametric law of the favourability, stopped early."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from classex.extrapolation._base import Extrapolator
from classex.extrapolation._resampling import HALVES
from classex.laws.empirical_bayes import EmpiricalBayesLaw, fit_empirical_bayes
from classex.results import CorrectRanks

__all__ = ["EmpiricalBayesExtrapolator"]


class EmpiricalBayesExtrapolator(Extrapolator):
    """Extrapolate with the mixing law of the wins after a few steps of expectation-maximisation.

    Parameters
    ----------
    start : {"probit-normal", "flat"}
        Law the steps start from, which they keep wherever the wins do not object.
    n_steps : int
        Steps to take: many follow the noise of the wins, and reach the law of maximum likelihood, a few atoms.

    Attributes
    ----------
    law_ : EmpiricalBayesLaw
        The fitted law, on a grid of 1 - u.

    Notes
    -----
    Needs ranks only. From the flat start with 100 steps it is what recommender systems use on sampled negatives
    (Li et al., KDD 2020). Intervals by half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.EmpiricalBayesExtrapolator().fit(sample.scores, sample.labels)
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples = True
    law_: EmpiricalBayesLaw
    _plan = HALVES

    def __init__(self, *, start: str = "probit-normal", n_steps: int = 10) -> None:
        self.start = start
        self.n_steps = n_steps

    def _fit_law(self, ranks: CorrectRanks, scores: NDArray[Any] | None) -> EmpiricalBayesLaw:
        return fit_empirical_bayes(ranks, scores, start=self.start, n_steps=self.n_steps)
