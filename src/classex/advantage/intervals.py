"""Confidence intervals for the prediction advantage in the population."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from classex._rates import varies
from classex._validation import as_generator, as_positive_int, as_probability, one_of
from classex.advantage._class_targets import CostTarget, FloatArray, ZeroOneTarget
from classex.advantage._score import score_limits
from classex.advantage.measure import Case, Loss, output_shares, prepare
from classex.results import AdvantageInterval

__all__ = ["prediction_advantage_interval"]

#: A constant within this many standard errors of the best one may be the best in the population. At 1 the
#: unions cover up to 97.5 %, at 1/2 down to 92.5 % where ten modes are tied.
RIVAL_STANDARD_ERRORS = 0.75

#: Bootstrap weights are drawn in blocks of about this many numbers.
_BLOCK = 4_000_000


def prediction_advantage_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    loss: Loss = "zero_one",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    quantile: float | None = None,
    marginal: ArrayLike | None = None,
    marginal_prediction: Any = None,
    multioutput: str | ArrayLike = "uniform_average",
    confidence_level: float = 0.95,
    method: str = "delta",
    n_resamples: int = 2000,
    rng: Any = None,
) -> AdvantageInterval:
    r"""Confidence interval for the prediction advantage in the population the rows were drawn from.

    With :math:`\theta = R(f)/R(f_0)`, the rows' influence on its estimate is
    :math:`(\ell_i - \hat\theta\,\ell_{0i})/\hat R(f_0)`: because :math:`f_0` minimises the marginal risk, the
    error of estimating it enters at second order only.

    Parameters
    ----------
    y_true, y_pred, loss, sample_weight, labels, quantile, marginal, marginal_prediction
        As in `prediction_advantage`. Rows are taken as independent draws; weights as part of the draw (rows
        that count twice must stand twice).
    multioutput : {"uniform_average", "variance_weighted"} or array_like
        How several outputs are combined into the one number the interval is for.
    confidence_level : float
        Nominal coverage, in (0, 1).
    method : {"delta", "bootstrap"}
        ``"delta"`` (the better one, see the notes) or the bias-corrected and accelerated bootstrap of rows.
    n_resamples : int
        Bootstrap samples; at least 100.
    rng : int or numpy.random.Generator, optional
        Randomness of the bootstrap.

    Returns
    -------
    AdvantageInterval
        With ``low``, ``high``, ``confidence_level``, the estimate ``value``, its ``standard_error`` and the
        ``method``.

    Raises
    ------
    ValueError
        As `prediction_advantage`; also if every loss is 0 under a loss without an upper limit: rows that are
        all perfect say nothing about how large the losses still unseen are.

    Notes
    -----
    ``"delta"`` works on :math:`\log\theta`, whose sampling law is far more symmetric than that of the ratio.
    Its quantile is Student's, with the degrees of freedom of the variance estimate,
    :math:`2n/(\kappa-1)`, :math:`\kappa` the kurtosis of the rows' influences: with few rows of a rare class
    most of the variance sits in those few. For zero-one loss with equal weights the ratio of two dependent
    proportions is inverted by its score test instead, which keeps its coverage down to no error at all.
    With a cost matrix, a larger loss than any in the sample may occur. Its chance is at most
    :math:`1-(\alpha/2)^{1/n}`, whatever the distribution, and the upper limit of the risk is raised by this chance
    times the difference between the largest cost and the largest loss seen. The lower limit of :math:`\theta` allows
    for unseen labels on which :math:`f_0` would cost more. The risk never exceeds the largest cost. A rare label of
    which few rows or none are in the sample is covered less: with a share of .5 %, costs of 1 and 20 and 100 rows,
    intervals of level .95 covered in 75 % of simulations.

    Squared loss, absolute loss, pinball loss and cross-entropy have no largest value, so rare outliers that are not in
    the sample cannot be allowed for. With large errors in 1 % of the rows, 95 % intervals from 50 rows covered the
    true value in about 40 % of simulations (squared loss) and 57 % (cross-entropy). No interval based on the
    observed rows alone avoids this.

    The mode, the label of least expected cost and a median need not be unique, and the marginal risk has a
    corner where they change: there the estimate is biased, and no single delta interval is right. Every
    constant whose risk lies within three quarters of a standard error of the smallest is kept as a possible
    best one, and the interval is the union of theirs; for medians and quantiles the two ends of a gap in the
    labels.

    Near these corners and for few errors the bootstrap fails (no resample of a perfect record has an error);
    for rare classes it covers too little. The stored study ``benchmarks/coverage_advantage`` holds both.

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
    if isinstance(multioutput, str) and multioutput == "raw_values":
        raise ValueError("multioutput must combine the outputs into one number, not 'raw_values'")
    case = prepare(
        y_true, y_pred, loss=loss, sample_weight=sample_weight, labels=labels, quantile=quantile,
        marginal=marginal, marginal_prediction=marginal_prediction,
    )  # fmt: skip
    share = output_shares(case, multioutput)
    variance_weighted = isinstance(multioutput, str) and multioutput == "variance_weighted"
    if method == "delta":
        low, high = _delta_limits(case, share, variance_weighted, level)
    else:
        low, high = _bootstrap_limits(case, share, variance_weighted, level, resamples, as_generator(rng))
    ratio, influence = _ratio(case, case.reference, share, variance_weighted)
    return AdvantageInterval(1 - high, 1 - low, level, 1 - ratio, _norm(influence), method)


def _ratio(case: Case, reference: FloatArray, share: FloatArray, variance_weighted: bool) -> tuple[float, FloatArray]:
    """Theta and each row's influence on it, scaled so that the squares sum to the squared standard error."""
    w = case.weight / case.weight.sum()
    risk, marginal = w @ case.losses, w @ reference
    theta = risk / marginal
    value = float(theta @ share)
    if variance_weighted:
        slope = np.full(theta.shape, value)
        scale = np.full(theta.shape, 1 / marginal.sum())
    else:
        slope, scale = theta, share / marginal
    influence = w * ((case.losses - slope * reference) @ scale)
    n = int(np.count_nonzero(case.weight))
    return value, influence * np.sqrt(n / max(n - 1, 1))


def _norm(values: FloatArray) -> float:
    """Root of the sum of squares, also where a square overflows."""
    return float(linalg.norm(values))


def _references(case: Case) -> list[FloatArray]:
    """Rows' losses of the best constant, and of every other one that may be the best in the population."""
    kept = [case.reference]
    if not case.empirical:
        return kept
    w = case.weight / case.weight.sum()
    for rival in case.target.rivals(case.weight):
        reference = case.target.constant_losses(rival)
        excess = reference[:, 0] - case.reference[:, 0]
        mean = float(w @ excess)
        error = _norm(w * (excess - mean))
        if varies(error, np.abs(excess).max()) and mean <= RIVAL_STANDARD_ERRORS * error:
            kept.append(reference)
    return kept


def _delta_limits(case: Case, share: FloatArray, variance_weighted: bool, level: float) -> tuple[float, float]:
    equal = bool((case.weight == case.weight[0]).all())
    limits: list[tuple[float, float]] = []
    for reference in _references(case):
        if isinstance(case.target, ZeroOneTarget) and equal:
            limits.append(_zero_one_limits(case, reference[:, 0], level))
        else:
            limits.append(_general_limits(case, reference, share, variance_weighted, level))
    return min(low for low, _ in limits), max(high for _, high in limits)


def _zero_one_limits(case: Case, reference: FloatArray, level: float) -> tuple[float, float]:
    """Score limits; where the marginal risk is known, those of one proportion (Wilson)."""
    n = case.weight.size
    wrong = case.losses[:, 0]
    known = float(reference[0])
    if not case.empirical and 0 < known < 1 and bool((reference == known).all()):
        z2 = float(special.ndtri((1 + level) / 2)) ** 2
        rate = float(wrong.mean())
        centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
        half = np.sqrt(z2 / n * (rate * (1 - rate) + z2 / (4 * n))) / (1 + z2 / n)
        return float(max(centre - half, 0.0)) / known, float(min(centre + half, 1.0)) / known
    both = float(wrong @ reference)
    return score_limits(both, float(wrong.sum()) - both, float(reference.sum()) - both, n, level)


def _general_limits(
    case: Case, reference: FloatArray, share: FloatArray, variance_weighted: bool, level: float
) -> tuple[float, float]:
    """Limits on the scale of log theta, with room for losses larger than any that was seen."""
    used = case.weight > 0
    seen = bool(case.losses[used].any())
    low, high = 0.0, 0.0
    if seen:
        low, high = _log_limits(*_ratio(case, reference, share, variance_weighted), level)
    if isinstance(case.target, CostTarget):
        largest = float(case.target.cost.max())
    elif isinstance(case.target, ZeroOneTarget):
        largest = 1.0
    elif seen:
        return low, high
    else:
        raise ValueError(
            "every loss is 0, and this loss has no upper limit: rows that are all perfect bound neither the chance"
            " nor the size of a loss not yet seen, so there is no interval"
        )
    w = case.weight / case.weight.sum()
    effective = 1 / np.square(w).sum()
    # the chance of a loss larger than all n that were seen is at most this, whatever the distribution
    chance = float(-np.expm1(np.log((1 - level) / 2) / effective))
    risk, marginal = float((w @ case.losses)[0]), float((w @ reference)[0])
    high += chance * (largest - float(case.losses[used].max())) / marginal
    if low > 0:
        most = _largest_reference(case, reference)
        low = 1 / (1 / low + chance * (most - float(reference[used].max())) / risk)
    return low, max(min(high, largest / marginal), risk / marginal)


def _largest_reference(case: Case, reference: FloatArray) -> float:
    """Largest loss that the constant could have on a label, seen or not."""
    seen = float(reference.max())
    if not isinstance(case.target, CostTarget):
        return seen
    label, row = np.unique(case.target.codes, return_index=True)
    same = (case.target.cost[label] == reference[row]).all(axis=0)
    return max(seen, float(case.target.cost[:, same].max(initial=0.0)))


def _log_limits(value: float, influence: FloatArray, level: float) -> tuple[float, float]:
    size = _norm(influence)
    if not varies(size, value):
        return value, value
    n = influence.size
    kurtosis = n * ((influence / size) ** 4).sum()
    freedom = np.clip(2 * n / max(kurtosis - 1, 1e-300), 1, max(n - 1, 1))
    factor = np.exp(min(special.stdtrit(freedom, (1 + level) / 2) * size / value, 700))
    return float(value / factor), float(value * factor)


def _bootstrap_limits(
    case: Case,
    share: FloatArray,
    variance_weighted: bool,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Bias-corrected and accelerated limits of theta, rows drawn with replacement."""
    n = case.weight.size
    block = max(1, min(n_resamples, _BLOCK // n))
    thetas = []
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
        weights = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n) * case.weight
        weights = weights[weights.sum(axis=1) > 0]
        risk = weights @ case.losses / weights.sum(axis=1, keepdims=True)
        if case.empirical:
            marginal = case.target.best_risks(weights)
        else:
            marginal = weights @ case.reference / weights.sum(axis=1, keepdims=True)
        usable = (marginal > 0).all(axis=1)
        risk, marginal = risk[usable], marginal[usable]
        ratio = risk.sum(axis=1) / marginal.sum(axis=1) if variance_weighted else risk / marginal @ share
        thetas.append(ratio)
    theta = np.concatenate(thetas)
    if theta.size < 100:
        raise ValueError(
            f"only {theta.size} of {n_resamples} bootstrap samples had more than one label; use method='delta'"
        )
    value, influence = _ratio(case, case.reference, share, variance_weighted)
    below = (np.count_nonzero(theta < value) + np.count_nonzero(theta <= value)) / (2 * theta.size)
    shift = special.ndtri(np.clip(below, 1 / (theta.size + 1), theta.size / (theta.size + 1)))
    variance = np.square(influence).sum()
    bend = float((influence**3).sum() / (6 * variance**1.5)) if varies(_norm(influence), value) else 0.0
    ends = shift + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(theta, special.ndtr(shift + ends / (1 - bend * ends)))
    return float(low), float(high)
