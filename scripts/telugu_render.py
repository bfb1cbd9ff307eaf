"""Turn a face's drawing of a syllable into one distorted 48 x 48 bilevel image.

The drawing becomes a signed distance field: the distance of every point to the edge of the ink. The field is
smooth, so it survives turning, stretching and bending, and where it is cut decides how thick the strokes are.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

SIDE = 48  # pixels
BOX = 42.0  # the longer side of the ink before distortion, pixels
FLATTEN = 0.3  # the shorter side is BOX (shorter / longer) ** FLATTEN: wide syllables grow taller
MARGIN = 16  # rim of the distance field around the ink, master pixels

ROTATION = 2.0  # standard deviations and half-widths of the distortions: degrees
SHEAR = 0.05
ASPECT = 0.06  # of the logarithm of width / height
SHRINK = 0.08  # images are scaled by a factor from 1 - SHRINK to 1
SHIFT = 0.5  # pixels
ELASTIC = 0.5  # standard deviation of the bending, pixels
ELASTIC_WAVE = 7.0  # its smoothing length, pixels
THICKEN = (-0.3, 0.3)  # how far the edge of the ink moves out, pixels
MIN_HALF_STROKE = 0.9  # no stroke becomes thinner than twice this, pixels


def distance_field(ink: np.ndarray) -> np.ndarray:
    """Return signed distances to the edge of the ink in master pixels, positive inside, with a rim around it."""
    padded = np.pad(ink, MARGIN)
    inside = ndimage.distance_transform_edt(padded)
    return np.where(padded, inside - 0.5, 0.5 - ndimage.distance_transform_edt(~padded)).astype(np.float32)


def half_stroke(field: np.ndarray) -> float:
    """Return half the typical stroke width: the median distance field along the strokes' centre lines."""
    ridge = (field > 0) & (field >= ndimage.maximum_filter(field, size=3))
    return float(np.median(field[ridge]))


def distort(field: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return one 48 x 48 boolean image of the glyph under a random affine map, bending and stroke weight."""
    size = np.array(field.shape, dtype=float)
    ink = size - 2 * MARGIN
    stretch = ink / (BOX * (ink / ink.max()) ** FLATTEN)  # master pixels per image pixel, down and across
    stretch /= rng.uniform(1 - SHRINK, 1)
    angle, shear, aspect = np.deg2rad(rng.normal(0, ROTATION)), rng.normal(0, SHEAR), rng.uniform(-ASPECT, ASPECT)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = np.diag(stretch) @ turn @ np.array([[np.exp(aspect / 2), 0.0], [shear, np.exp(-aspect / 2)]])
    scale = float(np.sqrt(stretch.prod()))
    bend = ndimage.gaussian_filter(
        rng.standard_normal((2, SIDE, SIDE)), (0, ELASTIC_WAVE, ELASTIC_WAVE), mode="reflect"
    )
    bend *= ELASTIC / bend.std()
    grid = np.indices((SIDE, SIDE), dtype=float) - (SIDE - 1) / 2 + rng.uniform(-SHIFT, SHIFT, (2, 1, 1)) + bend
    points = np.tensordot(matrix, grid, axes=1) + (size / 2 - 0.5)[:, None, None]
    sampled = ndimage.map_coordinates(field, points, order=1, mode="constant", cval=-float(MARGIN))
    growth = max(rng.uniform(*THICKEN), MIN_HALF_STROKE - half_stroke(field) / scale)
    return sampled > -growth * scale
