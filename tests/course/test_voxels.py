"""The simulated experiment against its own truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

import classex as cx
from classex import correct_ranks, implied_information
from classex_book.data import load_voxel_experiment
from classex_book.data.voxels import patches
from classex_book.encoding import IdentificationModel


@pytest.fixture(scope="module")
def experiment():
    return load_voxel_experiment(n_voxels=60, subject=1)


def test_no_pixel_serves_both_sets():
    """Permuting pixels keeps the brightness and contrast of a photograph, which all its patches depend on."""
    rng = np.random.default_rng(0)
    photograph = rng.integers(0, 256, size=(427, 640, 3))
    train, test = patches([photograph])
    for region, changed in ((np.s_[:, :-256], False), (np.s_[:, -256:], True)):
        other = photograph.copy()
        other[region] = rng.permutation(other[region].reshape(-1, 3)).reshape(other[region].shape)
        first, second = patches([other])
        assert np.allclose(first, train) == changed
        assert np.allclose(second, test) != changed


def test_responses_obey_the_truth(experiment):
    noise = experiment.train_responses - experiment.train_features @ experiment.weights
    n = noise.shape[0]
    # whitened by the true covariance, the noise is standard: every entry of its covariance within z = 5
    white = np.linalg.solve(np.linalg.cholesky(experiment.noise_covariance), noise.T).T
    assert np.abs(white.T @ white / n - np.eye(60)).max() < 5 * np.sqrt(2 / n)
    assert np.abs(white.mean(axis=0)).max() < 5 / np.sqrt(n)
    signal = (experiment.train_features @ experiment.weights).var(axis=0)
    np.testing.assert_allclose(signal / np.diag(experiment.noise_covariance), experiment.signal_to_noise)
    spread = np.log(experiment.signal_to_noise)
    assert abs(spread.mean() - np.log(0.4)) < 4 / np.sqrt(60)
    assert (experiment.weights >= 0).all()


def test_the_bound_is_the_gaussian_information(experiment):
    signal = np.cov(experiment.train_features @ experiment.weights, rowvar=False, bias=True)
    values = np.linalg.eigvals(np.linalg.solve(experiment.noise_covariance, signal)).real
    assert experiment.information_bound == pytest.approx(0.5 * np.log1p(values).sum(), rel=1e-8)


def test_the_true_model_decodes_best(experiment):
    e = experiment
    model = IdentificationModel().fit(e.train_features, e.train_responses)
    fitted = implied_information(model.identify(e.test_features, e.test_responses))
    mean = e.test_features @ e.weights
    projection = np.linalg.solve(e.noise_covariance, mean.T)
    scores = e.test_responses @ projection - 0.5 * (mean * projection.T).sum(axis=1)
    best = implied_information(correct_ranks(scores, np.arange(208)))
    assert 0.3 * best.value < fitted.value < best.value
    assert best.value < e.information_bound


def test_the_four_truths_of_the_lab():
    """Ceilings, the information of the finite test set, and the oracle decoder: in order, and as published."""
    experiment = load_voxel_experiment(n_voxels=200)
    root = np.linalg.cholesky(experiment.noise_covariance)
    clean = np.linalg.solve(root, (experiment.test_features @ experiment.weights).T).T
    spread = np.cov(clean, rowvar=False, bias=True)
    test_ceiling = 0.5 * np.linalg.slogdet(np.eye(200) + spread)[1]

    def log_scores(responses):
        return responses @ clean.T - 0.5 * np.square(clean).sum(axis=1)

    rng = np.random.default_rng(0)
    draws = []
    for _ in range(8):
        s = log_scores(clean + rng.normal(size=clean.shape))
        draws.append(np.mean(np.diag(s) - logsumexp(s, axis=1)) + np.log(208))
    finite = np.mean(draws)
    recorded = log_scores(np.linalg.solve(root, experiment.test_responses.T).T)
    oracle = cx.implied_information(cx.correct_ranks(recorded, np.arange(208)))
    assert experiment.information_bound == pytest.approx(11.33, abs=0.01)
    assert test_ceiling == pytest.approx(6.23, abs=0.05)
    assert finite == pytest.approx(2.69, abs=0.05)
    assert oracle.value == pytest.approx(2.28, abs=0.02)
    assert oracle.interval.low < finite < test_ceiling < experiment.information_bound
    assert finite < np.log(208)
