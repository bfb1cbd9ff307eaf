"""Hangul: 2,350 printed Korean syllables, in type faces that training and test never share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from classex._checks import as_positive_int

__all__ = ["HangulSyllables", "load_hangul"]

DESCRIPTION = """Hangul
======
The 2,350 precomposed syllables of the Korean standard KS X 1001, each drawn once in 12 type faces for training and in
10 others for testing. No designer has faces on both sides. A drawing is scaled to one size, blurred, and described by
the 63 lowest frequencies of its two-dimensional cosine transform (8 each way without the constant). These features are
scaled to unit length and stored with 8 bits. They are not learnt from data, so the features of a class do not depend on
the other classes.

Many syllables differ by one short stroke, which 63 frequencies barely resolve: the task is hard on purpose. The classes
come in a fixed random order. The licences of the faces are listed in HANGUL-LICENSES.md beside the data.
"""


@dataclass(frozen=True)
class HangulSyllables:
    """Features of drawings of Korean syllables, split by type face.

    Attributes
    ----------
    train, test : ndarray of float32 of shape (n_classes, n_faces, 63)
        Features of each class in each face.
    syllables : tuple of str
        The classes in Unicode.
    train_faces, test_faces : tuple of str
        Names of the faces.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex_book.data import load_hangul
    >>> hangul = load_hangul(20)
    >>> len(hangul.syllables), len(hangul.train_faces)
    (20, 12)
    >>> set(hangul.train_faces) & set(hangul.test_faces)
    set()
    """

    train: NDArray[np.float32]
    test: NDArray[np.float32]
    syllables: tuple[str, ...]
    train_faces: tuple[str, ...]
    test_faces: tuple[str, ...]
    DESCR: str = field(default=DESCRIPTION, repr=False)


def load_hangul(n_classes: int | None = None) -> HangulSyllables:
    """Load the Korean syllables that come with the package.

    Parameters
    ----------
    n_classes : int, optional
        Number of classes, from 2 to 2,350; all by default. The classes are in a fixed random order and the first
        `n_classes` are taken, so smaller sets are nested in larger ones.

    Returns
    -------
    HangulSyllables
        Features and names.

    Raises
    ------
    TypeError, ValueError
        If `n_classes` is not one of the accepted values.

    Notes
    -----
    Made by the script ``scripts/build_hangul.py`` from the Korean fonts of Debian.

    Examples
    --------
    >>> import numpy as np
    >>> from classex_book.data import load_hangul
    >>> hangul = load_hangul(100)
    >>> hangul.train.shape, hangul.test.shape
    ((100, 12, 63), (100, 10, 63))
    >>> centroids = hangul.train.mean(axis=1)
    >>> scores = hangul.test.reshape(-1, 63) @ centroids.T
    >>> bool((scores.argmax(axis=1) == np.repeat(np.arange(100), 10)).mean() > 0.6)
    True
    """
    with (files(__package__) / "hangul.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        about = json.loads(stored["about"].tobytes())
        total = len(about["syllables"])
        count = total if n_classes is None else as_positive_int(n_classes, "n_classes", minimum=2, maximum=total)
        train, test = (stored[split][:count].astype(np.float32) for split in ("train", "test"))
    for part in (train, test):  # the 8 bits changed the lengths
        part /= np.linalg.norm(part, axis=-1, keepdims=True)
    faces = about["faces"]
    return HangulSyllables(train, test, tuple(about["syllables"][:count]), tuple(faces["train"]), tuple(faces["test"]))
