"""Methods that fit a distribution to ranks alone: predictions, intervals, published curves."""

from __future__ import annotations

import numpy as np
import pytest

import classex as cx
from classex.exceptions import NotFittedError
from classex.models import BivariateNormal, GaussianClasses

METHODS = {
    "Pitman-Yor": cx.methods.PitmanYor,
    "empirical Bayes": cx.methods.EmpiricalBayes,
    "beta-binomial": cx.methods.BetaBinomial,
    "Gaussian process": cx.methods.GaussianProcess,
}


@pytest.fixture(scope="module")
def sample():
    return GaussianClasses(3, 0.4).sample(40, n_repeats=2, rng=3)


@pytest.mark.parametrize("name", METHODS)
def test_estimators_keep_the_distribution_and_its_interval(name, sample) -> None:
    estimator = cx.Extrapolator(METHODS[name]()).fit(sample.scores, sample.labels)
    sizes = np.array([10, 40, 400])
    value = estimator.predict(sizes)
    if name == "Gaussian process":  # the observed curve takes precedence
        seen = cx.accuracy_curve(estimator.ranks_, [10, 40]).accuracy
        np.testing.assert_allclose(value[:2], seen, rtol=1e-12)
    else:
        np.testing.assert_allclose(value, estimator.distribution_.accuracy(sizes.astype(float)))
    truth = GaussianClasses(3, 0.4).average_accuracy([10, 40])
    np.testing.assert_allclose(value[:2], truth, atol=0.12)
    for top in (1, 2):
        ends = estimator.predict_interval(sizes, top=top)
        assert (ends[:, 0] < ends[:, 1]).all()
        assert ((ends >= 0) & (ends <= 1)).all()
    assert (estimator.predict(sizes, top=2) >= value).all()
    assert (estimator.predict_interval(sizes, target="fresh")[:, 0] <= estimator.predict_interval(sizes)[:, 0]).all()
    # ranks suffice
    again = cx.Extrapolator(METHODS[name]()).fit_ranks(estimator.ranks_)
    np.testing.assert_allclose(again.predict(sizes), value, atol=1e-7)


def test_published_curve() -> None:
    """A curve that is known exactly, at a thousand test points: within the interval at ten times the classes."""
    truth = BivariateNormal(0.99)
    sizes = [5, 10, 20, 50, 100]
    estimator = cx.Extrapolator().fit_curve(sizes, truth.average_accuracy(sizes), 1_000)
    ends = estimator.predict_interval([50, 1_000])
    exact = truth.average_accuracy([50, 1_000])
    assert (ends[:, 0] < exact).all()
    assert (exact < ends[:, 1]).all()
    assert abs(estimator.predict(1_000)[0] - exact[1]) < 0.1
    assert (np.diff(estimator.predict([10, 100, 10**6, 10**12])) < 0).all()
    with pytest.raises(ValueError, match="target must be 'average' after fit_curve or with weights, not 'fresh'"):
        estimator.predict_interval(100, target="fresh")


def test_a_curve_forgets_the_ranks_before_it(sample) -> None:
    estimator = cx.Extrapolator().fit(sample.scores, sample.labels)
    estimator.fit_curve([10, 100], [0.9, 0.8], 100)
    assert not hasattr(estimator, "ranks_")
    with pytest.raises(NotFittedError):
        cx.Extrapolator().predict(10)
