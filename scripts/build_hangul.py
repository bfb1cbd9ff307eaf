"""Rebuild ``src/classex_book/data/hangul.npz`` from the Korean fonts of Debian.

    apt-get install -y --no-install-recommends fonts-nanum fonts-nanum-extra fonts-baekmuk fonts-noto-cjk \
        fonts-unfonts-core fonts-unfonts-extra
    python scripts/build_hangul.py

Every syllable of the Korean standard KS X 1001 is drawn in one face of every family, brought to one size, and shrunk to
the slow part of its two-dimensional cosine transform. Nothing is learnt from the images, and nothing is random but the
published order of the classes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import PIL
from archives import write
from PIL import Image, ImageDraw, ImageFont, features
from scipy import fft, ndimage

SEED = 20261009
FONTS = Path("/usr/share/fonts")
TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "hangul.npz"
EM, SIDE, BLUR, WAVES = 72, 32, 1.0, 8  # pixels an em, pixels a side, pixels of blur, slow waves kept each way
FAMILIES = {
    # no designer has families on both sides: Koaunghi Un and Jeong-Hwan Kim train, the others test
    "train": (
        *(
            f"truetype/unfonts-core/Un{name}.ttf"
            for name in ("Batang", "Dotum", "Graphic", "Gungseo", "Pilgi", "Dinaru")
        ),
        *(f"truetype/unfonts-extra/Un{name}.ttf" for name in ("Shinmun", "Taza", "Vada", "Penheulim")),
        *(f"truetype/baekmuk/{name}.ttf" for name in ("batang", "gulim")),
    ),
    "test": (
        *(
            f"truetype/nanum/Nanum{name}.ttf"
            for name in ("Gothic", "Myeongjo", "BarunGothic", "SquareR", "SquareRoundR", "BarunpenR", "Pen", "Brush")
        ),
        "opentype/noto/NotoSansCJK-Regular.ttc",
        "opentype/noto/NotoSerifCJK-Regular.ttc",
    ),
}


def syllables() -> list[str]:
    """Return the 2,350 precomposed syllables of KS X 1001, in its order."""
    rows, columns = range(0xB0, 0xC9), range(0xA1, 0xFF)
    return [bytes((row, column)).decode("euc_kr") for row in rows for column in columns]


def draw(font: ImageFont.FreeTypeFont, syllable: str) -> np.ndarray:
    """Return the syllable with its longer side at 4/5 of the image, centred and blurred, ink 1."""
    canvas = Image.new("L", (2 * EM, 2 * EM))
    ImageDraw.Draw(canvas).text((EM // 2, EM // 2), syllable, fill=255, font=font)
    box = canvas.getbbox()
    if box is None:
        raise ValueError(f"{font.getname()} draws nothing for {syllable}")
    ink = canvas.crop(box)
    scale = 0.8 * SIDE / max(ink.size)
    ink = ink.resize((max(round(ink.width * scale), 1), max(round(ink.height * scale), 1)), Image.Resampling.LANCZOS)
    page = Image.new("L", (SIDE, SIDE))
    page.paste(ink, ((SIDE - ink.width) // 2, (SIDE - ink.height) // 2))
    return ndimage.gaussian_filter(np.asarray(page, dtype=np.float64) / 255, BLUR)


def slow_waves(image: np.ndarray) -> np.ndarray:
    """Return the slow coefficients of the image's cosine transform, brought to unit length."""
    # the constant only tells how bold the face is
    slow = fft.dctn(image, norm="ortho")[:WAVES, :WAVES].ravel()[1:]
    return slow / np.linalg.norm(slow)


def build(target: Path) -> None:
    """Draw everything and write one deterministic .npz."""
    texts = syllables()
    order = np.random.default_rng(SEED).permutation(len(texts))
    arrays: dict[str, np.ndarray] = {}
    names: dict[str, list[str]] = {}
    for split, files in FAMILIES.items():
        fonts = [_font(file) for file in files]
        names[split] = [" ".join(font.getname()) for font in fonts]
        values = np.array([[slow_waves(draw(font, texts[i])) for font in fonts] for i in order])
        arrays[split] = np.rint(np.clip(values * 160, -127, 127)).astype(np.int8)
    about = {
        "syllables": [texts[i] for i in order],
        "faces": names,
        "versions": {"pillow": PIL.__version__, "freetype2": str(features.version("freetype2"))},
    }
    arrays["about"] = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
    write(target, arrays)
    print({name: array.shape for name, array in arrays.items()}, f"{target.stat().st_size / 1e6:.2f} MB")


def _font(file: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONTS / file, EM, index=1 if file.endswith(".ttc") else 0)


def main() -> None:
    """Check the fonts and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=TARGET)
    target = parser.parse_args().output
    if missing := [file for files in FAMILIES.values() for file in files if not (FONTS / file).exists()]:
        parser.error(f"{len(missing)} fonts are missing ({missing[0]}, ...): install the packages named above")
    build(target)


if __name__ == "__main__":
    main()
