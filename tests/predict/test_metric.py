"""Any function of the rank beyond the observed classes, from the distribution that a method has fitted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import classex as cx
from classex.curves.metrics import as_rank_metric
from classex.distributions import DiscreteDistribution
from classex.models import BivariateNormal

SAMPLE = BivariateNormal(0.95).sample(120, n_repeats=4, rng=0)
RANKS = cx.correct_ranks(SAMPLE.scores, SAMPLE.labels)


@pytest.mark.parametrize("metric", ["mrr", "ndcg@10", "map@3", lambda rank: 1 / (1 + rank)])
def test_the_prediction_goes_on_where_the_curve_ends(metric):
    """With the observed number of classes it is near the mean over subsets, and it falls with more."""
    fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(RANKS)
    seen = cx.accuracy_curve(RANKS, [20, 60], metric=metric)
    got = fit.predict([20, 60, 1000, 10**5], metric=metric)
    assert (np.abs(got[:2] - seen.accuracy) < 4 * seen.standard_error).all()
    assert (np.diff(got) < 0).all()


@pytest.mark.parametrize("metric", ["mrr", "ndcg@10", "map@3", "ndcg@200"])
def test_variance_is_at_least_that_of_the_sum_of_accuracies(metric):
    """Probit-normal: the delta method on the metric itself by finite differences, and a bound close to it."""
    fit, size, scored = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(RANKS), 900, as_rank_metric(metric)
    distribution, h = fit.distribution_, 1e-4

    def at(mu, log_nu):
        return DiscreteDistribution.normal(mu, np.exp(log_nu)).expected(np.array([float(size)]), scored)[0]

    mu, log_nu = distribution.mu, np.log(distribution.nu)
    gradient = np.array(
        [at(mu + h, log_nu) - at(mu - h, log_nu), at(mu, log_nu + h) - at(mu, log_nu - h)]
    ) / (2 * h)  # fmt: skip
    exact = float(np.sqrt(gradient @ distribution.covariance @ gradient))
    found = fit.standard_error(size, metric=metric)[0]
    assert exact * 0.999 < found < 1.4 * exact


@pytest.mark.parametrize("target", ["average", "fresh", "superset"])
def test_every_method_has_an_interval_for_every_metric(target):
    sample = BivariateNormal(0.9).sample(24, n_repeats=2, rng=0)
    few = cx.correct_ranks(sample.scores, sample.labels)
    for method in ("probit-normal", "gaussian-process", "empirical-bayes", "polynomial"):
        fit, sizes = cx.Extrapolator(method).fit_ranks(few), [24, 300]
        value = fit.predict(sizes, metric="ndcg@5")
        low, high = fit.predict_interval(sizes, metric="ndcg@5", target=target, n_resamples=10).T
        assert (low < value).all()
        assert (value < high).all()
        assert low[1] <= low[0]
        assert low.min() >= 0
        assert high.max() <= 1


def test_a_function_with_other_values_has_an_interval_within_them():
    """Minus the mean rank, and the mean rank: the same interval, turned round."""
    fit = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(RANKS)
    up = fit.predict_interval([50, 400], metric=lambda rank: np.asarray(rank, dtype=float))
    down = fit.predict_interval([50, 400], metric=lambda rank: -np.asarray(rank, dtype=float))
    value = fit.predict([50, 400], metric=lambda rank: np.asarray(rank, dtype=float))
    assert (up[:, 0] < value).all()
    assert (value < up[:, 1]).all()
    assert (up >= 0).all()
    assert (up <= [[50], [400]]).all()
    # the scales end at 0 and K, and at -K and -1: hardly another probit
    np.testing.assert_allclose(-down[:, ::-1], up, rtol=0.05)


def test_the_result_names_its_metric():
    found = cx.extrapolate(RANKS, n_classes=500, metric="ndcg@10", method="probit-normal")
    assert "the class-balanced ndcg@10 is 0." in str(found)
    assert found.to_dict()["metric"] == "ndcg@10"
    assert found.observed.value == cx.accuracy_curve(RANKS, 120, metric="ndcg@10").accuracy[0]
    assert found.plot().ylabel == "average ndcg@10"
    assert cx.extrapolate(RANKS, n_classes=500, top=2, target=None).plot().ylabel == "average top-2 accuracy"


@pytest.mark.parametrize("metric", ["mrr", "ndcg@3"])
def test_interval_of_an_observed_curve(metric):
    curve = cx.accuracy_curve(RANKS, [30, 120], metric=metric)
    low, high = curve.interval().T
    assert (low < curve.accuracy).all()
    assert (curve.accuracy < high).all()
    half = stats.t.ppf(0.975, 119) * curve.standard_error
    np.testing.assert_allclose(high - low, 2 * half, rtol=0.12)
    assert (np.diff(curve.interval(0.5)) < np.diff(curve.interval())).all()
