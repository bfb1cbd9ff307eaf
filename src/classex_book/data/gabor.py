"""Gabor wavelets: contrast energy of grey images by position, frequency and orientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_finite_array, as_positive_int

__all__ = ["GaborChannels", "gabor_features", "gabor_filters"]

FloatArray = NDArray[np.float64]

_FREQUENCIES = (1, 2, 4, 8)
_ORIENTATIONS = 6
# a Gabor filter with a half-response bandwidth of one octave has sigma = _SIGMA / frequency
_SIGMA = 3 * np.sqrt(np.log(2) / 2) / np.pi


@dataclass(frozen=True)
class GaborChannels:
    """Frequency, orientation and centre of the filter behind each column of a matrix of Gabor features.

    Attributes
    ----------
    frequency : ndarray of shape (n_channels,)
        Cycles per image.
    orientation : ndarray of shape (n_channels,)
        Direction of the wave in radians, in [0, pi).
    row, column : ndarray of shape (n_channels,)
        Centre of the filter, as fractions of the image.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.data import gabor_features
    >>> channels = gabor_features(np.ones((1, 32, 32)))[1]
    >>> channels.frequency.size, np.unique(channels.frequency)
    (510, array([1., 2., 4., 8.]))
    """

    frequency: FloatArray
    orientation: FloatArray
    row: FloatArray
    column: FloatArray


def gabor_features(images: ArrayLike) -> tuple[FloatArray, GaborChannels]:
    """Contrast energy in a pyramid of Gabor wavelets.

    Filters of 1, 2, 4 and 8 cycles per image sit on grids of 1, 4, 16 and 64 points, in six orientations. Each filter
    is a pair of waves a quarter of a period apart under one Gaussian window. The feature is the root of their summed
    squares, so it does not depend on the phase of the pattern.

    Parameters
    ----------
    images : array_like of shape (n, size, size)
        Square grey images of at least 16 pixels a side.

    Returns
    -------
    features : ndarray of shape (n, 510)
        Non-negative energies.
    channels : GaborChannels
        The filter behind each column.

    Raises
    ------
    ValueError
        If the images are not finite, square and large enough.

    Notes
    -----
    Source: the encoding model of Kay et al. (2008), with fewer frequencies because the images are smaller.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.data import gabor_features
    >>> wave = np.cos(2 * np.pi * 4 * (np.arange(32) + 0.5) / 32)
    >>> features, channels = gabor_features([wave * np.ones((32, 1))])
    >>> best = features[0].argmax()
    >>> float(channels.frequency[best]), float(channels.orientation[best])
    (4.0, 0.0)
    """
    stack = as_finite_array(images, "images", ndim=3, dtype=np.float64)
    size = stack.shape[1]
    if size != stack.shape[2] or size < 16:
        raise ValueError(f"images must be square with at least 16 pixels a side, but their shape is {stack.shape}")
    channels = _channels()
    filters = gabor_filters(channels, size).reshape(-1, size**2).T
    flat = stack.reshape(-1, size**2)
    return np.hypot(flat @ filters.real, flat @ filters.imag), channels


def _channels() -> GaborChannels:
    angles = np.pi * np.arange(_ORIENTATIONS) / _ORIENTATIONS
    rows = []
    for f in _FREQUENCIES:
        centres = (np.arange(f) + 0.5) / f
        rows += [(f, angle, row, column) for row in centres for column in centres for angle in angles]
    return GaborChannels(*np.array(rows, dtype=np.float64).T)


def gabor_filters(channels: GaborChannels, size: int = 32) -> NDArray[np.complex128]:
    """Gabor filters in complex form: the real and the imaginary part are the pair of waves.

    Parameters
    ----------
    channels : GaborChannels
        From `gabor_features`.
    size : int
        Pixels a side, at least 16.

    Returns
    -------
    ndarray of shape (n_channels, size, size)
        Filters of mean 0 and unit norm. A feature is the modulus of the image's inner product with its filter.

    Raises
    ------
    ValueError
        If `size` is not an integer of at least 16.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.data import gabor_features, gabor_filters
    >>> channels = gabor_features(np.ones((1, 32, 32)))[1]
    >>> gabor_filters(channels).shape
    (510, 32, 32)
    """
    pixels = as_positive_int(size, "size", minimum=16)
    position = (np.arange(pixels) + 0.5) / pixels
    f, angle, row, column = (
        part[:, np.newaxis, np.newaxis]
        for part in (channels.frequency, channels.orientation, channels.row, channels.column)
    )
    y, x = position[:, np.newaxis] - row, position - column
    envelope = np.exp(-0.5 * (x**2 + y**2) * (f / _SIGMA) ** 2)
    wave = envelope * np.exp(2j * np.pi * f * (x * np.cos(angle) + y * np.sin(angle)))
    # an even wave under a window has a mean; without this, energy would follow brightness
    wave -= envelope * wave.sum(axis=(1, 2), keepdims=True) / envelope.sum(axis=(1, 2), keepdims=True)
    unit: NDArray[np.complex128] = wave / np.linalg.norm(wave, axis=(1, 2), keepdims=True)
    return unit
