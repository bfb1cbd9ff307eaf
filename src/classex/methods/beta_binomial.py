r"""Beta-binomial law with a limit of its support and atoms at 0 and at 1, for counts of any kind.

A point (a problem, a probe) succeeds with probability P in each of n trials. P is 0 with probability :math:`\pi_0`, 1
with probability :math:`\pi_1`, and else :math:`\ell B` with :math:`B \sim \mathrm{Beta}(\alpha, \beta)` and a limit
:math:`0 < \ell \le 1`. For ranks a trial is a wrong label and a success that it beats the truth, so P = 1 - U*. For
problems tried n times, 1 - E(1-P)^k is the probability to solve one in k trials.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from classex._validation import as_finite_array
from classex.distributions.discrete import DiscreteDistribution
from classex.distributions.distribution import Evidence
from classex.distributions.wins import collapse_wins, log_choose
from classex.methods._method import HALVES, Method, Resampling
from classex.ranks import as_ranks
from classex.results import CorrectRanks

__all__ = ["BetaBinomial", "BetaBinomialDistribution"]

FloatArray = NDArray[np.float64]

_LOG_ODDS = np.arange(-34.5, 20.8, 0.08)
_EDGES = special.expit(_LOG_ODDS[:-1] + np.diff(_LOG_ODDS) / 2)
_CERTAIN = 40.0
# centres and widths of the weak prior of log alpha, log beta, logit of the limit, and log-odds of the atoms
_CENTRE = np.array([-0.5, 1.0, 3.0, -3.0, -3.0])
_WIDTH = np.array([1.5, 2.0, 4.0, 4.0, 4.0])
_BOUNDS = [(-4.0, 5.0), (-4.0, 9.0), (-8.0, 8.0), (-12.0, 8.0), (-12.0, 8.0)]
_STARTS = ((-0.5, 1.0), (-2.5, 2.0), (0.7, 0.7))
_NEARLY_PLAIN = (5.0, -6.0, -7.0)
_ABSENT = 30.0
# steps of scoring from a start nearby, how far its derivatives look, and the gain in nats that ends them
_STEPS, _HALVINGS, _MOVE, _SMALL_GAIN = 30, 6, 1e-4, 1e-3
_PLAIN = np.array([0.0, 0.0, _ABSENT, -_ABSENT, -_ABSENT])


@dataclass(frozen=True)
class BetaBinomialDistribution:
    r"""Law of the success probability P of a point, with U* = 1 - P.

    Attributes
    ----------
    alpha, beta : float
        Parameters of the beta law.
    limit : float
        The largest success probability below 1.
    never, always : float
        Probabilities of P = 0 and of P = 1.
    log_likelihood : float
        Weighted log-likelihood of all points in nats.
    limited : bool
        Whether the limit was fitted.
    atoms : bool
        Whether the atoms were fitted.

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
    log_likelihood: float = field(default=np.nan)
    limited: bool = True
    atoms: bool = True

    @property
    def evidence(self) -> Evidence:
        """Parameters and log-likelihood."""
        names = ("alpha", "beta", "limit", "never", "always")
        count = 2.0 + self.limited + 2 * self.atoms
        return Evidence({name: getattr(self, name) for name in names}, count, self.log_likelihood)

    @property
    def discrete(self) -> DiscreteDistribution:
        """The law on nodes of the probit of U*."""
        weight = _weights(self.alpha, self.beta, self.limit, self.never, self.always)
        nodes = -special.ndtri(special.expit(_LOG_ODDS))
        return DiscreteDistribution(np.concatenate([[_CERTAIN], nodes, [-_CERTAIN]]), weight)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        r"""Average accuracy for each number of classes; for `top` = 1 it is :math:`E (1-P)^{K-1}`."""
        return self.discrete.accuracy(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function: probability that 1 - P is at most u."""
        p = 1.0 - np.asarray(u, dtype=np.float64)
        inside = 1.0 - self.never - self.always
        below = np.where(p <= 0, 1.0, special.betaincc(self.alpha, self.beta, np.clip(p / self.limit, 0.0, 1.0)))
        out: FloatArray = self.always + inside * below + self.never * (p <= 0)
        return out

    def refit(
        self, ranks: CorrectRanks, scores: NDArray[Any] | None = None, classes: NDArray[np.int64] | None = None
    ) -> BetaBinomialDistribution:
        """Fit to other ranks, with a limit and with atoms if this law has them, from this law's own parameters."""
        return _fit_ranks(ranks, self.limited, self.atoms, start=_place(self))

    def variance(self, sizes: FloatArray, top: int = 1) -> None:
        """Return None: only resampling can tell."""


@dataclass(frozen=True, kw_only=True)
class BetaBinomial(Method):
    """Extrapolate with a beta law of the probability to be beaten by a random wrong label.

    Parameters
    ----------
    limited : bool
        Whether the support may end below 1.
    atoms : bool
        Whether there may be points that no wrong label beats, and points that all of them beat.

    Notes
    -----
    Needs ranks only. The law of choice for repeated attempts at a problem; recognition has twins, whose
    favourabilities no beta law has, and with atoms a part of the points is never beaten, however many classes
    come. Intervals by half-sampling of classes.

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

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> BetaBinomialDistribution:
        """Fit the beta-binomial law to the losses of the test points.

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
        return _fit_ranks(ranks, self.limited, self.atoms)

    def fit_counts(self, successes: ArrayLike, trials: ArrayLike) -> BetaBinomialDistribution:
        r"""Fit the beta-binomial law to numbers of successes in numbers of trials.

        Parameters
        ----------
        successes : array_like of int of shape (n,)
            Successes of each point.
        trials : int or array_like of int of shape (n,)
            Trials of each point, at least 1.

        Returns
        -------
        BetaBinomialDistribution
            ``1 - law.accuracy(k + 1)`` is the probability of at least one success in k trials.

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
        s = as_finite_array(successes, "successes", ndim=1, dtype=np.float64)
        n = as_finite_array(
            np.full(s.shape, trials) if np.ndim(trials) == 0 else trials, "trials", ndim=1, dtype=np.float64
        )
        if s.size == 0 or n.shape != s.shape:
            raise ValueError(
                f"successes and trials must have one entry for each point, but have {s.shape} and {n.shape}"
            )
        bad = (s != np.rint(s)) | (n != np.rint(n)) | (s < 0) | (s > n) | (n < 1)
        if bad.any():
            i = int(np.argmax(bad))
            raise ValueError(
                f"successes must be whole numbers from 0 to the trials, not {s[i]:g} of {n[i]:g} (entry {i})"
            )
        pairs, count = np.unique(np.stack([s, n]), axis=1, return_counts=True)
        return _fit(pairs[0], pairs[1], count / s.size, s.size, self.limited, self.atoms)


def _fit_ranks(
    ranks: CorrectRanks, limited: bool, atoms: bool, start: FloatArray | None = None
) -> BetaBinomialDistribution:
    counts = collapse_wins(as_ranks(ranks, sampled=True))
    return _fit(
        counts.n_wrong - counts.wins, counts.n_wrong, counts.weight, counts.n_points, limited, atoms, start=start
    )


def _fit(
    successes: FloatArray,
    trials: FloatArray,
    weight: FloatArray,
    n_points: int,
    limited: bool,
    atoms: bool,
    start: FloatArray | None = None,
) -> BetaBinomialDistribution:
    """Maximise the likelihood plus a prior worth about one point: from several starts, or by scoring from one."""
    s, n = successes[:, np.newaxis], trials[:, np.newaxis]
    log_odds = np.concatenate([[-_CERTAIN], _LOG_ODDS, [_CERTAIN]])
    log_likelihood = s * special.log_expit(log_odds) + (n - s) * special.log_expit(-log_odds) + log_choose(n, s)
    log_likelihood[:, 0] = np.where(successes == 0, 0.0, -np.inf)
    log_likelihood[:, -1] = np.where(successes == trials, 0.0, -np.inf)
    likelihood = np.exp(log_likelihood)

    def log_of_points(place: FloatArray) -> FloatArray:
        out: FloatArray = np.log(np.maximum(likelihood @ _weights(*_parameters(place)), 1e-300))
        return out

    def mean_log_likelihood(place: FloatArray) -> float:
        return float(weight @ log_of_points(place))

    def best(free: NDArray[np.bool_], starts: list[FloatArray]) -> FloatArray:
        def loss(part: FloatArray) -> float:
            place = _PLAIN.copy()
            place[free] = part
            off = (part - _CENTRE[free]) / _WIDTH[free]
            return 0.5 * float(off @ off) / n_points - mean_log_likelihood(place)

        bounds = [bound for bound, is_free in zip(_BOUNDS, free, strict=True) if is_free]
        options = {"ftol": 1e-12, "gtol": 1e-7, "maxiter": 200}
        fits = [
            optimize.minimize(loss, start[free], method="L-BFGS-B", bounds=bounds, options=options) for start in starts
        ]
        place = _PLAIN.copy()
        place[free] = min(fits, key=lambda fit: float(fit.fun)).x
        return place

    if start is not None:
        place = _scoring(likelihood, weight, n_points, start, _free(limited, atoms))
    else:
        place = best(_free(False, False), [np.append(first, _PLAIN[2:]) for first in _STARTS])
    if start is None and (limited or atoms):  # from the plain law, so that what is added cannot do worse
        starts = [np.append(place[:2], rest) for rest in (_NEARLY_PLAIN, _CENTRE[2:])]
        place = best(_free(limited, atoms), starts)
    log_likelihood = n_points * mean_log_likelihood(place)
    return BetaBinomialDistribution(*_parameters(place), log_likelihood, limited, atoms)


def _scoring(
    likelihood: FloatArray, weight: FloatArray, n_points: int, start: FloatArray, free: NDArray[np.bool_]
) -> FloatArray:
    """Take a few steps of scoring, each halved until it gains: enough where the start is near the maximum."""
    low, high = np.array(_BOUNDS).T
    inner = likelihood[:, 1:-1]
    steps = np.flatnonzero(free[:3])
    prior = np.where(free, _WIDTH**-2.0, 0.0) / n_points

    def objective(place: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        _, _, _, never, always = _parameters(place)
        within = inner @ _cells(*_parameters(place)[:3])
        point = np.maximum(
            never * likelihood[:, 0] + always * likelihood[:, -1] + (1 - never - always) * within, 1e-300
        )
        return float(weight @ np.log(point) - 0.5 * prior @ np.square(place - _CENTRE)), point, within

    place = start
    value, point, within = objective(place)
    for _ in range(_STEPS):
        _, _, _, never, always = _parameters(place)
        score = np.zeros((weight.size, place.size))
        for i in steps:
            moved = place + _MOVE * np.eye(place.size)[i]
            score[:, i] = (1 - never - always) * (inner @ _cells(*_parameters(moved)[:3]) - within) / _MOVE / point
        score[:, 3] = never * (likelihood[:, 0] / point - 1)
        score[:, 4] = always * (likelihood[:, -1] / point - 1)
        score[:, ~free] = 0.0
        slope = weight @ score - prior * (place - _CENTRE)
        curvature = (score * weight[:, np.newaxis]).T @ score + np.diag(np.where(free, prior, 1.0))
        step = np.linalg.solve(curvature, np.where(free, slope, 0.0))
        for _ in range(_HALVINGS):
            moved = np.where(free, np.clip(place + step, low, high), place)
            found = objective(moved)
            if found[0] > value:
                break
            step = 0.5 * step
        else:
            break
        gain, place, (value, point, within) = found[0] - value, moved, found
        if n_points * gain < _SMALL_GAIN:
            break
    return place


def _free(limited: bool, atoms: bool) -> NDArray[np.bool_]:
    """Which parameters are fitted."""
    return np.array([True, True, limited, atoms, atoms])


def _parameters(place: FloatArray) -> tuple[float, float, float, float, float]:
    """Alpha, beta, limit and the two atoms from numbers without bounds."""
    share = np.exp(np.append(place[3:], 0.0) - max(float(place[3:].max()), 0.0))
    never, always, _ = share / share.sum()
    return float(np.exp(place[0])), float(np.exp(place[1])), float(special.expit(place[2])), float(never), float(always)


def _place(distribution: BetaBinomialDistribution) -> FloatArray:
    """Return the numbers without bounds that stand for a law's parameters."""
    both = 1 - distribution.never - distribution.always
    place = [
        distribution.alpha,
        distribution.beta,
        distribution.limit / max(1 - distribution.limit, 1e-300),
        distribution.never / both,
        distribution.always / both,
    ]
    low, high = np.array(_BOUNDS).T
    out: FloatArray = np.clip(np.log(np.maximum(place, 1e-300)), low, high)
    return out


def _weights(alpha: float, beta: float, limit: float, never: float, always: float) -> FloatArray:
    """Probabilities of P = 0, of the cells around the nodes, and of P = 1."""
    out: FloatArray = np.concatenate([[never], (1 - never - always) * _cells(alpha, beta, limit), [always]])
    return out


@lru_cache(maxsize=2048)
def _cells(alpha: float, beta: float, limit: float) -> FloatArray:
    """Probabilities of the cells around the nodes under the beta law on [0, limit]."""
    below = special.betainc(alpha, beta, np.minimum(_EDGES / limit, 1.0))
    out: FloatArray = np.diff(np.concatenate([[0.0], below, [1.0]]))
    out.flags.writeable = False  # what is remembered is everybody's
    return out
