"""The simulated experiment against its own truth, and the loader of real ones."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.datasets
from scipy.special import logsumexp

import classex as cx
from classex import correct_ranks, implied_information
from classex.datasets import voxels
from classex.datasets.gabor import gabor_features
from classex.datasets.voxels import load_responses, load_voxel_experiment
from classex.identification import IdentificationModel


@pytest.fixture(scope="module")
def experiment():
    return load_voxel_experiment(n_voxels=60, rng=1)


def test_no_pixel_serves_both_sets(experiment, monkeypatch):
    """Mark every pixel of the photographs by its place; no place may turn up in both sets."""

    class Marked:
        images = tuple((np.arange(427 * 640.0).reshape(427, 640, 1) + part * 1e6) * np.ones(3) for part in (0, 1))

    monkeypatch.setattr(sklearn.datasets, "load_sample_images", Marked)
    seen, windows = [], voxels._windows
    monkeypatch.setattr(voxels, "_windows", lambda image: seen.append(image) or windows(image))
    train, test = voxels._patches(0.2)
    assert (train.shape[0], test.shape[0]) == (experiment.train_images.shape[0], experiment.test_images.shape[0])
    for left, right in (seen[:2], seen[2:]):
        assert not set(left.ravel()) & set(right.ravel())
        assert left.shape[1] + right.shape[1] == 640


def test_features_are_standardised_on_the_training_set(experiment):
    np.testing.assert_allclose(experiment.train_features.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(experiment.train_features.std(axis=0), 1, atol=1e-9)
    energy = gabor_features(experiment.train_images)[0]
    test = (gabor_features(experiment.test_images)[0] - energy.mean(axis=0)) / energy.std(axis=0)
    np.testing.assert_allclose(experiment.test_features, test, atol=1e-9)


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


def test_seeds_subjects_and_settings():
    one, same, other = (load_voxel_experiment(n_voxels=5, subject=subject, rng=3) for subject in (0, 0, 1))
    assert np.array_equal(one.train_responses, same.train_responses)
    assert np.array_equal(one.test_features, other.test_features)
    assert not np.array_equal(one.weights, other.weights)
    drawn = load_voxel_experiment(n_voxels=1, rng=np.random.default_rng(0))
    assert drawn.noise_covariance.shape == (1, 1)
    flat = load_voxel_experiment(n_voxels=1, contrast_floor=10.0)
    contrast = [part.test_images.std(axis=(1, 2)) for part in (one, flat)]
    assert contrast[1].std() / contrast[1].mean() > 1.5 * contrast[0].std() / contrast[0].mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_voxels": 0}, "n_voxels must be an integer of at least 1"),
        ({"signal_to_noise": 0.0}, "signal_to_noise must be a finite number greater than 0"),
        ({"contrast_floor": -1.0}, "contrast_floor must be a finite number greater than 0"),
        ({"subject": -1}, "subject must be an integer of at least 0"),
        ({"rng": -1}, "rng must be an integer of at least 0"),
    ],
)
def test_settings_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_voxel_experiment(**arguments)


def test_your_own_responses_come_back(tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)), rng.integers(0, 9, size=(7, 2))
    np.savez_compressed(tmp_path / "mine.npz", stimuli=x, responses=y, extra=1)
    stimuli, responses = load_responses(tmp_path / "mine.npz")
    assert np.array_equal(stimuli, x)
    assert np.array_equal(responses, y)
    assert responses.dtype == np.float64


def test_files_that_will_not_do(tmp_path):
    path = tmp_path / "bad.npz"
    np.savez(path, stimuli=np.ones((3, 2)))
    with pytest.raises(ValueError, match="must hold an array 'responses', but holds stimuli"):
        load_responses(path)
    np.savez(path, stimuli=np.ones((3, 2)), responses=np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"as many rows, but .*bad\.npz holds 3 and 4"):
        load_responses(path)
    np.savez(path, stimuli=np.full((3, 2), np.nan), responses=np.ones((3, 2)))
    with pytest.raises(ValueError, match="stimuli must be finite"):
        load_responses(path)
    np.savez(path, stimuli=np.array([{}, {}]), responses=np.ones((2, 2)))
    with pytest.raises(ValueError, match="pickled objects, which are never loaded"):
        load_responses(path)
    path.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(ValueError, match=r"not a \.npz file of plain arrays"):
        load_responses(path)
    np.save(tmp_path / "single.npy", np.ones(3))
    with pytest.raises(ValueError, match=r"holds a single array"):
        load_responses(tmp_path / "single.npy")
    with pytest.raises(FileNotFoundError):
        load_responses(tmp_path / "none.npz")


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
