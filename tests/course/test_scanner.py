"""The simulated scanner against its own truth."""

from __future__ import annotations

import numpy as np
import pytest

from classex_book.data import load_scanner_experiment
from classex_book.recordings import delay_features, detrend, noise_ceiling


@pytest.fixture(scope="module")
def experiment():
    return load_scanner_experiment(n_voxels=60, signal_to_noise=0.5)


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
