"""The process beyond the trials: its formula, and its noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from classex.attempts._beyond import Continuation, _at
from classex.attempts._problems import Problems


def test_the_process_against_its_textbook_formula():
    """400 draws given the curve: mean and variance of the probit at z = 4 of their own standard errors."""
    problems = Problems.of(np.array([0, 0, 1, 3, 0, 10, 7, 0, 2, 5]), np.full(10, 10), None)
    beyond = Continuation(problems)
    fit, prior = beyond.fit, beyond.prior
    sizes = np.array([101.0, 1e4 + 1])
    at = fit.sizes
    inverse = np.linalg.inv(prior.covariance(at, at) + fit.noise)
    cross = prior.covariance(at, sizes)
    mean = prior.mean(sizes) + cross.T @ inverse @ (fit.probit - prior.mean(at))
    variance = np.diag(prior.covariance(sizes, sizes) - cross.T @ inverse @ cross)
    usual, unusual = fit.fits[0][0], fit.fits[1][0]
    assert usual + unusual == pytest.approx(1)
    drawn = special.ndtri(_at(beyond.centre, sizes - 1))
    # curves that rise are held down, so draws lie at most at the free ones: mean and spread to a tenth of the spread
    assert (np.abs(drawn.mean(axis=0) - mean) < 4 * np.sqrt(variance / 400) + 0.1 * np.sqrt(variance)).all()
    assert (np.diff(beyond.centre, axis=1) <= 0).all()


@pytest.mark.no_cover
def test_the_noise_is_the_chance_of_the_trials():
    """2,000 repetitions of 30 trials at the same 60 problems: standard deviations within 15 %."""
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, 60)
    problems = [Problems.of(rng.binomial(30, p), np.full(60, 30), None) for _ in range(2_000)]
    sizes = Continuation(problems[0]).sizes
    curves = np.array([one.count @ one.known(sizes) / 60 for one in problems])
    stated = []
    for one in problems[:200]:
        fit = Continuation(one).fit
        stated.append(np.sqrt(np.diag(fit.noise)) * stats.norm.pdf(fit.probit))
    np.testing.assert_allclose(np.median(stated, axis=0), curves.std(axis=0), rtol=0.15)
