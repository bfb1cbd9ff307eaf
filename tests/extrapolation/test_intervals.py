"""Intervals: what a fit that misses the observed curve adds to them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.extrapolation._intervals import interval_ends, lack_of_fit, law_interval, probit_ends, target_variance
from classex.laws import confined_accuracy, fit_empirical_bayes, fit_probit_normal
from classex.models import BivariateNormal, GaussianClasses


def fitted(model, k1, n_repeats, seed):
    sample = model.sample(k1, n_repeats=n_repeats, rng=seed)
    return cx.ProbitNormalExtrapolator().fit(sample.scores, sample.labels)


@pytest.mark.parametrize("top", [1, 2])
def test_lack_of_fit_continues_the_miss_in_log_k(top):
    est = fitted(BivariateNormal(0.9), 80, 5, 3)
    at = np.array([20, 80])
    miss = cx.accuracy_curve(est.ranks_, at, top=top).accuracy - est.predict(at, top=top)
    miss /= norm.pdf(norm.ppf(est.predict(at, top=top)))
    sizes = np.array([20.0, 80.0, 320.0])
    line = np.array([miss[0], miss[1], 2 * miss[1] - miss[0]])
    expected = np.square(line * norm.pdf(norm.ppf(est.predict(sizes, top=top))))
    found = lack_of_fit(est.law_, est.ranks_, sizes, as_rank_metric("accuracy", top))
    counts = found > 0
    np.testing.assert_allclose(found[counts], expected[counts], rtol=1e-9)
    standard_error = cx.accuracy_curve(est.ranks_, at, top=top).standard_error
    assert (counts[:2] == (np.abs(miss) * norm.pdf(norm.ppf(est.predict(at, top=top))) > standard_error)).all()


def test_no_lack_of_fit_where_nothing_can_be_checked():
    est = fitted(GaussianClasses(10, 0.2), 5, 2, 0)
    np.testing.assert_array_equal(
        lack_of_fit(est.law_, est.ranks_, np.array([5.0, 50.0]), as_rank_metric("top-4")), 0.0
    )


def test_intervals_of_a_failing_assumption_widen():
    """The bivariate normal is not probit-normal: without the allowance 5 % of these intervals hold the truth.

    Binomial standard error of 60 experiments at .5: .065; z = 3.
    """
    model = BivariateNormal(0.9)
    truth = model.average_accuracy(200)
    held = []
    for seed in range(60):
        low, high = fitted(model, 200, 5, [5, seed]).predict_interval(200)[0]
        held.append(low <= truth <= high)
    assert np.mean(held) > 0.7 - 3 * 0.065


@pytest.mark.parametrize("wins", [0, 29], ids=["all wrong", "all right"])
@pytest.mark.parametrize("top", [1, 3])
def test_where_nothing_varies_the_interval_is_that_of_the_weak_prior(wins, top):
    """It reaches as far as the probit-normal law with its prior, and on the other side to the end of the scale."""
    ranks = cx.CorrectRanks(np.full(30, wins), np.zeros(30, dtype=np.int64), np.arange(30), 30)
    sizes = np.array([2.0, 30.0, 300.0])
    law, prior, metric = fit_empirical_bayes(ranks), fit_probit_normal(ranks), as_rank_metric("accuracy", top)
    ends = law_interval(law, ranks, sizes, metric, variance=np.zeros(3), level=0.9, freedom=29)

    def plain(ends_of, law, variance):
        total = target_variance(law, ranks, sizes, metric, target="average", variance=variance, n_repeats=None)
        return ends_of(confined_accuracy(law, sizes, top), total, 0.9, 29)

    wide = plain(probit_ends, prior, prior.variance(sizes, top))
    own = plain(interval_ends, law, lack_of_fit(law, ranks, sizes, metric))
    open_ = sizes > top
    if wins:
        np.testing.assert_allclose(ends[open_, 0], np.minimum(wide[open_, 0], own[open_, 0]), rtol=1e-12)
        np.testing.assert_array_equal(ends[open_, 1], 1.0)
    else:
        np.testing.assert_allclose(ends[open_, 1], np.maximum(wide[open_, 1], own[open_, 1]), rtol=1e-12)
        np.testing.assert_array_equal(ends[open_, 0], 0.0)
    assert (np.diff(ends, axis=1)[open_] > 0).all()
