"""Rebuild ``src/classex_book/data/typefaces.npz``: scores of a program that recognises typefaces.

    apt-get install -y --no-install-recommends $(cut -d, -f3 scripts/typefaces.csv | sort -u | grep fonts)
    python scripts/build_typefaces.py

`typefaces.csv` lists 606 Latin typefaces of Debian 12, one face of a family, with their roles: 110 train the program,
300 are enrolled, 196 are strangers. The list was made once. Left out were symbols, faces whose small letters a nearest-
neighbour rule reads less than half of the time, and all but one of those whose small letters agree pixel by pixel
(median correlation above .97) or whose names begin alike. The roles are random.

A letter is described by responses to 256 small patches that are learnt from the training faces (Coates and Ng, 2012). A
linear discriminant analysis, fitted to means of eight letters of the training faces and of slanted, bolder, lighter,
narrower and wider copies, keeps 150 directions. The score of two samples is the log-likelihood ratio of the
two-covariance model of speaker recognition. As log-likelihood ratios the numbers are not calibrated, because a sample
has 26 letters. The numbers of letters and directions were chosen on these same typefaces.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from string import ascii_letters

import numpy as np
from archives import write
from PIL import Image, ImageDraw, ImageFont
from scipy import linalg, ndimage

SHARE = Path("/usr/share")
LIST = Path(__file__).with_name("typefaces.csv")
TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "typefaces.npz"
SIDE, X_HEIGHT, BASELINE = 64, 22, 44  # pixels
PATCH, STEP, WORDS = 9, 3, 256  # pixels a side, pixels between patches, patches kept
LETTERS, COMPONENTS, DIRECTIONS = 8, 250, 150
ENROL = [i for i in range(52) if i % 26 < 13]  # a to m and A to M
SEARCH = [i for i in range(52) if i % 26 >= 13]
STYLES = [(0, 0, 1), (0, 1, 1), (0, -1, 1), (0.2, 0, 1), (0.2, 1, 1), (0, 0, 0.8), (0, 1, 0.8), (0, 0, 1.2)]


def render(path: Path) -> np.ndarray:
    """Return the 52 letters at one height of the small x, ink 1."""
    box = ImageFont.truetype(path, 60).getbbox("x", anchor="ls")
    font = ImageFont.truetype(path, 60 * X_HEIGHT / (box[3] - box[1]))
    images = []
    for letter in ascii_letters:
        left, _, right, _ = font.getbbox(letter, anchor="ls")
        page = Image.new("L", (SIDE, SIDE))
        ImageDraw.Draw(page).text((SIDE / 2 - (left + right) / 2, BASELINE), letter, fill=255, font=font, anchor="ls")
        images.append(np.asarray(page))
    return np.array(images, dtype=np.float32) / 255


def styled(images: np.ndarray, slant: float, weight: int, width: float) -> np.ndarray:
    """Return the letters slanted, one pixel bolder (1) or lighter (-1), and wider."""
    shift = [0, SIDE / 2 - slant * BASELINE - SIDE / 2 / width]
    moved = [ndimage.affine_transform(one, [[1, 0], [slant, 1 / width]], offset=shift, order=1) for one in images]
    change = {0: lambda one: one, 1: lambda one: ndimage.grey_dilation(one, (2, 2))}
    change[-1] = lambda one: ndimage.grey_erosion(one, (2, 2))
    return np.array([change[weight](one) for one in moved], dtype=np.float32)


class PatchWords:
    """Patches learnt by spherical k-means after whitening, and the responses of letters to them."""

    def __init__(self, faces: np.ndarray, rng: np.random.Generator) -> None:
        found = []
        for _ in range(40_000):
            face, letter = rng.integers(len(faces)), rng.integers(52)
            row, column = rng.integers(0, SIDE - PATCH + 1, 2)
            patch = faces[face, letter, row : row + PATCH, column : column + PATCH].ravel()
            if patch.std() > 0.05:
                found.append(patch)
        patches = np.array(found)
        self.mean = patches.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov((patches - self.mean).T))
        self.whiten = ((vectors / np.sqrt(values + 0.01)) @ vectors.T).astype(np.float32)
        unit = self._unit(patches)
        words = unit[rng.choice(len(unit), WORDS, replace=False)]
        for _ in range(12):
            nearest = (unit @ words.T).argmax(axis=1)
            for word in np.unique(nearest):
                total = unit[nearest == word].sum(axis=0)
                words[word] = total / np.linalg.norm(total)
        self.words = words

    def _unit(self, patches: np.ndarray) -> np.ndarray:
        white = (patches - self.mean) @ self.whiten
        return white / (np.linalg.norm(white, axis=1, keepdims=True) + 1e-9)

    def describe(self, letters: np.ndarray) -> np.ndarray:
        """Return the root of the mean response to each patch, on the height of the small x and elsewhere."""
        windows = np.lib.stride_tricks.sliding_window_view(letters, (PATCH, PATCH), axis=(1, 2))[:, ::STEP, ::STEP]
        rows = np.arange(windows.shape[1]) * STEP + PATCH / 2
        middle = (rows > BASELINE - X_HEIGHT - 2) & (rows < BASELINE + 2)
        ink = windows.mean(axis=(3, 4))
        out = np.empty((len(letters), 2, WORDS), dtype=np.float32)
        for i, one in enumerate(windows):
            used = (ink[i] > 0.03) & (ink[i] < 0.97)
            response = np.maximum(self._unit(one[used].reshape(-1, PATCH**2)) @ self.words.T - 0.25, 0)
            inside = np.nonzero(used)[0]
            for part, rows_in in enumerate((middle[inside], ~middle[inside])):
                out[i, part] = response[rows_in].sum(axis=0) / len(response)
        return np.sqrt(out).reshape(len(letters), -1)


def discriminant(faces: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean, directions and variances between faces, relative to those between samples of a face."""
    n, repeats = len(faces), 6
    samples = np.array([[one[rng.permutation(52)[:LETTERS]].mean(axis=0) for _ in range(repeats)] for one in faces])
    mean = samples.mean(axis=(0, 1))
    flat = (samples - mean).reshape(n * repeats, -1)
    kept = linalg.eigh(flat.T @ flat, subset_by_index=[flat.shape[1] - COMPONENTS, flat.shape[1] - 1])[1]
    reduced = (flat @ kept).reshape(n, repeats, -1)
    centres = reduced.mean(axis=1)
    inner = (reduced - centres[:, np.newaxis]).reshape(n * repeats, -1)
    within = inner.T @ inner / (n * (repeats - 1))
    ridge = 1e-3 * np.trace(within) / COMPONENTS * np.eye(COMPONENTS)
    values, vectors = linalg.eigh(np.cov(centres.T) - within / repeats, within + ridge)
    return mean, kept @ vectors[:, -DIRECTIONS:], values[-DIRECTIONS:]


def score(one: np.ndarray, other: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Return log-likelihood ratios of "one face" against "two faces", up to a constant."""
    total = between + 1
    size = total**2 - between**2
    own = (np.square(one) @ (between**2 / (total * size)))[:, np.newaxis]
    others = np.square(other) @ (between**2 / (total * size))
    return (one * (between / size)) @ other.T - (own + others) / 2


def build(share: Path, target: Path) -> None:
    """Draw, learn, compare, and write one deterministic .npz."""
    with LIST.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    rng = np.random.default_rng(1)
    drawn = {row["file"]: render(share / row["file"]) for row in rows}
    train = [styled(drawn[row["file"]], *style) for row in rows if row["role"] == "training" for style in STYLES]
    words = PatchWords(np.array(train), rng)
    mean, directions, between = discriminant(np.array([words.describe(one) for one in train]), rng)
    samples = {}
    for row in rows:
        if row["role"] != "training":
            found = words.describe(drawn[row["file"]])
            samples[row["file"]] = [(found[part].mean(axis=0) - mean) @ directions for part in (ENROL, SEARCH)]
    people = {role: [row for row in rows if row["role"] == role] for role in ("enrolled", "stranger")}
    gallery = np.array([samples[row["file"]][0] for row in people["enrolled"]])
    arrays, about = {}, {}
    for role, some in people.items():
        searches = np.array([samples[row["file"]][1] for row in some])
        arrays[role] = np.rint(10 * score(searches, gallery, between)).astype(np.int16)
        names = [ImageFont.truetype(share / row["file"], 60).getname()[0] for row in some]
        about[role] = {"names": names, "groups": [row["group"] for row in some]}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    write(target, arrays)
    print({name: array.shape for name, array in arrays.items()}, f"{target.stat().st_size / 1e3:.0f} kB")


def main() -> None:
    """Check the fonts and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=Path, default=SHARE, help="where Debian's packages put their files")
    parser.add_argument("--output", type=Path, default=TARGET)
    arguments = parser.parse_args()
    build(arguments.share, arguments.output)


if __name__ == "__main__":
    main()
