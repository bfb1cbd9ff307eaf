"""Patches of photographs as stimuli, and simulated voxels that respond to them with a known truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_int
from classex._optional import needed_for
from classex_book.data.gabor import GaborChannels, gabor_features

__all__ = ["VoxelExperiment", "load_voxel_experiment"]

FloatArray = NDArray[np.float64]

_PATCH, _TEST_COLUMNS, _TRAINING_STEP = 32, 256, 12  # pixels; 208 test and about 2,000 training patches
_LUMINANCE = np.array([0.299, 0.587, 0.114])  # of red, green and blue, ITU-R BT.601
# Added to a patch's standard deviation (that of its photograph is 1): a smaller floor would amplify an empty sky
_CONTRAST_FLOOR = 0.2
_SIGNAL_TO_NOISE = 0.4  # median over voxels, chosen for the lab


@dataclass(frozen=True)
class VoxelExperiment:
    r"""An experiment with real images and a simulated brain.

    Attributes
    ----------
    train_images, test_images : ndarray of shape (n, 32, 32)
        Patches of photographs with normalised contrast. Images and features are read-only.
    train_features, test_features : ndarray of shape (n, n_channels)
        Gabor features, standardised by mean and standard deviation of the training set.
    channels : GaborChannels
        The filter behind each column of the features.
    train_responses, test_responses : ndarray of shape (n, n_voxels)
        Simulated responses, ``features @ weights + noise``.
    weights : ndarray of shape (n_channels, n_voxels)
        The true encoding model.
    noise_covariance : ndarray of shape (n_voxels, n_voxels)
        True covariance of the noise.
    signal_to_noise : ndarray of shape (n_voxels,)
        Variance of each voxel's signal over the training images, divided by that of its noise.
    information_bound : float
        The most information, in nats, that the voxels can carry about a stimulus whose features vary as in the
        training set: :math:`\tfrac12 \log\det(I + \Sigma^{-1} \mathrm{Cov}(B^\top X))`. Normal features reach it.

    Examples
    --------
    >>> from classex_book.data import load_voxel_experiment
    >>> e = load_voxel_experiment(n_voxels=20)
    >>> noise = e.train_responses - e.train_features @ e.weights
    >>> ratio = noise.var(axis=0) / e.noise_covariance.diagonal()
    >>> bool(abs(ratio - 1).max() < 0.2)
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


def load_voxel_experiment(*, n_voxels: int = 200, subject: int = 0) -> VoxelExperiment:
    r"""Simulate how the voxels of one subject respond to patches of two photographs.

    The stimuli are 32 x 32 patches of the two photographs (427 x 640 pixels) that scikit-learn ships. Training
    patches come from the left part of each photograph, 12 pixels apart, so that they overlap. Test patches come from
    the right 256 columns, without overlap. No pixel serves both. As in early vision, contrast is normalised: a
    patch is divided by its standard deviation plus a floor.

    A voxel sums Gabor features under a receptive field that is Gaussian in space, in log frequency, and in
    orientation. Its noise has three sources: one private, one that decays with the distance of the
    receptive fields, and three that all voxels share. The signal-to-noise ratio varies over voxels by a
    log-normal factor with standard deviation 1 on the log scale; its median is 0.4.

    Parameters
    ----------
    n_voxels : int
        Number of voxels.
    subject : int
        Number of the subject, the seed of its voxels and its noise. All subjects see the same images.

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
    Source: the design follows Kay et al. (2008), in which 1,750 photographs trained the model and 120 tested it.

    Examples
    --------
    >>> from classex_book.data import load_voxel_experiment
    >>> experiment = load_voxel_experiment(n_voxels=20)
    >>> experiment.test_images.shape, experiment.train_responses.shape[1]
    ((208, 32, 32), 20)
    """
    q = as_positive_int(n_voxels, "n_voxels")
    rng = np.random.default_rng([as_positive_int(subject, "subject", minimum=0), 0])
    train, test, x, x_test, channels = _stimuli()
    weights, row, column = _receptive_fields(channels, q, rng)
    weights /= (x @ weights).std(axis=0)  # every signal has variance 1 over the training images
    snr = _SIGNAL_TO_NOISE * np.exp(rng.normal(size=q))
    covariance = _noise_covariance(row, column, 1.0 / snr, rng)
    root = np.linalg.cholesky(covariance)
    y, y_test = (part @ weights + rng.normal(size=(len(part), q)) @ root.T for part in (x, x_test))
    signal = np.cov(x @ weights, rowvar=False, bias=True).reshape(q, q)
    bound = 0.5 * float(np.linalg.slogdet(covariance + signal)[1] - np.linalg.slogdet(covariance)[1])
    return VoxelExperiment(train, test, x, x_test, channels, y, y_test, weights, covariance, snr, bound)


@cache
def _stimuli() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, GaborChannels]:
    """Training and test patches, their standardised features, and the filters behind these."""
    with needed_for("load_voxel_experiment"):
        from sklearn.datasets import load_sample_images

    train, test = patches(load_sample_images().images)
    energy, channels = gabor_features(train)
    mean, deviation = energy.mean(axis=0), energy.std(axis=0)
    x, x_test = (energy - mean) / deviation, (gabor_features(test)[0] - mean) / deviation
    for array in (train, test, x, x_test):
        array.flags.writeable = False  # all experiments share them
    return train, test, x, x_test, channels


def patches(photographs: Iterable[NDArray[np.uint8]]) -> tuple[FloatArray, FloatArray]:
    """Training and test patches: mean removed, contrast normalised, faded out towards the edge."""
    train: list[FloatArray] = []
    test: list[FloatArray] = []
    for photograph in photographs:
        grey = photograph @ _LUMINANCE
        grey = (grey - grey.mean()) / grey.std()
        for part, step, found in (
            (grey[:, :-_TEST_COLUMNS], _TRAINING_STEP, train),
            (grey[:, -_TEST_COLUMNS:], _PATCH, test),
        ):
            windows = np.lib.stride_tricks.sliding_window_view(part, (_PATCH, _PATCH))[::step, ::step]
            found.append(windows.reshape(-1, _PATCH, _PATCH))
    fade = np.sin(np.pi * (np.arange(_PATCH) + 0.5) / _PATCH)
    aperture = np.sqrt(np.outer(fade, fade))
    stacks = (np.concatenate(side) for side in (train, test))
    first, second = (
        (stack - stack.mean(axis=(1, 2), keepdims=True))
        / (stack.std(axis=(1, 2), keepdims=True) + _CONTRAST_FLOOR)
        * aperture
        for stack in stacks
    )
    return first, second


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
    """Covariance of private noise (.6), noise shared by near fields (.3), and noise of the whole brain (.1)."""
    distance = np.hypot(row[:, np.newaxis] - row, column[:, np.newaxis] - column)
    loading = rng.normal(size=(row.size, 3))
    loading /= np.linalg.norm(loading, axis=1, keepdims=True)
    correlation = 0.6 * np.eye(row.size) + 0.3 * np.exp(-distance / 0.1) + 0.1 * loading @ loading.T
    covariance: FloatArray = correlation * np.sqrt(np.outer(variance, variance))
    return covariance
