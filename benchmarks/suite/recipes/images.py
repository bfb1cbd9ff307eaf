"""What the recipes of images share: drawn characters, grey pixels, and histograms of gradients."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair

# where the Debian packages are unpacked, and those of npm in its folder `node_modules`
ROOT = Path(os.environ.get("CLASSEX_PACKAGES", "/"))
FloatArray = NDArray[np.float64]


def drawn(font: str, characters: list[str], size: int, index: int = 0) -> FloatArray:
    """Grey images of characters, each brought to the size of its box, shape (n, size, size)."""
    from PIL import Image, ImageDraw, ImageFont

    face = ImageFont.truetype(str(ROOT / "usr/share/fonts" / font), 48, index=index)
    out = np.zeros((len(characters), size, size))
    for i, character in enumerate(characters):
        canvas = Image.new("L", (144, 144))
        ImageDraw.Draw(canvas).text((48, 40), character, fill=255, font=face)
        box = canvas.getbbox()
        if box:
            out[i] = np.asarray(canvas.crop(box).resize((size, size), Image.Resampling.BOX)) / 255
    return out


def covered(font: str, index: int = 0) -> set[int]:
    """Code points that a font draws."""
    from fontTools.ttLib import TTFont

    return set(TTFont(str(ROOT / "usr/share/fonts" / font), fontNumber=index, lazy=True).getBestCmap())


def pixels(test: FloatArray, references: FloatArray) -> Pair:
    """Pixels less their mean over each image, of unit length: scores are correlations."""
    return _unit(test.reshape(len(test), -1)), _unit(references.reshape(len(references), -1))


def gradients(test: FloatArray, references: FloatArray, cells: int = 4, directions: int = 6) -> Pair:
    """Histograms of gradient directions in cells, of unit length."""
    return _unit(_histogram(test, cells, directions)), _unit(_histogram(references, cells, directions))


def _histogram(images: FloatArray, cells: int, directions: int) -> FloatArray:
    down, across = np.gradient(images, axis=(1, 2))
    length = np.hypot(down, across)
    bin_ = np.floor((np.arctan2(down, across) % np.pi) / np.pi * directions).astype(int) % directions
    n, size, _ = images.shape
    step = size // cells
    parts = [
        np.where(bin_ == d, length, 0.0)[:, : step * cells, : step * cells]
        .reshape(n, cells, step, cells, step)
        .sum(axis=(2, 4))
        for d in range(directions)
    ]
    return np.sqrt(np.stack(parts, axis=-1).reshape(n, -1))


def _unit(rows: FloatArray) -> Any:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)


def distinct(references: FloatArray) -> NDArray[np.bool_]:
    """Images that are neither empty nor the same as an earlier one."""
    flat = references.reshape(len(references), -1)
    first = np.zeros(len(flat), dtype=bool)
    first[np.unique(flat.round(6), axis=0, return_index=True)[1]] = True
    return first & (flat.std(axis=1) > 0)
