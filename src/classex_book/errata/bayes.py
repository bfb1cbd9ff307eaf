"""Corrections on the Bayes accuracy and its confidence bound."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from classex.curves.accuracy import accuracy_curve
from classex.models import GaussianClasses
from classex.ranks import correct_ranks
from classex_book.errata._entry import Values, erratum


@erratum("B1")
def variance_on_an_interval() -> Values:
    """Largest variance of a variable on an interval of length 1/2."""
    coin = np.array([0.0, 0.5])
    return 1 / (4 * 0.5**2), 0.5**2 / 4, coin.var(), 0.0


@erratum("B2")
def accuracy_that_counts_errors() -> Values:
    """Test accuracy of a sample from 20 classes."""
    sample = GaussianClasses(n_features=10, noise=0.1).sample(20, n_repeats=10, rng=1)
    answers = sample.scores.argmax(axis=1)
    right = np.sum(answers == sample.labels) / (20 * 10)
    truth = accuracy_curve(correct_ranks(sample.scores, sample.labels), 20).accuracy[0]
    return np.sum(answers != sample.labels) / (20 * 10), right, truth, 0.0


@erratum("B3", "upper bound")
def exponent_of_the_inequality() -> Values:
    r"""$\Pr[\widehat{\mathrm{GA}} > \mathrm{GA} + t/n]$, $n = 1000$, $t = .1$, accuracy 1/2."""
    n, t = 1000, 0.1
    return 2 * np.exp(-2 * n * t**2), np.exp(-2 * n * (t / n) ** 2), binom.sf(n / 2 + t, n, 0.5), 0.0
