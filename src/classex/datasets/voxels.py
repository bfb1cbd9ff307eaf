"""Voxels: photographs as stimuli, Gabor features, simulated responses with a known truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._extras import needed_for
from classex._validation import as_finite_array, as_generator, as_positive_float, as_positive_int
from classex.datasets.gabor import GaborChannels, gabor_features
from classex.io.tables import read_arrays

__all__ = ["VoxelExperiment", "load_responses", "load_voxel_experiment"]

FloatArray = NDArray[np.float64]

PATCH = 32
# columns of each photograph that only the test set may see
_TEST_COLUMNS = 256
_TRAINING_STEP = 12


@dataclass(frozen=True)
class VoxelExperiment:
    r"""A simulated experiment: the brain is simulated, the images are real.

    Attributes
    ----------
    train_images, test_images : ndarray of shape (n, 32, 32)
        Patches of photographs, their contrast normalised. Images and features are read-only.
    train_features, test_features : ndarray of shape (n, n_channels)
        Gabor features, standardised by mean and standard deviation of the training set.
    channels : GaborChannels
        What the columns of the features look at.
    train_responses, test_responses : ndarray of shape (n, n_voxels)
        Simulated responses, ``features @ weights + noise``.
    weights : ndarray of shape (n_channels, n_voxels)
        The true encoding model.
    noise_covariance : ndarray of shape (n_voxels, n_voxels)
        Its true noise.
    signal_to_noise : ndarray of shape (n_voxels,)
        Variance of each voxel's signal over the training images, over that of its noise.
    information_bound : float
        No response of these voxels carries more information, in nats, about a stimulus whose features vary
        as in the training set: :math:`\tfrac12 \log\det(I + \Sigma^{-1} \mathrm{Cov}(B^\top X))`, reached if
        the features were normal.

    Examples
    --------
    >>> from classex.datasets import load_voxel_experiment
    >>> experiment = load_voxel_experiment(n_voxels=20)
    >>> noise = (
    ...     experiment.train_responses
    ...     - experiment.train_features @ experiment.weights
    ... )
    >>> bool(
    ...     abs(
    ...         noise.var(axis=0) / experiment.noise_covariance.diagonal() - 1
    ...     ).max()
    ...     < 0.2
    ... )
    True
    """

    train_images: FloatArray
    test_images: FloatArray
    train_features: FloatArray
    test_features: FloatArray
    channels: GaborChannels
    train_responses: FloatArray
    test_responses: FloatArray
    weights: FloatArray
    noise_covariance: FloatArray
    signal_to_noise: FloatArray
    information_bound: float


def load_voxel_experiment(
    *,
    n_voxels: int = 200,
    signal_to_noise: float = 0.4,
    contrast_floor: float = 0.2,
    subject: int = 0,
    rng: Any = 0,
) -> VoxelExperiment:
    r"""Simulate how the voxels of one subject respond to patches of two photographs.

    The stimuli are 32 x 32 patches of the two photographs (427 x 640 pixels) that scikit-learn ships. Training
    patches come from the left part of each photograph, 12 pixels apart, so that they overlap; test patches from
    the right 256 columns, without overlap. No pixel serves both. As in early vision, contrast is normalised: a
    patch is divided by its standard deviation plus a floor.

    A voxel sums Gabor features under a receptive field: a Gaussian in space, in log frequency, and in
    orientation. Its noise has three sources: one private, one that decays with the distance of the
    receptive fields, and three that the whole brain shares. The signal-to-noise ratio varies over voxels by a
    log-normal factor with standard deviation 1 on the log scale.

    Parameters
    ----------
    n_voxels : int
        Number of voxels.
    signal_to_noise : float
        Median ratio of signal to noise variance.
    contrast_floor : float
        What is added to a patch's standard deviation (that of its photograph is 1) before the division. A small
        floor lifts an empty sky to the contrast of a temple; a large one leaves contrasts as they were.
    subject : int
        Each subject has its own voxels and its own noise, and sees the same images. Only used with a seed.
    rng : int or numpy.random.Generator
        Seed; a generator is used as it is, whatever the subject.

    Returns
    -------
    VoxelExperiment
        About 2,000 training and 208 test stimuli, their features, the responses, and the truth behind them.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Source: the design follows Kay et al. (2008), in which 1,750 photographs trained the model and 120 tested it;
    the responses here are simulated.

    Examples
    --------
    >>> from classex.datasets.voxels import load_voxel_experiment
    >>> experiment = load_voxel_experiment(n_voxels=20)
    >>> experiment.test_images.shape, experiment.train_responses.shape[1]
    ((208, 32, 32), 20)
    """
    q = as_positive_int(n_voxels, "n_voxels")
    ratio = as_positive_float(signal_to_noise, "signal_to_noise")
    floor = as_positive_float(contrast_floor, "contrast_floor")
    number = as_positive_int(subject, "subject", minimum=0)
    generator = rng if isinstance(rng, np.random.Generator) else as_generator([number, _seed(rng)])
    train, test, x, x_test, channels = _stimuli(floor)
    weights, row, column = _receptive_fields(channels, q, generator)
    # every voxel's signal has variance 1 over the training images
    weights /= (x @ weights).std(axis=0)
    snr = ratio * np.exp(generator.normal(size=q))
    covariance = _noise_covariance(row, column, 1.0 / snr, generator)
    root = np.linalg.cholesky(covariance)
    y, y_test = (part @ weights + generator.normal(size=(part.shape[0], q)) @ root.T for part in (x, x_test))
    signal = np.cov(x @ weights, rowvar=False, bias=True).reshape(q, q)
    bound = 0.5 * float(np.linalg.slogdet(covariance + signal)[1] - np.linalg.slogdet(covariance)[1])
    return VoxelExperiment(train, test, x, x_test, channels, y, y_test, weights, covariance, snr, bound)


def _seed(rng: Any) -> int:
    return as_positive_int(rng, "rng", minimum=0)


@lru_cache(maxsize=2)
def _stimuli(contrast_floor: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, GaborChannels]:
    """Training and test patches, their standardised features, and what the features look at."""
    train, test = _patches(contrast_floor)
    energy, channels = gabor_features(train)
    mean, deviation = energy.mean(axis=0), energy.std(axis=0)
    x, x_test = (energy - mean) / deviation, (gabor_features(test)[0] - mean) / deviation
    for array in (train, test, x, x_test):
        # every experiment holds the same arrays
        array.flags.writeable = False
    return train, test, x, x_test, channels


def _patches(contrast_floor: float) -> tuple[FloatArray, FloatArray]:
    """Training and test patches: mean removed, contrast normalised, faded out towards the edge."""
    with needed_for("load_voxel_experiment"):
        from sklearn.datasets import load_sample_images

    train, test = [], []
    for photograph in load_sample_images().images:
        # luminance as in ITU-R BT.601
        grey = photograph @ np.array([0.299, 0.587, 0.114])
        grey = (grey - grey.mean()) / grey.std()
        border = grey.shape[1] - _TEST_COLUMNS
        train.append(_windows(grey[:, :border])[::_TRAINING_STEP, ::_TRAINING_STEP])
        test.append(_windows(grey[:, border:])[::PATCH, ::PATCH])
    fade = np.sin(np.pi * (np.arange(PATCH) + 0.5) / PATCH)
    aperture = np.sqrt(np.outer(fade, fade))
    out = []
    for parts in (train, test):
        stack = np.concatenate([part.reshape(-1, PATCH, PATCH) for part in parts])
        contrast = stack.std(axis=(1, 2), keepdims=True)
        out.append((stack - stack.mean(axis=(1, 2), keepdims=True)) / (contrast + contrast_floor) * aperture)
    return out[0], out[1]


def _windows(image: FloatArray) -> FloatArray:
    view: FloatArray = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH))
    return view


def _receptive_fields(
    channels: GaborChannels, n_voxels: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (n_channels, n_voxels) and the centres of the receptive fields."""
    row, column = rng.uniform(0.1, 0.9, size=(2, n_voxels))
    size = rng.uniform(0.08, 0.25, size=n_voxels)
    octave = rng.uniform(0.0, 3.0, size=n_voxels)
    angle = rng.uniform(0.0, np.pi, size=n_voxels)
    sharpness = rng.gamma(2.0, 1.0, size=n_voxels)
    distance = (channels.row[:, np.newaxis] - row) ** 2 + (channels.column[:, np.newaxis] - column) ** 2
    log_weight = -0.5 * distance / size**2
    log_weight -= 0.5 * (np.log2(channels.frequency)[:, np.newaxis] - octave) ** 2
    log_weight += sharpness * (np.cos(2 * (channels.orientation[:, np.newaxis] - angle)) - 1)
    return np.exp(log_weight), row, column


def _noise_covariance(
    row: FloatArray, column: FloatArray, variance: FloatArray, rng: np.random.Generator
) -> FloatArray:
    q = row.size
    distance = np.hypot(row[:, np.newaxis] - row, column[:, np.newaxis] - column)
    loading = rng.normal(size=(q, 3)) / np.sqrt(3)
    correlation = 0.6 * np.eye(q) + 0.3 * np.exp(-distance / 0.1)
    shared = loading @ loading.T
    norm = np.sqrt(np.diag(shared))
    correlation += 0.1 * shared / np.outer(norm, norm)
    scale = np.sqrt(variance)
    covariance: FloatArray = correlation * np.outer(scale, scale)
    return covariance


def load_responses(path: str | Path) -> tuple[FloatArray, FloatArray]:
    """Read stimuli and responses of your own from a ``.npz`` file. Nothing is ever unpickled.

    Parameters
    ----------
    path : str or Path
        A file with arrays ``stimuli`` of shape (n, n_features) and ``responses`` of shape (n, n_responses), row
        by row, as ``numpy.savez(path, stimuli=..., responses=...)`` writes it.

    Returns
    -------
    stimuli : ndarray of shape (n, n_features)
        Feature vectors.
    responses : ndarray of shape (n, n_responses)
        Responses.

    Raises
    ------
    ValueError
        If the file is not of that kind, an array is missing, would need unpickling, holds NaN or infinity, or
        the numbers of rows differ.
    TypeError
        If an array does not hold real numbers.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from classex.datasets.voxels import load_responses
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "mine.npz"
    ...     np.savez(file, stimuli=np.ones((4, 3)), responses=np.ones((4, 2)))
    ...     stimuli, responses = load_responses(file)
    >>> stimuli.shape, responses.shape
    ((4, 3), (4, 2))
    """
    file = Path(path)
    names = ("stimuli", "responses")
    arrays = read_arrays(file, *names).values()
    stimuli, responses = (
        as_finite_array(array, name, ndim=2, dtype=np.float64) for array, name in zip(arrays, names, strict=True)
    )
    if stimuli.shape[0] != responses.shape[0]:
        raise ValueError(
            f"stimuli and responses must have as many rows, but {file} holds {stimuli.shape[0]} and"
            f" {responses.shape[0]}"
        )
    return stimuli, responses
