r"""Nonparametric maximum likelihood of the distribution of the favourability, stopped early.

The wins of a point are binomial given its favourability, so their distribution is a mixture of binomials, with that of
U* as its mixing distribution. On a grid of 1 - u, evenly spaced in its logarithm, the expectation-maximisation step

.. math:: q_g \leftarrow q_g \sum_r \omega_r \frac{L_{rg}}{\sum_h L_{rh} q_h}, \qquad
          L_{rg} = u_g^r (1 - u_g)^{n-r},

never lowers the likelihood. Its limit is a few atoms that follow the noise. Stopped early, it keeps the shape of the
start as far as the wins agree with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from classex._types import FloatArray
from classex._validation import as_positive_int, one_of
from classex.distributions.discrete import DiscreteDistribution
from classex.distributions.distribution import Evidence, NodeDistribution
from classex.distributions.wins import collapse_wins
from classex.methods._method import HALVES, Method, Resampling, Scores
from classex.methods.probit_normal import ProbitNormal
from classex.ranks import as_ranks
from classex.ranks._ranks import CorrectRanks

__all__ = ["EmpiricalBayes", "EmpiricalBayesDistribution", "expectation_maximisation"]


# Grid of 1 - u: from rounding error to nearly 1 in steps of 9 %
_N_NODES, _LEAST_LOSS = 400, 1e-15
# End of the flat start: its accuracy falls up to a million classes
_LEAST_FLAT = 1e-6
# Every node keeps some probability: a step cannot raise a zero
_SPRINKLED = 1e-12


@dataclass(frozen=True)
class EmpiricalBayesDistribution(NodeDistribution):
    """A distribution of the favourability on a grid, from a few steps of expectation-maximisation.

    Attributes
    ----------
    discrete : DiscreteDistribution
        The distribution, on nodes evenly spaced in the logarithm of 1 - u.
    n_steps : int
        Steps taken.
    log_likelihood : float
        Class-balanced log-likelihood of all test points in nats, up to the binomial coefficients.
    freedom : float
        Effective number of parameters: the sum over ranks of how much a point of that rank raises its own fit.

    Examples
    --------
    >>> import classex as cx
    >>> distribution = cx.methods.EmpiricalBayes(n_steps=5).fit(
    ...     cx.ranks_from_wins([3, 3, 2, 3, 1, 3], 4)
    ... )
    >>> distribution.n_steps, round(float(distribution.discrete.weight.sum()), 6)
    (5, 1.0)
    """

    discrete: DiscreteDistribution = field(repr=False)
    n_steps: int
    log_likelihood: float
    freedom: float

    @property
    def evidence(self) -> Evidence:
        """Steps, effective number of parameters and log-likelihood."""
        return Evidence({"n_steps": float(self.n_steps)}, self.freedom, self.log_likelihood)


@dataclass(frozen=True, kw_only=True)
class EmpiricalBayes(Method):
    """Mixing distribution of the wins after a few steps of expectation-maximisation.

    Parameters
    ----------
    start : {"probit-normal", "flat"}
        Distribution from which the steps start.
    n_steps : int
        Steps to take. Many steps follow the noise of the wins, towards the few atoms of maximum likelihood.

    Notes
    -----
    Uses ranks only. With 100 steps from the flat start it is the method of recommender systems for sampled negatives
    (Li et al., KDD 2020). Intervals come from half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.Extrapolator(cx.methods.EmpiricalBayes()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fitted.predict(40).round(1)
    array([0.1])
    """

    takes_samples: ClassVar[bool] = True
    resampling: ClassVar[Resampling] = HALVES
    start: Literal["probit-normal", "flat"] = "probit-normal"
    n_steps: int = 10

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> EmpiricalBayesDistribution:
        r"""Fit by expectation-maximisation, stopped early.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        EmpiricalBayesDistribution

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`, or `n_steps` not an integer.
        ValueError
            If `start` is not one of the two, or `n_steps` is below 1.

        Notes
        -----
        Source: Li et al. (KDD 2020, AAAI 2023) for expectation-maximisation from sampled ranks, 100 steps from a flat
        start; Vinayak et al. (2019) for the limits of the maximum likelihood mixture. With ties a point's
        log-likelihood is averaged over the ways to break them (see `collapse_wins`).

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> distribution = cx.methods.EmpiricalBayes().fit(
        ...     cx.correct_ranks(sample.scores, sample.labels)
        ... )
        >>> distribution.accuracy(np.array([40.0])).round(1)
        array([0.1])
        """
        as_ranks(ranks, sampled=True)
        steps = as_positive_int(self.n_steps, "n_steps")
        loss = np.geomspace(_LEAST_LOSS, 1 - 1e-9, _N_NODES)
        nodes = -special.ndtri(loss)
        if one_of(self.start, "start", ("probit-normal", "flat")) == "flat":
            weight = np.where(loss >= _LEAST_FLAT, 1.0, _SPRINKLED)
        else:
            base = ProbitNormal().fit(ranks)
            # density of w, times |dw / d log(1 - u)| = (1 - u) / phi(w)
            log_weight = -0.5 * ((nodes - base.mu) / base.nu) ** 2 + 0.5 * nodes**2 + np.log(loss)
            weight = np.exp(log_weight - log_weight.max())
            weight = weight / weight.sum() + _SPRINKLED
        counts = collapse_wins(ranks)
        losses = (counts.n_wrong - counts.wins)[:, np.newaxis]
        log_likelihood = losses * np.log(loss) + counts.wins[:, np.newaxis] * np.log1p(-loss)
        top = log_likelihood.max(axis=1, keepdims=True)
        likelihood = np.exp(log_likelihood - top)
        weight = expectation_maximisation(likelihood, counts.weight, weight / weight.sum(), steps)
        total = likelihood @ weight
        value = counts.n_points * float(counts.weight @ (np.log(total) + top[:, 0]))
        own = np.einsum("rg,rg,g->r", likelihood, likelihood, weight) / np.square(total)
        freedom = float(counts.weight @ own) - 1
        return EmpiricalBayesDistribution(DiscreteDistribution(nodes, weight), steps, value, freedom)


def expectation_maximisation(likelihood: FloatArray, weight: FloatArray, start: FloatArray, n_steps: int) -> FloatArray:
    """Take steps towards the mixing weights of maximum likelihood.

    Parameters
    ----------
    likelihood : ndarray of shape (n_ranks, n_nodes)
        Likelihood of every distinct observation at every node, each row up to a factor.
    weight : ndarray of shape (n_ranks,)
        Shares of the observations; they sum to 1.
    start : ndarray of shape (n_nodes,)
        Positive mixing weights at the start; they sum to 1.
    n_steps : int
        Number of steps.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Mixing weights.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods.empirical_bayes import expectation_maximisation
    >>> likelihood = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> expectation_maximisation(
    ...     likelihood, np.array([0.7, 0.3]), np.array([0.5, 0.5]), 200
    ... ).round(4)
    array([0.75, 0.25])
    """
    mixing = start
    for _ in range(n_steps):
        mixing = mixing * (likelihood.T @ (weight / (likelihood @ mixing)))
    return np.asarray(mixing / mixing.sum())
