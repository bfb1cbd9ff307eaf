"""The family's manners: scikit-learn's tools, copies, options checked in fit, intervals that agree, ties, warnings."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.validation import check_is_fitted

import classex as cx
from classex.distributions import Distribution, confined_accuracy
from classex.exceptions import LackOfFitWarning, NotFittedError
from classex.models import GaussianClasses

FAMILY = [
    cx.Extrapolator(cx.methods.ProbitNormal(nu=1.0)),
    cx.Extrapolator(cx.methods.EmpiricalBayes(start="flat")),
    cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)),
    cx.Extrapolator(cx.methods.sources.Polynomial(degree=2)),
    cx.Extrapolator(cx.methods.sources.Pseudolikelihood(variant="moment")),
    cx.Extrapolator(cx.methods.KernelDensity(bandwidth="bcv")),
    cx.Extrapolator(cx.methods.sources.Exponential()),
    cx.Extrapolator(cx.methods.GaussianProcess(cx.forecast.CurvePrior((cx.forecast.Straight(1.0, slope=-0.5),)))),
]
NAMES = [type(one.method).__name__ for one in FAMILY]


@pytest.fixture(scope="module")
def sample():
    return GaussianClasses(6, 0.3).sample(24, n_repeats=2, rng=4)


@pytest.mark.parametrize("method", [*FAMILY[:1], cx.methods.sources.RiskExtrapolator()])
def test_parameters_are_stored_as_they_are(method):
    given = method.get_params()
    assert set(given) == {name for name in inspect.signature(type(method).__init__).parameters if name != "self"}
    twin = clone(method)
    assert twin is not method
    assert repr(twin) == repr(method)
    assert type(method)(**given).get_params() == given
    assert twin.set_params(**given) is twin
    with pytest.raises(ValueError, match="has no parameter 'nothing'"):
        twin.set_params(nothing=1)
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(twin)
    with pytest.raises(NotFittedError, match="is not fitted yet: call fit first"):
        twin.predict(5)


@pytest.mark.parametrize("method", FAMILY, ids=NAMES)
def test_fitted_estimators(method, sample):
    scores = sample.scores.copy()
    twin = clone(method).fit(scores, sample.labels)
    check_is_fitted(twin)
    assert isinstance(twin.distribution_, Distribution)
    value, ends = twin.predict([24, 200]), twin.predict_interval([24, 200], n_resamples=10)
    assert ends.shape == (2, 2)
    scores[:] = 0.0  # what happens to the caller's array afterwards is no matter
    np.testing.assert_array_equal(twin.predict_interval([24, 200], n_resamples=10), ends)
    np.testing.assert_array_equal(twin.predict([24, 200]), value)
    if twin.method_.keeps_scores:
        with pytest.raises(ValueError, match="read-only"):
            twin.scores_[0, 0] = 1.0
    else:
        assert twin.scores_ is None
    d = twin.distribution_.cdf(np.linspace(0, 1, 11))
    assert d.shape == (11,)
    fit = twin.lack_of_fit_
    assert fit.n_classes.tolist() == [24, 6]
    np.testing.assert_allclose(fit.predicted, confined_accuracy(twin.distribution_, np.array([24.0, 6.0])))
    observed = cx.accuracy_curve(twin.ranks_, [24, 6])
    np.testing.assert_allclose(fit.z, (fit.predicted - observed.accuracy) / observed.standard_error)
    assert twin.distribution_.evidence.n_parameters >= 0


def test_a_read_only_file_is_not_copied(sample, tmp_path):
    np.save(tmp_path / "scores.npy", sample.scores)
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    est = cx.Extrapolator(cx.methods.ProbitNormal()).fit(mapped, sample.labels)
    assert np.shares_memory(est.scores_, mapped)
    listed = cx.Extrapolator(cx.methods.ProbitNormal()).fit(sample.scores.tolist(), sample.labels)
    np.testing.assert_array_equal(listed.scores_, sample.scores)


def test_risk_keeps_its_own_data(sample):
    scores = sample.scores.copy()
    est = cx.methods.sources.RiskExtrapolator().fit(scores, sample.labels, 1 - np.eye(24))
    ends = est.predict_interval([24, 100])
    scores[:] = 0.0
    np.testing.assert_array_equal(est.predict_interval([24, 100]), ends)
    assert ends.shape == (2, 2)


@pytest.mark.parametrize("method", FAMILY, ids=NAMES)
def test_no_interval_without_width_when_every_point_is_right(method):
    est = clone(method).fit(np.eye(20), np.arange(20))
    ends = est.predict_interval([20, 10**6], n_resamples=10)
    assert (ends[:, 1] == 1).all()
    assert 0.5 < ends[0, 0] < 0.98
    assert ends[1, 0] < 0.3


@pytest.mark.solver
def test_no_interval_without_width_when_every_point_is_wrong():
    with pytest.warns(UserWarning, match="are the scores distances"):
        est = cx.Extrapolator(cx.methods.Regression(bandwidth=0.5)).fit(1 - np.eye(20), np.arange(20))
    ends = est.predict_interval([20, 100], n_resamples=10)
    assert (ends[:, 0] == 0).all()
    assert 0.005 < ends[0, 1] < 0.3


def votes():
    """Five votes a point, of which every second goes to the true class: many ties."""
    rng = np.random.default_rng(0)
    k = 100
    labels = np.repeat(np.arange(k), 4)
    scores = np.zeros((400, k))
    for i in range(400):
        scores[i, rng.choice(k, 5, replace=False)] = 1
        scores[i, labels[i]] = i % 2
    return scores, labels


def test_ties_do_not_let_a_fit_choose():
    """With half the points tied at the top and half at the bottom no probit-normal fits, and a warning says so."""
    scores, labels = votes()
    ranks = cx.correct_ranks(scores, labels)
    observed = cx.accuracy_curve(ranks, 100).accuracy[0]
    assert observed == pytest.approx(0.084, abs=5e-4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        est = cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(ranks)
    warned = any(issubclass(one.category, LackOfFitWarning) for one in caught)
    assert warned == (abs(est.lack_of_fit_.z[0]) > 3)
    # 0.1.0 said .461, and nothing else
    assert est.predict(100)[0] < 0.2


def test_a_lack_of_fit_warns_once_and_refits_do_not():
    scores, labels = votes()
    scores += 1e-3 * np.random.default_rng(1).random(scores.shape)
    with pytest.warns(LackOfFitWarning, match="its assumption fails for these data"):
        est = cx.Extrapolator(cx.methods.KernelDensity(bandwidth=0.5)).fit(scores, labels)
    assert abs(est.lack_of_fit_.z[0]) > 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        est.predict_interval(200, n_resamples=10)


def test_posteriors_of_a_naive_bayes_classifier_do_not_crash_the_default():
    """Rows whose wrong scores have all but vanished, and one masked entry."""
    rng = np.random.default_rng(3)
    logits = 40 * rng.normal(size=(60, 20)) * rng.random((60, 1)) * 8
    labels = np.arange(60) % 20
    scores = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores[0, 3] = -1e308
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        est = cx.Extrapolator().fit(scores, labels)
    assert np.isfinite(est.predict([20, 1000])).all()


def test_what_has_predicted_can_be_pickled():
    """A result holds its estimator, which joblib sends to other processes."""
    sample = cx.models.GaussianClasses(10, 0.2).sample(30, rng=0)
    result = cx.extrapolate(sample.scores, sample.labels, n_classes=[500])
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.interval, result.interval)
    np.testing.assert_array_equal(again.estimator.predict([1000]), result.estimator.predict([1000]))
