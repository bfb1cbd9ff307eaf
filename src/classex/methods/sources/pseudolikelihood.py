"""Maximum pseudolikelihood of D from the wrong labels that beat the correct one, rank by rank."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classex._checks import one_of
from classex._optional import SOLVING, solve_problem
from classex._types import FloatArray
from classex.curves.accuracy import win_distribution
from classex.distributions.bases import Basis, PiecewiseLinearBasis
from classex.distributions.distribution import Distribution, Evidence
from classex.methods.protocol import Method
from classex.methods.regression import Discriminability
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks

__all__ = ["VARIANTS", "Pseudolikelihood", "PseudolikelihoodDistribution", "PseudolikelihoodRegression", "rank_moments"]


Variant = Literal["unconstrained", "moment", "monotone", "monotone moment"]
VARIANTS = get_args(Variant)
_MOST_TERMS = 200  # pooled ranks move predictions by less than .003 (see the tests)
_ROUNDING = 1e-12  # of a sum of 10^4 probabilities
_CACHED_PROBLEMS = 32  # a few numbers of classes for each variant
_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"solver": "CLARABEL"},
    {"solver": "CLARABEL", "tol_gap_abs": 1e-6, "tol_gap_rel": 1e-6, "tol_feas": 1e-6},
    {"solver": "SCS", "eps": 1e-6, "max_iters": 50_000},
)
_WHAT = "the pseudolikelihood fit of the discriminability function"


def rank_moments(basis: Basis, n_classes: int, positions: NDArray[np.int64]) -> FloatArray:
    """E h(B), B ~ Beta(m, k1 - m), for the m-th lowest of k1 - 1 wrong labels: shape (n, n_functions)."""
    k1 = np.array([float(n_classes)])
    return np.vstack([basis.moments_of_reals(k1, n_classes - int(m)) for m in positions])


class PseudolikelihoodRegression:
    r"""Maximum pseudolikelihood of D, built once and solved many times.

    The m-th lowest of the :math:`k_1 - 1` wrong labels beats the truth with probability
    :math:`\gamma_m = \int D\, d\mathrm{Beta}(m, k_1 - m)`. As if the ranks were independent,

    .. math:: \max_D \sum_m \bar C_m \log \gamma_m + (1 - \bar C_m) \log(1 - \gamma_m).

    Parameters
    ----------
    basis : Basis
        Basis in which D is expanded.
    n_classes : int
        Number of observed classes :math:`k_1`.
    moment : bool
        Whether the fitted error with :math:`k_1` classes must equal the observed one.
    monotone : bool
        Whether D must not fall. It stays within [0, 1] in any case.

    Notes
    -----
    Source: November 2016 draft, section 4, corrected (see the errata page). Beyond 200 ranks neighbouring
    ones are pooled, in groups whose distance from the top grows evenly on the log scale.
    """

    def __init__(self, basis: Basis, n_classes: int, *, moment: bool = False, monotone: bool = True) -> None:
        import cvxpy as cp

        self.basis, self.n_classes = basis, n_classes
        losses = np.arange(n_classes - 1)
        self._group = losses
        if losses.size > _MOST_TERMS:
            step = np.log1p(losses) / np.log1p(losses[-1]) * _MOST_TERMS
            group = np.unique(np.minimum(losses, np.floor(step)), return_inverse=True)[1][::-1]
            self._group = group.max() - group
        self._size = np.bincount(self._group)
        gamma = self._gamma = self._group_moments()
        # functions that increase need no more than non-negative coefficients
        increasing = monotone and basis.increasing
        self._beta = cp.Variable(basis.n_functions, nonneg=increasing)
        self._beats, self._loses = (cp.Parameter(self._size.size, nonneg=True) for _ in range(2))
        values = (basis.evaluate(1.0) if increasing else basis.shape_rows()) @ self._beta
        constraints = [values >= 0, values <= 1]
        if monotone and not increasing:
            constraints.append(cp.diff(values) >= 0)
        self._last = cp.Parameter() if moment else None
        if moment:
            last = basis.moments_of_reals(np.array([float(n_classes)]))[0]
            constraints.append(last @ self._beta == self._last)
        p = gamma @ self._beta
        likelihood = self._beats @ cp.log(p) + self._loses @ cp.log(1 - p)
        self._problem = cp.Problem(cp.Maximize(likelihood), constraints)

    def _group_moments(self) -> FloatArray:
        """Mean of the moments over each group of ranks, or over nine ranks of a long group."""
        rows = []
        for last, size in zip(np.cumsum(self._size), self._size, strict=True):
            positions = np.unique(np.linspace(last - size + 1, last, min(size, 9)).round().astype(np.int64))
            rows.append(rank_moments(self.basis, self.n_classes, positions).mean(axis=0))
        return np.array(rows)

    def value(self, coefficients: FloatArray, beats: FloatArray) -> float:
        """Return the log-pseudolikelihood of a D, in nats for each test point and wrong label."""
        total = np.bincount(self._group, weights=np.clip(beats, 0.0, 1.0))
        p = np.clip(self._gamma @ coefficients, 1e-15, 1 - 1e-15)
        return float(total @ np.log(p) + (self._size - total) @ np.log1p(-p)) / (self.n_classes - 1)

    def solve(self, beats: FloatArray) -> Discriminability:
        """Fit D to the fractions of points that the 1st, ..., (k1-1)-th lowest wrong label beats.

        Raises
        ------
        SolverError
            If the problem was not solved to optimality; the error carries the status.
        """
        total = np.bincount(self._group, weights=np.clip(beats, 0.0, 1.0))
        scale = 1.0 / (self.n_classes - 1)
        with SOLVING:
            self._beats.value, self._loses.value = total * scale, np.maximum(self._size - total, 0.0) * scale
            if self._last is not None:
                self._last.value = float(beats[-1])
            status = solve_problem(self._problem, _WHAT, _ATTEMPTS)
            beta = np.asarray(self._beta.value, dtype=np.float64)
        fitted = rank_moments(self.basis, self.n_classes, np.array([self.n_classes - 1]))[0] @ beta
        return Discriminability(self.basis, beta, abs(float(fitted - beats[-1])), status)


@dataclass(frozen=True)
class PseudolikelihoodDistribution(Distribution):
    """A distribution whose discriminability function has the largest pseudolikelihood.

    Attributes
    ----------
    discriminability : Discriminability
        The fitted D.
    variant : str
        Constraints on D.
    log_likelihood : float
        Log-pseudolikelihood of all test points, in nats, as if their ranks were independent.

    Examples
    --------
    >>> import classex as cx
    >>> distribution = cx.methods.sources.Pseudolikelihood(
    ...     variant="monotone moment"
    ... ).fit(cx.ranks_from_wins([2, 3, 1, 1], 4))
    >>> distribution.variant, distribution.discriminability.accuracy([4]).round(4)
    ('monotone moment', array([0.25]))
    """

    discriminability: Discriminability
    variant: str
    log_likelihood: float = field(default=0.0)

    @property
    def evidence(self) -> Evidence:
        """Number of coefficients, log-pseudolikelihood, and the distance from the accuracy with all classes."""
        fit = self.discriminability
        return Evidence({}, float(fit.coefficients.size), self.log_likelihood, fit.residual)

    def accuracy(self, sizes: FloatArray, top: int = 1) -> FloatArray:
        """Average accuracy for each number of classes."""
        return self.discriminability.accuracy_of_reals(sizes, top)

    def cdf(self, u: FloatArray) -> FloatArray:
        """Discriminability function at favourabilities u, confined to [0, 1]."""
        return np.clip(self.discriminability(u), 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Pseudolikelihood(Method):
    r"""Extrapolate with the D of largest pseudolikelihood.

    The m-th lowest of the :math:`k_1 - 1` wrong labels beats the truth with probability
    :math:`\gamma_m = \int D\, d\mathrm{Beta}(m, k_1 - m)`. D maximises the likelihood of these events, as if the
    ranks of a test point were independent of each other.

    Parameters
    ----------
    variant : {"unconstrained", "moment", "monotone", "monotone moment"}
        Constraints besides :math:`0 \le D \le 1`, as in the draft: none; the fitted error at :math:`k_1` classes
        equals the observed one; D does not fall; both.
    basis : Basis, optional
        Basis for D; by default hat functions at 40 nodes.

    Notes
    -----
    Needs ranks only. An unconstrained D follows the noise, and predictions far beyond :math:`k_1` depend on the last
    node. The variants are for comparisons.

    Source: November 2016 draft, section 4, with the distribution of the ranks corrected (see the errata page).

    Examples
    --------
    >>> import classex as cx
    >>> ranks = cx.correct_ranks(
    ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
    ... )
    >>> est = cx.Extrapolator(
    ...     cx.methods.sources.Pseudolikelihood(variant="monotone moment")
    ... ).fit_ranks(ranks)
    >>> float(est.predict(4)[0].round(4))
    0.25
    """

    variant: Variant = "monotone"
    basis: Basis | None = None

    def fit(self, ranks: CorrectRanks, scores: NDArray[Any] | None = None) -> PseudolikelihoodDistribution:
        """Fit D by maximum pseudolikelihood.

        Parameters
        ----------
        ranks : CorrectRanks
            Ranks with k1 classes.
        scores : ndarray, optional
            Not used: ranks suffice.

        Returns
        -------
        PseudolikelihoodDistribution

        Raises
        ------
        ValueError, TypeError
            If a setting is not accepted, or the fitted error must equal the observed one and no point is right.
        SolverError
            If the problem was not solved to optimality.

        Examples
        --------
        >>> import numpy as np
        >>> import classex as cx
        >>> ranks = cx.correct_ranks(
        ...     [[2, 3, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 2, 3, 1]], [0, 1, 2, 3]
        ... )
        >>> cx.methods.sources.Pseudolikelihood(variant="monotone moment").fit(
        ...     ranks
        ... ).accuracy(np.array([4.0])).round(4)
        array([0.25])
        """
        kind = one_of(self.variant, "variant", VARIANTS)
        if self.basis is not None and not isinstance(self.basis, Basis):
            raise TypeError(f"basis must be a Basis of classex.distributions, not {type(self.basis).__name__}")
        k1 = as_ranks(ranks).n_classes
        basis = PiecewiseLinearBasis.for_data(k1, ranks.labels.size / k1) if self.basis is None else self.basis
        # the m-th lowest wrong label beats the points with fewer than m wins
        beats = np.cumsum(win_distribution(ranks))[:-1]
        if "moment" in kind and beats[-1] > 1 - _ROUNDING > beats[0]:
            raise ValueError(
                f"variant must be 'unconstrained' or 'monotone' where no point is right, not {kind!r}: an accuracy of 0"
                " fits only D = 1, against which no point wins"
            )
        problem = _built(basis, k1, "moment" in kind, kind.startswith("monotone"))
        fit = problem.solve(beats)
        return PseudolikelihoodDistribution(
            fit, kind, ranks.labels.size * (k1 - 1) * problem.value(fit.coefficients, beats)
        )

    def refit(
        self,
        fitted: PseudolikelihoodDistribution,
        ranks: CorrectRanks,
        scores: NDArray[Any] | None = None,
        classes: NDArray[np.int64] | None = None,
    ) -> PseudolikelihoodDistribution:
        """Fit to other ranks in the same basis."""
        return replace(self, basis=fitted.discriminability.basis).fit(ranks)


@lru_cache(maxsize=_CACHED_PROBLEMS)
def _built(basis: Basis, n_classes: int, moment: bool, monotone: bool) -> PseudolikelihoodRegression:
    """Build a problem once for all the fits that share its size."""
    return PseudolikelihoodRegression(basis, n_classes, moment=moment, monotone=monotone)
