"""Intervals: what a fit that misses the observed curve adds to them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.distributions import confined_accuracy
from classex.forecast.forecast import (
    ObservedCurve,
    lack_of_fit,
    probit_ends,
    resampled_ends,
    target_variance,
)
from classex.methods import EmpiricalBayes, ProbitNormal
from classex.models import BivariateNormal, GaussianClasses


def fitted(model, k1, n_repeats, seed):
    sample = model.sample(k1, n_repeats=n_repeats, rng=seed)
    return cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores, sample.labels)


@pytest.mark.parametrize("top", [1, 2])
def test_lack_of_fit_continues_the_miss_in_log_k(top):
    est = fitted(BivariateNormal(0.9), 80, 5, 3)
    at = np.array([20, 80])
    miss = cx.accuracy_curve(est.ranks_, at, top=top).accuracy - est.predict(at, top=top)
    miss /= norm.pdf(norm.ppf(est.predict(at, top=top)))
    sizes = np.array([20.0, 80.0, 320.0])
    line = np.array([miss[0], miss[1], 2 * miss[1] - miss[0]])
    expected = np.square(line * norm.pdf(norm.ppf(est.predict(sizes, top=top))))
    found = lack_of_fit(est.distribution_, est.ranks_, sizes, as_rank_metric("accuracy", top))
    counts = found > 0
    np.testing.assert_allclose(found[counts], expected[counts], rtol=1e-9)
    standard_error = cx.accuracy_curve(est.ranks_, at, top=top).standard_error
    assert (counts[:2] == (np.abs(miss) * norm.pdf(norm.ppf(est.predict(at, top=top))) > standard_error)).all()


def test_no_lack_of_fit_where_nothing_can_be_checked():
    est = fitted(GaussianClasses(10, 0.2), 5, 2, 0)
    np.testing.assert_array_equal(
        lack_of_fit(est.distribution_, est.ranks_, np.array([5.0, 50.0]), as_rank_metric("top-4")), 0.0
    )


def test_the_interval_of_a_refuted_fit():
    """It extends to that of the probit-normal method, on the side where it excludes the prediction of that method."""
    ranks = cx.ranks_from_wins(np.where(np.arange(400) < 240, 199, np.arange(400) % 200), 200)
    sizes, metric = np.array([2.0, 10.0, 200.0, 2000.0]), as_rank_metric("accuracy")
    best = ProbitNormal().fit(ranks)
    wide = probit_ends(best.accuracy(sizes), best.variance(sizes) + lack_of_fit(best, ranks, sizes, metric), 0.9, 399)
    reached = []
    for nu in (0.2, 2.0, 5.0, None):
        distribution = ProbitNormal(nu=nu).fit(ranks)
        assert ObservedCurve(ranks).lack_of_fit(distribution).refuted
        ends = resampled_ends(
            distribution,
            ranks,
            sizes,
            metric,
            variance=np.full(4, 1e-8),
            level=0.9,
            freedom=399,
            target="average",
            n_repeats=None,
            refuted=True,
        )
        plain = probit_ends(
            distribution.accuracy(sizes), 1e-8 + lack_of_fit(distribution, ranks, sizes, metric), 0.9, 399
        )
        over, under = best.accuracy(sizes) > plain[:, 1], best.accuracy(sizes) < plain[:, 0]
        np.testing.assert_array_equal(ends[:, 1], np.where(over, wide[:, 1], plain[:, 1]))
        np.testing.assert_array_equal(ends[:, 0], np.where(under, wide[:, 0], plain[:, 0]))
        reached.append([over.any(), under.any()])
    assert np.any(reached)


@pytest.mark.parametrize("wins", [0, 29], ids=["all wrong", "all right"])
@pytest.mark.parametrize("top", [1, 3])
def test_where_nothing_varies_the_interval_is_that_of_the_weak_prior(wins, top):
    """It extends as far as the probit-normal method with its prior, and on the other side to the end of the scale."""
    ranks = cx.CorrectRanks(np.full(30, wins), np.zeros(30, dtype=np.int64), np.arange(30), 30)
    sizes = np.array([2.0, 30.0, 300.0])
    distribution, prior, metric = (
        EmpiricalBayes().fit(ranks),
        ProbitNormal().fit(ranks),
        as_rank_metric("accuracy", top),
    )
    about = {"target": "average", "n_repeats": None}
    ends = resampled_ends(
        distribution, ranks, sizes, metric, variance=np.zeros(3), level=0.9, freedom=29, refuted=False, **about
    )

    def plain(distribution, variance):
        total = target_variance(distribution, ranks, sizes, metric, variance=variance, **about)
        return probit_ends(confined_accuracy(distribution, sizes, top), total, 0.9, 29)

    wide = plain(prior, prior.variance(sizes, top))
    own = plain(distribution, lack_of_fit(distribution, ranks, sizes, metric))
    open_ = sizes > top
    if wins:
        np.testing.assert_allclose(ends[open_, 0], np.minimum(wide[open_, 0], own[open_, 0]), rtol=1e-12)
        np.testing.assert_array_equal(ends[open_, 1], 1.0)
    else:
        np.testing.assert_allclose(ends[open_, 1], np.maximum(wide[open_, 1], own[open_, 1]), rtol=1e-12)
        np.testing.assert_array_equal(ends[open_, 0], 0.0)
    assert (np.diff(ends, axis=1)[open_] > 0).all()
