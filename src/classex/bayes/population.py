"""Classes drawn without replacement from a finite population."""

from __future__ import annotations

from math import expm1, log1p

import numpy as np

from classex._validation import as_positive_int


def distinct_share(n_classes: int, population_size: int) -> float:
    r"""E[D]/k, with D the number of distinct classes among k independent draws from N equally likely ones.

    Parameters
    ----------
    n_classes : int
        Number of draws k, at least 1.
    population_size : int
        Number of classes N, at least 1.

    Returns
    -------
    float
        :math:`N(1 - (1 - 1/N)^k)/k`, in (0, 1].

    Examples
    --------
    >>> from classex.bayes import distinct_share
    >>> [round(distinct_share(k, 468), 5) for k in (10, 100, 300)]
    [0.99044, 0.90125, 0.73883]
    """
    k = as_positive_int(n_classes, "n_classes")
    size = as_positive_int(population_size, "population_size")
    return 1.0 / k if size == 1 else -size * expm1(k * log1p(-1 / size)) / k


def spread_without_replacement(n_classes: int, population_size: int) -> float:
    r"""Sum over draws i of ((N-k)/(N-i))^2, over k: what is left of McDiarmid's exponent without replacement.

    Parameters
    ----------
    n_classes : int
        Number of classes k drawn.
    population_size : int
        Number of classes N in the population, at least k.

    Returns
    -------
    float
        Between 0 (the population has been seen) and 1 (it is infinite).

    Notes
    -----
    Given the first i-1 classes, let class i be a or b. Draw the others jointly, and where b turns up in the first
    case let a turn up in the second: then both samples hold the same classes. That has probability (k-i)/(N-i);
    otherwise the samples differ in one class. So the mean moves by at most (N-k)/(N-i) times the effect of one class.

    Examples
    --------
    >>> from classex.bayes.bounds import spread_without_replacement
    >>> (
    ...     round(spread_without_replacement(100, 468), 4),
    ...     spread_without_replacement(5, 5),
    ... )
    (0.7882, 0.0)
    """
    if n_classes == population_size:
        return 0.0
    left = population_size - n_classes
    return float(np.square(left / (left + np.arange(n_classes))).mean())
