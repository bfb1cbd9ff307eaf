"""Implied information: the one number that a whole identification curve comes down to in high dimension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from classex._kernels.ranks import subset_accuracy
from classex._rates import varies
from classex._validation import as_probability, one_of
from classex.curves.accuracy import accuracy_curve
from classex.curves.jackknife import jackknife_deviations
from classex.distributions import collapse_wins, probit_normal_log_pmf
from classex.information._results import CurveTest, ImpliedInformation, InformationDifference
from classex.methods.probit_normal import ProbitNormal, accuracy_and_gradient, probit_normal_accuracy
from classex.ranks import as_ranks
from classex.results import CorrectRanks, DistractorTable, Interval

__all__ = ["compare_implied_information", "curve_test", "implied_information"]

FloatArray = NDArray[np.float64]

METHODS = ("likelihood", "least_squares")
FEWEST_CLASSES = 5
# all numbers of classes up to here enter the sum of squares; beyond, a geometric grid with trapezoid weights
_EXACT_SIZES = 1024
_FARTHEST = 40.0


@dataclass(frozen=True)
class _Place:
    """Estimate c of sqrt(2 information) (negative below chance), and what leaving out each group adds to it."""

    c: float
    deviation: FloatArray
    saturated: bool

    @property
    def variance(self) -> float:
        return float(np.square(self.deviation).sum())


def implied_information(
    ranks: CorrectRanks, *, method: str = "likelihood", confidence_level: float = 0.95
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
        From `classex.correct_ranks` and its relatives or `IdentificationModel.identify`, with M >= 5 classes.
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
    as distractor, by one Newton step each. Stimuli are never drawn with replacement: a copy of the right
    stimulus would compete with it. The interval is symmetric in :math:`\sqrt{2\iota}` and ends at 0. When every
    point is right its upper end is infinite, and least squares returns infinity.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 400))
    >>> # information 200 log(1.01) = 1.99 nats
    >>> y = x + 10 * rng.normal(size=(200, 400))
    >>> result = cx.implied_information(
    ...     cx.correct_ranks(y @ x.T - np.square(x).sum(axis=1) / 2, range(200))
    ... )
    >>> abs(result.value - 1.99) < 2 * result.standard_error
    True
    """
    _check_ranks(ranks)
    kind = one_of(method, "method", METHODS)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    place = _place(ranks, kind)
    variance = place.variance
    half = float(special.stdtrit(ranks.n_classes - 1, 0.5 + level / 2) * np.sqrt(variance))
    low, high = _information(place.c - half), _information(place.c + half)
    if place.saturated:
        if kind == "least_squares":
            return ImpliedInformation(np.inf, np.inf, Interval(low, np.inf, level), kind, ranks.n_classes)
        high = np.inf
    # the variance of c^2 / 2 for normal c, which does not vanish at chance
    error = float(np.sqrt(max(place.c, 0.0) ** 2 * variance + variance**2 / 2))
    return ImpliedInformation(_information(place.c), error, Interval(low, high, level), kind, ranks.n_classes)


def compare_implied_information(
    first: CorrectRanks, second: CorrectRanks, *, method: str = "likelihood", confidence_level: float = 0.95
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
        is left out of both at once, so what makes it easy for both cancels.

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
    a tenth of the stimuli of this kind, a test at the 5 % level can reject 8 % of true hypotheses: the few such
    stimuli decide the variance, and no formula recovers them from the others. Fewer degrees of freedom do not help.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(100, 50))
    >>> y = x + 3 * rng.normal(size=(100, 50))
    >>> half = cx.correct_ranks(
    ...     y[:, :25] @ x[:, :25].T - np.square(x[:, :25]).sum(axis=1) / 2,
    ...     range(100),
    ... )
    >>> whole = cx.correct_ranks(y @ x.T - np.square(x).sum(axis=1) / 2, range(100))
    >>> cx.information.compare_implied_information(whole, half).interval.low > 0
    True
    """
    _check_ranks(first, "first")
    _check_ranks(second, "second")
    if first.n_classes != second.n_classes:
        raise ValueError(
            f"first and second must have the same classes, but have {first.n_classes} and {second.n_classes}"
        )
    kind = one_of(method, "method", METHODS)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    one, two = _place(first, kind), _place(second, kind)
    for place, name in ((one, "first"), (two, "second")):
        if place.saturated:
            raise ValueError(f"{name} identifies every stimulus, so its information has no upper limit to compare")
    value = _information(one.c) - _information(two.c)
    shared = float(one.deviation @ two.deviation)
    slope = max(one.c, 0.0) * one.deviation - max(two.c, 0.0) * two.deviation
    variance = float(np.square(slope).sum()) + (one.variance**2 + two.variance**2) / 2 - shared**2
    error = float(np.sqrt(max(variance, 0.0)))
    df = max(min(first.n_tested, second.n_tested) - 1, 1)
    half = float(special.stdtrit(df, 0.5 + level / 2)) * error
    scale = _information(one.c) + _information(two.c)
    p_value = float(2 * special.stdtr(df, -abs(value) / error)) if varies(error, scale) else 1.0
    return InformationDifference(value, error, Interval(value - half, value + half, level), p_value, kind)


def curve_test(ranks: CorrectRanks) -> CurveTest:
    r"""Ask whether the one-parameter curve of implied information fits, against the two-parameter family.

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
        observed curve and the two fitted ones. ``str()`` says it in words.

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
    :math:`\nu = 3` in a third of the samples and :math:`\nu = .3` in none. Where no class differs from the others
    in any respect, as when every point is right, nothing can be tested: the statistic is 0 and the p-value 1. A large
    sample finds departures too small to matter: look at the distances.

    Examples
    --------
    >>> import numpy as np
    >>> import classex as cx
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 1))
    >>> y = x + 0.2 * rng.normal(size=(200, 1))  # one dimension: far from the limit
    >>> cx.information.curve_test(
    ...     cx.correct_ranks(-np.square(y - x.T), range(200))
    ... ).p_value < 0.001
    True
    """
    _check_ranks(ranks)
    if ranks.n_tested < 2:
        raise ValueError("ranks must have test points of at least 2 classes, not 1: the test compares classes")
    counts = collapse_wins(ranks)
    mu = ProbitNormal(nu=1.0).fit(ranks).mu
    step = 1e-4

    def slope(at: float, log_nu: float) -> FloatArray:
        gradient = probit_normal_log_pmf(counts.wins, counts.n_wrong, at, float(np.exp(log_nu)))[1]
        return np.asarray(counts.weight @ gradient)

    # how the slopes in mu and log nu move with mu: the part of the slope in log nu that mu explains
    in_mu = (slope(mu - step, 0.0) - slope(mu + step, 0.0)) / (2 * step)
    scores = _likelihood_scores(ranks, mu)
    efficient = scores[:, 1] - in_mu[1] / in_mu[0] * scores[:, 0]
    k1 = ranks.n_classes
    here = slope(mu, 0.0)
    error = float(np.sqrt((k1 - 1) / k1 * np.square(efficient).sum()))
    expected, size = _error_under_the_curve(ranks, mu)
    statistic = 0.0
    if varies(error, size):
        statistic = float(here[1] - in_mu[1] / in_mu[0] * here[0]) / max(error, expected)
    p_value = float(2 * special.stdtr(ranks.n_tested - 1, -abs(statistic)))
    wide = ProbitNormal().fit(ranks)
    sizes = _sizes(k1)[0]
    observed = accuracy_curve(ranks, sizes).accuracy
    one = float(np.abs(observed - probit_normal_accuracy(mu, 1.0, sizes)).max())
    two = float(np.abs(observed - probit_normal_accuracy(wide.mu, wide.nu, sizes)).max())
    return CurveTest(wide.mu, wide.nu, float(np.sqrt(wide.covariance[1, 1])), statistic, p_value, one, two)


def _error_under_the_curve(ranks: CorrectRanks, mu: float) -> tuple[float, float]:
    """Standard error that nu = 1 predicts for the mean efficient score, and the standard deviation of one point's.

    Points of one class are correlated by as much as their scores vary less within classes than nu = 1 predicts.
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
    shared = 1 - within / (variance * (points - 1).sum()) if (points > 1).any() else 0.0
    alone = float((1 / points).mean())
    share = alone + (1 - alone) * float(np.clip(shared, 0, 1))
    return float(np.sqrt(variance * share / ranks.n_tested)), float(np.sqrt(variance))


def _check_ranks(ranks: CorrectRanks, name: str = "ranks") -> None:
    as_ranks(ranks, name, min_classes=FEWEST_CLASSES, distractors=True)


def _table(ranks: CorrectRanks) -> DistractorTable:
    if ranks.distractors is None:  # pragma: no cover - _check_ranks has seen to it
        raise AssertionError
    return ranks.distractors


def _information(c: float) -> float:
    return max(c, 0.0) ** 2 / 2


def _place(ranks: CorrectRanks, method: str) -> _Place:
    saturated = bool((ranks.wins == ranks.n_classes - 1).all())
    if method == "likelihood" or saturated:
        return _by_likelihood(ranks, saturated)
    return _by_least_squares(ranks)


def _by_likelihood(ranks: CorrectRanks, saturated: bool) -> _Place:
    fit = ProbitNormal(nu=1.0).fit(ranks)
    scores = _likelihood_scores(ranks, fit.mu)[:, 0]
    # scaled to the variance of the fit, which also holds the curvature and a floor for nearly perfect decoders
    size = float(np.linalg.norm(scores))
    scale = float(np.sqrt(fit.covariance[0, 0])) / size if size > 0 else 0.0
    deviation = scores * scale
    if size == 0:
        deviation = np.full(scores.size, np.sqrt(fit.covariance[0, 0] / scores.size))
    return _Place(fit.mu, deviation, saturated)


def _likelihood_scores(ranks: CorrectRanks, mu: float) -> FloatArray:
    """Change of the slopes of the likelihood in mu and log nu, at nu = 1, when each group is left out."""
    table = _table(ranks)
    n = ranks.n_classes - 2
    wins = table.wins.astype(np.float64)
    kept = probit_normal_log_pmf(np.minimum(wins, n), n, mu, 1.0)[1]
    lost = probit_normal_log_pmf(np.clip(wins - 1, 0, n), n, mu, 1.0)[1]
    return jackknife_deviations(ranks, table, kept, lost)


def _sizes(n_classes: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Numbers of classes 2..n_classes that stand for all of them, and how many each stands for."""
    if n_classes <= _EXACT_SIZES:
        sizes = np.arange(2, n_classes + 1)
        return sizes, np.ones(sizes.size)
    coarse = np.rint(np.geomspace(_EXACT_SIZES / 2, n_classes, _EXACT_SIZES // 2)).astype(np.int64)
    sizes = np.unique(np.concatenate([np.arange(2, _EXACT_SIZES // 2 + 1), coarse]))
    gap = np.diff(sizes)
    return sizes, np.concatenate([[1.0], gap[1:] / 2, [0.5]]) + np.concatenate([[0.0], gap[:-1] / 2, [gap[-1] / 2]])


def _by_least_squares(ranks: CorrectRanks) -> _Place:
    k1 = ranks.n_classes
    sizes, weight = _sizes(k1)
    counts = sizes.astype(np.float64)
    observed = accuracy_curve(ranks, sizes).accuracy

    def residuals(c: float) -> tuple[FloatArray, FloatArray]:
        value, gradient = accuracy_and_gradient(c, 1.0, counts, 1)
        return observed - value, gradient[:, 0]

    def loss(c: float) -> float:
        return float(weight @ np.square(residuals(c)[0]))

    # the sum of squares is flat far out on both sides: a coarse search finds the valley
    grid = np.linspace(-5.0, 15.0, 41)
    start = float(grid[np.argmin([loss(c) for c in grid])])
    found = optimize.minimize_scalar(loss, bounds=(start - 0.5, min(start + 0.5, _FARTHEST)), method="bounded")
    c = float(found.x)
    gradient = residuals(c)[1]
    step = 1e-4
    downhill = [float((weight * value) @ slope) for value, slope in (residuals(c - step), residuals(c + step))]
    curvature = (downhill[0] - downhill[1]) / (2 * step)
    # without one stimulus the curve ends at M - 1 classes
    inside = sizes < k1
    influence = (weight * gradient)[inside] / curvature
    table = _table(ranks)
    last = np.full_like(table.wins, k1 - 2)
    kept, lost = (
        subset_accuracy(np.clip(wins, 0, last), k1 - 1, sizes[inside], 1, True) @ influence
        for wins in (table.wins, table.wins - 1)
    )
    deviation = jackknife_deviations(ranks, table, kept[:, np.newaxis], lost[:, np.newaxis])[:, 0]
    return _Place(c, np.sqrt((k1 - 1) / k1) * deviation, False)
