"""A simulated scanner: voxel recordings of a film with the defects of real ones, and the truth behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_float, as_positive_int
from classex_book.data.recordings import VoxelwiseData

__all__ = ["ScannerExperiment", "load_scanner_experiment"]

FloatArray = NDArray[np.float64]

# a small version of the public film data of Huth et al. (2012)
_RUNS, _RUN_LENGTH, _TEST_LENGTH, _REPEATS, _FEATURES = 6, 200, 150, 8, 24
# coefficients of the film and the noise, share of common noise, size of the drift: chosen for the lab
_SMOOTHNESS, _NOISE_MEMORY, _SHARED_NOISE, _DRIFT = 0.6, 0.3, 0.2, 1.5
_WITH_SIGNAL, _WITH_WEIGHT = 0.4, 0.2  # shares of the voxels, and of a voxel's features


@dataclass(frozen=True)
class ScannerExperiment:
    r"""A simulated session, and the truth behind it.

    Attributes
    ----------
    data : VoxelwiseData
        What a scanner would record.
    haemodynamic_response : ndarray of shape (n_lags,)
        Response to a brief stimulus at lags of 0, 1, 2, ... samples of two seconds; sums to 1.
    weights : ndarray of shape (n_features, n_voxels)
        True weights of the features; zero for voxels without signal.
    has_signal : ndarray of bool, shape (n_voxels,)
        Which voxels respond to the film at all.
    test_signal : ndarray of shape (n_test, n_voxels)
        Noiseless response to the test stimuli.
    noise_covariance : ndarray of shape (n_voxels, n_voxels)
        Covariance of the noise of one sample of one repeat, drift not included.

    Examples
    --------
    >>> from classex_book.data import load_scanner_experiment
    >>> experiment = load_scanner_experiment(n_voxels=20)
    >>> int(experiment.has_signal.sum()), experiment.weights.shape
    (4, (24, 20))
    >>> float(abs(experiment.weights[:, ~experiment.has_signal]).max())
    0.0
    """

    data: VoxelwiseData
    haemodynamic_response: FloatArray
    weights: FloatArray
    has_signal: NDArray[np.bool_]
    test_signal: FloatArray
    noise_covariance: FloatArray


def load_scanner_experiment(
    *, n_voxels: int = 120, signal_to_noise: float = 0.02, subject: int = 0
) -> ScannerExperiment:
    r"""Simulate one subject who watches a film in a scanner.

    The film is the same for every subject. It has 24 features that change smoothly in time, an autoregression with
    coefficient 0.6 per sample of two seconds. There are 6 training runs of 200 samples, and a test run of 150 samples
    that is shown 8 times. Two voxels in five respond to a few features each, through a haemodynamic response that
    peaks after five seconds.

    Every voxel has autoregressive noise with coefficient 0.3, partly shared with all other voxels, and a slow drift
    of its own in every run. Part of the drift in the *test* run is the same in all repeats, as warming up would be,
    so averaging over repeats does not remove it.

    Parameters
    ----------
    n_voxels : int
        Number of voxels, at least 5.
    signal_to_noise : float
        Median, over responsive voxels, of the ratio of signal to noise variance of one sample.
    subject : int
        Number of the subject, the seed of its voxels, noise and ability. The ability multiplies all signals of a
        subject; it is log-normal with standard deviation 0.3 on the log scale.

    Returns
    -------
    ScannerExperiment
        Recordings, and the truth.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> from classex_book.data import load_scanner_experiment
    >>> experiment = load_scanner_experiment(n_voxels=20)
    >>> experiment.data.train_responses.shape, experiment.data.test_responses.shape
    ((1200, 20), (8, 150, 20))
    """
    q = as_positive_int(n_voxels, "n_voxels", minimum=5)
    ratio = as_positive_float(signal_to_noise, "signal_to_noise")
    film = np.random.default_rng([0, 0])
    own = np.random.default_rng([0, 1 + as_positive_int(subject, "subject", minimum=0)])
    pieces = [_smooth(film, n, _FEATURES, _SMOOTHNESS) for n in (*[_RUN_LENGTH] * _RUNS, _TEST_LENGTH)]
    response = _haemodynamic_response()
    *convolved, test = (np.apply_along_axis(lambda x: np.convolve(x, response)[: x.size], 0, part) for part in pieces)

    weights = own.normal(size=(_FEATURES, q)) * (own.random((_FEATURES, q)) < _WITH_WEIGHT)
    weights[:, own.random(q) >= _WITH_SIGNAL] = 0.0
    deviation = np.sqrt(np.square(np.concatenate(convolved) @ weights).mean(axis=0))
    has_signal = deviation > 0
    ability = np.exp(0.3 * own.normal())
    strength = np.sqrt(ratio * np.exp(own.normal(scale=0.7, size=q))) * ability
    weights *= strength / np.where(has_signal, deviation, 1.0)

    loading = own.normal(size=q)
    covariance = (1 - _SHARED_NOISE) * np.eye(q) + _SHARED_NOISE * np.outer(loading, loading)
    root: FloatArray = np.linalg.cholesky(covariance).astype(np.float64)
    train = [part @ weights + _noise(own, root, len(part)) + _drift(own, len(part), q) for part in convolved]
    signal, warming = test @ weights, _drift(own, _TEST_LENGTH, q)
    repeats = [
        signal + warming + _noise(own, root, _TEST_LENGTH) + 0.3 * _drift(own, _TEST_LENGTH, q) for _ in range(_REPEATS)
    ]
    runs, spaces = np.repeat(np.arange(_RUNS), _RUN_LENGTH), np.zeros(_FEATURES, dtype=np.int64)
    data = VoxelwiseData(
        np.concatenate(pieces[:-1]), pieces[-1], np.concatenate(train), np.stack(repeats), runs, spaces
    )
    return ScannerExperiment(data, response, weights, has_signal, signal, covariance)


def _smooth(rng: np.random.Generator, n: int, columns: int, memory: float) -> FloatArray:
    """Stationary autoregressions of variance 1."""
    out = rng.normal(size=(n, columns))
    for t in range(1, n):
        out[t] = memory * out[t - 1] + np.sqrt(1 - memory**2) * out[t]
    return out


def _haemodynamic_response() -> FloatArray:
    """Difference of two gamma densities at 0, 2, ..., 18 seconds, scaled to sum 1."""
    from scipy.stats import gamma

    seconds = 2.0 * np.arange(10)
    shape: FloatArray = gamma.pdf(seconds, 6) - gamma.pdf(seconds, 16) / 6
    return np.asarray(shape / shape.sum())


def _noise(rng: np.random.Generator, root: FloatArray, n: int) -> FloatArray:
    noise: FloatArray = _smooth(rng, n, len(root), _NOISE_MEMORY) @ root.T
    return noise


def _drift(rng: np.random.Generator, n: int, columns: int) -> FloatArray:
    """Random cubic polynomials of time."""
    basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, n), 3)
    drift: FloatArray = basis @ (_DRIFT * rng.normal(size=(4, columns)))
    return drift
