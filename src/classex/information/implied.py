"""Implied information: the parameter of the identification curve in high dimension."""

from __future__ import annotations

from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from classex._checks import as_probability, one_of
from classex._estimates import Interval, varies
from classex._loops.curves import subset_accuracy
from classex._types import FloatArray
from classex.curves.accuracy import accuracy_curve, degrees_of_freedom, jackknife_deviations
from classex.distributions import collapse_wins, probit_normal_log_pmf
from classex.distributions.probit_normal import accuracy_and_gradient
from classex.information.ceiling import CurveTest, ImpliedInformation, InformationDifference
from classex.methods.probit_normal import ProbitNormal, probit_normal_accuracy
from classex.ranks import as_ranks
from classex.ranks.ranks import CorrectRanks, DistractorTable

__all__ = ["compare_implied_information", "curve_test", "implied_information"]


Fitting = Literal["likelihood", "least_squares"]
# jackknife variances with fewer classes have fewer than four degrees of freedom
_FEWEST_CLASSES = 5
# the sum of squares runs over all sizes up to here; with more classes a geometric grid keeps the number of sizes
_EXACT_SIZES = 1024
# step of numerical derivatives in mu: about the fourth root of the rounding error
_STEP = 1e-4


# Estimate c of the root of twice the information, negative below chance, and its jackknife deviations
_Root = tuple[float, FloatArray]


def implied_information(
    ranks: CorrectRanks, *, method: Fitting = "likelihood", confidence_level: float = 0.95
) -> ImpliedInformation:
    r"""Information that the identification curve implies in high dimension, in nats.

    In high dimension the accuracy of the best decoder with k candidates tends to
    :math:`\bar\pi_k(\sqrt{2\iota})`, with :math:`\iota` the mutual information
    (`classex.identification_accuracy`). The implied information of any decoder is the :math:`\iota` whose curve is
    closest to its own: in likelihood of the ranks, or in least squares,

    .. math:: \hat\iota = \arg\min_{\iota \ge 0} \sum_{k=2}^{M} \left(\mathrm{ATA}_k -
              \bar\pi_k(\sqrt{2\iota})\right)^2.

    Parameters
    ----------
    ranks : CorrectRanks
        From `classex.correct_ranks` and its relatives, with M >= 5 classes.
    method : {"likelihood", "least_squares"}
        The likelihood takes :math:`\Phi^{-1}(U^*) \sim N(\sqrt{2\iota}, 1)` for the favourability of a test
        point; least squares is the estimator of the thesis.
    confidence_level : float
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    ImpliedInformation
        Estimate, standard error and interval. The interval covers the implied information of this decoder on
        fresh stimuli. It is not an interval for the mutual information: for a decoder that is not the best, or
        in low dimension, the two differ; see `curve_test` and `classex.information_confidence_bound`.

    Raises
    ------
    ValueError
        If there are fewer than five classes, the ranks carry no distractor table, or an option is unknown.
    TypeError
        If `ranks` is not a `CorrectRanks`.

    Notes
    -----
    Source: thesis section 5.4. The standard error comes from leaving out one stimulus at a time, as truth and
    as distractor, by one Newton step each. Stimuli are not drawn with replacement, because a copy of the
    right stimulus would compete with it. The interval is symmetric in :math:`\sqrt{2\iota}` and ends at 0. When every
    point is right its upper end is infinite, and least squares returns infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 400))
    >>> y = x + 10 * rng.normal(size=(200, 400))  # 200 log(1.01) = 1.99 nats
    >>> scores = y @ x.T - np.square(x).sum(axis=1) / 2
    >>> result = cx.implied_information(cx.correct_ranks(scores, range(200)))
    >>> abs(result.value - 1.99) < 2 * result.standard_error
    True
    """
    checked = as_ranks(ranks, min_classes=_FEWEST_CLASSES, distractors=True)
    kind = one_of(method, "method", get_args(Fitting))
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    k1 = checked.n_classes
    perfect = (checked.wins == k1 - 1).all()
    c, deviation = _by_likelihood(checked) if perfect or kind == "likelihood" else _by_least_squares(checked)
    variance = float(deviation @ deviation)
    half = float(special.stdtrit(_freedom(deviation, checked), 0.5 + level / 2) * np.sqrt(variance))
    interval = Interval(_information(c - half), np.inf if perfect else _information(c + half), level)
    if perfect and kind == "least_squares":
        return ImpliedInformation(np.inf, np.inf, interval, kind, k1)
    # the variance of c^2 / 2 for normal c, which does not vanish at chance
    error = float(np.sqrt(max(c, 0.0) ** 2 * variance + variance**2 / 2))
    return ImpliedInformation(_information(c), error, interval, kind, k1)


def compare_implied_information(
    first: CorrectRanks, second: CorrectRanks, *, method: Fitting = "likelihood", confidence_level: float = 0.95
) -> InformationDifference:
    r"""Difference of the implied information of two decoders on the same stimuli, paired.

    Parameters
    ----------
    first, second : CorrectRanks
        Ranks of the same M >= 5 stimuli, in the same order, by two decoders (two feature sets, two regions).
    method : {"likelihood", "least_squares"}
        As in `implied_information`.
    confidence_level : float
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    InformationDifference
        ``first`` minus ``second`` in nats, with standard error, interval and a two-sided p-value. Each stimulus
        is left out of both at once, so that what the two decoders have in common cancels.

    Raises
    ------
    ValueError
        If the numbers of classes differ or are below five, a decoder is always right, or an option is unknown.
    TypeError
        If an argument is not a `CorrectRanks`.

    Notes
    -----
    Source: thesis section 5.4, which compares decoders by their implied information.

    Stimuli that beat the right one for most responses enter the standard error only when they are in the sample. With
    a tenth of the stimuli of this kind, a test at the 5 % level can reject 8 % of true hypotheses. These few stimuli
    determine the variance, and it cannot be estimated from the others. Fewer degrees of freedom do not help.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(100, 50))
    >>> y = x + 3 * rng.normal(size=(100, 50))
    >>> whole, half = (
    ...     cx.correct_ranks(y @ x.T - np.square(x).sum(axis=1) / 2, range(100))
    ...     for x, y in ((x, y), (x[:, :25], y[:, :25]))
    ... )
    >>> cx.information.compare_implied_information(whole, half).interval.low > 0
    True
    """
    named = {"first": first, "second": second}
    both = [as_ranks(ranks, name, min_classes=_FEWEST_CLASSES, distractors=True) for name, ranks in named.items()]
    k1, k2 = (ranks.n_classes for ranks in both)
    if k1 != k2:
        raise ValueError(f"first and second must have the same classes, but have {k1} and {k2}")
    for name in ("clusters", "point_units"):
        if not np.array_equal(np.asarray(getattr(first, name)), np.asarray(getattr(second, name))):
            raise ValueError(f"first and second must have the same {name}, or none")
    kind = one_of(method, "method", get_args(Fitting))
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    for name, ranks in named.items():
        if (ranks.wins == ranks.n_classes - 1).all():
            raise ValueError(f"{name} identifies every stimulus, so its information has no upper limit to compare")
    (c, left), (d, right) = (
        _by_likelihood(ranks) if kind == "likelihood" else _by_least_squares(ranks) for ranks in both
    )
    value, scale = _information(c) - _information(d), _information(c) + _information(d)
    slope = max(c, 0.0) * left - max(d, 0.0) * right
    variance = float(slope @ slope + ((left @ left) ** 2 + (right @ right) ** 2) / 2 - (left @ right) ** 2)
    error = float(np.sqrt(max(variance, 0.0)))
    df = min(_freedom(slope, ranks) for ranks in both)
    half = float(special.stdtrit(df, 0.5 + level / 2)) * error
    p_value = float(2 * special.stdtr(df, -abs(value) / error)) if varies(error, scale) else 1.0
    return InformationDifference(value, error, Interval(value - half, value + half, level), p_value, kind)


def curve_test(ranks: CorrectRanks) -> CurveTest:
    r"""Test whether the one-parameter curve of implied information fits, within the two-parameter family.

    In the wider family :math:`\Phi^{-1}(U^*) \sim N(\mu, \nu^2)`; the curve of `implied_information` has
    :math:`\nu = 1`. Low dimension, outlying stimuli and suboptimal decoders show as :math:`\nu \ne 1`.

    Parameters
    ----------
    ranks : CorrectRanks
        With M >= 5 classes.

    Returns
    -------
    CurveTest
        The fitted :math:`\nu`, a z statistic with its two-sided p-value, and the largest distance between the
        observed curve and the two fitted ones. ``str()`` gives a sentence.

    Raises
    ------
    ValueError
        If there are fewer than five classes, only one of them has test points, or the ranks carry no distractor
        table.
    TypeError
        If `ranks` is not a `CorrectRanks`.

    Notes
    -----
    Source: thesis lemma 5.3.1 gives both families; the test is this package's. It is a score test of
    :math:`\nu = 1`: the slope of the likelihood in :math:`\log\nu` at the best :math:`\mu`, over its standard
    error. Points that share stimuli are dependent, so the standard error is the larger of two. The jackknife leaves
    out one stimulus at a time; with few classes it is often too small. The other is what :math:`\nu = 1`
    predicts, given how much the points of one class agree. The reference distribution is Student's, with one degree
    of freedom less than there are classes with test points.

    The test is conservative: with 5 to 20 classes it rejects a correct curve in about 1 % of cases or fewer. In
    simulations at level .05 it rejected :math:`\nu = .3` in about two thirds of the samples of 20 classes, and
    :math:`\nu = .5` and 2 nearly always with 50 classes. With 10 classes or fewer it has little power: it found
    :math:`\nu = 3` in a third of the samples and :math:`\nu = .3` in none. If no class differs from the others,
    as when every point is right, the statistic is 0 and the p-value 1. A large
    sample finds small departures too: look at the distances.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 1))
    >>> y = x + 0.2 * rng.normal(size=(200, 1))  # one dimension: far from the limit
    >>> ranks = cx.correct_ranks(-np.square(y - x.T), range(200))
    >>> cx.information.curve_test(ranks).p_value < 0.001
    True
    """
    checked = as_ranks(ranks, min_classes=_FEWEST_CLASSES, distractors=True)
    if checked.n_tested < 2:
        raise ValueError("ranks must have test points of at least 2 classes, not 1: the test compares classes")
    counts = collapse_wins(checked)
    mu = ProbitNormal(nu=1.0).fit(checked).mu

    def slopes(mu: float) -> FloatArray:
        return np.asarray(counts.weight @ probit_normal_log_pmf(counts.wins, counts.n_wrong, mu, 1.0)[1])

    # part of the slope in log nu that the slope in mu explains
    in_mu = slopes(mu - _STEP) - slopes(mu + _STEP)
    efficient = np.array([-in_mu[1] / in_mu[0], 1.0])
    deviation = _likelihood_deviations(checked, mu) @ efficient
    error = float(np.linalg.norm(deviation))
    expected, size = _error_under_the_curve(checked, mu)
    statistic = float(slopes(mu) @ efficient) / max(error, expected) if varies(error, size) else 0.0
    p_value = float(2 * special.stdtr(_freedom(deviation, checked), -abs(statistic)))
    wide = ProbitNormal().fit(checked)
    sizes = _sizes(checked.n_classes)[0]
    observed = accuracy_curve(checked, sizes, standard_errors=False).accuracy
    miss_one, miss_two = (
        float(np.abs(observed - probit_normal_accuracy(*pair, sizes)).max()) for pair in ((mu, 1.0), (wide.mu, wide.nu))
    )
    return CurveTest(wide.mu, wide.nu, float(np.sqrt(wide.covariance[1, 1])), statistic, p_value, miss_one, miss_two)


def _error_under_the_curve(ranks: CorrectRanks, mu: float) -> tuple[float, float]:
    """Standard error that nu = 1 predicts for the mean efficient score, and the standard deviation of one point's.

    The correlation of points of one class is estimated: their scores vary less within classes than nu = 1 predicts.
    """
    n = ranks.n_classes - 1
    log_pmf, scores = probit_normal_log_pmf(np.arange(n + 1.0), n, mu, 1.0)
    probability = np.exp(log_pmf)
    information = (scores.T * probability) @ scores
    efficient = scores[:, 1] - information[0, 1] / information[0, 0] * scores[:, 0]
    variance = float(probability @ np.square(efficient))
    total = np.concatenate([[0.0], np.cumsum(efficient)])
    value = (total[ranks.wins + ranks.ties + 1] - total[ranks.wins]) / (ranks.ties + 1)
    label = np.unique(ranks.labels, return_inverse=True)[1]
    points = np.bincount(label)
    within = np.square(value - (np.bincount(label, weights=value) / points)[label]).sum()
    shared = 1 - within / (variance * max((points - 1).sum(), 1)) if (points > 1).any() else 0.0
    alone = float((1 / points).mean())
    share = alone + (1 - alone) * float(np.clip(shared, 0, 1))
    return float(np.sqrt(variance * share / ranks.n_tested)), float(np.sqrt(variance))


def _freedom(deviation: FloatArray, ranks: CorrectRanks) -> float:
    return float(degrees_of_freedom(deviation[:, np.newaxis], ranks)[0])


def _information(c: float) -> float:
    return max(c, 0.0) ** 2 / 2


def _by_likelihood(ranks: CorrectRanks) -> _Root:
    fit = ProbitNormal(nu=1.0).fit(ranks)
    deviation = _likelihood_deviations(ranks, fit.mu)[:, 0]
    if not deviation.any():
        deviation = np.ones_like(deviation)
    # scaled to the variance of the fit, which includes the curvature and a least value for nearly perfect decoders
    return fit.mu, deviation * (np.sqrt(fit.covariance[0, 0]) / np.linalg.norm(deviation))


def _likelihood_deviations(ranks: CorrectRanks, mu: float) -> FloatArray:
    """Part of each group in the deviations of the slopes of the likelihood in mu and log nu, at nu = 1."""
    table = cast(DistractorTable, ranks.distractors)
    n = ranks.n_classes - 2
    kept, lost = (probit_normal_log_pmf(np.clip(wins, 0.0, n), n, mu, 1.0)[1] for wins in (table.wins, table.wins - 1))
    return jackknife_deviations(ranks, table, kept, lost)


def _sizes(n_classes: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Numbers of classes 2..n_classes in the sum, beyond `_EXACT_SIZES` on a geometric grid, and trapezoid weights."""
    sizes = np.arange(2, n_classes + 1)
    if n_classes > _EXACT_SIZES:
        coarse = np.rint(np.geomspace(_EXACT_SIZES / 2, n_classes, _EXACT_SIZES // 2)).astype(np.int64)
        sizes = np.unique(np.concatenate([sizes[: _EXACT_SIZES // 2 - 1], coarse]))
    gap = np.diff(sizes)
    return sizes, (np.append(gap, 1) + np.append(1, gap)) / 2


def _by_least_squares(ranks: CorrectRanks) -> _Root:
    k1 = ranks.n_classes
    sizes, weight = _sizes(k1)
    observed = accuracy_curve(ranks, sizes, standard_errors=False).accuracy

    def residuals(c: float) -> tuple[FloatArray, FloatArray]:
        value, gradient = accuracy_and_gradient(c, 1.0, sizes.astype(np.float64), 1)
        return observed - value, gradient[:, 0]

    def loss(c: float) -> float:
        return float(weight @ np.square(residuals(c)[0]))

    # the sum of squares is flat for very small and very large c: a coarse search finds the minimum
    start = float(min(np.linspace(-5.0, 15.0, 41), key=loss))
    c = float(optimize.minimize_scalar(loss, bounds=(start - 0.5, start + 0.5), method="bounded").x)
    below, above = (float((weight * value) @ slope) for value, slope in (residuals(c - _STEP), residuals(c + _STEP)))
    # without one stimulus the curve ends at M - 1 classes
    inside = sizes < k1
    influence = (weight * residuals(c)[1])[inside] * 2 * _STEP / (below - above)
    table = cast(DistractorTable, ranks.distractors)
    kept, lost = (
        subset_accuracy(np.clip(wins, 0, k1 - 2), k1 - 1, sizes[inside], 1) @ influence[:, np.newaxis]
        for wins in (table.wins, table.wins - 1)
    )
    return c, jackknife_deviations(ranks, table, kept, lost)[:, 0]
