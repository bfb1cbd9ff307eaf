"""Telugu glyphs: 468 classes of printed syllables, in type families that training and test never share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_int

__all__ = ["TeluguGlyphs", "load_telugu"]

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
        Images, 1 where there is ink, 0 elsewhere; ordered by class.
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
    >>> from classex_book.data import load_telugu
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


def load_telugu(n_classes: int | None = None) -> TeluguGlyphs:
    """Load the Telugu glyphs of the course.

    Parameters
    ----------
    n_classes : int, optional
        Number of classes, from 2 to 468; all by default. The classes are in a fixed random order and the first
        `n_classes` are taken, so smaller sets are nested in larger ones.

    Returns
    -------
    TeluguGlyphs
        Images, labels and names.

    Raises
    ------
    TypeError, ValueError
        If `n_classes` is not one of the accepted values.

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
    file = files("classex_book.data") / "telugu.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        about = json.loads(stored["about"].tobytes())
        total = len(about["syllables"])
        count = total if n_classes is None else as_positive_int(n_classes, "n_classes", minimum=2, maximum=total)
        family_of_face = np.array([family for _, family in about["faces"]], dtype=np.int64)
        arrays: dict[str, Any] = {}
        for side in ("train", "test"):
            bits = np.swapaxes(stored[f"{side}_bits"][:count], -1, -2)  # stored column by column
            faces = stored[f"{side}_faces"][:count].reshape(-1).astype(np.int64)
            arrays[f"{side}_images"] = np.unpackbits(bits, axis=-1).reshape(-1, 48, 48)
            arrays[f"{side}_labels"] = np.repeat(np.arange(count), bits.shape[1])
            arrays[f"{side}_faces"], arrays[f"{side}_families"] = faces, family_of_face[faces]
    return TeluguGlyphs(
        **arrays,
        syllables=tuple(about["syllables"][:count]),
        transliterations=tuple(about["transliterations"][:count]),
        family_names=tuple(row[0] for row in about["families"]),
        face_names=tuple(name for name, _ in about["faces"]),
        left_out=tuple(map(tuple, about["left_out"])),
        versions=about["versions"],
    )
