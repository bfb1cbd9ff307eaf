"""Published curves: what works without ranks, standard errors instead of counts, and curves that rise."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import classex as cx


@pytest.fixture
def published():
    return cx.Extrapolator().fit_curve([10, 100], [0.9, 0.7], 500)


def test_a_result_that_prints_draws_and_stores(published):
    result = cx.extrapolate(published, n_classes=[1000, 10**6], confidence_level=0.9)
    np.testing.assert_array_equal(result.accuracy, published.predict([1000, 10**6]))
    np.testing.assert_array_equal(result.interval, published.predict_interval([1000, 10**6], confidence_level=0.9))
    first, second, *_ = str(result).splitlines()
    published_part = "With 100 classes, the largest number of the published curve, the accuracy is 0.700"
    assert first == f"{published_part} (standard error 0.020)."
    assert second.startswith("Predictions by the method 'gaussian-process', with 90 % intervals")
    assert json.loads(json.dumps(result.to_dict()))["n_points"] == 500
    assert "1,000" in result.to_markdown()
    assert published_part in result.report()
    assert result.plot().observed is published.curve_
    assert "top-5 accuracy" in str(cx.extrapolate(published, n_classes=1000, top=5))
    assert cx.extrapolate(published, n_classes=1000, metric="mrr", target=None).interval is None


def test_classes_at_an_accuracy(published):
    capacity = cx.classes_at_accuracy(published, 0.5)
    assert published.predict(capacity.n_classes)[0] >= 0.5 > published.predict(capacity.n_classes + 1)[0]


def test_a_fitted_estimator_gives_the_result_of_its_data():
    sample = cx.models.GaussianClasses(10, 0.2).sample(30, rng=0)
    fitted = cx.Extrapolator().fit(sample.scores, sample.labels)
    assert str(cx.extrapolate(fitted, n_classes=90)) == str(cx.extrapolate(sample.scores, sample.labels, n_classes=90))
    fitted.fit_curve([10, 100], [0.9, 0.7], 500).fit(sample.scores, sample.labels)
    assert not hasattr(fitted, "curve_")


def test_standard_errors_instead_of_a_number_of_points():
    """Binomial errors give the number back; of unequal ones the largest decides."""
    accuracy = np.array([0.9, 0.7, 1.0])
    error = np.sqrt(accuracy * (1 - accuracy) / 400)
    fitted = cx.Extrapolator().fit_curve([10, 100, 2], accuracy, standard_error=error * 0.9999)
    assert fitted.curve_.n_tested == 400
    np.testing.assert_allclose(fitted.curve_.standard_error, error[[2, 0, 1]])
    assert cx.Extrapolator().fit_curve([10, 100], [0.9, 0.7], standard_error=[0.01, 0.1]).curve_.n_tested == 21


def test_a_rising_curve_is_refused_and_a_small_rise_draws_a_warning():
    with pytest.raises(ValueError, match=r"rises from 0.7 with 10 classes to 0.9 with 100.*error rates"):
        cx.Extrapolator().fit_curve([100, 10], [0.9, 0.7], 500)
    with pytest.warns(UserWarning, match=r"rises from 0.7 with 10 classes to 0.72 with 100.*as if chance") as caught:
        cx.Extrapolator().fit_curve([10, 100], [0.7, 0.72], 50)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="as if chance") as caught:
        cx.methods.GaussianProcess().fit_curve([10, 100], [0.7, 0.72], 50)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.Extrapolator().fit_curve([10, 100], [0.7, 0.7], 50)


@pytest.mark.parametrize(("errors", "refused"), [(2.5, False), (3.5, True)])
def test_a_rise_is_refused_beyond_three_standard_errors(errors, refused):
    rise = errors * 0.01 * np.sqrt(2)
    fit, given = cx.Extrapolator(), {"standard_error": [0.01, 0.01]}
    if refused:
        with pytest.raises(ValueError, match="error rates"):
            fit.fit_curve([10, 100], [0.7, 0.7 + rise], **given)
    else:
        with pytest.warns(UserWarning, match="as if chance"):
            fit.fit_curve([10, 100], [0.7, 0.7 + rise], **given)


def test_a_small_rise_is_predicted_as_it_was_published():
    """Up to the last number of classes; beyond it predictions fall from the last accuracy, inside their intervals."""
    sizes, accuracy = [10, 50, 100], [0.8, 0.7, 0.72]
    with pytest.warns(UserWarning, match="as if chance"):
        fitted = cx.Extrapolator().fit_curve(sizes, accuracy, 50)
    np.testing.assert_allclose(fitted.predict(sizes), accuracy, rtol=1e-12)
    beyond = [100, 150, 300, 10_000]
    value, (low, high) = fitted.predict(beyond), fitted.predict_interval(beyond).T
    assert (np.diff(value) < 0).all()
    assert (low < value).all()
    assert (value < high).all()
    assert (np.diff(high) <= 0).all()


def test_a_curve_forgets_the_ranks_before_it():
    estimator = cx.Extrapolator().fit(np.eye(9), range(9)).fit_curve([10, 100], [0.9, 0.8], 100)
    assert not hasattr(estimator, "ranks_")
