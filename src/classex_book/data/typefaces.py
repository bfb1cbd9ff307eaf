"""Typefaces: scores of a program that recognises who drew a text, among enrolled typefaces and strangers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["TypefaceSearches", "load_typefaces"]

DESCRIPTION = """Typefaces
=========
496 Latin typefaces of Debian 12 in the part of people. Each gives two samples: its letters a to m and A to M, and its
letters n to z and N to Z. 300 are enrolled with the first sample. All are searched for with the second, so that no
letter helps to recognise a typeface. 196 are not enrolled. A program that was trained on 110 further typefaces gives
the scores: log-likelihood ratios that are not calibrated, to one decimal. Higher is more similar.

Exact copies and other faces of a family were left out. Designs that follow the same model remain. The groups are
Aenigma (display faces by one designer), QualiType (one foundry), monospaced, and other. The settings of the program
were chosen on these typefaces, so it may be a little better here than elsewhere. The licences of the typefaces are
listed in TYPEFACES-LICENSES.md beside the data.
"""


@dataclass(frozen=True)
class TypefaceSearches:
    """Searches for typefaces among 300 enrolled ones.

    Attributes
    ----------
    mated : ndarray of float64 of shape (300, 300)
        Score of each enrolled typeface's search (row) with each enrolled typeface (column).
    nonmated : ndarray of float64 of shape (196, 300)
        Scores of the searches by typefaces that are not enrolled.
    names, groups : ndarray of str of shape (300,)
        Names and groups of the enrolled typefaces, in a random order.
    nonmated_names, nonmated_groups : ndarray of str of shape (196,)
        Those of the others.
    DESCR : str
        What the data are and how they were made.

    Examples
    --------
    >>> from classex_book.data import load_typefaces
    >>> faces = load_typefaces()
    >>> faces.mated.shape, faces.nonmated.shape
    ((300, 300), (196, 300))
    """

    mated: NDArray[np.float64]
    nonmated: NDArray[np.float64]
    names: NDArray[np.str_]
    groups: NDArray[np.str_]
    nonmated_names: NDArray[np.str_]
    nonmated_groups: NDArray[np.str_]
    DESCR: str = field(default=DESCRIPTION, repr=False)


def load_typefaces() -> TypefaceSearches:
    """Load the scores of the typefaces that come with the package.

    Returns
    -------
    TypefaceSearches
        Scores, names and groups.

    Notes
    -----
    Made by the script ``scripts/build_typefaces.py`` from fonts of Debian.

    Examples
    --------
    >>> from classex_book.data import load_typefaces
    >>> faces = load_typefaces()
    >>> sorted(set(faces.groups.tolist()))
    ['Aenigma', 'QualiType', 'monospaced', 'other']
    """
    with (files(__package__) / "typefaces.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        about = json.loads(stored["about"].tobytes())
        scores = [stored[role] / 10 for role in ("enrolled", "stranger")]
    texts = [np.array(about[role][what]) for role in ("enrolled", "stranger") for what in ("names", "groups")]
    return TypefaceSearches(*scores, *texts)
