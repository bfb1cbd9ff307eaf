"""The simulated scanner keeps its promises, and a file in the public layout comes back as it was."""

from __future__ import annotations

import numpy as np
import pytest

from classex.datasets import load_scanner_experiment, load_voxelwise, save_voxelwise
from classex.identification import delay_features, detrend, noise_ceiling


@pytest.fixture(scope="module")
def experiment():
    return load_scanner_experiment(n_voxels=60, signal_to_noise=0.5)


def test_shapes_runs_and_silent_voxels(experiment):
    data = experiment.data
    assert data.train_features.shape == (1200, 24)
    assert data.test_responses.shape == (8, 150, 60)
    assert np.bincount(data.runs).tolist() == [200] * 6
    assert 10 < experiment.has_signal.sum() < 40
    assert (np.abs(experiment.weights).sum(axis=0) > 0).tolist() == experiment.has_signal.tolist()
    assert experiment.haemodynamic_response.sum() == pytest.approx(1)
    assert np.argmax(experiment.haemodynamic_response) in (2, 3)


def test_the_test_signal_is_the_delayed_film(experiment):
    lags = np.arange(experiment.haemodynamic_response.size)
    delayed = delay_features(experiment.data.test_features, lags)
    kernel = np.kron(experiment.haemodynamic_response[:, np.newaxis], experiment.weights)
    np.testing.assert_allclose(delayed @ kernel, experiment.test_signal, atol=1e-10)


def test_repeats_hold_signal_drift_and_the_stated_noise(experiment):
    """Residuals of the repeats: variances within sampling error of the stated ones, drift gone with the polynomials."""
    repeats = np.stack([detrend(part) for part in experiment.data.test_responses])
    # the differences of two repeats hold neither signal nor shared drift
    difference = (repeats[::2] - repeats[1::2]) / np.sqrt(2)
    found = difference.var(axis=(0, 1))
    np.testing.assert_allclose(found.mean(), np.diag(experiment.noise_covariance).mean(), rtol=0.1)
    silent = ~experiment.has_signal
    drifting = experiment.data.test_responses.mean(axis=0).var(axis=0)[silent]
    assert (drifting > 2 * repeats.mean(axis=0).var(axis=0)[silent]).mean() > 0.9


def test_the_noise_ceiling_finds_the_signal(experiment):
    repeats = np.stack([detrend(part) for part in experiment.data.test_responses])
    signal, ceiling = noise_ceiling(repeats)
    truth = detrend(experiment.test_signal).var(axis=0, ddof=1)
    # noise that remembers makes single estimates loose; on average they are right
    assert signal.mean() == pytest.approx(truth.mean(), rel=0.1)
    assert ceiling[experiment.has_signal].mean() > ceiling[~experiment.has_signal].mean() + 0.2


def test_subjects_share_the_film_and_nothing_else():
    first, second = (load_scanner_experiment(n_voxels=9, subject=s) for s in (0, 1))
    assert np.array_equal(first.data.train_features, second.data.train_features)
    assert not np.array_equal(first.data.train_responses, second.data.train_responses)
    again = load_scanner_experiment(n_voxels=9, subject=1)
    assert np.array_equal(again.data.test_responses, second.data.test_responses)
    other = load_scanner_experiment(n_voxels=9, subject=1, rng=5)
    assert not np.array_equal(other.data.train_features, second.data.train_features)


def arrays(**changed):
    rng = np.random.default_rng(0)
    whole = {
        "X_train": rng.normal(size=(12, 3)),
        "X_test": rng.normal(size=(5, 3)),
        "Y_train": rng.normal(size=(12, 4)),
        "Y_test": rng.normal(size=(2, 5, 4)),
        "run_onsets": np.array([0, 5]),
    }
    whole.update(changed)
    return {name: value for name, value in whole.items() if value is not None}


def test_a_file_comes_back_as_it_was(tmp_path, experiment):
    save_voxelwise(tmp_path / "one.npz", experiment.data)
    data = load_voxelwise(tmp_path / "one.npz")
    for name in ("train_features", "test_features", "train_responses", "test_responses", "runs"):
        np.testing.assert_array_equal(getattr(data, name), getattr(experiment.data, name))


def test_voxels_outside_the_brain_are_dropped(tmp_path):
    parts = arrays()
    parts["Y_train"][3, 1] = np.nan
    parts["Y_test"][0, 2, 3] = np.inf
    np.savez(tmp_path / "a.npz", **parts)
    data = load_voxelwise(tmp_path / "a.npz")
    np.testing.assert_array_equal(data.train_responses, parts["Y_train"][:, [0, 2]])
    assert data.test_responses.shape == (2, 5, 2)
    assert data.runs.tolist() == [0] * 5 + [1] * 7


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Y_test": None}, "must hold the arrays X_train, .*, but has no Y_test"),
        ({"Y_test": np.ones((5, 4))}, r"Y_test \(n_repeats, n_test, n_voxels\)"),
        ({"Y_test": np.ones((2, 5, 3))}, r"Y_test \(n_repeats, n_test, n_voxels\)"),
        ({"X_train": np.ones((11, 3))}, "X_train and Y_train must have as many samples, not 11 and 12"),
        ({"X_test": np.ones((4, 3))}, "X_test and Y_test must have as many samples, not 4 and 5"),
        ({"X_test": np.full((5, 3), np.nan)}, "X_test"),
        ({"run_onsets": np.array([1, 5])}, "run_onsets must increase from 0"),
        ({"run_onsets": np.array([0, 12])}, "run_onsets must increase from 0 and stay below 12"),
        ({"Y_train": np.full((12, 4), np.nan)}, "at least one voxel without NaN"),
    ],
)
def test_bad_files(tmp_path, changed, message):
    np.savez(tmp_path / "bad.npz", **arrays(**changed))
    with pytest.raises(ValueError, match=message):
        load_voxelwise(tmp_path / "bad.npz")


def test_files_that_are_no_archives(tmp_path):
    (tmp_path / "text.npz").write_text("no archive", encoding="utf-8")
    np.savez(tmp_path / "pickled.npz", X_train=np.array([{}], dtype=object))
    for name in ("text.npz", "pickled.npz"):
        with pytest.raises(ValueError, match=r"undamaged .npz file of plain arrays|must hold the arrays"):
            load_voxelwise(tmp_path / name)


@pytest.mark.parametrize(
    ("argument", "value"), [("n_voxels", 4), ("signal_to_noise", 0.0), ("subject", -1), ("rng", -1)]
)
def test_bad_numbers(argument, value):
    with pytest.raises(ValueError, match=argument):
        load_scanner_experiment(**{argument: value})
