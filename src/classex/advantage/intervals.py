"""Confidence intervals for the prediction advantage in the population."""

from __future__ import annotations

from math import exp, sqrt
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from classex._checks import as_generator, as_positive_int, as_probability, as_units, one_of
from classex._estimates import varies
from classex._result import seed_of
from classex._types import FloatArray
from classex.advantage.measure import AdvantageInterval, Case, LossOptions, make_target, prepare
from classex.advantage.targets import LabelTarget, blocks

__all__ = []


def score_limits(both: float, first: float, second: float, n: float, confidence_level: float) -> tuple[float, float]:
    r"""Limits of :math:`\theta = (p_{11}+p_{10})/(p_{11}+p_{01})` from paired yes/no outcomes.

    A value :math:`\theta` is kept when :math:`|T(\theta)| \le z`, T the difference
    :math:`\hat p_{1\cdot} - \theta \hat p_{\cdot 1}` over its standard error at the maximum of the likelihood
    among distributions with this :math:`\theta`.

    Parameters
    ----------
    both, first, second : float
        Numbers of pairs in which both, only the first, only the second are wrong. ``both + second > 0``.
    n : float
        Number of pairs.
    confidence_level : float
        Nominal coverage, in (0, 1).

    Returns
    -------
    low, high : float
        Limits of the ratio first over second, both finite.

    Notes
    -----
    Source: Nam and Blackwelder (2002). On the constraint the multinomial cells are a/(n + lam (1 - theta)),
    b/(n + lam), c/(n - lam theta), d/n: the last stays as observed, and the third solves a quadratic.
    """
    z = float(special.ndtri((1 + confidence_level) / 2))
    seen = (both + first + second) / n

    def statistic(theta: float) -> float:
        linear = (first + second) - (theta * theta - 1) * (both + second)
        root = sqrt(max(linear * linear + 4 * (1 + theta) * n * second * (theta - 1) * seen, 0.0))
        # for theta > 1 the linear term may be negative: the conjugate form does not cancel
        if linear >= 0:
            only_second = (linear + root) / (2 * (1 + theta) * n)
        else:
            only_second = 2 * second * (theta - 1) * seen / (root - linear)
        only_first = max(((theta - 1) * seen + only_second) / theta, 0.0)
        shared = max((seen - only_second) / theta - only_second, 0.0)
        variance = shared * (1 - theta) ** 2 + only_first + theta * theta * only_second
        difference = (both + first - theta * (both + second)) / n
        return sqrt(n / max(variance, 1e-300)) * difference

    def solve(value: float) -> float:
        # by halves: close to 0 the statistic is so rounded that other methods may find no change of sign
        low, high = -40.0, 40.0
        for _ in range(64):
            middle = (low + high) / 2
            low, high = (middle, high) if statistic(exp(middle)) > value else (low, middle)
        return exp((low + high) / 2)

    return (0.0 if both + first == 0 else solve(z)), solve(-z)


# a constant within this many standard errors of the best one may be the best in the population; at 1 the unions
# cover up to 97.5 %, at 1/2 down to 92.5 % where ten modes are tied
_RIVAL_STANDARD_ERRORS = 0.75


def prediction_advantage_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    units: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: Literal["delta", "bootstrap"] = "delta",
    n_resamples: int = 2000,
    rng: Any = None,
    **options: Unpack[LossOptions],
) -> AdvantageInterval:
    r"""Confidence interval for the prediction advantage in the population the rows were drawn from.

    With :math:`\theta = R(f)/R(f_0)`, the rows' influence on its estimate is
    :math:`(\ell_i - \hat\theta\,\ell_{0i})/\hat R(f_0)`: because :math:`f_0` minimises the marginal risk, the
    error of estimating it enters at second order only.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `prediction_advantage`. Rows are taken as independent draws, weights as part of the draw: a row that
        was drawn twice must be given twice.
    units : array_like of shape (n,), optional
        Unit of each row, such as its subject, if rows of one unit are not independent. With the method "delta".
    confidence_level : float
        Nominal coverage, in (0, 1).
    method : {"delta", "bootstrap"}
        ``"delta"`` (the better one, see the notes) or the bias-corrected and accelerated bootstrap of rows.
    n_resamples : int
        Bootstrap samples; at least 100.
    rng : int or numpy.random.Generator, optional
        Randomness of the bootstrap.
    **options
        `loss`, `labels` and `quantile`, as in `prediction_advantage`.

    Returns
    -------
    AdvantageInterval
        With ``low``, ``high``, ``confidence_level``, the estimate ``value``, its ``standard_error`` and the
        ``method``.

    Raises
    ------
    ValueError
        As `prediction_advantage`; also if every loss is 0 under a loss without an upper limit, because perfect
        rows do not limit the losses not yet seen. With `units`, if the method is not "delta", or the influences of all
        units are 0, because perfect rows do not show how units differ.

    Notes
    -----
    ``"delta"`` works on :math:`\log\theta`, whose sampling distribution is far more symmetric than that of the
    ratio. Its quantile is Student's, with the degrees of freedom of the variance estimate,
    :math:`2n/(\kappa-1)`, :math:`\kappa` the kurtosis of the rows' influences: with few rows of a rare class
    they contribute most of the variance. For zero-one loss with equal weights the ratio of two dependent
    proportions is inverted by its score test instead, which keeps its coverage even without any error.
    With a cost matrix, a larger loss than any in the sample may occur. Its probability is at most
    :math:`1-(\alpha/2)^{1/n}`, whatever the distribution, and the upper limit of the risk is raised by this
    probability times the difference between the largest cost and the largest loss seen. The lower limit of
    :math:`\theta` allows for unseen labels on which :math:`f_0` would cost more. The risk never exceeds the largest
    cost. A rare label with few rows or none in the sample is covered less: with a share of .5 %, costs of 1 and 20,
    and 100 rows, intervals of level .95 covered in 75 % of simulations.

    Squared loss, absolute loss, pinball loss and cross-entropy have no largest value, so rare outliers that are not in
    the sample cannot be allowed for. With large errors in 1 % of the rows, 95 % intervals from 50 rows covered the
    true value in about 40 % of simulations (squared loss) and 57 % (cross-entropy). No interval based on the
    observed rows alone avoids this.

    The mode, the label of least expected cost and a median need not be unique. Where they change, the marginal risk
    has a corner, the estimate is biased, and no single delta interval is right. Every constant whose risk lies within
    three quarters of a standard error of the smallest is kept as a possible best one; for medians and quantiles, the
    two ends of a gap in the labels. The interval is the union of theirs.

    Near these corners and for few errors the bootstrap fails, because no resample of a perfect sample has an error;
    for rare classes it covers too little. The study ``benchmarks/coverage`` compares both.

    Source of the score test: J.-M. Nam and W. C. Blackwelder, "Analysis of the ratio of marginal probabilities
    in a matched-pair setting", Statistics in Medicine 21 (2002) 689-699.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.advantage import prediction_advantage_interval
    >>> y_true, y_pred = (
    ...     np.repeat([0, 0, 1, 1], [55, 5, 6, 34]),
    ...     np.repeat([0, 1, 0, 1], [55, 5, 6, 34]),
    ... )
    >>> interval = prediction_advantage_interval(y_true, y_pred)
    >>> print(f"{interval.value:.3f} ({interval.low:.3f} to {interval.high:.3f})")
    0.725 (0.518 to 0.848)
    """
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    one_of(method, "method", ("delta", "bootstrap"))
    resamples = as_positive_int(n_resamples, "n_resamples", minimum=100)
    case = prepare(make_target(y_true, **options), y_pred, sample_weight)
    if method == "delta":
        low, high = _delta_limits(case, level)
    else:
        low, high = _bootstrap_limits(case, level, resamples, as_generator(rng))
    ratio, influence = _ratio(case, case.reference)
    seed = seed_of(rng) if method == "bootstrap" else None
    error = float(linalg.norm(influence))  # of SciPy: no square overflows
    if units is not None:
        if method != "delta":
            raise ValueError("units go with method='delta', not with the bootstrap, which draws rows")
        unit = as_units(units, influence.size, of="row")
        error = float(linalg.norm(np.bincount(unit, weights=influence)) * np.sqrt((unit.max() + 1) / unit.max()))
        if error == 0:
            raise ValueError("units must differ in their losses: perfect rows do not show how units differ")
        half = special.stdtrit(unit.max(), 0.5 + level / 2) * error / ratio
        low, high = min(low, ratio * np.exp(-half)), max(high, ratio * np.exp(half))
    return AdvantageInterval(1 - high, 1 - low, level, 1 - ratio, error, method, seed, influence.size)


def _ratio(case: Case, reference: FloatArray) -> tuple[float, FloatArray]:
    """Theta and each row's influence on it, scaled so that the squares sum to the squared standard error."""
    w = case.weight / case.weight.sum()
    marginal = float(w @ reference)
    theta = float(w @ case.losses) / marginal
    n = int(np.count_nonzero(w))
    return theta, w * (case.losses - theta * reference) / marginal * np.sqrt(n / max(n - 1, 1))


def _delta_limits(case: Case, level: float) -> tuple[float, float]:
    """Union of the limits for every constant that may be the best in the population."""
    references = [case.reference]
    w = case.weight / case.weight.sum()
    for rival in case.target.rivals(case.weight):
        reference = case.target.constant_losses(rival)
        excess = reference - case.reference
        mean = float(w @ excess)
        error = linalg.norm(w * (excess - mean))
        if varies(error, np.abs(excess).max()) and mean <= _RIVAL_STANDARD_ERRORS * error:
            references.append(reference)
    zero_one = isinstance(case.target, LabelTarget) and case.target.cost is None
    limits = _zero_one_limits if zero_one and (case.weight == case.weight[0]).all() else _general_limits
    low, high = zip(*(limits(case, reference, level) for reference in references), strict=True)
    return min(low), max(high)


def _zero_one_limits(case: Case, reference: FloatArray, level: float) -> tuple[float, float]:
    """Score limits of the ratio of the two error rates."""
    both = float(case.losses @ reference)
    first, second = float(case.losses.sum()) - both, float(reference.sum()) - both
    return score_limits(both, first, second, case.weight.size, level)


def _general_limits(case: Case, reference: FloatArray, level: float) -> tuple[float, float]:
    """Limits on the scale of log theta, with room for larger losses than any in the sample."""
    used = case.weight > 0
    w = case.weight / case.weight.sum()
    theta, influence = _ratio(case, reference)
    low, high = _log_limits(theta, influence, level) if theta > 0 else (0.0, 0.0)
    if not isinstance(case.target, LabelTarget):
        if theta > 0:
            return low, high
        raise ValueError(
            "every loss is 0, and this loss has no upper limit: rows that are all perfect bound neither the probability"
            " nor the size of a loss not yet seen, so there is no interval"
        )
    largest, most = 1.0, float(reference.max())
    if case.target.cost is not None:
        largest = float(case.target.cost.max())
        # the largest loss that the constant could have on any label, seen or not
        label, row = np.unique(case.target.codes, return_index=True)
        same = (case.target.cost[label] == reference[row, np.newaxis]).all(axis=0)
        most = max(most, float(case.target.cost[:, same].max(initial=0.0)))
    # the probability of a loss larger than all n that were seen is at most this, whatever the distribution
    unseen = float(-np.expm1(np.log((1 - level) / 2) * np.square(w).sum()))
    marginal = float(w @ reference)
    high += unseen * (largest - float(case.losses[used].max())) / marginal
    if low > 0:
        low = 1 / (1 / low + unseen * (most - float(reference[used].max())) / (theta * marginal))
    return low, max(min(high, largest / marginal), theta)


def _log_limits(theta: float, influence: FloatArray, level: float) -> tuple[float, float]:
    size = linalg.norm(influence)
    if not varies(size, theta):
        return theta, theta
    n = influence.size
    kurtosis = n * ((influence / size) ** 4).sum()
    freedom = np.clip(2 * n / max(kurtosis - 1, 1e-300), 1, max(n - 1, 1))
    factor = float(np.exp(min(special.stdtrit(freedom, (1 + level) / 2) * size / theta, 700)))
    return theta / factor, theta * factor


def _bootstrap_limits(case: Case, level: float, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Bias-corrected and accelerated limits of theta, rows drawn with replacement."""
    n = case.weight.size
    ratios = []
    for rows in blocks(n_resamples, n):
        size = rows.stop - rows.start
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
        weights = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n) * case.weight
        weights = weights[weights.sum(axis=1) > 0]
        marginal = case.target.best_risks(weights)
        usable = marginal > 0
        ratios.append((weights @ case.losses / weights.sum(axis=1))[usable] / marginal[usable])
    theta = np.concatenate(ratios)
    if theta.size < 100:
        raise ValueError(
            f"only {theta.size} of {n_resamples} bootstrap samples had more than one label; use method='delta'"
        )
    value, influence = _ratio(case, case.reference)
    # resamples that equal the observed ratio except for rounding count half
    below = np.where(np.isclose(theta, value, rtol=1e-12, atol=0), 0.5, theta < value).mean()
    shift = special.ndtri(np.clip(below, 1 / (theta.size + 1), theta.size / (theta.size + 1)))
    size = linalg.norm(influence)
    bend = float(((influence / size) ** 3).sum() / 6) if varies(size, value) else 0.0
    ends = shift + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(theta, special.ndtr(shift + ends / (1 - bend * ends)))
    return float(low), float(high)
