"""Hangul: 2,350 printed Korean syllables, in type faces that training and test never share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from classex._validation import as_positive_int

__all__ = ["HangulSyllables", "load_hangul"]

DESCRIPTION = """Hangul
======
The 2,350 precomposed syllables of the Korean standard KS X 1001, each drawn once in 12 type faces for training and in
10 others for testing; no designer has faces on both sides. A drawing is brought to one size, blurred, and described by
the 63 slowest waves of its two-dimensional cosine transform (8 each way but the constant), brought to unit length and
stored with 8 bits. Nothing is learnt in the making, so the features of a class do not depend on the other classes.

Many syllables differ by one short stroke, and 63 waves show it dimly: the world is hard on purpose. The classes come in
a fixed random order. The faces' licences are listed in HANGUL-LICENSES.md beside the data.
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
    >>> from classex.datasets import load_hangul
    >>> hangul = load_hangul(20)
    >>> (
    ...     len(hangul.syllables),
    ...     hangul.train.shape == (20, len(hangul.train_faces), 63),
    ... )
    (20, True)
    >>> set(hangul.train_faces) & set(hangul.test_faces)
    set()
    """

    train: NDArray[np.float32]
    test: NDArray[np.float32]
    syllables: tuple[str, ...]
    train_faces: tuple[str, ...]
    test_faces: tuple[str, ...]
    DESCR: str = field(default=DESCRIPTION, repr=False)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.syllables)


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
    >>> from classex.datasets import load_hangul
    >>> hangul = load_hangul(100)
    >>> hangul.train.shape, hangul.test.shape
    ((100, 12, 63), (100, 10, 63))
    >>> centroids = hangul.train.mean(axis=1)
    >>> scores = hangul.test.reshape(-1, 63) @ centroids.T
    >>> bool((scores.argmax(axis=1) == np.repeat(np.arange(100), 10)).mean() > 0.6)
    True
    """
    source = files("classex.datasets") / "data" / "hangul.npz"
    with source.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        about = json.loads(stored["about"].tobytes())
        total = len(about["syllables"])
        count = total if n_classes is None else as_positive_int(n_classes, "n_classes", minimum=2, maximum=total)
        train, test = (_unit(stored[split][:count]) for split in ("train", "test"))
    faces = about["faces"]
    return HangulSyllables(train, test, tuple(about["syllables"][:count]), tuple(faces["train"]), tuple(faces["test"]))


def _unit(stored: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the features at unit length again, after the rounding."""
    values = stored.astype(np.float32)
    unit: NDArray[np.float32] = values / np.linalg.norm(values, axis=-1, keepdims=True)
    return unit
