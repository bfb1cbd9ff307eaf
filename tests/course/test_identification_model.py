"""The decoder against a plain loop over Mahalanobis distances, and its standard errors against simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import classex as cx
from classex_book.encoding import IdentificationModel, noise_covariance


def simulate(rng, n_train=80, n_test=30, n_features=6, n_responses=10, noise=2.0):
    b = rng.normal(size=(n_features, n_responses))
    mixing = rng.normal(size=(n_responses, n_responses)) / np.sqrt(n_responses) + np.eye(n_responses)
    x = rng.normal(size=(n_train + n_test, n_features))
    y = 5 + x @ b + noise * rng.normal(size=(n_train + n_test, n_responses)) @ mixing.T
    return x[:n_train], y[:n_train], x[n_train:], y[n_train:]


@pytest.fixture(scope="module", params=["ledoit_wolf", "diagonal"])
def fitted(request):
    x, y, x_test, y_test = simulate(np.random.default_rng(0))
    return IdentificationModel(covariance=request.param).fit(x, y), x_test, y_test


def test_scores_are_the_mahalanobis_distances(fitted):
    model, x, y = fitted
    inverse = np.linalg.inv(model.covariance_)
    expected = np.empty((30, 30))
    for i in range(30):
        for j in range(30):
            gap = y[i] - model.encoding_.intercept - x[j] @ model.encoding_.coefficients
            expected[i, j] = -0.5 * gap @ inverse @ gap
    np.testing.assert_allclose(model.scores(x, y), expected, rtol=1e-9)


def test_ranks_are_those_of_the_scores(fitted):
    model, x, y = fitted
    by_scores = cx.correct_ranks(model.scores(x, y), np.arange(30))
    ranks = model.identify(x, y)
    assert np.array_equal(ranks.wins, by_scores.wins)
    np.testing.assert_allclose(ranks.distractors.beaten, by_scores.distractors.beaten)


def test_repeated_stimuli_are_one_class(fitted):
    model, x, y = fitted
    labels = np.repeat(np.arange(15), 2)
    ranks = model.identify(x[:15], y, labels=labels)
    assert ranks.n_classes == 15
    assert np.array_equal(ranks.wins, cx.correct_ranks(model.scores(x[:15], y), labels).wins)


def test_a_copy_of_the_right_stimulus_ties_exactly(fitted):
    model, x, y = fitted
    ranks = model.identify(np.concatenate([x, x[:1]]), np.concatenate([y, y[:1]]))
    assert ranks.ties[0] == ranks.ties[-1] == 1
    assert not ranks.ties[1:-1].any()


def test_residuals_are_those_of_the_fit():
    x, y, _, _ = simulate(np.random.default_rng(1))
    model = IdentificationModel().fit(x, y)
    np.testing.assert_allclose(model.residuals_, y - model.predict(x))
    np.testing.assert_allclose(model.covariance_, noise_covariance(model.residuals_))


def test_a_subset_is_the_model_of_those_responses():
    x, y, x_test, y_test = simulate(np.random.default_rng(2))
    columns = [7, 0, 3]
    part = IdentificationModel(covariance="diagonal").fit(x, y).subset(columns)
    direct = IdentificationModel(covariance="diagonal").fit(x, y[:, columns])
    np.testing.assert_allclose(
        part.scores(x_test, y_test[:, columns]), direct.scores(x_test, y_test[:, columns]), rtol=1e-7
    )
    assert part.encoding_.penalties.shape == (3,)


def test_standard_errors_of_the_curve_respect_shared_stimuli():
    """Over fresh test sets the curve varies as its standard errors say, and more than its own points account for."""
    rng = np.random.default_rng(5)
    x, y, _, _ = simulate(rng, n_train=300, noise=3.0)
    model = IdentificationModel().fit(x, y)
    b, m = model.encoding_.coefficients, 40
    root = np.linalg.cholesky(model.covariance_)
    sizes = [2, 5, 10, 20]
    value, error, alone = [], [], []
    for _ in range(250):
        stimuli = rng.normal(size=(m, 6))
        responses = model.encoding_.intercept + stimuli @ b + rng.normal(size=(m, 10)) @ root.T
        ranks = model.identify(stimuli, responses)
        curve = cx.accuracy_curve(ranks, sizes)
        value.append(curve.accuracy)
        error.append(np.square(curve.standard_error))
        alone.append(np.square(cx.accuracy_curve(replace(ranks, distractors=None), sizes).standard_error))
    truth = np.std(value, axis=0)
    ratio = np.sqrt(np.mean(error, axis=0)) / truth
    # an SD from 250 draws has a relative standard error of about 4.5 %: z = 4 below; above, the jackknife of a
    # U-statistic is known to be conservative, the more the larger k / M
    assert (ratio > 0.82).all(), ratio
    assert (ratio < 1.18 + 0.3 * np.array(sizes) / m).all(), ratio
    assert (np.sqrt(np.mean(alone, axis=0)) < 0.93 * truth)[:2].all()
