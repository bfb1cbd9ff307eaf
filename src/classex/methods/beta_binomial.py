r"""Beta-binomial distribution with a limit of its support and atoms at 0 and at 1, for counts of any kind.

A point (a problem, a probe) succeeds with probability P in each of n trials. P is 0 with probability :math:`\pi_0`, 1
with probability :math:`\pi_1`, and else :math:`\ell B` with :math:`B \sim \mathrm{Beta}(\alpha, \beta)` and a limit
:math:`0 < \ell \le 1`. For ranks a trial is a wrong label and a success that it beats the truth, so P = 1 - U*. For
problems tried n times, 1 - E(1-P)^k is the probability to solve one in k trials.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex._checks import as_finite_array, as_plain_array, as_positive_int, one_of
from classex._types import FloatArray
from classex.distributions.distribution import DiscreteDistribution, Evidence, NodeDistribution
from classex.distributions.wins import collapse_wins, log_choose
from classex.methods.probit_normal import ProbitNormal
from classex.methods.protocol import HALVES, Indices, Method, Resampling, Scores
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = [
    "BetaBinomial",
    "BetaBinomialDistribution",
    "EmpiricalBayes",
    "EmpiricalBayesDistribution",
    "expectation_maximisation",
]


# Nodes of P, and the edges of the cells around them: from rounding error to 1 - 1e-9 in steps of 8 %
_LOG_ODDS = np.arange(-34.5, 20.8, 0.08)
_EDGES = special.expit(_LOG_ODDS[:-1] + np.diff(_LOG_ODDS) / 2)
# Log-odds, and probits, that stand for certainty
_CERTAIN = 40.0
# theta: log alpha, log beta, logit of the limit, log-odds of the atoms. Centres and widths of the weak prior, which is
# worth about one point, and bounds beyond which predictions do not change
_CENTRE = np.array([-0.5, 1.0, 3.0, -3.0, -3.0])
_WIDTH = np.array([1.5, 2.0, 4.0, 4.0, 4.0])
_BOUNDS = np.array([(-4.0, 5.0), (-4.0, 9.0), (-8.0, 8.0), (-12.0, 8.0), (-12.0, 8.0)])
# No limit and no atoms
_PLAIN = np.array([0.0, 0.0, 30.0, -30.0, -30.0])
# Starts of the plain fit: typical, hardly ever beaten, even; and of what is then added: nearly nothing, or the prior
_STARTS = ((-0.5, 1.0), (-2.5, 2.0), (0.7, 0.7))
_ADDED = (np.array([5.0, -6.0, -7.0]), _CENTRE[2:])
# Central differences of the beta distribution function in log alpha and log beta: error about 1e-9
_STEP = 1e-4
# whole numbers up to here are exact in double precision
_MOST_TRIALS = 2.0**53


@dataclass(frozen=True)
class BetaBinomialDistribution(NodeDistribution):
    r"""Distribution of the success probability P of a point, with U* = 1 - P.

    Attributes
    ----------
    alpha, beta : float
        Parameters of the beta distribution.
    limit : float
        The largest success probability below 1.
    never, always : float
        Probabilities of P = 0 and of P = 1.
    log_likelihood : float
        Weighted log-likelihood of all points in nats.
    n_parameters : int
        Number of fitted parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.methods import BetaBinomialDistribution
    >>> # U* is uniform
    >>> distribution = BetaBinomialDistribution(
    ...     alpha=1.0, beta=1.0, limit=1.0, never=0.0, always=0.0
    ... )
    >>> (
    ...     distribution.accuracy(np.array([2.0, 10.0])).round(4),
    ...     distribution.cdf(np.array([0.25])),
    ... )
    (array([0.5, 0.1]), array([0.25]))
    """

    alpha: float
    beta: float
    limit: float
    never: float
    always: float
    log_likelihood: float = np.nan
    n_parameters: int = 5

    @property
    def evidence(self) -> Evidence:
        """Parameters and log-likelihood."""
        parameters = {"alpha": self.alpha, "beta": self.beta, "limit": self.limit}
        parameters |= {"never": self.never, "always": self.always}
        return Evidence(parameters, float(self.n_parameters), self.log_likelihood)

    @cached_property
    def discrete(self) -> DiscreteDistribution:
        """The same distribution on nodes of the probit of U*."""
        nodes = -special.ndtri(special.expit(_LOG_ODDS))
        below = special.betainc(self.alpha, self.beta, np.minimum(_EDGES / self.limit, 1.0))
        cells = (1 - self.never - self.always) * np.diff(below, prepend=0.0, append=1.0)
        return DiscreteDistribution(
            np.concatenate([[_CERTAIN], nodes, [-_CERTAIN]]), np.concatenate([[self.never], cells, [self.always]])
        )

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function: probability that 1 - P is at most u."""
        p = 1.0 - np.asarray(u, dtype=np.float64)
        inside = 1.0 - self.never - self.always
        below = np.where(p <= 0, 1.0, special.betaincc(self.alpha, self.beta, np.clip(p / self.limit, 0.0, 1.0)))
        return np.asarray(self.always + inside * below + self.never * (p <= 0))


@dataclass(frozen=True, kw_only=True)
class BetaBinomial(Method):
    """Beta distribution of the probability to be beaten by a random wrong label.

    Parameters
    ----------
    limited : bool
        Whether the support may end below 1.
    atoms : bool
        Whether there may be points that no wrong label beats, and points that all of them beat.

    Notes
    -----
    Uses ranks only. It is meant for repeated attempts at a problem. For classification it is a poor choice: no beta
    distribution has the favourabilities that near-duplicate classes cause, and with atoms some points are right among
    any number of classes. Intervals come from half-sampling of classes.

    Examples
    --------
    >>> import classex as cx
    >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
    >>> fitted = cx.Extrapolator(cx.methods.BetaBinomial()).fit(
    ...     sample.scores, sample.labels
    ... )
    >>> fitted.predict(40).round(1)
    array([0.2])
    """

    takes_samples: ClassVar[bool] = True
    resampling: ClassVar[Resampling] = HALVES
    limited: bool = True
    atoms: bool = True

    def fit(self, ranks: CorrectRanks, scores: Scores = None) -> BetaBinomialDistribution:
        """Fit the beta-binomial distribution to the losses of the test points.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        BetaBinomialDistribution

        Raises
        ------
        TypeError
            If `ranks` is not a `CorrectRanks`.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> sample = cx.models.BivariateNormal(0.9).sample(40, rng=1)
        >>> distribution = cx.methods.BetaBinomial().fit(
        ...     cx.correct_ranks(sample.scores, sample.labels)
        ... )
        >>> distribution.accuracy(np.array([40.0])).round(1)
        array([0.2])
        """
        return self._fit_ranks(ranks, None)

    def refit(
        self, fitted: BetaBinomialDistribution, ranks: CorrectRanks, scores: Scores = None, classes: Indices = None
    ) -> BetaBinomialDistribution:
        """Fit to other ranks, from the parameters of `fitted`."""
        return self._fit_ranks(ranks, _theta_of(fitted))

    def _fit_ranks(self, ranks: CorrectRanks, start: FloatArray | None) -> BetaBinomialDistribution:
        counts = collapse_wins(as_ranks(ranks, sampled=True))
        losses = counts.n_wrong - counts.wins
        return self._maximise(losses, counts.n_wrong, counts.weight, counts.n_points, start)

    def fit_counts(self, successes: ArrayLike, trials: ArrayLike) -> BetaBinomialDistribution:
        r"""Fit the beta-binomial distribution to numbers of successes in numbers of trials.

        Parameters
        ----------
        successes : array_like of int of shape (n,)
            Successes of each point.
        trials : int or array_like of int of shape (n,)
            Trials of each point, at least 1.

        Returns
        -------
        BetaBinomialDistribution
            ``1 - distribution.accuracy(k + 1)`` is the probability of at least one success in k trials.

        Raises
        ------
        TypeError, ValueError
            If the numbers are not whole, or not 0 <= successes <= trials.

        Examples
        --------
        >>> import numpy as np
        >>> from classex.methods import BetaBinomial
        >>> distribution = BetaBinomial().fit_counts(
        ...     [0, 0, 1, 3, 0, 10, 7, 0, 2, 5], 10
        ... )
        >>> (1 - distribution.accuracy(np.array([11.0]))).round(1)
        array([0.6])
        """
        s, n = checked_counts(successes, trials)
        pairs, count = np.unique(np.stack([s, n]), axis=1, return_counts=True)
        return self._maximise(pairs[0], pairs[1], count / s.size, s.size, None)

    def _maximise(
        self, s: FloatArray, n: FloatArray, weight: FloatArray, n_points: int, start: FloatArray | None
    ) -> BetaBinomialDistribution:
        """Maximise the likelihood plus the weak prior, from `start` or from several starts."""
        likelihood = _likelihood(s[:, np.newaxis], n[:, np.newaxis])

        def best(free: NDArray[np.bool_], starts: list[FloatArray]) -> FloatArray:
            bounds = np.where(free, _BOUNDS.T, _PLAIN).T
            precision = free / _WIDTH**2 / n_points

            def loss(theta: FloatArray) -> tuple[float, FloatArray]:
                value, slope = _mean_log_likelihood(theta, likelihood, weight)
                off = theta - _CENTRE
                return 0.5 * float(precision @ off**2) - value, precision * off - slope

            # refits vary over subsets of the classes by far more than 1e-7
            options = {"ftol": 1e-14 if start is None else 1e-7, "gtol": 1e-8, "maxiter": 200}
            given: dict[str, Any] = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": options}
            fits = [optimize.minimize(loss, np.clip(theta, *bounds.T), **given) for theta in starts]
            return np.asarray(min(fits, key=lambda fit: float(fit.fun)).x)

        free = np.array([True, True, self.limited, self.atoms, self.atoms])
        starts = [start] if start is not None else [np.append(theta, _PLAIN[2:]) for theta in _STARTS]
        if start is None and (self.limited or self.atoms):  # from the plain fit, so that the additions do no worse
            plain = best(np.arange(5) < 2, starts)
            starts = [np.append(plain[:2], added) for added in _ADDED]
        theta = best(free, starts)
        log_likelihood = n_points * _mean_log_likelihood(theta, likelihood, weight)[0]
        return BetaBinomialDistribution(*_parameters(theta), log_likelihood, int(free.sum()))


def checked_counts(successes: ArrayLike, trials: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return successes and trials as arrays of the same shape (n,), or raise an error.

    Examples
    --------
    >>> from classex.methods.beta_binomial import checked_counts
    >>> checked_counts([0, 2], 10)
    (array([0., 2.]), array([10., 10.]))
    """
    s = as_finite_array(successes, "successes", ndim=1, dtype=np.float64)
    given = as_plain_array(trials, "trials")
    n = as_finite_array(np.full(s.shape, given) if given.ndim == 0 else given, "trials", ndim=1, dtype=np.float64)
    if s.size == 0 or n.shape != s.shape:
        raise ValueError(f"successes and trials must have one entry for each point, not shapes {s.shape} and {n.shape}")
    wrong = (s != np.rint(s)) | (n != np.rint(n)) | (s < 0) | (s > n) | (n < 1) | (n > _MOST_TRIALS)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            "successes must be whole numbers from 0 to the trials, and trials from 1 to 2^53, "
            f"not {s[i]:g} of {n[i]:g} (entry {i})"
        )
    return s, n


def _likelihood(s: FloatArray, n: FloatArray) -> FloatArray:
    """Probability of s successes in n trials at P = 0, at every node, and at P = 1: (n_counts, n_nodes + 2)."""
    log = s * special.log_expit(_LOG_ODDS) + (n - s) * special.log_expit(-_LOG_ODDS) + log_choose(n, s)
    return np.hstack([s == 0, np.exp(log), s == n])


def _mean_log_likelihood(theta: FloatArray, likelihood: FloatArray, weight: FloatArray) -> tuple[float, FloatArray]:
    """Weighted log-likelihood, and its gradient in theta."""
    alpha, beta, limit, never, always = _parameters(theta)
    up, down = np.exp(_STEP), np.exp(-_STEP)
    a = alpha * np.array([1.0, up, down, 1.0, 1.0])[:, np.newaxis]
    b = beta * np.array([1.0, 1.0, 1.0, up, down])[:, np.newaxis]
    t = np.minimum(_EDGES / limit, 1.0)
    below = special.betainc(a, b, t)
    # SciPy has no derivatives in alpha and beta; the others have a closed form
    by_shape = (below[[1, 3]] - below[[2, 4]]) / (2 * _STEP)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_density = alpha * np.log(t) + (beta - 1) * np.log1p(-t) - special.betaln(alpha, beta)
    by_limit = -(1 - limit) * np.where(t < 1, np.exp(log_density), 0.0)
    cells = np.diff(np.vstack([below[:1], by_shape, by_limit]), prepend=0.0, append=np.eye(4, 1))
    inside = likelihood[:, 1:-1] @ cells.T
    first, last = likelihood[:, 0], likelihood[:, -1]
    rest = 1 - never - always
    point = np.maximum(never * first + always * last + rest * inside[:, 0], 1e-300)
    slopes = np.column_stack([rest * inside[:, 1:], never * (first - point), always * (last - point)])
    return float(weight @ np.log(point)), (weight / point) @ slopes


def _parameters(theta: FloatArray) -> tuple[float, float, float, float, float]:
    """Alpha, beta, limit and the two atoms."""
    never, always, _ = special.softmax(np.append(theta[3:], 0.0))
    return float(np.exp(theta[0])), float(np.exp(theta[1])), float(special.expit(theta[2])), float(never), float(always)


def _theta_of(distribution: BetaBinomialDistribution) -> FloatArray:
    """Inverse of `_parameters`."""
    d, rest = distribution, 1 - distribution.never - distribution.always
    odds = np.array([d.alpha, d.beta, d.limit, d.never, d.always]) / [1.0, 1.0, 1 - d.limit, rest, rest]
    return np.asarray(np.clip(np.log(np.maximum(odds, 1e-300)), *_BOUNDS.T))


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
    >>> from classex.methods.beta_binomial import expectation_maximisation
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
