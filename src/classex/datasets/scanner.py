"""A simulated scanner: voxel recordings of a film with all the defects of real ones, and the truth behind them."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_finite_array, as_positive_float, as_positive_int

__all__ = ["ScannerExperiment", "VoxelwiseData", "load_scanner_experiment", "load_voxelwise", "save_voxelwise"]

FloatArray = NDArray[np.float64]

_RUNS, _RUN_LENGTH, _TEST_LENGTH, _REPEATS = 6, 200, 150, 8
_FEATURES, _SECONDS = 24, 2.0
_SMOOTHNESS, _NOISE_MEMORY, _SHARED_NOISE, _DRIFT = 0.6, 0.3, 0.2, 1.5
_WITH_SIGNAL = 0.4
_NAMES = ("X_train", "X_test", "Y_train", "Y_test", "run_onsets")


@dataclass(frozen=True)
class VoxelwiseData:
    """Features and recordings in the layout of public voxelwise data.

    Attributes
    ----------
    train_features : ndarray of shape (n_train, n_features)
        Features of the training stimuli, one row for each sample (each volume), in the order of time.
    test_features : ndarray of shape (n_test, n_features)
        Features of the test stimuli.
    train_responses : ndarray of shape (n_train, n_voxels)
        Recordings of the training stimuli.
    test_responses : ndarray of shape (n_repeats, n_test, n_voxels)
        Recordings of the test stimuli, each repeat on its own.
    runs : ndarray of int, shape (n_train,)
        Run of each training sample, from 0.
    """

    train_features: FloatArray
    test_features: FloatArray
    train_responses: FloatArray
    test_responses: FloatArray
    runs: NDArray[np.int64]


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
        np.repeat(np.arange(_RUNS), _RUN_LENGTH),
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


def save_voxelwise(path: str | Path, data: VoxelwiseData) -> None:
    """Write features and recordings as ``.npz`` with the array names of the public voxelwise data.

    Parameters
    ----------
    path : str or Path
        File to write.
    data : VoxelwiseData
        What to write.

    See Also
    --------
    load_voxelwise : Reads it again, and describes the layout.
    """
    onsets = np.flatnonzero(np.diff(data.runs, prepend=-1))
    arrays = (data.train_features, data.test_features, data.train_responses, data.test_responses, onsets)
    named: dict[str, Any] = dict(zip(_NAMES, arrays, strict=True))
    np.savez(Path(path), **named)


def load_voxelwise(path: str | Path) -> VoxelwiseData:
    """Read features and recordings in the layout of the public voxelwise data. Nothing is ever unpickled.

    Parameters
    ----------
    path : str or Path
        A ``.npz`` file with the arrays ``X_train`` (n_train, n_features), ``X_test`` (n_test, n_features), ``Y_train``
        (n_train, n_voxels), ``Y_test`` (n_repeats, n_test, n_voxels) and ``run_onsets``, the first row of every
        training run. These are the names in the public files, whose container is HDF5: features and recordings in
        two files. Copy the arrays of both into one ``.npz``. Voxels with a NaN anywhere are dropped, as those outside
        the brain have.

    Returns
    -------
    VoxelwiseData
        Features, recordings and runs.

    Raises
    ------
    ValueError
        If the file is not of that kind, an array is missing or of the wrong shape, or the run onsets do not increase
        from 0.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from classex.datasets import load_scanner_experiment, load_voxelwise, save_voxelwise
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "subject.npz"
    ...     save_voxelwise(file, load_scanner_experiment(n_voxels=7).data)
    ...     data = load_voxelwise(file)
    >>> data.test_responses.shape, int(data.runs.max())
    ((8, 150, 7), 5)
    """
    file = Path(path)
    with file.open("rb") as stream:
        try:
            archive = np.load(stream, allow_pickle=False)
            found = {name: archive[name] for name in archive.files if name in _NAMES}
        except (AttributeError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
            raise ValueError(
                f"{file} is not an undamaged .npz file of plain arrays (pickled objects are never loaded)"
            ) from None
    missing = [name for name in _NAMES if name not in found]
    if missing:
        raise ValueError(f"{file} must hold the arrays {', '.join(_NAMES)}, but has no {missing[0]}")
    x, x_test = (as_finite_array(found[name], name, ndim=2, dtype=np.float64) for name in ("X_train", "X_test"))
    y, y_test = (np.asarray(found[name], dtype=np.float64) for name in ("Y_train", "Y_test"))
    if y.ndim != 2 or y_test.ndim != 3 or y.shape[1] != y_test.shape[2]:
        raise ValueError(
            f"Y_train must be (n_train, n_voxels) and Y_test (n_repeats, n_test, n_voxels), not {y.shape} and"
            f" {y_test.shape}"
        )
    for features, n, names in ((x, y.shape[0], "train"), (x_test, y_test.shape[1], "test")):
        if features.shape[0] != n:
            raise ValueError(f"X_{names} and Y_{names} must have as many samples, not {features.shape[0]} and {n}")
    onsets = np.asarray(found["run_onsets"])
    if onsets.ndim != 1 or onsets.size == 0 or onsets[0] != 0 or (np.diff(onsets) <= 0).any() or onsets[-1] >= len(y):
        raise ValueError(f"run_onsets must increase from 0 and stay below {len(y)}, not {onsets.tolist()}")
    runs = np.searchsorted(onsets, np.arange(len(y)), side="right") - 1
    whole = np.isfinite(y).all(axis=0) & np.isfinite(y_test).all(axis=(0, 1))
    if not whole.any():
        raise ValueError("Y_train and Y_test must hold at least one voxel without NaN or infinity")
    return VoxelwiseData(x, x_test, y[:, whole], y_test[:, :, whole], runs.astype(np.int64))
