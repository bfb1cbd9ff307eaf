"""Identification from responses: design, the exchangeability of units, tests."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special, stats

from classex._checks import (
    as_finite_array,
    as_generator,
    as_groups,
    as_labels,
    as_positive_float,
    as_positive_int,
    as_probability,
    as_scores,
)
from classex._estimates import Interval
from classex._loops.curves import subset_accuracy
from classex._moved import or_moved
from classex._result import Result, seed_of

__all__ = [
    "GroupEstimate",
    "PermutationTest",
    "detectable_information",
    "identification_power",
    "permutation_test",
    "random_effects",
]

__getattr__ = or_moved("classex.identification")


@dataclass(frozen=True)
class PermutationTest(Result):
    """Identification accuracy against its distribution under shuffled labels.

    Attributes
    ----------
    accuracy : float
        Observed average accuracy with `n_classes` candidates.
    permuted : ndarray of shape (n_permutations,)
        The same under random permutations of the stimuli.
    p_value : float
        One-sided: the share of permutations that do as well, the observed one included.
    n_classes : int
        Number of candidates.
    seed : int or None
        Seed of the permutations, if it was given as a number.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> test = permutation_test(scores, n_permutations=99, rng=1)
    >>> test.permuted.max() < test.accuracy, test.p_value
    (np.True_, 0.01)
    """

    accuracy: float
    permuted: NDArray[np.float64]
    p_value: float
    n_classes: int
    seed: int | None = None

    _says: ClassVar[str] = (
        "Identification accuracy {accuracy} with {n_classes} candidates; p = {p_value} among {permuted} permutations."
    )

    def _table(self) -> dict[str, Any]:
        return {
            "n_classes": [self.n_classes],
            "accuracy": [self.accuracy],
            "p_value": [self.p_value],
            "n_permutations": [self.permuted.size],
            "best_permutation": [self.permuted.max()],
        }


@dataclass(frozen=True)
class GroupEstimate(Result):
    """Mean of a quantity over the population that the subjects were drawn from.

    Attributes
    ----------
    value : float
        Mean over subjects.
    standard_error : float
        Its standard error over subjects, which includes the error within subjects.
    interval : Interval
        Student's interval, with one degree of freedom less than there are subjects.
    between : float
        Estimated standard deviation between subjects, beyond what their own standard errors explain; 0 if these
        explain all.
    n_subjects : int
        Number of subjects.

    Examples
    --------
    >>> from classex.fields.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> group.n_subjects, round(group.value, 2), round(group.standard_error, 3)
    (4, 2.2, 0.212)
    """

    value: float
    standard_error: float
    interval: Interval
    between: float
    n_subjects: int

    _says: ClassVar[str] = "Mean of {n_subjects} subjects: {found}; standard deviation between them {between}."


# Fewest orders of the stimuli, times the level, for which the normal approximation was within .02 of simulations
_FEWEST_ORDERS = 5
# Fewest stimuli, and responses in all, for which the power was within .02 of simulations: see benchmarks/stimuli
_FEWEST_STIMULI, _FEWEST_RESPONSES = 6, 18
# Largest effect searched, in nats: two-way accuracy is then 1 in double precision
_MOST_NATS = 100.0


def identification_power(
    information: float, n_stimuli: int, n_repeats: int, *, level: float = 0.05, n_classes: int = 2
) -> float:
    r"""Power of `permutation_test` in an experiment with k stimuli and r responses to each.

    In the limit of many weakly informative responses (chapter 5), the score of the correct stimulus exceeds those of
    the others, which are standard normal, by :math:`\sqrt{2\iota}`, and the average accuracy among m candidates is
    :math:`\mu = \bar\pi_m(\sqrt{2\iota})`. With :math:`\sigma^2` the variance of the accuracy of one response,
    :math:`\sigma_0^2` the same without information, :math:`n = kr` and :math:`\delta = \mu - 1/m`, the power is
    approximately the probability that T exceeds :math:`\tau`, where T has the noncentral t distribution with
    :math:`k(k-2)` degrees of freedom and noncentrality :math:`(\delta - h/2) \sqrt n / \sigma`, and

    .. math:: \tau = z \sqrt{\frac{v}{k - 1 - z^2/(k-1)}}, \qquad
              v = \frac{(k-1) \sigma_0^2 - \delta^2}{\sigma^2} - \frac{1}{k-1}, \qquad
              z = z_{1-\alpha} + \frac{z_{1-\alpha}^2 - 1}{6} \gamma .

    Parameters
    ----------
    information : float
        Mutual information :math:`\iota` of a stimulus and a response, in nats.
    n_stimuli, n_repeats : int
        Numbers k of stimuli and r of responses to each.
    level : float
        Level :math:`\alpha` of the test.
    n_classes : int
        Number m of candidates in the statistic, as in `permutation_test`: 2, the default, for two-way accuracy, up to
        k for the share of responses whose best candidate is correct.

    Returns
    -------
    float
        Probability of a p-value of at most `level`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, there are fewer than 6 stimuli or 18 responses, for which the approximation
        fails, or the stimuli have too few orders for the level: fewer than 5 divided by it.

    Notes
    -----
    The variance under permutations is a sum of :math:`(k-1)^2` squares, one of which is the square of the statistic:
    hence the t distribution (chapter 5). The step of the statistic is h, a multiple of :math:`1/n`, and :math:`\gamma`
    its skewness under permutations, by which the quantile is corrected (Cornish and Fisher). Noise is assumed to be
    independent from response to response, and the decoder to be trained on other data. ``benchmarks/stimuli`` compares
    the power with simulations: for two-way accuracy it is within .02 in every design. With `n_classes` above 2 the test
    has few steps, the power depends on where its critical value falls, and the formula is up to .03 too high even where
    ten or more responses are expected to be correct by chance.

    Examples
    --------
    >>> from classex.fields.identification import identification_power
    >>> (
    ...     round(identification_power(0.05, 60, 1), 2),
    ...     round(identification_power(0.05, 60, 1, n_classes=60), 2),
    ... )
    (0.76, 0.16)
    """
    iota = as_positive_float(information, "information", allow_zero=True)
    k, r = as_positive_int(n_stimuli, "n_stimuli", minimum=2), as_positive_int(n_repeats, "n_repeats")
    alpha = as_probability(level, "level", open_ends=True)
    m = as_positive_int(n_classes, "n_classes", minimum=2, maximum=k)
    if k < _FEWEST_STIMULI or k * r < _FEWEST_RESPONSES:
        fewest = f"{_FEWEST_STIMULI} stimuli and {_FEWEST_RESPONSES} responses in all"
        raise ValueError(
            f"n_stimuli and n_repeats must give at least {fewest}, not {k} and {k * r}: simulate the power"
        )
    if k < 171 and factorial(k) * alpha < _FEWEST_ORDERS:
        raise ValueError(f"n_stimuli must have at least {_FEWEST_ORDERS / alpha:g} orders for the level, not {k}!")
    wins = np.arange(k, dtype=np.int64)
    value = subset_accuracy(wins, k, np.array([m]), 1)[:, 0]
    mean, second = np.stack([value, value**2]) @ _wins(np.sqrt(2 * iota), k)
    gain, n = mean - 1 / m, k * r
    # of one response; below the floor the power is 1, and SciPy's distribution fails at noncentralities of 1e10
    variance = max(second - mean**2, np.sqrt(np.finfo(float).eps) * value.var())
    # the critical value is a multiple of the step of the statistic: half a step above the quantile, on average
    step = np.diff(np.unique(value))[0] / n
    # skewness under permutations, of single responses and of the number of stimuli that stay in place
    moved = gain / (k - 1)
    skewness = (((value - 1 / m) ** 3).mean() / n**2 + moved**3) / (value.var() / n + moved**2) ** 1.5
    z = special.ndtri(1 - alpha)
    z += (z**2 - 1) * skewness / 6
    # mean of the squares apart from the statistic's own
    rest = max(((k - 1) * value.var() - gain**2) / variance - 1 / (k - 1), 0.0)
    threshold = z * np.sqrt(rest / max(k - 1 - z**2 / (k - 1), np.finfo(float).eps))
    return float(stats.nct.sf(threshold, k * (k - 2), (gain - step / 2) * np.sqrt(n / variance)))


def _wins(shift: float, k: int) -> NDArray[np.float64]:
    """Probability of 0, ..., k - 1 wins of a normal score with this mean against standard normal ones."""
    z = shift + np.linspace(-8.0, 8.0, 401)
    weight = np.exp(-0.5 * (z - shift) ** 2)
    return np.asarray(stats.binom.pmf(np.arange(k)[:, np.newaxis], k - 1, special.ndtr(z)) @ (weight / weight.sum()))


def detectable_information(
    n_stimuli: int, n_repeats: int, *, power: float = 0.8, level: float = 0.05, n_classes: int = 2
) -> float:
    r"""Least information that `permutation_test` detects with a given power, with k stimuli and r responses to each.

    With two-way accuracy it is close to :math:`\frac{\pi}{6} (z_{1-\alpha} + z_{1-\beta})^2 \frac{k+1}{(k-1) k r}` if
    that is small, so that for a fixed number of responses more stimuli are always better.

    Parameters
    ----------
    n_stimuli, n_repeats, level, n_classes
        As in `identification_power`.
    power : float
        Probability :math:`1 - \beta` of detection, above `level`.

    Returns
    -------
    float
        Mutual information of a stimulus and a response, in nats.

    Raises
    ------
    TypeError, ValueError
        As in `identification_power`, or if no information up to 100 nats is detected with this power.

    Examples
    --------
    >>> from classex.fields.identification import detectable_information
    >>> [round(detectable_information(k, 240 // k), 4) for k in (6, 20, 60, 240)]
    [0.0207, 0.015, 0.014, 0.0136]
    """
    goal = as_probability(power, "power", open_ends=True)

    def missing(log_information: float) -> float:
        nats = float(np.exp(log_information))
        return identification_power(nats, n_stimuli, n_repeats, level=level, n_classes=n_classes) - goal

    low, high = np.log(1e-12), np.log(_MOST_NATS)
    if not missing(low) < 0 < missing(high):
        raise ValueError(f"power must be above level and within reach of {n_stimuli} stimuli, not {power!r}")
    return float(np.exp(optimize.brentq(missing, low, high)))


def permutation_test(
    scores: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    n_classes: int = 2,
    n_permutations: int = 9999,
    rng: Any = None,
) -> PermutationTest:
    """Test identification against chance by shuffling which stimulus evoked which response.

    Parameters
    ----------
    scores : array_like of shape (n_test, n_stimuli)
        Score of every candidate stimulus for every response, from a decoder trained on *other* data.
    labels : array_like of int, shape (n_test,), optional
        Column of the right stimulus for each response. By default response i belongs to column i.
    runs : array_like of shape (n_stimuli,), optional
        Run (or block, or session) in which each stimulus was shown. Stimuli are then shuffled within their runs only;
        use it if responses drift from run to run. By default all stimuli are shuffled together.
    n_classes : int
        The statistic is the average accuracy with this many candidates. With 2 it is the mean normalised rank.
    n_permutations : int
        Number of random permutations.
    rng : None, int or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    PermutationTest
        Observed accuracy, its values under permutation, and the p-value
        ``(1 + number at least as large) / (1 + n_permutations)``.

    Raises
    ------
    ValueError
        If a score is not finite, labels are out of range or missing for a matrix that is not square, a stimulus has
        no response, `runs` has another length than the stimuli, every run holds one stimulus only, or a number is out
        of range.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Exact at any level if, when responses do not depend on the stimuli, every order of the stimuli (within runs) would
    have been as probable as the one that was shown: randomise the order. It is not enough that there is no signal:
    drift makes responses to neighbours in time similar, and with a fixed order a decoder may learn that. A repeated
    stimulus is permuted with all its responses, because these may be correlated for reasons other than the stimulus.
    This requires equal numbers of responses to all stimuli. Ties count in expectation over
    random tie-breaking.

    Examples
    --------
    >>> import numpy as np
    >>> from classex.fields.identification import permutation_test
    >>> scores = np.eye(20) + np.random.default_rng(0).normal(size=(20, 20))
    >>> permutation_test(scores, n_permutations=999, rng=1).p_value
    0.001
    """
    matrix = as_scores(scores)
    n, k1 = matrix.shape
    if labels is None and n != k1:
        raise ValueError(f"labels must be given where scores is not square, but its shape is {matrix.shape}")
    truth = as_labels(np.arange(n) if labels is None else labels, n, k1)
    count = np.bincount(truth)
    if (count != count[0]).any():
        raise ValueError(
            f"labels must give all stimuli one number of responses, but stimulus {int(np.argmax(count))} has"
            f" {count.max()} and stimulus {int(np.argmin(count))} has {count.min()}"
        )
    k = as_positive_int(n_classes, "n_classes", minimum=2, maximum=k1)
    draws = as_positive_int(n_permutations, "n_permutations")
    generator = as_generator(rng)
    # gain[s, t]: summed accuracy if stimulus t had evoked the responses to stimulus s
    gain = np.zeros((k1, k1))
    np.add.at(gain, truth, _accuracy_of_every_label(matrix, k) / n)
    rows, runs_of_stimuli = np.arange(k1), _members(runs, k1)
    observed = float(gain[rows, rows].sum())
    permuted = np.empty(draws)
    for i in range(draws):
        order = rows.copy()
        for members in runs_of_stimuli:
            order[members] = generator.permutation(members)
        permuted[i] = gain[rows, order].sum()
    # sums of the same numbers in another order differ by rounding
    as_large = int((permuted >= observed - 1e-12).sum())
    return PermutationTest(observed, permuted, (1 + as_large) / (1 + draws), k, seed_of(rng))


def _members(runs: ArrayLike | None, k1: int) -> list[Any]:
    """Stimuli of each run."""
    group = as_groups(np.zeros(k1) if runs is None else runs, "runs", k1)[1]
    parts = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    if max(part.size for part in parts) < 2:
        raise ValueError("runs must hold at least one run with two stimuli: otherwise there is nothing to shuffle")
    return parts


def _accuracy_of_every_label(scores: Any, k: int) -> Any:
    """Subset accuracy with k classes if this column were the right one, for every entry of the matrix."""
    k1 = scores.shape[1]
    # sum of C(w, k-1) over w < x is C(x, k); a run of t + 1 tied labels averages over its ranks
    low = stats.rankdata(scores, method="min", axis=1).astype(np.int64) - 1
    high = stats.rankdata(scores, method="max", axis=1).astype(np.int64)
    of_wins = subset_accuracy(np.arange(k1, dtype=np.int64), k1, np.array([k]), 1)[:, 0]
    cumulative = np.concatenate([[0.0], np.cumsum(of_wins)])
    return (cumulative[high] - cumulative[low]) / (high - low)


def random_effects(values: ArrayLike, standard_errors: ArrayLike, *, confidence_level: float = 0.95) -> GroupEstimate:
    r"""Mean over a population of subjects, with an interval for it.

    Subject i has value :math:`\theta_i`, drawn from the population with mean :math:`\theta` and variance
    :math:`\tau^2`, and an estimate with standard error :math:`s_i`. The mean of the estimates has variance
    :math:`(\tau^2 + \overline{s^2})/n`, estimated by their variance over n. By the method of moments,
    :math:`\hat\tau^2` is their variance minus the mean of the :math:`s_i^2`.

    Parameters
    ----------
    values : array_like of shape (n_subjects,)
        One estimate for each subject, at least two.
    standard_errors : array_like of shape (n_subjects,)
        Their standard errors.
    confidence_level : float
        Nominal coverage, in (0, 1).

    Returns
    -------
    GroupEstimate
        Mean, standard error, interval, and the standard deviation between subjects.

    Raises
    ------
    ValueError
        If the lengths differ or are below two, an entry is not finite, or a standard error is negative.

    Notes
    -----
    All subjects have the same weight, so the mean estimates :math:`\theta` even if precise subjects differ from the
    others. A fixed-effects average would be about these subjects only.

    The interval assumes a nearly symmetric distribution of subjects, which three to ten subjects cannot show. With a
    skewed population a 95 % interval covers less often: 88 to 90 % for an exponential distribution of subjects, 80 to
    85 % for a log-normal one. A transformation to symmetry, such as the logarithm, helps if it is chosen beforehand;
    the interval is then for the mean on that scale.

    Examples
    --------
    >>> from classex.fields.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> round(group.value, 2), round(group.interval.low, 2), round(group.between, 2)
    (2.2, 1.52, 0.37)
    """
    x = as_finite_array(values, "values", ndim=1, dtype=np.float64)
    s = as_finite_array(standard_errors, "standard_errors", ndim=1, dtype=np.float64)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    if x.size != s.size or x.size < 2:
        raise ValueError(f"values and standard_errors must have one length of at least 2, not {x.size} and {s.size}")
    if (s < 0).any():
        raise ValueError(f"standard_errors must not be negative, but holds {s.min()}")
    value, variance = float(x.mean()), float(x.var(ddof=1))
    error = float(np.sqrt(variance / x.size))
    half = float(special.stdtrit(x.size - 1, 0.5 + level / 2)) * error
    between = float(np.sqrt(max(variance - float(np.square(s).mean()), 0.0)))
    return GroupEstimate(value, error, Interval(value - half, value + half, level), between, x.size)
