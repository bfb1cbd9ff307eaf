"""A simulated scanner: voxel recordings of a film with all the defects of real ones, and the truth behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_float, as_positive_int
from classex.datasets.voxelwise import VoxelwiseData

__all__ = ["ScannerExperiment", "load_scanner_experiment"]

FloatArray = NDArray[np.float64]

_RUNS, _RUN_LENGTH, _TEST_LENGTH, _REPEATS = 6, 200, 150, 8
_FEATURES, _SECONDS = 24, 2.0
_SMOOTHNESS, _NOISE_MEMORY, _SHARED_NOISE, _DRIFT = 0.6, 0.3, 0.2, 1.5
_WITH_SIGNAL = 0.4


@dataclass(frozen=True)
class ScannerExperiment:
    r"""A simulated session, and what only its maker knows.

    Attributes
    ----------
    data : VoxelwiseData
        What the scanner gives away.
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
    >>> from classex.datasets import load_scanner_experiment
    >>> experiment = load_scanner_experiment(n_voxels=20)
    >>> (
    ...     round(float(experiment.haemodynamic_response.sum()), 6),
    ...     int(experiment.has_signal.sum()),
    ... )
    (1.0, 4)
    >>> (
    ...     experiment.weights.shape,
    ...     bool((experiment.weights[:, ~experiment.has_signal] == 0).all()),
    ... )
    ((24, 20), True)
    """

    data: VoxelwiseData
    haemodynamic_response: FloatArray
    weights: FloatArray
    has_signal: NDArray[np.bool_]
    test_signal: FloatArray
    noise_covariance: FloatArray


def load_scanner_experiment(
    *, n_voxels: int = 120, signal_to_noise: float = 0.02, subject: int = 0, rng: int = 0
) -> ScannerExperiment:
    r"""Simulate one subject who watches a film in a scanner.

    The film has 24 features that change smoothly in time (an autoregression with coefficient 0.6 per sample of two
    seconds), the same for every subject: 6 training runs of 200 samples, and a test run of 150 samples that is
    shown 8 times. Two voxels in five respond to a few features each, through a haemodynamic response that peaks after
    five seconds. To every voxel are added noise that remembers its last value (coefficient 0.3) and shares a part with
    all other voxels, and a slow drift of its own in every run. The drift of a voxel in the *test* run is alike in all
    repeats, as warming up is, so that averaging over repeats does not remove it.

    Parameters
    ----------
    n_voxels : int
        Number of voxels, at least 5.
    signal_to_noise : float
        Median, over responsive voxels, of the ratio of signal to noise variance of one sample.
    subject : int
        Number of the subject: own voxels, own noise and an ability of its own, a factor on all its signals that is
        log-normal with standard deviation 0.3 between subjects.
    rng : int
        Seed of the film and, with the number of the subject, of everything else.

    Returns
    -------
    ScannerExperiment
        Recordings, and the truth.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    The sizes follow the public film data of voxelwise modelling on a small scale; nothing in them is real.

    Examples
    --------
    >>> from classex.datasets import load_scanner_experiment
    >>> experiment = load_scanner_experiment(n_voxels=20)
    >>> experiment.data.train_responses.shape, experiment.data.test_responses.shape
    ((1200, 20), (8, 150, 20))
    """
    q = as_positive_int(n_voxels, "n_voxels", minimum=5)
    ratio = as_positive_float(signal_to_noise, "signal_to_noise")
    number, seed = (as_positive_int(v, n, minimum=0) for v, n in ((subject, "subject"), (rng, "rng")))
    film, own = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1 + number])
    pieces = [_smooth(film, _RUN_LENGTH, _FEATURES) for _ in range(_RUNS)] + [_smooth(film, _TEST_LENGTH, _FEATURES)]
    response = _haemodynamic_response()
    convolved = [np.apply_along_axis(lambda x: np.convolve(x, response)[: x.size], 0, piece) for piece in pieces]

    weights = own.normal(size=(_FEATURES, q)) * (own.random((_FEATURES, q)) < 0.2)
    has_signal = own.random(q) < _WITH_SIGNAL
    weights[:, ~has_signal] = 0.0
    spread = np.sqrt(np.square(np.concatenate(convolved[:-1]) @ weights).mean(axis=0))
    ability = np.exp(0.3 * own.normal())
    strength = np.sqrt(ratio * np.exp(own.normal(scale=0.7, size=q))) * ability
    weights = weights * np.where(spread > 0, strength / np.where(spread > 0, spread, 1.0), 0.0)
    has_signal &= spread > 0

    loading = own.normal(size=q)
    covariance = (1 - _SHARED_NOISE) * np.eye(q) + _SHARED_NOISE * np.outer(loading, loading)
    root: FloatArray = np.linalg.cholesky(covariance).astype(np.float64)
    train = [part @ weights + _noise(own, root, len(part)) + _drift(own, len(part), q) for part in convolved[:-1]]
    signal, warming = convolved[-1] @ weights, _drift(own, _TEST_LENGTH, q)
    test = [signal + warming + _noise(own, root, _TEST_LENGTH) + 0.3 * _drift(own, _TEST_LENGTH, q)
            for _ in range(_REPEATS)]  # fmt: skip
    data = VoxelwiseData(
        np.concatenate(pieces[:-1]), pieces[-1], np.concatenate(train), np.stack(test),
        np.repeat(np.arange(_RUNS), _RUN_LENGTH), np.zeros(_FEATURES, dtype=np.int64),
    )  # fmt: skip
    return ScannerExperiment(data, response, weights, has_signal, signal, covariance)


def _smooth(rng: np.random.Generator, n: int, columns: int, memory: float = _SMOOTHNESS) -> FloatArray:
    """Stationary autoregressions of variance 1."""
    out = rng.normal(size=(n, columns))
    for t in range(1, n):
        out[t] = memory * out[t - 1] + np.sqrt(1 - memory**2) * out[t]
    return out


def _haemodynamic_response() -> FloatArray:
    """Difference of two gamma densities at 0, 2, ..., 18 seconds, scaled to sum 1."""
    from scipy.stats import gamma

    seconds = _SECONDS * np.arange(10)
    shape = gamma.pdf(seconds, 6) - gamma.pdf(seconds, 16) / 6
    return np.asarray(shape / shape.sum(), dtype=np.float64)


def _noise(rng: np.random.Generator, root: FloatArray, n: int) -> FloatArray:
    coloured: FloatArray = _smooth(rng, n, root.shape[0], _NOISE_MEMORY) @ root.T
    return coloured


def _drift(rng: np.random.Generator, n: int, columns: int) -> FloatArray:
    """Random cubic polynomials of time."""
    basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, n), 3)
    slow: FloatArray = basis @ (_DRIFT * rng.normal(size=(4, columns)))
    return slow
