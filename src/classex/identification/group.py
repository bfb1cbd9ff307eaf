"""From subjects to a population: a random-effects interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from classex._validation import as_finite_array, as_probability
from classex.results import Interval

__all__ = ["GroupEstimate", "random_effects"]


@dataclass(frozen=True)
class GroupEstimate:
    """Mean of a quantity over the population that the subjects were drawn from.

    Attributes
    ----------
    value : float
        Mean over subjects.
    standard_error : float
        Its standard error over subjects, which holds the error within subjects too.
    interval : Interval
        Student's interval with one degree of freedom less than there are subjects.
    between : float
        Estimated standard deviation between subjects, beyond what their own standard errors explain; 0 if these
        explain all.
    n_subjects : int
        Number of subjects.

    Examples
    --------
    >>> from classex.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> (
    ...     group.n_subjects,
    ...     group.interval.confidence_level,
    ...     round(group.standard_error, 3),
    ... )
    (4, 0.95, 0.212)
    """

    value: float
    standard_error: float
    interval: Interval
    between: float
    n_subjects: int


def random_effects(values: ArrayLike, standard_errors: ArrayLike, *, confidence_level: float = 0.95) -> GroupEstimate:
    r"""Mean over a population of subjects, with an interval for it.

    Subject i has value :math:`\theta_i`, drawn from the population with mean :math:`\theta` and variance
    :math:`\tau^2`, and an estimate with standard error :math:`s_i`. The mean of the estimates has variance
    :math:`(\tau^2 + \overline{s^2})/n`, estimated by their variance over n; :math:`\hat\tau^2` is what is left of that
    variance after the mean of the :math:`s_i^2` (method of moments).

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
        Mean, standard error, interval, and the spread between subjects.

    Raises
    ------
    ValueError
        If the lengths differ or are below two, an entry is not finite, or a standard error is negative.

    Notes
    -----
    All subjects weigh the same, so the mean estimates :math:`\theta` even if precise subjects differ from the others.
    Without it (a fixed-effects average) the claim is about these subjects only.

    The interval supposes that subjects are distributed about symmetrically. Three to ten subjects do not show whether
    they are. With a skewed population a 95 % interval covers less: 88 to 90 % for an exponential distribution of
    subjects, 80 to 85 % for a log-normal one. A transformation under which subjects are symmetric, such as the
    logarithm, helps if it is chosen beforehand; the interval is then for the mean on that
    scale.

    Examples
    --------
    >>> from classex.identification import random_effects
    >>> group = random_effects([2.0, 2.6, 1.7, 2.5], [0.2, 0.2, 0.2, 0.2])
    >>> round(group.value, 2), round(group.interval.low, 2), round(group.between, 2)
    (2.2, 1.52, 0.37)
    """
    x = as_finite_array(values, "values", ndim=1, dtype=np.float64)
    s = as_finite_array(standard_errors, "standard_errors", ndim=1, dtype=np.float64)
    level = as_probability(confidence_level, "confidence_level", open_ends=True)
    if x.size != s.size or x.size < 2:
        raise ValueError(f"values and standard_errors must be two or more and as many, not {x.size} and {s.size}")
    if (s < 0).any():
        raise ValueError(f"standard_errors must not be negative, but holds {s.min()}")
    variance = float(x.var(ddof=1))
    error = float(np.sqrt(variance / x.size))
    half = float(special.stdtrit(x.size - 1, 0.5 + level / 2)) * error
    between = float(np.sqrt(max(variance - float(np.square(s).mean()), 0.0)))
    value = float(x.mean())
    return GroupEstimate(value, error, Interval(value - half, value + half, level), between, x.size)
