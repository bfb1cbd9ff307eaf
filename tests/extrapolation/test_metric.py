"""Any function of the rank beyond the observed classes, from the law that a method has fitted."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.models import BivariateNormal

SAMPLE = BivariateNormal(0.95).sample(120, n_repeats=4, rng=0)
RANKS = cx.correct_ranks(SAMPLE.scores, SAMPLE.labels)


def test_recall_is_the_top_accuracy():
    fit = cx.ProbitNormalExtrapolator().fit_ranks(RANKS)
    sizes = [2, 50, 10**6]
    np.testing.assert_array_equal(fit.predict(sizes, metric="recall@5"), fit.predict(sizes, top=5))
    np.testing.assert_array_equal(fit.predict(sizes, metric="accuracy"), fit.predict(sizes))


@pytest.mark.parametrize("metric", ["mrr", "ndcg@10", "map@3", lambda rank: 1 / (1 + rank)])
def test_the_prediction_goes_on_where_the_curve_ends(metric):
    """With the observed number of classes it is near the mean over subsets, and it falls with more."""
    fit = cx.ProbitNormalExtrapolator().fit_ranks(RANKS)
    seen = cx.accuracy_curve(RANKS, [20, 60], metric=metric)
    got = fit.predict([20, 60, 1000, 10**5], metric=metric)
    assert (np.abs(got[:2] - seen.accuracy) < 4 * seen.standard_error).all()
    assert (np.diff(got) < 0).all()


def test_the_truth_is_predicted():
    """The metric of 2,000 fresh classes, from 120."""
    fresh = BivariateNormal(0.95).sample(2000, rng=1)
    truth = cx.accuracy_curve(cx.correct_ranks(fresh.scores, fresh.labels), 2000, metric="mrr")
    got = cx.RegressionExtrapolator().fit_ranks(RANKS).predict(2000, metric="mrr")[0]
    assert got == pytest.approx(truth.accuracy[0], abs=0.03)


def test_a_metric_that_is_not_known():
    fit = cx.ProbitNormalExtrapolator().fit_ranks(RANKS)
    with pytest.raises(ValueError, match="metric must be one of accuracy, mrr"):
        fit.predict(9, metric="auc")
    with pytest.raises(ValueError, match="top must be 1 with metric='mrr'"):
        fit.predict(9, metric="mrr", top=2)
