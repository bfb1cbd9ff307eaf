"""Telugu glyphs: 468 classes of printed syllables, in type families that training and test never share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._validation import as_class_numbers, as_positive_int, one_of

__all__ = ["TeluguGlyphs", "glyph_sheet", "load_telugu"]

DESCRIPTION = """Telugu glyphs
=============
Printed Telugu syllables: each of 36 consonants (35 letters and the conjunct kṣa) without a vowel sign and with
each of 12 vowel signs, 468 classes in all. 48 x 48 pixels, 1 = ink; 50 training and 50 test images a class.

The syllables were drawn by Pillow from the Telugu fonts of Debian (68 faces of 25 families), brought to a common
size, and then slightly turned, sheared, stretched, bent and made thinner or bolder at random. Training images come
from 13 families, test images from 12 others, and no designer has families on both sides: the test asks for letter
shapes, not for fonts. The families of a side take turns, so each contributes 3 to 5 images to a class; images of
one class and family resemble each other, so the 50 images are fewer than 50 independent ones.

Drawings that a font gets wrong were left out: vowel signs beside the letter or drawn over the stroke that they
should replace, and drawings identical to another class. The classes concerned get their images from the other
families. ``left_out`` lists them all.

The classes come in a fixed random order, so that the first 20 are a random sample of the first 100, and those of
all. The families' licences are listed in TELUGU-LICENSES.md beside the data.
"""


@dataclass(frozen=True)
class TeluguGlyphs:
    """Images of Telugu syllables, split by type family.

    Attributes
    ----------
    train_images, test_images : ndarray of uint8 of shape (n, 48, 48)
        Images, 1 where there is ink, 0 elsewhere; ordered by class. Empty where the split was not asked for.
    train_labels, test_labels : ndarray of int64 of shape (n,)
        Class of each image, in ``0..n_classes-1``.
    train_families, test_families : ndarray of int64 of shape (n,)
        Type family of each image, an index into `family_names`.
    train_faces, test_faces : ndarray of int64 of shape (n,)
        Font face of each image, an index into `face_names`.
    syllables : tuple of str
        The classes in Unicode.
    transliterations : tuple of str
        The classes in ISO 15919.
    family_names : tuple of str
        Names of the type families.
    face_names : tuple of str
        File names of the faces.
    left_out : tuple of (str, str, str)
        Face, reason and syllables (separated by blanks) of the drawings that were left out.
    versions : dict of str to str
        Versions of the software that drew the glyphs.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex.datasets import load_telugu
    >>> glyphs = load_telugu(20)
    >>> glyphs.syllables[:3], glyphs.transliterations[:3]
    (('వె', 'ఛృ', 'జూ'), ('ve', 'chr̥', 'jū'))
    >>> glyphs.family_names[glyphs.train_families[0]] == glyphs.family_names[
    ...     glyphs.test_families[0]
    ... ]
    False
    """

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    train_families: NDArray[np.int64]
    train_faces: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]
    test_families: NDArray[np.int64]
    test_faces: NDArray[np.int64]
    syllables: tuple[str, ...]
    transliterations: tuple[str, ...]
    family_names: tuple[str, ...]
    face_names: tuple[str, ...]
    left_out: tuple[tuple[str, str, str], ...]
    versions: dict[str, str]
    DESCR: str = field(default=DESCRIPTION, repr=False)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.syllables)


def load_telugu(n_classes: int | None = None, *, split: str = "both") -> TeluguGlyphs:
    """Load the Telugu glyphs that come with the package.

    Parameters
    ----------
    n_classes : int, optional
        Number of classes, from 2 to 468; all by default. The classes are in a fixed random order and the first
        `n_classes` are taken, so smaller sets are nested in larger ones.
    split : {"both", "train", "test"}
        Which images to load; the arrays of the other side are empty.

    Returns
    -------
    TeluguGlyphs
        Images, labels and names.

    Raises
    ------
    ValueError
        If `n_classes` or `split` is not one of the accepted values.

    Notes
    -----
    Modelled on the Telugu data of the journal paper's Table 3 (400 glyph classes, 50 training and 50 test images
    each), which are not public; these are new images, drawn for this package.

    Examples
    --------
    >>> glyphs = load_telugu(20)
    >>> glyphs.train_images.shape, glyphs.test_images.shape
    ((1000, 48, 48), (1000, 48, 48))
    >>> set(glyphs.train_families.tolist()) & set(glyphs.test_families.tolist())
    set()
    """
    wanted = one_of(split, "split", ("both", "train", "test"))
    source = files("classex.datasets") / "data" / "telugu.npz"
    with source.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        about = json.loads(stored["about"].tobytes())
        total = len(about["syllables"])
        count = total if n_classes is None else as_positive_int(n_classes, "n_classes", minimum=2, maximum=total)
        family_of_face = np.array([family for _, family in about["faces"]], dtype=np.int64)
        arrays: dict[str, Any] = {}
        for side in ("train", "test"):
            kept = count if wanted in ("both", side) else 0
            arrays |= _side(stored, side, kept, family_of_face)
    return TeluguGlyphs(
        **arrays,
        syllables=tuple(about["syllables"][:count]),
        transliterations=tuple(about["transliterations"][:count]),
        family_names=tuple(row[0] for row in about["families"]),
        face_names=tuple(name for name, _ in about["faces"]),
        left_out=tuple((file, reason, syllables) for file, reason, syllables in about["left_out"]),
        versions=about["versions"],
    )


def _side(stored: Any, side: str, n_classes: int, family_of_face: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Decode one side of the split."""
    if n_classes == 0:
        images = np.zeros((0, 48, 48), dtype=np.uint8)
        faces = labels = np.zeros(0, dtype=np.int64)
    else:
        bits = np.swapaxes(stored[f"{side}_bits"][:n_classes], -1, -2)  # stored column by column
        images = np.unpackbits(bits, axis=-1).reshape(-1, 48, 48)
        faces = stored[f"{side}_faces"][:n_classes].reshape(-1).astype(np.int64)
        labels = np.repeat(np.arange(n_classes), bits.shape[1])
    return {
        f"{side}_images": images,
        f"{side}_labels": labels,
        f"{side}_families": family_of_face[faces],
        f"{side}_faces": faces,
    }


def glyph_sheet(
    glyphs: TeluguGlyphs, classes: ArrayLike, *, split: str = "train"
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Tile one image of every class in every type family: families down, classes across.

    Parameters
    ----------
    glyphs : TeluguGlyphs
        The images.
    classes : int or array_like of int of shape (k,)
        Class numbers, no two equal, or a number k for the first k classes.
    split : {"train", "test"}
        Which side of the split.

    Returns
    -------
    sheet : ndarray of uint8 of shape (48 n_families, 48 k)
        The tiled images, 1 = ink. A family that has no image of a class leaves its place blank.
    families : tuple of str
        Names of the families, from top to bottom.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described, or the split was not loaded.

    Examples
    --------
    >>> sheet, families = glyph_sheet(load_telugu(20), [0, 5, 7], split="test")
    >>> sheet.shape, len(families)
    ((576, 144), 12)
    """
    side = one_of(split, "split", ("train", "test"))
    images, labels, families = (getattr(glyphs, f"{side}_{name}") for name in ("images", "labels", "families"))
    if not labels.size:
        raise ValueError(f"glyphs hold no {side} images; load them with split={side!r} or split='both'")
    subset = as_class_numbers(classes, glyphs.n_classes)
    present = np.unique(families)
    sheet = np.zeros((present.size, 48, subset.size, 48), dtype=np.uint8)
    for row, family in enumerate(present):
        for column, label in enumerate(subset):
            found = np.flatnonzero((families == family) & (labels == label))
            if found.size:
                sheet[row, :, column] = images[found[0]]
    names = tuple(glyphs.family_names[family] for family in present)
    return sheet.reshape(48 * present.size, 48 * subset.size), names
