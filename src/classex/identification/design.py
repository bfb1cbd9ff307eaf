"""Power of the permutation test of identification, and the least information that an experiment detects."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from classex._kernels.ranks import subset_accuracy
from classex._validation import as_positive_float, as_positive_int, as_probability

__all__ = ["detectable_information", "identification_power"]

# Fewest orders of the stimuli, times the level, for which the normal approximation was within .02 of simulations
_FEWEST_ORDERS = 5
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
        If an argument is out of range, or the stimuli have too few orders for the level: fewer than 5 divided by it.

    Notes
    -----
    The variance under permutations is a sum of :math:`(k-1)^2` squares, one of which is the square of the statistic:
    hence the t distribution (chapter 5). The step of the statistic is h, a multiple of :math:`1/n`, and :math:`\gamma`
    its skewness under permutations, by which the quantile is corrected (Cornish and Fisher). Noise is assumed to be
    independent from response to response, and the decoder to be trained on other data. ``benchmarks/stimuli`` compares
    the power with simulations. With `n_classes` near k the test has few steps where fewer than about ten
    responses are expected to be correct by chance, and the power depends on where its critical value falls.

    Examples
    --------
    >>> from classex.identification import identification_power
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
    if k < 171 and factorial(k) * alpha < _FEWEST_ORDERS:
        raise ValueError(f"n_stimuli must have at least {_FEWEST_ORDERS / alpha:g} orders for the level, not {k}!")
    wins = np.arange(k, dtype=np.int64)
    value = subset_accuracy(wins, k, np.array([m]), 1, False)[:, 0]
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
    >>> from classex.identification import detectable_information
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
