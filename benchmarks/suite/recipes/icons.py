"""Icons: a class is the name of an icon, its reference drawn in one theme, its test point in another."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.images import ROOT, distinct, gradients, pixels

SOURCES = (
    ("debian: papirus-icon-theme 20230104", "GPL-3"),
    ("debian: oxygen-icon-theme 5.103.0", "LGPL-3"),
    ("debian: breeze-icon-theme 5.103.0", "LGPL-3"),
    ("debian: librsvg2-bin, pypi: pillow", "LGPL-2+, MIT-CMU"),
)
FloatArray = NDArray[np.float64]
_SIZE = 16
_THEMES = {"papirus": "Papirus/64x64", "breeze": "breeze", "oxygen": "oxygen/base/64x64", "small": "Papirus/16x16"}


def recognisers() -> dict[str, Pair]:
    """Colours and gradients in two pairs of themes; drawings of two sizes in one theme."""
    files = {theme: _files(ROOT / "usr/share/icons" / folder) for theme, folder in _THEMES.items()}
    found = {}
    for name, test, reference in (
        ("breeze as papirus", "breeze", "papirus"),
        ("oxygen as papirus", "oxygen", "papirus"),
        ("small as large papirus", "small", "papirus"),
    ):
        names = sorted(files[test].keys() & files[reference].keys())
        drawn = [np.stack([_image(files[theme][icon]) for icon in names]) for theme in (test, reference)]
        good = distinct(drawn[1].mean(axis=3)) & distinct(drawn[0].mean(axis=3))
        one, other = (images[good] for images in drawn)
        found[f"colours, {name}"] = pixels(one, other)
        found[f"gradients, {name}"] = gradients(one.mean(axis=3), other.mean(axis=3))
    return found


def _files(folder: Path) -> dict[str, Path]:
    """A drawing for each name; links to other names are left out."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".svg", ".png") and not path.is_symlink() and "symbolic" not in str(path):
            found[path.stem] = path
    return found


def _image(path: Path) -> FloatArray:
    """Colours on white, brought to one size."""
    from PIL import Image

    data = path.read_bytes()
    if path.suffix == ".svg":
        command = ["rsvg-convert", "--width", "48", "--height", "48", "--unlimited", str(path)]
        data = subprocess.run(command, capture_output=True, check=True).stdout
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    white = Image.new("RGBA", image.size, "white")
    flat = Image.alpha_composite(white, image).convert("RGB").resize((_SIZE, _SIZE), Image.Resampling.BOX)
    return np.asarray(flat, dtype=np.float64) / 255
